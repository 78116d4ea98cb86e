//! The key that signs the audit chain (ADR 36). `audit.key` in the data folder, readable by its owner only, holds it, or
//! says which entry of the system's key store does: one file decides, and it is replaced whole. A key that cannot be
//! used is no reason not to work, and no reason to make a second one: entries are then unsigned, and that is said.

use signalbox_adapters::keyring::{KeyRing, Look};
use signalbox_adapters::private;
use signalbox_ports::Secret;
use signalbox_store::audit::{Digest, PublicKey, Signer};
use std::fs::{self, File};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use zeroize::Zeroizing;

const NAME: &str = "audit.key";
/// A second line of the file: a person wants the key in it.
const STAY: &str = "stay";
/// The line of a file whose key is in the key store, with the key's fingerprint.
const SYSTEM: &str = "system ";

/// Where a key is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Place {
    /// In `audit.key`.
    File,
    /// In the key store of the system.
    System,
}

impl Place {
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::File => "file",
            Self::System => "system",
        }
    }
}

/// Why nothing is signed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Unusable {
    /// Where the key should be; `None` = the file does not say.
    pub(crate) place: Option<Place>,
    /// What happened and why, one sentence.
    pub(crate) message: String,
    /// What to do next.
    pub(crate) hint: String,
    /// The key store is there and locked.
    pub(crate) locked: bool,
    /// There is no such key any more: only a new one signs again.
    pub(crate) lost: bool,
}

/// The key of a data folder.
pub(crate) struct AuditKeys {
    file: PathBuf,
    ring: Arc<dyn KeyRing>,
}

/// What `audit.key` says.
enum Says {
    Nothing,
    Here { secret: Zeroizing<[u8; 32]>, stay: bool },
    InRing { fingerprint: Digest },
}

/// A key that was found, and whether it was made just now.
pub(crate) struct Opened {
    pub(crate) signer: Signer,
    pub(crate) made: bool,
}

/// What is about to change, for the record.
pub(crate) struct Change {
    pub(crate) key: PublicKey,
    pub(crate) from: Option<Place>,
    pub(crate) to: Place,
    pub(crate) made: bool,
}

impl AuditKeys {
    pub(crate) fn new(data: &Path, ring: Arc<dyn KeyRing>) -> Self {
        Self { file: data.join(NAME), ring }
    }

    /// Finds the key, or makes one when this folder never had one. Asks no person, and waits two seconds for a key store.
    /// `known` are the keys that signed here before.
    pub(crate) fn open(&self, known: &[PublicKey]) -> Result<Opened, Unusable> {
        let mut made = false;
        for _ in 0..3 {
            match self.says()? {
                Says::Here { secret, .. } => return Ok(Opened { signer: Signer::from_secret(*secret), made }),
                Says::InRing { fingerprint } => {
                    return self.looked(&fingerprint).map(|signer| Opened { signer, made: false });
                }
                Says::Nothing => match self.kept(known)? {
                    Some(key) => self.write(&pointer(&key))?,
                    None => made = self.make()?,
                },
            }
        }
        Err(self.trouble(None, format!("{} cannot be made.", self.at()), "Look at the folder's owner and its disk."))
    }

    /// Where the key is now, and in words.
    pub(crate) fn place(&self) -> Option<(Place, String)> {
        match self.says().ok()? {
            Says::Nothing => None,
            Says::Here { .. } => Some((Place::File, self.at())),
            Says::InRing { fingerprint } => {
                Some((Place::System, format!("{}: Signalbox, {}", self.ring.name(), account(&fingerprint))))
            }
        }
    }

    /// A desktop moves a key that nobody wants in the file into the key store, as long as that asks no person. `true` =
    /// worth another look later.
    pub(crate) fn settle(&self, record: impl FnOnce(&Change) -> Result<(), Unusable>) -> Result<bool, Unusable> {
        match self.says()? {
            Says::Here { stay: false, secret } => {
                let key = Signer::from_secret(*secret).public_key();
                match self.ring.look(&account(&key.fingerprint())) {
                    Ok(Look::Locked) => return Ok(true),
                    // Nothing answers here: the file is the place.
                    Err(_) => return Ok(false),
                    Ok(Look::Nothing | Look::Kept(_)) => {}
                }
                let _lock = self.lock()?;
                // A person may have chosen meanwhile.
                match self.says()? {
                    says @ Says::Here { stay: false, .. } => {
                        self.put(&says, Place::System, false, record).map(|_| false)
                    }
                    _ => Ok(false),
                }
            }
            _ => Ok(false),
        }
    }

    /// Puts the key where a person wants it; `new` = another key signs from now on. The key store may ask the person.
    /// What cannot be recorded does not happen.
    pub(crate) fn choose(
        &self,
        to: Place,
        new: bool,
        record: impl FnOnce(&Change) -> Result<(), Unusable>,
    ) -> Result<Signer, Unusable> {
        let _lock = self.lock()?;
        let says = match self.says() {
            // A damaged file is replaced by a new key only.
            Err(_) if new => Says::Nothing,
            says => says?,
        };
        self.put(&says, to, new, record)
    }

    fn put(
        &self,
        says: &Says,
        to: Place,
        new: bool,
        record: impl FnOnce(&Change) -> Result<(), Unusable>,
    ) -> Result<Signer, Unusable> {
        let from = match says {
            Says::Nothing => None,
            Says::Here { .. } => Some(Place::File),
            Says::InRing { .. } => Some(Place::System),
        };
        let (secret, stay) = match says {
            _ if new => (random()?, false),
            Says::Nothing => (random()?, false),
            Says::Here { secret, stay } => (secret.clone(), *stay),
            Says::InRing { fingerprint } => (self.asked(fingerprint)?, false),
        };
        let signer = Signer::from_secret(*secret);
        let key = signer.public_key();
        let made = new || from.is_none();
        let moves = made || from != Some(to);
        match to {
            Place::System if moves => {
                // Under its own name, so that doing this twice, or half of it, changes nothing.
                let name = account(&key.fingerprint());
                let refused = |why: String| self.refused(&why);
                self.ring.set(&name, &Secret::new(hex(&secret).as_str())).map_err(refused)?;
                let back = self.ring.get(&name).map_err(refused)?.and_then(|text| parse(text.expose()));
                if back.is_none_or(|back| Signer::from_secret(*back).public_key() != key) {
                    return Err(self.refused("it did not give the key back as it was"));
                }
                record(&Change { key, from, to, made })?;
                self.write(&pointer(&key))?;
            }
            Place::System => {}
            Place::File => {
                if moves {
                    record(&Change { key, from, to, made })?;
                }
                if moves || !stay {
                    self.write(&text(&secret, true))?;
                }
                if let (Says::InRing { fingerprint }, false) = (says, new) {
                    // What cannot be removed is the same key once more.
                    drop(self.ring.delete(&account(fingerprint)));
                }
            }
        }
        Ok(signer)
    }

    /// One of these keys, when the file that named it is gone but the key store still has it.
    fn kept(&self, known: &[PublicKey]) -> Result<Option<PublicKey>, Unusable> {
        for key in known.iter().rev() {
            match self.ring.look(&account(&key.fingerprint())) {
                Ok(Look::Kept(text)) => {
                    if parse(text.expose()).is_some_and(|found| Signer::from_secret(*found).public_key() == *key) {
                        return Ok(Some(*key));
                    }
                }
                Ok(Look::Locked) => return Err(self.ring_trouble("it is locked", true)),
                Ok(Look::Nothing) => {}
                // One that does not answer now does not answer for the next key.
                Err(_) => return Ok(None),
            }
        }
        Ok(None)
    }

    fn looked(&self, fingerprint: &Digest) -> Result<Signer, Unusable> {
        match self.ring.look(&account(fingerprint)) {
            Ok(Look::Kept(text)) => self.fits(text.expose(), fingerprint).map(|secret| Signer::from_secret(*secret)),
            Ok(Look::Nothing) => Err(self.lost(fingerprint)),
            Ok(Look::Locked) => Err(self.ring_trouble("it is locked", true)),
            Err(why) => Err(self.ring_trouble(&why, false)),
        }
    }

    /// As [`Self::looked`]; a person may be asked.
    fn asked(&self, fingerprint: &Digest) -> Result<Zeroizing<[u8; 32]>, Unusable> {
        let text = self.ring.get(&account(fingerprint)).map_err(|why| self.ring_trouble(&why, false))?;
        self.fits(text.ok_or_else(|| self.lost(fingerprint))?.expose(), fingerprint)
    }

    fn fits(&self, text: &str, fingerprint: &Digest) -> Result<Zeroizing<[u8; 32]>, Unusable> {
        let secret = parse(text).filter(|secret| {
            let found = Signer::from_secret(**secret).public_key().fingerprint();
            found == *fingerprint
        });
        secret.ok_or_else(|| self.lost(fingerprint))
    }

    fn says(&self) -> Result<Says, Unusable> {
        let at = self.at();
        let hint = "Restore it from a backup, or begin with a new key: `signalbox audit key file --new`.";
        let text = match fs::read_to_string(&self.file).map(Zeroizing::new) {
            Ok(text) => text,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Says::Nothing),
            Err(error) => return Err(self.trouble(None, format!("{at} cannot be read: {error}."), hint)),
        };
        let mut lines = text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'));
        let first = lines.next().unwrap_or_default();
        if let Some(fingerprint) = first.strip_prefix(SYSTEM).and_then(|digits| digits.trim().parse::<Digest>().ok()) {
            return Ok(Says::InRing { fingerprint });
        }
        private::owner_only(&self.file)
            .map_err(|why| self.trouble(Some(Place::File), format!("{why}."), "Then start again."))?;
        match parse(first) {
            Some(secret) => Ok(Says::Here { secret, stay: lines.any(|line| line == STAY) }),
            None => {
                let message = format!("{at} holds no key: wanted are 64 hexadecimal digits.");
                Err(Unusable { lost: true, ..self.trouble(Some(Place::File), message, hint) })
            }
        }
    }

    /// Nobody reads half a key, and two processes do not make two. `true` = this process made it.
    fn make(&self) -> Result<bool, Unusable> {
        let secret = random()?;
        private::make(&self.file, text(&secret, false).as_bytes()).map_err(|error| self.unwritten(&error))
    }

    /// Whole, or not at all, also when the power goes.
    fn write(&self, text: &str) -> Result<(), Unusable> {
        private::replace(&self.file, text.as_bytes()).map_err(|error| self.unwritten(&error))
    }

    /// One process moves the key at a time.
    fn lock(&self) -> Result<File, Unusable> {
        let path = self.file.with_extension("key.lock");
        let file = match private::create(&path) {
            Err(error) if error.kind() == ErrorKind::AlreadyExists => fs::OpenOptions::new().write(true).open(&path),
            made => made,
        };
        file.and_then(|file| file.lock().map(|()| file)).map_err(|error| self.unwritten(&error))
    }

    pub(crate) fn at(&self) -> String {
        self.file.display().to_string()
    }

    fn trouble(&self, place: Option<Place>, message: String, hint: impl Into<String>) -> Unusable {
        Unusable { place, message, hint: hint.into(), locked: false, lost: false }
    }

    fn unwritten(&self, error: &std::io::Error) -> Unusable {
        let message = format!("{} cannot be written: {error}.", self.at());
        self.trouble(None, message, "Look at the folder's owner and at the free space of its disk, then try again.")
    }

    fn refused(&self, why: &str) -> Unusable {
        let message = format!("The key store of the system ({}) cannot be used: {why}.", self.ring.name());
        self.trouble(
            Some(Place::System),
            message,
            "Nothing was changed. Unlock it and try again, or keep the key in the file.",
        )
    }

    fn ring_trouble(&self, why: &str, locked: bool) -> Unusable {
        Unusable {
            place: Some(Place::System),
            message: format!("The key is in the key store of the system ({}), and {why}.", self.ring.name()),
            hint: "Unlock it (Settings, or `signalbox audit key system`), or start Signalbox in the session of \
                   your desktop. For a service without one: `signalbox audit key file` there moves the key into the data \
                   folder."
                .into(),
            locked,
            lost: false,
        }
    }

    fn lost(&self, fingerprint: &Digest) -> Unusable {
        let message = format!("{} has no key '{}' for this data folder.", self.ring.name(), account(fingerprint));
        let hint = "Use the account and machine that have it. If it is lost, begin with a new one: `signalbox audit key system \
                    --new`; what the old one signed still verifies.";
        Unusable { lost: true, ..self.trouble(Some(Place::System), message, hint) }
    }
}

/// What the key store knows a key by.
fn account(fingerprint: &Digest) -> String {
    let digits = fingerprint.to_hex();
    format!("audit {}", digits.get(..16).unwrap_or(&digits))
}

fn random() -> Result<Zeroizing<[u8; 32]>, Unusable> {
    let mut secret = Zeroizing::new([0_u8; 32]);
    match getrandom::fill(secret.as_mut()) {
        Ok(()) => Ok(secret),
        Err(error) => Err(Unusable {
            place: None,
            message: format!("No random numbers from the system: {error}."),
            hint: "Start again.".into(),
            locked: false,
            lost: false,
        }),
    }
}

fn hex(secret: &[u8; 32]) -> Zeroizing<String> {
    Zeroizing::new(secret.iter().map(|byte| format!("{byte:02x}")).collect())
}

fn parse(digits: &str) -> Option<Zeroizing<[u8; 32]>> {
    digits.trim().to_ascii_lowercase().parse::<Digest>().ok().map(|digest| Zeroizing::new(digest.0))
}

fn text(secret: &[u8; 32], stay: bool) -> Zeroizing<String> {
    let stay = if stay { "# A person wants it here:\nstay\n" } else { "" };
    Zeroizing::new(format!(
        "# Signs the audit chain of this data folder (Ed25519). Keep it secret, and keep a backup.\n{}\n{stay}",
        hex(secret).as_str()
    ))
}

fn pointer(key: &PublicKey) -> String {
    format!(
        "# The key that signs the audit chain of this data folder is in the key store of the system. This is its fingerprint.\n\
         {SYSTEM}{}\n",
        key.fingerprint().to_hex()
    )
}

#[cfg(test)]
pub(crate) mod tests;
