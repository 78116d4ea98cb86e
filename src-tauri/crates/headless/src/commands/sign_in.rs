//! Waiting at the terminal for a sign-in: the browser comes back, or somebody pastes where it was sent to.

use crate::output::{Output, Tone, plain};
use serde_json::{Value, json};
use signalbox_app::{ApiError, App, Caller};
use std::future::Future;
use std::sync::Arc;

/// Shows where to sign in and waits for the end. `finish`: the command that takes what was pasted.
pub(super) async fn wait(
    (app, caller, output): (&Arc<App>, &Caller, &Output),
    begun: &Value,
    finish: &'static str,
    done: impl Future<Output = Result<(), ApiError>>,
) -> Result<(), ApiError> {
    let Some(address) = begun["address"].as_str() else { return Ok(()) };
    if output.json {
        output.value(begun);
    } else if let Some(code) = begun["userCode"].as_str() {
        output.line("Open this address on any device and enter the code:");
        output.line(&format!("  {}", plain(address)));
        output.line(&format!("  {}", plain(code)));
    } else {
        output.line("Open this address in your browser and sign in:");
        output.line(&format!("  {}", plain(address)));
        output.line("If your browser is on another machine, paste the address it ends at here and press Enter.");
    }
    let mut pasted = pasted_lines();
    tokio::pin!(done);
    loop {
        tokio::select! {
            done = &mut done => return done,
            Some(line) = pasted.recv() => {
                let request = json!({ "name": begun["name"], "address": line });
                match app.dispatch(caller, finish, request).await {
                    // What was pasted was not it; what is right may follow.
                    Err(error) if error.code == "BAD_REQUEST" && !output.json => {
                        output.line(&output.paint(&error.message, Tone::Warn));
                    }
                    Err(error) if error.code == "BAD_REQUEST" => {}
                    Err(error) => return Err(error),
                    Ok(_) => {}
                }
            }
        }
    }
}

/// Lines of standard input, as they come. The thread that reads them ends with the program.
fn pasted_lines() -> tokio::sync::mpsc::UnboundedReceiver<String> {
    let (sender, lines) = tokio::sync::mpsc::unbounded_channel();
    let reads = move || {
        for line in std::io::stdin().lines().map_while(Result::ok) {
            if !line.trim().is_empty() && sender.send(line).is_err() {
                return;
            }
        }
    };
    // Without it the page of this machine is the only way back.
    drop(std::thread::Builder::new().name("pasted".into()).spawn(reads));
    lines
}
