//! Who is signed in with secrets that get their tokens by OAuth: the tokens are written beside the secret, in the encrypted
//! file, and bound to one sign-in by its id.

use super::content::Session;
use super::key::Ask;
use super::{Trouble, Vault, VaultError};
use crate::oauth::SignedIn;
use signalbox_model::oauth::OAuthClient;
use std::sync::Arc;

impl Vault {
    pub(super) fn hide_session(&self, name: &str, signed: &SignedIn) {
        for secret in signed.secrets() {
            self.scrubber.add(name, None, secret);
        }
    }

    /// Keeps who signed in with a secret, in place of who was, unless the secret was changed since it began. `record` is asked
    /// before anything changes. Gives what was replaced.
    pub fn session_set(
        &self,
        name: &str,
        client: &OAuthClient,
        session: Session,
        record: impl FnOnce() -> Result<(), VaultError>,
    ) -> Result<Option<Session>, VaultError> {
        self.hide_session(name, &session.signed);
        let _lock = self.lock()?;
        let (manifest, mut content) = self.open(Ask::Person)?;
        let stored = content.find_mut(name).ok_or_else(|| VaultError::missing(name))?;
        if stored.entry.oauth.as_ref() != Some(client) {
            let message = format!("The secret '{name}' was changed while somebody signed in.");
            return Err(VaultError::new(Trouble::Invalid, message, "Sign in again."));
        }
        let before = stored.session.replace(session);
        record()?;
        self.write([&manifest.recipient()?], &content)?;
        Ok(before)
    }

    /// Keeps new tokens of a sign-in, or the first ones of a program that signs in as itself (`before` is absent). `false`, and
    /// nothing is changed, when it is not that sign-in any more.
    pub fn session_renewed(
        &self,
        name: &str,
        client: &OAuthClient,
        before: Option<&str>,
        session: Session,
    ) -> Result<bool, VaultError> {
        self.hide_session(name, &session.signed);
        let _lock = self.lock()?;
        let (manifest, mut content) = self.open(Ask::Person)?;
        let Some(stored) = content.find_mut(name) else { return Ok(false) };
        let known = stored.session.as_ref().map(|session| session.signed.kept.id.as_str());
        if known != before
            || stored.entry.oauth.as_ref().map(|own| &own.service.token_url) != Some(&client.service.token_url)
        {
            return Ok(false);
        }
        stored.session = Some(session);
        self.write([&manifest.recipient()?], &content)?;
        Ok(true)
    }

    /// Notes that a sign-in holds no more; why, without a full stop. `false`: it is not that sign-in any more, or that is known.
    pub fn session_ended(&self, name: &str, signed: &Arc<SignedIn>, why: &str) -> Result<bool, VaultError> {
        let _lock = self.lock()?;
        let (manifest, mut content) = self.open(Ask::Person)?;
        let session = content.find_mut(name).and_then(|stored| stored.session.as_mut());
        let Some(session) = session.filter(|session| session.ended.is_none() && session.signed.is(signed)) else {
            return Ok(false);
        };
        session.ended = Some(why.to_owned());
        self.write([&manifest.recipient()?], &content)?;
        Ok(true)
    }

    /// Forgets who is signed in; gives it.
    pub fn session_taken(
        &self,
        name: &str,
        record: impl FnOnce() -> Result<(), VaultError>,
    ) -> Result<Option<Session>, VaultError> {
        let _lock = self.lock()?;
        let (manifest, mut content) = self.open(Ask::Person)?;
        let stored = content.find_mut(name).ok_or_else(|| VaultError::missing(name))?;
        let Some(session) = stored.session.take() else { return Ok(None) };
        record()?;
        self.write([&manifest.recipient()?], &content)?;
        Ok(Some(session))
    }
}
