//! What an agent has said about one task: its state, its message and its artifacts, from whole answers and from the events of a
//! stream alike.

use serde_json::{Map, Value, json};

/// Bytes of what an agent says that are kept.
const LARGEST: usize = 8 * 1024 * 1024;
/// Artifacts and parts that are kept.
const MOST_PARTS: usize = 10_000;

/// Where a task stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TaskState {
    Submitted,
    Working,
    Completed,
    Failed,
    Canceled,
    Rejected,
    InputRequired,
    AuthRequired,
}

impl TaskState {
    fn parse(text: &str) -> Option<Self> {
        Some(match text {
            "TASK_STATE_SUBMITTED" => Self::Submitted,
            "TASK_STATE_WORKING" => Self::Working,
            "TASK_STATE_COMPLETED" => Self::Completed,
            "TASK_STATE_FAILED" => Self::Failed,
            "TASK_STATE_CANCELED" => Self::Canceled,
            "TASK_STATE_REJECTED" => Self::Rejected,
            "TASK_STATE_INPUT_REQUIRED" => Self::InputRequired,
            "TASK_STATE_AUTH_REQUIRED" => Self::AuthRequired,
            _ => return None,
        })
    }

    /// For people.
    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Self::Submitted => "submitted",
            Self::Working => "working",
            Self::Completed => "completed",
            Self::Failed => "failed",
            Self::Canceled => "canceled",
            Self::Rejected => "rejected",
            Self::InputRequired => "input-required",
            Self::AuthRequired => "auth-required",
        }
    }

    /// Nothing comes any more before somebody does something.
    pub(crate) const fn is_settled(self) -> bool {
        !matches!(self, Self::Submitted | Self::Working)
    }
}

/// A conversation about one task.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Conversation {
    pub(crate) task_id: Option<String>,
    pub(crate) context_id: Option<String>,
    pub(crate) state: Option<TaskState>,
    /// Of the status, or the whole answer of an agent that makes no task.
    message: Option<Value>,
    artifacts: Vec<Map<String, Value>>,
    bytes: usize,
    answered: bool,
    /// Id of the message with the question that is answered: an agent may first tell its task as it stood before the answer.
    question: Option<String>,
}

type Refusal = String;

impl Conversation {
    /// One that continues with the answer to a question.
    pub(crate) fn about(task_id: &str, context_id: Option<&str>, question: Option<&str>) -> Self {
        let owned = |text: Option<&str>| text.map(str::to_owned);
        Self {
            task_id: Some(task_id.to_owned()),
            context_id: owned(context_id),
            question: owned(question),
            ..Self::default()
        }
    }

    /// Id of the message in which the agent asks.
    pub(crate) fn question_id(&self) -> Option<&str> {
        self.message.as_ref()?.get("messageId")?.as_str().filter(|id| !id.is_empty())
    }

    /// Whether nothing more is to be waited for.
    pub(crate) fn is_settled(&self) -> bool {
        self.answered || self.state.is_some_and(TaskState::is_settled)
    }

    /// Takes what `SendMessage` answers with, or an event of a stream. Gives words about the progress, if there are any.
    pub(crate) fn take(&mut self, said: &Value) -> Result<Option<String>, Refusal> {
        let size = said.to_string().len();
        self.bytes = self.bytes.saturating_add(size);
        if self.bytes > LARGEST {
            return Err(format!("The agent's answer is larger than {} MiB", LARGEST >> 20));
        }
        if let Some(task) = said.get("task") {
            return self.task(task);
        }
        if let Some(message) = said.get("message") {
            self.of_this_task(message, "taskId")?;
            self.message = Some(message.clone());
            self.answered = true;
            return Ok(None);
        }
        if let Some(update) = said.get("statusUpdate") {
            self.of_this_task(update, "taskId")?;
            return self.status(update.get("status").unwrap_or(&Value::Null));
        }
        if let Some(update) = said.get("artifactUpdate") {
            self.of_this_task(update, "taskId")?;
            let append = update.get("append") == Some(&Value::Bool(true));
            self.artifact(update.get("artifact").unwrap_or(&Value::Null), append)?;
            return Ok(None);
        }
        Err("The agent's answer has neither a task nor a message".into())
    }

    /// Takes a whole task, as `GetTask` answers with it.
    pub(crate) fn task(&mut self, task: &Value) -> Result<Option<String>, Refusal> {
        self.of_this_task(task, "id")?;
        let before = self.state;
        let told = self.status(task.get("status").unwrap_or(&Value::Null))?;
        if let Some(list) = task.get("artifacts").and_then(Value::as_array) {
            self.artifacts.clear();
            for artifact in list {
                self.artifact(artifact, false)?;
            }
        }
        // A poll that brings nothing new tells nothing.
        Ok(told.filter(|_| self.state != before))
    }

    fn of_this_task(&mut self, said: &Value, field: &str) -> Result<(), Refusal> {
        let text = |field: &str| said.get(field).and_then(Value::as_str).filter(|text| !text.is_empty());
        match (&self.task_id, text(field)) {
            (Some(known), Some(other)) if known != other => {
                return Err("The agent answers about another task than it was asked about".into());
            }
            (None, Some(id)) if id.len() > 200 => {
                return Err("The agent's task has an id of more than 200 bytes".into());
            }
            (None, Some(id)) => self.task_id = Some(id.to_owned()),
            _ => {}
        }
        if let Some(context) = text("contextId").filter(|id| id.len() <= 200) {
            self.context_id = Some(context.to_owned());
        }
        Ok(())
    }

    fn status(&mut self, status: &Value) -> Result<Option<String>, Refusal> {
        let told = status.get("state").and_then(Value::as_str).unwrap_or_default();
        let Some(state) = TaskState::parse(told) else {
            let shown: String = told.chars().take(60).collect();
            return Err(format!("The agent's task has the unknown state '{shown}'"));
        };
        self.state = Some(state);
        self.message = status.get("message").filter(|message| message.is_object()).cloned();
        if state == TaskState::InputRequired
            && self.question.is_some()
            && self.question_id() == self.question.as_deref()
        {
            self.state = Some(TaskState::Working);
            return Ok(None);
        }
        let words = self.message.as_ref().map(text_of).filter(|text| !text.is_empty());
        Ok(Some(words.unwrap_or_else(|| state.as_str().to_owned())))
    }

    fn artifact(&mut self, artifact: &Value, append: bool) -> Result<(), Refusal> {
        let Some(artifact) = artifact.as_object() else {
            return Err("An artifact of the agent is not an object".into());
        };
        let id = artifact.get("artifactId");
        let known = self.artifacts.iter_mut().find(|known| known.get("artifactId") == id);
        match known {
            Some(known) if append => {
                let more = artifact.get("parts").and_then(Value::as_array).cloned().unwrap_or_default();
                match known.get_mut("parts").and_then(Value::as_array_mut) {
                    Some(parts) => parts.extend(more),
                    None => {
                        known.insert("parts".into(), more.into());
                    }
                }
            }
            Some(known) => *known = artifact.clone(),
            None => self.artifacts.push(artifact.clone()),
        }
        let parts = self.artifacts.iter().map(|one| 1 + one.get("parts").and_then(Value::as_array).map_or(0, Vec::len));
        if parts.sum::<usize>() > MOST_PARTS {
            return Err(format!("The agent's answer has more than {MOST_PARTS} artifacts and parts"));
        }
        Ok(())
    }

    /// What the agent says beside its artifacts.
    pub(crate) fn words(&self) -> String {
        self.message.as_ref().map(text_of).unwrap_or_default()
    }

    /// The result of a step.
    pub(crate) fn result(&self, agent: &str) -> Value {
        let of_artifacts: Vec<String> = self.artifacts.iter().map(|one| text_of(&Value::Object(one.clone()))).collect();
        let text = of_artifacts.iter().filter(|text| !text.is_empty()).cloned().collect::<Vec<_>>().join("\n\n");
        let parts = self.artifacts.iter().filter_map(|one| one.get("parts")?.as_array());
        let of_message = self.message.as_ref().and_then(|one| one.get("parts")?.as_array());
        let data: Vec<Value> = parts.chain(of_message).flatten().filter_map(|part| part.get("data")).cloned().collect();
        let mut result = json!({
            "agent": agent,
            "text": if text.is_empty() { self.words() } else { text },
            "artifacts": self.artifacts,
        });
        if !data.is_empty() {
            result["data"] = data.into();
        }
        let named = [("state", self.state.map(TaskState::as_str)), ("taskId", self.task_id.as_deref())];
        for (name, value) in named.into_iter().chain([("contextId", self.context_id.as_deref())]) {
            if let Some(value) = value {
                result[name] = value.into();
            }
        }
        result
    }
}

/// The text of all parts of a message or an artifact.
pub(crate) fn text_of(said: &Value) -> String {
    let parts = said.get("parts").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    let texts: Vec<&str> = parts.iter().filter_map(|part| part.get("text")?.as_str()).collect();
    texts.concat()
}
