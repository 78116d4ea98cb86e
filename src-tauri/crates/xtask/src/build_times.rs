//! What a build spent on crates of others, from the report that cargo writes with `--timings`: without it, nobody sees what a build takes
//! when these are there.

use std::path::Path;

/// Seconds of all units that were built, two at a time on two cores.
#[derive(Debug, PartialEq)]
pub(crate) struct Units {
    pub(crate) all: f64,
    pub(crate) of_others: f64,
}

/// The report of the last build below a target folder.
pub(crate) fn last(target: &Path) -> Option<Units> {
    units(&std::fs::read_to_string(target.join("cargo-timings/cargo-timing.html")).ok()?)
}

/// The units are JSON with a field on each line; the name of a unit is before its duration.
fn units(report: &str) -> Option<Units> {
    let (_, list) = report.split_once("const UNIT_DATA = [")?;
    let (mut ours, mut found) = (false, Units { all: 0.0, of_others: 0.0 });
    for line in list.lines().take_while(|line| *line != "];") {
        let Some((field, value)) = line.trim().split_once(": ") else { continue };
        let value = value.trim_end_matches(',');
        match field {
            "\"name\"" => ours = value.starts_with("\"signalbox-") || value == "\"xtask\"",
            "\"duration\"" => {
                let seconds: f64 = value.parse().ok()?;
                found.all += seconds;
                found.of_others += if ours { 0.0 } else { seconds };
            }
            _ => {}
        }
    }
    Some(found)
}

#[cfg(test)]
mod tests {
    use super::{Units, units};

    #[test]
    fn a_report_of_cargo_is_read() {
        let report = r#"<script>
const UNIT_DATA = [
  {
    "i": 0,
    "name": "serde",
    "features": [
      "default"
    ],
    "start": 9.0,
    "duration": 1.5,
    "sections": null
  },
  {
    "i": 1,
    "name": "signalbox-app",
    "duration": 50.25
  },
  {
    "i": 2,
    "name": "xtask",
    "duration": 2
  }
];
const CONCURRENCY_DATA = [ { "duration": 7 } ];
"#;
        assert_eq!(units(report), Some(Units { all: 53.75, of_others: 1.5 }));
        assert_eq!(units("<html>"), None);
    }
}
