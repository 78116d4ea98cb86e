//! Builds calls, and a small world that answers from memory.

use async_trait::async_trait;
use serde_json::Value;
use signalbox_documents::pdf_write;
use signalbox_engine::effect::{Call, CallKey, CallSlot, Permits};
use signalbox_engine::scope::Scope;
use signalbox_model::budget::Budget;
use signalbox_model::hash::sha256_hex;
use signalbox_model::{Effects, Item, KeyClaim, Mode};
use signalbox_ports::llm::{DeltaSink, Finish, LlmAnswer, LlmFailure, LlmRequest, Part, Usage};
use signalbox_ports::scripts::{Bound, ScriptAnswer, ScriptCall, ScriptFailure, ScriptFault, Scripts};
use signalbox_ports::tools::{ToolAnswer, ToolCall, ToolFailure, ToolFault, ToolHearer, ToolInfo};
use signalbox_ports::{
    Binaries, BinaryError, Clock, DocumentCall, DocumentFailure, Documents, FileEntry, FileError, FilePieces, Files,
    FillCall, FilledDocument, Http, HttpError, HttpRequest, HttpResponse, MadeDocument, RememberError, Remembered,
    TableCall, TableRows, World, WriteMode, Written,
};
use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex};

/// A slot with the items' data bound as the engine binds it.
pub(crate) fn slot(config: Value, items: &[Value]) -> CallSlot {
    let mut scope = Scope::empty();
    let items: Vec<Item> =
        items.iter().enumerate().map(|(i, data)| Item::new((i + 1).to_string(), data.clone())).collect();
    scope.items = Arc::new(items.iter().map(|item| Arc::clone(&item.data).into()).collect());
    if let Some(first) = items.first() {
        scope.item = Arc::clone(&first.data).into();
        scope.data = Arc::clone(&first.data).into();
    }
    CallSlot { item: 0, config: Arc::new(config), input: Arc::new(items.into()), scope, sources: Vec::new() }
}

/// A call with one slot.
pub(crate) fn call(kind: &str, effects: Effects, slot: CallSlot) -> Call {
    let named = slot.config.get("connector").and_then(Value::as_str);
    let slot_connector = named.and_then(|name| signalbox_nodes::connector::file::shipped().get(name)).cloned();
    Call {
        key: CallKey { path: "".into(), node: 0, item: None, visit: 1, attempt: 0, origin: None },
        node_id: "n".into(),
        kind: kind.into(),
        mode: Mode::Each,
        effects,
        slots: vec![slot],
        timeout_ms: None,
        idempotency_key: "key-1".into(),
        loopback_allowed: true,
        model: None,
        connector: slot_connector,
        workflow: Arc::new(signalbox_model::Workflow::empty("w", "Work")),
        launch_id: "n-0".into(),
        budget: Budget::default(),
        permits: Permits::default(),
        fault: None,
        run_id: "r".into(),
        workflow_id: "w".into(),
    }
}

/// Has read a letter about a lamp.
struct FakeLlm;

#[async_trait]
impl signalbox_ports::Llm for FakeLlm {
    async fn ask(&self, request: LlmRequest, _hearer: &dyn DeltaSink) -> Result<LlmAnswer, LlmFailure> {
        let text = if request.form.is_some() { "```json\n{\"product\": \"lamp\"}\n```" } else { "The lamp." };
        Ok(LlmAnswer {
            parts: vec![Part::Text(text.to_owned())],
            model: request.model,
            provider: None,
            id: None,
            finish: Finish::Stop,
            usage: Usage::default(),
        })
    }
}

type Answer = Box<dyn Fn(&HttpRequest) -> Result<HttpResponse, HttpError> + Send + Sync>;

/// Answers by a function and remembers what was asked.
pub(crate) struct FakeHttp {
    answer: Answer,
    pub(crate) asked: Mutex<Vec<HttpRequest>>,
}

impl FakeHttp {
    pub(crate) fn new(
        answer: impl Fn(&HttpRequest) -> Result<HttpResponse, HttpError> + Send + Sync + 'static,
    ) -> Arc<Self> {
        Arc::new(Self { answer: Box::new(answer), asked: Mutex::default() })
    }
}

#[async_trait]
impl Http for FakeHttp {
    async fn send(&self, request: HttpRequest) -> Result<HttpResponse, HttpError> {
        self.asked.lock().expect("not poisoned").push(request.clone());
        (self.answer)(&request)
    }
}

/// One sample table, everything else may be written once.
struct FakeFiles;

const TABLE: &[u8] = b"id,name\n1,Ada\n";
const ORDERS: &[u8] = include_bytes!("../../../../adapters/samples/orders.parquet");

#[async_trait]
impl Files for FakeFiles {
    async fn read(&self, _workflow: &str, path: &str, _limit: u64) -> Result<Vec<u8>, FileError> {
        match path {
            "sample:table.csv" => return Ok(TABLE.to_vec()),
            "sample:invoices.xlsx" => return Ok(crate::documents::invoices()),
            "sample:invoice-template.xlsx" => return Ok(crate::documents::invoice_template()),
            "sample:orders.parquet" => return Ok(ORDERS.to_vec()),
            "sample:letter.pdf" => return Ok(crate::documents::letter()),
            "sample:files.zip" => return Ok(crate::documents::archive()),
            _ => {}
        }
        Err(FileError::NotFound { path: path.into() })
    }
    async fn write(&self, _workflow: &str, path: &str, bytes: &[u8], _mode: WriteMode) -> Result<Written, FileError> {
        if path.starts_with("sample:") {
            return Err(FileError::Refused { message: "Sample files are read only".into() });
        }
        Ok(Written { size: bytes.len() as u64, place: path.into(), modified_ms: 0 })
    }
    async fn list(&self, _workflow: &str, path: &str, _glob: &str) -> Result<Vec<FileEntry>, FileError> {
        let entry = FileEntry {
            path: format!("{path}table.csv"),
            name: "table.csv".into(),
            size: TABLE.len() as u64,
            modified_ms: 0,
        };
        Ok(vec![entry])
    }
}

/// Time that stands still; a sleep ends at once when `rush`, else never.
struct FakeClock {
    rush: bool,
}

#[async_trait]
impl Clock for FakeClock {
    fn now_ms(&self) -> i64 {
        1_000_000
    }
    async fn sleep_until(&self, _due_ms: i64) {
        if !self.rush {
            std::future::pending::<()>().await;
        }
    }
}

/// Takes every entry. It knows the sink `vault`, and one that is down.
struct FakeAudit;

#[async_trait]
impl signalbox_ports::AuditLog for FakeAudit {
    async fn record(&self, note: signalbox_ports::AuditNote) -> Result<(), signalbox_ports::NotRecorded> {
        match note.sink.as_deref() {
            None | Some("vault") => Ok(()),
            Some("down") => Err(signalbox_ports::NotRecorded::NotCopied("it did not answer".into())),
            Some(_) => Err(signalbox_ports::NotRecorded::UnknownSink("there are vault and down".into())),
        }
    }
}

/// One server, `files`: `size` answers with a number, `wrapped` with something beside its result, `fails` fails.
struct FakeTools;

#[async_trait::async_trait]
impl signalbox_ports::Tools for FakeTools {
    async fn list(&self, server: &str) -> Result<Vec<ToolInfo>, ToolFailure> {
        if server != "files" {
            let message = "There is no tool server of this name".to_owned();
            return Err(ToolFailure::new(ToolFault::NotConfigured, message));
        }
        let taken = serde_json::json!({ "type": "object", "properties": { "path": { "type": "string" } }, "required": ["path"], "additionalProperties": false });
        let tool = |name: &str, input_schema: Value, output_schema: Option<Value>| ToolInfo {
            server: server.to_owned(),
            name: name.to_owned(),
            title: None,
            description: String::new(),
            input_schema,
            output_schema,
            read_only: false,
            idempotent: false,
            destructive: true,
            open_world: true,
            bears_secrets: false,
            is_egress: true,
            is_untrusted: true,
            unusable: None,
        };
        let promised = serde_json::json!({ "type": "object", "required": ["bytes"] });
        let none = serde_json::json!({ "type": "object" });
        Ok(vec![tool("size", taken, Some(promised)), tool("wrapped", none.clone(), None), tool("fails", none, None)])
    }
    async fn call(&self, call: ToolCall, _: &dyn ToolHearer) -> Result<ToolAnswer, ToolFailure> {
        let (structured, text) = match call.tool.as_str() {
            "size" => (Some(serde_json::json!({ "bytes": 12 })), "12 bytes"),
            "wrapped" => (Some(serde_json::json!({ "result": { "a": 1 }, "undoId": 7 })), "done"),
            _ => (None, "The disk is gone"),
        };
        Ok(ToolAnswer {
            content: vec![serde_json::json!({ "type": "text", "text": text })],
            structured,
            is_error: call.tool == "fails",
            started_ms: 0,
            ended_ms: 5,
        })
    }
}

/// Bytes of one run, in memory.
#[derive(Default)]
struct FakeBinaries(Mutex<HashMap<String, Vec<u8>>>);

#[async_trait]
impl Binaries for FakeBinaries {
    async fn keep(&self, _run: &str, bytes: Vec<u8>) -> Result<String, BinaryError> {
        let hash = sha256_hex(&bytes);
        self.0.lock().expect("not poisoned").insert(hash.clone(), bytes);
        Ok(hash)
    }
    async fn read(&self, run: &str, sha256: &str) -> Result<Option<Vec<u8>>, BinaryError> {
        let kept = self.0.lock().expect("not poisoned");
        Ok(kept.get(sha256).filter(|_| run == "r").cloned())
    }
}

/// Remembers in memory; every claim is one of another run.
#[derive(Default)]
struct FakeRemembered(Mutex<HashSet<(String, String)>>);

#[async_trait]
impl Remembered for FakeRemembered {
    async fn claim(&self, claim: KeyClaim) -> Result<Vec<bool>, RememberError> {
        let mut known = self.0.lock().expect("not poisoned");
        Ok(claim.keys.into_iter().map(|key| known.insert((claim.scope.clone(), key))).collect())
    }
}

pub(crate) fn world(http: Arc<FakeHttp>) -> World {
    World {
        http,
        files: Arc::new(FakeFiles),
        clock: Arc::new(FakeClock { rush: false }),
        audit: Arc::new(FakeAudit),
        secrets: Arc::new(crate::mail::FakeSecrets),
        llm: Arc::new(FakeLlm),
        tools: Arc::new(FakeTools),
        scripts: Arc::new(FakeScripts),
        documents: Arc::new(FakeDocuments),
        binaries: Arc::new(FakeBinaries::default()),
        remembered: Arc::new(FakeRemembered::default()),
        retrieval: Arc::new(crate::retrieval::FakeIndexes),
        databases: Arc::new(crate::databases::FakeDatabases),
        mail: Arc::new(crate::mail::FakeMail::default()),
        brokers: Arc::new(crate::brokers::FakeBrokers),
        remote_files: Arc::new(signalbox_ports::NoRemoteFiles),
        uploads: Arc::new(signalbox_ports::NoUploads),
    }
}

/// Reads documents in this process.
struct FakeDocuments;

#[async_trait]
impl Documents for FakeDocuments {
    async fn read(&self, call: DocumentCall) -> Result<String, DocumentFailure> {
        let document = signalbox_documents::Document::of_name(call.kind.name()).expect("a document");
        signalbox_documents::read(document, call.bytes, &call.options).map_err(|error| DocumentFailure::Refused {
            code: error.code,
            message: error.message,
            details: error.details,
        })
    }

    async fn make(&self, call: DocumentCall) -> Result<MadeDocument, DocumentFailure> {
        let made = pdf_write::make(&call.bytes, &call.options, &mut pdf_write::NoFonts);
        let made = made.map_err(|error| DocumentFailure::Refused {
            code: error.code,
            message: error.message,
            details: error.details,
        })?;
        let about = serde_json::json!({ "pages": made.pages, "title": made.title, "fonts": made.fonts });
        Ok(MadeDocument { bytes: made.bytes, about: about.as_object().cloned().unwrap_or_default() })
    }

    async fn fill(&self, call: FillCall) -> Result<FilledDocument, DocumentFailure> {
        let filled = signalbox_documents::fill(call.template, call.data.as_bytes(), &call.options);
        let filled = filled.map_err(|error| DocumentFailure::Refused {
            code: error.code,
            message: error.message,
            details: error.details,
        })?;
        Ok(FilledDocument { bytes: filled.bytes, has_macros: filled.has_macros, about: filled.about })
    }

    async fn read_table(
        &self,
        call: TableCall,
        file: &mut dyn FilePieces,
        rows: &mut dyn TableRows,
    ) -> Result<String, DocumentFailure> {
        let size = file.size();
        let all = file.piece(0, usize::try_from(size).expect("small")).await.map_err(|_| DocumentFailure::Stopped)?;
        let options = signalbox_columnar::ReadOptions::of(&call.options);
        let mut stopped = false;
        let mut take = |lines: &str, _count: u64| {
            rows.rows(lines).map_err(|_| {
                stopped = true;
                signalbox_documents::Error::new("IO", "stopped")
            })
        };
        let done = signalbox_columnar::read(Box::new(InMemory(all)), &options, &mut take);
        let refused = |error: signalbox_documents::Error| DocumentFailure::Refused {
            code: error.code,
            message: error.message,
            details: error.details,
        };
        if stopped { Err(DocumentFailure::Stopped) } else { done.map_err(refused) }
    }
}

/// A file of a test.
struct InMemory(Vec<u8>);

impl signalbox_columnar::FileRanges for InMemory {
    fn size(&self) -> u64 {
        self.0.len() as u64
    }

    fn read(&mut self, at: u64, length: usize) -> std::io::Result<Vec<u8>> {
        let start = usize::try_from(at).expect("small");
        Ok(self.0[start..start + length].to_vec())
    }
}

/// Knows the scripts of the examples; what scripts really do is tested where they run.
struct FakeScripts;

#[async_trait]
impl Scripts for FakeScripts {
    async fn run(&self, call: ScriptCall) -> Result<ScriptAnswer, ScriptFailure> {
        let failed = |fault, message: &str| {
            Err(ScriptFailure { fault, message: message.into(), line: Some(1), printed: vec!["so far".into()] })
        };
        if call.source.starts_with("throw") {
            failed(ScriptFault::Thrown, "no such customer")
        } else if call.source.contains("toLocaleString('") {
            failed(ScriptFault::Thrown, "there is no Intl in a script")
        } else if call.source.contains("0 / 0") {
            failed(ScriptFault::NotJson, "'rate' of the result is NaN, which JSON cannot say")
        } else {
            let (_, item) = call.bound.iter().find(|(name, _)| *name == "item").expect("it is named");
            let Bound::One(item) = item else { panic!("'item' is one value") };
            let item = item.value();
            let mut value = Value::clone(&item);
            if call.source.contains("seen: true") {
                value["seen"] = true.into();
                return Ok(ScriptAnswer { value: value.into(), printed: Vec::new() });
            }
            value["total"] = (item["price"].as_i64().unwrap_or(0) * item["count"].as_i64().unwrap_or(0)).into();
            Ok(ScriptAnswer { value: value.into(), printed: vec!["a line".into()] })
        }
    }
}

/// A world in which every time limit is over at once.
#[allow(dead_code, reason = "not every test file needs it")]
pub(crate) fn impatient_world(http: Arc<FakeHttp>) -> World {
    World {
        http,
        files: Arc::new(FakeFiles),
        clock: Arc::new(FakeClock { rush: true }),
        audit: Arc::new(FakeAudit),
        secrets: Arc::new(crate::mail::FakeSecrets),
        llm: Arc::new(FakeLlm),
        tools: Arc::new(signalbox_ports::NoTools),
        scripts: Arc::new(FakeScripts),
        documents: Arc::new(FakeDocuments),
        binaries: Arc::new(FakeBinaries::default()),
        remembered: Arc::new(FakeRemembered::default()),
        retrieval: Arc::new(crate::retrieval::FakeIndexes),
        databases: Arc::new(crate::databases::FakeDatabases),
        mail: Arc::new(crate::mail::FakeMail::default()),
        brokers: Arc::new(crate::brokers::FakeBrokers),
        remote_files: Arc::new(signalbox_ports::NoRemoteFiles),
        uploads: Arc::new(signalbox_ports::NoUploads),
    }
}

/// An answer with one header line per pair.
pub(crate) fn answer(status: u16, headers: &[(&str, &str)], body: &str) -> HttpResponse {
    let headers = headers.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    HttpResponse { status, headers, body: body.as_bytes().to_vec(), ..HttpResponse::default() }
}
