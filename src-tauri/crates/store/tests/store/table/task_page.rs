use crate::people::{ask, new_task};
use crate::support::{T0, commit, print, raw, started, temporary};
use serde_json::json;
use signalbox_model::time;
use signalbox_store::{RunCommit, TaskChange, TaskQuery, TaskRow};

/// ADR 59: what is overdue or due today by its deadline, then the rest by priority; page by page nothing is left out, and
/// each part is read by an index.
#[test]
fn the_most_urgent_stands_first() {
    crate::support::files_only!();
    let (folder, store) = temporary();
    let owner = started(&store, "r");
    let day_end = T0 + 25 * 60_000;
    let mut tasks = Vec::new();
    for n in 0..300_i64 {
        let mut created = ask(&format!("t{n:03}"), json!(n));
        created.priority = u8::try_from(n % 7 * 10).expect("small");
        created.expires_at = (n % 3 > 0).then(|| time::format(T0 + 60_000 * (n * 7 % 50)));
        let mut new = new_task(created);
        new.created_ms = T0 + n % 5;
        tasks.push(TaskChange::Create(Box::new(new)));
    }
    store.commit(RunCommit { tasks, ..commit("r", &owner, vec![print("r", 2, json!(1))]) }).expect("commits");
    let place = |row: &TaskRow| match row.expires_ms.filter(|expires| *expires <= day_end) {
        Some(expires) => (0, expires, row.created_ms, row.id.clone()),
        None => (1, -i64::from(row.priority), row.created_ms, row.id.clone()),
    };
    // Each size of a page cuts the change from one part to the next somewhere else.
    for limit in [7, 20, 299, 300, 1_000] {
        let mut seen = Vec::new();
        let mut asked = TaskQuery { limit, now_ms: T0, day_end_ms: day_end, ..TaskQuery::default() };
        loop {
            let page = store.tasks(&asked).expect("lists");
            assert_eq!(page.total, 300);
            seen.extend(page.tasks.iter().map(place));
            match page.next {
                // The day may end elsewhere when the next page is asked for: the border goes along in the place.
                Some(next) => {
                    asked.after = Some(next);
                    asked.day_end_ms += 3 * 60_000;
                }
                None => break,
            }
        }
        let mut sorted = seen.clone();
        sorted.sort();
        sorted.dedup();
        assert_eq!((seen.len(), &seen), (300, &sorted), "{limit} at a time");
        assert_eq!((seen[0].0, seen[299].0), (0, 1));
    }
    for (order, index) in [
        (
            "coalesce(expires_ms, 9223372036854775807) <= 9 AND held_ms IS NULL ORDER BY \
          coalesce(expires_ms, 9223372036854775807), created_ms, id",
            "task_deadline",
        ),
        (
            "(coalesce(expires_ms, 9223372036854775807) > 9 OR held_ms IS NOT NULL) ORDER BY priority DESC, created_ms, id",
            "task_open",
        ),
    ] {
        let plan: Vec<String> = raw(folder.path())
            .prepare(&format!("EXPLAIN QUERY PLAN SELECT * FROM task WHERE state = 'open' AND {order} LIMIT 9"))
            .and_then(|mut plan| plan.query_map([], |row| row.get(3))?.collect())
            .expect("plans");
        assert!(plan.len() == 1 && plan[0].contains(index), "{plan:?}");
    }
    for after in ["due.x.1.t", "due.1.1.t", "rest.9.9", "9.9.t", ""] {
        let refused = TaskQuery { after: Some(after.into()), ..TaskQuery::default() };
        assert!(store.tasks(&refused).is_err(), "{after}");
    }
}
