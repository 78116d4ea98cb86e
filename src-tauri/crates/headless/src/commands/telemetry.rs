//! `telemetry`: whether and where spans of runs are sent.

use super::Done;
use crate::output::{FAILED, OK, Output, Tone, plain};
use serde_json::{Value, json};
use signalbox_app::{App, Caller};
use std::sync::Arc;

pub(crate) async fn telemetry(app: &Arc<App>, output: &Output, test: bool) -> Done {
    let caller = Caller::terminal(None)?;
    let text = |value: &Value| plain(value.as_str().unwrap_or_default());
    if test {
        let done = app.dispatch(&caller, "telemetry_test", json!({})).await?;
        let arrived = done["ok"] == true;
        if output.json {
            output.value(&done);
        } else if arrived {
            output.line(&format!("{} took a span. Its trace: {}", text(&done["endpoint"]), text(&done["traceId"])));
        } else {
            output.line(&output.paint(&format!("The span did not arrive: {}", text(&done["error"])), Tone::Bad));
        }
        return Ok(if arrived { OK } else { FAILED });
    }
    let now = app.dispatch(&caller, "telemetry_get", json!({})).await?;
    if output.json {
        output.value(&now);
        return Ok(OK);
    }
    let on = if now["on"] == true { "Spans are sent" } else { "Spans are not sent" };
    let place = now["endpoint"].as_str().map(|place| format!(", to {} by {}", plain(place), text(&now["protocol"])));
    output.line(&format!("{on}{}.", place.unwrap_or_default()));
    let variables: Vec<String> =
        now["variables"].as_array().into_iter().flatten().filter_map(Value::as_str).map(plain).collect();
    if !variables.is_empty() {
        output.line(&format!("Set by {}.", variables.join(", ")));
    }
    if let Some(why) = now["error"].as_str() {
        output.line(&output.paint(&format!("Last spans: {}", plain(why)), Tone::Bad));
    }
    Ok(OK)
}
