use super::{base, failure};
use signalbox_ports::remote_files::{RemoteError, RemoteFault};
use url::Url;

#[test]
fn the_folder_of_an_address_is_absolute_or_where_the_server_starts() {
    for (address, want) in [
        ("sftp://h", ""),
        ("sftp://h/", ""),
        ("sftp://h/~/in", "in/"),
        ("sftp://h/~", ""),
        ("sftp://h/srv/in%20box/", "/srv/in box/"),
        ("sftp://h/a+b", "/a+b/"),
        ("sftp://h/~ada", "/~ada/"),
    ] {
        assert_eq!(base(&Url::parse(address).expect("an address")).expect("a folder"), want, "{address}");
    }
    assert!(base(&Url::parse("sftp://h/%ff").expect("an address")).is_err());
}

#[test]
fn refusals_say_whether_they_may_be_repeated() {
    let of = |fault, maybe_done| failure(RemoteError { fault, message: "no".into(), maybe_done });
    assert!(of(RemoteFault::Connection, false).retryable && of(RemoteFault::Timeout, false).retryable);
    assert!(!of(RemoteFault::HostKeyChanged("SHA256:x".into()), false).retryable);
    assert_eq!(of(RemoteFault::HostKeyUnknown("SHA256:x".into()), false).code, "HOST_KEY_UNKNOWN");
    assert_eq!(of(RemoteFault::Exists, false).code, "PRECONDITION_FAILED");
}
