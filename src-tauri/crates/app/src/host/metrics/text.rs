//! The text format of Prometheus, version 0.0.4.

use std::fmt::Write;

/// What a family of numbers is.
#[derive(Clone, Copy)]
pub(super) enum Kind {
    /// Grows only, from 0 with the process.
    Counter,
    /// As it is now.
    Gauge,
    /// Counts by upper bound.
    Histogram,
}

/// The head of a family, and its samples: labels with braces, or nothing, and the number.
pub(super) fn family(out: &mut String, kind: Kind, name: &str, about: &str, samples: &[(String, u64)]) {
    let kind = match kind {
        Kind::Counter => "counter",
        Kind::Gauge => "gauge",
        Kind::Histogram => "histogram",
    };
    // Writing to a string does not fail.
    let _ = writeln!(out, "# HELP {name} {about}\n# TYPE {name} {kind}");
    for (labels, value) in samples {
        sample(out, name, labels, *value);
    }
}

/// One number.
pub(super) fn sample(out: &mut String, name: &str, labels: &str, value: u64) {
    let _ = writeln!(out, "{name}{labels} {value}");
}
