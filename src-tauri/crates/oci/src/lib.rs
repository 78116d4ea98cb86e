//! OCI images without a container engine: reproducible tars, and an image layout in one of them. Pure: files are read, hashed and
//! packed by whoever asks.
#![deny(missing_docs)]

pub mod image;
pub mod json;
pub mod tar;
