//! What Signalbox itself sends to an address that a person named: checkpoints of the audit chain, news of tasks. It follows
//! the rules of requests (TRUST, SSRF): public addresses, and loopback when a person on this machine named it. A redirect is
//! no answer: what was to be told would not arrive with it.

use crate::app::App;
use crate::caller::Caller;
use crate::error::{ApiError, ApiResult, Class};
use signalbox_adapters::address;
use signalbox_adapters::vault::Entry;
use signalbox_model::secret_ref;
use signalbox_ports::host::{canonical, is_localhost};
use signalbox_runtime::deliveries;
pub(crate) use signalbox_runtime::deliveries::{Message, NotTaken, shown};
use url::{Host, Url};

/// Parameters that hold a credential, without what is no letter or digit.
const NAMES: &[&str] = &["auth", "code", "key", "pass", "pwd", "sas", "sig", "user"];
/// Words in longer names of such parameters.
const PARTS: &[&str] =
    &["accesskey", "apikey", "authorization", "credential", "password", "passwd", "secret", "signature", "token"];
/// A value of so many letters and digits was made by a machine.
const RANDOM: usize = 20;

pub(crate) fn is_secret(name: &str, value: &str) -> bool {
    let plain: String = name.chars().filter(char::is_ascii_alphanumeric).map(|c| c.to_ascii_lowercase()).collect();
    let random = value.len() >= RANDOM
        && value.chars().any(|c| c.is_ascii_digit())
        && value.chars().any(|c| c.is_ascii_alphabetic());
    random || NAMES.contains(&plain.as_str()) || PARTS.iter().any(|part| plain.contains(part))
}

/// Whether an address holds a credential, as far as that shows: a user or password, or a parameter with a telling name or a
/// value that a machine made. A path is not looked at.
pub(crate) fn is_telling(place: &str) -> bool {
    let Ok(url) = Url::parse(place) else { return false };
    !url.username().is_empty()
        || url.password().is_some()
        || url.query_pairs().any(|(name, value)| is_secret(&name, &value))
}

fn telling(place: &str) -> ApiError {
    let message = format!(
        "The address holds a credential. It would be readable in the data folder; only {} would be shown.",
        shown(place)
    );
    let hint = "Keep it as a secret (Settings, Secrets, or `signalbox secret set NAME`), and name that: credential \
                secret://NAME, at the command line --credential.";
    ApiError::new(Class::BadRequest, "PLAIN_CREDENTIAL", message, hint)
}

/// Refuses what is no address, and what holds a credential.
pub(crate) fn address(url: &str) -> ApiResult<()> {
    if !(url.starts_with("https://") || url.starts_with("http://")) || Url::parse(url).is_err() {
        let message = format!("'{}' is no http or https address.", shown(url));
        return Err(ApiError::bad_request(message, "Write https://host/path."));
    }
    if is_telling(url) { Err(telling(url)) } else { Ok(()) }
}

/// Whether an address is one of this machine; then a person on this machine consents to it by saying so, because what
/// listens on this machine often trusts whoever reaches it.
pub(crate) fn local(caller: &Caller, url: &str, allowed: bool) -> ApiResult<bool> {
    let is_local = Url::parse(url).is_ok_and(|url| match url.host() {
        Some(Host::Domain(name)) => is_localhost(&canonical(name)),
        Some(Host::Ipv4(ip)) => address::class(ip.into()) == address::Class::Loopback,
        Some(Host::Ipv6(ip)) => address::class(ip.into()) == address::Class::Loopback,
        None => false,
    });
    if allowed && !caller.here {
        let message = "Only a person on this machine allows an address of it.";
        return Err(ApiError::forbidden(message, "Add it in the window, or at the terminal with --allow-local."));
    }
    if is_local && !allowed {
        let message = format!("{} is an address of this machine.", shown(url));
        let hint = "Add it in the window or at the terminal on this machine and allow that: --allow-local.";
        return Err(ApiError::new(Class::Forbidden, "ADDRESS_REFUSED", message, hint));
    }
    Ok(is_local)
}

impl App {
    /// The name in a reference to a secret of this machine, and what is known of it. One that cannot be looked up now is told
    /// when it is needed.
    pub(crate) fn known_secret(&self, given: &str) -> ApiResult<(String, Option<Entry>)> {
        let hint = "Write secret://NAME; `signalbox secret list` shows the names.";
        let name = secret_ref::reference(given)
            .ok_or_else(|| ApiError::bad_request("The credential is no reference to a secret.", hint))?;
        let Ok(entries) = self.secrets.vault.list() else { return Ok((name.to_owned(), None)) };
        match entries.into_iter().find(|entry| entry.name == name) {
            Some(entry) => Ok((name.to_owned(), Some(entry))),
            None => Err(ApiError::not_found(format!("There is no secret '{name}' on this machine."))),
        }
    }

    /// Sends a message with POST; gives the status of the answer that took it.
    pub(crate) fn post(&self, message: Message) -> ApiResult<Result<u16, NotTaken>> {
        self.wait_for(deliveries::post(self.http.as_ref(), message))
    }
}

#[cfg(test)]
mod tests;
