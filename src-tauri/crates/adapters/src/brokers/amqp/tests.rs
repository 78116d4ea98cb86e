use super::content_of;
use super::wire::{Content, In, Out, Wire};
use signalbox_ports::brokers::BrokerFault;
use std::time::Duration;
use tokio::io::{AsyncWriteExt as _, BufReader};

fn frame(kind: u8, payload: &[u8]) -> Vec<u8> {
    let size = u32::try_from(payload.len()).expect("small");
    [&[kind, 0, 1][..], &size.to_be_bytes(), payload, &[0xCE]].concat()
}

/// A delivery of a message whose body comes in two frames, with a heartbeat between them.
fn delivery() -> Vec<u8> {
    let method = Out::default().two(60).two(60).short("c").eight(7).byte(1).short("").short("orders").0;
    let headers = [("source".to_owned(), "test".to_owned())];
    let head = Content::head(Some("text/plain"), &headers, Some("m-1"), 5);
    [frame(1, &method), frame(2, &head), frame(3, b"hel"), frame(8, b""), frame(3, b"lo")].concat()
}

#[tokio::test]
async fn a_message_in_pieces_is_whole_and_a_wait_that_is_given_up_loses_nothing() {
    let (mut broker, client) = tokio::io::duplex(64 * 1024);
    let mut wire = Wire::new(BufReader::new(Box::new(client)));
    let bytes = delivery();
    for part in bytes.chunks(7) {
        assert!(
            tokio::time::timeout(Duration::ZERO, wire.event()).await.is_err(),
            "it is not whole before its last byte"
        );
        broker.write_all(part).await.expect("written");
    }
    let event = wire.event().await.expect("an event");
    assert_eq!(event.name, (60, 60));
    let content = event.content.expect("a message");
    assert_eq!((content.body.as_slice(), content.id.as_deref()), (b"hello".as_slice(), Some("m-1")));
    assert_eq!(
        (content.media.as_deref(), content.headers),
        (Some("text/plain"), vec![("source".into(), b"test".into())])
    );
    let mut all = In(&event.arguments);
    assert_eq!((all.short().expect("a text"), all.eight().expect("a number")), ("c".to_owned(), 7));
}

#[tokio::test]
async fn what_is_no_amqp_is_told_apart() {
    for (bytes, fault) in [
        (b"HTTP/1.1 400 Bad Request\r\n".to_vec(), BrokerFault::BadAnswer),
        (b"AMQP\0\0\x09\x01".to_vec(), BrokerFault::BadAnswer),
        (vec![1, 0, 0, 0xff, 0xff, 0xff, 0xff], BrokerFault::BadAnswer),
        (frame(3, b"x"), BrokerFault::BadAnswer),
        (frame(1, b"x"), BrokerFault::BadAnswer),
        (Vec::new(), BrokerFault::Connection),
    ] {
        let (mut broker, client) = tokio::io::duplex(64 * 1024);
        broker.write_all(&bytes).await.expect("written");
        drop(broker);
        let mut wire = Wire::new(BufReader::new(Box::new(client)));
        assert_eq!(wire.event().await.expect_err("refused").fault, fault, "{bytes:?}");
    }
}

#[test]
fn tables_of_every_kind_are_read() {
    let fields = Out::default().short("t").byte(b't').byte(1).short("i").byte(b'I').four(7).short("v").byte(b'V');
    let fields = fields.short("l").byte(b'A').long(b"xx").short("s").byte(b'S').long("é".as_bytes());
    let table = Out::default().long(&fields.0).0;
    let found = In(&table).table().expect("a table");
    let texts: Vec<(String, String)> =
        found.into_iter().map(|(name, value)| (name, String::from_utf8(value).expect("a text"))).collect();
    let wanted = [("t", "true"), ("i", "7"), ("s", "é")].map(|(name, value)| (name.to_owned(), value.to_owned()));
    assert_eq!(texts, wanted);
    assert!(In(&[0, 0, 0, 3, 1, b'x', b'?']).table().is_err());
    assert_eq!(content_of("abc:01:7"), "abc");
}
