//! Brokers that answer otherwise than they should, and addresses and passwords that stay where they belong. Real brokers are in
//! the tests of triggers.

use signalbox_adapters::MessageBrokers;
use signalbox_ports::brokers::{Broker, BrokerError, BrokerFault, BrokerKind, OutgoingMessage};
use signalbox_ports::secret::{AllowedHost, Secret};
use signalbox_ports::{Brokers as _, Credential, CredentialKind};
use std::sync::Arc;
use std::time::Duration;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpListener;

/// Answers what it reads with these parts, one for each time it reads something; then it is silent.
async fn peer(parts: &'static [&'static [u8]]) -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let port = listener.local_addr().expect("an address").port();
    tokio::spawn(async move {
        let (mut stream, _) = listener.accept().await.expect("somebody comes");
        let mut buffer = [0; 4096];
        for part in parts {
            if stream.read(&mut buffer).await.unwrap_or_default() == 0 || stream.write_all(part).await.is_err() {
                return;
            }
        }
        while stream.read(&mut buffer).await.unwrap_or_default() > 0 {}
    });
    port
}

fn broker(kind: BrokerKind, port: u16) -> Broker {
    Broker {
        kind,
        host: "127.0.0.1".into(),
        port,
        tls: false,
        root_certificate: None,
        user: None,
        vhost: None,
        sasl: None,
        credential: None,
        timeout: Duration::from_millis(500),
        loopback_allowed: true,
    }
}

async fn publish(broker: Broker, topic: &str) -> BrokerError {
    let message = OutgoingMessage {
        topic: topic.into(),
        exchange: None,
        body: b"hello".to_vec(),
        media: None,
        headers: Vec::new(),
        keep: None,
        retain: false,
        order_key: None,
        stored: true,
        key: None,
    };
    MessageBrokers::default().publish(broker, message).await.expect_err("refused")
}

#[tokio::test]
async fn answers_that_break_the_protocol_are_told_apart() {
    use BrokerKind::{Mqtt, Redis};
    let cases: [(BrokerKind, &'static [&'static [u8]], BrokerFault, bool); 11] = [
        (Redis, &[b"-NOAUTH Authentication required.\r\n"], BrokerFault::Auth, false),
        (Redis, &[b"-WRONGTYPE other\r\n"], BrokerFault::Invalid("topic"), false),
        (Redis, &[b"-LOADING dataset\r\n"], BrokerFault::Connection, false),
        (Redis, &[b"$99999999999\r\n"], BrokerFault::TooLarge, true),
        (Redis, &[b"HTTP/1.1 400 Bad Request\r\n"], BrokerFault::BadAnswer, true),
        (Redis, &[], BrokerFault::Timeout, true),
        (Mqtt, &[&[0x20, 3, 0, 0x87, 0]], BrokerFault::Auth, false),
        (Mqtt, &[&[0x20, 2, 0, 1]], BrokerFault::Refused, false),
        (Mqtt, &[b"-ERR unknown command\r\n"], BrokerFault::BadAnswer, false),
        (Mqtt, &[&[0x20, 3, 0, 0, 0], &[0x40, 4, 0, 1, 0x97, 0]], BrokerFault::Refused, false),
        (Mqtt, &[&[0x20, 3, 0, 0, 0], &[0x40, 0xff, 0xff, 0xff, 0x7f]], BrokerFault::TooLarge, true),
    ];
    for (kind, parts, fault, maybe_done) in cases {
        let error = publish(broker(kind, peer(parts).await), "orders").await;
        assert_eq!((&error.fault, error.maybe_done), (&fault, maybe_done), "{parts:?}: {error:?}");
    }
    // Sent, and never confirmed.
    let error = publish(broker(Mqtt, peer(&[&[0x20, 3, 0, 0, 0]]).await), "orders").await;
    assert_eq!((error.fault, error.maybe_done), (BrokerFault::Timeout, true));
    let error = publish(broker(Mqtt, peer(&[&[0x20, 3, 0, 0, 0]]).await), "orders/#").await;
    assert_eq!(error.fault, BrokerFault::Invalid("topic"));
}

/// What a check asks, and what Kafka answers: one broker at 10.0.0.9:9092, no topic.
const CLUSTER: &[u8] =
    b"\0\0\0\x2a\0\0\0\0\0\0\0\0\0\0\0\x01\0\0\0\0\0\x0810.0.0.9\0\0\x23\x84\xff\xff\xff\xff\0\0\0\0\0\0\0\0";

#[tokio::test]
async fn a_check_signs_in_and_says_what_keeps_it_from_that() {
    use BrokerKind::{Kafka, Mqtt, Redis};
    let check = async |kind, parts| MessageBrokers::default().check(broker(kind, peer(parts).await)).await;
    assert_eq!(check(Redis, &[b"+PONG\r\n"]).await, Ok(()));
    assert_eq!(check(Mqtt, &[&[0x20, 3, 0, 0, 0]]).await, Ok(()));
    let refused = check(Redis, &[b"-NOAUTH Authentication required.\r\n"]).await.expect_err("a password is wanted");
    assert_eq!(refused.fault, BrokerFault::Auth);
    assert_eq!(check(Redis, &[]).await.expect_err("silent").fault, BrokerFault::Timeout);
    // Messages go to the brokers that a cluster names, so each keeps to the same rules as the one that was named.
    let elsewhere = check(Kafka, &[CLUSTER]).await.expect_err("without TLS, and not on this machine");
    assert_eq!(elsewhere.fault, BrokerFault::CredentialRefused);
    assert!(elsewhere.message.starts_with("The cluster names the broker 10.0.0.9:9092: "), "{elsewhere:?}");
}

#[tokio::test]
async fn addresses_and_passwords_keep_to_their_rules() {
    let ask = |host: &str, tls: bool, allowed: Option<&str>| Broker {
        host: host.into(),
        tls,
        credential: allowed.map(|allowed| {
            Arc::new(Credential {
                name: "broker".into(),
                kind: CredentialKind::Basic { user: "ada".into() },
                hosts: vec![AllowedHost::parse(allowed).expect("a host")],
                value: Secret::new("k-canary-broker".to_owned()),
                scrubber: Arc::default(),
            })
        }),
        loopback_allowed: false,
        ..broker(BrokerKind::Redis, 6379)
    };
    for (asked, fault) in [
        (ask("10.0.0.7", true, None), BrokerFault::AddressRefused),
        (ask("127.0.0.1", false, None), BrokerFault::AddressRefused),
        (ask("169.254.169.254", true, None), BrokerFault::AddressRefused),
        (ask("10.0.0.7", false, None), BrokerFault::CredentialRefused),
        (ask("broker.example.org", true, Some("other.example.org")), BrokerFault::CredentialRefused),
        (ask("broker.example.org", false, Some("broker.example.org")), BrokerFault::CredentialRefused),
        (ask("a b", true, None), BrokerFault::Invalid("host")),
    ] {
        let host = asked.host.clone();
        let error = publish(asked, "orders").await;
        assert!(error.fault == fault && !error.message.contains("canary"), "{host}: {error:?}");
    }
}
