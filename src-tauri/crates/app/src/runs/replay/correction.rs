//! What a correction makes of the input of a failed step. Pure: the same input always gives the same.

use crate::dto::Correction;
use crate::error::{ApiError, ApiResult};
use serde_json::{Value, json};
use signalbox_engine::config;
use signalbox_engine::expr::Expr;
use signalbox_engine::patch::{self, Operation};
use signalbox_engine::rerun::{Change, Plan};
use signalbox_engine::scope::Scope;
use signalbox_model::{Data, Item, failure};
use std::sync::Arc;

/// Operations of one patch.
const OPERATIONS: usize = 200;

/// How an input is corrected.
#[derive(Debug, Clone)]
pub(crate) enum Rule {
    /// It stays as it is.
    Recorded,
    /// A patch over the data of each item. Values that begin with `=` are expressions, unless they were edited by hand.
    Patch { operations: Vec<Operation>, literal: bool },
    /// An expression that gives the data of each item.
    Expression(Expr),
}

/// What a correction gives for one failure.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Corrected {
    /// Data of the items; none when they stay as they were recorded.
    pub(crate) input: Option<Vec<Value>>,
    /// What is the same where the correction gives the same kind of thing.
    pub(crate) signature: String,
}

impl Rule {
    /// The rule of a correction; `recorded` gives the data of the items of a failure, for an edited input.
    pub(crate) fn of(correction: &Correction, recorded: impl FnOnce(i64) -> ApiResult<Vec<Value>>) -> ApiResult<Self> {
        let Correction { edited, patch, expression, definition: _ } = correction;
        match (edited, patch, expression) {
            (None, None, None) => Ok(Self::Recorded),
            (Some(edited), None, None) => {
                let operations = edits(&recorded(edited.failure)?, &edited.input)?;
                Ok(Self::Patch { operations, literal: true })
            }
            (None, Some(patch), None) => {
                if patch.is_empty() || patch.len() > OPERATIONS {
                    let message = format!("A patch has 1 to {OPERATIONS} operations, this one has {}.", patch.len());
                    return Err(ApiError::bad_request(message, "Leave the patch out to use the recorded input."));
                }
                let operations = patch.iter().enumerate().map(|(at, operation)| {
                    serde_json::from_value(operation.clone()).map_err(|error| {
                        ApiError::bad_request(
                            format!("Operation {} of the patch cannot be read: {error}.", at + 1),
                            "Write it as RFC 6902 does: {\"op\": \"replace\", \"path\": \"/amount\", \"value\": 5}.",
                        )
                    })
                });
                Ok(Self::Patch { operations: operations.collect::<ApiResult<_>>()?, literal: false })
            }
            (None, None, Some(text)) => {
                let compiled = Expr::compile(text).map_err(|error| {
                    ApiError::bad_request(
                        format!("The expression cannot be used: {}", sentence(&error)),
                        "Write an expression that gives the new data of an item, for example {'id': item.id}.",
                    )
                })?;
                Ok(Self::Expression(compiled))
            }
            _ => Err(ApiError::bad_request(
                "A correction has at most one of edited, patch and expression.",
                "Choose one of them.",
            )),
        }
    }

    /// What it gives for the plan of a failed run, or why it does not fit. `other`: the new runs have another definition.
    pub(crate) fn apply(&self, plan: &Plan, error: &Value, other: bool) -> Result<Corrected, String> {
        let recorded = || plan.input.iter().map(|item| (*item.data).clone()).collect::<Vec<Value>>();
        let (input, after) = match self {
            Self::Recorded => (None, recorded()),
            _ => {
                let scope = scope_of(plan, error);
                let mut made = Vec::with_capacity(plan.input.len());
                let mut first = None;
                for (at, item) in plan.input.iter().enumerate() {
                    match self.one(&scope, item) {
                        Ok(one) => made.push(one),
                        Err(why) => {
                            let why = if plan.input.len() == 1 { why } else { format!("Item {}: {why}", at + 1) };
                            if !self.is_edit() {
                                return Err(why);
                            }
                            // What a person has edited was one of several items: the others stay.
                            first.get_or_insert(why);
                            made.push((*item.data).clone());
                        }
                    }
                }
                if let Some(why) = first.filter(|_| made.iter().zip(&plan.input).all(|(now, item)| *now == *item.data))
                {
                    return Err(why);
                }
                if !other && made.iter().zip(&plan.input).all(|(now, item)| *now == *item.data) {
                    return Err("The correction changes nothing here.".into());
                }
                (Some(made.clone()), made)
            }
        };
        let mut signature = failure::shape(&json!(after));
        let mut moved: Vec<String> = plan
            .steps
            .iter()
            .filter(|step| matches!(step.change, Change::Incompatible | Change::Removed))
            .map(|step| format!("\n!{}", step.step))
            .collect();
        moved.sort();
        signature.extend(moved);
        Ok(Corrected { input, signature })
    }

    fn one(&self, scope: &Scope, item: &Item) -> Result<Value, String> {
        match self {
            Self::Recorded => Ok((*item.data).clone()),
            Self::Patch { operations, literal: true } => {
                patch::apply(&item.data, operations).map_err(|error| sentence(&error))
            }
            Self::Patch { operations, literal: false } => {
                let scope = of_item(scope, item);
                let made: Vec<Operation> =
                    operations.iter().map(|one| evaluated(one, &scope)).collect::<Result<_, _>>()?;
                patch::apply(&item.data, &made).map_err(|error| sentence(&error))
            }
            Self::Expression(expression) => expression.eval(&of_item(scope, item)).map_err(|error| sentence(&error)),
        }
    }

    fn is_edit(&self) -> bool {
        matches!(self, Self::Patch { literal: true, .. })
    }

    /// The rule without its values: by it corrections are alike.
    pub(crate) fn kind(&self) -> String {
        match self {
            Self::Recorded => "recorded".into(),
            Self::Expression(expression) => {
                let words: Vec<&str> = expression.text().split_whitespace().collect();
                format!("expression {}", words.join(" "))
            }
            Self::Patch { operations, literal } => {
                let lines = operations.iter().filter(|one| !matches!(one, Operation::Test { .. })).map(|one| {
                    let told = json!(one);
                    let value = told["value"].as_str().filter(|text| !literal && text.starts_with('='));
                    format!("{} {} {}", told["op"].as_str().unwrap_or_default(), one.path(), value.unwrap_or_default())
                });
                format!("patch {}", lines.collect::<Vec<_>>().join("\n"))
            }
        }
    }
}

/// Some errors end with a full stop, others do not.
fn sentence(error: &impl std::fmt::Display) -> String {
    let text = error.to_string();
    if text.ends_with('.') { text } else { format!("{text}.") }
}

fn scope_of(plan: &Plan, error: &Value) -> Scope {
    let context = plan.context.iter().map(|(name, value)| (name.clone(), Arc::new(value.clone()))).collect();
    Scope {
        params: Arc::clone(&plan.params),
        context: Arc::new(context),
        items: Arc::new(plan.input.iter().map(|item| Data::Value(Arc::clone(&item.data))).collect()),
        error: Arc::new(error.clone()),
        ..Scope::empty()
    }
}

fn of_item(scope: &Scope, item: &Item) -> Scope {
    Scope { item: Data::Value(Arc::clone(&item.data)), data: Data::Value(Arc::clone(&item.data)), ..scope.clone() }
}

fn evaluated(operation: &Operation, scope: &Scope) -> Result<Operation, String> {
    let made = |value: &Value| config::evaluate(value, None, scope).map_err(|error| sentence(&error));
    Ok(match operation {
        Operation::Add { path, value } => Operation::Add { path: path.clone(), value: made(value)? },
        Operation::Replace { path, value } => Operation::Replace { path: path.clone(), value: made(value)? },
        Operation::Test { path, value } => Operation::Test { path: path.clone(), value: made(value)? },
        other => other.clone(),
    })
}

/// What a person has changed in an input, as a patch for each item that only fits where the same value stands.
fn edits(before: &[Value], after: &[Value]) -> ApiResult<Vec<Operation>> {
    if before.len() != after.len() {
        return Err(ApiError::bad_request(
            format!("The step got {} items, the edited input has {}.", before.len(), after.len()),
            "Items cannot be added or removed for many runs at once; use an expression, or re-run this one alone.",
        ));
    }
    let mut found: Option<Vec<Operation>> = None;
    for (before, after) in before.iter().zip(after) {
        let changes = patch::diff(before, after);
        if changes.is_empty() {
            continue;
        }
        let mut guarded = Vec::with_capacity(changes.len() * 2);
        for change in changes {
            if let Operation::Replace { path, .. } | Operation::Remove { path } = &change
                && let Some(value) = before.pointer(path)
            {
                guarded.push(Operation::Test { path: path.clone(), value: value.clone() });
            }
            guarded.push(change);
        }
        if found.as_ref().is_some_and(|known| *known != guarded) {
            return Err(ApiError::bad_request(
                "The items of this failure were changed in different ways.",
                "Use a JSON Patch or an expression, which is applied to every item.",
            ));
        }
        found = Some(guarded);
    }
    found.ok_or_else(|| {
        ApiError::bad_request("The edited input is the recorded one.", "Change it, or leave the correction out.")
    })
}

#[cfg(test)]
mod tests;
