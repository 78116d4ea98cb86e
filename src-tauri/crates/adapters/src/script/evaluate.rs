//! One script in a QuickJS of its own: no module, no file, no network, no timer; only the language.

use super::exact;
use super::wire::{Answer, Request};
use rquickjs::{CatchResultExt, CaughtError, Context, Ctx, Error, Function, Object, Promise, Runtime};
use signalbox_ports::scripts::ScriptFault;
use std::time::{Duration, Instant};

const PRELUDE: &str = include_str!("prelude.js");
/// Lines that the engine puts before the source of a function.
const BEFORE: u32 = 2;
/// What QuickJS may use of the stack of the thread, which is [`super::worker::STACK`].
const STACK: usize = 1 << 20;
/// The longest result as JSON, bytes: longer JSON is refused everywhere (TRUST).
const MOST_RESULT: usize = 64 << 20;

/// Runs one script to its end, or to its limits.
pub(super) fn evaluate(request: &Request, values: String) -> Answer {
    let begun = Instant::now();
    let answer = match prepared(request, begun) {
        Ok((_runtime, context)) => context.with(|ctx| in_context(&ctx, request, values)),
        Err(error) => failed(ScriptFault::Crashed, format!("QuickJS cannot be started: {error}"), None),
    };
    // What is stopped while its promise is kept leaves a promise that nobody keeps.
    if answer.fault == Some(ScriptFault::Waits) && begun.elapsed() > Duration::from_millis(request.timeout_ms) {
        return Answer { fault: Some(ScriptFault::Timeout), text: "interrupted".into(), ..answer };
    }
    answer
}

fn prepared(request: &Request, begun: Instant) -> Result<(Runtime, Context), Error> {
    let runtime = Runtime::new()?;
    runtime.set_memory_limit(usize::try_from(request.memory_mb).unwrap_or(usize::MAX).saturating_mul(1 << 20));
    runtime.set_max_stack_size(STACK);
    let limit = Duration::from_millis(request.timeout_ms);
    runtime.set_interrupt_handler(Some(Box::new(move || begun.elapsed() > limit)));
    let context = Context::full(&runtime)?;
    Ok((runtime, context))
}

fn in_context(ctx: &Ctx<'_>, request: &Request, values: String) -> Answer {
    let prelude: Object<'_> = match begun(ctx, request.fixed).catch(ctx) {
        Ok(prelude) => prelude,
        Err(error) => return told(error),
    };
    let mut answer = run(ctx, &prelude, request, values).unwrap_or_else(|answer| answer);
    // A script that changes the built-in objects spoils its own lines only.
    let printed = prelude.get::<_, Function<'_>>("printed").and_then(|printed| printed.call::<_, String>(()));
    answer.printed = printed.ok().and_then(|text| serde_json::from_str(&text).ok()).unwrap_or_default();
    answer
}

/// The prelude with the functions of the host that it needs.
fn begun<'js>(ctx: &Ctx<'js>, fixed: Option<(i64, u64)>) -> Result<Object<'js>, Error> {
    let host = Object::new(ctx.clone())?;
    if let Some((now_ms, seed)) = fixed {
        // Both numbers are exact in JavaScript.
        #[expect(clippy::cast_precision_loss, reason = "a time of our calendar has less than 53 bits")]
        host.set("now", now_ms as f64)?;
        host.set("seed", vec![(seed >> 32) as u32, (seed & u64::from(u32::MAX)) as u32])?;
    }
    let mark = exact::mark();
    host.set("mark", mark.as_str())?;
    let own = mark.clone();
    host.set("marked", Function::new(ctx.clone(), move |text: String| exact::marked(&text, &own))?)?;
    host.set("unmarked", Function::new(ctx.clone(), move |text: String| exact::unmarked(&text, &mark))?)?;
    ctx.eval::<Function<'js>, _>(PRELUDE)?.call((host,))
}

fn run<'js>(ctx: &Ctx<'js>, prelude: &Object<'js>, request: &Request, values: String) -> Result<Answer, Answer> {
    let names = serde_json::to_string(&request.names).unwrap_or_default();
    let make: Function<'_> = prelude.get("make").catch(ctx).map_err(told)?;
    let script: Function<'_> = make.call((names, request.source.as_str())).catch(ctx).map_err(|error| {
        let answer = told(error);
        let fault = answer.fault.map(|fault| if fault == ScriptFault::Thrown { ScriptFault::Syntax } else { fault });
        Answer { fault, ..answer }
    })?;
    let run: Function<'_> = prelude.get("run").catch(ctx).map_err(told)?;
    // A large input is there once: as text of the script, and soon as its values.
    let given = rquickjs::String::from_str(ctx.clone(), &values).catch(ctx).map_err(told)?;
    drop(values);
    let promise: Promise<'_> = run.call((script, given)).catch(ctx).map_err(told)?;
    let text: String = promise.finish().catch(ctx).map_err(told)?;
    if text.len() > MOST_RESULT {
        let words = format!("The result is larger than {} MiB", MOST_RESULT >> 20);
        return Err(failed(ScriptFault::NotJson, words, None));
    }
    Ok(Answer { fault: None, text, line: None, printed: Vec::new() })
}

fn failed(fault: ScriptFault, text: String, line: Option<u32>) -> Answer {
    Answer { fault: Some(fault), text, line, printed: Vec::new() }
}

fn told(error: CaughtError<'_>) -> Answer {
    match error {
        CaughtError::Exception(thrown) => {
            let name: String = thrown.as_object().get("name").unwrap_or_default();
            let message = thrown.message().unwrap_or_default();
            let fault = match (name.as_str(), message.as_str()) {
                ("InternalError", "interrupted") => ScriptFault::Timeout,
                ("InternalError", "out of memory") => ScriptFault::Memory,
                ("TypeError", words) if words.ends_with(", which JSON cannot say") => ScriptFault::NotJson,
                _ => ScriptFault::Thrown,
            };
            let text = match fault {
                ScriptFault::Thrown if !matches!(name.as_str(), "" | "Error") => format!("{name}: {message}"),
                _ => message,
            };
            let text = hinted(text);
            failed(fault, text, thrown.stack().as_deref().and_then(line_in))
        }
        // What QuickJS throws when no memory is left for the error itself.
        CaughtError::Value(value) if value.is_null() => failed(ScriptFault::Memory, "out of memory".into(), None),
        CaughtError::Value(value) => {
            let json = value.ctx().json_stringify(value.clone()).ok().flatten().and_then(|text| text.to_string().ok());
            failed(ScriptFault::Thrown, json.unwrap_or_else(|| "it threw a value without words".into()), None)
        }
        CaughtError::Error(Error::WouldBlock) => {
            let words =
                "The script waits for a promise that nothing here can keep: there are no timers and no requests";
            failed(ScriptFault::Waits, words.into(), None)
        }
        CaughtError::Error(error) => failed(ScriptFault::Thrown, error.to_string(), None),
    }
}

/// What to do about a fault that comes from what a script is given here, and not from its author.
fn hinted(text: String) -> String {
    if text.starts_with("TypeError") && text.to_ascii_lowercase().contains("bigint") {
        format!(
            "{text}. Whole numbers beyond 9007199254740991 are BigInt values in a script: compute with 2n instead of 2, or make a number \
             of one with Number(…), which may round"
        )
    } else if text == "ReferenceError: Intl is not defined" {
        format!(
            "{text}. There is no Intl in a script: texts for a language or a time zone have to be put together by hand"
        )
    } else {
        text
    }
}

/// The line of the source in the first frame that is in it: `… (<input>:5:11)`.
fn line_in(stack: &str) -> Option<u32> {
    let (_, place) = stack.split_once("<input>:")?;
    let digits: String = place.chars().take_while(char::is_ascii_digit).collect();
    digits.parse::<u32>().ok()?.checked_sub(BEFORE).filter(|line| *line > 0)
}

#[cfg(test)]
mod tests;
