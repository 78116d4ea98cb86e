//! Requests to authorization servers. Their addresses are the word of a tool server, so they follow the rules of requests
//! (TRUST, SSRF): public addresses over https. This machine is meant only when the tool server itself is here, and the own
//! network only for the tool server's host and for the issuer that a person named. No redirect is followed, and every answer
//! has a limit of time and size.

use super::Fault;
use crate::address::{self, Class, Reach};
use crate::http::{Rules, client_of, why_not};
use reqwest::header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE, HeaderValue};
use serde_json::Value;
use signalbox_model::text::bytes_without_bom;
use signalbox_ports::host::{canonical, is_localhost};
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;
use url::{Host, Url};
use zeroize::Zeroizing;

/// For one exchange.
const WAIT: Duration = Duration::from_secs(20);
/// Bytes of one answer.
const LARGEST: usize = 256 * 1024;
/// Longest address.
const LONGEST: usize = 4 * 1024;

/// What was answered.
pub(super) struct Answer {
    pub(super) status: u16,
    /// `None`: it is no JSON object.
    pub(super) body: Option<Value>,
}

impl Answer {
    pub(super) fn is_good(&self) -> bool {
        (200..300).contains(&self.status)
    }
}

/// The way to the authorization servers of one tool server.
#[derive(Clone)]
pub(super) struct Net {
    rules: Rules,
    wait: Duration,
}

/// Whether an address is on this machine, by its spelling.
fn is_here(url: &Url) -> bool {
    match url.host() {
        Some(Host::Domain(name)) => is_localhost(name),
        Some(Host::Ipv4(ip)) => ip.is_loopback(),
        Some(Host::Ipv6(ip)) => ip.is_loopback(),
        None => false,
    }
}

impl Net {
    /// For a server; `issuer` is what a person named.
    pub(super) fn new(server: &Url, issuer: Option<&Url>) -> Self {
        // Link-local addresses are not reached, named or not.
        let host = |url: &Url| {
            let host = canonical(url.host_str().unwrap_or_default());
            let linked = host.parse::<IpAddr>().is_ok_and(|ip| address::class(ip) == Class::LinkLocal);
            (!linked).then_some(host)
        };
        let named = |url: &Option<&Url>| url.is_some_and(is_here);
        let reach = if is_here(server) || named(&issuer) { Reach::Loopback } else { Reach::Granted };
        let grants = std::iter::once(server).chain(issuer).filter_map(host).collect();
        Self { rules: Rules { reach, grants }, wait: WAIT }
    }

    /// For endpoints that a person configured: public ones, and this machine when that is what was written. The own network is
    /// not reached, as it is not by requests of steps.
    pub(super) fn of_token_url(text: &str) -> Result<Self, Fault> {
        let url = Url::parse(text).map_err(|_| {
            let shown: String = text.chars().take(200).collect();
            Fault::refused(format!("'{shown}' is no address"))
        })?;
        let reach = if is_here(&url) { Reach::Loopback } else { Reach::Granted };
        Ok(Self { rules: Rules { reach, grants: Arc::new([]) }, wait: WAIT })
    }

    /// With another limit of time.
    pub(super) fn waiting(self, wait: Duration) -> Self {
        Self { wait, ..self }
    }

    /// An address that may be asked, or shown to a person's browser.
    pub(super) fn address(&self, what: &str, text: &str) -> Result<Url, Fault> {
        let shown: String = text.chars().take(200).collect();
        let wrong = |why: &str| Fault::refused(format!("The {what} '{shown}' is not used: {why}"));
        let url = Url::parse(text).map_err(|_| wrong("it is no address"))?;
        if text.len() > LONGEST {
            return Err(wrong("it is too long"));
        }
        // What is shown and kept is this text, not what is read out of it.
        if !text.bytes().all(|byte| byte.is_ascii_graphic()) {
            return Err(wrong("it has letters that no address has"));
        }
        if url.scheme() != "https" && !(url.scheme() == "http" && is_here(&url)) {
            return Err(wrong("only https is safe, except on this machine"));
        }
        if url.fragment().is_some() {
            return Err(wrong("it has a part behind '#'"));
        }
        self.rules.check(&url).map_err(|error| wrong(&error))?;
        Ok(url)
    }

    /// Asks for a document.
    pub(super) async fn get(&self, url: &Url) -> Result<Answer, Fault> {
        self.exchange(url, None, Body::None).await
    }

    /// Asks for a document with an authorization.
    pub(super) async fn get_with(&self, url: &Url, authorization: &str) -> Result<Answer, Fault> {
        self.exchange(url, Some(authorization), Body::None).await
    }

    /// Sends a form; `authorization` goes along as it is.
    pub(super) async fn form(
        &self,
        url: &Url,
        fields: &[(&str, &str)],
        authorization: Option<&str>,
    ) -> Result<Answer, Fault> {
        // A block of its own: the library's writer is not for other threads.
        let text = {
            let mut form = url::form_urlencoded::Serializer::new(String::new());
            form.extend_pairs(fields);
            Zeroizing::new(form.finish())
        };
        self.exchange(url, authorization, Body::Form(&text)).await
    }

    /// Sends a JSON document.
    pub(super) async fn json(&self, url: &Url, value: &Value) -> Result<Answer, Fault> {
        self.exchange(url, None, Body::Json(value)).await
    }

    async fn exchange(&self, url: &Url, authorization: Option<&str>, body: Body<'_>) -> Result<Answer, Fault> {
        let host = url.host_str().unwrap_or_default();
        let wait = self.wait;
        let slow = || Fault::unreachable(format!("{host} did not answer within {} s", wait.as_secs()));
        tokio::time::timeout(wait, self.exchanged(url, authorization, body)).await.map_err(|_| slow())?
    }

    async fn exchanged(&self, url: &Url, authorization: Option<&str>, body: Body<'_>) -> Result<Answer, Fault> {
        let host = url.host_str().unwrap_or_default();
        let client = client_of(&self.rules, url).map_err(Fault::unreachable)?;
        let request = match body {
            Body::None => client.get(url.clone()),
            Body::Form(text) => {
                client.post(url.clone()).header(CONTENT_TYPE, "application/x-www-form-urlencoded").body(text.to_owned())
            }
            Body::Json(value) => {
                client.post(url.clone()).header(CONTENT_TYPE, "application/json").body(value.to_string())
            }
        };
        let mut request = request.header(ACCEPT, "application/json");
        if let Some(text) = authorization {
            let mut value =
                HeaderValue::from_str(text).map_err(|_| Fault::refused("The client's secret cannot be sent"))?;
            value.set_sensitive(true);
            request = request.header(AUTHORIZATION, value);
        }
        let mut response = request.send().await.map_err(|error| Fault::unreachable(why_not(&error, url)))?;
        let status = response.status().as_u16();
        if response.status().is_redirection() {
            let words = format!("{host} sends elsewhere ({status}); that is not followed when somebody signs in");
            return Err(Fault::refused(words));
        }
        let mut bytes = Zeroizing::new(Vec::new());
        let cut = |_| Fault::unreachable(format!("The connection to {host} was cut off"));
        while let Some(chunk) = response.chunk().await.map_err(cut)? {
            if bytes.len() + chunk.len() > LARGEST {
                let words = format!(
                    "{host} sent more than {} KiB, which is no answer of an authorization server",
                    LARGEST / 1024
                );
                return Err(Fault::refused(words));
            }
            bytes.extend_from_slice(&chunk);
        }
        let body = serde_json::from_slice(bytes_without_bom(&bytes)).ok().filter(Value::is_object);
        Ok(Answer { status, body })
    }
}

enum Body<'a> {
    None,
    Form(&'a str),
    Json(&'a Value),
}

#[cfg(test)]
mod tests;
