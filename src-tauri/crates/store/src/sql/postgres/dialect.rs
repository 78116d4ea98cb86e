//! Statements of SQLite in the language of PostgreSQL. What the tables use is little: question marks, `INSERT OR …`, `ON CONFLICT`
//! without a key, `IS` between values, hints of indexes, and a few functions, which the schema defines (`server/functions.sql`).

use super::server::tables;
use std::borrow::Cow;
use std::fmt::Write as _;

/// A translated statement.
#[derive(Debug)]
pub(super) struct Translated {
    parts: Vec<Part>,
}

#[derive(Debug)]
enum Part {
    Text(String),
    /// Whether this value is missing, or is not.
    Missing(usize, bool),
}

impl Translated {
    /// The statement where `missing` says of which values there is none.
    pub(super) fn text(&self, missing: impl Fn(usize) -> bool) -> Cow<'_, str> {
        if let [Part::Text(text)] = self.parts.as_slice() {
            return text.into();
        }
        let mut all = String::new();
        for part in &self.parts {
            match part {
                Part::Text(text) => all.push_str(text),
                Part::Missing(n, wanted) => all.push_str(if missing(*n) == *wanted { "TRUE" } else { "FALSE" }),
            }
        }
        all.into()
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Token<'a> {
    /// A name or a keyword.
    Word(&'a str),
    Value(usize),
    /// A text in quotation marks, a number, an operator or a bracket.
    Other(&'a str),
    Space,
    /// What the translation has made.
    Made(String),
    Missing(usize, bool),
}

impl Token<'_> {
    fn is(&self, word: &str) -> bool {
        match self {
            Self::Word(text) => text.eq_ignore_ascii_case(word),
            Self::Other(text) => *text == word,
            _ => false,
        }
    }
}

fn tokens(sql: &str) -> Vec<Token<'_>> {
    let (mut found, mut rest, mut largest) = (Vec::new(), sql, 0);
    while let Some(first) = rest.chars().next() {
        let up_to = |end: &dyn Fn(char) -> bool| rest.find(|letter| !end(letter)).unwrap_or(rest.len());
        let (length, token) = match first {
            ' ' | '\n' | '\t' | '\r' => (up_to(&char::is_whitespace), Token::Space),
            '\'' | '"' => {
                // A doubled mark is in the text: it reads as two texts side by side, which are put back as they were.
                let end = rest[1..].find(first).map_or(rest.len(), |at| at + 2);
                (end, Token::Other(&rest[..end]))
            }
            '?' => {
                let digits = rest[1..].find(|letter: char| !letter.is_ascii_digit()).unwrap_or(rest.len() - 1);
                let number = rest[1..=digits].parse().unwrap_or(largest + 1);
                largest = largest.max(number);
                (1 + digits, Token::Value(number))
            }
            'a'..='z' | 'A'..='Z' | '_' => {
                let end = up_to(&|letter| letter.is_ascii_alphanumeric() || letter == '_');
                (end, Token::Word(&rest[..end]))
            }
            _ => (first.len_utf8(), Token::Other(&rest[..first.len_utf8()])),
        };
        found.push(token);
        rest = &rest[length..];
    }
    found
}

/// The next token that is no space, from `at` on.
fn next(tokens: &[Token<'_>], at: usize) -> Option<usize> {
    (at..tokens.len()).find(|at| tokens[*at] != Token::Space)
}

/// Whether these words stand there, and where they end.
fn words(tokens: &[Token<'_>], at: usize, wanted: &[&str]) -> Option<usize> {
    let mut at = next(tokens, at)?;
    for (index, word) in wanted.iter().enumerate() {
        if index > 0 {
            at = next(tokens, at)?;
        }
        if !tokens[at].is(word) {
            return None;
        }
        at += 1;
    }
    Some(at)
}

/// Behind the bracket that closes the one at `at`.
fn closed(tokens: &[Token<'_>], at: usize) -> usize {
    let mut depth = 0_usize;
    for (index, token) in tokens.iter().enumerate().skip(at) {
        match token {
            Token::Other("(") => depth += 1,
            Token::Other(")") => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    return index + 1;
                }
            }
            _ => {}
        }
    }
    tokens.len()
}

/// The table that an INSERT writes, and the columns that it names: all, where it names none.
fn target<'a>(tokens: &[Token<'a>]) -> Option<(&'a str, Vec<&'a str>)> {
    let insert = (0..tokens.len()).find(|at| words(tokens, *at, &["INTO"]).is_some_and(|_| tokens[*at].is("INTO")))?;
    let name = next(tokens, insert + 1)?;
    let Token::Word(table) = tokens[name] else { return None };
    let mut columns = Vec::new();
    if let Some(open) = next(tokens, name + 1).filter(|at| tokens[*at].is("(")) {
        for token in &tokens[open..closed(tokens, open)] {
            if let Token::Word(column) = token {
                columns.push(*column);
            }
        }
    }
    Some((table, columns))
}

pub(super) fn translate(sql: &str) -> Translated {
    let mut tokens = tokens(sql);
    let insert = target(&tokens);
    let key = insert.as_ref().and_then(|(table, _)| tables().get(*table)).map(|table| table.key.join(", "));
    let (mut out, mut at, mut behind, mut sub) = (Vec::with_capacity(tokens.len()), 0, None, 0);
    while at < tokens.len() {
        if let Some(end) = words(&tokens, at, &["INSERT", "OR", "IGNORE"]).filter(|_| tokens[at].is("INSERT")) {
            out.push(Token::Made("INSERT".into()));
            behind = Some(" ON CONFLICT DO NOTHING".to_owned());
            at = end;
        } else if let Some(end) = words(&tokens, at, &["INSERT", "OR", "REPLACE"]).filter(|_| tokens[at].is("INSERT")) {
            out.push(Token::Made("INSERT".into()));
            behind = insert.as_ref().and_then(|(table, columns)| replaced(table, columns));
            at = end;
        } else if let Some(end) = words(&tokens, at, &["INDEXED", "BY"]).filter(|_| tokens[at].is("INDEXED")) {
            at = next(&tokens, end).map_or(end, |name| name + 1);
        } else if let Some(end) =
            words(&tokens, at, &["ON", "CONFLICT", "DO", "UPDATE"]).filter(|_| tokens[at].is("ON"))
        {
            out.push(Token::Made(format!("ON CONFLICT ({}) DO UPDATE", key.clone().unwrap_or_default())));
            at = end;
        } else if let Some((end, made)) = is_missing(&tokens, at) {
            out.push(made);
            at = end;
        } else if let Some(end) = words(&tokens, at, &["IS", "NOT"])
            .filter(|_| tokens[at].is("IS"))
            .filter(|end| next(&tokens, *end).is_some_and(|at| matches!(tokens[at], Token::Value(_))))
        {
            out.push(Token::Made("IS DISTINCT FROM".into()));
            at = end;
        } else if tokens[at].is("IS") && next(&tokens, at + 1).is_some_and(|at| matches!(tokens[at], Token::Value(_))) {
            out.push(Token::Made("IS NOT DISTINCT FROM".into()));
            at += 1;
        } else if (tokens[at].is("json") || tokens[at].is("jsonb")) && tokens.get(at + 1).is_some_and(|t| t.is("(")) {
            // A document is a text here: nothing else keeps its bytes.
            at += 1;
        } else if let Some(end) = words(&tokens, at, &["AS", "INTEGER"]).filter(|_| tokens[at].is("AS")) {
            out.push(Token::Made("AS bigint".into()));
            at = end;
        } else if let Some(end) = words(&tokens, at, &["IN", "(", ")"]).filter(|_| tokens[at].is("IN")) {
            out.push(Token::Made("IN (NULL)".into()));
            at = end;
        } else if let Some(open) = words(&tokens, at, &["FROM", "("]).filter(|_| tokens[at].is("FROM")) {
            // Before version 16 a query in FROM needs a name.
            let end = closed(&tokens, open - 1);
            let named = next(&tokens, end).is_some_and(|at| match &tokens[at] {
                Token::Word(word) => !["WHERE", "ORDER", "GROUP", "LIMIT", "UNION", "HAVING"]
                    .contains(&word.to_ascii_uppercase().as_str()),
                _ => false,
            });
            if !named {
                sub += 1;
                tokens.insert(end, Token::Made(format!(" AS part{sub}")));
            }
            out.push(tokens[at].clone());
            at += 1;
        } else {
            out.push(tokens[at].clone());
            at += 1;
        }
    }
    if let Some(behind) = behind {
        out.push(Token::Made(behind));
    }
    Translated { parts: parts(&out) }
}

/// `?1 IS NULL`: nothing else may tell the type of the value, so that the question is answered here.
fn is_missing<'a>(tokens: &[Token<'a>], at: usize) -> Option<(usize, Token<'a>)> {
    let Token::Value(n) = tokens[at] else { return None };
    if let Some(end) = words(tokens, at + 1, &["IS", "NULL"]) {
        return Some((end, Token::Missing(n, true)));
    }
    words(tokens, at + 1, &["IS", "NOT", "NULL"]).map(|end| (end, Token::Missing(n, false)))
}

/// A row of the same key is replaced as a whole: what is not given is as in a new row.
fn replaced(table: &str, columns: &[&str]) -> Option<String> {
    let known = tables().get(table)?;
    let mut text = format!(" ON CONFLICT ({}) DO ", known.key.join(", "));
    let mut others = known.columns.iter().filter(|column| !known.key.contains(column)).peekable();
    if others.peek().is_none() {
        text.push_str("NOTHING");
        return Some(text);
    }
    text.push_str("UPDATE SET ");
    for (index, column) in others.enumerate() {
        let comma = if index == 0 { "" } else { ", " };
        let given = columns.is_empty() || columns.contains(&column.as_str());
        let value = if given { format!("excluded.{column}") } else { "DEFAULT".into() };
        let _ = write!(text, "{comma}{column} = {value}");
    }
    Some(text)
}

fn parts(tokens: &[Token<'_>]) -> Vec<Part> {
    let (mut parts, mut text) = (Vec::new(), String::new());
    for token in tokens {
        match token {
            Token::Word(word) => text.push_str(word),
            Token::Other(other) => text.push_str(other),
            Token::Made(made) => text.push_str(made),
            Token::Space => text.push(' '),
            Token::Value(n) => {
                let _ = write!(text, "${n}");
            }
            Token::Missing(n, wanted) => {
                parts.push(Part::Text(std::mem::take(&mut text)));
                parts.push(Part::Missing(*n, *wanted));
            }
        }
    }
    if !text.is_empty() || parts.is_empty() {
        parts.push(Part::Text(text));
    }
    parts
}

#[cfg(test)]
mod tests;
