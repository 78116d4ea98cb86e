//! The audit chain: what happened, in a form that someone who trusts neither the product nor its owner can verify.
//!
//! An [`Entry`] is hashed over its canonical bytes (RFC 8785) and names the hash of the entry before it. [`Chain`]
//! gives a [`Record`] its place; [`SignedCheckpoint`] seals all entries so far under a Merkle root and a signature;
//! a checkpoint kept elsewhere is an anchor. [`verify`](verify::verify) checks all of it and names the first entry that is bad.
//! [`pack`] writes and verifies the evidence pack, [`sink`] holds the sinks of the stand-alone form.
//!
//! The crate knows no database, no engine, no clock and no random numbers; only [`sink`] touches files. The format is
//! described to the byte in `docs/audit-chain.md`. What it gives: a log is *tamper-evident up to the last anchored
//! checkpoint*. Whoever can write the file can still cut entries after the last checkpoint, or, without an anchor,
//! rewrite everything.

pub mod canonical;
mod chain;
mod checkpoint;
mod digest;
mod entry;
mod findings;
pub mod line;
pub mod merkle;
pub mod pack;
mod record;
mod retention;
mod row;
mod sign;
pub mod sink;
mod timestamp;
mod verdict;
pub mod verify;

pub use canonical::CanonicalError;
pub use chain::{Chain, Head, SealError, Sealed};
pub use checkpoint::{Anchor, CHECKPOINT_PREFIX, Checkpoint, NotSealed, SignedCheckpoint};
pub use digest::{BadDigest, Digest};
pub use entry::{
    ALIASES, Actor, ActorType, ENTRY_PREFIX, Entry, Level, NotAnEntry, RETENTION, RUN_LEVEL, Record, VERSION,
    hash_text, is_signed,
};
pub use findings::{Finding, Findings};
pub use merkle::{Consistency, Frontier, Inclusion, OutOfTree, Tree};
pub use record::{FieldError, RecordErrors, Submitted};
pub use retention::Tombstone;
pub use sign::{BadKey, KeyId, PublicKey, Signature, Signer};
