//! The one writer: a thread that owns the only write connection of this process.
//!
//! It drains its queue into one transaction (at most 256 rows), commits, and only then answers. Each job of a group stands in
//! its own savepoint, so a job that fails takes nobody with it. A group with a durable job is synced to the disk.

use crate::chain;
use crate::connection::open_writer;
use crate::error::{Error, Result};
use crate::high_water::{Mark, MarkFile};
use rusqlite::Connection;
use signalbox_audit::{Head, Signer};
use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::Duration;

/// Most rows of one transaction.
const GROUP: usize = 256;

/// What a job may use.
pub(crate) struct Work<'a> {
    pub(crate) connection: &'a Connection,
    /// Set by a job that appended events.
    pub(crate) mark: Option<Mark>,
    /// The key of the audit chain.
    pub(crate) signer: Option<Arc<Signer>>,
    /// Set by a job that appended audit entries.
    pub(crate) head: Option<Head>,
}

pub(crate) trait Job: Send {
    fn rows(&self) -> usize;
    fn durable(&self) -> bool;
    fn run(&mut self, work: &mut Work<'_>) -> Result<()>;
    fn answer(self: Box<Self>, outcome: Result<()>);
}

/// A job made of two closures.
pub(crate) struct Task<T, W, A> {
    pub(crate) rows: usize,
    pub(crate) durable: bool,
    pub(crate) work: Option<W>,
    pub(crate) value: Option<T>,
    pub(crate) answer: A,
}

impl<T, W, A> Job for Task<T, W, A>
where
    T: Send,
    W: FnOnce(&mut Work<'_>) -> Result<T> + Send,
    A: FnOnce(Result<T>) + Send,
{
    fn rows(&self) -> usize {
        self.rows
    }
    fn durable(&self) -> bool {
        self.durable
    }
    fn run(&mut self, work: &mut Work<'_>) -> Result<()> {
        if let Some(job) = self.work.take() {
            self.value = Some(job(work)?);
        }
        Ok(())
    }
    fn answer(self: Box<Self>, outcome: Result<()>) {
        let Self { value, answer, .. } = *self;
        answer(outcome.and_then(|()| value.ok_or(Error::Closed)));
    }
}

#[derive(Default)]
struct State {
    jobs: VecDeque<Box<dyn Job>>,
    closed: bool,
    /// The writer sleeps; while it works, nobody has to wake it.
    idle: bool,
}

#[derive(Default)]
pub(crate) struct Queue {
    state: Mutex<State>,
    wake: Condvar,
}

impl Queue {
    pub(crate) fn push(&self, job: Box<dyn Job>) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if state.closed {
            drop(state);
            job.answer(Err(Error::Closed));
            return;
        }
        state.jobs.push_back(job);
        let idle = std::mem::take(&mut state.idle);
        drop(state);
        if idle {
            self.wake.notify_one();
        }
    }

    /// What is queued is still written.
    pub(crate) fn close(&self) {
        self.state.lock().unwrap_or_else(PoisonError::into_inner).closed = true;
        self.wake.notify_one();
    }

    /// Waits for the next group; `None` when the store is closed and nothing is left.
    fn take(&self) -> Option<Vec<Box<dyn Job>>> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            if let Some(first) = state.jobs.pop_front() {
                let mut rows = first.rows();
                let mut group = vec![first];
                while let Some(next) = state.jobs.pop_front_if(|job| rows + job.rows() <= GROUP) {
                    rows += next.rows();
                    group.push(next);
                }
                return Some(group);
            }
            if state.closed {
                return None;
            }
            state.idle = true;
            state = self.wake.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }
}

pub(crate) struct Writer {
    pub(crate) path: PathBuf,
    pub(crate) busy: Duration,
    pub(crate) queue: Arc<Queue>,
    /// `None` after an I/O error, until it can be opened again.
    pub(crate) connection: Option<Connection>,
    pub(crate) marks: Option<MarkFile>,
    pub(crate) read_only: bool,
    pub(crate) max_pages: Arc<Mutex<Option<u32>>>,
    pub(crate) signer: Arc<Mutex<Option<Arc<Signer>>>>,
    pub(crate) full_sync: bool,
}

impl Writer {
    pub(crate) fn run(mut self) {
        while let Some(group) = self.queue.take() {
            self.write(group);
        }
        // A cut tail is then found by size and head. What cannot be sealed now is sealed by the next process.
        let _ = self.seal();
    }

    /// Seals the audit chain in a transaction of its own.
    fn seal(&mut self) -> Result<()> {
        let connection = self.ready()?;
        let signer = self.signer();
        let result = self.begin(&connection, true).and_then(|()| {
            let sealed = chain::checkpoint(&connection, signer.as_deref(), None);
            let end = if matches!(sealed, Ok(Some(_))) { "COMMIT" } else { "ROLLBACK" };
            let ended = execute(&connection, end);
            if ended.is_err() && !connection.is_autocommit() {
                // Fails only when SQLite has rolled back by itself.
                let _ = connection.execute_batch("ROLLBACK");
            }
            sealed.and(ended)
        });
        self.put_back(connection, result.as_ref().err());
        result
    }

    fn signer(&self) -> Option<Arc<Signer>> {
        self.signer.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn write(&mut self, mut group: Vec<Box<dyn Job>>) {
        while !group.is_empty() {
            group = match self.ready() {
                Ok(connection) => self.write_on(connection, group),
                Err(error) => {
                    answer_all(group, &Err(error));
                    return;
                }
            };
        }
    }

    /// The connection is moved out while it is used, and put back unless an I/O error made it unsafe: after a failed sync
    /// nothing but a fresh connection knows what is on the disk.
    fn ready(&mut self) -> Result<Connection> {
        if self.read_only {
            return Err(Error::ReadOnly);
        }
        match self.connection.take() {
            Some(connection) => Ok(connection),
            None => {
                let connection = open_writer(&self.path, self.busy)?;
                self.full_sync = true;
                if let Some(pages) = *self.max_pages.lock().unwrap_or_else(PoisonError::into_inner) {
                    connection.pragma_update(None, "max_page_count", pages)?;
                }
                Ok(connection)
            }
        }
    }

    /// Writes one group and returns the jobs that were not reached, because SQLite gave the transaction up half-way.
    fn write_on(&mut self, connection: Connection, group: Vec<Box<dyn Job>>) -> Vec<Box<dyn Job>> {
        let full = group.iter().any(|job| job.durable());
        if let Err(error) = self.begin(&connection, full) {
            answer_all(group, &Err(error.clone()));
            self.put_back(connection, Some(&error));
            return Vec::new();
        }
        let alone = group.len() == 1;
        let mut done = Vec::with_capacity(group.len());
        let mut marks = Marks::default();
        let signer = self.signer();
        let mut rest = group.into_iter();
        while let Some(mut job) = rest.next() {
            match run_one(&connection, job.as_mut(), alone, signer.as_ref()) {
                Ok(written) => {
                    marks = Marks { event: written.event.or(marks.event), head: written.head.or(marks.head) };
                    done.push(job);
                }
                Err(error) => {
                    job.answer_caught(Err(error.clone()));
                    if connection.is_autocommit() {
                        answer_all(done, &Err(error.clone()));
                        self.put_back(connection, Some(&error));
                        return rest.collect();
                    }
                }
            }
        }
        let end = if done.is_empty() { "ROLLBACK" } else { "COMMIT" };
        let outcome = execute(&connection, end);
        if let Err(error) = &outcome {
            if !connection.is_autocommit() {
                // Fails only when SQLite has rolled back by itself.
                let _ = connection.execute_batch("ROLLBACK");
            }
            answer_all(done, &Err(error.clone()));
            self.put_back(connection, Some(error));
            return Vec::new();
        }
        if let Some(file) = &mut self.marks {
            file.write(marks.event, marks.head);
        }
        let due = marks.head.is_some_and(|head| matches!(chain::is_due(&connection, head), Ok(true)));
        self.put_back(connection, None);
        answer_all(done, &Ok(()));
        if due {
            // The entries stand; when they cannot be sealed now, the next group tries again.
            let _ = self.seal();
        }
        Vec::new()
    }

    fn begin(&mut self, connection: &Connection, full: bool) -> Result<()> {
        // Cannot be changed inside a transaction.
        if full != self.full_sync {
            connection.execute_batch(if full { "PRAGMA synchronous = FULL" } else { "PRAGMA synchronous = NORMAL" })?;
            self.full_sync = full;
        }
        execute(connection, "BEGIN IMMEDIATE")
    }

    fn put_back(&mut self, connection: Connection, error: Option<&Error>) {
        let unsafe_now = match error {
            Some(Error::Sqlite { .. } | Error::Damaged { .. }) => true,
            Some(Error::DiskFull) => !connection.is_autocommit(),
            Some(_) | None => false,
        };
        if !unsafe_now {
            self.connection = Some(connection);
        }
    }
}

fn execute(connection: &Connection, sql: &str) -> Result<()> {
    connection.prepare_cached(sql)?.execute([])?;
    Ok(())
}

/// What a job appended last.
#[derive(Default)]
struct Marks {
    event: Option<Mark>,
    head: Option<Head>,
}

fn run_one(connection: &Connection, job: &mut dyn Job, alone: bool, signer: Option<&Arc<Signer>>) -> Result<Marks> {
    if !alone {
        execute(connection, "SAVEPOINT job")?;
    }
    let mut work = Work { connection, mark: None, signer: signer.cloned(), head: None };
    // A panic is a bug of one job; the store goes on for the others.
    let result = catch_unwind(AssertUnwindSafe(|| job.run(&mut work)))
        .unwrap_or_else(|_| Err(Error::Invalid { reason: "writing it failed inside".into() }));
    let marks = Marks { event: work.mark, head: work.head };
    match result {
        Ok(()) if alone => Ok(marks),
        Ok(()) => execute(connection, "RELEASE job").map(|()| marks),
        Err(error) => {
            if !alone && !connection.is_autocommit() {
                execute(connection, "ROLLBACK TO job")?;
                execute(connection, "RELEASE job")?;
            }
            Err(error)
        }
    }
}

impl dyn Job {
    fn answer_caught(self: Box<Self>, outcome: Result<()>) {
        // The caller's panic must not end the writer.
        let _ = catch_unwind(AssertUnwindSafe(|| self.answer(outcome)));
    }
}

fn answer_all(jobs: Vec<Box<dyn Job>>, outcome: &Result<()>) {
    for job in jobs {
        job.answer_caught(outcome.clone());
    }
}
