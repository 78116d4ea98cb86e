//! A large file into a WebDAV folder: sent as a stream under another name, which is changed at the end, because many servers show
//! what has arrived so far.

use super::exchange::{Exchange, Request};
use super::patience::{leave, unless_cancelled};
use super::requests::{Condition, named};
use super::upload::FileWrite;
use super::webdav::make_folders;
use ring::digest::{SHA256, digest};
use signalbox_model::NodeFailure;
use signalbox_ports::StreamedBody;

const BEFORE: &str = ".signalbox-";
const AFTER: &str = ".part";

/// Under this name a file lies until it is complete: in its own folder, and the same for a repetition of the call.
fn unfinished(key: &str, call: &str) -> String {
    let folder = key.rfind('/').map_or("", |at| &key[..=at]);
    let hash = digest(&SHA256, format!("{key}\n{call}").as_bytes());
    let hash: String = hash.as_ref().iter().take(8).map(|byte| format!("{byte:02x}")).collect();
    format!("{folder}{BEFORE}{hash}{AFTER}")
}

/// Whether a key is one of a file that is not complete.
pub(super) fn is_unfinished(key: &str) -> bool {
    let name = key.rsplit('/').next().unwrap_or_default();
    name.starts_with(BEFORE) && name.ends_with(AFTER)
}

pub(super) async fn upload(exchange: &Exchange<'_>, file: &FileWrite<'_>) -> Result<Option<String>, NodeFailure> {
    make_folders(exchange, file.key).await?;
    let unfinished = unfinished(file.key, &exchange.call.idempotency_key);
    let cleaning = async {
        let _gone = exchange.send(Request::new("DELETE", exchange.store.object(&unfinished))).await;
    };
    match unless_cancelled(file.log, sent(exchange, &unfinished, file)).await {
        Some(Ok(())) => Ok(exchange.head(file.key).await?.and_then(|about| about.version)),
        Some(Err(failure)) => {
            cleaning.await;
            Err(failure)
        }
        None => leave(file.log, exchange.world, cleaning).await,
    }
}

async fn sent(exchange: &Exchange<'_>, unfinished: &str, file: &FileWrite<'_>) -> Result<(), NodeFailure> {
    let what = named(file.key);
    let (pieces, failed) = file.source.pieces();
    let request = Request::new("PUT", exchange.store.object(unfinished)).header("Content-Type", file.media);
    let answer = exchange.send_body(request, StreamedBody { pieces, size: file.source.size }).await;
    if let Some(failure) = failed.take() {
        return Err(failure);
    }
    // Nobody sees it yet, whatever became of it.
    let answer = answer.map_err(|failure| NodeFailure { may_have_happened: false, ..failure })?;
    if !(200..300).contains(&answer.status) {
        return Err(exchange.refusal(answer, &what));
    }
    exchange.refuse_early(file.key, file.condition).await?;
    let target = exchange.store.object(file.key);
    let is_new = *file.condition == Condition::IfNew;
    let request = Request::new("MOVE", exchange.store.object(unfinished))
        .header("Destination", target.as_str())
        .header("Overwrite", if is_new { "F" } else { "T" });
    let request = match file.condition {
        Condition::IfVersion(version) => request.header("If", format!("<{target}> ([{version}])")),
        Condition::Always | Condition::IfNew => request,
    };
    exchange.send_checked(request, &what).await.map(|_| ())
}

#[cfg(test)]
mod tests {
    use super::{is_unfinished, unfinished};

    #[test]
    fn an_unfinished_file_lies_in_the_folder_of_its_key() {
        for (key, folder) in [("a/b.txt", "a/"), ("b", "")] {
            let name = unfinished(key, "call-1");
            assert!(name.starts_with(folder) && is_unfinished(&name) && !is_unfinished(key), "{name}");
            assert_eq!(name, unfinished(key, "call-1"));
            assert_ne!(name, unfinished(key, "call-2"));
        }
    }
}
