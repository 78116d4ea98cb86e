//! Pictures: PNG and JPEG as objects of a PDF. Dimensions are checked before anything is unpacked.

use super::MAX_PIXELS;
use super::objects::{Id, Objects};
use crate::Error;

/// A picture in the file.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Image {
    pub(super) id: Id,
    /// Width and height as they are seen.
    pub(super) size: (u32, u32),
    /// As cameras write it: 1 to 8.
    pub(super) orientation: u8,
}

/// Puts a picture into the file.
pub(super) fn add(name: &str, bytes: &[u8], objects: &mut Objects) -> Result<Image, Error> {
    let shown: String = name.chars().take(200).collect();
    if bytes.starts_with(b"\x89PNG\r\n\x1a\n") {
        png(&shown, bytes, objects)
    } else if bytes.starts_with(b"\xFF\xD8") {
        jpeg(&shown, bytes, objects)
    } else {
        Err(bad(&shown, "it is no PNG and no JPEG. Save it as one of these"))
    }
}

fn bad(name: &str, why: &str) -> Error {
    Error::new("BAD_IMAGE", format!("The picture '{name}' cannot be used: {why}")).detail("image", name)
}

fn check(name: &str, width: u32, height: u32) -> Result<(), Error> {
    let pixels = u64::from(width) * u64::from(height);
    if pixels == 0 {
        return Err(bad(name, "it has no width or no height"));
    }
    if pixels > MAX_PIXELS {
        let words = format!(
            "The picture '{name}' has {width} × {height} dots, and at most {} million are possible. Make it smaller",
            MAX_PIXELS / 1_000_000
        );
        return Err(Error::too_large(words, MAX_PIXELS).detail("image", name));
    }
    Ok(())
}

fn png(name: &str, bytes: &[u8], objects: &mut Objects) -> Result<Image, Error> {
    let damaged = |error: png::DecodingError| bad(name, &format!("the PNG is damaged ({error})"));
    let limits = png::Limits { bytes: 512 << 20 };
    let mut decoder = png::Decoder::new_with_limits(std::io::Cursor::new(bytes), limits);
    decoder.set_transformations(png::Transformations::EXPAND | png::Transformations::STRIP_16);
    let head = decoder.read_header_info().map_err(damaged)?;
    let (width, height) = (head.width, head.height);
    check(name, width, height)?;
    let mut reader = decoder.read_info().map_err(damaged)?;
    let size = reader.output_buffer_size().ok_or_else(|| bad(name, "it is too large"))?;
    let mut pixels = vec![0; size];
    let frame = reader.next_frame(&mut pixels).map_err(damaged)?;
    pixels.truncate(frame.buffer_size());
    let (colours, has_alpha) = match frame.color_type {
        png::ColorType::Grayscale => (1, false),
        png::ColorType::GrayscaleAlpha => (1, true),
        png::ColorType::Rgb => (3, false),
        png::ColorType::Rgba => (3, true),
        png::ColorType::Indexed => return Err(bad(name, "its colours cannot be read")),
    };
    let mut mask = None;
    if has_alpha {
        let mut alpha = Vec::with_capacity(pixels.len() / (colours + 1));
        let mut plain = Vec::with_capacity(alpha.capacity() * colours);
        for dot in pixels.chunks_exact(colours + 1) {
            let (colour, opacity) = dot.split_at(colours);
            plain.extend_from_slice(colour);
            alpha.extend_from_slice(opacity);
        }
        if alpha.iter().any(|opacity| *opacity != 255) {
            let entries = entries(width, height, "DeviceGray");
            mask = Some(objects.stream(&entries, &alpha));
        }
        pixels = plain;
    }
    let mut entries = entries(width, height, if colours == 1 { "DeviceGray" } else { "DeviceRGB" });
    if let Some(mask) = mask {
        entries.push_str(&format!("/SMask {mask}"));
    }
    Ok(Image { id: objects.stream(&entries, &pixels), size: (width, height), orientation: 1 })
}

fn entries(width: u32, height: u32, space: &str) -> String {
    format!("/Type/XObject/Subtype/Image/Width {width}/Height {height}/ColorSpace/{space}/BitsPerComponent 8")
}

/// What the head of a JPEG says.
struct Head {
    width: u32,
    height: u32,
    components: u8,
    is_adobe: bool,
    orientation: u8,
}

fn jpeg(name: &str, bytes: &[u8], objects: &mut Objects) -> Result<Image, Error> {
    let head = jpeg_head(bytes).map_err(|why| bad(name, why))?;
    check(name, head.width, head.height)?;
    let space = match head.components {
        1 => "DeviceGray",
        3 => "DeviceRGB",
        4 => "DeviceCMYK",
        _ => return Err(bad(name, "its colours cannot be read")),
    };
    let mut entries = entries(head.width, head.height, space);
    // Programs of Adobe write these colours inverted.
    if head.components == 4 && head.is_adobe {
        entries.push_str("/Decode[1 0 1 0 1 0 1 0]");
    }
    entries.push_str("/Filter/DCTDecode");
    let id = objects.plain_stream(&entries, bytes);
    let size = if head.orientation >= 5 { (head.height, head.width) } else { (head.width, head.height) };
    Ok(Image { id, size, orientation: head.orientation })
}

fn jpeg_head(bytes: &[u8]) -> Result<Head, &'static str> {
    const DAMAGED: &str = "the JPEG is damaged: its head does not end";
    let (mut at, mut is_adobe, mut orientation) = (2, false, 1);
    let u16_at = |at: usize| bytes.get(at..at + 2).map(|two| u16::from_be_bytes([two[0], two[1]]));
    loop {
        if bytes.get(at) != Some(&0xFF) {
            return Err(DAMAGED);
        }
        let marker = *bytes.get(at + 1).ok_or(DAMAGED)?;
        match marker {
            0xFF => {
                at += 1;
                continue;
            }
            0x01 | 0xD0..=0xD7 => {
                at += 2;
                continue;
            }
            0xD9 | 0xDA => return Err("the JPEG is damaged: it has no size"),
            _ => {}
        }
        let length = usize::from(u16_at(at + 2).ok_or(DAMAGED)?);
        let body = bytes.get(at + 4..at + 2 + length.max(2)).ok_or(DAMAGED)?;
        match marker {
            0xC0..=0xC2 => {
                let (Some(8), Some(height), Some(width), Some(components)) =
                    (body.first(), u16_at(at + 5), u16_at(at + 7), body.get(5))
                else {
                    return Err("only JPEG with 8 bits for each colour can be used");
                };
                // Without the end the picture is cut off.
                if !bytes.windows(2).rev().take(4096).any(|two| two == [0xFF, 0xD9]) {
                    return Err("the JPEG is cut off: its end is missing");
                }
                return Ok(Head {
                    width: width.into(),
                    height: height.into(),
                    components: *components,
                    is_adobe,
                    orientation,
                });
            }
            0xC3 | 0xC5..=0xC7 | 0xC9..=0xCB | 0xCD..=0xCF => {
                return Err("only baseline and progressive JPEG can be used");
            }
            0xEE if body.starts_with(b"Adobe") => is_adobe = true,
            0xE1 if body.starts_with(b"Exif\0\0") => {
                orientation = exif_orientation(body.get(6..).unwrap_or_default()).unwrap_or(1);
            }
            _ => {}
        }
        at += 2 + length.max(2);
    }
}

/// Tag 0x0112 of the first directory.
fn exif_orientation(tiff: &[u8]) -> Option<u8> {
    let is_little = match tiff.get(..4)? {
        b"II*\0" => true,
        b"MM\0*" => false,
        _ => return None,
    };
    let two = |at: usize| {
        let pair: [u8; 2] = tiff.get(at..at + 2)?.try_into().ok()?;
        Some(if is_little { u16::from_le_bytes(pair) } else { u16::from_be_bytes(pair) })
    };
    let four: [u8; 4] = tiff.get(4..8)?.try_into().ok()?;
    let start = if is_little { u32::from_le_bytes(four) } else { u32::from_be_bytes(four) } as usize;
    let count = usize::from(two(start)?);
    (0..count).map(|at| start + 2 + at * 12).find(|at| two(*at) == Some(0x0112)).and_then(|at| {
        let value = two(at + 8)?;
        u8::try_from(value).ok().filter(|value| (1..=8).contains(value))
    })
}
