//! What starts runs by itself: schedules, webhooks, forms, folders, mailboxes, sources and failures (ADR 90 to 99, 154). A host of the app and an exported program
//! fire with the same code; [`TriggerHost`] is what they give it.

mod error;
mod failures;
mod file_watch;
mod fire;
mod forms;
mod host;
mod kind;
mod mail_place;
mod mail_source;
mod mail_watch;
mod message_source;
mod message_watch;
mod poll;
mod poll_run;
mod poll_source;
mod scheduler;
mod seen;
mod settle;
mod source_call;
mod watch;
pub mod webhook;

pub use error::{Class, TriggerError, TriggerResult};
pub use file_watch::{KIND as FILE_WATCH, cannot_look};
pub use fire::{Occurrence, params};
pub use forms::{ActiveForm, FormIndex, RESULT_WAIT, Submitted, active_forms, read_submission};
pub use host::{STORE_LEVEL, TriggerHost, TriggeredRun, pinned_version, summary_of};
pub use kind::{KINDS, Settings, submitted, triggers_of};
pub use poll_source::{KIND as POLL, Listed, Poll, refused};
pub use scheduler::{LOOK, MOST_MISSED, Scheduler};
