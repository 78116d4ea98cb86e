//! Who is signed in at tool servers: their tokens, in the encrypted file. Which sign-in holds is said by a record elsewhere, by
//! its id: one that no record names is none, whatever stands here. So tokens are written before they are named, and taken out
//! after their name is gone.

use super::content::sign_in_key;
use super::key::Ask;
use super::{Trouble, Vault, VaultError};
use crate::oauth::SignedIn;
use std::fs::{self, File, TryLockError};
use std::io::Write;
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

/// How often it is looked whether another process has renewed.
const LOOK: Duration = Duration::from_millis(50);
/// What to do about another process that does not come to an end.
const END_IT: &str = "Look whether it hangs, end it if so, and try again.";

impl Vault {
    pub(super) fn hide(&self, server: &str, signed: &SignedIn) {
        for secret in signed.secrets() {
            self.scrubber.add(&format!("sign-in to {server}"), None, secret);
        }
    }

    /// The sign-in of an id at a tool server. `may_ask`: the key store may ask a person.
    pub fn sign_in(&self, server: &str, id: &str, may_ask: bool) -> Result<Option<Arc<SignedIn>>, VaultError> {
        if self.manifest()?.is_none() {
            // Nobody can have signed in before a place for that was chosen.
            return Ok(None);
        }
        let (_, mut content) = self.open(if may_ask { Ask::Person } else { Ask::Nobody })?;
        Ok(content.sign_ins.remove(&sign_in_key(server, id)))
    }

    /// Keeps a new sign-in beside those that are there; then `record` names it, and then the others of the server go. What
    /// the record names is here, whatever ends the process in between. Not recorded, the new one goes.
    pub fn sign_in_add(
        &self,
        server: &str,
        signed: &Arc<SignedIn>,
        record: impl FnOnce() -> Result<(), VaultError>,
    ) -> Result<(), VaultError> {
        self.hide(server, signed);
        let _lock = self.lock()?;
        let (manifest, mut content) = self.open(Ask::Person)?;
        let to = [manifest.recipient()?];
        content.sign_ins.insert(sign_in_key(server, &signed.kept.id), Arc::clone(signed));
        self.write(&to, &content)?;
        let recorded = record();
        let stays = |id: &str| (id == signed.kept.id) == recorded.is_ok();
        let before = content.sign_ins.len();
        content.sign_ins.retain(|(name, id), _| name != server || stays(id));
        if content.sign_ins.len() < before {
            // Nobody names what stays when this fails; the next change takes it out.
            drop(self.write(&to, &content));
        }
        recorded
    }

    /// Keeps new tokens of a sign-in; `None`, and nothing is changed, when it is there no more.
    pub fn sign_in_renewed(&self, server: &str, signed: SignedIn) -> Result<Option<Arc<SignedIn>>, VaultError> {
        let signed = Arc::new(signed);
        self.hide(server, &signed);
        let _lock = self.lock()?;
        let (manifest, mut content) = self.open(Ask::Person)?;
        let Some(kept) = content.sign_ins.get_mut(&sign_in_key(server, &signed.kept.id)) else { return Ok(None) };
        *kept = Arc::clone(&signed);
        self.write(&[manifest.recipient()?], &content)?;
        Ok(Some(signed))
    }

    /// Forgets the sign-ins at a server that nobody names: all but the one of the id that `named` gives. It is asked while no
    /// process can add one, so a sign-in that was made in this moment stays. Gives what was forgotten.
    pub fn sign_ins_swept(
        &self,
        server: &str,
        named: impl FnOnce() -> Result<Option<String>, VaultError>,
    ) -> Result<Vec<Arc<SignedIn>>, VaultError> {
        if self.manifest()?.is_none() {
            return Ok(Vec::new());
        }
        let _lock = self.lock()?;
        let (manifest, mut content) = self.open(Ask::Person)?;
        let named = named()?;
        let gone = content.sign_ins.extract_if(.., |(name, id), _| name == server && named.as_ref() != Some(id));
        let gone: Vec<Arc<SignedIn>> = gone.map(|(_, signed)| signed).collect();
        if !gone.is_empty() {
            self.write(&[manifest.recipient()?], &content)?;
        }
        Ok(gone)
    }

    /// While what this gives lives, nobody else renews a sign-in at this server. Waits for whoever does, at most so long.
    pub fn renewing(&self, server: &str, patience: Duration) -> Result<File, VaultError> {
        // A file for each server: one that does not answer keeps nobody from the others.
        let (path, mut file) = self.to_lock(&format!("renewing.{server}"))?;
        let due = Instant::now() + patience;
        loop {
            match file.try_lock() {
                Ok(()) => break,
                Err(TryLockError::WouldBlock) if Instant::now() < due => thread::sleep(LOOK),
                Err(TryLockError::WouldBlock) => {
                    let by = fs::read_to_string(&path).ok().and_then(|text| text.trim().parse::<u32>().ok());
                    let (who, hint) = match by {
                        Some(id) if id == std::process::id() => (
                            "Another connection of this program".to_owned(),
                            "Its server may hang. Try again in a minute.",
                        ),
                        Some(id) => (format!("Another process of Signalbox (process {id})"), END_IT),
                        None => ("Another process of Signalbox".to_owned(), END_IT),
                    };
                    let waited = patience.as_secs();
                    let words =
                        format!("{who} is renewing the sign-in at '{server}' and was not done after {waited} s.");
                    return Err(VaultError::new(Trouble::Unavailable, words, hint));
                }
                Err(TryLockError::Error(error)) => return Err(VaultError::io("locked", &path, &error)),
            }
        }
        // For whoever waits; without it they are not told who it is.
        drop(file.set_len(0).and_then(|()| write!(file, "{}", std::process::id())));
        Ok(file)
    }
}
