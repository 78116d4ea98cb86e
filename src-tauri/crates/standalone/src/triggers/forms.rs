//! `/forms/{path}`: the page of a form, its definition, and what it sends. Whoever reaches the address may submit.

use super::Fires;
use super::hooks::{read, refused};
use crate::page;
use axum::Router;
use axum::extract::{Path, Request, State};
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use serde_json::{Value, json};
use signalbox_runtime::triggers::{
    ActiveForm, Class, FormIndex, RESULT_WAIT, TriggerError, TriggerHost, TriggerResult,
};
use std::sync::Arc;

const PAGE: &str = include_str!("../forms/form.html");
const SCRIPT: &str = include_str!("../forms/form.js");

struct Forms {
    fires: Arc<Fires>,
    index: Arc<FormIndex>,
}

pub(super) fn routes(fires: &Arc<Fires>) -> Router {
    let forms = Arc::new(Forms { fires: Arc::clone(fires), index: Arc::default() });
    Router::new()
        .route("/forms/assets/form.js", page::script(SCRIPT))
        .route("/forms/assets/fields.js", page::fields())
        .route("/forms/assets/page.css", page::style())
        .route("/forms/{path}", get(form_page).post(submit))
        .route("/forms/{path}/definition", get(definition))
        .with_state(forms)
}

impl Forms {
    async fn find(&self, path: String) -> TriggerResult<Arc<ActiveForm>> {
        let index = Arc::clone(&self.index);
        let found = self.fires.blocking(move |fires| index.find(fires.store(), &path)).await?;
        found.ok_or_else(|| {
            let hint = "The address may be misspelt, or the form is closed. Ask the person who gave it to you.";
            TriggerError::new(Class::NotFound, "NO_FORM", "There is no open form at this address.", hint)
        })
    }

    async fn take(&self, path: String, request: Request) -> TriggerResult<Value> {
        // Another page cannot send JSON here without asking first, and is not answered when it asks.
        let kind = request.headers().get(header::CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or_default();
        if kind.split(';').next().is_none_or(|kind| !kind.trim().eq_ignore_ascii_case("application/json")) {
            let message = "The submission is no JSON.";
            return Err(TriggerError::new(Class::UnsupportedType, "NOT_JSON", message, "Send application/json."));
        }
        let form = self.find(path).await?;
        let body = read(request.into_body(), form.longest_body()).await;
        let body = body.map_err(|error| if error.class == Class::TooLarge { form.too_large() } else { error })?;
        let thanks = form.thanks();
        let run = self.fires.blocking(move |fires| {
            let host: &dyn TriggerHost = fires;
            host.start_submitted(&form, &body)
        });
        let run = run.await?;
        if let Some(thanks) = thanks {
            return Ok(thanks);
        }
        let still = || json!({ "status": "running" });
        let Some(run) = run else { return Ok(still()) };
        if tokio::time::timeout(RESULT_WAIT, self.fires.runtime().wait(&run)).await.is_err() {
            return Ok(still());
        }
        Ok(ActiveForm::told(&self.fires.outcome(run).await?))
    }
}

/// The same page for every form, and for a path that is none: what it shows comes from the definition.
async fn form_page(State(forms): State<Arc<Forms>>, Path(path): Path<String>) -> Response {
    let status = if forms.find(path).await.is_ok() { StatusCode::OK } else { StatusCode::NOT_FOUND };
    let headers = [(header::CONTENT_TYPE, page::HTML), (header::CONTENT_SECURITY_POLICY, page::POLICY)];
    (status, headers, PAGE).into_response()
}

async fn definition(State(forms): State<Arc<Forms>>, Path(path): Path<String>) -> Response {
    match forms.find(path).await {
        Ok(form) => axum::Json(form.definition()).into_response(),
        Err(error) => refused(&forms.fires, error),
    }
}

async fn submit(State(forms): State<Arc<Forms>>, Path(path): Path<String>, request: Request) -> Response {
    match forms.take(path, request).await {
        Ok(told) => axum::Json(told).into_response(),
        Err(error) => refused(&forms.fires, error),
    }
}
