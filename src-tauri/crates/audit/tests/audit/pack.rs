//! The evidence pack, the files of lines (TS-050), and the second verifier.

use crate::common;

use common::{Log, log, packed, record, signer};
use signalbox_audit::line::Line;
use signalbox_audit::pack::{
    Contents, FILES, Limits, Manifest, MissingEnd, PackResult, Profile, WriteError, verify, write,
};
use signalbox_audit::sink::{Jsonl, RecentEntries, SinkError, read_rows};
use signalbox_audit::verify::{Expect, Kind, Row, Verdict, try_verify};
use signalbox_audit::{Chain, Digest, Entry, Inclusion, PublicKey, Signer, Tree};
use std::io::{Cursor, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::process::Command;

const SIZE: u64 = 37;

fn tree(log: &Log) -> Tree {
    log.rows.iter().map(|row| row.hash.parse::<Digest>().unwrap()).collect()
}

fn pack(log: &Log, pick: impl Fn(&Row) -> bool, proofs: bool, key: Option<&Signer>) -> Vec<u8> {
    let size = log.checkpoints.last().unwrap().checkpoint.size;
    let rows: Vec<Row> = log.rows.iter().filter(|row| row.seq < size && pick(row)).cloned().collect();
    let tree = tree(log);
    let proofs: Vec<Inclusion> =
        rows.iter().filter(|_| proofs).map(|row| tree.inclusion(row.seq, size).unwrap()).collect();
    let keys: Vec<PublicKey> = key.map(Signer::public_key).into_iter().collect();
    packed(log, rows, proofs, keys)
}

fn run_pack(log: &Log, run: &str, key: Option<&Signer>) -> Vec<u8> {
    pack(log, |row| row.text.contains(&format!("\"runId\":\"{run}\"")), true, key)
}

fn unzip(bytes: &[u8]) -> Vec<(String, String)> {
    let mut zip = zip::ZipArchive::new(Cursor::new(bytes)).unwrap();
    (0..zip.len())
        .map(|at| {
            let mut file = zip.by_index(at).unwrap();
            let mut text = String::new();
            file.read_to_string(&mut text).unwrap();
            (file.name().unwrap().into_owned(), text)
        })
        .collect()
}

fn zipped(files: &[(String, String)]) -> Vec<u8> {
    let mut zip = zip::ZipWriter::new(Cursor::new(Vec::new()));
    for (name, text) in files {
        zip.start_file(name.as_str(), zip::write::SimpleFileOptions::default()).unwrap();
        zip.write_all(text.as_bytes()).unwrap();
    }
    zip.finish().unwrap().into_inner()
}

fn check(bytes: &[u8], expected: Option<&PublicKey>, known: &[PublicKey]) -> PackResult {
    verify(bytes, expected, known, &[], Limits::default()).unwrap()
}

#[track_caller]
fn kind(result: &PackResult) -> Kind {
    match &result.verdict {
        Verdict::Broken(broken) => broken.kind,
        Verdict::Intact(intact) => panic!("not found: {intact}"),
    }
}

/// Runs the second verifier: exit code and what it prints.
fn python(path: &Path, key: Option<&Path>) -> (Option<i32>, String) {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../tests/audit/verify.py");
    let out =
        Command::new("python3").arg(script).arg(path).args(key).output().expect("python3 is needed for this test");
    (out.status.code(), String::from_utf8_lossy(&out.stdout).into_owned() + &String::from_utf8_lossy(&out.stderr))
}

fn file(dir: &tempfile::TempDir, name: &str, bytes: impl AsRef<[u8]>) -> PathBuf {
    let path = dir.path().join(name);
    std::fs::write(&path, bytes).unwrap();
    path
}

#[test]
fn a_run_verifies_alone_and_says_who_signed() {
    let signer = signer();
    let log = log("log-1", SIZE, &[12, 35], Some(&signer));
    let bytes = run_pack(&log, "r-1", Some(&signer));
    assert_eq!(bytes, run_pack(&log, "r-1", Some(&signer)), "the same contents give the same bytes");
    assert_eq!(unzip(&bytes).iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>(), FILES);

    let own = check(&bytes, None, &[]);
    assert!(own.is_intact() && !own.pinned, "a key from inside proves nothing: {own:?}");
    let told = own.verdict.to_string();
    assert!(told.contains("The last checkpoint is signed.") && !told.contains("known"), "{told}");
    assert_eq!(own.fingerprint, Some(signer.public_key().fingerprint().to_hex()));
    let run = &own.runs[0];
    assert_eq!((run.run_id.as_str(), run.entries, run.entry_count, run.complete), ("r-1", 10, Some(10), Some(true)));
    assert!(check(&bytes, None, &[signer.public_key()]).pinned);
    assert!(check(&bytes, Some(&signer.public_key()), &[]).pinned);
    let other = Signer::from_secret([9; 32]).public_key();
    assert_eq!(kind(&check(&bytes, Some(&other), &[])), Kind::WrongSigner);
    let last = serde_json::to_value(&own).unwrap();
    assert_eq!((&last["pinned"], &last["verdict"]["result"]), (&false.into(), &"intact".into()));

    let anchored = verify(&bytes, None, &[], &log.checkpoints[..1], Limits::default()).unwrap();
    assert!(anchored.is_intact());
    let foreign = common::log("log-1", 35, &[12, 34, 35], None);
    let wrong = verify(&bytes, None, &[], &foreign.checkpoints[2..], Limits::default()).unwrap();
    assert!(wrong.is_intact(), "an unsigned copy of the same root is the same anchor");
    let mut lying = foreign.checkpoints[2].clone();
    lying.checkpoint.root_hash = Digest::ZERO;
    let wrong = verify(&bytes, None, &[], &[lying], Limits::default()).unwrap();
    assert_eq!(kind(&wrong), Kind::AnchorMismatch);
}

#[test]
fn the_second_verifier_says_the_same() {
    let dir = tempfile::tempdir().unwrap();
    let signer = signer();
    let key = file(&dir, "key.pub", signer.public_key().to_pem());
    let thief = file(&dir, "thief.pub", Signer::from_secret([9; 32]).public_key().to_pem());
    for signed in [Some(&signer), None] {
        let log = log("log-1", SIZE, &[12, 35], signed);
        for bytes in [run_pack(&log, "r-1", signed), pack(&log, |_| true, false, signed)] {
            let path = file(&dir, "good.zip", &bytes);
            let (code, text) = python(&path, None);
            assert_eq!(code, Some(0), "{text}");
            let root = log.checkpoints[1].checkpoint.root_hash.to_hex();
            assert!(text.contains(&root) && check(&bytes, None, &[]).is_intact(), "{text}");
            assert_eq!(python(&path, Some(&key)).0, Some(0));
            assert_eq!(python(&path, Some(&thief)).0, Some(i32::from(signed.is_some())));
            // Each file changed in one place: both find it.
            for (name, from, to) in [
                ("entries.jsonl", "note 1", "nope 1"),
                ("entries.jsonl", "\\u202e", ""),
                ("entries.jsonl", "\"hash\":\"", "\"hash\": \""),
                ("checkpoints.jsonl", "\"size\":35", "\"size\":34"),
                ("checkpoints.jsonl", "\"rootHash\":\"", "\"rootHash\":\"0"),
            ] {
                let mut files = unzip(&bytes);
                let text = &mut files.iter_mut().find(|(own, _)| own == name).unwrap().1;
                assert!(text.contains(from), "{name} has {from}");
                *text = text.replacen(from, to, 1);
                let changed = zipped(&files);
                let ours = verify(&changed, None, &[], &[], Limits::default());
                assert!(ours.is_err() || !ours.unwrap().is_intact(), "{name}: {from} -> {to}");
                let (code, text) = python(&file(&dir, "bad.zip", changed), None);
                assert!(matches!(code, Some(1 | 2)), "{name}: {from} -> {to}: {text}");
            }
        }
    }
}

/// Entries that a profile shows in part: without their notes, and with another name of the person.
fn shown(log: &Log, pick: impl Fn(&Row) -> bool, signer: &Signer) -> Vec<u8> {
    let size = log.checkpoints.last().unwrap().checkpoint.size;
    let tree = tree(log);
    let rows = || log.rows.iter().filter(|row| row.seq < size && pick(row));
    let part = |row: &Row| -> Line {
        if row.seq % 10 == 9 {
            return row.clone().into();
        }
        let mut entry = Entry::from_canonical(&row.text).unwrap();
        entry.metadata = None;
        entry.actor.id = entry.actor.id.map(|_| "person:1".to_owned());
        Line { row: Row { text: entry.canonical().unwrap(), ..row.clone() }, shown: true }
    };
    let contents = Contents {
        rows: rows().map(part),
        checkpoints: log.checkpoints.clone(),
        proofs: rows().map(|row| tree.inclusion(row.seq, size).unwrap()),
        profile: Profile { name: "partner".into(), hides: vec!["/metadata".into()] },
        query: None,
        missing: Vec::new(),
        keys: vec![signer.public_key()],
    };
    write(Cursor::new(Vec::new()), contents).unwrap().into_inner()
}

/// UX E7: what is hidden is hidden, and the place of every entry is proved all the same, by both verifiers.
#[test]
fn entries_shown_in_part_keep_their_place() {
    let dir = tempfile::tempdir().unwrap();
    let signer = signer();
    let key = file(&dir, "key.pub", signer.public_key().to_pem());
    let log = log("log-1", SIZE, &[12, 35], Some(&signer));
    let run = shown(&log, |row| row.text.contains("\"runId\":\"r-1\""), &signer);
    for (bytes, entries, part) in [(&run, 10, 9), (&shown(&log, |_| true, &signer), 35, 32)] {
        let result = check(bytes, Some(&signer.public_key()), &[]);
        let Verdict::Intact(intact) = &result.verdict else { panic!("{}", result.verdict) };
        assert_eq!((intact.entries, intact.shown_in_part, result.profile.as_deref()), (entries, part, Some("partner")));
        assert!(result.pinned && result.verdict.to_string().contains("are shown in part"), "{}", result.verdict);
        let complete = result.runs.iter().find(|run| run.run_id == "r-1").unwrap().complete;
        assert_eq!(complete, Some(true), "the end of the run is whole");
        let (code, text) = python(&file(&dir, "part.zip", bytes), Some(&key));
        assert!(code == Some(0) && text.contains(&format!("\"shownInPart\": {part}")), "{text}");
        let text = unzip(bytes).concat_text();
        assert!(!text.contains("note 11") && !text.contains("user:123"), "{text}");
    }
    // Whatever holds a place is still found; what is only shown is nobody's word.
    let change = |name: &str, from: &str, to: &str| {
        let mut files = unzip(&run);
        let text = &mut files.iter_mut().find(|(own, _)| own == name).unwrap().1;
        assert!(text.contains(from), "{name} has {from}");
        *text = text.replacen(from, to, 1);
        zipped(&files)
    };
    for (name, from, to) in [
        ("entries.jsonl", "\"hash\":\"", "\"hash\":\"0"),
        ("entries.jsonl", "\"seq\":12", "\"seq\":13"),
        ("entries.jsonl", "\"prevHash\":\"", "\"prevHash\":\"0"),
        ("entries.jsonl", "\"signature\":\"ed25519:", "\"signature\":\"ed25518:"),
        ("entries.jsonl", "{\"shown\":", "{\"entry\":"),
        ("manifest.json", "\"shown\":9", "\"shown\":0"),
        ("manifest.json", "\"version\":1", "\"version\":2"),
    ] {
        let changed = change(name, from, to);
        let ours = verify(&changed, None, &[], &[], Limits::default());
        assert!(ours.is_err() || !ours.unwrap().is_intact(), "{name}: {from} -> {to}");
        let (code, text) = python(&file(&dir, "bad.zip", changed), None);
        assert!(matches!(code, Some(1 | 2)), "{name}: {from} -> {to}: {text}");
    }
    // Without proofs nothing holds such an entry.
    let mut files = unzip(&run);
    files[2].1.clear();
    assert!(verify(&zipped(&files), None, &[], &[], Limits::default()).unwrap_err().to_string().contains("in part"));
    assert!(matches!(python(&file(&dir, "bare.zip", zipped(&files)), None).0, Some(1 | 2)));
    // A pack of before has no manifest.
    let mut before = unzip(&run_pack(&log, "r-1", Some(&signer)));
    before.retain(|(name, _)| name != "manifest.json");
    let before = zipped(&before);
    assert!(check(&before, None, &[]).is_intact() && check(&before, None, &[]).profile.is_none());
    assert_eq!(python(&file(&dir, "before.zip", before), None).0, Some(0));
}

trait ConcatText {
    fn concat_text(&self) -> String;
}

impl ConcatText for Vec<(String, String)> {
    fn concat_text(&self) -> String {
        self.iter().map(|(_, text)| text.as_str()).collect()
    }
}

/// docs/formats.md, Exports: the examples are what the program writes.
#[test]
fn the_manifest_and_the_line_of_the_page_are_read() {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../docs/formats.md");
    let page = std::fs::read_to_string(page).unwrap();
    let example = |kind: &str| {
        let rest = page.split(&format!("```json {kind}\n")).nth(1).expect(kind);
        rest.split("```").next().unwrap().trim().to_owned()
    };
    let manifest: Manifest = serde_json::from_str(&example("manifest")).unwrap();
    assert_eq!(serde_json::to_string(&manifest).unwrap(), example("manifest"));
    let line = Line::read(&example("shown")).unwrap();
    assert!(line.shown && line.to_text().trim_end() == example("shown"));
}

#[test]
fn what_is_left_out_of_a_pack_shows() {
    let dir = tempfile::tempdir().unwrap();
    let signer = signer();
    let log = log("log-1", SIZE, &[35], Some(&signer));
    let without = |seq: u64| pack(&log, |row| (10..20).contains(&row.seq) && row.seq != seq, true, Some(&signer));
    for seq in 10..19 {
        let bytes = without(seq);
        let result = check(&bytes, None, &[]);
        assert_eq!((kind(&result), result.runs[0].complete), (Kind::Missing, Some(false)));
        assert_eq!(python(&file(&dir, "less.zip", bytes), None).0, Some(1));
    }
    let open = check(&without(19), None, &[]);
    assert!(open.is_intact());
    assert_eq!(open.runs[0].complete, None, "without its end a run does not say how much it is");

    let good = run_pack(&log, "r-1", Some(&signer));
    let edit = |name: &str, change: &dyn Fn(Vec<&str>) -> Vec<String>| {
        let mut files = unzip(&good);
        let text = &mut files.iter_mut().find(|(own, _)| own == name).unwrap().1;
        *text = change(text.split_inclusive('\n').collect()).concat();
        check(&zipped(&files), None, &[])
    };
    let swap = |mut lines: Vec<&str>| {
        lines.swap(2, 3);
        lines.into_iter().map(str::to_owned).collect()
    };
    let less = |lines: Vec<&str>| lines[1..].iter().map(ToString::to_string).collect();
    let twice = |mut lines: Vec<&str>| {
        lines.insert(2, lines[2]);
        lines.into_iter().map(str::to_owned).collect()
    };
    assert_eq!(kind(&edit("entries.jsonl", &swap)), Kind::Missing, "entry and proof do not go together");
    assert_eq!(kind(&edit("entries.jsonl", &less)), Kind::Missing);
    assert!(matches!(kind(&edit("entries.jsonl", &twice)), Kind::Duplicated | Kind::Missing));
    assert_eq!(kind(&edit("proofs.jsonl", &less)), Kind::Missing);
    assert_eq!(kind(&edit("checkpoints.jsonl", &less)), Kind::Missing);
}

/// What a query found may be a part of a run: that is said, and is no fault. A pack that names no query holds its runs whole.
#[test]
fn a_pack_of_what_a_query_found_holds_runs_in_part() {
    let (dir, log) = (tempfile::tempdir().unwrap(), common::log("log-1", 35, &[35], None));
    let (tree, size) = (tree(&log), log.checkpoints[0].checkpoint.size);
    let packed = |query: Option<&str>, pick: &dyn Fn(&Row) -> bool| {
        let rows: Vec<Row> = log.rows.iter().filter(|row| pick(row)).cloned().collect();
        let contents = Contents {
            proofs: rows.iter().map(|row| tree.inclusion(row.seq, size).unwrap()).collect::<Vec<_>>(),
            rows,
            checkpoints: log.checkpoints.clone(),
            profile: Profile::default(),
            query: query.map(str::to_owned),
            missing: Vec::new(),
            keys: Vec::new(),
        };
        write(Cursor::new(Vec::new()), contents).unwrap().into_inner()
    };
    let ends = |row: &Row| row.text.contains("WORKFLOW_COMPLETED");
    let told = packed(Some("event:WORKFLOW_COMPLETED"), &ends);
    let found = check(&told, None, &[]);
    assert!(found.is_intact(), "{}", found.verdict);
    assert_eq!(found.query.as_deref(), Some("event:WORKFLOW_COMPLETED"));
    assert!(
        found.runs.iter().all(|run| run.complete == Some(false) && run.entry_count > Some(run.entries)),
        "{found:?}"
    );
    let readme = unzip(&told).remove(5).1;
    assert!(readme.contains("  chosen by       event:WORKFLOW_COMPLETED\n"), "{readme}");
    let (code, text) = python(&file(&dir, "query.zip", &told), None);
    assert!(code == Some(0) && text.contains("\"query\""), "{text}");

    let silent = packed(None, &ends);
    assert_eq!(kind(&check(&silent, None, &[])), Kind::Missing);
    assert_eq!(python(&file(&dir, "silent.zip", &silent), None).0, Some(1));
    let whole = check(&packed(None, &|_| true), None, &[]);
    assert!(whole.is_intact() && whole.query.is_none());
    // Whatever was chosen, what it holds is held against the log.
    let changed: Vec<_> = unzip(&told)
        .into_iter()
        .map(|(name, text)| (name, text.replacen("\"entryCount\":10", "\"entryCount\":11", 1)))
        .collect();
    assert_eq!(kind(&check(&zipped(&changed), None, &[])), Kind::Modified);
}

/// ADR 77: a pack is what it proves, and says that an end of its log was found missing; so do both verifiers.
#[test]
fn a_pack_of_a_log_whose_end_was_missing_says_so() {
    let dir = tempfile::tempdir().unwrap();
    let mut log = log("log-1", 0, &[], None);
    let told = |n: u64, event: &str, facts: serde_json::Value| {
        let mut record = record(n);
        event.clone_into(&mut record.event);
        record.metadata = facts.as_object().cloned();
        record
    };
    log.push(record(0), None);
    log.push(
        told(1, "AUDIT_VERIFY_FAILED", serde_json::json!({ "seq": 1, "kind": "TRUNCATED", "message": "…" })),
        None,
    );
    log.push(
        told(2, "AUDIT_CUT_ACCEPTED", serde_json::json!({ "seq": 1, "expected": 9, "found": 1, "reason": "…" })),
        None,
    );
    log.seal(None);
    let missing = vec![
        MissingEnd { expected: 9, found: 1, accepted: Some(2) },
        MissingEnd { expected: 30, found: 0, accepted: None },
        MissingEnd { expected: 3, found: 3, accepted: None },
    ];
    let contents = Contents {
        rows: log.rows.clone(),
        checkpoints: log.checkpoints.clone(),
        proofs: Vec::new(),
        profile: Profile::default(),
        query: None,
        missing: missing.clone(),
        keys: Vec::new(),
    };
    let bytes = write(Cursor::new(Vec::new()), contents).unwrap().into_inner();
    let found = check(&bytes, None, &[]);
    assert!(found.is_intact(), "{}", found.verdict);
    assert_eq!(found.missing, missing);
    let named: Vec<_> =
        found.findings.first.iter().map(|one| (one.seq, &*one.event, one.kind.as_deref(), one.at)).collect();
    assert_eq!(
        (found.findings.count, named),
        (2, vec![(1, "AUDIT_VERIFY_FAILED", Some("TRUNCATED"), Some(1)), (2, "AUDIT_CUT_ACCEPTED", None, Some(1))])
    );
    let readme = unzip(&bytes).remove(5).1;
    for words in [
        "entry 8 was the last one known, and entry 0 the last one there when that was noticed; entry 2 says why",
        "entry 29 was the last one known, and none was there when that was noticed; nobody has said why",
        "entry 2 is not the one that had been written; nobody has said why",
    ] {
        assert!(readme.contains(words), "{readme}");
    }
    let (code, text) = python(&file(&dir, "cut.zip", &bytes), None);
    let second: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert_eq!((code, &second["intact"]), (Some(0), &true.into()), "{text}");
    assert_eq!(second["missing"], serde_json::to_value(&missing).unwrap());
    assert_eq!(second["findings"], serde_json::to_value(&found.findings).unwrap());
    // Of a log that nothing is said about, nothing is said.
    let quiet = serde_json::to_value(check(&run_pack(&common::log("log-1", 10, &[10], None), "r-0", None), None, &[]));
    let quiet = quiet.unwrap();
    assert!(quiet.get("missing").is_none() && quiet.get("findings").is_none(), "{quiet}");
}

#[test]
fn a_hostile_zip_is_refused() {
    let signer = signer();
    let log = log("log-1", 10, &[10], Some(&signer));
    let good = unzip(&pack(&log, |_| true, false, Some(&signer)));
    assert!(check(&zipped(&good), None, &[]).is_intact());
    let refused = |bytes: &[u8], limits: Limits, why: &str| {
        let error = verify(bytes, None, &[], &[], limits).unwrap_err().to_string();
        assert!(error.contains(why), "{error}\nshould contain {why}");
    };
    let all = Limits::default();
    refused(b"", all, "damaged: it is empty");
    refused(b"PK", all, "it is no zip file");
    refused(&[0; 100], all, "it is no zip file");
    // Wherever a pack is cut off, it is one that is damaged.
    let whole = zipped(&good);
    for length in [4, 21, 22, 100, whole.len() / 2, whole.len() - 22, whole.len() - 1] {
        refused(&whole[..length], all, "damaged: its end is missing: it was cut off");
    }
    refused(&zipped(&good[..4]), all, "does not list the files");
    let mut named = good.clone();
    named[5].0 = "../README.txt".to_owned();
    refused(&zipped(&named), all, "it holds \"../README.txt\"");
    // Two files of one name: written as another name of the same length, then renamed in the bytes.
    let mut twice = good.clone();
    twice[3].0 = "kez.pub".to_owned();
    twice[4] = ("key.pub".to_owned(), String::new());
    let mut bytes = zipped(&twice);
    for at in 0..bytes.len() - 7 {
        if &bytes[at..at + 7] == b"kez.pub" {
            bytes[at + 2] = b'y';
        }
    }
    refused(&bytes, all, "key.pub is there twice");
    let mut other = zipped(&good);
    let at = other.windows(7).position(|name| name == b"key.pub").unwrap();
    other[at] = b'K';
    refused(&other, all, "another name than its own header");
    let mut bomb = good.clone();
    bomb[5].1 = "0".repeat(3 << 20);
    refused(&zipped(&bomb), all, "README.txt unpacks to more than");
    refused(&zipped(&good), Limits { file: 100, ..all }, "entries.jsonl unpacks to more than 100 bytes");
    refused(&zipped(&good), Limits { lines: 3, ..all }, "more than 3 lines");
    let whole = zipped(&good);
    for length in (0..whole.len()).step_by(7) {
        assert!(verify(&whole[..length], None, &[], &[], all).is_err());
    }
}

#[test]
fn ts_050_the_same_head_in_every_sink() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("audit.jsonl");
    let signer = signer();
    let mut jsonl = Jsonl::open(&path, "log-1").unwrap();
    let mut ring = RecentEntries::new("log-1", 30);
    let mut chain = Chain::new("log-1");
    for n in 0..100 {
        jsonl.record(record(n), Some(&signer)).unwrap();
        ring.record(record(n), Some(&signer)).unwrap();
        chain.seal(record(n)).unwrap();
    }
    jsonl.sync().unwrap();
    assert_eq!((jsonl.head(), ring.head()), (chain.head(), chain.head()));
    assert_eq!((ring.rows().count(), ring.dropped(), ring.rows().next().unwrap().seq), (30, 70, 70));
    assert!(ring.describe().starts_with("the last 30 of 100 entries"), "{}", ring.describe());

    let expect =
        Expect { keys: vec![signer.public_key()], head: Some(chain.head()), require_signed: true, ..Expect::default() };
    assert!(try_verify(jsonl.rows().unwrap(), &expect).unwrap().is_intact());
    let text = std::fs::read_to_string(&path).unwrap();
    assert!(text.is_ascii() && text.lines().count() == 100, "nothing in it disturbs a terminal");
    let key = file(&dir, "key.pub", signer.public_key().to_pem());
    let (code, said) = python(&path, Some(&key));
    assert!(code == Some(0) && said.contains(&chain.head().head_hash.to_hex()), "{said}");
    let bad = file(&dir, "bad.jsonl", text.replacen("note 50", "nope 50", 1));
    assert_eq!(python(&bad, None).0, Some(1));

    // Open again: it goes on. A cut last line is removed, and said.
    drop(jsonl);
    std::fs::OpenOptions::new().append(true).open(&path).unwrap().write_all(b"{\"entry\":{\"act").unwrap();
    let mut again = Jsonl::open(&path, "log-1").unwrap();
    assert_eq!((again.head(), again.removed()), (chain.head(), Some("{\"entry\":{\"act")));
    again.record(record(100), None).unwrap();
    assert_eq!(read_rows(std::fs::read(&path).unwrap().as_slice()).filter(Result::is_ok).count(), 101);
    // A changed file gets nothing more.
    assert!(matches!(Jsonl::open(&bad, "log-1"), Err(SinkError::Foreign { line: 51, .. })));
    assert!(matches!(Jsonl::open(&path, "log-2"), Err(SinkError::Foreign { line: 1, .. })));
}

/// A target with room for so many bytes.
struct Disk {
    held: Cursor<Vec<u8>>,
    room: u64,
}

impl Write for Disk {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        if self.held.position() + bytes.len() as u64 > self.room {
            return Err(std::io::ErrorKind::StorageFull.into());
        }
        self.held.write(bytes)
    }
    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

impl Seek for Disk {
    fn seek(&mut self, to: SeekFrom) -> std::io::Result<u64> {
        self.held.seek(to)
    }
}

/// Wherever the room ends, that is told as what it is; with room for all of it the pack is the same.
#[test]
fn a_pack_for_which_there_is_no_room_says_so() {
    let log = log("log", SIZE, &[SIZE], None);
    let whole = pack(&log, |_| true, false, None);
    let length = whole.len() as u64;
    for room in (0..=length).step_by(53).chain([length - 1, length]) {
        let contents = Contents {
            rows: log.rows.clone(),
            checkpoints: log.checkpoints.clone(),
            proofs: Vec::new(),
            profile: Profile::default(),
            query: None,
            missing: Vec::new(),
            keys: Vec::new(),
        };
        match write(Disk { held: Cursor::default(), room }, contents) {
            Ok(disk) => assert!(room == length && disk.held.into_inner() == whole, "{room} of {length}"),
            Err(WriteError::Io(error)) => {
                assert!(
                    room < length && error.kind() == std::io::ErrorKind::StorageFull,
                    "{room} of {length}: {error}"
                );
            }
            Err(other) => panic!("{room}: {other}"),
        }
    }
}
