//! What starts workflows, in a separate server: webhooks, schedules, and the queue of a workflow.

use crate::Row;
use crate::served::{Connection, Served};
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// Deliveries a second, and for how many seconds.
const RATE: usize = 200;
const SECONDS: usize = 20;
/// One-step runs that are started as fast as it goes.
const RUNS: usize = 20_000;
const SENDERS: usize = 32;
/// Schedules that are due in the same second.
const DUE: usize = 1_000;
/// Active schedules of which none is due: workflows, and triggers of each.
const IDLE: (usize, usize) = (100, 1_000);
/// What a queue holds at most.
const QUEUED: usize = 10_000;
/// A flood, and senders that never end their requests.
const FLOOD: usize = 10_000;
const SLOW: usize = 50;

/// Measures something; none when the server does not do what it should.
type Part = fn(&Path) -> Option<Vec<Row>>;

/// All rows; `binary` is the server.
pub(crate) fn triggers(binary: &Path) -> Vec<Row> {
    let parts: [Part; 6] = [paced, many, due, idle, queue, flood];
    let lost = || vec![row("the server could not be measured", "no answer".into(), "")];
    parts.iter().flat_map(|part| part(binary).unwrap_or_else(lost)).collect()
}

fn row(what: &str, found: String, reach: &'static str) -> Row {
    Row { id: "triggers", what: what.to_owned(), found, reach }
}

fn hook() -> String {
    r#"{"signalbox":1,"id":"hook","name":"Hook","nodes":{"t":{"type":"trigger.webhook","config":{"path":"orders"}},
        "a":{"type":"data.set","config":{"assign":{"id":"=item.body.id"}}}},"edges":[{"from":"t.success","to":"a"}]}"#
        .to_owned()
}

/// One delivery; true when it was accepted.
fn deliver(connection: &mut Connection, id: usize) -> bool {
    matches!(connection.send("POST", "/hooks/orders", "", &format!("{{\"id\":{id}}}")), Some((202, _)))
}

/// Waits until a workflow has so many completed runs; says whether it came to that.
fn completed(server: &Served, connection: &mut Connection, workflow: &str, count: usize) -> bool {
    let end = Instant::now() + Duration::from_secs(120);
    while Instant::now() < end {
        if server.runs(connection, workflow, "completed") >= count {
            return true;
        }
        std::thread::sleep(Duration::from_millis(100));
    }
    false
}

fn percentile(sorted: &[f64], part: f64) -> f64 {
    let index = (sorted.len() as f64 * part) as usize;
    sorted.get(index.min(sorted.len().saturating_sub(1))).copied().unwrap_or_default()
}

fn load() -> String {
    let text = std::fs::read_to_string("/proc/loadavg").unwrap_or_default();
    text.split(' ').next().unwrap_or_default().to_owned()
}

/// Deliveries at a fixed rate. The time of each is counted from when it was due, so a server that falls behind does not look fast.
fn paced(binary: &Path) -> Option<Vec<Row>> {
    const LANES: usize = 8;
    let server = Served::start(binary)?;
    let mut control = server.connect()?;
    server.activate(&mut control, &hook()).then_some(())?;
    let lanes: Vec<Connection> = (0..LANES).map(|_| server.connect()).collect::<Option<_>>()?;
    let (begin, before) = (Instant::now() + Duration::from_millis(200), server.cpu());
    let threads: Vec<_> = lanes
        .into_iter()
        .enumerate()
        .map(|(lane, mut connection)| {
            std::thread::spawn(move || {
                let mut times = Vec::new();
                for index in (lane..RATE * SECONDS).step_by(LANES) {
                    let due = begin + Duration::from_secs_f64(index as f64 / RATE as f64);
                    std::thread::sleep(due.saturating_duration_since(Instant::now()));
                    let accepted = deliver(&mut connection, index);
                    times.push(if accepted { due.elapsed().as_secs_f64() * 1_000.0 } else { f64::INFINITY });
                }
                times
            })
        })
        .collect();
    let mut times: Vec<f64> = threads.into_iter().flat_map(|thread| thread.join().unwrap_or_default()).collect();
    times.sort_by(f64::total_cmp);
    let all = completed(&server, &mut control, "hook", times.len());
    let cpu = (server.cpu() - before) * 1_000.0 / times.len().max(1) as f64;
    let found = format!(
        "p50 {:.1}, p95 {:.1}, p99 {:.1} ms; {cpu:.2} ms CPU a run; {}; load {}",
        percentile(&times, 0.5),
        percentile(&times, 0.95),
        percentile(&times, 0.99),
        if all { "all runs completed" } else { "runs are missing" },
        load()
    );
    Some(vec![row("webhook to durable start at 200/s, `respond: accepted`", found, "p95 <= 10 ms")])
}

/// Sends `count` deliveries over `SENDERS` connections as fast as it goes; says how many were accepted.
fn all_at_once(server: &Served, count: usize) -> Option<usize> {
    let lanes: Vec<Connection> = (0..SENDERS).map(|_| server.connect()).collect::<Option<_>>()?;
    let (next, accepted) = (AtomicUsize::new(0), AtomicUsize::new(0));
    std::thread::scope(|scope| {
        for mut connection in lanes {
            let (next, accepted) = (&next, &accepted);
            scope.spawn(move || {
                loop {
                    let id = next.fetch_add(1, Ordering::Relaxed);
                    if id >= count {
                        return;
                    }
                    // Whoever is told to come again does.
                    for _ in 0..100 {
                        if deliver(&mut connection, id) {
                            accepted.fetch_add(1, Ordering::Relaxed);
                            break;
                        }
                        std::thread::sleep(Duration::from_millis(20));
                    }
                }
            });
        }
    });
    Some(accepted.into_inner())
}

fn many(binary: &Path) -> Option<Vec<Row>> {
    let server = Served::start(binary)?;
    let mut control = server.connect()?;
    server.activate(&mut control, &hook()).then_some(())?;
    let (begin, before) = (Instant::now(), server.cpu());
    let accepted = all_at_once(&server, RUNS)?;
    let sent = begin.elapsed().as_secs_f64();
    let all = completed(&server, &mut control, "hook", accepted);
    let took = begin.elapsed().as_secs_f64();
    let cpu = (server.cpu() - before) * 1_000.0 / accepted.max(1) as f64;
    let found = format!(
        "{:.0} runs/s (accepted at {:.0}/s); {cpu:.2} ms CPU a run; {accepted} of {RUNS} accepted, {}; load {}",
        accepted as f64 / took,
        accepted as f64 / sent,
        if all { "all completed" } else { "runs are missing" },
        load()
    );
    Some(vec![row("one-step runs, started by webhook and completed", found, ">= 1,500 runs/s")])
}

fn now_ms() -> u128 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_millis())
}

/// Schedules that are due at the next whole minute but one.
fn due(binary: &Path) -> Option<Vec<Row>> {
    let server = Served::start(binary)?;
    let mut control = server.connect()?;
    for index in 0..DUE {
        let document = format!(
            r#"{{"signalbox":1,"id":"due-{index}","name":"Due","nodes":{{"t":{{"type":"trigger.schedule","config":{{"every":120000}}}},
                "a":{{"type":"flow.noop"}}}},"edges":[{{"from":"t.success","to":"a"}}]}}"#
        );
        server.activate(&mut control, &document).then_some(())?;
    }
    // Ticks that came while they were activated are over at the next whole two minutes.
    let tick = (now_ms() / 120_000 + 1) * 120_000;
    std::thread::sleep(Duration::from_millis(u64::try_from(tick - now_ms()).unwrap_or_default().saturating_sub(1_500)));
    let before = server.cpu();
    // Asking costs the server more than starting: it is asked after what should have been enough.
    std::thread::sleep(Duration::from_millis(
        u64::try_from((tick + 2_000).saturating_sub(now_ms())).unwrap_or_default(),
    ));
    let cpu = server.cpu() - before;
    // The other connection was idle for too long.
    let mut control = server.connect()?;
    let at = format!("\"scheduledAt\":\"{}\"", crate::time_text(i64::try_from(tick).unwrap_or_default()));
    let mut count = || {
        let told = server.ask(&mut control, "/rpc/trigger_list", "{}").map(|(_, text)| text).unwrap_or_default();
        told.matches(&at).count()
    };
    let (first, started) = (count(), Instant::now());
    let mut all = first;
    while all < DUE && started.elapsed() < Duration::from_secs(30) {
        std::thread::sleep(Duration::from_millis(250));
        all = count();
    }
    let more = if first == DUE {
        String::new()
    } else {
        format!(", {all} after {:.1} s more", started.elapsed().as_secs_f64())
    };
    let found = format!("{first} of {DUE} started after 2 s{more}; {cpu:.2} s CPU; load {}", load());
    Some(vec![row("schedules that are due in the same second", found, "all within 2 s")])
}

fn idle(binary: &Path) -> Option<Vec<Row>> {
    let mut server = Served::start(binary)?;
    let mut control = server.connect()?;
    let before = server.memory();
    let (workflows, each) = IDLE;
    for workflow in 0..workflows {
        let nodes: Vec<String> = (0..each)
            .map(|index| {
                let minute = index % 60;
                format!(r#""t{index}":{{"type":"trigger.schedule","config":{{"cron":"{minute} 3 29 2 *"}}}}"#)
            })
            .collect();
        let document = format!(
            r#"{{"signalbox":1,"id":"idle-{workflow}","name":"Idle","nodes":{{{}}},"edges":[]}}"#,
            nodes.join(",")
        );
        server.activate(&mut control, &document).then_some(())?;
    }
    // What activating has cost is over.
    std::thread::sleep(Duration::from_secs(10));
    let (cpu, begin) = (server.cpu(), Instant::now());
    std::thread::sleep(Duration::from_secs(30));
    let busy = (server.cpu() - cpu) / begin.elapsed().as_secs_f64() * 100.0;
    let activated = server.memory() - before;
    // A process that has activated a hundred large workflows keeps memory for the next ones; one that was started anew has only the schedules.
    server.restart(binary)?;
    std::thread::sleep(Duration::from_secs(10));
    let found = format!(
        "{:.0} MB above {before:.0} MB when started anew, {activated:.0} MB right after activating; {busy:.2} % of a core; load {}",
        server.memory() - before,
        load()
    );
    Some(vec![row("100,000 active schedules of which none is due", found, "<= 50 MB; <= 1 %")])
}

/// A workflow of which one run may go on: the others wait.
fn queue(binary: &Path) -> Option<Vec<Row>> {
    const PART: usize = 1_000;
    let server = Served::start(binary)?;
    let mut control = server.connect()?;
    let document = r#"{"signalbox":1,"id":"queue","name":"Queue","settings":{"concurrency":{"max":1}},
        "nodes":{"t":{"type":"trigger.webhook","config":{"path":"orders"}},"a":{"type":"flow.wait","config":{"ms":86400000}}},
        "edges":[{"from":"t.success","to":"a"}]}"#;
    server.activate(&mut control, document).then_some(())?;
    let mut part = || {
        let (begin, before) = (Instant::now(), server.cpu());
        let accepted = (0..PART).filter(|id| deliver(&mut control, *id)).count();
        (accepted == PART)
            .then(|| (begin.elapsed().as_secs_f64() * 1e3 / PART as f64, (server.cpu() - before) * 1e3 / PART as f64))
    };
    let parts: Vec<(f64, f64)> = (0..QUEUED / PART).map(|_| part()).collect::<Option<_>>()?;
    let (first, last) = (parts.first()?, parts.last()?);
    let found = format!(
        "the last 1,000 over the first 1,000: CPU {:.2} x ({:.2} and {:.2} ms), time {:.2} x ({:.2} and {:.2} ms); load {}",
        last.1 / first.1,
        last.1,
        first.1,
        last.0 / first.0,
        last.0,
        first.0,
        load()
    );
    Some(vec![row("a start that waits in a queue of up to 10,000", found, "<= 1.2 x")])
}

fn flood(binary: &Path) -> Option<Vec<Row>> {
    let server = Served::start(binary)?;
    let mut control = server.connect()?;
    server.activate(&mut control, &hook()).then_some(())?;
    let is_over = AtomicBool::new(false);
    let host = server.host().to_owned();
    let (accepted, mut times) = std::thread::scope(|scope| {
        for _ in 0..SLOW {
            scope.spawn(|| slow_sender(&host, &is_over));
        }
        let health = scope.spawn(|| {
            let mut times = Vec::new();
            let Some(mut connection) = server.connect() else { return times };
            while !is_over.load(Ordering::Relaxed) {
                let begin = Instant::now();
                let answered = connection.send("GET", "/healthz", "", "").is_some_and(|(status, _)| status == 200);
                times.push(if answered { begin.elapsed().as_secs_f64() * 1e3 } else { f64::INFINITY });
                std::thread::sleep(Duration::from_millis(5));
            }
            times
        });
        let accepted = all_at_once(&server, FLOOD).unwrap_or_default();
        is_over.store(true, Ordering::Relaxed);
        (accepted, health.join().unwrap_or_default())
    });
    times.sort_by(f64::total_cmp);
    let found = format!(
        "p50 {:.1}, p99 {:.1} ms of {} requests; {accepted} of {FLOOD} accepted; load {}",
        percentile(&times, 0.5),
        percentile(&times, 0.99),
        times.len(),
        load()
    );
    Some(vec![row("`/healthz` while 10,000 webhooks and 50 slow senders come", found, "p99 <= 50 ms")])
}

/// Sends a byte now and then, and begins again when the server has had enough.
fn slow_sender(host: &str, is_over: &AtomicBool) {
    use std::io::Write;
    while !is_over.load(Ordering::Relaxed) {
        let Ok(mut stream) = std::net::TcpStream::connect(host) else { return };
        let head = format!(
            "POST /hooks/orders HTTP/1.1\r\nhost: {host}\r\ncontent-type: application/json\r\ncontent-length: 1000\r\n\r\n"
        );
        let mut sent = stream.write_all(head.as_bytes());
        while sent.is_ok() && !is_over.load(Ordering::Relaxed) {
            std::thread::sleep(Duration::from_millis(100));
            sent = stream.write_all(b" ");
        }
    }
}
