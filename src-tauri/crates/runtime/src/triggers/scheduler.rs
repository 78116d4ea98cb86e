//! The scheduler of a process that stays: it fires what is due. Of several processes on one data folder, or of several hosts on one
//! history, the one that holds the lock does; the system, or the server of the history, frees the lock when that one dies, and
//! another takes over at its next look.

use super::error::{Class, TriggerError, TriggerResult};
use super::file_watch::Watched;
use super::fire::skip_level;
use super::host::TriggerHost;
use super::kind::Settings;
use super::mail_watch::WatchedMailbox;
use super::message_watch::WatchedBroker;
use super::poll::Polled;
use serde_json::json;
use signalbox_engine::schedule::{self, OnMissed, Schedule};
use signalbox_engine::validate::Called;
use signalbox_model::{AuditEvent, Workflow, time};
use signalbox_ports::Clock;
use signalbox_store::audit::{Actor, Level};
use signalbox_store::{SkippedTicks, TriggerRow};
use std::collections::{BTreeSet, HashMap, VecDeque};
use std::fs::{File, OpenOptions, TryLockError};
use std::path::Path;
use std::time::Duration;

/// How often it looks whether something else is due, or nobody fires any more.
pub const LOOK: Duration = Duration::from_secs(1);
/// A tick that fires this late was not missed.
const ON_TIME_MS: i64 = 60_000;
/// A clock that shows so much less than before was put back.
const PUT_BACK_MS: i64 = 60_000;
/// Missed ticks that fire with `onMissed: all`.
pub const MOST_MISSED: usize = 100;

/// Ticks that are due.
#[derive(Debug, PartialEq, Eq)]
struct Due {
    /// The last ones, as many as may fire.
    last: VecDeque<i64>,
    /// The first one of all.
    first: i64,
    /// The one before those.
    before: Option<i64>,
    count: u64,
}

impl Due {
    fn of(schedule: &Schedule, row: &TriggerRow, now_ms: i64) -> Option<Self> {
        let most = if schedule.on_missed == OnMissed::All { MOST_MISSED } else { 1 };
        let mut ticks = schedule.ticks(row.cursor_ms).take_while(|tick| schedule.fires_at(&row.id, *tick) <= now_ms);
        let first = ticks.next()?;
        let mut due = Self { last: VecDeque::from([first]), first, before: None, count: 1 };
        for tick in ticks {
            due.count += 1;
            due.last.push_back(tick);
            if due.last.len() > most {
                due.before = due.last.pop_front();
            }
        }
        Some(due)
    }
}

/// What fires, and when.
#[derive(Default)]
pub struct Scheduler {
    /// Held as long as this process fires.
    lock: Option<File>,
    /// It did at the last look, by the lock of the history that several hosts share.
    fires_for_all: bool,
    /// What the store said when the plan was made.
    change: Option<i64>,
    /// When each schedule is due: the moment and its trigger. What it says is read when it is due: many wait for long.
    queue: BTreeSet<(i64, Box<str>)>,
    versions: HashMap<String, (Workflow, Called)>,
    /// Folders that are watched.
    pub(crate) folders: Vec<Watched>,
    /// Mailboxes that are watched.
    pub(crate) mailboxes: Vec<WatchedMailbox>,
    /// Brokers that are watched.
    pub(crate) brokers: Vec<WatchedBroker>,
    /// Sources that are asked.
    pub(crate) sources: Vec<Polled>,
    /// What the clock showed last.
    seen_ms: i64,
}

impl Scheduler {
    /// Fires what is due now. Says how long nothing else is.
    pub fn pass(&mut self, host: &dyn TriggerHost, clock: &dyn Clock) -> TriggerResult<Duration> {
        let fires = if host.store().is_file() {
            self.holds_lock(host.store().folder())?
        } else {
            self.fires_for_all(host.store().try_exclusive("triggers")?)
        };
        if !fires {
            return Ok(LOOK);
        }
        let now = clock.now_ms();
        let change = host.store().trigger_change()?;
        if self.change != Some(change) || now + PUT_BACK_MS < self.seen_ms {
            self.read(host, now)?;
            self.change = Some(change);
        }
        self.seen_ms = now;
        // What keeps one of them from firing does not keep schedules from it.
        let waiting = self
            .fire_failures(host, now)
            .and(self.look_into_folders(host, now))
            .and(self.ask_sources(host, now))
            .and(self.watch_sources(host, now));
        while self.queue.first().is_some_and(|(due, _)| *due <= now) {
            let Some((_, id)) = self.queue.pop_first() else { break };
            match self.settle(host, &id, now) {
                Ok(next) => self.queue.extend(next.map(|next| (next, id))),
                // The plan is made anew at the next pass.
                Err(error) if error.code == "TRIGGER_CHANGED" => self.change = None,
                Err(error) => {
                    // Nothing is lost: the tick stays where it is, and this one is tried again.
                    self.queue.insert((now + ms(LOOK), id));
                    if error.class != Class::Unavailable {
                        return Err(error);
                    }
                }
            }
        }
        waiting?;
        let next = self.queue.first().map_or(LOOK, |(due, _)| {
            Duration::from_millis(u64::try_from(due.saturating_sub(clock.now_ms())).unwrap_or_default())
        });
        Ok(next.min(LOOK))
    }

    /// Mailboxes and brokers.
    fn watch_sources(&mut self, host: &dyn TriggerHost, now: i64) -> TriggerResult<()> {
        let (mut mailboxes, mut brokers) = (std::mem::take(&mut self.mailboxes), std::mem::take(&mut self.brokers));
        let done = self.watch(host, &mut mailboxes, now).and(self.watch(host, &mut brokers, now));
        (self.mailboxes, self.brokers) = (mailboxes, brokers);
        done
    }

    /// Waits until every look at a mailbox or a broker has ended.
    pub fn hear_watched(&mut self, host: &dyn TriggerHost) {
        self.mailboxes.iter_mut().for_each(|one| one.hear(host));
        self.brokers.iter_mut().for_each(|one| one.hear(host));
    }

    /// What is watched belongs to the host that fires: one that lost the lock lets go of everything, and reads it anew when
    /// it has the lock again.
    fn fires_for_all(&mut self, fires: bool) -> bool {
        if fires != self.fires_for_all {
            *self = Self { fires_for_all: fires, ..Self::default() };
        }
        fires
    }

    fn holds_lock(&mut self, folder: &Path) -> TriggerResult<bool> {
        if self.lock.is_some() {
            return Ok(true);
        }
        let path = folder.join("triggers.lock");
        let mut options = OpenOptions::new();
        options.write(true).create(true).truncate(false);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let file = options.open(&path);
        let file = file.map_err(|error| cannot_lock(&path, &error))?;
        match file.try_lock() {
            Ok(()) => {
                self.lock = Some(file);
                // What another process settled meanwhile is read anew.
                self.change = None;
                Ok(true)
            }
            Err(TryLockError::WouldBlock) => Ok(false),
            Err(TryLockError::Error(error)) => Err(cannot_lock(&path, &error)),
        }
    }

    /// Makes the plan.
    fn read(&mut self, host: &dyn TriggerHost, now: i64) -> TriggerResult<()> {
        let mut watched_before = std::mem::take(&mut self.folders);
        let mut asked_before = std::mem::take(&mut self.sources);
        let mut mailboxes_before = std::mem::take(&mut self.mailboxes);
        let mut brokers_before = std::mem::take(&mut self.brokers);
        self.queue.clear();
        let (mut others, mut put_back, mut active) = (Vec::new(), Vec::new(), BTreeSet::new());
        // Many schedules say the same.
        let mut known: HashMap<String, Schedule> = HashMap::new();
        host.store().each_trigger(|row| {
            active.insert(row.version.clone());
            if row.kind != schedule::KIND {
                others.push(row);
                return;
            }
            if row.cursor_ms > now + PUT_BACK_MS {
                // The clock was put back. What fired already has its key and does not fire again.
                put_back.push(row);
                return;
            }
            if !known.contains_key(&row.config) {
                // What cannot be read was refused when it was activated; a release that reads it otherwise leaves it out.
                let Ok(Settings::Schedule(schedule)) = Settings::read(&row) else { return };
                known.insert(row.config.clone(), *schedule);
            }
            let next = known.get(&row.config).and_then(|schedule| due_after(schedule, &row));
            self.queue.extend(next.map(|next| (next, row.id.into())));
        })?;
        for row in put_back {
            host.store().trigger_move(&row.id, now)?;
            let (Some(row), Ok(Settings::Schedule(schedule))) = (host.store().trigger(&row.id)?, Settings::read(&row))
            else {
                continue;
            };
            self.queue.extend(due_after(&schedule, &row).map(|next| (next, row.id.into())));
        }
        for row in others {
            match Settings::read(&row) {
                Ok(Settings::FileWatch(settings)) => {
                    let before = watched_before.iter().position(|one| one.id() == row.id);
                    let before = before.map(|index| watched_before.swap_remove(index));
                    self.folders.push(Watched::new(host, row, *settings, before)?);
                }
                Ok(Settings::Mail(source)) => {
                    let before = mailboxes_before.iter().position(|one| one.id() == row.id);
                    let before = before.map(|index| mailboxes_before.swap_remove(index));
                    self.mailboxes.push(WatchedMailbox::new(host, row, *source, before)?);
                }
                Ok(Settings::Message(source)) => {
                    let before = brokers_before.iter().position(|one| one.id() == row.id);
                    let before = before.map(|index| brokers_before.swap_remove(index));
                    self.brokers.push(WatchedBroker::new(host, row, *source, before)?);
                }
                Ok(Settings::Poll(poll)) => {
                    let before = asked_before.iter().position(|one| one.id() == row.id);
                    let before = before.map(|index| asked_before.swap_remove(index));
                    self.sources.push(Polled::new(host, row, *poll, before)?);
                }
                Ok(_) | Err(_) => {}
            }
        }
        self.versions.retain(|version, _| active.contains(version));
        Ok(())
    }

    /// Settles every tick of a trigger that is due: it fires, or it is recorded why not. Says when it is due next.
    fn settle(&mut self, host: &dyn TriggerHost, id: &str, now: i64) -> TriggerResult<Option<i64>> {
        // When it is not active any more, the plan is made anew at the next pass.
        let Some(mut row) = host.store().trigger(id)? else { return Ok(None) };
        let Ok(Settings::Schedule(schedule)) = Settings::read(&row) else { return Ok(None) };
        let Some(Due { mut last, first, before, count }) = Due::of(&schedule, &row, now) else {
            return Ok(due_after(&schedule, &row));
        };
        let newest = last.back().copied().unwrap_or(first);
        let is_missed = now - schedule.fires_at(&row.id, newest) > ON_TIME_MS;
        let skipped = if schedule.on_missed == OnMissed::Skip && is_missed {
            last.clear();
            Some((newest, count))
        } else {
            before.map(|before| (before, count - last.len() as u64))
        };
        if let Some((to, count)) = skipped {
            let reason = if schedule.on_missed == OnMissed::All { "too_many_missed" } else { "missed" };
            skip(host, &mut row, Skipped { from: first, to, count, now, reason, problem: None })?;
        }
        for tick in last {
            let started = self
                .version(host, &row.version)
                .and_then(|version| host.fire_tick(&row, version, &schedule, tick, now));
            match started {
                Ok(_) => row.cursor_ms = tick,
                Err(error) if error.code == "FIRED_BEFORE" => {
                    host.store().trigger_move(&row.id, tick)?;
                    row.cursor_ms = tick;
                }
                Err(error) if error.class == Class::Unavailable || error.code == "TRIGGER_CHANGED" => {
                    return Err(error);
                }
                Err(error) => {
                    let problem = Some(error.message);
                    let skipped = Skipped { from: tick, to: tick, count: 1, now, reason: &error.code, problem };
                    skip(host, &mut row, skipped)?;
                }
            }
        }
        Ok(due_after(&schedule, &row))
    }

    pub(crate) fn version(&mut self, host: &dyn TriggerHost, version: &str) -> TriggerResult<(Workflow, Called)> {
        if let Some(known) = self.versions.get(version) {
            return Ok(known.clone());
        }
        let read = host.pinned_version(version)?;
        Ok(self.versions.entry(version.to_owned()).or_insert(read).clone())
    }
}

fn cannot_lock(path: &Path, error: &std::io::Error) -> TriggerError {
    let message = format!("{} could not be locked: {error}.", path.display());
    let hint = "Check the disk and the rights of the data folder; triggers fire when it can be used again.";
    TriggerError::unavailable("IO_ERROR", message, hint)
}

/// When a schedule fires next.
fn due_after(schedule: &Schedule, row: &TriggerRow) -> Option<i64> {
    schedule.next_after(row.cursor_ms).map(|tick| schedule.fires_at(&row.id, tick))
}

/// Records ticks that start no run.
fn skip(host: &dyn TriggerHost, row: &mut TriggerRow, skipped: Skipped<'_>) -> TriggerResult<()> {
    let Skipped { from, to, count, now, reason, problem } = skipped;
    let facts = json!({
        "triggerId": row.id, "workflowId": row.workflow, "version": row.version, "reason": reason, "count": count,
        "from": time::format(from), "to": time::format(to), "message": problem,
    });
    let level = if problem.is_some() { skip_level(reason) } else { Level::Warn };
    let record = host.fact(AuditEvent::TriggerSkipped, level, Actor::system(), facts);
    let ticks = SkippedTicks {
        trigger: row.id.clone(),
        version: row.version.clone(),
        last_ms: to,
        count,
        at_ms: now,
        reason: reason.to_owned(),
        problem,
    };
    host.store().trigger_skip(ticks, record)?;
    row.cursor_ms = to;
    Ok(())
}

/// Ticks that start no run.
struct Skipped<'a> {
    from: i64,
    to: i64,
    count: u64,
    now: i64,
    reason: &'a str,
    problem: Option<String>,
}

fn ms(time: Duration) -> i64 {
    i64::try_from(time.as_millis()).unwrap_or(i64::MAX)
}
