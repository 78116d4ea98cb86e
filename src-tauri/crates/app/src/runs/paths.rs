//! Iterations and branches of a run: when each began, where it stands, and how far its container is. Folded from what
//! events are about, without their data.

use crate::app::App;
use crate::dto::{RunContainer, RunPath, RunPathPage};
use crate::error::ApiResult;
use crate::workflows::check;
use indexmap::IndexMap;
use signalbox_engine::config;
use signalbox_model::{EventBody, Role, RunEvent};
use signalbox_store::EventHead;
use std::collections::{BTreeSet, HashMap};
use std::sync::{Arc, PoisonError};

/// Events of one read.
const PAGE: usize = 5_000;
/// Paths of one answer.
const LISTED: usize = 1_000;
/// Paths that stand from the original of a re-run: all have the first event, and come in one answer.
const KEPT: usize = 10_000;

/// The paths of a run, up to an event.
#[derive(Debug, Default)]
pub(crate) struct RunPaths {
    run_id: String,
    seq: u64,
    /// In the order of their first events.
    rows: IndexMap<Arc<str>, Row>,
    /// By path and node.
    containers: IndexMap<(Arc<str>, Arc<str>), Container>,
    /// Calls that have begun, and retries that are due: items by path and node.
    open: HashMap<(Arc<str>, String), BTreeSet<u64>>,
    /// Tasks that nobody has answered, and the paths that wait for each.
    tasks: HashMap<String, Vec<usize>>,
}

#[derive(Debug, Default)]
struct Row {
    first: u64,
    last: u64,
    /// Calls that have begun and retries that are due.
    open: usize,
    /// Tasks here and further in.
    tasks: usize,
    /// The last that happened was an error, or that something was cut off.
    bad: bool,
    container: Option<usize>,
}

#[derive(Debug, PartialEq, Eq, Clone, Copy)]
enum Stands {
    Running,
    Done,
    Failed,
}

impl Row {
    fn stands(&self) -> Stands {
        match (self.open + self.tasks, self.bad) {
            (0, false) => Stands::Done,
            (0, true) => Stands::Failed,
            _ => Stands::Running,
        }
    }
}

#[derive(Debug)]
struct Container {
    role: Role,
    total: Option<u64>,
    running: u64,
    done: u64,
    failed: u64,
}

impl Container {
    fn count(&mut self, stands: Stands) -> &mut u64 {
        match stands {
            Stands::Running => &mut self.running,
            Stands::Done => &mut self.done,
            Stands::Failed => &mut self.failed,
        }
    }
}

impl RunPaths {
    /// Takes the next event. `source` is asked for the length of a list that stands elsewhere.
    fn take(&mut self, head: &EventHead, source: &mut dyn FnMut(u64) -> Option<u64>) {
        self.seq = head.seq;
        let path: Arc<str> = Arc::from(head.path.as_deref().unwrap_or_default());
        let row = if path.is_empty() { None } else { Some(self.row(&path, head.seq)) };
        let key = || (Arc::clone(&path), head.node.clone().unwrap_or_default());
        match head.kind.as_str() {
            "step_start" => {
                self.container(head, &path, source);
                let items: Vec<u64> = match head.item {
                    Some(item) => vec![item],
                    None => (0..head.input.unwrap_or(1).max(1)).collect(),
                };
                self.change(row, |row| row.bad = false);
                self.opened(row, key(), items);
            }
            "retry_scheduled" => self.opened(row, key(), vec![head.item.unwrap_or_default()]),
            "step_done" | "step_error" | "step_interrupted" => {
                self.change(row, |row| row.bad = head.kind != "step_done");
                self.closed(row, &key(), head.item);
            }
            "step_skipped" => self.change(row, |row| row.bad = false),
            "error_handled" if head.word.as_deref() == Some("abort") => self.change(row, |row| row.bad = true),
            "human_task_created" => {
                let waiting: Vec<usize> = prefixes(&path).filter_map(|path| self.rows.get_index_of(path)).collect();
                for row in &waiting {
                    self.change(Some(*row), |row| row.tasks += 1);
                }
                self.tasks.insert(head.word.clone().unwrap_or_default(), waiting);
            }
            "human_task_completed" | "human_task_closed" => {
                let waiting = self.tasks.remove(head.word.as_deref().unwrap_or_default());
                for row in waiting.into_iter().flatten() {
                    self.change(Some(row), |row| row.tasks = row.tasks.saturating_sub(1));
                }
                // What a person decided is no error any more; what comes of it follows.
                self.change(row, |row| row.bad = false);
            }
            "workflow_done" | "workflow_failed" | "workflow_cancelled" => {
                self.open.clear();
                self.tasks.clear();
                for row in 0..self.rows.len() {
                    self.change(Some(row), |row| (row.open, row.tasks) = (0, 0));
                }
            }
            _ => {}
        }
    }

    /// What a re-run has of its original, in its first event. Who was asked there is asked anew.
    fn take_base(&mut self, events: &[RunEvent]) {
        for event in events.iter().filter(|event| !matches!(event.body, EventBody::HumanTaskCreated(_))) {
            if event.path.as_deref().is_some_and(|path| self.rows.len() >= KEPT && !self.rows.contains_key(path)) {
                continue;
            }
            self.take(&head_of(event), &mut |_| None);
        }
    }

    /// The row of a path, with its last event.
    fn row(&mut self, path: &Arc<str>, seq: u64) -> usize {
        if let Some((row, _, known)) = self.rows.get_full_mut(path) {
            known.last = seq;
            return row;
        }
        let container = self.container_of(path);
        let row = Row { first: seq, last: seq, container, ..Row::default() };
        if let Some((_, container)) = container.and_then(|index| self.containers.get_index_mut(index)) {
            *container.count(row.stands()) += 1;
        }
        self.rows.insert_full(Arc::clone(path), row).0
    }

    /// `outer/loop[3]` belongs to `loop` at `outer`, `outer/par/entry` to `par`, `outer/sub` to `sub`. A container begins
    /// before what is in it.
    fn container_of(&self, path: &str) -> Option<usize> {
        let split = |path: &str| match path.rsplit_once('/') {
            Some((outer, last)) => (outer.to_owned(), last.to_owned()),
            None => (String::new(), path.to_owned()),
        };
        let at = |outer: &str, id: &str| self.containers.get_index_of(&(Arc::from(outer), Arc::from(id)));
        let (outer, last) = split(path);
        let id = last.split_once('[').map_or(last.as_str(), |(id, _)| id);
        at(&outer, id).or_else(|| {
            let (outer, parallel) = split(&outer);
            at(&outer, &parallel)
        })
    }

    fn container(&mut self, head: &EventHead, path: &Arc<str>, source: &mut dyn FnMut(u64) -> Option<u64>) {
        let kind = head.word.as_deref().unwrap_or_default();
        let Some(role) = check::catalog().get(kind).map(|known| known.role).filter(|role| role.is_container()) else {
            return;
        };
        let total = match role {
            Role::Loop if head.conditional => None,
            Role::Loop if head.source.is_none() && head.large => source(head.seq).or(head.input),
            Role::Loop => head.source.or(head.input),
            _ => None,
        };
        let key = (Arc::clone(path), Arc::from(head.node.as_deref().unwrap_or_default()));
        match self.containers.get_mut(&key) {
            Some(known) => known.total = total,
            None => {
                self.containers.insert(key, Container { role, total, running: 0, done: 0, failed: 0 });
            }
        }
    }

    fn change(&mut self, row: Option<usize>, with: impl FnOnce(&mut Row)) {
        let Some((_, row)) = row.and_then(|row| self.rows.get_index_mut(row)) else { return };
        let before = row.stands();
        with(row);
        let after = row.stands();
        if before != after
            && let Some((_, container)) = row.container.and_then(|index| self.containers.get_index_mut(index))
        {
            let count = container.count(before);
            *count = count.saturating_sub(1);
            *container.count(after) += 1;
        }
    }

    fn opened(&mut self, row: Option<usize>, key: (Arc<str>, String), items: Vec<u64>) {
        if row.is_none() {
            return;
        }
        let known = self.open.entry(key).or_default();
        let before = known.len();
        known.extend(items);
        let more = known.len() - before;
        self.change(row, |row| row.open += more);
    }

    /// A call of one item ended, or the calls of all.
    fn closed(&mut self, row: Option<usize>, key: &(Arc<str>, String), item: Option<u64>) {
        let Some(known) = self.open.get_mut(key) else { return };
        let before = known.len();
        match item {
            Some(item) => {
                known.remove(&item);
            }
            None => known.clear(),
        }
        let fewer = before - known.len();
        if known.is_empty() {
            self.open.remove(key);
        }
        self.change(row, |row| row.open = row.open.saturating_sub(fewer));
    }

    /// The paths that began after an event, and the containers that they belong to or hold.
    fn page(&self, after: u64) -> RunPathPage {
        let rows = self.rows.as_slice();
        let first = rows.partition_point(|_, row| row.first <= after);
        // Those that stand from the original began together: the next page begins after them.
        let together = rows.get_index(first + LISTED - 1).map_or(0, |(_, last)| last.first);
        let end = rows.partition_point(|_, row| row.first <= together).max(first + LISTED);
        let listed = end - first;
        let paths: Vec<RunPath> = self
            .rows
            .iter()
            .skip(first)
            .take(listed)
            .map(|(path, row)| RunPath {
                path: path.to_string(),
                first_seq: row.first,
                last_seq: row.last,
                running: row.stands() == Stands::Running,
                failed: row.stands() == Stands::Failed,
                waiting: row.tasks > 0,
                kept: row.last == BASE,
            })
            .collect();
        let owners: BTreeSet<usize> =
            self.rows.values().skip(first).take(listed).filter_map(|row| row.container).collect();
        let listed: BTreeSet<&str> = paths.iter().map(|row| row.path.as_str()).collect();
        let containers = self.containers.iter().enumerate();
        let containers = containers
            .filter(|(index, ((path, _), _))| path.is_empty() || listed.contains(&**path) || owners.contains(index));
        let containers = containers.map(|(_, ((path, step), container))| {
            let begun = container.running + container.done + container.failed;
            let key = if path.is_empty() { step.to_string() } else { format!("{path}/{step}") };
            let told = RunContainer {
                path: path.to_string(),
                step_id: step.to_string(),
                // Branches begin together.
                total: container.total.or((container.role == Role::Parallel).then_some(begun)),
                done: container.done,
                running: container.running,
                failed: container.failed,
            };
            (key, told)
        });
        RunPathPage { containers: containers.collect(), truncated: first + paths.len() < self.rows.len(), paths }
    }
}

/// The event that holds what a re-run has of its original.
const BASE: u64 = 1;

/// What an event of the original is about; it stands in the first event of the re-run.
fn head_of(event: &RunEvent) -> EventHead {
    let head = EventHead {
        seq: BASE,
        kind: event.body.type_name().to_owned(),
        node: event.step_id.clone(),
        path: event.path.as_deref().map(str::to_owned),
        item: event.item.map(|item| item as u64),
        ..EventHead::default()
    };
    match &event.body {
        EventBody::StepStart(start) => EventHead {
            word: Some(start.kind.clone()),
            input: Some(start.input.len() as u64),
            source: config::entries(&start.config).map(|entries| entries as u64),
            conditional: start.config.get("while").is_some(),
            ..head
        },
        EventBody::ErrorHandled(handled) => EventHead { word: Some(handled.action.clone()), ..head },
        _ => head,
    }
}

/// A path and the paths around it: `a[1]/par/b` has `a[1]` and `a[1]/par` as well, of which not all are paths.
fn prefixes(path: &str) -> impl Iterator<Item = &str> {
    path.match_indices('/').map(|(end, _)| &path[..end]).chain(std::iter::once(path))
}

impl App {
    /// The iterations and branches of a run that began after an event. The run that was asked for last is kept.
    pub(crate) fn paths(&self, run_id: &str, after: u64) -> ApiResult<RunPathPage> {
        let last = self.store.run(run_id)?.last_seq;
        let kept = self.paths.lock().unwrap_or_else(PoisonError::into_inner).take();
        let kept = kept.filter(|kept| kept.run_id == run_id && kept.seq <= last);
        let mut paths = kept.unwrap_or_else(|| RunPaths { run_id: run_id.to_owned(), ..RunPaths::default() });
        let mut source = |seq: u64| match self.store.event(run_id, seq).ok()??.body {
            EventBody::StepStart(start) => config::entries(&start.config).map(|entries| entries as u64),
            _ => None,
        };
        if paths.seq == 0
            && let Some(RunEvent { body: EventBody::WorkflowStart(start), .. }) = self.store.event(run_id, BASE)?
            && let Some(base) = start.base
        {
            paths.take_base(&base.events);
            paths.seq = 0;
        }
        while paths.seq < last {
            let heads = self.store.event_heads(run_id, paths.seq, PAGE)?;
            if heads.is_empty() {
                break;
            }
            heads.iter().for_each(|head| paths.take(head, &mut source));
        }
        let page = paths.page(after);
        *self.paths.lock().unwrap_or_else(PoisonError::into_inner) = Some(paths);
        Ok(page)
    }
}
