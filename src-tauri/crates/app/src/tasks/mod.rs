//! Tasks for people: what they see, what their answers do, and the corrections that are suggested to them.

pub(crate) mod answer;
pub(crate) mod attachments;
pub(crate) mod change_feed;
mod exits;
pub(crate) mod model_suggestion;
mod previous_correction;
pub(crate) mod resume_tokens;
