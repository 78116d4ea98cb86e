//! An expression from a sentence: the model writes it, the engine's own compiler and validator check it, and it is evaluated
//! on the data of the last run before a person sees it.

use super::PlanRequest;
use super::session::usage_of;
use crate::app::App;
use crate::caller::Caller;
use crate::commands::{expression_names, expression_preview};
use crate::dto::{
    Empty, ExpressionAnswer, ExpressionAsk, ExpressionKind, ExpressionNames, ExpressionPreview, ExpressionRefused,
    Preview,
};
use crate::error::{ApiError, ApiResult};
use crate::workflows::check;
use serde_json::Value;
use signalbox_engine::expr::Expr;
use signalbox_engine::validate::check_bytes;
use signalbox_model::{Severity, diagnostic::pointer_token};
use signalbox_planner::{Event, ExpressionPlan, ExpressionStep, Wanted};

/// Longest request, characters.
const MAX_REQUEST: usize = 1_000;
/// Names that exist only after the call or in an iteration: without one at hand that makes no expression wrong.
const LATER: [&str; 5] = ["_result", "_meta", "_toolResult", "_item", "_index"];

/// What came of a check.
enum Checked {
    Works(Preview),
    Fails(String),
}

pub(crate) fn expression_ask(app: &App, caller: &Caller, request: ExpressionAsk) -> ApiResult<ExpressionAnswer> {
    let asked = request.asked.trim();
    if asked.is_empty() || asked.chars().count() > MAX_REQUEST {
        let message = format!("A request for an expression has 1 to {MAX_REQUEST} characters.");
        return Err(ApiError::bad_request(message, "Say in a sentence what the expression should give."));
    }
    let step = &request.document["nodes"][request.node_id.as_str()];
    if !step.is_object() {
        let message = format!("The workflow has no step '{}'.", request.node_id);
        return Err(ApiError::bad_request(message, "Name a step of the document that is sent along."));
    }
    app.has_model()?;
    let host = app.planning.app()?;
    let mut plan = ExpressionPlan::new(wanted(app, caller, &request, asked, step)?);
    let under = app.planning.begin_expression(&caller.principal)?;
    let mut next = ExpressionStep::Ask(plan.question());
    let (text, preview, reason) = loop {
        next = match next {
            ExpressionStep::End(why) => break (None, None, Some(why)),
            ExpressionStep::Check(text) => match checked(app, caller, &request, &text)? {
                Checked::Works(preview) => break (Some(text), Some(preview), None),
                Checked::Fails(problem) => plan.failed(&problem),
            },
            ExpressionStep::Ask(question) => {
                let by = PlanRequest::default();
                let answered = app.wait_for(Box::pin(async {
                    tokio::select! {
                        biased;
                        () = under.stop.notified() => Ok(Event::Cancelled),
                        answered = host.ask_planner(&by, &question, None, &|_| {}) => answered,
                    }
                }))??;
                match answered {
                    Event::Answered { text, usage, .. } => plan.answered(&text, usage),
                    Event::Unanswered { message, .. } => ExpressionStep::End(message),
                    _ => ExpressionStep::End("Cancelled".into()),
                }
            }
        };
    };
    let refused = plan.refused.into_iter();
    Ok(ExpressionAnswer {
        text,
        preview,
        reason,
        refused: refused.map(|one| ExpressionRefused { text: one.text, problem: one.problem }).collect(),
        usage: usage_of(plan.usage),
    })
}

pub(crate) fn expression_cancel(app: &App, caller: &Caller, _: Empty) -> ApiResult<Empty> {
    app.planning.stop_expressions(&caller.principal);
    Ok(Empty {})
}

/// What the model is told: the step, and the names and types around it. No values.
fn wanted(app: &App, caller: &Caller, request: &ExpressionAsk, asked: &str, step: &Value) -> ApiResult<Wanted> {
    let found = expression_names(
        app,
        caller,
        ExpressionNames {
            document: request.document.clone(),
            node_id: request.node_id.clone(),
            run_id: request.run_id.clone(),
            path: request.path.clone(),
            pins: request.pins.clone(),
            inside: false,
        },
    )?;
    let (mut names, mut functions) = (Vec::new(), Vec::new());
    for name in found {
        if name.value_type == "function" {
            functions.extend(name.detail);
        } else {
            names.push((name.label, name.value_type));
        }
    }
    // What is nearest first: the list may be cut.
    let nearness = |name: &str| ["item", "params", "nodes", "context"].iter().position(|root| name.starts_with(root));
    names.sort_by_key(|(name, _)| nearness(name).unwrap_or(usize::MAX));
    let kind = step["type"].as_str().unwrap_or_default();
    let title = step["title"].as_str().or_else(|| check::catalog().get(kind).map(|kind| kind.title.as_str()));
    Ok(Wanted {
        request: asked.to_owned(),
        place: format!(
            "{} of '{}' ({kind})",
            request.field.as_deref().unwrap_or("An expression"),
            title.unwrap_or(&request.node_id)
        ),
        current: request.current.clone().unwrap_or_default(),
        condition: request.condition,
        names,
        functions,
    })
}

fn checked(app: &App, caller: &Caller, request: &ExpressionAsk, text: &str) -> ApiResult<Checked> {
    if let Some(problem) = unknown_name(&request.document, &request.node_id, text) {
        return Ok(Checked::Fails(problem));
    }
    let preview = expression_preview(
        app,
        caller,
        ExpressionPreview {
            document: request.document.clone(),
            node_id: request.node_id.clone(),
            text: text.to_owned(),
            kind: ExpressionKind::Cel,
            run_id: request.run_id.clone(),
            path: request.path.clone(),
            pins: request.pins.clone(),
            item: request.item,
            whole: false,
        },
    )?;
    Ok(match preview {
        Preview::Error { message, .. } if is_later(text) && message.contains("has no value in this place") => {
            Checked::Works(Preview::NoData)
        }
        Preview::Error { message, .. } => Checked::Fails(message),
        Preview::Value { value, .. } if request.condition && !value.is_boolean() => {
            Checked::Fails("The result has to be true or false, and it is not".into())
        }
        works => Checked::Works(works),
    })
}

/// Whether an expression is about what exists only later.
fn is_later(text: &str) -> bool {
    let about = |expression: Expr| expression.references().roots.iter().any(|root| LATER.contains(&root.as_str()));
    Expr::compile(text).is_ok_and(about)
}

/// What the validator says about the names of an expression, also where no run has data: it is read as the condition of its step.
fn unknown_name(document: &Value, node: &str, text: &str) -> Option<String> {
    if is_later(text) {
        return None;
    }
    let mut document = document.clone();
    document["nodes"][node]["if"] = text.into();
    let at = format!("/nodes/{}/if", pointer_token(node));
    let found = check_bytes(document.to_string().as_bytes(), check::catalog()).diagnostics;
    let found = found.into_iter().find(|found| found.path == at && found.severity == Severity::Error)?;
    Some(found.message)
}
