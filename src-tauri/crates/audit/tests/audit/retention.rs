//! A log whose beginning a retention removed: what is left verifies, and nobody else can remove a beginning.

use crate::common;

use common::{Log, log, packed, signer};
use proptest::prelude::*;
use signalbox_audit::pack::{Limits, verify as verify_pack};
use signalbox_audit::verify::{Expect, Kind, Row, Verdict, verify};
use signalbox_audit::{Actor, Digest, Frontier, Inclusion, Level, Record, Signer, Tombstone, Tree};

const CUT: u64 = 20;

fn frontier(log: &Log, size: u64) -> Frontier {
    let mut frontier = Frontier::new();
    log.rows.iter().take(usize::try_from(size).unwrap()).for_each(|row| frontier.push(&row.hash.parse().unwrap()));
    frontier
}

/// A log of 37 entries, sealed at 20 and 37; then the first 20 go, and the record of that is sealed.
fn cut(signer: Option<&Signer>) -> (Log, Tombstone) {
    let mut log = log("log-1", 37, &[CUT, 37], signer);
    let sealed = &log.checkpoints[0].checkpoint;
    let tombstone = Tombstone {
        removed: CUT,
        cp_seq: 0,
        root_hash: sealed.root_hash,
        head_hash: sealed.head_hash,
        frontier: frontier(&log, CUT).nodes().to_vec(),
        cut_runs: [("r-3".to_owned(), 0)].into(),
        before: "2026-01-01T00:00:00Z".into(),
    };
    let record = Record::new("2026-01-01T01:00:00Z", "$store", "$run", "AUDIT_RETENTION", Level::Warn, Actor::system());
    let facts = serde_json::to_value(&tombstone).unwrap();
    log.push(record.with_metadata(facts.as_object().cloned().unwrap()), signer);
    log.seal(signer);
    log.rows.retain(|row| row.seq >= CUT);
    (log, tombstone)
}

fn expect(log: &Log, tombstone: &Tombstone, signer: Option<&Signer>) -> Expect {
    Expect {
        checkpoints: log.checkpoints.clone(),
        keys: signer.map(Signer::public_key).into_iter().collect(),
        anchors: log.checkpoints.clone(),
        tombstone: Some(tombstone.clone()),
        ..Expect::default()
    }
}

#[track_caller]
fn broken(rows: Vec<Row>, expect: &Expect, kind: Kind) {
    match verify(rows, expect) {
        Verdict::Broken(found) => assert_eq!(found.kind, kind, "{found}"),
        Verdict::Intact(intact) => panic!("{intact}"),
    }
}

#[test]
fn what_is_left_verifies_from_the_record_and_says_so() {
    for signer in [Some(signer()), None] {
        let (log, tombstone) = cut(signer.as_ref());
        let verdict = verify(log.rows.clone(), &expect(&log, &tombstone, signer.as_ref()));
        let Verdict::Intact(intact) = &verdict else { panic!("{verdict}") };
        assert_eq!((intact.removed, intact.entries, intact.verified), (CUT, 38, 18));
        // Anchors from before the cut are held against the checkpoints, those after it against the entries.
        assert_eq!((intact.anchored_up_to, intact.anchors_unchecked), (Some(38), 0));
        assert!(verdict.to_string().contains("first 20 were removed"), "{verdict}");
    }
}

#[test]
fn nobody_else_removes_a_beginning() {
    let key = signer();
    let (log, tombstone) = cut(Some(&key));
    let good = expect(&log, &tombstone, Some(&key));
    broken(log.rows.clone(), &Expect { tombstone: None, ..good.clone() }, Kind::Missing);
    broken(log.rows[1..].to_vec(), &good, Kind::Missing);
    let unsigned = log.rows.iter().cloned().map(|row| Row { signature: None, ..row }).collect();
    broken(unsigned, &good, Kind::WrongSigner);
    let mut other = tombstone.clone();
    other.frontier[0] = Digest::of(&[b"another"]);
    broken(log.rows.clone(), &Expect { tombstone: Some(other), ..good.clone() }, Kind::Malformed);
    let mut other = tombstone.clone();
    other.before = "2030-01-01T00:00:00Z".into();
    broken(log.rows.clone(), &Expect { tombstone: Some(other), ..good.clone() }, Kind::Missing);
    let mut other = tombstone;
    other.head_hash = Digest::of(&[b"another"]);
    broken(log.rows.clone(), &Expect { tombstone: Some(other), ..good.clone() }, Kind::Malformed);
    let mut anchor = log.checkpoints[0].clone();
    anchor.checkpoint.root_hash = Digest::of(&[b"another"]);
    anchor.signature = None;
    anchor.checkpoint.key_id = None;
    broken(log.rows, &Expect { anchors: vec![anchor], ..good }, Kind::AnchorMismatch);
}

#[test]
fn packs_of_all_that_is_left_and_of_a_part_verify_alone() {
    let key = signer();
    let (log, tombstone) = cut(Some(&key));
    let mut tree = Tree::after(&tombstone.frontier().unwrap());
    log.rows.iter().for_each(|row| tree.push(&row.hash.parse().unwrap()));
    let pack = |rows: Vec<Row>, proofs: Vec<Inclusion>| {
        let bytes = packed(&log, rows, proofs, vec![key.public_key()]);
        verify_pack(&bytes, Some(&key.public_key()), &[], &log.checkpoints, Limits::default()).unwrap()
    };
    let whole = pack(log.rows.clone(), Vec::new());
    assert!(whole.is_intact() && whole.pinned, "{}", whole.verdict);
    assert!(pack(log.rows[1..].to_vec(), Vec::new()).verdict.to_string().contains("MISSING"));
    let part: Vec<Row> = log.rows.iter().filter(|row| row.seq % 3 == 0 && row.seq != 29).cloned().collect();
    let proofs = part.iter().map(|row| tree.inclusion(row.seq, 38).unwrap()).collect();
    let part = pack(part, proofs);
    assert!(part.is_intact(), "{}", part.verdict);
    assert!(tree.inclusion(CUT - 1, 38).is_err(), "what is gone cannot be proved");
}

/// A pack of a run that lost a part: with the record its count adds up, without it entries are missing.
#[test]
fn a_run_that_lost_a_part_adds_up_with_the_record_only() {
    let key = signer();
    let mut log = log("log-1", 25, &[25], Some(&key));
    let sealed = log.checkpoints[0].checkpoint.clone();
    let tombstone = Tombstone {
        removed: 25,
        cp_seq: 0,
        root_hash: sealed.root_hash,
        head_hash: sealed.head_hash,
        frontier: frontier(&log, 25).nodes().to_vec(),
        cut_runs: [("r-2".to_owned(), 5)].into(),
        before: "2026-01-01T00:00:00Z".into(),
    };
    log.grow(5, &[], Some(&key));
    let record = Record::new("2026-01-01T01:00:00Z", "$store", "$run", "AUDIT_RETENTION", Level::Warn, Actor::system());
    let facts = serde_json::to_value(&tombstone).unwrap();
    log.push(record.with_metadata(facts.as_object().cloned().unwrap()), Some(&key));
    log.seal(Some(&key));
    let mut tree = Tree::after(&tombstone.frontier().unwrap());
    log.rows.iter().skip(25).for_each(|row| tree.push(&row.hash.parse().unwrap()));
    let check = |last: u64| {
        let rows: Vec<Row> = log.rows.iter().filter(|row| (25..last).contains(&row.seq)).cloned().collect();
        let proofs: Vec<Inclusion> = rows.iter().map(|row| tree.inclusion(row.seq, 31).unwrap()).collect();
        let bytes = packed(&log, rows, proofs, vec![key.public_key()]);
        verify_pack(&bytes, None, &[], &[], Limits::default()).unwrap()
    };
    let with = check(31);
    assert!(with.is_intact(), "{}", with.verdict);
    let run = with.runs.iter().find(|run| run.run_id == "r-2").unwrap();
    assert_eq!((run.entries, run.removed, run.complete), (5, 5, Some(true)));
    assert!(check(30).verdict.to_string().contains("MISSING"));
}

#[test]
fn a_clock_that_was_put_back_is_told_and_breaks_nothing() {
    let mut log = log("log-1", 3, &[], None);
    for time in ["2026-01-01T00:00:00.000Z", "2025-12-31T23:00:00+01:00", "2025-12-31T22:00:02.5Z"] {
        log.push(Record::new(time, "r", "n", "NOTE", Level::Info, Actor::system()), None);
    }
    let verdict = verify(log.rows, &Expect::default());
    let Verdict::Intact(intact) = &verdict else { panic!("{verdict}") };
    // 00:00:02 → 00:00:00 is what several writers do; an hour and two hours are not.
    assert_eq!((intact.clock_back.count, intact.clock_back.first.as_slice()), (1, [4].as_slice()), "{verdict}");
}

proptest! {
    #[test]
    fn a_tree_without_its_beginning_proves_the_rest(size in 1_u64..300, cut in 0_u64..300) {
        let cut = cut.min(size - 1);
        let entries: Vec<Digest> = (0..size).map(|n| Digest::of(&[&n.to_be_bytes()])).collect();
        let whole: Tree = entries.iter().copied().collect();
        let mut frontier = Frontier::new();
        entries[..usize::try_from(cut).unwrap()].iter().for_each(|entry| frontier.push(entry));
        let mut rest = Tree::after(&frontier);
        entries[usize::try_from(cut).unwrap()..].iter().for_each(|entry| rest.push(entry));
        prop_assert_eq!(rest.size(), size);
        prop_assert_eq!(rest.root(size).unwrap(), whole.root(size).unwrap());
        for seq in cut..size {
            prop_assert_eq!(rest.inclusion(seq, size).unwrap(), whole.inclusion(seq, size).unwrap());
        }
    }
}
