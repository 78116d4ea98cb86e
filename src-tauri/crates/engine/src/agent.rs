//! The contract of an agent step (source 002, K-32, K-40): the form that its answer must have follows from what the step
//! may write, the answer is taken apart in one order, and its tools by one rule of prefixes.

use crate::schema::{Schema, Violation};
use indexmap::IndexMap;
use serde_json::{Value, json};
use signalbox_model::descriptor::LEARN;
use signalbox_model::diagnostic::pointer_token;
use signalbox_model::{Map, Node, NodeDescriptor, NodeFailure, Workflow};
use std::{borrow::Cow, collections::BTreeSet};

/// The kind of agent steps.
pub const KIND: &str = "agent.task";

/// What steers a process: never a tool of an agent (G-09).
pub const RESERVED: [&str; 6] =
    ["set_context", "transition_to", "skip_node", "continue_process", "retry_node", "fail_process"];

/// The field of an answer that names the transition.
pub const NEXT: &str = "_next_node";

/// The schema of the answer (G-04 … G-06): one field per write, as the context declares it; with two or more transitions
/// also the name of one of them.
///
/// # Errors
/// The writes that the context schema does not declare: such a workflow does not run (TS-113).
pub fn result_schema(writes: &[String], context: &Value, transitions: &[String]) -> Result<Value, Vec<String>> {
    let declared = context.get("properties").and_then(Value::as_object);
    let of = |name: &String| declared.and_then(|declared| declared.get(name));
    // What begins with `_` is the engine's own.
    let unknown: Vec<String> =
        writes.iter().filter(|name| name.starts_with('_') || of(name).is_none()).cloned().collect();
    if !unknown.is_empty() {
        return Err(unknown);
    }
    let mut properties: Map = writes.iter().filter_map(|name| Some((name.clone(), of(name)?.clone()))).collect();
    let mut required: Vec<&str> = properties.keys().map(String::as_str).collect();
    let names_one = transitions.len() > 1;
    if names_one {
        required.push(NEXT);
    }
    let required = json!(required);
    if names_one {
        properties.insert(NEXT.into(), json!({ "type": "string", "enum": transitions }));
    }
    let mut schema = json!({
        "type": "object", "properties": properties, "required": required, "additionalProperties": false
    });
    // What the declarations refer to stands beside them.
    for word in ["$schema", "$defs", "definitions"] {
        if let Some(shared) = context.get(word) {
            schema[word] = shared.clone();
        }
    }
    bring_along(&mut schema, declared);
    Ok(schema)
}

/// Where a declaration refers to another one.
const BESIDE: &str = "#/properties/";

/// A declaration may refer to one beside it that this step does not write: that is brought along among `$defs`, with all that it
/// refers to itself.
fn bring_along(schema: &mut Value, declared: Option<&Map>) {
    let Some(declared) = declared else { return };
    let mut brought: IndexMap<String, String> = IndexMap::new();
    loop {
        let written: BTreeSet<String> = schema
            .get("properties")
            .and_then(Value::as_object)
            .into_iter()
            .flatten()
            .map(|(name, _)| name.clone())
            .collect();
        let mut taken: BTreeSet<String> = schema
            .get("$defs")
            .and_then(Value::as_object)
            .into_iter()
            .flatten()
            .map(|(name, _)| name.clone())
            .collect();
        let mut missing: Vec<(String, String)> = Vec::new();
        references(schema, &mut |target| {
            let Some(rest) = target.strip_prefix(BESIDE) else { return };
            let (token, rest) = rest.split_once('/').map_or((rest, None), |(token, rest)| (token, Some(rest)));
            let name = token.replace("~1", "/").replace("~0", "~");
            if written.contains(&name) || !declared.contains_key(&name) {
                return;
            }
            let key = brought.entry(name.clone()).or_insert_with(|| {
                let mut key = name.clone();
                while taken.contains(&key) {
                    key.push('_');
                }
                taken.insert(key.clone());
                missing.push((key.clone(), name));
                key
            });
            let key = pointer_token(key);
            *target = rest.map_or_else(|| format!("#/$defs/{key}"), |rest| format!("#/$defs/{key}/{rest}"));
        });
        if missing.is_empty() {
            return;
        }
        if !schema["$defs"].is_object() {
            schema["$defs"] = json!({});
        }
        for (key, name) in missing {
            schema["$defs"][key] = declared[&name].clone();
        }
    }
}

/// Every `$ref` of a schema.
fn references(value: &mut Value, visit: &mut dyn FnMut(&mut String)) {
    match value {
        Value::Object(fields) => {
            for (name, field) in fields {
                match field {
                    Value::String(target) if name == "$ref" => visit(target),
                    other => references(other, visit),
                }
            }
        }
        Value::Array(list) => list.iter_mut().for_each(|one| references(one, visit)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

/// An answer taken apart.
#[derive(Debug, Clone, PartialEq)]
pub struct Taken {
    /// The transition; none when the step has none.
    pub next: Option<String>,
    /// What is written into the context.
    pub writes: Map,
}

/// Takes an answer apart: the transition first, then fields that nobody asked for, then the schema (K-32).
///
/// # Errors
/// `NO_STRUCTURED_OUTPUT`, `NO_TRANSITION`, `BAD_NEXT_NODE`, `UNDECLARED_WRITE`, `SCHEMA_MISMATCH`.
pub fn take(answer: Value, schema: &Value, transitions: &[String]) -> Result<Taken, NodeFailure> {
    let whole = answer.clone();
    let Value::Object(mut writes) = answer else {
        return Err(NodeFailure::validation("NO_STRUCTURED_OUTPUT", "The agent's answer is not a JSON object"));
    };
    let next = transition(writes.shift_remove(NEXT), transitions)?;
    let asked = schema.get("properties").and_then(Value::as_object);
    if let Some(name) = writes.keys().find(|name| asked.is_none_or(|asked| !asked.contains_key(*name))) {
        let words = format!("The agent wrote '{name}', which this step may not write");
        return Err(NodeFailure::validation("UNDECLARED_WRITE", words).detail("target", format!("${name}")));
    }
    let compiled = Schema::compile(schema).map_err(|why| NodeFailure::validation("SCHEMA_MISMATCH", why))?;
    // With one transition its name may be there although nobody asks for it; it was looked at above.
    let checked = if transitions.len() > 1 { whole } else { Value::Object(writes.clone()) };
    if let Err(violations) = compiled.validate(&checked) {
        let told = violations.first().map_or_else(String::new, Violation::told);
        let list: Vec<Value> = violations
            .iter()
            .map(|one| json!({ "path": one.path, "message": one.message, "keyword": one.keyword }))
            .collect();
        let words = format!("The agent's answer does not fit what this step writes: {}", told.trim());
        return Err(NodeFailure::validation("SCHEMA_MISMATCH", words).detail("violations", list));
    }
    Ok(Taken { next, writes })
}

/// G-14: what is named must be declared; one is taken by itself; of several one must be named.
fn transition(named: Option<Value>, transitions: &[String]) -> Result<Option<String>, NodeFailure> {
    let known = transitions.join(", ");
    match (named.as_ref().map(Value::as_str), transitions) {
        (None, []) => Ok(None),
        (None, [only]) => Ok(Some(only.clone())),
        (None, _) => {
            let words = format!("The agent did not say how it goes on; it must name one of {known}");
            Err(NodeFailure::validation("NO_TRANSITION", words))
        }
        (Some(Some(name)), _) if transitions.iter().any(|one| one == name) => Ok(Some(name.to_owned())),
        (Some(_), []) => {
            Err(NodeFailure::validation("BAD_NEXT_NODE", "The agent named a transition, but this step has none"))
        }
        (Some(_), _) => {
            let named = named.unwrap_or_default();
            let words = format!("The agent named the transition {named}, but this step has only {known}");
            Err(NodeFailure::validation("BAD_NEXT_NODE", words).detail("named", named))
        }
    }
}

/// Which tools an agent has (K-40): a name without a prefix replaces the default; `+` adds to it, `-` takes away.
///
/// # Errors
/// The name that stands with both prefixes.
pub fn tools(default: &[String], listed: &[String]) -> Result<Vec<String>, String> {
    let prefixed = |prefix: char| listed.iter().filter_map(move |name| name.strip_prefix(prefix));
    if let Some(both) = prefixed('+').find(|name| prefixed('-').any(|other| other == *name)) {
        return Err(both.to_owned());
    }
    let plain: Vec<&str> = listed.iter().map(String::as_str).filter(|name| !name.starts_with(['+', '-'])).collect();
    let base = if plain.is_empty() { default.iter().map(String::as_str).collect() } else { plain };
    let mut out: Vec<String> = Vec::new();
    for name in base.into_iter().chain(prefixed('+')) {
        if !out.iter().any(|known| known == name) && !prefixed('-').any(|gone| gone == name) {
            out.push(name.to_owned());
        }
    }
    Ok(out)
}

/// The kind of steps that are one tool each.
pub const TOOL_KIND: &str = "mcp.tool";

/// The tool that a step is called after where its settings name none (T-10): `Tool_010_ReadFile` is `ReadFile`.
#[must_use]
pub fn tool_in_id(id: &str) -> Option<&str> {
    let (number, name) = id.strip_prefix("Tool_")?.split_once('_')?;
    let good = !number.is_empty() && number.chars().all(|c| c.is_ascii_digit()) && !name.is_empty();
    good.then_some(name)
}

/// Server and tool of a name like `files/read_file`.
#[must_use]
pub fn server_and_tool(name: &str) -> Option<(&str, &str)> {
    name.split_once('/').filter(|(server, tool)| !server.is_empty() && !tool.is_empty())
}

/// Names of a list in a config.
#[must_use]
pub fn names(config: Option<&Value>, field: &str) -> Vec<String> {
    let list = config.and_then(|config| config.get(field)).and_then(Value::as_array);
    list.into_iter().flatten().filter_map(Value::as_str).map(str::to_owned).collect()
}

/// The node of an agent with `settings.tools` in its own list, so that the log, the plan of a re-run and what the call does
/// outside go by what it really has. Which skills there are is known when it runs: what is said about them stays.
#[must_use]
pub fn with_default<'a>(node: &'a Node, descriptor: &NodeDescriptor, workflow: &Workflow) -> Cow<'a, Node> {
    let default = workflow.settings.as_ref().and_then(|settings| settings.tools.as_deref()).unwrap_or_default();
    if default.is_empty() || descriptor.kind != KIND {
        return Cow::Borrowed(node);
    }
    let listed = names(node.config.as_ref(), "tools");
    if listed.iter().any(|name| !name.starts_with(['+', '-'])) {
        return Cow::Borrowed(node);
    }
    let Ok(all) = tools(default, &listed) else { return Cow::Borrowed(node) };
    let gone = listed.iter().filter(|name| name.starts_with('-')).cloned();
    let all: Vec<String> = all.into_iter().map(|name| format!("+{name}")).chain(gone).collect();
    let mut node = node.clone();
    if let Value::Object(config) = node.config.get_or_insert_with(|| json!({})) {
        config.insert("tools".into(), json!(all));
    }
    Cow::Owned(node)
}

/// What is wrong with a name in a list of tools; without its prefix.
#[must_use]
pub fn misnamed(name: &str) -> Option<(String, &'static str)> {
    if RESERVED.contains(&name) {
        return Some((
            format!("'{name}' steers a run, and agents do not"),
            "Remove it: the wires of the step say how it goes on",
        ));
    }
    let good = server_and_tool(name).is_some() || name.strip_prefix(LEARN).is_some_and(|skill| !skill.is_empty());
    let hint = "Write server/tool as in Settings, Tool servers, or learn_ and the name of a skill";
    (!good).then(|| (format!("'{name}' is no name of a tool"), hint))
}

#[cfg(test)]
mod tests;
