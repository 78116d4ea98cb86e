//! The token endpoint: tokens for a code, new tokens for old ones, and taking them back.

use super::client::{Client, Method, Proof};
use super::discovery::Found;
use super::net::{Answer, Net};
use super::{Fault, Trouble, Wanted, assertion, challenge, random_text};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use signalbox_model::secret_ref;
use signalbox_ports::secret::allows;
use signalbox_ports::{Credential, Secret, Secrets};
use std::sync::Arc;
use url::Url;
use zeroize::Zeroizing;

/// A token that ends so soon is renewed before it goes along, milliseconds.
const EARLY: i64 = 30_000;
/// Longest token.
const LONGEST: usize = 32 * 1024;
/// Longest words of an authorization server in a message.
const WORDS: usize = 80;

/// Secrets as they are written into the encrypted file, and nowhere else.
pub(super) mod plain {
    use serde::{Deserialize, Deserializer, Serializer};
    use signalbox_ports::Secret;

    pub(crate) fn serialize<S: Serializer>(secret: &Secret, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(secret.expose())
    }
    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Secret, D::Error> {
        String::deserialize(from).map(Secret::new)
    }

    pub(crate) mod maybe {
        use super::{Deserialize, Deserializer, Secret, Serializer};

        pub(crate) fn serialize<S: Serializer>(secret: &Option<Secret>, to: S) -> Result<S::Ok, S::Error> {
            match secret {
                Some(secret) => to.serialize_some(secret.expose()),
                None => to.serialize_none(),
            }
        }
        pub(crate) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Secret>, D::Error> {
            Ok(Option::<String>::deserialize(from)?.map(Secret::new))
        }
    }
}

impl Clone for Proof {
    fn clone(&self) -> Self {
        match self {
            Self::Nothing => Self::Nothing,
            Self::Given(secret) => Self::Given(Secret::new(secret.expose())),
            Self::Named(name) => Self::Named(name.clone()),
        }
    }
}

/// What stays of a sign-in when its token changes.
#[derive(Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Kept {
    /// One sign-in; another one has another.
    pub id: String,
    /// The address of the server that it is for, as it was registered. No other one gets its token.
    pub server: String,
    /// The authorization server.
    pub issuer: String,
    /// What tokens are for (RFC 8707), where that is told.
    #[serde(default)]
    pub(super) resource: Option<String>,
    pub(super) token_endpoint: Url,
    #[serde(default)]
    pub(super) revocation_endpoint: Option<Url>,
    pub(super) client_id: String,
    pub(super) method: Method,
    pub(super) proof: Proof,
    /// The rights that were asked for.
    pub asked: Vec<String>,
}

impl Kept {
    pub(super) fn new(wanted: &Wanted, found: Found, client: Client, asked: Vec<String>) -> Self {
        let Client { id: client_id, method, proof } = client;
        Self {
            id: uuid::Uuid::now_v7().to_string(),
            server: wanted.server.clone(),
            issuer: found.issuer,
            resource: Some(found.resource),
            token_endpoint: found.token_endpoint,
            revocation_endpoint: found.revocation_endpoint,
            client_id,
            method,
            proof,
            asked,
        }
    }

    pub(super) fn client_id(&self) -> &str {
        &self.client_id
    }
}

/// A sign-in, with its tokens. It has no `Debug`, and is written into the encrypted file of the secrets alone.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SignedIn {
    /// What stays.
    pub kept: Kept,
    #[serde(with = "plain")]
    access: Secret,
    #[serde(default, with = "plain::maybe")]
    pub(super) refresh: Option<Secret>,
    /// When the token was given, milliseconds since 1970.
    #[serde(default)]
    given_ms: i64,
    /// When the token runs out, milliseconds since 1970, as far as that was told.
    #[serde(default)]
    pub expires_ms: Option<i64>,
    /// The rights that it has.
    pub scopes: Vec<String>,
}

impl SignedIn {
    /// The token, for the one that sends it.
    pub fn access(&self) -> &Secret {
        &self.access
    }

    /// Without the client's secret, which is kept elsewhere.
    pub fn without_proof(mut self) -> Self {
        self.kept.proof = Proof::Nothing;
        self
    }

    /// As the same sign-in as before.
    pub(super) fn with_id(mut self, id: &str) -> Self {
        id.clone_into(&mut self.kept.id);
        self
    }

    /// Everything in it that is secret, for whoever hides it.
    pub fn secrets(&self) -> impl Iterator<Item = &Secret> {
        let given = match &self.kept.proof {
            Proof::Given(secret) => Some(secret),
            Proof::Nothing | Proof::Named(_) => None,
        };
        [Some(&self.access), self.refresh.as_ref(), given].into_iter().flatten()
    }

    /// Whether its token is over, or will be before a request with it has arrived.
    pub fn is_over(&self, now_ms: i64) -> bool {
        // Of a token that lasts for seconds, a part of them.
        self.expires_ms.is_some_and(|ends| ends - EARLY.min((ends - self.given_ms) / 4) <= now_ms)
    }

    /// Whether it can be renewed without a person.
    pub fn renews(&self) -> bool {
        self.refresh.is_some()
    }

    /// Whether both are the same tokens.
    pub fn is(&self, other: &Self) -> bool {
        self.access.expose() == other.access.expose()
    }
}

/// A word of an authorization server as it may be shown: codes of errors have a shape, anything else stays out.
pub(super) fn code(text: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.' | ' ');
    let short: String = text.chars().filter(|c| plain(*c)).take(WORDS).collect();
    if short.is_empty() { "it did not say why".into() } else { short }
}

/// Asks the token endpoint. `before`: the refresh token that stays when no new one comes.
pub(super) async fn get(
    kept: &Kept,
    net: &Net,
    grant: &[(&str, &str)],
    before: Option<&Secret>,
    secrets: &Arc<dyn Secrets>,
    now_ms: i64,
) -> Result<SignedIn, Fault> {
    let mut fields = grant.to_vec();
    fields.extend(kept.resource.iter().map(|resource| ("resource", resource.as_str())));
    let asked = kept.asked.join(" ");
    // A code has its rights already.
    if !asked.is_empty() && grant.first() == Some(&("grant_type", "client_credentials")) {
        fields.push(("scope", &asked));
    }
    let answer = send(kept, net, &kept.token_endpoint, &fields, secrets).await?;
    given(kept, &answer, before, now_ms)
}

/// What a question whether a person has entered a code was answered with.
pub(super) enum Polled {
    /// The tokens.
    Given(Box<SignedIn>),
    /// Not yet.
    Waits,
    /// Not yet, and it was asked too often.
    Slower,
}

/// Asks the token endpoint for the tokens of a device code (RFC 8628, 3.5).
pub(super) async fn poll(
    kept: &Kept,
    net: &Net,
    grant: &[(&str, &str)],
    secrets: &Arc<dyn Secrets>,
    now_ms: i64,
) -> Result<Polled, Fault> {
    let answer = send(kept, net, &kept.token_endpoint, grant, secrets).await?;
    match answer.body.as_ref().and_then(|body| body["error"].as_str()) {
        Some("authorization_pending") => Ok(Polled::Waits),
        Some("slow_down") => Ok(Polled::Slower),
        Some("expired_token") => {
            Err(Fault::refused("The code ran out before it was entered; sign in again for a new one"))
        }
        Some("access_denied") => Err(Fault::refused("The sign-in was declined in the browser")),
        _ => given(kept, &answer, None, now_ms).map(|signed| Polled::Given(Box::new(signed))),
    }
}

/// The tokens of an answer.
fn given(kept: &Kept, answer: &Answer, before: Option<&Secret>, now_ms: i64) -> Result<SignedIn, Fault> {
    let body = answer.body.as_ref().unwrap_or(&Value::Null);
    // Some services say "no" with status 200.
    if !answer.is_good() || (body["error"].is_string() && body["access_token"].is_null()) {
        return Err(refusal(kept, answer, before.is_some()));
    }
    let token = |key: &str| {
        let text = body[key].as_str().filter(|text| !text.is_empty())?;
        (text.len() <= LONGEST && text.bytes().all(|byte| byte.is_ascii_graphic())).then(|| Secret::new(text))
    };
    let bad = |why: &str| Fault::refused(format!("{} gave no token that can be used: {why}", kept.issuer));
    let access = token("access_token").ok_or_else(|| bad("its answer has none"))?;
    // Services of no standard call it `bot` or `user`, or say nothing; what is bound to a key is of no use here.
    let bearer = match body["token_type"].as_str() {
        Some(kind) if kept.resource.is_some() => kind.eq_ignore_ascii_case("bearer"),
        Some(kind) => !["mac", "dpop", "pop"].iter().any(|bound| kind.eq_ignore_ascii_case(bound)),
        None => kept.resource.is_none(),
    };
    if !bearer {
        return Err(bad("it is no bearer token"));
    }
    let seconds = match &body["expires_in"] {
        Value::String(text) => text.trim().parse().ok(),
        other => other.as_f64(),
    };
    // A hundred years are for ever; what is no number says nothing.
    let lasts =
        seconds.filter(|seconds| seconds.is_finite()).map(|seconds| (seconds.clamp(0.0, 3.2e9) * 1000.0) as i64);
    let told = body["scope"].as_str().map(challenge::scopes).filter(|scopes| !scopes.is_empty());
    Ok(SignedIn {
        kept: kept.clone(),
        access,
        refresh: token("refresh_token").or_else(|| before.map(|old| Secret::new(old.expose()))),
        given_ms: now_ms,
        expires_ms: lasts.map(|lasts| now_ms.saturating_add(lasts)),
        scopes: told.unwrap_or_else(|| kept.asked.clone()),
    })
}

/// Codes of a sign-in that is over, also of services that name it differently.
const OVER: [&str; 7] = [
    "invalid_grant",
    "invalid_client",
    "unauthorized_client",
    "invalid_refresh_token",
    "bad_refresh_token",
    "token_revoked",
    "token_expired",
];

/// What a "no" of the token endpoint means.
pub(super) fn refusal(kept: &Kept, answer: &Answer, renewing: bool) -> Fault {
    let said = answer.body.as_ref().and_then(|body| body["error"].as_str());
    if answer.status == 429 || answer.status >= 500 {
        return Fault::unreachable(format!("{} answered {} when it was asked for a token", kept.issuer, answer.status));
    }
    let over = said.is_some_and(|said| OVER.contains(&said));
    let words = said.map_or_else(|| format!("it answered {}", answer.status), code);
    if renewing && said.is_none() {
        // Not in the words of the protocol: a wall or a deployment in between, which ends nothing.
        return Fault::unreachable(format!("{} {words} when it was asked for a token", kept.issuer));
    }
    if renewing && over {
        return Fault::new(Trouble::Ended, format!("{} does not renew the sign-in: {words}", kept.issuer));
    }
    Fault::refused(format!("{} gave no token: {words}", kept.issuer))
}

/// Sends a form as the client of a sign-in.
pub(super) async fn send(
    kept: &Kept,
    net: &Net,
    endpoint: &Url,
    fields: &[(&str, &str)],
    secrets: &Arc<dyn Secrets>,
) -> Result<Answer, Fault> {
    // What was kept may be older than a rule.
    let endpoint = net.address("token endpoint", endpoint.as_str())?;
    let mut fields = fields.to_vec();
    let named;
    let secret = match &kept.proof {
        Proof::Nothing => None,
        Proof::Given(secret) => Some(secret),
        Proof::Named(name) => {
            named = credential(name, &endpoint, secrets).await?;
            Some(&named.value)
        }
    };
    let missing = || Fault::new(Trouble::Secret, "The secret of the client is not there");
    let (assertion, header);
    let mut authorization = None;
    match kept.method {
        Method::None => fields.push(("client_id", &kept.client_id)),
        Method::ClientSecretPost => {
            fields.push(("client_id", &kept.client_id));
            fields.push(("client_secret", secret.ok_or_else(missing)?.expose()));
        }
        Method::ClientSecretBasic => {
            header = basic(&kept.client_id, secret.ok_or_else(missing)?);
            authorization = Some(header.as_str());
        }
        Method::PrivateKeyJwt => {
            let unique = random_text(16)?;
            assertion = assertion::made(secret.ok_or_else(missing)?, &kept.client_id, &kept.issuer, &unique)?;
            fields.push(("client_id", &kept.client_id));
            fields.push(("client_assertion_type", "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"));
            fields.push(("client_assertion", &assertion));
        }
    }
    net.form(&endpoint, &fields, authorization).await
}

/// RFC 6749, 2.3.1: both are written as in a form before they are joined.
pub(super) fn basic(id: &str, secret: &Secret) -> Zeroizing<String> {
    let written =
        |text: &str| Zeroizing::new(url::form_urlencoded::byte_serialize(text.as_bytes()).collect::<String>());
    let pair = Zeroizing::new(format!("{}:{}", *written(id), *written(secret.expose())));
    Zeroizing::new(format!("Basic {}", STANDARD.encode(pair.as_bytes())))
}

/// A secret of this machine, when it may go to an address.
async fn credential(given: &str, to: &Url, secrets: &Arc<dyn Secrets>) -> Result<Arc<Credential>, Fault> {
    let fault = |message: String| Fault::new(Trouble::Secret, message);
    let name = secret_ref::reference(given).ok_or_else(|| fault(format!("'{given}' names no secret")))?;
    let found = secrets.credential(name).await.map_err(|error| fault(error.into_message()))?;
    allows(&found.hosts, to).map_err(|why| fault(format!("The secret '{name}' was not sent: {why}")))?;
    Ok(found)
}

/// Takes the tokens back: the one that renews, which ends the others, else the one that there is.
pub(super) async fn revoke(signed: &SignedIn, net: &Net, secrets: &Arc<dyn Secrets>) -> Result<bool, Fault> {
    revoke_as(&signed.kept, signed, net, secrets).await
}

/// [`revoke`] as another client.
pub(super) async fn revoke_as(
    kept: &Kept,
    signed: &SignedIn,
    net: &Net,
    secrets: &Arc<dyn Secrets>,
) -> Result<bool, Fault> {
    let Some(endpoint) = &kept.revocation_endpoint else { return Ok(false) };
    let (token, hint) = match &signed.refresh {
        Some(refresh) => (refresh, "refresh_token"),
        None => (&signed.access, "access_token"),
    };
    let fields = [("token", token.expose()), ("token_type_hint", hint)];
    let answer = send(kept, net, endpoint, &fields, secrets).await?;
    if answer.is_good() {
        return Ok(true);
    }
    Err(Fault::unreachable(format!(
        "{} answered {} when it was asked to take the sign-in back",
        kept.issuer, answer.status
    )))
}
