//! Results of tests as JUnit XML, which CI systems show.

use crate::check::TestResult;
use std::fmt::Write;

/// Text for XML: what XML 1.0 cannot hold becomes U+FFFD.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\n' => out.push_str("&#10;"),
            '\t' => out.push_str("&#9;"),
            letter if (letter as u32) < 0x20 || matches!(letter, '\u{fffe}' | '\u{ffff}') => out.push('\u{fffd}'),
            letter => out.push(letter),
        }
    }
    out
}

/// One suite: (file of the test, what it came to or why it could not be run, seconds it took).
pub fn report(tests: &[(String, Result<TestResult, String>, f64)]) -> String {
    let failures = tests.iter().filter(|(_, result, _)| result.as_ref().is_ok_and(|result| !result.passed)).count();
    let errors = tests.iter().filter(|(_, result, _)| result.is_err()).count();
    let time: f64 = tests.iter().map(|(_, _, seconds)| seconds).sum();
    let mut out = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    let count = tests.len();
    let totals = format!("tests=\"{count}\" failures=\"{failures}\" errors=\"{errors}\" time=\"{time:.3}\"");
    let _ = writeln!(out, "<testsuites {totals}>\n  <testsuite name=\"signalbox\" {totals}>");
    for (file, result, seconds) in tests {
        let name = result.as_ref().map_or(file.as_str(), |result| result.name.as_str());
        let head =
            format!("    <testcase classname=\"{}\" name=\"{}\" time=\"{seconds:.3}\"", escaped(file), escaped(name));
        let (element, short, long) = match result {
            Ok(result) if result.passed => {
                let _ = writeln!(out, "{head}/>");
                continue;
            }
            Ok(result) => {
                let lines: Vec<&str> = result.differences.iter().map(|one| one.message.as_str()).collect();
                ("failure", lines.first().copied().unwrap_or_default().to_owned(), lines.join("\n"))
            }
            Err(why) => ("error", why.clone(), why.clone()),
        };
        let _ = writeln!(
            out,
            "{head}>\n      <{element} message=\"{}\">{}</{element}>\n    </testcase>",
            escaped(&short),
            escaped(&long)
        );
    }
    out.push_str("  </testsuite>\n</testsuites>\n");
    out
}
