//! The program that exported workflows run in: it reads the workflow from the end of its own file and starts, resumes and shows
//! its runs. It has no window, no server, no library and no command list.

mod args;
mod audit_file;
mod audit_key;
mod audit_ring;
mod audit_verify;
mod carried;
mod configuration;
mod describe;
mod failure;
mod follow;
mod health;
mod host;
mod inbox;
mod needs;
mod output;
mod outside;
mod run_list;
mod runs;
mod secrets;
mod tasks;

use args::{Action, Arguments, Audit};
use failure::Failure;
use host::Host;
use output::{INVALID, Output};
use outside::{Inside, Outside};
use signalbox_adapters::script;
use std::future::Future;
use std::pin::Pin;
use std::process::ExitCode;

/// Expressions are compiled and evaluated on this program's threads as well.
const STACK: usize = 32 * 1024 * 1024;

type Page = for<'a> fn(&'a Host, u16, &'a Output) -> Serving<'a>;
type Serving<'a> = Pin<Box<dyn Future<Output = Result<u8, Failure>> + 'a>>;
type Connect = for<'a> fn(Inside<'a>) -> Outside;

/// What a program can do. What its `main` does not name is not in its file: nothing else leads to that code.
#[derive(Clone, Copy)]
pub struct Abilities {
    page: Option<Page>,
    connect: Option<Connect>,
}

impl Abilities {
    /// Every step that needs no other module; people at the terminal.
    pub const fn core() -> Self {
        Self { page: None, connect: None }
    }

    /// The page for tasks: a list, one task, its answer.
    #[must_use]
    pub const fn with_inbox(self) -> Self {
        Self { page: Some(|host, port, output| Box::pin(inbox::serve(host, port, output))), ..self }
    }

    /// Models, tools, databases, mail and indexes of documents.
    #[must_use]
    pub const fn with_outside(self) -> Self {
        Self { connect: Some(outside::connect), ..self }
    }
}

/// Runs the program.
pub fn start(abilities: Abilities) -> ExitCode {
    if script::is_worker() {
        script::serve();
        return ExitCode::SUCCESS;
    }
    let thread =
        std::thread::Builder::new().name("main".into()).stack_size(STACK).spawn(move || read_and_carry_out(abilities));
    match thread.map(std::thread::JoinHandle::join) {
        Ok(Ok(code)) => ExitCode::from(code),
        Ok(Err(_)) => ExitCode::from(101),
        Err(error) => {
            eprintln!("No thread could be started: {error}.");
            ExitCode::from(INVALID)
        }
    }
}

fn read_and_carry_out(abilities: Abilities) -> u8 {
    let json = std::env::args_os().any(|arg| arg == "--json");
    let carried = match carried::read() {
        Ok(carried) => carried,
        Err(failure) => return Output::new(json).failure(&failure),
    };
    let arguments = match Arguments::read(&carried.bundle, abilities.page.is_some()) {
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
    bundle: &signalbox_model::bundle::Bundle,
    abilities: Abilities,
    output: &Output,
) -> Result<u8, Failure> {
    let host = Host::open(bundle, arguments, abilities.connect)?;
    for alarm in host.alarms() {
        output.aside(&alarm);
    }
    let done = match action {
        Action::Run(run) => runs::run(&host, bundle, run, output).await,
        Action::Resume { run } => runs::resume(&host, bundle, run.as_deref(), output).await,
        Action::Cancel { run } => runs::cancel(&host, run, output).await,
        Action::Tasks(command) => tasks::tasks(&host, command, output).await,
        Action::Serve { port } => match abilities.page {
            Some(serve) => runs::serve(&host, bundle, serve(&host, *port, output), output).await,
            None => Err(Failure::invalid(
                "NO_PAGE",
                "This program has no page for tasks.",
                "Export the workflow with --human ui, or answer with the command `tasks`.",
            )),
        },
        // Answered before anything is opened.
        Action::Health => Ok(output::OK),
        Action::Runs => run_list::runs(&host, bundle, output),
        Action::Audit(Audit::Verify) => audit_verify::verify(&host, output),
    };
    let kept = host.close().await;
    match done {
        Ok(code) => kept.map(|()| code),
        Err(failure) => Err(failure),
    }
}
