//! The `signalbox` program: the command line, and the server of `serve`.

mod a2a_server;
mod args;
mod commands;
mod mcp_server;
mod output;
mod server;

use args::{Audit, Cli, Command, Connectors, Global, Triggers};
use clap::Parser;
use clap::error::ErrorKind;
use commands::finish;
use output::{FAILED, INVALID, OK, Output};
use serde_json::json;
use signalbox_app::dto::Host;
use signalbox_app::{ApiError, ApiResult, App, Class, History, Options, script};
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;

/// Expressions are compiled and evaluated on this program's threads as well (TRUST, store rules).
const STACK: usize = 32 * 1024 * 1024;

fn main() -> ExitCode {
    if script::is_worker() {
        script::serve_all();
        return ExitCode::SUCCESS;
    }
    let thread = std::thread::Builder::new().name("main".into()).stack_size(STACK).spawn(start);
    match thread.map(std::thread::JoinHandle::join) {
        Ok(Ok(code)) => ExitCode::from(code),
        Ok(Err(_)) => ExitCode::from(101),
        Err(error) => {
            eprintln!("No thread could be started: {error}.");
            ExitCode::from(INVALID)
        }
    }
}

fn start() -> u8 {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => return usage(&error),
    };
    let output = Output::new(&cli.global);
    match &cli.command {
        Command::Validate { files } => {
            // Without a data folder there is no library.
            let data = data_folder(&cli.global).ok();
            // Where a person has worked, it is known which folders are allowed.
            let known =
                cli.global.history.is_some() || data.as_ref().is_some_and(|data| data.join("signalbox.db").is_file());
            let app = if known { open(&cli.global, &cli.command).ok().map(|(app, _)| app) } else { None };
            finish(&output, commands::validate::validate(&output, files, data.as_deref(), app.as_deref()))
        }
        // Sub-workflows may be in the library; without a data folder there is none.
        Command::Export(args) => {
            finish(&output, commands::export::export(&output, args, data_folder(&cli.global).ok().as_deref()))
        }
        Command::Import(args) => finish(&output, commands::import::import(&output, args)),
        // Sub-workflows may be in the library; without a data folder there is none.
        Command::Test(args) => {
            finish(&output, commands::test::test(&output, args, data_folder(&cli.global).ok().as_deref()))
        }
        Command::Prove { file, pairs } => {
            let data = data_folder(&cli.global).ok();
            finish(&output, commands::test::prove(&output, file, data.as_deref(), *pairs))
        }
        Command::Catalog(command) => finish(&output, commands::catalog::catalog(&output, command)),
        Command::Connectors(command) if !matches!(command, Connectors::Add { .. } | Connectors::Remove { .. }) => {
            let done =
                data_folder(&cli.global).and_then(|data| commands::connectors::connectors(&output, command, &data));
            finish(&output, done)
        }
        Command::Service(command) => {
            let done = data_folder(&cli.global)
                .and_then(|data| commands::service::service(&output, command, &cli.global, &data));
            finish(&output, done)
        }
        Command::Triggers(Triggers::Next { file, count, from }) => {
            finish(&output, commands::triggers::next(&output, file, *count, from.as_deref()))
        }
        Command::Completions { shell } => finish(&output, commands::manual::completions(&output, *shell)),
        Command::Man { out } => finish(&output, commands::manual::man(&output, out)),
        _ => {
            let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().thread_stack_size(STACK).build();
            match runtime {
                Ok(runtime) => runtime.block_on(with_runtime(&cli, &output)),
                Err(error) => output.error(&ApiError::no_thread(&error)),
            }
        }
    }
}

async fn with_runtime(cli: &Cli, output: &Output) -> u8 {
    match &cli.command {
        // These two must not depend on a store that opens.
        Command::Restore(args) => match data_folder(&cli.global) {
            Ok(data) => finish(output, commands::backup::restore(output, args, data).await),
            Err(error) => output.error(&error),
        },
        Command::Doctor(args) => {
            let data = data_folder(&cli.global);
            finish(output, commands::doctor::doctor(output, args, data, history(&cli.global)).await)
        }
        #[cfg(feature = "restate")]
        Command::Deployments(command) => finish(output, commands::deployments::deployments(output, command).await),
        _ => with_store(cli, output).await,
    }
}

async fn with_store(cli: &Cli, output: &Output) -> u8 {
    let (app, data) = match open(&cli.global, &cli.command) {
        Ok(opened) => opened,
        Err(error) => return without_store(cli, output, &error),
    };
    for alarm in app.alarms() {
        output.log(args::LogLevel::Error, &alarm);
    }
    if let Some(level) = output.run_log() {
        app.log_runs(level, output::log_line);
    }
    let log = *output;
    if let Err(error) = app.trace_runs(move |why| log.log(args::LogLevel::Warn, why)) {
        app.shut_down().await;
        return output.error(&error);
    }
    let done = match &cli.command {
        Command::Run(args) => commands::run::run(&app, output, args).await,
        Command::Plan(args) => commands::plan::plan(&app, output, args).await,
        Command::Runs(command) => commands::runs::runs(&app, output, command).await,
        Command::Failures(command) => commands::failures::failures(&app, output, command).await,
        Command::Resume { run } => commands::run::resume(&app, output, run.as_deref()).await,
        Command::Rerun(args) => commands::rerun::rerun(&app, output, args).await,
        Command::Cancel { run } => commands::run::cancel(&app, output, run).await,
        Command::Tasks(command) => commands::tasks::tasks(&app, output, command).await,
        Command::Audit(command) => commands::audit::audit(&app, output, command).await,
        Command::Secret(command) => commands::secret::secret(&app, output, command).await,
        Command::Health { workflow, days } => commands::health::health(&app, output, workflow.as_deref(), *days).await,
        Command::Telemetry { test } => commands::telemetry::telemetry(&app, output, *test).await,
        Command::Version(args) => commands::version::version(&app, output, args).await,
        Command::Models(command) => commands::models::models(&app, output, command).await,
        Command::Tools(command) => commands::tools::tools(&app, output, command).await,
        Command::Index(command) => commands::index::index(&app, output, command).await,
        Command::Webhook(command) => commands::webhook::webhook(&app, output, command).await,
        Command::Activate { workflow, version } => {
            commands::triggers::activate(&app, output, workflow, version.as_deref()).await
        }
        Command::Deactivate { workflow } => commands::triggers::deactivate(&app, output, workflow).await,
        Command::Versions { workflow } => commands::triggers::versions(&app, output, workflow).await,
        Command::Triggers(command) => commands::triggers::triggers(&app, output, command).await,
        Command::Mcp { author } => commands::mcp::mcp(&app, *author).await,
        Command::Serve(args) => commands::serve::serve(Arc::clone(&app), output, args, &data).await,
        #[cfg(feature = "restate")]
        Command::Worker(args) => commands::worker::worker(&app, output, args).await,
        Command::People(command) => commands::people::people(&app, output, command).await,
        Command::Token(command) => commands::token::token(&app, output, command).await,
        Command::Workspace(command) => commands::workspace::workspace(&app, output, command).await,
        Command::Connectors(command) => commands::connectors::change(&app, output, command).await,
        Command::Backup(args) => commands::backup::backup(&app, output, args).await,
        Command::CheckData(args) => commands::check_data::check_data(&app, output, args).await,
        // Handled before a store was opened.
        Command::Validate { .. }
        | Command::Export(_)
        | Command::Import(_)
        | Command::Test(_)
        | Command::Prove { .. }
        | Command::Catalog(_)
        | Command::Service(_)
        | Command::Restore(_)
        | Command::Doctor(_)
        | Command::Completions { .. }
        | Command::Man { .. } => Ok(OK),
        #[cfg(feature = "restate")]
        Command::Deployments(_) => Ok(OK),
    };
    let code = done.unwrap_or_else(|error| failed(cli, output, &error));
    app.shut_down().await;
    code
}

/// A full disk is no reason not to verify a pack: it needs no room.
fn without_store(cli: &Cli, output: &Output, error: &ApiError) -> u8 {
    match &cli.command {
        Command::Audit(Audit::Verify { file: Some(file), key, .. }) if error.code == "DISK_FULL" => {
            finish(output, commands::audit::pack_alone(output, file, key.as_deref(), error))
        }
        _ => failed(cli, output, error),
    }
}

/// Exit code of an error. Runs that this machine cannot go on with now are no slip of who asked for it.
fn failed(cli: &Cli, output: &Output, error: &ApiError) -> u8 {
    let code = output.error(error);
    let is_of_machine = matches!(cli.command, Command::Resume { .. }) && error.class == Class::Unavailable;
    if is_of_machine { FAILED } else { code }
}

fn data_folder(global: &Global) -> ApiResult<PathBuf> {
    match &global.data {
        Some(data) => Ok(std::path::absolute(data).unwrap_or_else(|_| data.clone())),
        None => signalbox_app::default_data_dir(),
    }
}

fn open(global: &Global, command: &Command) -> ApiResult<(Arc<App>, PathBuf)> {
    let data = data_folder(global)?;
    let allow = global.allow_dir.iter().map(|text| signalbox_app::parse_allow_dir(text)).collect::<ApiResult<_>>()?;
    #[cfg(feature = "restate")]
    if let Command::Worker(args) = command {
        commands::worker::check(args)?;
    }
    #[cfg(feature = "restate")]
    let is_worker = matches!(command, Command::Worker(_));
    #[cfg(not(feature = "restate"))]
    let is_worker = false;
    let stays = is_worker || matches!(command, Command::Serve(_));
    let options = Options { host: Host::Http, allow, stays, reads: command.only_reads() };
    let app = App::open_on(&data, options, history(global))?;
    Ok((app, data))
}

/// The database of the history, where it is not a file of the data folder.
fn history(global: &Global) -> Option<History> {
    global.history.as_ref().map(|url| History::new(url.clone(), std::env::var("PGPASSWORD").ok()))
}

/// Help and version go to standard output; a wrong argument is an error like every other.
fn usage(error: &clap::Error) -> u8 {
    if matches!(error.kind(), ErrorKind::DisplayHelp | ErrorKind::DisplayVersion) {
        // A closed pipe is no reason to fail.
        drop(error.print());
        return OK;
    }
    let json = std::env::args_os().any(|arg| arg == "--json");
    if json {
        let text = error.to_string();
        // Up to the usage: which argument is meant stands in lines of its own.
        let said: Vec<&str> = text.lines().map(str::trim).take_while(|line| !line.is_empty()).collect();
        let message = said.join(" ");
        let message = message.trim_start_matches("error: ");
        let error = ApiError::bad_request(
            message,
            "signalbox --help lists the commands, signalbox COMMAND --help their arguments.",
        );
        println!("{}", json!({ "error": ApiError { code: "BAD_ARGUMENTS".into(), ..error } }));
    } else {
        drop(error.print());
    }
    INVALID
}
