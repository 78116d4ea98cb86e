use super::{Blob, Image, libraries};

#[test]
fn libraries_are_read_from_ldd_and_virtual_ones_are_none() {
    let said = "\tlinux-vdso.so.1 (0x00007ff)\n\tlibc.so.6 => /lib/x86_64-linux-gnu/libc.so.6 (0x1)\n\t/lib64/ld-linux-x86-64.so.2 (0x2)\n";
    let paths: Vec<String> = libraries(said).into_iter().map(|(inside, _)| inside).collect();
    assert_eq!(paths, ["lib/x86_64-linux-gnu/libc.so.6", "lib64/ld-linux-x86-64.so.2"]);
}

#[test]
fn everything_in_the_layout_is_named_by_its_digest_and_size() {
    let image = Image {
        arch: "amd64".into(),
        version: "0.1.0".into(),
        created: "2026-11-29T00:00:00Z".into(),
        entrypoint: vec!["/usr/bin/a \"quoted\"".into()],
        data: "/var/lib/a".into(),
        health: vec!["/usr/bin/a".into(), "health".into()],
        ..Image::default()
    };
    let blob = |name: &str, bytes: &str| Blob { sha256: name.repeat(64), bytes: bytes.as_bytes().to_vec() };
    let config = blob("c", &image.config(&"d".repeat(64)));
    let manifest = blob("m", &image.manifest(&config, &blob("l", "layer")));
    let text = String::from_utf8(manifest.bytes.clone()).expect("text");
    assert!(text.contains(&format!("\"sha256:{}\",\"size\":5", "l".repeat(64))), "{text}");
    assert!(text.contains(&format!("\"size\":{}", config.bytes.len())), "{text}");
    let layout = image.layout(manifest, config, blob("l", "layer"));
    assert_eq!(layout.0.len(), 5);
    // Braces and quotes are even: it is written by hand.
    for entry in layout.0.values() {
        if let crate::tar::Entry::File { bytes, .. } = entry {
            let count = |wanted: u8| bytes.iter().filter(|byte| **byte == wanted).count();
            assert_eq!((count(b'{'), count(b'['), count(b'"') % 2), (count(b'}'), count(b']'), 0));
        }
    }
}
