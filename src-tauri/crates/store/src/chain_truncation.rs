//! A chain whose end is missing: the high-water file alone knows it, and the next entries move that file on. What was found
//! is therefore kept in the store until a person says that it is known. Tests: `tests/store/chain_truncation.rs`.

use crate::chain::{Receipt, append_one};
use crate::error::Result;
use crate::high_water;
use crate::sql::Connection;
use crate::store::Store;
use crate::table::{audit_entry, audit_meta};
use serde::{Deserialize, Serialize};
use signalbox_audit::{Head, Record};

const CUT: &str = "cut";
/// Entries that there were at the latest end that was accepted: other processes and the high-water file may still know of it.
const ACCEPTED: &str = "cutAccepted";

/// Entries that were written and are not there.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Cut {
    /// Entries that there were, by the high-water file.
    pub expected: u64,
    /// Entries that there were when it was found.
    pub found: u64,
    /// Hash of the last one that there was.
    pub hash: String,
}

impl Cut {
    /// The first entry that is missing, or is another one than was written.
    pub fn seq(&self) -> u64 {
        self.found.min(self.expected.saturating_sub(1))
    }
}

/// Keeps that the chain does not end with `head` any more. What was found before stays, and an end that is no further is taken for
/// a part of it: who knew less of the old end finds the same again.
pub(crate) fn keep(connection: &Connection, head: Head, found: u64) -> Result<()> {
    let mut cuts = kept(connection)?;
    let known = cuts.iter().map(|cut| cut.expected).max().unwrap_or(0);
    if head.size > known.max(accepted(connection)?) {
        cuts.push(Cut { expected: head.size, found, hash: head.head_hash.to_hex() });
        set(connection, &cuts)?;
    }
    Ok(())
}

fn set(connection: &Connection, cuts: &[Cut]) -> Result<()> {
    if cuts.is_empty() {
        return audit_meta::remove(connection, CUT);
    }
    audit_meta::set(connection, CUT, &serde_json::to_string(cuts).unwrap_or_default())
}

/// All that were found and not accepted, in their order; stores of before kept one.
fn kept(connection: &Connection) -> Result<Vec<Cut>> {
    let Some(text) = audit_meta::get(connection, CUT)? else { return Ok(Vec::new()) };
    let one = || serde_json::from_str::<Cut>(&text).map(|cut| vec![cut]);
    Ok(serde_json::from_str(&text).or_else(|_| one()).unwrap_or_default())
}

/// Ends up to here are missing with somebody's knowledge.
pub(crate) fn accepted(connection: &Connection) -> Result<u64> {
    Ok(audit_meta::get(connection, ACCEPTED)?.and_then(|text| text.parse().ok()).unwrap_or(0))
}

/// Before something is appended: whether the chain still has the entries that this process knows of.
pub(crate) fn look(connection: &Connection, known: Option<Head>, now: Head) -> Result<()> {
    let Some(known) = known.filter(|known| *known != now) else { return Ok(()) };
    // Another process wrote in between, or somebody took entries away.
    let last = audit_entry::get(connection, known.size.saturating_sub(1))?;
    if last.map(|row| row.hash) != Some(known.head_hash.to_hex()) {
        keep(connection, known, now.size)?;
    }
    Ok(())
}

/// Nothing is missing where somebody brought the entries back.
fn missing(connection: &Connection) -> Result<Vec<Cut>> {
    let mut cuts = Vec::new();
    for cut in kept(connection)? {
        let last = audit_entry::get(connection, cut.expected.saturating_sub(1))?;
        if last.map(|row| row.hash).as_ref() != Some(&cut.hash) {
            cuts.push(cut);
        }
    }
    Ok(cuts)
}

impl Store {
    /// The ends of the chain that are missing, in the order in which they were found, each until [`Self::audit_accept_cut`].
    pub fn audit_cuts(&self) -> Result<Vec<Cut>> {
        self.view(missing)
    }

    /// The first of [`Self::audit_cuts`]: the one that a verification tells.
    pub fn audit_cut(&self) -> Result<Option<Cut>> {
        Ok(self.audit_cuts()?.into_iter().next())
    }

    /// Keeps that entries from `found` on are missing, if the high-water file says so; before anything is written that
    /// moves it on.
    pub fn audit_keep_cut(&self, found: u64) -> Result<()> {
        let head = high_water::head(&self.inner.mark);
        let Some(head) = head.filter(|head| head.size > found) else { return Ok(()) };
        self.write(true, move |work| keep(work.connection, head, found))
    }

    /// A person knows that this end is missing; `record` says so in the chain. Others stay. `None` when it is not missing, or not
    /// any more.
    pub fn audit_accept_cut(&self, cut: &Cut, record: Record) -> Result<Option<Receipt>> {
        let cut = cut.clone();
        self.write(true, move |work| {
            if !missing(work.connection)?.contains(&cut) {
                return Ok(None);
            }
            let known = cut.expected.max(accepted(work.connection)?);
            audit_meta::set(work.connection, ACCEPTED, &known.to_string())?;
            // This entry may be the one that finds another end missing.
            let receipt = append_one(work, record, None)?;
            let mut cuts = kept(work.connection)?;
            cuts.retain(|other| *other != cut);
            set(work.connection, &cuts)?;
            Ok(Some(receipt))
        })
    }
}
