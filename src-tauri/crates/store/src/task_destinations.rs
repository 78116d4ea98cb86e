//! Services that tasks are copied to. Each change of them is one transaction with its audit entry.

use crate::chain;
use crate::error::Result;
use crate::store::Store;
use crate::table::task_copy::{self, TaskCopy, TaskCopyCounts, TaskCopyTried, TaskDestination};
use crate::webhooks::{holds, is_sending};
use signalbox_audit::Record;
use std::sync::Arc;

/// What came of a destination that was to be kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TaskDestinationAdded {
    /// It is kept.
    Added,
    /// There is one of this name.
    Known,
    /// There are as many as there may be.
    TooMany,
}

fn rests(one: &TaskDestination, now_ms: i64) -> bool {
    one.next_ms.is_some_and(|next| holds(next, now_ms))
}

/// Destinations of tasks.
impl Store {
    /// All destinations, the oldest first.
    pub fn task_destinations(&self) -> Result<Vec<(TaskDestination, TaskCopyCounts)>> {
        self.view(|connection| {
            let counted = |one: TaskDestination| Ok((task_copy::counts(connection, &one.id)?, one));
            let all: Vec<_> = task_copy::all(connection)?.into_iter().map(counted).collect::<Result<_>>()?;
            Ok(all.into_iter().map(|(counts, one)| (one, counts)).collect())
        })
    }

    /// One destination.
    pub fn task_destination(&self, id: &str) -> Result<Option<TaskDestination>> {
        self.view(|connection| task_copy::get(connection, id))
    }

    /// Keeps a destination, unless its name is known or there are `most` already.
    pub fn task_destination_add(
        &self,
        one: TaskDestination,
        most: usize,
        record: Record,
    ) -> Result<TaskDestinationAdded> {
        self.write(true, move |work| {
            let all = task_copy::all(work.connection)?;
            if all.iter().any(|known| known.name == one.name) {
                return Ok(TaskDestinationAdded::Known);
            }
            if all.len() >= most {
                return Ok(TaskDestinationAdded::TooMany);
            }
            task_copy::insert(work.connection, &one)?;
            chain::append(work, vec![record])?;
            Ok(TaskDestinationAdded::Added)
        })
    }

    /// Forgets a destination and its copies; what stands at the service stays there. False when there is none.
    pub fn task_destination_remove(&self, id: &str, record: Record) -> Result<bool> {
        let id = id.to_owned();
        self.write(true, move |work| {
            let removed = task_copy::remove(work.connection, &id)?;
            if removed {
                chain::append(work, vec![record])?;
            }
            Ok(removed)
        })
    }

    /// Where a task stands, besides here.
    pub fn task_copies(&self, task: &str) -> Result<Vec<TaskCopy>> {
        self.view(|connection| task_copy::of_task(connection, task))
    }

    /// One copy.
    pub fn task_copy(&self, id: &str) -> Result<Option<TaskCopy>> {
        self.view(|connection| task_copy::copy(connection, id))
    }

    /// Copies of a destination or of all, the newest first.
    pub fn task_copy_log(&self, destination: Option<&str>, limit: usize) -> Result<Vec<TaskCopy>> {
        self.view(|connection| task_copy::log(connection, destination, limit))
    }

    /// The copy with this id at the service.
    pub fn task_copy_external(&self, destination: &str, external_id: &str) -> Result<Option<TaskCopy>> {
        self.view(|connection| task_copy::external(connection, destination, external_id))
    }

    /// Ids of the destinations that something is to be sent to now, and that nobody sends to.
    pub fn task_destinations_due(&self, now_ms: i64) -> Result<Vec<String>> {
        self.view(|connection| {
            let mut free = Vec::new();
            for one in task_copy::due(connection, now_ms)? {
                let busy = task_copy::busy(connection, &one.id)?;
                if !rests(&one, now_ms) && !busy.is_some_and(|busy| is_sending(&self.inner.instance, &busy, now_ms)) {
                    free.push(one.id);
                }
            }
            Ok(free)
        })
    }

    /// The next copy that is due (or the one of this id, also while the destination is left alone), for this process to send
    /// before `until_ms`; nobody else sends there meanwhile, unless this process dies.
    pub fn task_copy_take(
        &self,
        destination: &str,
        only: Option<&str>,
        now_ms: i64,
        until_ms: i64,
    ) -> Result<Option<(TaskDestination, TaskCopy)>> {
        let (id, only) = (destination.to_owned(), only.map(str::to_owned));
        let instance = Arc::clone(&self.inner.instance);
        self.write(false, move |work| {
            let connection = work.connection;
            let Some(one) = task_copy::get(connection, &id)? else { return Ok(None) };
            let busy = task_copy::busy(connection, &id)?;
            if (only.is_none() && rests(&one, now_ms)) || busy.is_some_and(|busy| is_sending(&instance, &busy, now_ms))
            {
                return Ok(None);
            }
            let Some(next) = task_copy::next(connection, &id, only.as_deref(), now_ms)? else { return Ok(None) };
            task_copy::occupy(connection, &id, &instance.id, until_ms)?;
            Ok(Some((one, next)))
        })
    }

    /// An entry is about to be created. It is on the disk before this returns: a process that is killed now leaves the
    /// question whether it was.
    pub fn task_copy_creating(&self, id: &str, at_ms: i64) -> Result<()> {
        let id = id.to_owned();
        self.write(true, move |work| task_copy::creating(work.connection, &id, at_ms))
    }

    /// What came of an attempt. `record` is written when it was given up.
    pub fn task_copy_tried(&self, one: TaskCopy, tried: TaskCopyTried, record: Record) -> Result<()> {
        self.write(true, move |work| {
            task_copy::tried(work.connection, &one, &tried)?;
            if tried.error.is_some() && tried.again_ms.is_none() {
                chain::append(work, vec![record])?;
            }
            Ok(())
        })
    }

    /// Has a copy sent again now. False, and nothing is written, when there is none whose task is open.
    pub fn task_copy_again(&self, id: &str, record: Record) -> Result<bool> {
        let id = id.to_owned();
        self.write(true, move |work| {
            let found = task_copy::again(work.connection, &id)?;
            if found {
                chain::append(work, vec![record])?;
            }
            Ok(found)
        })
    }

    /// Keeps why a decision from there was not taken.
    pub fn task_copy_note(&self, id: &str, note: Option<&str>) -> Result<()> {
        let (id, note) = (id.to_owned(), note.map(str::to_owned));
        self.write(false, move |work| task_copy::note(work.connection, &id, note.as_deref()))
    }

    /// Counts a look at the link of a copy; gives the copy.
    pub fn task_copy_opened(&self, id: &str) -> Result<Option<TaskCopy>> {
        let id = id.to_owned();
        self.write(false, move |work| task_copy::opened(work.connection, &id))
    }

    /// Counts a look at the address that takes decisions. False when there is no such destination.
    pub fn task_destination_opened(&self, id: &str) -> Result<bool> {
        let id = id.to_owned();
        self.write(false, move |work| task_copy::looked_at(work.connection, &id))
    }

    /// Whether a webhook of this key was taken before.
    pub fn task_decision_seen(&self, destination: &str, key: &str, now_ms: i64) -> Result<bool> {
        self.view(|connection| task_copy::is_seen(connection, destination, key, now_ms))
    }

    /// Remembers a webhook until then.
    pub fn task_decision_see(&self, destination: &str, key: &str, now_ms: i64, until_ms: i64) -> Result<()> {
        let (destination, key) = (destination.to_owned(), key.to_owned());
        self.write(true, move |work| task_copy::see(work.connection, &destination, &key, now_ms, until_ms))
    }
}
