use super::{ServerAddress, ServerFamily, server_address};
use serde_json::{Value, json};

fn read(text: &str) -> Result<(ServerFamily, Value), String> {
    let ServerAddress { family, settings } = server_address(text).expect("a server")?;
    Ok((family, Value::Object(settings)))
}

#[test]
fn an_address_says_what_the_settings_of_a_step_say() {
    use ServerFamily::{Broker, Database, Imap, Objects, Smtp};
    for (text, family, settings) in [
        (
            "postgres://ada@db.example.com:6432/my%20shop?tls=off",
            Database,
            json!({ "system": "postgres", "host": "db.example.com", "port": 6432, "user": "ada", "database": "my shop", "tls": "off" }),
        ),
        (
            "mariadb://[::1]/shop",
            Database,
            json!({ "system": "mysql", "host": "::1", "database": "shop", "tls": "verify" }),
        ),
        ("mqtts://broker", Broker, json!({ "system": "mqtt", "host": "broker", "tls": true })),
        ("redis://broker/", Broker, json!({ "system": "redis", "host": "broker", "tls": false })),
        (
            "amqp://broker/%2Fshop",
            Broker,
            json!({ "system": "amqp", "host": "broker", "tls": false, "vhost": "/shop" }),
        ),
        (
            "kafka+tls://broker?sasl=scram-sha-256",
            Broker,
            json!({ "system": "kafka", "host": "broker", "tls": true, "sasl": "scram-sha-256" }),
        ),
        ("smtp://mail", Smtp, json!({ "host": "mail", "security": "starttls" })),
        ("smtp://mail:25?tls=off", Smtp, json!({ "host": "mail", "port": 25, "security": "none" })),
        ("imaps://mail", Imap, json!({ "host": "mail", "security": "tls" })),
        (
            "s3+https://s3.example.com/bucket",
            Objects,
            json!({ "system": "s3", "address": "https://s3.example.com/bucket", "bucket": "" }),
        ),
        ("sftp://files/in", Objects, json!({ "system": "sftp", "address": "sftp://files/in" })),
        (
            "azure+https://shop.example.com/files/",
            Objects,
            json!({ "system": "azure", "address": "https://shop.example.com/", "bucket": "files" }),
        ),
    ] {
        assert_eq!(read(text), Ok((family, settings)), "{text}");
    }
}

#[test]
fn what_is_wrong_with_an_address_is_said() {
    for (text, words) in [
        ("postgres://db.example.com", "names no database"),
        ("postgres://ada:hunter22@db/shop", "has a password in it"),
        ("mqtt://broker/topic", "has a path, '/topic'"),
        ("rediss://broker?tls=off", "'tls=off' in the address means nothing here"),
        ("nats://", "no host"),
        ("s3+ftp://x", "s3+https://"),
        ("gcs+https://storage.googleapis.com", "names no bucket"),
    ] {
        let said = read(text).expect_err(text);
        assert!(said.contains(words), "{text}: {said}");
    }
    for other in ["https://api.example.com", "ftp://files", "no address"] {
        assert_eq!(server_address(other), None, "{other}");
    }
}
