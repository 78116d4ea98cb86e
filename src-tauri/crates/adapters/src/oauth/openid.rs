//! Signing people in by OpenID Connect: the provider that whoever runs the server named, found by its discovery document; the
//! authorization code with PKCE, state and nonce; the person from the ID token, and from the userinfo endpoint where the token
//! does not say enough. Why no library does it: ADR 204.

mod sealed;

use super::discovery::same as same_issuer;
use super::id_token::{Claims, Expected, Keys, Wrong, verified};
use super::net::{Answer, Net};
use super::{CallbackParams, Fault, Trouble, configured, token};
use crate::clock::RealClock;
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde_json::Value;
use signalbox_ports::{Clock, Secret};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{Mutex, RwLock};
use tokio::time::Instant;
use url::Url;

pub use sealed::SessionKey;

/// The discovery document is read again after this.
const FRESH: Duration = Duration::from_secs(3_600);
/// Times in a minute that keys are asked for because a token names another one.
const MOST_NEWER: u32 = 5;
const MINUTE: Duration = Duration::from_secs(60);

/// A client of a provider, as whoever runs the server configured it.
pub struct OpenIdClient {
    /// The provider, as it calls itself.
    pub issuer: Url,
    /// The id of this program there.
    pub client_id: String,
    /// Its secret; none for a public client.
    pub secret: Option<Secret>,
    /// Rights that are asked for, `openid` among them.
    pub scopes: Vec<String>,
}

/// A provider.
pub struct OpenIdProvider {
    client: OpenIdClient,
    /// As text, without a slash at the end.
    issuer: String,
    net: Net,
    found: RwLock<Option<(Arc<Found>, Instant)>>,
    keys: Mutex<Option<KnownKeys>>,
}

/// The keys of a provider, and when they were asked for.
struct KnownKeys {
    keys: Arc<Keys>,
    at: Instant,
    /// Since when, and how often, they were asked for because of a token.
    newer: (Instant, u32),
}

/// What the provider says about itself.
struct Found {
    /// As it calls itself, to the letter.
    issuer: String,
    authorization: Url,
    token: Url,
    keys: Url,
    userinfo: Option<Url>,
    end_session: Option<Url>,
    revocation: Option<Url>,
    methods: Vec<String>,
    says_issuer: bool,
}

/// A sign-in that waits for a person.
pub struct PendingPerson {
    /// For the person's browser.
    pub address: Url,
    state: Secret,
    nonce: Secret,
    verifier: Secret,
    redirect: String,
}

/// A person that the provider vouches for.
pub struct Person {
    /// Who, by the id that never changes.
    pub subject: String,
    /// Everything that was told: by the ID token, then by the userinfo endpoint.
    pub claims: Claims,
    /// What the ID token said.
    token: Claims,
    /// Renews the sign-in.
    pub refresh: Option<Secret>,
}

impl PendingPerson {
    /// What the browser brings back has this.
    pub fn is_for(&self, params: &CallbackParams) -> bool {
        params.is_for(&self.state)
    }
}

impl OpenIdProvider {
    /// Refuses an issuer that is not safe to ask; the provider itself is not asked yet.
    pub fn new(client: OpenIdClient) -> Result<Self, Fault> {
        let net = Net::new(&client.issuer, Some(&client.issuer));
        net.address("issuer", client.issuer.as_str())?;
        if client.issuer.query().is_some() {
            return Err(Fault::refused(format!("The issuer '{}' has a query, which no issuer has", client.issuer)));
        }
        let issuer = client.issuer.as_str().trim_end_matches('/').to_owned();
        Ok(Self { client, issuer, net, found: RwLock::default(), keys: Mutex::default() })
    }

    /// The provider, for people.
    pub fn issuer(&self) -> &str {
        &self.issuer
    }

    /// Asks the provider about itself, so that a wrong setting is known at the start.
    pub async fn check(&self) -> Result<(), Fault> {
        let found = self.found().await?;
        self.keys(&found, false).await.map(drop)
    }

    async fn found(&self) -> Result<Arc<Found>, Fault> {
        let kept = self.found.read().await.clone();
        if let Some((found, at)) = &kept
            && at.elapsed() < FRESH
        {
            return Ok(Arc::clone(found));
        }
        match self.discover().await {
            Ok(found) => {
                let found = Arc::new(found);
                *self.found.write().await = Some((Arc::clone(&found), Instant::now()));
                Ok(found)
            }
            // What was found before is as good as it was.
            Err(fault) => match kept {
                Some((found, _)) if fault.trouble == Trouble::Unreachable => Ok(found),
                _ => Err(fault),
            },
        }
    }

    async fn discover(&self) -> Result<Found, Fault> {
        let address = format!("{}/.well-known/openid-configuration", self.issuer);
        let address = self.net.address("discovery document", &address)?;
        let said = match self.net.get(&address).await? {
            Answer { status: 200..=299, body: Some(body) } => body,
            Answer { status: 500.., .. } => {
                return Err(Fault::unreachable(format!("{address} answered with an error of the server")));
            }
            Answer { status, .. } => {
                let words = format!("{address} answered {status} without a discovery document of OpenID Connect");
                return Err(Fault::refused(words));
            }
        };
        if !said["issuer"].as_str().is_some_and(|told| same_issuer(told, &self.issuer)) {
            let told: String = said["issuer"].as_str().unwrap_or("nothing").chars().take(200).collect();
            return Err(Fault::refused(format!("{} calls itself '{told}'; name it as it calls itself", self.issuer)));
        }
        let at = |key: &str| {
            let text = said[key].as_str();
            text.map(|text| self.net.address(&key.replace('_', " "), text)).transpose()
        };
        let missing = |what: &str| Fault::refused(format!("{} does not say where {what}", self.issuer));
        let words = |key: &str| -> Vec<String> {
            said[key].as_array().into_iter().flatten().filter_map(Value::as_str).map(str::to_owned).collect()
        };
        let methods = words("code_challenge_methods_supported");
        if !methods.is_empty() && !methods.iter().any(|method| method == "S256") {
            return Err(Fault::refused(format!("{} does not offer PKCE with S256", self.issuer)));
        }
        let algorithms = words("id_token_signing_alg_values_supported");
        if !algorithms.is_empty() && !algorithms.iter().any(|one| matches!(one.as_str(), "RS256" | "ES256" | "EdDSA")) {
            let words = format!("{} signs with none of RS256, ES256 and EdDSA, which alone are accepted", self.issuer);
            return Err(Fault::refused(words));
        }
        Ok(Found {
            issuer: said["issuer"].as_str().unwrap_or_default().to_owned(),
            authorization: at("authorization_endpoint")?.ok_or_else(|| missing("people sign in"))?,
            token: at("token_endpoint")?.ok_or_else(|| missing("tokens are given"))?,
            keys: at("jwks_uri")?.ok_or_else(|| missing("its keys are"))?,
            userinfo: at("userinfo_endpoint")?,
            end_session: at("end_session_endpoint")?,
            revocation: at("revocation_endpoint")?,
            methods: words("token_endpoint_auth_methods_supported"),
            says_issuer: said["authorization_response_iss_parameter_supported"] == true,
        })
    }

    /// The keys of the provider; `newer`: those that there are do not have the one that is needed.
    async fn keys(&self, found: &Found, newer: bool) -> Result<Arc<Keys>, Fault> {
        let mut kept = self.keys.lock().await;
        let mut counted = (Instant::now(), 0);
        if let Some(known) = &*kept {
            if known.newer.0.elapsed() < MINUTE {
                counted = known.newer;
            }
            if known.at.elapsed() < FRESH && (!newer || counted.1 >= MOST_NEWER) {
                return Ok(Arc::clone(&known.keys));
            }
        }
        counted.1 += u32::from(newer);
        let host = found.keys.host_str().unwrap_or_default();
        let said = match self.net.get(&found.keys).await? {
            Answer { status: 200..=299, body: Some(body) } => body,
            Answer { status, .. } => {
                return Err(Fault::unreachable(format!("{host} answered {status} when it was asked for its keys")));
            }
        };
        let keys = Keys::of(&said);
        if keys.is_empty() {
            return Err(Fault::refused(format!("{host} has no key for RS256, ES256 or EdDSA")));
        }
        let keys = Arc::new(keys);
        *kept = Some(KnownKeys { keys: Arc::clone(&keys), at: Instant::now(), newer: counted });
        Ok(keys)
    }

    /// The address for a person's browser, which comes back to `redirect`.
    pub async fn begin(&self, redirect: &str) -> Result<PendingPerson, Fault> {
        let found = self.found().await?;
        let (state, nonce, verifier) =
            (configured::random_secret(32)?, configured::random_secret(32)?, configured::random_secret(48)?);
        let challenge = ring::digest::digest(&ring::digest::SHA256, verifier.expose().as_bytes());
        let mut address = found.authorization.clone();
        address
            .query_pairs_mut()
            .append_pair("response_type", "code")
            .append_pair("client_id", &self.client.client_id)
            .append_pair("redirect_uri", redirect)
            .append_pair("scope", &self.client.scopes.join(" "))
            .append_pair("state", state.expose())
            .append_pair("nonce", nonce.expose())
            .append_pair("code_challenge", &URL_SAFE_NO_PAD.encode(challenge))
            .append_pair("code_challenge_method", "S256");
        if self.client.scopes.iter().any(|scope| scope == "offline_access") {
            // OpenID Connect gives offline access only with consent (Core 1.0, 11).
            address.query_pairs_mut().append_pair("prompt", "consent");
        }
        Ok(PendingPerson { address, state, nonce, verifier, redirect: redirect.to_owned() })
    }

    /// Who signed in, by what the browser brought.
    pub async fn finish(&self, pending: PendingPerson, params: CallbackParams) -> Result<Person, Fault> {
        let found = self.found().await?;
        // Before anything else of the answer is believed: it may be another server's (mix-up).
        match params.issuer.as_deref() {
            Some(told) if !same_issuer(told, &self.issuer) => {
                return Err(Fault::refused("The answer is from another provider than the one that was asked"));
            }
            None if found.says_issuer => {
                return Err(Fault::refused("The answer does not name its issuer, although the provider promises it"));
            }
            _ => {}
        }
        if let Some(error) = params.error.as_deref() {
            return Err(Fault::refused(match error {
                "access_denied" => "The sign-in was declined at the provider".to_owned(),
                other => format!("{} did not sign in: {}", self.issuer, token::code(other)),
            }));
        }
        let code = params.code.as_ref().ok_or_else(|| Fault::refused("The answer has no code"))?;
        let grant = [
            ("grant_type", "authorization_code"),
            ("code", code.as_str()),
            ("redirect_uri", pending.redirect.as_str()),
            ("code_verifier", pending.verifier.expose()),
        ];
        let body = self.tokens(&found, &grant, false).await?;
        let token = body["id_token"].as_str().ok_or_else(|| {
            Fault::refused(format!("{} gave no ID token; the client there must be one of OpenID Connect", self.issuer))
        })?;
        let claims = self.claims(&found, token, Some(pending.nonce.expose())).await?;
        self.person(&found, claims, &body, None).await
    }

    /// The same person again, if the provider still vouches for them. `Trouble::Ended`: it does not.
    pub async fn renew(&self, before: &Person) -> Result<Person, Fault> {
        let ended = |words: String| Fault::new(Trouble::Ended, words);
        let Some(refresh) = &before.refresh else {
            return Err(ended("The sign-in has run out, and the provider gave nothing to renew it with".into()));
        };
        let found = self.found().await?;
        let grant = [("grant_type", "refresh_token"), ("refresh_token", refresh.expose())];
        let body = self.tokens(&found, &grant, true).await?;
        // Core 1.0, 12.2: a token may come along. Without one the person and what is known of them stay.
        let claims = match body["id_token"].as_str() {
            Some(token) => self.claims(&found, token, None).await?,
            None => before.token.clone(),
        };
        if claims.get("sub").and_then(Value::as_str) != Some(before.subject.as_str()) {
            return Err(ended(format!("{} renewed the sign-in for another person", self.issuer)));
        }
        self.person(&found, claims, &body, Some(refresh)).await
    }

    async fn claims(&self, found: &Found, token: &str, nonce: Option<&str>) -> Result<Claims, Fault> {
        let now_s = RealClock.now_ms() / 1_000;
        let expected = Expected { issuer: &found.issuer, client: &self.client.client_id, nonce, now_s };
        let check = |keys: &Keys| verified(token, keys, &expected);
        let mut done = check(&*self.keys(found, false).await?);
        if done == Err(Wrong::UnknownKey) {
            // It may have changed its keys.
            done = check(&*self.keys(found, true).await?);
        }
        done.map_err(|wrong| match wrong {
            Wrong::UnknownKey => Fault::refused(format!("{}: no key of the provider signed its ID token", self.issuer)),
            Wrong::Because(why) => Fault::refused(format!("{}: its ID token {why}", self.issuer)),
        })
    }

    /// Adds what the userinfo endpoint says: many providers name groups only there.
    async fn person(
        &self,
        found: &Found,
        claims: Claims,
        body: &Value,
        before: Option<&Secret>,
    ) -> Result<Person, Fault> {
        let subject = claims.get("sub").and_then(Value::as_str).unwrap_or_default().to_owned();
        let mut all = claims.clone();
        if let (Some(endpoint), Some(access)) = (&found.userinfo, body["access_token"].as_str()) {
            let answer = self.net.get_with(endpoint, &format!("Bearer {access}")).await?;
            let said = answer.body.as_ref().filter(|_| answer.is_good()).and_then(Value::as_object);
            match said {
                // Core 1.0, 5.3.2: an answer about somebody else is none.
                Some(said) if said.get("sub").and_then(Value::as_str) == Some(subject.as_str()) => {
                    for (name, value) in said {
                        all.entry(name.clone()).or_insert_with(|| value.clone());
                    }
                }
                Some(_) => return Err(Fault::refused(format!("{} told about another person", self.issuer))),
                None if answer.status == 429 || answer.status >= 500 => {
                    let words = format!("{} answered {} when it was asked about a person", self.issuer, answer.status);
                    return Err(Fault::unreachable(words));
                }
                // It is signed, or not given to this client: the ID token has to say enough.
                None => {}
            }
        }
        let given = body["refresh_token"].as_str().filter(|text| !text.is_empty()).map(Secret::new);
        let refresh = given.or_else(|| before.map(|old| Secret::new(old.expose())));
        Ok(Person { subject, claims: all, token: claims, refresh })
    }

    /// What the token endpoint answers.
    async fn tokens(&self, found: &Found, grant: &[(&str, &str)], renews: bool) -> Result<Value, Fault> {
        let answer = self.form(found, &found.token, grant).await?;
        if let Some(body) = answer.body.as_ref().filter(|_| answer.is_good()) {
            return Ok(body.clone());
        }
        let said = answer.body.as_ref().and_then(|body| body["error"].as_str());
        if answer.status == 429 || answer.status >= 500 || (renews && said.is_none()) {
            let words = format!("{} answered {} when it was asked for a token", self.issuer, answer.status);
            return Err(Fault::unreachable(words));
        }
        let words = said.map_or_else(|| format!("it answered {}", answer.status), token::code);
        let trouble = if renews { Trouble::Ended } else { Trouble::Refused };
        Err(Fault::new(trouble, format!("{} gave no token: {words}", self.issuer)))
    }

    async fn form(&self, found: &Found, endpoint: &Url, fields: &[(&str, &str)]) -> Result<Answer, Fault> {
        let mut fields = fields.to_vec();
        let offers = |name: &str| found.methods.iter().any(|method| method == name);
        let mut header = None;
        match &self.client.secret {
            None => fields.push(("client_id", &self.client.client_id)),
            Some(secret) if offers("client_secret_post") && !offers("client_secret_basic") => {
                fields.push(("client_id", &self.client.client_id));
                fields.push(("client_secret", secret.expose()));
            }
            Some(secret) => header = Some(token::basic(&self.client.client_id, secret)),
        }
        self.net.form(endpoint, &fields, header.as_ref().map(|text| text.as_str())).await
    }

    /// Takes what renews a sign-in back, where that is offered: nobody else may use it.
    pub async fn revoke(&self, person: &Person) {
        let Some(refresh) = &person.refresh else { return };
        let Ok(found) = self.found().await else { return };
        if let Some(endpoint) = &found.revocation {
            let fields = [("token", refresh.expose()), ("token_type_hint", "refresh_token")];
            // Nobody waits for it; it ends by itself.
            drop(self.form(&found, endpoint, &fields).await);
        }
    }

    /// Where a person signs out of the provider as well, if it says so.
    pub async fn sign_out_address(&self) -> Option<Url> {
        let found = self.found().await.ok()?;
        let mut address = found.end_session.clone()?;
        address.query_pairs_mut().append_pair("client_id", &self.client.client_id);
        Some(address)
    }
}
