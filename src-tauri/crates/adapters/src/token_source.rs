//! The one place that turns a secret of this machine into what a request is authenticated with. Most are given as they were set.
//! One that gets its tokens by OAuth gives the access token, renewed before it runs out or when a service refused it: by one
//! thread at a time, of all processes, so that steps that find the same token over renew it once.
//!
//! **Invariant:** a refresh token is sent for one renewal only, unless its answer was lost. What that renewal gave is written
//! before anybody gets it; when it cannot be written it is kept in memory, used, and written with the next use.

use crate::clock::RealClock;
use crate::oauth::{ConfiguredClient, Fault, SignedIn, Trouble as Denied};
use crate::vault::{Session, Stored, Trouble, Vault, VaultError};
use signalbox_model::oauth::OAuthClient;
use signalbox_ports::{Clock, Credential, CredentialKind, Secret};
use std::collections::HashMap;
use std::future::Future;
use std::sync::{Arc, Mutex, PoisonError, mpsc};
use std::time::Duration;
use tokio::runtime::Handle;

/// How long another process may take to renew: longer than one takes whose server does not answer.
const PATIENCE: Duration = Duration::from_secs(60);

/// Hears that a sign-in has ended: name of the secret, and why without a full stop.
pub type OnEnd = Box<dyn Fn(&str, &str) + Send + Sync>;

/// Gives the credentials of a vault. Calls wait for the disk, the key store, and the services that give tokens.
pub struct TokenSource {
    vault: Arc<Vault>,
    /// Requests to services run here.
    threads: Handle,
    on_end: OnEnd,
    /// Held by whoever renews, by name of the secret.
    turns: Mutex<HashMap<String, Arc<Mutex<()>>>>,
    /// What could not be written, by name of the secret.
    unwritten: Mutex<HashMap<String, Session>>,
}

fn wrong(trouble: Trouble, message: String, hint: String) -> VaultError {
    VaultError { trouble, message, hint }
}

/// What a person does about a sign-in that holds no more.
fn again(name: &str) -> String {
    format!("Sign in again in Settings, Secrets, or with `signalbox secret sign-in {name}`.")
}

fn nobody(name: &str) -> VaultError {
    let message = format!("Nobody is signed in with the secret '{name}'.");
    wrong(Trouble::Expired, message, again(name).replace(" again", ""))
}

impl TokenSource {
    /// For a vault; requests run on `threads`, which must not be the one that calls.
    pub fn new(vault: Arc<Vault>, threads: Handle, on_end: OnEnd) -> Self {
        Self { vault, threads, on_end, turns: Mutex::default(), unwritten: Mutex::default() }
    }

    /// The credential of a name. `may_ask`: the key store may ask a person.
    pub fn credential(&self, name: &str, may_ask: bool) -> Result<Arc<Credential>, VaultError> {
        let stored = self.stored(name, may_ask)?;
        let Some(client) = stored.entry.oauth.clone() else { return Ok(self.given(stored, None)) };
        if let Some(signed) = holding(&client, &stored)?.filter(|signed| !signed.is_over(RealClock.now_ms())) {
            self.write_again(name, &client);
            return Ok(self.given(stored, Some(signed)));
        }
        self.newer(name, None, may_ask)
    }

    /// A newer credential in place of one that a service refused; `None` when it is none that can be renewed.
    pub fn renewed(&self, refused: &Credential) -> Result<Option<Arc<Credential>>, VaultError> {
        if !matches!(refused.kind, CredentialKind::AccessToken { .. }) {
            return Ok(None);
        }
        let stored = self.stored(&refused.name, true)?;
        let unattended = stored.entry.oauth.as_ref().is_some_and(|client| client.grant.is_unattended());
        match &stored.session {
            // Somebody has renewed it meanwhile.
            Some(session) if session.ended.is_none() && session.signed.access().expose() != refused.value.expose() => {
                self.credential(&refused.name, true).map(Some)
            }
            Some(session) if session.signed.renews() || unattended => {
                self.newer(&refused.name, Some(&refused.value), true).map(Some)
            }
            _ => Ok(None),
        }
    }

    /// What is stored, with tokens that could not be written.
    fn stored(&self, name: &str, may_ask: bool) -> Result<Stored, VaultError> {
        let mut stored = self.vault.stored(name, may_ask)?;
        let unwritten = self.unwritten.lock().unwrap_or_else(PoisonError::into_inner).get(name).cloned();
        let Some(session) = unwritten else { return Ok(stored) };
        let known = stored.session.as_ref().map(|session| session.signed.kept.id.as_str());
        if known == Some(&session.signed.kept.id) {
            stored.session = Some(session);
        }
        Ok(stored)
    }

    fn given(&self, stored: Stored, signed: Option<Arc<SignedIn>>) -> Arc<Credential> {
        let value = match &signed {
            Some(signed) => Secret::new(signed.access().expose()),
            None => stored.value,
        };
        let (name, kind, hosts) = (stored.entry.name, stored.entry.kind, stored.entry.hosts);
        Arc::new(Credential { name, kind, hosts, value, scrubber: self.vault.scrubber() })
    }

    /// Renews, unless somebody else has by the time that it is this one's turn. `refused`: the token that is of no use.
    fn newer(&self, name: &str, refused: Option<&Secret>, may_ask: bool) -> Result<Arc<Credential>, VaultError> {
        let turn = {
            let mut turns = self.turns.lock().unwrap_or_else(PoisonError::into_inner);
            Arc::clone(turns.entry(name.to_owned()).or_default())
        };
        let _mine = turn.lock().unwrap_or_else(PoisonError::into_inner);
        // Never without: a refresh token that is sent twice ends the sign-in at many services.
        let _alone = self.vault.renewing(&format!("secret.{name}"), PATIENCE).map_err(|error| VaultError {
            trouble: if error.trouble == Trouble::Unavailable { Trouble::Unreachable } else { error.trouble },
            ..error
        })?;
        let stored = self.stored(name, may_ask)?;
        let Some(client) = stored.entry.oauth.clone() else { return Ok(self.given(stored, None)) };
        let before = holding(&client, &stored)?;
        let is_refused = |signed: &SignedIn| refused.is_some_and(|token| token.expose() == signed.access().expose());
        if before.as_ref().is_some_and(|signed| !signed.is_over(RealClock.now_ms()) && !is_refused(signed)) {
            self.write_again(name, &client);
            return Ok(self.given(stored, before));
        }
        let signed = match self.ask(name, &client, &stored, before.clone()) {
            Ok(signed) => Arc::new(signed),
            Err(fault) => return Err(self.denied(name, before.as_ref(), &fault)),
        };
        let known = stored.session.as_ref();
        let session = Session {
            signed: Arc::clone(&signed),
            by: known.map(|session| session.by.clone()).unwrap_or_default(),
            at_ms: known.map_or_else(|| RealClock.now_ms(), |session| session.at_ms),
            ended: None,
        };
        self.write(name, &client, before.as_ref().map(|before| before.kept.id.clone()), session)?;
        Ok(self.given(stored, Some(signed)))
    }

    /// Asks the service, on another thread: the thread that waits for this may belong to a runtime.
    fn ask(
        &self,
        name: &str,
        client: &OAuthClient,
        stored: &Stored,
        before: Option<Arc<SignedIn>>,
    ) -> Result<SignedIn, Fault> {
        let (name, client, hosts) = (name.to_owned(), client.clone(), stored.entry.hosts.clone());
        let secret = Secret::new(stored.value.expose());
        self.wait_for(async move {
            let configured = ConfiguredClient { name: &name, client: &client, secret: &secret, hosts: &hosts };
            match &before {
                Some(before) => configured.renew(before).await,
                None => configured.unattended().await,
            }
        })
    }

    fn wait_for<T: Send + 'static>(
        &self,
        work: impl Future<Output = Result<T, Fault>> + Send + 'static,
    ) -> Result<T, Fault> {
        let (done, waits) = mpsc::channel();
        self.threads.spawn(async move {
            // Nobody waits any more when the program closes.
            drop(done.send(work.await));
        });
        let closing = || Fault { trouble: Denied::Unreachable, message: "Signalbox is closing".into() };
        waits.recv().map_err(|_| closing())?
    }

    fn denied(&self, name: &str, before: Option<&Arc<SignedIn>>, fault: &Fault) -> VaultError {
        let message = format!("The secret '{name}': {}.", fault.message);
        match (fault.trouble, before) {
            (Denied::Ended, Some(before)) => {
                let why = self.vault.scrubber().text(&fault.message).into_owned();
                if self.vault.session_ended(name, before, &why).unwrap_or(false) {
                    (self.on_end)(name, &why);
                }
                wrong(Trouble::Expired, message, again(name))
            }
            (Denied::Unreachable, _) => {
                wrong(Trouble::Unreachable, message, "Look at the network, and try again later.".into())
            }
            (Denied::Ended | Denied::Refused | Denied::Secret, _) => {
                let hint = "Look at its client id, its secret and its addresses in Settings, Secrets.".to_owned();
                wrong(Trouble::Expired, message, hint)
            }
        }
    }

    /// Keeps new tokens. What cannot be written stays in memory, and is not lost while the program runs.
    fn write(
        &self,
        name: &str,
        client: &OAuthClient,
        before: Option<String>,
        session: Session,
    ) -> Result<(), VaultError> {
        let kept = self.vault.session_renewed(name, client, before.as_deref(), session.clone());
        let mut unwritten = self.unwritten.lock().unwrap_or_else(PoisonError::into_inner);
        match kept {
            Ok(true) => {
                unwritten.remove(name);
                Ok(())
            }
            Ok(false) => {
                unwritten.remove(name);
                let message = format!("The secret '{name}' was changed, or somebody signed in or out, in this moment.");
                Err(wrong(Trouble::Expired, message, "Run the step again.".into()))
            }
            Err(_) => {
                unwritten.insert(name.to_owned(), session);
                Ok(())
            }
        }
    }

    /// Tries once more to write what could not be written.
    fn write_again(&self, name: &str, client: &OAuthClient) {
        let waits = self.unwritten.lock().unwrap_or_else(PoisonError::into_inner).get(name).cloned();
        if let Some(session) = waits {
            let id = session.signed.kept.id.clone();
            // What fails again waits on.
            drop(self.write(name, client, Some(id), session));
        }
    }
}

/// The tokens of a secret as far as they hold; none for a program that signs in as itself and has not yet.
fn holding(client: &OAuthClient, stored: &Stored) -> Result<Option<Arc<SignedIn>>, VaultError> {
    let name = &stored.entry.name;
    match &stored.session {
        None if client.grant.is_unattended() => Ok(None),
        None => Err(nobody(name)),
        Some(Session { ended: Some(why), .. }) => {
            Err(wrong(Trouble::Expired, format!("The sign-in with the secret '{name}' has ended: {why}."), again(name)))
        }
        Some(session) => Ok(Some(Arc::clone(&session.signed))),
    }
}
