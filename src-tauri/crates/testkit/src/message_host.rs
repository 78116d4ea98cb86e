//! Debian's Mosquitto, Redis and NATS server, as they are installed, with configurations and data in a folder of the test.

use crate::mail_host::certificates;
use std::fs;
use std::io::{BufRead as _, BufReader, Write as _};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// The user of the brokers; Redis calls it `default`.
pub const USER: &str = "ada";
/// The password of all.
pub const PASSWORD: &str = "k-canary-broker";

/// A broker; it ends with it.
#[derive(Debug)]
pub struct MessageHost {
    /// Configuration and data.
    pub folder: TempDir,
    /// Its port at 127.0.0.1.
    pub port: u16,
    child: Child,
}

impl Drop for MessageHost {
    fn drop(&mut self) {
        // It has nothing to keep.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl MessageHost {
    /// An MQTT broker that asks for user and password.
    pub fn mqtt() -> Self {
        Self::mosquitto(false)
    }

    /// An MQTT broker that takes encrypted connections only, with a certificate of `localhost`; its authority is in `ca.pem`.
    pub fn mqtt_with_tls() -> Self {
        Self::mosquitto(true)
    }

    fn mosquitto(tls: bool) -> Self {
        Self::start("/usr/sbin/mosquitto", "mosquitto", |folder, port| {
            let users = folder.join("users");
            fs::write(&users, format!("{USER}:{PASSWORD}\n")).expect("written");
            let done = Command::new("mosquitto_passwd").arg("-U").arg(&users).output().expect("mosquitto_passwd");
            assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
            // It gives up the rights of root, where it has them.
            let user = if fs::metadata("/proc/self").is_ok_and(|me| is_root(&me)) { "user root\n" } else { "" };
            let mut config = format!(
                "listener {port} 127.0.0.1\nallow_anonymous false\npassword_file {}\npersistence false\n{user}",
                users.display()
            );
            if tls {
                certificates(folder);
                let file = |name: &str| folder.join(name).display().to_string();
                config += &format!("certfile {}\nkeyfile {}\n", file("cert.pem"), file("key.pem"));
            }
            fs::write(folder.join("mosquitto.conf"), config).expect("written");
            vec!["-c".to_owned(), folder.join("mosquitto.conf").display().to_string()]
        })
    }

    /// A Redis that asks for a password.
    pub fn redis() -> Self {
        Self::start("/usr/bin/redis-server", "redis-server", |folder, port| {
            let arguments = format!(
                "--bind 127.0.0.1 --port {port} --requirepass {PASSWORD} --save  --appendonly no --dir {}",
                folder.display()
            );
            arguments.split(' ').map(str::to_owned).collect()
        })
    }

    /// A NATS server with JetStream that asks for user and password.
    pub fn nats() -> Self {
        Self::start("/usr/sbin/nats-server", "nats-server", |folder, port| {
            let login = format!("--user {USER} --pass {PASSWORD}");
            let arguments = format!("-a 127.0.0.1 -p {port} -js -sd {} {login}", folder.display());
            arguments.split(' ').map(str::to_owned).collect()
        })
    }

    /// A NATS server that takes encrypted connections only, with a certificate of `localhost`; its authority is in `ca.pem`.
    pub fn nats_with_tls() -> Self {
        Self::start("/usr/sbin/nats-server", "nats-server", |folder, port| {
            certificates(folder);
            let file = |name: &str| folder.join(name).display().to_string();
            let tls = format!("--tls --tlscert {} --tlskey {}", file("cert.pem"), file("key.pem"));
            format!("-a 127.0.0.1 -p {port} --user {USER} --pass {PASSWORD} {tls}")
                .split(' ')
                .map(str::to_owned)
                .collect()
        })
    }

    /// A Redis that takes encrypted connections only, with a certificate of `localhost`; its authority is in `ca.pem`.
    pub fn redis_with_tls() -> Self {
        Self::start("/usr/bin/redis-server", "redis-server", |folder, port| {
            certificates(folder);
            let file = |name: &str| folder.join(name).display().to_string();
            let tls = format!("--tls-cert-file {} --tls-key-file {}", file("cert.pem"), file("key.pem"));
            let tls = format!("--tls-port {port} {tls} --tls-ca-cert-file {} --tls-auth-clients no", file("ca.pem"));
            let rest = format!(
                "--bind 127.0.0.1 --port 0 --requirepass {PASSWORD} --appendonly no --dir {}",
                folder.display()
            );
            let mut arguments: Vec<String> = format!("{tls} {rest}").split(' ').map(str::to_owned).collect();
            arguments.extend(["--save".to_owned(), String::new()]);
            arguments
        })
    }

    /// The authority that signed the certificate, in PEM.
    pub fn authority(&self) -> String {
        fs::read_to_string(self.folder.path().join("ca.pem")).expect("a certificate")
    }

    /// What a NATS server answers to a request.
    pub fn nats_request(&self, subject: &str, body: &str) -> String {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).expect("it runs");
        let hello = format!("{{\"verbose\":false,\"user\":\"{USER}\",\"pass\":\"{PASSWORD}\"}}");
        let ask = format!("CONNECT {hello}\r\nSUB answer 1\r\nPUB {subject} answer {}\r\n{body}\r\n", body.len());
        stream.write_all(ask.as_bytes()).expect("sent");
        for line in BufReader::new(&stream).lines().map_while(Result::ok) {
            assert!(!line.starts_with("-ERR"), "{line}");
            if line.starts_with('{') {
                return line;
            }
        }
        panic!("no answer to {subject}");
    }

    fn start(program: &str, package: &str, configure: impl FnOnce(&Path, u16) -> Vec<String>) -> Self {
        assert!(Path::new(program).exists(), "{program} is missing; `cargo xtask test` installs Debian's {package}");
        let folder = tempfile::Builder::new().prefix("signalbox-messages-").tempdir().expect("a folder");
        let port = TcpListener::bind("127.0.0.1:0").expect("a port").local_addr().expect("an address").port();
        let arguments = configure(folder.path(), port);
        let log = fs::File::create(folder.path().join("log")).expect("a file");
        let errors = log.try_clone().expect("a file");
        let child = Command::new(program).args(arguments).stdin(Stdio::null()).stdout(log).stderr(errors).spawn();
        let host = Self { folder, port, child: child.expect(program) };
        let late = Instant::now() + Duration::from_secs(20);
        while TcpStream::connect(("127.0.0.1", port)).is_err() {
            assert!(Instant::now() < late, "{program} does not start: {}", host.log());
            std::thread::yield_now();
        }
        host
    }

    /// What the broker has logged.
    pub fn log(&self) -> String {
        fs::read_to_string(self.folder.path().join("log")).unwrap_or_default()
    }

    /// What `redis-cli` answers to a command.
    pub fn redis_cli(&self, command: &str) -> String {
        let port = self.port.to_string();
        let arguments = ["-p", &port, "-a", PASSWORD, "--no-auth-warning"];
        let done = Command::new("redis-cli").args(arguments).args(command.split(' ')).output().expect("redis-cli");
        String::from_utf8_lossy(&done.stdout).trim().to_owned()
    }
}

#[cfg(unix)]
fn is_root(me: &fs::Metadata) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    me.uid() == 0
}

#[cfg(not(unix))]
fn is_root(_me: &fs::Metadata) -> bool {
    false
}
