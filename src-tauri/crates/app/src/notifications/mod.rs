//! Messages to addresses outside: webhooks about tasks, and the rules for every address that a person names.

pub(crate) mod outgoing;
pub(crate) mod webhooks;
