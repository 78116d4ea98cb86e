//! One program for all targets; the variable `FUZZ_TARGET` names the one that gets the inputs. `cargo xtask fuzz` runs it.
#![no_main]

mod mutate;
mod targets;
mod values;

use libfuzzer_sys::{fuzz_mutator, fuzz_target};

fuzz_target!(init: targets::choose(), |data: &[u8]| {
    targets::run(data);
});

fuzz_mutator!(|data: &mut [u8], size: usize, max_size: usize, seed: u32| {
    mutate::mutate(data, size, max_size, seed)
});
