//! What a query of the audit chain leaves out. A condition looks at the row that is read anyway; where what is left belongs to
//! the few, those are found by the marks, and a text that is left out is looked up in the index of texts. Tests:
//! `tests/store/table/audit_without.rs`.

use crate::error::Result;
use crate::filter::Filter;
use crate::letters;
use crate::sql::Connection;
use crate::table::{audit_place, audit_text};
use signalbox_audit::{ActorType, Level};

/// Entries that a query leaves out: those of which any of this is true.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct AuditWithout {
    /// Of these runs.
    pub runs: Vec<String>,
    /// Of runs of these workflows: an id, or a name when a run started.
    pub workflows: Vec<String>,
    /// Of these nodes.
    pub nodes: Vec<String>,
    /// With these names.
    pub events: Vec<String>,
    /// With these levels.
    pub levels: Vec<Level>,
    /// Of these actors, as [`crate::AuditQuery::actor`] names them.
    pub actors: Vec<String>,
    /// With these types of error.
    pub error_types: Vec<String>,
    /// With these tags.
    pub tags: Vec<String>,
    /// In which one of these stands somewhere.
    pub texts: Vec<String>,
}

/// The events that have no mark: nearly every entry is one of them.
const UNMARKED: [&str; 2] = ["NODE_START", "NODE_SUCCESS"];

impl Filter {
    /// Leaves entries out.
    pub(crate) fn add_without(&mut self, connection: &Connection, without: &AuditWithout) -> Result<()> {
        let AuditWithout { runs, workflows, nodes, events, levels, actors, error_types, tags, texts } = without;
        for run in runs {
            self.add("run_id <> ?", run.clone());
        }
        for workflow in workflows {
            self.add("run_id NOT IN (SELECT id FROM run WHERE ? IN (workflow_id, workflow_name))", workflow.clone());
        }
        for node in nodes {
            self.add("node_id <> ?", node.clone());
        }
        if UNMARKED.iter().all(|unmarked| events.iter().any(|event| event == unmarked)) {
            // Each of the rest has a mark.
            self.add_marked(connection, "event", "event NOT IN ('NODE_START', 'NODE_SUCCESS')")?;
        }
        for event in events {
            self.add("event <> ?", event.clone());
        }
        for level in levels {
            if *level == Level::Info {
                self.add_marked(connection, "level", "level <> 'INFO'")?;
            } else {
                self.add("level <> ?", level.as_str().to_owned());
            }
        }
        for actor in actors {
            match actor.as_str() {
                "system" => self.add_marked(connection, "kind", "actor_type <> 'system'")?,
                kind if kind == ActorType::Human.as_str() || kind == ActorType::Agent.as_str() => {
                    self.add("actor_type <> ?", kind.to_owned());
                }
                name if name.contains(':') => self.add("actor_id IS NOT ?", name.to_owned()),
                name => self.add_all(
                    "(actor_id IS NULL OR actor_id NOT IN (?, ?))",
                    [name.to_owned().into(), format!("user:{name}").into()],
                ),
            }
        }
        for kind in error_types {
            self.add("error_type IS NOT ?", kind.clone());
        }
        for tag in tags {
            self.add("seq NOT IN (SELECT seq FROM audit_tag WHERE tag = ?)", tag.clone());
        }
        for text in texts {
            self.add_without_text(connection, text)?;
        }
        Ok(())
    }

    /// Entries with any mark of one kind; `condition` says the same of those that are not taken in yet.
    fn add_marked(&mut self, connection: &Connection, word: &str, condition: &str) -> Result<()> {
        let taken = i64::try_from(audit_place::taken_to(connection)?).unwrap_or(i64::MAX);
        // All marks of a kind stand together: ';' comes after ':'.
        let sql = format!(
            "seq IN (SELECT seq FROM audit_mark WHERE mark > ? AND mark < ? AND seq >= ?1 \
             UNION ALL SELECT seq FROM audit_entry WHERE seq >= max(?, ?1) AND {condition})"
        );
        self.add_all(sql, [format!("{word}:").into(), format!("{word};").into(), taken.into()]);
        Ok(())
    }

    fn add_without_text(&mut self, connection: &Connection, text: &str) -> Result<()> {
        let letters = letters::fold(text);
        let holds = format!("holds(?, entry) AND holds(?, {})", audit_text::WORDS);
        match audit_text::find(connection, text)? {
            // Of the entries that are taken in only these are read.
            Some(found) => {
                let list: Vec<String> = found.iter().map(u64::to_string).collect();
                let taken = i64::try_from(audit_text::taken_to(connection)?).unwrap_or(i64::MAX);
                self.add_all(
                    format!("NOT ((seq >= ? OR seq IN (SELECT value FROM json_each(?))) AND {holds})"),
                    [taken.into(), format!("[{}]", list.join(",")).into(), letters.clone().into(), letters.into()],
                );
            }
            None => self.add_all(format!("NOT ({holds})"), [letters.clone().into(), letters.into()]),
        }
        Ok(())
    }
}
