//! Debian's servers of PostgreSQL and MariaDB, each in a folder of its own and with a certificate of an authority of its own.

use crate::common;
use async_trait::async_trait;
use serde_json::{Value, json};
use signalbox_adapters::FolderFiles;
use signalbox_engine::effect::CallOutput;
use signalbox_model::{Item, NodeFailure};
use signalbox_nodes::{ServerFamily, check_sign_in};
use signalbox_ports::secret::AllowedHost;
use signalbox_ports::{Credential, CredentialKind, Scrubber, Secret, SecretError, Secrets, World};
use std::net::{TcpListener, TcpStream};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Another address of this machine, which no certificate names.
pub(crate) const OTHER_HOST: &str = "127.0.0.2";
pub(crate) const PASSWORD: &str = "peer-secret-0123456789";

/// One secret, `db`, for this machine; `wrong` has another value.
struct Passwords;

#[async_trait]
impl Secrets for Passwords {
    async fn credential(&self, name: &str) -> Result<Arc<Credential>, SecretError> {
        let value = if name == "db" { PASSWORD } else { "another-secret-987654" };
        let hosts: &[&str] = if name == "elsewhere" { &["db.example.com"] } else { &["127.0.0.1", OTHER_HOST] };
        Ok(Arc::new(Credential {
            name: name.to_owned(),
            kind: CredentialKind::Basic { user: "peer".into() },
            hosts: hosts.iter().map(|host| AllowedHost::parse(host).expect("a host")).collect(),
            value: Secret::new(value),
            scrubber: Arc::default(),
        }))
    }
    fn scrubber(&self) -> Arc<Scrubber> {
        Arc::default()
    }
}

pub(crate) fn world(files: FolderFiles) -> World {
    World { secrets: Arc::new(Passwords), ..common::world(files) }
}

/// Settings of a step with others on top.
pub(crate) fn with(base: &Value, more: Value) -> Value {
    let mut made = base.clone();
    for (name, value) in more.as_object().expect("an object") {
        made[name] = value.clone();
    }
    made
}

/// A place where statements go.
pub(crate) struct Peer {
    pub(crate) world: World,
    pub(crate) base: Value,
}

impl Peer {
    pub(crate) async fn query(&self, sql: &str, params: Value) -> Result<Vec<Value>, NodeFailure> {
        self.step("db.query", json!({ "sql": sql, "params": params }), vec![json!({})]).await
    }

    /// A statement that changes something.
    pub(crate) async fn change(&self, sql: &str, params: Value) -> Result<Vec<Value>, NodeFailure> {
        self.step("db.query", json!({ "sql": sql, "params": params, "access": "write" }), vec![json!({})]).await
    }

    pub(crate) async fn step(&self, kind: &str, more: Value, items: Vec<Value>) -> Result<Vec<Value>, NodeFailure> {
        let items = items.into_iter().enumerate().map(|(at, data)| Item::new((at + 1).to_string(), data)).collect();
        let config = with(&self.base, more);
        common::run_all(&self.world, kind, config, items, None).await.map(|output| rows(&output))
    }

    /// Signs in and does nothing else; the code of an error.
    pub(crate) async fn signs_in(&self, more: Value) -> Result<(), String> {
        let call = common::call_of("db.query", with(&self.base, more), Vec::new(), None);
        check_sign_in(ServerFamily::Database, &call, &self.world).await.map_err(|failure| failure.code)
    }

    /// The code of an error, and its failure.
    pub(crate) async fn fails(&self, code: &str, sql: &str) -> NodeFailure {
        let failed = self.change(sql, json!({})).await.expect_err(sql);
        assert_eq!(failed.code, code, "{sql}: {failed:?}");
        failed
    }
}

fn rows(output: &CallOutput) -> Vec<Value> {
    let items = &output.ports["success"];
    (0..items.len()).map(|at| (*items.data(at).expect("data")).clone()).collect()
}

/// Asks until it is so.
pub(crate) async fn eventually<F: Future<Output = bool>>(what: &str, is_so: impl Fn() -> F) {
    let begin = Instant::now();
    while !is_so().await {
        assert!(begin.elapsed() < Duration::from_secs(60), "{what}");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

fn free_port() -> u16 {
    TcpListener::bind("127.0.0.1:0").expect("a port").local_addr().expect("an address").port()
}

fn folder() -> tempfile::TempDir {
    let folder = tempfile::Builder::new().prefix("signalbox-db-").tempdir().expect("a folder");
    // The server is another user when the tests run as root.
    std::fs::set_permissions(folder.path(), std::fs::Permissions::from_mode(0o777)).expect("open");
    folder
}

fn is_root() -> bool {
    let id = Command::new("id").arg("-u").output().expect("id");
    id.stdout.starts_with(b"0\n")
}

fn run(program: &mut Command) {
    let done = program.stdin(Stdio::null()).output().unwrap_or_else(|why| panic!("{program:?}: {why}"));
    assert!(
        done.status.success(),
        "{program:?}\n{}{}",
        String::from_utf8_lossy(&done.stdout),
        String::from_utf8_lossy(&done.stderr)
    );
}

/// A program as the user of a server.
fn as_user(user: &str, program: &Path) -> Command {
    if !is_root() {
        return Command::new(program);
    }
    let mut command = Command::new("runuser");
    command.args(["-u", user, "--"]).arg(program);
    command
}

/// An authority, and a certificate of it for this machine.
struct Certificates {
    authority: String,
    certificate: PathBuf,
    key: PathBuf,
}

fn certificates(folder: &Path) -> Certificates {
    let file = |name: &str| folder.join(name);
    let openssl = |args: &[&str]| run(Command::new("openssl").args(args).current_dir(folder));
    let key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"];
    openssl(
        &[
            &["req", "-x509", "-days", "2", "-subj", "/CN=peer authority", "-keyout", "ca.key", "-out", "ca.pem"],
            &key[..],
        ]
        .concat(),
    );
    openssl(&[&["req", "-subj", "/CN=localhost", "-keyout", "server.key", "-out", "server.csr"], &key[..]].concat());
    std::fs::write(file("server.ext"), "subjectAltName=DNS:localhost,IP:127.0.0.1").expect("written");
    openssl(&[
        "x509",
        "-req",
        "-in",
        "server.csr",
        "-CA",
        "ca.pem",
        "-CAkey",
        "ca.key",
        "-CAcreateserial",
        "-days",
        "2",
        "-extfile",
        "server.ext",
        "-out",
        "server.pem",
    ]);
    std::fs::set_permissions(file("server.key"), std::fs::Permissions::from_mode(0o644)).expect("readable");
    Certificates {
        authority: std::fs::read_to_string(file("ca.pem")).expect("PEM"),
        certificate: file("server.pem"),
        key: file("server.key"),
    }
}

/// Debian keeps the programs of each version in a folder.
fn postgres_programs() -> PathBuf {
    let versions = std::fs::read_dir("/usr/lib/postgresql").expect("PostgreSQL is missing: apt-get install postgresql");
    let found = versions.flatten().map(|version| version.path().join("bin")).max();
    found.expect("PostgreSQL is missing: apt-get install postgresql")
}

/// A server of PostgreSQL with the user and the database `peer`.
pub(crate) struct Postgres {
    folder: tempfile::TempDir,
    pub(crate) port: u16,
    pub(crate) authority: String,
    programs: PathBuf,
}

impl Postgres {
    pub(crate) fn start() -> Self {
        let (folder, port, programs) = (folder(), free_port(), postgres_programs());
        let made = certificates(folder.path());
        std::fs::write(folder.path().join("password"), PASSWORD).expect("written");
        let server = Self { folder, port, authority: made.authority, programs };
        let data = server.data();
        run(server
            .command("initdb")
            .arg("-D")
            .arg(&data)
            .args(["-U", "peer", "--auth=scram-sha-256", "--no-sync", "--no-instructions", "-E", "UTF8"])
            .arg(format!("--pwfile={}", server.folder.path().join("password").display())));
        // The server insists on a key of its own.
        let copy = format!(
            "cp {} {} {}/ && chmod 600 {}/server.key",
            made.key.display(),
            made.certificate.display(),
            data.display(),
            data.display()
        );
        run(as_user("postgres", Path::new("sh")).args(["-c", &copy]));
        server.up();
        server
    }

    fn data(&self) -> PathBuf {
        self.folder.path().join("data")
    }

    fn command(&self, program: &str) -> Command {
        let mut command = as_user("postgres", &self.programs.join(program));
        command.current_dir(self.folder.path());
        command
    }

    pub(crate) fn up(&self) {
        let settings = format!(
            "-p {} -c listen_addresses=127.0.0.1,{OTHER_HOST} -c unix_socket_directories={} -c fsync=off -c deadlock_timeout=50ms \
             -c ssl=on -c ssl_cert_file=server.pem -c ssl_key_file=server.key",
            self.port,
            self.folder.path().display()
        );
        let log = self.folder.path().join("log.txt");
        run(self
            .command("pg_ctl")
            .args(["start", "-w", "-s", "-D"])
            .arg(self.data())
            .arg("-l")
            .arg(log)
            .args(["-o", &settings]));
    }

    /// Ends it at once, as a crash does.
    pub(crate) fn kill(&self) {
        run(self.command("pg_ctl").args(["stop", "-w", "-s", "-m", "immediate", "-D"]).arg(self.data()));
    }
}

impl Drop for Postgres {
    fn drop(&mut self) {
        let _stopped =
            self.command("pg_ctl").args(["stop", "-w", "-s", "-m", "immediate", "-D"]).arg(self.data()).output();
    }
}

/// A server of MariaDB with the user and the database `peer`.
pub(crate) struct MariaDb {
    folder: tempfile::TempDir,
    pub(crate) port: u16,
    pub(crate) authority: String,
    made: (PathBuf, PathBuf),
    child: Option<Child>,
}

impl MariaDb {
    pub(crate) fn start() -> Self {
        let (folder, port) = (folder(), free_port());
        let certificates = certificates(folder.path());
        let mut server = Self {
            folder,
            port,
            authority: certificates.authority,
            made: (certificates.certificate, certificates.key),
            child: None,
        };
        let missing = "MariaDB is missing: apt-get install mariadb-server-core";
        assert!(Path::new("/usr/bin/mariadb-install-db").exists(), "{missing}");
        run(as_user("nobody", Path::new("/usr/bin/mariadb-install-db"))
            .args(["--no-defaults", "--auth-root-authentication-method=normal", "--skip-test-db"])
            .arg(format!("--datadir={}", server.data().display()))
            // The usual folder may be closed to its user.
            .env("TMPDIR", server.folder.path()));
        let users = format!(
            "CREATE DATABASE IF NOT EXISTS peer CHARACTER SET utf8mb4;\n\
             CREATE USER IF NOT EXISTS peer@127.0.0.1 IDENTIFIED BY '{PASSWORD}';\n\
             GRANT ALL ON peer.* TO peer@127.0.0.1;\nGRANT PROCESS ON *.* TO peer@127.0.0.1;\n"
        );
        std::fs::write(server.folder.path().join("users.sql"), users).expect("written");
        server.up();
        server
    }

    fn data(&self) -> PathBuf {
        self.folder.path().join("data")
    }

    pub(crate) fn up(&mut self) {
        let file = |name: &str| self.folder.path().join(name).display().to_string();
        let log = std::fs::File::create(file("log.txt")).expect("a log");
        let child = as_user("nobody", Path::new("/usr/sbin/mariadbd"))
            .args(["--no-defaults", "--innodb-flush-log-at-trx-commit=0"])
            .arg(format!("--bind-address=127.0.0.1,{OTHER_HOST}"))
            .arg(format!("--datadir={}", self.data().display()))
            .arg(format!("--port={}", self.port))
            .arg(format!("--socket={}", file("mariadb.sock")))
            .arg(format!("--pid-file={}", file("mariadb.pid")))
            .arg(format!("--init-file={}", file("users.sql")))
            .arg(format!("--ssl-cert={}", self.made.0.display()))
            .arg(format!("--ssl-key={}", self.made.1.display()))
            .env("TMPDIR", self.folder.path())
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(log)
            .spawn()
            .expect("MariaDB is missing: apt-get install mariadb-server-core");
        self.child = Some(child);
        let begin = Instant::now();
        while TcpStream::connect(("127.0.0.1", self.port)).is_err() {
            let log = std::fs::read_to_string(self.folder.path().join("log.txt")).unwrap_or_default();
            assert!(begin.elapsed() < Duration::from_secs(60), "{log}");
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// Ends it at once, as a crash does.
    pub(crate) fn kill(&mut self) {
        let pid = std::fs::read_to_string(self.folder.path().join("mariadb.pid")).unwrap_or_default();
        if !pid.trim().is_empty() {
            let _gone = Command::new("kill").args(["-9", pid.trim()]).output();
        }
        if let Some(mut child) = self.child.take() {
            let _gone = child.wait();
        }
    }
}

impl Drop for MariaDb {
    fn drop(&mut self) {
        self.kill();
    }
}
