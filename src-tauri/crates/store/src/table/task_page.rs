//! Pages of tasks: in which order they stand (ADR 59), and where the next page goes on. Tests:
//! `tests/store/table/task_page.rs`.

use crate::error::{Error, Result};
use crate::filter::Filter;
use crate::sql::{Connection, params_from_iter};
use crate::table::task::{
    COLUMNS, DEADLINE, TaskPage, TaskQuery, TaskRow, TaskScope, TaskSort, read, same, total, wanted,
};
use std::borrow::Cow;
use std::collections::BTreeMap;

/// One stretch of a list: all of it is in one order, which an index has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stretch {
    /// Open, by deadline.
    Deadline,
    /// Open, and due by the end of the day: by deadline.
    Timed,
    /// Open, and not due by the end of the day: by priority.
    Rest,
    Done,
    All,
}

impl Stretch {
    const fn of(query: &TaskQuery) -> &'static [Self] {
        match (query.scope, query.sort) {
            (TaskScope::Open, TaskSort::Urgent) => &[Self::Timed, Self::Rest],
            (TaskScope::Open, TaskSort::Due) => &[Self::Deadline],
            (TaskScope::Done, _) => &[Self::Done],
            (TaskScope::All, _) => &[Self::All],
        }
    }

    /// The first letters of `next` where a list has several stretches. The end of the day follows, which divides them: it
    /// may move between two pages, and no task may fall between them.
    const fn mark(self) -> &'static str {
        match self {
            Self::Timed => "due.",
            Self::Rest => "rest.",
            Self::Deadline | Self::Done | Self::All => "",
        }
    }

    fn order(self) -> Cow<'static, str> {
        match self {
            Self::Deadline | Self::Timed => format!("{DEADLINE}, created_ms, id").into(),
            Self::Rest => "priority DESC, created_ms, id".into(),
            Self::Done => "decided_ms DESC, id DESC".into(),
            Self::All => "created_ms DESC, id DESC".into(),
        }
    }

    /// Which tasks stand in it. What waits for somebody else is not due.
    fn add(self, filter: &mut Filter, query: &TaskQuery) {
        match self {
            Self::Timed => filter.add(format!("{DEADLINE} <= ? AND held_ms IS NULL"), query.day_end_ms),
            Self::Rest => filter.add(format!("({DEADLINE} > ? OR held_ms IS NOT NULL)"), query.day_end_ms),
            Self::Deadline | Self::Done | Self::All => {}
        }
    }

    /// Those behind a place.
    fn add_after(self, filter: &mut Filter, first: i64, second: i64, id: String) {
        match self {
            Self::Deadline | Self::Timed => filter
                .add_all(format!("({DEADLINE}, created_ms, id) > (?, ?, ?)"), [first.into(), second.into(), id.into()]),
            // Priority falls while the time rises, which a row comparison cannot say.
            Self::Rest => filter.add_all(
                "priority <= ? AND (priority < ? OR (created_ms, id) > (?, ?))",
                [first.into(), first.into(), second.into(), id.into()],
            ),
            Self::Done => filter.add_all("(decided_ms, id) < (?, ?)", [first.into(), id.into()]),
            Self::All => filter.add_all("(created_ms, id) < (?, ?)", [second.into(), id.into()]),
        }
    }

    /// The place of a task in it.
    fn place(self, row: &TaskRow, day_end_ms: i64) -> String {
        let place = match self {
            Self::Done => format!("{}.0.{}", row.decided_ms.unwrap_or_default(), row.id),
            Self::Deadline | Self::Timed => {
                format!("{}.{}.{}", row.expires_ms.unwrap_or(i64::MAX), row.created_ms, row.id)
            }
            Self::Rest | Self::All => format!("{}.{}.{}", row.priority, row.created_ms, row.id),
        };
        match self.mark() {
            "" => place,
            mark => format!("{mark}{day_end_ms}.{place}"),
        }
    }
}

pub(crate) fn page(connection: &Connection, query: &TaskQuery) -> Result<TaskPage> {
    let limit = if query.limit == 0 { 50 } else { query.limit.min(1_000) };
    let mut query = Cow::Borrowed(query);
    let mut stretches = Stretch::of(&query);
    let mut place = None;
    if let Some(after) = query.after.clone() {
        let bad = || Error::BadPage { page: after.clone(), what: "tasks" };
        let at = stretches.iter().position(|one| after.starts_with(one.mark())).ok_or_else(bad)?;
        stretches = &stretches[at..];
        let mark = stretches[0].mark();
        let mut parts = after[mark.len()..].splitn(if mark.is_empty() { 3 } else { 4 }, '.');
        let mut number = || parts.next().and_then(|text| text.parse::<i64>().ok()).ok_or_else(bad);
        if !mark.is_empty() {
            query.to_mut().day_end_ms = number()?;
        }
        let (first, second) = (number()?, number()?);
        place = Some((first, second, parts.next().ok_or_else(bad)?.to_owned()));
    }
    let query = &*query;
    let total = total(connection, query)?;
    // One more than asked for tells whether there is a next page.
    let mut found: Vec<(Stretch, TaskRow)> = Vec::new();
    for stretch in stretches {
        let mut filter = wanted(query);
        stretch.add(&mut filter, query);
        if let Some((first, second, id)) = place.take() {
            stretch.add_after(&mut filter, first, second, id);
        }
        let left = (limit + 1).saturating_sub(found.len());
        let sql = format!("SELECT {COLUMNS} FROM task {} ORDER BY {} LIMIT {left}", filter.sql(), stretch.order());
        let mut statement = connection.prepare_cached(&sql)?;
        let rows = statement.query_map(params_from_iter(filter.values.iter()), read)?;
        for row in rows {
            found.push((*stretch, row?));
        }
        if found.len() > limit {
            break;
        }
    }
    let more = found.len() > limit;
    found.truncate(limit);
    let next = found.last().filter(|_| more).map(|(stretch, last)| stretch.place(last, query.day_end_ms));
    let mut tasks: Vec<TaskRow> = found.into_iter().map(|(_, row)| row).collect();
    let mut known: BTreeMap<String, u64> = BTreeMap::new();
    for task in &mut tasks {
        task.same = match known.get(&task.fingerprint) {
            Some(count) => *count,
            None => same(connection, &task.fingerprint)?,
        };
        known.insert(task.fingerprint.clone(), task.same);
    }
    Ok(TaskPage { tasks, next, total })
}
