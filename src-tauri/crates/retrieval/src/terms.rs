//! Words as the index keeps them, and as a question asks for them. Texts in scripts without spaces between words are cut
//! into pairs of characters; everything else is left to the tokenizer of SQLite, which folds case and accents and takes
//! English endings off.

use std::collections::BTreeSet;

/// Most different words of a question.
pub(crate) const MOST_TERMS: usize = 64;
/// Longest word, in characters; a longer one is cut.
const LONGEST: usize = 64;

/// Scripts that are written without spaces: Chinese, Japanese, Thai, Lao, Khmer, Burmese.
fn is_unspaced(c: char) -> bool {
    matches!(u32::from(c),
        0x0E00..=0x0EFF | 0x1000..=0x109F | 0x1780..=0x17FF | 0x3005..=0x3007 | 0x3040..=0x30FF | 0x31F0..=0x31FF
        | 0x3400..=0x4DBF | 0x4E00..=0x9FFF | 0xF900..=0xFAFF | 0xFF66..=0xFF9F | 0x20000..=0x323AF)
}

/// Marks that belong to the letter before them.
fn is_mark(c: char) -> bool {
    matches!(u32::from(c), 0x0300..=0x036F | 0x0591..=0x05C7 | 0x064B..=0x065F | 0x0900..=0x0903 | 0x093A..=0x094F)
}

/// Calls `word` with each word of a text; those of unspaced scripts are runs.
fn each_run(text: &str, mut word: impl FnMut(&str, bool)) {
    let kind = |c: char| match c {
        c if is_unspaced(c) => Some(true),
        c if c.is_alphanumeric() || is_mark(c) => Some(false),
        _ => None,
    };
    let mut run: Option<(usize, bool)> = None;
    for (at, c) in text.char_indices() {
        let here = kind(c);
        if run.map(|(_, unspaced)| unspaced) != here {
            if let Some((from, unspaced)) = run {
                word(&text[from..at], unspaced);
            }
            run = here.map(|unspaced| (at, unspaced));
        }
    }
    if let Some((from, unspaced)) = run {
        word(&text[from..], unspaced);
    }
}

/// A text for the index: words with spaces between them.
pub(crate) fn indexed(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + text.len() / 4);
    each_run(text, |word, unspaced| {
        if unspaced {
            // Single characters too: a question may be one.
            let chars: Vec<char> = word.chars().collect();
            for (at, c) in chars.iter().enumerate() {
                out.extend([' ', *c]);
                if let Some(next) = chars.get(at + 1) {
                    out.extend([' ', *c, *next]);
                }
            }
        } else {
            out.push(' ');
            out.extend(word.chars().take(LONGEST));
        }
    });
    out
}

/// The words of a question, each once: letters and digits only, so that nothing of them is syntax of a query.
pub(crate) fn of_question(query: &str) -> Vec<String> {
    let (mut seen, mut terms) = (BTreeSet::new(), Vec::new());
    let mut take = |term: String| {
        if terms.len() < MOST_TERMS && seen.insert(term.clone()) {
            terms.push(term);
        }
    };
    each_run(query, |word, unspaced| {
        let chars: Vec<char> = word.chars().collect();
        match (unspaced, chars.as_slice()) {
            (true, [one]) => take(one.to_string()),
            (true, many) => many.windows(2).for_each(|pair| take(pair.iter().collect())),
            (false, _) => take(word.chars().take(LONGEST).flat_map(char::to_lowercase).collect()),
        }
    });
    terms
}

/// A word in the query language of FTS5: a string, in which only a quote has a meaning.
pub(crate) fn quoted(term: &str) -> String {
    format!("\"{}\"", term.replace('"', "\"\""))
}

#[cfg(test)]
mod tests {
    use super::{indexed, of_question, quoted};

    #[test]
    fn words_of_scripts_without_spaces_are_pairs() {
        assert_eq!(of_question("退款政策 is A4"), ["退款", "款政", "政策", "is", "a4"]);
        assert_eq!(of_question("茶"), ["茶"]);
        assert_eq!(indexed("退款 ok"), " 退 退款 款 ok");
    }

    #[test]
    fn nothing_of_a_question_is_syntax() {
        assert_eq!(of_question(r#"a" OR NEAR(b*, 2) -c ^d {e}:f"#), ["a", "or", "near", "b", "2", "c", "d", "e", "f"]);
        assert!(of_question("\"*()^-:{}+ \0").is_empty());
        assert_eq!(quoted("a\"b"), "\"a\"\"b\"");
    }
}
