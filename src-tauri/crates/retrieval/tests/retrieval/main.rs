//! Indexes through their port; one binary.

mod index;
mod manage;
mod measure;
mod vectors;
