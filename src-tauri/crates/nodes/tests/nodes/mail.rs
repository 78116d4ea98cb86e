//! Mail steps against a mail server in memory: settings, messages, errors, cancelling.

use crate::common;

use async_trait::async_trait;
use common::{FakeHttp, answer, call, slot, world};
use futures_util::FutureExt as _;
use serde_json::{Value, json};
use signalbox_engine::effect::{Call, CallOutput};
use signalbox_engine::validate::check_bytes;
use signalbox_model::hash::sha256_hex;
use signalbox_model::{BinaryRef, CallProgress, Code, Effects, Item, NodeFailure};
use signalbox_ports::mail::{
    MailAddress, MailError, MailFile, MailQuery, MailSecurity, MailServer, MailSink, OutgoingMail, ReceivedFile,
    ReceivedMail, RefusedRecipient, SentMail,
};
use signalbox_ports::secret::AllowedHost;
use signalbox_ports::{
    CallLog, Credential, CredentialKind, Mail, Scrubber, Secret, SecretError, Secrets, Unheard, World,
};
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

/// Takes mail for everybody but `nobody@…`, and has one mailbox with one message.
#[derive(Default)]
pub(crate) struct FakeMail {
    asked: Mutex<Vec<(MailServer, OutgoingMail)>>,
    queries: Mutex<Vec<MailQuery>>,
    error: Option<MailError>,
    silent: bool,
}

#[async_trait]
impl Mail for FakeMail {
    async fn send(&self, server: MailServer, mail: OutgoingMail) -> Result<SentMail, MailError> {
        if self.silent {
            std::future::pending::<()>().await;
        }
        let everybody = mail.to.iter().chain(&mail.cc).chain(&mail.bcc);
        let (refused, accepted): (Vec<_>, Vec<_>) =
            everybody.map(|one| one.address.clone()).partition(|address| address.starts_with("nobody@"));
        let refused: Vec<RefusedRecipient> = refused
            .into_iter()
            .map(|address| RefusedRecipient { address, code: 550, message: "no such user".into() })
            .collect();
        self.asked.lock().expect("not poisoned").push((server, mail));
        match &self.error {
            Some(error) => Err(error.clone()),
            None if accepted.is_empty() => Err(MailError::RecipientsRefused { refused }),
            None => Ok(SentMail { accepted, refused, size: 300, reply: "queued".into() }),
        }
    }

    async fn read(&self, _server: MailServer, query: MailQuery, sink: &mut dyn MailSink) -> Result<(), MailError> {
        if query.mailbox == "Orders" {
            let message = "There is no mailbox".to_owned();
            return Err(MailError::MailboxMissing { mailbox: query.mailbox, message });
        }
        if let Some(error) = &self.error {
            return Err(error.clone());
        }
        let with_bytes = query.attachments;
        self.queries.lock().expect("not poisoned").push(query);
        let address = |name: Option<&str>, address: &str| MailAddress {
            name: name.map(str::to_owned),
            address: address.to_owned(),
        };
        let mail = ReceivedMail {
            uid: 7,
            uid_validity: 1_700_000_000,
            message_id: Some("1@example.org".into()),
            date_ms: Some(1_796_022_000_000),
            received_ms: Some(1_796_022_001_000),
            from: vec![address(Some("Ada"), "ada@example.com")],
            to: vec![address(None, "shop@example.org")],
            subject: "An order".into(),
            text: "A lamp, please.".into(),
            size: 300,
            files: vec![ReceivedFile {
                name: "order.pdf".into(),
                media: "application/pdf".into(),
                size: 3,
                inline: false,
                content_id: None,
                bytes: with_bytes.then(|| b"PDF".to_vec()),
            }],
            ..ReceivedMail::default()
        };
        sink.take(mail).await;
        Ok(())
    }
}

/// Has the secret `mailbox`.
pub(crate) struct FakeSecrets;

#[async_trait]
impl Secrets for FakeSecrets {
    async fn credential(&self, name: &str) -> Result<Arc<Credential>, SecretError> {
        if name != "mailbox" {
            return Err(SecretError::Unavailable { message: "There are no secrets here".into() });
        }
        Ok(Arc::new(Credential {
            name: name.to_owned(),
            kind: CredentialKind::Basic { user: "shop@example.org".into() },
            hosts: vec![AllowedHost::parse("*.example.org").expect("a host")],
            value: Secret::new("k-canary-77"),
            scrubber: Arc::default(),
        }))
    }
    fn scrubber(&self) -> Arc<Scrubber> {
        Arc::default()
    }
}

fn no_web() -> Arc<FakeHttp> {
    FakeHttp::new(|_| Ok(answer(404, &[], "")))
}

struct Bench {
    mail: Arc<FakeMail>,
    world: World,
}

impl Bench {
    fn of(mail: FakeMail) -> Self {
        let mail = Arc::new(mail);
        let world = World { mail: Arc::clone(&mail) as Arc<dyn Mail>, ..world(no_web()) };
        Self { mail, world }
    }

    fn run_call(&self, call: &Call) -> Result<CallOutput, NodeFailure> {
        let code = signalbox_nodes::kind(&call.kind).expect("a kind");
        let results = signalbox_nodes::run_call(code, call, &self.world, &Unheard).now_or_never();
        results.expect("nothing waits").remove(0).1
    }

    fn run(&self, kind: &str, config: Value) -> Result<CallOutput, NodeFailure> {
        self.run_call(&call(kind, Effects::Write, slot(config, &[json!({})])))
    }

    fn send(&self, more: Value) -> Result<CallOutput, NodeFailure> {
        let mut config = json!({ "host": "smtp.example.org", "from": "shop@example.org", "to": "ada@example.com" });
        for (name, value) in more.as_object().expect("an object") {
            config[name] = value.clone();
        }
        self.run("mail.send", config)
    }

    fn sent(&self) -> (MailServer, OutgoingMail) {
        self.mail.asked.lock().expect("not poisoned").last().cloned().expect("something was sent")
    }
}

#[test]
fn a_message_has_what_its_settings_say() {
    let bench = Bench::of(FakeMail::default());
    let output = bench
        .send(json!({
            "security": "starttls", "credential": "secret://mailbox",
            "from": "Shop <shop@example.org>", "to": ["Ada <ada@example.com>", { "name": "Bob", "address": "bob@example.org" }],
            "cc": "cy@example.org, nobody@example.org", "replyTo": "desk@example.org", "subject": "Hello", "html": "<p>Hi</p>",
            "inReplyTo": "<2@example.org>", "references": ["1@example.org"],
            "attachments": [{ "value": { "a": 1 }, "filename": "a.json" }, { "value": "PNG", "type": "image/png", "cid": "logo", "filename": "l.png" }],
        }))
        .expect("it is sent");
    let (server, mail) = bench.sent();
    assert_eq!((server.port, server.security, server.loopback_allowed), (587, MailSecurity::StartTls, true));
    assert_eq!(server.credential.expect("a credential").name, "mailbox");
    assert_eq!(mail.in_reply_to.as_deref(), Some("2@example.org"));
    assert_eq!(mail.references, ["1@example.org", "2@example.org"]);
    assert_eq!(mail.to[1], MailAddress { name: Some("Bob".into()), address: "bob@example.org".into() });
    let file = |name: &str, media: &str, content_id: Option<&str>, bytes: &[u8]| MailFile {
        name: name.into(),
        media: media.into(),
        content_id: content_id.map(str::to_owned),
        bytes: bytes.to_vec(),
    };
    assert_eq!(
        mail.files,
        [file("a.json", "application/json", None, br#"{"a":1}"#), file("l.png", "image/png", Some("logo"), b"PNG")]
    );
    let result = output.ports["success"].data(0).expect("an item");
    assert_eq!(result["accepted"], json!(["ada@example.com", "bob@example.org", "cy@example.org"]));
    assert_eq!(result["refused"][0]["address"], "nobody@example.org");
    assert_eq!(result["messageId"], mail.message_id.as_str());
}

/// A repeated call of the same step and item can be recognised; another item is another message.
#[test]
fn the_message_id_comes_from_the_key_of_the_call() {
    let bench = Bench::of(FakeMail::default());
    let id = |key: &str, item: usize| {
        let mut slot = slot(json!({ "host": "h", "from": "shop@example.org", "to": "ada@example.com" }), &[json!({})]);
        slot.item = item;
        let mut call = call("mail.send", Effects::Write, slot);
        call.idempotency_key = key.into();
        bench.run_call(&call).expect("it is sent");
        bench.sent().1.message_id
    };
    assert_eq!(id("key-1", 0), id("key-1", 0));
    assert_ne!(id("key-1", 0), id("key-2", 0));
    assert_ne!(id("key-1", 0), id("key-1", 1));
    assert!(id("key-1", 0).ends_with("@example.org"));
}

#[test]
fn nothing_adds_headers_or_recipients_by_a_line_break() {
    let bench = Bench::of(FakeMail::default());
    for (more, field) in [
        (json!({ "subject": "Hi\r\nBcc: eve@example.org" }), "subject"),
        (json!({ "to": "ada@example.com\nBcc: eve@example.org" }), "to"),
        (json!({ "from": { "name": "Shop\r\nX: y", "address": "shop@example.org" } }), "from"),
        (json!({ "replyTo": ["a@example.org\r\n"] }), "replyTo.0"),
        (json!({ "inReplyTo": "<1@example.org>\u{0}" }), "inReplyTo"),
        (json!({ "references": "1@ex\u{e9}mple.org" }), "references"),
        (json!({ "attachments": [{ "value": "x", "filename": "a\r\nX: y" }] }), "attachments.0.filename"),
        (json!({ "html": "<p>", "attachments": [{ "value": "x", "cid": "a>\u{0}" }] }), "attachments.0.cid"),
    ] {
        let failure = bench.send(more.clone()).expect_err("refused");
        assert_eq!((failure.code.as_str(), &failure.details["field"]), ("INPUT_INVALID", &json!(field)), "{more}");
    }
    assert!(bench.mail.asked.lock().expect("not poisoned").is_empty(), "nothing was sent");
}

#[test]
fn what_cannot_be_sent_says_which_setting() {
    let bench = Bench::of(FakeMail::default());
    for (more, code, field) in [
        (json!({ "to": null }), "INPUT_INVALID", "to"),
        (json!({ "to": 7 }), "INPUT_INVALID", "to"),
        (json!({ "to": [{ "name": "Ada" }] }), "INPUT_INVALID", "to.0"),
        (json!({ "from": "a@example.org, b@example.org" }), "INPUT_INVALID", "from"),
        (json!({ "security": "ssl" }), "INPUT_INVALID", "security"),
        (json!({ "port": 70000 }), "INPUT_INVALID", "port"),
        (json!({ "credential": "hunter2" }), "INPUT_INVALID", "credential"),
        (json!({ "attachments": ["report"] }), "BINARY_MISSING", "attachments.0"),
        (json!({ "attachments": [{ "path": "a.pdf", "value": "x" }] }), "INPUT_INVALID", "attachments.0"),
        (json!({ "attachments": [{ "path": "none.pdf" }] }), "NOT_FOUND", "attachments.0"),
        (json!({ "attachments": [{ "value": "x", "cid": "logo" }] }), "INPUT_INVALID", "attachments"),
    ] {
        let failure = bench.send(more.clone()).expect_err("refused");
        assert_eq!((failure.code.as_str(), &failure.details["field"]), (code, &json!(field)), "{more}");
    }
}

#[test]
fn bytes_and_files_of_earlier_steps_are_attached() {
    let bench = Bench::of(FakeMail::default());
    let kept = bench.world.binaries.keep("r", b"%PDF".to_vec()).now_or_never().expect("nothing waits").expect("kept");
    assert_eq!(kept, sha256_hex(b"%PDF"));
    let config = json!({
        "host": "smtp.example.org", "from": "shop@example.org", "to": "ada@example.com",
        "attachments": ["content", { "path": "sample:table.csv" }],
    });
    let mut slot = slot(config, &[json!({})]);
    let mut item = Item::new("1", json!({}));
    let reference = BinaryRef::new(kept, "application/pdf", 4);
    item.binary = Some([("content".to_owned(), reference)].into_iter().collect());
    slot.input = Arc::new(vec![item].into());
    bench.run_call(&call("mail.send", Effects::Write, slot)).expect("it is sent");
    let files: Vec<(String, String)> = bench.sent().1.files.into_iter().map(|file| (file.name, file.media)).collect();
    let pair = |name: &str, media: &str| (name.to_owned(), media.to_owned());
    assert_eq!(files, [pair("content.pdf", "application/pdf"), pair("table.csv", "text/csv")]);
}

#[test]
fn errors_of_mail_servers_say_what_to_do() {
    let text = || "why".to_owned();
    let refused = |code| RefusedRecipient { address: "a@example.org".into(), code, message: "no".into() };
    for (error, code, retryable, unknown) in [
        (MailError::Connection { message: text() }, "CONNECTION", true, false),
        (MailError::OutcomeUnknown { message: text() }, "CONNECTION", true, true),
        (MailError::Timeout { effect: true }, "TIMEOUT", true, true),
        (MailError::Timeout { effect: false }, "TIMEOUT", true, false),
        (MailError::Tls { message: text() }, "TLS", false, false),
        (MailError::Auth { message: text() }, "AUTH", false, false),
        (MailError::RecipientsRefused { refused: vec![refused(550)] }, "RECIPIENT_REFUSED", false, false),
        (MailError::RecipientsRefused { refused: vec![refused(451)] }, "RECIPIENT_REFUSED", true, false),
        (MailError::RecipientsRefused { refused: vec![refused(451), refused(550)] }, "RECIPIENT_REFUSED", false, false),
        (MailError::Refused { code: Some(554), message: text(), temporary: false }, "MAIL_REFUSED", false, false),
        (MailError::Refused { code: Some(421), message: text(), temporary: true }, "SERVICE_UNAVAILABLE", true, false),
        (MailError::TooLarge { size: 9, limit: Some(8) }, "TOO_LARGE", false, false),
        (MailError::BadAnswer { message: text() }, "BAD_ANSWER", false, false),
        (MailError::UidValidityChanged { wanted: 1, found: 2 }, "UIDVALIDITY_CHANGED", false, false),
    ] {
        let bench = Bench::of(FakeMail { error: Some(error.clone()), ..FakeMail::default() });
        let failure = bench.send(json!({})).expect_err("it fails");
        let seen = (failure.code.as_str(), failure.retryable, failure.may_have_happened);
        assert_eq!(seen, (code, retryable, unknown), "{error:?}");
        assert!(failure.details["messageId"].is_string(), "who looks for it needs its id");
    }
}

#[test]
fn attachments_become_bytes_of_the_item_when_asked_for() {
    let bench = Bench::of(FakeMail::default());
    let config = |attachments: bool| {
        json!({
            "host": "imap.example.org", "credential": "secret://mailbox", "unseen": true, "since": "2026-11-30", "limit": 3,
            "after": "seen_move", "moveTo": "Done", "attachments": attachments,
        })
    };
    let listed = bench.run("mail.read", config(false)).expect("it is read");
    assert!(listed.ports["success"].binaries().next().is_none(), "only listed");
    let output = bench.run("mail.read", config(true)).expect("it is read");
    let data = output.ports["success"].data(0).expect("an item");
    assert_eq!(data["attachments"][0]["binary"], "attachment_1");
    let query = bench.mail.queries.lock().expect("not poisoned").last().cloned().expect("a query");
    assert_eq!(
        (query.search.unseen, query.search.since_ms, query.limit),
        (true, Some(1_796_022_000_000 - 25_200_000), 3)
    );
}

/// Hears that the run is cancelled, and whether the call gives up.
#[derive(Default)]
pub(crate) struct Cancelled(pub(crate) AtomicBool);

impl CallLog for Cancelled {
    fn say(&self, _said: CallProgress) {}
    fn cancelled(&self) -> Pin<Box<dyn Future<Output = ()> + Send + '_>> {
        Box::pin(std::future::ready(()))
    }
    fn give_up(&self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

#[test]
fn a_cancelled_run_leaves_a_silent_server_at_once() {
    let bench = Bench::of(FakeMail { silent: true, ..FakeMail::default() });
    let config = json!({ "host": "smtp.example.org", "from": "shop@example.org", "to": "ada@example.com" });
    let call = call("mail.send", Effects::Write, slot(config, &[json!({})]));
    let code = signalbox_nodes::kind("mail.send").expect("a kind");
    let log = Cancelled::default();
    let ended = signalbox_nodes::run_call(code, &call, &bench.world, &log).now_or_never();
    assert!(ended.is_none() && log.0.load(Ordering::Relaxed), "the driver ends the call");
}

/// TRUST, SSRF: a server that data of the run chooses is public, and the file says so.
#[test]
fn a_server_that_data_chooses_is_warned_of_with_its_setting() {
    let catalog = signalbox_nodes::built_in().clone();
    let found = |host: Value, port: Value| {
        let config = json!({ "host": host, "port": port, "from": "a@example.org", "to": "b@example.org" });
        let file = json!({
            "signalbox": 1, "id": "w", "name": "w", "edges": [],
            "params": { "type": "object", "properties": { "host": { "type": "string" } } },
            "nodes": { "a": { "type": "mail.send", "config": config } },
        });
        let found = check_bytes(file.to_string().as_bytes(), &catalog).diagnostics;
        let places = found.into_iter().filter(|one| one.code == Code::HostFromData).map(|one| one.path);
        places.collect::<Vec<String>>()
    };
    assert_eq!(found(json!("{{params.host}}"), json!(465)), [] as [String; 0]);
    assert_eq!(found(json!("{{item.host}}"), json!(465)), ["/nodes/a/config/host"]);
    assert_eq!(found(json!("smtp.example.org"), json!("= item.port")), ["/nodes/a/config/port"]);
}
