//! Tests of the detection.

mod labelled;
mod personal;
