//! An expression on data that is given with it: the examples of the manual, and what somebody makes of them. No run and no
//! file is looked at.

use crate::app::App;
use crate::caller::Caller;
use crate::dto::{ExpressionTry, Tried};
use crate::error::ApiResult;
use crate::runs::preview_limits;
use indexmap::IndexMap;
use serde_json::{Map, Value};
use signalbox_engine::expr::Expr;
use signalbox_engine::scope::{NodeView, Scope};
use signalbox_model::{Data, wire};
use std::sync::Arc;

/// Names of an expression that data can be given for.
const NAMES: &str = "item, items, nodes, params, context, run and error";

pub(crate) fn expression_try(app: &App, caller: &Caller, request: ExpressionTry) -> ApiResult<Tried> {
    let failed = |message: String| Tried::Error { message, position: None };
    let Some(_turn) = app.previews.turn(&caller.principal) else {
        return Ok(failed("Two previews of yours are still being worked out. Try again in a moment.".to_owned()));
    };
    let mut scope = match scope_of(request.data) {
        Ok(scope) => scope,
        Err(message) => return Ok(failed(message)),
    };
    scope.allowance = Some(preview_limits::allowance());
    Ok(match Expr::compile(&request.text).and_then(|expression| expression.eval(&scope)) {
        Ok(value) => Tried::Value { value: wire::truncate(&value, "").unwrap_or(value) },
        Err(error) => Tried::Error { message: error.message, position: error.position },
    })
}

/// The data as an expression sees it.
fn scope_of(data: Map<String, Value>) -> Result<Scope, String> {
    let mut scope = Scope::empty();
    let mut items = None;
    for (name, value) in data {
        match name.as_str() {
            "item" => scope.item = value.into(),
            "items" => items = Some(list(value, "items")?),
            "params" => scope.params = Arc::new(object(value, "params")?.into()),
            "context" => {
                let variables = object(value, "context")?.into_iter().map(|(name, value)| (name, Arc::new(value)));
                scope.context = Arc::new(variables.collect());
            }
            "run" => scope.run = Value::from(object(value, "run")?).into(),
            "error" => scope.error = Arc::new(value),
            "nodes" => {
                let steps = object(value, "nodes")?.into_iter();
                let views = steps.map(|(step, view)| node(&step, view).map(|view| (step, view)));
                scope.nodes = Arc::new(views.collect::<Result<IndexMap<_, _>, _>>()?);
            }
            other => return Err(format!("The data has `{other}`, which no expression knows. It can have {NAMES}.")),
        }
    }
    scope.data = scope.item.clone();
    scope.items = items.unwrap_or_else(|| Arc::new(vec![scope.item.clone()]));
    Ok(scope)
}

/// What a step put out, from its items.
fn node(step: &str, view: Value) -> Result<NodeView, String> {
    let name = format!("nodes.{step}");
    let mut view = object(view, &name)?;
    let given = view.remove("items").unwrap_or(Value::Null);
    if let Some(other) = view.keys().next() {
        return Err(format!("`{name}` of the data has `{other}`. It has `items`, a list; `output` is made of it."));
    }
    let output = match &given {
        Value::Array(list) if list.len() == 1 => list[0].clone(),
        Value::Array(list) if list.is_empty() => Value::Null,
        whole => whole.clone(),
    };
    Ok(NodeView { items: list(given, &format!("{name}.items"))?, output: output.into() })
}

fn object(value: Value, name: &str) -> Result<Map<String, Value>, String> {
    match value {
        Value::Object(fields) => Ok(fields),
        _ => Err(format!("`{name}` of the data is not an object. Write it as {{\"name\": value}}.")),
    }
}

fn list(value: Value, name: &str) -> Result<Arc<Vec<Data>>, String> {
    match value {
        Value::Array(list) => Ok(Arc::new(list.into_iter().map(Data::from).collect())),
        _ => Err(format!("`{name}` of the data is not a list. Write it as [value, value].")),
    }
}
