//! What the validator here says of a workflow that was imported: a step that could not run is told by the import, not only
//! when somebody opens the file.

use crate::Imported;
use crate::report::{Finding, Level, MOST, short};
use serde_json::json;
use signalbox_engine::catalog::Catalog;
use signalbox_engine::validate::check_bytes;
use signalbox_model::{Code, Severity};
use std::collections::HashMap;

/// Code of what the validator refuses.
pub const NOT_VALID: &str = "NOT_VALID";

impl Imported {
    /// With what the kinds of steps of a catalog say; a placeholder and a server to choose are told already.
    pub fn checked(mut self, catalog: &Catalog) -> Self {
        let text = json!(self.workflow).to_string();
        let report = &mut self.report;
        let steps: HashMap<&str, usize> = report
            .translated
            .iter()
            .enumerate()
            .flat_map(|(at, one)| one.nodes.iter().map(move |node| (node.as_str(), at)))
            .collect();
        let mut more = Vec::new();
        for wrong in check_bytes(text.as_bytes(), catalog).diagnostics {
            let to_choose = wrong.code == Code::MissingConfig && wrong.path.ends_with("/config/server");
            if wrong.severity != Severity::Error || wrong.code == Code::NotTranslated || to_choose {
                continue;
            }
            let node = wrong.path.strip_prefix("/nodes/").and_then(|rest| rest.split('/').next());
            let step = node.and_then(|node| steps.get(node)).copied();
            let step = step.and_then(|at| Some((at, report.translated.get(at)?.step.as_str())));
            let subject = match (node, step) {
                (Some(node), Some((_, of))) => format!("The step '{node}' that was made of \"{of}\""),
                (Some(node), None) => format!("The step '{node}'"),
                (None, _) => "The workflow".to_owned(),
            };
            more.push(Finding {
                level: Level::Problem,
                code: NOT_VALID.into(),
                step: step.map(|(_, of)| of.to_owned()),
                path: step.map_or_else(|| "/steps".to_owned(), |(at, _)| format!("/steps/{at}")),
                message: short(&format!("{subject} cannot run: {}", wrong.message)),
                hint: short(&wrong.hint),
            });
        }
        report.findings.extend(more);
        report.findings.sort_by_key(|found| found.level);
        report.more += report.findings.len().saturating_sub(MOST);
        report.findings.truncate(MOST);
        report.mark();
        self
    }
}
