//! Patterns of dates as people write them, like `dd.MM.yyyy HH:mm`, as the directives of the date library.

/// A pattern that was understood.
#[derive(Debug)]
pub struct Pattern {
    /// For the library.
    pub directives: String,
    /// It has hours; without them it means a day.
    pub has_time: bool,
    /// It has an offset from UTC.
    pub has_offset: bool,
}

/// Letters that mean something, the longest first.
const PARTS: &[(&str, &str)] = &[
    ("yyyy", "%Y"),
    ("yy", "%y"),
    ("MMMM", "%B"),
    ("MMM", "%b"),
    ("MM", "%m"),
    ("M", "%-m"),
    ("dd", "%d"),
    ("d", "%-d"),
    ("EEEE", "%A"),
    ("EEE", "%a"),
    ("HH", "%H"),
    ("H", "%-H"),
    ("hh", "%I"),
    ("h", "%-I"),
    ("mm", "%M"),
    ("ss", "%S"),
    ("SSS", "%3f"),
    ("a", "%p"),
    ("XXX", "%:z"),
];

/// Text between apostrophes stands for itself, and so does everything that is no letter.
///
/// # Errors
/// A sentence about the part that is not understood.
pub fn parse(pattern: &str) -> Result<Pattern, String> {
    let mut directives = String::new();
    let mut rest = pattern;
    let (mut has_time, mut has_offset) = (false, false);
    while let Some(letter) = rest.chars().next() {
        if let Some(quoted) = rest.strip_prefix('\'') {
            let (text, after) = quoted.split_once('\'').ok_or("an apostrophe is not closed")?;
            directives.push_str(&if text.is_empty() { "'".to_owned() } else { text.replace('%', "%%") });
            rest = after;
        } else if letter.is_ascii_alphabetic() && !rest.starts_with("T") {
            let run = rest.len() - rest.trim_start_matches(letter).len();
            let (word, after) = rest.split_at(run);
            let known = PARTS.iter().find(|(name, _)| *name == word);
            let (_, directive) = known.ok_or_else(|| {
                format!("'{word}' is not known. Use yyyy, MM, dd, HH, mm, ss and the like; put other letters between apostrophes")
            })?;
            directives.push_str(directive);
            has_time |= matches!(letter, 'H' | 'h');
            has_offset |= letter == 'X';
            rest = after;
        } else {
            if letter == '%' {
                directives.push('%');
            }
            directives.push(letter);
            rest = &rest[letter.len_utf8()..];
        }
    }
    if directives.is_empty() {
        return Err("it is empty".to_owned());
    }
    Ok(Pattern { directives, has_time, has_offset })
}
