//! Node kinds. Adding one is two files: `kinds/<kind>.rs` with a `KIND` constant, and its descriptor
//! `node-catalog/<kind>.yaml`; `cargo test -p signalbox-nodes` then rewrites `kinds_table.rs` and fails once.
//!
//! A kind sees its evaluated config, its items, the scope of its expressions and, when it has effects, the ports. It
//! returns items per port or a [`NodeFailure`]; ids, lineage, retries and routing are the engine's.
//!
//! Shared notions: fields marked `x-cel` arrive as CEL source and are evaluated by the kind per item; in `mode: all` the
//! code runs once, `item` is the first item, and kinds that pass items on pass all of them on.
#![deny(missing_docs)]

mod a2a;
mod binary;
mod brokers;
mod cancellation;
mod cel;
pub mod check;
pub mod connector;
mod contained;
mod credential;
mod csv_table;
mod databases;
mod decimal;
mod document;
mod document_output;
pub mod extract;
mod fault;
mod feed;
mod fields;
mod file_error;
mod file_rows;
mod fired;
mod formats;
mod groups;
mod http_answer;
mod http_body;
mod http_cookies;
mod http_credential;
mod http_header;
mod http_items;
mod http_lines;
mod http_save;
mod http_text;
mod json_lines;
mod keys;
mod kinds_table;
mod listing;
mod llm;
mod long_value;
mod mail;
mod memory;
mod model_check;
mod number_texts;
mod objects;
pub mod progress_reporter;
mod retrieval_error;
mod run;
mod saved_pieces;
mod sign_in_check;
mod slug;
mod support;
mod time_limit;
mod tool_answer;
mod tool_call;
mod tool_question;
mod two_lists;
mod written_file;

pub use brokers::{MessageLook, NewMessage, message_sample, watch_messages};
pub use check::check_descriptor;
pub use contained::{contained, reads_bytes};
pub use fault::run_faulted;
pub use formats::yaml_options;
pub use llm::skills::{Skill, in_folder as skills_in, troubles as skill_troubles};
pub use mail::watch::{MailLook, Mails, NewMail, sample as mail_sample, watch_mailbox};
pub use retrieval_error::failure as retrieval_failure;
pub use run::{run_call, run_effect, run_pure, timed_out};
pub use sign_in_check::{ServerFamily, check_sign_in};
pub use time_limit::usual_time_limit;
pub use tool_answer::unchecked as unchecked_tool;

use flate2::read::DeflateDecoder;
use signalbox_engine::catalog::Catalog;
use signalbox_engine::effect::{Call, CallOutput, CallSlot};
use signalbox_model::{NodeDescriptor, NodeFailure};
use signalbox_ports::{CallLog, World};
use std::future::Future;
use std::io::Read;
use std::pin::Pin;
use std::sync::{Arc, LazyLock};

/// What a slot's code gives back.
pub type Outcome = Result<CallOutput, NodeFailure>;
/// Code without effects: runs inside the burst that decides it.
pub type PureFn = fn(&CallSlot) -> Outcome;
/// A running effect.
pub type EffectFuture<'a> = Pin<Box<dyn Future<Output = Outcome> + Send + 'a>>;
/// Code with effects.
pub type EffectFn = for<'a> fn(&'a Call, &'a CallSlot, &'a World, &'a dyn CallLog) -> EffectFuture<'a>;

/// The code of a kind.
#[derive(Clone, Copy)]
pub enum Kind {
    /// `effects: none`.
    Pure(PureFn),
    /// `effects: read` or `write`.
    Effect(EffectFn),
}

/// One row of the generated table.
struct Entry {
    kind: &'static str,
    code: Kind,
}

include!(concat!(env!("OUT_DIR"), "/catalog.rs"));

// Without a look at the code: a program that has the code of some kinds knows the descriptors of all. A test compares them.
static BUILT_IN: LazyLock<Catalog> = LazyLock::new(|| Catalog::of_packed(CATALOG.iter().copied(), unpacked));

fn unpacked(packed: &[u8]) -> Option<String> {
    let mut text = String::new();
    DeflateDecoder::new(packed).read_to_string(&mut text).ok()?;
    Some(text)
}

static REGISTRY: LazyLock<Vec<(NodeDescriptor, Kind)>> = LazyLock::new(|| {
    let with_code = |known: &Arc<NodeDescriptor>| Some((NodeDescriptor::clone(known), kind(&known.kind)?));
    BUILT_IN.iter().filter_map(with_code).collect()
});

/// Every built-in kind; a descriptor is read when it is first asked for.
pub fn built_in() -> &'static Catalog {
    &BUILT_IN
}

/// Every built-in kind with its code, sorted by name.
pub fn registry() -> &'static [(NodeDescriptor, Kind)] {
    &REGISTRY
}

/// The descriptors alone, all of them read.
pub fn catalog() -> Vec<NodeDescriptor> {
    registry().iter().map(|(descriptor, _)| descriptor.clone()).collect()
}

/// The code of a kind by its name.
pub fn kind(name: &str) -> Option<Kind> {
    large_kind(name).or_else(|| find(kinds_table::CONNECTED, name))
}

/// The same, apart from kinds of models, tools, indexes, databases, mail and brokers: for programs without them.
pub fn large_kind(name: &str) -> Option<Kind> {
    small_kind(name).or_else(|| find(kinds_table::LARGE, name))
}

/// The same, apart from documents and scripts as well.
pub fn small_kind(name: &str) -> Option<Kind> {
    find(kinds_table::SMALL, name)
}

fn find(table: &[Entry], name: &str) -> Option<Kind> {
    table.iter().find(|entry| entry.kind == name).map(|entry| entry.code)
}
