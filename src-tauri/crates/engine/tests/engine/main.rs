//! The engine through its surface: properties over random graphs, and small stories.
mod driver;
mod properties;
mod stories;
