//! `serve`: goes on with interrupted runs, fires triggers, and serves what the program has.

use crate::Abilities;
use crate::args::Serve;
use crate::failure::Failure;
use crate::follow::told_to_stop;
use crate::health::Serving;
use crate::host::{self, Host};
use crate::needs;
use crate::output::{OK, Output};
use crate::runs::nothing_to_serve;
use crate::server::Web;
use crate::triggers::Firing;
use serde_json::json;
use signalbox_adapters::code_pages::{CodePages, FIRST_LOOK, NEXT_LOOK};
use signalbox_model::bundle::{Bundle, HumanReview};
use std::net::SocketAddr;
use std::time::Duration;

/// How often a program that serves looks after its audit chain.
const AUDIT: Duration = Duration::from_secs(3_600);

/// The port of the server; none when nothing needs one.
fn port(bundle: &Bundle, given: &Serve) -> Result<Option<u16>, Failure> {
    let listening = bundle.needs.triggers.iter().find(|trigger| trigger.listens);
    let what = match (listening, bundle.human) {
        (Some(trigger), _) => format!("{} of {}", trigger.by, trigger.step),
        (None, HumanReview::Callback) => "answers of the callback".to_owned(),
        // The address is printed at each start.
        (None, HumanReview::Ui) => return Ok(Some(given.port.unwrap_or_default())),
        (None, HumanReview::None | HumanReview::Terminal) => return Ok(None),
    };
    given.port.map(Some).ok_or_else(|| {
        let message = format!("The port is missing: {what} must have the same address at each start.");
        Failure::invalid("MISSING_PORT", message, "Name it with --port or SIGNALBOX_PORT; 0 takes a free one.")
    })
}

/// Goes on with interrupted runs, fires triggers, and serves until the program is told to stop.
pub(crate) async fn serve(
    host: &Host,
    bundle: &Bundle,
    abilities: Abilities,
    given: &Serve,
    output: &Output,
) -> Result<u8, Failure> {
    if !bundle.serves() {
        return Err(nothing_to_serve());
    }
    needs::machine(host, bundle)?;
    let web = match port(bundle, given)? {
        Some(port) => Some(Web::bind(given, port).await?),
        None => None,
    };
    let _serving = Serving::begin(host.store.folder());
    for (run_id, resumed) in host.runtime.resume_all().await? {
        match resumed.map_err(Failure::from) {
            Ok(_) => output.aside(&format!("Run {run_id} goes on.")),
            // Somebody else was faster.
            Err(failure) if matches!(failure.code.as_str(), "DRIVEN_ELSEWHERE" | "RUN_ENDED" | "RUN_QUEUED") => {}
            Err(failure) => {
                output.aside(&format!("Run {run_id} was not taken up: {} {}", failure.message, failure.hint));
            }
        }
    }
    let (mut parts, mut token) = (Vec::new(), None);
    if let (HumanReview::Ui, Some(page)) = (bundle.human, abilities.page) {
        let new = random()?;
        parts.push(page(host, &new));
        token = Some(new);
    }
    let callback = abilities.callback.filter(|_| bundle.callback.is_some());
    if let Some(callback) = callback {
        parts.push((callback.routes)(host)?);
    }
    let firing = match abilities.triggers.filter(|_| !bundle.needs.triggers.is_empty()) {
        Some(begin) => Some(begin(host, bundle, given, output).await?),
        None => None,
    };
    parts.extend(firing.as_ref().map(Firing::routes));
    tell(bundle, web.as_ref().map(|web| web.address), token.as_deref(), output);
    let serving = async {
        match web {
            Some(web) => web.serve(parts).await,
            None => std::future::pending().await,
        }
    };
    let sending = async {
        match callback {
            Some(callback) => (callback.send)(host).await,
            None => std::future::pending().await,
        }
    };
    let done = tokio::select! {
        served = serving => served,
        () = sending => Ok(OK),
        () = keep_audit(host) => Ok(OK),
        () = stay_small(host) => Ok(OK),
        () = told_to_stop() => {
            output.aside("Stopped. Nothing is lost; the next start goes on.");
            Ok(OK)
        }
    };
    if let Some(firing) = firing {
        firing.end().await;
    }
    done
}

/// Says where the program is reached.
fn tell(bundle: &Bundle, address: Option<SocketAddr>, token: Option<&str>, output: &Output) {
    let base = address.map(|address| format!("http://{address}"));
    // Behind '#', so that no log and no other page gets to see it.
    let page = base.as_ref().zip(token).map(|(base, token)| format!("{base}/#token={token}"));
    if output.json {
        output.value(&json!({ "url": page.or(base), "triggers": bundle.needs.triggers }));
        return;
    }
    if let Some(page) = page {
        output.line(&format!("Tasks: {page}"));
    }
    for trigger in &bundle.needs.triggers {
        let by = match (&base, trigger.listens) {
            (Some(base), true) => format!("{base}{}", trigger.by),
            _ => trigger.by.clone(),
        };
        output.line(&format!("Trigger: {} {by}", trigger.kind));
    }
    if let (Some(base), HumanReview::Callback) = (&base, bundle.human) {
        output.line(&format!("Tasks: {base}/tasks"));
    }
}

/// 128 random bits.
fn random() -> Result<String, Failure> {
    let mut secret = [0; 16];
    getrandom::fill(&mut secret).map_err(|error| {
        Failure::invalid("NO_RANDOM", format!("The system gives no random numbers: {error}."), "Try again.")
    })?;
    Ok(secret.iter().map(|byte| format!("{byte:02x}")).collect())
}

/// Keeps the audit chain as it was exported, once an hour until it is dropped.
async fn keep_audit(host: &Host) {
    loop {
        tokio::time::sleep(AUDIT).await;
        let (store, audit) = (host.store.clone(), host.audit);
        // What could not be done is told when the program ends.
        let now = host.now_ms();
        let kept = tokio::task::spawn_blocking(move || {
            // What is forgotten of triggers never fires again.
            drop(store.trigger_firings_sweep(now));
            host::keep_audit(&store, audit)
        });
        drop(kept.await);
    }
}

/// Takes code that nothing uses out of the memory of this process: that of the start, later that of the last runs.
async fn stay_small(host: &Host) {
    let mut pages = CodePages::default();
    tokio::time::sleep(FIRST_LOOK).await;
    loop {
        if host.runtime.driven().is_empty() {
            pages.look();
        }
        tokio::time::sleep(NEXT_LOOK).await;
    }
}
