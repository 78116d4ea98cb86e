//! What the steps for object stores share: the settings of a store, its requests, and what its answers mean. Four families of
//! stores are spoken over the program's own HTTP, so that addresses, credentials and limits are those of HTTP steps (ADR 155);
//! files of SFTP servers are objects, too (ADR 190).

pub(crate) mod exchange;
pub(crate) mod listing;
pub(crate) mod place;
pub(crate) mod requests;
pub(crate) mod settings;
pub(crate) mod sftp;
pub(crate) mod webdav;

#[cfg(test)]
mod tests;
