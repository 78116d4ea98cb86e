//! Runs workflows in memory: no store, no network, simulated time. The engine and the steps without effects are the real ones;
//! whatever reaches outside is answered by an [`Environment`]. Scripts, and files that come with the items, run in a
//! [`Sandbox`] that the program brings.
//!
//! [`test_file`] is the format of `*.signalbox-test.yaml`; [`record`] makes one of the events of a run; [`check`] runs it and
//! compares; [`prove`] runs a workflow once for each fault that its steps may have.
#![deny(missing_docs)]

pub mod check;
pub mod compare;
pub mod compatibility;
pub mod coverage;
pub mod expectations;
pub mod junit;
pub mod prove;
pub mod record;
pub mod replay;
pub mod sample;
pub mod sandbox;
pub mod simulation;
pub mod test_bytes;
pub mod test_file;

pub use check::{TestResult, run_test};
pub use sandbox::{Kinds, Sandbox};
pub use simulation::{Environment, Simulation};
pub use test_file::TestFile;
