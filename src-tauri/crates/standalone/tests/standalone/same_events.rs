//! TS-169: the same workflow with the same fakes gives the same events in Signalbox and in the exported program.

use crate::support::{Ended, Place, signalbox};
use serde_json::{Map, Value, json};
use signalbox_adapters::DemoService;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// What differs from run to run: times, what is drawn at random, keys that are made of the run, and the length of answers that repeat a port.
const FREE: &[&str] = &[
    "ts",
    "runId",
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
        Value::String(text) => known.iter().fold(text.clone(), |text, (from, to)| text.replace(from, to)).into(),
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

#[test]
fn ts_169_every_sample_that_can_leave_gives_the_same_events() {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().expect("threads");
    let mut compared = Vec::new();
    for file in samples() {
        let place = Place::new();
        let exported = place.export(&file, &[]);
        if exported.code == 2 {
            assert_eq!(exported.json()["error"]["code"], "CANNOT_EXPORT", "{}", file.display());
            continue;
        }
        let exported = exported.assert_code(0).json();
        let program = crate::support::Program {
            file: exported["file"].as_str().expect("a file").into(),
            data: place.path().join("data"),
        };
        if exported["checkList"]["needs"]["models"].is_array() {
            // Nobody answers on this machine; `outside.rs` has a program with a model.
            continue;
        }
        let takes_base =
            exported["checkList"]["needs"]["params"].as_array().is_some_and(|names| names.contains(&json!("practice")));
        // Each run gets a separate service, because the service remembers its requests.
        let service = || runtime.block_on(DemoService::start()).expect("a service");
        let (here, there) = (service(), service());
        let params = |service: &DemoService| {
            if takes_base { json!({ "practice": service.base_url() }).to_string() } else { "{}".to_owned() }
        };
        let app = signalbox()
            .arg("run")
            .arg(&file)
            .args(["--events", "--params", &params(&here), "--data"])
            .arg(place.path().join("app"))
            .output()
            .expect("signalbox starts");
        let app = Ended::from(app);
        let own = program.run(&["run", "--events", "--params", &params(&there)]);
        assert_eq!(app.code, own.code, "{}\n{app:?}\n{own:?}", file.display());
        let (app, own) = (events(&app, here.base_url()), events(&own, there.base_url()));
        assert!(app.len() > 1, "{}", file.display());
        for (path, events) in &app {
            assert_eq!(Some(events), own.get(path), "{} at {path}", file.display());
        }
        assert_eq!(app.len(), own.len(), "{}", file.display());
        compared.push(file.file_name().unwrap_or_default().to_string_lossy().into_owned());
    }
    let wanted = [
        "a-list-item-by-item",
        "ask-another-source",
        "errors-take-another-way",
        "one-loop-two-branches",
        "orders-by-a-connector",
        "orders-in-a-database",
        "orders-to-a-report",
        "retry-that-tells-you-why",
        "sort-the-mail",
        "unpaid-invoices",
    ];
    assert_eq!(compared, wanted.map(|name| format!("{name}.signalbox.json")));
}
