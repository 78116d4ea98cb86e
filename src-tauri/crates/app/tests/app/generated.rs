//! Schemas, TypeScript and the catalog of the UI's tests in the tree are what the Rust types and the node kinds say.
//! `SIGNALBOX_GEN=1` (or `cargo xtask gen`) writes them; without it a stale file fails once and says so.

use crate::codegen;

use std::fs;
use std::path::{Path, PathBuf};

fn tree() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../..")
}

fn compare(path: &Path, fresh: &str) -> Result<(), String> {
    if fs::read_to_string(path).unwrap_or_default() == fresh {
        return Ok(());
    }
    if std::env::var_os("SIGNALBOX_GEN").is_some() {
        fs::create_dir_all(path.parent().expect("in a folder")).expect("folder");
        fs::write(path, fresh).expect("write");
        return Ok(());
    }
    Err(format!("{} is stale: run `cargo xtask gen` and commit it", path.display()))
}

#[test]
fn gen_schemas_are_fresh() {
    let stale: Vec<_> = codegen::schemas()
        .iter()
        .filter_map(|(name, text)| compare(&tree().join(format!("schemas/{name}.schema.json")), text).err())
        .collect();
    assert!(stale.is_empty(), "{}", stale.join("\n"));
}

#[test]
fn gen_typescript_is_fresh() {
    if let Err(stale) = compare(&tree().join("ui/src/api/bindings.gen.ts"), &codegen::typescript()) {
        panic!("{stale}");
    }
}

/// Where a file names steps: what the editor goes by when an id changes (ADR 89).
#[test]
fn gen_references_are_fresh() {
    if let Err(stale) = compare(&tree().join("ui/src/features/canvas/model/references.gen.ts"), &codegen::references())
    {
        panic!("{stale}");
    }
}

/// The node kinds as the UI gets them, one in a line: its tests draw the form of each.
#[test]
fn gen_catalog_of_the_forms_is_fresh() {
    let mut kinds = signalbox_app::check::kinds();
    kinds.sort_by(|a, b| a.kind.cmp(&b.kind));
    let lines: Vec<String> = kinds.iter().map(|kind| serde_json::to_string(kind).expect("plain data")).collect();
    let text = format!("[\n{}\n]\n", lines.join(",\n"));
    if let Err(stale) = compare(&tree().join("ui/src/test/catalog.gen.json"), &text) {
        panic!("{stale}");
    }
}

fn schema(name: &str) -> jsonschema::Validator {
    let text = fs::read_to_string(tree().join(format!("schemas/{name}.schema.json"))).expect("there");
    jsonschema::validator_for(&serde_json::from_str(&text).expect("json")).expect("a schema")
}

fn check(schema: &jsonschema::Validator, value: &serde_json::Value, what: &str) {
    let wrong: Vec<String> = schema.iter_errors(value).map(|e| format!("{}: {e}", e.instance_path())).collect();
    assert!(wrong.is_empty(), "{what}: {wrong:?}\n{value}");
}

/// Real values, written by serde, fit the schemas that are committed: code, schema and TypeScript never drift apart.
#[test]
fn real_values_fit_the_schemas() {
    let events = schema("run-event");
    let history = fs::read_to_string(tree().join("tests/histories/first.jsonl")).expect("there");
    for line in history.lines() {
        let read: signalbox_model::RunEvent = serde_json::from_str(line).expect("an event");
        let written = serde_json::to_value(&read).expect("json");
        assert_eq!(written.to_string(), line, "an event survives a round trip to the byte");
        check(&events, &written, line);
        for broken in ["runId", "ts", "type", "payload"] {
            let mut value = written.clone();
            value.as_object_mut().expect("object").remove(broken);
            assert!(!events.is_valid(&value), "an event without {broken}");
        }
        let mut other = written.clone();
        other["payload"] = serde_json::json!({ "nope": 1 });
        assert!(!events.is_valid(&other), "the payload belongs to the type: {line}");
    }
    let workflows = schema("workflow");
    let first = fs::read_to_string(tree().join("tests/workflows/first.signalbox.json")).expect("there");
    let read: signalbox_model::Workflow = serde_json::from_str(&first).expect("a workflow");
    check(&workflows, &serde_json::to_value(read).expect("json"), "first");
    for sample in signalbox_app::samples::documents() {
        check(&workflows, &sample, sample["id"].as_str().expect("an id"));
    }
    let kinds = schema("node-descriptor");
    for kind in signalbox_app::check::kinds() {
        check(&kinds, &serde_json::to_value(&kind).expect("json"), &kind.kind);
    }
    let item: signalbox_model::Item =
        serde_json::from_value(serde_json::json!({ "id": "1", "data": null })).expect("item");
    let payload = serde_json::json!({
        "runId": "0199a1b2-0000-7000-8000-000000000000", "items": [item], "context": {},
        "meta": { "startTime": "2026-11-21T00:00:00.000Z", "more": 1 },
    });
    let read: signalbox_model::ExecutionPayload = serde_json::from_value(payload).expect("a payload");
    check(&schema("execution-payload"), &serde_json::to_value(read).expect("json"), "payload");
    let failure = history.lines().find(|line| line.contains("step_error")).expect("there");
    let failure: serde_json::Value = serde_json::from_str(failure).expect("json");
    check(&schema("error-payload"), &failure["payload"]["error"], "error");
    let catalog = signalbox_engine::Catalog::new(signalbox_app::check::kinds());
    let workflow = serde_json::from_str(&first).expect("a workflow");
    let compiled =
        signalbox_engine::Compiled::new(std::sync::Arc::new(workflow), "hash", &catalog).expect("a valid workflow");
    let mut state = signalbox_engine::RunState::new(&compiled, "run", None);
    for line in history.lines() {
        signalbox_engine::fold(&compiled, &mut state, &serde_json::from_str(line).expect("an event")).expect("folds");
        let snapshot = signalbox_engine::snapshot::encode(&compiled, &state);
        let snapshot = serde_json::from_str(&snapshot).expect("it is JSON");
        check(&schema("snapshot"), &snapshot, "snapshot");
    }
    let diagnostic = signalbox_model::Diagnostic::error(signalbox_model::Code::BadJson, "/a", "What.", "Next.");
    check(&schema("diagnostic"), &serde_json::to_value(diagnostic).expect("json"), "diagnostic");
}

/// The two schemas of the source (A-02, E-05) take what is written here, and refuse what misses a part.
#[test]
fn a_02_payloads_fit_the_schemas_of_other_programs() {
    use signalbox_store::audit::{Actor, Chain, Level, Record};
    let refused = |schema: &jsonschema::Validator, whole: &serde_json::Value, parts: &[&str]| {
        for part in parts {
            let mut value = whole.clone();
            value.as_object_mut().expect("an object").remove(*part);
            assert!(!schema.is_valid(&value), "without {part}");
        }
    };
    let audit = schema("AuditPayload");
    for actor in [Actor::system(), Actor::operator("user:ada")] {
        let record = Record::new("2026-11-21T00:00:00.000Z", "run", "step", "NODE_ERROR", Level::Critical, actor);
        let sealed = Chain::new("log").seal(record).expect("an entry");
        let mut entry: serde_json::Value = serde_json::from_str(&sealed.text).expect("json");
        entry["hash"] = sealed.hash.to_hex().into();
        check(&audit, &entry, "entry");
        refused(&audit, &entry, &["timestamp", "event", "level", "actor", "nodeId", "runId"]);
        entry["level"] = "LOUD".into();
        assert!(!audit.is_valid(&entry));
    }
    let history = fs::read_to_string(tree().join("tests/histories/first.jsonl")).expect("there");
    let failure = history.lines().find(|line| line.contains("step_error")).expect("there");
    let failure: serde_json::Value = serde_json::from_str(failure).expect("json");
    let error = &failure["payload"]["error"];
    check(&schema("ErrorPayload"), error, "error");
    refused(&schema("ErrorPayload"), error, &["type", "message", "timestamp", "originNode", "retryable"]);
}

/// Samples stand in the tree as the program itself would write them.
#[test]
fn gen_samples_are_written_as_saved() {
    let folder = tree().join("src-tauri/crates/app/samples");
    let mut count = 0;
    for entry in fs::read_dir(&folder).expect("there") {
        let path = entry.expect("an entry").path();
        if path.extension().is_none_or(|ending| ending != "json") {
            continue;
        }
        let text = fs::read_to_string(&path).expect("text");
        let document = serde_json::from_str(&text).expect("json");
        if let Err(stale) = compare(&path, &signalbox_app::canonical::print(&document)) {
            panic!("{stale}");
        }
        count += 1;
    }
    assert!(count >= 4 && count == signalbox_app::samples::documents().count(), "every sample is in the gallery");
}
