//! The sink against a broker in this process. Real brokers: `cargo xtask peers kafka`.

mod broker;

use super::*;
use broker::Broker;
use rskafka::client::partition::PartitionClient;
use signalbox_ports::secret::{AllowedHost, Secret};
use std::net::TcpStream;
use tokio::runtime::Runtime;

fn place(port: u16, more: &str) -> Place {
    let url = format!("kafka://127.0.0.1:{port}/audit?tls=off{more}");
    Place {
        kind: crate::sinks::Kind::Kafka,
        url: Place::address(crate::sinks::Kind::Kafka, &url).expect("an address"),
        here: true,
        ca: None,
        credential: None,
        log_id: "log".into(),
        time_limit: Place::TIME_LIMIT,
    }
}

fn entries(range: std::ops::Range<u64>) -> Vec<AuditLine> {
    let entry = |seq: u64| AuditLine {
        seq,
        hash: format!("hash-{seq}"),
        run_id: format!("run-{}", seq % 5),
        line: format!("{{\"entry\":\"number {seq}.\"}}\n"),
        ..crate::sinks::tests::entry(String::new())
    };
    range.map(entry).collect()
}

/// Keys and lines of a partition, as another client reads them.
async fn records(client: &Client, partition: i32) -> Vec<(String, String)> {
    let text = |bytes: Option<Vec<u8>>| String::from_utf8(bytes.expect("there")).expect("text");
    let open: PartitionClient =
        client.partition_client("audit", partition, UnknownTopicHandling::Error).await.expect("opens");
    let found = open.fetch_records(0, 1..1_000_000, 100).await.expect("reads").0;
    found.into_iter().map(|one| (text(one.record.key), text(one.record.value))).collect()
}

fn stored(threads: &Runtime, broker: &Broker) -> Vec<Vec<(String, String)>> {
    let count = i32::try_from(broker.state().partitions.len()).expect("few");
    threads.block_on(async {
        let client = ClientBuilder::new(vec![format!("127.0.0.1:{}", broker.port)]).build().await.expect("connects");
        let mut all = Vec::new();
        for number in 0..count {
            all.push(records(&client, number).await);
        }
        all
    })
}

fn lines(stored: &[Vec<(String, String)>]) -> Vec<String> {
    let mut all: Vec<String> = stored.iter().flatten().map(|(_, line)| line.clone() + "\n").collect();
    all.sort_by_key(|line| line.chars().filter(char::is_ascii_digit).collect::<String>().parse::<u64>().expect("seq"));
    all
}

fn wanted(range: std::ops::Range<u64>) -> Vec<String> {
    entries(range).into_iter().map(|entry| entry.line).collect()
}

#[test]
fn partitions_are_chosen_as_by_the_clients_of_kafka() {
    for (key, hash) in [("21", -973_932_308_i32), ("foobar", -790_332_482), ("a-little-bit-long-string", -985_981_536)]
    {
        assert_eq!(crate::murmur2::murmur2(key.as_bytes()).cast_signed(), hash, "{key}");
    }
    assert_eq!(partition_of(b"foobar", 0), 0);
}

/// The entries of a run are in one partition, in order; what a broken connection left there is not sent again.
#[test]
fn k_22_a_topic_gets_the_entries_of_a_run_in_order_and_each_once_after_a_crash() {
    let threads = Runtime::new().expect("a runtime");
    let broker = Broker::start(3);
    let open = || Kafka::open(&place(broker.port, ""), threads.handle().clone()).expect("opens");
    let mut sink = open();
    assert_eq!(sink.last(0).expect("looks"), None);
    sink.take(&entries(0..20)).expect("taken");
    sink.take(&entries(20..30)).expect("taken");
    let there = stored(&threads, &broker);
    assert_eq!(lines(&there), wanted(0..30));
    for run in 0..5 {
        let of = |part: &Vec<(String, String)>| part.iter().filter(|(key, _)| *key == format!("run-{run}")).count();
        assert_eq!(there.iter().map(of).filter(|count| *count > 0).collect::<Vec<_>>(), [6], "one partition");
    }
    // It wrote them and died: nobody was told. The next copy finds them there.
    broker.state().dies_after_write = true;
    let not = sink.take(&entries(30..40)).expect_err("it died");
    assert!(not.taken < 10, "{not:?}");
    drop(sink);
    open().take(&entries(30..40)).expect("taken");
    assert_eq!(lines(&stored(&threads, &broker)), wanted(0..40), "each once");
    // Without the right to read it cannot know, and says them twice rather than not at all.
    broker.state().hides = 29;
    open().take(&entries(39..41)).expect("taken");
    broker.state().hides = 0;
    let twice = lines(&stored(&threads, &broker));
    assert_eq!(twice.len(), 42);
    // Another entry with the number of one that is there.
    let mut other = entries(40..41);
    other[0].hash = "changed".into();
    let not = open().take(&other).expect_err("refused");
    assert!(not.why.to_string().contains("another entry with the number 40"), "{not:?}");
    // Entries of another installation in the same topic are not taken for ours.
    let mut other = Place { log_id: "other".into(), ..place(broker.port, "") };
    other.time_limit = Place::TIME_LIMIT;
    Kafka::open(&other, threads.handle().clone()).expect("opens").take(&entries(40..41)).expect("taken");
}

/// One record of a batch is refused: those before it count, and it is named. A full or isolated broker's message is reported as it is.
#[test]
fn k_22_a_refused_record_is_named_and_those_before_it_count() {
    let threads = Runtime::new().expect("a runtime");
    let broker = Broker::start(1);
    let open = || Kafka::open(&place(broker.port, ""), threads.handle().clone()).expect("opens");
    broker.state().refuses = Some(("number 4.", 10));
    let not = open().take(&entries(0..10)).expect_err("refused");
    assert_eq!((not.taken, not.why.to_string().as_str()), (4, "entry 4: the broker answered MessageTooLarge"));
    assert_eq!(lines(&stored(&threads, &broker)), wanted(0..4));
    for (code, why) in [(19, "NotEnoughReplicas"), (56, "KafkaStorageError"), (29, "TopicAuthorizationFailed")] {
        broker.state().refuses = Some(("number", code));
        let not = open().take(&entries(4..10)).expect_err(why);
        assert_eq!((not.taken, not.why.to_string()), (0, format!("the broker answered {why}")));
    }
    broker.state().refuses = None;
    open().take(&entries(4..10)).expect("taken");
    assert_eq!(lines(&stored(&threads, &broker)), wanted(0..10));
    // A batch is sent in requests that a broker takes.
    let before = broker.state().produced;
    let mut large = entries(10..14);
    large.iter_mut().for_each(|entry| entry.line = format!("{{\"entry\":\"{}\"}}\n", "x".repeat(300_000)));
    open().take(&large).expect("taken");
    assert_eq!(broker.state().produced - before, 4);
}

/// A cluster names its brokers itself: the rules hold for each of them, and so do the hosts of the secret.
#[test]
fn a_cluster_leads_nowhere_that_the_rules_forbid() {
    let threads = Runtime::new().expect("a runtime");
    let broker = Broker::start(1);
    let why = |place: Place| {
        let told = Kafka::open(&place, threads.handle().clone())
            .and_then(|mut sink| sink.take(&entries(0..1)).map_err(|not| not.why));
        told.expect_err("refused").to_string()
    };
    for (host, more, reason) in [
        ("10.1.2.3", "", "is in a private network"),
        ("169.254.169.254", "&brokers=169.254.169.254", "link-local"),
        ("203.0.113.7", "", "not an address that can be asked"),
        // Public, and named, but without encryption.
        ("9.9.9.9", "", "without encryption to this machine only"),
        ("10.1.2.3", "&brokers=10.1.2.3", "without encryption to this machine only"),
    ] {
        broker.state().advertised = (host.into(), 9092);
        let told = why(place(broker.port, more));
        assert!(
            told.contains(&format!("the broker {host}:9092 was not connected to: ")) && told.contains(reason),
            "{told}"
        );
    }
    // Where the address is not this machine, the cluster cannot lead there.
    let rule = |url: &str, here: bool| {
        let url = Place::address(crate::sinks::Kind::Kafka, url).expect("an address");
        Rule::of(&Place { url, here, ..place(broker.port, "") })
    };
    let dial = |rule: Rule, host: &str| {
        threads.block_on(rule.dial(host, broker.port)).map(|_| ()).map_err(|why| why.to_string())
    };
    assert_eq!(dial(rule("kafka://127.0.0.1/audit", true), "127.0.0.1"), Ok(()));
    assert_eq!(dial(rule("kafka://127.0.0.1/audit", true), "localhost"), Ok(()));
    for (url, here) in [
        ("kafka://127.0.0.1/audit", false),
        ("kafka://kafka.example/audit", true),
        ("kafka://kafka.example/audit?brokers=127.0.0.1,localhost", true),
    ] {
        let told = dial(rule(url, here), "127.0.0.1").expect_err("refused");
        assert!(told.contains("is this machine"), "{url}: {told}");
    }
    // The password goes to the hosts of the secret only.
    broker.state().advertised = ("localhost".into(), broker.port);
    let credential = Credential {
        name: "kafka".into(),
        kind: CredentialKind::Basic { user: "ada".into() },
        hosts: vec![AllowedHost::parse("127.0.0.1").expect("a host")],
        value: Secret::new("kafka-0123456789"),
        scrubber: Arc::default(),
    };
    let place = Place { credential: Some(Arc::new(credential)), ..place(broker.port, "&sasl=scram-sha-256") };
    let told = threads.block_on(Rule::of(&place).dial("localhost", broker.port)).expect_err("refused").to_string();
    assert!(told.contains("the credential 'kafka' was not sent") && !told.contains("0123456789"), "{told}");
}

/// The way to the brokers is for this process and for the time of a copy.
#[test]
fn the_proxy_serves_this_process_and_ends_with_the_sink() {
    let threads = Runtime::new().expect("a runtime");
    let broker = Broker::start(1);
    let sink = Kafka::open(&place(broker.port, ""), threads.handle().clone()).expect("opens");
    let address = sink.proxy.address();
    assert!(address.ip().is_loopback());
    #[cfg(target_os = "linux")]
    {
        let script = "import socket,sys; s=socket.create_connection(('127.0.0.1',int(sys.argv[1]))); s.settimeout(20); \
                      s.sendall(b'\\x05\\x01\\x00'); sys.stdout.write(s.recv(2).hex())";
        let asked = std::process::Command::new("python3").args(["-c", script, &address.port().to_string()]).output();
        let told = asked.expect("python3");
        assert_eq!(String::from_utf8_lossy(&told.stdout), "", "another process gets no answer");
    }
    drop(sink);
    // The task ends at the next turn of the runtime.
    while TcpStream::connect(address).is_ok() {
        thread_yield(&threads);
    }
}

fn thread_yield(threads: &Runtime) {
    threads.block_on(tokio::task::yield_now());
}
