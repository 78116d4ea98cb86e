//! `trigger.mail`: a message that arrives in a mailbox starts a run (ADR 154). How far the mailbox was dealt with, and which
//! messages are still to be marked or moved, is written in the transaction that creates the run. A connection waits for the
//! next message where the server tells of it, beside the scheduler.

use super::error::{Class, TriggerError, TriggerResult};
use super::fire::Occurrence;
use super::host::TriggerHost;
use super::mail_place::{CHANGES, Changes, MARKS, PLACE, place_mark, read_place};
use super::mail_source::{MailSource, event, told};
use super::scheduler::Scheduler;
use super::seen::Forgetting;
use serde_json::json;
use signalbox_engine::BY_TRIGGER;
use signalbox_model::{AuditEvent, NodeFailure, time};
use signalbox_nodes::{MailLook, Mails, NewMail};
use signalbox_ports::MailPlace;
use signalbox_store::audit::{Actor, Level};
use signalbox_store::{SkippedTicks, Taken, TriggerRow};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::oneshot::{self, error::TryRecvError};

/// Connections that wait at the same time. Mailboxes beyond them are looked at again and again.
const AT_ONCE: usize = 32;
/// So long a connection waits for a message; then the mailbox is looked at with a new one.
const PATIENCE: Duration = Duration::from_secs(5 * 60);
/// After a failure the mailbox is looked at again after this time, and after twice the time after the next one.
const AGAIN_MS: i64 = 15_000;
/// The longest such time, unless `every` is longer.
const LATEST_MS: i64 = 900_000;
/// After so many failures in a row people get a notification.
const TOLD_AFTER: u32 = 5;
/// When the store cannot write.
const STORE_AGAIN_MS: i64 = 1_000;
/// Why messages start no run, in the list of firings.
const RENUMBERED: &str = "UIDVALIDITY_CHANGED";

type Looked = Result<Mails, NodeFailure>;

/// A look that has not ended. It ends with this.
struct Waiting {
    answer: oneshot::Receiver<Looked>,
    since_ms: i64,
    work: tokio::task::AbortHandle,
}

impl Drop for Waiting {
    fn drop(&mut self) {
        self.work.abort();
    }
}

/// A mailbox that is watched.
pub(crate) struct WatchedMailbox {
    row: TriggerRow,
    source: MailSource,
    /// The place, what is still to be changed, and messages that were taken, by fingerprint.
    seen: BTreeMap<String, String>,
    waiting: Option<Waiting>,
    next_ms: i64,
    failures: u32,
    forgetting: Forgetting,
}

impl WatchedMailbox {
    /// `before` is the same trigger in the plan before.
    pub(crate) fn new(
        host: &dyn TriggerHost,
        row: TriggerRow,
        source: MailSource,
        before: Option<Self>,
    ) -> TriggerResult<Self> {
        let seen = host.store().trigger_seen(&row.id)?;
        let mut mailbox = Self {
            row,
            source,
            seen,
            waiting: None,
            next_ms: i64::MIN,
            failures: 0,
            forgetting: Forgetting::default(),
        };
        if let Some(before) = before.filter(|before| before.source == mailbox.source) {
            mailbox.waiting = before.waiting;
            mailbox.next_ms = before.next_ms;
            mailbox.failures = before.failures;
            mailbox.forgetting = before.forgetting;
        }
        Ok(mailbox)
    }

    pub(crate) fn id(&self) -> &str {
        &self.row.id
    }

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

    fn takes(&mut self, host: &dyn TriggerHost, taken: Vec<Taken>, now: i64) -> TriggerResult<()> {
        if !taken.is_empty() {
            host.store().trigger_take(&self.row.id, taken.clone(), now)?;
            self.knows(taken);
        }
        Ok(())
    }

    fn knows(&mut self, taken: Vec<Taken>) {
        self.seen.extend(taken.into_iter().map(|one| (one.key, one.value)));
    }

    fn is_due(&self, now: i64) -> bool {
        // A clock that was put back must not silence it.
        now >= self.next_ms || self.next_ms.saturating_sub(now) > self.source.every_ms.max(LATEST_MS)
    }

    fn look(
        &mut self,
        host: &dyn TriggerHost,
        scheduler: &mut Scheduler,
        patience: Duration,
        now: i64,
    ) -> TriggerResult<()> {
        let (workflow, _) = scheduler.version(host, &self.row.version)?;
        let (source, world, workflow) = (self.source.clone(), Arc::clone(host.world()), Arc::new(workflow));
        let catalog = host.runtime().registry().catalog.clone();
        let (place, here) = (self.place(), self.row.here);
        let dealt_with = self.changes().of(place);
        let look = MailLook { place, existing: source.takes_existing, dealt_with, patience };
        let (send, answer) = oneshot::channel();
        let work = host.in_background(async move {
            // Nobody waits any more when the trigger is gone.
            send.send(source.look(&world, &catalog, &workflow, look, here).await).ok();
        })?;
        self.waiting = Some(Waiting { answer, since_ms: now, work });
        Ok(())
    }
}

/// Why not every message was taken.
struct Held {
    message: String,
}

impl Scheduler {
    /// Deals with what the looks at mailboxes gave, and begins those that are due.
    pub(crate) fn watch_mailboxes(&mut self, host: &dyn TriggerHost, now: i64) -> TriggerResult<()> {
        let mut mailboxes = std::mem::take(&mut self.mailboxes);
        let mut failed = None;
        let mut under_way = mailboxes.iter().filter(|one| one.waiting.is_some()).count();
        for mailbox in &mut mailboxes {
            let looked = match &mut mailbox.waiting {
                Some(waiting) => match waiting.answer.try_recv() {
                    Ok(looked) => Some((looked, waiting.since_ms)),
                    Err(TryRecvError::Empty) => continue,
                    Err(TryRecvError::Closed) => {
                        Some((Err(NodeFailure::tool("INTERNAL", "No answer came")), waiting.since_ms))
                    }
                },
                None => None,
            };
            let done = match looked {
                Some((looked, since_ms)) => {
                    mailbox.waiting = None;
                    under_way -= 1;
                    self.looked(host, mailbox, looked, since_ms, now)
                }
                None if mailbox.is_due(now) => {
                    let patience = if under_way < AT_ONCE { PATIENCE } else { Duration::ZERO };
                    under_way += 1;
                    mailbox.look(host, self, patience, now)
                }
                None => continue,
            };
            if let Err(error) = done {
                mailbox.next_ms = now + STORE_AGAIN_MS;
                failed = Some(error);
            }
        }
        self.mailboxes = mailboxes;
        failed.map_or(Ok(()), Err)
    }

    fn looked(
        &mut self,
        host: &dyn TriggerHost,
        mailbox: &mut WatchedMailbox,
        looked: Looked,
        since_ms: i64,
        now: i64,
    ) -> TriggerResult<()> {
        let problem = match looked {
            Ok(mails) => {
                let tells = mails.watched.tells;
                mailbox.failures = 0;
                let held = self.take_mails(host, mailbox, mails, now)?;
                // What is to be marked or moved is so at the next look; a server that tells of messages is asked again at once.
                let again = held.is_none() && (tells || !mailbox.changes().is_empty());
                mailbox.next_ms = match &held {
                    Some(_) => now.saturating_add(AGAIN_MS),
                    None if again => now,
                    None => since_ms.max(now).saturating_add(mailbox.source.every_ms),
                };
                held.map(|held| held.message)
            }
            Err(failure) => {
                mailbox.failures = mailbox.failures.saturating_add(1);
                if mailbox.failures >= TOLD_AFTER {
                    host.store().trigger_failure_told(&mailbox.row, &failure.code, now)?;
                }
                mailbox.next_ms = now.saturating_add(pause(mailbox.failures, mailbox.source.every_ms));
                Some(told(&failure))
            }
        };
        if mailbox.row.problem != problem {
            host.store().trigger_problem(&mailbox.row.id, problem.clone())?;
            mailbox.row.problem = problem;
        }
        Ok(())
    }

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

    /// Waits until every look has ended.
    pub fn hear_mailboxes(&mut self, host: &dyn TriggerHost) {
        for mailbox in &mut self.mailboxes {
            let Some(waiting) = &mut mailbox.waiting else { continue };
            let (send, heard) = oneshot::channel();
            // A test that waits for a message that nobody sends fails at once.
            let answer = async { tokio::time::timeout(Duration::from_secs(60), &mut waiting.answer).await };
            if let Ok(Ok(Ok(looked))) = host.wait_for(answer) {
                drop(send.send(looked));
            }
            waiting.answer = heard;
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

/// After so many failures in a row.
fn pause(failures: u32, every_ms: i64) -> i64 {
    let doubled = AGAIN_MS.saturating_mul(1_i64.checked_shl(failures.saturating_sub(1).min(32)).unwrap_or(i64::MAX));
    doubled.min(LATEST_MS.max(every_ms))
}
