//! Arguments of a tool call that the library would read with other digits, or without one of two values: what the client wrote is
//! known here only, so the message is marked, and the call is refused.

use rmcp::model::RequestMetaObject;
use serde_json::{Value, json};
use signalbox_app::ApiError;
use signalbox_model::lossless;
use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncWriteExt, BufReader, simplex};

/// The member of `_meta` with what is wrong.
const MARK: &str = "signalbox/unreadable";
/// Bytes on the way to the library.
const ROOM: usize = 64 * 1024;

/// A message whose arguments cannot be read as they are, with the mark in their place.
pub(super) fn marked(message: &str) -> Option<String> {
    let loss = lossless::loss_below(message, "params.arguments")?;
    let mut read: Value = serde_json::from_str(message).ok()?;
    let params = read.get_mut("params")?.as_object_mut()?;
    params.insert("arguments".into(), json!({}));
    let meta = params.entry("_meta").or_insert_with(|| json!({}));
    meta.as_object_mut()?.insert(MARK.into(), loss.told().into());
    Some(read.to_string())
}

/// The refusal of a marked call.
pub(super) fn refusal(meta: &RequestMetaObject) -> Option<ApiError> {
    let why = meta.get(MARK)?.as_str()?;
    Some(ApiError::bad_request(
        format!("The arguments are not valid: {why}."),
        "Correct the arguments and call the tool again.",
    ))
}

/// Lines of a client, each a message.
pub(crate) fn lines(from: impl AsyncRead + Unpin + Send + 'static) -> impl AsyncRead {
    let (reader, mut writer) = simplex(ROOM);
    tokio::spawn(async move {
        let mut lines = BufReader::new(from);
        let mut line = Vec::new();
        while lines.read_until(b'\n', &mut line).await.is_ok_and(|count| count > 0) {
            let other = std::str::from_utf8(&line).ok().and_then(marked).map(|text| text + "\n");
            let sent = writer.write_all(other.as_ref().map_or(&line[..], |text| text.as_bytes())).await;
            if sent.is_err() {
                return;
            }
            line.clear();
        }
        // The end of the input ends the server; an error here says that it has ended already.
        let _closed = writer.shutdown().await;
    });
    reader
}

#[cfg(test)]
mod tests;
