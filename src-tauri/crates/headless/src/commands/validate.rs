//! `validate`: everything that is wrong with files; nothing is opened but the files, those that they name, and the list of
//! allowed folders.

use super::Done;
use crate::output::{INVALID, OK, Output, Tone, plain};
use serde_json::{Value, json};
use signalbox_app::{App, check};
use std::path::{Path, PathBuf};

pub(crate) fn validate(output: &Output, files: &[PathBuf], data: Option<&Path>, app: Option<&App>) -> Done {
    let mut all_ok = true;
    let mut results = Vec::new();
    for file in files {
        let mut diagnostics = check::file(file, data);
        diagnostics.extend(app.map(|app| app.folder_warnings(file)).unwrap_or_default());
        let ok = !diagnostics.iter().any(|d| d.severity == signalbox_model::Severity::Error);
        all_ok &= ok;
        results.push(json!({ "file": file, "ok": ok, "diagnostics": diagnostics }));
    }
    if output.json {
        output.value(&Value::Array(results));
    } else {
        for result in &results {
            let word =
                if result["ok"] == true { output.paint("ok", Tone::Good) } else { output.paint("errors", Tone::Bad) };
            output.line(&format!("{}: {word}", plain(result["file"].as_str().unwrap_or_default())));
            for diagnostic in result["diagnostics"].as_array().into_iter().flatten() {
                output.line(&output.diagnostic(diagnostic));
            }
        }
    }
    Ok(if all_ok { OK } else { INVALID })
}
