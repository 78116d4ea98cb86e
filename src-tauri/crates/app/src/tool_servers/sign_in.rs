//! Signing in to a server, and out of it (ADR 60). A person's browser is sent to the authorization server and back to a page
//! of this machine; whoever sits elsewhere pastes the address that the browser was sent to.

use super::sign_in_state::{Standing, swept};
use super::sign_in_store::SignInStore;
use super::{definition_of, here, unknown};
use crate::app::App;
use crate::caller::Caller;
use crate::dto::Via;
use crate::dto::{ToolServer, ToolServerSignIn, ToolServerSignInState, ToolServerSignedOut, ToolServerSigningIn};
use crate::error::{ApiError, ApiResult, Class};
use crate::host::sign_in::{SignIns, UnderWay, Unfit, WAITS, not_this_address, pasted_address};
use crate::secrets::StepSecrets;
use serde_json::{Value, json};
use signalbox_adapters::mcp::{ToolServerDefinition, ToolSignIn};
use signalbox_adapters::oauth::{self, Challenge, Fault, RedirectPlace, RedirectServer, Trouble, Wanted};
use signalbox_model::{AuditEvent, secret_ref, time};
use signalbox_ports::Secrets;
use signalbox_ports::tools::ToolFault;
use signalbox_store::ToolServerRow;
use signalbox_store::audit::Level;
use std::sync::Arc;
use url::Url;

/// Sign-ins in a row for the same further rights; who asks more often will not be satisfied.
const STEPS: u32 = 2;

/// What people see of signing in to a server; nothing when nobody was asked to.
pub(super) fn told(sign_ins: &SignIns, name: &str, kept: Option<&Value>) -> Option<ToolServerSignIn> {
    let standing: Standing = kept.cloned().and_then(|kept| serde_json::from_value(kept).ok()).unwrap_or_default();
    let waiting = sign_ins.waiting(name);
    let wants = standing.challenge.as_ref().map(|challenge| challenge.scopes.clone()).unwrap_or_default();
    let more = standing.challenge.as_ref().is_some_and(|challenge| challenge.more);
    let state = match (&waiting, &standing.signed, &standing.ended) {
        (Some(_), ..) => ToolServerSignInState::Waiting,
        (None, Some(_), Some(_)) => ToolServerSignInState::Ended,
        (None, Some(_), None) if more => ToolServerSignInState::More,
        (None, Some(_), None) => ToolServerSignInState::SignedIn,
        (None, None, _) if standing.challenge.is_some() || standing.failed.is_some() => ToolServerSignInState::Wanted,
        (None, None, _) => return None,
    };
    let told = match state {
        // What came of an attempt before says nothing of this one.
        ToolServerSignInState::Waiting => None,
        ToolServerSignInState::Ended => standing.ended.or(standing.failed),
        _ => standing.failed,
    };
    let signed = standing.signed;
    Some(ToolServerSignIn {
        state,
        message: told.map(|told| told.why),
        wants: if more || signed.is_none() { wants } else { Vec::new() },
        waits_until: waiting.map(|waiting| time::format(waiting.until_ms)),
        by: signed.as_ref().map(|signed| signed.by.clone()),
        at: signed.as_ref().map(|signed| time::format(signed.at_ms)),
        issuer: signed.as_ref().map(|signed| signed.issuer.clone()),
        scopes: signed.as_ref().map(|signed| signed.scopes.clone()).unwrap_or_default(),
        expires: signed.as_ref().and_then(|signed| signed.expires_ms).map(time::format),
        renews: signed.as_ref().is_some_and(|signed| signed.renews),
    })
}

pub(super) use super::sign_in_state::is_signed_in;

fn not_signed_in(name: &str, fault: &Fault) -> ApiError {
    let hint = match fault.trouble {
        Trouble::Secret => "Look at the secrets of this machine (Settings, Secrets), then sign in again.".to_owned(),
        Trouble::Unreachable => "Look at the network, and try again later.".to_owned(),
        Trouble::Refused | Trouble::Ended => {
            format!("Ask who runs the server, or look at how '{name}' is set up: client id, secret, issuer.")
        }
    };
    let class = if fault.trouble == Trouble::Unreachable { Class::Unavailable } else { Class::Conflict };
    ApiError::new(class, "SIGN_IN_FAILED", format!("{}.", fault.message), hint)
}

fn begin_again(name: &str) -> ApiError {
    let message = format!("Nobody is signing in to '{name}' now, or it took too long.");
    ApiError::new(
        Class::Conflict,
        "SIGN_IN_NOT_WAITING",
        message,
        "Begin again with Sign in, or `signalbox tools sign-in`.",
    )
}

impl App {
    /// What of a server's row somebody signs in to.
    fn signs_in_to(&self, name: &str) -> ApiResult<(ToolServerRow, String, ToolSignIn)> {
        let row = self.store.tool_server(name)?.ok_or_else(|| unknown(name))?;
        match definition_of(&row) {
            Some(ToolServerDefinition::Http { url, credential: None, sign_in }) => {
                Ok((row, url, sign_in.unwrap_or_default()))
            }
            Some(ToolServerDefinition::Http { .. }) => Err(ApiError::new(
                Class::Conflict,
                "SIGN_IN_NOT_WANTED",
                format!("'{name}' uses a credential, so it does not support signing in."),
                "Take the credential out of the server first.",
            )),
            _ => Err(ApiError::bad_request(
                format!("'{name}' is a program on this machine; it does not support signing in."),
                "Give it what it needs as variables.",
            )),
        }
    }

    /// Refuses settings that cannot work, or name what is not there.
    pub(super) fn sign_in_good(&self, given: &ToolSignIn) -> ApiResult<()> {
        let bad =
            |message: &str| Err(ApiError::bad_request(message, "Nothing was kept. Correct it and send it again."));
        for secret in [&given.client_secret, &given.private_key].into_iter().flatten() {
            if secret_ref::reference(secret).is_none() {
                return bad("The secret and the key of the client are named, as secret://NAME.");
            }
            self.known_secret(secret)?;
        }
        let proofs = usize::from(given.client_secret.is_some()) + usize::from(given.private_key.is_some());
        if proofs > 1 {
            return bad("A client has a secret or a key, not both.");
        }
        if given.client_id.as_ref().is_some_and(|id| id.trim().is_empty() || id.chars().any(char::is_control)) {
            return bad("The client id has nothing in it, or a character that cannot be sent.");
        }
        if given.client_id.is_none() && (proofs > 0 || given.unattended) {
            return bad("The client id is missing: a secret, a key, and signing in without a person belong to one.");
        }
        if given.unattended && proofs == 0 {
            return bad("To sign in without a person, the client needs a secret or a key.");
        }
        if let Some(document) = &given.client_metadata {
            let url = Url::parse(document).ok().filter(|url| url.scheme() == "https" && url.path().len() > 1);
            if url.is_none_or(|url| url.fragment().is_some() || !url.username().is_empty() || url.password().is_some())
            {
                return bad("The client metadata is an https address of a document, with a path.");
            }
        }
        if let Some(issuer) = &given.issuer {
            let url = Url::parse(issuer).ok().filter(|url| matches!(url.scheme(), "https" | "http") && url.has_host());
            if url.is_none_or(|url| url.fragment().is_some() || url.query().is_some() || !url.username().is_empty()) {
                return bad("The issuer is an https address without parameters.");
            }
        }
        Ok(())
    }

    /// What the server wants.
    fn challenge_of(&self, row: &ToolServerRow) -> ApiResult<Challenge> {
        let standing = Standing::of(row);
        // Where nobody signed in the server says it anew: what it said before may be out of date. Where a sign-in has ended, it
        // said so with the refusal that ended it, and is not asked before somebody signs out.
        if let Some(challenge) = standing.challenge.filter(|_| standing.signed.is_some()) {
            return Ok(challenge);
        }
        let definition = definition_of(row).ok_or_else(|| unknown(&row.name))?;
        let asked = self.wait_for(self.tools.inspect(&row.name, &definition))?;
        let row = self.store.tool_server(&row.name)?.ok_or_else(|| unknown(&row.name))?;
        match (Standing::of(&row).challenge, asked) {
            (Some(challenge), Err(failure)) if failure.fault == ToolFault::Auth => Ok(challenge),
            (_, Ok(_)) => Err(ApiError::new(
                Class::Conflict,
                "SIGN_IN_NOT_WANTED",
                format!("'{}' answers without anybody signing in.", row.name),
                "Connect to it and approve it.",
            )),
            (_, Err(failure)) => Err(ApiError::new(
                Class::Unavailable,
                "SIGN_IN_FAILED",
                format!("{}.", failure.message.trim_end_matches('.')),
                "Look at how the server is reached, and try again.",
            )),
        }
    }

    /// Begins a sign-in: the address for a person's browser, and the page that waits for what comes back.
    pub(crate) fn tool_server_sign_in(&self, caller: &Caller, name: &str) -> ApiResult<ToolServerSigningIn> {
        here(caller)?;
        let (row, server, settings) = self.signs_in_to(name)?;
        if caller.via == Via::Rest
            && let Some(definition) = definition_of(&row)
        {
            self.start_approved(caller, &row, &definition, None)?;
        }
        // Whoever comes back from the browser must not find that there is no place for the tokens.
        self.secrets.vault.list()?;
        let challenge = self.challenge_of(&row)?;
        let row = self.store.tool_server(name)?.ok_or_else(|| unknown(name))?;
        let standing = Standing::of(&row);
        let step = challenge.more.then(|| challenge.scopes.clone()).filter(|_| standing.holding().is_some());
        if let Some(step) = &step
            && standing.stepped.as_ref().is_some_and(|before| before.scopes == *step && before.times >= STEPS)
        {
            let message = format!(
                "Somebody signed in {STEPS} times for the rights that '{name}' wants ({}), and it still refuses.",
                step.join(" ")
            );
            let hint = "Ask who runs the server whether your account may have them; sign out to start again.";
            return Err(ApiError::new(Class::Conflict, "SIGN_IN_TOO_OFTEN", message, hint));
        }
        let secrets: Arc<dyn Secrets> = Arc::new(StepSecrets(Arc::clone(&self.secrets)));
        let sign_in_store = SignInStore {
            name: name.to_owned(),
            definition: row.definition.clone(),
            caller: caller.clone(),
            store: self.store.clone(),
            vault: Arc::clone(&self.secrets.vault),
            secrets: Arc::clone(&secrets),
            tools: Arc::clone(&self.tools),
            step,
            settings: settings.clone(),
            attempt: uuid::Uuid::now_v7().to_string(),
        };
        let before = standing.signed.map(|signed| signed.asked).unwrap_or_default();
        let unattended = settings.unattended;
        let wanted = Wanted { server, settings, challenge, before };
        if unattended {
            sign_in_store.begins()?;
            let done = self.wait_for(async {
                let made = oauth::unattended(wanted, &secrets).await?;
                sign_in_store.keep(made).await.map_err(|message| Fault { trouble: Trouble::Secret, message })
            })?;
            done.map_err(|fault| not_signed_in(name, &fault))?;
            return Ok(ToolServerSigningIn { name: name.to_owned(), address: None, until: None, opened: false });
        }
        let (page, pending) = self
            .wait_for(async {
                let page = RedirectServer::open(&RedirectPlace::default()).await.map_err(|error| Fault {
                    trouble: Trouble::Unreachable,
                    message: format!("No page of this machine can wait for the browser: {error}"),
                })?;
                let pending = oauth::begin(wanted, &page.address()).await?;
                Ok((page, pending))
            })?
            .map_err(|fault: Fault| not_signed_in(name, &fault))?;
        sign_in_store.begins()?;
        let until_ms = self.now_ms() + i64::try_from(WAITS.as_millis()).unwrap_or_default();
        let address = pending.address().to_string();
        let one = UnderWay::new(Some(pending), until_ms, None, Arc::new(sign_in_store));
        self.sign_ins.begin_with_page(name, one, page, &self.background()?);
        let opened = caller.via == Via::App && self.opens(&address);
        Ok(ToolServerSigningIn {
            name: name.to_owned(),
            address: Some(address),
            until: Some(time::format(until_ms)),
            opened,
        })
    }

    /// Takes the address that a browser was sent back to, from whoever copied it.
    pub(crate) fn tool_server_sign_in_finish(
        &self,
        caller: &Caller,
        name: &str,
        address: &str,
    ) -> ApiResult<ToolServer> {
        here(caller)?;
        let params = pasted_address(address)?;
        let done = self.wait_for(self.sign_ins.pasted(name, params))?.map_err(|unfit| match unfit {
            Unfit::NotWaiting => begin_again(name),
            Unfit::NotOurs => not_this_address(),
        })?;
        done.map_err(|message| not_signed_in(name, &Fault { trouble: Trouble::Refused, message }))?;
        let row = self.store.tool_server(name)?.ok_or_else(|| unknown(name))?;
        self.tool_server_told(row)
    }

    /// Waits until a sign-in that was begun here is done.
    pub async fn signed_in(&self, name: &str) -> ApiResult<()> {
        match self.sign_ins.done(name).await {
            Some(Ok(())) => Ok(()),
            Some(Err(message)) => Err(not_signed_in(name, &Fault { trouble: Trouble::Refused, message })),
            None => Err(begin_again(name)),
        }
    }

    /// Forgets who signed in, and has the authorization server take the tokens back where it offers that.
    pub(crate) fn tool_server_sign_out(&self, caller: &Caller, name: &str) -> ApiResult<ToolServerSignedOut> {
        here(caller)?;
        let (_, _, settings) = self.signs_in_to(name)?;
        self.sign_ins.remove(name, "Somebody signed out");
        let facts = caller.signed(json!({ "name": name }));
        let record = self.fact(AuditEvent::ToolServerSignedOut, Level::Info, caller.actor(), facts);
        let gone = unknown(name);
        // First of all: without this no token is found any more, whatever becomes of the rest.
        let row = self.store.tool_server_change(name, move |row| {
            let mut row = row.ok_or(gone)?;
            let before = Standing::of(&row);
            let record = before.signed.is_some().then_some(record);
            // That somebody signs in there stays. How is forgotten: what is out of date keeps nobody out.
            let challenge = (before != Standing::default()).then(Challenge::default);
            row.sign_in = Standing { challenge, ..Standing::default() }.kept();
            Ok::<_, ApiError>((row, record))
        })??;
        self.wait_for(self.tools.forget(name))?;
        let secrets: Arc<dyn Secrets> = Arc::new(StepSecrets(Arc::clone(&self.secrets)));
        // All of them, whatever becomes of one: nobody knows them any more.
        let taken = swept(&self.secrets.vault, &self.store, name)?;
        let outcomes = self.wait_for(async {
            let mut outcomes = Vec::new();
            for kept in &taken {
                outcomes.push(oauth::revoke(kept, &settings, &secrets).await.map_err(|fault| fault.message));
            }
            outcomes
        })?;
        let (revoked, note) = taken_back(outcomes);
        Ok(ToolServerSignedOut { server: self.tool_server_told(row)?, revoked, note })
    }

    /// Forgets the sign-in of a server that is gone, or is reached otherwise.
    pub(super) fn sign_in_dropped(&self, name: &str) {
        self.sign_ins.remove(name, "The server was changed or deleted");
        // When it cannot be taken out now it is bound to a sign-in that is not known any more.
        drop(swept(&self.secrets.vault, &self.store, name));
    }
}

/// Whether tokens were taken back, and everything that went wrong, each once.
fn taken_back(outcomes: Vec<Result<bool, String>>) -> (bool, Option<String>) {
    let revoked = outcomes.contains(&Ok(true));
    let mut faults: Vec<String> = Vec::new();
    for fault in outcomes.into_iter().filter_map(Result::err) {
        if !faults.contains(&fault) {
            faults.push(fault);
        }
    }
    (revoked, (!faults.is_empty()).then(|| format!("{}.", faults.join(". "))))
}

#[cfg(test)]
mod tests;
