//! Addresses of webhooks: what is shown of them, and credentials that must not stand in them.

use super::{AnchorKind, Target};
use crate::error::{ApiError, Class};
use signalbox_ports::secret::AllowedHost;
use signalbox_ports::{CredentialKind, Secret};
use url::Url;

/// What is told at a place of before whose credential could not become a secret yet.
pub(super) const STILL_PLAIN: &str = "Its address holds a credential, readable in the data folder. Choose a place for the key \
     of the secrets (Settings, Secrets), then anchor again: it becomes a secret by itself. If it does not, remove this place and \
     add it anew with `signalbox audit anchor add --url ADDRESS --credential secret://NAME`.";

/// Parameters that hold a credential, without what is no letter or digit.
const NAMES: &[&str] = &["auth", "code", "key", "pass", "pwd", "sas", "sig", "user"];
/// Words in longer names of such parameters.
const PARTS: &[&str] =
    &["accesskey", "apikey", "authorization", "credential", "password", "passwd", "secret", "signature", "token"];
/// A value of so many letters and digits was made by a machine.
const RANDOM: usize = 20;

/// An address without what may be secret in it.
pub(super) fn shown(kind: AnchorKind, place: &str) -> String {
    if kind == AnchorKind::File {
        return place.to_owned();
    }
    let plain = place.split(['?', '#']).next().unwrap_or_default();
    match plain.split_once("://") {
        Some((scheme, rest)) => {
            let (host, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
            format!("{scheme}://{}{path}", host.rsplit('@').next().unwrap_or_default())
        }
        None => plain.to_owned(),
    }
}

fn is_secret(name: &str, value: &str) -> bool {
    let plain: String = name.chars().filter(char::is_ascii_alphanumeric).map(|c| c.to_ascii_lowercase()).collect();
    let random = value.len() >= RANDOM
        && value.chars().any(|c| c.is_ascii_digit())
        && value.chars().any(|c| c.is_ascii_alphabetic());
    random || NAMES.contains(&plain.as_str()) || PARTS.iter().any(|part| plain.contains(part))
}

/// Whether an address holds a credential, as far as that shows: a user or password, or a parameter with a telling name or a
/// value that a machine made. A path is not looked at.
pub(super) fn is_telling(place: &str) -> bool {
    let Ok(url) = Url::parse(place) else { return false };
    !url.username().is_empty()
        || url.password().is_some()
        || url.query_pairs().any(|(name, value)| is_secret(&name, &value))
}

/// What is said about such an address.
pub(super) fn refused(place: &str) -> ApiError {
    let message = format!(
        "The address holds a credential. It would stand readable in the data folder, and {} alone is what is shown.",
        shown(AnchorKind::Webhook, place)
    );
    let hint = "Keep it as a secret (Settings, Secrets, or `signalbox secret set NAME`), and name that: credential \
                secret://NAME, at the command line --credential.";
    ApiError::new(Class::BadRequest, "PLAIN_CREDENTIAL", message, hint)
}

/// The one credential of an address, taken out of it.
pub(super) struct Movable {
    pub(super) place: String,
    pub(super) kind: CredentialKind,
    pub(super) value: Secret,
    pub(super) host: AllowedHost,
}

/// The credential of a webhook's address, when one secret can stand for it.
pub(super) fn movable(target: &Target) -> Option<Movable> {
    if target.kind != AnchorKind::Webhook {
        return None;
    }
    let mut url = Url::parse(&target.place).ok()?;
    let secrets: Vec<(String, String)> = url
        .query_pairs()
        .filter(|(name, value)| is_secret(name, value))
        .map(|(name, value)| (name.into_owned(), value.into_owned()))
        .collect();
    let decoded = |text: &str| {
        url::form_urlencoded::parse(format!("a={}", text.replace('+', "%2B")).as_bytes())
            .next()
            .map(|(_, value)| value.into_owned())
    };
    let (kind, value) = match (url.username(), url.password(), secrets.as_slice()) {
        (user, Some(password), []) => (CredentialKind::Basic { user: decoded(user)? }, decoded(password)?),
        ("", None, [(name, value)]) => (CredentialKind::Query { name: name.clone() }, value.clone()),
        _ => return None,
    };
    url.set_username("").ok()?;
    url.set_password(None).ok()?;
    url.set_fragment(None);
    if !secrets.is_empty() {
        let rest: Vec<(String, String)> = url
            .query_pairs()
            .filter(|(name, value)| !is_secret(name, value))
            .map(|(name, value)| (name.into_owned(), value.into_owned()))
            .collect();
        if rest.is_empty() {
            url.set_query(None);
        } else {
            url.query_pairs_mut().clear().extend_pairs(rest);
        }
    }
    let scheme = if url.scheme() == "http" { "http://" } else { "" };
    let port = url.port().map(|port| format!(":{port}")).unwrap_or_default();
    let host = AllowedHost::parse(&format!("{scheme}{}{port}", url.host_str()?)).ok()?;
    Some(Movable { place: url.to_string(), kind, value: Secret::new(value), host })
}
