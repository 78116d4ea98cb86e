//! TS-169: the same workflow with the same fakes gives the same events in Signalbox and in the exported program.

use crate::support::{Ended, Place, signalbox};
use serde_json::{Map, Value, json};
use signalbox_adapters::DemoService;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// What differs from run to run: times, what is drawn at random, keys that are made of the run, and the length of answers that repeat a port.
const FREE: &[&str] = &[
    "ts",
    // The time of a sample event, in its own zone.
    "local",
    "modified",
    "runId",
    "taskId",
    "seed",
    "delayMs",
    "date",
    "timestamp",
    "originRunId",
    "seq",
    // It names the run and the number of an event.
    "provenanceRef",
    "traceId",
    "content-length",
    "idempotencyKey",
];

fn is_free(name: &str) -> bool {
    FREE.contains(&name) || name.ends_with("Ms") || name.ends_with("_ms") || name.ends_with("At")
}

/// An event without ids and times; `known` are the texts that stand for the run and its service.
fn plain(value: &Value, known: &[(&str, &str)]) -> Value {
    match value {
        // Without a service its address is empty, and stands between all letters.
        Value::String(text) => {
            let known = known.iter().filter(|(from, _)| !from.is_empty());
            known.fold(text.clone(), |text, (from, to)| text.replace(from, to)).into()
        }
        Value::Array(list) => list.iter().map(|one| plain(one, known)).collect(),
        Value::Object(map) => {
            let kept = map.iter().filter(|(name, _)| !is_free(name));
            kept.map(|(name, one)| (name.clone(), plain(one, known))).collect::<Map<_, _>>().into()
        }
        other => other.clone(),
    }
}

/// The events by the path of their step and by item: iterations, branches and the items of a call that is made for several at once run
/// beside each other, and their order between them is free.
fn events(ended: &Ended, base: &str) -> BTreeMap<String, Vec<Value>> {
    let mut paths: BTreeMap<String, Vec<Value>> = BTreeMap::new();
    for event in ended.lines().iter().filter(|line| line["type"].is_string()) {
        let run = event["runId"].as_str().expect("a run");
        let host = base.trim_start_matches("http://").split('/').next().unwrap_or_default();
        let known = [(base, "BASE"), (host, "HOST"), (run, "RUN")];
        let path = event["path"].as_str().unwrap_or_default();
        // Branches of a container stand on the path of the container, side by side.
        let key = format!("{path} {} {}", event["stepId"].as_str().unwrap_or_default(), event["item"]);
        paths.entry(key).or_default().push(plain(event, &known));
    }
    paths
}

fn samples() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../app/samples");
    let files = std::fs::read_dir(folder).expect("samples").flatten().map(|file| file.path());
    let mut files: Vec<PathBuf> =
        files.filter(|path| path.extension().is_some_and(|ending| ending == "json")).collect();
    files.sort();
    files
}

/// The events of a workflow in Signalbox and in its program, which must be the same. Each gets a service of its own, because the service
/// remembers its requests.
fn compare(place: &Place, file: &Path, exported: &Value, services: [Option<&DemoService>; 2]) -> usize {
    let mut program = crate::support::Program {
        file: exported["file"].as_str().expect("a file").into(),
        data: place.path().join("data"),
        env: Vec::new(),
    };
    for secret in exported["checkList"]["needs"]["secrets"].as_array().into_iter().flatten() {
        let name = secret["name"].as_str().expect("a name").to_ascii_uppercase().replace('-', "_");
        program.env.push((format!("SIGNALBOX_SECRET_{name}"), "x".into()));
    }
    let base = |service: Option<&DemoService>| service.map(DemoService::base_url).unwrap_or_default().to_owned();
    let params = |service: Option<&DemoService>| match service {
        Some(service) => json!({ "practice": service.base_url() }).to_string(),
        None => "{}".to_owned(),
    };
    let [here, there] = services;
    let mut app = signalbox();
    app.arg("run").arg(file).args(["--events", "--params", &params(here), "--data"]).arg(place.path().join("app"));
    let app = Ended::from(app.output().expect("signalbox starts"));
    let mut arguments = vec!["run", "--events"];
    let given = params(there);
    arguments.extend(["--params", &given]);
    let own = program.run(&arguments);
    assert_eq!(app.code, own.code, "{}\n{app:?}\n{own:?}", file.display());
    let said = format!("{}\n{}", app.err, own.err);
    let (app, own) = (events(&app, &base(here)), events(&own, &base(there)));
    assert!(app.len() > 1, "{}", file.display());
    for (path, events) in &app {
        assert_eq!(Some(events), own.get(path), "{} at {path}\n{said}", file.display());
    }
    assert_eq!(app.len(), own.len(), "{}", file.display());
    app.len()
}

/// Samples that need what no machine of a test has: a model, a tool server, a folder that is written into the file.
const NOT_HERE: [&str; 5] =
    ["a-budget-that-asks", "extract-validate-heal", "files-by-a-tool-server", "inbox-folder", "triage-with-a-gate"];

#[test]
fn ts_169_every_sample_gives_the_same_events() {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().expect("threads");
    for file in samples() {
        let name = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if NOT_HERE.iter().any(|one| name == format!("{one}.signalbox.json")) {
            continue;
        }
        let place = Place::new();
        let exported = place.export(&file, &["--human", "terminal"]).assert_code(0).json();
        let params = exported["checkList"]["needs"]["params"].as_array();
        let takes_base = params.is_some_and(|names| names.contains(&json!("practice")));
        let service = || takes_base.then(|| runtime.block_on(DemoService::start()).expect("a service"));
        let (here, there) = (service(), service());
        compare(&place, &file, &exported, [here.as_ref(), there.as_ref()]);
    }
}

/// Kinds of steps of the scenarios that need nothing of the outside and nobody.
const PLAIN: [&str; 17] = [
    "builtin.audit",
    "builtin.error_handler",
    "data.aggregate",
    "data.compare",
    "data.merge",
    "data.set",
    "data.split",
    "data.transform",
    "flow.break",
    "flow.fail",
    "flow.if",
    "flow.loop",
    "flow.noop",
    "flow.parallel",
    "flow.switch",
    "flow.wait",
    "trigger.manual",
];

/// The workflows of the scenario files that run without fakes, each as a sub-workflow of one: they need one program and two runs.
#[test]
fn ts_169_the_scenarios_without_fakes_give_the_same_events() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../tests/scenarios");
    let place = Place::new();
    let (mut nodes, mut edges) = (Map::new(), Vec::new());
    for file in ["containers", "data_steps", "errors", "flow", "items"] {
        let text = std::fs::read_to_string(folder.join(format!("{file}.yaml"))).expect("scenarios");
        let scenarios: Vec<Value> = serde_saphyr::from_str(&text).expect("YAML");
        for (index, scenario) in scenarios.iter().enumerate() {
            let known = ["name", "expect", "workflow", "params"];
            let is_plain = scenario.as_object().is_some_and(|one| one.keys().all(|key| known.contains(&key.as_str())));
            let mut kinds = scenario["workflow"]["nodes"].as_object().into_iter().flat_map(|nodes| nodes.values());
            let ends = ["completed", "failed"].contains(&scenario["expect"]["status"].as_str().unwrap_or_default());
            if !is_plain || !ends || !kinds.all(|node| PLAIN.contains(&node["type"].as_str().unwrap_or_default())) {
                continue;
            }
            let id = format!("{}-{index}", file.replace('_', "-"));
            let mut workflow = scenario["workflow"].clone();
            workflow["signalbox"] = json!(1);
            workflow["id"] = json!(id);
            if workflow["edges"].is_null() {
                workflow["edges"] = json!([]);
            }
            if workflow["name"].is_null() {
                workflow["name"] = json!(id);
            }
            place.write(&workflow);
            let params = if scenario["params"].is_object() { scenario["params"].clone() } else { json!({}) };
            nodes.insert(
                id.clone(),
                json!({ "type": "flow.subworkflow", "config": { "workflow": id, "params": params } }),
            );
            nodes.insert(format!("{id}-failed"), json!({ "type": "flow.noop" }));
            edges.push(json!({ "from": format!("{id}.error"), "to": format!("{id}-failed") }));
        }
    }
    assert!(edges.len() >= 20, "{} scenarios", edges.len());
    let all = json!({ "signalbox": 1, "id": "all-scenarios", "name": "All", "nodes": nodes, "edges": edges });
    let file = place.write(&all);
    let exported = place.export(&file, &[]).assert_code(0).json();
    compare(&place, &file, &exported, [None, None]);
}
