//! SFTP with Debian's OpenSSH server, and with servers that do not do what they should.

use signalbox_adapters::SftpServers;
use signalbox_ports::remote_files::{FileServer, RemoteError, RemoteFault, RemoteList, RemoteTransfer, RemoteWrite};
use signalbox_ports::secret::{AllowedHost, Secret};
use signalbox_ports::{Credential, CredentialKind, PieceStream, RemoteFiles as _};
use signalbox_testkit::sftp_host::SftpHost;
use std::collections::VecDeque;
use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Notify;

fn credential(value: String, host_key: Option<String>) -> Arc<Credential> {
    Arc::new(Credential {
        name: "files".into(),
        kind: CredentialKind::Ssh { user: SftpHost::user(), host_key },
        hosts: vec![AllowedHost::parse("127.0.0.1").expect("a host")],
        value: Secret::new(value),
        scrubber: Arc::default(),
    })
}

/// The server as a step names it; `key` is the file of the user's key.
fn server(host: &SftpHost, key: &str) -> FileServer {
    let value = fs::read_to_string(host.folder.path().join(key)).expect("a key");
    FileServer {
        host: "127.0.0.1".into(),
        port: host.port,
        credential: Some(credential(value, Some(host.fingerprint("host")))),
        timeout: Duration::from_secs(20),
        loopback_allowed: true,
    }
}

fn file(path: &str, bytes: &[u8], is_new: bool) -> RemoteWrite {
    RemoteWrite { path: path.into(), base: String::new(), bytes: bytes.to_vec(), is_new, key: "call-1".into() }
}

fn all(prefix: &str, recursive: bool, limit: usize) -> RemoteList {
    RemoteList { base: String::new(), prefix: prefix.into(), recursive, limit }
}

fn transfer(from: &str, to: &str, keep: bool, is_new: bool) -> RemoteTransfer {
    let (from, to) = (from.to_owned(), to.to_owned());
    RemoteTransfer { from, to, base: String::new(), keep, is_new, key: "call-1".into(), most: 1 << 20 }
}

fn fault<T: std::fmt::Debug>(done: Result<T, RemoteError>) -> RemoteFault {
    done.expect_err("refused").fault
}

/// Pieces that are there already.
struct Given(VecDeque<Result<Vec<u8>, String>>);

#[async_trait::async_trait]
impl PieceStream for Given {
    async fn next(&mut self) -> Option<Result<Vec<u8>, String>> {
        self.0.pop_front()
    }
}

fn unfinished(folder: &Path) -> usize {
    let names = fs::read_dir(folder).expect("a folder").flatten();
    names.filter(|one| one.file_name().to_string_lossy().ends_with(".part")).count()
}

#[tokio::test]
async fn files_of_a_real_server_are_written_whole_listed_moved_and_removed() {
    let host = SftpHost::start("ed25519");
    let at = || server(&host, "user");
    let on_disk = |path: &str| fs::read(host.files().join(path)).expect("a file");
    // More than all requests under way together hold.
    let large: Vec<u8> = (0..3_000_001_u32).map(|n| n.to_le_bytes()[1]).collect();
    for (path, bytes) in [("in/2026/a b+c%.txt", &b"one"[..]), ("in/Größe/é.bin", &large), ("empty", b"")] {
        let written = SftpServers.write(at(), file(path, bytes, true)).await.expect("written");
        assert_eq!((written.size, on_disk(path) == bytes), (Some(bytes.len() as u64), true), "{path}");
        let (about, read) = SftpServers.read(at(), path, 4 << 20).await.expect("read");
        assert!(read == bytes && about.modified.is_some(), "{path}");
    }
    assert_eq!(fault(SftpServers.write(at(), file("empty", b"x", true)).await), RemoteFault::Exists);
    SftpServers.write(at(), file("empty", b"now", false)).await.expect("replaced");
    assert_eq!((on_disk("empty"), unfinished(&host.files())), (b"now".to_vec(), 0));
    assert_eq!(fault(SftpServers.read(at(), "in/Größe/é.bin", 1 << 20).await), RemoteFault::TooLarge);
    assert_eq!(fault(SftpServers.read(at(), "missing", 9).await), RemoteFault::NotFound);
    assert_eq!(fault(SftpServers.read(at(), "in", 9).await), RemoteFault::Invalid("key"));

    // Links count as what they lead to; a circle of folders and a link to nowhere are no files.
    for (target, name) in [("empty", "link"), ("in", "in/circle"), ("nowhere", "lost")] {
        std::os::unix::fs::symlink(host.files().join(target), host.files().join(name)).expect("a link");
    }
    let keys = async |wanted| {
        let found = SftpServers.list(at(), wanted).await.expect("a list");
        (found.entries.into_iter().map(|one| one.key).collect::<Vec<_>>(), found.more)
    };
    assert_eq!(keys(all("", false, 9)).await, (vec!["empty".into(), "in/".into(), "link".into()], false));
    fs::remove_file(host.files().join("in/circle")).expect("removed");
    let (found, more) = keys(all("", true, 9)).await;
    assert_eq!((found.join("|"), more), ("empty|link|in/2026/a b+c%.txt|in/Größe/é.bin".into(), false));
    assert_eq!(keys(all("in/2", true, 9)).await.0, ["in/2026/a b+c%.txt"]);
    assert_eq!(keys(all("", true, 1)).await, (vec!["empty".into()], true));
    assert_eq!(fault(SftpServers.list(at(), all("no/", true, 9)).await), RemoteFault::NotFound);

    // As a stream: the same, piece by piece.
    let pieces = large.chunks(500_000).map(<[u8]>::to_vec).map(Ok).collect();
    let written = SftpServers.write_stream(at(), file("in/stream.bin", b"", true), Box::new(Given(pieces))).await;
    assert_eq!((written.expect("written").size, on_disk("in/stream.bin") == large), (Some(3_000_001), true));
    let (about, mut body) = SftpServers.open_read(at(), "in/stream.bin").await.expect("opened");
    let mut read = Vec::new();
    while let Some(piece) = body.next().await {
        read.extend(piece.expect("a piece"));
    }
    assert!(read == large && about.size == Some(3_000_001));
    assert_eq!(fault(SftpServers.open_read(at(), "missing").await.map(|_| ())), RemoteFault::NotFound);
    // A source that ends early leaves nothing.
    let broken = VecDeque::from([Ok(vec![1; 100_000]), Err("it changed".to_owned())]);
    let failed = SftpServers.write_stream(at(), file("in/stream.bin", b"", false), Box::new(Given(broken))).await;
    assert_eq!((fault(failed), unfinished(&host.files().join("in"))), (RemoteFault::Refused, 0));
    assert!(on_disk("in/stream.bin") == large);
    fs::remove_file(host.files().join("in/stream.bin")).expect("removed");

    SftpServers.transfer(at(), transfer("empty", "done/e", false, true)).await.expect("moved");
    SftpServers.transfer(at(), transfer("done/e", "copy", true, true)).await.expect("copied");
    assert_eq!((on_disk("done/e"), on_disk("copy")), (b"now".to_vec(), b"now".to_vec()));
    assert_eq!(fault(SftpServers.transfer(at(), transfer("copy", "done/e", false, true)).await), RemoteFault::Exists);
    SftpServers.transfer(at(), transfer("copy", "done/e", false, false)).await.expect("replaced");
    assert_eq!(fault(SftpServers.transfer(at(), transfer("copy", "x", false, true)).await), RemoteFault::NotFound);
    assert!(SftpServers.remove(at(), "done/e").await.expect("removed"));
    assert!(!SftpServers.remove(at(), "done/e").await.expect("gone"));
    // By the path of the whole server, too.
    let absolute = host.files().join("absolute").display().to_string();
    SftpServers.write(at(), file(&absolute, b"a", true)).await.expect("written");
    assert_eq!(on_disk("absolute"), b"a");
}

#[tokio::test]
async fn a_server_is_known_by_its_key_and_a_user_by_a_key() {
    let host = SftpHost::start("ed25519");
    let own = host.fingerprint("host");
    let with = |host_key: Option<&str>| {
        let value = fs::read_to_string(host.folder.path().join("user")).expect("a key");
        FileServer { credential: Some(credential(value, host_key.map(str::to_owned))), ..server(&host, "user") }
    };
    let unknown = SftpServers.check(with(None), "").await.expect_err("unknown");
    assert_eq!(unknown.fault, RemoteFault::HostKeyUnknown(own.clone()));
    assert!(unknown.message.contains(&own) && unknown.message.contains("ssh-ed25519"), "{unknown:?}");
    let other = host.fingerprint("user");
    let changed = SftpServers.check(with(Some(&other)), "").await.expect_err("changed");
    assert_eq!(changed.fault, RemoteFault::HostKeyChanged(own.clone()));
    assert!(changed.message.contains(&own) && changed.message.contains(&other), "both: {changed:?}");
    // Nobody signed in before.
    let log = fs::read_to_string(host.folder.path().join("log")).expect("a log");
    assert!(!log.contains("Accepted publickey"), "{log}");
    SftpServers.check(with(Some(&format!("{other} {own}"))), "").await.expect("one of several");

    for kind in ["ecdsa", "rsa"] {
        host.key(kind, kind, "");
        SftpServers.check(server(&host, kind), "").await.expect(kind);
    }
    assert_eq!(fault(SftpServers.check(server(&host, "host"), "").await), RemoteFault::Auth);
    host.key("locked", "ed25519", "a passphrase");
    let locked = SftpServers.check(server(&host, "locked"), "").await.expect_err("locked");
    assert!(locked.fault == RemoteFault::CredentialRefused && locked.message.contains("passphrase"), "{locked:?}");
    let password =
        FileServer { credential: Some(credential("k-canary-ssh".into(), Some(own))), ..server(&host, "user") };
    let refused = SftpServers.check(password, "").await.expect_err("no passwords there");
    assert!(refused.fault == RemoteFault::Auth && !refused.message.contains("canary"), "{refused:?}");
    assert!(refused.message.contains("It accepts: publickey"), "{refused:?}");

    let rsa = SftpHost::start("rsa");
    SftpServers.check(server(&rsa, "user"), "").await.expect("a server with an RSA key only");
    assert_eq!(fault(SftpServers.check(server(&rsa, "user"), "missing/").await), RemoteFault::NotFound);
}

/// Passes on what clients send. Of the first one only so many bytes; then it waits for a word, and goes on or ends.
#[derive(Clone)]
struct Way {
    port: u16,
    server: u16,
    full: Arc<Notify>,
    word: Arc<Notify>,
    ends: Arc<AtomicBool>,
}

impl Way {
    async fn to(server: u16, most: usize) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let port = listener.local_addr().expect("an address").port();
        let way = Self { port, server, full: Arc::default(), word: Arc::default(), ends: Arc::default() };
        let shared = way.clone();
        tokio::spawn(async move {
            let mut most = most;
            loop {
                let (client, _) = listener.accept().await.expect("somebody comes");
                tokio::spawn(shared.clone().pass(client, most));
                most = usize::MAX;
            }
        });
        way
    }

    async fn pass(self, client: TcpStream, most: usize) {
        let server = TcpStream::connect(("127.0.0.1", self.server)).await.expect("the server");
        let (mut from_client, mut to_client) = client.into_split();
        let (mut from_server, mut to_server) = server.into_split();
        tokio::spawn(async move { tokio::io::copy(&mut from_server, &mut to_client).await });
        let (mut passed, mut buffer) = (0, vec![0; 16 * 1024]);
        loop {
            let Ok(count) = from_client.read(&mut buffer).await else { return };
            if count == 0 || to_server.write_all(&buffer[..count]).await.is_err() {
                return;
            }
            let before = passed;
            passed += count;
            if before < most && passed >= most {
                self.full.notify_one();
                self.word.notified().await;
                if self.ends.load(Ordering::SeqCst) {
                    return;
                }
            }
        }
    }
}

#[tokio::test]
async fn a_server_that_dies_in_the_middle_leaves_no_half_of_a_file() {
    let mut host = SftpHost::start("ed25519");
    let way = Way::to(host.port, 1 << 20).await;
    let bytes = vec![7; 3 << 20];
    let through = FileServer { port: way.port, ..server(&host, "user") };
    let write = tokio::spawn(SftpServers.write(through, file("report.bin", &bytes, true)));
    way.full.notified().await;
    host.kill();
    way.ends.store(true, Ordering::SeqCst);
    way.word.notify_one();
    let error = write.await.expect("it ends").expect_err("it died");
    assert_eq!((error.fault, error.maybe_done), (RemoteFault::Connection, false), "{}", error.message);
    assert!(!host.files().join("report.bin").exists(), "nothing under its name");
    // The repetition of the call takes the place of what was left.
    host.restart();
    assert_eq!(unfinished(&host.files()), 1);
    assert!(SftpServers.list(server(&host, "user"), all("", true, 9)).await.expect("a list").entries.is_empty());
    SftpServers.write(server(&host, "user"), file("report.bin", &bytes, true)).await.expect("written");
    assert_eq!(fs::read(host.files().join("report.bin")).expect("a file"), bytes);
    assert_eq!(unfinished(&host.files()), 0);
}

/// The server is killed while a file is read. Nobody takes pieces until it is there again, so that most of the file is still to come.
#[tokio::test]
async fn a_read_that_is_cut_goes_on_where_it_was_and_gives_nothing_twice() {
    let mut host = SftpHost::start("ed25519");
    let path = host.files().join("large.bin");
    let bytes: Vec<u8> = (0..6_000_000_u32).flat_map(u32::to_le_bytes).collect();
    fs::write(&path, &bytes).expect("written");
    let accepted = |host: &SftpHost| {
        let log = fs::read_to_string(host.folder.path().join("log")).expect("a log");
        log.matches("Accepted publickey").count()
    };
    for is_changed in [false, true] {
        let (about, mut body) = SftpServers.open_read(server(&host, "user"), "large.bin").await.expect("opened");
        assert_eq!(about.size, Some(bytes.len() as u64));
        let mut read = body.next().await.expect("a piece").expect("read");
        host.kill();
        if is_changed {
            fs::write(&path, &bytes[..bytes.len() - 4]).expect("written");
        }
        host.restart();
        let ended = loop {
            match body.next().await {
                Some(Ok(piece)) => read.extend(piece),
                Some(Err(error)) => break Some(error.fault),
                None => break None,
            }
        };
        assert!(bytes.starts_with(&read), "no byte twice, none left out");
        assert_eq!(accepted(&host), 1, "it has signed in once more");
        if is_changed {
            assert_eq!(ended, Some(RemoteFault::Refused), "it is another file");
        } else {
            assert_eq!((ended, read.len()), (None, bytes.len()));
        }
    }
}

#[tokio::test]
async fn a_call_that_is_given_up_removes_what_it_wrote() {
    let host = SftpHost::start("ed25519");
    let way = Way::to(host.port, 1 << 20).await;
    let through = FileServer { port: way.port, ..server(&host, "user") };
    let write = tokio::spawn(SftpServers.write(through, file("report.bin", &vec![7; 3 << 20], true)));
    way.full.notified().await;
    let given_up = Instant::now();
    write.abort();
    way.word.notify_one();
    assert!(write.await.is_err_and(|error| error.is_cancelled()), "it ends at once");
    while unfinished(&host.files()) > 0 {
        assert!(given_up.elapsed() < Duration::from_secs(2), "it is still there");
        tokio::task::yield_now().await;
    }
    assert_eq!(fs::read_dir(host.files()).expect("a folder").count(), 0);
}

#[tokio::test]
async fn addresses_and_keys_keep_to_their_rules() {
    let ask = |host: &str, allowed: &str, loopback_allowed: bool| FileServer {
        host: host.into(),
        port: 22,
        credential: Some(Arc::new(Credential {
            name: "files".into(),
            kind: CredentialKind::Ssh { user: "ada".into(), host_key: None },
            hosts: vec![AllowedHost::parse(allowed).expect("a host")],
            value: Secret::new("k-canary-ssh"),
            scrubber: Arc::default(),
        })),
        timeout: Duration::from_secs(5),
        loopback_allowed,
    };
    for (server, want) in [
        (ask("files.example.org", "other.example.org", false), RemoteFault::CredentialRefused),
        (ask("10.0.0.7", "*.example.org", false), RemoteFault::CredentialRefused),
        (ask("169.254.169.254", "169.254.169.254", true), RemoteFault::AddressRefused),
        (ask("a b", "files.example.org", false), RemoteFault::Invalid("address")),
        (FileServer { credential: None, ..ask("files.example.org", "x.org", false) }, RemoteFault::CredentialRefused),
    ] {
        let error = SftpServers.check(server, "").await.expect_err("refused");
        assert!(error.fault == want && !error.message.contains("canary"), "{error:?}");
    }
    // Something else than SSH answers.
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let port = listener.local_addr().expect("an address").port();
    tokio::spawn(async move {
        let (mut stream, _) = listener.accept().await.expect("somebody comes");
        stream.write_all(b"HTTP/1.1 400 Bad Request\r\n\r\n").await.expect("sent");
    });
    let error = SftpServers.check(FileServer { port, ..ask("127.0.0.1", "127.0.0.1", true) }, "").await;
    let error = error.expect_err("no SSH");
    assert!(matches!(error.fault, RemoteFault::Protocol | RemoteFault::Connection), "{error:?}");
}
