//! `audit verify | status | key | list | export` and the rest.

use super::Done;
use crate::args::{Anchor, Audit, ExportProfile, LogLevel, SigningKeyPlace, Sink, SinkKind};
use crate::output::{FAILED, OK, Output, Tone, plain};
use serde_json::{Value, json};
use signalbox_app::dto::AuditProfile;
use signalbox_app::{ApiError, App, Caller};
use std::path::Path;
use std::sync::Arc;

pub(crate) async fn audit(app: &Arc<App>, output: &Output, command: &Audit) -> Done {
    match command {
        Audit::Verify { file: Some(file), key, .. } => pack(app, output, file, key.as_deref()).await,
        Audit::Verify { file: None, run, anchor: kept, .. } => {
            verify(app, output, run.as_deref(), kept.as_deref()).await
        }
        Audit::Status => status(app, output, None).await,
        Audit::Key { place, new } => {
            let place = place.map(|place| match place {
                SigningKeyPlace::System => "system",
                SigningKeyPlace::File => "file",
            });
            status(app, output, place.map(|place| json!({ "where": place, "new": new }))).await
        }
        Audit::AcceptCut { reason } => {
            let done = app.dispatch(&Caller::terminal(None)?, "audit_accept_cut", json!({ "reason": reason })).await?;
            if output.json {
                output.value(&done);
            } else {
                output.line(&format!("Accepted and recorded as entry {}.", done["seq"]));
            }
            Ok(OK)
        }
        Audit::Erase { seq, reason } => {
            let request = json!({ "seq": seq, "reason": reason });
            let done = app.dispatch(&Caller::terminal(None)?, "audit_erase", request).await?;
            if output.json {
                output.value(&done);
            } else {
                output.line(&format!("Erased and recorded as entry {}.", done["seq"]));
            }
            Ok(OK)
        }
        Audit::Retention { keep_days, forever, now } => {
            let change = keep_days.is_some() || *forever;
            retention(app, output, change.then_some(*keep_days), *now).await
        }
        Audit::Anchor(command) => anchor(app, output, command).await,
        Audit::Sink(command) => sink(app, output, command).await,
        Audit::List { run, query, limit } => {
            let entries = app.audit_entries(run.clone(), query.clone(), *limit as usize).await?;
            if output.json {
                output.value(&Value::Array(entries));
                return Ok(OK);
            }
            if entries.is_empty() {
                output.line("No entries.");
            }
            for entry in &entries {
                let text = |key: &str| entry[key].as_str().unwrap_or_default();
                let actor = entry["actor"]["id"].as_str().or(entry["actor"]["type"].as_str()).unwrap_or_default();
                let tone = match text("level") {
                    "INFO" => Tone::Quiet,
                    "WARN" => Tone::Warn,
                    _ => Tone::Bad,
                };
                let level = output.paint(&format!("{:<8}", text("level")), tone);
                output.line(&format!(
                    "{:>7}  {}  {level} {:<22} {}  {}  {}",
                    entry["seq"],
                    text("timestamp"),
                    plain(text("event")),
                    plain(text("runId")),
                    plain(text("nodeId")),
                    plain(actor)
                ));
            }
            Ok(OK)
        }
        Audit::Export { run, query, profile, hide, out } => {
            let caller = Caller::terminal(None)?;
            let shown = match profile {
                ExportProfile::Full => AuditProfile::Full,
                ExportProfile::Masked => AuditProfile::Masked,
                ExportProfile::Minimal => AuditProfile::Minimal,
            };
            let (run, query, hide) = (run.clone(), query.clone(), hide.clone());
            let done = app.export_audit_to(&caller, run, query, Some(shown), hide, out.clone()).await?;
            if output.json {
                output.value(&done);
            } else {
                output.line(&format!("Exported {} entries to {}.", done["entries"], out.display()));
                missing_told(output, &done);
            }
            Ok(OK)
        }
    }
}

/// How the chain stands, and who signs. `change`: after the key was kept elsewhere.
async fn status(app: &Arc<App>, output: &Output, change: Option<Value>) -> Done {
    let caller = Caller::terminal(None)?;
    let told = match change {
        Some(change) => app.dispatch(&caller, "audit_key_choose", change).await?,
        None => app.dispatch(&caller, "audit_status", json!({})).await?,
    };
    if output.json {
        output.value(&told);
        return Ok(OK);
    }
    let text = |value: &Value| plain(value.as_str().unwrap_or_default());
    let state = format!("{} entries; last verification: {}.", told["head"]["size"], text(&told["state"]));
    let tone = match told["state"].as_str() {
        Some("intact") => Tone::Good,
        Some("broken") => Tone::Bad,
        // Nobody has looked, or there is nothing to look at.
        _ => Tone::Quiet,
    };
    output.line(&output.paint(&state, tone));
    if told["key"].is_object() {
        let key = &told["key"];
        output.line(&format!("Signed with key {}. Place of the key: {}", text(&key["keyId"]), text(&key["at"])));
        output.line(&format!("Fingerprint: {}", text(&key["fingerprint"])));
    } else {
        let why = format!("Not signed: {} {}", text(&told["unsigned"]["message"]), text(&told["unsigned"]["hint"]));
        output.line(&output.paint(&why, Tone::Warn));
    }
    Ok(OK)
}

/// How long entries are kept. `change`: the new number of days, or none for ever.
async fn retention(app: &Arc<App>, output: &Output, change: Option<Option<u32>>, now: bool) -> Done {
    let caller = Caller::terminal(None)?;
    if let Some(days) = change {
        let request = days.map_or_else(|| json!({}), |days| json!({ "keepDays": days }));
        app.dispatch(&caller, "audit_retention_set", request).await?;
    }
    let done = if now { Some(app.dispatch(&caller, "audit_retention_now", json!({})).await?) } else { None };
    let mut told = app.dispatch(&caller, "audit_retention", json!({})).await?;
    if output.json {
        if let Some(done) = done {
            told["done"] = done;
        }
        output.value(&told);
        return Ok(OK);
    }
    match told["keepDays"].as_u64() {
        Some(days) => output.line(&format!("Entries are kept for {days} days.")),
        None => output.line("Entries are kept forever."),
    }
    if let Some(done) = done {
        output.line(&format!("Removed {} entries.", done["removed"]));
    }
    if told["record"].is_u64() {
        let at = plain(told["at"].as_str().unwrap_or_default());
        output.line(&format!(
            "The first {} entries were removed; entry {} of {at} replaces them.",
            told["removed"], told["record"]
        ));
    }
    if let Some(run) = told["held"]["runId"].as_str() {
        let line = format!(
            "Run {} has not ended: entries from {} on are kept until it ends.",
            plain(run),
            told["held"]["seq"]
        );
        output.line(&line);
    }
    Ok(OK)
}

/// Places that keep checkpoints outside.
async fn anchor(app: &Arc<App>, output: &Output, command: &Anchor) -> Done {
    let caller = Caller::terminal(None)?;
    let ask = |name: &'static str, request: Value| app.dispatch(&caller, name, request);
    let places = match command {
        Anchor::List => ask("audit_anchors", json!({})).await?,
        Anchor::Now => ask("audit_anchor_now", json!({})).await?,
        Anchor::Remove { id } => ask("audit_anchor_remove", json!({ "id": id })).await?,
        Anchor::Add { file: Some(file), every, .. } => {
            let places = app.anchor_file(&caller, file.clone(), *every).await?;
            serde_json::to_value(places).unwrap_or_default()
        }
        Anchor::Add { url, every, credential, allow_local, .. } => {
            let request =
                json!({ "url": url, "everyMinutes": every, "credential": credential, "allowLocal": allow_local });
            ask("audit_anchor_add", request).await?
        }
    };
    let list = places.as_array().map(Vec::as_slice).unwrap_or_default();
    let good = is_good(list, matches!(command, Anchor::Add { .. }));
    if output.json {
        output.value(&places);
        return Ok(if good { OK } else { FAILED });
    }
    if list.is_empty() {
        output.line("No anchors. The chain is tamper-evident only up to a checkpoint that is kept elsewhere.");
    }
    for place in list {
        let text = |key: &str| place[key].as_str().unwrap_or_default();
        let at = if text("at").is_empty() { "never" } else { text("at") };
        output.line(&format!(
            "{}  {}  every {} min, {} entries at {at}",
            plain(text("id")),
            plain(text("place")),
            place["everyMinutes"],
            place["size"]
        ));
        for (what, tone) in [("warning", Tone::Warn), ("error", Tone::Bad)] {
            if let Some(told) = place[what].as_str() {
                output.line(&output.paint(&format!("  {}", plain(told)), tone));
            }
        }
    }
    Ok(if good { OK } else { FAILED })
}

/// Whether the places stand as they should. The last one is the one that was `added`: how it stands with the others was not asked
/// then.
fn is_good(places: &[Value], added: bool) -> bool {
    let asked = if added { places.len().saturating_sub(1) } else { 0 };
    places[asked..].iter().all(|place| place["error"].is_null())
}

/// Places that every entry is copied to.
async fn sink(app: &Arc<App>, output: &Output, command: &Sink) -> Done {
    let caller = Caller::terminal(None)?;
    let ask = |name: &'static str, request: Value| app.dispatch(&caller, name, request);
    let files = match command {
        Sink::List => ask("audit_sinks", json!({})).await?,
        Sink::Now => ask("audit_sink_now", json!({})).await?,
        Sink::Remove { id } => ask("audit_sink_remove", json!({ "id": id })).await?,
        Sink::Pause { id } => ask("audit_sink_pause", json!({ "id": id, "paused": true })).await?,
        Sink::Resume { id } => ask("audit_sink_pause", json!({ "id": id, "paused": false })).await?,
        Sink::Test { id } => {
            let told = ask("audit_sink_test", json!({ "id": id })).await?;
            if output.json {
                output.value(&told);
            } else if let Some(error) = told["error"].as_str() {
                output.line(&output.paint(&plain(error), Tone::Bad));
            } else {
                output.line("It takes entries.");
            }
            return Ok(if told["ok"] == true { OK } else { FAILED });
        }
        Sink::Add { file: Some(file), name, .. } => {
            serde_json::to_value(app.sink_file(&caller, file.clone(), name.clone()).await?).unwrap_or_default()
        }
        Sink::Add { file: None, name, kind, url, credential, ca, allow_local } => {
            let read = |file: &std::path::PathBuf| {
                std::fs::read_to_string(file).map_err(|error| {
                    let message = format!("{} cannot be read: {error}.", file.display());
                    ApiError::bad_request(message, "Name a PEM file of the certificate authority.")
                })
            };
            let ca = ca.as_ref().map(read).transpose()?;
            let kind = kind.map(SinkKind::as_str);
            let request = json!({
                "name": name, "kind": kind, "url": url, "credential": credential, "ca": ca, "allowLocal": allow_local
            });
            ask("audit_sink_add", request).await?
        }
    };
    let list = files.as_array().map(Vec::as_slice).unwrap_or_default();
    let good = is_good(list, matches!(command, Sink::Add { .. }));
    if output.json {
        output.value(&files);
        return Ok(if good { OK } else { FAILED });
    }
    if list.is_empty() {
        output.line("No copies.");
    }
    for file in list {
        let text = |key: &str| plain(file[key].as_str().unwrap_or_default());
        let at = if text("at").is_empty() { "never".into() } else { text("at") };
        output.line(&format!(
            "{}  {}  {}  {}  {} entries, last at {at}; {} wait{}",
            text("id"),
            text("name"),
            text("kind"),
            text("place"),
            file["next"].as_u64().unwrap_or_default().saturating_sub(file["begins"].as_u64().unwrap_or_default()),
            file["waiting"],
            if file["paused"] == true { "; paused" } else { "" }
        ));
        if let Some(seq) = file["begins"].as_u64() {
            let line = format!("  Starts at entry {seq}: earlier ones are not in this file.");
            output.line(&output.paint(&line, Tone::Warn));
        }
        if let Some(told) = file["error"].as_str() {
            output.line(&output.paint(&format!("  {}", plain(told)), Tone::Bad));
        }
    }
    Ok(if good { OK } else { FAILED })
}

async fn verify(app: &Arc<App>, output: &Output, run: Option<&str>, kept: Option<&Path>) -> Done {
    let caller = Caller::terminal(None)?;
    let mut verdict = match kept {
        Some(file) => serde_json::to_value(app.verify_anchors(file.to_owned()).await?).unwrap_or_default(),
        None => app.dispatch(&caller, "audit_verify", json!({ "full": true })).await?,
    };
    let mut good = verdict["state"] != "broken";
    let seqs = |which: &str| verdict["payloads"][which].as_array().cloned().unwrap_or_default();
    let payloads = [("lost", seqs("lost")), ("changed", seqs("changed"))];
    good &= payloads.iter().all(|(_, seqs)| seqs.is_empty());
    if let Some(run) = run {
        let told = app.audit_of_run(run.to_owned()).await?;
        good &= told.complete != Some(false);
        verdict["run"] = serde_json::to_value(told).unwrap_or_default();
    }
    if output.json {
        output.value(&verdict);
        return Ok(if good { OK } else { FAILED });
    }
    if let Some(broken) = verdict["broken"]["message"].as_str() {
        output.line(&output.paint(&plain(broken), Tone::Bad));
    } else {
        let seal = match (&verdict["lastCheckpoint"], verdict["signed"] == true) {
            (Value::Null, _) => "No checkpoint yet.".to_owned(),
            (last, signed) => format!(
                "The first {} are sealed by a checkpoint of {} ({}), root {}.",
                last["size"],
                last["timestamp"].as_str().unwrap_or_default(),
                if signed { "signed" } else { "unsigned" },
                last["rootHash"].as_str().unwrap_or_default()
            ),
        };
        let tail = verdict["unsealedTail"].as_u64().unwrap_or_default();
        let line = format!("OK: {} entries. {seal} {tail} later ones are not sealed yet.", verdict["checked"]);
        output.line(&output.paint(&line, Tone::Good));
        if let Some(removed) = verdict["removed"].as_u64().filter(|removed| *removed > 0) {
            output.line(&format!("The first {removed} were removed by retention; a signed entry replaces them."));
        }
        if let Some(first) = verdict["clockBack"]["first"][0].as_u64() {
            let line = format!(
                "The clock was set back {} times between entries, first before entry {first}.",
                verdict["clockBack"]["count"]
            );
            output.line(&output.paint(&line, Tone::Warn));
        }
        match verdict["anchoredUpTo"].as_u64() {
            Some(size) => output.line(&format!("The first {size} entries match the anchored checkpoint.")),
            None => output.line("Tamper-evident up to the last checkpoint that you keep elsewhere."),
        }
    }
    if let Some(why) = verdict["notRecorded"].as_str() {
        let line = format!("The verification could not be recorded: {}", plain(why));
        output.line(&output.paint(&line, Tone::Warn));
    }
    for line in verdict["anchorLines"].as_array().into_iter().flatten() {
        let text = |key: &str| plain(line[key].as_str().unwrap_or_default());
        let told = format!("Line {} of {} was ignored: {}.", line["line"], text("file"), text("why"));
        output.line(&output.paint(&told, Tone::Warn));
    }
    for (what, seqs) in payloads.iter().filter(|(_, seqs)| !seqs.is_empty()) {
        let line = format!("Payloads of {} entries are {what}: {}.", seqs.len(), Value::from(seqs.clone()));
        output.line(&output.paint(&line, Tone::Bad));
    }
    if let Some(told) = verdict.get("run") {
        let whole = match told["complete"].as_bool() {
            Some(true) => "complete",
            Some(false) => "incomplete",
            None => "not ended yet",
        };
        output.line(&format!("Run {}: {} entries, {whole}.", run.unwrap_or_default(), told["entries"]));
    }
    Ok(if good { OK } else { FAILED })
}

/// A pack that is signed with its own key only.
const NOT_PINNED: &str = "This does not prove who made the pack: only the pack itself vouches for its key, and anybody can \
     make one. Compare the fingerprint with one that you got from the owner of the log, or verify with their key file: \
     --key key.pub.";

async fn pack(app: &Arc<App>, output: &Output, file: &Path, key: Option<&Path>) -> Done {
    let (path, named) = (file.to_owned(), key.map(Path::to_owned));
    let found = app.blocking(move |app| app.verify_file(&path, named.as_deref())).await?;
    pack_told(output, &found, key.is_some())
}

/// Verifies a pack where the data folder cannot be opened: no key is known then but the one that is named.
pub(crate) fn pack_alone(output: &Output, file: &Path, key: Option<&Path>, why: &ApiError) -> Done {
    let found = signalbox_app::verify_file_alone(file, key)?;
    let why = format!("The data folder cannot be opened ({}): its known keys were not checked.", why.message);
    output.log(LogLevel::Warn, &why);
    pack_told(output, &found, key.is_some())
}

/// Ends of the chain that were found missing, whatever else is in order.
fn missing_told(output: &Output, told: &Value) {
    for end in told["missing"].as_array().into_iter().flatten() {
        let line = format!("The end of this chain is missing: {}.", end["message"].as_str().unwrap_or_default());
        output.line(&output.paint(&line, Tone::Warn));
    }
}

/// Runs of which a file may hold so many lines here; the others are counted.
const RUNS_TOLD: usize = 10;

/// That a pack holds what a query found, and of which runs only a part.
fn chosen_told(output: &Output, found: &Value) {
    let Some(query) = found["query"].as_str() else { return };
    let line = format!(
        "It contains the results of this query, as stated by its maker: {}. It does not prove that no other entry matches.",
        plain(query)
    );
    output.line(&output.paint(&line, Tone::Warn));
    let runs = found["runs"].as_array().into_iter().flatten();
    let parts: Vec<&Value> = runs.filter(|run| run["complete"] == false).collect();
    for run in parts.iter().take(RUNS_TOLD) {
        let (id, all) = (plain(run["runId"].as_str().unwrap_or_default()), &run["entryCount"]);
        output.line(&format!("It contains {} of the {all} entries of run {id}.", run["entries"]));
    }
    if let Some(more) = parts.len().checked_sub(RUNS_TOLD).filter(|more| *more > 0) {
        output.line(&format!("It contains some of the entries of {more} more runs."));
    }
}

/// What entries of a file say about their chain.
fn findings_told(output: &Output, found: &Value) {
    let first = found["findings"]["first"].as_array().map(Vec::as_slice).unwrap_or_default();
    for one in first {
        let at = one["at"].as_u64();
        let line = if one["event"] == "AUDIT_CUT_ACCEPTED" {
            let at = at.map(|at| format!(" (from entry {at} on)")).unwrap_or_default();
            format!("Entry {} explains why the end of this chain was missing{at}.", one["seq"])
        } else {
            let kind = one["kind"].as_str().map(|kind| format!(": {}", plain(kind))).unwrap_or_default();
            let at = at.map(|at| format!(" at entry {at}")).unwrap_or_default();
            format!("Entry {} records that this chain failed verification{kind}{at}.", one["seq"])
        };
        output.line(&output.paint(&line, Tone::Warn));
    }
    let more = found["findings"]["count"].as_u64().unwrap_or_default().saturating_sub(first.len() as u64);
    if more > 0 {
        output.line(&output.paint(&format!("{more} more entries record such findings."), Tone::Warn));
    }
}

/// What stands behind the links of a file of lines: it has no checkpoints, only decisions in it are signed. True when it is what
/// it should be: with a key that is named, something must be signed by it.
fn lines_told(output: &Output, found: &Value, key_given: bool) -> bool {
    if found["intact"] != true {
        if found["gap"] == true {
            output.line("An export of one run or of a query is a part of the chain and cannot be verified as a file of lines: export a .zip instead.");
        }
        return false;
    }
    let count = |name: &str| found["verdict"][name].as_u64().unwrap_or_default();
    let (signed, unsigned) = (count("decisionsSigned"), count("decisionsUnsigned"));
    let by = if key_given { "the key of --key" } else { "a key that this data folder knows" };
    if found["signaturesChecked"] != true {
        output.line("Signatures were not checked: no key of this chain is known here. Pass one with --key.");
        return true;
    }
    let told = match (signed, unsigned) {
        (0, _) => format!("Nothing is signed by {by}: this does not prove who wrote it."),
        (1, 0) => format!("The decision is signed by {by}."),
        (_, 0) => format!("All {signed} decisions are signed by {by}."),
        _ => {
            format!("{signed} of {} decisions are signed by {by}; the others are not signed.", signed + unsigned)
        }
    };
    if signed > 0 && unsigned == 0 {
        output.line(&told)
    } else {
        output.line(&output.paint(&told, Tone::Warn))
    }
    signed > 0 || !key_given
}

fn pack_told(output: &Output, found: &Value, key_given: bool) -> Done {
    let good = found["intact"] == true;
    if output.json {
        output.value(found);
        return Ok(if good { OK } else { FAILED });
    }
    let tone = if good { Tone::Good } else { Tone::Bad };
    output.line(&output.paint(&plain(found["message"].as_str().unwrap_or_default()), tone));
    chosen_told(output, found);
    missing_told(output, found);
    findings_told(output, found);
    if found["lines"] == true {
        return Ok(if lines_told(output, found, key_given) { OK } else { FAILED });
    }
    if let Some(profile) = found["profile"].as_str().filter(|profile| *profile != "full") {
        output.line(&output.paint(&format!("Exported with the profile {}.", plain(profile)), Tone::Warn));
    }
    // A key that signed nothing says nothing; what is broken is not to be trusted, whoever signed it.
    let signed = !good || found["verdict"]["signed"] == true;
    let pinned = found["pinned"] == true;
    match found["fingerprint"].as_str().filter(|_| signed).map(plain) {
        Some(fingerprint) if pinned && key_given => output.line(&format!("Key {fingerprint}, the one of --key.")),
        Some(fingerprint) if pinned => output.line(&format!("Key {fingerprint}, known to this data folder.")),
        Some(fingerprint) => {
            output.line(&format!("Key {fingerprint}, as stated by the pack."));
            if good {
                output.line(&output.paint(NOT_PINNED, Tone::Warn));
            }
        }
        None => output.line(&output.paint("The pack is unsigned: it does not prove who made it.", Tone::Warn)),
    }
    Ok(if good { OK } else { FAILED })
}
