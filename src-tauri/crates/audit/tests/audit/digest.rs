use signalbox_audit::{BadDigest, Digest};

#[test]
fn a_digest_has_one_spelling() {
    let digest = Digest::of(&[b"signal", b"box"]);
    assert_eq!(digest, Digest::of(&[b"signalbox"]));
    let text = digest.to_string();
    assert_eq!(text.parse(), Ok(digest));
    assert_eq!(text.to_uppercase().parse::<Digest>(), Err(BadDigest));
    assert_eq!(text[1..].parse::<Digest>(), Err(BadDigest));
    assert_eq!(serde_json::to_string(&digest).unwrap(), format!("\"{text}\""));
    assert_eq!(serde_json::from_str::<Digest>(&format!("\"{text}\"")).unwrap(), digest);
}
