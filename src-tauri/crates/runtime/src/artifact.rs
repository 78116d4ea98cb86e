//! Artifact files of a run: `out: {"/report.txt": …}`. They stand below the run's own folder, whatever the path says.

use serde_json::Value;
use signalbox_audit::sink::sync_folder;
use signalbox_model::hash::sha256_hex;
use std::fs::{self, DirBuilder, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// Where an artifact stands. A name that could lead elsewhere is written out harmlessly, so every path has a place.
pub(crate) fn place(folder: &Path, run: &str, path: &str) -> PathBuf {
    let mut place = folder.join(segment(run));
    for part in path.split('/').filter(|part| !part.is_empty()) {
        place.push(segment(part));
    }
    place
}

/// Longest name of a file here; the systems take 255 bytes, and the name of the unfinished file is longer.
const LONGEST: usize = 200;

fn segment(name: &str) -> String {
    let text = harmless(name);
    if text.len() <= LONGEST {
        return text;
    }
    // What is cut off is told by its hash, so that two long names stay two files.
    let hash = sha256_hex(name.as_bytes());
    let kept: String = text
        .chars()
        .scan(0, |length, c| {
            *length += c.len_utf8();
            (*length <= LONGEST - 17).then_some(c)
        })
        .collect();
    format!("{kept}-{}", hash.get(..16).unwrap_or_default())
}

fn harmless(name: &str) -> String {
    if name.bytes().all(|byte| byte == b'.') {
        return "%2E".repeat(name.len());
    }
    let mut text = String::with_capacity(name.len());
    for c in name.chars() {
        if c.is_alphanumeric() || matches!(c, '.' | '-' | '_' | ' ') {
            text.push(c);
        } else {
            let mut bytes = [0; 4];
            for byte in c.encode_utf8(&mut bytes).bytes() {
                text.push_str(&format!("%{byte:02X}"));
            }
        }
    }
    text
}

/// Writes one artifact: whole or not at all, and on the disk before the event that tells of it can be. Text as it is, anything
/// else as JSON.
pub(crate) fn write(folder: &Path, run: &str, path: &str, content: &Value) -> io::Result<()> {
    let place = place(folder, run, path);
    let parent = place.parent().unwrap_or(folder);
    let missing: Vec<&Path> = parent.ancestors().take_while(|folder| !folder.exists()).collect();
    let (mut folders, mut options) = (DirBuilder::new(), OpenOptions::new());
    folders.recursive(true);
    options.write(true).create(true).truncate(true);
    #[cfg(unix)]
    {
        // As all of the data folder: for its owner only.
        std::os::unix::fs::DirBuilderExt::mode(&mut folders, 0o700);
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    }
    folders.create(parent)?;
    let text = content.as_str().map_or_else(|| content.to_string(), str::to_owned);
    let mut name = place.file_name().unwrap_or_default().to_owned();
    name.push(".part~");
    let part = parent.join(name);
    let mut file = options.open(&part)?;
    file.write_all(text.as_bytes())?;
    file.sync_all()?;
    fs::rename(&part, &place)?;
    std::iter::once(parent).chain(missing.into_iter().filter_map(Path::parent)).try_for_each(sync_folder)
}

#[cfg(test)]
mod tests {
    use super::place;
    use std::path::Path;

    #[test]
    fn no_path_leads_out_of_the_runs_folder() {
        let folder = Path::new("/data/artifacts");
        for (path, expected) in [
            ("/p.txt", "/data/artifacts/run/p.txt"),
            ("/a/b c/ü.json", "/data/artifacts/run/a/b c/ü.json"),
            ("/../../etc/passwd", "/data/artifacts/run/%2E%2E/%2E%2E/etc/passwd"),
            ("//etc//passwd", "/data/artifacts/run/etc/passwd"),
            ("/c:\\x\u{0}y", "/data/artifacts/run/c%3A%5Cx%00y"),
        ] {
            assert_eq!(place(folder, "run", path), Path::new(expected));
        }
        let long = |end: &str| place(folder, "run", &format!("/{}{end}", "ü#".repeat(200)));
        assert!(long("é").file_name().is_some_and(|name| name.len() <= 200), "a name that is too long is cut");
        assert_ne!(long("é"), long("à"), "and stays a name of its own");
    }
}
