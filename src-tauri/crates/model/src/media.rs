//! What files of which ending are: one table for all that name media types or files.

/// Of bytes about which nobody says what they are.
pub const UNKNOWN: &str = "application/octet-stream";

/// Media types with the endings of their files, the usual one first.
const KINDS: &[(&str, &[&str])] = &[
    ("application/pdf", &["pdf"]),
    ("image/png", &["png"]),
    ("image/jpeg", &["jpg", "jpeg"]),
    ("image/gif", &["gif"]),
    ("image/webp", &["webp"]),
    ("image/svg+xml", &["svg"]),
    ("text/csv", &["csv"]),
    ("application/json", &["json"]),
    ("application/xml", &["xml"]),
    ("application/zip", &["zip"]),
    ("application/gzip", &["gz"]),
    ("audio/mpeg", &["mp3"]),
    ("video/mp4", &["mp4"]),
    ("text/html", &["html", "htm"]),
    ("text/plain", &["txt", "md", "log"]),
    ("application/vnd.openxmlformats-officedocument.wordprocessingml.document", &["docx"]),
    ("application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", &["xlsx"]),
];

/// What the ending of a file's name or path says about it; [`UNKNOWN`] where it says nothing.
pub fn of_path(path: &str) -> &'static str {
    let ending = path.rsplit(['/', '\\']).next().and_then(|name| name.rsplit_once('.')).map(|(_, ending)| ending);
    let ending = ending.unwrap_or_default().to_ascii_lowercase();
    KINDS.iter().find(|(_, endings)| endings.contains(&ending.as_str())).map_or(UNKNOWN, |(media, _)| media)
}

/// The usual ending of files of a media type.
pub fn ending_of(media: &str) -> Option<&'static str> {
    KINDS.iter().find(|(known, _)| *known == media).and_then(|(_, endings)| endings.first().copied())
}

#[cfg(test)]
mod tests {
    use super::{KINDS, UNKNOWN, ending_of, of_path};

    #[test]
    fn d_10_a_file_is_what_its_ending_says() {
        for (path, media) in [
            ("in/a.PNG", "image/png"),
            ("a.tar.gz", "application/gzip"),
            ("b.d/png", UNKNOWN),
            ("c:\\x.y\\letter.docx", "application/vnd.openxmlformats-officedocument.wordprocessingml.document"),
            ("", UNKNOWN),
        ] {
            assert_eq!(of_path(path), media, "{path}");
        }
        for (media, endings) in KINDS {
            assert!(endings.iter().all(|ending| of_path(&format!("a.{ending}")) == *media), "{media}");
            assert_eq!(ending_of(media), endings.first().copied());
        }
        assert_eq!(ending_of(UNKNOWN), None);
    }
}
