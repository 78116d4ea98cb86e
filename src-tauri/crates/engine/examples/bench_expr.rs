//! P11: a rule over a payload must cost the same whatever the payload's size.
//! `cargo run --release -p signalbox-engine --example bench_expr`
#![allow(clippy::disallowed_methods, reason = "it measures time")]

use serde_json::{Value, json};
use signalbox_engine::expr::Expr;
use signalbox_engine::scope::Scope;
use std::sync::Arc;
use std::time::Instant;

fn nanos(rule: &Expr, entries: usize) -> (usize, f64) {
    const ROUNDS: u32 = 100_000;
    let input: Vec<Value> =
        (0..entries).map(|n| json!({ "n": n, "text": "some text of a payload", "ok": true })).collect();
    let error = json!({ "details": { "input": input }, "type": "ToolError", "retryable": true, "attempt": 1, "maxAttempts": 3 });
    let bytes = error.to_string().len();
    let mut scope = Scope::empty();
    scope.error = Arc::new(error);
    let start = Instant::now();
    for _ in 0..ROUNDS {
        assert_eq!(rule.eval_bool(&scope), Ok(true));
    }
    (bytes, start.elapsed().as_secs_f64() * 1e9 / f64::from(ROUNDS))
}

fn main() {
    let text = "err.retryable == true && err.attempt < err.maxAttempts && err.type in [\"LLMError\", \"ToolError\"]";
    let Ok(rule) = Expr::compile(text) else { return };
    let (small_bytes, small) = nanos(&rule, 1);
    let (large_bytes, large) = nanos(&rule, 1700);
    println!("{small_bytes} bytes: {small:.0} ns; {large_bytes} bytes: {large:.0} ns; ratio {:.2}", large / small);
    let start = Instant::now();
    const TEXTS: u32 = 2_000;
    for n in 0..TEXTS {
        assert!(Expr::compile(&format!("{text} && {n} > -1")).is_ok());
    }
    println!("compile: {:.1} us", start.elapsed().as_secs_f64() * 1e6 / f64::from(TEXTS));
}
