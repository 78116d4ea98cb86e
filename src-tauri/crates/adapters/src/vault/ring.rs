//! The key store of the system.

use signalbox_ports::Secret;
use std::sync::mpsc;
use std::time::Duration;

/// A place of the system that keeps one small text per account.
pub trait KeyRing: Send + Sync {
    /// What people call it.
    fn name(&self) -> &'static str;
    /// Whether it answers; the error says why not.
    fn probe(&self) -> Result<(), String>;
    /// The text of an account.
    fn get(&self, account: &str) -> Result<Option<Secret>, String>;
    /// Keeps the text of an account.
    fn set(&self, account: &str, secret: &Secret) -> Result<(), String>;
    /// Forgets the text of an account.
    fn delete(&self, account: &str) -> Result<(), String>;
}

const SERVICE: &str = "Signalbox";
/// A key store that says nothing is no key store.
const PROBE: Duration = Duration::from_secs(2);
/// A person may be asked to unlock it.
const PERSON: Duration = Duration::from_secs(60);

/// Secret Service, Keychain or Credential Manager.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemRing;

/// On a thread of its own: asking may wait for a service that never answers.
fn within<T: Send + 'static>(
    limit: Duration,
    work: impl FnOnce() -> Result<T, keyring::Error> + Send + 'static,
) -> Result<Result<T, keyring::Error>, String> {
    let (sender, receiver) = mpsc::channel();
    let thread = std::thread::Builder::new().name("key-store".into()).spawn(move || {
        // Nobody waits any more.
        drop(sender.send(work()));
    });
    thread.map_err(|error| format!("the system gives no thread: {error}"))?;
    receiver.recv_timeout(limit).map_err(|_| format!("it did not answer within {} s", limit.as_secs()))
}

fn plain(error: &keyring::Error) -> String {
    match error {
        keyring::Error::NoEntry => "it has no such entry".into(),
        keyring::Error::NoDefaultStore => "no key store answers in this session".into(),
        keyring::Error::NoStorageAccess(_) => "it is locked, or access was refused".into(),
        // What the others carry may be the entry itself.
        keyring::Error::PlatformFailure(error) => error.to_string(),
        _ => "it did not accept the request".into(),
    }
}

impl KeyRing for SystemRing {
    fn name(&self) -> &'static str {
        if cfg!(target_os = "macos") {
            "Keychain"
        } else if cfg!(target_os = "windows") {
            "Credential Manager"
        } else {
            "Secret Service"
        }
    }

    fn probe(&self) -> Result<(), String> {
        // What the library says about a missing service are paths and error numbers.
        match within(PROBE, || Ok(keyring::Entry::store_status().is_ok()))? {
            Ok(true) => Ok(()),
            _ => Err("no key store answers in this session".into()),
        }
    }

    fn get(&self, account: &str) -> Result<Option<Secret>, String> {
        let account = account.to_owned();
        match within(PERSON, move || keyring::Entry::new(SERVICE, &account)?.get_password().map(Secret::new))? {
            Ok(secret) => Ok(Some(secret)),
            Err(keyring::Error::NoEntry) => Ok(None),
            Err(error) => Err(plain(&error)),
        }
    }

    fn set(&self, account: &str, secret: &Secret) -> Result<(), String> {
        let (account, text) = (account.to_owned(), zeroize::Zeroizing::new(secret.expose().to_owned()));
        within(PERSON, move || keyring::Entry::new(SERVICE, &account)?.set_password(&text))?
            .map_err(|error| plain(&error))
    }

    fn delete(&self, account: &str) -> Result<(), String> {
        let account = account.to_owned();
        match within(PERSON, move || keyring::Entry::new(SERVICE, &account)?.delete_credential())? {
            Ok(()) | Err(keyring::Error::NoEntry) => Ok(()),
            Err(error) => Err(plain(&error)),
        }
    }
}
