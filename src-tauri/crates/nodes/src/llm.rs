//! What the kinds that ask language models share.

pub(crate) mod fault;
pub(crate) mod form;
pub(crate) mod gate;
pub(crate) mod held;
pub(crate) mod images;
mod offer;
pub(crate) mod rounds;
pub(crate) mod settings;
pub(crate) mod shown;
pub(crate) mod skills;
pub(crate) mod talk;
pub(crate) mod toolset;
pub(crate) mod transcript;
