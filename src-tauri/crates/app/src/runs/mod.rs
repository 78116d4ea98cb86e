//! Runs: starting and following them, and what people and expressions see of their data.

pub(crate) mod comparison;
pub(crate) mod followers;
pub(crate) mod lifecycle;
pub(crate) mod masked_views;
pub(crate) mod node_scope;
pub(crate) mod paths;
pub(crate) mod preview_limits;
pub(crate) mod start_key;
pub(crate) mod step_names;
pub(crate) mod structured_log;
pub(crate) mod summary;
pub(crate) mod view;
pub(crate) mod view_cache;
