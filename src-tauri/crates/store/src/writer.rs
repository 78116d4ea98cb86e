//! The one writer: it has the only write connection of this process, and stands at one [`WriteQueue`]. Its own thread works the
//! queue off, or whoever has a job that is not worth two changes of threads (ADR 37); never two at once.
//!
//! It drains the queue into one transaction (at most 256 rows), commits, and only then answers. A job that may be refused after
//! it has begun to write stands in a savepoint of its own, so that it takes nobody with it. A group with a durable job is synced
//! to the disk.

use crate::chain;
use crate::connection::Database;
use crate::error::{Error, Result};
use crate::failpoint::{Point, pass};
use crate::high_water::{Mark, MarkFile};
use crate::sql::Connection;
use signalbox_audit::{Head, Signer};
use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, TryLockError};
use std::thread::ThreadId;

/// Most rows of one transaction.
const GROUP: usize = 256;
/// Groups that somebody else's thread writes in a row; what is then left is for the writer's own.
const GROUPS_HERE: usize = 2;
/// So often in a row a group is begun again on another connection.
const BEGUN_AGAIN: usize = 3;

/// What a job may use.
pub(crate) struct Work<'a> {
    pub(crate) connection: &'a Connection,
    /// Set by a job that appended events.
    pub(crate) mark: Option<Mark>,
    /// The key of the audit chain.
    pub(crate) signer: Option<Arc<Signer>>,
    /// Set by a job that appended audit entries.
    pub(crate) head: Option<Head>,
    /// The end of the audit chain after the last commit of this process: it can only have grown.
    pub(crate) known: Option<Head>,
    /// The chain's name, once it was read: it never changes.
    pub(crate) log_id: Option<Arc<str>>,
    /// Whose the newest audit entries are.
    pub(crate) newest: &'a mut chain::Newest,
}

pub(crate) trait Job: Send {
    fn rows(&self) -> usize;
    fn durable(&self) -> bool;
    /// It is refused, if at all, before it writes anything: what stops it later is the disk, damage, or a fault of the program.
    fn sure(&self) -> bool;
    fn run(&mut self, work: &mut Work<'_>) -> Result<()>;
    fn answer(self: Box<Self>, outcome: Result<()>);
}

/// A job made of two closures.
pub(crate) struct Task<T, W, A> {
    pub(crate) rows: usize,
    pub(crate) durable: bool,
    pub(crate) sure: bool,
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
    fn sure(&self) -> bool {
        self.sure
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
    /// The writer's thread sleeps; while it works, nobody has to wake it.
    idle: bool,
}

#[derive(Default)]
struct Queue {
    state: Mutex<State>,
    wake: Condvar,
}

impl Queue {
    fn push(&self, job: Box<dyn Job>) {
        let mut state = self.state();
        if state.closed {
            drop(state);
            job.answer(Err(Error::Closed));
            return;
        }
        state.jobs.push_back(job);
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The writer's thread looks at the queue. While it is at work it needs no waking: it looks before it sleeps.
    fn wake(&self) {
        let idle = std::mem::take(&mut self.state().idle);
        if idle {
            self.wake.notify_one();
        }
    }

    /// The next group, if there is one.
    fn take(&self) -> Option<Vec<Box<dyn Job>>> {
        let mut state = self.state();
        let first = state.jobs.pop_front()?;
        let mut rows = first.rows();
        let mut group = vec![first];
        while let Some(next) = state.jobs.pop_front_if(|job| rows + job.rows() <= GROUP) {
            rows += next.rows();
            group.push(next);
        }
        Some(group)
    }

    /// Waits until there is something to do; false when the store is closed and nothing is left.
    fn wait(&self) -> bool {
        let mut state = self.state();
        while state.jobs.is_empty() {
            if state.closed {
                return false;
            }
            state.idle = true;
            state = self.wake.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        state.idle = false;
        true
    }
}

/// Where jobs are brought, and the writer that does them in their order.
pub(crate) struct WriteQueue {
    queue: Queue,
    /// Whoever has it takes the next group: the order of the groups is that of the queue.
    writer: Mutex<Writer>,
    /// The thread that writes now.
    at_work: Mutex<Option<ThreadId>>,
}

impl WriteQueue {
    pub(crate) fn new(writer: Writer) -> Self {
        Self { queue: Queue::default(), writer: Mutex::new(writer), at_work: Mutex::default() }
    }

    /// The writer's own thread.
    pub(crate) fn serve(&self) {
        while self.queue.wait() {
            let writer = self.writer.lock().unwrap_or_else(PoisonError::into_inner);
            self.work_off(writer, usize::MAX);
        }
        // A cut tail is then found by size and head. What cannot be sealed now is sealed by the next process.
        let _ = self.writer.lock().unwrap_or_else(PoisonError::into_inner).seal();
    }

    /// A job for the writer's thread.
    pub(crate) fn push(&self, job: Box<dyn Job>) {
        self.queue.push(job);
        self.queue.wake();
    }

    /// A job that is done on this thread, with what stands before it, unless somebody writes already: then the writer's
    /// thread goes on from there.
    pub(crate) fn push_here(&self, job: Box<dyn Job>) {
        self.queue.push(job);
        match self.writer.try_lock() {
            Ok(writer) => self.work_off(writer, GROUPS_HERE),
            Err(TryLockError::Poisoned(writer)) => self.work_off(writer.into_inner(), GROUPS_HERE),
            Err(TryLockError::WouldBlock) => self.queue.wake(),
        }
    }

    fn work_off(&self, mut writer: MutexGuard<'_, Writer>, groups: usize) {
        self.set_at_work(Some(std::thread::current().id()));
        for _ in 0..groups {
            let Some(group) = self.queue.take() else { break };
            writer.write(group);
        }
        self.set_at_work(None);
        drop(writer);
        if groups < usize::MAX && !self.queue.state().jobs.is_empty() {
            self.queue.wake();
        }
    }

    fn set_at_work(&self, thread: Option<ThreadId>) {
        *self.at_work.lock().unwrap_or_else(PoisonError::into_inner) = thread;
    }

    /// Whether this thread writes: an answer that is given on it cannot wait for another write.
    pub(crate) fn is_at_work_here(&self) -> bool {
        *self.at_work.lock().unwrap_or_else(PoisonError::into_inner) == Some(std::thread::current().id())
    }

    /// A connection to a server that was lost is made anew, so that others see that this process lives, also when it writes nothing.
    #[cfg(feature = "postgres")]
    pub(crate) fn revive(&self) {
        let Ok(mut writer) = self.writer.try_lock() else { return };
        if writer.connection.as_ref().is_none_or(Connection::is_closed)
            && let Ok(connection) = writer.ready()
        {
            writer.connection = Some(connection);
        }
    }

    /// What is queued is still written.
    pub(crate) fn close(&self) {
        self.queue.state().closed = true;
        self.queue.wake.notify_one();
    }
}

pub(crate) struct Writer {
    pub(crate) database: Database,
    /// `None` after an I/O error, until it can be opened again.
    pub(crate) connection: Option<Connection>,
    pub(crate) marks: Option<MarkFile>,
    pub(crate) read_only: bool,
    pub(crate) max_pages: Arc<Mutex<Option<u32>>>,
    pub(crate) signer: Arc<Mutex<Option<Arc<Signer>>>>,
    pub(crate) full_sync: bool,
    /// Connections in a row that were lost before a group had begun.
    pub(crate) lost: usize,
    /// The audit chain's name, once it was read.
    pub(crate) log_id: Option<Arc<str>>,
    /// Whose the newest audit entries are.
    pub(crate) newest: chain::Newest,
    /// Audit entries under a checkpoint, when it was looked at last: it can only have grown.
    pub(crate) sealed: u64,
}

impl Writer {
    /// Seals the audit chain in a transaction of its own.
    fn seal(&mut self) -> Result<()> {
        let connection = self.ready()?;
        let signer = self.signer();
        let result = self.begin(&connection, true).and_then(|()| {
            let sealed = chain::checkpoint(&connection, signer.as_deref(), None);
            let end = if matches!(sealed, Ok(Some(_))) { "COMMIT" } else { "ROLLBACK" };
            pass(Point::Sealing);
            let ended = execute(&connection, end);
            pass(Point::Sealed);
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
            Some(connection) if !connection.is_closed() => Ok(connection),
            _ => {
                let connection = self.database.writer()?;
                self.full_sync = true;
                let pages = *self.max_pages.lock().unwrap_or_else(PoisonError::into_inner);
                if pages.is_some() {
                    connection.set_max_pages(pages)?;
                }
                Ok(connection)
            }
        }
    }

    /// Writes one group and returns the jobs that were not reached, because SQLite gave the transaction up half-way.
    fn write_on(&mut self, connection: Connection, group: Vec<Box<dyn Job>>) -> Vec<Box<dyn Job>> {
        let full = group.iter().any(|job| job.durable());
        pass(Point::Begin);
        if let Err(error) = self.begin(&connection, full) {
            // Nothing has begun: another connection may be had.
            if matches!(error, Error::Unreachable { .. }) && self.lost < BEGUN_AGAIN {
                self.lost += 1;
                return group;
            }
            answer_all(group, &Err(error.clone()));
            self.put_back(connection, Some(&error));
            return Vec::new();
        }
        self.lost = 0;
        pass(Point::Begun);
        let alone = group.len() == 1;
        let mut done = Vec::with_capacity(group.len());
        // A job may be refused for what another one of the group has just written: that holds once it is committed, and
        // whoever is told looks for it.
        let mut refused: Vec<(Box<dyn Job>, Error)> = Vec::new();
        let mut marks = Marks::default();
        let signer = self.signer();
        let mut rest = group.into_iter();
        while let Some(mut job) = rest.next() {
            let known = marks.head.or_else(|| self.marks.as_ref().and_then(MarkFile::head));
            let (signer, log_id) = (signer.clone(), self.log_id.clone());
            let newest = &mut self.newest;
            let mut work = Work { connection: &connection, mark: None, signer, head: None, known, log_id, newest };
            // A savepoint copies every page that is changed in it.
            let guarded = !alone && !job.sure();
            let before = connection.total_changes();
            match run_one(&mut work, job.as_mut(), guarded, alone) {
                Ok(written) => {
                    self.log_id = work.log_id;
                    marks = Marks { event: written.event.or(marks.event), head: written.head.or(marks.head) };
                    done.push(job);
                }
                Err(error) => {
                    // What a job has written without a savepoint goes only with all that the group has.
                    let undone = !alone && !guarded && (connection.is_broken() || connection.total_changes() > before);
                    if undone && !connection.is_autocommit() {
                        // Fails only when SQLite has rolled back by itself.
                        let _ = connection.execute_batch("ROLLBACK");
                    }
                    if undone || connection.is_autocommit() {
                        let others = for_others(&error);
                        job.answer_caught(Err(error.clone()));
                        answer_all(done, &Err(others.clone()));
                        answer_refused(refused, Some(&others));
                        // One that is closed rolls back.
                        if connection.is_autocommit() {
                            self.put_back(connection, Some(&error));
                        }
                        return rest.collect();
                    }
                    refused.push((job, error));
                }
            }
        }
        let end = if done.is_empty() { "ROLLBACK" } else { "COMMIT" };
        pass(Point::Written);
        let (connection, outcome) = self.ended(connection, end);
        if let Err(error) = &outcome {
            if !connection.is_autocommit() {
                // Fails only when SQLite has rolled back by itself.
                let _ = connection.execute_batch("ROLLBACK");
            }
            let for_nothing = (!done.is_empty()).then_some(error);
            answer_all(done, &Err(error.clone()));
            answer_refused(refused, for_nothing);
            self.put_back(connection, Some(error));
            return Vec::new();
        }
        pass(Point::Committed);
        if let Some(file) = &mut self.marks {
            file.write(marks.event, marks.head);
        }
        pass(Point::Marked);
        let due = marks.head.is_some_and(|head| chain::is_due(&connection, head, &mut self.sealed));
        self.put_back(connection, None);
        answer_all(done, &Ok(()));
        answer_refused(refused, None);
        pass(Point::Told);
        if due {
            // The entries stand; when they cannot be sealed now, the next group tries again.
            let _ = self.seal();
        }
        Vec::new()
    }

    /// Ends the transaction. Where the connection is lost before the end is answered, another one tells what became of it.
    fn ended(&mut self, connection: Connection, end: &str) -> (Connection, Result<()>) {
        let outcome = execute(&connection, end);
        #[cfg(feature = "postgres")]
        if let (Err(Error::Unreachable { .. }), "COMMIT", Connection::Server(server)) = (&outcome, end, &connection)
            && let Some(transaction) = server.transaction()
            && let Ok(Connection::Server(another)) = self.database.writer()
        {
            use crate::sql::postgres::server::{Outcome, Server};
            self.full_sync = true;
            let told = Server::outcome(&another, transaction);
            let outcome = if told == Ok(Outcome::Committed) { Ok(()) } else { outcome };
            return (Connection::Server(another), outcome);
        }
        (connection, outcome)
    }

    fn begin(&mut self, connection: &Connection, full: bool) -> Result<()> {
        // Cannot be changed inside a transaction.
        if full != self.full_sync {
            connection.set_synced(full)?;
            self.full_sync = full;
        }
        execute(connection, "BEGIN IMMEDIATE")
    }

    fn put_back(&mut self, connection: Connection, error: Option<&Error>) {
        let unsafe_now = match error {
            Some(Error::Sqlite { .. } | Error::Damaged { .. } | Error::Unreachable { .. }) => true,
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

/// Without others in the transaction it is told at its end what is wrong with a statement.
fn run_one(work: &mut Work<'_>, job: &mut dyn Job, guarded: bool, alone: bool) -> Result<Marks> {
    let connection = work.connection;
    if guarded {
        execute(connection, "SAVEPOINT job")?;
    }
    // A panic is a bug of one job; the store goes on for the others.
    let result = catch_unwind(AssertUnwindSafe(|| job.run(work)))
        .unwrap_or_else(|_| Err(Error::Invalid { reason: "writing it failed inside".into() }));
    let result = if alone { result } else { result.and_then(|()| Ok(connection.settle()?)) };
    let marks = Marks { event: work.mark.take(), head: work.head };
    match result {
        Ok(()) if guarded => execute(connection, "RELEASE job").map(|()| marks),
        Ok(()) => Ok(marks),
        Err(error) => {
            if guarded && !connection.is_autocommit() {
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

/// What those hear whose writes went with those of a job that failed: of the disk the same, else to come again.
fn for_others(error: &Error) -> Error {
    match error {
        Error::DiskFull | Error::Sqlite { .. } | Error::Damaged { .. } | Error::Unreachable { .. } => error.clone(),
        _ => Error::Busy,
    }
}

/// `instead`: what the others of the group wrote is not there, so that nobody is refused for it.
fn answer_refused(jobs: Vec<(Box<dyn Job>, Error)>, instead: Option<&Error>) {
    for (job, own) in jobs {
        job.answer_caught(Err(instead.cloned().unwrap_or(own)));
    }
}

#[cfg(test)]
mod tests;
