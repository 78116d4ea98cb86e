//! `rerun`: a new run that begins at a step of another one.

use super::{Done, input, run};
use crate::args::{LogLevel, Rerun, RerunDefinition};
use crate::output::{OK, Output, Tone, plain};
use serde_json::{Map, Value, json};
use signalbox_app::{ApiError, App, Caller};
use std::sync::Arc;

pub(crate) async fn rerun(app: &Arc<App>, output: &Output, args: &Rerun) -> Done {
    let caller = Caller::terminal(None)?;
    let definition = match args.definition {
        RerunDefinition::Original => "original",
        RerunDefinition::Current => "current",
    };
    let mut request = json!({ "runId": args.run, "stepId": args.from, "definition": definition });
    if let Some(until) = &args.until {
        request["until"] = until.as_str().into();
    }
    if args.look {
        let plan = app.dispatch(&caller, "rerun_look", request).await?;
        if output.json {
            output.value(&plan);
        } else {
            tell(output, &plan);
            if plan["waits"] == true {
                let run = app.dispatch(&caller, "run_get", json!({ "runId": args.run })).await?;
                output.line(if run["openTasks"].as_array().is_none_or(Vec::is_empty) {
                    "The original run is stopped and has not ended: it will be cancelled."
                } else if args.until.is_some() {
                    "The original run waits for a person: it will be cancelled. The question is asked again only if the new run reaches it."
                } else {
                    "The original run waits for a person: it will be cancelled, and the new run asks again."
                });
            }
        }
        return Ok(OK);
    }
    let (params, context) = input::parse(None, &args.set)?;
    let mut overrides: Map<String, Value> = params;
    overrides.extend(context.into_iter().map(|(name, value)| (format!("${name}"), value)));
    request["overrides"] = Value::Object(overrides);
    request["keepAnswers"] = args.keep_answers.into();
    if let Some(text) = &args.input {
        let data = input::value("--input", text)?;
        if !data.is_array() {
            return Err(ApiError::bad_request(
                "--input is not a JSON list.",
                "Pass a list with the data of each item, for example '[{\"id\": 1}]'.",
            ));
        }
        request["input"] = data;
    }
    let started = app.dispatch(&caller, "run_rerun", request).await?;
    let run_id = started["runId"].as_str().unwrap_or_default().to_owned();
    output.log(LogLevel::Info, &format!("Run {run_id} started, a re-run of {} from {}.", args.run, args.from));
    run::follow(app, output, &run_id, args.events).await
}

/// A plan for people.
fn tell(output: &Output, plan: &Value) {
    for step in plan["steps"].as_array().into_iter().flatten() {
        let text = |name: &str| step[name].as_str().unwrap_or_default();
        let (word, tone) = match text("fate") {
            "kept" => ("kept", Tone::Quiet),
            "again" => ("runs again", Tone::Good),
            "left" => ("left out", Tone::Quiet),
            "gone" => ("no longer exists", Tone::Bad),
            _ => ("may run", Tone::Quiet),
        };
        let change = match text("change") {
            "changed" => "  changed",
            "added" => "  new",
            "incompatible" => "  its result no longer fits",
            _ => "",
        };
        let effect = match (text("fate"), text("effect")) {
            ("again" | "open", "write")
                if step["repeats"] == true && step["calls"].as_u64().is_some_and(|calls| calls > 0) =>
            {
                "  repeats its side effect"
            }
            ("again" | "open", "write") => "  writes",
            _ => "",
        };
        let asks =
            if matches!(text("fate"), "again" | "open") && step["asks"] == true { "  asks a person" } else { "" };
        let line =
            format!("{} {}{change}{effect}{asks}", output.paint(&format!("{word:<11}"), tone), plain(text("title")));
        output.line(&line);
    }
    let answers = plan["answers"].as_array().map_or(0, Vec::len);
    if answers > 0 {
        let (found, them) = if answers == 1 {
            ("One answer by a person".to_owned(), "it")
        } else {
            (format!("{answers} answers by people"), "them")
        };
        output.line(&format!("{found} would be requested again; --keep-answers reuses {them} where the same question is asked about the same data."));
    }
}
