//! A small log to damage.
#![allow(dead_code, reason = "each test binary uses its part")]

use serde_json::json;
use signalbox_audit::pack::{Contents, Profile, write};
use signalbox_audit::verify::Row;
use signalbox_audit::{
    Actor, ActorType, Chain, Frontier, Inclusion, Level, PublicKey, Record, Sealed, SignedCheckpoint, Signer, is_signed,
};
use std::io::Cursor;

pub(crate) fn signer() -> Signer {
    Signer::from_secret([7; 32])
}

/// The two records of TS-046, which are also the example of docs/audit-chain.md.
pub(crate) fn two_records() -> [Record; 2] {
    let metadata = |text: &str| serde_json::from_str(text).unwrap();
    let answerer = Actor::operator("user:123");
    [
        Record::new("2025-11-28T10:00:00.000Z", "r-1", "n-1", "NODE_ERROR", Level::Error, Actor::system())
            .with_metadata(metadata(r#"{"errorType":"ValidationError","attempt":0}"#)),
        Record::new("2025-11-28T10:00:05.000Z", "r-1", "n-1", "HITL_COMPLETED", Level::Info, answerer)
            .with_metadata(metadata(r#"{"notes":"Value format fixed.","action":"correct"}"#)),
    ]
}

/// Record number `n` of a run-like sequence.
pub(crate) fn record(n: u64) -> Record {
    let run = format!("r-{}", n / 10);
    let (event, level, actor) = match n % 10 {
        0 => ("NODE_START", Level::Info, Actor::system()),
        3 => ("NODE_ERROR", Level::Error, Actor::system()),
        4 => ("HITL_COMPLETED", Level::Info, Actor::operator("user:123")),
        5 => ("ESCALATED", Level::Critical, Actor::system()),
        6 => ("TOOL_USED", Level::Info, Actor::tool("search")),
        9 => ("WORKFLOW_COMPLETED", Level::Info, Actor::system()),
        _ => ("NODE_SUCCESS", Level::Info, Actor { kind: ActorType::System, id: None, role: None }),
    };
    let node = if n % 10 == 9 { "$run".to_owned() } else { format!("n-{}", n % 10) };
    let mut record =
        Record::new(format!("2026-01-01T00:{:02}:{:02}.000Z", n / 60 % 60, n % 60), run, node, event, level, actor);
    let mut metadata =
        json!({"attempt": n % 3, "notes": format!("note {n} \u{2028}\u{202e}<\u{1b}[31m"), "ratio": 0.1});
    if n % 10 == 9 {
        metadata["entryCount"] = json!(10);
        metadata["status"] = json!("completed");
    }
    record.metadata = metadata.as_object().cloned();
    if n % 4 == 1 {
        record.tags = Some(vec!["a".to_owned(), "b".to_owned()]);
    }
    if n % 5 == 2 {
        record.context_snapshot_hash = Some(signalbox_audit::Digest::of(&[b"snapshot"]));
    }
    record
}

/// A pack of rows as they were sealed, under the checkpoints of their log.
pub(crate) fn packed(log: &Log, rows: Vec<Row>, proofs: Vec<Inclusion>, keys: Vec<PublicKey>) -> Vec<u8> {
    let contents = Contents {
        rows,
        checkpoints: log.checkpoints.clone(),
        proofs,
        profile: Profile::default(),
        query: None,
        missing: Vec::new(),
        keys,
    };
    write(Cursor::new(Vec::new()), contents).unwrap().into_inner()
}

pub(crate) fn row(sealed: &Sealed, signer: Option<&Signer>) -> Row {
    let signature = signer.filter(|_| is_signed(&sealed.entry.event)).map(|signer| signer.sign_hash(&sealed.hash));
    Row {
        seq: sealed.entry.seq,
        text: sealed.text.clone(),
        hash: sealed.hash.to_hex(),
        signature: signature.map(|signature| signature.to_string()),
    }
}

pub(crate) struct Log {
    pub(crate) chain: Chain,
    pub(crate) frontier: Frontier,
    pub(crate) rows: Vec<Row>,
    pub(crate) checkpoints: Vec<SignedCheckpoint>,
}

/// `entries` entries with a checkpoint after each of `seals`.
pub(crate) fn log(log_id: &str, entries: u64, seals: &[u64], signer: Option<&Signer>) -> Log {
    let mut log =
        Log { chain: Chain::new(log_id), frontier: Frontier::new(), rows: Vec::new(), checkpoints: Vec::new() };
    log.grow(entries, seals, signer);
    log
}

impl Log {
    pub(crate) fn push(&mut self, record: Record, signer: Option<&Signer>) {
        let sealed = self.chain.seal(record).unwrap();
        self.frontier.push(&sealed.hash);
        self.rows.push(row(&sealed, signer));
    }

    pub(crate) fn seal(&mut self, signer: Option<&Signer>) {
        let head = self.chain.head();
        let previous = self.checkpoints.last();
        let time = "2026-01-01T01:00:00Z";
        let sealed = SignedCheckpoint::seal(self.chain.log_id(), head, &self.frontier, previous, time, signer).unwrap();
        self.checkpoints.push(sealed);
    }

    pub(crate) fn grow(&mut self, entries: u64, seals: &[u64], signer: Option<&Signer>) {
        for _ in 0..entries {
            self.push(record(self.chain.head().size), signer);
            if seals.contains(&self.chain.head().size) {
                self.seal(signer);
            }
        }
    }
}
