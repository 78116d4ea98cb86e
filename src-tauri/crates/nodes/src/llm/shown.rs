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
/// For one that newer ones have driven out.
const OLDER: &str = "[An older picture stood here. It is left out to make room for newer ones.]";

/// Takes everything out of an answer that is no text. Gives the pictures, each behind the words of what it is.
pub(crate) async fn taken(call: &Call, info: &ToolInfo, world: &World, answer: &mut ToolAnswer) -> Vec<Part> {
    let name: String = one_line(&info.name).chars().take(100).collect();
    let mut shown = Vec::new();
    for part in &mut answer.content {
        let Some((what, media, data)) = bytes_of(part) else { continue };
        let told = match picture(call, world, what, &media, data).await {
            // An answer that is an error is told in words alone.
            Ok((picture, told)) => {
                if !answer.is_error {
                    shown.extend([Part::Text(format!("A picture that '{name}' answered:")), picture]);
                }
                told
            }
            Err(told) => told,
        };
        *part = json!({ "type": "text", "text": told });
    }
    shown
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

/// The picture and the sentence for it, or the sentence for what is shown to no model.
async fn picture(call: &Call, world: &World, what: &str, media: &str, data: &str) -> Result<(Part, String), String> {
    let bytes = STANDARD.decode(data).map_err(|_| format!("[A {what} ({media}) whose bytes cannot be read]"))?;
    let size = bytes.len() as u64;
    let kib = size.div_ceil(1024);
    let Some(mime) = mime(&bytes) else {
        return Err(format!(
            "[A {what} ({media}, {kib} KiB), which is not shown: models take PNG, JPEG, GIF and WebP]"
        ));
    };
    if size > LARGEST {
        return Err(format!("[A picture ({mime}, {kib} KiB), which is too large to be shown]"));
    }
    let bytes = binary::clean(world, bytes);
    let kept = binary::keep(call, world, bytes.clone(), mime, "A picture of the tool")
        .await
        .map_err(|failure| format!("[A picture ({mime}, {kib} KiB), which is not shown: {}]", failure.message))?;
    let from = ImageSource::Run(kept.sha256);
    let picture = Part::Image { mime: mime.to_owned(), base64: STANDARD.encode(&bytes), from };
    Ok((picture, format!("[A picture ({mime}, {kib} KiB)]")))
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

/// Puts words in the place of the oldest pictures of tools, where a question takes no more. Those that the step names stay.
pub(super) fn make_room(messages: &mut [Message]) {
    // As it is sent: a third more than its bytes.
    let size = |part: &Part| sent(std::slice::from_ref(part)) / 4 * 3;
    let (mut count, mut all) = (0, 0);
    for part in all_of(messages).filter(|part| !is_of_a_tool(part)) {
        (count, all) = (count + 1, all + size(part));
    }
    for part in all_of(messages).filter(|part| is_of_a_tool(part)) {
        if count < MOST && all + size(part) <= ALL {
            (count, all) = (count + 1, all + size(part));
        } else {
            *part = Part::Text(OLDER.to_owned());
        }
    }
}

#[cfg(test)]
mod tests;
