//! Pictures that tools answer (ADR 70). A model sees them after the answers, where every provider takes a picture; in the
//! answer itself and in the log a sentence stands in their place. Their bytes are kept with the run.

use super::images::{ALL, LARGEST, MOST, mime};
use crate::binary;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};
use signalbox_engine::effect::Call;
use signalbox_model::text::one_line;
use signalbox_ports::World;
use signalbox_ports::llm::{ImageSource, Message, Part};
use signalbox_ports::tools::{ToolAnswer, ToolInfo};

/// For a model that takes none.
const BLIND: &str = "[A picture stood here. This model takes no pictures.]";
/// For those that newer ones have driven out.
const OLDER: &str = "[Older pictures stood here. They are left out to make room for newer ones.]";
/// How the line before a picture begins.
const LINE: &str = "A picture that '";

/// Takes everything out of an answer that is no text. Gives the last pictures, each behind the words of what it is: as many as
/// a question takes. Of the others, and of an answer that is an error, nothing is kept.
pub(crate) async fn taken(call: &Call, info: &ToolInfo, world: &World, answer: &mut ToolAnswer) -> Vec<Part> {
    let name: String = one_line(&info.name).chars().take(100).collect();
    let mut shown = Vec::new();
    for part in answer.content.iter_mut().rev() {
        let Some((what, media, data)) = bytes_of(part) else { continue };
        let told = match picture(what, &media, data) {
            // An answer that is an error is told in words alone.
            Ok(found) if answer.is_error => found.words(""),
            Ok(found) if shown.len() == MOST => {
                found.words(&format!(", which is not shown: it is not among the last {MOST}"))
            }
            Ok(found) => {
                let words = found.words("");
                match keep(call, world, found).await {
                    Ok(picture) => {
                        shown.push([Part::Text(format!("{LINE}{name}' answered:")), picture]);
                        words
                    }
                    Err(told) => told,
                }
            }
            Err(told) => told,
        };
        *part = json!({ "type": "text", "text": told });
    }
    shown.into_iter().rev().flatten().collect()
}

/// What a part is, which kind it is said to be, and its bytes in base64.
fn bytes_of(part: &Value) -> Option<(&'static str, String, &str)> {
    let (what, of, data) = match part["type"].as_str()? {
        "image" => ("picture", part, "data"),
        "audio" => ("sound", part, "data"),
        "resource" => ("file", &part["resource"], "blob"),
        _ => return None,
    };
    let media = binary::plain_media(of["mimeType"].as_str().unwrap_or_default());
    Some((what, media, of[data].as_str()?))
}

/// A picture that models take.
struct Found {
    mime: &'static str,
    bytes: Vec<u8>,
}

impl Found {
    /// The sentence in its place, with what else is to be said of it.
    fn words(&self, more: &str) -> String {
        format!("[A picture ({}, {} KiB){more}]", self.mime, self.bytes.len().div_ceil(1024))
    }
}

/// The picture, or the sentence for what is shown to no model.
fn picture(what: &str, media: &str, data: &str) -> Result<Found, String> {
    let bytes = STANDARD.decode(data).map_err(|_| format!("[A {what} ({media}) whose bytes cannot be read]"))?;
    let Some(mime) = mime(&bytes) else {
        let kib = bytes.len().div_ceil(1024);
        return Err(format!(
            "[A {what} ({media}, {kib} KiB), which is not shown: models take PNG, JPEG, GIF and WebP]"
        ));
    };
    let found = Found { mime, bytes };
    if found.bytes.len() as u64 > LARGEST { Err(found.words(", which is too large to be shown")) } else { Ok(found) }
}

/// The picture as a part of a question, kept with the run; or the sentence for one that cannot be kept.
async fn keep(call: &Call, world: &World, found: Found) -> Result<Part, String> {
    let bytes = binary::clean(world, found.bytes);
    let mime = found.mime;
    let base64 = STANDARD.encode(&bytes);
    let size = bytes.len();
    let kept = binary::keep_clean(call, world, bytes, mime, "A picture of the tool").await.map_err(|failure| {
        format!("[A picture ({mime}, {} KiB), which is not shown: {}]", size.div_ceil(1024), failure.message)
    })?;
    Ok(Part::Image { mime: mime.to_owned(), base64, from: ImageSource::Run(kept.sha256) })
}

/// Bytes of what is shown, as they are sent.
pub(super) fn sent(shown: &[Part]) -> u64 {
    let size = |part: &Part| if let Part::Image { base64, .. } = part { base64.len() as u64 } else { 0 };
    shown.iter().map(size).sum()
}

/// The pictures of a conversation, from the last one on.
fn all_of(messages: &mut [Message]) -> impl Iterator<Item = &mut Part> {
    let parts = messages.iter_mut().rev().flat_map(|message| message.parts.iter_mut().rev());
    parts.filter(|part| matches!(part, Part::Image { .. }))
}

fn is_of_a_tool(part: &Part) -> bool {
    matches!(part, Part::Image { from: ImageSource::Run(_), .. })
}

/// Puts words in the place of every picture that a tool answered; whether there was one.
pub(super) fn in_words(messages: &mut [Message]) -> bool {
    let mut found = false;
    for part in all_of(messages).filter(|part| is_of_a_tool(part)) {
        *part = Part::Text(BLIND.to_owned());
        found = true;
    }
    found
}

/// Takes the oldest pictures of tools out of a conversation, and of what the tools of its last turn have shown so far, where a
/// question takes no more. Each goes with the line before it, and one sentence stands for all that went out of one list: a
/// tool that shows many would fill the conversation with words. Pictures that the step names stay.
pub(super) fn make_room(messages: &mut [Message], shown: &mut Vec<Part>) {
    // As it is sent: a third more than its bytes.
    let size = |part: &Part| sent(std::slice::from_ref(part)) / 4 * 3;
    let (mut count, mut all) = (0, 0);
    for part in all_of(messages).filter(|part| !is_of_a_tool(part)) {
        (count, all) = (count + 1, all + size(part));
    }
    let lists = messages.iter_mut().map(|message| &mut message.parts).chain([shown]);
    for parts in lists.rev() {
        let mut first = None;
        for at in (0..parts.len()).rev().filter(|at| is_of_a_tool(&parts[*at])).collect::<Vec<_>>() {
            let size = size(&parts[at]);
            if count < MOST && all + size <= ALL {
                (count, all) = (count + 1, all + size);
                continue;
            }
            let is_line = |part: &Part| matches!(part, Part::Text(text) if text.starts_with(LINE));
            let from = if at > 0 && is_line(&parts[at - 1]) { at - 1 } else { at };
            parts.drain(from..=at);
            first = Some(from);
        }
        let told = |part: &Part| matches!(part, Part::Text(text) if text == OLDER);
        if let Some(first) = first.filter(|_| !parts.iter().any(told)) {
            parts.insert(first, Part::Text(OLDER.to_owned()));
        }
    }
}

#[cfg(test)]
mod tests;
