//! The suite once more, on databases of PostgreSQL: this binary, started again with a server in its environment.

use crate::support::at_server;
use signalbox_testkit::Postgres;
use std::process::Command;

/// Tests whose names have one of these, and none of those.
fn hold(names: &[String], without: &[&str]) {
    if at_server() {
        return;
    }
    let server = Postgres::start("-c autovacuum=off -c max_connections=200");
    let mut suite = Command::new(std::env::current_exe().expect("this binary"));
    suite.args(names).args(without.iter().flat_map(|name| ["--skip", name])).args(["--test-threads", "2"]);
    suite.env("SIGNALBOX_STORE_SERVER", server.address());
    let told = suite.output().expect("starts");
    let said = String::from_utf8_lossy(&told.stdout);
    let held = told.status.success() && !said.contains("running 0 tests");
    assert!(held, "{said}{}", String::from_utf8_lossy(&told.stderr));
}

/// The tables whose names begin so.
fn tables(letters: std::ops::RangeInclusive<char>) {
    hold(&letters.map(|letter| format!("table::{letter}")).collect::<Vec<_>>(), &["on_postgres"]);
}

#[test]
fn tables_of_the_first_letters_hold() {
    tables('a'..='l');
}

#[test]
fn tables_of_the_middle_letters_hold() {
    tables('m'..='s');
}

#[test]
fn tables_of_the_last_letters_hold() {
    tables('t'..='z');
}

#[test]
fn everything_else_holds() {
    hold(&[], &["table::", "on_postgres"]);
}
