//! From a command's name and JSON to its body and back: host, role, shape.

use crate::app::App;
use crate::command_list::{command_list, find};
use crate::commands;
use crate::deserialize::fitting;
use crate::dto::{CallerRole, Host};
use crate::error::{ApiError, ApiResult};
use crate::secrets::without_secrets;
use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use signalbox_store::audit::{Actor, ActorType};
use std::marker::PhantomData;
use std::sync::Arc;

/// Expressions are compiled and evaluated here (TRUST, store rules).
const STACK: usize = 32 * 1024 * 1024;

/// Through which door a caller came.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Via {
    /// The window.
    App,
    /// The command line.
    Cli,
    /// A request with a token.
    Rest,
}

impl Via {
    /// As in JSON.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::App => "app",
            Self::Cli => "cli",
            Self::Rest => "rest",
        }
    }
}

/// Who calls.
#[derive(Debug, Clone)]
pub struct Caller {
    /// Through which host.
    pub host: Host,
    /// With which role.
    pub role: CallerRole,
    /// A person on this machine: runs that they start may reach loopback addresses (TRUST, SSRF).
    pub here: bool,
    /// Who: `user:…`.
    pub principal: String,
    /// Through which door.
    pub via: Via,
}

/// The account of the system under which this process runs, as `user:…`.
pub fn os_user() -> String {
    let name = ["USER", "LOGNAME", "USERNAME"].into_iter().filter_map(|name| std::env::var(name).ok());
    format!("user:{}", name.filter(|name| !name.is_empty()).map(|name| word(&name)).next().unwrap_or("local".into()))
}

/// A name as it stands in ids: no spaces, no control characters.
fn word(text: &str) -> String {
    text.chars().take(100).map(|c| if c.is_whitespace() || c.is_control() { '_' } else { c }).collect()
}

impl Caller {
    /// The window, or a person at the terminal: everything a person may do.
    pub fn here() -> Self {
        Self { host: Host::Desktop, role: CallerRole::Builder, here: true, principal: os_user(), via: Via::App }
    }
    /// A person at the terminal who may say in whose name they act.
    pub fn terminal(name: Option<&str>) -> ApiResult<Self> {
        let principal = match name {
            None => os_user(),
            Some(name) => person(name)?,
        };
        Ok(Self { principal, via: Via::Cli, ..Self::here() })
    }
    /// A request with a token of this name.
    pub fn http(role: CallerRole, here: bool, name: &str) -> Self {
        let principal = format!("user:{}", word(name));
        Self { host: Host::Http, role, here, principal, via: Via::Rest }
    }
    /// Refuses a smaller role.
    pub fn require(&self, least: CallerRole) -> ApiResult<()> {
        if self.role >= least {
            return Ok(());
        }
        Err(ApiError::forbidden(format!("This needs the role {}.", least.as_str()), "Use a token with that role."))
    }
    /// The caller as an actor of the audit chain.
    pub fn actor(&self) -> Actor {
        let role = self.role.as_str().to_owned();
        Actor { kind: ActorType::Human, id: Some(self.principal.clone()), role: Some(role) }
    }
    /// The caller as one who answers tasks (K-21).
    pub fn operator(&self) -> Actor {
        Actor::operator(&self.principal)
    }
}

/// `user:NAME` of a text that is one.
fn person(text: &str) -> ApiResult<String> {
    let name = text.strip_prefix("user:").unwrap_or_default();
    if name.is_empty() || name != word(name) {
        return Err(ApiError::bad_request(
            format!("'{text}' names nobody."),
            "Write user:NAME, without spaces, for example user:anna.",
        ));
    }
    Ok(text.to_owned())
}

fn parse<T: DeserializeOwned>(name: &str, request: &Value) -> ApiResult<T> {
    let wrong = |why: &str| {
        let message = format!("The request does not fit {name}: {why}.");
        ApiError::bad_request(message, "Send the fields that the command takes, and no others.")
    };
    fitting(request).map_err(|why| wrong(&why))
}

pub(crate) fn not_json(error: &serde_json::Error) -> ApiError {
    ApiError::unavailable("NOT_JSON", format!("The answer cannot be written as JSON: {error}."), "Try again.")
}

/// What the body of a command that answers with `R` gives back.
trait Answer<R> {
    fn text(self) -> ApiResult<String>;
}

impl<R: Serialize> Answer<R> for R {
    fn text(self) -> ApiResult<String> {
        serde_json::to_string(&self).map_err(|error| not_json(&error))
    }
}

/// An `R` that its body has written as JSON, because it is too long to become a tree on its way.
pub(crate) struct Written<R>(String, PhantomData<R>);

impl<R> Written<R> {
    pub(crate) fn new(text: String) -> Self {
        Self(text, PhantomData)
    }
}

impl<R> Answer<R> for Written<R> {
    fn text(self) -> ApiResult<String> {
        Ok(self.0)
    }
}

macro_rules! dispatch {
    ($($kind:ident $name:ident($request:ty) -> $response:ty, $role:ident, [$($host:ident)*], [$($stale:ident)*], $about:literal;)*) => {
        fn call(app: &App, caller: &Caller, name: &str, request: Value) -> ApiResult<String> {
            use crate::dto::*;
            use signalbox_model::Diagnostic;
            match name {
                $(stringify!($name) => {
                    let request: $request = parse(name, &request)?;
                    Answer::<$response>::text(commands::$name(app, caller, request)?)
                })*
                _ => Err(unknown()),
            }
        }
    };
}
command_list!(dispatch);

fn unknown() -> ApiError {
    ApiError::not_found("There is no such command.")
}

impl App {
    /// Runs a command. Bodies may wait for the disk, so they run on a thread of their own.
    pub async fn dispatch(self: &Arc<Self>, caller: &Caller, name: &str, request: Value) -> ApiResult<Value> {
        let text = self.dispatch_text(caller, name, request).await?;
        let mut reader = serde_json::Deserializer::from_str(&text);
        // It was within the limits when it came.
        reader.disable_recursion_limit();
        Value::deserialize(&mut reader).map_err(|error| not_json(&error))
    }

    /// The same as JSON text, for hosts that send it on.
    pub async fn dispatch_text(self: &Arc<Self>, caller: &Caller, name: &str, request: Value) -> ApiResult<String> {
        let command = find(name).filter(|command| command.hosts.contains(&caller.host)).ok_or_else(unknown)?;
        caller.require(command.role)?;
        let caller = caller.clone();
        let done = self.blocking(move |app| call(app, &caller, command.name, request)).await;
        done.map_err(|error| without_secrets(&self.secrets.vault.scrubber(), error))
    }

    /// Runs work that may wait, on a thread of its own with a stack that deep expressions fit into, whatever executor
    /// the host has.
    pub async fn blocking<T: Send + 'static>(
        self: &Arc<Self>,
        work: impl FnOnce(&Self) -> ApiResult<T> + Send + 'static,
    ) -> ApiResult<T> {
        // Many at once wait here, not as threads. The semaphore is never closed. The thread keeps its turn, because it goes
        // on when the request is given up.
        let turn = Arc::clone(&self.turns).acquire_owned().await;
        let app = Arc::clone(self);
        let (sender, receiver) = tokio::sync::oneshot::channel();
        let thread = std::thread::Builder::new().name("command".into()).stack_size(STACK).spawn(move || {
            // Nobody listens any more when the request was given up.
            drop(sender.send(work(&app)));
            drop(turn);
        });
        let ended = || {
            ApiError::unavailable(
                "INTERNAL",
                "The command stopped unexpectedly; this is a fault of the program.",
                "Try again; if it happens again, report it.",
            )
        };
        thread.map_err(|error| ApiError::no_thread(&error))?;
        receiver.await.unwrap_or_else(|_| Err(ended()))
    }
}
