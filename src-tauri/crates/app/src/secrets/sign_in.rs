//! Signing in with a secret that gets its tokens by OAuth, and out of it.

use super::entry_told;
use crate::app::App;
use crate::caller::Caller;
use crate::dto::{SecretEntry, SecretSignIn, SecretSignInState, SecretSignedOut, SecretSigningIn, Via};
use crate::error::{ApiError, ApiResult, Class};
use crate::host::sign_in::{Keeper, ShownCode, UnderWay, Unfit, WAITS, not_this_address, pasted_address};
use async_trait::async_trait;
use serde_json::json;
use signalbox_adapters::oauth::{
    CallbackParams, ConfiguredClient, DeviceSignIn, Fault, Pending, RedirectPlace, RedirectServer, SignedIn, Trouble,
};
use signalbox_adapters::vault::{Entry, Session, SessionFacts, Stored};
use signalbox_model::oauth::{OAuthClient, OAuthGrant};
use signalbox_model::{AuditEvent, time};
use signalbox_ports::host::is_localhost;
use signalbox_ports::secret::AllowedHost;
use signalbox_ports::{NoSecrets, Secret, Secrets};
use signalbox_store::audit::Level;
use std::net::IpAddr;
use std::sync::Arc;
use url::{Host, Url};

/// Where the server takes browsers back.
pub const CALLBACK: &str = "/oauth/callback";

fn not_signed_in(name: &str, fault: &Fault) -> ApiError {
    let (class, hint) = match fault.trouble {
        Trouble::Unreachable => (Class::Unavailable, "Look at the network, and try again later.".to_owned()),
        _ => (Class::Conflict, format!("Look at how the secret '{name}' is set up: client id, secret, addresses.")),
    };
    ApiError::new(class, "SIGN_IN_FAILED", format!("{}.", fault.message), hint)
}

fn begin_again(name: &str) -> ApiError {
    let message = format!("Nobody is signing in with the secret '{name}' now, or it took too long.");
    let hint = "Begin again with Sign in, or `signalbox secret sign-in`.";
    ApiError::new(Class::Conflict, "SIGN_IN_NOT_WAITING", message, hint)
}

/// Whether an address leads to this machine, by its spelling.
fn is_here(text: &str) -> bool {
    match Url::parse(text).ok().as_ref().and_then(Url::host) {
        Some(Host::Domain(name)) => is_localhost(name),
        Some(Host::Ipv4(ip)) => IpAddr::V4(ip).is_loopback(),
        Some(Host::Ipv6(ip)) => IpAddr::V6(ip).to_canonical().is_loopback(),
        None => false,
    }
}

/// Services on this machine are for people on this machine, as they are in requests of steps.
pub(crate) fn reachable(caller: &Caller, client: &OAuthClient) -> ApiResult<()> {
    let service = &client.service;
    let sent = [Some(&service.token_url), service.device_url.as_ref(), service.revocation_url.as_ref()];
    if caller.here || !sent.into_iter().flatten().any(|text| is_here(text)) {
        return Ok(());
    }
    Err(ApiError::forbidden(
        "A service on this machine is named by a person on this machine.",
        "Do it in the window, with `signalbox secret`, or through an address of this machine.",
    ))
}

/// What a sign-in is kept with once it is made: without the app, which whoever waits must not hold open.
#[derive(Clone)]
struct SecretKeeper {
    name: String,
    /// As it was when somebody began.
    client: OAuthClient,
    secret: Arc<Secret>,
    hosts: Vec<AllowedHost>,
    caller: Caller,
    secrets: Arc<super::KnownSecrets>,
}

#[async_trait]
impl Keeper for SecretKeeper {
    async fn finish(&self, pending: Pending, params: CallbackParams) -> Result<(), String> {
        let nobody: Arc<dyn Secrets> = Arc::new(NoSecrets);
        match pending.finish(params, &nobody).await {
            Ok(signed) => self.keep(signed).await,
            Err(fault) => Err(self.shown(&fault.message)),
        }
    }
    /// It is told by the sign-in itself, as long as the program runs.
    async fn note(&self, _why: String) {}
}

impl SecretKeeper {
    fn configured(&self) -> ConfiguredClient<'_> {
        ConfiguredClient { name: &self.name, client: &self.client, secret: &self.secret, hosts: &self.hosts }
    }

    fn shown(&self, why: &str) -> String {
        self.secrets.vault.scrubber().text(why).into_owned()
    }

    /// Keeps the tokens, and who signed in in the audit chain. What cannot be kept is given back. What was there before is not:
    /// at some services that would end the new sign-in, too.
    async fn keep(&self, signed: SignedIn) -> Result<(), String> {
        let (keeper, signed) = (self.clone(), Arc::new(signed.without_proof()));
        let kept = tokio::task::spawn_blocking({
            let signed = Arc::clone(&signed);
            move || keeper.kept(&signed)
        });
        if let Err(why) = kept.await.unwrap_or_else(|_| Err("Signalbox is closing".into())) {
            // As far as that is offered; nobody has them any more.
            drop(self.configured().revoke(&signed).await);
            return Err(why);
        }
        Ok(())
    }

    fn kept(&self, signed: &Arc<SignedIn>) -> Result<(), String> {
        let now = crate::host::clock::now_ms();
        let by = self.caller.principal.clone();
        let session = Session { signed: Arc::clone(signed), by, at_ms: now, ended: None };
        let facts = json!({
            "name": self.name, "issuer": signed.kept.issuer, "scopes": signed.scopes,
            "expires": signed.expires_ms.map(time::format),
        });
        let record = || {
            self.secrets.record(AuditEvent::SecretSignedIn, Level::Info, self.caller.actor(), self.caller.signed(facts))
        };
        let kept = self.secrets.vault.session_set(&self.name, &self.client, session, record);
        kept.map(drop).map_err(|error| format!("{} {}", error.message, error.hint).trim_end_matches('.').to_owned())
    }

    /// Asks until the person has entered the code.
    async fn polled(self, mut device: DeviceSignIn) -> Result<(), String> {
        loop {
            tokio::time::sleep(device.interval()).await;
            match device.poll().await {
                Ok(None) => {}
                Ok(Some(signed)) => return self.keep(signed).await,
                Err(fault) => return Err(self.shown(&fault.message)),
            }
        }
    }
}

/// Where a sign-in with a secret stands; nothing for other secrets.
pub(crate) fn told(app: &App, entry: &Entry) -> Option<SecretSignIn> {
    let client = entry.oauth.as_ref()?;
    let (waiting, last) = (app.secret_sign_ins.waiting(&entry.name), app.secret_sign_ins.last(&entry.name));
    let unattended = client.grant.is_unattended();
    let facts: Option<&SessionFacts> = entry.session.as_ref();
    let state = match (&waiting, facts) {
        (Some(_), _) => SecretSignInState::Waiting,
        (None, Some(SessionFacts { ended: Some(_), .. })) => SecretSignInState::Ended,
        (None, Some(_)) => SecretSignInState::SignedIn,
        (None, None) if unattended => SecretSignInState::SignedIn,
        (None, None) => SecretSignInState::Wanted,
    };
    let code = waiting.as_ref().and_then(|one| one.code.clone());
    let failed = last.filter(|_| waiting.is_none()).and_then(|one| one.failure());
    Some(SecretSignIn {
        state,
        message: facts.and_then(|facts| facts.ended.clone()).or(failed),
        waits_until: waiting.as_ref().map(|one| time::format(one.until_ms)),
        user_code: code.as_ref().map(|code| code.code.clone()),
        page: code.map(|code| code.page),
        by: facts.map(|facts| facts.by.clone()).filter(|by| !by.is_empty()),
        at: facts.map(|facts| time::format(facts.at_ms)),
        expires: facts.and_then(|facts| facts.expires_ms).map(time::format),
        scopes: facts.map(|facts| facts.scopes.clone()).unwrap_or_default(),
        renews: unattended || facts.is_some_and(|facts| facts.renews),
    })
}

impl App {
    /// A secret that somebody can sign in with.
    fn signs_in_with(&self, caller: &Caller, name: &str) -> ApiResult<(Stored, OAuthClient)> {
        let stored = self.secrets.vault.stored(name, true)?;
        let Some(client) = stored.entry.oauth.clone() else {
            let message = format!("Nobody signs in with the secret '{name}': it is sent as it was set.");
            return Err(ApiError::bad_request(message, "Add one of the type oauth2 to sign in to a service."));
        };
        reachable(caller, &client)?;
        Ok((stored, client))
    }

    /// Begins a sign-in: the address for a person's browser, or a code for any device. A program that signs in as itself is
    /// signed in afterwards.
    pub(crate) fn secret_sign_in(&self, caller: &Caller, name: &str) -> ApiResult<SecretSigningIn> {
        let (stored, client) = self.signs_in_with(caller, name)?;
        let keeper = SecretKeeper {
            name: name.to_owned(),
            client: client.clone(),
            secret: Arc::new(stored.value),
            hosts: stored.entry.hosts,
            caller: caller.clone(),
            secrets: Arc::clone(&self.secrets),
        };
        let failed = |fault: Fault| not_signed_in(name, &fault);
        let begun =
            |address: Option<String>, until_ms: Option<i64>, code: Option<String>, opened: bool| SecretSigningIn {
                name: name.to_owned(),
                address,
                until: until_ms.map(time::format),
                user_code: code,
                opened,
            };
        match client.grant {
            OAuthGrant::ClientCredentials | OAuthGrant::ServiceAccount => {
                self.wait_for(async {
                    let signed = keeper.configured().unattended().await?;
                    keeper.keep(signed).await.map_err(|message| Fault { trouble: Trouble::Secret, message })
                })?
                .map_err(failed)?;
                Ok(begun(None, None, None, false))
            }
            OAuthGrant::DeviceCode => {
                let device = self.wait_for(keeper.configured().begin_device())?.map_err(failed)?;
                let (until_ms, code) = (device.until_ms, device.user_code.clone());
                let page = device.page_with_code.as_ref().unwrap_or(&device.page).to_string();
                let shown = ShownCode { code: code.clone(), page: device.page.to_string() };
                let one = UnderWay::new(None, until_ms, Some(shown), Arc::new(keeper.clone()));
                self.secret_sign_ins.begin_with_code(name, one, &self.background()?, keeper.polled(device));
                let opened = caller.via == Via::App && self.opens(&page);
                Ok(begun(Some(page), Some(until_ms), Some(code), opened))
            }
            OAuthGrant::AuthorizationCode => {
                let until_ms = self.now_ms() + i64::try_from(WAITS.as_millis()).unwrap_or_default();
                let address = self.secret_browser(caller, &client, keeper, until_ms)?;
                let opened = caller.via == Via::App && self.opens(&address);
                Ok(begun(Some(address), Some(until_ms), None, opened))
            }
        }
    }

    /// The address for the browser, which comes back to the server where it was begun there, and to a page of this machine
    /// otherwise.
    fn secret_browser(
        &self,
        caller: &Caller,
        client: &OAuthClient,
        keeper: SecretKeeper,
        until_ms: i64,
    ) -> ApiResult<String> {
        let threads = self.background()?;
        let name = keeper.name.clone();
        let failed = |fault: Fault| not_signed_in(&name, &fault);
        let served = self.served_at().filter(|_| caller.via == Via::Rest).map(|base| format!("{base}{CALLBACK}"));
        let own = client.redirect.as_deref();
        if let Some(redirect) = served.filter(|served| own.is_none_or(|own| own == served)) {
            let pending = keeper.configured().begin(&redirect).map_err(failed)?;
            let address = pending.address().to_string();
            let one = UnderWay::new(Some(pending), until_ms, None, Arc::new(keeper));
            self.secret_sign_ins.begin_without_page(&name, one, &threads);
            return Ok(address);
        }
        let refused = |message: String| failed(Fault { trouble: Trouble::Refused, message });
        let place = own.map_or_else(|| Ok(RedirectPlace::default()), RedirectPlace::parse).map_err(refused)?;
        // The page of a sign-in that is given up may have the port.
        self.secret_sign_ins.remove(&name, "Somebody began again");
        let page = self.wait_for(RedirectServer::open(&place))?;
        let page =
            page.map_err(|error| refused(format!("No page of this machine can wait for the browser: {error}")))?;
        let pending = keeper.configured().begin(&page.address()).map_err(failed)?;
        let address = pending.address().to_string();
        let one = UnderWay::new(Some(pending), until_ms, None, Arc::new(keeper));
        self.secret_sign_ins.begin_with_page(&name, one, page, &threads);
        Ok(address)
    }

    /// Takes the address that a browser was sent back to, from whoever copied it.
    pub(crate) fn secret_sign_in_finish(&self, caller: &Caller, name: &str, address: &str) -> ApiResult<SecretEntry> {
        self.signs_in_with(caller, name)?;
        let params = pasted_address(address)?;
        let done = self.wait_for(self.secret_sign_ins.pasted(name, params))?.map_err(|unfit| match unfit {
            Unfit::NotWaiting => begin_again(name),
            Unfit::NotOurs => not_this_address(),
        })?;
        done.map_err(|message| not_signed_in(name, &Fault { trouble: Trouble::Refused, message }))?;
        self.secret_entry(name)
    }

    /// Waits until a sign-in that was begun here is done.
    pub async fn secret_signed_in(&self, name: &str) -> ApiResult<()> {
        match self.secret_sign_ins.done(name).await {
            Some(Ok(())) => Ok(()),
            Some(Err(message)) => Err(not_signed_in(name, &Fault { trouble: Trouble::Refused, message })),
            None => Err(begin_again(name)),
        }
    }

    /// Takes what a browser brought to the server at [`CALLBACK`]. `None`: it belongs to no sign-in that waits.
    pub async fn sign_in_arrived(&self, query: &str) -> Option<bool> {
        let done = self.secret_sign_ins.arrived(CallbackParams::of_query(query)).await?;
        Some(done.is_ok())
    }

    /// Forgets who signed in, and has the service take the tokens back where it offers that.
    pub(crate) fn secret_sign_out(&self, caller: &Caller, name: &str) -> ApiResult<SecretSignedOut> {
        let (stored, client) = self.signs_in_with(caller, name)?;
        self.secret_sign_ins.remove(name, "Somebody signed out");
        let record = || {
            let facts = json!({ "name": name });
            self.secrets.record(AuditEvent::SecretSignedOut, Level::Info, caller.actor(), caller.signed(facts))
        };
        // First of all: without this no token is found any more, whatever becomes of the rest.
        let taken = self.secrets.vault.session_taken(name, record)?;
        let configured = ConfiguredClient { name, client: &client, secret: &stored.value, hosts: &stored.entry.hosts };
        let revoked = match &taken {
            Some(session) => self.wait_for(configured.revoke(&session.signed))?.map_err(|fault| fault.message),
            None => Ok(false),
        };
        let (revoked, note) = match revoked {
            Ok(revoked) => (revoked, None),
            Err(why) => (false, Some(format!("{}.", self.secrets.vault.scrubber().text(&why)))),
        };
        Ok(SecretSignedOut { secret: self.secret_entry(name)?, revoked, note })
    }

    fn secret_entry(&self, name: &str) -> ApiResult<SecretEntry> {
        let entry = self.secrets.vault.list()?.into_iter().find(|entry| entry.name == name);
        let entry = entry.ok_or_else(|| ApiError::not_found(format!("There is no secret '{name}' any more.")))?;
        Ok(entry_told(self, entry))
    }
}
