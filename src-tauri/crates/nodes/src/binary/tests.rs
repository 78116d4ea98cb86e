use super::{UNKNOWN, media_of, plain_media};

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

#[test]
fn d_10_a_file_is_what_its_ending_says() {
    for (path, media) in
        [("in/a.PNG", "image/png"), ("a.tar.gz", "application/gzip"), ("b.d/png", UNKNOWN), ("", UNKNOWN)]
    {
        assert_eq!(media_of(path), media, "{path}");
    }
}
