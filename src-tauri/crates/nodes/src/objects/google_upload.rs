//! Resumable uploads of Google Cloud Storage: a session takes the file piece by piece and says how much it has, so that a piece that
//! was cut is continued, not repeated. The condition belongs to the session.

use super::exchange::{Exchange, Request};
use super::file_source::FileSource;
use super::google;
use super::patience::{Retries, leave, unless_cancelled};
use super::requests::named;
use super::upload::{FileWrite, spans};
use crate::http_header::header;
use signalbox_model::NodeFailure;
use signalbox_ports::HttpResponse;
use url::Url;

/// Status of an answer that wants more.
const MORE: u16 = 308;
/// Pieces are as large as parts of other stores, a multiple of 256 KiB; there may be any number of them.
const NO_LIMIT: u64 = u64::MAX;

pub(super) async fn upload(exchange: &Exchange<'_>, file: &FileWrite<'_>) -> Result<Option<String>, NodeFailure> {
    let session = begin(exchange, file).await?;
    let cancel = async {
        // The answer to it is 499; a session that stays ends after a week, and nobody sees what it has.
        let _dropped = exchange.send(Request::new("DELETE", session.clone())).await;
    };
    match unless_cancelled(file.log, sent(exchange, &session, file)).await {
        Some(Ok(answer)) => Ok(google::written(&answer)),
        Some(Err(failure)) => {
            cancel.await;
            Err(failure)
        }
        None => leave(file.log, exchange.world, cancel).await,
    }
}

async fn begin(exchange: &Exchange<'_>, file: &FileWrite<'_>) -> Result<Url, NodeFailure> {
    let request = google::write(&exchange.store, "resumable", file.key, file.condition)
        .header("x-upload-content-type", file.media)
        .header("x-upload-content-length", file.source.size.to_string());
    let target = request.url.clone();
    let answer = exchange.send_checked(request, &named(file.key)).await?;
    let session = header(&answer, "location").and_then(|text| target.join(text).ok());
    // The file goes to the store that was asked, and to no other.
    session.filter(|session| session.origin() == target.origin()).ok_or_else(|| {
        let words = "The store does not answer as Google does: it gives no place for the upload. Look at 'system' and 'address'";
        NodeFailure::validation("BAD_ANSWER", words)
    })
}

async fn sent(exchange: &Exchange<'_>, session: &Url, file: &FileWrite<'_>) -> Result<HttpResponse, NodeFailure> {
    let (size, what) = (file.source.size, named(file.key));
    let piece = spans(size, NO_LIMIT).next().map_or(0, |span| span.length);
    let (mut at, mut retries, mut is_known) = (0, Retries::default(), true);
    loop {
        let answer = if is_known {
            send_piece(exchange, session, file.source, at, piece).await
        } else {
            let asked = Request::new("PUT", session.clone()).header("Content-Range", format!("bytes */{size}"));
            exchange.send(asked).await
        };
        let failure = match answer {
            Ok(answer) if answer.status == MORE => {
                let has = received(&answer).filter(|has| *has <= size).unwrap_or(0);
                if has > at {
                    retries.begin_again();
                } else if is_known {
                    // It took nothing of the piece, and would not for ever.
                    let words = format!("The store does not take more of {what}");
                    retries.pause(NodeFailure::tool("BAD_ANSWER", words).retryable(), exchange.world).await?;
                }
                (at, is_known) = (has, true);
                continue;
            }
            Ok(answer) if (200..300).contains(&answer.status) => return Ok(answer),
            Ok(answer) => exchange.refusal(answer, &what),
            Err(failure) => failure,
        };
        is_known = false;
        retries.pause(failure, exchange.world).await?;
    }
}

async fn send_piece(
    exchange: &Exchange<'_>,
    session: &Url,
    source: &FileSource,
    at: u64,
    piece: usize,
) -> Result<HttpResponse, NodeFailure> {
    let left = source.size.saturating_sub(at);
    let length = usize::try_from(left).unwrap_or(piece).min(piece);
    let last = (at + length as u64).saturating_sub(1);
    let mut request =
        Request::new("PUT", session.clone()).header("Content-Range", format!("bytes {at}-{last}/{}", source.size));
    request.body = Some(source.part(at, length).await?);
    exchange.send(request).await
}

/// How many bytes a session has.
fn received(answer: &HttpResponse) -> Option<u64> {
    let last = header(answer, "range")?.strip_prefix("bytes=0-")?;
    last.parse::<u64>().ok()?.checked_add(1)
}
