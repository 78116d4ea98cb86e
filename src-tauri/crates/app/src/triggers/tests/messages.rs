//! `trigger.message` and `message.publish` against Debian's Redis, Mosquitto and NATS server, with the clock of the test. One test per broker:
//! starting it takes longer than all of it.

use super::*;
use signalbox_ports::brokers::{Broker, BrokerFault, BrokerKind, OutgoingMessage};
use signalbox_testkit::message_host::{MessageHost, PASSWORD, USER};
use std::time::Duration;

fn waiting(host: &MessageHost, system: &str, topic: &str) -> Value {
    let config = json!({
        "system": system, "host": "127.0.0.1", "port": host.port, "tls": false, "credential": "secret://broker",
        "topic": topic, "existing": "process",
    });
    json!({
        "signalbox": 1, "id": "daily", "name": "Messages",
        "nodes": { "t": { "type": "trigger.message", "config": config }, "a": { "type": "flow.noop" } },
        "edges": [{ "from": "t.success", "to": "a" }],
    })
}

fn hello() -> OutgoingMessage {
    OutgoingMessage {
        topic: "orders".into(),
        exchange: None,
        body: b"hello".to_vec(),
        media: None,
        headers: Vec::new(),
        keep: None,
        retain: false,
        order_key: None,
        stored: false,
        key: None,
    }
}

impl Place {
    fn broker(&self, host: &MessageHost, kind: BrokerKind) -> Broker {
        Broker {
            kind,
            host: "127.0.0.1".into(),
            port: host.port,
            tls: false,
            root_certificate: None,
            user: None,
            vhost: None,
            sasl: None,
            credential: Some(self.app.secrets.credential_unasked("broker").expect("a secret")),
            timeout: Duration::from_secs(20),
            loopback_allowed: true,
        }
    }

    /// Publishes a number as JSON.
    fn publishes(&self, host: &MessageHost, kind: BrokerKind, number: u64, retain: bool) {
        let message = OutgoingMessage {
            topic: "orders".into(),
            exchange: None,
            body: json!({ "order": number }).to_string().into_bytes(),
            media: Some("application/json".into()),
            headers: vec![("source".into(), "test".into())],
            keep: None,
            retain,
            order_key: None,
            stored: true,
            key: None,
        };
        let broker = self.broker(host, kind);
        self.app.wait_for(self.app.world.brokers.publish(broker, message)).expect("waits").expect("published");
    }

    /// The numbers that started runs, in the order of the runs.
    fn orders(&self) -> Vec<u64> {
        let mut rows = self.app.store.trigger_firings("daily.t", 10_000).expect("reads");
        rows.retain(|row| row.run.is_some());
        rows.sort_by_key(|row| (row.fired_ms, row.run.clone()));
        let order = |row: FiringRow| {
            let output = self.whole_output(&row.run.unwrap_or_default());
            assert_eq!(output[0]["headers"], json!({ "source": "test", "contentType": "application/json" }));
            output[0]["body"]["order"].as_u64().unwrap_or_default()
        };
        rows.into_iter().map(order).collect()
    }

    fn broker_problem(&self) -> Option<String> {
        self.app.store.trigger("daily.t").expect("reads").expect("is active").problem
    }
}

#[test]
fn entries_of_a_stream_start_one_run_each_and_are_acknowledged_afterwards() {
    let host = MessageHost::redis();
    let mut place = place();
    place.keeps("broker", "default", PASSWORD, "127.0.0.1");
    place.publishes(&host, BrokerKind::Redis, 1, false);
    place.ok(waiting(&host, "redis", "orders"));
    place.looks(0);
    assert_eq!((place.broker_problem(), place.orders()), (None, vec![1]), "{}", host.log());
    // It dies between the run and the acknowledgement; the next one acknowledges and starts nothing.
    place.scheduler = Scheduler::default();
    place.at(MINUTE);
    place.publishes(&host, BrokerKind::Redis, 2, false);
    place.looks(MINUTE);
    assert_eq!(place.orders(), [1, 2]);
    // The queue gives everything again.
    place.scheduler = Scheduler::default();
    assert_eq!(host.redis_cli("XGROUP SETID orders signalbox 0"), "OK");
    place.looks(2 * MINUTE);
    place.at(3 * MINUTE);
    place.publishes(&host, BrokerKind::Redis, 3, false);
    place.looks(3 * MINUTE);
    assert_eq!(place.orders(), [1, 2, 3], "{:?}", place.broker_problem());
    place.at(4 * MINUTE);
    place.publishes(&host, BrokerKind::Redis, 4, false);
    place.looks(4 * MINUTE);
    // The next look may have begun already, and acknowledged the last one.
    let waits = host.redis_cli("XPENDING orders signalbox - + 10");
    let earlier = host.redis_cli("XRANGE orders - + COUNT 3");
    let first_three =
        earlier.lines().filter(|line| line.contains('-') && line.starts_with(|c: char| c.is_ascii_digit()));
    assert!(first_three.clone().count() == 3, "{earlier}");
    assert!(first_three.into_iter().all(|id| !waits.contains(id)), "only the last one may wait: {waits}");
    // Another kind of value, and a password that is not accepted.
    host.redis_cli("SET other text");
    place.ok(waiting(&host, "redis", "other"));
    place.looks(5 * MINUTE);
    let problem = place.broker_problem().expect("a problem");
    assert!(problem.contains("no stream") && !problem.contains(PASSWORD), "{problem}");
    place.keeps("broker", "default", "k-wrong-password", "127.0.0.1");
    let message = OutgoingMessage {
        topic: "orders".into(),
        exchange: None,
        body: Vec::new(),
        media: None,
        headers: Vec::new(),
        keep: None,
        retain: false,
        order_key: None,
        stored: true,
        key: None,
    };
    let publish = place.app.world.brokers.publish(place.broker(&host, BrokerKind::Redis), message);
    let error = place.app.wait_for(publish).expect("waits").expect_err("refused");
    assert!(error.fault == BrokerFault::Auth && !error.maybe_done, "{error:?}");
}

#[test]
fn messages_of_a_topic_start_one_run_each_and_are_acknowledged_afterwards() {
    let host = MessageHost::mqtt();
    let mut place = place();
    place.keeps("broker", USER, PASSWORD, "127.0.0.1");
    place.publishes(&host, BrokerKind::Mqtt, 1, true);
    place.ok(waiting(&host, "mqtt", "orders/#"));
    place.looks(0);
    assert_eq!((place.broker_problem(), place.orders()), (None, vec![1]), "{}", host.log());
    // It dies between the run and the acknowledgement: the broker gives the message again.
    place.scheduler = Scheduler::default();
    place.looks(MINUTE);
    assert_eq!(place.orders(), [1]);
    place.publishes(&host, BrokerKind::Mqtt, 2, false);
    place.looks(2 * MINUTE);
    assert_eq!(place.orders(), [1, 2]);
    // Nobody is connected, and the session keeps what comes.
    place.scheduler = Scheduler::default();
    place.publishes(&host, BrokerKind::Mqtt, 3, false);
    place.publishes(&host, BrokerKind::Mqtt, 3, false);
    place.looks(3 * MINUTE);
    assert_eq!(place.orders(), [1, 2, 3, 3], "two messages of the same content are two");
    place.looks(4 * MINUTE);
    assert_eq!((place.broker_problem(), place.orders().len()), (None, 4), "{}", host.log());
}

#[test]
fn messages_of_a_nats_stream_start_one_run_each_and_are_acknowledged_afterwards() {
    let host = MessageHost::nats();
    let mut place = place();
    place.keeps("broker", USER, PASSWORD, "127.0.0.1");
    let unacknowledged = || {
        let names: Value = serde_json::from_str(&host.nats_request("$JS.API.CONSUMER.LIST.ORDERS", "")).expect("JSON");
        names["consumers"][0]["num_ack_pending"].as_u64()
    };
    let publish = |place: &Place, topic: &str, stored: bool, key: Option<&str>| {
        let message = OutgoingMessage {
            topic: topic.into(),
            exchange: None,
            body: json!({ "order": 4 }).to_string().into_bytes(),
            media: Some("application/json".into()),
            headers: vec![("source".into(), "test".into())],
            keep: None,
            retain: false,
            order_key: None,
            stored,
            key: key.map(str::to_owned),
        };
        let broker = place.broker(&host, BrokerKind::Nats);
        place.app.wait_for(place.app.world.brokers.publish(broker, message)).expect("waits")
    };
    // Nothing keeps the subject yet.
    let error = publish(&place, "orders", true, None).expect_err("no stream");
    assert!(
        error.fault == BrokerFault::Refused && !error.maybe_done && error.message.contains("No stream"),
        "{error:?}"
    );
    assert_eq!(publish(&place, "orders", false, None), Ok(None), "whoever listens gets it");
    place.ok(waiting(&host, "nats", "orders"));
    place.looks(0);
    assert!(place.broker_problem().expect("a problem").contains("No stream"), "{:?}", place.broker_problem());
    let config = json!({ "name": "ORDERS", "subjects": ["orders", "orders.>"] }).to_string();
    host.nats_request("$JS.API.STREAM.CREATE.ORDERS", &config);
    place.publishes(&host, BrokerKind::Nats, 1, false);
    place.looks(MINUTE);
    assert_eq!((place.broker_problem(), place.orders()), (None, vec![1]), "{}", host.log());
    assert_eq!(unacknowledged(), Some(1), "it is not acknowledged before its run is kept");
    // It dies between the run and the acknowledgement; the next one acknowledges and starts nothing.
    place.scheduler = Scheduler::default();
    place.publishes(&host, BrokerKind::Nats, 2, false);
    place.looks(2 * MINUTE);
    assert_eq!((place.orders(), unacknowledged()), (vec![1, 2], Some(1)));
    // The consumer is gone, and another one gives everything again.
    let names: Value = serde_json::from_str(&host.nats_request("$JS.API.CONSUMER.NAMES.ORDERS", "")).expect("JSON");
    let consumer = names["consumers"][0].as_str().expect("a consumer").to_owned();
    host.nats_request(&format!("$JS.API.CONSUMER.DELETE.ORDERS.{consumer}"), "");
    place.publishes(&host, BrokerKind::Nats, 3, false);
    place.looks(3 * MINUTE);
    assert_eq!((place.broker_problem(), place.orders()), (None, vec![1, 2, 3]));
    // The stream recognises what is published again.
    let first = publish(&place, "orders", true, Some("k1")).expect("published");
    assert_eq!((first.as_deref(), publish(&place, "orders", true, Some("k1"))), (Some("ORDERS:4"), Ok(first.clone())));
    place.keeps("broker", USER, "k-wrong-password", "127.0.0.1");
    let error = publish(&place, "orders", true, None).expect_err("refused");
    assert!(error.fault == BrokerFault::Auth && !error.maybe_done, "{error:?}");
}

#[test]
fn brokers_are_encrypted_with_an_authority_of_the_step_or_not_asked() {
    let place = place();
    for (host, kind) in [
        (MessageHost::nats_with_tls(), BrokerKind::Nats),
        (MessageHost::redis_with_tls(), BrokerKind::Redis),
        (MessageHost::mqtt_with_tls(), BrokerKind::Mqtt),
    ] {
        place.keeps("broker", if kind == BrokerKind::Redis { "default" } else { USER }, PASSWORD, "localhost");
        let publish = |tls: bool, authority: Option<String>| {
            let broker =
                Broker { host: "localhost".into(), tls, root_certificate: authority, ..place.broker(&host, kind) };
            place.app.wait_for(place.app.world.brokers.publish(broker, hello())).expect("waits")
        };
        let done = publish(true, Some(host.authority()));
        assert!(done.is_ok(), "{kind:?}: {done:?} {}", host.log());
        let error = publish(true, None).expect_err("nobody trusts it");
        assert!(error.fault == BrokerFault::Tls && !error.maybe_done, "{kind:?}: {error:?}");
        // The certificate is one of `localhost`, and of no other name of this machine.
        place.keeps("broker", USER, PASSWORD, "127.0.0.1");
        let other = Broker { tls: true, root_certificate: Some(host.authority()), ..place.broker(&host, kind) };
        let error = place.app.wait_for(place.app.world.brokers.publish(other, hello())).expect("waits");
        let error = error.expect_err("of another host");
        assert!(error.fault == BrokerFault::Tls && error.message.contains("certificate"), "{kind:?}: {error:?}");
        // What is not encrypted is noticed by NATS before a password is sent.
        place.keeps("broker", if kind == BrokerKind::Redis { "default" } else { USER }, PASSWORD, "localhost");
        let error = publish(false, None).expect_err("not encrypted");
        assert!(kind != BrokerKind::Nats || (error.fault == BrokerFault::Tls && !error.maybe_done), "{error:?}");
    }
}
