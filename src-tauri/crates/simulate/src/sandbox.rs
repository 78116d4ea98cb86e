//! Steps that need no more than their items (scripts, and files that come with the items) run their code in a test, too. What runs
//! scripts and reads documents comes from outside of this crate, and nothing else of the world does.

use crate::simulation::CallInfo;
use crate::test_bytes::TestBytes;
use async_trait::async_trait;
use signalbox_engine::Catalog;
use signalbox_model::hash::{digest_of_parts, sha256_hex};
use signalbox_nodes::{Outcome, contained, run_effect};
use signalbox_ports::scripts::{FixedClock, ScriptAnswer, ScriptCall, ScriptFailure};
use signalbox_ports::{
    Binaries, BinaryError, Clock, Documents, FileEntry, FileError, Files, Http, HttpError, HttpRequest, HttpResponse,
    NoAudit, NoBrokers, NoDatabases, NoLlm, NoMail, NoRemembered, NoRemoteFiles, NoRetrieval, NoSecrets, NoTools,
    Scripts, Unheard, World, WriteMode, Written,
};
use std::collections::HashMap;
use std::ops::Deref;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};

/// Code of a step under way.
pub type Work<'w> = Pin<Box<dyn Future<Output = Outcome> + Send + 'w>>;

/// Runs scripts and reads documents apart from this program, where they can reach nothing.
pub trait Sandbox: Sync {
    /// Runs scripts.
    fn scripts(&self) -> Arc<dyn Scripts>;
    /// Reads documents.
    fn documents(&self) -> Arc<dyn Documents>;
    /// Waits for the end of a step's code.
    fn wait(&self, work: Work<'_>) -> Outcome;
}

/// The kinds of steps that a test knows, and what runs the code of those that need no more than their items.
#[derive(Clone, Copy)]
pub struct Kinds<'k> {
    catalog: &'k Catalog,
    sandbox: Option<&'k dyn Sandbox>,
}

impl<'k> Kinds<'k> {
    /// Every step with effects needs an answer.
    #[must_use]
    pub fn without_code(catalog: &'k Catalog) -> Self {
        Self { catalog, sandbox: None }
    }

    /// Steps that need no more than their items run their code.
    #[must_use]
    pub fn with_code(catalog: &'k Catalog, sandbox: &'k dyn Sandbox) -> Self {
        Self { catalog, sandbox: Some(sandbox) }
    }

    /// The catalog alone.
    #[must_use]
    pub fn catalog(self) -> &'k Catalog {
        self.catalog
    }
}

impl Deref for Kinds<'_> {
    type Target = Catalog;

    fn deref(&self) -> &Catalog {
        self.catalog
    }
}

/// The bytes that the items of one simulated run name.
#[derive(Debug, Default)]
pub(crate) struct BytesInMemory {
    /// Those of the test.
    given: TestBytes,
    /// Those that steps made.
    made: Mutex<HashMap<String, Vec<u8>>>,
}

#[async_trait]
impl Binaries for BytesInMemory {
    async fn keep(&self, _run: &str, bytes: Vec<u8>) -> Result<String, BinaryError> {
        let hash = sha256_hex(&bytes);
        self.made.lock().unwrap_or_else(PoisonError::into_inner).insert(hash.clone(), bytes);
        Ok(hash)
    }

    async fn read(&self, _run: &str, sha256: &str) -> Result<Option<Vec<u8>>, BinaryError> {
        if let Some(bytes) = self.given.get(sha256) {
            return Ok(Some(bytes.to_vec()));
        }
        let made = self.made.lock().unwrap_or_else(PoisonError::into_inner).get(sha256).cloned();
        let message = "the test does not have them. Mock this step, or save the run again with its files";
        made.map(Some).ok_or_else(|| BinaryError { message: message.into(), disk_full: false })
    }
}

/// Runs the code of steps of one simulated run.
pub(crate) struct StepCode<'k> {
    sandbox: Option<&'k dyn Sandbox>,
    seed: u64,
    bytes: Arc<BytesInMemory>,
}

impl<'k> StepCode<'k> {
    /// For a run with this seed, in which items name these bytes.
    pub(crate) fn new(kinds: Kinds<'k>, seed: u64, given: TestBytes) -> Self {
        Self { sandbox: kinds.sandbox, seed, bytes: Arc::new(BytesInMemory { given, made: Mutex::default() }) }
    }

    /// What the code of a step gives; none when it needs more than its items.
    pub(crate) fn run(&self, call: &CallInfo<'_>) -> Option<Outcome> {
        let sandbox = self.sandbox?;
        let code = contained(&call.call.kind, &call.slot.config)?;
        let world = world(sandbox, self.clock(call), &self.bytes);
        Some(sandbox.wait(Box::pin(run_effect(code, call.call, call.slot, &world, &Unheard))))
    }

    /// The time of the run, and random numbers that belong to this call.
    fn clock(&self, call: &CallInfo<'_>) -> FixedClock {
        let key = &call.call.key;
        let place = format!("{}/{}#{}", key.path, call.call.node_id, call.number_here);
        let item = call.item.map_or_else(String::new, |item| item.to_string());
        let digest = digest_of_parts(&[&self.seed.to_be_bytes(), place.as_bytes(), item.as_bytes()]);
        let seed = digest.iter().take(8).fold(0, |seed, byte| (seed << 8) | u64::from(*byte));
        FixedClock { now_ms: call.now_ms, seed }
    }
}

/// A world without an outside.
fn world(sandbox: &dyn Sandbox, clock: FixedClock, bytes: &Arc<BytesInMemory>) -> World {
    World {
        http: Arc::new(Nowhere),
        files: Arc::new(Nowhere),
        clock: Arc::new(StandingClock(clock.now_ms)),
        audit: Arc::new(NoAudit),
        secrets: Arc::new(NoSecrets),
        llm: Arc::new(NoLlm),
        tools: Arc::new(NoTools),
        scripts: Arc::new(FixedScripts { scripts: sandbox.scripts(), clock }),
        binaries: Arc::<BytesInMemory>::clone(bytes),
        remembered: Arc::new(NoRemembered),
        retrieval: Arc::new(NoRetrieval),
        documents: sandbox.documents(),
        databases: Arc::new(NoDatabases),
        mail: Arc::new(NoMail),
        brokers: Arc::new(NoBrokers),
        remote_files: Arc::new(NoRemoteFiles),
        uploads: Arc::new(signalbox_ports::NoUploads),
    }
}

/// Scripts that see the time of the simulated run.
struct FixedScripts {
    scripts: Arc<dyn Scripts>,
    clock: FixedClock,
}

#[async_trait]
impl Scripts for FixedScripts {
    async fn run(&self, call: ScriptCall) -> Result<ScriptAnswer, ScriptFailure> {
        self.scripts.run(ScriptCall { fixed: Some(self.clock), ..call }).await
    }
}

/// The time of the simulated run. The limits of scripts and documents are real ones, and hold without it.
struct StandingClock(i64);

#[async_trait]
impl Clock for StandingClock {
    fn now_ms(&self) -> i64 {
        self.0
    }

    async fn sleep_until(&self, _due_ms: i64) {
        std::future::pending().await
    }
}

/// No network and no files.
struct Nowhere;

const NOTHING: &str = "A test reaches nothing outside";

#[async_trait]
impl Http for Nowhere {
    async fn send(&self, _request: HttpRequest) -> Result<HttpResponse, HttpError> {
        Err(HttpError::Refused { message: NOTHING.into() })
    }
}

fn refused<T>() -> Result<T, FileError> {
    Err(FileError::Refused { message: NOTHING.into() })
}

#[async_trait]
impl Files for Nowhere {
    async fn read(&self, _workflow: &str, _path: &str, _limit: u64) -> Result<Vec<u8>, FileError> {
        refused()
    }

    async fn write(&self, _workflow: &str, _path: &str, _bytes: &[u8], _mode: WriteMode) -> Result<Written, FileError> {
        refused()
    }

    async fn list(&self, _workflow: &str, _path: &str, _glob: &str) -> Result<Vec<FileEntry>, FileError> {
        refused()
    }
}
