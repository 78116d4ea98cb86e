//! `serve`.

use super::{Done, told_to_stop};
use crate::args::{LogLevel, Serve};
use crate::output::{OK, Output};
use crate::server;
use serde_json::json;
use signalbox_app::App;
use std::path::Path;
use std::sync::Arc;

pub(crate) async fn serve(app: Arc<App>, output: &Output, args: &Serve, data: &Path) -> Done {
    if !args.grant_root.is_empty() {
        app.set_grant_roots(
            args.grant_root.iter().map(|root| signalbox_app::grant_root(root)).collect::<Result<_, _>>()?,
        );
    }
    let token_file = args.token_file.clone().unwrap_or_else(|| data.join("serve.token"));
    let bound = server::bind(Arc::clone(&app), args.addr, &token_file, args.ui).await?;
    let url = format!("http://{}", bound.addr);
    app.serves_at(&url);
    app.count_runs();
    let (resumed, problems) = app.resume_all().await?;
    let runs = if resumed.len() == 1 { "interrupted run" } else { "interrupted runs" };
    output.log(LogLevel::Info, &format!("Resumed {} {runs}.", resumed.len()));
    for problem in problems {
        output.log(LogLevel::Error, &problem.message);
    }
    let token_file = std::path::absolute(&token_file).unwrap_or(token_file);
    output.value(&json!({ "url": url, "tokenFile": token_file }));
    if args.ui
        && !output.json
        && let Some(token) = &bound.token
    {
        output.line(&format!("{url}/#token={token}"));
    }
    if !args.ui && !output.json {
        // Beside what programs read.
        output
            .log(LogLevel::Warn, &format!("Only REST and events are served; add --ui to serve the web UI at {url}/."));
    }
    if args.audit_stdout {
        // After what a program that starts this one waits for.
        app.audit_to_stdout();
    }
    bound.serve(told_to_stop()).await;
    Ok(OK)
}
