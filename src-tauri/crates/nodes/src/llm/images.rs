//! Pictures that go along with a question: files of granted folders, in the formats that all providers take. Whether a
//! model sees pictures is known to its provider alone, which says so.

use super::settings::texts;
use crate::{file_error, formats};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use signalbox_engine::effect::{Call, CallSlot};
use signalbox_model::NodeFailure;
use signalbox_ports::World;
use signalbox_ports::llm::{ImageSource, Message, Part, Role};
use std::collections::HashMap;

/// Largest picture, bytes: what the strictest provider takes.
pub(super) const LARGEST: u64 = 5 << 20;
/// All pictures of a question together, bytes; in base64 they are a third more.
pub(super) const ALL: u64 = 20 << 20;
/// Most pictures of a question: an expression can name more than the settings may list.
pub(super) const MOST: usize = 20;

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

/// The pictures of a conversation that waited, read anew: only where they are was kept. `sources` has one for each place. The
/// model has seen those of files, so one that is gone ends nothing, nor does one that has grown: together they are not more
/// than a question takes. Kept bytes do not grow; which of them there is room for is decided where all of them stand.
pub(super) async fn again(call: &Call, world: &World, sources: &[ImageSource]) -> HashMap<ImageSource, Part> {
    let mut pictures = HashMap::new();
    let mut all = 0;
    for source in sources {
        if pictures.contains_key(source) {
            continue;
        }
        let picture = match source {
            ImageSource::File(path) => {
                let places = sources.iter().filter(|other| *other == source).count() as u64;
                match read(call, world, path).await {
                    Ok((picture, size)) if all + size * places <= ALL => {
                        all += size * places;
                        picture
                    }
                    Ok(_) => Part::Text(format!("[The picture '{path}' is too large by now to be sent once more.]")),
                    Err(_) => Part::Text(format!("[The picture '{path}' cannot be read any more.]")),
                }
            }
            ImageSource::Run(hash) => kept(call, world, hash)
                .await
                .unwrap_or_else(|| Part::Text("[A picture that a tool answered cannot be read any more.]".to_owned())),
        };
        pictures.insert(source.clone(), picture);
    }
    pictures
}

/// A picture that a tool answered, as the run keeps it. A re-run is another run, and has none.
async fn kept(call: &Call, world: &World, hash: &str) -> Option<Part> {
    let bytes = world.binaries.read(&call.run_id, hash).await.ok()??;
    part(&bytes, ImageSource::Run(hash.to_owned()))
}

/// Bytes as a picture, when they are one that models take.
fn part(bytes: &[u8], from: ImageSource) -> Option<Part> {
    Some(Part::Image { mime: mime(bytes)?.to_owned(), base64: STANDARD.encode(bytes), from })
}

/// One picture and its size.
async fn read(call: &Call, world: &World, path: &str) -> Result<(Part, u64), NodeFailure> {
    let read = world.files.read(&call.workflow_id, path, LARGEST).await;
    let bytes = read.map_err(|error| file_error::file_failure(error, path).detail("field", "images"))?;
    let picture = part(&bytes, ImageSource::File(path.to_owned())).ok_or_else(|| {
        let words = format!("'{path}' is no picture that models take: PNG, JPEG, GIF or WebP");
        NodeFailure::validation("INPUT_INVALID", words).detail("field", "images").detail("path", path)
    })?;
    Ok((picture, bytes.len() as u64))
}

/// By its first bytes: the name of a file says nothing.
pub(super) fn mime(bytes: &[u8]) -> Option<&'static str> {
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
