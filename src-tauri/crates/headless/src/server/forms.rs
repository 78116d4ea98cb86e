//! Forms that start workflows: the page at `/forms/{path}`, its definition, and what it sends (ADR 98). They need no token, so
//! this is all that they reach: the files of the page, the definition of an active form, and the start of its run.

use super::connections::RequestGuard;
use super::{Server, answer, guard, read_most, ui};
use axum::extract::Request;
use axum::http::{HeaderValue, Method, StatusCode, header};
use axum::response::Response;
use serde_json::json;
use signalbox_app::{ActiveForm, ApiError, Class, Forms};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::time::Instant;

/// Submissions of one form in [`WINDOW`].
const MOST: u32 = 120;
const WINDOW: Duration = Duration::from_secs(60);
/// In whose name requests of forms count as under way.
const HOLDER: &str = "(forms)";

/// What the server keeps for forms.
#[derive(Default)]
pub(crate) struct Pages {
    forms: Arc<Forms>,
    /// When the window of a form began, and its submissions since. Only active forms are counted, so there are few.
    taken: Mutex<HashMap<String, (Instant, u32)>>,
}

impl Pages {
    /// Counts a submission; how long to wait when there are too many.
    fn take(&self, path: &str, now: Instant) -> Result<(), Duration> {
        let mut taken = self.taken.lock().unwrap_or_else(PoisonError::into_inner);
        taken.retain(|_, (begun, _)| now.duration_since(*begun) < WINDOW);
        let (begun, count) = taken.entry(path.to_owned()).or_insert((now, 0));
        if *count >= MOST {
            return Err(WINDOW.saturating_sub(now.duration_since(*begun)));
        }
        *count += 1;
        Ok(())
    }
}

/// What a path below `/forms/` names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Place {
    Form(String),
    Definition(String),
    Asset(String),
    /// Nothing that there is.
    Nowhere,
}

impl Place {
    /// `None` for paths that are none of forms. The path is compared as it came.
    pub(crate) fn of(path: &str) -> Option<Self> {
        let rest = path.strip_prefix("/forms/")?;
        Some(match rest.split('/').collect::<Vec<_>>().as_slice() {
            ["assets", file] => Self::Asset((*file).to_owned()),
            ["", ..] | [_, ""] => Self::Nowhere,
            [form] => Self::Form((*form).to_owned()),
            [form, "definition"] => Self::Definition((*form).to_owned()),
            _ => Self::Nowhere,
        })
    }
}

pub(crate) async fn answer(
    server: &Arc<Server>,
    place: Place,
    request: Request,
    under_way: Option<Arc<RequestGuard>>,
) -> Result<Response, ApiError> {
    let method = request.method().clone();
    let looks = method == Method::GET || method == Method::HEAD;
    match place {
        Place::Asset(name) if looks => ui::asset(&name, request.headers()).ok_or_else(no_form),
        Place::Nowhere if looks => Ok(page(server, &request, StatusCode::NOT_FOUND)),
        Place::Definition(path) if looks => {
            let form = find(server, path).await?;
            Ok(answer::json(StatusCode::OK, &form.definition()))
        }
        Place::Form(path) if looks => {
            let known = server.forms.forms.find(&server.app, path).await?;
            Ok(page(server, &request, if known.is_some() { StatusCode::OK } else { StatusCode::NOT_FOUND }))
        }
        Place::Form(path) if method == Method::POST => submit(server, path, request, under_way).await,
        Place::Form(_) => Ok(wrong_method("GET, POST")),
        Place::Asset(_) | Place::Definition(_) | Place::Nowhere => Ok(wrong_method("GET")),
    }
}

async fn find(server: &Arc<Server>, path: String) -> Result<Arc<ActiveForm>, ApiError> {
    server.forms.forms.find(&server.app, path).await?.ok_or_else(no_form)
}

async fn submit(
    server: &Arc<Server>,
    path: String,
    request: Request,
    under_way: Option<Arc<RequestGuard>>,
) -> Result<Response, ApiError> {
    // Another page cannot send JSON here without asking first, and is not answered when it asks.
    guard::json_only(&Method::POST, request.headers())?;
    let form = find(server, path.clone()).await?;
    let length =
        request.headers().get(header::CONTENT_LENGTH).and_then(|length| length.to_str().ok()?.parse::<usize>().ok());
    if length.is_some_and(|length| length > form.longest_body()) {
        return Err(form.too_large().into());
    }
    if let Err(wait) = server.forms.take(&path, Instant::now()) {
        return Ok(too_many(wait));
    }
    let body = read_most(request.into_body(), server.limits.body, form.longest_body())
        .await
        .map_err(|error| if error.class == Class::TooLarge { form.too_large().into() } else { error })?;
    if let Some(under_way) = under_way {
        under_way.belongs_to(HOLDER)?;
    }
    let told = server.app.submit_form(form, body).await?;
    Ok(answer::json(StatusCode::OK, &told))
}

/// The same page for every form, and for a path that is none: what it shows comes from the definition.
fn page(server: &Server, request: &Request, status: StatusCode) -> Response {
    let Some(mut page) = ui::form_page(request.headers()) else {
        let mut missing =
            answer::text("This program was built without its pages.\n".to_owned(), "text/plain; charset=utf-8");
        *missing.status_mut() = StatusCode::NOT_FOUND;
        return missing;
    };
    *page.status_mut() = status;
    let headers = page.headers_mut();
    headers.insert(header::X_FRAME_OPTIONS, HeaderValue::from_static("DENY"));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    let base = server.names.base_of(request.uri(), request.headers());
    if let Some(policy) = base.and_then(|base| policy(&base)) {
        headers.insert(header::CONTENT_SECURITY_POLICY, policy);
    }
    page
}

/// As that of the app, and the page can ask nothing of this server but what is below `/forms/`.
fn policy(base: &str) -> Option<HeaderValue> {
    HeaderValue::from_str(&ui::CSP.replace("connect-src 'self'", &format!("connect-src {base}/forms/"))).ok()
}

fn no_form() -> ApiError {
    let hint = "The address may be misspelt, or the form is closed. Ask the person who gave it to you.";
    ApiError::new(Class::NotFound, "NO_FORM", "There is no open form at this address.", hint)
}

fn too_many(wait: Duration) -> Response {
    let seconds = wait.as_secs().max(1);
    let error = ApiError::unavailable(
        "TOO_MANY",
        "Too many answers were sent to this form.",
        format!("Your answers were not sent. Leave this page open and try again in {seconds} s."),
    );
    let mut response = answer::json(StatusCode::TOO_MANY_REQUESTS, &json!({ "error": error }));
    response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from(seconds));
    response
}

fn wrong_method(allowed: &'static str) -> Response {
    let message = format!("This address supports only {allowed}.");
    let error = ApiError::new(Class::WrongMethod, "METHOD_NOT_ALLOWED", message, "Open it in a browser.");
    let mut response = answer::error(&error);
    response.headers_mut().insert(header::ALLOW, HeaderValue::from_static(allowed));
    response
}

#[cfg(test)]
mod tests {
    use super::{MOST, Pages, Place, WINDOW};
    use tokio::time::Instant;

    #[test]
    fn a_path_names_one_thing() {
        for (path, place) in [
            ("/forms/a", Some(Place::Form("a".into()))),
            ("/forms/a/definition", Some(Place::Definition("a".into()))),
            ("/forms/assets/x.js", Some(Place::Asset("x.js".into()))),
            ("/forms/", Some(Place::Nowhere)),
            ("/forms/a/", Some(Place::Nowhere)),
            ("/forms//definition", Some(Place::Nowhere)),
            ("/forms/a/b/c", Some(Place::Nowhere)),
            ("/forms/../rpc/run_list", Some(Place::Nowhere)),
            ("/forms", None),
            ("/Forms/a", None),
            ("/rpc/forms/a", None),
        ] {
            assert_eq!(Place::of(path), place, "{path}");
        }
    }

    #[test]
    fn a_form_takes_so_many_submissions_and_no_more() {
        let (pages, begun) = (Pages::default(), Instant::now());
        for _ in 0..MOST {
            assert_eq!(pages.take("a", begun), Ok(()));
        }
        assert_eq!(pages.take("a", begun), Err(WINDOW));
        assert_eq!(pages.take("b", begun), Ok(()), "each form has its own window");
        assert_eq!(pages.take("a", begun + WINDOW), Ok(()));
    }
}
