//! Block blobs of Azure: blocks are sent, a few at once, and a list makes the blob of them under the condition. Azure drops blocks that
//! no list names after a week; there is no request for it.

use super::exchange::{Exchange, Request};
use super::patience::{Retries, leave, unless_cancelled};
use super::requests::{About, named};
use super::upload::{FileWrite, Span, side_by_side, spans};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use ring::digest::{SHA256, digest};
use signalbox_model::NodeFailure;

/// Blocks of one blob.
const MOST_BLOCKS: u64 = 50_000;

pub(super) async fn upload(exchange: &Exchange<'_>, file: &FileWrite<'_>) -> Result<Option<String>, NodeFailure> {
    match unless_cancelled(file.log, sent(exchange, file)).await {
        Some(done) => done,
        None => leave(file.log, exchange.world, async {}).await,
    }
}

async fn sent(exchange: &Exchange<'_>, file: &FileWrite<'_>) -> Result<Option<String>, NodeFailure> {
    let target = exchange.store.object(file.key);
    // Blocks of another call are never part of this blob; those of a repetition of this one take the place of the old ones.
    let call = digest(&SHA256, exchange.call.idempotency_key.as_bytes());
    let call: Vec<u8> = call.as_ref().iter().take(12).copied().collect();
    let (call, to) = (call.as_slice(), &target);
    let send = |span: Span| async move {
        let number = u32::try_from(span.number).unwrap_or(u32::MAX).to_be_bytes();
        let id = STANDARD.encode([call, &number].concat());
        let mut url = to.clone();
        url.query_pairs_mut().append_pair("comp", "block").append_pair("blockid", &id);
        exchange.send_part(file.source, span, &Request::new("PUT", url), file.key).await?;
        Ok(format!("<Latest>{id}</Latest>"))
    };
    let sent = side_by_side(spans(file.source.size, MOST_BLOCKS), send).await?;
    let list = format!("<?xml version=\"1.0\" encoding=\"utf-8\"?><BlockList>{}</BlockList>", sent.concat());
    let mut url = target;
    url.set_query(Some("comp=blocklist"));
    let mut request =
        Request::new("PUT", url).header("Content-Type", "application/xml").header("x-ms-blob-content-type", file.media);
    request.body = Some(list.into_bytes());
    let request = exchange.conditional(request, file.condition);
    let mut retries = Retries::default();
    loop {
        match exchange.send_checked(request.clone(), &named(file.key)).await {
            Ok(answer) => return Ok(About::of(exchange.store.system, &answer).version),
            // With a condition, a repetition would be refused by what the first attempt has written.
            Err(failure) if failure.may_have_happened && !file.condition.is_always() => return Err(failure),
            Err(failure) => retries.pause(failure, exchange.world).await?,
        }
    }
}
