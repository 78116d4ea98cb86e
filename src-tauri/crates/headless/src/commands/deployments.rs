//! `deployments`: releases of workers side by side at a Restate server.

use super::Done;
use super::worker::{no_requests, refused, server};
use crate::args::{DeploymentsCommand, RestateArgs};
use crate::output::{OK, Output, Tone, plain};
use serde_json::{Value, json};
use signalbox_app::{ApiError, ApiResult, Class};
use signalbox_restate::Admin;
use signalbox_restate::deployment::{Deployment, Deployments, Needed, Runs};

pub(crate) async fn deployments(output: &Output, command: &DeploymentsCommand) -> Done {
    match command {
        DeploymentsCommand::List { restate } => list(output, restate).await,
        DeploymentsCommand::Remove { id, restate } => remove(output, id, restate).await,
        DeploymentsCommand::Move { id, restate } => move_runs(output, id, restate).await,
    }
}

/// The admin API, and what it knows.
async fn known(restate: &RestateArgs) -> ApiResult<(Admin, Deployments)> {
    restate.check()?;
    let admin = Admin::new(server(&restate.restate, restate.restate_admin.as_ref())).map_err(no_requests)?;
    let known = admin.deployments().await.map_err(|why| unanswered(&admin, &why))?;
    Ok((admin, known))
}

fn unanswered(admin: &Admin, why: &str) -> ApiError {
    let hint =
        "Check that the Restate server runs, and --restate-admin: its admin API is at port 9070 unless it was changed.";
    ApiError::new(Class::Unavailable, "RESTATE", format!("Restate at {} does not answer: {why}.", admin.url()), hint)
}

async fn list(output: &Output, restate: &RestateArgs) -> Done {
    let (_, known) = known(restate).await?;
    if output.json {
        let all: Vec<Value> = known.all.iter().map(row).collect();
        output.value(&json!({ "deployments": all, "queued": known.queued }));
        return Ok(OK);
    }
    if known.all.is_empty() {
        output.line("No workers are registered. `signalbox worker` registers.");
    }
    for one in &known.all {
        let release = plain(one.release.as_deref().unwrap_or("unknown release"));
        output.line(&format!("{}  {release}  {}  since {}", plain(&one.id), plain(&one.url), plain(&one.created_at)));
        let (words, tone) = words(one);
        output.line(&format!("    {}", output.paint(&plain(&words), tone)));
    }
    if known.queued > 0 {
        output.line(&format!("{} wait for a worker.", count(known.queued)));
    }
    Ok(OK)
}

fn row(one: &Deployment) -> Value {
    let Runs { running, waiting, standing, reason } = &one.runs;
    json!({
        "id": one.id, "release": one.release, "url": one.url, "createdAt": one.created_at, "takesNewRuns": one.takes_new_runs,
        "runs": one.runs.all(), "running": running, "waiting": waiting, "standing": standing, "reason": reason,
        "canStop": one.needed().is_none(),
    })
}

fn count(runs: u64) -> String {
    if runs == 1 { "1 run".to_owned() } else { format!("{runs} runs") }
}

/// What a deployment is needed for.
fn words(one: &Deployment) -> (String, Tone) {
    let Runs { running, waiting, standing, reason } = &one.runs;
    let mut parts = Vec::new();
    if one.takes_new_runs {
        parts.push("new runs go here".to_owned());
    }
    if *running > 0 {
        parts.push(format!("{} under way", count(*running)));
    }
    if *waiting > 0 {
        let verb = if *waiting == 1 { "waits" } else { "wait" };
        parts.push(format!("{} {verb} for a person or a time", count(*waiting)));
    }
    if *standing > 0 {
        let verb = if *standing == 1 { "stands" } else { "stand" };
        let why = reason.as_deref().unwrap_or_default();
        parts.push(format!("{} {verb} still until a worker of this release answers: {why}", count(*standing)));
        return (parts.join("; "), Tone::Bad);
    }
    match one.needed() {
        None => ("nothing needs its workers: stop them and remove it".to_owned(), Tone::Good),
        Some(Needed::TakesNewRuns) => (parts.join("; "), Tone::Good),
        Some(Needed::Runs(_)) => (format!("{}; keep its workers", parts.join("; ")), Tone::Warn),
    }
}

async fn remove(output: &Output, id: &str, restate: &RestateArgs) -> Done {
    let (admin, known) = known(restate).await?;
    let one = found(&known, id)?;
    match one.needed() {
        None => {}
        Some(Needed::TakesNewRuns) => return Err(takes_new_runs(one)),
        Some(Needed::Runs(runs)) => {
            let hint = "Keep its workers until its runs have ended, or give the runs to the newest release with `signalbox deployments move`.";
            let words = format!("{} of {} have not ended.", count(runs), one.release_words());
            return Err(ApiError::new(Class::Conflict, "DEPLOYMENT_IN_USE", words, hint));
        }
    }
    admin.remove(id).await.map_err(|why| unanswered(&admin, &why))?;
    output.aside(&format!("Removed {}, {}.", plain(id), plain(&one.release_words())));
    Ok(OK)
}

async fn move_runs(output: &Output, id: &str, restate: &RestateArgs) -> Done {
    let (admin, known) = known(restate).await?;
    let one = found(&known, id)?;
    if one.takes_new_runs {
        return Err(takes_new_runs(one));
    }
    let moved = admin.move_runs(id).await.map_err(|why| unanswered(&admin, &why))?;
    if output.json {
        output.value(&json!({ "moved": moved }));
    } else {
        output.line(&format!("Moved: {}. They go on within half a minute, or when they are answered.", count(moved)));
    }
    Ok(OK)
}

fn found<'a>(known: &'a Deployments, id: &str) -> ApiResult<&'a Deployment> {
    known.all.iter().find(|one| one.id == id).ok_or_else(|| {
        refused(format!("There is no deployment {} of workers.", plain(id)), "`signalbox deployments list` shows all.")
    })
}

fn takes_new_runs(one: &Deployment) -> ApiError {
    let hint = "Start a worker of another release at another address first: it takes new runs when it has registered.";
    ApiError::new(Class::Conflict, "DEPLOYMENT_IN_USE", format!("New runs go to {}.", one.release_words()), hint)
}
