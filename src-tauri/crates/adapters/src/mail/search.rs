//! What an IMAP server is asked to search for.

use signalbox_ports::mail::MailSearch;

/// How texts with other letters than ASCII are sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Texts {
    /// As literals that need no answer (LITERAL+, LITERAL-).
    Literal,
    /// Between quotes.
    Quoted,
}

/// A text between quotes.
pub(super) fn quoted(text: &str) -> String {
    let escaped: String = text
        .chars()
        .filter(|c| !c.is_control())
        .flat_map(|c| {
            let escape = matches!(c, '"' | '\\').then_some('\\');
            escape.into_iter().chain(Some(c))
        })
        .collect();
    format!("\"{escaped}\"")
}

/// The conditions for messages of a range: `1:7` by their place in the mailbox, `UID 1:7` by their numbers.
pub(super) fn criteria(search: &MailSearch, range: &str, texts: Texts) -> String {
    let words = [("FROM", &search.from), ("TO", &search.to), ("SUBJECT", &search.subject), ("TEXT", &search.text)];
    let wide = words.iter().filter_map(|(_, text)| text.as_deref()).any(|text| !text.is_ascii());
    let mut out = String::new();
    if wide {
        out.push_str("CHARSET UTF-8 ");
    }
    out.push_str(range);
    if search.unseen {
        out.push_str(" UNSEEN");
    }
    if let Some(day) = search.since_ms.and_then(day_before) {
        out.push_str(" SINCE ");
        out.push_str(&day);
    }
    for (key, text) in words {
        let Some(text) = text else { continue };
        out.push(' ');
        out.push_str(key);
        out.push(' ');
        if text.is_ascii() || texts == Texts::Quoted {
            out.push_str(&quoted(text));
        } else {
            let text: String = text.chars().filter(|c| !c.is_control()).collect();
            out.push_str(&format!("{{{}+}}\r\n{text}", text.len()));
        }
    }
    out
}

/// The day before a time. Servers compare days of their own time zone; what came too early is sorted out afterwards.
fn day_before(ms: i64) -> Option<String> {
    const MONTHS: [&str; 12] = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
    let time = jiff::Timestamp::from_millisecond(ms.saturating_sub(86_400_000)).ok()?;
    let day = time.to_zoned(jiff::tz::TimeZone::UTC).date();
    if day.year() < 1 {
        return None;
    }
    let month = MONTHS.get(usize::try_from(day.month() - 1).ok()?)?;
    Some(format!("{}-{month}-{:04}", day.day(), day.year()))
}
