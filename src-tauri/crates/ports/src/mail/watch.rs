//! A mailbox that is watched: how far it was dealt with, and what a look at it gives.

use super::MailQuery;
use std::time::Duration;

/// How far the messages of a mailbox were dealt with. Numbers grow with every message that arrives, so one number says which
/// were.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MailPlace {
    /// What the number is valid with.
    pub uid_validity: u32,
    /// Every message up to this number was dealt with.
    pub uid: u32,
    /// When the server received the last of them, milliseconds since 1970; after a mailbox was numbered anew, messages that it
    /// received before are old.
    pub received_ms: i64,
    /// The mailbox was numbered anew while it was watched.
    pub renumbered: Option<Renumbered>,
}

/// Messages of a mailbox that was numbered anew which may have been dealt with under their earlier number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Renumbered {
    /// Up to this number.
    pub until: u32,
    /// What the server received before is old, milliseconds since 1970.
    pub since_ms: i64,
}

impl MailPlace {
    /// The place behind a message.
    pub fn after(self, uid: u32, received_ms: Option<i64>) -> Self {
        let received_ms = received_ms.map_or(self.received_ms, |at| at.max(self.received_ms));
        Self { uid, received_ms, ..self.passed(uid) }
    }

    /// The place behind messages that were not wanted.
    pub fn passed(self, uid: u32) -> Self {
        Self { uid, renumbered: self.renumbered.filter(|one| uid < one.until), ..self }
    }

    /// Whether a message may have been dealt with under an earlier number.
    pub fn may_repeat(self, uid: u32) -> bool {
        self.renumbered.is_some_and(|one| uid <= one.until)
    }
}

/// What a mailbox is watched for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MailWatch {
    /// Which messages, and at most how many of them at once; what is done with a message once it was dealt with.
    pub query: MailQuery,
    /// How far the mailbox was dealt with; none the first time.
    pub place: Option<MailPlace>,
    /// The first time, messages that are there already are wanted, too.
    pub existing: bool,
    /// Messages that were dealt with and not changed yet, under the UIDVALIDITY of the place.
    pub dealt_with: Vec<u32>,
    /// So long a new message is waited for, where the server tells of new messages (IDLE).
    pub patience: Duration,
}

/// What a look at a mailbox came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MailWatched {
    /// Where it began: the place that was given, or another one where there was none or the mailbox was numbered anew.
    pub from: MailPlace,
    /// How far the mailbox was looked through: the messages up to there were handed on, or are not wanted.
    pub to: MailPlace,
    /// The messages that were dealt with are changed. False: they belong to an earlier UIDVALIDITY, and nothing was changed.
    pub changed: bool,
    /// The server tells of new messages, so another look can begin at once.
    pub tells: bool,
}
