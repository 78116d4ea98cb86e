//! Webhooks: HTTP requests that start runs (ADR 91). The host reads the request; here it is authenticated, read, and made a
//! firing that is durable before the sender is answered.

mod deliver;
mod index;
mod listen;

pub use index::HookTarget;
pub(crate) use index::Hooks;
