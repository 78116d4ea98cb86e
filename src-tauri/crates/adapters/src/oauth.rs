//! Signing in to a tool server (OAuth 2.1 as the MCP authorization specification of 2025-11-25 has it, and the older ways of
//! 2025-03-26): who signs people in there, as whom this program comes, what a person's browser is shown, and tokens.
//!
//! Why not the library's own (`rmcp`, feature `auth`): ADR 60. What is not here: where tokens are kept and what a person
//! sees (the app), and when one goes along (`mcp::access`).
//!
//! **Invariant:** a token is made for one address of one server and stands in no message, log or error of this module.

mod assertion;
mod challenge;
mod client;
mod configured;
mod discovery;
mod id_token;
mod net;
mod openid;
mod redirect_server;
mod service_account;
mod sign_in_settings;
mod token;

pub use challenge::Challenge;
pub use configured::{ConfiguredClient, DeviceSignIn, check as check_client};
pub use openid::{OpenIdClient, OpenIdProvider, PendingPerson, Person, SessionKey};
pub use redirect_server::{RedirectPlace, RedirectServer, RedirectVisit};
pub use service_account::service_account;
pub use sign_in_settings::ToolSignIn;
pub use token::{Kept, SignedIn};

use crate::clock::RealClock;
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use discovery::Found;
use net::Net;
use signalbox_ports::{Clock, Secret, Secrets};
use std::sync::Arc;
use url::Url;
use zeroize::Zeroizing;

/// What kind of trouble.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Trouble {
    /// What was said is not safe, not whole, or "no".
    Refused,
    /// Nothing was heard; later it may be.
    Unreachable,
    /// The sign-in is over: a person has to sign in again.
    Ended,
    /// A secret that it needs is not there.
    Secret,
}

/// Why nobody is signed in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// What kind.
    pub trouble: Trouble,
    /// Plain words without a full stop; nothing secret is in them.
    pub message: String,
}

impl Fault {
    fn new(trouble: Trouble, message: impl Into<String>) -> Self {
        Self { trouble, message: message.into() }
    }
    fn refused(message: impl Into<String>) -> Self {
        Self::new(Trouble::Refused, message)
    }
    fn unreachable(message: impl Into<String>) -> Self {
        Self::new(Trouble::Unreachable, message)
    }
}

/// What somebody signs in to.
#[derive(Debug, Clone)]
pub struct Wanted {
    /// The address of the server as a person registered it.
    pub server: String,
    /// As whom.
    pub settings: ToolSignIn,
    /// What the server said with its refusal.
    pub challenge: Challenge,
    /// Rights that were asked for before, and are wanted besides.
    pub before: Vec<String>,
}

/// Who may have sent a browser back.
enum Issuer {
    /// This one; `promised`: it says in every answer that it is from it.
    Named { issuer: String, promised: bool },
    /// One on the host of this address.
    SameHost(Url),
}

impl Issuer {
    /// Refuses what another server has sent (mix-up).
    fn check(&self, told: Option<&str>) -> Result<(), Fault> {
        let other =
            "The answer is from another authorization server than the one that was asked; nothing was sent to either";
        match (self, told) {
            (Self::Named { issuer, .. }, Some(told)) if !discovery::same(told, issuer) => Err(Fault::refused(other)),
            (Self::Named { issuer, promised: true }, None) => Err(Fault::refused(format!(
                "The answer does not name {issuer} as its issuer, although that server promises it"
            ))),
            (Self::SameHost(asked), Some(told))
                if Url::parse(told).ok().is_none_or(|told| told.host() != asked.host()) =>
            {
                Err(Fault::refused(other))
            }
            _ => Ok(()),
        }
    }
}

/// A sign-in that waits for a person.
pub struct Pending {
    /// What the person's browser is shown.
    address: Url,
    state: Secret,
    verifier: Secret,
    redirect: String,
    kept: Kept,
    net: Net,
    issuer: Issuer,
}

/// What a person's browser brought back. It holds the code.
#[derive(Default)]
pub struct CallbackParams {
    state: Option<Zeroizing<String>>,
    code: Option<Zeroizing<String>>,
    issuer: Option<String>,
    error: Option<String>,
}

impl CallbackParams {
    /// Of the parameters of an address; one that stands there twice counts as none.
    pub fn of_query(query: &str) -> Self {
        let one = |wanted: &str| {
            let mut found = url::form_urlencoded::parse(query.as_bytes()).filter(|(name, _)| name == wanted);
            let value = found.next().map(|(_, value)| value.into_owned());
            value.filter(|_| found.next().is_none())
        };
        Self {
            state: one("state").map(Zeroizing::new),
            code: one("code").map(Zeroizing::new).filter(|code| !code.is_empty()),
            issuer: one("iss"),
            error: one("error"),
        }
    }

    /// Of the address that a person copied from the browser.
    pub fn of_address(text: &str) -> Option<Self> {
        let url = Url::parse(text.trim()).ok()?;
        let params = Self::of_query(url.query()?);
        (params.state.is_some() && (params.code.is_some() || params.error.is_some())).then_some(params)
    }

    /// Whether it belongs to a sign-in. The state is as good as a password, so how far it fits is not told by time.
    pub fn is_for(&self, state: &Secret) -> bool {
        let (Some(given), wanted) = (&self.state, state.expose()) else { return false };
        let differs = given.bytes().zip(wanted.bytes()).fold(0, |sum, (a, b)| sum | (a ^ b));
        given.len() == wanted.len() && differs == 0
    }
}

/// So many random bytes as text.
fn random_text(bytes: usize) -> Result<Zeroizing<String>, Fault> {
    let mut random = Zeroizing::new(vec![0_u8; bytes]);
    getrandom::fill(&mut random).map_err(|_| Fault::refused("This machine gives no random numbers"))?;
    Ok(Zeroizing::new(URL_SAFE_NO_PAD.encode(&*random)))
}

fn url_of(server: &str) -> Result<Url, Fault> {
    Url::parse(server).map_err(|_| Fault::refused("The address of the server is not valid"))
}

impl Wanted {
    fn net(&self) -> Result<Net, Fault> {
        let issuer = self.settings.issuer.as_deref().map(url_of).transpose()?;
        Ok(Net::new(&url_of(&self.server)?, issuer.as_ref()))
    }

    /// The rights to ask for: what the server said, else what it has, and what was asked for before.
    fn scopes(&self, found: &Found) -> Vec<String> {
        let own = if self.challenge.scopes.is_empty() { &found.scopes } else { &self.challenge.scopes };
        let mut all = self.before.clone();
        all.extend(own.iter().filter(|scope| !self.before.contains(scope)).cloned());
        // Without it many give no token to renew a sign-in with. Alone it would name fewer rights than none does.
        let offline = "offline_access".to_owned();
        if !self.settings.unattended && !all.is_empty() && found.offline && !all.contains(&offline) {
            all.push(offline);
        }
        all
    }
}

/// Finds out who signs people in, and as whom this program comes; `redirect`: where the browser is sent back to.
pub async fn begin(wanted: Wanted, redirect: &str) -> Result<Pending, Fault> {
    let net = wanted.net()?;
    let found = discovery::find(&net, &wanted).await?;
    found.takes_proof()?;
    let authorization = found
        .authorization_endpoint
        .clone()
        .ok_or_else(|| Fault::refused(format!("{} does not say where a person signs in", found.issuer)))?;
    let scopes = wanted.scopes(&found);
    let client = client::find(&net, &wanted.settings, &found, redirect, &scopes).await?;
    let issuer = Issuer::Named { issuer: found.issuer.clone(), promised: found.says_issuer };
    let resource = found.resource.clone();
    let kept = Kept::new(&wanted, found, client, scopes.clone());
    let mut pending = Pending::new(authorization, redirect, kept, net, issuer)?;
    let address = &mut pending.address;
    address.query_pairs_mut().append_pair("resource", &resource);
    if !scopes.is_empty() {
        address.query_pairs_mut().append_pair("scope", &scopes.join(" "));
    }
    if scopes.iter().any(|scope| scope == "offline_access") {
        // OpenID Connect gives offline access only with consent.
        address.query_pairs_mut().append_pair("prompt", "consent");
    }
    Ok(pending)
}

impl Pending {
    /// The address of an authorization server with what every sign-in has: state, PKCE, and where the browser comes back to.
    fn new(mut address: Url, redirect: &str, kept: Kept, net: Net, issuer: Issuer) -> Result<Self, Fault> {
        let (verifier, state) = (configured::random_secret(48)?, configured::random_secret(32)?);
        let hash = ring::digest::digest(&ring::digest::SHA256, verifier.expose().as_bytes());
        address
            .query_pairs_mut()
            .append_pair("response_type", "code")
            .append_pair("client_id", kept.client_id())
            .append_pair("redirect_uri", redirect)
            .append_pair("state", state.expose())
            .append_pair("code_challenge", &URL_SAFE_NO_PAD.encode(hash))
            .append_pair("code_challenge_method", "S256");
        Ok(Self { address, state, verifier, redirect: redirect.to_owned(), kept, net, issuer })
    }

    /// The address for the person's browser.
    pub fn address(&self) -> &Url {
        &self.address
    }

    /// What belongs to it has this.
    pub fn state(&self) -> &Secret {
        &self.state
    }

    /// Takes what the browser brought, and gets the tokens for it. The code holds once.
    pub async fn finish(self, params: CallbackParams, secrets: &Arc<dyn Secrets>) -> Result<SignedIn, Fault> {
        if !params.is_for(&self.state) {
            return Err(Fault::refused("The answer belongs to no sign-in that was started here"));
        }
        // Before anything else of the answer is believed: it may be another server's (mix-up).
        self.issuer.check(params.issuer.as_deref())?;
        if let Some(error) = &params.error {
            return Err(Fault::refused(match error.as_str() {
                "access_denied" => "The sign-in was declined in the browser".to_owned(),
                other => format!("{} did not sign in: {}", self.kept.issuer, token::code(other)),
            }));
        }
        let code = params.code.ok_or_else(|| Fault::refused("The answer has no code"))?;
        let grant = [
            ("grant_type", "authorization_code"),
            ("code", code.as_str()),
            ("redirect_uri", self.redirect.as_str()),
            ("code_verifier", self.verifier.expose()),
        ];
        token::get(&self.kept, &self.net, &grant, None, secrets, RealClock.now_ms()).await
    }
}

/// Signs in without a person, as the program itself (client credentials).
pub async fn unattended(wanted: Wanted, secrets: &Arc<dyn Secrets>) -> Result<SignedIn, Fault> {
    let net = wanted.net()?;
    let found = discovery::find(&net, &wanted).await?;
    let scopes = wanted.scopes(&found);
    let client = client::registered(&wanted.settings, &found)?.ok_or_else(|| {
        Fault::refused("To sign in without a person, the client id and its secret or key must be set for the server")
    })?;
    let kept = Kept::new(&wanted, found, client, scopes);
    let grant = [("grant_type", "client_credentials")];
    token::get(&kept, &net, &grant, None, secrets, RealClock.now_ms()).await
}

/// A new token for an old one.
pub async fn renew(before: &SignedIn, settings: &ToolSignIn, secrets: &Arc<dyn Secrets>) -> Result<SignedIn, Fault> {
    let net = net_of(before, settings)?;
    let now = RealClock.now_ms();
    match &before.refresh {
        // Without a person the program asks as itself: what it got to renew with may run out.
        Some(refresh) if !settings.unattended => {
            let grant = [("grant_type", "refresh_token"), ("refresh_token", refresh.expose())];
            token::get(&before.kept, &net, &grant, Some(refresh), secrets, now).await
        }
        _ if settings.unattended => {
            token::get(&before.kept, &net, &[("grant_type", "client_credentials")], None, secrets, now).await
        }
        _ => Err(Fault::new(Trouble::Ended, "The sign-in has run out, and cannot be renewed")),
    }
}

/// Takes tokens back where they were given, when that is offered. `false`: it is not.
pub async fn revoke(signed: &SignedIn, settings: &ToolSignIn, secrets: &Arc<dyn Secrets>) -> Result<bool, Fault> {
    // Somebody waits for this.
    let net = net_of(signed, settings)?.waiting(std::time::Duration::from_secs(8));
    token::revoke(signed, &net, secrets).await
}

fn net_of(signed: &SignedIn, settings: &ToolSignIn) -> Result<Net, Fault> {
    let issuer = settings.issuer.as_deref().map(url_of).transpose()?;
    Ok(Net::new(&url_of(&signed.kept.server)?, issuer.as_ref()))
}
