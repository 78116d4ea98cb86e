//! A scripted world, a driver without a store, and scenarios as data. For tests only.

// Only tests use it.
#![allow(clippy::unwrap_used, clippy::expect_used)]
#![deny(missing_docs)]

pub mod audit;
pub mod binaries;
pub mod clock;
pub mod driver;
pub mod files;
pub mod http;
pub mod identity_provider;
pub mod llm;
pub mod mail_host;
pub mod message_host;
pub mod postgres;
pub mod scenario;
pub mod sftp_host;
pub mod tools;

use signalbox_ports::{Ids, World};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

pub use audit::MemoryAudit;
pub use binaries::MemoryBinaries;
pub use clock::ManualClock;
pub use driver::Driver;
pub use files::MemoryFiles;
pub use http::{Answer, ScriptedHttp};
pub use llm::ScriptedLlm;
pub use postgres::Postgres;
pub use tools::ScriptedTools;

/// Ids that count: `00000000-0000-7000-8000-000000000001`, …; the seed is the number.
#[derive(Debug, Default)]
pub struct CountingIds(AtomicU64);

impl Ids for CountingIds {
    fn run_id(&self) -> String {
        format!("00000000-0000-7000-8000-{:012x}", self.0.fetch_add(1, Ordering::Relaxed) + 1)
    }
    fn seed(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}

/// The scripted ports together, each reachable for the test.
pub struct TestWorld {
    /// Time moves when a test moves it.
    pub clock: Arc<ManualClock>,
    /// Answers as scripted.
    pub http: Arc<ScriptedHttp>,
    /// Files in memory.
    pub files: Arc<MemoryFiles>,
    /// The audit chain in memory.
    pub audit: Arc<MemoryAudit>,
    /// A model that answers as scripted.
    pub llm: Arc<ScriptedLlm>,
    /// Tools that answer as scripted.
    pub tools: Arc<ScriptedTools>,
    /// Bytes in memory.
    pub binaries: Arc<MemoryBinaries>,
}

impl Default for TestWorld {
    fn default() -> Self {
        let clock = Arc::new(ManualClock::default());
        Self {
            http: Arc::new(ScriptedHttp::new(Arc::clone(&clock))),
            files: Arc::default(),
            audit: Arc::default(),
            binaries: Arc::default(),
            llm: Arc::new(ScriptedLlm::new(Arc::clone(&clock))),
            tools: Arc::new(ScriptedTools::new(Arc::clone(&clock))),
            clock,
        }
    }
}

impl TestWorld {
    /// As a node kind sees it.
    pub fn world(&self) -> World {
        World {
            http: Arc::clone(&self.http) as Arc<dyn signalbox_ports::Http>,
            files: Arc::clone(&self.files) as Arc<dyn signalbox_ports::Files>,
            clock: Arc::clone(&self.clock) as Arc<dyn signalbox_ports::Clock>,
            audit: Arc::clone(&self.audit) as Arc<dyn signalbox_ports::AuditLog>,
            secrets: Arc::new(signalbox_ports::NoSecrets),
            llm: Arc::clone(&self.llm) as Arc<dyn signalbox_ports::Llm>,
            tools: Arc::clone(&self.tools) as Arc<dyn signalbox_ports::Tools>,
            scripts: Arc::new(signalbox_ports::NoScripts),
            documents: Arc::new(signalbox_ports::NoDocuments),
            binaries: Arc::clone(&self.binaries) as Arc<dyn signalbox_ports::Binaries>,
            remembered: Arc::new(signalbox_ports::NoRemembered),
            retrieval: Arc::new(signalbox_ports::NoRetrieval),
            databases: Arc::new(signalbox_ports::NoDatabases),
            mail: Arc::new(signalbox_ports::NoMail),
            brokers: Arc::new(signalbox_ports::NoBrokers),
            remote_files: Arc::new(signalbox_ports::NoRemoteFiles),
            uploads: Arc::new(signalbox_ports::NoUploads),
        }
    }
}
