//! One program for most targets; the variable `FUZZ_TARGET` names the one that gets the inputs. `cargo xtask fuzz` runs it.
#![no_main]

mod targets;
mod values;

use libfuzzer_sys::{fuzz_mutator, fuzz_target};
use signalbox_fuzz::{harness, mutate};

fuzz_target!(init: harness::choose(&targets::TARGETS), |data: &[u8]| {
    harness::run(data);
});

fuzz_mutator!(|data: &mut [u8], size: usize, max_size: usize, seed: u32| {
    mutate::mutate(data, size, max_size, seed)
});
