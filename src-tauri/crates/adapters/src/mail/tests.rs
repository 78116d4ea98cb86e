use super::parse;
use super::search::{Texts, criteria};
use super::stream::LineGuard;
use super::utf7;
use signalbox_ports::mail::{MailAddress, MailSearch, OutgoingMail};

#[test]
fn mailbox_names_travel_in_modified_utf_7() {
    for (name, sent) in [
        ("INBOX", "INBOX"),
        ("Entwürfe", "Entw&APw-rfe"),
        ("A & B", "A &- B"),
        // The examples of RFC 3501.
        ("~peter/mail/台北/日本語", "~peter/mail/&U,BTFw-/&ZeVnLIqe-"),
        ("😀", "&2D3eAA-"),
    ] {
        assert_eq!(utf7::encode(name), sent);
    }
}

#[test]
fn searches_are_written_as_imap_asks_for() {
    let search = MailSearch {
        unseen: true,
        from: Some("a\"b\\c\r\nX LOGOUT".into()),
        since_ms: Some(1_796_022_000_000),
        ..MailSearch::default()
    };
    let quoted = r#"1:5 UNSEEN SINCE 29-Nov-2026 FROM "a\"b\\cX LOGOUT""#;
    assert_eq!(criteria(&search, "1:5", Texts::Literal), quoted);
    let wide = MailSearch { subject: Some("Größe".into()), ..MailSearch::default() };
    assert_eq!(criteria(&wide, "2:3", Texts::Literal), "CHARSET UTF-8 2:3 SUBJECT {7+}\r\nGröße");
    assert_eq!(criteria(&wide, "2:3", Texts::Quoted), "CHARSET UTF-8 2:3 SUBJECT \"Größe\"");
}

#[test]
fn lines_and_literals_are_bounded() {
    let mut guard = LineGuard::default();
    assert!(guard.see(b"* 1 FETCH (BODY[] {10}\r\n", 10));
    assert!(guard.see(&[b'x'; 10], 0), "a literal is no line");
    let long = vec![b'x'; 300 * 1024];
    assert!(guard.see(&long, 0));
    assert!(!guard.see(&long, 0), "the line does not end");
    assert!(!LineGuard::default().see(b"* {4294967295}\r\n", 1_000_000), "a literal is too large");
    let mut split = LineGuard::default();
    assert!(split.see(b"* x {10", 1_000) && !split.see(b"00000}\r\n", 1_000), "announced in two pieces");
}

#[test]
fn a_message_of_many_messages_is_read_by_its_headers() {
    let mut raw = b"Subject: deep\r\n".to_vec();
    for _ in 0..200_000 {
        raw.extend(b"content-type: message/rfc822\r\n\r\n");
    }
    let mail = parse::read(&raw, false, false);
    assert_eq!(mail.subject, "deep");
    assert!(mail.headers_only.is_some());
}

#[test]
fn texts_are_cut_at_a_letter() {
    let mut raw = b"Subject: long\r\nContent-Type: text/plain; charset=utf-8\r\n\r\n".to_vec();
    raw.extend("ä".repeat(600_000).into_bytes());
    let mail = parse::read(&raw, false, false);
    assert!(mail.is_cut && mail.text.len() <= 1024 * 1024 && mail.text.ends_with('ä'));
}

/// What one text puts in, another one must not take for a header or a recipient.
#[test]
fn addresses_hold_no_commands() {
    let mail = |name: &str, address: &str| OutgoingMail {
        message_id: "1@example.org".into(),
        from: MailAddress { name: None, address: "shop@example.org".into() },
        to: vec![MailAddress { name: Some(name.into()), address: address.into() }],
        ..OutgoingMail::default()
    };
    for address in [
        "ada@example.org>\r\nRCPT TO:<eve@example.org",
        "ada@example.org eve@example.org",
        "<ada@example.org>",
        "ada",
        "@example.org",
        "ada@",
        "ada@exa mple.org",
        "ada@example.org>",
    ] {
        assert!(super::compose::message(&mail("Ada", address)).is_err(), "{address:?}");
    }
    assert!(super::compose::message(&mail("A\r\nBcc: eve@example.org", "ada@example.org")).is_err());
    let made = super::compose::message(&mail("Ada, \"the\" Countess", " ada@example.org ")).expect("a message");
    let text = String::from_utf8_lossy(&made.bytes).into_owned();
    let to = text.lines().find(|line| line.starts_with("To: ")).expect("a header");
    assert!(to.ends_with("<ada@example.org>") && to.matches('@').count() == 1, "{text}");
}
