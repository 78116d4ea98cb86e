//! The secrets of a data folder: `secrets/vault.age`, an age file for one X25519 key. Where that key is kept was chosen
//! by a person and stands in `secrets/vault.json`: the key store of the system, a file under a passphrase, or a file.
//! There is no fallback from one to another (ADR 12). Calls wait for the disk and for the key store.

mod content;
mod key;
mod sessions;
mod sign_ins;

pub use content::{Entry, Session, SessionFacts, Stored};
pub use key::{Given, KeyPlace, open_with_passphrase, seal_with_passphrase};

use crate::durable;
use crate::keyring::KeyRing;
use crate::private;
use age::x25519::{Identity, Recipient};
use content::Content;
use key::{Ask, Manifest};
use signalbox_ports::{Credential, CredentialKind, Scrubber, Secret, SecretError};
use std::fs::{self, File};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use zeroize::Zeroizing;

/// What keeps the secrets from being read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Trouble {
    /// Nobody has chosen where the key is kept.
    NotChosen,
    /// The passphrase is wanted.
    Locked,
    /// The passphrase is wrong.
    WrongPassphrase,
    /// The key is not there, or a file cannot be read or written.
    Unavailable,
    /// There is no secret of this name.
    Missing,
    /// What was asked for does not make sense.
    Invalid,
    /// Nobody is signed in with the secret, or the sign-in has ended.
    Expired,
    /// The service that gives the secret's tokens cannot be reached now.
    Unreachable,
}

/// Why the vault did not do what it was asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VaultError {
    /// What kind of trouble.
    pub trouble: Trouble,
    /// What happened and why.
    pub message: String,
    /// What to do next.
    pub hint: String,
}

impl VaultError {
    fn new(trouble: Trouble, message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self { trouble, message: message.into(), hint: hint.into() }
    }
    fn io(what: &str, path: &Path, error: &std::io::Error) -> Self {
        Self::new(
            Trouble::Unavailable,
            format!("{} cannot be {what}: {error}.", path.display()),
            "Look at the folder's owner and at the free space of its disk, then try again.",
        )
    }
    fn not_chosen() -> Self {
        Self::new(
            Trouble::NotChosen,
            "It is not chosen yet where this machine keeps the key of its secrets.",
            "Choose it in Settings, Secrets, or with `signalbox secret choose`.",
        )
    }
    fn missing(name: &str) -> Self {
        Self::new(
            Trouble::Missing,
            format!("There is no secret '{name}' on this machine."),
            format!("Add it in Settings, Secrets, or with `signalbox secret set {name}`."),
        )
    }
}

impl From<VaultError> for SecretError {
    fn from(error: VaultError) -> Self {
        let message = format!("{} {}", error.message, error.hint).trim_end_matches('.').to_owned();
        match error.trouble {
            Trouble::Missing => Self::Missing { message },
            Trouble::Expired => Self::Expired { message },
            Trouble::Unreachable => Self::Unreachable { message },
            _ => Self::Unavailable { message },
        }
    }
}

/// How the vault stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Status {
    /// Where the key is kept; `None` = not chosen.
    pub key: Option<KeyPlace>,
    /// That place, for people.
    pub key_at: Option<String>,
    /// What keeps the secrets from being read.
    pub trouble: Option<VaultError>,
    /// The encrypted file.
    pub file: PathBuf,
    /// The system's key store.
    pub system: &'static str,
    /// Why it cannot be used.
    pub system_trouble: Option<String>,
}

/// Names and contents of the files in a folder `secrets`.
pub type VaultFiles = Vec<(String, Vec<u8>)>;

/// The secrets of one data folder.
pub struct Vault {
    folder: PathBuf,
    given: Given,
    ring: Arc<dyn KeyRing>,
    /// The key, once it was found. It is not the key any more when the manifest names another.
    unlocked: Mutex<Option<Identity>>,
    /// Held while a person may be asked: one window at a time, and nobody else waits for it.
    asking: Mutex<()>,
    scrubber: Arc<Scrubber>,
}

impl Vault {
    /// The vault of a data folder. Nothing is read or made yet.
    pub fn new(data: &Path, given: Given, ring: Arc<dyn KeyRing>) -> Self {
        Self {
            folder: data.join("secrets"),
            given,
            ring,
            unlocked: Mutex::default(),
            asking: Mutex::default(),
            scrubber: Arc::default(),
        }
    }

    /// Hides every value that was read in this process.
    pub fn scrubber(&self) -> Arc<Scrubber> {
        Arc::clone(&self.scrubber)
    }

    fn file(&self) -> PathBuf {
        self.folder.join("vault.age")
    }

    fn manifest(&self) -> Result<Option<Manifest>, VaultError> {
        Manifest::read(&self.folder.join("vault.json"))
    }

    /// One process changes the vault at a time; the system gives the lock back when the process ends.
    fn lock(&self) -> Result<File, VaultError> {
        let (path, file) = self.to_lock("lock")?;
        file.lock().map_err(|error| VaultError::io("locked", &path, &error))?;
        Ok(file)
    }

    /// A file of the folder that processes lock.
    fn to_lock(&self, name: &str) -> Result<(PathBuf, File), VaultError> {
        private::create_folder(&self.folder).map_err(|error| VaultError::io("made", &self.folder, &error))?;
        let path = self.folder.join(name);
        let file = match private::create(&path) {
            Err(error) if error.kind() == ErrorKind::AlreadyExists => fs::OpenOptions::new().write(true).open(&path),
            made => made,
        };
        let file = file.map_err(|error| VaultError::io("locked", &path, &error))?;
        Ok((path, file))
    }

    fn unlocked(&self) -> MutexGuard<'_, Option<Identity>> {
        self.unlocked.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The key of the manifest, from where it is kept.
    fn identity(&self, manifest: &Manifest, ask: Ask) -> Result<Identity, VaultError> {
        let known = || self.unlocked().clone().filter(|identity| manifest.fits(identity));
        if let Some(identity) = known() {
            return Ok(identity);
        }
        let _asking = match ask {
            Ask::Person => Some(self.asking.lock().unwrap_or_else(PoisonError::into_inner)),
            Ask::Nobody => None,
        };
        // Whoever asked before has found it.
        if let Some(identity) = known() {
            return Ok(identity);
        }
        let identity = key::find(manifest, &self.folder, &self.given, self.ring.as_ref(), ask)?;
        *self.unlocked() = Some(identity.clone());
        Ok(identity)
    }

    fn open(&self, ask: Ask) -> Result<(Manifest, Content), VaultError> {
        let manifest = self.manifest()?.ok_or_else(VaultError::not_chosen)?;
        let content = self.read(&manifest, ask)?;
        Ok((manifest, content))
    }

    fn read(&self, manifest: &Manifest, ask: Ask) -> Result<Content, VaultError> {
        let identity = self.identity(manifest, ask)?;
        let path = self.file();
        let sealed = match fs::read(&path) {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Content::default()),
            read => read.map_err(|error| VaultError::io("read", &path, &error))?,
        };
        let damaged = |why: &str| {
            VaultError::new(
                Trouble::Unavailable,
                format!("{} cannot be opened: {why}.", path.display()),
                "Restore the folder `secrets` from a backup, or start over: `signalbox secret choose --discard` keeps the old \
                 file beside the new one.",
            )
        };
        let plain = age::decrypt(&identity, &sealed).map(Zeroizing::new);
        let plain = plain.map_err(|_| damaged("it is damaged, or it was made for another key"))?;
        let content = Content::parse(&plain).map_err(|why| damaged(&why))?;
        for stored in content.stored() {
            self.scrubber.add(&stored.entry.name, Some(&stored.entry.kind), &stored.value);
            if let Some(session) = &stored.session {
                self.hide_session(&stored.entry.name, &session.signed);
            }
        }
        for ((server, _), signed) in &content.sign_ins {
            self.hide(server, signed);
        }
        Ok(content)
    }

    fn write<'a>(
        &self,
        recipients: impl IntoIterator<Item = &'a Recipient>,
        content: &Content,
    ) -> Result<(), VaultError> {
        let path = self.file();
        let recipients: Vec<&dyn age::Recipient> = recipients.into_iter().map(|one| one as _).collect();
        let sealed = key::seal(&recipients, &content.to_bytes())?;
        private::replace(&path, &sealed).map_err(|error| VaultError::io("written", &path, &error))
    }

    /// How it stands now. Asks the key store of the system whether it answers, and no person.
    pub fn status(&self) -> Status {
        let (manifest, mut trouble) = match self.manifest() {
            Ok(manifest) => (manifest, None),
            Err(error) => (None, Some(error)),
        };
        if trouble.is_none() {
            trouble = self.open(Ask::Nobody).err();
        }
        Status {
            key: manifest.as_ref().map(|manifest| manifest.key),
            key_at: manifest
                .as_ref()
                .map(|manifest| key::place(manifest, &self.folder, &self.given, self.ring.as_ref())),
            trouble,
            file: self.file(),
            system: self.ring.name(),
            system_trouble: self.ring.probe().err(),
        }
    }

    /// Chooses where the key is kept. There is a new key then, and what was there before is encrypted anew for it; that
    /// needs the old key. `record` is asked once everything else is prepared.
    pub fn choose(
        &self,
        place: KeyPlace,
        passphrase: Option<&Secret>,
        identity_file: Option<&Path>,
        record: impl FnOnce() -> Result<(), VaultError>,
    ) -> Result<(), VaultError> {
        let _lock = self.lock()?;
        let old = self.manifest()?;
        let content = match &old {
            Some(old) => self.read(old, Ask::Person)?,
            None if self.file().exists() => {
                return Err(VaultError::new(
                    Trouble::Unavailable,
                    format!(
                        "{} exists, but vault.json, which says where its key is, is missing.",
                        self.file().display()
                    ),
                    "Restore the folder `secrets` from a backup, or start over: `signalbox secret choose --discard`.",
                ));
            }
            None => Content::default(),
        };
        let made = key::make(place, passphrase, identity_file, &self.folder, self.ring.as_ref())?;
        record().inspect_err(|_| key::remove(&made.manifest, &self.folder, self.ring.as_ref()))?;
        // For both keys until the manifest names the new one: a crash between any two of these leaves secrets that can
        // be read.
        let new = made.identity.to_public();
        let both: Vec<Recipient> = old.iter().map(Manifest::recipient).collect::<Result<_, _>>()?;
        made.keep()?;
        self.write(both.iter().chain([&new]), &content)?;
        made.manifest.write(&self.folder.join("vault.json"))?;
        *self.unlocked() = Some(made.identity);
        self.write([&new], &content)?;
        if let Some(old) = old {
            key::remove(&old, &self.folder, self.ring.as_ref());
        }
        Ok(())
    }

    /// The files of a folder `secrets` with the same content, for a backup: its key is new and under `passphrase`, wherever the
    /// key of this one is kept. `None` when no place for a key was chosen yet. A person may be asked.
    pub fn copy_under(&self, passphrase: &Secret) -> Result<Option<VaultFiles>, VaultError> {
        let Some(manifest) = self.manifest()? else { return Ok(None) };
        let content = self.read(&manifest, Ask::Person)?;
        let made = key::make(KeyPlace::Passphrase, Some(passphrase), None, &self.folder, self.ring.as_ref())?;
        let sealed = key::seal(&[&made.identity.to_public()], &content.to_bytes())?;
        let mut files = vec![("vault.age".to_owned(), sealed), ("vault.json".to_owned(), made.manifest.to_bytes())];
        files.extend(made.key_file());
        Ok(Some(files))
    }

    /// Gives up secrets that cannot be opened: the file is kept beside under another name, and nothing is chosen.
    pub fn discard(&self, now_ms: i64, record: impl FnOnce() -> Result<(), VaultError>) -> Result<(), VaultError> {
        let _lock = self.lock()?;
        record()?;
        for name in ["vault.age", "vault.json"] {
            let path = self.folder.join(name);
            match fs::rename(&path, self.folder.join(format!("{name}.discarded-{now_ms}"))) {
                Err(error) if error.kind() != ErrorKind::NotFound => {
                    return Err(VaultError::io("renamed", &path, &error));
                }
                _ => {}
            }
        }
        durable::sync_folder(&self.folder).map_err(|error| VaultError::io("renamed", &self.folder, &error))?;
        *self.unlocked() = None;
        Ok(())
    }

    /// Opens a vault, until the process ends: one whose key is under a passphrase, or, without one, one whose key is in the
    /// key store of the system, which asks the person.
    pub fn unlock(&self, passphrase: Option<&Secret>) -> Result<(), VaultError> {
        let manifest = self.manifest()?.ok_or_else(VaultError::not_chosen)?;
        let invalid = |message: &str, hint: &str| Err(VaultError::new(Trouble::Invalid, message, hint));
        match (manifest.key, passphrase) {
            (KeyPlace::Passphrase, Some(passphrase)) => {
                let identity = key::with_passphrase(&manifest, &self.folder, passphrase)?;
                *self.unlocked() = Some(identity);
            }
            (KeyPlace::Passphrase, None) => {
                return invalid("These secrets are under a passphrase, and none was given.", "Give it.");
            }
            (_, Some(_)) => {
                return invalid(
                    "These secrets are not under a passphrase.",
                    "Look at Settings, Secrets, or `signalbox secret status`.",
                );
            }
            (_, None) => {}
        }
        self.read(&manifest, Ask::Person).map(drop)
    }

    /// What there is, by name; no values. Asks no person.
    pub fn list(&self) -> Result<Vec<Entry>, VaultError> {
        let (_, content) = self.open(Ask::Nobody)?;
        Ok(content.stored().map(Stored::told).collect())
    }

    /// Keeps a secret, or replaces the one of the same name. `record` is asked before anything changes, with whether there was one.
    pub fn set(
        &self,
        mut entry: Entry,
        value: Secret,
        record: impl FnOnce(bool) -> Result<(), VaultError>,
    ) -> Result<(), VaultError> {
        entry.check(&value)?;
        let _lock = self.lock()?;
        let (manifest, mut content) = self.open(Ask::Person)?;
        let old = content.find(&entry.name).map(|(old, _)| old.created_at.clone());
        if let Some(created_at) = &old {
            entry.created_at.clone_from(created_at);
        }
        self.scrubber.add(&entry.name, Some(&entry.kind), &value);
        content.put(entry, value);
        record(old.is_some())?;
        self.write([&manifest.recipient()?], &content)
    }

    /// Forgets a secret.
    pub fn delete(&self, name: &str, record: impl FnOnce() -> Result<(), VaultError>) -> Result<(), VaultError> {
        let _lock = self.lock()?;
        let (manifest, mut content) = self.open(Ask::Person)?;
        if !content.remove(name) {
            return Err(VaultError::missing(name));
        }
        record()?;
        self.write([&manifest.recipient()?], &content)
    }

    /// The secret of a name with everything that belongs to it. `may_ask`: the key store may ask a person for it.
    pub fn stored(&self, name: &str, may_ask: bool) -> Result<Stored, VaultError> {
        let (_, content) = self.open(if may_ask { Ask::Person } else { Ask::Nobody })?;
        content.take(name).ok_or_else(|| VaultError::missing(name))
    }

    /// The credential of a name, for the one that sends it: the value as it was set. Tokens are given by
    /// [`crate::token_source::TokenSource`].
    pub fn credential(&self, name: &str, may_ask: bool) -> Result<Arc<Credential>, VaultError> {
        let Stored { entry, value, .. } = self.stored(name, may_ask)?;
        if matches!(entry.kind, CredentialKind::AccessToken { .. }) {
            let message = format!(
                "The secret '{name}' is a client of OAuth; its tokens are for HTTP requests, connectors and mail."
            );
            return Err(VaultError::new(Trouble::Invalid, message, "Choose another secret."));
        }
        let (kind, hosts) = (entry.kind, entry.hosts);
        Ok(Arc::new(Credential { name: entry.name, kind, hosts, value, scrubber: self.scrubber() }))
    }
}
