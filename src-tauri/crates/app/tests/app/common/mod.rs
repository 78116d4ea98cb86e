//! An app in a folder of its own.

use serde_json::{Value, json};
use signalbox_app::dto::Host;
use signalbox_app::{ApiError, App, Caller, Options};
use std::future::Future;
use std::path::PathBuf;
use std::sync::Arc;

pub(crate) struct Place {
    pub(crate) dir: tempfile::TempDir,
    pub(crate) app: Arc<App>,
}

pub(crate) fn options() -> Options {
    Options { host: Host::Desktop, allow: Vec::new(), stays: false, reads: false }
}

pub(crate) fn place() -> Place {
    let dir = tempfile::tempdir().expect("a folder");
    let app = App::open(&dir.path().join("data"), options()).expect("opens");
    Place { dir, app }
}

pub(crate) fn wait<T>(future: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime").block_on(future)
}

impl Place {
    pub(crate) fn ask(&self, command: &str, request: Value) -> Result<Value, ApiError> {
        wait(self.app.dispatch(&Caller::here(), command, request))
    }
    pub(crate) fn ok(&self, command: &str, request: Value) -> Value {
        self.ask(command, request).unwrap_or_else(|error| panic!("{command}: {error} {:?}", error.details))
    }
    pub(crate) fn code(&self, command: &str, request: Value) -> String {
        self.ask(command, request).expect_err(command).code
    }
    pub(crate) fn run(&self, document: &Value, params: Value) -> Value {
        let run = self.ok("run_start", json!({ "document": document, "params": params }))["runId"].clone();
        let run = run.as_str().expect("an id").to_owned();
        wait(self.app.wait(run)).expect("ends")
    }
    pub(crate) fn reopen(self) -> Self {
        let Self { dir, app } = self;
        wait(app.shut_down());
        drop(app);
        let app = App::open(&dir.path().join("data"), options()).expect("opens again");
        Self { dir, app }
    }
    pub(crate) fn library(&self) -> PathBuf {
        self.app.data_dir().join("workflows")
    }
}
