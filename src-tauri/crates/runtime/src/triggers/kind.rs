//! The kinds of step that start runs, with what each reads from its settings. A new kind adds a variant here; firing,
//! activating and listing are the same for all.

use super::error::{Class, TriggerError, TriggerResult};
use super::failures;
use super::file_watch::{self, FileWatch};
use super::mail_source::{self, MailSource};
use super::message_source::{self, MessageSource};
use super::poll_source::{self, Poll};
use serde_json::{Value, json};
use signalbox_engine::form::{self, Form};
use signalbox_engine::schedule::{self, Schedule};
use signalbox_engine::trigger::MANUAL;
use signalbox_engine::webhook::{self, Webhook};
use signalbox_model::{Map, Node, Workflow, time};
use signalbox_store::{NewTrigger, TriggerRow};

/// Steps of these kinds start an active workflow.
pub const KINDS: [&str; 8] = [
    schedule::KIND,
    form::KIND,
    webhook::KIND,
    failures::KIND,
    file_watch::KIND,
    mail_source::KIND,
    message_source::KIND,
    poll_source::KIND,
];

/// Steps at the top of a file that start it automatically, and those that `also` names.
pub fn triggers_of(workflow: &Workflow, also: impl Fn(&Node) -> bool) -> Vec<NewTrigger> {
    let starts = |node: &Node| KINDS.contains(&node.kind.as_str()) || also(node);
    let own = workflow.nodes.iter().filter(|(_, node)| starts(node) && node.disabled != Some(true));
    own.map(|(id, node)| NewTrigger {
        id: format!("{}.{id}", workflow.id),
        node: id.clone(),
        kind: node.kind.clone(),
        title: node.title.clone(),
        config: node.config.clone().unwrap_or_else(|| json!({})).to_string(),
    })
    .collect()
}

/// The settings of a trigger.
pub enum Settings {
    /// `trigger.schedule`
    Schedule(Box<Schedule>),
    /// `trigger.form`
    Form(Box<Form>),
    /// `trigger.webhook`
    Webhook(Box<Webhook>),
    /// `trigger.error`
    Failures,
    /// `trigger.file_watch`
    FileWatch(Box<FileWatch>),
    /// `trigger.mail`
    Mail(Box<MailSource>),
    /// `trigger.message`
    Message(Box<MessageSource>),
    /// `trigger.poll`
    Poll(Box<Poll>),
    /// `trigger.manual` that offers its workflow as a tool.
    Manual,
}

impl Settings {
    /// Activation refuses settings that cannot be read; a later release may read them differently.
    pub fn read(trigger: &TriggerRow) -> TriggerResult<Self> {
        let config: Value = serde_json::from_str(&trigger.config).unwrap_or_default();
        match trigger.kind.as_str() {
            schedule::KIND => {
                Schedule::read(&config).map(|schedule| Self::Schedule(Box::new(schedule))).map_err(|problems| {
                    let why = problems.first().map(|problem| problem.message.clone()).unwrap_or_default();
                    let message = format!("The schedule of {} cannot be used: {why}.", trigger.id);
                    let hint = "Correct the schedule, then activate the workflow again.";
                    TriggerError::new(Class::Invalid, "BAD_SCHEDULE", message, hint)
                })
            }
            form::KIND => Form::read(&config).map(|form| Self::Form(Box::new(form))).map_err(|problems| {
                let why = problems.first().map(|problem| problem.message.clone()).unwrap_or_default();
                let message = format!("The form of {} cannot be used: {why}.", trigger.id);
                let hint = "Correct the form, then activate the workflow again.";
                TriggerError::new(Class::Invalid, "BAD_FORM", message, hint)
            }),
            webhook::KIND => Webhook::read(&config).map(|hook| Self::Webhook(Box::new(hook))).map_err(|problems| {
                let why = problems.first().map(|problem| problem.message.clone()).unwrap_or_default();
                let message = format!("The webhook of {} cannot be used: {why}.", trigger.id);
                let hint = "Correct the webhook, then activate the workflow again.";
                TriggerError::new(Class::Invalid, "BAD_WEBHOOK", message, hint)
            }),
            failures::KIND => Ok(Self::Failures),
            file_watch::KIND => Ok(Self::FileWatch(Box::new(FileWatch::read(&config)))),
            mail_source::KIND => Ok(Self::Mail(Box::new(MailSource::read(config)))),
            message_source::KIND => Ok(Self::Message(Box::new(MessageSource::read(config)))),
            poll_source::KIND => Ok(Self::Poll(Box::new(Poll::read(config)))),
            MANUAL => Ok(Self::Manual),
            kind => {
                let message = format!("This release does not know the trigger kind {kind} of {}.", trigger.id);
                Err(TriggerError::new(
                    Class::Invalid,
                    "UNKNOWN_TRIGGER",
                    message,
                    "Update Signalbox, or activate another version.",
                ))
            }
        }
    }

    /// The schedule that it follows; none for a trigger that waits for events.
    pub fn schedule(&self) -> Option<Schedule> {
        match self {
            Self::Schedule(schedule) => Some(Schedule::clone(schedule)),
            Self::Poll(poll) => Some(poll.schedule()),
            Self::Form(_)
            | Self::Webhook(_)
            | Self::Failures
            | Self::FileWatch(_)
            | Self::Mail(_)
            | Self::Message(_)
            | Self::Manual => None,
        }
    }

    /// The event of a firing by hand: a sample of what the trigger hands on.
    pub fn sample(&self, trigger: &TriggerRow, now_ms: i64) -> Map {
        match self {
            Self::Schedule(schedule) => tick(trigger, schedule, now_ms, now_ms, true),
            Self::Form(form) => submitted(trigger, form.sample(), &[], now_ms, true),
            Self::Webhook(hook) => hook_sample(trigger, hook, now_ms),
            Self::Failures => failures::sample(&trigger.id, now_ms),
            Self::FileWatch(watch) => watch.sample(&trigger.id, now_ms),
            Self::Mail(mail) => mail.sample(&trigger.id, &time::format(now_ms)),
            Self::Message(message) => message.sample(&trigger.id),
            Self::Poll(_) => poll_source::event(&trigger.id, vec![json!({ "sample": true })], now_ms, true),
            Self::Manual => Map::new(),
        }
    }

    /// The path behind `/hooks/`, for one that HTTP requests fire.
    pub fn hook_path(&self) -> Option<&str> {
        match self {
            Self::Schedule(_)
            | Self::Form(_)
            | Self::Failures
            | Self::FileWatch(_)
            | Self::Mail(_)
            | Self::Message(_)
            | Self::Poll(_)
            | Self::Manual => None,
            Self::Webhook(hook) => Some(&hook.path),
        }
    }
}

/// What a schedule hands on.
pub(super) fn tick(trigger: &TriggerRow, schedule: &Schedule, tick_ms: i64, now_ms: i64, manual: bool) -> Map {
    let event = json!({
        "scheduledAt": time::format(tick_ms), "firedAt": time::format(now_ms), "timezone": schedule.timezone,
        "local": schedule.local(tick_ms), "triggerId": trigger.id, "manual": manual,
    });
    event.as_object().cloned().unwrap_or_default()
}

/// What a form hands on.
pub fn submitted(trigger: &TriggerRow, answers: Map, files: &[Value], now_ms: i64, manual: bool) -> Map {
    let event = json!({
        "answers": answers, "files": files, "submittedAt": time::format(now_ms), "triggerId": trigger.id, "manual": manual,
    });
    event.as_object().cloned().unwrap_or_default()
}

/// A request that a webhook could get.
fn hook_sample(trigger: &TriggerRow, hook: &Webhook, now_ms: i64) -> Map {
    let event = json!({
        "method": hook.methods.first(), "path": hook.path, "query": {}, "headers": {}, "contentType": "application/json",
        "body": {}, "files": [], "deliveryId": null, "receivedAt": time::format(now_ms), "triggerId": trigger.id,
        "manual": true,
    });
    event.as_object().cloned().unwrap_or_default()
}
