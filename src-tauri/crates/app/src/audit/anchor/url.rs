//! Addresses of anchors that hold a credential from before: it becomes a secret.

use super::{AnchorKind, Target};
use crate::host::outgoing::is_secret;
use signalbox_ports::secret::AllowedHost;
use signalbox_ports::{CredentialKind, Secret};
use url::Url;

/// What is told at a place of before whose credential could not become a secret yet.
pub(super) const STILL_PLAIN: &str = "Its address holds a credential, readable in the data folder. Choose a place for the key \
     of the secrets (Settings, Secrets), then anchor again: it is stored as a secret automatically. If it does not, remove this place and \
     add it anew with `signalbox audit anchor add --url ADDRESS --credential secret://NAME`.";

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
    // Of what a form reads, only its `%` stand for something before a host.
    let decoded = |text: &str| {
        let text = text.replace('+', "%2B").replace('&', "%26");
        url::form_urlencoded::parse(format!("a={text}").as_bytes()).next().map(|(_, value)| value.into_owned())
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
