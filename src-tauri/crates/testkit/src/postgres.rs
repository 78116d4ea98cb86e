//! A server of PostgreSQL from the programs of Debian, for tests that write to a real one.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// A server on 127.0.0.1 with the user `peer`, whom it asks for no password. It ends with this value.
pub struct Postgres {
    folder: tempfile::TempDir,
    settings: &'static str,
    /// Where it listens.
    pub port: u16,
}

/// Debian keeps the programs of each version in a folder.
fn programs() -> PathBuf {
    let versions = std::fs::read_dir("/usr/lib/postgresql").expect("PostgreSQL is missing: apt-get install postgresql");
    versions.flatten().map(|version| version.path().join("bin")).max().expect("a version")
}

/// The server refuses to run as root.
fn as_postgres(program: &Path) -> Command {
    let is_root = Command::new("id").arg("-u").output().is_ok_and(|id| id.stdout == b"0\n");
    if !is_root {
        return Command::new(program);
    }
    let mut command = Command::new("runuser");
    command.args(["-u", "postgres", "--"]).arg(program);
    command
}

fn done(mut command: Command) {
    let output = command.output().expect("starts");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

impl Postgres {
    /// Makes a server and starts it. `settings` are further options of its program: `-c autovacuum=off`.
    ///
    /// # Panics
    /// The programs are missing or fail.
    #[must_use]
    pub fn start(settings: &'static str) -> Self {
        // Where the user of the server may go. In memory where there is such a place: each test has a database of a thousand files,
        // and on some disks taking those away takes longer than the tests.
        let place = if Path::new("/dev/shm").is_dir() { "/dev/shm" } else { "/tmp" };
        let folder = tempfile::Builder::new().prefix("postgres").tempdir_in(place).expect("a folder");
        let open = std::os::unix::fs::PermissionsExt::from_mode(0o777);
        std::fs::set_permissions(folder.path(), open).expect("is its place");
        let port = std::net::TcpListener::bind("127.0.0.1:0").and_then(|one| one.local_addr()).expect("a port").port();
        let server = Self { folder, settings, port };
        let mut make = server.command("initdb");
        make.arg("-D").arg(server.data());
        make.args(["-U", "peer", "--auth=trust", "--no-sync", "-E", "UTF8", "--locale=C.UTF-8"]);
        done(make);
        server.up();
        server
    }

    fn data(&self) -> PathBuf {
        self.folder.path().join("data")
    }

    fn command(&self, program: &str) -> Command {
        let mut command = as_postgres(&programs().join(program));
        command.current_dir(self.folder.path());
        command
    }

    /// Starts it again after [`Self::down`].
    ///
    /// # Panics
    /// It does not start.
    pub fn up(&self) {
        let settings = format!(
            "-p {} -c listen_addresses=127.0.0.1 -c unix_socket_directories={} -c fsync=off -c full_page_writes=off {}",
            self.port,
            self.folder.path().display(),
            self.settings
        );
        let mut start = self.command("pg_ctl");
        start.args(["start", "-w", "-s", "-D"]).arg(self.data()).arg("-l").arg(self.folder.path().join("log.txt"));
        start.args(["-o", &settings]).stdout(Stdio::null()).stderr(Stdio::null());
        assert!(start.status().expect("starts").success(), "see log.txt of PostgreSQL");
    }

    /// Ends it at once, as a crash does.
    ///
    /// # Panics
    /// It does not end.
    pub fn down(&self) {
        let mut stop = self.command("pg_ctl");
        stop.args(["stop", "-w", "-s", "-m", "immediate", "-D"]).arg(self.data());
        done(stop);
    }

    /// The address of the server, without a database.
    #[must_use]
    pub fn address(&self) -> String {
        format!("postgres://peer@127.0.0.1:{}", self.port)
    }

    /// The address of a new database.
    ///
    /// # Panics
    /// It cannot be made.
    #[must_use]
    pub fn database(&self, name: &str) -> String {
        let mut made = self.command("createdb");
        made.args(["-h", "127.0.0.1", "-p", &self.port.to_string(), "-U", "peer", name]);
        done(made);
        format!("{}/{name}", self.address())
    }
}

impl Drop for Postgres {
    fn drop(&mut self) {
        let _ = self.command("pg_ctl").args(["stop", "-s", "-m", "immediate", "-D"]).arg(self.data()).output();
    }
}
