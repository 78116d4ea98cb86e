//! Where the key of the vault is kept.

use super::{Trouble, VaultError};
use crate::keyring::{KeyRing, Look};
use crate::private;
use age::secrecy::{ExposeSecret, SecretString};
use age::x25519::{Identity, Recipient};
use serde::{Deserialize, Serialize};
use signalbox_ports::Secret;
use std::fs;
use std::io::{ErrorKind, Read, Write};
use std::path::{Path, PathBuf};
use std::str::FromStr;
use zeroize::Zeroizing;

const VERSION: u32 = 1;
/// log2 of the work of scrypt: 128 MiB and about half a second.
const WORK: u8 = 17;
/// A key file that somebody else made may want more, up to this.
const MOST_WORK: u8 = 20;
/// A passphrase has at least so many characters.
const SHORTEST: usize = 8;

/// Where the key is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum KeyPlace {
    /// In the key store of the system.
    System,
    /// In a file under a passphrase.
    Passphrase,
    /// In a file that its owner alone may read.
    File,
}

/// What the process was started with.
#[derive(Default)]
pub struct Given {
    /// A file with the key, instead of the one that was chosen.
    pub identity: Option<PathBuf>,
    /// The passphrase.
    pub passphrase: Option<Secret>,
    /// The passphrase was named but cannot be had.
    pub trouble: Option<String>,
}

impl Given {
    /// `SIGNALBOX_SECRETS_IDENTITY`, `SIGNALBOX_SECRETS_PASSPHRASE`, `SIGNALBOX_SECRETS_PASSPHRASE_FILE`.
    pub fn from_env() -> Self {
        let var = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty());
        let mut given = Self { identity: var("SIGNALBOX_SECRETS_IDENTITY").map(PathBuf::from), ..Self::default() };
        if let Some(text) = var("SIGNALBOX_SECRETS_PASSPHRASE") {
            match text.into_string() {
                Ok(text) => given.passphrase = Some(Secret::new(text)),
                Err(_) => given.trouble = Some("SIGNALBOX_SECRETS_PASSPHRASE is not Unicode".into()),
            }
        } else if let Some(path) = var("SIGNALBOX_SECRETS_PASSPHRASE_FILE").map(PathBuf::from) {
            match fs::read_to_string(&path).map(Zeroizing::new) {
                Ok(text) => given.passphrase = Some(Secret::new(text.trim_end_matches(['\r', '\n']))),
                Err(error) => given.trouble = Some(format!("{} cannot be read: {error}", path.display())),
            }
        }
        given
    }
}

/// `vault.json`: what was chosen. Nothing in it is secret.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Manifest {
    version: u32,
    pub(super) key: KeyPlace,
    /// The public half of the key.
    recipient: String,
    /// Account in the key store of the system, or file: of this folder, or with a whole path where a person wanted it.
    at: PathBuf,
}

impl Manifest {
    pub(super) fn read(path: &Path) -> Result<Option<Self>, VaultError> {
        let text = match fs::read_to_string(path) {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            read => read.map_err(|error| VaultError::io("read", path, &error))?,
        };
        let manifest: Option<Self> = serde_json::from_str(&text).ok().filter(|read: &Self| read.version <= VERSION);
        manifest.map(Some).ok_or_else(|| {
            VaultError::new(
                Trouble::Unavailable,
                format!("{} is damaged, or a newer Signalbox has written it.", path.display()),
                "Restore the folder `secrets` from a backup, or use the newer Signalbox.",
            )
        })
    }

    pub(super) fn to_bytes(&self) -> Vec<u8> {
        // Texts and numbers only.
        (serde_json::to_string(self).unwrap_or_default() + "\n").into_bytes()
    }

    pub(super) fn write(&self, path: &Path) -> Result<(), VaultError> {
        private::replace(path, &self.to_bytes()).map_err(|error| VaultError::io("written", path, &error))
    }

    pub(super) fn fits(&self, identity: &Identity) -> bool {
        identity.to_public().to_string() == self.recipient
    }

    pub(super) fn recipient(&self) -> Result<Recipient, VaultError> {
        Recipient::from_str(&self.recipient).map_err(|_| {
            VaultError::new(
                Trouble::Unavailable,
                "vault.json names no key.",
                "Restore the folder `secrets` from a backup.",
            )
        })
    }

    fn account(&self) -> String {
        self.at.to_string_lossy().into_owned()
    }

    fn path(&self, folder: &Path, given: &Given) -> PathBuf {
        match &given.identity {
            Some(path) if self.key == KeyPlace::File => path.clone(),
            _ => folder.join(&self.at),
        }
    }
}

/// The place of the key in words.
pub(super) fn place(manifest: &Manifest, folder: &Path, given: &Given, ring: &dyn KeyRing) -> String {
    match manifest.key {
        KeyPlace::System => format!("{}: Signalbox, {}", ring.name(), manifest.account()),
        KeyPlace::Passphrase | KeyPlace::File => manifest.path(folder, given).display().to_string(),
    }
}

fn lost(message: String) -> VaultError {
    VaultError::new(
        Trouble::Unavailable,
        message,
        "Bring the key back. If it is lost, so are the secrets: start over with `signalbox secret choose --discard`.",
    )
}

fn read_identity(text: &str) -> Option<Identity> {
    let line = text.lines().map(str::trim).find(|line| !line.is_empty() && !line.starts_with('#'))?;
    Identity::from_str(line).ok()
}

/// Whether a key store may ask the person to unlock it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Ask {
    /// Somebody wants a secret now.
    Person,
    /// Somebody only looks.
    Nobody,
}

/// The key of a manifest, from where it is kept.
pub(super) fn find(
    manifest: &Manifest,
    folder: &Path,
    given: &Given,
    ring: &dyn KeyRing,
    ask: Ask,
) -> Result<Identity, VaultError> {
    let identity = match manifest.key {
        KeyPlace::System => {
            let name = ring.name();
            let account = manifest.account();
            let found = match ask {
                Ask::Person => ring.get(&account),
                Ask::Nobody => match ring.look(&account) {
                    Ok(Look::Kept(text)) => Ok(Some(text)),
                    Ok(Look::Nothing) => Ok(None),
                    Ok(Look::Locked) => {
                        return Err(VaultError::new(
                            Trouble::Locked,
                            format!(
                                "The secrets are locked: their key is in the key store of the system ({name}), which is locked."
                            ),
                            "Unlock it in Settings, Secrets, or log in to your desktop; a step that needs a secret asks as well. \
                             There is no fallback to another place.",
                        ));
                    }
                    Err(why) => Err(why),
                },
            };
            let found = found.map_err(|why| {
                VaultError::new(
                    Trouble::Unavailable,
                    format!("The key of the secrets is in the key store of the system ({name}), and {why}."),
                    "Unlock the key store, or start Signalbox in the session of your desktop. There is no fallback to another \
                     place.",
                )
            })?;
            let text = found.ok_or_else(|| lost(format!("{name} has no key for this data folder.")))?;
            read_identity(text.expose()).ok_or_else(|| lost(format!("What {name} keeps is no key.")))?
        }
        KeyPlace::Passphrase => match (&given.passphrase, &given.trouble) {
            (Some(passphrase), _) => with_passphrase(manifest, folder, passphrase)?,
            (None, trouble) => {
                let why = trouble.as_ref().map(|why| format!(" {why}.")).unwrap_or_default();
                return Err(VaultError::new(
                    Trouble::Locked,
                    format!("The secrets are locked: their passphrase is wanted.{why}"),
                    "Unlock them in Settings, Secrets, or start with SIGNALBOX_SECRETS_PASSPHRASE_FILE.",
                ));
            }
        },
        KeyPlace::File => read_file(&manifest.path(folder, given))?,
    };
    if !manifest.fits(&identity) {
        let place = place(manifest, folder, given, ring);
        return Err(lost(format!("The key at {place} is another one than the secrets were encrypted for.")));
    }
    Ok(identity)
}

fn read_file(path: &Path) -> Result<Identity, VaultError> {
    let text = match fs::read_to_string(path).map(Zeroizing::new) {
        Err(error) if error.kind() == ErrorKind::NotFound => {
            return Err(lost(format!("The key file {} is not there.", path.display())));
        }
        read => read.map_err(|error| VaultError::io("read", path, &error))?,
    };
    private::owner_only(path).map_err(|why| VaultError::new(Trouble::Unavailable, why, "Then try again."))?;
    read_identity(&text).ok_or_else(|| lost(format!("{} holds no key.", path.display())))
}

/// Opens the key file of a passphrase.
pub(super) fn with_passphrase(manifest: &Manifest, folder: &Path, passphrase: &Secret) -> Result<Identity, VaultError> {
    let path = folder.join(&manifest.at);
    let sealed = match fs::read(&path) {
        Err(error) if error.kind() == ErrorKind::NotFound => {
            return Err(lost(format!("The key file {} is not there.", path.display())));
        }
        read => read.map_err(|error| VaultError::io("read", &path, &error))?,
    };
    let damaged = || lost(format!("{} is damaged.", path.display()));
    let plain = opened_under(passphrase, &sealed)?.ok_or_else(damaged)?;
    let text = std::str::from_utf8(&plain).map_err(|_| damaged())?;
    read_identity(text).ok_or_else(|| lost(format!("{} holds no key.", path.display())))
}

/// What was sealed under a passphrase; `None` when it is damaged.
fn opened_under(passphrase: &Secret, sealed: &[u8]) -> Result<Option<Zeroizing<Vec<u8>>>, VaultError> {
    let mut key = age::scrypt::Identity::new(SecretString::from(passphrase.expose().to_owned()));
    key.set_max_work_factor(MOST_WORK);
    let mut plain = Zeroizing::new(Vec::new());
    let opened =
        age::Decryptor::new(sealed).and_then(|opened| opened.decrypt(std::iter::once(&key as &dyn age::Identity)));
    match opened {
        Ok(mut reader) => Ok(reader.read_to_end(&mut plain).is_ok().then_some(plain)),
        Err(age::DecryptError::DecryptionFailed | age::DecryptError::NoMatchingKeys) => Err(VaultError::new(
            Trouble::WrongPassphrase,
            "This is not the passphrase of the secrets.",
            "Try again; mind the language of the keyboard and Caps Lock.",
        )),
        Err(_) => Ok(None),
    }
}

fn seal_under(passphrase: &str, plain: &[u8]) -> Result<Vec<u8>, VaultError> {
    let mut recipient = age::scrypt::Recipient::new(SecretString::from(passphrase.to_owned()));
    recipient.set_work_factor(WORK);
    seal(&[&recipient], plain)
}

fn check_length(passphrase: &str) -> Result<(), VaultError> {
    if passphrase.chars().count() >= SHORTEST {
        return Ok(());
    }
    let hint = "Use 8 characters or more; several words are best.";
    Err(VaultError::new(Trouble::Invalid, "The passphrase is too short.", hint))
}

/// An age file for a passphrase of 8 characters or more.
pub fn seal_with_passphrase(passphrase: &Secret, plain: &[u8]) -> Result<Vec<u8>, VaultError> {
    check_length(passphrase.expose())?;
    seal_under(passphrase.expose(), plain)
}

/// Opens what [`seal_with_passphrase`] made.
pub fn open_with_passphrase(passphrase: &Secret, sealed: &[u8]) -> Result<Zeroizing<Vec<u8>>, VaultError> {
    opened_under(passphrase, sealed)?.ok_or_else(|| {
        let hint = "Use another backup, or restore this one without its secrets.";
        VaultError::new(Trouble::Unavailable, "The encrypted part is damaged.", hint)
    })
}

/// A key that was just made.
pub(super) struct Made {
    pub(super) identity: Identity,
    pub(super) manifest: Manifest,
    /// What is written into the folder, and where.
    file: Option<(PathBuf, Zeroizing<Vec<u8>>)>,
}

impl Made {
    /// The name and the content of the file with the key, when there is one.
    pub(super) fn key_file(&self) -> Option<(String, Vec<u8>)> {
        let (path, bytes) = self.file.as_ref()?;
        Some((path.file_name()?.to_str()?.to_owned(), bytes.to_vec()))
    }

    /// Puts the key where it is kept.
    pub(super) fn keep(&self) -> Result<(), VaultError> {
        let Some((path, bytes)) = &self.file else { return Ok(()) };
        private::replace(path, bytes).map_err(|error| VaultError::io("written", path, &error))
    }
}

/// Makes a key for a place. In the key store of the system it is there at once, under a name of its own; a file is
/// written by [`Made::keep`].
pub(super) fn make(
    place: KeyPlace,
    passphrase: Option<&Secret>,
    file: Option<&Path>,
    folder: &Path,
    ring: &dyn KeyRing,
) -> Result<Made, VaultError> {
    let invalid = |message: &str, hint: &str| Err(VaultError::new(Trouble::Invalid, message, hint));
    if passphrase.is_some() != (place == KeyPlace::Passphrase) {
        return if passphrase.is_some() {
            invalid("A passphrase is for secrets under a passphrase only.", "Leave it out, or choose that place.")
        } else {
            invalid("No passphrase was given.", "Give one of 8 characters or more.")
        };
    }
    if file.is_some() && place != KeyPlace::File {
        return invalid("A key file is for secrets with a key file only.", "Leave it out, or choose that place.");
    }
    // A key that a person brings is used as it is: it may be the same on several machines.
    let brought = file.filter(|path| path.exists()).map(read_file).transpose()?;
    let made_here = brought.is_none();
    let identity = brought.unwrap_or_else(Identity::generate);
    let mut manifest =
        Manifest { version: VERSION, key: place, recipient: identity.to_public().to_string(), at: PathBuf::new() };
    // Of its own for every key, so that the old one is there until nothing needs it.
    let id = uuid::Uuid::now_v7();
    let secret = identity.to_string();
    let text = Zeroizing::new(format!(
        "# Opens the secrets of Signalbox (vault.age). Keep it secret, and keep a backup.\n# public key: {}\n{}\n",
        manifest.recipient,
        secret.expose_secret()
    ));
    let written = match place {
        KeyPlace::System => {
            let account = format!("secrets {id}");
            ring.set(&account, &Secret::new(secret.expose_secret())).map_err(|why| {
                VaultError::new(
                    Trouble::Unavailable,
                    format!("The key store of the system ({}) cannot be used: {why}.", ring.name()),
                    "Unlock it and try again, or choose an encrypted file. Nothing was changed.",
                )
            })?;
            manifest.at = account.into();
            None
        }
        KeyPlace::Passphrase => {
            let passphrase = passphrase.map(Secret::expose).unwrap_or_default();
            check_length(passphrase)?;
            manifest.at = format!("key-{id}.age").into();
            Some((folder.join(&manifest.at), Zeroizing::new(seal_under(passphrase, text.as_bytes())?)))
        }
        KeyPlace::File => {
            manifest.at = match file {
                // Another process may be started elsewhere.
                Some(path) => std::path::absolute(path).map_err(|error| VaultError::io("found", path, &error))?,
                None => format!("key-{id}.txt").into(),
            };
            made_here.then(|| (folder.join(&manifest.at), Zeroizing::new(text.as_bytes().to_vec())))
        }
    };
    Ok(Made { identity, manifest, file: written })
}

/// An age file for keys or a passphrase.
pub(super) fn seal(recipients: &[&dyn age::Recipient], plain: &[u8]) -> Result<Vec<u8>, VaultError> {
    let failed = |why: String| {
        VaultError::new(Trouble::Unavailable, format!("The secrets cannot be encrypted: {why}."), "Try again.")
    };
    let encryptor =
        age::Encryptor::with_recipients(recipients.iter().copied()).map_err(|error| failed(error.to_string()))?;
    let mut sealed = Vec::new();
    let mut writer = encryptor.wrap_output(&mut sealed).map_err(|error| failed(error.to_string()))?;
    writer.write_all(plain).map_err(|error| failed(error.to_string()))?;
    writer.finish().map_err(|error| failed(error.to_string()))?;
    Ok(sealed)
}

/// Removes a key that is used no more; one that a person brought stays.
pub(super) fn remove(manifest: &Manifest, folder: &Path, ring: &dyn KeyRing) {
    // What cannot be removed opens nothing any more.
    match manifest.key {
        KeyPlace::System => drop(ring.delete(&manifest.account())),
        KeyPlace::Passphrase | KeyPlace::File if manifest.at.is_relative() => {
            drop(fs::remove_file(folder.join(&manifest.at)));
        }
        KeyPlace::Passphrase | KeyPlace::File => {}
    }
}
