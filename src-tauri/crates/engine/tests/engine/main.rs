//! The engine through its surface: properties over random graphs, and small stories.
mod containers;
mod coverage;
mod debug;
mod debug_wires;
mod diagnostics;
mod driver;
mod foreign;
mod many_items;
mod properties;
mod properties_containers;
mod properties_debug;
mod properties_people;
mod properties_rerun;
mod rerun;
mod send;
mod stories;
mod until;
