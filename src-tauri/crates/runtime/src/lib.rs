//! The loop around `engine::step`: one task per driven run owns its state. An input goes through `step`, the events go to
//! the store in one transaction, then to the subscribers, and only then are the effects carried out; their results are the
//! next inputs. A run that was cut off is folded from its log and goes on.
//!
//! Everything runs on threads of its own with 32 MiB stacks, because expressions and pure kinds run here; a caller may live
//! on any executor or on none. Deliberately not here: what a command does (`app`), files of workflows, windows, servers.
#![deny(missing_docs)]

mod artifact;
mod audit_log;
mod binaries;
mod commit_reply;
mod debug;
pub mod deliveries;
mod drive;
mod durable_input;
mod error;
mod journal;
mod journal_entry;
mod live;
mod live_feed;
mod load;
mod options;
mod phase;
mod queue;
mod record;
mod registry;
mod remembered;
mod rerun;
mod run_host;
pub mod run_masks;
mod runtime;
mod shared;
mod spending;
mod step_batch;
pub mod task_answer;
mod trace;
pub mod triggers;

pub use audit_log::{AuditCopies, StoredAuditLog};
pub use binaries::StoredBinaries;
pub use error::{Error, Trouble};
pub use journal::JournaledRun;
pub use journal_entry::{Beginning, JournalEntry, NextEntry};
pub use live::{Follow, Subscription};
pub use load::{PINNED_FILES, Pinned, definition, pinned_files, state};
pub use options::{Kept, Options, RunResources};
pub use phase::Phase;
pub use registry::Registry;
pub use remembered::StoredKeys;
pub use rerun::{Again, Correct, Definition, Person, ReplayOf};
pub use run_host::RunHost;
pub use runtime::{NewRun, Origin, Runtime, StartOutcome};
pub use shared::Resumed;
pub use signalbox_store::HandedRun;
pub use spending::Spending;
pub use trace::CallPlace;
