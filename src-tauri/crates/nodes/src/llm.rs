//! What the kinds that ask language models share.

pub(crate) mod agent_loop;
pub(crate) mod completion;
pub(crate) mod fault;
pub(crate) mod form;
pub(crate) mod images;
pub(crate) mod settings;
pub(crate) mod skills;
pub(crate) mod suspended_call;
pub(crate) mod tool_approval;
pub(crate) mod tool_images;
mod tool_names;
pub(crate) mod toolset;
pub(crate) mod transcript;
