//! Regular expressions of JavaScript as those of this program, and what replaces their matches.

use super::expr::{Maker, Out};
use crate::cel::{Cel, Ty};
use crate::js::Js;

/// The pattern of a regular expression, as it is written here.
pub(super) fn pattern(source: &str, flags: &str) -> Result<String, String> {
    let mut out = String::new();
    let marks: String = flags.chars().filter(|flag| matches!(flag, 'i' | 'm' | 's')).collect();
    if flags.contains('y') {
        return Err("the flag y of a regular expression is not translated".into());
    }
    if !marks.is_empty() {
        out.push_str(&format!("(?{marks})"));
    }
    let mut in_class = false;
    let mut rest = source;
    while let Some(letter) = rest.chars().next() {
        rest = &rest[letter.len_utf8()..];
        match letter {
            '\\' => {
                let Some(next) = rest.chars().next() else {
                    return Err("a regular expression ends with a backslash".into());
                };
                rest = &rest[next.len_utf8()..];
                match (next, in_class) {
                    ('d', false) => out.push_str("[0-9]"),
                    ('d', true) => out.push_str("0-9"),
                    ('D', false) => out.push_str("[^0-9]"),
                    ('w', false) => out.push_str("[A-Za-z0-9_]"),
                    ('w', true) => out.push_str("A-Za-z0-9_"),
                    ('W', false) => out.push_str("[^A-Za-z0-9_]"),
                    ('b', false) => out.push_str("(?-u:\\b)"),
                    ('1'..='9' | 'k', _) => return Err("a regular expression refers back to a group".into()),
                    ('s' | 'S' | 'n' | 'r' | 't' | 'D' | 'W' | 'B' | 'u' | 'x' | 'p' | 'f' | 'v', _) => {
                        if matches!(next, 'u' | 'x' | 'B' | 'p') || in_class && matches!(next, 'D' | 'W') {
                            return Err(format!("'\\{next}' of a regular expression is not translated"));
                        }
                        out.push('\\');
                        out.push(next);
                    }
                    (c, _) if c.is_ascii_alphanumeric() => {
                        return Err(format!("'\\{c}' of a regular expression is not translated"));
                    }
                    ('/' | '"' | '\'' | '`' | '@' | '%' | ',' | ':' | ';' | '<' | '>' | '=' | '!' | '_' | ' ', _) => {
                        out.push(next)
                    }
                    (c, _) => {
                        out.push('\\');
                        out.push(c);
                    }
                }
            }
            '[' if in_class => out.push_str("\\["),
            '[' => {
                if rest.starts_with(']') || rest.starts_with("^]") {
                    return Err("an empty class of a regular expression is not translated".into());
                }
                in_class = true;
                out.push('[');
            }
            ']' => {
                in_class = false;
                out.push(']');
            }
            '(' if !in_class && ["?=", "?!", "?<=", "?<!"].iter().any(|ahead| rest.starts_with(ahead)) => {
                return Err("a regular expression looks ahead or behind".into());
            }
            '{' if !in_class => {
                let inner = rest.split('}').next().unwrap_or_default();
                let counts = !inner.is_empty()
                    && inner.starts_with(|c: char| c.is_ascii_digit())
                    && inner.chars().all(|c| c.is_ascii_digit() || c == ',')
                    && rest.contains('}');
                if counts {
                    out.push_str(&format!("{{{inner}}}"));
                    rest = &rest[inner.len() + 1..];
                } else {
                    out.push_str("\\{");
                }
            }
            '}' if !in_class => out.push_str("\\}"),
            '&' | '~' if in_class => {
                out.push('\\');
                out.push(letter);
            }
            c => out.push(c),
        }
    }
    Ok(out)
}

/// What replaces a match, as it is written here.
fn replacement(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('$') {
        out.push_str(before);
        let digits = after.len() - after.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        if let Some(more) = after.strip_prefix('$') {
            out.push_str("$$");
            rest = more;
        } else if let Some(more) = after.strip_prefix('&') {
            out.push_str("${0}");
            rest = more;
        } else if digits > 0 && !after.starts_with('0') {
            out.push_str(&format!("${{{}}}", &after[..digits]));
            rest = &after[digits..];
        } else {
            out.push_str("$$");
            rest = after;
        }
    }
    out.push_str(rest);
    out
}

/// Letters that mean something in a pattern, with a backslash.
fn escaped(text: &str) -> String {
    let mut out = String::new();
    for letter in text.chars() {
        if "\\.+*?()|[]{}^$#&-~".contains(letter) {
            out.push('\\');
        }
        out.push(letter);
    }
    out
}

/// Groups of a pattern move on by two: what stands before the match, and the match.
fn shifted(with: &str) -> String {
    let mut out = String::new();
    let mut rest = with;
    while let Some((before, after)) = rest.split_once("${") {
        out.push_str(before);
        let (number, more) = after.split_once('}').unwrap_or((after, ""));
        let number = number.parse::<u32>().unwrap_or(0);
        out.push_str(&format!("${{{}}}", number + 2));
        rest = more;
    }
    out.push_str(rest);
    out
}

/// A letter of no language.
const MARK: &str = "\u{f8ff}";

/// Groups that give something.
fn has_groups(pattern: &str) -> bool {
    let mut escaped = false;
    let letters: Vec<char> = pattern.chars().collect();
    letters.iter().enumerate().any(|(at, letter)| {
        let here = !escaped && *letter == '(' && letters.get(at + 1) != Some(&'?');
        escaped = !escaped && *letter == '\\';
        here
    })
}

impl Maker<'_> {
    /// A text split by a pattern: what it matches becomes a letter that no text has.
    pub(super) fn split_by(&mut self, owner: &Cel, source: &str, flags: &str) -> Out {
        let wanted = pattern(source, flags)?;
        if has_groups(&wanted) {
            return Err("a text is split by a regular expression with groups".into());
        }
        let marked = owner.method("replacePattern", &[&Cel::text(&wanted), &Cel::text(MARK)], Ty::Text);
        Ok(marked.method("split", &[&Cel::text(MARK)], Ty::List))
    }

    pub(super) fn replaced(&mut self, owner: &Cel, every: bool, wanted: &Js, with: &Js) -> Out {
        let (source, global) = match wanted {
            Js::Pattern(source, flags) => (pattern(source, flags)?, flags.contains('g')),
            Js::Text(text) if every && !text.is_empty() => {
                let with = self.of(with)?;
                if let (Ty::Text, false) = (&with.ty, with.text.contains('$')) {
                    return Ok(owner.method("replace", &[&Cel::text(text), &with], Ty::Text));
                }
                (escaped(text), true)
            }
            Js::Text(text) if !text.is_empty() => (escaped(text), false),
            _ => {
                return Err("what is replaced is computed".into());
            }
        };
        let literal = matches!(with, Js::Text(_));
        let with = match with {
            Js::Text(text) => Cel::text(&replacement(text)),
            Js::Arrow { .. } => return Err("a function makes what replaces a match".into()),
            other => {
                let found = self.of(other)?.stringed()?;
                Cel {
                    missing: found.missing,
                    ..found.method("replace", &[&Cel::text("$"), &Cel::text("$$")], Ty::Text)
                }
            }
        };
        if global || source.starts_with('^') && !source.contains('|') {
            return Ok(owner.method("replacePattern", &[&Cel::text(&source), &with], Ty::Text));
        }
        // Only the first match: what stands before it is taken along.
        let (marks, body) = match source.strip_prefix("(?").and_then(|rest| rest.split_once(')')) {
            Some((marks, body)) if marks.chars().all(|c| matches!(c, 'i' | 'm' | 's')) => {
                (marks.to_owned(), body.to_owned())
            }
            _ => (String::new(), source),
        };
        if marks.contains('m') || body.contains('^') && !body.contains("[^") {
            return Err("a regular expression with '^' replaces its first match".into());
        }
        let inner = if marks.is_empty() { format!("({body})") } else { format!("((?{marks}){body})") };
        let with = match with.text.strip_prefix('\'').filter(|_| literal) {
            Some(rest) => Cel::new(format!("'${{1}}{}", shifted(rest)), Ty::Text),
            None => Cel::text("${1}").binary("+", &with, Ty::Text),
        };
        Ok(owner.method("replacePattern", &[&Cel::text(&format!("\\A((?s:.*?)){inner}")), &with], Ty::Text))
    }
}
