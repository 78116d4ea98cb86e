//! The parser's complaints in plain words.

use super::error::{Code, ExprError, quote};
use cel::ParseErrors;

pub(super) fn syntax(text: &str, errors: &ParseErrors) -> ExprError {
    let first = errors.errors.iter().find(|e| e.pos.0 > 0).or_else(|| errors.errors.first());
    let (raw, pos) = first.map_or(("", (0, 0)), |e| (e.msg.as_str(), e.pos));
    let place = offset(text, pos).unwrap_or_else(|| text.chars().count());
    let what = plain(raw, text, place);
    let mut out = ExprError::new(
        Code::Syntax,
        format!("`{}` is not a valid expression: at character {place}, {what}", quote(text)),
    )
    .at(place);
    text.clone_into(&mut out.more.expression);
    out
}

pub(super) fn unreadable(text: &str) -> ExprError {
    ExprError::new(Code::Syntax, format!("`{}` is not a valid expression.", quote(text)))
}

fn plain(raw: &str, text: &str, place: usize) -> String {
    let length = text.chars().count();
    let here = text.chars().nth(place);
    if raw.starts_with("expression recursion limit") {
        return "it is nested too deep.".into();
    }
    if let Some(name) = raw.strip_prefix("reserved identifier: ") {
        return format!("`{name}` is a reserved word and cannot be used as a name.");
    }
    if raw.contains("int literal") || raw.contains("double literal") {
        return "the number is too large or not written correctly.".into();
    }
    if raw.contains("unsupported syntax") && here == Some('`') {
        return "names in backticks are not supported; write `x['content-type']`.".into();
    }
    if raw.contains("unsupported syntax") {
        return "`?` after `.` or `[` is not supported; test with `has(…)` first.".into();
    }
    if raw.contains("macro") || raw.contains("simple name") {
        return if raw.contains("has()") {
            "`has(…)` needs a field, for example `has(item.name)`.".into()
        } else {
            "the first argument must be a plain name, for example `items.map(x, x.name)`.".into()
        };
    }
    if here == Some('=') && text.chars().nth(place + 1) != Some('=') {
        return "a single `=` does not compare; write `==`.".into();
    }
    if place >= length {
        return "it ends too early; something is missing after it.".into();
    }
    match here {
        Some('\'' | '"') => "the text in quotes is not closed, or something is missing before it.".into(),
        Some('&') => "a single `&` is unknown; write `&&` for \"and\".".into(),
        Some('|') => "a single `|` is unknown; write `||` for \"or\".".into(),
        Some('$') => "`$` is unknown; write `context.name` for a variable and `nodes.ID.output` for a step.".into(),
        Some(c) if c.is_alphanumeric() || c == '_' => {
            let word: String =
                text.chars().skip(place).take_while(|c| c.is_alphanumeric() || *c == '_').take(40).collect();
            match word.as_str() {
                "and" => "`and` is unknown; write `&&`.".into(),
                "or" => "`or` is unknown; write `||`.".into(),
                "not" => "`not` is unknown; write `!`.".into(),
                _ => format!("`{word}` is not expected here; an operator or a comma may be missing before it."),
            }
        }
        Some(c) => format!("`{c}` is not expected here."),
        None => "something is missing.".into(),
    }
}

/// The parser's line (from 1) and column (from 1, in bytes) as characters from the start.
fn offset(text: &str, (line, column): (isize, isize)) -> Option<usize> {
    let line = usize::try_from(line).ok()?.checked_sub(1)?;
    let column = usize::try_from(column).ok()?.checked_sub(1)?;
    let start: usize = text.split_inclusive('\n').take(line).map(str::len).sum();
    let end = (start + column).min(text.len());
    Some(text.char_indices().take_while(|(at, _)| *at < end).count())
}
