mod failures;

use super::remote::{Kind, Place};
use super::syslog;
use signalbox_ports::AuditLine;
use std::sync::Arc;

pub(super) fn entry(line: String) -> AuditLine {
    AuditLine {
        log_id: Arc::from("log"),
        seq: 7,
        hash: "ab".into(),
        run_id: "run".into(),
        node_id: "step".into(),
        event: "NODE_ERROR".into(),
        level: "ERROR".into(),
        timestamp: "2026-11-28T10:00:00.000Z".into(),
        line,
    }
}

#[test]
fn an_address_of_a_sink_is_read_or_refused_with_an_example() {
    for (kind, good) in [
        (Kind::Postgres, "postgresql://ada@db.example/audit?table=log.events"),
        (Kind::Postgres, "postgresql://ada@127.0.0.1:5433/audit?tls=off"),
        (Kind::S3, "https://s3.example/bucket/a/b?region=eu-central-1"),
        (Kind::Elasticsearch, "http://localhost:9200/audit"),
        (Kind::Syslog, "syslog://log.example"),
        (Kind::Kafka, "kafka://kafka.example:9094/audit.events?sasl=scram-sha-512&brokers=b-1.example,b-2.example"),
    ] {
        assert!(Place::address(kind, good).is_ok(), "{good}: {:?}", Place::address(kind, good));
    }
    for (kind, bad, why) in [
        (Kind::Postgres, "postgresql://ada:pw@db.example/audit", "password"),
        (Kind::Postgres, "postgresql://db.example/audit", "a user and a database"),
        (Kind::Postgres, "postgresql://ada@db.example/audit?table=a%22b", "A table has a name"),
        (Kind::Postgres, "postgresql://ada@db.example/audit?tls=off", "without encryption"),
        (Kind::Postgres, "mysql://ada@db.example/audit", "begins with 'mysql:'"),
        (Kind::S3, "https://s3.example/", "a bucket"),
        (Kind::S3, "http://10.0.0.5:9000/bucket", "without encryption"),
        (Kind::Elasticsearch, "https://ada@search.example/audit", "holds a user"),
        (Kind::Syslog, "syslog://log.example?tls=maybe", "'tls' is one of on, off"),
        (Kind::Syslog, "nothing", "cannot be read"),
        (Kind::Kafka, "kafka://kafka.example", "a topic"),
        (Kind::Kafka, "kafka://kafka.example/a%20b", "a topic"),
        (Kind::Kafka, "kafka://kafka.example/audit?tls=off", "without encryption"),
        (Kind::Kafka, "kafka://kafka.example/audit?sasl=gssapi", "'sasl' is one of plain"),
        (Kind::Kafka, "kafka://[::1]/audit?tls=off", "IPv4"),
    ] {
        let told = Place::address(kind, bad).expect_err(bad);
        assert!(told.contains(why) && told.ends_with(kind.example()), "{bad}: {told}");
    }
}

#[test]
fn a_message_of_syslog_has_its_length_in_bytes_before_it() {
    let framed = syslog::frame(&entry("{\"entry\":\"ä\"}\n".into()));
    let (length, message) = framed.split_once(' ').expect("a length");
    assert_eq!(length.parse(), Ok(message.len()));
    assert_eq!(message, "<107>1 2026-11-28T10:00:00.000Z - signalbox - NODE_ERROR - {\"entry\":\"ä\"}");
}
