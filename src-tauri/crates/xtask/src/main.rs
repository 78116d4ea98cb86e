//! `cargo xtask run | test | gen | check | counts | peers | fuzz | eval | bench | manual | package | releases`: one way to set up, build and test, the same for a person and for CI.
//! Deliberately without dependencies.

mod build_times;
mod compare;
mod compiler;
mod counts;
mod fuzz;
mod package;
mod releases;
mod scratch;
mod shell;
mod steps;
mod system;
mod ui;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Why a task ended badly; already in plain words.
type Failure = String;

const HELP: &str = "\
cargo xtask <task>

  run     install what is missing, build the UI and the app, open it (without a display: serve it and print the address)
  test    install what is missing, run every check and test; the last line is `N passed, N failed`
  gen     write the generated files again (schemas, TypeScript, tables)
  check   the quick checks: format, clippy, dependency rules, UI lint and types
  counts  count the instructions of fixed work of the engine and compare them; `--write`: expect these from now on;
          `--optimised`: as released
  peers   tools against the servers and the conformance suite of others (`servers`, `graphql`, `samples`, `conformance`, `--table`);
          `cel`: the language of expressions against the conformance cases of CEL;
          `llama`: models against the server of llama.cpp, which needs Python packages and says which;
          `rest`: the server against its own description, by schemathesis, which it installs below the target folder;
          `models`: two model servers with a small real model, installed below target/peers;
          `sinks`: copies of the audit chain in PostgreSQL, which the system has, and in the S3 of moto;
          `objects`: object steps with the S3 of moto and a WebDAV server, from PyPI, and Azurite, from npm;
          `templates`: spreadsheet templates of openpyxl and XlsxWriter from PyPI, calculated by LibreOffice where the system has it;
          `kafka`: the same in Kafka, with a broker and a cluster of mock brokers from PyPI;
          `amqp`: messages by RabbitMQ, which the system has;
          `source`: an exported Cargo project, built offline and run; some minutes of CPU;
          `programs`: every sample as a program in a root of Debian without network, as root;
          `packages`: the packages in booted roots of Debian 12 and 13, as root;
          `restate`: workers on a Restate server, killed at random, and releases side by side; needs PostgreSQL on the system;
          with `--bench`: what a step costs, compared with a bare service
          `telemetry`: spans by a real collector from PyPI, metrics by Prometheus, which the system has
  fuzz    look for inputs that readers cannot stand (libFuzzer): all targets or those named, `--seconds N` each (600);
          `TARGET --file FILE` tries one input again
  eval    plan the requests of tests/planner with a provider (`KIND=URL MODEL`) and print a table; `--try` runs the drafts, `--first N` takes so many
  bench   measure, and print the table for docs/benchmarks.md;
          `--compare COMMIT [WORKLOAD…]`: the program of a commit against the one of the working tree, turn about (`--pairs N`: 3);
          `--dev`: debug builds of both; `--goals [GOAL…]`: the benches of both commits, without link-time optimisation
  package build for release, then pack below target/package: Debian packages, RPM packages where rpmbuild is there, a portable tar,
          an OCI image of the server, a list of components and checksums; `--sign KEY`: sign the checksums with a key of GnuPG;
          `--dev`: pack the programs of target/debug, to try the packages; `--built`: those of target/release as they
          are; `--version V`: under another version, with one of them
  releases LIST.json --key KEY.pem
          sign a list of releases for docs/updates.md, with openssl
  manual  write the manual as a site below target/manual
";

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    if compiler::is_called(&args) {
        return compiler::compile(&args).unwrap_or_else(|failure| {
            eprintln!("{failure}");
            ExitCode::FAILURE
        });
    }
    let root = root();
    let done = match args.first().map(String::as_str) {
        Some("run") => steps::run(&root, &args[1..]),
        Some("test") => steps::test(&root, &args[1..]),
        Some("gen") => steps::generate(&root),
        Some("check") => steps::check(&root),
        Some("counts") => counts::counts(&root, &args[1..]),
        Some("peers") => steps::peers(&root, &args[1..]),
        Some("fuzz") => fuzz::fuzz(&root, &args[1..]),
        Some("eval") => steps::eval(&root, &args[1..]),
        Some("bench") => steps::bench(&root, &args[1..]),
        Some("manual") => ui::manual(&root),
        Some("package") => package::package(&root, &args[1..]),
        Some("releases") => releases::releases(&root, &args[1..]),
        None | Some("help" | "-h" | "--help") => {
            print!("{HELP}");
            return ExitCode::SUCCESS;
        }
        Some(other) => Err(format!("There is no task '{other}'.\n\n{HELP}")),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("\n{failure}");
            ExitCode::FAILURE
        }
    }
}

/// The top of the repository: three levels above this crate.
fn root() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.ancestors().nth(3).unwrap_or(here).to_path_buf()
}

/// Where cargo puts what it builds.
fn target(root: &Path) -> PathBuf {
    root.join(std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| PathBuf::from("target"), PathBuf::from))
}
