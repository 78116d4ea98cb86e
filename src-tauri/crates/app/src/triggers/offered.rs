//! Active workflows as tools of other programs, and as skills of an agent: each whose manual start is offered has the workflow's id,
//! its params as arguments, and the output of its run as the answer. The active version runs, whatever the file holds.

use crate::app::App;
use crate::caller::Caller;
use crate::dto::CallerRole;
use crate::error::{ApiError, ApiResult};
use crate::runs::lifecycle::Told;
use serde_json::{Value, json};
use signalbox_engine::params;
use signalbox_engine::schema::Schema;
use signalbox_engine::trigger::MANUAL;
use signalbox_model::{Map, Node, Workflow};
use signalbox_store::TriggerRow;
use std::sync::Arc;

/// A workflow as a tool.
#[derive(Debug, Clone, PartialEq)]
pub struct OfferedTool {
    /// Id of the workflow.
    pub name: String,
    /// Its name.
    pub title: String,
    /// What it is for.
    pub description: String,
    /// JSON Schema (type object) of the arguments.
    pub input_schema: Map,
    /// JSON Schema (type object) of the answer, where the manual start declares one.
    pub output_schema: Option<Map>,
}

/// To whom a workflow is offered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Offer {
    /// As a tool (MCP).
    Tool,
    /// As a skill of an agent (A2A).
    Agent,
}

impl Offer {
    const fn field(self) -> &'static str {
        match self {
            Self::Tool => "offerAsTool",
            Self::Agent => "offerAsAgent",
        }
    }
}

/// Whether a manual start offers its workflow to other programs.
pub(crate) fn is_offered(node: &Node) -> bool {
    let offers = |config: &Value| [Offer::Tool, Offer::Agent].iter().any(|how| config[how.field()] == true);
    node.kind == MANUAL && node.config.as_ref().is_some_and(offers)
}

fn object_schema(schema: Option<&Value>) -> Map {
    let mut schema = schema.and_then(Value::as_object).cloned().unwrap_or_default();
    schema.entry("type").or_insert_with(|| json!("object"));
    schema
}

fn tool_of(workflow: &Workflow, trigger: &TriggerRow) -> OfferedTool {
    let config: Value = serde_json::from_str(&trigger.config).unwrap_or_default();
    let mut input_schema = object_schema(workflow.params.as_ref());
    // The host fills these; a caller has nothing to say about them.
    for name in params::practice(workflow) {
        if let Some(Value::Object(properties)) = input_schema.get_mut("properties") {
            properties.shift_remove(name);
        }
        if let Some(Value::Array(required)) = input_schema.get_mut("required") {
            required.retain(|one| one != name);
        }
    }
    let about = config["toolDescription"].as_str().filter(|text| !text.trim().is_empty());
    let about = about.or(workflow.description.as_deref()).unwrap_or(&workflow.name);
    OfferedTool {
        name: workflow.id.clone(),
        title: workflow.name.clone(),
        description: about.to_owned(),
        input_schema,
        output_schema: config["outputSchema"].as_object().map(|_| object_schema(config.get("outputSchema"))),
    }
}

impl App {
    fn offered_rows(&self, how: Offer) -> ApiResult<Vec<TriggerRow>> {
        let mut rows = self.store.triggers_of_kind(MANUAL)?;
        rows.retain(|row| serde_json::from_str::<Value>(&row.config).is_ok_and(|config| config[how.field()] == true));
        // A workflow is one tool, however many manual starts it has.
        rows.sort_by(|a, b| a.workflow.cmp(&b.workflow));
        rows.dedup_by(|later, first| later.workflow == first.workflow);
        Ok(rows)
    }

    /// The active workflows that are offered, by name. One whose version cannot be read is left out.
    pub async fn offered_tools(self: &Arc<Self>, how: Offer) -> ApiResult<Vec<OfferedTool>> {
        self.blocking(move |app| {
            let tool = |row: TriggerRow| Some(tool_of(&app.pinned_version(&row.version).ok()?.0, &row));
            Ok(app.offered_rows(how)?.into_iter().filter_map(tool).collect())
        })
        .await
    }

    /// Grows whenever other workflows may be offered than before.
    pub async fn offered_change(self: &Arc<Self>) -> ApiResult<i64> {
        self.blocking(|app| Ok(app.store.trigger_change()?)).await
    }

    /// Starts the run of a call. None: there is no such tool.
    pub async fn start_offered(
        self: &Arc<Self>,
        caller: &Caller,
        how: Offer,
        name: &str,
        arguments: Map,
    ) -> ApiResult<Option<(OfferedTool, String)>> {
        caller.require(CallerRole::Operator)?;
        let (caller, name) = (caller.clone(), name.to_owned());
        self.blocking(move |app| {
            let Some(row) = app.offered_rows(how)?.into_iter().find(|row| row.workflow == name) else {
                return Ok(None);
            };
            let version = app.pinned_version(&row.version)?;
            let tool = tool_of(&version.0, &row);
            let run_id = app.fire_manual(&caller, &row, version, arguments)?.run_id();
            Ok(Some((tool, run_id)))
        })
        .await
    }
}

/// What a call gives.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolResult {
    /// A JSON object.
    pub content: Value,
    /// The run failed, or could not be started.
    pub is_error: bool,
}

/// The answer of a run that has ended or waits for a person.
pub fn tool_result(tool: &OfferedTool, run_id: &str, told: &Told) -> ToolResult {
    let summary = &told.summary;
    match summary["status"].as_str() {
        Some("completed") => completed(tool, run_id, told),
        Some("paused") => ToolResult {
            content: json!({
                "status": "waiting", "runId": run_id,
                "message": "The run waits for a person. It goes on when its task in the inbox is answered.",
            }),
            is_error: false,
        },
        status => {
            let error = if summary["error"].is_null() {
                json!({ "code": "RUN_ENDED", "message": format!("The run ended as {}.", status.unwrap_or("unknown")) })
            } else {
                summary["error"].clone()
            };
            ToolResult { content: json!({ "error": error, "runId": run_id }), is_error: true }
        }
    }
}

fn completed(tool: &OfferedTool, run_id: &str, told: &Told) -> ToolResult {
    let mut output: Vec<Value> = told.output().map(|text| serde_json::from_str(text).unwrap_or(Value::Null)).collect();
    let content = match output.as_slice() {
        [Value::Object(_)] => output.remove(0),
        _ => json!({ "items": output }),
    };
    let misfit = tool.output_schema.as_ref().and_then(|schema| {
        let schema = Schema::compile(&Value::Object(schema.clone())).ok()?;
        schema.validate(&content).err()?.into_iter().next()
    });
    match misfit {
        None => ToolResult { content, is_error: false },
        Some(found) => {
            let message = format!("The output of the run does not fit its schema: {}", found.message);
            let error = json!({ "code": "OUTPUT_INVALID", "message": message, "output": content });
            ToolResult { content: json!({ "error": error, "runId": run_id }), is_error: true }
        }
    }
}

/// The answer of a call that started no run.
pub fn tool_refusal(error: &ApiError) -> ToolResult {
    ToolResult { content: json!({ "error": error }), is_error: true }
}
