//! Mail steps against Debian's Exim and Dovecot. One test per pair of servers: starting them takes longer than all of it.

use crate::common::{authorities, data, run};
use crate::mail_servers::{LARGEST, MailHost, PASSWORD, mail_world};
use serde_json::{Value, json};
use signalbox_adapters::network::{self, Network};
use signalbox_engine::effect::CallOutput;
use signalbox_model::NodeFailure;
use signalbox_ports::World;
use std::sync::Arc;
use std::time::{Duration, Instant};

struct Bench {
    host: MailHost,
    world: World,
}

impl Bench {
    async fn send(&self, more: Value) -> Result<CallOutput, NodeFailure> {
        let mut config = json!({ "from": "Shop <shop@example.org>", "to": "ada@example.org" });
        for (name, value) in self.host.smtp(more).as_object().expect("settings") {
            config[name] = value.clone();
        }
        run(&self.world, "mail.send", config, json!({})).await
    }

    async fn sent(&self, more: Value) -> Arc<Value> {
        data(&self.send(more).await.unwrap_or_else(|failure| panic!("{failure:?}\n{}", self.host.logs())), "success")
    }

    async fn read(&self, more: Value) -> Result<CallOutput, NodeFailure> {
        run(&self.world, "mail.read", self.host.imap(more), json!({})).await
    }

    async fn messages(&self, more: Value) -> Vec<Arc<Value>> {
        let output = self.read(more).await.unwrap_or_else(|failure| panic!("{failure:?}\n{}", self.host.logs()));
        let items = &output.ports["success"];
        (0..items.len()).map(|at| items.data(at).expect("an item")).collect()
    }

    /// Waits until a subject has been delivered; delivery is a process of the server.
    async fn arrived(&self, subject: &str) -> Arc<Value> {
        let late = Instant::now() + Duration::from_secs(20);
        loop {
            let found = self.messages(json!({ "subject": subject, "attachments": true })).await;
            if let Some(one) = found.into_iter().next() {
                return one;
            }
            assert!(Instant::now() < late, "'{subject}' is not delivered: {}", self.host.logs());
        }
    }
}

fn code(result: Result<CallOutput, NodeFailure>) -> (String, bool) {
    let failure = result.expect_err("it fails");
    let told = format!("{failure:?}");
    assert!(!told.contains(PASSWORD) && !told.contains("k-canary"), "{told}");
    assert!(!failure.may_have_happened, "{told}");
    (failure.code.clone(), failure.retryable)
}

fn fails(code: &str, retryable: bool) -> (String, bool) {
    (code.to_owned(), retryable)
}

#[tokio::test]
async fn mail_is_sent_and_read_through_servers_of_debian() {
    let bench = Bench { host: MailHost::start(), world: mail_world() };
    everything_in_a_message_arrives(&bench).await;
    replies_are_threads(&bench).await;
    some_recipients_are_refused(&bench).await;
    smtp_errors_say_what_to_do(&bench).await;
    mailboxes_are_searched(&bench).await;
    odd_messages_are_read(&bench).await;
    messages_are_marked_and_moved(&bench).await;
    imap_errors_say_what_to_do(&bench).await;
    authorities_of_the_settings_are_trusted(&bench).await;
}

async fn authorities_of_the_settings_are_trusted(bench: &Bench) {
    network::set(Network::new(None, authorities(&bench.host.imap(json!({}))["ca"])));
    bench.sent(json!({ "ca": null, "subject": "Trusted", "text": "x" })).await;
    assert_eq!(bench.messages(json!({ "ca": null, "limit": 1 })).await.len(), 1);
}

async fn everything_in_a_message_arrives(bench: &Bench) {
    let sent = bench
        .sent(json!({
            "to": ["Ada Löwe <ada@example.org>", "bob@bücher.example"], "cc": "cy@example.org", "bcc": "secret@example.org",
            "replyTo": "desk@example.org", "subject": "Größe und Maß", "text": "Grüße\n.\n..punkt\n", "html": "<p>Grüße <img src=\"cid:logo\"></p>",
            "attachments": [
                { "value": "a;b\nä;ö\n", "filename": "Übersicht.csv", "type": "text/csv" },
                { "value": "PNG", "filename": "logo.png", "type": "image/png", "cid": "logo" },
            ],
        }))
        .await;
    assert_eq!(sent["refused"], json!([]));
    assert_eq!(
        sent["accepted"],
        json!(["ada@example.org", "bob@xn--bcher-kva.example", "cy@example.org", "secret@example.org"])
    );
    let mail = bench.arrived("Größe und Maß").await;
    assert_eq!(mail["messageId"], sent["messageId"]);
    assert_eq!(mail["from"], json!({ "name": "Shop", "address": "shop@example.org" }));
    assert_eq!(mail["to"][0], json!({ "name": "Ada Löwe", "address": "ada@example.org" }));
    assert_eq!(mail["cc"][0]["address"], "cy@example.org");
    assert_eq!(mail["replyTo"][0]["address"], "desk@example.org");
    assert_eq!(mail["text"], "Grüße\n.\n..punkt\n");
    assert_eq!(mail["html"], "<p>Grüße <img src=\"cid:logo\"></p>");
    let mut files = mail["attachments"].as_array().expect("a list").clone();
    files.sort_by_key(|file| file["name"].to_string());
    assert_eq!(files.len(), 2, "{files:?}");
    assert_eq!((&files[0]["name"], &files[0]["inline"]), (&json!("logo.png"), &json!(true)));
    assert_eq!(files[0]["contentId"], "logo");
    assert_eq!((&files[1]["name"], &files[1]["type"]), (&json!("Übersicht.csv"), &json!("text/csv")));
    assert_eq!(files[1]["size"], "a;b\nä;ö\n".len(), "byte for byte");
    // The same over a connection that is encrypted on demand.
    let port = bench.host.ports[0];
    bench.sent(json!({ "security": "starttls", "port": port, "subject": "On demand", "text": "x" })).await;
    let port = bench.host.ports[2];
    let found = bench.messages(json!({ "security": "starttls", "port": port, "limit": 1 })).await;
    assert_eq!(found.len(), 1);
    assert!(!format!("{mail:?}").contains("secret@example.org"), "nobody sees a blind copy");
}

async fn replies_are_threads(bench: &Bench) {
    let first = bench.arrived("Größe und Maß").await;
    let id = first["messageId"].as_str().expect("an id").to_owned();
    bench.sent(json!({ "subject": "Re: answer", "text": "x", "inReplyTo": id, "references": "<0@example.org>" })).await;
    let answer = bench.arrived("Re: answer").await;
    assert_eq!(answer["inReplyTo"], id.as_str());
    assert_eq!(answer["references"], json!(["0@example.org", id]));
}

async fn some_recipients_are_refused(bench: &Bench) {
    let sent = bench
        .sent(json!({ "to": "ada@example.org, nobody@example.org, later@example.org", "subject": "Some", "text": "x" }))
        .await;
    assert_eq!(sent["accepted"], json!(["ada@example.org"]));
    let seen: Vec<(&Value, &Value)> =
        sent["refused"].as_array().expect("a list").iter().map(|one| (&one["code"], &one["temporary"])).collect();
    assert_eq!(seen, [(&json!(550), &json!(false)), (&json!(451), &json!(true))]);
    assert!(sent["refused"][0]["message"].as_str().expect("a text").contains("no such user here"));
    assert_eq!(code(bench.send(json!({ "to": "nobody@example.org" })).await), fails("RECIPIENT_REFUSED", false));
    assert_eq!(code(bench.send(json!({ "to": "later@example.org" })).await), fails("RECIPIENT_REFUSED", true));
}

async fn smtp_errors_say_what_to_do(bench: &Bench) {
    let host = &bench.host;
    let large = "x".repeat(LARGEST);
    for (more, wanted) in [
        (json!({ "credential": "secret://wrong" }), fails("AUTH", false)),
        (json!({ "credential": null }), fails("RECIPIENT_REFUSED", false)),
        (json!({ "credential": "secret://elsewhere" }), fails("CREDENTIAL_REFUSED", false)),
        (json!({ "from": "evil@example.org" }), fails("MAIL_REFUSED", false)),
        (json!({ "text": large }), fails("TOO_LARGE", false)),
        // A certificate of another host, and one that nobody trusts.
        (json!({ "host": "127.0.0.1" }), fails("TLS", false)),
        (json!({ "ca": null }), fails("TLS", false)),
        // TLS where none is spoken, and the other way round.
        (json!({ "port": host.ports[0] }), fails("TLS", false)),
        (json!({ "port": 1 }), fails("CONNECTION", true)),
        (json!({ "host": "no-such-host.invalid", "credential": null }), fails("CONNECTION", true)),
        (json!({ "host": "10.0.0.1", "credential": null }), fails("ADDRESS_REFUSED", false)),
        (json!({ "host": "localhost/x" }), fails("INPUT_INVALID", false)),
        (json!({ "to": "no address" }), fails("INPUT_INVALID", false)),
        (json!({ "to": ["ada@example.org", "bob@"] }), fails("INPUT_INVALID", false)),
        (json!({ "ca": "no certificate" }), fails("INPUT_INVALID", false)),
        // Without encryption the server offers no sign-in.
        (json!({ "security": "none", "port": host.ports[0] }), fails("AUTH", false)),
    ] {
        assert_eq!(code(bench.send(more.clone()).await), wanted, "{more}");
    }
    let failure = bench.send(json!({ "to": ["ada@example.org", "bob@"] })).await.expect_err("refused");
    assert_eq!(failure.details["field"], "to.1");
    assert!(failure.message.contains("'bob@'") && failure.message.contains("entry 2"), "{}", failure.message);
}

async fn mailboxes_are_searched(bench: &Bench) {
    let all = bench.messages(json!({})).await;
    let uids: Vec<u64> = all.iter().map(|one| one["uid"].as_u64().expect("a number")).collect();
    assert!(uids.windows(2).all(|pair| pair[0] > pair[1]) && uids.len() >= 4, "newest first: {uids:?}");
    for (search, count) in [
        (json!({ "limit": 2 }), 2),
        (json!({ "subject": "Größe" }), 1),
        (json!({ "text": "..punkt" }), 1),
        (json!({ "from": "shop@", "to": "bob@", "unseen": true }), 1),
        (json!({ "from": "\"nobody\\" }), 0),
        (json!({ "since": "2020-01-01" }), uids.len()),
        (json!({ "since": "2120-01-01T00:00:00Z" }), 0),
        (json!({ "uid": [uids[0], uids[1], 4_000_000_000_u32], "uidValidity": all[0]["uidValidity"] }), 2),
    ] {
        assert_eq!(bench.messages(search.clone()).await.len(), count, "{search}");
    }
}

async fn odd_messages_are_read(bench: &Bench) {
    let head = "From: Ada <ada@example.org>\r\nDate: Mon, 30 Nov 2026 07:00:00 +0000\r\n";
    let mut russian =
        format!("{head}Subject: =?koi8-r?B?8NLJ18XU?=\r\nContent-Type: text/plain; charset=windows-1251\r\n\r\n")
            .into_bytes();
    // "Привет" in windows-1251.
    russian.extend([0xcf, 0xf0, 0xe8, 0xe2, 0xe5, 0xf2]);
    bench.host.deliver("1.russian", &russian);
    let mut japanese =
        format!("{head}Subject: odd japanese\r\nContent-Type: text/plain; charset=ISO-2022-JP\r\n\r\n").into_bytes();
    japanese.extend(b"\x1b$B$3$s$K$A$O\x1b(B");
    bench.host.deliver("2.japanese", &japanese);
    bench.host.deliver(
        "3.parts",
        format!(
            "{head}Subject: odd parts\r\nMIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\n\
             Content-Type: text/html\r\n\r\n<p>Only <b>HTML</b></p>\r\n--b\r\n\
             Content-Type: application/ms-tnef; name=winmail.dat\r\nContent-Transfer-Encoding: base64\r\n\r\neJ8+Ig==\r\n--b\r\n\
             Content-Type: text/calendar; method=REQUEST; charset=utf-8\r\n\r\nBEGIN:VCALENDAR\r\n--b\r\n\
             Content-Type: message/rfc822\r\n\r\nSubject: inner\r\n\r\nforwarded\r\n--b\r\n\
             Content-Type: text/csv; charset=windows-1252\r\nContent-Disposition: attachment; filename=a.csv\r\n\
             Content-Transfer-Encoding: base64\r\n\r\n5A==\r\n--b--\r\n"
        )
        .as_bytes(),
    );
    bench.host.deliver("4.broken", b"\xff\xfe no header at all \x00\r\n\r\n--");
    let mut nested = format!("{head}Subject: odd nested\r\n").into_bytes();
    for _ in 0..50_000 {
        nested.extend(b"Content-Type: message/rfc822\r\n\r\n");
    }
    bench.host.deliver("5.nested", &nested);
    let found = |name: &str| {
        let name = name.to_owned();
        async move { bench.arrived(&name).await }
    };
    let russian = bench.messages(json!({ "subject": "Привет" })).await;
    assert_eq!((&russian[0]["text"], &russian[0]["subject"]), (&json!("Привет"), &json!("Привет")));
    assert_eq!(russian[0]["date"], "2026-11-30T07:00:00.000Z");
    assert_eq!(found("odd japanese").await["text"], "こんにちは");
    let parts = found("odd parts").await;
    assert_eq!((parts["text"].as_str().map(str::trim), &parts["textFromHtml"]), (Some("Only HTML"), &json!(true)));
    let files: Vec<(&str, &str, u64)> = parts["attachments"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|file| {
            (
                file["name"].as_str().unwrap_or("?"),
                file["type"].as_str().unwrap_or("?"),
                file["size"].as_u64().unwrap_or(0),
            )
        })
        .collect();
    assert_eq!(
        files,
        [
            ("winmail.dat", "application/ms-tnef", 4),
            ("", "text/calendar", 15),
            ("inner.eml", "message/rfc822", 27),
            // One byte, as it was attached, and not the two of UTF-8.
            ("a.csv", "text/csv", 1),
        ]
    );
    let nested = found("odd nested").await;
    assert!(nested["headersOnly"].as_str().expect("a reason").contains("2000 parts"), "{nested}");
    let large = bench.messages(json!({ "subject": "odd nested", "maxMessageBytes": 65_536 })).await;
    assert!(large[0]["headersOnly"].as_str().expect("a reason").contains("larger than"), "{}", large[0]);
    assert!(!bench.messages(json!({})).await.is_empty(), "one message that cannot be read stops no other");
}

async fn messages_are_marked_and_moved(bench: &Bench) {
    let before = bench.messages(json!({ "unseen": true })).await.len();
    assert_eq!(bench.messages(json!({ "unseen": true, "limit": 1, "after": "seen" })).await.len(), 1);
    assert_eq!(bench.messages(json!({ "unseen": true })).await.len(), before - 1);
    bench.messages(json!({ "subject": "On demand", "after": "flag" })).await;
    assert_eq!(bench.messages(json!({ "subject": "On demand" })).await[0]["flagged"], true);
    let moved = json!({ "subject": "Größe und Maß", "after": "seen_move", "moveTo": "Done/Größe" });
    assert_eq!(bench.messages(moved.clone()).await.len(), 1);
    assert_eq!(bench.messages(moved).await.len(), 0, "it is no longer there");
    let there = bench.messages(json!({ "mailbox": "Done/Größe" })).await;
    assert_eq!((there.len(), &there[0]["seen"]), (1, &json!(true)));
    let validity = there[0]["uidValidity"].as_u64().expect("a number");
    let stale = json!({ "mailbox": "Done/Größe", "uid": there[0]["uid"], "uidValidity": validity + 1 });
    assert_eq!(code(bench.read(stale).await), fails("UIDVALIDITY_CHANGED", false));
    let missing = json!({ "subject": "On demand", "after": "move", "moveTo": "None" });
    assert_eq!(code(bench.read(missing).await), fails("MAILBOX_MISSING", false));
    assert_eq!(bench.messages(json!({ "subject": "On demand" })).await.len(), 1, "it stays where it is");
}

async fn imap_errors_say_what_to_do(bench: &Bench) {
    for (more, wanted) in [
        (json!({ "credential": "secret://wrong" }), fails("AUTH", false)),
        (json!({ "mailbox": "None" }), fails("MAILBOX_MISSING", false)),
        (json!({ "host": "127.0.0.1" }), fails("TLS", false)),
        (json!({ "ca": null }), fails("TLS", false)),
        (json!({ "port": bench.host.ports[0], "security": "starttls" }), fails("SERVICE_UNAVAILABLE", true)),
        (json!({ "port": 1 }), fails("CONNECTION", true)),
        (json!({ "mailbox": "a\r\nb" }), fails("INPUT_INVALID", false)),
        (json!({ "since": "yesterday" }), fails("INPUT_INVALID", false)),
    ] {
        assert_eq!(code(bench.read(more.clone()).await), wanted, "{more}");
    }
}
