//! What the steps for object stores share: the settings of a store, its requests, and what its answers mean. Four families of
//! stores are spoken over the program's own HTTP, so that addresses, credentials and limits are those of HTTP steps (ADR 155);
//! files of SFTP servers are objects, too (ADR 190).

mod azure_blocks;
mod download;
pub(crate) mod exchange;
pub(crate) mod file_source;
mod google;
mod google_upload;
pub(crate) mod listing;
mod patience;
pub(crate) mod place;
pub(crate) mod requests;
mod s3_upload;
pub(crate) mod settings;
pub(crate) mod sftp;
pub(crate) mod upload;
pub(crate) mod webdav;
mod webdav_upload;

#[cfg(test)]
mod tests;
