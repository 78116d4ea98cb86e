//! Pictures that go along with a question: files of granted folders, in the formats that all providers take. Whether a
//! model sees pictures is known to its provider alone, which says so.

use super::settings::texts;
use crate::{file_error, formats};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use signalbox_engine::effect::{Call, CallSlot};
use signalbox_model::NodeFailure;
use signalbox_ports::World;
use signalbox_ports::llm::{Message, Part, Role};
use std::collections::HashMap;

/// Largest picture, bytes: what the strictest provider takes.
const LARGEST: u64 = 5 << 20;
/// All pictures of a question together, bytes; in base64 they are a third more.
const ALL: u64 = 20 << 20;
/// Most pictures of a question: an expression can name more than the settings may list.
const MOST: usize = 20;

/// Puts the pictures that a step names before the words of its question.
pub(crate) async fn put(
    call: &Call,
    slot: &CallSlot,
    world: &World,
    messages: &mut [Message],
) -> Result<(), NodeFailure> {
    let paths = texts(slot, "images")?;
    if paths.is_empty() {
        return Ok(());
    }
    if paths.len() > MOST {
        let words = format!("The question has {} pictures; a question takes at most {MOST}", paths.len());
        return Err(NodeFailure::validation("INPUT_INVALID", words).detail("field", "images"));
    }
    let question = messages.last_mut().filter(|message| message.role == Role::User).ok_or_else(|| {
        let words = "Pictures go along with a question: the last of 'messages' must be one of the user";
        NodeFailure::validation("INPUT_INVALID", words).detail("field", "images")
    })?;
    let mut pictures = Vec::new();
    let mut all = 0;
    for path in paths {
        let (picture, size) = read(call, world, &path).await?;
        all += size;
        if all > ALL {
            return Err(formats::over("All pictures of the question together", all, ALL)
                .detail("field", "images")
                .detail("path", path));
        }
        pictures.push(picture);
    }
    question.parts.splice(0..0, pictures);
    Ok(())
}

/// The paths of the pictures that [`put`] put into the question of a call, in order.
pub(super) fn named(call: &Call) -> Vec<String> {
    call.slots.first().and_then(|slot| texts(slot, "images").ok()).unwrap_or_default()
}

/// The pictures of a conversation that waited, read anew: only their paths were kept. The model has seen them, so one that is
/// gone ends nothing, nor does one that has grown: together they are not more than a question takes.
pub(super) async fn again(call: &Call, world: &World, paths: Vec<String>) -> HashMap<String, Part> {
    let mut pictures: HashMap<String, Part> = HashMap::new();
    let mut all = 0;
    for path in paths {
        let picture = match read(call, world, &path).await {
            Ok((picture, size)) if all + size <= ALL => {
                all += size;
                picture
            }
            Ok(_) => Part::Text(format!("[The picture '{path}' is too large by now to be sent once more.]")),
            Err(_) => Part::Text(format!("[The picture '{path}' cannot be read any more.]")),
        };
        pictures.insert(path, picture);
    }
    pictures
}

/// One picture and its size.
async fn read(call: &Call, world: &World, path: &str) -> Result<(Part, u64), NodeFailure> {
    let read = world.files.read(&call.workflow_id, path, LARGEST).await;
    let bytes = read.map_err(|error| file_error::file_failure(error, path).detail("field", "images"))?;
    let mime = mime(&bytes).ok_or_else(|| {
        let words = format!("'{path}' is no picture that models take: PNG, JPEG, GIF or WebP");
        NodeFailure::validation("INPUT_INVALID", words).detail("field", "images").detail("path", path)
    })?;
    Ok((Part::Image { mime: mime.to_owned(), base64: STANDARD.encode(&bytes) }, bytes.len() as u64))
}

/// By its first bytes: the name of a file says nothing.
fn mime(bytes: &[u8]) -> Option<&'static str> {
    match bytes {
        [0x89, b'P', b'N', b'G', b'\r', b'\n', 0x1a, b'\n', ..] => Some("image/png"),
        [0xff, 0xd8, 0xff, ..] => Some("image/jpeg"),
        [b'G', b'I', b'F', b'8', b'7' | b'9', b'a', ..] => Some("image/gif"),
        [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'E', b'B', b'P', ..] => Some("image/webp"),
        _ => None,
    }
}

#[cfg(test)]
mod tests;
