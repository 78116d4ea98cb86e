//! Verifying a pack. Its lines are read twice, and never all of them are in memory: once to know what is there, once to
//! hold each entry against its place and its proof.

use super::zip_file::Pack as Zip;
use super::{Limits, MANIFEST, Manifest, NotAPack, PackResult, RunCheck};
use crate::checkpoint::{Anchor, SignedCheckpoint};
use crate::digest::Digest;
use crate::entry::RETENTION;
use crate::entry::{Entry, hash_text, is_signed};
use crate::findings::Findings;
use crate::line::{Line, SHOWN, from_line};
use crate::merkle::Inclusion;
use crate::retention::Tombstone;
use crate::sign::{KeyId, PublicKey, Signature};
use crate::verify::{Broken, Expect, Intact, Kind, Row, Signed, Verdict, entry_signature, try_verify};
use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Cursor, Read, Seek};

/// Verifies a pack in memory, see [`verify_from`].
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
    verify_from(|| Ok(Cursor::new(bytes)), expected, known, anchors, limits)
}

/// Verifies a pack that `open` opens, several times. `expected` are the keys that may have signed; with none, `known` are
/// those of this store, which decide about `pinned` only. Memory grows with the checkpoints and runs, not the entries.
///
/// # Errors
/// [`NotAPack`] when it is not a pack at all; a damaged entry is a verdict, not an error.
pub fn verify_from<R: Read + Seek>(
    open: impl Fn() -> io::Result<R>,
    expected: Option<&PublicKey>,
    known: &[PublicKey],
    anchors: &[Anchor],
    limits: Limits,
) -> Result<PackResult, NotAPack> {
    let pack = || Zip::open(open().map_err(|error| NotAPack::Other(error.to_string()))?, limits);
    let (mut first, mut second) = (pack()?, pack()?);
    let Looked { entries, shown, tombstone } = look(&mut first)?;
    let manifest = manifest(&mut first)?;
    let checkpoints = parsed(&mut first, "checkpoints.jsonl", |line| {
        SignedCheckpoint::from_line(line).map_err(|error| error.to_string())
    })?
    .collect::<Result<Vec<_>, _>>()?;
    let proofs = parsed(&mut first, "proofs.jsonl", read_proof)?.try_fold(0_u64, |n, proof| proof.map(|_| n + 1))?;
    let keys: String = first.lines("key.pub")?.collect::<Result<_, _>>()?;
    first.lines("README.txt")?.try_for_each(|line| line.map(drop))?;
    let own = PublicKey::all_from_text(&keys).map_err(|error| NotAPack::Other(format!("key.pub: {error}")))?;
    let mut trusted = known.to_vec();
    trusted.extend(expected);
    // With an expected key, only it and the known ones may have signed. Without, the pack's own keys say whether it
    // fits itself.
    let mut allowed = trusted.clone();
    if expected.is_none() {
        allowed.extend(&own);
    }
    let signed_by = |id: &KeyId| trusted.iter().any(|key| key.key_id() == *id);
    let mut ids: BTreeSet<KeyId> = checkpoints.iter().filter_map(|sealed| sealed.checkpoint.key_id).collect();
    let mut seen =
        Seen { runs: BTreeMap::new(), ids: &mut ids, findings: Findings::default(), tombstone: tombstone.as_ref() };
    let held = Held { checkpoints: &checkpoints, keys: &allowed, anchors, tombstone: tombstone.as_ref() };
    let checked = match checkpoints.last() {
        None => Err(Stop::Bad(Broken::new(0, Kind::Missing, "a checkpoint", "none: nothing in this pack is sealed"))),
        Some(last) => {
            let first_seq = tombstone.as_ref().map_or(0, |tombstone| tombstone.removed);
            if shown > 0 && proofs == 0 {
                return Err(NotAPack::Other("proofs.jsonl is empty, and entries are shown in part".to_owned()));
            }
            // The place of an entry whose text is not whole stands on its proof.
            let whole = shown == 0 && (proofs == 0 || entries == last.checkpoint.size.saturating_sub(first_seq));
            let rows = rows(first.lines("entries.jsonl")?);
            if whole {
                held.check_whole(last, rows, &mut seen)
            } else {
                let proofs = parsed(&mut second, "proofs.jsonl", read_proof)?;
                held.check_part(last, rows, proofs, &mut seen)
            }
        }
    };
    // What a query chose may be a part of a run.
    let query = manifest.as_ref().and_then(|manifest| manifest.query.clone());
    let mut shorts = seen.runs.values_mut().filter_map(|run| run.short.take());
    let short = shorts.find(|short| query.is_none() || short.kind != Kind::Missing);
    let findings = seen.findings;
    let runs = seen.runs.into_values().map(|run| run.check).collect();
    let verdict = match (checked, short) {
        (Err(Stop::Pack(error)), _) => return Err(error),
        (Err(Stop::Bad(broken)), _) | (Ok(_), Some(broken)) => Verdict::Broken(broken),
        (Ok(intact), None) => Verdict::Intact(Box::new(Intact { unsealed_tail: 0, ..intact })),
    };
    // What is wrong with an entry is told first.
    if let Some(said) = manifest.as_ref().filter(|said| (said.entries, said.shown) != (entries, shown))
        && verdict.is_intact()
    {
        let Manifest { entries: counted, shown: part, .. } = said;
        let found = format!("{counted} entries, {part} in part; there are {entries}, {shown} in part");
        return Err(NotAPack::Other(format!("{MANIFEST} says {found}")));
    }
    Ok(PackResult {
        pinned: verdict.is_intact() && !ids.is_empty() && ids.iter().all(signed_by),
        verdict,
        fingerprint: own.first().map(|key| key.fingerprint().to_hex()),
        profile: manifest.as_ref().map(|manifest| manifest.profile.clone()),
        query,
        missing: manifest.map(|manifest| manifest.missing).unwrap_or_default(),
        findings,
        runs,
    })
}

/// Why a reading ended early.
enum Stop {
    Bad(Broken),
    Pack(NotAPack),
}

impl From<Broken> for Stop {
    fn from(broken: Broken) -> Self {
        Self::Bad(broken)
    }
}

fn manifest<R: Read + Seek>(pack: &mut Zip<R>) -> Result<Option<Manifest>, NotAPack> {
    if !pack.has_manifest {
        return Ok(None);
    }
    let text: String = pack.lines(MANIFEST)?.collect::<Result<_, _>>()?;
    let read: Manifest =
        serde_json::from_str(&text).map_err(|error| NotAPack::Other(format!("{MANIFEST}: {error}")))?;
    if read.version != 1 {
        return Err(NotAPack::Other(format!("{MANIFEST}: version {} is not known here", read.version)));
    }
    Ok(Some(read))
}

/// What a first look at the entries tells.
struct Looked {
    entries: u64,
    /// Those that are shown in part.
    shown: u64,
    /// The last record of a retention among them.
    tombstone: Option<Tombstone>,
}

fn look<R: Read + Seek>(pack: &mut Zip<R>) -> Result<Looked, NotAPack> {
    let (mut count, mut shown, mut tombstone) = (0, 0, None);
    for line in pack.lines("entries.jsonl")? {
        let line = line?;
        count += 1;
        shown += u64::from(line.starts_with(SHOWN));
        if line.contains(RETENTION)
            && let Some(found) = from_line(&line).ok().and_then(|row| Entry::from_canonical(&row.text).ok())
        {
            tombstone = Tombstone::of(&found).or(tombstone);
        }
    }
    Ok(Looked { entries: count, shown, tombstone })
}

fn read_proof(line: &str) -> Result<Inclusion, String> {
    serde_json::from_str(line).map_err(|error| error.to_string())
}

fn parsed<'a, R: Read + Seek, T>(
    pack: &'a mut Zip<R>,
    name: &'static str,
    read: impl Fn(&str) -> Result<T, String> + 'a,
) -> Result<impl Iterator<Item = Result<T, NotAPack>> + 'a, NotAPack> {
    Ok(pack.lines(name)?.zip(1..).map(move |(line, number)| {
        let line = line?;
        let Some(line) = line.strip_suffix('\n') else {
            return Err(NotAPack::Damaged(format!("{name}: the last line has no end; the file was cut")));
        };
        read(line).map_err(|error| NotAPack::Other(format!("{name}, line {number}: {error}")))
    }))
}

/// An entry as it was read.
struct Told {
    entry: Entry,
    /// What its content gives; of one that is shown in part, what its line says.
    hash: Digest,
    row: Row,
    shown: bool,
}

/// The entries, each read and with its hash.
fn rows(lines: impl Iterator<Item = Result<String, NotAPack>>) -> impl Iterator<Item = Result<Told, Stop>> {
    let mut next = 0;
    lines.map(move |line| {
        let line = line.map_err(Stop::Pack)?;
        let malformed = |found: String| Broken::new(next, Kind::Malformed, "a line of entries.jsonl", found);
        if !line.ends_with('\n') {
            return Err(malformed("a line that was cut".to_owned()).into());
        }
        let Line { row, shown } = Line::read(&line).map_err(|error| malformed(error.to_string()))?;
        let entry = Entry::from_canonical(&row.text).map_err(|error| malformed(error.to_string()))?;
        if shown {
            let hash = row.hash.parse().map_err(|_| malformed("a hash that is none".to_owned()))?;
            next = entry.seq + 1;
            return Ok(Told { entry, hash, row, shown });
        }
        let hash = hash_text(&row.text);
        if row.hash.parse() != Ok(hash) {
            let found = format!("content that gives {hash}");
            return Err(Broken::new(row.seq, Kind::Modified, "an entry whose content gives its hash", found).into());
        }
        next = entry.seq + 1;
        Ok(Told { entry, hash, row, shown })
    })
}

struct Run {
    check: RunCheck,
    /// A `WORKFLOW_COMPLETED` that counted otherwise.
    short: Option<Broken>,
}

/// What was met on the way: runs, who signed, and what is said about the chain.
struct Seen<'a> {
    runs: BTreeMap<String, Run>,
    ids: &'a mut BTreeSet<KeyId>,
    findings: Findings,
    tombstone: Option<&'a Tombstone>,
}

impl Seen<'_> {
    fn count(&mut self, Told { entry, row, shown, .. }: &Told) {
        self.findings.meet(entry);
        self.ids.extend(row.signature.as_ref().and_then(|text| text.parse::<Signature>().ok()).map(|s| s.key_id()));
        let removed = self.tombstone.and_then(|tombstone| tombstone.cut_runs.get(&entry.run_id)).copied();
        let run = self.runs.entry(entry.run_id.clone()).or_insert_with(|| Run {
            check: RunCheck {
                run_id: entry.run_id.clone(),
                entries: 0,
                removed: removed.unwrap_or(0),
                entry_count: None,
                complete: None,
            },
            short: None,
        });
        run.check.entries += 1;
        // What is shown of an entry is nobody's word.
        let said = entry.metadata.as_ref().filter(|_| !shown);
        let said = said.and_then(|metadata| metadata.get("entryCount")?.as_u64());
        if entry.event == "WORKFLOW_COMPLETED"
            && let Some(said) = said
        {
            let here = run.check.entries + run.check.removed;
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
}

/// What the entries are held against.
struct Held<'a> {
    checkpoints: &'a [SignedCheckpoint],
    keys: &'a [PublicKey],
    anchors: &'a [Anchor],
    tombstone: Option<&'a Tombstone>,
}

impl Held<'_> {
    fn expected(&self) -> Expect {
        Expect {
            keys: self.keys.to_vec(),
            checkpoints: self.checkpoints.to_vec(),
            checkpoints_begin_late: true,
            ..Expect::default()
        }
    }

    /// All entries of the log that are left: no proof is needed.
    fn check_whole(
        &self,
        last: &SignedCheckpoint,
        rows: impl Iterator<Item = Result<Told, Stop>>,
        seen: &mut Seen<'_>,
    ) -> Result<Intact, Stop> {
        let mut expect = self.expected();
        expect.tombstone = self.tombstone.cloned();
        // An anchor from after the export says nothing about this pack.
        let size = last.checkpoint.size;
        expect.anchors = self.anchors.iter().filter(|anchor| anchor.checkpoint.size <= size).cloned().collect();
        let rows = rows.map(|row| -> Result<Row, Stop> {
            let told = row?;
            if told.entry.seq >= size {
                return Err(
                    Broken::new(size, Kind::Inserted, "entries below the checkpoint", "an entry after it").into()
                );
            }
            seen.count(&told);
            Ok(told.row)
        });
        match try_verify(rows, &expect)? {
            Verdict::Intact(intact) => Ok(*intact),
            Verdict::Broken(broken) => Err(broken.into()),
        }
    }

    /// Some entries, each with its proof to the last checkpoint.
    fn check_part(
        &self,
        last: &SignedCheckpoint,
        rows: impl Iterator<Item = Result<Told, Stop>>,
        mut proofs: impl Iterator<Item = Result<Inclusion, NotAPack>>,
        seen: &mut Seen<'_>,
    ) -> Result<Intact, Stop> {
        let this = &last.checkpoint;
        let mut intact = crate::verify::checkpoints_alone(&self.expected(), self.anchors)?;
        let mut before: Option<(u64, Digest)> = None;
        intact.entries = 0;
        for row in rows {
            let told = row?;
            let Told { entry, hash, row, shown } = &told;
            let (hash, shown) = (*hash, *shown);
            let bad =
                |kind, expected: &str, found: String| Broken::new(entry.seq, kind, expected, found).by(this.cp_seq);
            if entry.log_id != this.log_id {
                let found = format!("one of {:?}", entry.log_id);
                return Err(bad(Kind::Inserted, "an entry of the checkpoint's log", found).into());
            }
            if let Some((previous, previous_hash)) = before {
                if entry.seq == previous {
                    return Err(bad(Kind::Duplicated, "an entry once", "it is there twice".to_owned()).into());
                }
                if entry.seq < previous {
                    return Err(bad(Kind::Reordered, "entries by seq", format!("it stands after {previous}")).into());
                }
                if entry.seq == previous + 1 && entry.prev_hash != previous_hash {
                    let found = format!("one that follows {}", entry.prev_hash);
                    return Err(bad(Kind::Modified, "an entry that follows the one before", found).into());
                }
            }
            crate::verify::check_fields(entry)?;
            let proof = proofs.next().transpose().map_err(Stop::Pack)?.filter(|proof| proof.seq == entry.seq);
            let Some(proof) = proof else {
                return Err(bad(Kind::Missing, "a proof for each entry, in the same order", "none".to_owned()).into());
            };
            if proof.size != this.size || !proof.proves(&hash, &this.root_hash) {
                let found = "one that its proof does not lead to that root".to_owned();
                return Err(bad(Kind::Modified, "an entry under the root of the last checkpoint", found).into());
            }
            match entry_signature(entry, &hash, row.signature.as_deref(), self.keys)? {
                Signed::Known => intact.decisions_signed += 1,
                Signed::Unchecked => intact.signatures_unchecked += 1,
                Signed::Not if entry.event == RETENTION && !self.keys.is_empty() => {
                    let expected = "a record of the retention signed by a known key";
                    return Err(bad(Kind::WrongSigner, expected, "no signature".to_owned()).into());
                }
                Signed::Not => intact.decisions_unsigned += u64::from(is_signed(&entry.event)),
            }
            seen.count(&told);
            intact.shown_in_part += u64::from(shown);
            intact.entries += 1;
            before = Some((entry.seq, hash));
        }
        if let Some(proof) = proofs.next() {
            let seq = proof.map_err(Stop::Pack)?.seq;
            let found = format!("a proof of entry {seq} only");
            return Err(Broken::new(seq, Kind::Missing, "the entry of each proof", found).into());
        }
        intact.verified = intact.entries;
        Ok(intact)
    }
}
