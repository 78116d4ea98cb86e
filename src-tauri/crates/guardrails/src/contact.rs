//! E-mail addresses and telephone numbers.

use crate::scan::{digits, is_called, stands_alone};
use std::ops::Range;

pub(crate) mod pattern {
    crate::scan::patterns! {
        email = r"(?i)[\p{L}\p{N}][\p{L}\p{N}._%+'-]*@(?:[\p{L}\p{N}](?:[\p{L}\p{N}-]*[\p{L}\p{N}])?\.)+\p{L}{2,24}";
        // With a country code: + or 00, then groups.
        international = r"(?:\+|(?-u:\b)00)[1-9]\d{0,2}[ .\-/]?(?:\(0?\d{1,5}\)[ .\-/]?)?\d{1,12}(?:[ .\-/]{1,2}\d{1,10}){0,6}";
        north_american = r"(?:(?-u:\b)1[ .\-])?(?:\([2-9]\d{2}\) ?|(?-u:\b)[2-9]\d{2}[ .\-])[2-9]\d{2}[ .\-]\d{4}(?-u:\b)";
        // Trunk prefix 0 and groups, as in most of Europe, Asia and Australia.
        trunk = r"(?:\(0[1-9]\d{0,4}\)[ \-/]?|(?-u:\b)0[1-9]\d{0,4}[ \-/])\d{2,8}(?:[ \-/]\d{2,6}){0,4}(?-u:\b)|(?-u:\b)0[1-9](?:[ .]\d{2}){4}(?-u:\b)";
        chinese_mobile = r"(?-u:\b)1[3-9]\d(?:[ \-]?\d{4}){2}(?-u:\b)";
        spoken_of = r"\+?\(?\d[\d ().\-/]{5,20}\d";
        telephone = r"(?i)(?:\b(?:tel|telephone|phone|mobile|cell|fax|call|text|ring|whatsapp|sms|telefon|handy|mobil|anruf|ruf|tél|téléphone|portable|móvil|teléfono|telefono|cellulare|telefoon|mobiel|celular|telefone)\b|电话|手机|電話)[^\d+\n]{0,24}$";
    }
}

pub(crate) fn emails(text: &str) -> Vec<Range<usize>> {
    let found = pattern::email().into_iter().flat_map(|email| email.find_iter(text));
    found
        .filter(|found| {
            let local = found.as_str().split('@').next().unwrap_or_default();
            // `Retina@2x.png` and `pkg@1.2.3` are file names and versions.
            let domain = found.as_str().rsplit('@').next().unwrap_or_default();
            let end = domain.rsplit('.').next().unwrap_or_default().to_ascii_lowercase();
            let is_file = matches!(&*end, "png" | "jpg" | "jpeg" | "gif" | "svg" | "webp" | "js" | "css");
            // `user:secret@host` in an address is a credential, and no mailbox.
            let in_address = text[..found.start()].ends_with("://")
                || text[..found.start()].ends_with(':')
                    && text[..found.start()].contains("://")
                    && !text[..found.start()].contains(' ');
            !is_file && !in_address && !local.contains("..") && !local.ends_with('.')
        })
        .map(|found| found.range())
        .collect()
}

pub(crate) fn phones(text: &str) -> Vec<Range<usize>> {
    let mut ranges = Vec::new();
    let shapes = [pattern::international(), pattern::north_american(), pattern::trunk(), pattern::chinese_mobile()];
    for shape in shapes.into_iter().flatten() {
        let found = shape.find_iter(text).map(|found| found.range());
        ranges.extend(found.filter(|range| stands_alone(text, range) && is_number(&text[range.clone()])));
    }
    if let (Some(digits_of), Some(words)) = (pattern::spoken_of(), pattern::telephone()) {
        let named = digits_of.find_iter(text).map(|found| found.range()).filter(|range| {
            stands_alone(text, range) && is_number(&text[range.clone()]) && is_called(text, range.start, words)
        });
        ranges.extend(named);
    }
    ranges
}

/// Length by E.164, and no date such as `2024-03-01` or `01/02/2024 10`.
fn is_number(text: &str) -> bool {
    let all = digits(text);
    let groups: Vec<&str> = text.split(|c: char| !c.is_ascii_digit()).filter(|group| !group.is_empty()).collect();
    let year = |group: &&str| group.len() == 4 && (group.starts_with("19") || group.starts_with("20"));
    let dated = !text.starts_with('+')
        && groups.len() >= 3
        && groups.iter().take(3).any(year)
        && groups.iter().take(3).filter(|group| group.len() <= 2).count() == 2;
    (7..=15).contains(&all.len()) && !dated && all.iter().any(|digit| *digit != all[0])
}
