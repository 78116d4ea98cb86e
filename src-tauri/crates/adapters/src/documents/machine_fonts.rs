//! Fonts of the machine, for characters that the fonts of the program lack. They are looked for when they are needed, by name in a
//! fixed order, so that the same machine gives the same file.

use signalbox_documents::pdf_write::{FontFile, FontSource, MAX_FONT, covered};
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Where systems keep their fonts.
const FOLDERS: &[&str] =
    &["/usr/share/fonts", "/usr/local/share/fonts", "/System/Library/Fonts", "/Library/Fonts", "C:\\Windows\\Fonts"];
/// Most files that are looked at.
const MAX_FILES: usize = 5_000;
/// How deep folders are in each other.
const MAX_DEPTH: usize = 6;

pub(super) struct MachineFonts;

impl FontSource for MachineFonts {
    fn find(&mut self, missing: &BTreeSet<char>) -> Vec<FontFile> {
        let mut files = Vec::new();
        for folder in FOLDERS {
            list(Path::new(folder), 0, &mut files);
        }
        files.sort_by_cached_key(|path| (rank(path), path.clone()));
        let (mut missing, mut found) = (missing.clone(), Vec::new());
        for path in files {
            if missing.is_empty() {
                break;
            }
            if fs::metadata(&path).map_or(true, |about| about.len() > MAX_FONT as u64) {
                continue;
            }
            let Ok(bytes) = fs::read(&path).map(Arc::new) else { continue };
            let has = covered(&bytes, &missing);
            if !has.is_empty() {
                missing.retain(|sign| !has.contains(sign));
                found.push(FontFile { name: path.display().to_string(), bytes });
            }
        }
        found
    }
}

fn list(folder: &Path, depth: usize, files: &mut Vec<PathBuf>) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        let path = entry.path();
        let Ok(kind) = entry.file_type() else { continue };
        if kind.is_dir() && depth < MAX_DEPTH {
            list(&path, depth + 1, files);
        } else if is_font(&path) && files.len() < MAX_FILES {
            files.push(path);
        }
    }
}

fn is_font(path: &Path) -> bool {
    let ending = path.extension().and_then(|ending| ending.to_str()).unwrap_or_default().to_ascii_lowercase();
    matches!(ending.as_str(), "ttf" | "otf" | "ttc" | "otc")
}

/// Upright fonts of normal weight without serifs come first: they go with the text around them.
fn rank(path: &Path) -> u8 {
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default().to_ascii_lowercase();
    let has = |words: &[&str]| words.iter().any(|word| name.contains(word));
    let is_special =
        has(&["bold", "italic", "oblique", "slanted", "black", "light", "thin", "medium", "color", "colored", "emoji"]);
    let is_other = has(&["serif", "mono", "condensed"]);
    u8::from(is_special) * 4 + u8::from(is_other) * 2 + u8::from(!has(&["sans"]))
}

#[cfg(test)]
mod tests {
    use super::rank;
    use std::path::Path;

    #[test]
    fn plain_fonts_come_first() {
        let of = |name: &str| rank(Path::new(name));
        assert!(of("NotoSansCJK-Regular.ttc") < of("NotoSerifCJK-Regular.ttc"));
        assert!(of("NotoSerifCJK-Regular.ttc") < of("NotoSansCJK-Bold.ttc"));
        assert!(of("Amiri-Regular.ttf") < of("AmiriQuranColored.ttf"));
    }
}
