//! Who answers for whom. Each change is one transaction with its audit entry.

use crate::chain;
use crate::error::Result;
use crate::store::Store;
use crate::table::delegation::{self, Delegation};
use signalbox_audit::Record;

/// Delegations.
impl Store {
    /// Keeps a delegation.
    pub fn delegate(&self, one: Delegation, record: Record) -> Result<()> {
        self.write(true, move |work| {
            delegation::insert(work.connection, &one)?;
            chain::append(work, vec![record])
        })
    }

    /// One delegation.
    pub fn delegation(&self, id: &str) -> Result<Option<Delegation>> {
        self.view(|connection| delegation::get(connection, id))
    }

    /// Those of a person, given and taken, that are not over.
    pub fn delegations_of(&self, person: &str, now_ms: i64) -> Result<Vec<Delegation>> {
        self.view(|connection| delegation::of_person(connection, person, now_ms))
    }

    /// Ends a delegation now. False, and nothing is written, when it was over.
    pub fn end_delegation(&self, id: &str, now_ms: i64, record: Record) -> Result<bool> {
        let id = id.to_owned();
        self.write(true, move |work| {
            let ended = delegation::end(work.connection, &id, now_ms)?;
            if ended {
                chain::append(work, vec![record])?;
            }
            Ok(ended)
        })
    }
}
