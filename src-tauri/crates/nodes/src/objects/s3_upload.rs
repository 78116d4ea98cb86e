//! Multipart uploads of S3: begun, sent in parts of which a few are under way at once, completed under the condition; or dropped, so that no part stays behind.

use super::exchange::{Exchange, Request, error_in_success};
use super::patience::{Retries, leave, unless_cancelled};
use super::requests::named;
use super::upload::{FileWrite, Span, side_by_side, spans};
use crate::http_header::header;
use serde_json::Value;
use signalbox_model::{ErrorType, NodeFailure};
use signalbox_ports::HttpResponse;
use std::fmt::Write as _;
use url::Url;

/// Parts of one object.
const MOST_PARTS: u64 = 10_000;
/// Uploads of killed processes that one call drops.
const MOST_LEFT: usize = 10;

pub(super) async fn upload(exchange: &Exchange<'_>, file: &FileWrite<'_>) -> Result<Option<String>, NodeFailure> {
    drop_left(exchange).await;
    let target = exchange.store.object(file.key);
    let id = begin(exchange, &target, file).await?;
    let note = exchange.world.uploads.begun(target.as_str(), &id);
    let work = async {
        let parts = send_parts(exchange, &target, &id, file).await?;
        // Older stores ignore the condition of a completion, so the place is looked at, too.
        exchange.refuse_early(file.key, file.condition).await?;
        complete(exchange, &target, &id, &parts, file).await
    };
    match unless_cancelled(file.log, work).await {
        Some(Ok(version)) => {
            note.ended();
            Ok(version)
        }
        Some(Err(failure)) => {
            // Without an answer the next call does it, by the note.
            if dropped(exchange, &target, &id).await {
                note.ended();
            }
            Err(failure)
        }
        None => {
            let cleaning = async {
                if dropped(exchange, &target, &id).await {
                    note.ended();
                }
            };
            leave(file.log, exchange.world, cleaning).await
        }
    }
}

async fn begin(exchange: &Exchange<'_>, target: &Url, file: &FileWrite<'_>) -> Result<String, NodeFailure> {
    let mut url = target.clone();
    url.set_query(Some("uploads="));
    let request = Request::new("POST", url).header("Content-Type", file.media);
    let answer = exchange.send_checked(request, &named(file.key)).await?;
    let page = exchange.xml(answer, &[])?;
    let id = page.get("InitiateMultipartUploadResult").and_then(|result| result.get("UploadId"));
    id.and_then(Value::as_str).filter(|id| !id.is_empty()).map(str::to_owned).ok_or_else(|| {
        let words = "The store does not answer as S3 does: it gives no id of an upload. Look at 'system' and 'address'";
        NodeFailure::validation("BAD_ANSWER", words)
    })
}

/// Sends the parts; gives what the completion names: their entity tags.
async fn send_parts(
    exchange: &Exchange<'_>,
    target: &Url,
    id: &str,
    file: &FileWrite<'_>,
) -> Result<Vec<String>, NodeFailure> {
    let send = |span: Span| async move {
        let mut url = target.clone();
        url.query_pairs_mut().append_pair("partNumber", &span.number.to_string()).append_pair("uploadId", id);
        let answer = exchange.send_part(file.source, span, &Request::new("PUT", url), file.key).await?;
        let tag = header(&answer, "etag").filter(|tag| !tag.is_empty()).ok_or_else(|| {
            let words =
                "The store does not answer as S3 does: a part has no entity tag. Look at 'system' and 'address'";
            NodeFailure::validation("BAD_ANSWER", words)
        })?;
        Ok(tag.to_owned())
    };
    side_by_side(spans(file.source.size, MOST_PARTS), send).await
}

/// Makes one object of the parts; says its version.
async fn complete(
    exchange: &Exchange<'_>,
    target: &Url,
    id: &str,
    tags: &[String],
    file: &FileWrite<'_>,
) -> Result<Option<String>, NodeFailure> {
    let mut text = String::from("<CompleteMultipartUpload>");
    for (index, tag) in tags.iter().enumerate() {
        let tag = tag.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
        // Writing to a text cannot fail.
        let _written = write!(text, "<Part><PartNumber>{}</PartNumber><ETag>{tag}</ETag></Part>", index + 1);
    }
    text.push_str("</CompleteMultipartUpload>");
    let mut url = target.clone();
    url.query_pairs_mut().append_pair("uploadId", id);
    let mut request = Request::new("POST", url).header("Content-Type", "application/xml");
    request.body = Some(text.into_bytes());
    let request = exchange.conditional(request, file.condition);
    let (mut retries, mut unknown) = (Retries::default(), false);
    loop {
        let failure = match completed(exchange, request.clone(), file.key).await {
            Ok(answer) => {
                let page = exchange.xml(answer, &[])?;
                let tag = page.get("CompleteMultipartUploadResult").and_then(|result| result.get("ETag"));
                return Ok(tag.and_then(Value::as_str).map(str::to_owned));
            }
            Err(failure) => failure,
        };
        // The answer to an earlier attempt was lost: the upload is gone because it is complete.
        if unknown && matches!(failure.code.as_str(), "NOT_FOUND" | "PRECONDITION_FAILED") {
            let found = exchange.head(file.key).await?;
            let version = found.filter(|about| about.size == Some(file.source.size)).and_then(|about| about.version);
            let made_of_parts = |tag: &String| tag.trim_matches('"').ends_with(&format!("-{}", tags.len()));
            return match version.filter(made_of_parts) {
                Some(version) => Ok(Some(version)),
                None => Err(failure.maybe_happened()),
            };
        }
        unknown |= failure.may_have_happened;
        // Somebody else wrote at the same time: the upload is of no use any more.
        if failure.code == "CONFLICT" {
            return Err(failure);
        }
        retries.pause(failure, exchange.world).await?;
    }
}

async fn completed(exchange: &Exchange<'_>, request: Request, key: &str) -> Result<HttpResponse, NodeFailure> {
    let answer = exchange.send_checked(request, &named(key)).await?;
    match error_in_success(&answer) {
        Some(error) => {
            let words = format!("{} was not completed: {error}", named(key));
            Err(NodeFailure::new(ErrorType::NetworkError, "SERVER_ERROR", words).retryable())
        }
        None => Ok(answer),
    }
}

/// Has the store drop an upload; whether it says that it has.
async fn dropped(exchange: &Exchange<'_>, target: &Url, id: &str) -> bool {
    let mut url = target.clone();
    url.query_pairs_mut().append_pair("uploadId", id);
    let answer = exchange.send(Request::new("DELETE", url)).await;
    answer.is_ok_and(|answer| matches!(answer.status, 200..=299 | 404))
}

/// Drops what processes left that were killed in the middle of an upload to this bucket.
async fn drop_left(exchange: &Exchange<'_>) {
    for left in exchange.world.uploads.left(exchange.store.base.as_str(), MOST_LEFT) {
        let Ok(target) = Url::parse(left.url()) else { continue };
        if dropped(exchange, &target, left.id()).await {
            left.ended();
        }
    }
}
