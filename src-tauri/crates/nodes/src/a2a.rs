//! Agents that speak the A2A protocol (version 1.0, JSON-RPC): their card, its signatures, and a conversation about one task.

pub(crate) mod card;
pub(crate) mod conversation;
pub(crate) mod event_stream;
pub(crate) mod rpc;
pub(crate) mod signature;

#[cfg(test)]
mod tests;
