//! Words of a command line, by the rules of a POSIX shell or of the Windows command prompt. Nothing is run or filled in: a
//! variable becomes a mark with its name.

use crate::report::{Findings, Level};

/// Longest command line.
const LONGEST: usize = 1024 * 1024;

pub(super) fn split(text: &str, found: &mut Findings) -> Result<Vec<String>, String> {
    if text.len() > LONGEST {
        return Err("it has more than 1 MiB".into());
    }
    let text = text.trim().trim_start_matches(['$', '#', '>']).trim_start();
    // The prompt of Windows escapes with a caret, at the end of a line and before quotes.
    let windows =
        text.contains("^\n") || text.contains("^\r\n") || text.contains("^\"") || text.starts_with("curl.exe");
    let (words, rest) = if windows { prompt(text)? } else { shell(text)? };
    if !rest.trim().is_empty() {
        let message =
            format!("What follows the command is left out: {}", rest.trim().chars().take(80).collect::<String>());
        found.add(Level::Warning, "MORE_COMMANDS", Some(super::STEP), "", message, "Add steps for it.");
    }
    Ok(words)
}

fn shell(text: &str) -> Result<(Vec<String>, &str), String> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut letters = text.char_indices().peekable();
    while let Some((at, letter)) = letters.next() {
        match letter {
            ' ' | '\t' | '\r' | '\n' => {
                let newline = letter == '\n';
                words.extend(word.take());
                if newline && !words.is_empty() {
                    return Ok((words, &text[at..]));
                }
            }
            '\\' => match letters.next() {
                Some((_, '\n')) => {}
                Some((_, '\r')) => drop(letters.next_if(|(_, next)| *next == '\n')),
                Some((_, next)) => word.get_or_insert_default().push(next),
                None => {}
            },
            '\'' => {
                let here = word.get_or_insert_default();
                loop {
                    match letters.next() {
                        Some((_, '\'')) => break,
                        Some((_, next)) => here.push(next),
                        None => return Err("a quote is not closed".into()),
                    }
                }
            }
            '"' => {
                let here = word.get_or_insert_default();
                loop {
                    match letters.next() {
                        Some((_, '"')) => break,
                        Some((_, '\\')) => match letters.next() {
                            Some((_, '\n')) => {}
                            Some((_, next @ ('"' | '\\' | '$' | '`'))) => here.push(next),
                            Some((_, next)) => {
                                here.push('\\');
                                here.push(next);
                            }
                            None => return Err("a quote is not closed".into()),
                        },
                        Some((_, '`')) => return Err("it runs another command (`…`)".into()),
                        Some((at, '$')) => variable(&text[at + 1..], &mut letters, here)?,
                        Some((_, next)) => here.push(next),
                        None => return Err("a quote is not closed".into()),
                    }
                }
            }
            '$' if text[at + 1..].starts_with('\'') => {
                letters.next();
                ansi(&mut letters, word.get_or_insert_default())?;
            }
            '$' => variable(&text[at + 1..], &mut letters, word.get_or_insert_default())?,
            '`' => return Err("it runs another command (`…`)".into()),
            '|' | ';' | '&' | '>' | '<' => {
                words.extend(word.take());
                return Ok((words, &text[at..]));
            }
            '#' if word.is_none() => while letters.next_if(|(_, next)| *next != '\n').is_some() {},
            other => word.get_or_insert_default().push(other),
        }
    }
    words.extend(word);
    Ok((words, ""))
}

type Letters<'t> = std::iter::Peekable<std::str::CharIndices<'t>>;

/// `$NAME` and `${NAME}`.
fn variable(after: &str, letters: &mut Letters<'_>, word: &mut String) -> Result<(), String> {
    if after.starts_with('(') {
        return Err("it runs another command ($(…))".into());
    }
    let (name, taken) = match after.strip_prefix('{') {
        Some(inner) => {
            let name: String = inner.chars().take_while(|c| c.is_ascii_alphanumeric() || *c == '_').collect();
            let end = inner.find('}').ok_or("a variable is not closed")?;
            (name, end + 2)
        }
        None => {
            let name: String = after.chars().take_while(|c| c.is_ascii_alphanumeric() || *c == '_').collect();
            let taken = name.len();
            (name, taken)
        }
    };
    if name.is_empty() || name.starts_with(|c: char| c.is_ascii_digit()) {
        word.push('$');
        return Ok(());
    }
    let mut left = taken;
    while left > 0 {
        let Some((_, letter)) = letters.next() else { break };
        left = left.saturating_sub(letter.len_utf8());
    }
    word.push('\u{e000}');
    word.push_str(&name);
    word.push('\u{e001}');
    Ok(())
}

/// `$'a\nb'`
fn ansi(letters: &mut Letters<'_>, word: &mut String) -> Result<(), String> {
    loop {
        match letters.next().map(|(_, letter)| letter) {
            None => return Err("a quote is not closed".into()),
            Some('\'') => return Ok(()),
            Some('\\') => match letters.next().map(|(_, letter)| letter) {
                Some('n') => word.push('\n'),
                Some('r') => word.push('\r'),
                Some('t') => word.push('\t'),
                Some(mark @ ('x' | 'u')) => {
                    let most = if mark == 'x' { 2 } else { 4 };
                    let mut digits = String::new();
                    while digits.len() < most {
                        let Some((_, digit)) = letters.next_if(|(_, next)| next.is_ascii_hexdigit()) else { break };
                        digits.push(digit);
                    }
                    let letter = u32::from_str_radix(&digits, 16).ok().and_then(char::from_u32);
                    word.push(letter.ok_or("a letter in a quote is not read")?);
                }
                Some(other) => word.push(other),
                None => return Err("a quote is not closed".into()),
            },
            Some(letter) => word.push(letter),
        }
    }
}

/// The command prompt: `^` takes the meaning of the next letter, `\"` and `""` are quotes in quotes.
fn prompt(text: &str) -> Result<(Vec<String>, &str), String> {
    // Carets go first, as the prompt does it before a program sees its words.
    let mut plain = String::new();
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        if letter != '^' {
            plain.push(letter);
            continue;
        }
        match letters.next() {
            Some('\r') => {
                letters.next_if_eq(&'\n');
                plain.push(' ');
            }
            Some('\n') => plain.push(' '),
            Some(next) => plain.push(next),
            None => {}
        }
    }
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quoted = false;
    let mut letters = plain.chars().peekable();
    while let Some(letter) = letters.next() {
        match letter {
            '\\' => {
                let mut count = 1;
                while letters.next_if_eq(&'\\').is_some() {
                    count += 1;
                }
                let here = word.get_or_insert_default();
                if letters.peek() == Some(&'"') {
                    here.push_str(&"\\".repeat(count / 2));
                    if count % 2 == 1 {
                        letters.next();
                        here.push('"');
                    }
                } else {
                    here.push_str(&"\\".repeat(count));
                }
            }
            '"' if quoted && letters.next_if_eq(&'"').is_some() => word.get_or_insert_default().push('"'),
            '"' => {
                quoted = !quoted;
                word.get_or_insert_default();
            }
            ' ' | '\t' | '\r' | '\n' if !quoted => words.extend(word.take()),
            '%' => {
                // `%NAME%`
                let rest: String = letters.clone().collect();
                match rest.split_once('%').filter(|(name, _)| {
                    !name.is_empty()
                        && name.starts_with(|c: char| c.is_ascii_alphabetic())
                        && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
                        && name.len() < 64
                        // Two bytes in hexadecimal are a letter of an address.
                        && !(name.len() == 2 && name.chars().all(|c| c.is_ascii_hexdigit()))
                }) {
                    Some((name, _)) => {
                        let here = word.get_or_insert_default();
                        here.push_str(&format!("\u{e000}{name}\u{e001}"));
                        for _ in 0..=name.len() {
                            letters.next();
                        }
                    }
                    None => word.get_or_insert_default().push('%'),
                }
            }
            other => word.get_or_insert_default().push(other),
        }
    }
    if quoted {
        return Err("a quote is not closed".into());
    }
    words.extend(word);
    Ok((words, ""))
}
