//! Runs: starting and following them, and what people and expressions see of their data.

pub(crate) mod comparison;
pub(crate) mod debugging;
pub(crate) mod followers;
pub(crate) mod lifecycle;
pub(crate) mod masked_views;
pub(crate) mod new_run;
pub(crate) mod paths;
pub(crate) mod preview_limits;
pub(crate) mod prune;
pub(crate) mod replay;
pub(crate) mod start_key;
pub(crate) mod structured_log;
pub(crate) mod summary;
pub(crate) mod view;
pub(crate) mod view_cache;
