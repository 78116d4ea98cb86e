//! Values of foreign steps: expressions, literals, and the texts of older versions that are expressions without saying so.

use super::cel::{self, Names, Place, Used, Writer, field, roots};
use super::syntax::{Ast, parse};
use crate::text::{Text, literal, quoted};
use serde_json::Value;
use signalbox_engine::expr::{Expr, value_refs};
use signalbox_model::Map;

/// What may stand at a place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Mode {
    /// An expression, or a literal.
    Expression,
    /// A literal, unless it begins with `=`.
    Literal,
    /// A text for a model.
    Message,
}

/// Reads the values of one step.
pub(super) struct Reader<'a> {
    pub(super) names: &'a Names,
    pub(super) place: &'a Place,
    pub(super) used: &'a mut Used,
    pub(super) legacy: bool,
    /// A text was read as an expression although it does not begin with `=`.
    pub(super) drift: bool,
}

/// A value, or why it cannot be translated.
type Read<T> = Result<T, String>;

impl Reader<'_> {
    fn writer(&mut self) -> Writer<'_> {
        Writer { names: self.names, place: self.place, used: self.used, depth: 0 }
    }

    /// A value as it stands in settings here.
    pub(super) fn value(&mut self, raw: &Value, mode: Mode) -> Read<Value> {
        Ok(match raw {
            Value::String(text) => {
                let written = self.text(text, mode)?;
                sound(&written, text)?;
                Value::String(written)
            }
            Value::Array(list) => Value::Array(list.iter().map(|one| self.value(one, mode)).collect::<Read<Vec<_>>>()?),
            Value::Object(map) => {
                let mut read = Map::new();
                for (key, one) in map {
                    let one = self.value(one, mode).map_err(|why| format!("'{key}': {why}"))?;
                    read.insert(key.clone(), one);
                }
                Value::Object(read)
            }
            other => other.clone(),
        })
    }

    fn text(&mut self, text: &str, mode: Mode) -> Read<String> {
        if let Some(rest) = text.strip_prefix("==") {
            return Ok(literal(&format!("={rest}")));
        }
        if let Some(rest) = text.strip_prefix('=') {
            let ast = tree(rest)?;
            let written = cel::value(&mut self.writer(), &ast).map_err(|why| quote(text, &why))?;
            return Ok(if mode == Mode::Message { spoken(&written) } else { written });
        }
        if mode == Mode::Message {
            if self.legacy {
                return self.interpolated(text);
            }
            if !self.whole_path(text) {
                return Ok(literal(text));
            }
            let written = self.unmarked(text)?.unwrap_or_else(|| literal(text));
            return Ok(spoken(&written));
        }
        if mode == Mode::Literal && !self.whole_path(text) {
            return if self.legacy && self.mentions(text) { self.interpolated(text) } else { Ok(literal(text)) };
        }
        Ok(self.unmarked(text)?.unwrap_or_else(|| literal(text)))
    }

    /// `$declared.path` and nothing else, or a name that steps bind.
    fn whole_path(&self, text: &str) -> bool {
        let text = text.trim();
        let local = ["_item", "_index", "_result", "_meta", "_toolResult"]
            .iter()
            .any(|local| text.strip_prefix(local).is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '['])));
        let variable = text.starts_with('$') && !text.contains(char::is_whitespace);
        (local || variable) && parse(text).is_ok_and(|ast| self.known(&ast))
    }

    /// An expression that does not say that it is one; none when it is a literal.
    fn unmarked(&mut self, text: &str) -> Read<Option<String>> {
        let Ok(ast) = parse(text) else { return Ok(None) };
        let mut names = Vec::new();
        roots(&ast, &mut names);
        let marked = names.iter().any(|(variable, name)| *variable || name.starts_with('_'));
        let made = matches!(ast, Ast::Text(_) | Ast::List(_) | Ast::Object(_));
        if !self.known(&ast) || !(self.legacy || marked || made) {
            return Ok(None);
        }
        let written = cel::value(&mut self.writer(), &ast).map_err(|why| quote(text, &why))?;
        self.drift |= written != text;
        Ok(Some(written))
    }

    /// Every name of it means something here.
    fn known(&self, ast: &Ast) -> bool {
        let mut names = Vec::new();
        roots(ast, &mut names);
        names.iter().all(|(variable, name)| {
            *variable && self.names.vars.contains_key(name)
                || !*variable
                    && (self.names.params.contains_key(name)
                        || matches!(name.as_str(), "_item" | "_index" | "_iterDir") && self.place.in_loop.is_some()
                        || matches!(name.as_str(), "_result" | "_meta" | "_toolResult") && self.place.result.is_some()
                        || name == "_error" && self.place.error
                        || name == "SYSVAR")
        })
    }

    /// A declared variable stands in the text.
    fn mentions(&self, text: &str) -> bool {
        let word = |rest: &str| rest.split(|c: char| !is_word(c)).next().unwrap_or_default().to_owned();
        text.split('$').skip(1).any(|rest| self.names.vars.contains_key(&word(rest)))
    }

    /// Variables in a text, as versions before 3.10 write them: `Plan: $plan.title`.
    fn interpolated(&mut self, text: &str) -> Read<String> {
        let chars: Vec<char> = text.chars().collect();
        let (mut out, mut at) = (Text::default(), 0);
        while at < chars.len() {
            let starts = chars[at] == '$' || (chars[at] == '_' && (at == 0 || !is_word(chars[at - 1])));
            let mut end = at + 1;
            while starts && end < chars.len() {
                let field = chars[end] == '.' && chars.get(end + 1).is_some_and(|c| is_word(*c));
                if !is_word(chars[end]) && !field {
                    break;
                }
                end += 1;
            }
            let name: String = chars[at..end].iter().collect();
            let ast = if starts { parse(&name).ok().filter(|ast| self.known(ast)) } else { None };
            match ast {
                Some(ast) => {
                    out.fill(self.writer().cel(&ast).map_err(|why| quote(&name, &why))?);
                    self.drift = true;
                    at = end;
                }
                None => {
                    out.say(chars[at].encode_utf8(&mut [0; 4]));
                    at += 1;
                }
            }
        }
        Ok(out.write())
    }

    fn tree_of(&mut self, raw: &Value) -> Read<Ast> {
        Ok(match raw {
            Value::String(text) => match text.strip_prefix('=') {
                Some(rest) => tree(rest)?,
                None => {
                    self.drift = true;
                    tree(text)?
                }
            },
            Value::Bool(value) => Ast::Bool(*value),
            Value::Null => Ast::Null,
            other => parse(&other.to_string()).map_err(|why| quote(&other.to_string(), &why.to_string()))?,
        })
    }

    /// A condition as CEL.
    pub(super) fn condition(&mut self, raw: &Value) -> Read<String> {
        let ast = self.tree_of(raw)?;
        let said = raw.as_str().map_or_else(|| raw.to_string(), str::to_owned);
        let cel = self.writer().truth(&ast).map_err(|why| quote(&said, &why))?;
        sound_cel(&cel, &said).map(|()| cel)
    }

    /// The list of a loop as CEL: none is an empty one.
    pub(super) fn source(&mut self, raw: &Value) -> Read<String> {
        let ast = self.tree_of(raw)?;
        let said = raw.as_str().map_or_else(|| raw.to_string(), str::to_owned);
        let list = self.writer().operand(&ast).map_err(|why| quote(&said, &why))?;
        let cel = format!("{list} == null ? [] : {list}");
        sound_cel(&cel, &said).map(|()| cel)
    }

    /// What `$name`, `$name.field` or `$list[_index].field` writes: the target here, and, where a place in a list is
    /// written, the path below the variable as CEL.
    pub(super) fn target(&mut self, text: &str) -> Read<(String, Option<String>)> {
        let ast = tree(text)?;
        let mut path = Vec::new();
        let mut at = &ast;
        let name = loop {
            match at {
                Ast::Variable(name) => break name.clone(),
                Ast::Field(of, name) => {
                    path.push(Ast::Text(name.clone()));
                    at = of;
                }
                Ast::Index(of, index) => {
                    path.push((**index).clone());
                    at = of;
                }
                _ => return Err(quote(text, "it is no variable, such as $plan, $plan.title or $list[_index]")),
            }
        };
        path.reverse();
        if !self.names.vars.contains_key(&name) {
            self.used.undeclared.insert(name.clone());
        }
        let plain = |name: &str| !name.is_empty() && name.chars().all(is_word);
        if path.iter().all(|one| matches!(one, Ast::Text(name) if plain(name))) {
            let mut target = format!("${name}");
            for one in &path {
                if let Ast::Text(name) = one {
                    target.push('.');
                    target.push_str(name);
                }
            }
            return Ok((target, None));
        }
        let list = self.writer().cel(&Ast::List(path)).map_err(|why| quote(text, &why))?;
        Ok((format!("${name}"), Some(list)))
    }

    /// A file name with holes like `{_item.path}`; none when it has no holes.
    pub(super) fn file_name(&mut self, text: &str) -> Read<Option<String>> {
        if !text.contains('{') {
            return Ok(None);
        }
        let mut out = Text::default();
        let mut rest = text;
        while let Some((before, after)) = rest.split_once('{') {
            let (inner, behind) = after.split_once('}').ok_or_else(|| quote(text, "a '{' is not closed"))?;
            out.say(before);
            let ast = tree(inner.trim_start_matches('='))?;
            out.fill(self.writer().cel(&ast).map_err(|why| quote(text, &why))?);
            rest = behind;
        }
        out.say(rest);
        let written = out.write();
        sound(&written, text).map(|()| Some(written))
    }
}

/// A letter of a name.
fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// What was written is what is read here: an expression or a text that is too long or too deep for that is told.
pub(super) fn sound(written: &str, text: &str) -> Read<()> {
    let all = value_refs(&Value::String(written.to_owned()));
    all.into_iter().try_for_each(|(_, expr)| expr.map(drop).map_err(|error| quote(text, &error.message)))
}

fn sound_cel(cel: &str, text: &str) -> Read<()> {
    Expr::compile(cel).map(drop).map_err(|error| quote(text, &error.message))
}

fn tree(text: &str) -> Read<Ast> {
    parse(text).map_err(|why| quote(text, &why.to_string()))
}

/// Says which expression it is about.
fn quote(text: &str, why: &str) -> String {
    let shown: String = text.chars().take(120).collect();
    let dots = if text.chars().count() > 120 { "…" } else { "" };
    format!("'{shown}{dots}' cannot be written in CEL: {why}")
}

/// A value as a text: an expression becomes a hole.
fn spoken(written: &str) -> String {
    let mut text = Text::default();
    text.put(written);
    text.write()
}

/// `put(…)`: a value with another one at a place in it.
pub(super) fn put(variable: &str, path: &str, value: &Value) -> Read<Value> {
    let name = variable.trim_start_matches('$');
    let cel = match value {
        Value::String(text) => match text.strip_prefix('=') {
            Some(rest) if !rest.starts_with('=') => rest.to_owned(),
            Some(rest) => quoted(rest),
            None if text.contains("{{") => {
                return Err(format!("'{text}' is a text with holes, which cannot be put into a list in one step"));
            }
            None => quoted(text),
        },
        Value::Null | Value::Bool(_) | Value::Number(_) => value.to_string(),
        Value::Array(_) | Value::Object(_) => {
            return Err("a list or object that is no expression is put into a list".into());
        }
    };
    Ok(Value::String(format!("=put(context{}, {path}, {cel})", field(name))))
}
