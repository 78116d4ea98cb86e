use crate::export::{AuditKeeping, Choices, HumanReview, look};
use flate2::read::GzDecoder;
use serde_json::{Value, json};
use signalbox_model::hash::sha256_hex;
use std::collections::BTreeMap;
use std::fs;
use std::io::Read;
use std::path::Path;

/// Files of a tar by path.
fn files(tar: &[u8]) -> BTreeMap<String, (Vec<u8>, u32, u64)> {
    let mut archive = tar::Archive::new(tar);
    let read = |entry: std::io::Result<tar::Entry<'_, &[u8]>>| {
        let mut entry = entry.expect("an entry");
        let path = entry.path().expect("a path").to_string_lossy().into_owned();
        let (mode, owner) = (entry.header().mode().expect("a mode"), entry.header().uid().expect("an owner"));
        let mut bytes = Vec::new();
        entry.read_to_end(&mut bytes).expect("read");
        (path.trim_end_matches('/').to_owned(), (bytes, mode, owner))
    };
    archive.entries().expect("a tar").map(read).collect()
}

/// An image with a small program of this machine in the place of the runner.
#[test]
fn an_image_starts_the_program_as_nobody_special_and_names_everything_by_its_hash() {
    let dir = tempfile::tempdir().expect("a folder");
    let program = dir.path().join("bin/signalbox");
    fs::create_dir(dir.path().join("bin")).expect("made");
    let some = ["/bin/true", "/usr/bin/true"].into_iter().find(|path| Path::new(path).is_file()).expect("a program");
    fs::copy(some, dir.path().join("bin/signalbox-runner-ui")).expect("copied");
    let file = dir.path().join("ask.signalbox.json");
    let flow = json!({
        "signalbox": 1, "id": "ask", "name": "Ask somebody", "edges": [],
        "nodes": { "a": { "type": "builtin.human_form", "config": { "title": "T", "schema": { "type": "object" } } } },
    });
    fs::write(&file, flow.to_string()).expect("written");
    let looked =
        look(&file, None, &Choices { audit: AuditKeeping::Sqlite, human: HumanReview::Ui, callback: None }, &program)
            .expect("it can leave");
    let written = looked.write_image(&dir.path().join("out")).expect("an image");
    assert!(written.file.ends_with("ask.oci.tar"));
    let image = fs::read(&written.file).expect("read");
    assert_eq!((sha256_hex(&image), image.len() as u64), (written.sha256, written.size));

    let layout = files(&image);
    let json_of = |bytes: &[u8]| serde_json::from_slice::<Value>(bytes).expect("JSON");
    let at = |digest: &Value| {
        let hash = digest.as_str().and_then(|digest| digest.strip_prefix("sha256:")).expect("a digest");
        let bytes = layout[&format!("blobs/sha256/{hash}")].0.clone();
        assert_eq!(sha256_hex(&bytes), hash);
        bytes
    };
    let index = json_of(&layout["index.json"].0);
    let manifest = json_of(&at(&index["manifests"][0]["digest"]));
    let config = json_of(&at(&manifest["config"]["digest"]));
    assert_eq!(config["config"]["User"], "10001:10001");
    assert_eq!(config["config"]["Entrypoint"], json!(["/usr/bin/ask"]));
    assert_eq!(config["config"]["Cmd"], json!(["--json", "serve"]));
    assert_eq!(config["config"]["Healthcheck"]["Test"], json!(["CMD", "/usr/bin/ask", "health"]));
    assert_eq!(config["config"]["Volumes"], json!({ "/var/lib/program": {} }));
    let mut layer = Vec::new();
    GzDecoder::new(at(&manifest["layers"][0]["digest"]).as_slice()).read_to_end(&mut layer).expect("gzip");
    assert_eq!(config["rootfs"]["diff_ids"][0], format!("sha256:{}", sha256_hex(&layer)));
    let inside = files(&layer);
    let (bytes, mode, owner) = &inside["usr/bin/ask"];
    assert!((*mode, *owner) == (0o755, 0) && bytes.ends_with(b"SIGNALBOX-BUNDLE"));
    assert_eq!((inside["var/lib/program"].1, inside["var/lib/program"].2), (0o700, 10_001));
    // It is linked with the C library at least.
    assert!(inside.keys().any(|path| path.contains("libc.so")), "{:?}", inside.keys());
}
