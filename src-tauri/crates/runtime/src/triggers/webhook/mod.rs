//! Webhooks: HTTP requests that start runs (ADR 91). The host reads the request; here it is authenticated, read, and made a
//! firing that is durable before the sender is answered.

pub mod body;
mod deliver;
mod index;
pub mod multipart;
mod signature;

pub use deliver::{Delivery, HookReply, HookRequest, Started, unavailable};
pub use index::{ActiveHook, DeliveryGuard, HookIndex, active_hooks};
pub use signature::{Refused, Signed, check as check_signature};

#[cfg(test)]
mod tests;
