//! Active workflows as skills of an agent (A2A 1.0, JSON-RPC): the agent's card, and tasks, each of which is a run. A run that
//! waits for a person keeps its task in the inbox here: who asked from outside does not decide it (ADR 124).

mod card;
mod events;
mod message;
mod rpc;
mod task;

use axum::body::{Body, Bytes};
use axum::http::request::Parts;
use axum::http::{HeaderValue, header};
use axum::response::Response;
use rpc::{Asked, RpcError};
use serde_json::{Value, json};
use signalbox_app::dto::CallerRole;
use signalbox_app::{ApiError, App, Caller, Class, Offer, OfferedTool};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Where messages go; a workflow's id behind it names that one skill.
const PATH: &str = "/a2a";
/// Where a card is.
const CARD: &str = "/.well-known/agent-card.json";
/// Tasks whose conversation and asker are remembered.
const REMEMBERED: usize = 10_000;
/// Bytes of an id that a client gives.
const LONGEST_ID: usize = 200;

/// What a path of this server means; `None` in it: the agent with all its skills.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Place {
    /// The card.
    Card(Option<String>),
    /// Messages.
    Messages(Option<String>),
}

impl Place {
    /// Of a path; `None`: it belongs to somebody else.
    pub(crate) fn of(path: &str) -> Option<Self> {
        if path == CARD {
            return Some(Self::Card(None));
        }
        let rest = path.strip_prefix(PATH)?;
        let (rest, is_card) = rest.strip_suffix(CARD).map_or((rest, false), |rest| (rest, true));
        let skill = match rest.strip_prefix('/') {
            Some(id) if id.contains('/') => return None,
            Some("") => None,
            Some(id) => Some(id.to_owned()),
            None if rest.is_empty() => None,
            None => return None,
        };
        Some(if is_card { Self::Card(skill) } else { Self::Messages(skill) })
    }
}

/// Who asked for a task, and in which conversation.
#[derive(Debug, Clone)]
struct Origin {
    context: String,
    asker: String,
}

/// The agent of this program.
pub(crate) struct AgentServer {
    app: Arc<App>,
    origins: Mutex<BTreeMap<String, Origin>>,
}

impl AgentServer {
    pub(crate) fn new(app: Arc<App>) -> Self {
        Self { app, origins: Mutex::default() }
    }

    fn origins(&self) -> MutexGuard<'_, BTreeMap<String, Origin>> {
        self.origins.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The offered workflows, or the one that a path names.
    async fn skills(&self, only: Option<&str>) -> Result<Vec<OfferedTool>, ApiError> {
        let mut skills = self.app.offered_tools(Offer::Agent).await?;
        skills.retain(|skill| only.is_none_or(|id| skill.name == id));
        Ok(skills)
    }

    /// The card: for everybody who reaches this server, once somebody has offered a workflow. `base`: the address by which it is asked.
    pub(crate) async fn card(&self, only: Option<&str>, base: &str) -> Result<Response, ApiError> {
        let skills = self.skills(only).await?;
        if skills.is_empty() {
            let message = "No active workflow is offered as an agent's skill here.";
            let hint = "Switch on 'Offer as an agent's skill' in the Manual start step, and activate the workflow.";
            return Err(ApiError::new(Class::NotFound, "NOT_FOUND", message, hint));
        }
        Ok(json_answer(&card::of(&skills, only, base)))
    }

    /// One request. Protocol errors are part of the answer; missing permissions are refused as on every route.
    pub(crate) async fn answer(
        self: &Arc<Self>,
        caller: Caller,
        only: Option<&str>,
        parts: &Parts,
        body: &[u8],
    ) -> Result<Response, ApiError> {
        caller.require(CallerRole::Operator)?;
        let asked = match rpc::read(&parts.headers, body) {
            Ok(asked) => asked,
            Err((id, error)) => return Ok(json_answer(&rpc::failed(&id, &error))),
        };
        Ok(match self.carry_out(&caller, only, &asked).await {
            Ok(Done::Result(result)) => json_answer(&rpc::result(&asked.id, result)),
            Ok(Done::Stream(run_id)) => self.stream(caller, run_id, asked.id),
            Err(error) => json_answer(&rpc::failed(&asked.id, &error)),
        })
    }

    async fn carry_out(&self, caller: &Caller, only: Option<&str>, asked: &Asked) -> Result<Done, RpcError> {
        match asked.method.as_str() {
            "SendMessage" => {
                let run_id = self.start(caller, only, &asked.params).await?;
                if asked.params["configuration"]["returnImmediately"] != true {
                    // It also ends when the run waits for a person: nobody knows how long that takes.
                    self.app.wait_told(run_id.clone()).await?;
                }
                Ok(Done::Result(json!({ "task": self.task(caller, &run_id).await? })))
            }
            "SendStreamingMessage" => Ok(Done::Stream(self.start(caller, only, &asked.params).await?)),
            "GetTask" => Ok(Done::Result(self.task(caller, asked.task_id()?).await?)),
            "SubscribeToTask" => {
                let run_id = asked.task_id()?;
                if task::is_over(&self.task(caller, run_id).await?) {
                    return Err(RpcError::unsupported("The task has ended; get it instead."));
                }
                Ok(Done::Stream(run_id.to_owned()))
            }
            "CancelTask" => {
                let run_id = asked.task_id()?;
                if task::is_over(&self.task(caller, run_id).await?) {
                    return Err(RpcError::new(-32002, "The task has ended, so it cannot be canceled."));
                }
                self.app.dispatch(caller, "run_cancel", json!({ "runId": run_id })).await?;
                self.app.wait_cancelled(run_id.to_owned()).await?;
                Ok(Done::Result(self.task(caller, run_id).await?))
            }
            "ListTasks" => Err(RpcError::unsupported("This agent does not list tasks; ask for one by its id.")),
            "GetExtendedAgentCard" => Err(RpcError::new(-32007, "This agent has no extended card.")),
            method if method.contains("PushNotification") => Err(RpcError::no_push()),
            method => {
                let shown: String = method.chars().take(100).collect();
                Err(RpcError::new(-32601, format!("There is no method '{shown}'.")))
            }
        }
    }

    /// Starts the run of a message.
    async fn start(&self, caller: &Caller, only: Option<&str>, params: &Value) -> Result<String, RpcError> {
        let message = &params["message"];
        let text = |field: &str| message[field].as_str().filter(|text| !text.is_empty());
        if !params["configuration"]["taskPushNotificationConfig"].is_null() {
            return Err(RpcError::no_push());
        }
        if let Some(task_id) = text("taskId") {
            self.task(caller, task_id).await?;
            return Err(RpcError::unsupported(
                "A task of this agent takes one message; send another one without taskId.",
            ));
        }
        let context = text("contextId").map(str::to_owned);
        if context.as_ref().is_some_and(|context| context.len() > LONGEST_ID) {
            return Err(RpcError::invalid(format!("'contextId' is longer than {LONGEST_ID} bytes.")));
        }
        let named = only.or_else(|| message["metadata"]["skillId"].as_str()).or(params["metadata"]["skillId"].as_str());
        let skills = self.skills(named).await?;
        let skill = match skills.as_slice() {
            [skill] => skill,
            [] => return Err(RpcError::invalid("No active workflow is offered here under this name.")),
            several => {
                let names: Vec<&str> = several.iter().map(|skill| skill.name.as_str()).collect();
                return Err(RpcError::invalid(format!(
                    "This agent has several skills: name one in 'metadata.skillId', or send to {PATH}/SKILL. Skills: {}.",
                    names.join(", ")
                )));
            }
        };
        let arguments = message::arguments(message, &json!(skill.input_schema)).map_err(RpcError::invalid)?;
        let started = self.app.start_offered(caller, Offer::Agent, &skill.name, arguments).await?;
        let Some((_, run_id)) = started else {
            return Err(RpcError::invalid("No active workflow is offered here under this name."));
        };
        let origin = Origin { context: context.unwrap_or_else(|| run_id.clone()), asker: caller.principal.clone() };
        let mut origins = self.origins();
        origins.insert(run_id.clone(), origin);
        // Ids grow with time: the oldest goes.
        if origins.len() > REMEMBERED {
            origins.pop_first();
        }
        Ok(run_id)
    }

    /// A run as a task. Whoever asked for it sees its output as it is, others as they see it elsewhere.
    async fn task(&self, caller: &Caller, run_id: &str) -> Result<Value, RpcError> {
        let origin = self.origins().get(run_id).cloned();
        let is_own = origin.as_ref().is_some_and(|origin| origin.asker == caller.principal);
        let summary = if is_own {
            self.app.summary(run_id.to_owned()).await
        } else {
            self.app.summary_as(caller, run_id.to_owned()).await
        };
        let summary = summary.map_err(|error| match error.class {
            Class::NotFound | Class::BadRequest => RpcError::new(-32001, "There is no such task."),
            _ => RpcError::from(error),
        })?;
        let context = origin.map_or_else(|| run_id.to_owned(), |origin| origin.context);
        Ok(task::of(run_id, &context, &summary))
    }

    fn stream(self: &Arc<Self>, caller: Caller, run_id: String, id: Value) -> Response {
        let frames = events::follow(Arc::clone(self), caller, run_id, id);
        let mut response = Response::new(Body::from_stream(frames));
        let headers = response.headers_mut();
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("text/event-stream"));
        headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
        response
    }
}

/// An answer in JSON.
fn json_answer(value: &Value) -> Response {
    let mut response = Response::new(Body::from(value.to_string()));
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}

/// What a method leads to.
enum Done {
    Result(Value),
    /// The run is followed.
    Stream(String),
}

/// One event of a stream.
fn frame(data: &Value) -> Bytes {
    Bytes::from(format!("data: {data}\n\n"))
}

#[cfg(test)]
mod tests;
