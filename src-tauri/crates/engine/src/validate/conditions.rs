//! Conditions, looked at without a run: a part that fails with every value, a field that nothing has, a comparison that is
//! never true. They are warnings, as with the rules of error handling: a condition may stand where no run comes by.

use crate::{
    audit_rules::{self, AuditRule},
    catalog::Catalog,
    config::{self, NodeExpression},
    expr::{
        Expr,
        kinds::{self, Known, Never, Wanted},
    },
};
use serde_json::{Value, json};
use signalbox_model::{Code, Diagnostic, ErrorType, Role, Workflow, diagnostic::pointer_token};

/// Findings of a file: conditions of steps and of loops, rules over tools and over the audit chain.
pub(crate) fn of_file(workflow: &Workflow, catalog: &Catalog) -> Vec<Diagnostic> {
    let known = everywhere(workflow);
    let mut found = Vec::new();
    for (id, node) in &workflow.nodes {
        let descriptor = catalog.get(&node.kind);
        let role = descriptor.map_or(Role::Step, |descriptor| descriptor.role);
        let at = format!("/nodes/{}", pointer_token(id));
        if role == Role::Loop {
            found.extend(node.config.as_ref().and_then(|config| no_list(config.get("source")?, &known, &at)));
        }
        for NodeExpression { pointer, text, expressions, .. } in
            config::expressions(node, descriptor.map(AsRef::as_ref))
        {
            let Some(wanted) = wanted(&node.kind, role, &pointer, &text) else { continue };
            for expression in expressions.iter().flatten() {
                let own = if pointer.starts_with("/config/toolRules/") { tools() } else { Vec::new() };
                let known = Known(own.into_iter().chain(known.iter().cloned()).collect());
                found.extend(
                    kinds::check(expression, &known, wanted).map(|never| told(format!("{at}{pointer}"), never)),
                );
            }
        }
    }
    let rules = workflow.settings.as_ref().and_then(|settings| settings.tool_rules.as_ref()?.as_array());
    let of_tools = Known(tools().into_iter().chain(known.iter().cloned()).collect());
    for (i, rule) in rules.into_iter().flatten().enumerate() {
        let when = rule.get("when").and_then(Value::as_str).unwrap_or_default();
        let Ok(expression) = Expr::compile(when) else { continue };
        let never = kinds::check(&expression, &of_tools, Wanted::Truth);
        found.extend(never.map(|never| told(format!("{}/{i}/when", crate::tool_rules::OF_WORKFLOW), never)));
    }
    let rules = workflow.settings.as_ref().and_then(|settings| settings.audit_rules.as_ref()?.as_array());
    let of_audit = of_audit_rules();
    for (i, rule) in rules.into_iter().flatten().enumerate() {
        let at = format!("{}/{i}", audit_rules::OF_WORKFLOW);
        // What is wrong with its form is told elsewhere.
        let Ok(rule) = serde_json::from_value::<AuditRule>(rule.clone()) else { continue };
        if rule.level.is_none() && !rule.escalate {
            found.push(Diagnostic::warning(
                Code::BadConfig,
                at.clone(),
                format!("Audit rule {} has no effect", i + 1),
                "Set a level, or let it escalate",
            ));
        }
        let Ok(expression) = Expr::compile(&rule.when) else { continue };
        let never = kinds::check(&expression, &of_audit, Wanted::Truth);
        found.extend(never.map(|never| told(format!("{at}/when"), never)));
    }
    found
}

/// What a field of a step is for, when it is a condition or part of a loop.
fn wanted(kind: &str, role: Role, pointer: &str, text: &str) -> Option<Wanted> {
    let of_rule = |list: &str| pointer.starts_with(list) && pointer.ends_with("/when");
    Some(match (role, pointer) {
        (_, "/if") => Wanted::Truth,
        (Role::Loop, "/config/while") => Wanted::Truth,
        (Role::Loop, "/config/collect") => Wanted::Anything,
        // A text without `=` is a text, which a loop refuses for itself.
        (Role::Loop, "/config/source") if text.trim_start().starts_with('=') => Wanted::Elements,
        (_, "/config/condition") if kind == "flow.if" => Wanted::Truth,
        (_, "/config/when") if kind == "data.filter" => Wanted::Truth,
        _ if kind == "flow.switch" && of_rule("/config/cases/") => Wanted::Truth,
        _ if of_rule("/config/toolRules/") => Wanted::Truth,
        _ => return None,
    })
}

/// The list of a loop that is none in any run. A text without `=` is a text, also one that looks like a list.
fn no_list(source: &Value, known: &[(String, Value)], at: &str) -> Option<Diagnostic> {
    let (what, hint) = match source {
        Value::Array(_) | Value::Null => return None,
        Value::String(text) if text.trim_start().starts_with('=') => return None,
        Value::String(text) => {
            let shown: String = text.chars().take(60).collect();
            let inner = text.trim();
            let inner = inner.strip_prefix("{{").and_then(|rest| rest.strip_suffix("}}")).unwrap_or(inner).trim();
            // Words that happen to be an expression, like `orders`, name nothing.
            let makes_a_list = |expression: &Expr| {
                expression.references().roots.iter().all(|root| SEEN.contains(&root.as_str()))
                    && kinds::check(expression, &Known(known.to_vec()), Wanted::Elements).is_none()
            };
            let hint = match Expr::compile(inner) {
                Ok(expression) if inner.len() <= 200 && makes_a_list(&expression) => format!("Write ={inner}"),
                Err(_) if inner.is_empty() => "Remove 'source' to iterate over the input items".to_owned(),
                Ok(_) | Err(_) => "Use a list, or = and an expression, for example =item.orders".to_owned(),
            };
            (format!("the text '{shown}'"), hint)
        }
        Value::Bool(_) => ("true or false".to_owned(), "Use a list, or = and an expression".to_owned()),
        Value::Number(number) => (number.to_string(), "To count, use a list of numbers, or 'while'".to_owned()),
        Value::Object(_) => ("an object".to_owned(), "Use a list, or = and an expression".to_owned()),
    };
    let message = format!("A loop iterates over a list, but its source is {what}");
    Some(Diagnostic::warning(Code::BadConfig, format!("{at}/config/source"), message, hint))
}

/// What a list may be taken from.
const SEEN: [&str; 9] = ["params", "context", "item", "items", "nodes", "error", "ctx", "_item", "_index"];

fn told(at: String, Never { message, hint, name }: Never) -> Diagnostic {
    Diagnostic::warning(if name { Code::UnknownName } else { Code::BadConfig }, at, message, hint)
}

/// The names that every expression of a step sees, as far as something is known of their values.
fn everywhere(workflow: &Workflow) -> Vec<(String, Value)> {
    let of = |schema: Option<&Value>| {
        let mut schema = schema.filter(|schema| schema.is_object()).cloned().unwrap_or_else(|| json!({}));
        schema["type"] = "object".into();
        // A name that is not declared is told with the names.
        schema["additionalProperties"] = true.into();
        schema
    };
    let context = workflow.context.as_ref().and_then(|context| context.schema.as_ref());
    let text = || json!({ "type": "string" });
    let closed = |fields: Value| json!({ "type": "object", "additionalProperties": false, "properties": fields });
    [
        ("params", of(workflow.params.as_ref())),
        ("context", of(context)),
        ("run", closed(json!({ "id": text(), "startedAt": text(), "lastNode": { "type": ["string", "null"] } }))),
        ("workflow", closed(json!({ "id": text() }))),
        ("items", json!({ "type": "array" })),
        ("nodes", json!({ "type": "object" })),
        ("error", error()),
        ("err", error()),
        ("_index", json!({ "type": "integer" })),
    ]
    .into_iter()
    .map(|(name, schema)| (name.to_owned(), schema))
    .collect()
}

/// An error as it is bound: none is null.
pub(crate) fn error() -> Value {
    let (text, number) = (json!({ "type": "string" }), json!({ "type": "integer" }));
    json!({ "type": ["object", "null"], "additionalProperties": false, "properties": {
        "type": { "type": "string", "enum": ErrorType::ALL }, "message": text, "retryable": { "type": "boolean" },
        "originNode": text, "originRunId": text, "attempt": number, "maxAttempts": number, "timestamp": text,
        "suggestedAction": text, "provenanceRef": text, "details": { "type": "object" } } })
}

/// What a rule over tools sees besides.
fn tools() -> Vec<(String, Value)> {
    let text = json!({ "type": "string" });
    [
        ("tool", text.clone()),
        ("server", text),
        ("args", json!({ "type": "object" })),
        ("hints", json!({ "type": "object" })),
    ]
    .into_iter()
    .map(|(name, schema)| (name.to_owned(), schema))
    .collect()
}

/// What an audit rule sees.
fn of_audit_rules() -> Known {
    let events: Vec<&str> = audit_rules::EVENTS.iter().map(|event| event.as_str()).collect();
    let fix = json!({ "type": ["object", "null"], "additionalProperties": false, "properties": {
        "accepted": { "type": "boolean" }, "delta": { "type": "integer" }, "model": { "type": "string" } } });
    let names = [
        ("event", json!({ "type": "string", "enum": events })),
        ("err", error()),
        ("error", error()),
        ("autoFix", fix),
    ];
    Known(names.into_iter().map(|(name, schema)| (name.to_owned(), schema)).collect())
}

#[cfg(test)]
mod tests;
