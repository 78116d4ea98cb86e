//! `catalog list | show | check`.

use super::Done;
use crate::args::CatalogCommand;
use crate::output::{INVALID, OK, Output, Tone};
use serde_json::{Value, json};
use signalbox_app::{ApiError, check};

pub(crate) fn catalog(output: &Output, command: &CatalogCommand) -> Done {
    match command {
        CatalogCommand::List => {
            let kinds = check::kinds();
            if output.json {
                output.value(&json!(kinds));
            } else {
                for kind in kinds {
                    output.line(&format!("{:<24} {:<20} {}", kind.kind, kind.title, kind.description));
                }
            }
            Ok(OK)
        }
        CatalogCommand::Show { kind } => {
            let found = check::kinds().into_iter().find(|known| known.kind == *kind).ok_or_else(|| {
                ApiError::not_found(format!("There is no step kind {kind}; signalbox catalog list shows all."))
            })?;
            let value = json!(found);
            if output.json {
                output.value(&value);
            } else {
                output.pretty(&value);
            }
            Ok(OK)
        }
        CatalogCommand::Check { files } => {
            let results = check::descriptors(files);
            let all_ok = results.iter().all(|result| result.diagnostics.is_empty());
            if output.json {
                let rows = results
                    .iter()
                    .map(|r| json!({ "file": r.file, "ok": r.diagnostics.is_empty(), "diagnostics": r.diagnostics }));
                output.value(&Value::Array(rows.collect()));
            } else {
                for result in &results {
                    let word = if result.diagnostics.is_empty() {
                        output.paint("ok", Tone::Good)
                    } else {
                        output.paint("errors", Tone::Bad)
                    };
                    output.line(&format!("{}: {word}", result.file));
                    result.diagnostics.iter().for_each(|found| output.line(&output.diagnostic(&json!(found))));
                }
            }
            Ok(if all_ok { OK } else { INVALID })
        }
    }
}
