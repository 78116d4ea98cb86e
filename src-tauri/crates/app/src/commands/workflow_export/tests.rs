//! The check list before an export, and what is written.

use super::{checked, written};
use crate::dto::{ExportChoices, ExportTarget};
use crate::export::HumanReview;
use serde_json::{Value, json};
use std::fs;
use std::path::PathBuf;

/// A folder with a workflow file and, for each name, a file in the place of a runner.
struct Folder(tempfile::TempDir);

impl Folder {
    fn with(nodes: Value, runners: &[&str]) -> Self {
        let folder = Self(tempfile::tempdir().expect("a folder"));
        let flow = json!({ "signalbox": 1, "id": "orders", "name": "Orders", "nodes": nodes, "edges": [],
            "params": { "type": "object", "required": ["day"], "properties": { "day": { "type": "string" } } } });
        fs::write(folder.file(), flow.to_string()).expect("written");
        for runner in runners {
            let name = format!("{runner}{}", std::env::consts::EXE_SUFFIX);
            fs::write(folder.0.path().join(name), "a runner").expect("written");
        }
        folder
    }
    fn file(&self) -> PathBuf {
        self.0.path().join("orders.signalbox.json")
    }
    /// What the dialog receives.
    fn told(&self, choices: &ExportChoices) -> Value {
        let data = self.0.path().join("data");
        json!(checked(&self.file(), &data, choices, &self.0.path().join("signalbox")).expect("an answer"))
    }
}

fn codes(told: &Value) -> Vec<(&str, &str)> {
    let problems = told["problems"].as_array().expect("problems").iter();
    problems.map(|one| (one["code"].as_str().unwrap_or(""), one["path"].as_str().unwrap_or(""))).collect()
}

fn by(human: HumanReview) -> ExportChoices {
    ExportChoices { human, ..ExportChoices::default() }
}

/// TS-168: a person sees what keeps it from leaving next to what it needs, also before a runner is there.
#[test]
fn ts_168_refusals_are_told_with_their_places_and_the_list() {
    let folder = Folder::with(
        json!({
            "ask": { "type": "builtin.human_form", "config": { "title": "T", "schema": { "type": "object" } } },
            "call": { "type": "http.request", "config": { "url": "https://a.example/x", "credential": "secret://erp" } },
        }),
        &[],
    );
    let told = folder.told(&by(HumanReview::None));
    assert_eq!(codes(&told), [("EXPORT_KIND", "/nodes/ask/type")]);
    assert_eq!(told["problems"][0]["workflow"], Value::Null, "it is the workflow that is exported");
    assert_eq!(told["problems"][0]["reason"], "people", "for other languages");
    assert_eq!(told["checkList"]["needs"]["secrets"][0]["name"], "erp");
    assert_eq!((&told["start"], &told["checkList"]["sizeBytes"]), (&Value::Null, &Value::Null));
    // With a way to ask, only the runner is missing.
    let no_runner = folder.told(&by(HumanReview::Ui));
    assert_eq!(codes(&no_runner), [("RUNNER_MISSING", "")]);
    assert_eq!(no_runner["problems"][0]["reason"], "runner");
    assert!(
        no_runner["problems"][0]["name"].as_str().is_some_and(|path| path.contains("signalbox-runner")),
        "{no_runner}"
    );
    let nowhere = checked(&folder.file(), folder.0.path(), &by(HumanReview::Callback), folder.0.path());
    assert_eq!(nowhere.expect_err("no address").code, "BAD_REQUEST");
}

#[test]
fn errors_of_the_workflow_are_told_without_a_list() {
    let folder = Folder::with(json!({ "a": { "type": "no.such.kind" } }), &["signalbox-runner-min"]);
    let told = folder.told(&ExportChoices::default());
    assert_eq!(told["checkList"], Value::Null);
    assert_eq!(codes(&told), [("UNKNOWN_TYPE", "/nodes/a/type")]);
}

#[test]
fn what_can_leave_is_written_into_a_new_folder_of_the_chosen_one() {
    let folder = Folder::with(json!({ "a": { "type": "flow.noop" } }), &["signalbox-runner-min"]);
    let told = folder.told(&ExportChoices::default());
    assert_eq!(codes(&told), []);
    let line = "./orders run --params '{\"day\":…}'";
    if cfg!(unix) {
        assert_eq!(told["start"], format!("chmod +x orders && {line}"));
    }
    let no_sources = folder.told(&ExportChoices { target: ExportTarget::Source, ..ExportChoices::default() });
    assert_eq!(codes(&no_sources), [("SOURCES_MISSING", "")]);

    let (data, program) = (folder.0.path().join("data"), folder.0.path().join("signalbox"));
    let write = || written(&folder.file(), &data, &ExportChoices::default(), folder.0.path(), &program);
    let done = write().expect("written");
    let file = folder.0.path().join("orders").join(format!("orders{}", std::env::consts::EXE_SUFFIX));
    assert_eq!(done.path, file.display().to_string());
    assert_eq!(Some(done.size_bytes), told["checkList"]["sizeBytes"].as_u64());
    assert_eq!(fs::metadata(&file).expect("it is there").len(), done.size_bytes);
    assert!(done.start.starts_with(&done.path), "{}", done.start);
    assert_eq!(write().expect_err("a second time").code, "FOLDER_NOT_EMPTY");
}

/// ADR 233: the smaller file has the compressed runner, and goes with one file only.
#[test]
#[cfg(target_os = "linux")]
fn a_smaller_file_is_made_of_the_compressed_runner() {
    let step = json!({ "a": { "type": "flow.noop" } });
    let small = |target| ExportChoices { compress: true, target, ..by(HumanReview::None) };
    let told = Folder::with(step.clone(), &["signalbox-runner-min"]).told(&small(ExportTarget::Bundle));
    assert_eq!(codes(&told), [("RUNNER_MISSING", "")]);
    assert_eq!(told["problems"][0]["reason"], "runner");
    let folder = Folder::with(step, &["signalbox-runner-min", "signalbox-runner-min-compressed"]);
    fs::write(folder.0.path().join("signalbox-runner-min-compressed"), "small").expect("written");
    let told = folder.told(&small(ExportTarget::Bundle));
    assert_eq!(told["fileName"], "orders");
    let plain = folder.told(&by(HumanReview::None));
    let size = |told: &Value| told["checkList"]["sizeBytes"].as_u64().expect("a size");
    assert_eq!(size(&plain) - size(&told), ("a runner".len() - "small".len()) as u64);
    assert_eq!(codes(&folder.told(&small(ExportTarget::Container))), [("BAD_REQUEST", "")]);
}
