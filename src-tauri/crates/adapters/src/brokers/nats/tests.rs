use super::client::headers;
use super::{Delivered, checked_greeting, is_subject, received};
use signalbox_ports::brokers::BrokerFault;

fn delivered(reply: Option<&str>) -> Delivered {
    let (status, headers) = headers(b"NATS/1.0\r\nsource: test\r\n\r\n");
    Delivered { subject: "orders".into(), reply: reply.map(str::to_owned), status, headers, body: b"x".to_vec() }
}

#[test]
fn a_message_is_named_by_its_stream_number_and_time() {
    let old = "$JS.ACK.ORDERS.group-1.1.42.7.1700000000000000000.0";
    let new = "$JS.ACK._.HASH.ORDERS.group-1.3.42.7.1700000000000000000.0.token";
    for (reply, redelivered) in [(old, false), (new, true)] {
        let message = received(delivered(Some(reply))).expect("a message");
        assert_eq!(message.key.as_deref(), Some("ORDERS:42:1700000000000000000"));
        assert_eq!((message.id.as_str(), message.redelivered), (reply, redelivered));
        assert_eq!(message.headers, [("source".to_owned(), b"test".to_vec())]);
    }
    for reply in [None, Some("orders.answer"), Some("$JS.ACK.ORDERS.group")] {
        assert_eq!(received(delivered(reply)).expect_err("refused").fault, BrokerFault::BadAnswer, "{reply:?}");
    }
}

#[test]
fn greetings_and_subjects_are_checked() {
    let greeting = |tls: &str| format!("INFO {{\"headers\":true,\"max_payload\":10,{tls}\"server_id\":\"x\"}}\r\n");
    for (line, tls, fault) in [
        (greeting(""), false, None),
        (greeting(""), true, Some(BrokerFault::Tls)),
        (greeting("\"tls_required\":true,"), false, Some(BrokerFault::Tls)),
        (greeting("\"tls_available\":true,"), true, None),
        ("220 mail.example.org ESMTP\r\n".to_owned(), false, Some(BrokerFault::BadAnswer)),
        ("INFO {\r\n".to_owned(), false, Some(BrokerFault::BadAnswer)),
    ] {
        assert_eq!(checked_greeting(line.clone(), tls).err().map(|error| error.fault), fault, "{line}");
    }
    assert!(is_subject("orders.new", false) && is_subject("orders.*.>", true));
    for other in ["", "orders..new", ".orders", "orders new", "orders.>", "a\tb"] {
        assert!(!is_subject(other, false), "{other}");
    }
    assert_eq!(headers(b"NATS/1.0 503\r\n\r\n").0, Some((503, String::new())));
    assert_eq!(headers(b"NATS/1.0 404 No Messages\r\n\r\n").0, Some((404, "No Messages".to_owned())));
}
