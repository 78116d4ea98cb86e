//! `run`, `resume` and `cancel`.

use crate::args::Run;
use crate::carried;
use crate::failure::Failure;
use crate::follow::{exit_of, follow, outcome, summary_of, told_to_stop};
use crate::host::Host;
use crate::needs;
use crate::output::{CANCELLED, FAILED, OK, Output, PAUSED, STOPPED};
use serde_json::{Value, json};
use signalbox_engine::params;
use signalbox_model::bundle::Bundle;
use signalbox_model::{Map, RunOrigin, lossless, text};
use signalbox_runtime::{NewRun, Resumed};

pub(crate) async fn run(host: &Host, bundle: &Bundle, run: &Run, output: &Output) -> Result<u8, Failure> {
    let given = run.params.as_deref().map(given).transpose()?.unwrap_or_default();
    let (workflow, called) = carried::workflows(bundle, &host.runtime.registry().catalog)?;
    needs::params(bundle, &given)?;
    needs::machine(host, bundle)?;
    let given = params::complete(&workflow, &Value::Object(given));
    let problems = params::check(&workflow, &given);
    if let Some(first) = problems.first() {
        let failure = Failure::invalid("BAD_PARAM", first.message.clone(), first.hint.clone());
        return Err(Failure { details: Some(json!({ "diagnostics": problems })), ..failure });
    }
    let pinned = host.runtime.pin_with(workflow, called).await?;
    let new = NewRun {
        pinned,
        params: given,
        context: Map::new(),
        origin: RunOrigin { person: Some(os_user()), ..RunOrigin::default() },
        debug: None,
        until: None,
        kept: None,
    };
    let run_id = host.runtime.start(new).await?;
    if !output.json {
        output.aside(&format!("Run {run_id} started."));
    }
    follow(host, &run_id, run.events, output).await
}

pub(crate) async fn resume(host: &Host, bundle: &Bundle, run: Option<&str>, output: &Output) -> Result<u8, Failure> {
    needs::machine(host, bundle)?;
    if let Some(run_id) = run {
        host.runtime.resume(run_id).await?;
        return follow(host, run_id, false, output).await;
    }
    let (mut taken, mut problems) = (Vec::new(), 0);
    for (run_id, resumed) in host.runtime.resume_all().await? {
        match resumed.map_err(Failure::from) {
            Ok(Resumed::TakenOver | Resumed::DrivenHere) => taken.push(run_id),
            // Somebody else was faster.
            Err(failure) if matches!(failure.code.as_str(), "DRIVEN_ELSEWHERE" | "RUN_ENDED" | "RUN_QUEUED") => {}
            Err(failure) => {
                output.aside(&format!("Run {run_id} was not taken up: {} {}", failure.message, failure.hint));
                problems += 1;
            }
        }
    }
    let mut summaries = Vec::new();
    for run_id in taken {
        tokio::select! {
            waited = host.runtime.wait(&run_id) => {
                waited?;
                summaries.push(summary_of(host, &run_id)?);
            }
            () = told_to_stop() => {
                output.aside("Stopped. Nothing is lost; the command resume goes on.");
                return Ok(STOPPED);
            }
        }
    }
    if output.json {
        output.value(&Value::Array(summaries.clone()));
    } else if summaries.is_empty() && problems == 0 {
        output.line("Nothing to resume.");
    } else {
        summaries.iter().for_each(|summary| outcome(host, output, summary));
    }
    let mut codes: Vec<u8> = summaries.iter().map(exit_of).collect();
    if problems > 0 {
        codes.push(FAILED);
    }
    Ok([FAILED, PAUSED, CANCELLED].into_iter().find(|code| codes.contains(code)).unwrap_or(OK))
}

/// The command `serve` has nothing to do.
pub(crate) fn nothing_to_serve() -> Failure {
    Failure::invalid(
        "NO_PAGE",
        "This program has nothing to serve: no page for tasks and no triggers.",
        "Export the workflow with --human ui, begin it with a trigger, or answer with the command `tasks`.",
    )
}

pub(crate) async fn cancel(host: &Host, run_id: &str, output: &Output) -> Result<u8, Failure> {
    host.runtime.cancel(run_id).await?;
    let status = host.runtime.wait(run_id).await?;
    if output.json {
        output.value(&json!({ "runId": run_id, "status": status }));
    } else {
        output.line(&format!("Run {run_id} is {}.", status.as_str()));
    }
    Ok(OK)
}

pub(crate) fn given(argument: &str) -> Result<Map, Failure> {
    let hint = "Pass a JSON object, for example --params '{\"name\":\"Ada\"}', or @FILE.";
    let bad = |why: String| Failure::invalid("BAD_PARAMS", format!("--params: {why}."), hint);
    let json = match argument.strip_prefix('@') {
        Some(file) => std::fs::read_to_string(file).map_err(|error| bad(format!("{file} cannot be read: {error}")))?,
        None => argument.to_owned(),
    };
    let value =
        serde_json::from_str(text::without_bom(&json)).map_err(|error| bad(format!("this is not JSON ({error})")))?;
    if let Some(lost) = lossless::loss(&json) {
        return Err(bad(lost.told()));
    }
    match value {
        Value::Object(map) => Ok(map),
        _ => Err(bad("this is JSON, but not an object".into())),
    }
}

/// Who starts runs, as the audit chain names people.
pub(crate) fn os_user() -> String {
    let mut names = ["USER", "LOGNAME", "USERNAME"].into_iter().filter_map(|name| std::env::var(name).ok());
    let name = names.find(|name| !name.is_empty()).unwrap_or("local".into());
    let letter = |c: char| if c.is_whitespace() || c.is_control() { '_' } else { c };
    format!("user:{}", name.chars().take(100).map(letter).collect::<String>())
}
