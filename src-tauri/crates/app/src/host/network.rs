//! The proxy and the certificate authorities of this machine, as its settings say. Where they say nothing, the variables of
//! the process name the proxy, as for other programs.

use crate::App;
use crate::caller::Caller;
use crate::dto::{NetworkSet, NetworkTest, NetworkTested, NetworkView, ProxyChoice};
use crate::error::{ApiError, ApiResult};
use crate::host::outgoing;
use crate::host::stored::{given, stored_setting};
use serde::{Deserialize, Serialize};
use serde_json::json;
use signalbox_adapters::network::{self, Authorities, Network, Proxy};
use signalbox_model::AuditEvent;
use signalbox_model::secret_ref::SCHEME;
use signalbox_ports::{HttpError, HttpRequest, Redirects};
use signalbox_store::audit::Level;
use std::convert::Infallible;
use std::sync::PoisonError;
use std::time::Duration;

/// Where the settings are kept.
const NAME: &str = "network";
/// Characters of the address of a proxy.
const LONGEST_ADDRESS: usize = 2048;
/// For the answer to a test.
const WAIT: Duration = Duration::from_secs(15);

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Kept {
    proxy: ProxyChoice,
    address: Option<String>,
    exceptions: Vec<String>,
    /// The name of a secret.
    credential: Option<String>,
    authorities: Option<String>,
}

impl Kept {
    fn of(app: &App) -> ApiResult<Self> {
        stored_setting(app, NAME)
    }

    /// The proxy as far as it can be used, and why not further.
    fn proxy(&self, app: &App) -> (Option<Proxy>, Option<String>) {
        let made = match self.proxy {
            ProxyChoice::None => Ok(None),
            ProxyChoice::Environment => Proxy::from_environment(),
            ProxyChoice::Address => {
                let address = self.address.as_deref().unwrap_or_default();
                let credential = match self.credential.as_deref().map(|name| app.secrets.credential_unasked(name)) {
                    None => None,
                    Some(Ok(credential)) => Some(credential),
                    Some(Err(error)) => {
                        // The proxy says itself whether it asks for a user: what does not need it goes on.
                        let without = Proxy::new(address, &self.exceptions, None);
                        return (without.ok(), Some(error.message));
                    }
                };
                Proxy::new(address, &self.exceptions, credential.as_deref()).map(Some)
            }
        };
        match made {
            Ok(proxy) => (proxy, None),
            Err(why) => (None, Some(why)),
        }
    }
}

impl App {
    /// Connections leave by the settings from now on. What hinders it is shown there.
    pub(crate) fn follow_network(&self) {
        let kept = match Kept::of(self) {
            Ok(kept) => kept,
            Err(error) => {
                *self.network_error.lock().unwrap_or_else(PoisonError::into_inner) = Some(error.message);
                return;
            }
        };
        let (proxy, mut error) = kept.proxy(self);
        let authorities = Authorities::from_pem(kept.authorities.as_deref().unwrap_or_default());
        let authorities = authorities.unwrap_or_else(|why| {
            error.get_or_insert(why);
            Authorities::default()
        });
        network::set(Network::new(proxy, authorities));
        *self.network_error.lock().unwrap_or_else(PoisonError::into_inner) = error;
    }

    pub(crate) fn network_now(&self) -> ApiResult<NetworkView> {
        let kept = Kept::of(self)?;
        let authorities = Authorities::from_pem(kept.authorities.as_deref().unwrap_or_default()).unwrap_or_default();
        Ok(NetworkView {
            proxy: kept.proxy,
            address: kept.address,
            exceptions: kept.exceptions,
            credential: kept.credential.map(|name| format!("{SCHEME}{name}")),
            fingerprints: authorities.fingerprints(),
            authorities: kept.authorities,
            in_use: network::proxy_shown(),
            error: self.network_error.lock().unwrap_or_else(PoisonError::into_inner).clone(),
        })
    }

    /// A proxy reads what is not encrypted, and an authority can vouch for any host: only a person on this machine sets them.
    pub(crate) fn network_set(&self, caller: &Caller, request: NetworkSet) -> ApiResult<NetworkView> {
        if !caller.here {
            let message = "Only a person on this machine sets the proxy and the certificate authorities.";
            let hint = "Set them in the window or the browser on that machine, or with HTTPS_PROXY, NO_PROXY and SSL_CERT_FILE (Help, HTTP requests).";
            return Err(ApiError::forbidden(message, hint));
        }
        if request.address.as_deref().is_some_and(|text| text.chars().count() > LONGEST_ADDRESS) {
            let message = format!("The address of the proxy has more than {LONGEST_ADDRESS} characters.");
            return Err(ApiError::bad_request(message, "Write it like http://proxy.example.org:3128."));
        }
        let address = given(request.address);
        let exceptions = request.exceptions.into_iter().filter_map(|text| given(Some(text))).collect::<Vec<_>>();
        if let Some(text) = &address {
            // Also where it is not used yet: what is kept can be used.
            let hint = "Write it like http://proxy.example.org:3128; hosts to be asked without it like intranet.example.org, 10.0.0.0/8.";
            Proxy::new(text, &exceptions, None).map_err(|why| ApiError::bad_request(why, hint))?;
        } else if request.proxy == ProxyChoice::Address {
            let hint =
                "Write the address of the proxy, such as http://proxy.example.org:3128, or choose another setting.";
            return Err(ApiError::bad_request("There is no address of a proxy.", hint));
        }
        let authorities = given(request.authorities);
        if let Some(pem) = &authorities {
            let hint = "Paste certificates in PEM: each begins with -----BEGIN CERTIFICATE-----. Nothing was changed.";
            Authorities::from_pem(pem).map_err(|why| ApiError::bad_request(why, hint))?;
        }
        let credential = given(request.credential);
        let credential = credential.map(|name| self.known_secret(&name)).transpose()?.map(|(name, _)| name);
        let kept = Kept { proxy: request.proxy, address, exceptions, credential, authorities };
        if let (ProxyChoice::Address, Some(why)) = (kept.proxy, kept.proxy(self).1) {
            let hint =
                "Choose a secret of the kind user and password that allows the host of the proxy. Nothing was changed.";
            return Err(ApiError::bad_request(why, hint));
        }
        let fingerprints = Authorities::from_pem(kept.authorities.as_deref().unwrap_or_default()).unwrap_or_default();
        let facts = json!({
            "proxy": kept.proxy, "address": kept.address, "exceptions": kept.exceptions, "credential": kept.credential,
            "authorities": fingerprints.fingerprints(),
        });
        let record = self.fact(AuditEvent::NetworkChanged, Level::Info, caller.actor(), caller.signed(facts));
        let value = serde_json::to_value(&kept).unwrap_or_default();
        let Ok(()) = self.store.setting_change_recorded(NAME, record, move |_| Ok::<_, Infallible>(Some(value)))?;
        self.follow_network();
        self.network_now()
    }

    /// Sends a request the way that requests of steps go.
    pub(crate) fn network_test(&self, caller: &Caller, request: &NetworkTest) -> ApiResult<NetworkTested> {
        outgoing::address(&request.url)?;
        let through = network::proxy_of(&request.url);
        let asked = HttpRequest {
            method: "GET".to_owned(),
            url: request.url.clone(),
            headers: Vec::new(),
            body: None,
            timeout: WAIT,
            loopback_allowed: caller.here,
            redirects: Redirects::No,
            trust_redirects: false,
            cookies: Vec::new(),
            max_body: 1024 * 1024,
            credential: None,
        };
        let answered = self.wait_for(self.http.send(asked))?;
        let (status, error) = match answered {
            Ok(answer) => (Some(answer.status), None),
            Err(HttpError::TooLarge { status, .. }) => (Some(status), None),
            Err(HttpError::Timeout { .. }) => {
                (None, Some(format!("No answer came within {} seconds.", WAIT.as_secs())))
            }
            Err(
                HttpError::Refused { message }
                | HttpError::BadUrl { message }
                | HttpError::Connect { message }
                | HttpError::Cut { message },
            ) => (None, Some(format!("{message}."))),
            Err(_) => (None, Some("The request could not be sent.".to_owned())),
        };
        Ok(NetworkTested { ok: status.is_some(), through, status, error })
    }
}

#[cfg(test)]
mod tests;
