//! `doctor`: whether this machine is ready for Signalbox, and what to do where it is not.

use super::Done;
use crate::args::Doctor;
use crate::output::{FAILED, OK, Output, Tone, plain};
use serde::Serialize;
use serde_json::{Value, json};
use signalbox_adapters::keyring::{KeyRing as _, SystemRing};
use signalbox_adapters::private;
use signalbox_app::dto::Host;
use signalbox_app::{ApiError, ApiResult, App, Caller, History, Options, readable_by_others};
use signalbox_model::time;
use std::io::ErrorKind;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

/// Below this, runs stop soon.
const LITTLE_ROOM: u64 = 200 << 20;
/// Below this, a person should look.
const SOME_ROOM: u64 = 2 << 30;
/// Nobody runs this release before this time, the start of 2025.
const BEFORE_RELEASE_MS: i64 = 1_735_689_600_000;
const OTHER_FOLDER: &str =
    "Make this account the owner of the folder (`chown -R`), or name another folder with --data or SIGNALBOX_DATA.";
const NO_PROVIDER: &str = "No model provider is registered";
/// What clocks of several machines differ by.
const CLOCK_MARGIN_MS: i64 = 5_000;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
enum State {
    Ok,
    Warning,
    Problem,
}

#[derive(Debug, Serialize)]
struct Check {
    name: &'static str,
    state: State,
    message: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    fix: Option<String>,
}

#[derive(Debug, Default)]
struct Report(Vec<Check>);

impl Report {
    fn ok(&mut self, name: &'static str, message: impl Into<String>) {
        self.0.push(Check { name, state: State::Ok, message: message.into(), fix: None });
    }
    fn add(&mut self, name: &'static str, state: State, message: impl Into<String>, fix: impl Into<String>) {
        self.0.push(Check { name, state, message: message.into(), fix: Some(fix.into()) });
    }
    fn error(&mut self, name: &'static str, error: &ApiError) {
        self.add(name, State::Problem, error.message.clone(), error.hint.clone());
    }
}

pub(crate) async fn doctor(output: &Output, args: &Doctor, data: ApiResult<PathBuf>, history: Option<History>) -> Done {
    let mut report = Report::default();
    let system = format!("{} {}", std::env::consts::OS, std::env::consts::ARCH);
    report.ok("version", format!("Signalbox {} on {system}", env!("CARGO_PKG_VERSION")));
    match data {
        Err(error) => report.error("dataFolder", &error),
        Ok(data) => folder(&mut report, args, &data, history).await?,
    }
    port(&mut report, args);
    let problems = report.0.iter().any(|check| check.state == State::Problem);
    show(output, &report.0);
    Ok(if problems { FAILED } else { OK })
}

fn show(output: &Output, checks: &[Check]) {
    if output.json {
        output.value(&json!({ "ok": !checks.iter().any(|check| check.state == State::Problem), "checks": checks }));
        return;
    }
    for check in checks {
        let (word, tone) = match check.state {
            State::Ok => ("ok     ", Tone::Good),
            State::Warning => ("warning", Tone::Warn),
            State::Problem => ("problem", Tone::Bad),
        };
        output.line(&format!("{}  {:<12} {}", output.paint(word, tone), check.name, plain(&check.message)));
        if let Some(fix) = &check.fix {
            output.line(&format!("                       {}", plain(fix)));
        }
    }
}

async fn folder(report: &mut Report, args: &Doctor, data: &Path, history: Option<History>) -> ApiResult<()> {
    disk(report, data);
    match std::fs::metadata(data.join("signalbox.db")) {
        _ if history.is_some() => {
            if !data.exists() {
                clock(report, None);
                not_used_yet(report, data);
                before_data(report);
                return Ok(());
            }
        }
        Ok(found) if found.is_file() => {}
        Err(error) if error.kind() == ErrorKind::NotFound => {
            clock(report, None);
            not_used_yet(report, data);
            before_data(report);
            return Ok(());
        }
        unusable => {
            clock(report, None);
            let why = unusable.map_or_else(|error| error.to_string(), |_| "signalbox.db is not a file".to_owned());
            let message = format!("{} cannot be read: {why}", data.display());
            report.add("dataFolder", State::Problem, message, OTHER_FOLDER);
            return Ok(());
        }
    }
    permissions(report, data);
    let options = Options { host: Host::Http, allow: Vec::new(), stays: false, reads: true };
    let app = match App::open_on(data, options, history) {
        Err(error) => {
            clock(report, None);
            report.error("store", &error);
            return Ok(());
        }
        Ok(app) => app,
    };
    let looked = opened(report, args, &app).await;
    app.shut_down().await;
    looked
}

/// A folder that the first start creates, if this account may do that.
fn not_used_yet(report: &mut Report, data: &Path) {
    let message = format!("{} holds no data yet", data.display());
    match data.ancestors().find(|folder| folder.exists()) {
        Some(folder) if folder.is_dir() && !is_read_only(folder) => {
            report.add("dataFolder", State::Warning, message, "The first start creates it; nothing needs to be done.");
        }
        Some(folder) if folder.is_dir() => {
            let message = format!("{message}, and this account may not write to {}", folder.display());
            report.add("dataFolder", State::Problem, message, OTHER_FOLDER);
        }
        _ => report.add("dataFolder", State::Problem, message, "Name a folder with --data or SIGNALBOX_DATA."),
    }
}

async fn opened(report: &mut Report, args: &Doctor, app: &Arc<App>) -> ApiResult<()> {
    let caller = Caller::terminal(None)?;
    let alarms = app.alarms();
    if alarms.is_empty() {
        report.ok(
            "store",
            match app.history() {
                Some(address) => format!("The history in {address} opens"),
                None => "The database opens".to_owned(),
            },
        );
    }
    for alarm in alarms {
        report.add("store", State::Problem, alarm, "`signalbox check-data` says what is affected.");
    }
    let newest = app.audit_entries(None, None, 1).await.unwrap_or_default();
    clock(report, newest.first().and_then(|entry| entry["timestamp"].as_str()).and_then(time::parse));
    let ask = |name: &'static str| {
        let caller = caller.clone();
        async move { app.dispatch(&caller, name, json!({})).await }
    };
    match ask("audit_status").await {
        Ok(status) => audit(report, &status),
        Err(error) => report.error("audit", &error),
    }
    match ask("secret_status").await {
        Ok(status) => secrets(report, &status),
        Err(error) => report.error("secrets", &error),
    }
    match ask("folder_list").await {
        Ok(folders) => granted(report, &folders),
        Err(error) => report.error("folders", &error),
    }
    match ask("model_list").await {
        Ok(models) => providers(report, args, app, &caller, &models).await,
        Err(error) => report.error("providers", &error),
    }
    match ask("tool_server_list").await {
        Ok(servers) => tool_servers(report, &servers),
        Err(error) => report.error("toolServers", &error),
    }
    match ask("updates_get").await {
        Ok(now) => updates(report, &now),
        Err(error) => report.error("updates", &error),
    }
    Ok(())
}

fn text<'a>(value: &'a Value, key: &str) -> &'a str {
    value[key].as_str().unwrap_or_default()
}

/// What the disk of a folder has left for this account; `None` where nobody says.
fn free_room(data: &Path) -> Option<u64> {
    #[cfg(unix)]
    {
        let folder = data.ancestors().find(|folder| folder.exists())?;
        let disk = rustix::fs::statvfs(folder).ok()?;
        disk.f_bavail.checked_mul(disk.f_frsize)
    }
    #[cfg(not(unix))]
    {
        let _ = data;
        None
    }
}

fn disk(report: &mut Report, data: &Path) {
    let Some(free) = free_room(data) else { return };
    let message = format!("{} MB are free on the disk of {}", free >> 20, data.display());
    match free {
        ..LITTLE_ROOM => {
            report.add("disk", State::Problem, message, "Free some space: runs are suspended on a full disk.")
        }
        LITTLE_ROOM..SOME_ROOM => {
            let fix = "Free some space soon. `signalbox check-data --repair` gives back what deleted runs used.";
            report.add("disk", State::Warning, message, fix);
        }
        SOME_ROOM.. => report.ok("disk", message),
    }
}

/// Signatures, schedules and deadlines depend on it.
fn clock(report: &mut Report, newest_ms: Option<i64>) {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let now = i64::try_from(since.as_millis()).unwrap_or(i64::MAX);
    let fix = "Set the clock, or switch on time synchronisation (`timedatectl set-ntp true`).";
    if now < BEFORE_RELEASE_MS {
        report.add("clock", State::Problem, format!("The clock says {}", time::format(now)), fix);
    } else if let Some(newest) = newest_ms.filter(|newest| now + CLOCK_MARGIN_MS < *newest) {
        let message =
            format!("The clock says {}, but an audit entry is of {}", time::format(now), time::format(newest));
        report.add("clock", State::Problem, message, fix);
    } else {
        report.ok("clock", time::format(now));
    }
}

fn permissions(report: &mut Report, data: &Path) {
    let token = data.join("serve.token");
    if let Err(why) = if token.exists() { private::owner_only(&token) } else { Ok(()) } {
        report.add("permissions", State::Problem, why, "`signalbox check-data --repair` closes the files to others.");
        return;
    }
    match readable_by_others(data) {
        Err(error) => {
            let message = format!("{} cannot be read: {error}", data.display());
            report.add(
                "permissions",
                State::Problem,
                message,
                "Make this account the owner of the folder (`chown -R`).",
            );
        }
        // Files in a folder that nobody else may enter are closed with it.
        Ok(open) if open.first().is_some_and(|first| first == data) => {
            let message = format!("Other accounts may read {} and what is in it ({})", data.display(), open.len() - 1);
            let fix = format!("chmod 700 {}, or `signalbox check-data --repair`.", data.display());
            report.add("permissions", State::Problem, message, fix);
        }
        Ok(_) => report.ok("permissions", format!("Only its owner may read {}", data.display())),
    }
}

fn audit(report: &mut Report, status: &Value) {
    if status["state"] == "broken" {
        let message = format!("The audit chain is broken: {}", text(&status["broken"], "message"));
        report.add("audit", State::Problem, message, "`signalbox audit verify` says where; do not delete anything.");
    } else if let Some(why) = status["unsigned"]["message"].as_str() {
        report.add("audit", State::Warning, why, text(&status["unsigned"], "hint"));
    } else {
        report.ok("audit", format!("{} entries, signed", status["head"]["size"]));
    }
    for anchor in status["anchors"].as_array().into_iter().flatten() {
        if let Some(error) = anchor["error"].as_str() {
            report.add("audit", State::Warning, error, "`signalbox audit anchor list` shows the places outside.");
        }
    }
}

/// Where the key is elsewhere, nobody misses the key store.
fn key_store(report: &mut Report, name: &str, trouble: Option<&str>, has_the_key: bool) {
    let Some(why) = trouble else {
        report.ok("keyStore", format!("{name} answers"));
        return;
    };
    let first = if SystemRing::is_off() { "Unset SIGNALBOX_KEY_STORE" } else { "Start it in your session" };
    let fix = format!(
        "{first}, or keep keys in files: `signalbox secret choose passphrase` or `signalbox secret choose file --identity FILE`, and \
         `signalbox audit key file`."
    );
    let state = if has_the_key { State::Problem } else { State::Warning };
    report.add("keyStore", state, format!("{name} is not available: {why}"), fix);
}

fn not_chosen(report: &mut Report, is_there_a_key_store: bool) {
    let place =
        if is_there_a_key_store { "system" } else { "passphrase` or `signalbox secret choose file --identity FILE" };
    let fix = format!("Only needed for secrets: `signalbox secret choose {place}`.");
    report.add("secrets", State::Warning, "No place for the encryption key is chosen yet", fix);
}

/// What can be said before there is data: the first start finds the same.
fn before_data(report: &mut Report) {
    let ring = SystemRing::from_env();
    let trouble = ring.probe().err();
    key_store(report, ring.name(), trouble.as_deref(), false);
    not_chosen(report, trouble.is_none());
    granted(report, &json!([]));
    report.ok("providers", NO_PROVIDER);
    tool_servers(report, &json!([]));
}

fn secrets(report: &mut Report, status: &Value) {
    let trouble = status["systemTrouble"].as_str();
    key_store(report, text(status, "system"), trouble, status["key"] == "system");
    match text(status, "state") {
        "ready" => report.ok("secrets", format!("Usable ({})", text(status, "key"))),
        "notChosen" => not_chosen(report, trouble.is_none()),
        "locked" => report.add("secrets", State::Warning, text(status, "message"), text(status, "hint")),
        _ => report.add("secrets", State::Problem, text(status, "message"), text(status, "hint")),
    }
}

fn granted(report: &mut Report, folders: &Value) {
    let folders = folders.as_array().map_or(&[][..], Vec::as_slice);
    let mut wrong = 0;
    for grant in folders {
        let folder = text(grant, "folder");
        let why = match std::fs::read_dir(folder) {
            Ok(_) if grant["access"] == "rw" && is_read_only(Path::new(folder)) => {
                "steps may write there, but it is read-only".to_owned()
            }
            Ok(_) => continue,
            Err(error) if error.kind() == ErrorKind::NotFound => "it does not exist".to_owned(),
            Err(error) => error.to_string(),
        };
        wrong += 1;
        let fix = "Mount or create it, correct its permissions, or take the grant back in Settings, Folders.";
        report.add("folders", State::Warning, format!("{folder}: {why}"), fix);
    }
    if wrong == 0 {
        report.ok("folders", format!("{} granted folders can be read", folders.len()));
    }
}

fn is_read_only(folder: &Path) -> bool {
    #[cfg(unix)]
    {
        rustix::fs::access(folder, rustix::fs::Access::WRITE_OK).is_err()
    }
    #[cfg(not(unix))]
    {
        std::fs::metadata(folder).is_ok_and(|meta| meta.permissions().readonly())
    }
}

async fn providers(report: &mut Report, args: &Doctor, app: &Arc<App>, caller: &Caller, models: &Value) {
    let all = models["providers"].as_array().map_or(&[][..], Vec::as_slice);
    if all.is_empty() {
        report.ok("providers", NO_PROVIDER);
    }
    for provider in all {
        let name = text(provider, "name");
        if args.offline {
            report.ok("providers", format!("{name} is registered; it was not asked"));
            continue;
        }
        match app.dispatch(caller, "model_test", json!({ "name": name })).await {
            Ok(tested) if tested["ok"] == true => {
                report.ok("providers", format!("{name}: {}", text(&tested, "message")))
            }
            Ok(tested) => {
                report.add(
                    "providers",
                    State::Problem,
                    format!("{name}: {}", text(&tested, "message")),
                    text(&tested, "hint"),
                );
            }
            Err(error) => report.add("providers", State::Problem, format!("{name}: {}", error.message), error.hint),
        }
    }
}

fn tool_servers(report: &mut Report, servers: &Value) {
    let all = servers.as_array().map_or(&[][..], Vec::as_slice);
    let mut wrong = 0;
    for server in all {
        let name = text(server, "name");
        let (message, fix) = match text(server, "state") {
            "changed" => (
                "is not what was approved".to_owned(),
                format!("Look at the changes and approve it again: `signalbox tools approve {name}`."),
            ),
            "new" => ("waits for approval".to_owned(), format!("`signalbox tools approve {name}`.")),
            _ => match server["trouble"]["message"].as_str() {
                Some(why) => (why.to_owned(), text(&server["trouble"], "hint").to_owned()),
                None => continue,
            },
        };
        wrong += 1;
        report.add("toolServers", State::Warning, format!("{name}: {message}"), fix);
    }
    if wrong == 0 {
        report.ok("toolServers", format!("{} tool servers", all.len()));
    }
}

/// What the last check found; nothing is asked here.
fn updates(report: &mut Report, now: &Value) {
    if let Some(found) = now.get("update") {
        let message = format!("Signalbox {} is available", text(found, "version"));
        report.add("updates", State::Warning, message, "`signalbox version` shows what is new and how to get it.");
    } else if now["on"] != true {
        report.ok("updates", "Newer releases are not looked for (Settings, About)");
    } else if let Some(trouble) = now.get("trouble") {
        report.add("updates", State::Warning, text(trouble, "message"), text(trouble, "hint"));
    } else {
        let at = now["checkedAt"].as_str().map_or_else(|| "not checked yet".to_owned(), |at| format!("checked {at}"));
        report.ok("updates", format!("No newer release is known, {at}"));
    }
}

fn port(report: &mut Report, args: &Doctor) {
    match TcpListener::bind(args.addr) {
        Ok(_) => report.ok("port", format!("{} is free for `signalbox serve`", args.addr)),
        Err(error) if error.kind() == ErrorKind::AddrInUse => {
            let message = format!("{} is in use", args.addr);
            let fix = "If it is not Signalbox itself, choose another port: `signalbox serve --addr 127.0.0.1:9170`.";
            report.add("port", State::Warning, message, fix);
        }
        Err(error) => {
            let fix =
                "Choose an address of this machine and a port above 1023: `signalbox doctor --addr 127.0.0.1:9160`.";
            report.add("port", State::Problem, format!("{} cannot be used: {error}", args.addr), fix);
        }
    }
}
