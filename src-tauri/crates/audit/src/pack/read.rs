//! Verifying a pack.

use super::{Limits, NotAPack, PackResult, RunCheck, zip_file};
use crate::checkpoint::{Anchor, SignedCheckpoint};
use crate::digest::Digest;
use crate::entry::{Entry, hash_text, is_signed};
use crate::line::from_line;
use crate::merkle::Inclusion;
use crate::sign::{PublicKey, Signature};
use crate::verify::{Broken, Expect, Intact, Kind, Row, Signed, Verdict, entry_signature};
use std::collections::BTreeMap;

/// Verifies a pack. `expected` are the keys that may have signed; with none, `known` are those of this store, which
/// decide about `pinned` only.
///
/// # Errors
/// [`NotAPack`] when the bytes are not a pack at all; a damaged entry is a verdict, not an error.
pub fn verify(
    bytes: &[u8],
    expected: Option<&PublicKey>,
    known: &[PublicKey],
    anchors: &[Anchor],
    limits: Limits,
) -> Result<PackResult, NotAPack> {
    let [entries, checkpoints, proofs, keys, _] = zip_file::read(bytes, limits)?;
    let own = PublicKey::all_from_text(&keys).map_err(|error| NotAPack(format!("key.pub: {error}")))?;
    let mut trusted = known.to_vec();
    trusted.extend(expected);
    // With an expected key, only it and the known ones may have signed. Without, the pack's own keys say whether it
    // fits itself.
    let mut allowed = trusted.clone();
    if expected.is_none() {
        allowed.extend(&own);
    }
    let checkpoints =
        lines(&checkpoints, "checkpoints.jsonl", |line| SignedCheckpoint::from_line(line).map_err(|e| e.to_string()))?;
    let proofs: Vec<Inclusion> =
        lines(&proofs, "proofs.jsonl", |line| serde_json::from_str(line).map_err(|error| error.to_string()))?;
    let signed_by = |id| trusted.iter().any(|key| key.key_id() == id);
    let mut pack =
        Pack { rows: Vec::new(), checkpoints, proofs, keys: allowed, anchors, runs: BTreeMap::new(), ids: Vec::new() };
    let verdict = match pack.read_rows(&entries).and_then(|()| pack.check()) {
        Ok(intact) => Verdict::Intact(Box::new(intact)),
        Err(broken) => Verdict::Broken(broken),
    };
    pack.ids.extend(pack.checkpoints.iter().filter_map(|sealed| sealed.checkpoint.key_id));
    Ok(PackResult {
        pinned: verdict.is_intact() && !pack.ids.is_empty() && pack.ids.iter().all(|id| signed_by(*id)),
        verdict,
        fingerprint: own.first().map(|key| key.fingerprint().to_hex()),
        runs: pack.runs.into_values().map(|run| run.check).collect(),
    })
}

fn lines<T>(text: &str, name: &str, read: impl Fn(&str) -> Result<T, String>) -> Result<Vec<T>, NotAPack> {
    if !text.is_empty() && !text.ends_with('\n') {
        return Err(NotAPack(format!("{name}: the last line has no end; the file was cut")));
    }
    text.split_terminator('\n')
        .zip(1..)
        .map(|(line, number)| read(line).map_err(|error| NotAPack(format!("{name}, line {number}: {error}"))))
        .collect()
}

struct Run {
    check: RunCheck,
    /// A `WORKFLOW_COMPLETED` that counted otherwise.
    short: Option<Broken>,
}

struct Pack<'a> {
    rows: Vec<(Entry, Digest, Row)>,
    checkpoints: Vec<SignedCheckpoint>,
    proofs: Vec<Inclusion>,
    keys: Vec<PublicKey>,
    anchors: &'a [Anchor],
    runs: BTreeMap<String, Run>,
    ids: Vec<crate::sign::KeyId>,
}

impl Pack<'_> {
    fn read_rows(&mut self, text: &str) -> Result<(), Broken> {
        for line in text.split_inclusive('\n') {
            let next = self.rows.last().map_or(0, |(entry, _, _)| entry.seq + 1);
            let malformed = |found: String| Broken::new(next, Kind::Malformed, "a line of entries.jsonl", found);
            if !line.ends_with('\n') {
                return Err(malformed("a line that was cut".to_owned()));
            }
            let row = from_line(line).map_err(|error| malformed(error.to_string()))?;
            let entry = Entry::from_canonical(&row.text).map_err(|error| malformed(error.to_string()))?;
            let hash = hash_text(&row.text);
            if row.hash.parse() != Ok(hash) {
                let found = format!("content that gives {hash}");
                return Err(Broken::new(row.seq, Kind::Modified, "an entry whose content gives its hash", found));
            }
            self.count(&entry);
            self.rows.push((entry, hash, row));
        }
        Ok(())
    }

    fn count(&mut self, entry: &Entry) {
        let run = self.runs.entry(entry.run_id.clone()).or_insert_with(|| Run {
            check: RunCheck { run_id: entry.run_id.clone(), entries: 0, entry_count: None, complete: None },
            short: None,
        });
        run.check.entries += 1;
        let said = entry.metadata.as_ref().and_then(|metadata| metadata.get("entryCount")?.as_u64());
        if entry.event == "WORKFLOW_COMPLETED"
            && let Some(said) = said
        {
            let here = run.check.entries;
            run.check.entry_count = Some(said);
            run.check.complete = Some(said == here && run.check.complete != Some(false));
            if said != here && run.short.is_none() {
                run.short = Some(Broken::new(
                    entry.seq,
                    if here < said { Kind::Missing } else { Kind::Inserted },
                    format!("{said} entries of run {:?}, as its end says", entry.run_id),
                    format!("{here} in the pack"),
                ));
            }
        }
    }

    fn check(&mut self) -> Result<Intact, Broken> {
        let Some(last) = self.checkpoints.last().cloned() else {
            return Err(Broken::new(0, Kind::Missing, "a checkpoint", "none: nothing in this pack is sealed"));
        };
        let whole = self.proofs.is_empty() || self.rows.len() as u64 == last.checkpoint.size;
        let mut intact = if whole { self.check_whole(&last)? } else { self.check_part(&last)? };
        if let Some(short) = self.runs.values_mut().find_map(|run| run.short.take()) {
            return Err(short);
        }
        intact.unsealed_tail = 0;
        self.ids.extend(
            self.rows
                .iter()
                .filter_map(|(_, _, row)| Some(row.signature.as_ref()?.parse::<Signature>().ok()?.key_id())),
        );
        Ok(intact)
    }

    fn held_against(&self) -> Expect {
        Expect {
            keys: self.keys.clone(),
            checkpoints: self.checkpoints.clone(),
            checkpoints_begin_late: true,
            ..Expect::default()
        }
    }

    /// All entries of the log: no proof is needed.
    fn check_whole(&self, last: &SignedCheckpoint) -> Result<Intact, Broken> {
        let mut expect = self.held_against();
        // An anchor from after the export says nothing about this pack.
        let size = last.checkpoint.size;
        expect.anchors = self.anchors.iter().filter(|anchor| anchor.checkpoint.size <= size).cloned().collect();
        let tail = Broken::new(size, Kind::Inserted, "entries below the checkpoint", "an entry after it");
        if self.rows.last().is_some_and(|(entry, _, _)| entry.seq >= size) {
            return Err(tail);
        }
        match crate::verify::verify(self.rows.iter().map(|(_, _, row)| row.clone()), &expect) {
            Verdict::Intact(intact) => Ok(*intact),
            Verdict::Broken(broken) => Err(broken),
        }
    }

    /// Some entries, each with its proof to the last checkpoint.
    fn check_part(&self, last: &SignedCheckpoint) -> Result<Intact, Broken> {
        let this = &last.checkpoint;
        let mut intact = crate::verify::checkpoints_alone(&self.held_against(), self.anchors)?;
        let mut before: Option<(&Entry, &Digest)> = None;
        for (at, (entry, hash, row)) in self.rows.iter().enumerate() {
            let bad =
                |kind, expected: &str, found: String| Broken::new(entry.seq, kind, expected, found).by(this.cp_seq);
            if entry.log_id != this.log_id {
                return Err(bad(
                    Kind::Inserted,
                    "an entry of the checkpoint's log",
                    format!("one of {:?}", entry.log_id),
                ));
            }
            if let Some((previous, previous_hash)) = before {
                if entry.seq == previous.seq {
                    return Err(bad(Kind::Duplicated, "an entry once", "it is there twice".to_owned()));
                }
                if entry.seq < previous.seq {
                    return Err(bad(Kind::Reordered, "entries by seq", format!("it stands after {}", previous.seq)));
                }
                if entry.seq == previous.seq + 1 && entry.prev_hash != *previous_hash {
                    let found = format!("one that follows {}", entry.prev_hash);
                    return Err(bad(Kind::Modified, "an entry that follows the one before", found));
                }
            }
            crate::verify::check_fields(entry)?;
            let proof = self.proofs.get(at).filter(|proof| proof.seq == entry.seq);
            let Some(proof) = proof else {
                return Err(bad(Kind::Missing, "a proof for each entry, in the same order", "none".to_owned()));
            };
            if proof.size != this.size || !proof.proves(hash, &this.root_hash) {
                let found = "one that its proof does not lead to that root".to_owned();
                return Err(bad(Kind::Modified, "an entry under the root of the last checkpoint", found));
            }
            match entry_signature(entry, hash, row.signature.as_deref(), &self.keys)? {
                Signed::Known => intact.decisions_signed += 1,
                Signed::Unchecked => intact.signatures_unchecked += 1,
                Signed::Not => intact.decisions_unsigned += u64::from(is_signed(&entry.event)),
            }
            before = Some((entry, hash));
        }
        if self.proofs.len() > self.rows.len() {
            let seq = self.proofs[self.rows.len()].seq;
            return Err(Broken::new(
                seq,
                Kind::Missing,
                "the entry of each proof",
                format!("a proof of entry {seq} only"),
            ));
        }
        intact.entries = self.rows.len() as u64;
        intact.verified = intact.entries;
        Ok(intact)
    }
}
