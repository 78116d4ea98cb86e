//! The suite once more, on databases of PostgreSQL: this binary, started again with a server in its environment.

use crate::support::at_server;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

struct Server {
    folder: tempfile::TempDir,
    port: u16,
}

fn as_postgres(program: &Path) -> Command {
    let is_root = Command::new("id").arg("-u").output().is_ok_and(|id| id.stdout == b"0\n");
    if !is_root {
        return Command::new(program);
    }
    let mut command = Command::new("runuser");
    command.args(["-u", "postgres", "--"]).arg(program);
    command
}

/// Debian keeps the programs of each version in a folder.
fn programs() -> PathBuf {
    let versions = std::fs::read_dir("/usr/lib/postgresql").expect("PostgreSQL is missing: apt-get install postgresql");
    versions.flatten().map(|version| version.path().join("bin")).max().expect("a version")
}

impl Server {
    fn start() -> Self {
        // Where the user of the server may go. In memory where there is such a place: each test has a database of a thousand files,
        // and on some disks taking those away takes longer than the tests.
        let place = if Path::new("/dev/shm").is_dir() { "/dev/shm" } else { "/tmp" };
        let folder = tempfile::Builder::new().prefix("store").tempdir_in(place).expect("a folder");
        let open = std::os::unix::fs::PermissionsExt::from_mode(0o777);
        std::fs::set_permissions(folder.path(), open).expect("is its place");
        let port = std::net::TcpListener::bind("127.0.0.1:0").and_then(|one| one.local_addr()).expect("a port").port();
        let server = Self { folder, port };
        let made = server
            .command("initdb")
            .arg("-D")
            .arg(server.data())
            .args(["-U", "peer", "--auth=trust", "--no-sync", "-E", "UTF8", "--locale=C.UTF-8"])
            .output()
            .expect("starts");
        assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
        let settings = format!(
            "-p {port} -c listen_addresses=127.0.0.1 -c unix_socket_directories={} -c fsync=off -c full_page_writes=off \
             -c autovacuum=off -c max_connections=200",
            server.folder.path().display()
        );
        let mut up = server.command("pg_ctl");
        up.args(["start", "-w", "-s", "-D"]).arg(server.data()).arg("-l").arg(server.folder.path().join("log.txt"));
        up.args(["-o", &settings]).stdout(Stdio::null()).stderr(Stdio::null());
        assert!(up.status().expect("starts").success());
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
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.command("pg_ctl").args(["stop", "-s", "-m", "immediate", "-D"]).arg(self.data()).output();
    }
}

/// Tests whose names have one of these, and none of those.
fn hold(names: &[String], without: &[&str]) {
    if at_server() {
        return;
    }
    let server = Server::start();
    let mut suite = Command::new(std::env::current_exe().expect("this binary"));
    suite.args(names).args(without.iter().flat_map(|name| ["--skip", name])).args(["--test-threads", "2"]);
    suite.env("SIGNALBOX_STORE_SERVER", format!("postgres://peer@127.0.0.1:{}", server.port));
    let told = suite.output().expect("starts");
    let said = String::from_utf8_lossy(&told.stdout);
    let held = told.status.success() && !said.contains("running 0 tests");
    assert!(held, "{said}{}", String::from_utf8_lossy(&told.stderr));
}

/// The tables whose names begin so.
fn tables(letters: std::ops::RangeInclusive<char>) {
    hold(&letters.map(|letter| format!("table::{letter}")).collect::<Vec<_>>(), &["on_postgres"]);
}

#[test]
fn tables_of_the_first_letters_hold() {
    tables('a'..='l');
}

#[test]
fn tables_of_the_middle_letters_hold() {
    tables('m'..='s');
}

#[test]
fn tables_of_the_last_letters_hold() {
    tables('t'..='z');
}

#[test]
fn everything_else_holds() {
    hold(&[], &["table::", "on_postgres"]);
}
