//! `memory`: what a run takes for each byte of its input (bounded by docs/adr/0186-memory-of-what-is-accepted.md). Each
//! measurement is a separate server with one run; the peaks of two sizes are compared, so that what every process takes does
//! not count.
//!
//! `SIGNALBOX_BENCH_MB=4,12` are the sizes, `SIGNALBOX_BENCH_CASES=group,sort` names cases, and `SIGNALBOX_BENCH_BINARY` a
//! program instead of a release build: a debug build takes nearly the same memory.

mod cases;
mod peer;

use crate::Row;
use crate::process::server;
use crate::served::{Connection, Served, text_at};
use cases::{After, Case};
use peer::Peer;
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// A run that takes longer is given up.
const PATIENCE: Duration = Duration::from_secs(1_200);

/// What one run took.
struct Taken {
    /// How it ended, with the code of its error.
    ended: String,
    /// Most memory of the server, bytes.
    peak: u64,
    /// Bytes of the input.
    input: u64,
}

fn env(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|value| !value.is_empty())
}

/// A number of rows of 33 bytes: id, customer, city, amount.
fn write_inputs(folder: &Path, megabytes: u64) -> std::io::Result<u64> {
    let create = |name: &str| std::fs::File::create(folder.join(name)).map(std::io::BufWriter::new);
    let (mut csv, mut other) = (create("rows.csv")?, create("other.csv")?);
    let (mut json, mut lines, mut wide) = (create("rows.json")?, create("rows.ndjson")?, create("wide.csv")?);
    csv.write_all(b"id,name,city,amount\n")?;
    other.write_all(b"id,name,city,amount\n")?;
    let (mut bytes, mut text) = (20, String::new());
    for row in 0_u64.. {
        if bytes >= megabytes * 1_000_000 {
            break;
        }
        let (name, city) = (row % 997, ["Berlin", "Lisbon", "Zagreb"][usize::try_from(row % 3).unwrap_or_default()]);
        let (amount, cents) = (row * 7_919 % 100, row % 100);
        text.clear();
        let _ = writeln!(text, "{row:06},customer {name:03},{city},{amount:02}.{cents:02}");
        csv.write_all(text.as_bytes())?;
        bytes += text.len() as u64;
        // Every tenth amount is another one.
        let amount = if row % 10 == 0 { 0 } else { amount };
        writeln!(other, "{row:06},customer {name:03},{city},{amount:02}.{cents:02}")?;
        text.clear();
        let _ = write!(
            text,
            r#"{{"id":"{row:06}","name":"customer {name:03}","city":"{city}","amount":"{amount:02}.{cents:02}"}}"#
        );
        write!(json, "{}{text}", if row == 0 { '[' } else { ',' })?;
        writeln!(lines, "{text}")?;
    }
    json.write_all(b"]")?;
    write_wide(&mut wide, megabytes)?;
    [csv, other, json, lines, wide].iter_mut().try_for_each(std::io::Write::flush)?;
    Ok(bytes)
}

/// Rows of 12 KB: 1,000 columns.
fn write_wide(file: &mut impl std::io::Write, megabytes: u64) -> std::io::Result<()> {
    let line = |cell: &dyn Fn(u64) -> String| (0..1_000).map(cell).collect::<Vec<_>>().join(",");
    writeln!(file, "{}", line(&|column| format!("column{column:03}")))?;
    for row in 0..megabytes * 1_000_000 / 12_000 {
        writeln!(file, "{}", line(&|column| format!("{row:05}-{column:05}")))?;
    }
    Ok(())
}

/// Runs a case in a separate server.
fn measured(binary: &Path, case: &Case, folder: &Path, base: &str) -> Option<Taken> {
    let allow = ["--allow-dir".to_owned(), format!("{}:rw", folder.display())];
    let served = Served::with(binary, &allow)?;
    let mut connection = served.connect()?;
    let document = case.document(folder, base);
    let asked = format!("{{\"document\":{document},\"params\":{{}}}}");
    let (status, told) = served.ask(&mut connection, "/rpc/run_start", &asked)?;
    if status != 200 {
        return Some(Taken { ended: told.chars().take(300).collect(), peak: 0, input: 0 });
    }
    let run = text_at(&told, "runId")?.to_owned();
    let ended = until_ended(&served, &mut connection)?;
    if let Some(after) = &case.after {
        served.reset_peak();
        let before = served.peak();
        look(&served, &run, after, &document)?;
        let input = std::fs::metadata(folder.join(case.input)).map_or(0, |file| file.len());
        return Some(Taken { ended, peak: served.peak() - before.min(served.peak()), input });
    }
    let input =
        case.inputs().into_iter().filter_map(|name| std::fs::metadata(folder.join(name)).ok()).map(|file| file.len());
    Some(Taken { ended, peak: served.peak(), input: input.sum() })
}

/// `completed`, or how else the only run ended.
fn until_ended(served: &Served, connection: &mut Connection) -> Option<String> {
    let began = Instant::now();
    while began.elapsed() < PATIENCE {
        std::thread::sleep(Duration::from_millis(100));
        let (_, page) = served.ask(connection, "/rpc/run_list", "{\"limit\":1}")?;
        match text_at(&page, "status") {
            Some("running" | "queued" | "paused") | None => {}
            Some("completed") => return Some("completed".into()),
            Some(other) => return Some(format!("{other} {}", text_at(&page, "errorCode").unwrap_or(&page))),
        }
    }
    Some("did not end in time".into())
}

/// Asks for something of an ended run, and reads the answer to its end.
fn look(served: &Served, run: &str, after: &After, document: &str) -> Option<()> {
    let (method, path, body) = match after {
        After::Get(path) => ("GET", format!("/workflow/{run}/{path}"), String::new()),
        After::StepData(node) => {
            ("POST", "/rpc/run_step_data".into(), format!("{{\"workflowId\":\"bench\",\"nodeId\":\"{node}\"}}"))
        }
        After::Preview(node, text) => {
            let asked = serde_json::json!({ "nodeId": node, "text": text, "kind": "cel" }).to_string();
            ("POST", "/rpc/expression_preview".into(), format!("{{\"document\":{document},{}", &asked[1..]))
        }
    };
    let (status, bytes, begin) = served.drain(method, &path, &body)?;
    if status != 200 || env("SIGNALBOX_BENCH_CASES").is_some() {
        eprintln!("{path}: {status}, {bytes} bytes: {begin}");
    }
    Some(())
}

/// All cases, or those that were named.
pub(crate) fn memory(root: &Path) -> Vec<Row> {
    let binary = env("SIGNALBOX_BENCH_BINARY").map(PathBuf::from).or_else(|| server(root));
    let Some(binary) = binary else { return Vec::new() };
    let sizes = env("SIGNALBOX_BENCH_MB").unwrap_or_else(|| "4,12".into());
    let sizes: Vec<u64> = sizes.split(',').filter_map(|size| size.parse().ok()).collect();
    let only = env("SIGNALBOX_BENCH_CASES");
    let is_wanted = |name: &str| only.as_ref().is_none_or(|only| only.split(',').any(|one| one == name));
    let folders: Vec<tempfile::TempDir> = sizes.iter().filter_map(|_| tempfile::tempdir().ok()).collect();
    for (folder, size) in folders.iter().zip(&sizes) {
        write_inputs(folder.path(), *size).expect("inputs are written");
    }
    let mut rows = Vec::new();
    for case in cases::all().into_iter().filter(|case| is_wanted(case.name)) {
        let began = Instant::now();
        let taken: Vec<Taken> = folders
            .iter()
            .filter_map(|folder| {
                let peer = Peer::start(folder.path())?;
                measured(&binary, &case, folder.path(), &peer.base)
            })
            .collect();
        let peaks: Vec<String> = taken.iter().map(|one| format!("{:.0}", one.peak as f64 / 1e6)).collect();
        let found = match (taken.first(), taken.last()) {
            (Some(few), Some(many)) if many.input > few.input => {
                let further = (many.peak as f64 - few.peak as f64) / (many.input - few.input) as f64;
                format!("{further:.1}; {} MB; {}", peaks.join(" and "), many.ended)
            }
            _ => format!("{}; {}", peaks.join(" and "), taken.first().map_or("nothing", |one| &one.ended)),
        };
        eprintln!("memory: {}: {found} ({:.0} s)", case.name, began.elapsed().as_secs_f64());
        rows.push(Row { id: "memory", what: case.name.to_owned(), found, reach: "<= 6 bytes for each further byte" });
    }
    rows
}
