//! The loop of tools: a model is asked, the tools that it asks for are called, it gets their answers, until it answers itself.

use super::completion::{Talk, message, text};
use super::form::{Form, Formed, again};
use super::images;
use super::skills;
use super::suspended_call::{self, Progress, Talked, Waiting};
use super::tool_approval::{self, Asked, Gate, Verdict};
use super::tool_images;
use super::toolset::{Does, Toolset};
use super::transcript::Transcript;
use crate::tool_answer::Told;
use crate::tool_call::{self, DEFAULT_TIMEOUT_MS, Failed, Wanted};
use crate::tool_question::{self, ANSWER_WITHIN_MS};
use serde_json::{Map, Value};
use signalbox_engine::effect::{Call, ToolAnswer};
use signalbox_model::call_progress::{LlmToolResult, LlmToolUse};
use signalbox_model::{CallProgress, ErrorType, NodeFailure, SuggestedAction};
use signalbox_ports::llm::{Finish, LlmAnswer, LlmRequest, Message, Part, Role, ToolResult, ToolUse};
use signalbox_ports::tools::ToolInfo;
use signalbox_ports::{CallLog, World};
use std::sync::Arc;
use std::time::Duration;

/// Turns of a step that says nothing.
pub(crate) const TURNS: u32 = 20;
/// So many tools of one answer are called.
const AT_ONCE: usize = 32;
/// Longest answer of a tool that a model gets to read, characters.
const RESULT: usize = 24_000;
/// Longest reasons that it gets to read, characters.
const REASONS: usize = 2_000;
/// So often a provider is asked again in mid-loop, when a new start would repeat what tools have done.
const PATIENCE: u32 = 3;
/// Longest wait for a provider in mid-loop, milliseconds.
const LONGEST_WAIT_MS: u64 = 60_000;

/// What the loop works with.
pub(crate) struct Rounds<'a> {
    pub(crate) call: &'a Call,
    pub(crate) world: &'a World,
    pub(crate) log: &'a dyn CallLog,
    pub(crate) kit: &'a Toolset,
    pub(crate) form: Option<&'a Form>,
    /// Answers that the form is not the reason for.
    pub(crate) turns: u32,
    pub(crate) reasks: u32,
    pub(crate) gate: Gate<'a>,
}

/// What came of it.
pub(crate) struct Ended {
    pub(crate) formed: Formed,
    pub(crate) reasked: u32,
    pub(crate) turns: u32,
}

/// What became of a tool that the model asked for.
enum Came {
    /// What the model gets to read; an error when it was not done.
    Told(Result<String, String>),
    /// A person is asked first.
    Waits(Box<Waiting>),
    /// The tool is under way, and its server asks a person: the pause of the call.
    Asks(Box<(NodeFailure, ToolInfo)>),
}

/// What a person said about the first call that has no result yet.
struct Answered<'a> {
    answer: &'a ToolAnswer,
    /// Server and tool that it was about.
    about: (String, String),
    /// The call is open, and this is what its server asked.
    asked: Option<Value>,
}

impl Rounds<'_> {
    /// Leads the conversation to its end, or to a call that waits for a person.
    pub(crate) async fn lead(&self, talk: &mut Talk<'_>, said: &mut Transcript<'_>) -> Result<Ended, NodeFailure> {
        let mut progress = Progress::default();
        let ended = self.turn_by_turn(talk, said, &mut progress).await;
        // What tools did stays done: a new start would do it again. What waits goes on where it is.
        let again = |failure: &NodeFailure| progress.acted && failure.held.is_none();
        ended.map_err(|failure| if again(&failure) { failure.maybe_happened() } else { failure })
    }

    async fn turn_by_turn(
        &self,
        talk: &mut Talk<'_>,
        said: &mut Transcript<'_>,
        progress: &mut Progress,
    ) -> Result<Ended, NodeFailure> {
        said.question.tools = self.kit.offers();
        if let Some(waited) = &self.call.permits.held {
            let pictures = images::again(self.call, self.world, &suspended_call::pictures(&waited.conversation)).await;
            let kept = suspended_call::read(&waited.conversation, &pictures)?;
            *progress = kept.progress;
            said.question.system = kept.system;
            said.question.messages = kept.messages;
            tool_images::make_room(&mut said.question.messages, &mut progress.shown);
            let last = said.question.messages.last().map(|last| uses_of(&last.parts)).unwrap_or_default();
            let (about, asked) = (kept.about, kept.asked);
            let answer = waited.answer.as_ref().map(|answer| Answered { answer, about, asked });
            talk.uses_tools();
            self.use_all(last, answer, said, progress).await?;
        }
        // Endpoints that force a form do not let the model call tools: there the form is asked for in words first.
        let forms = self.kit.is_empty() || progress.forms;
        said.question.form = self.form.filter(|_| forms).map(Form::wanted);
        let mut told_that_none = false;
        loop {
            let answer = self.show_and_ask(talk, said, progress).await?;
            let used = uses_of(&answer.parts);
            progress.turns += u32::from(progress.reasked == 0 || !used.is_empty());
            said.question.messages.push(Message { role: Role::Assistant, parts: answer.parts.clone() });
            if used.is_empty() {
                let words = text(&answer);
                let (turns, reasked) = (progress.turns, progress.reasked);
                let Some(form) = self.form else {
                    let formed = Formed { value: words.into(), mended: Vec::new(), next: None };
                    return Ok(Ended { formed, reasked, turns });
                };
                // Before it is read: the repair of JSON would close what was cut off. It is not asked for again, because
                // the next answer would be as long.
                if answer.finish == Finish::MaxTokens {
                    return Err(truncated(&said.question, &answer));
                }
                match form.read(&words) {
                    Ok(formed) => return Ok(Ended { formed, reasked, turns }),
                    Err(failure) if reasked < self.reasks => {
                        (progress.reasked, progress.forms) = (reasked + 1, true);
                        said.question.form = Some(form.wanted());
                        said.question.messages.push(message(Role::User, again(&failure)));
                    }
                    Err(failure) => return Err(failure.detail("reasks", reasked)),
                }
                continue;
            }
            if answer.finish == Finish::MaxTokens {
                return Err(truncated(&said.question, &answer));
            }
            // Whoever has no tools is told so once; to ask further would be paid each time, and come to nothing.
            if self.kit.is_empty() && std::mem::replace(&mut told_that_none, true) {
                return Err(no_tools(&used));
            }
            if progress.turns >= self.turns {
                return Err(self.used_up(&used));
            }
            talk.uses_tools();
            self.use_all(used, None, said, progress).await?;
        }
    }

    /// Asks. A model that takes no pictures is asked anew, with a sentence in the place of those that tools answered; whether
    /// it takes those that the step names is the author's affair.
    async fn show_and_ask(
        &self,
        talk: &mut Talk<'_>,
        said: &mut Transcript<'_>,
        progress: &mut Progress,
    ) -> Result<LlmAnswer, NodeFailure> {
        if progress.blind {
            tool_images::in_words(&mut said.question.messages);
        }
        match self.ask(talk, &said.question, progress.acted).await {
            Err(failure)
                if failure.code == "IMAGES_UNSUPPORTED" && tool_images::in_words(&mut said.question.messages) =>
            {
                progress.blind = true;
                self.ask(talk, &said.question, progress.acted).await
            }
            done => done,
        }
    }

    /// Asks once; where tools have acted, a provider that is busy is waited for.
    async fn ask(&self, talk: &mut Talk<'_>, question: &LlmRequest, acted: bool) -> Result<LlmAnswer, NodeFailure> {
        let mut tried = 0;
        loop {
            let failure = match talk.ask(question).await {
                Ok(answer) => return Ok(answer),
                Err(failure) => failure,
            };
            let wait = failure.retry_after_ms.unwrap_or(1_000 << tried);
            let worth = failure.retryable && failure.error_type != ErrorType::Timeout && wait <= LONGEST_WAIT_MS;
            if !acted || !worth || tried >= PATIENCE {
                return Err(failure);
            }
            tried += 1;
            let due = self.world.clock.now_ms().saturating_add(i64::try_from(wait).unwrap_or(i64::MAX));
            self.world.clock.sleep_until(due).await;
        }
    }

    fn used_up(&self, used: &[ToolUse]) -> NodeFailure {
        let words = format!(
            "The model used up its {} turns and still asks for {}; raise 'maxTurns', or give it a smaller task",
            self.turns,
            names(used)
        );
        NodeFailure::new(ErrorType::LLMError, "MAX_TURNS", words)
            .suggest(SuggestedAction::HumanReview)
            .detail("maxTurns", self.turns)
    }

    /// Calls the tools of one answer in order, from the first on that has no result yet. All of them are told first.
    /// `answered` is what a person said about that first one.
    async fn use_all(
        &self,
        used: Vec<ToolUse>,
        mut answered: Option<Answered<'_>>,
        said: &mut Transcript<'_>,
        progress: &mut Progress,
    ) -> Result<(), NodeFailure> {
        let from = progress.done.len();
        for one in used.iter().skip(from) {
            self.log.say(CallProgress::LlmToolUse(LlmToolUse {
                tool_use_id: one.id.clone(),
                name: one.name.clone(),
                input: Arc::new(one.input.clone()),
            }));
        }
        for (at, one) in used.into_iter().enumerate().skip(from) {
            let came = if at < AT_ONCE {
                match self.use_one(&one, answered.take(), progress).await {
                    Ok(came) => came,
                    Err(failure) => {
                        // What was done before it stays in the conversation: a person may have to decide by it.
                        if !progress.done.is_empty() {
                            tell(said, progress);
                        }
                        return Err(failure);
                    }
                }
            } else {
                Came::Told(Err(format!(
                    "Not called: at most {AT_ONCE} tools are called at once. Ask for it again if you still need it"
                )))
            };
            let told = match came {
                Came::Told(told) => told,
                Came::Waits(waiting) => {
                    return Err(suspended_call::hold(*waiting, &self.talked(said), progress, self.world));
                }
                Came::Asks(asks) => {
                    let (failure, info) = *asks;
                    return Err(suspended_call::hold_question(failure, &info, &self.talked(said), progress));
                }
            };
            let is_error = told.is_err();
            let (words, most) = match told {
                Ok(words) => (words, RESULT),
                Err(words) => (words, REASONS),
            };
            // Before it is cut: half a secret is found by nobody.
            let content = cut(self.world.secrets.scrubber().text(&words).into_owned(), most);
            self.log.say(CallProgress::LlmToolResult(LlmToolResult {
                tool_use_id: one.id.clone(),
                content: content.clone(),
                is_error,
            }));
            progress.done.push(ToolResult { tool_use_id: one.id, content, is_error });
        }
        tell(said, progress);
        Ok(())
    }

    fn talked<'a>(&'a self, said: &'a Transcript<'_>) -> Talked<'a> {
        Talked {
            system: said.question.system.as_deref(),
            messages: &said.question.messages,
            schema: self.form.and_then(Form::of_file),
        }
    }

    /// What the model gets to read, or why there is nothing; a failure that it cannot work around is the step's.
    async fn use_one(
        &self,
        used: &ToolUse,
        answered: Option<Answered<'_>>,
        progress: &mut Progress,
    ) -> Result<Came, NodeFailure> {
        let Some(does) = self.kit.find(&used.name) else {
            let offered = self.kit.names();
            let offered =
                if offered.is_empty() { "You have no tools".to_owned() } else { format!("You have: {offered}") };
            return Ok(Came::Told(Err(format!(
                "There is no tool '{}'. {offered}",
                used.name.chars().take(100).collect::<String>()
            ))));
        };
        let arguments = match &used.input {
            Value::Object(arguments) => arguments.clone(),
            Value::Null => Map::new(),
            Value::String(text) if text.trim().is_empty() => Map::new(),
            _ => return Ok(Came::Told(Err("The arguments are not a JSON object. Call it again with one".into()))),
        };
        match does {
            Does::Skill(path) => {
                let read = skills::read(&self.call.workflow_id, self.world, path).await;
                Ok(Came::Told(read.map_err(|failure| failure.message)))
            }
            Does::Tool(info) => {
                // What a person said about one tool says nothing about another that has its name now.
                let is_about = |one: &Answered<'_>| (&one.about.0, &one.about.1) == (&info.server, &info.name);
                // Nothing is called twice: the call that a person was asked about may have done its work.
                if answered.as_ref().is_some_and(|one| one.asked.is_some() && !is_about(one)) {
                    let words = "The tool changed while a person was asked. Nobody knows whether it was done";
                    return Ok(Came::Told(Err(words.into())));
                }
                self.use_tool(info, arguments, answered.filter(is_about), progress).await
            }
        }
    }

    async fn use_tool(
        &self,
        info: &ToolInfo,
        arguments: Map<String, Value>,
        answered: Option<Answered<'_>>,
        progress: &mut Progress,
    ) -> Result<Came, NodeFailure> {
        let open = answered.as_ref().and_then(|one| tool_question::reply(one.asked.as_ref()?, Some(one.answer)));
        // A call that is open was allowed when it began.
        let answer = answered.map(|one| one.answer).filter(|_| open.is_none());
        let allowed = open.is_some() || answer.is_some_and(|answer| answer.allowed);
        let asked = Asked { info, arguments: &arguments, allowed };
        let mut limit = None;
        let verdict = match answer.filter(|answer| !answer.allowed) {
            // Whatever the rules would say now: a person said no.
            Some(answer) => Verdict::Refuse(suspended_call::refusal(answer)),
            None => self.gate.pass(&asked, self.world).await,
        };
        let found = match verdict {
            Verdict::Allow(most) => {
                limit = most;
                Ok(info.clone())
            }
            Verdict::Refuse(failure) => Err(failure),
            Verdict::Ask(decided) => {
                let waiting = Waiting { info: info.clone(), arguments, decided: *decided };
                return Ok(Came::Waits(Box::new(waiting)));
            }
        };
        let made = found.is_ok();
        let timeout_ms = DEFAULT_TIMEOUT_MS;
        let wanted = Wanted {
            tool: &info.name,
            found,
            arguments,
            timeout_ms,
            handed_on: false,
            for_model: true,
            answer_within: Some(Duration::from_millis(ANSWER_WITHIN_MS)),
            reply: open,
        };
        let goes_on = |failed: &Failed| !is_of_server(failed);
        let came = tool_call::carry_out(self.call, wanted, self.world, self.log, goes_on).await;
        if let Err((failure, _)) = &came
            && failure.held.is_some()
        {
            progress.acted = true;
            return Ok(Came::Asks(Box::new((failure.clone(), info.clone()))));
        }
        progress.acted |= made && has_acted(&came);
        match came {
            Ok(told) => {
                let words = match told.result {
                    Value::String(text) => text,
                    other => other.to_string(),
                };
                let size = words.len() as u64 + tool_images::sent(&told.shown);
                if let Some(withheld) =
                    limit.as_ref().and_then(|limit| tool_approval::withheld(limit, size, "It was done"))
                {
                    return Ok(Came::Told(Err(withheld)));
                }
                progress.shown.extend(told.shown);
                tool_images::make_room(&mut [], &mut progress.shown);
                Ok(Came::Told(Ok(words)))
            }
            Err(failed) if is_of_server(&failed) => Err(failed.0),
            Err((failure, envelope)) => {
                let words = reasons(&failure);
                // What an answer says is an answer, also where it says that it is none.
                let limit = limit.as_ref().filter(|_| envelope.is_some());
                let withheld = limit.and_then(|limit| tool_approval::withheld(limit, words.len() as u64, "It failed"));
                Ok(Came::Told(Err(withheld.unwrap_or(words))))
            }
        }
    }
}

/// Puts what the tools of one answer have said so far into the conversation. Pictures come behind all answers: that is where
/// every provider takes them.
fn tell(said: &mut Transcript<'_>, progress: &mut Progress) {
    tool_images::make_room(&mut said.question.messages, &mut progress.shown);
    let done = std::mem::take(&mut progress.done).into_iter().map(Part::ToolResult);
    let parts = done.chain(std::mem::take(&mut progress.shown)).collect();
    said.question.messages.push(Message { role: Role::User, parts });
}

fn uses_of(parts: &[Part]) -> Vec<ToolUse> {
    let used = |part: &Part| if let Part::ToolUse(used) = part { Some(used.clone()) } else { None };
    parts.iter().filter_map(used).collect()
}

fn names(used: &[ToolUse]) -> String {
    let names: Vec<&str> = used.iter().map(|one| one.name.as_str()).collect();
    names.join(", ").chars().take(200).collect()
}

/// Instead of an answer it asks for tools, of which it was told that there are none.
fn no_tools(used: &[ToolUse]) -> NodeFailure {
    let words = format!(
        "The model asks for {} instead of answering, and this step has no tools; give it tools, or choose another model",
        names(used)
    );
    NodeFailure::new(ErrorType::LLMError, "BAD_ANSWER", words).suggest(SuggestedAction::HumanReview)
}

/// The failure of a structured answer or tool call that ended at a limit, whatever can be read of it.
///
/// `maxTokens` is not to blame where fewer tokens came than it allows: then the context of the model is full.
pub(crate) fn truncated(question: &LlmRequest, answer: &LlmAnswer) -> NodeFailure {
    let (most, came) = (question.max_tokens, answer.usage.output_tokens);
    // Servers count the end mark or not, so a few tokens say nothing.
    let context_is_full = !answer.usage.estimated && came > 0 && came + came / 16 + 8 < u64::from(most);
    let message = if context_is_full {
        format!(
            "The context of the model is full: its answer was cut off after {came} tokens, and 'maxTokens' allows {most}. \
             Shorten the question, or choose a model with a larger context"
        )
    } else {
        format!("The answer was cut off at the {most} tokens it may have; raise 'maxTokens'")
    };
    let failure = NodeFailure::new(ErrorType::LLMError, "TRUNCATED", message).retryable().detail("maxTokens", most);
    if context_is_full { failure.detail("outputTokens", came) } else { failure }
}

/// Whether the tool has done something, or may have; what failed before it was asked did nothing. A server's own fault does not
/// say how far it came.
fn has_acted(came: &Result<Told, Failed>) -> bool {
    match came {
        Ok(_) => true,
        Err((failure, envelope)) => envelope.is_some() || failure.may_have_happened || failure.code == "INTERNAL",
    }
}

/// The server itself cannot be used: no other call of the model would help. A tool that answered is none of these.
fn is_of_server((failure, envelope): &Failed) -> bool {
    envelope.is_none()
        && matches!(
            failure.code.as_str(),
            "TOOL_SERVER_MISSING" | "TOOL_NOT_APPROVED" | "SECRET_UNAVAILABLE" | "AUTH" | "CONNECTION"
        )
}

/// What went wrong, with all that does not fit.
fn reasons(failure: &NodeFailure) -> String {
    let mut words = failure.message.clone();
    for one in failure.details.get("violations").and_then(Value::as_array).into_iter().flatten().skip(1) {
        let (path, message) = (one["path"].as_str().unwrap_or_default(), one["message"].as_str().unwrap_or_default());
        words.push_str(&format!("\nAlso at '{path}': {message}"));
    }
    if failure.may_have_happened {
        words.push_str("\nNobody knows whether it was done.");
    }
    words
}

/// A text that is not longer than a model should read.
fn cut(words: String, most: usize) -> String {
    let Some((end, _)) = words.char_indices().nth(most) else { return words };
    let all = words.chars().count();
    format!("{}\n[The answer is cut: these are the first {most} of {all} characters.]", &words[..end])
}
