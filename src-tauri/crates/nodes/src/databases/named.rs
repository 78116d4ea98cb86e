//! Named parameters of SQL (`:name`), in the form that each driver takes. Texts, quoted names and comments are left as they are.

use std::borrow::Cow;

/// How a database reads SQL.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Dialect {
    Postgres,
    MySql,
    Sqlite,
}

/// SQL for the driver.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Translated {
    pub(crate) sql: String,
    /// The name of each placeholder, in their order.
    pub(crate) names: Vec<String>,
}

fn is_start(c: char) -> bool {
    c.is_alphabetic() || c == '_'
}

fn is_part(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// Reads SQL and replaces its parameters. An error names a placeholder of another form.
pub(crate) fn translate(sql: &str, dialect: Dialect) -> Result<Translated, String> {
    let mut out = String::with_capacity(sql.len());
    let mut names: Vec<String> = Vec::new();
    let mut rest = sql;
    let mut before = ' ';
    while let Some(c) = rest.chars().next() {
        let skipped = skip(rest, before, dialect);
        if skipped > 0 {
            out.push_str(&rest[..skipped]);
            before = ' ';
            rest = &rest[skipped..];
            continue;
        }
        let behind = &rest[c.len_utf8()..];
        let next = behind.chars().next();
        let name = |text: &str| text.chars().take_while(|c| is_part(*c)).collect::<String>();
        match c {
            // A cast, as in total::numeric.
            ':' if next == Some(':') => {
                out.push_str("::");
                rest = &behind[1..];
            }
            ':' if next.is_some_and(is_start) && !is_part(before) && before != ']' => {
                let name = name(behind);
                rest = &behind[name.len()..];
                let known = names.iter().position(|known| *known == name);
                let place = match (dialect, known) {
                    (Dialect::MySql, _) | (_, None) => {
                        names.push(name);
                        names.len()
                    }
                    (_, Some(place)) => place + 1,
                };
                match dialect {
                    Dialect::Postgres => out.push_str(&format!("${place}")),
                    Dialect::MySql => out.push('?'),
                    Dialect::Sqlite => out.push_str(&format!("?{place}")),
                }
            }
            '$' if dialect == Dialect::Postgres && !is_part(before) && next.is_some_and(|c| c.is_ascii_digit()) => {
                return Err(format!("${}", name(behind)));
            }
            '?' if dialect != Dialect::Postgres => return Err(format!("?{}", name(behind))),
            '@' | '$' if dialect == Dialect::Sqlite && next.is_some_and(is_start) => {
                return Err(format!("{c}{}", name(behind)));
            }
            c => {
                out.push(c);
                rest = behind;
            }
        }
        before = out.chars().next_back().unwrap_or(' ');
    }
    Ok(Translated { sql: out, names })
}

/// The length of a text, a quoted name or a comment at the beginning; zero where there is none.
fn skip(rest: &str, before: char, dialect: Dialect) -> usize {
    let mut all = rest.chars();
    let (first, second) = (all.next().unwrap_or(' '), all.next().unwrap_or(' '));
    let has_escapes = dialect == Dialect::MySql;
    match first {
        '\'' => quoted(rest, '\'', has_escapes),
        'E' | 'e' if dialect == Dialect::Postgres && second == '\'' && !is_part(before) => {
            1 + quoted(&rest[1..], '\'', true)
        }
        '"' => quoted(rest, '"', has_escapes),
        '`' if dialect != Dialect::Postgres => quoted(rest, '`', false),
        '[' if dialect == Dialect::Sqlite => rest.find(']').map_or(rest.len(), |end| end + 1),
        '-' if second == '-' => {
            // To MySQL, two minus signs are a comment with a space behind them only.
            let third = all.next().unwrap_or(' ');
            if dialect == Dialect::MySql && !third.is_whitespace() { 0 } else { line(rest) }
        }
        '#' if dialect == Dialect::MySql => line(rest),
        '/' if second == '*' => comment(rest, dialect == Dialect::Postgres),
        '$' if dialect == Dialect::Postgres && !is_part(before) => dollar(rest),
        _ => 0,
    }
}

fn line(rest: &str) -> usize {
    rest.find('\n').unwrap_or(rest.len())
}

/// A quote that stands twice is one of the text.
fn quoted(rest: &str, quote: char, has_escapes: bool) -> usize {
    let mut all = rest.char_indices().skip(1).peekable();
    while let Some((at, c)) = all.next() {
        if c == '\\' && has_escapes {
            all.next();
        } else if c == quote {
            match all.peek() {
                Some((_, next)) if *next == quote => drop(all.next()),
                _ => return at + c.len_utf8(),
            }
        }
    }
    rest.len()
}

/// `/* … */`; PostgreSQL has them inside one another.
fn comment(rest: &str, nests: bool) -> usize {
    let bytes = rest.as_bytes();
    let (mut at, mut depth) = (2, 1);
    while at + 1 < bytes.len() {
        match &bytes[at..at + 2] {
            b"*/" => {
                depth -= 1;
                at += 2;
                if depth == 0 {
                    return at;
                }
            }
            b"/*" if nests => {
                depth += 1;
                at += 2;
            }
            _ => at += 1,
        }
    }
    rest.len()
}

/// `$tag$ … $tag$`.
fn dollar(rest: &str) -> usize {
    let Some(end) = rest[1..].find('$') else { return 0 };
    let tag = &rest[1..=end];
    let is_tag = tag.chars().all(is_part) && !tag.starts_with(|c: char| c.is_ascii_digit());
    if !is_tag {
        return 0;
    }
    let mark = &rest[..end + 2];
    rest[mark.len()..].find(mark).map_or(rest.len(), |found| mark.len() + found + mark.len())
}

/// The beginning of SQL for a message.
pub(crate) fn short(sql: &str) -> Cow<'_, str> {
    const MOST: usize = 300;
    match sql.char_indices().nth(MOST) {
        Some((end, _)) => format!("{}…", &sql[..end]).into(),
        None => sql.into(),
    }
}

#[cfg(test)]
mod tests;
