//! What each route takes and gives. Most of it is what its command says.

use super::super::routes::{Action, Route};
use super::super::shapes;
use super::super::types::{ActivationRequest, Health, Recorded, RunRequest};
use super::types::Types;
use super::{parameter, takes_body};
use serde_json::{Map, Value, json};
use signalbox_app::command_list::find;
use signalbox_app::dto::{
    Empty, ExportChoices, RunAnswer, RunId, RunStarted, StoredWorkflow, TaskCompleted, WorkflowId, WorkflowStored,
};
use signalbox_model::event::RunEventWire;
use signalbox_model::{RunSummary, Workflow};

/// What stands in an answer.
pub(crate) enum Answer {
    /// A value.
    Json(Value),
    /// Text of a media type.
    Text(&'static str),
    /// Bytes.
    Bytes,
    /// Events (SSE); the schema of their data.
    Stream(Value),
}

/// One operation.
pub(crate) struct Shape {
    /// Besides what stands in the path.
    pub(crate) parameters: Vec<Value>,
    pub(crate) body: Option<Value>,
    /// No body is an empty object.
    pub(crate) may_be_empty: bool,
    pub(crate) answer: Answer,
    /// Of the answer.
    pub(crate) headers: Map<String, Value>,
}

impl Default for Shape {
    fn default() -> Self {
        let answer = Answer::Json(json!({}));
        Self { parameters: Vec::new(), body: None, may_be_empty: false, answer, headers: Map::new() }
    }
}

impl Shape {
    fn giving(answer: Value) -> Self {
        Self { answer: Answer::Json(answer), ..Self::default() }
    }

    fn taking(self, body: Value) -> Self {
        Self { body: Some(body), ..self }
    }

    fn or_nothing(self) -> Self {
        Self { may_be_empty: true, ..self }
    }
}

pub(crate) fn of(route: &Route, types: &mut Types) -> Shape {
    match route.action {
        Action::Health => Shape::giving(types.given.subschema_for::<Health>().to_value()),
        Action::OpenApi => Shape::giving(json!({ "type": "object" })),
        Action::RunStart => {
            let about = "Idempotency key of the start: a repeated request with the same key within 24 hours returns the same run; with \
                another workflow or other params it is refused (409).";
            let key = json!({ "type": "string", "minLength": 1, "maxLength": 255, "pattern": "^[!-~]+$", "description": about });
            let about =
                "Place in a trace (W3C Trace Context): the spans of the run continue it. A malformed one is ignored.";
            let trace = json!({ "type": "string", "description": about });
            let about = "What monitoring systems added to the trace; passed on with what the run sends.";
            let state = json!({ "type": "string", "description": about });
            Shape {
                parameters: vec![
                    parameter("header", "Idempotency-Key", false, &key),
                    parameter("header", "traceparent", false, &trace),
                    parameter("header", "tracestate", false, &state),
                ],
                ..Shape::giving(types.given.subschema_for::<RunStarted>().to_value())
                    .taking(types.taken.subschema_for::<RunRequest>().to_value())
            }
        }
        Action::RunStatus => {
            let summary = types.given.subschema_for::<RunSummary>().to_value();
            shaped(route, summary, types)
        }
        Action::RunEvents => {
            let seq = json!({ "type": "integer", "minimum": 0, "description": "The sequence number of the last event you have." });
            Shape {
                parameters: vec![
                    parameter("query", "after", false, &seq),
                    parameter("header", "Last-Event-ID", false, &seq),
                ],
                answer: Answer::Stream(types.given.subschema_for::<RunEventWire>().to_value()),
                ..Shape::default()
            }
        }
        Action::TaskChanges => Shape {
            answer: Answer::Stream(json!({
                "type": "object", "required": ["change"], "properties": { "change": { "type": "integer" } },
            })),
            ..Shape::default()
        },
        Action::RunCheckpoint => {
            let own = find("run_checkpoint").map(|row| (row.response)(&mut types.given).to_value());
            shaped(route, own.unwrap_or_default(), types)
        }
        Action::RunVariables => Shape::giving(json!({ "type": "object", "additionalProperties": true })),
        Action::RunArtifacts => Shape::giving(types.given.subschema_for::<Vec<String>>().to_value()),
        Action::RunDiff => {
            let mut shape = query("run_diff", types);
            // It stands in the path.
            shape.parameters.retain(|parameter| parameter["name"] != "runId");
            shape
        }
        Action::RunBinary => {
            let schema = json!({ "type": "string", "const": "attachment" });
            let headers = Map::from_iter([("Content-Disposition".to_owned(), json!({ "schema": schema }))]);
            let range = json!({ "type": "string", "description": "One range: bytes=FIRST-LAST, bytes=FIRST- or bytes=-COUNT." });
            let parameters = vec![parameter("header", "Range", false, &range)];
            Shape { parameters, answer: Answer::Bytes, headers, ..Shape::default() }
        }
        Action::RunFiles => command("run_files", types),
        Action::RunFile => {
            let schema = json!({ "type": "string", "pattern": "^attachment; filename=" });
            let headers = Map::from_iter([("Content-Disposition".to_owned(), json!({ "schema": schema }))]);
            let changed = json!({ "type": "string", "const": "accept",
                "description": "Returns the file as it is now, also when it was changed after the run wrote it; without it such a file is refused (409, FILE_CHANGED)." });
            let parameters = vec![parameter("query", "changed", false, &changed)];
            Shape { parameters, answer: Answer::Bytes, headers, ..Shape::default() }
        }
        Action::RunRerun => body(route, "run_rerun", None, types),
        Action::RunSend => body(route, "run_send", Some("runId"), types),
        Action::FailureList => query("failure_groups", types),
        Action::FailureGet => command("failure_group", types),
        Action::FailureMembers => {
            let mut shape = query("failure_members", types);
            // It stands in the path.
            shape.parameters.retain(|parameter| parameter["name"] != "group");
            shape
        }
        Action::FailurePreview => body(route, "failure_preview", Some("group"), types),
        Action::ReplayStart => body(route, "replay_start", Some("group"), types),
        Action::ReplayList => query("replay_list", types),
        Action::ReplayGet => command("replay_get", types),
        Action::ReplayAct => body(route, &format!("replay_{}", act(route)), Some("replay"), types),
        Action::RunAbort => Shape::giving(types.given.subschema_for::<RunId>().to_value())
            .taking(types.taken.subschema_for::<Empty>().to_value())
            .or_nothing(),
        Action::RunDebug => command("run_debug", types),
        Action::RunDebugAct => {
            let name = match act(route) {
                "input" => "run_edit_input".to_owned(),
                act => format!("run_{act}"),
            };
            body(route, &name, Some("runId"), types)
        }
        Action::RunResume => {
            let answer = types.given.subschema_for::<TaskCompleted>().to_value();
            let request = types.taken.subschema_for::<RunAnswer>().to_value();
            Shape::giving(answer).taking(without(types, &request, "runId"))
        }
        Action::WorkflowList => command("workflow_list", types),
        Action::WorkflowGet => tagged(Shape::giving(types.given.subschema_for::<StoredWorkflow>().to_value())),
        Action::WorkflowPut => {
            let stored = types.given.subschema_for::<WorkflowStored>().to_value();
            let file = types.taken.subschema_for::<Workflow>().to_value();
            matched(tagged(Shape::giving(stored).taking(file)))
        }
        Action::WorkflowProgram => {
            let schema = json!({ "type": "string", "pattern": "^attachment; filename=" });
            let mut headers = Map::from_iter([("Content-Disposition".to_owned(), json!({ "schema": schema }))]);
            let digest =
                json!({ "type": "string", "pattern": "^sha-256=:", "description": "SHA-256 of the file (RFC 9530)." });
            headers.insert("Repr-Digest".to_owned(), json!({ "schema": digest }));
            let choices = types.taken.subschema_for::<ExportChoices>().to_value();
            let fields = resolved(types, &choices);
            let fields = fields["properties"].as_object().into_iter().flatten();
            let parameters = fields.map(|(name, schema)| parameter("query", name, false, schema)).collect();
            Shape { parameters, answer: Answer::Bytes, headers, ..Shape::default() }
        }
        Action::WorkflowDelete => matched(Shape::giving(types.given.subschema_for::<WorkflowId>().to_value())),
        Action::WorkflowActivate => command("workflow_activate", types)
            .taking(types.taken.subschema_for::<ActivationRequest>().to_value())
            .or_nothing(),
        Action::WorkflowDeactivate => command("workflow_deactivate", types),
        Action::TriggerList => query("trigger_list", types),
        Action::TriggerFire => body(route, "trigger_fire", Some("triggerId"), types),
        Action::TaskList => query("task_list", types),
        Action::TaskStats => query("task_stats", types),
        Action::TaskGet => command("task_get", types),
        Action::TaskAct => body(route, &format!("task_{}", act(route)), Some("taskId"), types),
        Action::AuditList => query("audit_list", types),
        Action::AuditVerify => query("audit_verify", types),
        Action::AuditRecord => {
            let taken = find("audit_record").map(|row| (row.request)(&mut types.taken).to_value());
            Shape::giving(types.given.subschema_for::<Recorded>().to_value()).taking(taken.unwrap_or_default())
        }
        Action::Catalog => command("catalog_list", types),
        Action::Metrics => Shape { answer: Answer::Text("text/plain"), ..Shape::default() },
        // Written out, one path for each command.
        Action::Rpc => Shape::default(),
    }
}

/// A route with two shapes of its answer.
fn shaped(route: &Route, usual: Value, types: &mut Types) -> Shape {
    let Some(shape) = shapes::of(route.action) else { return Shape::giving(usual) };
    let other = find(shape.command).map(|row| (row.response)(&mut types.given).to_value()).unwrap_or_default();
    let about = format!("The shape of the answer; also by Accept: application/json; profile=\"{}\".", shape.profile);
    let schema =
        json!({ "type": "string", "enum": [shape.usual, shape.other], "default": shape.usual, "description": about });
    Shape {
        parameters: vec![parameter("query", shape.parameter, false, &schema)],
        ..Shape::giving(json!({ "anyOf": [usual, other] }))
    }
}

/// The last segment of its path.
fn act(route: &Route) -> &'static str {
    route.path.rsplit('/').next().unwrap_or_default()
}

/// The answer of a command.
fn command(name: &str, types: &mut Types) -> Shape {
    find(name).map(|row| Shape::giving((row.response)(&mut types.given).to_value())).unwrap_or_default()
}

/// A command whose fields are parameters of the query.
fn query(name: &str, types: &mut Types) -> Shape {
    let mut shape = command(name, types);
    let request = find(name).map(|row| (row.request)(&mut types.taken).to_value()).unwrap_or_default();
    let fields = resolved(types, &request);
    let required: Vec<&str> = fields["required"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    for (name, schema) in fields["properties"].as_object().into_iter().flatten() {
        shape.parameters.push(parameter("query", name, required.contains(&name.as_str()), schema));
    }
    shape
}

/// A command whose request is the body, but for the field that the path names.
fn body(route: &Route, name: &str, in_path: Option<&str>, types: &mut Types) -> Shape {
    debug_assert!(takes_body(route), "{route:?}");
    let Some(row) = find(name) else { return Shape::default() };
    let request = (row.request)(&mut types.taken).to_value();
    let shape = Shape::giving((row.response)(&mut types.given).to_value());
    let Some(field) = in_path else { return shape.taking(request) };
    let rest = without(types, &request, field);
    let nothing = rest["required"].as_array().is_none_or(Vec::is_empty);
    let shape = shape.taking(rest);
    if nothing { shape.or_nothing() } else { shape }
}

/// The same without a field.
fn without(types: &Types, schema: &Value, field: &str) -> Value {
    let mut schema = resolved(types, schema);
    if let Some(properties) = schema["properties"].as_object_mut() {
        properties.shift_remove(field);
    }
    if let Some(required) = schema["required"].as_array_mut() {
        required.retain(|name| name != field);
    }
    schema
}

/// What a reference of a request points to.
pub(crate) fn resolved(types: &Types, schema: &Value) -> Value {
    let name = schema["$ref"].as_str().and_then(|target| target.rsplit('/').next());
    name.and_then(|name| types.taken.definitions().get(name)).unwrap_or(schema).clone()
}

/// With the revision in the head of the answer.
fn tagged(mut shape: Shape) -> Shape {
    let about = "The revision, for If-Match.";
    shape.headers.insert("ETag".into(), json!({ "description": about, "schema": { "type": "string" } }));
    shape
}

/// With the revision in the head of the request.
fn matched(mut shape: Shape) -> Shape {
    let about = "The revision to change; * for any.";
    let schema = json!({ "type": "string", "description": about });
    shape.parameters.push(parameter("header", "If-Match", false, &schema));
    shape
}
