#!/usr/bin/env bash
# The Rust crate cel reads a duration as far as it can, and forgets the rest.
# Guess: `duration('1h 30m')` is an hour and a half or an error, and `duration('-1h-30m')` is an error: CEL has one sign in front, and units
# without blanks.
# Instead: the first is one hour, the second is minus 30 minutes, and `duration('1h30')` is one hour; `duration('1.001s')` lacks a nanosecond,
# so that it is not equal to `duration('1001ms')`.
# It matters: time limits and ages in rules that people write are half of what they say, and no message tells it.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
mkdir src
cat >Cargo.toml <<'END'
[package]
name = "durations"
version = "0.0.0"
edition = "2021"

[dependencies]
cel = "=0.15.0"
END
cat >src/main.rs <<'END'
use cel::{Context, Program, Value};

fn main() {
    let context = Context::default();
    for (text, expected) in [
        ("duration('1h30m') == duration('90m')", true),
        ("duration('1h 30m') == duration('1h')", true),
        ("duration('1h30') == duration('1h')", true),
        ("duration('-1h-30m') == duration('-30m')", true),
        ("duration('1.001s') == duration('1001ms')", false),
    ] {
        let value = Program::compile(text).unwrap().execute(&context).unwrap();
        println!("{text}: {value:?}");
        assert_eq!(value, Value::Bool(expected));
    }
    assert!(Program::compile("duration('h')").unwrap().execute(&context).is_err());
}
END
cargo --quiet run
grep -A1 'name = "cel"' Cargo.lock
