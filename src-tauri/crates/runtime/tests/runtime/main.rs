//! The runtime against a real store, a real clock and a scripted outside.

mod crash;
mod cut_off;
mod follow;
mod limits;
mod lists;
mod memory;
mod model;
mod panics;
mod people;
mod rows;
mod run;
mod said;
mod start_key;
mod support;
