//! `test` and `prove`: no store is opened, and nothing outside is called.

use super::Done;
use crate::args::Test;
use crate::output::{FAILED, OK, Output, Tone, plain};
use serde_json::{Value, json};
use signalbox_app::saved_tests::{self, FaultResult, RanTest, WorkflowCoverage, junit};
use signalbox_app::{ApiError, Class};
use std::path::{Path, PathBuf};
use std::time::Instant;

pub(crate) fn test(output: &Output, args: &Test, data: Option<&Path>) -> Done {
    let here = [PathBuf::from(".")];
    let paths = if args.paths.is_empty() { &here[..] } else { &args.paths };
    let files = saved_tests::files_at(paths)?;
    if files.is_empty() {
        let message = format!("There are no tests in {}.", paths[0].display());
        let hint = "Tests are files with names that end with .signalbox-test.yaml. `signalbox runs save-test` makes one of a run.";
        return Err(ApiError::new(Class::NotFound, "NO_TESTS", message, hint));
    }
    let began = Instant::now();
    let ran = saved_tests::run(&files, data);
    let took = began.elapsed().as_secs_f64();
    let coverage = if args.coverage { saved_tests::coverage(&ran) } else { Vec::new() };
    let passed = ran.iter().filter(|test| passes(test)).count();
    if output.json {
        print_json(output, &ran, args.coverage.then_some(&coverage[..]), passed);
    } else {
        print_text(output, &ran, &coverage, passed, took);
    }
    if let Some(out) = &args.junit {
        let rows: Vec<_> = ran
            .into_iter()
            .map(|test| {
                (
                    test.file.display().to_string(),
                    test.result.map_err(|error| format!("{} {}", error.message, error.hint)),
                    test.seconds,
                )
            })
            .collect();
        let all = rows.len();
        std::fs::write(out, junit::report(&rows)).map_err(|error| {
            let message = format!("{} cannot be written: {error}.", out.display());
            ApiError::new(Class::Unavailable, "IO_ERROR", message, "Choose another file; the tests were run.")
        })?;
        return Ok(if passed == all { OK } else { FAILED });
    }
    Ok(if passed == ran.len() { OK } else { FAILED })
}

fn passes(test: &RanTest) -> bool {
    test.result.as_ref().is_ok_and(|result| result.passed)
}

fn print_json(output: &Output, ran: &[RanTest], coverage: Option<&[WorkflowCoverage]>, passed: usize) {
    let tests: Vec<Value> = ran
        .iter()
        .map(|test| {
            let mut row = json!({ "file": test.file, "passed": passes(test) });
            match &test.result {
                Ok(result) => row["result"] = json!(result),
                Err(error) => row["error"] = json!(error),
            }
            row
        })
        .collect();
    let mut all = json!({ "passed": passed, "failed": ran.len() - passed, "tests": tests });
    if let Some(coverage) = coverage {
        all["coverage"] =
            coverage.iter().map(|one| json!({ "workflow": one.workflow, "report": one.report })).collect();
    }
    output.value(&all);
}

fn print_text(output: &Output, ran: &[RanTest], coverage: &[WorkflowCoverage], passed: usize, took: f64) {
    for test in ran {
        let file = plain(&test.file.display().to_string());
        let (word, tone) = if passes(test) { ("pass", Tone::Good) } else { ("FAIL", Tone::Bad) };
        let name = test.result.as_ref().map_or_else(|_| String::new(), |result| format!("  {}", plain(&result.name)));
        output.line(&format!("{} {file}{name}", output.paint(word, tone)));
        match &test.result {
            Err(error) => output.line(&format!("     {} {}", plain(&error.message), plain(&error.hint))),
            Ok(result) if !result.passed => {
                for difference in &result.differences {
                    output.line(&format!("     {}", plain(&difference.message)));
                }
                for note in &result.notes {
                    output.line(&format!("     note: {}", plain(note)));
                }
            }
            Ok(_) => {}
        }
    }
    for one in coverage {
        let report = &one.report;
        output.line(&format!(
            "{}: {} of {} steps, {} of {} connected ports",
            plain(&one.workflow.display().to_string()),
            report.steps_reached,
            report.steps,
            report.ports_reached,
            report.ports
        ));
        for (what, missing) in [("steps", &report.missing_steps), ("ports", &report.missing_ports)] {
            if !missing.is_empty() {
                output.line(&format!("     {what} not reached: {}", plain(&missing.join(", "))));
            }
        }
    }
    let failed = ran.len() - passed;
    let tone = if failed == 0 { Tone::Good } else { Tone::Bad };
    output.line(&output.paint(&format!("{passed} passed, {failed} failed, {took:.2} s"), tone));
}

pub(crate) fn prove(output: &Output, file: &Path, data: Option<&Path>, pairs: usize) -> Done {
    let report = saved_tests::prove(file, data, pairs)?;
    let good = report.is_good();
    if output.json {
        output.value(&json!(report));
        return Ok(if good { OK } else { FAILED });
    }
    for base in &report.base {
        let problem = base.problem.as_ref().map_or_else(String::new, |problem| format!(" {}", plain(problem)));
        output.line(&format!("Without a fault ({}): {}.{problem}", plain(&base.name), base.status));
    }
    let mut step = "";
    for result in &report.results {
        if result.step != step {
            step = &result.step;
            output.line(&plain(step));
        }
        print_result(output, result);
    }
    if !report.pairs.results.is_empty() {
        output.line("Two faults in one run");
    }
    for result in &report.pairs.results {
        print_result(output, result);
    }
    if !report.not_tried.is_empty() {
        output.line("Not tried:");
    }
    for skipped in &report.not_tried {
        let step = skipped.step.as_ref().map_or_else(String::new, |step| format!("{}: ", plain(step)));
        let count = match skipped.faults {
            None => String::new(),
            Some(1) => "1 fault. ".to_owned(),
            Some(faults) => format!("{faults} faults. "),
        };
        output.line(&format!("  {step}{count}{}", plain(&skipped.reason)));
    }
    match report.score {
        None => output.line("No fault was tried."),
        Some(score) => {
            output.line(&format!("{score} % of {} faults are handled ({} simulated runs)", report.tried, report.runs))
        }
    }
    Ok(if good { OK } else { FAILED })
}

fn print_result(output: &Output, result: &FaultResult) {
    let tone = if result.outcome.is_good() { Tone::Good } else { Tone::Bad };
    let word = output.paint(&format!("{:<12}", result.outcome.as_str()), tone);
    let once = if result.first_call_only { " (first call only)" } else { "" };
    let faults = plain(&result.faults.join(", "));
    let faults = match &result.also {
        Some(also) => {
            format!(
                "{}: {faults}{once}, then {}: {}",
                plain(&result.step),
                plain(&also.step),
                plain(&also.faults.join(", "))
            )
        }
        None => format!("{faults}{once}"),
    };
    output.line(&format!("  {word} {faults}"));
    output.line(&format!("               {}", plain(&result.message)));
}
