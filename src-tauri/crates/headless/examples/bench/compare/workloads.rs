//! What both builds do.

use crate::followers;
use crate::served::{Connection, Served, text_at};
use serde_json::{Value, json};
use std::io::Write as _;
use std::path::Path;
use std::time::{Duration, Instant};

/// One figure.
pub(super) struct Measure {
    pub(super) what: String,
    pub(super) unit: &'static str,
    pub(super) value: f64,
    /// Digits behind the point.
    pub(super) digits: usize,
    /// How it ended, where that can differ.
    pub(super) ended: String,
}

fn measure(what: impl Into<String>, unit: &'static str, value: f64, digits: usize) -> Measure {
    Measure { what: what.into(), unit, value, digits, ended: String::new() }
}

/// Work of a new server.
pub(super) struct Workload {
    pub(super) name: &'static str,
    pub(super) run: fn(&Path) -> Option<Vec<Measure>>,
}

/// All of them.
pub(super) fn all() -> Vec<Workload> {
    vec![
        Workload { name: "previews", run: previews },
        Workload {
            name: "cells",
            run: |binary| table(binary, "4 MB of 2,000 x 2,000 empty cells", 4_000_000, write_cells),
        },
        Workload { name: "header", run: |binary| table(binary, "a column name of 1 MB and 480 rows", 0, write_header) },
        Workload { name: "rows", run: |binary| table(binary, "4 MB of rows of 33 bytes", 4_000_000, write_rows) },
        Workload { name: "json", run: |binary| table(binary, "60 MB of JSON", 60_000_000, write_json) },
        Workload { name: "followers", run: followed },
    ]
}

/// A run that takes longer is given up.
const PATIENCE: Duration = Duration::from_secs(600);
/// Who previews at once.
const VIEWERS: usize = 6;

fn viewer(number: usize) -> String {
    format!("viewer-token-{number:016}")
}

/// A list that is doubled 30 times.
fn doubling() -> String {
    let begin = r#"[{"a":1}]"#.to_owned();
    (0..30).fold(begin, |text, _| format!(r#"{text}.map(s,{{"a":s,"b":s}})"#))
}

/// A folder that goes with it, with the tokens of a builder and of viewers.
fn tokens() -> Option<(tempfile::TempDir, Vec<String>)> {
    let folder = tempfile::tempdir().ok()?;
    let file = folder.path().join("tokens");
    let mut text = "builder-token-0000000000000000\n".to_owned();
    for number in 0..VIEWERS {
        text.push_str(&format!("viewer {} viewer{number}\n", viewer(number)));
    }
    std::fs::write(&file, text).ok()?;
    #[cfg(unix)]
    std::fs::set_permissions(&file, std::os::unix::fs::PermissionsExt::from_mode(0o600)).ok()?;
    let args = vec!["--token-file".to_owned(), file.display().to_string()];
    Some((folder, args))
}

/// 3.1: a preview of an expression that doubles a list, by one viewer and by six.
fn previews(binary: &Path) -> Option<Vec<Measure>> {
    let document = json!({ "signalbox": 1, "id": "bench", "name": "Bench",
        "nodes": { "look": { "type": "data.set", "config": { "assign": { "a": 1 } } } }, "edges": [] });
    let asked = json!({ "document": document, "nodeId": "look", "text": doubling(), "kind": "cel" }).to_string();
    let mut all = Vec::new();
    for (who, count) in [("one viewer", 1), ("six viewers at once", VIEWERS)] {
        let (_folder, args) = tokens()?;
        let served = Served::with(binary, &args)?;
        let mut connection = served.connect()?;
        started(&served, &mut connection, &document)?;
        ended(&served, &mut connection)?;
        served.reset_peak();
        let before = served.peak();
        let answers: Vec<(f64, String)> = std::thread::scope(|scope| {
            let (served, asked) = (&served, &asked);
            let each = |number: usize| {
                scope.spawn(move || {
                    let began = Instant::now();
                    let (_, _, answer) = served.drain_as(&viewer(number), "POST", "/rpc/expression_preview", asked)?;
                    Some((began.elapsed().as_secs_f64(), answer))
                })
            };
            let all: Vec<_> = (0..count).map(each).collect();
            all.into_iter().filter_map(|one| one.join().ok()?).collect()
        });
        let longest = answers.iter().map(|(seconds, _)| *seconds).fold(0.0, f64::max);
        let refused = answers.iter().filter(|(_, answer)| answer.contains("\"state\":\"error\"")).count();
        let mut time = measure(format!("{who}: until the last is refused"), "s", longest, 2);
        if refused < count {
            time.ended = format!("{refused} of {count} refused");
        }
        all.push(time);
        all.push(measure(format!("{who}: memory above before"), "MB", mb(served.peak().saturating_sub(before)), 0));
        std::thread::sleep(Duration::from_secs(2));
        all.push(measure(
            format!("{who}: kept after 2 s"),
            "MB",
            (served.memory() * 1.048_576 - mb(before)).max(0.0),
            0,
        ));
    }
    Some(all)
}

fn mb(bytes: u64) -> f64 {
    bytes as f64 / 1e6
}

/// Starts a run of a document.
fn started(served: &Served, connection: &mut Connection, document: &Value) -> Option<()> {
    let asked = format!("{{\"document\":{document},\"params\":{{}}}}");
    let (status, told) = served.ask(connection, "/rpc/run_start", &asked)?;
    if status != 200 {
        eprintln!("run_start: {status} {told}");
        return None;
    }
    Some(())
}

/// How the newest run ended.
fn ended(served: &Served, connection: &mut Connection) -> Option<String> {
    let began = Instant::now();
    while began.elapsed() < PATIENCE {
        std::thread::sleep(Duration::from_millis(50));
        let (_, page) = served.ask(connection, "/rpc/run_list", "{\"limit\":1}")?;
        match text_at(&page, "status") {
            Some("running" | "queued" | "paused") | None => {}
            Some(status) => return Some(status.to_owned()),
        }
    }
    Some("did not end in time".into())
}

/// 3.4: a file is read and its rows are counted. `bytes` is about how many it has.
fn table(
    binary: &Path,
    what: &str,
    bytes: u64,
    write: fn(&mut dyn std::io::Write, u64) -> std::io::Result<()>,
) -> Option<Vec<Measure>> {
    let folder = tempfile::tempdir().ok()?;
    let name = if what.contains("JSON") { "input.json" } else { "input.csv" };
    let path = folder.path().join(name);
    let mut file = std::io::BufWriter::new(std::fs::File::create(&path).ok()?);
    write(&mut file, bytes).and_then(|()| file.flush()).ok()?;
    let length = std::fs::metadata(&path).ok()?.len();
    let allow = ["--allow-dir".to_owned(), format!("{}:rw", folder.path().display())];
    let served = Served::with(binary, &allow)?;
    let mut connection = served.connect()?;
    served.reset_peak();
    let before = served.peak();
    let kind = name.rsplit('.').next().unwrap_or_default();
    let document = json!({ "signalbox": 1, "id": "bench", "name": "Bench", "settings": { "errorPolicy": "fail" },
        "nodes": {
            "read": { "type": "file.read", "config": { "path": path.display().to_string(), "as": kind } },
            "look": { "type": "data.transform", "config": { "expression": "{'rows': item.content.size()}" } }
        },
        "edges": [{ "from": "read.success", "to": "look" }] });
    started(&served, &mut connection, &document)?;
    let how = ended(&served, &mut connection)?;
    let taken = served.peak().saturating_sub(before);
    let peak = Measure { ended: how, ..measure(format!("{what}: memory above before"), "MB", mb(taken), 0) };
    let parts = measure(format!("{what}: parts of the file"), "times", taken as f64 / length as f64, 1);
    Some(vec![peak, parts])
}

fn write_cells(file: &mut dyn std::io::Write, _: u64) -> std::io::Result<()> {
    let names: Vec<String> = (0..2_000).map(|column| format!("c{column}")).collect();
    writeln!(file, "{}", names.join(","))?;
    let line = ",".repeat(1_999);
    (0..2_000).try_for_each(|_| writeln!(file, "{line}"))
}

fn write_header(file: &mut dyn std::io::Write, _: u64) -> std::io::Result<()> {
    // One name: each row has it again.
    writeln!(file, "{}", "n".repeat(1_000_000))?;
    (0..480).try_for_each(|row| writeln!(file, "{row}"))
}

fn write_rows(file: &mut dyn std::io::Write, bytes: u64) -> std::io::Result<()> {
    writeln!(file, "id,name,city,amount")?;
    (0..bytes / 33).try_for_each(|row| {
        writeln!(file, "{row:06},customer {:03},Berlin,{:02}.{:02}", row % 997, row % 100, row % 97)
    })
}

fn write_json(file: &mut dyn std::io::Write, bytes: u64) -> std::io::Result<()> {
    write!(file, "[0")?;
    (0..bytes / 34).try_for_each(|row| write!(file, ",{}", json!({ "id": row + 10_000_000, "name": "a b c" })))?;
    write!(file, "]")
}

/// 3.5: a run of about 18,000 events alone and with 200 followers.
fn followed(binary: &Path) -> Option<Vec<Measure>> {
    let iterations = followers::MANY_ITERATIONS;
    let (alone, many) =
        (followers::run(binary, 0, iterations)?, followers::run(binary, followers::FOLLOWERS, iterations)?);
    Some(vec![
        measure(format!("a run of {} events alone", followers::events(iterations)), "s", alone.seconds, 2),
        measure("alone, processor time", "s", alone.cpu, 2),
        measure("200 followers", "s", many.seconds, 2),
        measure("200 followers: as long as alone", "times", many.seconds / alone.seconds, 2),
        measure("200 followers: until the last has all of it", "s", many.told, 2),
        measure("200 followers: processor time", "s", many.cpu, 2),
        measure("200 followers: memory at most", "MB", many.peak, 0),
        measure("200 followers: memory above the run alone", "MB", many.peak - alone.peak, 0),
    ])
}
