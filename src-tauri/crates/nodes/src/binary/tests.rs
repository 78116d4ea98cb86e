use super::{UNKNOWN, plain_media};

#[test]
fn d_10_media_types_from_outside_are_made_plain() {
    for (given, plain) in [
        ("image/PNG; charset=x", "image/png"),
        ("application/vnd.api+json", "application/vnd.api+json"),
        ("", UNKNOWN),
        ("image", UNKNOWN),
        ("a/b\r\nX-Evil: 1", UNKNOWN),
        ("text/<script>", UNKNOWN),
    ] {
        assert_eq!(plain_media(given), plain, "{given:?}");
    }
    assert_eq!(plain_media(&format!("a/{}", "b".repeat(200))), UNKNOWN);
}
