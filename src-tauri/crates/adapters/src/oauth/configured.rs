//! Tokens of a service that a person configured: a client id, perhaps a secret, and the service's endpoints. Nothing is
//! discovered and nothing is registered; the hosts that the secret may be sent to hold for the endpoints, too.

use super::client::{Method, Proof};
use super::net::Net;
use super::token::{self, Kept, Polled};
use super::{Fault, Issuer, Pending, SignedIn, Trouble, assertion, random_text};
use crate::clock::RealClock;
use signalbox_model::oauth::{ClientAuthentication, OAuthClient, OAuthGrant};
use signalbox_ports::secret::{AllowedHost, allows};
use signalbox_ports::{Clock, NoSecrets, Secret, Secrets};
use std::sync::Arc;
use std::time::Duration;
use url::Url;

/// The grant of a signed assertion (RFC 7523).
const JWT_BEARER: &str = "urn:ietf:params:oauth:grant-type:jwt-bearer";
/// Names of parameters that this program sets itself.
const OWN: [&str; 12] = [
    "client_id",
    "client_secret",
    "code",
    "code_challenge",
    "code_challenge_method",
    "code_verifier",
    "grant_type",
    "redirect_uri",
    "refresh_token",
    "response_type",
    "scope",
    "state",
];
/// Between two questions whether a person has entered the code, when the service does not say (RFC 8628).
const USUAL_INTERVAL_S: u64 = 5;
const LONGEST_INTERVAL_S: u64 = 60;
/// What a slow_down adds, seconds.
const SLOWER_S: u64 = 5;
/// How long a code is waited for at the most, seconds.
const LONGEST_CODE_S: u64 = 1_800;

/// A secret as far as signing in needs it.
pub struct ConfiguredClient<'a> {
    /// Name of the secret.
    pub name: &'a str,
    /// The client.
    pub client: &'a OAuthClient,
    /// The client's secret; empty for a public client.
    pub secret: &'a Secret,
    /// Where it may be sent.
    pub hosts: &'a [AllowedHost],
}

/// What is wrong with a client as it was configured, without a full stop.
pub fn check(client: &OAuthClient, secret: &Secret, hosts: &[AllowedHost]) -> Result<(), String> {
    let service = &client.service;
    if client.client_id.trim().is_empty() || client.client_id.chars().any(char::is_control) {
        return Err("The client id is missing, or has a character that cannot be sent".into());
    }
    let needed = match client.grant {
        OAuthGrant::AuthorizationCode => service.authorization_url.is_none().then_some("where people sign in"),
        OAuthGrant::DeviceCode => service.device_url.is_none().then_some("where device codes are requested"),
        OAuthGrant::ClientCredentials | OAuthGrant::ServiceAccount => None,
    };
    if let Some(what) = needed {
        return Err(format!("The address {what} is missing"));
    }
    if client.grant == OAuthGrant::ClientCredentials && secret.expose().is_empty() {
        return Err("To sign in without a person, the client needs a secret".into());
    }
    if client.grant == OAuthGrant::ServiceAccount {
        assertion::usable(secret).map_err(|fault| fault.message)?;
    }
    // The browser of a person goes to the authorization address; nothing secret is sent there.
    let sent = [Some(&service.token_url), service.device_url.as_ref(), service.revocation_url.as_ref()];
    for text in sent.into_iter().flatten() {
        let url = Net::of_token_url(&service.token_url).and_then(|net| net.address("address", text));
        let url = url.map_err(|fault| fault.message)?;
        allows(hosts, &url).map_err(|why| {
            format!(
                "The allowed hosts do not include the service that gives tokens, {}: {why}",
                url.host_str().unwrap_or_default()
            )
        })?;
    }
    if let Some(text) = &service.authorization_url {
        let net = Net::of_token_url(text).map_err(|fault| fault.message)?;
        net.address("address where people sign in", text).map_err(|fault| fault.message)?;
    }
    if let Some(name) = service.parameters.keys().find(|name| OWN.contains(&name.as_str())) {
        return Err(format!("The parameter '{name}' is set by this program"));
    }
    if let Some(redirect) = &client.redirect {
        super::redirect_server::RedirectPlace::parse(redirect)?;
    }
    Ok(())
}

impl ConfiguredClient<'_> {
    fn net(&self) -> Result<Net, Fault> {
        check(self.client, self.secret, self.hosts).map_err(Fault::refused)?;
        Net::of_token_url(&self.client.service.token_url)
    }

    /// As whom tokens are asked for.
    fn kept(&self, net: &Net) -> Result<Kept, Fault> {
        let service = &self.client.service;
        let token_endpoint = net.address("token endpoint", &service.token_url)?;
        let revocation = service.revocation_url.as_deref();
        let is_signed = self.client.grant == OAuthGrant::ServiceAccount;
        let (method, proof) = if self.secret.expose().is_empty() || is_signed {
            (Method::None, Proof::Nothing)
        } else {
            let method = match service.client_authentication {
                ClientAuthentication::Basic => Method::ClientSecretBasic,
                ClientAuthentication::Body => Method::ClientSecretPost,
            };
            (method, Proof::Given(Secret::new(self.secret.expose())))
        };
        Ok(Kept {
            id: uuid::Uuid::now_v7().to_string(),
            server: service.token_url.clone(),
            issuer: service.issuer.clone().unwrap_or_else(|| token_endpoint.host_str().unwrap_or_default().to_owned()),
            resource: None,
            token_endpoint,
            revocation_endpoint: revocation.map(|text| net.address("revocation endpoint", text)).transpose()?,
            client_id: self.client.client_id.clone(),
            method,
            proof,
            asked: service.scopes.clone(),
        })
    }

    fn scope(&self) -> Option<String> {
        let service = &self.client.service;
        let separator = service.scope_separator.as_deref().unwrap_or(" ");
        (!service.scopes.is_empty()).then(|| service.scopes.join(separator))
    }

    /// The address for a person's browser, which comes back to `redirect`.
    pub fn begin(&self, redirect: &str) -> Result<Pending, Fault> {
        let net = self.net()?;
        let kept = self.kept(&net)?;
        let service = &self.client.service;
        let missing = || Fault::refused("The address where people sign in is missing");
        let authorization = service.authorization_url.as_deref().ok_or_else(missing)?;
        let authorization = Net::of_token_url(authorization)?.address("address where people sign in", authorization)?;
        let issuer = match &service.issuer {
            Some(issuer) => Issuer::Named { issuer: issuer.clone(), promised: false },
            None => Issuer::SameHost(authorization.clone()),
        };
        let mut pending = Pending::new(authorization, redirect, kept, net, issuer)?;
        let mut pairs = pending.address.query_pairs_mut();
        if let Some(scope) = self.scope() {
            pairs.append_pair("scope", &scope);
        }
        pairs.extend_pairs(&service.parameters);
        drop(pairs);
        Ok(pending)
    }

    /// Signs in as the program itself.
    pub async fn unattended(&self) -> Result<SignedIn, Fault> {
        let net = self.net()?;
        let kept = self.kept(&net)?;
        if self.client.grant == OAuthGrant::ServiceAccount {
            let scope = self.scope().unwrap_or_default();
            let token_url = kept.token_endpoint.as_str();
            let signed = assertion::of_service_account(self.secret, &self.client.client_id, token_url, &scope)?;
            let grant = [("grant_type", JWT_BEARER), ("assertion", signed.as_str())];
            let signed = token::get(&kept, &net, &grant, None, &nobody(), RealClock.now_ms()).await?;
            return Ok(signed.without_proof());
        }
        let mut grant = vec![("grant_type", "client_credentials")];
        grant.extend(self.client.service.parameters.iter().map(|(name, value)| (name.as_str(), value.as_str())));
        let signed = token::get(&kept, &net, &grant, None, &nobody(), RealClock.now_ms()).await?;
        Ok(signed.without_proof())
    }

    /// New tokens for old ones; as the client is configured now, so that its secret may have been replaced.
    pub async fn renew(&self, before: &SignedIn) -> Result<SignedIn, Fault> {
        if self.client.grant.is_unattended() {
            return self.unattended().await.map(|signed| signed.with_id(&before.kept.id));
        }
        let Some(refresh) = &before.refresh else {
            let words = "The sign-in has run out, and the service gave nothing to renew it with";
            return Err(Fault::new(Trouble::Ended, words));
        };
        let net = self.net()?;
        let kept = Kept { id: before.kept.id.clone(), ..self.kept(&net)? };
        let grant = [("grant_type", "refresh_token"), ("refresh_token", refresh.expose())];
        let signed = token::get(&kept, &net, &grant, Some(refresh), &nobody(), RealClock.now_ms()).await?;
        Ok(signed.without_proof())
    }

    /// Takes tokens back where they were given, when that is offered. `false`: it is not.
    pub async fn revoke(&self, signed: &SignedIn) -> Result<bool, Fault> {
        // Somebody waits for this.
        let net = self.net()?.waiting(Duration::from_secs(8));
        token::revoke_as(&self.kept(&net)?, signed, &net, &nobody()).await
    }

    /// Asks for a code that a person enters on any device.
    pub async fn begin_device(&self) -> Result<DeviceSignIn, Fault> {
        let net = self.net()?;
        let kept = self.kept(&net)?;
        let missing = || Fault::refused("The address where device codes are requested is missing");
        let device = self.client.service.device_url.as_deref().ok_or_else(missing)?;
        let device = net.address("device endpoint", device)?;
        let scope = self.scope();
        let mut fields: Vec<(&str, &str)> = scope.iter().map(|scope| ("scope", scope.as_str())).collect();
        fields.extend(self.client.service.parameters.iter().map(|(name, value)| (name.as_str(), value.as_str())));
        let answer = token::send(&kept, &net, &device, &fields, &nobody()).await?;
        let body = answer.body.as_ref().filter(|_| answer.is_good());
        let Some(body) = body else { return Err(token::refusal(&kept, &answer, false)) };
        let text = |key: &str| body[key].as_str().filter(|text| !text.is_empty() && text.len() <= 2048);
        let bad = || Fault::refused(format!("{} gave no code that a person can enter", kept.issuer));
        let code = text("device_code").map(Secret::new).ok_or_else(bad)?;
        let user_code = text("user_code").filter(|code| code.len() <= 64 && code.bytes().all(|b| b.is_ascii_graphic()));
        let user_code = user_code.ok_or_else(bad)?.to_owned();
        // Google calls it otherwise.
        let page = text("verification_uri").or_else(|| text("verification_url")).ok_or_else(bad)?;
        let shown = |text: &str| Net::of_token_url(text)?.address("address for the code", text);
        let lasts = body["expires_in"].as_u64().unwrap_or(LONGEST_CODE_S).min(LONGEST_CODE_S);
        Ok(DeviceSignIn {
            user_code,
            page: shown(page)?,
            page_with_code: text("verification_uri_complete").map(shown).transpose()?,
            until_ms: RealClock.now_ms().saturating_add(i64::try_from(lasts).unwrap_or_default() * 1_000),
            interval_s: body["interval"].as_u64().unwrap_or(USUAL_INTERVAL_S).min(LONGEST_INTERVAL_S),
            code,
            kept,
            net,
        })
    }
}

/// A configured client has no secret of another name.
fn nobody() -> Arc<dyn Secrets> {
    Arc::new(NoSecrets)
}

/// A sign-in with a code that a person enters on any device.
pub struct DeviceSignIn {
    /// The code for the person.
    pub user_code: String,
    /// Where it is entered.
    pub page: Url,
    /// The same with the code in it.
    pub page_with_code: Option<Url>,
    /// Until when it holds, milliseconds since 1970.
    pub until_ms: i64,
    interval_s: u64,
    code: Secret,
    kept: Kept,
    net: Net,
}

impl DeviceSignIn {
    /// How long to wait before the next question.
    pub fn interval(&self) -> Duration {
        Duration::from_secs(self.interval_s)
    }

    /// Asks once; `None`: the person has not entered the code yet.
    pub async fn poll(&mut self) -> Result<Option<SignedIn>, Fault> {
        let now = RealClock.now_ms();
        if now >= self.until_ms {
            return Err(Fault::refused("The code ran out before it was entered; sign in again for a new one"));
        }
        let grant =
            [("grant_type", "urn:ietf:params:oauth:grant-type:device_code"), ("device_code", self.code.expose())];
        match token::poll(&self.kept, &self.net, &grant, &nobody(), now).await {
            Ok(Polled::Given(signed)) => Ok(Some(signed.without_proof())),
            Ok(Polled::Waits) => Ok(None),
            Ok(Polled::Slower) => {
                self.interval_s = (self.interval_s + SLOWER_S).min(LONGEST_INTERVAL_S);
                Ok(None)
            }
            // RFC 8628, 3.5: asked less often, and again.
            Err(fault) if fault.trouble == Trouble::Unreachable => {
                self.interval_s = (self.interval_s * 2).clamp(1, LONGEST_INTERVAL_S);
                Ok(None)
            }
            Err(fault) => Err(fault),
        }
    }
}

/// A state or verifier for [`Pending::new`].
pub(super) fn random_secret(bytes: usize) -> Result<Secret, Fault> {
    Ok(Secret::new(random_text(bytes)?.as_str()))
}
