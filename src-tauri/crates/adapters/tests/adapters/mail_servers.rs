//! Debian's Exim and Dovecot, as they are installed, with configurations and data in a folder of the test: an SMTP server
//! that delivers into the mailbox that the IMAP server shows.

use crate::common::world;
use serde_json::{Value, json};
use signalbox_adapters::{FolderFiles, MailServers};
use signalbox_ports::secret::AllowedHost;
use signalbox_ports::{Credential, CredentialKind, Scrubber, Secret, SecretError, Secrets, World};
use std::fs;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};
use tempfile::TempDir;

pub(crate) const USER: &str = "ada";
pub(crate) const PASSWORD: &str = "k-canary-mail";
/// Largest message that the SMTP server takes.
pub(crate) const LARGEST: usize = 200 * 1024;

/// Both servers; they end with it.
pub(crate) struct MailHost {
    pub(crate) folder: TempDir,
    pub(crate) ca: String,
    /// SMTP with STARTTLS, SMTP with TLS, IMAP with STARTTLS, IMAP with TLS.
    pub(crate) ports: [u16; 4],
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
fn certificates(folder: &Path) {
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
    pub(crate) fn start() -> Self {
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
        for name in ["spool", "log", "maildir", "home"] {
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

    pub(crate) fn logs(&self) -> String {
        let read = |name: &str| fs::read_to_string(self.folder.path().join(name)).unwrap_or_default();
        format!("{}\n{}\n{}", read("output"), read("log/exim-main"), read("dovecot.log"))
    }

    /// Puts a message into the inbox, as another program delivers it.
    pub(crate) fn deliver(&self, name: &str, raw: &[u8]) {
        let maildir: PathBuf = self.folder.path().join("maildir");
        let place = maildir.join("tmp").join(name);
        fs::write(&place, raw).expect("written");
        if id("-u") == "0" {
            run("chown", &maildir, &["Debian-exim:Debian-exim", &place.display().to_string()]);
        }
        fs::rename(&place, maildir.join("new").join(name)).expect("moved");
    }

    /// Settings of `mail.send` with TLS, and others on top.
    pub(crate) fn smtp(&self, more: Value) -> Value {
        self.settings(self.ports[1], more)
    }

    /// Settings of `mail.read` with TLS, and others on top.
    pub(crate) fn imap(&self, more: Value) -> Value {
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

/// Knows the password of the test.
struct OneSecret(String);

#[async_trait::async_trait]
impl Secrets for OneSecret {
    async fn credential(&self, name: &str) -> Result<Arc<Credential>, SecretError> {
        let value = if name == "wrong" { "k-canary-wrong".to_owned() } else { self.0.clone() };
        let host = if name == "elsewhere" { "mail.example.org" } else { "localhost" };
        Ok(Arc::new(Credential {
            name: name.to_owned(),
            kind: CredentialKind::Basic { user: USER.into() },
            hosts: vec![AllowedHost::parse(host).expect("a host"), AllowedHost::parse("127.0.0.1").expect("a host")],
            value: Secret::new(value),
            scrubber: Arc::default(),
        }))
    }
    fn scrubber(&self) -> Arc<Scrubber> {
        Arc::default()
    }
}

/// A world with the secrets of the test and real mail.
pub(crate) fn mail_world() -> World {
    World {
        secrets: Arc::new(OneSecret(PASSWORD.to_owned())),
        mail: Arc::new(MailServers::new(&[])),
        ..world(FolderFiles::default())
    }
}
