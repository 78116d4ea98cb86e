//! Mail steps against servers that do what no good server does.

use crate::common::run_in;
use crate::mail_servers::mail_world;
use serde_json::{Value, json};
use signalbox_engine::effect::CallOutput;
use signalbox_model::NodeFailure;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpListener;

/// What the server does next.
#[derive(Clone)]
enum Turn {
    /// Sends this.
    Say(&'static str),
    /// Reads until this text has come.
    Until(&'static str),
    /// Sends this again and again, as long as somebody reads.
    Flood(&'static str),
    /// Keeps the connection and says nothing.
    Silence,
}
use Turn::{Flood, Say, Silence, Until};

/// A server for one connection; at the end of its turns the connection ends.
async fn server(turns: Vec<Turn>) -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let port = listener.local_addr().expect("an address").port();
    tokio::spawn(async move {
        let Ok((mut stream, _)) = listener.accept().await else { return };
        for turn in turns {
            match turn {
                Say(text) => {
                    let _gone = stream.write_all(text.as_bytes()).await;
                }
                Until(text) => {
                    let mut seen = Vec::new();
                    let mut byte = [0];
                    while !seen.ends_with(text.as_bytes()) {
                        match stream.read(&mut byte).await {
                            Ok(1) => seen.push(byte[0]),
                            _ => return,
                        }
                    }
                }
                Flood(text) => while stream.write_all(text.as_bytes()).await.is_ok() {},
                Silence => std::future::pending().await,
            }
        }
    });
    port
}

async fn send(turns: Vec<Turn>, more: Value) -> Result<CallOutput, NodeFailure> {
    let port = server(turns).await;
    let mut config = json!({
        "host": "127.0.0.1", "port": port, "security": "none", "from": "shop@example.org", "to": "ada@example.org", "text": "x",
    });
    for (name, value) in more.as_object().expect("settings") {
        config[name] = value.clone();
    }
    run_in(&mail_world(), "mail.send", config, json!({}), None).await
}

async fn read(turns: Vec<Turn>, more: Value) -> Result<CallOutput, NodeFailure> {
    let port = server(turns).await;
    let mut config = json!({ "host": "127.0.0.1", "port": port, "security": "none", "credential": "secret://mailbox" });
    for (name, value) in more.as_object().expect("settings") {
        config[name] = value.clone();
    }
    run_in(&mail_world(), "mail.read", config, json!({}), None).await
}

/// Code, whether it may be tried again, whether it may have happened.
fn seen(result: Result<CallOutput, NodeFailure>) -> (String, bool, bool) {
    let failure = result.expect_err("it fails");
    assert!(!format!("{failure:?}").contains("k-canary"), "{failure:?}");
    (failure.code, failure.retryable, failure.may_have_happened)
}

fn wanted(code: &str, retryable: bool, unknown: bool) -> (String, bool, bool) {
    (code.to_owned(), retryable, unknown)
}

const GREETING: [Turn; 5] = [
    Say("220 hi\r\n"),
    Until("\r\n"),
    Say("250-hi\r\n250 SIZE 1000000\r\n"),
    Until("\r\n"),
    Say("250-hi\r\n250 SIZE 1000000\r\n"),
];

fn smtp(rest: &[Turn]) -> Vec<Turn> {
    [&GREETING[..], rest].concat()
}

/// The server has the whole message and dies before it says so: nobody sends it again by itself.
#[tokio::test]
async fn half_sent_mail_has_an_unknown_outcome() {
    let accepted =
        [Until("MAIL FROM"), Until("\r\n"), Say("250 ok\r\n"), Until("\r\n"), Say("250 ok\r\n"), Until("DATA\r\n")];
    let data = |rest: &[Turn]| smtp(&[&accepted[..], &[Say("354 go on\r\n"), Until("\r\n.\r\n")], rest].concat());
    let unknown = send(data(&[]), json!({})).await;
    let failure = unknown.clone().expect_err("it fails");
    assert!(failure.message.contains("Message-ID") && failure.details["messageId"].is_string(), "{failure:?}");
    assert_eq!(seen(unknown), wanted("CONNECTION", true, true));
    assert_eq!(seen(send(data(&[Silence]), json!({ "timeoutMs": 1_000 })).await), wanted("TIMEOUT", true, true));
    // An answer says what became of it.
    assert_eq!(seen(send(data(&[Say("451 later\r\n")]), json!({})).await), wanted("SERVICE_UNAVAILABLE", true, false));
    assert_eq!(seen(send(data(&[Say("554 spam\r\n")]), json!({})).await), wanted("MAIL_REFUSED", false, false));
    assert_eq!(seen(send(data(&[Say("552 too big\r\n")]), json!({})).await), wanted("TOO_LARGE", false, false));
    // Before that nothing was sent.
    assert_eq!(seen(send(smtp(&accepted), json!({})).await), wanted("CONNECTION", true, false));
    let silent = send(smtp(&[Silence]), json!({ "timeoutMs": 1_000 })).await;
    assert_eq!(seen(silent), wanted("TIMEOUT", true, false));
    assert_eq!(seen(send(vec![Silence], json!({ "timeoutMs": 300 })).await), wanted("TIMEOUT", true, false));
}

#[tokio::test]
async fn smtp_servers_that_do_not_stop_are_left() {
    for (at, turns) in [
        vec![Flood("220-hi\r\n")],
        vec![Flood("220 no end of this line ")],
        smtp(&[Until("\r\n"), Flood("250-more\r\n")]),
    ]
    .into_iter()
    .enumerate()
    {
        assert_eq!(seen(send(turns, json!({})).await), wanted("BAD_ANSWER", false, false), "server {at}");
    }
    assert_eq!(seen(send(vec![Say("SSH-2.0\r\n")], json!({})).await).0, "BAD_ANSWER");
    let busy = send(vec![Say("421 too many connections\r\n")], json!({})).await;
    assert_eq!(seen(busy), wanted("SERVICE_UNAVAILABLE", true, false));
    let start_tls = |turns| send(turns, json!({ "security": "starttls" }));
    assert_eq!(seen(start_tls(vec![Flood("220-hi\r\n")]).await).0, "BAD_ANSWER");
    // What is said before TLS begins is never taken for something said after it (CVE-2011-0411).
    let injected = [
        Say("220 hi\r\n"),
        Until("\r\n"),
        Say("250 STARTTLS\r\n"),
        Until("\r\n"),
        Say("220 go\r\n250 injected\r\n"),
        Silence,
    ];
    assert_eq!(seen(start_tls(injected.to_vec()).await).0, "TLS");
    // Nobody is asked to do without.
    let stripped = [Say("220 hi\r\n"), Until("\r\n"), Say("250 SIZE 1\r\n"), Silence];
    assert_eq!(seen(start_tls(stripped.to_vec()).await).0, "TLS");
}

const SIGNED_IN: [Turn; 3] = [Say("* OK hi\r\n"), Until("\r\n"), Say("A0001 OK in\r\n")];

#[tokio::test]
async fn imap_servers_that_do_not_stop_are_left() {
    let opened = [
        Until("\r\n"),
        Say("* 1 EXISTS\r\n* OK [UIDVALIDITY 7] x\r\nA0002 OK [READ-ONLY] x\r\n"),
        Until("\r\n"),
        Say("* CAPABILITY IMAP4rev1\r\nA0003 OK x\r\n"),
        Until("\r\n"),
    ];
    let mailbox = |rest: &[Turn]| [&SIGNED_IN[..], &opened[..], rest].concat();
    let found = [Say("* SEARCH 5\r\nA0004 OK x\r\n"), Until("\r\n")];
    let listed = [Say("* 1 FETCH (UID 5 FLAGS () RFC822.SIZE 10)\r\nA0005 OK x\r\n"), Until("\r\n")];
    for turns in [
        vec![Flood("* OK no end of this line ")],
        [&SIGNED_IN[..], &[Until("\r\n"), Flood("* 1 EXISTS\r\n")]].concat(),
        mailbox(&[Flood("* SEARCH 1 2 3 4 5 6 7 8 9\r\n")]),
        mailbox(&[Flood("* SEARCH 1"), Flood("2")]),
        mailbox(&[&found[..], &listed[..], &[Say("* 1 FETCH (UID 5 BODY[] {4294967295}\r\n"), Silence]].concat()),
        mailbox(&[&found[..], &listed[..], &[Say("* 1 FETCH (UID 5 BODY[] {3000000}\r\n"), Flood("x")]].concat()),
        vec![Say("220 this is SMTP\r\n"), Silence],
    ] {
        assert_eq!(seen(read(turns, json!({ "timeoutMs": 60_000 })).await), wanted("BAD_ANSWER", false, false));
    }
    // Neither the end of the connection nor a refusal is an empty mailbox.
    for (at, turns) in
        [mailbox(&[]), mailbox(&found), mailbox(&[&found[..], &listed[..]].concat())].into_iter().enumerate()
    {
        assert_eq!(seen(read(turns, json!({})).await), wanted("CONNECTION", true, false), "server {at}");
    }
    let refused = mailbox(&[Say("A0004 NO [BADCHARSET (US-ASCII)] not these letters\r\n"), Silence]);
    assert_eq!(seen(read(refused, json!({})).await), wanted("MAIL_REFUSED", false, false));
    assert_eq!(seen(read(vec![Say("* BYE busy\r\n")], json!({})).await), wanted("SERVICE_UNAVAILABLE", true, false));
    let silent = read(mailbox(&[Silence]), json!({ "timeoutMs": 500 })).await;
    assert_eq!(seen(silent), wanted("TIMEOUT", true, false));
}

/// Whether a message was moved is not known when the server dies with the answer.
#[tokio::test]
async fn a_change_that_nobody_confirms_has_an_unknown_outcome() {
    let turns = [
        &SIGNED_IN[..],
        &[
            Until("\r\n"),
            Say("* 1 EXISTS\r\n* OK [UIDVALIDITY 7] x\r\nA0002 OK x\r\n"),
            Until("\r\n"),
            Say("* CAPABILITY IMAP4rev1\r\nA0003 OK x\r\n"),
            Until("\r\n"),
            Say("* SEARCH 5\r\nA0004 OK x\r\n"),
            Until("\r\n"),
            Say("* 1 FETCH (UID 5 FLAGS () RFC822.SIZE 15)\r\nA0005 OK x\r\n"),
            Until("\r\n"),
            Say("* 1 FETCH (UID 5 BODY[] {15}\r\nSubject: a\r\n\r\nb)\r\nA0006 OK x\r\n"),
            Until("\\Seen)\r\n"),
        ],
    ]
    .concat();
    assert_eq!(seen(read(turns, json!({ "after": "seen" })).await), wanted("CONNECTION", true, true));
}
