//! The store as its users see it.

use crate::alarm::StoreAlarm;
use crate::chain::{self, append_one};
use crate::commit::{NewRun, Prepared, PreparedRun, RunCommit, Written};
use crate::connection::Readers;
use crate::error::{CommitError, Error, Result};
use crate::instance::Instance;
use crate::open::{self, StoreOptions};
use crate::sql::{Connection, Pause};
use crate::table::draft::{self, Draft};
use crate::table::folder_grant::{self, FolderGrant};
use crate::table::llm_usage;
use crate::table::run::{self, Owner, RunPage, RunQuery, RunRow};
use crate::table::run_event::{self, EventPage};
use crate::table::run_input::{self, RunInput};
use crate::table::run_key::{self, RunKey};
use crate::table::run_node::{self, LastCall};
use crate::table::run_path::{self, EventHead};
use crate::table::run_snapshot::{self, Snapshot};
use crate::table::{audit_place, blob, definition, run_deleted, run_sent, run_summary, setting, task};
use crate::writer::{Task, Work, WriteQueue};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use signalbox_audit::{Actor, Level, RUN_LEVEL, Record, Signer};
use signalbox_model::{AuditEvent, DurableInput, RunEvent, RunStatus, time};
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::mpsc;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;

/// Which thread writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Thread {
    /// The writer's own; many callers then share a transaction.
    Writer,
    /// The caller's, unless another writes just then: it may be held up for as long as the disk takes.
    Here,
}

/// Called once on the thread that writes, after the commit: it must be short and must not call the store back and wait.
pub type Answer<T> = Box<dyn FnOnce(Result<T, CommitError>) + Send>;

/// Events of a run that are deleted in one transaction.
const PURGE: usize = 2_000;

/// An open store. Clones share it; the last one closes it.
#[derive(Clone)]
pub struct Store {
    pub(crate) inner: Arc<Inner>,
}

pub(crate) struct Inner {
    pub(crate) folder: PathBuf,
    /// The high-water file.
    pub(crate) mark: PathBuf,
    pub(crate) desk: Arc<WriteQueue>,
    pub(crate) thread: Mutex<Option<JoinHandle<()>>>,
    pub(crate) readers: Readers,
    /// The one connection whose `data_version` can be compared with itself.
    pub(crate) watch: Mutex<Option<Connection>>,
    pub(crate) alarms: Vec<StoreAlarm>,
    pub(crate) max_pages: Arc<Mutex<Option<u32>>>,
    /// The key of the audit chain.
    pub(crate) signer: Arc<Mutex<Option<Arc<Signer>>>>,
    /// Last, because its lock says that everything above is still in use.
    pub(crate) instance: Arc<Instance>,
}

impl Drop for Inner {
    fn drop(&mut self) {
        self.close();
    }
}

impl Inner {
    fn close(&self) {
        self.desk.close();
        let thread = self.thread.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(thread) = thread
            && thread.thread().id() != std::thread::current().id()
        {
            // A panic of the writer was answered to its job already.
            let _ = thread.join();
        }
    }
}

impl std::fmt::Debug for Store {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Store").field("folder", &self.inner.folder).field("instance", &self.inner.instance.id).finish()
    }
}

/// Opening, and what concerns the store as a whole.
impl Store {
    /// Opens the store of a data folder and creates what is missing.
    pub fn open(folder: &Path, options: &StoreOptions) -> Result<Self> {
        open::open(folder, options)
    }

    /// Writes what is queued, seals the audit chain, and writes no more. A process that ends does not wait for threads that
    /// still hold the store: without this the last checkpoint would be left to the next one. It can still be read.
    pub fn close(&self) {
        self.inner.close();
    }

    /// The data folder.
    pub fn folder(&self) -> &Path {
        &self.inner.folder
    }

    /// This process, as it stands in the runs that it drives.
    pub fn instance(&self) -> &str {
        &self.inner.instance.id
    }

    /// What was found wrong when the store was opened. Not a refusal: a person has to know before runs go on.
    pub fn alarms(&self) -> &[StoreAlarm] {
        &self.inner.alarms
    }

    /// Changes whenever anybody commits, in this process or another one.
    pub fn data_version(&self) -> Result<i64> {
        let mut watch = self.inner.watch.lock().unwrap_or_else(PoisonError::into_inner);
        let connection = match watch.take() {
            Some(connection) if !connection.is_closed() => connection,
            _ => self.inner.readers.open()?,
        };
        #[cfg(feature = "postgres")]
        if let Connection::Server(server) = &connection {
            let version = crate::sql::postgres::server::Server::version(server)?;
            *watch = Some(connection);
            return Ok(version);
        }
        // Asked several times a second.
        let version = connection.prepare_cached("PRAGMA data_version")?.query_row([], |row| row.get(0))?;
        *watch = Some(connection);
        Ok(version)
    }

    /// Changes the upper limit of the database in pages of 4 KiB.
    pub fn set_max_pages(&self, pages: Option<u32>) -> Result<()> {
        *self.inner.max_pages.lock().unwrap_or_else(PoisonError::into_inner) = pages;
        self.write(false, move |work| {
            work.connection.set_max_pages(pages)?;
            Ok(())
        })
    }

    /// Whether the data is in a file of the data folder; else it is in a database that several hosts may share.
    pub fn is_file(&self) -> bool {
        self.inner.readers.is_file()
    }

    /// The address of the database that several hosts share, without its password.
    pub fn history(&self) -> Option<String> {
        self.inner.readers.address()
    }

    /// Whether this host does `work` for all hosts on one history; nobody else does until its session at the server ends. With
    /// files it is always true: processes of one machine have locks of the system.
    pub fn try_exclusive(&self, work: &str) -> Result<bool> {
        self.inner.readers.try_exclusive(work)
    }

    /// Refuses a copy of what is not in a file.
    pub fn is_copied_as_a_file(&self) -> Result<()> {
        let instead = "Use pg_dump on the database of the history, and copy the data folder of each host without it.";
        self.only_files("a copy of the data", instead)
    }

    /// Refuses what a database server does in its own way.
    pub(crate) fn only_files(&self, what: &'static str, instead: &'static str) -> Result<()> {
        if self.is_file() { Ok(()) } else { Err(Error::AtServer { what, instead }) }
    }

    /// Copies the whole store into a new file, consistently, while it is in use. `pause` is called often, and may take its time. The
    /// copy is not synced to the disk.
    pub fn back_up(&self, file: &Path, pause: Pause) -> Result<()> {
        self.is_copied_as_a_file()?;
        let target = file.to_str().ok_or_else(|| Error::Invalid { reason: "the path is not Unicode".into() })?;
        let mut connection = self.inner.readers.open()?;
        // `VACUUM INTO` counts as a write, although it writes only to the other file. It would sync that as the database is synced:
        // all at its end, and commits of others wait meanwhile.
        connection.execute_batch("PRAGMA query_only = OFF; PRAGMA synchronous = OFF")?;
        connection.pause_often(pause)?;
        connection.execute("VACUUM INTO ?", [target])?;
        Ok(())
    }

    pub(crate) fn enqueue<T: Send + 'static>(
        &self,
        rows: usize,
        durable: bool,
        work: impl FnOnce(&mut Work<'_>) -> Result<T> + Send + 'static,
        answer: impl FnOnce(Result<T>) + Send + 'static,
    ) {
        self.inner.desk.push(Box::new(Task { rows, durable, sure: false, work: Some(work), value: None, answer }));
    }

    fn wait<T: Send + 'static>(&self, enqueue: impl FnOnce(mpsc::SyncSender<Result<T>>)) -> Result<T> {
        if self.inner.desk.is_at_work_here() {
            return Err(Error::Invalid { reason: "an answer of the store cannot wait for the store".into() });
        }
        let (sender, receiver) = mpsc::sync_channel(1);
        enqueue(sender);
        receiver.recv().unwrap_or(Err(Error::Closed))
    }

    pub(crate) fn write<T: Send + 'static>(
        &self,
        durable: bool,
        work: impl FnOnce(&mut Work<'_>) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        self.wait(|sender| {
            // Nobody listens any more when the caller's thread was ended.
            self.enqueue(1, durable, work, move |outcome| drop(sender.send(outcome)));
        })
    }

    pub(crate) fn view<T>(&self, work: impl FnOnce(&Connection) -> Result<T>) -> Result<T> {
        self.inner.readers.view(work)
    }
}

fn take_over(connection: &Connection, instance: &Instance, run: &str) -> Result<Option<RunRow>> {
    let mut row = run::require(connection, run)?;
    let driven = row.owner.as_ref().is_some_and(|owner| instance.is_alive(&owner.instance));
    if row.ended_ms.is_some() || driven {
        return Ok(None);
    }
    // What carries it out instead of hosts claims it.
    if row.handed_to.is_some() && row.status != RunStatus::Queued {
        return Ok(None);
    }
    // One that waits for its turn is taken up only to be ended.
    if row.status == RunStatus::Queued
        && !run_input::pending(connection, run)?
            .iter()
            .any(|input| matches!(input.body, Some(DurableInput::Cancel { .. })))
    {
        return Ok(None);
    }
    row.epoch += 1;
    run::set_owner(connection, run, Some(&instance.id), row.epoch)?;
    row.owner = Some(Owner { instance: instance.id.clone(), epoch: row.epoch });
    Ok(Some(row))
}

/// Driving runs.
impl Store {
    /// Creates a run with its first events, owned by this process with epoch 1.
    pub fn create_run(&self, new: NewRun) -> Result<Owner, CommitError> {
        self.wait(|sender| {
            let told = move |outcome: Result<Written, CommitError>| {
                drop(sender.send(outcome.map(|written| written.owner).map_err(Error::from)));
            };
            self.submit_run(new, Box::new(told));
        })
        .map_err(CommitError::from)
    }

    /// [`Self::create_run`] without waiting.
    pub fn submit_run(&self, new: NewRun, answer: Answer<Written>) {
        let durable = new.durable;
        match PreparedRun::new(new, self.instance()) {
            Ok(run) => {
                let job = Task {
                    rows: 1 + run.first.rows(),
                    durable,
                    sure: run.first.is_sure(),
                    work: Some(|work: &mut Work<'_>| run.apply(work)),
                    value: None,
                    answer: |outcome: Result<Written>| answer(outcome.map_err(CommitError::from)),
                };
                self.inner.desk.push(Box::new(job));
            }
            Err(error) => answer(Err(error.into())),
        }
    }

    /// The run that was started with this key and the same request, while the key holds. Refuses a key that stands for
    /// another start.
    pub fn run_of_key(&self, key: &RunKey, now_ms: i64) -> Result<Option<String>> {
        self.view(|connection| run_key::get(connection, key, now_ms))
    }

    /// Removes keys that no longer hold; says how many.
    pub fn run_keys_sweep(&self, now_ms: i64) -> Result<usize> {
        let mut removed = 0;
        loop {
            let some = self.write(false, move |work| run_key::sweep(work.connection, now_ms, PURGE))?;
            removed += some;
            if some < PURGE {
                return Ok(removed);
            }
        }
    }

    /// Writes everything of `commit`, or nothing, and waits for it.
    pub fn commit(&self, commit: RunCommit) -> Result<(), CommitError> {
        self.wait(|sender| {
            self.submit(commit, Box::new(move |outcome| drop(sender.send(outcome.map_err(Error::from)))))
        })
        .map_err(CommitError::from)
    }

    /// [`Self::commit`] without waiting: commits of many runs then share one sync. Answers come in the order of the calls,
    /// except that a commit which cannot be stored is answered at once, on the caller's thread.
    pub fn submit(&self, mut commit: RunCommit, answer: Answer<()>) {
        self.submit_lent(&mut commit, Thread::Writer, Box::new(|outcome| answer(outcome.map(drop))));
    }

    /// [`Self::submit`] of a commit that its owner keeps, to repeat it if need be. Its snapshot, its summary and its audit entries
    /// are moved out of it: a commit that is repeated can do without the first, and must be given the others anew. [`Thread::Here`]
    /// may write it on the caller's thread, and answers before it returns when it does.
    pub fn submit_lent(&self, commit: &mut RunCommit, thread: Thread, answer: Answer<Written>) {
        let durable = commit.durable;
        let prepared = match Prepared::new(commit) {
            Ok(prepared) => prepared,
            Err(error) => return answer(Err(error.into())),
        };
        let job = Task {
            rows: prepared.rows(),
            durable,
            sure: prepared.is_sure(),
            work: Some(|work: &mut Work<'_>| prepared.apply(work)),
            value: None,
            answer: |outcome: Result<Written>| answer(outcome.map_err(CommitError::from)),
        };
        match thread {
            Thread::Writer => self.inner.desk.push(Box::new(job)),
            Thread::Here => self.inner.desk.push_here(Box::new(job)),
        }
    }

    /// Takes a run over when its owner is dead or has released it; `None` when it has ended or somebody drives it,
    /// this process included.
    pub fn take_over(&self, run_id: &str) -> Result<Option<Owner>> {
        let taken = self.take_over_all(vec![run_id.to_owned()])?.pop().unwrap_or(Err(Error::Closed))?;
        Ok(taken.and_then(|row| row.owner))
    }

    /// [`Self::take_over`] of several runs in one transaction: their rows as they are now, in the order of `runs`.
    pub fn take_over_all(&self, runs: Vec<String>) -> Result<Vec<Result<Option<RunRow>>>> {
        let instance = Arc::clone(&self.inner.instance);
        // Not synced: what takes the owner's word away, a power loss, takes the owner too, and what it writes later is
        // synced after this.
        self.write(false, move |work| {
            let mut taken = Vec::with_capacity(runs.len());
            for run in &runs {
                taken.push(match take_over(work.connection, &instance, run) {
                    // Of one run; anything else is of the whole transaction.
                    Err(error @ Error::UnknownRun { .. }) => Err(error),
                    other => Ok(other?),
                });
            }
            Ok(taken)
        })
    }

    /// Gives a run back, so that any process may take it over while this one lives. False when it was not `owner`'s.
    pub fn release(&self, run_id: &str, owner: &Owner) -> Result<bool> {
        self.wait(|sender| self.submit_release(run_id, owner, move |outcome| drop(sender.send(outcome))))
    }

    /// [`Self::release`] without waiting; for the answer holds what is said of [`Answer`].
    pub fn submit_release(&self, run_id: &str, owner: &Owner, answer: impl FnOnce(Result<bool>) + Send + 'static) {
        let (run_id, owner) = (run_id.to_owned(), owner.clone());
        let release = move |work: &mut Work<'_>| {
            let row = run::require(work.connection, &run_id)?;
            if row.owner.as_ref() != Some(&owner) {
                return Ok(false);
            }
            run::set_owner(work.connection, &run_id, None, owner.epoch)?;
            Ok(true)
        };
        self.enqueue(1, false, release, answer);
    }

    /// Whether a living process, this one included, drives the run.
    pub fn is_driven(&self, run_id: &str) -> Result<bool> {
        Ok(self.drives(&self.run(run_id)?))
    }

    /// [`Self::is_driven`] of a row that was just read.
    pub fn drives(&self, row: &RunRow) -> bool {
        row.ended_ms.is_none() && row.owner.as_ref().is_some_and(|owner| self.inner.instance.is_alive(&owner.instance))
    }

    /// Runs that have not ended and that nobody drives, oldest first.
    pub fn unowned_unfinished_runs(&self) -> Result<Vec<String>> {
        self.unowned(true)
    }

    /// [`Self::unowned_unfinished_runs`] without those that wait for a person.
    pub fn unowned_active_runs(&self) -> Result<Vec<String>> {
        self.unowned(false)
    }

    fn unowned(&self, paused: bool) -> Result<Vec<String>> {
        Ok(self.undriven(self.view(|connection| run::unfinished(connection, paused))?))
    }

    /// Of runs and their owners those that no living process drives; each process is looked at once.
    pub(crate) fn undriven(&self, runs: Vec<(String, Option<String>)>) -> Vec<String> {
        #[cfg(feature = "postgres")]
        if !self.is_file() {
            self.inner.desk.revive();
        }
        let mut alive: HashMap<String, bool> = HashMap::new();
        let mut driven = |owner| *alive.entry(owner).or_insert_with_key(|owner| self.inner.instance.is_alive(owner));
        runs.into_iter().filter_map(|(run_id, owner)| (!owner.is_some_and(&mut driven)).then_some(run_id)).collect()
    }

    /// Asks something of a run, durably, whoever drives it. Refused when it has ended.
    pub fn add_input(&self, run_id: &str, input: &DurableInput) -> Result<i64> {
        self.add_input_with(run_id, input, None)
    }

    /// The same, with an entry that says who asked.
    pub fn add_input_with(&self, run_id: &str, input: &DurableInput, record: Option<Record>) -> Result<i64> {
        let (run_id, input) = (run_id.to_owned(), input.clone());
        self.write(true, move |work| {
            let row = run::require(work.connection, &run_id)?;
            if row.ended_ms.is_some() {
                return Err(Error::RunEnded { run: run_id });
            }
            if let Some(record) = record {
                append_one(work, record, None)?;
            }
            run_input::insert(work.connection, &run_id, &input)
        })
    }

    /// Inputs that no commit has consumed, in the order of arrival.
    pub fn pending_inputs(&self, run_id: &str) -> Result<Vec<RunInput>> {
        self.view(|connection| run_input::pending(connection, run_id))
    }
}

/// History.
impl Store {
    /// One run.
    pub fn run(&self, run_id: &str) -> Result<RunRow> {
        self.view(|connection| run::require(connection, run_id))
    }

    /// At most `most` runs, newest first, whose id ends so, read without its hyphens: the number that people are shown.
    pub fn runs_ending(&self, end: &str, most: usize) -> Result<Vec<String>> {
        self.view(|connection| run::ending(connection, end, most))
    }

    /// A page of runs, newest first.
    pub fn runs(&self, query: &RunQuery) -> Result<RunPage> {
        self.view(|connection| run::list(connection, query))
    }

    /// How many runs there are of each status that some run has.
    pub fn run_counts(&self) -> Result<Vec<(String, u64)>> {
        self.view(run::counts)
    }

    /// [`Store::summary`] as compact JSON text.
    pub fn summary_text(&self, run_id: &str) -> Result<Option<String>> {
        self.view(|connection| run_summary::text(connection, run_id))
    }

    /// The summary of an ended run, when its last commit had one.
    pub fn summary<T: DeserializeOwned>(&self, run_id: &str) -> Result<Option<T>> {
        self.view(|connection| run_summary::get(connection, run_id))
    }

    /// Up to `limit` events after `after`, verified and whole.
    pub fn events(&self, run_id: &str, after: u64, limit: usize) -> Result<Vec<RunEvent>> {
        self.view(|connection| {
            let row = run::require(connection, run_id)?;
            let (token, most) = (row.client_run_token.as_deref(), (limit, usize::MAX));
            Ok(run_event::list(connection, run_id, token, after, row.last_seq, most)?.events)
        })
    }

    /// [`Self::events`], and none after those that take `bytes`: however large the values are, a page of them is small.
    pub fn event_page(&self, run_id: &str, after: u64, limit: usize, bytes: usize) -> Result<EventPage> {
        self.view(|connection| {
            let row = run::require(connection, run_id)?;
            let token = row.client_run_token.as_deref();
            run_event::list(connection, run_id, token, after, row.last_seq, (limit, bytes))
        })
    }

    /// One event, verified and whole; `None` when the log does not reach so far.
    pub fn event(&self, run_id: &str, seq: u64) -> Result<Option<RunEvent>> {
        self.view(|connection| {
            let row = run::require(connection, run_id)?;
            run_event::get(connection, run_id, row.client_run_token.as_deref(), seq, row.last_seq)
        })
    }

    /// The newest `limit` events of a type (`file_done`), the newest first, verified and whole.
    pub fn newest_events_of_type(&self, run_id: &str, kind: &str, limit: usize) -> Result<Vec<RunEvent>> {
        self.view(|connection| {
            let row = run::require(connection, run_id)?;
            let token = row.client_run_token.as_deref();
            let seqs = run_event::newest_of_type(connection, run_id, kind, limit)?;
            let mut events = Vec::with_capacity(seqs.len());
            for seq in seqs {
                events.extend(run_event::get(connection, run_id, token, seq, row.last_seq)?);
            }
            Ok(events)
        })
    }

    /// The step that a run was asked to end after; `None` for a whole run.
    pub fn run_until(&self, run_id: &str) -> Result<Option<String>> {
        self.view(|connection| run_event::until(connection, run_id))
    }

    /// The newest readable snapshot; the events after it lead to the present state.
    pub fn latest_snapshot(&self, run_id: &str) -> Result<Option<Snapshot>> {
        self.view(|connection| {
            let row = run::require(connection, run_id)?;
            run_snapshot::latest(connection, run_id, row.last_seq)
        })
    }

    /// [`Self::latest_snapshot`] and a page of the events after it, from one consistent view.
    pub fn latest_state(&self, run_id: &str, limit: usize, bytes: usize) -> Result<(Option<Snapshot>, EventPage)> {
        self.view(|connection| {
            let row = run::require(connection, run_id)?;
            let snapshot = run_snapshot::latest(connection, run_id, row.last_seq)?;
            let after = snapshot.as_ref().map_or(0, |snapshot| snapshot.seq);
            let token = row.client_run_token.as_deref();
            let page = run_event::list(connection, run_id, token, after, row.last_seq, (limit, bytes))?;
            Ok((snapshot, page))
        })
    }

    /// Where a node was called last: in one run, or in the newest run of the workflow that called it.
    pub fn last_called_step(&self, workflow_id: &str, node: &str, run_id: Option<&str>) -> Result<Option<LastCall>> {
        self.view(|connection| run_node::last_call(connection, workflow_id, node, run_id))
    }

    /// What up to `limit` events after `after` are about, not verified, without their data.
    pub fn event_heads(&self, run_id: &str, after: u64, limit: usize) -> Result<Vec<EventHead>> {
        self.view(|connection| run_path::heads(connection, run_id, after, limit))
    }

    /// The first `limit` events of a node at a path (`""` is the top), verified and whole.
    pub fn events_of_step(&self, run_id: &str, path: &str, node: &str, limit: usize) -> Result<Vec<RunEvent>> {
        self.view(|connection| {
            let row = run::require(connection, run_id)?;
            let token = row.client_run_token.as_deref();
            run_path::of_step(connection, run_id, token, (path, node), row.last_seq, limit)
        })
    }

    /// Up to `limit` events after `after` of an iteration or a branch, with what is further in.
    pub fn events_inside(&self, run_id: &str, path: &str, after: u64, limit: usize) -> Result<Vec<RunEvent>> {
        self.view(|connection| {
            let row = run::require(connection, run_id)?;
            let token = row.client_run_token.as_deref();
            run_path::inside(connection, run_id, token, path, (after, row.last_seq), limit)
        })
    }

    /// Up to `limit` events after `after` at the top and at these paths, and changes of variables at any.
    pub fn events_around(&self, run_id: &str, paths: &[&str], after: u64, limit: usize) -> Result<Vec<RunEvent>> {
        self.view(|connection| {
            let row = run::require(connection, run_id)?;
            let token = row.client_run_token.as_deref();
            run_path::around(connection, run_id, token, paths, (after, row.last_seq), limit)
        })
    }

    /// Paths of the last calls of a node (`""` is the top), the newest first.
    pub fn paths_of_calls(&self, run_id: &str, node: &str, limit: usize) -> Result<Vec<String>> {
        self.view(|connection| run_path::of_calls(connection, run_id, node, limit))
    }

    /// The event that ended the call which began with event `start`; `None` while it goes on.
    pub fn end_of_call(&self, run_id: &str, start: u64) -> Result<Option<RunEvent>> {
        self.view(|connection| {
            let row = run::require(connection, run_id)?;
            match run_event::end_of_call(connection, run_id, start)? {
                Some(seq) => run_event::get(connection, run_id, row.client_run_token.as_deref(), seq, row.last_seq),
                None => Ok(None),
            }
        })
    }

    /// Deletes an ended run with everything that nothing else refers to. Its audit entries stay; `RUN_DELETED` says who
    /// deleted it and how much there was.
    pub fn delete_run(&self, run_id: &str, actor: Actor, at_ms: i64) -> Result<()> {
        let run = run_id.to_owned();
        self.write(true, move |work| {
            let row = run::require(work.connection, &run)?;
            if row.ended_ms.is_none() {
                return Err(Error::DeleteRefused { run, status: row.status.as_str().into() });
            }
            let entries = audit_place::count_of_run(work.connection, &run, u64::MAX)?;
            let facts = json!({
                "workflowId": row.workflow_id, "workflowName": row.workflow_name, "status": row.status.as_str(),
                "startedAt": time::format(row.started_ms), "endedAt": row.ended_ms.map(time::format),
                "events": row.last_seq, "entries": entries,
            });
            let record =
                Record::new(time::format(at_ms), run.as_str(), RUN_LEVEL, AuditEvent::RunDeleted, Level::Warn, actor)
                    .with_metadata(facts.as_object().cloned().unwrap_or_default());
            chain::append(work, vec![record])?;
            run_deleted::insert(work.connection, &run)?;
            run_sent::delete(work.connection, &run)?;
            run::delete(work.connection, &run)
        })?;
        self.purge(run_id)
    }

    /// Ends deletions that a crash cut off.
    pub(crate) fn purge_deleted(&self) -> Result<()> {
        for run in self.view(run_deleted::unpurged)? {
            self.purge(&run)?;
        }
        Ok(())
    }

    /// In steps, so that nobody waits long behind the deletion of a long run.
    fn purge(&self, run_id: &str) -> Result<()> {
        loop {
            let run = run_id.to_owned();
            let done = self.write(false, move |work| {
                let connection = work.connection;
                if run_event::delete_some(connection, &run, PURGE)? == PURGE {
                    return Ok(false);
                }
                if blob::free_some(connection, &run, PURGE)? == PURGE {
                    return Ok(false);
                }
                run_snapshot::delete(connection, &run)?;
                run_summary::delete(connection, &run)?;
                run_input::delete(connection, &run)?;
                run_node::delete(connection, &run)?;
                llm_usage::delete(connection, &run)?;
                task::delete(connection, &run)?;
                run_deleted::set_purged(connection, &run)?;
                Ok(true)
            })?;
            if done {
                return Ok(());
            }
        }
    }

    /// Stores a workflow definition under its content hash.
    pub fn definition_put(&self, hash: &str, text: &str) -> Result<()> {
        let (hash, text) = (hash.to_owned(), text.to_owned());
        self.write(false, move |work| definition::put(work.connection, &hash, &text))
    }

    /// Removes definitions that no run has needed since `before_ms`; says how many. A definition that nobody needs now is
    /// noted with `now_ms`, and goes with a later sweep: it may be written already for a run that is about to start.
    /// `files` is the member of a definition that names the definitions of its sub-workflows.
    pub fn definitions_sweep(&self, files: &'static str, now_ms: i64, before_ms: i64) -> Result<usize> {
        let unneeded = self.view(|connection| definition::unneeded(connection, files))?;
        self.write(false, move |work| definition::sweep(work.connection, &unneeded, now_ms, before_ms, PURGE))
    }

    /// A stored workflow definition.
    pub fn definition_get(&self, hash: &str) -> Result<Option<String>> {
        self.view(|connection| definition::get(connection, hash))
    }
}

/// What a person set on this machine.
impl Store {
    /// A setting.
    pub fn setting_get(&self, name: &str) -> Result<Option<Value>> {
        self.view(|connection| setting::get(connection, name))
    }

    /// Sets a setting, or removes it with `None`.
    pub fn setting_set(&self, name: &str, value: Option<Value>) -> Result<()> {
        let name = name.to_owned();
        self.write(true, move |work| setting::set(work.connection, &name, value.as_ref()))
    }

    /// Sets a setting to what `change` makes of it, or removes it with `None`; nobody writes it in between.
    pub fn setting_change<E: Send + 'static>(
        &self,
        name: &str,
        change: impl FnOnce(Option<Value>) -> Result<Option<Value>, E> + Send + 'static,
    ) -> Result<Result<(), E>> {
        self.setting_changed(name, None, change)
    }

    /// [`Self::setting_change`] in one transaction with its audit entry.
    pub fn setting_change_recorded<E: Send + 'static>(
        &self,
        name: &str,
        record: Record,
        change: impl FnOnce(Option<Value>) -> Result<Option<Value>, E> + Send + 'static,
    ) -> Result<Result<(), E>> {
        self.setting_changed(name, Some(record), change)
    }

    fn setting_changed<E: Send + 'static>(
        &self,
        name: &str,
        record: Option<Record>,
        change: impl FnOnce(Option<Value>) -> Result<Option<Value>, E> + Send + 'static,
    ) -> Result<Result<(), E>> {
        let name = name.to_owned();
        self.write(true, move |work| {
            let value = match change(setting::get(work.connection, &name)?) {
                Ok(value) => value,
                Err(why) => return Ok(Err(why)),
            };
            setting::set(work.connection, &name, value.as_ref())?;
            if let Some(record) = record {
                chain::append(work, vec![record])?;
            }
            Ok(Ok(()))
        })
    }

    /// All granted folders.
    pub fn folders(&self) -> Result<Vec<FolderGrant>> {
        self.view(folder_grant::list)
    }

    /// Grants a folder, or changes the grant of the same folder and workflow.
    pub fn folder_grant(&self, grant: FolderGrant, record: Record) -> Result<()> {
        self.write(true, move |work| {
            folder_grant::put(work.connection, &grant)?;
            chain::append(work, vec![record])?;
            Ok(())
        })
    }

    /// Takes a grant back; false, and nothing is recorded, when there was none.
    pub fn folder_revoke(&self, folder: &str, workflow_id: Option<&str>, record: Record) -> Result<bool> {
        let (folder, workflow) = (folder.to_owned(), workflow_id.map(str::to_owned));
        self.write(true, move |work| {
            let deleted = folder_grant::delete(work.connection, &folder, workflow.as_deref())?;
            if deleted {
                chain::append(work, vec![record])?;
            }
            Ok(deleted)
        })
    }

    /// Unsaved edits of a file.
    pub fn draft_get(&self, reference: &str) -> Result<Option<Draft>> {
        self.view(|connection| draft::get(connection, reference))
    }

    /// Files with unsaved edits, oldest edit first.
    pub fn drafts(&self) -> Result<Vec<String>> {
        self.view(draft::references)
    }

    /// Keeps unsaved edits.
    pub fn draft_put(&self, reference: &str, draft: Draft) -> Result<()> {
        let reference = reference.to_owned();
        self.write(false, move |work| draft::put(work.connection, &reference, &draft))
    }

    /// Drops unsaved edits.
    pub fn draft_discard(&self, reference: &str) -> Result<()> {
        let reference = reference.to_owned();
        self.write(false, move |work| draft::delete(work.connection, &reference))
    }
}
