//! `trigger.mail`: a message that arrives in a mailbox starts a run (ADR 154). How far the mailbox was dealt with, and which
//! messages are still to be marked or moved, is written in the transaction that creates the run. A connection waits for the
//! next message where the server tells of it, beside the scheduler.

use super::error::{Class, TriggerError, TriggerResult};
use super::fire::Occurrence;
use super::host::TriggerHost;
use super::mail_place::{CHANGES, Changes, MARKS, PLACE, place_mark, read_place};
use super::mail_source::{MailSource, event, told};
use super::scheduler::Scheduler;
use super::watch::{Dealt, Look, LookStart, Source, Watching};
use serde_json::json;
use signalbox_engine::BY_TRIGGER;
use signalbox_model::{AuditEvent, NodeFailure, time};
use signalbox_nodes::{MailLook, Mails, NewMail};
use signalbox_ports::MailPlace;
use signalbox_store::audit::{Actor, Level};
use signalbox_store::{SkippedTicks, Taken};

/// Why messages start no run, in the list of firings.
const RENUMBERED: &str = "UIDVALIDITY_CHANGED";

/// A mailbox that is watched.
pub(crate) type WatchedMailbox = Watching<MailSource>;

impl Source for MailSource {
    type Found = Mails;

    fn every_ms(&self) -> i64 {
        self.every_ms
    }

    fn look(watched: &WatchedMailbox, _host: &dyn TriggerHost, start: LookStart) -> TriggerResult<Look<Mails>> {
        let (source, place) = (watched.source.clone(), watched.place());
        let look = MailLook {
            place,
            existing: source.takes_existing,
            dealt_with: watched.changes().of(place),
            patience: start.patience,
        };
        Ok(Box::pin(async move { source.look(&start.world, &start.catalog, &start.workflow, look, start.here).await }))
    }

    fn deal(
        scheduler: &mut Scheduler,
        host: &dyn TriggerHost,
        mailbox: &mut WatchedMailbox,
        mails: Mails,
        now: i64,
    ) -> TriggerResult<Dealt> {
        let tells = mails.watched.tells;
        let held = scheduler.take_mails(host, mailbox, mails, now)?;
        // What is to be marked or moved is so at the next look; a server that tells of messages is asked again at once.
        let again = held.is_none() && (tells || !mailbox.changes().is_empty());
        Ok(Dealt { held: held.map(|held| held.message), again })
    }

    fn told(failure: &NodeFailure) -> String {
        told(failure)
    }
}

impl WatchedMailbox {
    /// How far this mailbox was dealt with; another one begins anew.
    fn place(&self) -> Option<MailPlace> {
        read_place(self.seen.get(PLACE)?, &self.source.namespace())
    }

    fn changes(&self) -> Changes {
        self.seen.get(CHANGES).map(|text| Changes::read(text, &self.source.namespace())).unwrap_or_default()
    }

    fn place_mark(&self, place: MailPlace) -> Taken {
        place_mark(place, &self.source.namespace())
    }

    fn changes_mark(&self, changes: &Changes) -> Taken {
        changes.mark(&self.source.namespace())
    }
}

/// Why not every message was taken.
struct Held {
    message: String,
}

impl Scheduler {
    /// Starts a run for each message, in their order. What cannot start now stays where it is, and so does all behind it.
    fn take_mails(
        &mut self,
        host: &dyn TriggerHost,
        mailbox: &mut WatchedMailbox,
        mails: Mails,
        now: i64,
    ) -> TriggerResult<Option<Held>> {
        let Mails { mails, watched } = mails;
        let before = mailbox.place();
        let mut changes = mailbox.changes();
        let renumbered = before.is_some_and(|before| before.uid_validity != watched.from.uid_validity);
        if renumbered {
            tell_renumbered(host, mailbox, changes.len(), now)?;
        }
        if watched.changed || renumbered {
            changes = Changes::default();
        }
        let mut place = watched.from;
        if before != Some(place) || changes != mailbox.changes() {
            let marks = vec![mailbox.place_mark(place), mailbox.changes_mark(&changes)];
            mailbox.takes(host, marks, now)?;
        }
        for mail in mails {
            let behind = place.after(mail.uid, mail.received_ms);
            // Only then a number says nothing about what was taken before.
            if place.may_repeat(mail.uid) && mailbox.seen.contains_key(&mail.fingerprint) {
                let mark = mailbox.place_mark(behind);
                mailbox.takes(host, vec![mark], now)?;
            } else if let Some(held) = self.start_for_mail(host, mailbox, mail, behind, &mut changes, now)? {
                return Ok(Some(held));
            }
            place = behind;
        }
        if mailbox.place() != Some(watched.to) {
            let mark = mailbox.place_mark(watched.to);
            mailbox.takes(host, vec![mark], now)?;
        }
        if mailbox.forgetting.is_due(now) {
            let marks = MARKS.map(str::to_owned).into();
            mailbox.forgetting.forget(host, &mailbox.row.id, marks, &mut mailbox.seen, now)?;
        }
        Ok(None)
    }

    fn start_for_mail(
        &mut self,
        host: &dyn TriggerHost,
        mailbox: &mut WatchedMailbox,
        mail: NewMail,
        behind: MailPlace,
        changes: &mut Changes,
        now: i64,
    ) -> TriggerResult<Option<Held>> {
        let NewMail { uid, fingerprint, data, binaries, .. } = mail;
        let mut to_change = changes.clone();
        if mailbox.source.changes_mails() {
            to_change.add(behind.uid_validity, uid);
        }
        let taken = vec![
            mailbox.place_mark(behind),
            mailbox.changes_mark(&to_change),
            Taken { key: fingerprint, value: String::new(), once: false },
        ];
        let occurrence = Occurrence {
            key: format!("{} {} {uid}", mailbox.source.namespace(), behind.uid_validity),
            at_ms: now,
            is_tick: false,
            event: event(&mailbox.row.id, data, false),
            started_by: BY_TRIGGER,
            trace: None,
        };
        let started = self
            .version(host, &mailbox.row.version)
            .and_then(|version| host.fire_taking_with(&mailbox.row, version, occurrence, taken.clone(), binaries, now));
        match started {
            Ok(_) => {
                mailbox.knows(taken);
                *changes = to_change;
                Ok(None)
            }
            Err(error) if error.code == "FIRED_BEFORE" => {
                // Another process took it: what it wrote counts.
                mailbox.seen = host.store().trigger_seen(&mailbox.row.id)?;
                *changes = mailbox.changes();
                if mailbox.place().is_none_or(|place| place.uid < behind.uid) {
                    let mark = mailbox.place_mark(behind);
                    mailbox.takes(host, vec![mark], now)?;
                }
                Ok(None)
            }
            Err(error) if error.code == "TRIGGER_CHANGED" || error.class == Class::Unavailable => Err(error),
            Err(TriggerError { message, .. }) => Ok(Some(Held { message })),
        }
    }
}

/// The mailbox was numbered anew: it is recorded, with how many messages stay unmarked, or are not moved, for it.
fn tell_renumbered(
    host: &dyn TriggerHost,
    mailbox: &mut WatchedMailbox,
    unchanged: usize,
    now: i64,
) -> TriggerResult<()> {
    let row = &mailbox.row;
    let message = format!(
        "The server has numbered the mailbox anew. Messages that it received before the last one that was taken, and messages \
         whose Message-ID was taken, start no run; {unchanged} messages stay as they are instead of being marked or moved."
    );
    let facts = json!({
        "triggerId": row.id, "workflowId": row.workflow, "version": row.version, "reason": RENUMBERED, "count": unchanged,
        "from": time::format(now), "to": time::format(now), "message": message,
    });
    let record = host.fact(AuditEvent::TriggerSkipped, Level::Warn, Actor::system(), facts);
    let ticks = SkippedTicks {
        trigger: row.id.clone(),
        version: row.version.clone(),
        last_ms: now,
        count: unchanged as u64,
        at_ms: now,
        reason: RENUMBERED.to_owned(),
        problem: None,
    };
    host.store().trigger_skip(ticks, record)?;
    mailbox.row.cursor_ms = now;
    Ok(())
}
