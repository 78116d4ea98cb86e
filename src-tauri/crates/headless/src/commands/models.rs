//! `models list | set | delete | test | default | discover | budget | usage`: providers of language models.

use super::{Done, usage};
use crate::args::{ModelKind, Models};
use crate::output::{FAILED, OK, Output, Tone, plain};
use serde_json::{Value, json};
use signalbox_app::{ApiError, App, Caller};
use signalbox_model::money;
use std::sync::Arc;

pub(crate) async fn models(app: &Arc<App>, output: &Output, command: &Models) -> Done {
    let caller = Caller::terminal(None)?;
    match command {
        Models::List => list(output, &app.dispatch(&caller, "model_list", json!({})).await?),
        Models::Set { name, kind, url, credential, models } => {
            let kind = match kind {
                ModelKind::Anthropic => "anthropic",
                ModelKind::Openai => "openai",
                ModelKind::Ollama => "ollama",
            };
            let models = models.iter().map(|text| entry(text)).collect::<Result<Vec<_>, _>>()?;
            let mut request = json!({ "name": name, "kind": kind, "baseUrl": url, "models": models });
            if let Some(credential) = credential {
                request["credential"] = credential.as_str().into();
            }
            list(output, &app.dispatch(&caller, "model_set", request).await?);
        }
        Models::Delete { name } => {
            list(output, &app.dispatch(&caller, "model_delete", json!({ "name": name })).await?);
        }
        Models::Test { name, model } => {
            let mut request = json!({ "name": name });
            if let Some(model) = model {
                request["model"] = model.as_str().into();
            }
            let done = app.dispatch(&caller, "model_test", request).await?;
            let ok = done["ok"] == true;
            if output.json {
                output.value(&done);
            } else {
                tested(output, &done, ok);
            }
            return Ok(if ok { OK } else { FAILED });
        }
        Models::Default { provider, model, none } => {
            let done = match (provider, model) {
                (Some(provider), Some(model)) => {
                    let request = json!({ "default": { "provider": provider, "model": model } });
                    app.dispatch(&caller, "model_default_set", request).await?
                }
                _ if *none => app.dispatch(&caller, "model_default_set", json!({})).await?,
                _ => app.dispatch(&caller, "model_list", json!({})).await?,
            };
            if output.json {
                output.value(&done["default"]);
            } else {
                output.line(&default(&done));
            }
        }
        Models::Budget { amount, none } => {
            let all = match amount {
                Some(amount) => app.dispatch(&caller, "model_budget_set", json!({ "perDay": amount })).await?,
                None if *none => app.dispatch(&caller, "model_budget_set", json!({})).await?,
                None => app.dispatch(&caller, "model_list", json!({})).await?,
            };
            if output.json {
                output.value(&json!({ "dayBudgetMicros": all["dayBudgetMicros"] }));
            } else {
                output.line(&match all["dayBudgetMicros"].as_u64() {
                    Some(micros) => format!("Daily model budget on this machine: {}.", money::words(micros)),
                    None => "No daily model budget. Set one with `signalbox models budget AMOUNT`.".into(),
                });
            }
        }
        Models::Usage { days } => return usage::of_days(app, output, *days).await,
        Models::Discover => {
            let found = app.dispatch(&caller, "model_discover", json!({})).await?;
            if output.json {
                output.value(&found);
            } else {
                discovered(output, &found);
            }
        }
    }
    Ok(OK)
}

/// `NAME` or `NAME=IN/OUT`. Names may hold `=` and `/` themselves: only two prices at the end are prices. What looks like
/// prices and is none is a slip and no name.
fn entry(text: &str) -> Result<Value, ApiError> {
    let Some((name, prices)) = text.rsplit_once('=') else { return Ok(json!({ "name": text })) };
    let both = prices.split_once('/').and_then(|(input, output)| Some((price(input)?, price(output)?)));
    match both {
        Some((input, output)) => Ok(json!({ "name": name, "inputPrice": input, "outputPrice": output })),
        None if !prices.contains('/') => Ok(json!({ "name": text })),
        None => Err(ApiError::bad_request(
            format!("'{}' is not a model with prices.", plain(text)),
            "Write NAME, or NAME=IN/OUT with two numbers, for example small=0.25/1.25.",
        )),
    }
}

fn price(text: &str) -> Option<f64> {
    text.trim().parse().ok().filter(|price: &f64| price.is_finite())
}

fn default(all: &Value) -> String {
    match (all["default"]["provider"].as_str(), all["default"]["model"].as_str()) {
        (Some(provider), Some(model)) => {
            format!("Default model: {} by {}.", plain(model), plain(provider))
        }
        _ => "No default model: steps without a model do not run. Set one with `signalbox models default PROVIDER MODEL`.".into(),
    }
}

fn list(output: &Output, all: &Value) {
    if output.json {
        output.value(all);
        return;
    }
    let providers = all["providers"].as_array().map(Vec::as_slice).unwrap_or_default();
    if providers.is_empty() {
        output.line("No model providers. Add one with `signalbox models set NAME --kind KIND --url URL`.");
        return;
    }
    for one in providers {
        let text = |key: &str| plain(one[key].as_str().unwrap_or_default());
        let key = one["credential"].as_str().map_or_else(|| "no key".into(), plain);
        output.line(&format!("{:<20} {:<10} {}  {key}", text("name"), text("kind"), text("baseUrl")));
        if one["trouble"].is_string() {
            output.line(&format!("  {}", output.paint(&text("trouble"), Tone::Warn)));
        }
    }
    output.line(&default(all));
}

fn tested(output: &Output, done: &Value, ok: bool) {
    let text = |key: &str| plain(done[key].as_str().unwrap_or_default());
    output.line(&output.paint(&text("message"), if ok { Tone::Good } else { Tone::Bad }));
    if done["hint"].is_string() {
        output.line(&text("hint"));
    }
    for model in done["models"].as_array().into_iter().flatten().filter_map(Value::as_str) {
        output.line(&format!("  {}", plain(model)));
    }
}

fn discovered(output: &Output, found: &Value) {
    let found = found.as_array().map(Vec::as_slice).unwrap_or_default();
    if found.is_empty() {
        output.line("No model server found on this machine.");
    }
    for one in found {
        let text = |key: &str| plain(one[key].as_str().unwrap_or_default());
        let count = one["models"].as_array().map_or(0, Vec::len);
        output.line(&format!("{}  {}  {count} models", text("title"), text("baseUrl")));
        output.line(&format!(
            "  signalbox models set {} --kind {} --url {}",
            text("name"),
            text("kind"),
            text("baseUrl")
        ));
    }
}
