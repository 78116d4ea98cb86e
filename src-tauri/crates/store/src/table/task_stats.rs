//! What the tasks of a time say together (UX D2.14): how many, how old, how long until somebody decided, about what, and who.
//! Read from the rows of `task`; nothing is kept. Tests: `tests/store/table/task_stats.rs`.

use crate::error::Result;
use crate::sql::{self, Connection, params};
use signalbox_model::{TaskAction, TaskState, time};
use std::collections::BTreeMap;

/// Rows that are looked at: those that are open, then the newest decisions.
const ROWS: usize = 100_000;
/// Causes that are told, those with the most tasks.
const CAUSES: usize = 50;

/// Of which tasks.
#[derive(Debug, Clone, Default)]
pub struct TaskStatsQuery {
    /// Those that are open, or came or were decided since then; milliseconds since 1970.
    pub since_ms: i64,
    /// Now, milliseconds since 1970.
    pub now_ms: i64,
    /// Of this workflow (id).
    pub workflow: Option<String>,
}

/// What they say together.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TaskStats {
    /// That came.
    pub created: u64,
    /// That are open.
    pub open: u64,
    /// That people decided.
    pub decided: u64,
    /// That nobody decided in time.
    pub expired: u64,
    /// How long it took people to decide one of two, milliseconds; time on hold does not count.
    pub median_ms: Option<i64>,
    /// How old one of two open ones is, milliseconds.
    pub median_age_ms: Option<i64>,
    /// How old the oldest open one is, milliseconds.
    pub oldest_ms: Option<i64>,
    /// What people decided, how often.
    pub actions: Vec<(TaskAction, u64)>,
    /// By workflow, most first.
    pub workflows: Vec<WorkflowStats>,
    /// By cause, most first, at most 50.
    pub causes: Vec<CauseStats>,
    /// Who decided how many and how fast, most first.
    pub people: Vec<(String, u64, i64)>,
    /// There are more than were looked at.
    pub part: bool,
}

/// The tasks of one workflow.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct WorkflowStats {
    /// Its id.
    pub id: String,
    /// Its name, as its newest task has it.
    pub name: String,
    /// That came.
    pub created: u64,
    /// That are open.
    pub open: u64,
    /// That people decided.
    pub decided: u64,
    /// How long it took them for one of two, milliseconds.
    pub median_ms: Option<i64>,
}

/// The tasks of one fingerprint.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CauseStats {
    /// The fingerprint.
    pub fingerprint: String,
    /// The title of the newest.
    pub title: String,
    /// Id of its workflow.
    pub workflow_id: String,
    /// Its name.
    pub workflow_name: String,
    /// The step that it is about.
    pub node: String,
    /// Its title.
    pub node_title: Option<String>,
    /// Type of the error.
    pub error_type: Option<String>,
    /// Its code.
    pub error_code: Option<String>,
    /// That came.
    pub created: u64,
    /// That are open.
    pub open: u64,
    /// That people decided.
    pub decided: u64,
    /// How long it took them for one of two, milliseconds.
    pub median_ms: Option<i64>,
    /// What they decided, how often.
    pub actions: Vec<(TaskAction, u64)>,
    /// What the newest decisions have in common, and how many they are.
    pub alike: Option<(TaskAction, u64)>,
}

struct One {
    fingerprint: String,
    state: TaskState,
    action: Option<TaskAction>,
    person: Option<String>,
    created_ms: i64,
    decided_ms: Option<i64>,
    waited_ms: i64,
    workflow: String,
    workflow_name: String,
}

fn median(mut numbers: Vec<i64>) -> Option<i64> {
    numbers.sort_unstable();
    numbers.get(numbers.len() / 2).copied()
}

pub(crate) fn of(connection: &Connection, query: &TaskStatsQuery) -> Result<TaskStats> {
    // What is open is told whole; then the newest decision first: what is alike is counted from there. Each branch has its
    // index.
    let mut statement = connection.prepare_cached(
        "SELECT fingerprint, state, action, decided_by, created_ms, decided_ms, waited_ms, workflow_id, \
         workflow_name FROM task \
         WHERE (state = 'open' OR created_ms >= ?1 OR (state <> 'open' AND decided_ms >= ?1)) \
         AND (?2 IS NULL OR workflow_id = ?2) ORDER BY state = 'open' DESC, decided_ms DESC, id DESC LIMIT ?3",
    )?;
    let rows = statement.query_map(params![query.since_ms, query.workflow, ROWS as u64 + 1], |row| {
        let (state, action): (String, Option<String>) = (row.get(1)?, row.get(2)?);
        Ok(One {
            fingerprint: row.get(0)?,
            state: TaskState::parse(&state).unwrap_or(TaskState::Cancelled),
            action: action.as_deref().and_then(TaskAction::parse),
            person: row.get(3)?,
            created_ms: row.get(4)?,
            decided_ms: row.get(5)?,
            waited_ms: row.get(6)?,
            workflow: row.get(7)?,
            workflow_name: row.get(8)?,
        })
    })?;
    let mut all = rows.collect::<sql::Result<Vec<One>>>()?;
    let mut stats = TaskStats { part: all.len() > ROWS, ..TaskStats::default() };
    all.truncate(ROWS);
    let (mut took, mut ages) = (Vec::new(), Vec::new());
    let mut people: BTreeMap<String, Vec<i64>> = BTreeMap::new();
    let mut causes: BTreeMap<String, (CauseCount, Vec<i64>)> = BTreeMap::new();
    let mut workflows: BTreeMap<String, (i64, WorkflowStats, Vec<i64>)> = BTreeMap::new();
    for one in all {
        let (newest, workflow, all_times) = workflows.entry(one.workflow).or_default();
        if one.created_ms >= *newest {
            (*newest, workflow.name) = (one.created_ms, one.workflow_name);
        }
        let (cause, times) = causes.entry(one.fingerprint).or_default();
        cause.seen += 1;
        if one.created_ms >= query.since_ms {
            stats.created += 1;
            cause.created += 1;
            workflow.created += 1;
        }
        match (one.state, one.decided_ms) {
            (TaskState::Open, _) => {
                stats.open += 1;
                cause.open += 1;
                workflow.open += 1;
                ages.push(time::took_ms(one.created_ms, query.now_ms));
            }
            (TaskState::Done, Some(decided)) if decided >= query.since_ms => {
                let time = (decided - one.created_ms - one.waited_ms).max(0);
                stats.decided += 1;
                workflow.decided += 1;
                all_times.push(time);
                took.push(time);
                times.push(time);
                people.entry(one.person.unwrap_or_default()).or_default().push(time);
                if let Some(action) = one.action {
                    cause.decide(action);
                    count(&mut stats.actions, action);
                }
            }
            (TaskState::Expired, Some(decided)) if decided >= query.since_ms => stats.expired += 1,
            _ => {}
        }
    }
    stats.median_ms = median(took);
    stats.oldest_ms = ages.iter().max().copied();
    stats.median_age_ms = median(ages);
    stats.people = people
        .into_iter()
        .map(|(person, times)| (person, times.len() as u64, median(times).unwrap_or_default()))
        .collect();
    stats.people.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    stats.actions.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    stats.workflows = workflows
        .into_iter()
        .map(|(id, (_, workflow, times))| WorkflowStats { id, median_ms: median(times), ..workflow })
        .collect();
    stats.workflows.sort_by(|a, b| (b.created + b.open).cmp(&(a.created + a.open)).then_with(|| a.id.cmp(&b.id)));
    let mut causes: Vec<_> = causes.into_iter().collect();
    causes.sort_by(|a, b| b.1.0.seen.cmp(&a.1.0.seen).then_with(|| a.0.cmp(&b.0)));
    causes.truncate(CAUSES);
    let mut newest = connection.prepare_cached(
        "SELECT title, workflow_id, workflow_name, node, node_title, error_type, error_code FROM task \
         WHERE fingerprint = ? ORDER BY created_ms DESC, id DESC LIMIT 1",
    )?;
    for (fingerprint, (count, times)) in causes {
        let cause = newest.query_row([&fingerprint], |row| {
            Ok(CauseStats {
                fingerprint: fingerprint.clone(),
                title: row.get(0)?,
                workflow_id: row.get(1)?,
                workflow_name: row.get(2)?,
                node: row.get(3)?,
                node_title: row.get(4)?,
                error_type: row.get(5)?,
                error_code: row.get(6)?,
                created: count.created,
                open: count.open,
                decided: times.len() as u64,
                median_ms: None,
                actions: count.actions,
                alike: count.alike,
            })
        })?;
        stats.causes.push(CauseStats { median_ms: median(times), ..cause });
    }
    Ok(stats)
}

fn count(actions: &mut Vec<(TaskAction, u64)>, action: TaskAction) {
    match actions.iter_mut().find(|(known, _)| *known == action) {
        Some((_, count)) => *count += 1,
        None => actions.push((action, 1)),
    }
}

/// Counting one cause.
#[derive(Default)]
struct CauseCount {
    seen: u64,
    created: u64,
    open: u64,
    actions: Vec<(TaskAction, u64)>,
    alike: Option<(TaskAction, u64)>,
    /// An older decision was another one.
    mixed: bool,
}

impl CauseCount {
    /// Decisions come newest first.
    fn decide(&mut self, action: TaskAction) {
        count(&mut self.actions, action);
        match &mut self.alike {
            None => self.alike = Some((action, 1)),
            Some((first, count)) if *first == action && !self.mixed => *count += 1,
            Some(_) => self.mixed = true,
        }
    }
}
