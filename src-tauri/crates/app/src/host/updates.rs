//! Whether there is a newer release: asked once a day where a person turned that on, at the address that the settings name.
//! Otherwise nothing is sent. A list counts only with a signature by the key of the settings (ADR 179).

mod installation;
mod list;

use crate::App;
use crate::caller::Caller;
use crate::dto::{UpdateFound, UpdateTrouble, UpdatesSet, UpdatesView};
use crate::error::{ApiError, ApiResult, Class};
use crate::host::outgoing;
use crate::host::stored::{given, stored_setting};
use list::{LARGEST, Refused, Release, Seen, refused};
use serde::{Deserialize, Serialize};
use serde_json::json;
use signalbox_model::{AuditEvent, time};
use signalbox_ports::{HttpError, HttpRequest, Redirects};
use signalbox_store::audit::{Level, PublicKey};
use std::convert::Infallible;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

/// Where the settings are kept, and what was found.
const NAME: &str = "updates";
const STATE: &str = "updates.state";
/// The version of this program.
const VERSION: &str = env!("CARGO_PKG_VERSION");
/// Whoever builds packages may name the list and its key: `SIGNALBOX_UPDATE_ADDRESS`, `SIGNALBOX_UPDATE_KEY` (64 hexadecimal digits).
const BUILT_IN: (Option<&str>, Option<&str>) =
    (option_env!("SIGNALBOX_UPDATE_ADDRESS"), option_env!("SIGNALBOX_UPDATE_KEY"));
/// How often the list is asked for, and how soon again after a failure.
const EVERY_MS: i64 = 24 * 3_600_000;
const AGAIN_MS: i64 = 3_600_000;
/// How often a host that stays looks whether it is time.
const LOOK: Duration = Duration::from_secs(600);
const WAIT: Duration = Duration::from_secs(20);

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Kept {
    on: bool,
    address: Option<String>,
    key: Option<String>,
    local: bool,
}

impl Kept {
    fn address(&self) -> Option<&str> {
        self.address.as_deref().or(BUILT_IN.0)
    }

    fn key(&self) -> Option<&str> {
        self.key.as_deref().or(BUILT_IN.1)
    }

    fn keys(&self) -> Vec<PublicKey> {
        self.key().and_then(|text| PublicKey::all_from_text(text).ok()).unwrap_or_default()
    }
}

/// What the last check gave.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct State {
    tried_ms: Option<i64>,
    checked_ms: Option<i64>,
    refused: Option<Refused>,
    seen: Option<Seen>,
    /// The newest release of the last list that was accepted.
    newest: Option<Release>,
}

impl App {
    pub(crate) fn updates_now(&self) -> ApiResult<UpdatesView> {
        let (kept, state): (Kept, State) = (stored_setting(self, NAME)?, stored_setting(self, STATE)?);
        let exe = std::env::current_exe().unwrap_or_default();
        let exists = |path: &str| Path::new(path).exists();
        let installation = installation::of(&exe, std::env::var_os("APPIMAGE").is_some(), exists);
        // The program may have been updated since.
        let is_newer = |release: &Release| list::parts(&release.version) > list::parts(VERSION);
        let update = state.newest.filter(is_newer).map(|release| UpdateFound {
            commands: installation::commands(installation, &exe, std::env::consts::ARCH, &release, exists),
            version: release.version,
            date: release.date,
            security: release.security,
            notes: release.notes,
            page: release.page,
        });
        let stamp = |at: Option<i64>| at.map(time::format);
        Ok(UpdatesView {
            on: kept.on,
            key_ids: kept.keys().iter().map(|key| key.key_id().to_string()).collect(),
            address: kept.address().map(str::to_owned),
            key: kept.key().map(str::to_owned),
            local: kept.local,
            version: VERSION.to_owned(),
            installation,
            checked_at: stamp(state.checked_ms),
            tried_at: stamp(state.tried_ms),
            trouble: state.refused.map(|Refused { code, message, hint }| UpdateTrouble { code, message, hint }),
            update,
        })
    }

    /// Who names the list and its key decides what people are told to install: only a person on this machine does.
    pub(crate) fn updates_set(&self, caller: &Caller, request: UpdatesSet) -> ApiResult<UpdatesView> {
        if !caller.here {
            let message = "Only a person on this machine sets where updates are looked for.";
            return Err(ApiError::forbidden(message, "Set it in the window or the browser on that machine."));
        }
        // What is built in stays the choice of whoever builds packages, also in later releases.
        let chosen =
            |text: Option<String>, built_in: Option<&str>| given(text).filter(|text| Some(text.as_str()) != built_in);
        let (address, key) = (chosen(request.address, BUILT_IN.0), chosen(request.key, BUILT_IN.1));
        let kept = Kept { on: request.on, address, key, local: request.local };
        if let Some(address) = &kept.address {
            outgoing::address(address)?;
            outgoing::local(caller, address, kept.local)?;
        }
        if let Some(key) = &kept.key {
            let hint =
                "Paste the public key of who publishes the list: PEM, or 64 hexadecimal digits. Nothing was changed.";
            let keys = PublicKey::all_from_text(key)
                .map_err(|why| ApiError::bad_request(format!("The key cannot be used: {why}."), hint))?;
            if keys.is_empty() {
                return Err(ApiError::bad_request("There is no public key.", hint));
            }
        }
        if kept.on && (kept.address().is_none() || kept.keys().is_empty()) {
            let hint = "Write the address of the list and the public key of who signs it.";
            return Err(ApiError::bad_request("Updates cannot be checked without an address and a key.", hint));
        }
        let before: Kept = stored_setting(self, NAME)?;
        let facts = json!({ "updates": { "on": kept.on, "address": kept.address, "keyIds": kept.keys().iter().map(|key| key.key_id().to_string()).collect::<Vec<_>>() } });
        let record = self.fact(AuditEvent::NetworkChanged, Level::Info, caller.actor(), caller.signed(facts));
        let value = serde_json::to_value(&kept).unwrap_or_default();
        let Ok(()) = self.store.setting_change_recorded(NAME, record, move |_| Ok::<_, Infallible>(Some(value)))?;
        if before.key() != kept.key() {
            // Numbers of one publisher say nothing about those of another.
            self.store.setting_set(STATE, None)?;
        }
        self.updates_now()
    }

    /// Asks for the list now, because a person said so.
    pub(crate) fn updates_check(&self) -> ApiResult<UpdatesView> {
        let kept: Kept = stored_setting(self, NAME)?;
        let (Some(address), false) = (kept.address(), kept.keys().is_empty()) else {
            let message = "No list of releases is set, so there is nothing to ask.";
            let hint = "Write its address and the key of who signs it in Settings, About.";
            return Err(ApiError::new(Class::Conflict, "UPDATES_NOT_SET", message, hint));
        };
        let state: State = stored_setting(self, STATE)?;
        let now = self.now_ms();
        let asked = self.list_of_releases(address, kept.local);
        let read = asked.and_then(|bytes| list::read(&bytes, &kept.keys(), state.seen.as_ref(), now));
        let state = match read {
            Ok(accepted) => State {
                tried_ms: Some(now),
                checked_ms: Some(now),
                refused: None,
                seen: Some(accepted.seen.clone()),
                newest: accepted.newest_after(VERSION),
            },
            // What an earlier list said stays true.
            Err(refused) => State { tried_ms: Some(now), refused: Some(refused), ..state },
        };
        let Ok(()) = self.store.setting_change(STATE, move |known| {
            // Another process may have accepted a newer list meanwhile: its number is not forgotten.
            let known: State = known.and_then(|known| serde_json::from_value(known).ok()).unwrap_or_default();
            let serial = |state: &State| state.seen.as_ref().map(|seen| seen.serial);
            let kept = if serial(&known) > serial(&state) { known } else { state };
            Ok::<_, Infallible>(Some(serde_json::to_value(&kept).unwrap_or_default()))
        })?;
        self.updates_now()
    }

    fn list_of_releases(&self, address: &str, local: bool) -> Result<Vec<u8>, Refused> {
        let asked = HttpRequest {
            method: "GET".to_owned(),
            url: address.to_owned(),
            headers: Vec::new(),
            body: None,
            timeout: WAIT,
            loopback_allowed: local,
            redirects: Redirects::SameHost,
            trust_redirects: false,
            cookies: Vec::new(),
            max_body: LARGEST,
            credential: None,
        };
        let failed = |why: String| {
            let hint = "Check the connection, the proxy in Settings, Network, and the address. It is asked again within a day.";
            refused("UPDATE_LIST_UNREACHABLE", format!("The list of releases did not arrive: {why}."), hint)
        };
        let answered = self.wait_for(self.http.send(asked)).map_err(|error| failed(error.message))?;
        match answered {
            Ok(answer) if answer.status == 200 => Ok(answer.body),
            Ok(answer) => Err(failed(format!("the server answered with status {}", answer.status))),
            Err(HttpError::TooLarge { .. }) => Err(failed(format!("it is larger than {LARGEST} bytes"))),
            Err(HttpError::Timeout { .. }) => Err(failed(format!("no answer came within {} seconds", WAIT.as_secs()))),
            Err(
                HttpError::Refused { message }
                | HttpError::BadUrl { message }
                | HttpError::Connect { message }
                | HttpError::Cut { message }
                | HttpError::RedirectRefused { message, .. },
            ) => Err(failed(message.trim_end_matches('.').to_owned())),
            Err(_) => Err(failed("the request could not be sent".to_owned())),
        }
    }

    /// A host that stays looks every ten minutes whether a day is over.
    pub(crate) fn check_updates_in_background(self: &Arc<Self>, threads: &tokio::runtime::Handle) {
        self.every(threads, LOOK, Self::check_updates_if_due);
    }

    fn check_updates_if_due(&self) -> ApiResult<()> {
        let kept: Kept = stored_setting(self, NAME)?;
        if !kept.on || !self.store.try_exclusive("updates")? {
            return Ok(());
        }
        let state: State = stored_setting(self, STATE)?;
        let (now, pause) = (self.now_ms(), if state.refused.is_some() { AGAIN_MS } else { EVERY_MS });
        // A clock that was put back must not end the checks.
        let is_due = state.tried_ms.is_none_or(|tried| now >= tried.saturating_add(pause) || now < tried);
        if is_due { self.updates_check().map(drop) } else { Ok(()) }
    }
}

#[cfg(test)]
mod tests;
