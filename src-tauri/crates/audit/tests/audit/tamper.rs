//! TS-047 and the bench of mutations: what is done to a log is found, at the level promised.

use crate::common;

use common::{Log, log, record, row, signer};
use signalbox_audit::verify::{Broken, Expect, Intact, Kind, Row, Verdict, verify};
use signalbox_audit::{Chain, Digest, Entry, Frontier, Head, SignedCheckpoint, Signer, Tree};

const SIZE: u64 = 24;

fn expect(log: &Log, signer: &Signer) -> Expect {
    Expect {
        log_id: Some(log.chain.log_id().to_owned()),
        checkpoints: log.checkpoints.clone(),
        keys: vec![signer.public_key()],
        ..Expect::default()
    }
}

#[track_caller]
fn broken(rows: impl IntoIterator<Item = Row>, expect: &Expect) -> Broken {
    match verify(rows, expect) {
        Verdict::Broken(broken) => broken,
        Verdict::Intact(intact) => panic!("not found: {intact}"),
    }
}

#[track_caller]
fn intact(rows: impl IntoIterator<Item = Row>, expect: &Expect) -> Intact {
    match verify(rows, expect) {
        Verdict::Intact(intact) => *intact,
        Verdict::Broken(broken) => panic!("{broken}"),
    }
}

#[track_caller]
fn is(found: &Broken, seq: u64, kind: Kind) {
    assert_eq!((found.first_bad_seq, found.kind), (seq, kind), "{found}");
}

fn head(log: &Log) -> Option<Head> {
    Some(log.chain.head())
}

fn at(rows: &mut [Row], seq: u64) -> &mut Row {
    &mut rows[usize::try_from(seq).unwrap()]
}

#[test]
fn an_intact_log_says_what_protects_it() {
    let signer = signer();
    let log = log("log-1", SIZE, &[10, 20], Some(&signer));
    let mut expect = expect(&log, &signer);
    let plain = intact(log.rows.clone(), &expect);
    assert_eq!((plain.entries, plain.sealed, plain.unsealed_tail, plain.signed_up_to), (SIZE, 20, 4, 20));
    assert_eq!(
        (plain.signed, plain.anchored_up_to, plain.decisions_signed, plain.decisions_unsigned),
        (true, None, 4, 0)
    );
    assert_eq!(plain.head, log.chain.head());
    assert!(plain.to_string().contains("4 after the last checkpoint are unsealed"), "{plain}");
    assert!(plain.to_string().contains("No anchor was given"), "{plain}");

    expect.anchors = vec![log.checkpoints[1].clone(), log.checkpoints[0].clone()];
    let anchored = intact(log.rows.clone(), &expect);
    assert_eq!(anchored.anchored_up_to, Some(20));
    assert!(anchored.to_string().contains("Tamper-evident up to the last anchored checkpoint: 20 entries"));

    expect.keys.clear();
    let unchecked = intact(log.rows.clone(), &expect);
    assert_eq!((unchecked.signed, unchecked.signatures_unchecked), (false, 6));
    let empty = intact([], &Expect::default());
    assert_eq!((empty.entries, empty.head), (0, Head::EMPTY));
}

#[test]
fn ts_047_change_one_metadata_byte() {
    let signer = signer();
    let log = log("log-1", SIZE, &[], None);
    for seq in 0..SIZE {
        let mut rows = log.rows.clone();
        let text = &mut at(&mut rows, seq).text;
        *text = text.replacen("note ", "nope ", 1);
        is(&broken(rows, &expect(&log, &signer)), seq, Kind::Modified);
    }
}

#[test]
fn ts_047_swap_two_entries() {
    let signer = signer();
    let log = log("log-1", SIZE, &[], None);
    let expect = expect(&log, &signer);
    for (a, b) in [(3_u64, 4_u64), (0, 1), (5, 20), (22, 23)] {
        // Rows change places, or the contents of two rows do.
        let mut rows = log.rows.clone();
        rows.swap(usize::try_from(a).unwrap(), usize::try_from(b).unwrap());
        is(&broken(rows.clone(), &expect), a, Kind::Reordered);
        at(&mut rows, a).seq = a;
        at(&mut rows, b).seq = b;
        is(&broken(rows, &expect), a, Kind::Reordered);
    }
}

#[test]
fn ts_047_delete_one_in_the_middle_or_the_first() {
    let signer = signer();
    let log = log("log-1", SIZE, &[], None);
    let expect = expect(&log, &signer);
    for seq in 0..SIZE - 1 {
        let mut rows = log.rows.clone();
        rows.remove(usize::try_from(seq).unwrap());
        is(&broken(rows.clone(), &expect), seq, Kind::Missing);
        // Numbers moved up to close the gap do not help: the number is part of what is hashed.
        for row in &mut rows[usize::try_from(seq).unwrap()..] {
            row.seq -= 1;
        }
        is(&broken(rows, &expect), seq, Kind::Missing);
    }
}

#[test]
fn ts_047_delete_the_last_is_found_by_head_and_count() {
    let signer = signer();
    let log = log("log-1", SIZE, &[10], Some(&signer));
    let mut rows = log.rows.clone();
    rows.pop();
    let mut expect = expect(&log, &signer);
    assert_eq!(intact(rows.clone(), &expect).unsealed_tail, SIZE - 11, "without a head: said, not found");
    expect.head = head(&log);
    is(&broken(rows.clone(), &expect), SIZE - 1, Kind::Truncated);
    expect.head_may_lag = true;
    is(&broken(rows, &expect), SIZE - 1, Kind::Truncated);
    expect.head = Some(Head { size: 10, head_hash: log.checkpoints[0].checkpoint.head_hash });
    assert_eq!(intact(log.rows.clone(), &expect).entries, SIZE, "a mark that lags behind is no alarm");
    expect.head = Some(Head { size: 12, head_hash: Digest::ZERO });
    is(&broken(log.rows.clone(), &expect), 10, Kind::Modified);
}

#[test]
fn ts_047_append_a_forged_one() {
    let signer = signer();
    let mut log = log("log-1", SIZE, &[10], Some(&signer));
    let mut expect = expect(&log, &signer);
    expect.head = head(&log);
    // A made-up hash.
    let mut rows = log.rows.clone();
    let mut forged = rows[23].clone();
    forged.seq = SIZE;
    forged.text = forged.text.replace("\"seq\":23", "\"seq\":24");
    rows.push(forged.clone());
    is(&broken(rows.clone(), &expect), SIZE, Kind::Modified);
    // Its own hash, but no link.
    rows[24].hash = Entry::from_canonical(&forged.text).unwrap().hash().unwrap().to_hex();
    expect.head = None;
    is(&broken(rows, &expect), SIZE, Kind::Modified);
    // Everything right, but the recorder knows nothing of it.
    expect.head = head(&log);
    log.push(record(SIZE), Some(&signer));
    is(&broken(log.rows.clone(), &expect), SIZE, Kind::Inserted);
    // A human decision signed with another key.
    let mut chain = Chain::at("log-1", expect.head.unwrap());
    expect.head = None;
    let sealed = chain.seal(record(4)).unwrap();
    log.rows[24] = row(&sealed, Some(&Signer::from_secret([9; 32])));
    is(&broken(log.rows.clone(), &expect), SIZE, Kind::WrongSigner);
    // Under the name of the right key.
    let wrong = log.rows[24].signature.take().unwrap();
    let right = log.rows[4].signature.clone().unwrap();
    log.rows[24].signature = Some(format!("{}{}", &right[..25], &wrong[25..]));
    is(&broken(log.rows.clone(), &expect), SIZE, Kind::WrongSigner);
    // Without signature it counts as unsigned, and is refused where signatures are wanted.
    log.rows[24].signature = None;
    assert_eq!(intact(log.rows.clone(), &expect).decisions_unsigned, 1);
    expect.require_signed = true;
    is(&broken(log.rows.clone(), &expect), SIZE, Kind::WrongSigner);
}

#[test]
fn every_byte_of_an_entry_counts() {
    let signer = signer();
    let log = log("log-1", 8, &[8], None);
    let expect = expect(&log, &signer);
    for seq in [0, 2, 4, 7] {
        let length = log.rows[seq].text.len();
        for place in (0..length).filter(|place| log.rows[seq].text.as_bytes()[*place].is_ascii()) {
            let mut rows = log.rows.clone();
            let mut bytes = rows[seq].text.clone().into_bytes();
            bytes[place] ^= 1;
            rows[seq].text = String::from_utf8(bytes).unwrap();
            is(&broken(rows.clone(), &expect), seq as u64, Kind::Modified);
            // With its hash computed anew.
            rows[seq].hash = signalbox_audit::hash_text(&rows[seq].text).to_hex();
            let found = broken(rows, &expect);
            assert!(found.first_bad_seq <= seq as u64, "byte {place}: {found}");
        }
        let mut rows = log.rows.clone();
        rows[seq].hash = rows[seq].hash.to_uppercase();
        is(&broken(rows, &expect), seq as u64, Kind::Modified);
    }
}

#[test]
fn every_field_changed_with_its_hash_computed_anew() {
    let signer = signer();
    let log = log("log-1", SIZE, &[], None);
    let mut expect = expect(&log, &signer);
    expect.head = head(&log);
    type Change = fn(&mut Entry);
    let changes: [(Change, &[Kind]); 12] = [
        (|e| e.v = 2, &[Kind::Malformed]),
        (|e| e.log_id.push('x'), &[Kind::Inserted]),
        (|e| e.seq += 1, &[Kind::Missing]),
        (|e| e.prev_hash = Digest::ZERO, &[Kind::Modified]),
        (|e| e.timestamp = "2025-01-01T00:00:00Z".to_owned(), &[Kind::Modified]),
        (|e| e.run_id.push('x'), &[Kind::Modified]),
        (|e| e.node_id.push('x'), &[Kind::Modified]),
        (|e| e.event.push('X'), &[Kind::Modified]),
        (|e| e.level = signalbox_audit::Level::Warn, &[Kind::Modified]),
        (|e| e.actor.id = Some("user:9".to_owned()), &[Kind::Modified]),
        (|e| e.metadata = None, &[Kind::Modified]),
        (|e| e.tags = Some(vec!["z".to_owned()]), &[Kind::Modified]),
    ];
    for seq in 1..SIZE {
        for (number, (change, kinds)) in changes.iter().enumerate() {
            let mut rows = log.rows.clone();
            let row = at(&mut rows, seq);
            let mut entry = Entry::from_canonical(&row.text).unwrap();
            change(&mut entry);
            (row.text, row.hash) = (entry.canonical().unwrap(), entry.hash().unwrap().to_hex());
            let found = broken(rows, &expect);
            let last = seq == SIZE - 1;
            if last && kinds == &[Kind::Modified] {
                // Only the recorder's head knows; what no checkpoint covers is all in doubt.
                assert!(found.first_bad_seq <= seq && found.kind == Kind::Modified, "{number}: {found}");
            } else {
                assert!(found.first_bad_seq == seq && kinds.contains(&found.kind), "change {number} of {seq}: {found}");
            }
        }
    }
}

#[test]
fn duplicate_insert_and_replay() {
    let signer = signer();
    let log = log("log-1", SIZE, &[20], Some(&signer));
    let other = common::log("log-2", SIZE, &[], Some(&signer));
    let expect = expect(&log, &signer);
    for seq in 0..20 {
        let place = usize::try_from(seq).unwrap();
        let mut rows = log.rows.clone();
        rows.insert(place + 1, rows[place].clone());
        is(&broken(rows, &expect), seq, Kind::Duplicated);

        let mut rows = log.rows.clone();
        rows[place + 1] = Row { seq: seq + 1, ..rows[place].clone() };
        is(&broken(rows, &expect), seq + 1, Kind::Duplicated);

        let mut rows = log.rows.clone();
        rows.insert(place, other.rows[place].clone());
        is(&broken(rows, &expect), seq, Kind::Inserted);

        let mut rows = log.rows.clone();
        rows[place] = other.rows[place].clone();
        is(&broken(rows, &expect), seq, Kind::Inserted);
    }
    let found = broken(other.rows, &expect);
    is(&found, 0, Kind::Inserted);
}

#[test]
fn truncate_at_every_length() {
    let signer = signer();
    for key in [Some(&signer), None] {
        let log = log("log-1", SIZE, &[10, 20], key);
        let mut expect = expect(&log, &signer);
        for length in 0..SIZE {
            let rows = log.rows[..usize::try_from(length).unwrap()].to_vec();
            if length < 20 {
                let found = broken(rows.clone(), &expect);
                is(&found, length, Kind::Truncated);
                assert_eq!(found.checkpoint, Some(u64::from(length >= 10)));
            } else {
                assert_eq!(intact(rows.clone(), &expect).unsealed_tail, length - 20);
            }
            // With the checkpoints cut too: only an anchor knows.
            let kept: Vec<_> = log.checkpoints.iter().filter(|c| c.checkpoint.size <= length).cloned().collect();
            let checkpoints = std::mem::replace(&mut expect.checkpoints, kept);
            assert!(verify(rows.clone(), &expect).is_intact());
            expect.anchors = vec![log.checkpoints[1].clone()];
            if length < 20 {
                is(&broken(rows, &expect), length, Kind::AnchorMismatch);
            }
            expect.anchors.clear();
            expect.checkpoints = checkpoints;
        }
    }
}

/// The log written again from entry `from` on with another note, all hashes right.
fn rewritten(log: &Log, from: u64, seals: &[u64], signer: Option<&Signer>) -> Log {
    let mut new = common::log(log.chain.log_id(), 0, &[], None);
    for seq in 0..SIZE {
        let mut record = record(seq);
        if seq >= from {
            record.metadata = None;
        }
        new.push(record, signer);
        if seals.contains(&(seq + 1)) {
            new.seal(signer);
        }
    }
    new
}

#[test]
fn rewrite_all_with_recomputed_hashes() {
    let signer = signer();
    let thief = Signer::from_secret([9; 32]);
    let log = log("log-1", SIZE, &[10, 20], Some(&signer));
    let mut expect = expect(&log, &signer);
    for from in 0..20 {
        // Against the old checkpoints: all after the last one that agrees is in doubt.
        let new = rewritten(&log, from, &[10, 20], None);
        let found = broken(new.rows.clone(), &expect);
        is(&found, if from < 10 { 0 } else { 10 }, Kind::Modified);
        assert_eq!(found.checkpoint, Some(u64::from(from >= 10)));
        // With new checkpoints by another key.
        let stolen = rewritten(&log, from, &[10, 20], Some(&thief));
        expect.checkpoints = stolen.checkpoints.clone();
        assert_eq!(broken(stolen.rows, &expect).kind, Kind::WrongSigner);
        // With new checkpoints by the same key (the same user can use it) or none: only an anchor tells.
        let own = rewritten(&log, from, &[10, 20], Some(&signer));
        expect.checkpoints = own.checkpoints.clone();
        assert!(verify(own.rows.clone(), &expect).is_intact());
        expect.anchors = log.checkpoints.clone();
        is(&broken(own.rows.clone(), &expect), if from < 10 { 0 } else { 10 }, Kind::AnchorMismatch);
        expect.checkpoints.clear();
        assert_eq!(broken(own.rows, &expect).kind, Kind::AnchorMismatch);
        expect.anchors.clear();
        expect.checkpoints = log.checkpoints.clone();
    }
}

#[test]
fn an_older_copy_against_an_anchor_and_a_wrong_anchor() {
    let signer = signer();
    let today = log("log-1", SIZE, &[10, 20], Some(&signer));
    let yesterday = log("log-1", 12, &[10], Some(&signer));
    let mut expect = expect(&yesterday, &signer);
    assert!(verify(yesterday.rows.clone(), &expect).is_intact());
    expect.anchors = vec![today.checkpoints[1].clone()];
    let found = broken(yesterday.rows.clone(), &expect);
    is(&found, 12, Kind::AnchorMismatch);
    assert!(found.to_string().contains("an older copy"), "{found}");
    let foreign = log("log-2", 10, &[10], Some(&signer));
    expect.anchors = foreign.checkpoints;
    is(&broken(yesterday.rows.clone(), &expect), 0, Kind::AnchorMismatch);
    let forged = log("log-1", 10, &[10], Some(&Signer::from_secret([9; 32])));
    expect.anchors = forged.checkpoints;
    is(&broken(yesterday.rows, &expect), 0, Kind::AnchorMismatch);
}

#[test]
fn checkpoints_that_were_touched() {
    let signer = signer();
    let log = log("log-1", SIZE, &[5, 10, 20], Some(&signer));
    let base = expect(&log, &signer);
    let with = |change: &dyn Fn(&mut Vec<SignedCheckpoint>)| {
        let mut expect = base.clone();
        change(&mut expect.checkpoints);
        broken(log.rows.clone(), &expect)
    };
    is(&with(&|c| drop(c.remove(0))), 0, Kind::Missing);
    is(&with(&|c| drop(c.remove(1))), 5, Kind::Missing);
    is(&with(&|c| c.swap(0, 1)), 0, Kind::Missing);
    is(&with(&|c| c.insert(1, c[0].clone())), 5, Kind::Duplicated);
    is(&with(&|c| c[1].signature = None), 5, Kind::WrongSigner);
    is(&with(&|c| c[1].checkpoint.key_id = None), 5, Kind::WrongSigner);
    is(&with(&|c| c[1].checkpoint.size = 9), 5, Kind::WrongSigner);
    is(&with(&|c| c[1].checkpoint.timestamp.push('0')), 5, Kind::WrongSigner);
    is(&with(&|c| c[1].signature = c[0].signature), 5, Kind::WrongSigner);
    is(
        &with(&|c| {
            c[1].checkpoint.key_id = None;
            c[1].signature = None;
        }),
        10,
        Kind::Modified,
    );
    // A bad entry before the bad checkpoint comes first.
    let mut rows = log.rows.clone();
    rows[3].text = rows[3].text.replacen("note ", "nope ", 1);
    let mut late = base.clone();
    late.checkpoints[2].signature = None;
    is(&broken(rows, &late), 3, Kind::Modified);
    let mut strict = base.clone();
    strict.require_signed = true;
    assert!(verify(log.rows.clone(), &strict).is_intact());
}

#[test]
fn go_on_from_the_last_trusted_checkpoint() {
    let signer = signer();
    let mut log = log("log-1", SIZE, &[10, 20], Some(&signer));
    let first = intact(log.rows.clone(), &expect(&log, &signer));
    let text = serde_json::to_string(&first.trusted).unwrap();
    log.grow(6, &[SIZE + 3], Some(&signer));
    let mut expect = expect(&log, &signer);
    expect.start = serde_json::from_str(&text).unwrap();
    expect.anchors = vec![log.checkpoints[0].clone()];
    let rows = log.rows[20..].to_vec();
    let again = intact(rows.clone(), &expect);
    assert_eq!((again.entries, again.verified, again.sealed, again.anchors_unchecked), (SIZE + 6, 10, SIZE + 3, 1));
    let whole: Tree = log.rows.iter().map(|row| row.hash.parse::<Digest>().unwrap()).collect();
    assert_eq!(again.root_hash, whole.root(SIZE + 6).unwrap());
    assert_eq!(again.frontier, log.frontier);

    let mut bad = rows.clone();
    bad[1].text = bad[1].text.replacen("note ", "nope ", 1);
    is(&broken(bad, &expect), 21, Kind::Modified);
    is(&broken(rows[1..].to_vec(), &expect), 20, Kind::Missing);
    // A starting point that lies.
    let mut wrong = expect.clone();
    wrong.start.as_mut().unwrap().frontier = Frontier::new();
    assert_eq!(broken(rows.clone(), &wrong).kind, Kind::Malformed);
    let mut wrong = expect.clone();
    wrong.start.as_mut().unwrap().sealed.checkpoint.head_hash = Digest::ZERO;
    assert_eq!(broken(rows.clone(), &wrong).kind, Kind::WrongSigner);
    let mut wrong = expect;
    wrong.checkpoints[1] = rewritten(&log, 0, &[10, 20], Some(&signer)).checkpoints[1].clone();
    assert_eq!(broken(rows, &wrong).kind, Kind::Modified);
}
