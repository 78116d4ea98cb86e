//! *Save rows to a file* alone, without a run: what `cargo xtask bench rows` compares with psql. It is small, so that it can be
//! built as it is released where the whole program takes too long.
//!
//! `rows PORT FILE SQL`, with the password of the user `bench` in `PGPASSWORD`.

// Without these nothing can be measured.
#![allow(clippy::unwrap_used, clippy::expect_used)]

use async_trait::async_trait;
use serde_json::json;
use signalbox_adapters::{FolderFiles, Grant, PooledDatabases, RealClock};
use signalbox_engine::effect::{Call, CallKey, CallSlot, Permits};
use signalbox_engine::scope::Scope;
use signalbox_model::budget::Budget;
use signalbox_model::{Effects, Item, Mode, Workflow};
use signalbox_ports::secret::AllowedHost;
use signalbox_ports::{
    Credential, CredentialKind, Http, HttpError, HttpRequest, HttpResponse, NoAudit, NoBinaries, NoBrokers,
    NoDocuments, NoLlm, NoMail, NoRemembered, NoRemoteFiles, NoRetrieval, NoScripts, NoTools, NoUploads, Scrubber,
    Secret, SecretError, Secrets, Unheard, World,
};
use std::path::Path;
use std::sync::Arc;

/// One password, which is looked for in what is written, with some more secrets as a machine has them.
struct Password(String, Arc<Scrubber>);

#[async_trait]
impl Secrets for Password {
    async fn credential(&self, name: &str) -> Result<Arc<Credential>, SecretError> {
        let (kind, value) = (CredentialKind::Basic { user: "bench".into() }, Secret::new(self.0.clone()));
        self.1.add(name, Some(&kind), &value);
        for number in 0..4 {
            self.1.add("other", None, &Secret::new(format!("another-secret-of-this-machine-{number}")));
        }
        Ok(Arc::new(Credential {
            name: name.to_owned(),
            kind,
            hosts: vec![AllowedHost::parse("http://127.0.0.1").expect("a host")],
            value,
            scrubber: Arc::clone(&self.1),
        }))
    }
    fn scrubber(&self) -> Arc<Scrubber> {
        Arc::clone(&self.1)
    }
}

struct NoHttp;

#[async_trait]
impl Http for NoHttp {
    async fn send(&self, _request: HttpRequest) -> Result<HttpResponse, HttpError> {
        unreachable!("nothing is asked")
    }
}

fn main() {
    let given: Vec<String> = std::env::args().collect();
    let [_, port, file, sql] = given.as_slice() else { panic!("rows PORT FILE SQL") };
    let password = Password(std::env::var("PGPASSWORD").expect("a password"), Arc::default());
    let folder = Path::new(file).parent().expect("a folder").to_owned();
    let files = FolderFiles::new(vec![Grant { folder, workflow: None, write: true }]);
    let world = World {
        http: Arc::new(NoHttp),
        databases: Arc::new(PooledDatabases::new(files.clone())),
        files: Arc::new(files),
        clock: Arc::new(RealClock),
        audit: Arc::new(NoAudit),
        secrets: Arc::new(password),
        llm: Arc::new(NoLlm),
        tools: Arc::new(NoTools),
        scripts: Arc::new(NoScripts),
        documents: Arc::new(NoDocuments),
        binaries: Arc::new(NoBinaries),
        remembered: Arc::new(NoRemembered),
        retrieval: Arc::new(NoRetrieval),
        mail: Arc::new(NoMail),
        brokers: Arc::new(NoBrokers),
        remote_files: Arc::new(NoRemoteFiles),
        uploads: Arc::new(NoUploads),
    };
    let config = json!({
        "system": "postgres", "host": "127.0.0.1", "port": port.parse::<u16>().expect("a port"), "database": "postgres",
        "user": "bench", "credential": "secret://bench", "tls": "off", "timeoutMs": 600_000, "sql": sql, "saveTo": file,
    });
    let input: Arc<_> = Arc::new(vec![Item::new("1", json!({}))].into());
    let slot = CallSlot { item: 0, config: Arc::new(config), input, scope: Scope::empty(), sources: Vec::new() };
    let call = Call {
        fault: None,
        key: CallKey { path: "".into(), node: 0, item: None, visit: 1, attempt: 0, origin: None },
        node_id: "n".into(),
        kind: "db.query".into(),
        mode: Mode::Each,
        effects: Effects::Write,
        slots: vec![slot],
        timeout_ms: None,
        idempotency_key: "key-1".into(),
        loopback_allowed: true,
        model: None,
        connector: None,
        workflow: Arc::new(Workflow::empty("w", "Work")),
        launch_id: "n-0".into(),
        budget: Budget::default(),
        permits: Permits::default(),
        run_id: "r".into(),
        workflow_id: "w".into(),
    };
    let runtime = tokio::runtime::Runtime::new().expect("threads");
    let code = signalbox_nodes::kind("db.query").expect("a step");
    let done = runtime.block_on(signalbox_nodes::run_call(code, &call, &world, &Unheard)).remove(0).1.expect("saved");
    println!("{}", done.ports["success"].data(0).expect("an item"));
}
