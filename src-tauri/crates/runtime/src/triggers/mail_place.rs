//! What a `trigger.mail` keeps beside the messages that it took: how far the mailbox was dealt with, and which messages are
//! still to be marked or moved. Both belong to one mailbox; another one in the settings begins anew.

use serde::{Deserialize, Serialize};
use serde_json::json;
use signalbox_ports::{MailPlace, Renumbered};
use signalbox_store::Taken;

/// The entries of `trigger_seen` that are no messages.
pub(super) const PLACE: &str = "place";
pub(super) const CHANGES: &str = "changes";
pub(super) const MARKS: [&str; 2] = [PLACE, CHANGES];

#[derive(Serialize, Deserialize)]
struct KeptPlace {
    of: String,
    uid_validity: u32,
    uid: u32,
    received_ms: i64,
    renumbered: Option<(u32, i64)>,
}

pub(super) fn place_mark(place: MailPlace, of: &str) -> Taken {
    let MailPlace { uid_validity, uid, received_ms, renumbered } = place;
    let renumbered = renumbered.map(|one| (one.until, one.since_ms));
    let kept = KeptPlace { of: of.to_owned(), uid_validity, uid, received_ms, renumbered };
    Taken { key: PLACE.to_owned(), value: json!(kept).to_string(), once: false }
}

pub(super) fn read_place(text: &str, of: &str) -> Option<MailPlace> {
    let kept: KeptPlace = serde_json::from_str(text).ok()?;
    let renumbered = kept.renumbered.map(|(until, since_ms)| Renumbered { until, since_ms });
    let KeptPlace { uid_validity, uid, received_ms, .. } = kept;
    (kept.of == of).then_some(MailPlace { uid_validity, uid, received_ms, renumbered })
}

/// Messages that runs were started for, and that are still to be marked or moved.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Changes {
    uid_validity: u32,
    uids: Vec<u32>,
}

impl Changes {
    pub(super) fn read(text: &str, of: &str) -> Self {
        let kept: Option<(String, Self)> = serde_json::from_str(text).ok();
        kept.filter(|(kept, _)| kept == of).map(|(_, changes)| changes).unwrap_or_default()
    }

    pub(super) fn mark(&self, of: &str) -> Taken {
        Taken { key: CHANGES.to_owned(), value: json!((of, self)).to_string(), once: false }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.uids.is_empty()
    }

    pub(super) fn len(&self) -> usize {
        self.uids.len()
    }

    pub(super) fn add(&mut self, uid_validity: u32, uid: u32) {
        if self.uid_validity != uid_validity {
            self.uids.clear();
        }
        self.uid_validity = uid_validity;
        self.uids.push(uid);
    }

    /// Their numbers, when they belong to the place.
    pub(super) fn of(&self, place: Option<MailPlace>) -> Vec<u32> {
        let is_valid = place.is_some_and(|place| place.uid_validity == self.uid_validity);
        if is_valid { self.uids.clone() } else { Vec::new() }
    }
}
