//! Debian's OpenSSH server, as it is installed, with its configuration, keys and files in a folder of the test.

use std::fs;
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use tempfile::TempDir;

const PROGRAM: &str = "/usr/sbin/sshd";

/// An SFTP server for the user who runs the test, by key; it ends with it.
#[derive(Debug)]
pub struct SftpHost {
    /// Configuration, keys and files.
    pub folder: TempDir,
    /// Its port at 127.0.0.1.
    pub port: u16,
    child: Child,
}

impl Drop for SftpHost {
    fn drop(&mut self) {
        self.kill();
    }
}

fn keygen(arguments: &[&str]) -> String {
    let done = Command::new("ssh-keygen").args(arguments).output().expect("ssh-keygen");
    assert!(done.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&done.stderr));
    String::from_utf8(done.stdout).expect("text")
}

impl SftpHost {
    /// A server whose own key is of this kind (`ed25519`, `rsa`, …).
    pub fn start(kind: &str) -> Self {
        assert!(
            Path::new(PROGRAM).exists(),
            "{PROGRAM} is missing; `cargo xtask test` installs Debian's openssh-server"
        );
        let folder = tempfile::Builder::new().prefix("signalbox-sftp-").tempdir().expect("a folder");
        let port = TcpListener::bind("127.0.0.1:0").expect("a port").local_addr().expect("an address").port();
        let path = folder.path().to_path_buf();
        let child = Command::new("true").spawn().expect("true");
        let mut host = Self { folder, port, child };
        host.child.wait().expect("it ended");
        for (name, kind) in [("host", kind), ("user", "ed25519")] {
            host.key(name, kind, "");
        }
        fs::create_dir(host.files()).expect("a folder");
        let config = format!(
            "Port {port}\nListenAddress 127.0.0.1\nHostKey {0}/host\nPidFile none\nAuthorizedKeysFile {0}/authorized\nUsePAM no\n\
             PasswordAuthentication no\nKbdInteractiveAuthentication no\nStrictModes no\nPermitRootLogin yes\nMaxStartups 100\n\
             LogLevel VERBOSE\nSubsystem sftp internal-sftp -d {0}/files\n",
            path.display()
        );
        fs::write(path.join("sshd.conf"), config).expect("written");
        // The service of the system makes it; started by root, the server asks for it.
        if Command::new("id").arg("-u").output().is_ok_and(|id| id.stdout == b"0\n") {
            fs::create_dir_all("/run/sshd").expect("a folder");
        }
        host.restart();
        host
    }

    /// Starts it again after its end.
    pub fn restart(&mut self) {
        let path = self.folder.path();
        let log = fs::File::create(path.join("log")).expect("a file");
        let mut command = Command::new(PROGRAM);
        command.args(["-D", "-e", "-f"]).arg(path.join("sshd.conf")).stdin(Stdio::null()).stderr(log);
        self.child = command.spawn().expect(PROGRAM);
        let late = Instant::now() + Duration::from_secs(20);
        while TcpStream::connect(("127.0.0.1", self.port)).is_err() {
            let log = fs::read_to_string(self.folder.path().join("log")).unwrap_or_default();
            assert!(Instant::now() < late, "{PROGRAM} does not start: {log}");
            std::thread::yield_now();
        }
    }

    /// Ends it, with the connections that it has.
    pub fn kill(&mut self) {
        // Connections are processes of their own.
        let below = Command::new("pgrep").args(["-P", &self.child.id().to_string()]).output();
        let below = below.map(|found| String::from_utf8_lossy(&found.stdout).into_owned()).unwrap_or_default();
        let _ = self.child.kill();
        let _ = self.child.wait();
        for id in below.split_whitespace() {
            let _ = Command::new("pkill").args(["-KILL", "-P", id]).status();
            let _ = Command::new("kill").args(["-KILL", id]).status();
        }
    }

    /// Makes a key that may sign in; gives its file.
    pub fn key(&self, name: &str, kind: &str, passphrase: &str) -> PathBuf {
        let path = self.folder.path().join(name);
        keygen(&["-q", "-t", kind, "-N", passphrase, "-f", &path.display().to_string()]);
        if name != "host" {
            let public = fs::read_to_string(path.with_extension("pub")).expect("a key");
            let known = fs::read_to_string(self.folder.path().join("authorized")).unwrap_or_default();
            fs::write(self.folder.path().join("authorized"), known + &public).expect("written");
        }
        path
    }

    /// The fingerprint of a key, as `ssh-keygen` tells it.
    pub fn fingerprint(&self, name: &str) -> String {
        let told = keygen(&["-l", "-f", &self.folder.path().join(name).with_extension("pub").display().to_string()]);
        told.split(' ').nth(1).expect("a fingerprint").to_owned()
    }

    /// Who may sign in.
    pub fn user() -> String {
        let out = Command::new("id").arg("-un").output().expect("id");
        String::from_utf8(out.stdout).expect("a name").trim().to_owned()
    }

    /// The folder in which the server starts.
    pub fn files(&self) -> PathBuf {
        self.folder.path().join("files")
    }
}
