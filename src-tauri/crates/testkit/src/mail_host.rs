//! Debian's Exim and Dovecot, as they are installed, with configurations and data in a folder of the test: an SMTP server
//! that delivers into the mailbox that the IMAP server shows.

use serde_json::{Value, json};
use std::fs;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant, SystemTime};
use tempfile::TempDir;

/// The user of both servers.
pub const USER: &str = "ada";
/// Its password.
pub const PASSWORD: &str = "k-canary-mail";
/// Largest message that the SMTP server takes.
pub const LARGEST: usize = 200 * 1024;

/// Both servers; they end with it.
#[derive(Debug)]
pub struct MailHost {
    /// Configurations, logs and mail.
    pub folder: TempDir,
    /// The authority that signed their certificate, PEM.
    pub ca: String,
    /// SMTP with STARTTLS, SMTP with TLS, IMAP with STARTTLS, IMAP with TLS.
    pub ports: [u16; 4],
    children: Vec<Child>,
}

impl Drop for MailHost {
    fn drop(&mut self) {
        for child in &mut self.children {
            // Both end their own helpers on this signal.
            let _ = Command::new("kill").arg(child.id().to_string()).status();
            let _ = child.wait();
        }
    }
}

fn run(program: &str, folder: &Path, arguments: &[&str]) {
    let done = Command::new(program).current_dir(folder).args(arguments).output();
    let done = done.unwrap_or_else(|error| panic!("{program}: {error}"));
    assert!(done.status.success(), "{program} {arguments:?}: {}", String::from_utf8_lossy(&done.stderr));
}

fn id(flag: &str) -> String {
    let out = Command::new("id").arg(flag).output().expect("id");
    String::from_utf8(out.stdout).expect("a name").trim().to_owned()
}

/// A certificate of `localhost` and the authority that signed it.
pub(crate) fn certificates(folder: &Path) {
    let key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"];
    let authority = ["req", "-x509", "-keyout", "ca.key", "-out", "ca.pem", "-subj", "/CN=Test CA", "-days", "2"];
    run("openssl", folder, &[&authority[..], &key[..], &["-addext", "basicConstraints=critical,CA:TRUE"]].concat());
    run(
        "openssl",
        folder,
        &[&["req", "-keyout", "key.pem", "-out", "server.csr", "-subj", "/CN=localhost"], &key[..]].concat(),
    );
    fs::write(folder.join("extensions"), "subjectAltName=DNS:localhost\nbasicConstraints=CA:FALSE\n").expect("written");
    let sign =
        "x509 -req -in server.csr -CA ca.pem -CAkey ca.key -CAcreateserial -out cert.pem -days 2 -extfile extensions";
    run("openssl", folder, &sign.split(' ').collect::<Vec<_>>());
}

fn free_ports() -> [u16; 4] {
    // All at once, so that none is given twice.
    let listeners: Vec<TcpListener> = (0..4).map(|_| TcpListener::bind("127.0.0.1:0").expect("a port")).collect();
    let ports: Vec<u16> = listeners.iter().map(|one| one.local_addr().expect("an address").port()).collect();
    ports.try_into().expect("four ports")
}

impl MailHost {
    /// Starts both, and waits until they listen.
    pub fn start() -> Self {
        for (program, package) in
            [("/usr/sbin/exim4", "exim4-daemon-light"), ("/usr/lib/dovecot/imap", "dovecot-imapd")]
        {
            assert!(
                Path::new(program).exists(),
                "{program} is missing; `cargo xtask test` installs Debian's {package}"
            );
        }
        let folder = tempfile::Builder::new().prefix("signalbox-mail-").tempdir().expect("a folder");
        let path = folder.path().to_path_buf();
        certificates(&path);
        // Neither server works for root.
        let (user, group) =
            if id("-u") == "0" { ("Debian-exim".to_owned(), "Debian-exim".to_owned()) } else { (id("-un"), id("-gn")) };
        let ports = free_ports();
        for name in ["spool", "log", "maildir", "maildir/tmp", "maildir/new", "maildir/cur", "home"] {
            fs::create_dir(path.join(name)).expect("a folder");
        }
        fs::write(path.join("users"), format!("{USER}:{{PLAIN}}{PASSWORD}::::::\n")).expect("written");
        fs::write(path.join("exim.conf"), exim(&path, &user, &group, ports)).expect("written");
        fs::write(path.join("dovecot.conf"), dovecot(&path, &user, &group, ports)).expect("written");
        if id("-u") == "0" {
            run("chmod", &path, &["755", "."]);
            run(
                "chown",
                &path,
                &["-R", &format!("{user}:{group}"), "spool", "log", "maildir", "home", "key.pem", "users"],
            );
        }
        let start = |program: &str, arguments: &[&str]| {
            let log = fs::File::create(path.join("output")).expect("a file");
            let errors = log.try_clone().expect("a file");
            Command::new(program)
                .args(arguments)
                .stdin(Stdio::null())
                .stdout(log)
                .stderr(errors)
                .spawn()
                .expect(program)
        };
        let place = |name: &str| path.join(name).display().to_string();
        let children = vec![
            start("/usr/sbin/exim4", &["-C", &place("exim.conf"), "-bdf"]),
            start("/usr/sbin/dovecot", &["-F", "-c", &place("dovecot.conf")]),
        ];
        let ca = fs::read_to_string(path.join("ca.pem")).expect("readable");
        let host = Self { folder, ca, ports, children };
        let late = Instant::now() + Duration::from_secs(20);
        for port in ports {
            while std::net::TcpStream::connect(("127.0.0.1", port)).is_err() {
                assert!(Instant::now() < late, "a server does not start: {}", host.logs());
                std::thread::yield_now();
            }
        }
        host
    }

    /// What the servers have logged.
    pub fn logs(&self) -> String {
        let read = |name: &str| fs::read_to_string(self.folder.path().join(name)).unwrap_or_default();
        format!("{}\n{}\n{}", read("output"), read("log/exim-main"), read("dovecot.log"))
    }

    /// Puts a message into the inbox, as another program delivers it.
    pub fn deliver(&self, name: &str, raw: &[u8]) {
        self.deliver_at(name, raw, SystemTime::now());
    }

    /// The same, with the time at which the server has received it.
    pub fn deliver_at(&self, name: &str, raw: &[u8], received: SystemTime) {
        let maildir: PathBuf = self.folder.path().join("maildir");
        let place = maildir.join("tmp").join(name);
        fs::write(&place, raw).expect("written");
        let file = fs::File::options().write(true).open(&place).expect("opened");
        file.set_modified(received).expect("has a time");
        if id("-u") == "0" {
            run("chown", &maildir, &["Debian-exim:Debian-exim", &place.display().to_string()]);
        }
        fs::rename(&place, maildir.join("new").join(name)).expect("moved");
    }

    /// Makes the server number the mailbox anew, as after a backup was restored.
    pub fn renumber(&self) {
        let maildir = self.folder.path().join("maildir");
        let list = maildir.join("dovecot-uidlist");
        let text = fs::read_to_string(&list).expect("a mailbox that was opened");
        // `3 V1700000000 N7 G…`: the version of the file, UIDVALIDITY, the next number, the mailbox's own id.
        let head = text.lines().next().unwrap_or_default();
        let part = |letter: char| head.split(' ').find_map(|part| part.strip_prefix(letter)).unwrap_or_default();
        let validity: u32 = part('V').parse().expect("a number");
        let anew = format!("3 V{} N1 G{}\n", validity + 1_000, part('G'));
        for entry in fs::read_dir(&maildir).expect("readable").flatten() {
            if entry.file_name().to_string_lossy().starts_with("dovecot.index") {
                fs::remove_file(entry.path()).expect("removed");
            }
        }
        // In place, so that its owner stays.
        fs::write(&list, anew).expect("written");
    }

    /// Names of the messages in a mailbox of the server, with their flags; `""` is the inbox.
    pub fn kept(&self, mailbox: &str) -> Vec<String> {
        let folder = self.folder.path().join("maildir").join(mailbox);
        let names = ["new", "cur"].into_iter().flat_map(|part| fs::read_dir(folder.join(part)).into_iter().flatten());
        let mut names: Vec<String> =
            names.flatten().map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
        names.sort();
        names
    }

    /// Settings of `mail.send` with TLS, and others on top.
    pub fn smtp(&self, more: Value) -> Value {
        self.settings(self.ports[1], more)
    }

    /// Settings of `mail.read` with TLS, and others on top.
    pub fn imap(&self, more: Value) -> Value {
        self.settings(self.ports[3], more)
    }

    fn settings(&self, port: u16, more: Value) -> Value {
        let mut settings =
            json!({ "host": "localhost", "port": port, "credential": "secret://mailbox", "ca": self.ca });
        for (name, value) in more.as_object().expect("settings") {
            settings[name] = value.clone();
        }
        settings
    }
}

fn exim(path: &Path, user: &str, group: &str, [start_tls, tls, ..]: [u16; 4]) -> String {
    let d = path.display();
    let size = LARGEST;
    format!(
        r#"primary_hostname = localhost
exim_user = {user}
exim_group = {group}
spool_directory = {d}/spool
log_file_path = {d}/log/exim-%slog
pid_file_path = {d}/exim.pid
deliver_drop_privilege = true
never_users =
daemon_smtp_ports = {start_tls} : {tls}
tls_on_connect_ports = {tls}
local_interfaces = 127.0.0.1
tls_advertise_hosts = *
tls_certificate = {d}/cert.pem
tls_privatekey = {d}/key.pem
message_size_limit = {size}
acl_smtp_mail = from
acl_smtp_rcpt = rcpt
acl_smtp_data = accept
auth_advertise_hosts = ${{if eq{{$tls_in_cipher}}{{}}{{}}{{*}}}}
host_lookup =
rfc1413_query_timeout = 0s
keep_environment =
begin acl
from:
  deny senders = evil@example.org
       message = sender not welcome
  accept
rcpt:
  deny local_parts = nobody
       message = no such user here
  defer local_parts = later
       message = try again later
  accept authenticated = *
  deny message = sign in first
begin routers
all:
  driver = accept
  transport = maildir
begin transports
maildir:
  driver = appendfile
  directory = {d}/maildir
  maildir_format
  create_directory
  user = {user}
  group = {group}
  batch_max = 100
  envelope_to_add
begin authenticators
plain:
  driver = plaintext
  public_name = PLAIN
  server_prompts = :
  server_condition = ${{if and{{{{eq{{$auth2}}{{{USER}}}}}{{eq{{$auth3}}{{{PASSWORD}}}}}}}}}
"#
    )
}

fn dovecot(path: &Path, user: &str, group: &str, [.., start_tls, tls]: [u16; 4]) -> String {
    let d = path.display();
    format!(
        r#"base_dir = {d}/run
state_dir = {d}/state
log_path = {d}/dovecot.log
protocols = imap
listen = 127.0.0.1
default_internal_user = {user}
default_internal_group = {group}
default_login_user = {user}
first_valid_uid = 1
auth_failure_delay = 0
service imap-login {{
  chroot =
  inet_listener imap {{
    port = {start_tls}
  }}
  inet_listener imaps {{
    port = {tls}
    ssl = yes
  }}
}}
service anvil {{
  chroot =
}}
service stats {{
  chroot =
}}
ssl = yes
ssl_cert = <{d}/cert.pem
ssl_key = <{d}/key.pem
passdb {{
  driver = passwd-file
  args = {d}/users
}}
userdb {{
  driver = static
  args = uid={user} gid={group} home={d}/home
}}
mail_location = maildir:{d}/maildir
namespace inbox {{
  inbox = yes
  separator = /
  mailbox "Done/Größe" {{
    auto = create
  }}
}}
"#
    )
}
