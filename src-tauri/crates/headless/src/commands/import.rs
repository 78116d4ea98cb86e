//! `import`: a workflow of a file of another program. No store is opened, and nothing is run.

use super::Done;
use crate::args::{Import, ImportFormat};
use crate::output::{FAILED, OK, Output, Tone, plain};
use serde_json::json;
use signalbox_app::ApiError;
use signalbox_app::import::{
    Format, Level, NOT_VALID, Options, Report, Status, keep_pins, print, text_in, text_of, translate, write,
};
use std::io::IsTerminal as _;

pub(crate) fn import(output: &Output, args: &Import) -> Done {
    let format = match args.format {
        // The content says it.
        ImportFormat::Auto => None,
        ImportFormat::N8n => Some(Format::N8n),
        ImportFormat::Asl => Some(Format::Asl),
        ImportFormat::Curl => Some(Format::Curl),
        ImportFormat::Vl => Some(Format::Vl),
    };
    let (text, name) = if args.file.as_os_str() == "-" { (pasted()?, None) } else { text_of(&args.file)? };
    let options = Options { name, tool_server: args.tool_server.clone(), format, ..Options::default() };
    let imported = translate(&text, &options)?;
    let document = json!(imported.workflow);
    if let Some(out) = &args.out {
        write(out, &document, args.force)?;
        keep_pins(out, imported.pins.clone())?;
    }
    let report = &imported.report;
    if output.json {
        let mut result = json!({ "file": args.file, "report": report });
        match &args.out {
            Some(out) => result["out"] = json!(out),
            None => result["workflow"] = document,
        }
        output.value(&result);
    } else {
        tell(output, report);
        match &args.out {
            Some(out) => output.line(&format!("Written: {}", plain(&out.display().to_string()))),
            None => output.line(print(&document).trim_end()),
        }
    }
    Ok(if report.count(Level::Problem) > 0 { FAILED } else { OK })
}

/// What comes by standard input, such as a cURL command that somebody pastes.
fn pasted() -> Result<String, ApiError> {
    let input = std::io::stdin();
    if input.is_terminal() {
        eprintln!("Paste what is imported, then press Enter and Ctrl+D (on Windows Ctrl+Z and Enter).");
    }
    text_in(input.lock())
}

/// The report for people, on standard error: the workflow may go to standard output.
fn tell(output: &Output, report: &Report) {
    let version = report.version.as_deref().map(|version| format!(" {}", plain(version))).unwrap_or_default();
    eprintln!("{}{version}: {} steps in the file became {} steps here.", report.format, report.steps, report.nodes);
    let count = |status| report.steps_of(status);
    let (green, yellow, red) = (count(Status::Green), count(Status::Yellow), count(Status::Red));
    eprintln!(
        "{} · {} · {}",
        output.paint(&format!("{green} green"), Tone::Good),
        output.paint(&format!("{yellow} yellow"), Tone::Warn),
        output.paint(&format!("{red} red"), Tone::Bad)
    );
    for note in &report.notes {
        eprintln!("  {}", plain(note));
    }
    for found in &report.findings {
        let (word, tone) = match found.level {
            Level::Problem if found.code == NOT_VALID => ("cannot run", Tone::Bad),
            Level::Problem => ("not translated", Tone::Bad),
            Level::Missing => ("missing here", Tone::Warn),
            Level::Warning => ("warning", Tone::Quiet),
        };
        let place = if found.path.is_empty() { "/" } else { &found.path };
        eprintln!("  {} {} at {}", output.paint(word, tone), found.code, plain(place));
        eprintln!("    {}\n    {}", plain(&found.message), plain(&found.hint));
    }
    if report.more > 0 {
        eprintln!("  … and {} more.", report.more);
    }
}
