//! The program that exported workflows run in: it reads the workflow from the end of its own file and starts, resumes and shows
//! its runs. It has no window, no server, no library and no command list.

// What stays of a program with some parts is not all used.
#![cfg_attr(
    not(all(
        feature = "columnar",
        feature = "databases",
        feature = "mail",
        feature = "model",
        feature = "retrieval",
        feature = "server",
        feature = "tools"
    )),
    allow(dead_code, unused_imports, unused_mut, unused_variables)
)]

mod args;
mod audit_file;
mod audit_key;
mod audit_ring;
mod audit_verify;
#[cfg(feature = "server")]
mod callback;
mod carried;
mod configuration;
mod describe;
mod failure;
mod follow;
mod health;
mod host;
#[cfg(feature = "server")]
mod inbox;
mod libraries;
mod needs;
mod output;
mod outside;
#[cfg(feature = "server")]
mod page;
mod run_list;
mod runs;
mod secrets;
#[cfg(feature = "server")]
mod serve;
#[cfg(feature = "server")]
mod server;
#[cfg(feature = "server")]
mod task_api;
mod tasks;
#[cfg(feature = "server")]
mod triggers;

#[cfg(feature = "server")]
use args::Serve;
use args::{Action, Arguments, Audit};
#[cfg(feature = "server")]
use axum::Router;
use failure::Failure;
use follow::STACK;
use host::Host;
use output::{INVALID, Output};
use outside::{Inside, Outside};
use serde_json::Value;
use signalbox_adapters::script;
use signalbox_model::bundle::{Bundle, BundledFile};
use signalbox_runtime::Registry;
use std::future::Future;
use std::pin::Pin;
use std::process::ExitCode;
#[cfg(feature = "server")]
use triggers::Firing;

type Done<'a, T> = Pin<Box<dyn Future<Output = T> + 'a>>;
type Connect = for<'a> fn(&Inside<'a>) -> Outside;
#[cfg(feature = "server")]
type ServeAll = for<'a> fn(&'a Host, &'a Bundle, Abilities, &'a Serve, &'a Output) -> Done<'a, Result<u8, Failure>>;
#[cfg(feature = "server")]
type Begin = for<'a> fn(&'a Host, &'a Bundle, &'a Serve, &'a Output) -> Done<'a, Result<Firing, Failure>>;

/// What sends tasks to an address.
#[cfg(feature = "server")]
#[derive(Clone, Copy)]
struct Callback {
    register: fn(&Host, &Bundle) -> Result<(), Failure>,
    routes: fn(&Host) -> Result<Router, Failure>,
    send: for<'a> fn(&'a Host) -> Done<'a, ()>,
    send_due: for<'a> fn(&'a Host) -> Done<'a, Result<(), Failure>>,
}

/// Reached by what has something to serve, so that the server is in no other program.
#[cfg(feature = "server")]
const SERVE: ServeAll =
    |host, bundle, abilities, given, output| Box::pin(serve::serve(host, bundle, abilities, given, output));

/// A process that reads files of tables as well, where the program has their library.
#[cfg(feature = "columnar")]
const WORKER: fn() = script::serve_all;
#[cfg(not(feature = "columnar"))]
const WORKER: fn() = script::serve;

/// What a program can do. What its `main` does not name is not in its file: nothing else leads to that code.
#[derive(Clone, Copy)]
pub struct Abilities {
    #[cfg(feature = "server")]
    server: Option<ServeAll>,
    #[cfg(feature = "server")]
    page: Option<fn(&Host, &str) -> Router>,
    #[cfg(feature = "server")]
    callback: Option<Callback>,
    #[cfg(feature = "server")]
    triggers: Option<Begin>,
    connect: Option<Connect>,
    kinds: fn() -> Registry,
    /// What a process does that was started for a script or a document.
    worker: Option<fn()>,
}

impl Abilities {
    /// Every step that needs no other module, files, HTTP and connectors; people at the terminal.
    pub const fn core() -> Self {
        Self {
            kinds: Registry::small,
            worker: None,
            #[cfg(feature = "server")]
            server: None,
            #[cfg(feature = "server")]
            page: None,
            #[cfg(feature = "server")]
            callback: None,
            #[cfg(feature = "server")]
            triggers: None,
            connect: None,
        }
    }

    /// Documents and scripts.
    #[must_use]
    pub const fn with_documents(self) -> Self {
        Self { kinds: Registry::large, worker: Some(script::serve), ..self }
    }

    /// The page for tasks: a list, one task, its answer.
    #[cfg(feature = "server")]
    #[must_use]
    pub const fn with_inbox(self) -> Self {
        Self { server: Some(SERVE), page: Some(inbox::routes), ..self }
    }

    /// Triggers: schedules, webhooks, forms, folders and sources start runs while the program serves.
    #[cfg(feature = "server")]
    #[must_use]
    pub const fn with_triggers(self) -> Self {
        let begin: Begin = |host, bundle, given, output| Box::pin(Firing::begin(host, bundle, given, output));
        Self { server: Some(SERVE), triggers: Some(begin), ..self }
    }

    /// Tasks are sent to an address, which answers through the server.
    #[cfg(feature = "server")]
    #[must_use]
    pub const fn with_callback(self) -> Self {
        let callback = Callback {
            register: callback::register,
            routes: callback::routes,
            send: |host| Box::pin(callback::send(host)),
            send_due: |host| Box::pin(callback::send_due(host)),
        };
        Self { server: Some(SERVE), callback: Some(callback), ..self }
    }

    /// Models, tools, databases, mail, indexes and files of tables, and the documents that they are made of: all kinds.
    #[must_use]
    pub const fn with_outside(self) -> Self {
        Self { connect: Some(outside::connect), kinds: Registry::built_in, worker: Some(WORKER), ..self }
    }
}

/// A program that carries its workflow in its own code instead of behind it.
pub struct Program {
    carried: Result<carried::Carried, Failure>,
    abilities: Abilities,
    on_error: Option<fn(&Value)>,
}

impl Program {
    /// The manifest: name, needs and settings, as JSON.
    pub fn with_manifest(manifest: &str) -> Self {
        Self { carried: carried::from_manifest(manifest), abilities: Abilities::core(), on_error: None }
    }

    /// A workflow, first the one that runs, then those that its steps call.
    #[must_use]
    pub fn with_workflow(mut self, id: &str, text: &str) -> Self {
        if let Ok(carried) = &mut self.carried {
            carried.bundle.files.push(BundledFile::new(id, text));
        }
        self
    }

    /// The kinds of steps that it can run, by what they need.
    #[must_use]
    pub fn with_abilities(mut self, abilities: Abilities) -> Self {
        self.abilities = abilities;
        self
    }

    /// Hears of each step that fails in a run that this process watches, as the events tell it.
    #[must_use]
    pub fn on_error(mut self, handler: fn(&Value)) -> Self {
        self.on_error = Some(handler);
        self
    }

    /// Runs the program: reads arguments and environment, then does what they say.
    pub fn start(self) -> ExitCode {
        let Self { carried, abilities, on_error } = self;
        if let Some(handler) = on_error {
            // Set once, before anything runs.
            let _ = follow::ON_ERROR.set(handler);
        }
        on_thread(abilities.worker, move || carry_out_arguments(carried, abilities))
    }
}

/// Runs the program with the workflow behind its own bytes.
pub fn start(abilities: Abilities) -> ExitCode {
    carried::name_process();
    on_thread(abilities.worker, move || carry_out_arguments(carried::read(), abilities))
}

/// A thread whose stack deep expressions fit into. The process of a script is this program as well.
fn on_thread(worker: Option<fn()>, work: impl FnOnce() -> u8 + Send + 'static) -> ExitCode {
    if let Some(serve) = worker.filter(|_| script::is_worker()) {
        serve();
        return ExitCode::SUCCESS;
    }
    let thread = std::thread::Builder::new().name("main".into()).stack_size(STACK).spawn(work);
    match thread.map(std::thread::JoinHandle::join) {
        Ok(Ok(code)) => ExitCode::from(code),
        Ok(Err(_)) => ExitCode::from(101),
        Err(error) => {
            eprintln!("No thread could be started: {error}.");
            ExitCode::from(INVALID)
        }
    }
}

fn carry_out_arguments(carried: Result<carried::Carried, Failure>, abilities: Abilities) -> u8 {
    let json = std::env::args_os().any(|arg| arg == "--json");
    let carried = match carried {
        Ok(carried) => carried,
        Err(failure) => return Output::new(json).failure(&failure),
    };
    let arguments = match Arguments::read(&carried.bundle) {
        Ok(arguments) => arguments,
        Err(error) => return output::usage(&error, json, &carried.bundle.name),
    };
    let output = Output::new(arguments.json);
    if arguments.describe {
        describe::describe(&output, &carried);
        return output::OK;
    }
    let Some(action) = arguments.action.clone() else {
        return output.failure(&Failure::invalid(
            "BAD_ARGUMENTS",
            "No command was given.",
            format!("{} --help lists the commands.", carried.bundle.name),
        ));
    };
    if matches!(action, Action::Health) {
        let asked = host::data_folder(&carried.bundle, &arguments).and_then(|data| health::health(&data, &output));
        return asked.unwrap_or_else(|failure| output.failure(&failure));
    }
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let done = runtime
        .map_err(|error| Failure::no_thread(&error))
        .and_then(|runtime| runtime.block_on(carry_out(&action, &arguments, &carried.bundle, abilities, &output)));
    done.unwrap_or_else(|failure| output.failure(&failure))
}

async fn carry_out(
    action: &Action,
    arguments: &Arguments,
    bundle: &Bundle,
    abilities: Abilities,
    output: &Output,
) -> Result<u8, Failure> {
    let host = Host::open(bundle, arguments, (abilities.kinds)(), abilities.connect)?;
    for alarm in host.alarms() {
        output.aside(&alarm);
    }
    #[cfg(feature = "server")]
    let callback = abilities.callback.filter(|_| bundle.callback.is_some());
    #[cfg(feature = "server")]
    if let Some(callback) = callback {
        (callback.register)(&host, bundle)?;
    }
    let done = match action {
        Action::Run(run) => runs::run(&host, bundle, run, output).await,
        Action::Resume { run } => runs::resume(&host, bundle, run.as_deref(), output).await,
        Action::Cancel { run } => runs::cancel(&host, run, output).await,
        Action::Tasks(command) => tasks::tasks(&host, command, output).await,
        #[cfg(not(feature = "server"))]
        Action::Serve(_) => Err(runs::nothing_to_serve()),
        #[cfg(feature = "server")]
        Action::Serve(given) => match abilities.server {
            Some(serve) => serve(&host, bundle, abilities, given, output).await,
            None => Err(runs::nothing_to_serve()),
        },
        // Answered before anything is opened.
        Action::Health => Ok(output::OK),
        Action::Runs => run_list::runs(&host, bundle, output),
        Action::Audit(Audit::Verify) => audit_verify::verify(&host, output),
    };
    #[cfg(feature = "server")]
    if let Some(callback) = callback
        && matches!(action, Action::Run(_) | Action::Resume { .. } | Action::Cancel { .. } | Action::Tasks(_))
    {
        // What could not be sent is sent by the next command.
        drop((callback.send_due)(&host).await);
    }
    let kept = host.close().await;
    match done {
        Ok(code) => kept.map(|()| code),
        Err(failure) => Err(failure),
    }
}
