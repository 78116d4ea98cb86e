//! Every diagnostic of a workflow file, several at once, each with code, JSON Pointer and hint.

mod agents;
mod budget;
mod called;
mod conditions;
mod connectors;
mod containers;
mod expressions;
mod form;
mod format;
mod graph;
mod hours;
mod needed;
mod poll;
mod recovery;
mod request;
pub(crate) mod rules;
mod run_limits;
mod same_for_all;
mod schedule;
mod script;
mod secrets;
mod shape;
mod sql;
mod step_memory;
mod webhook;
pub(crate) mod words;

use crate::{
    audit_rules::{self, AuditRule},
    catalog::{Catalog, PLACEHOLDER_KIND, nearest},
    config, decision, declared_variables,
    expr::Expr,
    guard::Guardrails,
    json,
    schema::{Schema, Violation},
    schemas,
};
pub use called::{Called, called_by, check_called};
pub(crate) use expressions::broken;
pub use form::taken as form_path_taken;
pub use poll::source_workflow as poll_source_workflow;
use serde_json::Value;
use signalbox_model::{
    Code, Diagnostic, Level, Map, Node, NodeDescriptor, Role, Severity, Workflow,
    diagnostic::pointer_token,
    workflow::{ErrorPolicy, FILE_VERSION, Rule},
};
use std::collections::BTreeSet;
pub use webhook::taken as hook_path_taken;

/// Largest workflow file, bytes.
pub const MAX_FILE: usize = 16 * 1024 * 1024;

/// What a text came to.
#[derive(Debug, Clone)]
pub struct Checked {
    /// The workflow, when the text has the shape of one (it may still have errors).
    pub workflow: Option<Workflow>,
    /// Errors first as they stand in the file, then warnings.
    pub diagnostics: Vec<Diagnostic>,
}

impl Checked {
    /// No errors.
    pub fn is_ok(&self) -> bool {
        !self.diagnostics.iter().any(|d| d.severity == Severity::Error)
    }
}

/// Reads bytes: size, encoding, JSON, shape; no check of the graph. For opening a file in the editor.
pub fn read(bytes: &[u8]) -> Checked {
    let fail = |diagnostic| Checked { workflow: None, diagnostics: vec![diagnostic] };
    if bytes.len() > MAX_FILE {
        return fail(Diagnostic::error(
            Code::TooLarge,
            "",
            format!("The file has {} bytes; a workflow file has at most {MAX_FILE}", bytes.len()),
            "Keep data in files that the workflow reads, not in the workflow itself",
        ));
    }
    let text = match std::str::from_utf8(bytes) {
        Ok(text) => text.strip_prefix('\u{feff}').unwrap_or(text),
        Err(_) if is_no_text(bytes) => {
            return fail(Diagnostic::error(
                Code::BadJson,
                "",
                "The file is not text; it may be a picture, an archive or a program",
                "Open a workflow file (*.signalbox.json)",
            ));
        }
        Err(error) => {
            return fail(Diagnostic::error(
                Code::BadJson,
                "",
                format!("The file is not UTF-8 text (byte {})", error.valid_up_to() + 1),
                "Save it as UTF-8, then open it again",
            ));
        }
    };
    if text.trim().is_empty() {
        return fail(Diagnostic::error(
            Code::BadJson,
            "",
            "The file is empty",
            "Open another file, or an older copy of this one",
        ));
    }
    let value = match json::parse(text) {
        Ok(value) => value,
        Err(error) => {
            return fail(Diagnostic::error(
                Code::BadJson,
                "",
                format!("The file is not valid JSON: {error}"),
                if error.ends_early() {
                    "Something is not closed: look for a missing } or ] or \""
                } else {
                    "Correct it in a text editor at this place"
                },
            ));
        }
    };
    shape::read(value)
}

/// Whether bytes that are no UTF-8 are no text in any other encoding either: those have no zero bytes, but UTF-16 and UTF-32, which say so first.
fn is_no_text(bytes: &[u8]) -> bool {
    let is_wide = [&b"\xff\xfe"[..], b"\xfe\xff", b"\0\0\xfe\xff"].iter().any(|mark| bytes.starts_with(mark));
    !is_wide && bytes.contains(&0)
}

/// [`read`] and, when the shape is right, [`check`].
pub fn check_bytes(bytes: &[u8], catalog: &Catalog) -> Checked {
    let mut checked = read(bytes);
    if let Some(workflow) = checked.workflow.as_ref().filter(|_| checked.is_ok()) {
        checked.diagnostics.extend(check_graph(workflow, catalog));
        // Only the definition of a test run has it: a file that held pinned output would bring it into active runs.
        checked.diagnostics.extend(pinned_in_file(workflow));
        same_for_all::check(workflow, catalog, &mut checked.diagnostics);
        // Not for every compilation: the rules are tried out.
        checked.diagnostics.extend(crate::validate::rules::of_file(workflow));
        checked.diagnostics.extend(agents::hints(workflow));
        checked.diagnostics.extend(crate::validate::conditions::of_file(workflow, catalog));
        checked.diagnostics.sort_by_key(|d| d.severity == Severity::Warning);
    }
    checked
}

/// Every diagnostic of a workflow that has been read.
pub fn check(workflow: &Workflow, catalog: &Catalog) -> Vec<Diagnostic> {
    let mut found = shape::again(workflow);
    found.extend(check_graph(workflow, catalog));
    found.sort_by_key(|d| d.severity == Severity::Warning);
    found
}

fn pinned_in_file(workflow: &Workflow) -> impl Iterator<Item = Diagnostic> {
    let not_here = |id: &str, field: &str, message: &str, hint: &str| {
        let place = format!("/nodes/{}/{field}", pointer_token(id));
        Diagnostic::error(Code::NotAvailable, place, message, hint)
    };
    let pinned = workflow.nodes.iter().filter(|(_, node)| node.pinned.is_some()).map(move |(id, _)| {
        let hint =
            "Remove 'pinned', and pin the output of the step in the editor: it is kept in a file beside the workflow";
        not_here(id, "pinned", "Pinned output does not stand in a workflow file", hint)
    });
    let faults = workflow.nodes.iter().filter(|(_, node)| node.fault.is_some()).map(move |(id, _)| {
        let hint = "Remove 'fault', and choose 'Fail in the next run' in the menu of the step";
        not_here(id, "fault", "A fault does not stand in a workflow file: it holds for one run", hint)
    });
    pinned.chain(faults)
}

fn check_graph(workflow: &Workflow, catalog: &Catalog) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    if workflow.signalbox > FILE_VERSION {
        found.push(newer(workflow.signalbox.into()));
    }
    if workflow.nodes.is_empty() {
        found.push(Diagnostic::error(
            Code::EmptyWorkflow,
            "/nodes",
            "The workflow has no steps",
            "Add a step: press Tab on the canvas",
        ));
    }
    for (id, node) in &workflow.nodes {
        check_node(workflow, id, node, catalog, &mut found);
    }
    check_schemas(workflow, &mut found);
    check_named_schemas(workflow, &mut found);
    check_artifacts(workflow, &mut found);
    check_settings(workflow, &mut found);
    agents::check(workflow, &mut found);
    containers::check(workflow, catalog, &mut found);
    recovery::check(workflow, catalog, &mut found);
    graph::check(workflow, catalog, &mut found);
    schedule::check(workflow, &mut found);
    form::check(workflow, &mut found);
    format::check(workflow, &mut found);
    poll::check(workflow, &mut found);
    webhook::check(workflow, &mut found);
    expressions::check(workflow, catalog, &mut found);
    found
}

pub(super) fn newer(version: u64) -> Diagnostic {
    Diagnostic::error(
        Code::NewerVersion,
        "/signalbox",
        format!("The file has version {version}; this program supports up to {FILE_VERSION}"),
        "Open it with a newer Signalbox; nothing was changed",
    )
}

fn check_node(workflow: &Workflow, id: &str, node: &Node, catalog: &Catalog, found: &mut Vec<Diagnostic>) {
    let at = format!("/nodes/{}", pointer_token(id));
    if !valid_id(id) {
        found.push(Diagnostic::error(
            Code::BadId,
            at.clone(),
            format!("'{id}' is not a valid step id"),
            "An id starts with a letter or _, followed by letters, digits, _ or -",
        ));
    }
    match Guardrails::read(node) {
        Err(error) => found.push(Diagnostic::error(
            Code::BadConfig,
            format!("{at}/guardrails"),
            format!("The safety checks of '{id}' are not valid: {error}"),
            "Write { enabled, before: [{ name, refuse, message }], after: […] }",
        )),
        Ok(guards) => found.extend(guards.unwrap_or_default().problems().into_iter().map(|problem| {
            let path = format!("{at}/guardrails{}", problem.path);
            Diagnostic::error(Code::BadConfig, path, problem.message, problem.hint)
        })),
    }
    let Some(descriptor) = catalog.get(&node.kind) else {
        found.push(unknown_kind(&at, node, catalog));
        return;
    };
    let waits = matches!(descriptor.role, Role::Approval | Role::Form | Role::Pause | Role::Wait);
    if descriptor.role.is_container() || waits {
        let guards = Guardrails::read(node).ok().flatten().unwrap_or_default();
        found.extend(guards.not_of_call().into_iter().map(|problem| {
            let path = format!("{at}/guardrails{}", problem.path);
            Diagnostic::error(Code::BadConfig, path, problem.message, problem.hint)
        }));
    }
    if node.type_version.is_some_and(|v| v > descriptor.version || v == 0) {
        found.push(Diagnostic::error(
            Code::NewerVersion,
            format!("{at}/typeVersion"),
            format!("{} has versions up to {}", words::step(node, Some(descriptor)), descriptor.version),
            "Open the file with a newer Signalbox, or set an older typeVersion",
        ));
    }
    if let Some(mode) = node.mode
        && !descriptor.modes.contains(&mode)
    {
        found.push(Diagnostic::error(
            Code::BadMode,
            format!("{at}/mode"),
            format!("{} does not support this mode", words::step(node, Some(descriptor))),
            "Remove 'mode': this kind processes all items at once",
        ));
    }
    if node.condition.is_some() && !descriptor.ports.iter().any(|p| p.id == "success") {
        found.push(Diagnostic::error(
            Code::BadConfig,
            format!("{at}/if"),
            format!("{} has no success port, so it cannot be skipped by 'if'", words::step(node, Some(descriptor))),
            "Put the condition on the previous step, or use an If step",
        ));
    }
    check_config(&at, node, descriptor, catalog, found);
    secrets::check(&at, node, descriptor, found);
    request::check(&at, node, descriptor, found);
    script::check(&at, node, descriptor, found);
    sql::check(&at, node, descriptor, found);
    check_out(&at, node, found);
    check_error_handling(workflow, &at, id, node, found);
}

fn unknown_kind(at: &str, node: &Node, catalog: &Catalog) -> Diagnostic {
    let kind = node.kind.as_str();
    if kind == PLACEHOLDER_KIND {
        let why = node.description.as_deref().unwrap_or("A step of another program could not be translated.");
        return Diagnostic::error(
            Code::NotTranslated,
            format!("{at}/type"),
            why,
            "Replace it with steps that do the same; its settings contain the original step",
        );
    }
    let hint = match nearest(kind, catalog.iter().map(|d| d.kind.as_str())) {
        Some(near) => format!("Did you mean '{near}'?"),
        None => "The catalog lists all step kinds".to_owned(),
    };
    Diagnostic::error(Code::UnknownType, format!("{at}/type"), format!("There is no step kind '{kind}'"), hint)
}

/// The config against the descriptor's schema. A string that holds an expression is checked when the step runs, so it
/// is taken for a value of the right type here.
fn check_config(at: &str, node: &Node, descriptor: &NodeDescriptor, catalog: &Catalog, found: &mut Vec<Diagnostic>) {
    let empty = Value::Object(Map::new());
    let config = node.config.as_ref().unwrap_or(&empty);
    let at = format!("{at}/config");
    let Some(object) = config.as_object() else {
        found.push(Diagnostic::error(Code::BadConfig, at, "'config' is not an object", "Write it as { … }"));
        return;
    };
    let properties = descriptor.config.get("properties").and_then(Value::as_object);
    let names: Vec<&str> = properties.into_iter().flatten().map(|(name, _)| name.as_str()).collect();
    for key in object.keys().filter(|key| !names.contains(&key.as_str())) {
        let hint = match nearest(key, names.iter().copied()) {
            Some(near) => format!("Did you mean '{near}'?"),
            None if names.is_empty() => "This kind has no settings".to_owned(),
            None => format!("Its settings: {}", names.join(", ")),
        };
        found.push(Diagnostic::error(
            Code::UnknownConfig,
            format!("{at}/{}", pointer_token(key)),
            format!("{} has no setting '{key}'", words::step(node, Some(descriptor))),
            hint,
        ));
    }
    for name in descriptor.config.get("required").and_then(Value::as_array).into_iter().flatten() {
        let name = name.as_str().unwrap_or_default();
        if !object.contains_key(name) {
            let pointer = format!("/{}", pointer_token(name));
            let field = words::setting(&descriptor.config, &pointer);
            found.push(Diagnostic::error(
                Code::MissingConfig,
                format!("{at}{pointer}"),
                format!("{} needs {field}", words::step(node, Some(descriptor))),
                format!("Fill in {field}"),
            ));
        }
    }
    check_choice(&at, node, descriptor, object, found);
    needed::check(&at, node, descriptor, object, found);
    let Some(schema) = catalog.settings_schema(&node.kind) else { return };
    let Err(violations) = schema.validate(config) else { return };
    for violation in violations {
        // Told above, with the names of the fields.
        let told = matches!(violation.keyword.as_str(), "required" | "additionalProperties" | "anyOf" | "not");
        if told && violation.path.is_empty() {
            continue;
        }
        if holds_expression(config, &violation.path, &descriptor.config) {
            continue;
        }
        if violation.keyword == "minLength" && is_empty_row(config, &violation.path) {
            let list = violation.path.rsplit_once('/').map_or("", |(list, _)| list);
            let message = format!("A row of {} is empty", words::setting(&descriptor.config, list));
            let place = format!("{at}{}", violation.path);
            found.push(Diagnostic::error(Code::MissingConfig, place, message, "Fill it in, or remove the row"));
            continue;
        }
        if matches!(violation.keyword.as_str(), "minLength" | "pattern") && is_empty_in_row(config, &violation.path) {
            let field = words::setting(&descriptor.config, &violation.path);
            let place = format!("{at}{}", violation.path);
            let message = format!("{field} is empty");
            found.push(Diagnostic::error(Code::MissingConfig, place, message, format!("Fill in {field}")));
            continue;
        }
        found.push(misfit(&at, node, descriptor, &violation));
    }
}

/// A text in a row of a list that somebody added and has not filled in yet.
fn is_empty_in_row(config: &Value, pointer: &str) -> bool {
    let is_in_row = pointer.split('/').any(|part| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit()));
    is_in_row && config.pointer(pointer).and_then(Value::as_str) == Some("")
}

/// A row of a list that somebody added and has not filled in yet: nothing wrong was written.
fn is_empty_row(config: &Value, pointer: &str) -> bool {
    let list = pointer.rsplit_once('/').and_then(|(list, _)| config.pointer(list));
    list.is_some_and(Value::is_array) && config.pointer(pointer).and_then(Value::as_str) == Some("")
}

/// Settings of which one has to be there (`anyOf` of `required`), and those that cannot be there together (`not`).
fn check_choice(at: &str, node: &Node, descriptor: &NodeDescriptor, config: &Map, found: &mut Vec<Diagnostic>) {
    fn required(schema: &Value) -> Vec<&str> {
        schema.get("required").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str).collect()
    }
    let pointer = |name: &str| format!("/{}", pointer_token(name));
    let told = |names: &[&str]| {
        let fields: Vec<String> = names.iter().map(|name| words::setting(&descriptor.config, &pointer(name))).collect();
        fields.join(" or ")
    };
    // A setting that is null is one that nobody filled in, as in a run.
    let has = |names: &[&str]| names.iter().all(|name| config.get(*name).is_some_and(|value| !value.is_null()));
    let step = || words::step(node, Some(descriptor));
    let ways = descriptor.config.get("anyOf").and_then(Value::as_array);
    let ways: Vec<Vec<&str>> = ways.into_iter().flatten().map(required).collect();
    if let Some(first) = ways.first().and_then(|way| way.first())
        && !ways.iter().any(|way| has(way))
    {
        let fields = told(&ways.concat());
        let message = format!("{} needs {fields}", step());
        let place = format!("{at}{}", pointer(first));
        found.push(Diagnostic::error(Code::MissingConfig, place, message, format!("Fill in {fields}")));
    }
    let together = descriptor.config.get("not").map(required).unwrap_or_default();
    if let Some(last) = together.last().filter(|_| has(&together)) {
        let message = format!("{} accepts only one of {}", step(), told(&together));
        found.push(Diagnostic::error(Code::BadConfig, format!("{at}{}", pointer(last)), message, "Clear the other"));
    }
}

/// A value that does not fit its field.
fn misfit(at: &str, node: &Node, descriptor: &NodeDescriptor, violation: &Violation) -> Diagnostic {
    let step = words::step(node, Some(descriptor));
    let place = format!("{at}{}", violation.path);
    let code = match (violation.keyword.as_str(), violation.path.is_empty()) {
        ("minProperties", true) => {
            let fields = words::either(&descriptor.config);
            let message = format!("{step} needs {fields}");
            return Diagnostic::error(Code::MissingConfig, place, message, format!("Fill in {fields}"));
        }
        ("maxProperties", true) => {
            let fields = words::either(&descriptor.config);
            let message = format!("{step} accepts only one of {fields}");
            return Diagnostic::error(Code::BadConfig, place, message, "Clear the others");
        }
        ("additionalProperties", _) => Code::UnknownConfig,
        _ => Code::BadConfig,
    };
    let hint = words::description(&descriptor.config, &violation.path);
    let field = words::setting(&descriptor.config, &violation.path);
    let message = match words::expected(&descriptor.config, &violation.path, &violation.keyword) {
        Some(expected) => format!("{field} needs {expected}"),
        None => format!("{field}: {}", violation.message),
    };
    Diagnostic::error(
        code,
        place,
        message,
        hint.map_or_else(|| format!("The catalog describes every setting of “{}”", descriptor.title), str::to_owned),
    )
}

fn holds_expression(config: &Value, pointer: &str, schema: &Value) -> bool {
    let Some(value) = config.pointer(pointer) else { return false };
    // What is kept as it is written is no expression, whatever it begins with.
    let field = pointer.split('/').nth(1).and_then(|name| schema.get("properties")?.get(name));
    if field.and_then(|field| field.get("x-raw")) == Some(&Value::Bool(true)) {
        return false;
    }
    !config::is_static(value, schema)
}

fn check_out(at: &str, node: &Node, found: &mut Vec<Diagnostic>) {
    for target in node.out.iter().flatten().map(|(target, _)| target) {
        let pointer = format!("{at}/out/{}", pointer_token(target));
        let wrong = if let Some(path) = target.strip_prefix('$') {
            signalbox_model::path::parse(path).err().map(|e| e.to_string())
        } else if let Some(path) = target.strip_prefix('/') {
            let bad = path.is_empty()
                || path.contains(['\\', '\0', ':'])
                || path.split('/').any(|part| part.is_empty() || part == "." || part == "..");
            bad.then(|| "an artifact path must not have empty, '.' or '..' parts".to_owned())
        } else {
            Some("it must start with $ or /".to_owned())
        };
        if let Some(why) = wrong {
            found.push(Diagnostic::error(
                Code::BadConfig,
                pointer,
                format!("'{target}' is not a valid target: {why}"),
                "Write $name to set a variable, or /name.txt to write a file of the run",
            ));
        }
    }
}

fn check_error_handling(workflow: &Workflow, at: &str, id: &str, node: &Node, found: &mut Vec<Diagnostic>) {
    let Some(handling) = &node.error_handling else { return };
    let at = format!("{at}/errorHandling");
    if let Some(level) = &handling.human_review_threshold
        && Level::parse(level).is_none()
    {
        found.push(Diagnostic::error(
            Code::BadConfig,
            format!("{at}/humanReviewThreshold"),
            format!("'{level}' is not a level"),
            "Use INFO, WARN, ERROR or CRITICAL",
        ));
    }
    if let Some(policy) = &handling.retry_policy {
        let limits = [
            ("maxAttempts", u64::from(policy.max_attempts), 100),
            ("initialDelayMs", policy.initial_delay_ms, 86_400_000),
            ("maxDelayMs", policy.max_delay_ms, 86_400_000),
        ];
        for (field, value, limit) in limits {
            if value > limit {
                found.push(Diagnostic::error(
                    Code::BadConfig,
                    format!("{at}/retryPolicy/{field}"),
                    format!("{field} is {value}; the maximum is {limit}"),
                    "Choose a smaller number",
                ));
            }
        }
    }
    if let Some(target) = &handling.fallback_node_id {
        let pointer = format!("{at}/fallbackNodeId");
        if !workflow.nodes.contains_key(target) {
            let hint = nearest(target, workflow.nodes.keys().map(String::as_str));
            found.push(Diagnostic::error(
                Code::DanglingEdge,
                pointer,
                format!("The fallback of '{id}' refers to the step '{target}', which does not exist"),
                hint.map_or_else(|| "Choose an existing step".into(), |near| format!("Did you mean '{near}'?")),
            ));
        } else if target == id {
            found.push(Diagnostic::error(
                Code::Cycle,
                pointer,
                format!("'{id}' is its own fallback"),
                "Choose another step",
            ));
        }
    }
}

/// Schemas that have a name.
fn check_named_schemas(workflow: &Workflow, found: &mut Vec<Diagnostic>) {
    for (name, schema) in workflow.schemas.iter().flatten() {
        let path = format!("/schemas/{}", pointer_token(name));
        if !schemas::valid_name(name) {
            let message = format!("'{name}' cannot be the name of a schema");
            let hint = "Write a path such as /schemas/order.schema.json: letters, digits, '.', '_' and '-'";
            found.push(Diagnostic::error(Code::BadConfig, path, message, hint));
        } else if let Err(why) = Schema::compile(schema) {
            let message = format!("The schema {name} cannot be used: {}", why.trim_end_matches('.'));
            found.push(Diagnostic::error(Code::BadConfig, path, message, "Correct the schema, or remove it"));
        }
    }
}

/// Schemas of the params and of the variables: one that cannot be used would let everything pass.
fn check_schemas(workflow: &Workflow, found: &mut Vec<Diagnostic>) {
    let mut bad = |path: String, what: String, why: &str| {
        let message = format!("The schema of {what} cannot be used: {}", why.trim_end_matches('.'));
        found.push(Diagnostic::error(Code::BadConfig, path, message, "Correct the schema, or remove it"));
    };
    if let Some(Err(why)) = workflow.params.as_ref().map(Schema::compile) {
        bad("/params".into(), "the params".into(), &why);
    }
    let Some(declared) = workflow.context.as_ref().and_then(|context| context.schema.as_ref()) else { return };
    for (name, schema) in declared_variables::declared(declared) {
        if let Err(why) = schema {
            bad(format!("/context/schema/properties/{}", pointer_token(name)), format!("${name}"), &why);
        }
    }
}

/// Artifacts of one run stand in one folder: what is a file for one step cannot be a folder for another.
fn check_artifacts(workflow: &Workflow, found: &mut Vec<Diagnostic>) {
    let targets = |node: &'_ Node| node.out.iter().flatten().map(|(target, _)| target.clone()).collect::<Vec<_>>();
    let all: BTreeSet<String> =
        workflow.nodes.values().flat_map(targets).filter(|target| target.starts_with('/')).collect();
    for (id, node) in &workflow.nodes {
        for target in targets(node).iter().filter(|target| all.contains(*target)) {
            let folder = format!("{target}/");
            let Some(below) = all.range(folder.clone()..).next().filter(|next| next.starts_with(&folder)) else {
                continue;
            };
            found.push(Diagnostic::error(
                Code::BadConfig,
                format!("/nodes/{}/out/{}", pointer_token(id), pointer_token(target)),
                format!("'{target}' is written as a file, but '{below}' needs it as a folder"),
                "Rename one of them",
            ));
        }
    }
}

fn check_settings(workflow: &Workflow, found: &mut Vec<Diagnostic>) {
    hours::check(workflow, found);
    budget::check(workflow, found);
    step_memory::check(workflow, found);
    run_limits::check(workflow, found);
    let Some(settings) = &workflow.settings else { return };
    if let Some(ErrorPolicy::Rules(list)) = &settings.error_policy {
        check_rules(&list.rules, "/settings/errorPolicy/rules", None, found);
    }
    if let Some(rules) = &settings.audit_rules {
        check_audit_rules(rules, found);
    }
    if let Some(target) = &settings.on_abort
        && !workflow.nodes.contains_key(target)
    {
        found.push(Diagnostic::error(
            Code::DanglingEdge,
            "/settings/onAbort",
            format!("onAbort refers to the step '{target}', which does not exist"),
            "Choose an existing step",
        ));
    }
}

fn check_audit_rules(rules: &Value, found: &mut Vec<Diagnostic>) {
    let at = audit_rules::OF_WORKFLOW;
    let Some(list) = rules.as_array() else {
        found.push(Diagnostic::error(
            Code::BadConfig,
            at,
            "'auditRules' is not a list",
            "Write [{ \"when\": …, \"level\": … }]",
        ));
        return;
    };
    for (i, rule) in list.iter().enumerate() {
        let at = format!("{at}/{i}");
        let rule: AuditRule = match serde_json::from_value(rule.clone()) {
            Ok(rule) => rule,
            Err(error) => {
                let hint = "A rule needs when, and level (INFO, WARN, ERROR, CRITICAL) or escalate (true)";
                found.push(Diagnostic::error(Code::BadConfig, at, format!("Audit rule {}: {error}", i + 1), hint));
                continue;
            }
        };
        match Expr::compile(&rule.when) {
            Err(error) => found.push(expressions::broken(&format!("{at}/when"), &rule.when, &error)),
            Ok(expression) => {
                for root in
                    expression.references().roots.iter().filter(|root| !audit_rules::NAMES.contains(&root.as_str()))
                {
                    found.push(Diagnostic::error(
                        Code::UnknownName,
                        format!("{at}/when"),
                        format!("Audit rule {} uses '{root}', which is not available", i + 1),
                        format!("Use one of: {}", audit_rules::NAMES.join(", ")),
                    ));
                }
            }
        }
    }
}

/// What a rule may do.
pub const ACTIONS: [&str; 7] =
    ["retry", "auto_fix", "human_review", "fallback", "error_as_context", "abort", "escalate"];

/// Rules of a policy (`wired` = none) or of a handler (`wired` = its wired ports).
pub(crate) fn check_rules(rules: &[Rule], at: &str, wired: Option<&[&str]>, found: &mut Vec<Diagnostic>) {
    let mut always: Option<&str> = None;
    for (i, rule) in rules.iter().enumerate() {
        let action = rule.action.as_str();
        if !ACTIONS.contains(&action) {
            found.push(Diagnostic::error(
                Code::BadConfig,
                format!("{at}/{i}/action"),
                format!("'{action}' is not an action of a rule"),
                nearest(action, ACTIONS)
                    .map_or_else(|| format!("Use one of: {}", ACTIONS.join(", ")), |n| format!("Did you mean '{n}'?")),
            ));
        }
        if action == "error_as_context" && !wired.is_some_and(|ports| ports.contains(&"context")) {
            found.push(Diagnostic::error(
                Code::BadConfig,
                format!("{at}/{i}/action"),
                format!("The rule '{}' passes the error on as context, but the port is not connected", rule.name),
                if wired.is_some() {
                    "Connect the port 'context' of the handler to the next step"
                } else {
                    "Use an error handler whose port 'context' is connected; a workflow policy has no ports"
                },
            ));
        }
        if let Some(first) = always {
            found.push(Diagnostic::warning(
                Code::RuleUnreachable,
                format!("{at}/{i}"),
                format!("The rule '{}' can never match: the earlier rule '{first}' always matches", rule.name),
                "Move it up, or remove it",
            ));
        } else if let Some(first) = rules.iter().take(i).find(|earlier| earlier.when.trim() == rule.when.trim()) {
            found.push(Diagnostic::warning(
                Code::RuleUnreachable,
                format!("{at}/{i}"),
                format!("The rule '{}' can never match: '{}' has the same condition", rule.name, first.name),
                "Change its condition, or remove it",
            ));
        }
        if decision::always(&rule.when) {
            always.get_or_insert(&rule.name);
        }
    }
}

/// A node id (INTERFACES 4).
pub fn valid_id(id: &str) -> bool {
    let mut chars = id.chars();
    chars.next().is_some_and(|c| c.is_ascii_alphabetic() || c == '_')
        && chars.all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '-')
}

/// The id of a workflow (INTERFACES 4).
pub fn valid_workflow_id(id: &str) -> bool {
    id.len() <= 100
        && id.chars().next().is_some_and(|c| c.is_ascii_alphanumeric())
        && id.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-'))
}
