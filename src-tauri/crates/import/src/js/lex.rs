//! Words of an expression.

/// A word.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Token {
    Number(f64),
    Text(String),
    /// The texts around the holes, and the sources of the holes.
    Template(Vec<String>, Vec<String>),
    Pattern(String, String),
    Name(String),
    Sign(&'static str),
}

/// Signs, the longest first.
const SIGNS: [&str; 50] = [
    ">>>=", "...", "===", "!==", "**=", "<<=", ">>=", ">>>", "&&=", "||=", "??=", "=>", "==", "!=", "<=", ">=", "&&",
    "||", "??", "?.", "**", "++", "--", "+=", "-=", "*=", "/=", "%=", "<<", ">>", "(", ")", "[", "]", "{", "}", ",",
    ":", "?", ".", "+", "-", "*", "/", "%", "!", "<", ">", "=", ";",
];

/// Takes a text apart.
pub(super) fn lex(text: &str) -> Result<Vec<Token>, String> {
    let mut out: Vec<Token> = Vec::new();
    let mut rest = text;
    loop {
        rest = rest.trim_start();
        let Some(letter) = rest.chars().next() else { return Ok(out) };
        if let Some(comment) = rest.strip_prefix("//") {
            rest = comment.split_once('\n').map_or("", |(_, after)| after);
            continue;
        }
        if let Some(comment) = rest.strip_prefix("/*") {
            rest = comment.split_once("*/").map(|(_, after)| after).ok_or("a comment is not closed")?;
            continue;
        }
        if letter.is_ascii_digit() || letter == '.' && rest[1..].starts_with(|c: char| c.is_ascii_digit()) {
            let (number, after) = number(rest)?;
            out.push(Token::Number(number));
            rest = after;
        } else if letter == '"' || letter == '\'' {
            let (text, after) = quoted(&rest[1..], letter)?;
            out.push(Token::Text(text));
            rest = after;
        } else if letter == '`' {
            let (token, after) = template(&rest[1..])?;
            out.push(token);
            rest = after;
        } else if letter.is_alphabetic() || letter == '_' || letter == '$' {
            let end = rest.find(|c: char| !(c.is_alphanumeric() || c == '_' || c == '$')).unwrap_or(rest.len());
            out.push(Token::Name(rest[..end].to_owned()));
            rest = &rest[end..];
        } else if letter == '/' && pattern_may_begin(out.last()) {
            let (token, after) = pattern(&rest[1..])?;
            out.push(token);
            rest = after;
        } else {
            let sign =
                SIGNS.iter().find(|sign| rest.starts_with(**sign)).ok_or_else(|| format!("'{letter}' is not read"))?;
            // `a?.5:b` is a choice.
            let sign = if *sign == "?." && rest[2..].starts_with(|c: char| c.is_ascii_digit()) { &"?" } else { sign };
            out.push(Token::Sign(sign));
            rest = &rest[sign.len()..];
        }
    }
}

/// After a value a slash divides.
fn pattern_may_begin(before: Option<&Token>) -> bool {
    match before {
        None => true,
        Some(Token::Sign(sign)) => !matches!(*sign, ")" | "]" | "}"),
        Some(Token::Name(name)) => matches!(name.as_str(), "return" | "typeof" | "in" | "of"),
        Some(_) => false,
    }
}

fn number(text: &str) -> Result<(f64, &str), String> {
    let lower = text.get(..2).unwrap_or_default().to_ascii_lowercase();
    for (mark, radix) in [("0x", 16), ("0b", 2), ("0o", 8)] {
        if lower == mark {
            let end = text[2..].find(|c: char| !c.is_ascii_alphanumeric()).map_or(text.len(), |at| at + 2);
            let value = u32::from_str_radix(&text[2..end], radix).map_err(|_| "a number is not read".to_owned())?;
            return Ok((f64::from(value), &text[end..]));
        }
    }
    let bytes = text.as_bytes();
    let mut end = 0;
    while end < bytes.len() {
        let sign_of_exponent = matches!(bytes[end], b'+' | b'-') && end > 0 && matches!(bytes[end - 1], b'e' | b'E');
        if !(bytes[end].is_ascii_digit() || matches!(bytes[end], b'.' | b'_' | b'e' | b'E') || sign_of_exponent) {
            break;
        }
        end += 1;
    }
    let value = text[..end].replace('_', "").parse().map_err(|_| format!("'{}' is no number", &text[..end]))?;
    Ok((value, &text[end..]))
}

/// A text up to its closing quote.
fn quoted(text: &str, quote: char) -> Result<(String, &str), String> {
    let mut out = String::new();
    let mut letters = text.char_indices();
    while let Some((at, letter)) = letters.next() {
        match letter {
            _ if letter == quote => return Ok((out, &text[at + letter.len_utf8()..])),
            '\\' => escape(&mut letters, &mut out)?,
            '\n' => return Err("a text is not closed on its line".into()),
            _ => out.push(letter),
        }
    }
    Err("a text is not closed".into())
}

fn escape(letters: &mut std::str::CharIndices<'_>, out: &mut String) -> Result<(), String> {
    let (_, letter) = letters.next().ok_or("a text ends with a backslash")?;
    let mut code = |count: usize| {
        let digits: String = letters.by_ref().take(count).map(|(_, c)| c).collect();
        u32::from_str_radix(&digits, 16).map_err(|_| format!("'\\{letter}{digits}' is no letter"))
    };
    match letter {
        'n' => out.push('\n'),
        't' => out.push('\t'),
        'r' => out.push('\r'),
        'b' => out.push('\u{8}'),
        'f' => out.push('\u{c}'),
        'v' => out.push('\u{b}'),
        '0' => out.push('\0'),
        '\n' => {}
        'x' => out.push(char::from_u32(code(2)?).ok_or("a letter is not read")?),
        'u' => {
            let first = code(4)?;
            let whole = if (0xd800..0xdc00).contains(&first) {
                let (a, b) = (letters.next().map(|(_, c)| c), letters.next().map(|(_, c)| c));
                if (a, b) != (Some('\\'), Some('u')) {
                    return Err("a letter is cut in half".into());
                }
                let digits: String = letters.by_ref().take(4).map(|(_, c)| c).collect();
                let second = u32::from_str_radix(&digits, 16).map_err(|_| "a letter is not read")?;
                0x10000 + ((first - 0xd800) << 10) + second.wrapping_sub(0xdc00)
            } else {
                first
            };
            out.push(char::from_u32(whole).ok_or("a letter is not read")?);
        }
        other => out.push(other),
    }
    Ok(())
}

fn template(text: &str) -> Result<(Token, &str), String> {
    let (mut texts, mut holes) = (Vec::new(), Vec::new());
    let mut here = String::new();
    let mut rest = text;
    loop {
        let mut letters = rest.char_indices();
        let Some((_, letter)) = letters.next() else { return Err("a template is not closed".into()) };
        match letter {
            '`' => {
                texts.push(here);
                return Ok((Token::Template(texts, holes), &rest[1..]));
            }
            '\\' => {
                escape(&mut letters, &mut here)?;
                rest = letters.as_str();
            }
            '$' if rest[1..].starts_with('{') => {
                let inner = &rest[2..];
                let end = closing(inner).ok_or("a hole of a template is not closed")?;
                texts.push(std::mem::take(&mut here));
                holes.push(inner[..end].to_owned());
                rest = &inner[end + 1..];
            }
            _ => {
                here.push(letter);
                rest = letters.as_str();
            }
        }
    }
}

/// The place of the brace that closes a hole: texts in it may have braces.
pub(crate) fn closing(text: &str) -> Option<usize> {
    let mut depth = 0usize;
    let mut quote: Option<char> = None;
    let mut letters = text.char_indices();
    while let Some((at, letter)) = letters.next() {
        match (quote, letter) {
            (Some(_), '\\') => {
                letters.next();
            }
            (Some(open), _) if open == letter => quote = None,
            (Some(_), _) => {}
            (None, '"' | '\'' | '`') => quote = Some(letter),
            (None, '{') => depth += 1,
            (None, '}') if depth == 0 => return Some(at),
            (None, '}') => depth -= 1,
            _ => {}
        }
    }
    None
}

fn pattern(text: &str) -> Result<(Token, &str), String> {
    let (mut in_class, mut escaped) = (false, false);
    for (at, letter) in text.char_indices() {
        match letter {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '\n' => break,
            '[' => in_class = true,
            ']' => in_class = false,
            '/' if !in_class => {
                let after = &text[at + 1..];
                let end = after.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(after.len());
                return Ok((Token::Pattern(text[..at].to_owned(), after[..end].to_owned()), &after[end..]));
            }
            _ => {}
        }
    }
    Err("a regular expression is not closed".into())
}
