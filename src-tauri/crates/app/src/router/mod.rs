//! From a command's name and JSON to its body and back: host, role, shape.

mod scope;

pub use scope::{Asked, is_about_the_whole_server};

use crate::app::App;
use crate::caller::Caller;
use crate::command_list::{command_list, find};
use crate::commands;
use crate::dto::fitting;
use crate::error::{ApiError, ApiResult};
use crate::host::background::STACK;
use crate::response::{Answer, not_json};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::sync::Arc;

fn parse<T: DeserializeOwned>(name: &str, request: &Value) -> ApiResult<T> {
    let wrong = |why: &str| {
        let message = format!("The request does not fit {name}: {why}.");
        ApiError::bad_request(message, "Send the fields that the command takes, and no others.")
    };
    fitting(request).map_err(|why| wrong(&why))
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
        caller.require_somewhere(command.role)?;
        let caller = caller.clone();
        self.blocking(move |app| {
            let caller = scope::admit(app, &caller, command.name, command.role, &request)?;
            call(app, &caller, command.name, request)
        })
        .await
    }

    /// Runs work that may wait, on a thread of its own with a stack that deep expressions fit into, whatever executor
    /// the host has. Everything a host asks for runs here, as a command or not, so no error leaves with a secret in it.
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
        receiver.await.unwrap_or_else(|_| Err(ended())).map_err(|error| self.without_secrets(error))
    }
}
