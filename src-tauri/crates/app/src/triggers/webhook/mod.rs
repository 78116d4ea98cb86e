//! Webhooks: HTTP requests that start runs (ADR 91). The host reads the request; here it is authenticated, read, and made a
//! firing that is durable before the sender is answered.

mod body;
mod deliver;
mod index;
mod listen;
mod multipart;
mod signature;

pub use deliver::{HookReply, HookRequest};
pub use index::HookTarget;
pub(crate) use index::Hooks;
pub(crate) use signature::{Signed, check as check_signature};

#[cfg(test)]
mod tests;
