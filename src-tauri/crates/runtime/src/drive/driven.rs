//! What the rest of the runtime knows of a driven run.

use super::Message;
use crate::live_feed::LiveFeed;
use crate::phase::Phase;
use std::sync::Arc;
use tokio::sync::{mpsc, watch};

/// What the rest of the runtime knows of a driven run.
pub(crate) struct Driven {
    pub(crate) run_id: String,
    pub(crate) live: LiveFeed,
    pub(crate) phase: watch::Sender<Phase>,
    pub(super) inbox: mpsc::UnboundedSender<Message>,
}

impl Driven {
    pub(crate) fn new(run_id: &str) -> (Arc<Self>, mpsc::UnboundedReceiver<Message>) {
        let (inbox, receiver) = mpsc::unbounded_channel();
        let driven = Self {
            run_id: run_id.to_owned(),
            live: LiveFeed::default(),
            phase: watch::channel(Phase::Driving).0,
            inbox,
        };
        (Arc::new(driven), receiver)
    }

    /// Says that a durable input was written.
    pub(crate) fn wake(&self) {
        // A run that has just ended needs it no more.
        let _ = self.inbox.send(Message::Wake);
    }
}
