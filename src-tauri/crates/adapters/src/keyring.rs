//! The key store of the system.

use signalbox_ports::Secret;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;
use std::time::Duration;

/// A place of the system that keeps one small text per account.
pub trait KeyRing: Send + Sync {
    /// What people call it.
    fn name(&self) -> &'static str;
    /// Whether it answers; the error says why not.
    fn probe(&self) -> Result<(), String>;
    /// What it keeps for an account. Asks no person, and takes two seconds at most.
    fn look(&self, account: &str) -> Result<Look, String>;
    /// The text of an account.
    fn get(&self, account: &str) -> Result<Option<Secret>, String>;
    /// Keeps the text of an account.
    fn set(&self, account: &str, secret: &Secret) -> Result<(), String>;
    /// Forgets the text of an account.
    fn delete(&self, account: &str) -> Result<(), String>;
}

/// What a key store keeps, as far as it says without a person.
pub enum Look {
    /// This.
    Kept(Secret),
    /// Nothing; it is open.
    Nothing,
    /// It must be unlocked first.
    Locked,
}

const SERVICE: &str = "Signalbox";
/// `off` = this process leaves the key store of the system alone.
const SWITCH: &str = "SIGNALBOX_KEY_STORE";
/// A key store that says nothing is no key store.
const QUICK: Duration = Duration::from_secs(2);
/// Questions that wait for an answer at once.
const MOST_UNDER_WAY: usize = 4;
static UNDER_WAY: AtomicUsize = AtomicUsize::new(0);
/// A person may be asked to unlock it.
const PERSON: Duration = Duration::from_secs(60);

/// Secret Service, Keychain or Credential Manager.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemRing {
    off: bool,
}

impl SystemRing {
    /// As `SIGNALBOX_KEY_STORE` says.
    pub fn from_env() -> Self {
        Self { off: Self::is_off() }
    }

    /// Whether `SIGNALBOX_KEY_STORE` switches it off for this process.
    pub fn is_off() -> bool {
        std::env::var_os(SWITCH).is_some_and(|value| value.eq_ignore_ascii_case("off"))
    }

    /// On a thread of its own: asking may wait for a service that never answers.
    fn within<T: Send + 'static>(
        self,
        limit: Duration,
        work: impl FnOnce() -> Result<T, keyring::Error> + Send + 'static,
    ) -> Result<Result<T, keyring::Error>, String> {
        if self.off {
            return Err(format!("{SWITCH} switches it off for this process"));
        }
        let (sender, receiver) = mpsc::channel();
        // Whatever waits for a service that hangs keeps a thread and a connection: a few of them say enough.
        if UNDER_WAY.fetch_add(1, Ordering::SeqCst) >= MOST_UNDER_WAY {
            UNDER_WAY.fetch_sub(1, Ordering::SeqCst);
            return Err("it has not answered what it was asked before".into());
        }
        let thread = std::thread::Builder::new().name("key-store".into()).spawn(move || {
            let worked = work();
            UNDER_WAY.fetch_sub(1, Ordering::SeqCst);
            // Nobody waits any more.
            drop(sender.send(worked));
        });
        if thread.is_err() {
            UNDER_WAY.fetch_sub(1, Ordering::SeqCst);
        }
        thread.map_err(|error| format!("the system gives no thread: {error}"))?;
        receiver.recv_timeout(limit).map_err(|_| {
            let what = if limit == PERSON { "was not unlocked, or did not answer," } else { "did not answer" };
            format!("it {what} within {} s", limit.as_secs())
        })
    }
}

const NONE: &str = "no key store answers in this session";

fn plain(error: &keyring::Error) -> String {
    match error {
        keyring::Error::NoEntry => "it has no such entry".into(),
        keyring::Error::NoDefaultStore => NONE.into(),
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
        match self.within(QUICK, || Ok(keyring::Entry::store_status().is_ok()))? {
            Ok(true) => Ok(()),
            _ => Err(NONE.into()),
        }
    }

    fn look(&self, account: &str) -> Result<Look, String> {
        let account = account.to_owned();
        match self.within(QUICK, move || Ok(quiet::look(&account)))? {
            Ok(looked) => looked,
            Err(error) => Err(plain(&error)),
        }
    }

    fn get(&self, account: &str) -> Result<Option<Secret>, String> {
        // What is open is read without the library that unlocks: while a person is asked it answers nobody else.
        match self.look(account) {
            Ok(Look::Kept(secret)) => return Ok(Some(secret)),
            Ok(Look::Nothing) => return Ok(None),
            // One that starts only now may be slow.
            Ok(Look::Locked) | Err(_) => {}
        }
        let account = account.to_owned();
        match self.within(PERSON, move || keyring::Entry::new(SERVICE, &account)?.get_password().map(Secret::new))? {
            Ok(secret) => Ok(Some(secret)),
            Err(keyring::Error::NoEntry) => Ok(None),
            Err(error) => Err(plain(&error)),
        }
    }

    fn set(&self, account: &str, secret: &Secret) -> Result<(), String> {
        let (account, text) = (account.to_owned(), zeroize::Zeroizing::new(secret.expose().to_owned()));
        self.within(PERSON, move || keyring::Entry::new(SERVICE, &account)?.set_password(&text))?
            .map_err(|error| plain(&error))
    }

    fn delete(&self, account: &str) -> Result<(), String> {
        let account = account.to_owned();
        match self.within(PERSON, move || keyring::Entry::new(SERVICE, &account)?.delete_credential())? {
            Ok(()) | Err(keyring::Error::NoEntry) => Ok(()),
            Err(error) => Err(plain(&error)),
        }
    }
}

/// `keyring` unlocks whatever it finds, which puts a window before a person who asked for nothing. The library below it
/// tells what is locked.
#[cfg(all(unix, not(target_os = "macos")))]
mod quiet {
    use super::{Look, NONE, SERVICE};
    use secret_service::blocking::SecretService;
    use secret_service::{EncryptionType, Error};
    use signalbox_ports::Secret;
    use std::collections::HashMap;

    /// What a session throws away at its end keeps no key.
    const PASSING: &str = "/org/freedesktop/secrets/collection/session";

    fn plain(error: Error) -> String {
        match error {
            Error::Locked => "it is locked".into(),
            Error::NoResult => "it has no default key ring".into(),
            other => other.to_string(),
        }
    }

    pub(super) fn look(account: &str) -> Result<Look, String> {
        // What the library says about a missing service are paths and error numbers.
        let service = SecretService::connect(EncryptionType::Dh).map_err(|_| NONE.to_owned())?;
        // The attributes that `keyring` writes.
        let found =
            service.search_items(HashMap::from([("service", SERVICE), ("username", account)])).map_err(plain)?;
        if let Some(item) = found.unlocked.first() {
            let text = String::from_utf8(item.get_secret().map_err(plain)?);
            return text.map(|text| Look::Kept(Secret::new(text))).map_err(|_| "what it keeps is no text".into());
        }
        let default = service.get_default_collection().map_err(plain)?;
        if default.collection_path.as_str() == PASSING {
            return Err("its default key ring is forgotten at the end of the session".into());
        }
        let locked = !found.locked.is_empty() || default.is_locked().map_err(plain)?;
        Ok(if locked { Look::Locked } else { Look::Nothing })
    }
}

/// The system asks a person by itself when it must, and its windows are not waited for.
#[cfg(not(all(unix, not(target_os = "macos"))))]
mod quiet {
    use super::{Look, SERVICE};
    use signalbox_ports::Secret;

    pub(super) fn look(account: &str) -> Result<Look, String> {
        match keyring::Entry::new(SERVICE, account).and_then(|entry| entry.get_password()) {
            Ok(text) => Ok(Look::Kept(Secret::new(text))),
            Err(keyring::Error::NoEntry) => Ok(Look::Nothing),
            Err(keyring::Error::NoStorageAccess(_)) => Ok(Look::Locked),
            Err(error) => Err(super::plain(&error)),
        }
    }
}
