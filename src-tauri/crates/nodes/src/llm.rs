//! What the kinds that ask language models share.

pub(crate) mod fault;
pub(crate) mod form;
pub(crate) mod settings;
pub(crate) mod talk;
