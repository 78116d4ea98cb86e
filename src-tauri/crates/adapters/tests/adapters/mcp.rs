//! The client of MCP servers against `tests/mcp/server.mjs`: a process on standard input and output, and over HTTP.

use async_trait::async_trait;
use serde_json::{Map, Value, json};
use signalbox_adapters::McpTools;
use signalbox_adapters::mcp::{Inspection, Limits, PASSED_ON, ServerBook, ToolServerDefinition, ToolWords};
use signalbox_ports::tools::{ToolAnswer, ToolCall, ToolFailure, ToolFault, ToolHearer, ToolNotice, Tools};
use signalbox_ports::{
    Credential, CredentialKind, NoSecrets, Scrubber, Secret, SecretError, Secrets, secret::AllowedHost,
};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::runtime::Handle;

const LONG: Duration = Duration::from_secs(60);

/// One server of every name; `tools`: what was approved, when that is looked at.
struct Book {
    definition: ToolServerDefinition,
    approved: Mutex<Option<Vec<Value>>>,
}

fn refused() -> ToolFailure {
    ToolFailure::new(ToolFault::NotApproved, "changed")
}

#[async_trait]
impl ServerBook for Book {
    async fn server(&self, _name: &str) -> Result<ToolServerDefinition, ToolFailure> {
        Ok(self.definition.clone())
    }
    async fn approved(
        &self,
        _: &str,
        _: &ToolServerDefinition,
        seen: Arc<Inspection>,
    ) -> Result<Option<ToolWords>, ToolFailure> {
        match &*self.approved.lock().expect("lock") {
            Some(approved) if *approved != seen.tools => Ok(None),
            _ => Ok(Some(ToolWords::new())),
        }
    }
    async fn admit(
        &self,
        name: &str,
        definition: &ToolServerDefinition,
        seen: Arc<Inspection>,
    ) -> Result<ToolWords, ToolFailure> {
        self.approved(name, definition, seen).await?.ok_or_else(refused)
    }
}

/// One secret of every name.
struct OneSecret(&'static str);

#[async_trait]
impl Secrets for OneSecret {
    async fn credential(&self, name: &str) -> Result<Arc<Credential>, SecretError> {
        Ok(Arc::new(Credential {
            name: name.into(),
            kind: CredentialKind::Bearer,
            hosts: vec![AllowedHost::parse(self.0).expect("a host")],
            value: Secret::new("canary-value"),
            scrubber: Arc::default(),
        }))
    }
    fn scrubber(&self) -> Arc<Scrubber> {
        let scrubber = Scrubber::default();
        scrubber.add("erp", None, &Secret::new("canary-value"));
        Arc::new(scrubber)
    }
}

#[derive(Default)]
pub(crate) struct Ears(pub(crate) Mutex<Vec<ToolNotice>>);

impl ToolHearer for Ears {
    fn notice(&self, notice: ToolNotice) {
        self.0.lock().expect("lock").push(notice);
    }
}

/// Is told when the tool says something.
pub(crate) struct Bell(pub(crate) tokio::sync::mpsc::UnboundedSender<ToolNotice>);

impl ToolHearer for Bell {
    fn notice(&self, notice: ToolNotice) {
        drop(self.0.send(notice));
    }
}

pub(crate) struct Stage {
    folder: tempfile::TempDir,
    pub(crate) tools: Arc<McpTools>,
    book: Arc<Book>,
}

fn server() -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../tests/mcp/server.mjs");
    path.canonicalize().expect("the test server").display().to_string()
}

pub(crate) fn stage_of(
    definition: impl FnOnce(&Path) -> ToolServerDefinition,
    secrets: Arc<dyn Secrets>,
    limits: Limits,
) -> Stage {
    let folder = tempfile::tempdir().expect("a folder");
    let book = Arc::new(Book { definition: definition(folder.path()), approved: Mutex::default() });
    let shared: Arc<dyn ServerBook> = Arc::<Book>::clone(&book);
    let tools = Arc::new(McpTools::new(shared, secrets, Handle::current(), limits));
    Stage { folder, tools, book }
}

fn stdio(folder: &Path) -> ToolServerDefinition {
    std::fs::write(folder.join("text"), "Says what it is told.").expect("written");
    let file = |name: &str| folder.join(name).display().to_string();
    ToolServerDefinition::Stdio {
        command: "node".into(),
        args: vec![server(), "--log".into(), file("log"), "--text".into(), file("text"), "--hold".into(), file("hold")],
        env: [("PLAIN".to_owned(), "plain".to_owned()), ("TOKEN".to_owned(), "secret://erp".to_owned())].into(),
        cwd: Some(folder.display().to_string()),
    }
}

fn hostile(folder: &Path) -> ToolServerDefinition {
    let ToolServerDefinition::Stdio { command, mut args, env, cwd } = stdio(folder) else { panic!("a process") };
    args.push("--hostile".into());
    ToolServerDefinition::Stdio { command, args, env, cwd }
}

impl Stage {
    pub(crate) fn new() -> Self {
        Self::with(Limits::default())
    }
    pub(crate) fn with(limits: Limits) -> Self {
        stage_of(stdio, Arc::new(OneSecret("api.example.com")), limits)
    }
    pub(crate) fn log(&self) -> Vec<Value> {
        let text = std::fs::read_to_string(self.folder.path().join("log")).unwrap_or_default();
        text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
    }
    fn started(&self) -> usize {
        self.log().iter().filter(|entry| entry.get("started").is_some()).count()
    }
    /// Looks until the log holds something: another process writes it.
    pub(crate) async fn until(&self, found: impl Fn(&[Value]) -> bool) {
        while !found(&self.log()) {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    }
    async fn call(&self, tool: &str, arguments: Value) -> Result<ToolAnswer, ToolFailure> {
        self.tools.call(call(tool, arguments), &Ears::default()).await
    }
    async fn fault(&self, tool: &str, arguments: Value) -> ToolFault {
        self.call(tool, arguments).await.expect_err("a failure").fault
    }
}

pub(crate) fn call(tool: &str, arguments: Value) -> ToolCall {
    let arguments = arguments.as_object().cloned().unwrap_or_else(Map::new);
    let (run, answer_within) = ("run".into(), Some(LONG));
    ToolCall { server: "one".into(), tool: tool.into(), arguments, timeout: LONG, total: LONG, run, answer_within }
}

fn alive(pid: u64) -> bool {
    // A zombie waits for its parent only; it does nothing any more.
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
    status.lines().any(|line| line.starts_with("State:") && !line.contains('Z'))
}

async fn gone(pid: u64) {
    while alive(pid) {
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}

#[tokio::test]
async fn tools_are_listed_and_called_over_one_process() {
    let stage = Stage::new();
    let tools = stage.tools.list("one").await.expect("tools");
    let echo = tools.iter().find(|tool| tool.name == "echo").expect("echo");
    assert_eq!((echo.description.as_str(), echo.read_only, echo.destructive), ("Says what it is told.", true, true));
    assert_eq!(echo.title.as_deref(), Some("Echo"));
    assert_eq!(echo.input_schema["required"], json!(["text"]));
    let answer = stage.call("echo", json!({ "text": "ab", "times": 2 })).await.expect("an answer");
    assert_eq!(answer.structured, Some(json!({ "said": "abab" })));
    assert_eq!(answer.content, [json!({ "type": "text", "text": "{\"said\":\"abab\"}" })]);
    assert!(!answer.is_error && answer.started_ms > 0 && answer.ended_ms >= answer.started_ms);
    assert!(stage.call("fails", json!({})).await.expect("an answer").is_error);
    assert_eq!(stage.started(), 1);
    stage.tools.shut_down().await;
    let pid = stage.log()[0]["started"].as_u64().expect("a pid");
    assert!(!alive(pid), "its process ended with the program");
    assert_eq!(stage.fault("echo", json!({ "text": "x" })).await, ToolFault::Connect);
}

/// Case mcp-same-cursor: the list of a server that repeats its cursor has no end, and that is what is said; also when it
/// goes round, and when the pages have no tools. An empty cursor, and none, end a list.
#[tokio::test]
async fn a_list_of_tools_that_repeats_its_cursor_is_told_as_that() {
    let of = |cursors: &'static str| {
        let definition = |folder: &Path| {
            let ToolServerDefinition::Stdio { command, mut args, env, cwd } = stdio(folder) else {
                panic!("a process")
            };
            args.extend(["--cursors".to_owned(), cursors.to_owned()]);
            ToolServerDefinition::Stdio { command, args, env, cwd }
        };
        stage_of(definition, Arc::new(OneSecret("api.example.com")), Limits::default())
    };
    for (cursors, asked) in [("next", 2), ("a,b,a", 3), ("a,b,c,b", 4)] {
        let stage = of(cursors);
        let failure = stage.tools.list("one").await.expect_err("refused");
        assert_eq!(failure.fault, ToolFault::BadAnswer, "{}", failure.message);
        assert!(failure.message.starts_with("The server repeats its cursor"), "{}", failure.message);
        let pages = stage.log().iter().filter(|entry| entry.get("page").is_some()).count();
        assert_eq!(pages, asked, "{cursors}: it is not asked again");
        stage.tools.shut_down().await;
    }
    let stage = of("a,b,c,");
    assert!(stage.tools.list("one").await.expect("tools").iter().any(|tool| tool.name == "echo"));
    stage.tools.shut_down().await;
}

#[tokio::test]
async fn a_process_gets_the_named_variables_and_no_others() {
    let stage = Stage::new();
    let answer = stage.call("environment", json!({})).await.expect("an answer").structured.expect("data");
    assert_eq!((&answer["env"]["PLAIN"], &answer["env"]["TOKEN"]), (&json!("plain"), &json!("canary-value")));
    let names = answer["env"].as_object().expect("variables").keys();
    let foreign: Vec<_> = names
        .filter(|name| !["PLAIN", "TOKEN"].contains(&name.as_str()) && !PASSED_ON.contains(&name.as_str()))
        .collect();
    assert!(foreign.is_empty(), "{foreign:?}");
    let folder = stage.folder.path().canonicalize().expect("a path");
    assert_eq!(answer["cwd"], json!(folder.display().to_string()));
}

#[tokio::test]
async fn what_a_server_says_is_wrong_has_its_name() {
    let stage = Stage::new();
    assert_eq!(stage.fault("refuses", json!({})).await, ToolFault::BadArguments);
    assert_eq!(stage.fault("breaks", json!({})).await, ToolFault::Internal);
    assert_eq!(stage.fault("nothing_of_the_kind", json!({})).await, ToolFault::NotFound);
}

#[tokio::test]
async fn a_server_that_died_is_told_of_and_started_again() {
    let stage = Stage::new();
    let failure = stage.call("dies", json!({})).await.expect_err("a failure");
    assert_eq!((failure.fault, failure.stderr.as_deref()), (ToolFault::Cut, Some("the disk is on fire")));
    assert!(failure.sent, "it had the call");
    assert_eq!(failure.message, "The process of the tool server 'one' ended");
    stage.call("echo", json!({ "text": "x" })).await.expect("an answer");
    assert_eq!(stage.started(), 2);
}

#[tokio::test]
async fn notices_come_in_their_order_before_the_answer() {
    let stage = Stage::new();
    let ears = Ears::default();
    stage.tools.call(call("tells", json!({})), &ears).await.expect("an answer");
    let heard: Vec<(&str, String, Option<Value>)> =
        ears.0.into_inner().expect("lock").into_iter().map(|n| (n.level, n.message, n.data)).collect();
    assert_eq!(
        heard,
        [
            ("info", "begun".to_owned(), None),
            ("warn", "disk: nearly full".to_owned(), Some(json!({ "message": "nearly full", "free": 3 }))),
            ("progress", "half".to_owned(), Some(json!({ "progress": 1.0, "total": 2.0 }))),
        ]
    );
}

#[tokio::test]
async fn silence_ends_a_call_and_its_process_with_all_children() {
    let stage = Stage::new();
    let short = Duration::from_millis(300);
    let failure = stage.tools.call(ToolCall { timeout: short, ..call("waits", json!({})) }, &Ears::default()).await;
    assert_eq!(failure.expect_err("a failure").fault, ToolFault::Timeout);
    stage.until(|log| log.iter().any(|entry| entry["reason"] == "it took too long")).await;
    let log = stage.log();
    let told = log.iter().find(|entry| entry.get("child").is_some()).expect("its pids");
    for pid in [&told["pid"], &told["child"]] {
        gone(pid.as_u64().expect("a pid")).await;
    }
    stage.call("echo", json!({ "text": "x" })).await.expect("a new process answers");
    assert_eq!(stage.started(), 2);
}

/// Begins a call of a tool with a child, gives it up and waits until the server was told; the server's process and its child.
async fn given_up(stage: &Stage) -> [u64; 2] {
    let (sender, mut heard) = tokio::sync::mpsc::unbounded_channel();
    let tools = Arc::clone(&stage.tools);
    let waiting = tokio::spawn(async move {
        drop(tools.call(call("waits", json!({ "tell": true })), &Bell(sender)).await);
    });
    assert_eq!(heard.recv().await.expect("a notice").message, "waiting");
    waiting.abort();
    stage.until(|log| log.iter().any(|entry| entry["reason"] == "the call was given up")).await;
    let log = stage.log();
    let told = log.iter().find(|entry| entry.get("child").is_some()).expect("its pids");
    [&told["pid"], &told["child"]].map(|pid| pid.as_u64().expect("a pid"))
}

#[tokio::test]
async fn a_call_that_is_given_up_is_cancelled_and_its_process_tree_ends() {
    let stage = Stage::new();
    for pid in given_up(&stage).await {
        gone(pid).await;
    }
}

/// Fault 26: a program that closes right after a call was given up leaves no process behind.
#[tokio::test]
async fn closing_waits_for_a_process_that_is_being_ended() {
    let stage = Stage::new();
    let [server, child] = given_up(&stage).await;
    stage.tools.shut_down().await;
    assert!(!alive(server), "it was waited for");
    gone(child).await;
}

#[tokio::test]
async fn a_connection_that_nobody_uses_ends() {
    let stage = Stage::with(Limits { idle: Duration::from_millis(50), ..Limits::default() });
    stage.call("echo", json!({ "text": "x" })).await.expect("an answer");
    gone(stage.log()[0]["started"].as_u64().expect("a pid")).await;
    stage.call("echo", json!({ "text": "x" })).await.expect("an answer");
}

#[tokio::test]
async fn an_answer_has_a_limit() {
    let stage = Stage::with(Limits { message: 100_000, ..Limits::default() });
    stage.call("large", json!({ "bytes": 50_000 })).await.expect("an answer");
    assert_eq!(stage.fault("large", json!({ "bytes": 200_000 })).await, ToolFault::TooLarge);
    stage.call("echo", json!({ "text": "x" })).await.expect("a new process answers");
}

#[tokio::test]
async fn of_a_huge_schema_its_size_alone_is_kept_and_the_other_tools_are_as_they_are() {
    let stage = stage_of(hostile, Arc::new(OneSecret("api.example.com")), Limits::default());
    let told = stage.tools.inspect("one", &stage.book.definition).await.expect("its tools");
    let size: usize = told.tools.iter().map(|tool| tool.to_string().len()).sum();
    assert!(size < 10_000, "{size} bytes are looked at");
    let tools = stage.tools.list("one").await.expect("its tools");
    let find = |name: &str| tools.iter().find(|tool| tool.name == name).expect("there");
    let why = find("wide").unusable.clone().expect("a reason");
    assert!(why.starts_with("The schema of its arguments has ") && why.contains("256 KiB"), "{why}");
    assert_eq!((&find("wide").input_schema, &find("echo").unusable), (&json!({}), &None));
    stage.call("echo", json!({ "text": "x" })).await.expect("an answer");
}

/// A structured answer without a text beside it, as lines of a process, as events and as JSON at once.
struct ThreeWays {
    stages: [(&'static str, Stage); 3],
    _servers: [OverHttp; 2],
    _folders: [tempfile::TempDir; 2],
}

impl ThreeWays {
    async fn with(near: impl FnOnce(&Path) -> ToolServerDefinition, argument: &str, limits: Limits) -> Self {
        let folders = [tempfile::tempdir().expect("a folder"), tempfile::tempdir().expect("a folder")];
        let events = over_http(folders[0].path(), &[argument]).await;
        let at_once = over_http(folders[1].path(), &[argument, "--at-once"]).await;
        let far = |http: &OverHttp| stage_of(|_| at(&http.base, "/mcp", None), Arc::new(NoSecrets), limits);
        let near = stage_of(near, Arc::new(OneSecret("api.example.com")), limits);
        let stages = [("lines", near), ("events", far(&events)), ("at once", far(&at_once))];
        Self { stages, _servers: [events, at_once], _folders: folders }
    }
}

/// Case js-big-ids: an answer keeps its digits or is refused, however it comes (ADR 84).
#[tokio::test]
async fn a_number_of_a_structured_answer_keeps_its_digits_or_is_refused() {
    let ways = ThreeWays::with(hostile, "--hostile", Limits::default()).await;
    for (how, stage) in &ways.stages {
        for kept in ["9007199254740993", "18446744073709551615", "-9223372036854775808", "0.1", "0.1234567890123456"] {
            let answer = stage.call("counts", json!({ "number": kept })).await.expect("an answer");
            let id = answer.structured.expect("data")["rows"][0]["id"].to_string();
            assert_eq!(id, kept, "{how}");
        }
        for lost in ["18446744073709551616", "-9223372036854775809", "0.12345678901234567890123", "9007199254740993.0"]
        {
            let failure = stage.call("counts", json!({ "number": lost })).await.expect_err("refused");
            assert_eq!((failure.fault, failure.sent), (ToolFault::Digits, true), "{how}: {}", failure.message);
            assert!(failure.message.contains(" at result.structuredContent.rows[0].id "), "{how}: {}", failure.message);
        }
        // The connection goes on.
        stage.call("echo", json!({ "text": "x" })).await.expect("an answer");
        assert_eq!(stage.started(), usize::from(*how == "lines"), "{how}");
        stage.tools.shut_down().await;
    }
}

/// ADR 216, however the answer comes.
#[tokio::test]
async fn a_member_of_a_structured_answer_that_occurs_twice_is_refused() {
    let ways = ThreeWays::with(hostile, "--hostile", Limits::default()).await;
    for (how, stage) in &ways.stages {
        let failure = stage.call("twice", json!({})).await.expect_err("refused");
        assert_eq!((failure.fault, failure.sent), (ToolFault::DuplicateMember, true), "{how}: {}", failure.message);
        assert!(
            failure.message.contains("the member result.structuredContent.rows[0].id"),
            "{how}: {}",
            failure.message
        );
        stage.call("echo", json!({ "text": "x" })).await.expect("an answer");
        stage.tools.shut_down().await;
    }
}

#[tokio::test]
async fn an_answer_that_is_too_large_is_told_however_it_comes() {
    let ways = ThreeWays::with(stdio, "--pictures", Limits { message: 1024 * 1024, ..Limits::default() }).await;
    for (how, stage) in &ways.stages {
        stage.call("large", json!({ "bytes": 900_000 })).await.expect("an answer");
        let failure = stage.call("large", json!({ "bytes": 1_100_000 })).await.expect_err("refused");
        assert_eq!((failure.fault, failure.sent), (ToolFault::TooLarge, true), "{how}: {}", failure.message);
        assert!(failure.message.contains("more than 1 MiB in one message"), "{how}: {}", failure.message);
        stage.call("echo", json!({ "text": "x" })).await.expect("an answer");
        stage.tools.shut_down().await;
    }
}

#[tokio::test]
async fn ts_018_an_answer_that_is_deeper_than_a_message_may_be_is_told_at_once() {
    let stage = stage_of(hostile, Arc::new(OneSecret("api.example.com")), Limits::default());
    let folder = tempfile::tempdir().expect("a folder");
    let http = over_http(folder.path(), &["--hostile"]).await;
    let far = stage_of(|_| at(&http.base, "/mcp", None), Arc::new(NoSecrets), Limits::default());
    for stage in [stage, far] {
        // The longest silence is a minute: this does not wait for it.
        let failure = stage.call("deep", json!({})).await.expect_err("a failure");
        assert_eq!((failure.fault, failure.sent), (ToolFault::TooLarge, true), "{}", failure.message);
        assert!(failure.message.contains("deeper than 127 levels"), "{}", failure.message);
        stage.call("echo", json!({ "text": "x" })).await.expect("an answer");
    }
}

#[tokio::test]
async fn a_program_that_is_no_server_is_not_waited_for() {
    let limits = Limits { start: Duration::from_millis(300), ..Limits::default() };
    let cat = |command: &str| {
        let command = command.to_owned();
        move |_: &Path| ToolServerDefinition::Stdio { command, args: vec![], env: [].into(), cwd: None }
    };
    let stage = stage_of(cat("cat"), Arc::new(NoSecrets), limits);
    let silent = stage.call("echo", json!({})).await.expect_err("a failure");
    assert_eq!((silent.fault, silent.sent), (ToolFault::Connect, false));
    assert!(silent.message.contains("is it an MCP server"), "{}", silent.message);
    let stage = stage_of(cat("no-such-program-here"), Arc::new(NoSecrets), limits);
    let missing = stage.call("echo", json!({})).await.expect_err("a failure");
    assert!(missing.message.contains("There is no program 'no-such-program-here'"), "{}", missing.message);
}

#[tokio::test]
async fn one_changed_character_keeps_a_server_from_being_called() {
    let stage = Stage::new();
    let seen = stage.tools.inspect("one", &stage.book.definition).await.expect("its tools");
    assert_eq!(seen.server.as_deref(), Some("signalbox-test 1.0.0"));
    *stage.book.approved.lock().expect("lock") = Some(seen.tools.clone());
    stage.call("echo", json!({ "text": "x" })).await.expect("an answer");
    std::fs::write(stage.folder.path().join("text"), "Says what it is told!").expect("written");
    // The server says so, and the list is looked at before the next call.
    stage.call("changes", json!({})).await.expect("an answer");
    assert_eq!(stage.fault("echo", json!({ "text": "y" })).await, ToolFault::NotApproved);
    assert!(!stage.log().iter().any(|entry| entry["called"] == "echo" && entry["arguments"]["text"] == "y"));
}

/// A connection that is open still has the list of before: what a person approved since is asked for by a new one.
#[tokio::test]
async fn what_was_approved_anew_is_called_although_an_older_connection_is_open() {
    let stage = Stage::new();
    let approve = async || {
        let seen = stage.tools.inspect("one", &stage.book.definition).await.expect("its tools");
        *stage.book.approved.lock().expect("lock") = Some(seen.tools.clone());
    };
    approve().await;
    stage.call("echo", json!({ "text": "x" })).await.expect("an answer");
    std::fs::write(stage.folder.path().join("text"), "Says what it is told!").expect("written");
    approve().await;
    let begun = stage.started();
    stage.call("echo", json!({ "text": "y" })).await.expect("an answer");
    stage.call("echo", json!({ "text": "z" })).await.expect("an answer");
    assert_eq!(stage.started(), begun + 1, "one new connection, which stays");
}

#[tokio::test]
async fn a_call_that_is_given_up_leaves_the_notice_of_other_tools_to_the_next() {
    let stage = Stage::new();
    let seen = stage.tools.inspect("one", &stage.book.definition).await.expect("its tools");
    *stage.book.approved.lock().expect("lock") = Some(seen.tools.clone());
    stage.call("changes", json!({})).await.expect("an answer");
    let (text, hold) = (stage.folder.path().join("text"), stage.folder.path().join("hold"));
    std::fs::write(text, "Says what it is told!").expect("written");
    std::fs::write(&hold, "").expect("written");
    let tools = Arc::clone(&stage.tools);
    let waiting = tokio::spawn(async move {
        drop(tools.call(call("echo", json!({ "text": "x" })), &Ears::default()).await);
    });
    stage.until(|log| log.iter().any(|entry| entry["held"] == true)).await;
    waiting.abort();
    drop(waiting.await);
    std::fs::remove_file(&hold).expect("removed");
    assert_eq!(stage.fault("echo", json!({ "text": "y" })).await, ToolFault::NotApproved);
    assert!(!stage.log().iter().any(|entry| entry["called"] == "echo"), "nothing was called");
}

#[tokio::test]
async fn what_a_server_says_of_its_tools_holds_no_secret_wherever_it_is_asked() {
    let stage = Stage::new();
    std::fs::write(stage.folder.path().join("text"), "Connected with canary-value.").expect("written");
    let clean = "Connected with [secret:erp].";
    let seen = stage.tools.inspect("one", &stage.book.definition).await.expect("its tools");
    let echo = seen.tools.iter().find(|tool| tool["name"] == "echo").expect("echo");
    assert_eq!(echo["description"], clean);
    // What was approved is what a call finds.
    *stage.book.approved.lock().expect("lock") = Some(seen.tools.clone());
    stage.call("echo", json!({ "text": "x" })).await.expect("an answer");
    let tools = stage.tools.list("one").await.expect("tools");
    assert!(tools.iter().any(|tool| tool.description == clean));
}

/// A server over HTTP, ended with this.
pub(crate) struct OverHttp {
    process: tokio::process::Child,
    pub(crate) base: String,
    log: PathBuf,
}

pub(crate) async fn over_http(folder: &Path, more: &[&str]) -> OverHttp {
    let (port, log) = (folder.join("port"), folder.join("http-log"));
    let mut command = tokio::process::Command::new("node");
    command.arg(server()).arg("--http").arg(&port).arg("--log").arg(&log).args(more).kill_on_drop(true);
    let process = command.spawn().expect("node");
    let mut base = String::new();
    while !base.starts_with("http") {
        tokio::time::sleep(Duration::from_millis(10)).await;
        base = std::fs::read_to_string(&port).unwrap_or_default();
    }
    OverHttp { process, base, log }
}

pub(crate) fn at(base: &str, path: &str, credential: Option<&str>) -> ToolServerDefinition {
    ToolServerDefinition::Http {
        url: format!("{base}{path}"),
        credential: credential.map(str::to_owned),
        sign_in: None,
    }
}

#[tokio::test]
async fn a_server_on_loopback_is_asked_over_http_with_its_credential() {
    let folder = tempfile::tempdir().expect("a folder");
    let http = over_http(folder.path(), &["--token", "canary-value"]).await;
    let with = |definition: ToolServerDefinition, host| {
        stage_of(move |_| definition, Arc::new(OneSecret(host)), Limits::default())
    };

    let stage = with(at(&http.base, "/mcp", Some("secret://erp")), "127.0.0.1");
    let answer = stage.call("echo", json!({ "text": "hello" })).await.expect("an answer");
    assert_eq!(answer.structured, Some(json!({ "said": "hello" })));
    let ears = Ears::default();
    stage.tools.call(call("tells", json!({})), &ears).await.expect("an answer");
    assert_eq!(ears.0.into_inner().expect("lock").len(), 3);

    let without = with(at(&http.base, "/mcp", None), "127.0.0.1");
    assert_eq!(without.fault("echo", json!({ "text": "x" })).await, ToolFault::Auth);

    let before = std::fs::read_to_string(&http.log).expect("a log");
    let elsewhere = with(at(&http.base, "/mcp", Some("secret://erp")), "api.example.com");
    assert_eq!(elsewhere.fault("echo", json!({ "text": "x" })).await, ToolFault::Secret);
    assert_eq!(std::fs::read_to_string(&http.log).expect("a log"), before, "nothing was sent");

    let moved = with(at(&http.base, "/moved", Some("secret://erp")), "127.0.0.1");
    assert_eq!(moved.fault("echo", json!({ "text": "x" })).await, ToolFault::HttpStatus);
    let log = std::fs::read_to_string(&http.log).expect("a log");
    let last: Value = serde_json::from_str(log.lines().last().expect("a line")).expect("JSON");
    assert_eq!(last["url"], "/moved", "the redirect was not followed");
}

#[tokio::test]
async fn a_server_that_dies_while_it_works_over_http_is_noticed_before_the_time_limit() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut http = over_http(folder.path(), &[]).await;
    let limits = Limits { pulse: Duration::from_millis(20), ..Limits::default() };
    let stage = stage_of(|_| at(&http.base, "/mcp", None), Arc::new(NoSecrets), limits);
    let (sender, mut heard) = tokio::sync::mpsc::unbounded_channel();
    let tools = Arc::clone(&stage.tools);
    let waiting =
        tokio::spawn(
            async move { tools.call(call("waits", json!({ "tell": true, "alone": true })), &Bell(sender)).await },
        );
    assert_eq!(heard.recv().await.expect("a notice").message, "waiting");
    http.process.kill().await.expect("killed");
    let failure = waiting.await.expect("it ends").expect_err("a failure");
    assert_eq!((failure.fault, failure.sent), (ToolFault::Cut, true), "{}", failure.message);
}

#[tokio::test]
async fn a_server_of_the_protocol_that_has_no_greeting_is_spoken_with() {
    let newest = |folder: &Path| {
        let ToolServerDefinition::Stdio { command, mut args, env, cwd } = stdio(folder) else { panic!("a process") };
        args.push("--newest".into());
        ToolServerDefinition::Stdio { command, args, env, cwd }
    };
    let stage = stage_of(newest, Arc::new(OneSecret("api.example.com")), Limits::default());
    let told = stage.tools.inspect("one", &stage.book.definition).await.expect("it says what it is");
    assert_eq!((told.protocol.as_str(), told.server.as_deref()), ("2026-07-28", Some("signalbox-test 2.0.0")));
    let answer = stage.call("echo", json!({ "text": "hello" })).await.expect("an answer");
    assert_eq!(answer.structured, Some(json!({ "said": "hello" })));

    let folder = tempfile::tempdir().expect("a folder");
    let http = over_http(folder.path(), &["--newest"]).await;
    let stage = stage_of(|_| at(&http.base, "/mcp", None), Arc::new(NoSecrets), Limits::default());
    let answer = stage.call("echo", json!({ "text": "hello" })).await.expect("an answer");
    assert_eq!(answer.structured, Some(json!({ "said": "hello" })));
}

#[tokio::test]
async fn nothing_listens_and_metadata_addresses_are_no_servers() {
    for url in ["http://127.0.0.1:9", "http://169.254.169.254/mcp", "file:///etc/passwd"] {
        let stage = stage_of(|_| at(url, "", None), Arc::new(NoSecrets), Limits::default());
        assert_eq!(stage.fault("echo", json!({})).await, ToolFault::Connect, "{url}");
    }
}
