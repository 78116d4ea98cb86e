//! Indexes through their port; one binary.

mod index;
mod measure;
mod vectors;
