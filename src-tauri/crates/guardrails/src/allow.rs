//! Allow-lists: patterns in which `*` stands for any characters.

/// Whether a text matches one of the patterns. Case does not count.
pub fn allowed(text: &str, patterns: &[String]) -> bool {
    let text: Vec<char> = text.to_lowercase().chars().collect();
    patterns.iter().any(|pattern| matches(&pattern.to_lowercase().chars().collect::<Vec<_>>(), &text))
}

/// Linear in memory and at most pattern × text in time: each `*` is tried again only from the last one.
fn matches(pattern: &[char], text: &[char]) -> bool {
    let (mut p, mut t) = (0, 0);
    let mut star = None;
    while t < text.len() {
        match pattern.get(p) {
            Some('*') => {
                star = Some((p, t));
                p += 1;
            }
            Some(c) if *c == text[t] => {
                p += 1;
                t += 1;
            }
            _ => match &mut star {
                Some((at, from)) => {
                    *from += 1;
                    p = *at + 1;
                    t = *from;
                }
                None => return false,
            },
        }
    }
    pattern[p..].iter().all(|c| *c == '*')
}
