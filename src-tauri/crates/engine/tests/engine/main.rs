//! The engine through its surface: properties over random graphs, and small stories.
mod diagnostics;
mod driver;
mod properties;
mod stories;
