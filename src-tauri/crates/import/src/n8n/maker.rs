//! What a node becomes, and its settings one by one.

use super::expr::{self, Place};
use super::read::{File, Node};
use crate::cel::{Cel, Ty};
use crate::report::{Findings, Level};
use crate::text::{Text, literal, quoted};
use serde_json::{Value, json};
use signalbox_model::descriptor::Mode;
use signalbox_model::{Map, Node as Step};

/// A step that is made of a node.
#[derive(Debug)]
pub(super) struct Part {
    /// Behind the id of the node; the main one has none.
    pub(super) suffix: &'static str,
    pub(super) step: Step,
}

/// The steps of a node and how they hang together.
#[derive(Debug, Default)]
pub(super) struct Made {
    pub(super) parts: Vec<Part>,
    /// (from, port, to)
    pub(super) inner: Vec<(usize, &'static str, usize)>,
    /// By output of the node: the ports that lead out.
    pub(super) outs: Vec<Vec<(usize, String)>>,
    /// The step at which each input arrives.
    pub(super) entries: Vec<usize>,
    /// Steps whose red port is that of the node.
    pub(super) fails: Vec<usize>,
    /// The output that leads into the frame of a loop.
    pub(super) body: Option<usize>,
}

impl Made {
    /// One step with one way in and one way out.
    pub(super) fn one(kind: &str, config: Map) -> Self {
        Self::default().then("", kind, config)
    }

    /// Goes on with a step behind the last one.
    pub(super) fn then(mut self, suffix: &'static str, kind: &str, config: Map) -> Self {
        let at = self.parts.len();
        let config = Some(Value::Object(config)).filter(|config| config != &json!({}));
        self.parts.push(Part { suffix, step: Step { kind: kind.to_owned(), config, ..Step::default() } });
        if at == 0 {
            self.entries = vec![0];
        } else {
            self.inner.push((at - 1, "success", at));
        }
        self.fails.push(at);
        self.outs = vec![vec![(at, "success".to_owned())]];
        self
    }

    pub(super) fn ports(mut self, ports: &[&str]) -> Self {
        let at = self.parts.len().saturating_sub(1);
        self.outs = ports.iter().map(|port| vec![(at, (*port).to_owned())]).collect();
        self
    }

    pub(super) fn titled(mut self, title: &str) -> Self {
        if let Some(part) = self.parts.last_mut() {
            part.step.title = Some(title.to_owned());
        }
        self
    }

    /// The last step runs once for all items.
    pub(super) fn all(mut self) -> Self {
        if let Some(part) = self.parts.last_mut() {
            part.step.mode = Some(Mode::All);
        }
        self
    }

    pub(super) fn last(&mut self) -> Option<&mut Step> {
        self.parts.last_mut().map(|part| &mut part.step)
    }
}

/// What translates one node.
pub(super) struct Maker<'a, 'f> {
    pub(super) file: &'f File<'a>,
    pub(super) at: usize,
    pub(super) found: &'f mut Findings,
    pub(super) place: Place<'f>,
    /// Expressions that were met and those that were translated.
    pub(super) counted: &'f mut (usize, usize),
    /// Where the data of each input comes from: ids of the steps that gather it.
    pub(super) inputs: Vec<String>,
}

impl<'a, 'f> Maker<'a, 'f> {
    pub(super) fn node(&self) -> &'f Node<'a> {
        &self.file.nodes[self.at]
    }

    /// A setting that says something; what a person chose from a list is its value.
    pub(super) fn p(&self, name: &str) -> Option<&'f Value> {
        at(self.node().params, name)
    }

    pub(super) fn text(&self, name: &str) -> &'f str {
        self.p(name).and_then(Value::as_str).unwrap_or_default()
    }

    pub(super) fn flag(&self, name: &str) -> bool {
        self.p(name) == Some(&Value::Bool(true))
    }

    /// Entries of a list of settings, `{values: [{…}]}`.
    pub(super) fn rows(&self, name: &str) -> Vec<&'f Map> {
        self.p(name).and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_object).collect()
    }

    pub(super) fn tell(
        &mut self,
        level: Level,
        code: &str,
        setting: &str,
        message: impl Into<String>,
        hint: impl Into<String>,
    ) {
        let node = self.node();
        let path = if setting.is_empty() {
            node.path.clone()
        } else {
            format!("{}/parameters/{}", node.path, setting.replace('.', "/"))
        };
        self.found.add(level, code, Some(&node.name), path, message, hint);
    }

    pub(super) fn warn(&mut self, code: &str, setting: &str, message: impl Into<String>, hint: impl Into<String>) {
        self.tell(Level::Warning, code, setting, message, hint);
    }

    /// An expression that has no translation: it is kept where it was, and the step takes its red port when it comes to it.
    fn untranslated(&mut self, setting: &str, source: &str, why: &str) -> Cel {
        let name = &self.node().name;
        let message = format!("\"{name}\": {setting} was not translated: {why}. It is kept as text: {}", source.trim());
        self.tell(
            Level::Problem,
            "EXPRESSION",
            setting,
            message,
            "Write the expression anew; the step fails when it runs.",
        );
        let kept: String = source.trim().chars().take(1_000).collect();
        Cel::new(format!("untranslated({}, {})", quoted(&kept), quoted(why)), Ty::Any)
    }

    /// One hole.
    fn hole(&mut self, setting: &str, source: &str) -> Cel {
        self.counted.0 += 1;
        match expr::translate(source, &self.place).and_then(|cel| sound(&cel).map(|()| cel)) {
            Ok(cel) => {
                self.counted.1 += 1;
                cel
            }
            Err(why) => self.untranslated(setting, source, &why),
        }
    }

    /// A text of the other program as CEL: data of one hole, or a text put together.
    pub(super) fn cel(&mut self, setting: &str, written: &str) -> Cel {
        let Some(rest) = written.strip_prefix('=') else { return Cel::text(written) };
        let parts = holes(rest);
        if let [Piece::Hole(source)] = parts.as_slice() {
            return self.hole(setting, source);
        }
        let mut out: Option<Cel> = None;
        for part in parts {
            let more = match part {
                Piece::Words(words) => Cel::text(words),
                Piece::Hole(source) => {
                    let found = self.hole(setting, source);
                    let found = if found.ty == Ty::Any { found.or(&Cel::text("")) } else { found };
                    found.stringed().unwrap_or_else(|why| self.untranslated(setting, source, &why))
                }
            };
            out = Some(match out {
                None => more,
                Some(before) => before.binary("+", &more, Ty::Text),
            });
        }
        out.unwrap_or_else(|| Cel::text(""))
    }

    /// A text of the other program as a text of a setting here.
    pub(super) fn written(&mut self, setting: &str, written: &str) -> String {
        let Some(rest) = written.strip_prefix('=') else { return literal(written) };
        let parts = holes(rest);
        if let [Piece::Hole(source)] = parts.as_slice() {
            let found = self.hole(setting, source);
            return format!("={}", whole(&found));
        }
        let mut text = Text::default();
        for part in parts {
            match part {
                Piece::Words(words) => text.say(words),
                Piece::Hole(source) => {
                    let found = self.hole(setting, source);
                    text.fill(in_text(&found));
                }
            }
        }
        text.write()
    }

    /// A value of a setting, with the expressions in it.
    pub(super) fn value(&mut self, setting: &str, value: &Value) -> Value {
        match value {
            Value::String(text) => json!(self.written(setting, text)),
            Value::Array(list) => Value::Array(list.iter().map(|one| self.value(setting, one)).collect()),
            Value::Object(map) if map.get("__rl") == Some(&Value::Bool(true)) => {
                self.value(setting, map.get("value").unwrap_or(&Value::Null))
            }
            Value::Object(map) => {
                Value::Object(map.iter().map(|(name, one)| (name.clone(), self.value(setting, one))).collect())
            }
            other => other.clone(),
        }
    }

    /// Rows of names and values as an object.
    pub(super) fn pairs(&mut self, setting: &str) -> Map {
        let mut out = Map::new();
        for row in self.rows(setting) {
            let Some(name) = row.get("name").and_then(Value::as_str).filter(|name| !name.is_empty()) else { continue };
            let name = if name.starts_with('=') {
                self.warn(
                    "COMPUTED_NAME",
                    setting,
                    "The name of a field is an expression; it is kept as text.",
                    "Correct the name.",
                );
                name.trim_start_matches('=')
            } else {
                name
            };
            let value = self.value(setting, row.get("value").unwrap_or(&Value::Null));
            out.insert(name.to_owned(), value);
        }
        out
    }

    /// A text that is JSON with expressions in it, as the value that it stands for.
    pub(super) fn json(&mut self, setting: &str, written: &str) -> Value {
        let Some(rest) = written.strip_prefix('=') else {
            return match serde_json::from_str::<Value>(written) {
                Ok(value) => self.literals(&value),
                Err(_) => json!(literal(written)),
            };
        };
        let parts = holes(rest);
        if let [Piece::Hole(source)] = parts.as_slice() {
            let found = self.hole(setting, source);
            return json!(format!("={}", whole(&unwrapped(&found))));
        }
        // Holes become marks; what they stand in decides whether they give a value or a part of a text.
        let mut marked = String::new();
        let mut sources = Vec::new();
        let mut in_text = false;
        for part in &parts {
            match part {
                Piece::Words(words) => {
                    let mut escaped = false;
                    for c in words.chars() {
                        match c {
                            _ if escaped => escaped = false,
                            '\\' if in_text => escaped = true,
                            '"' => in_text = !in_text,
                            _ => {}
                        }
                    }
                    marked.push_str(words);
                }
                Piece::Hole(source) => {
                    // A hole between quotes is a part of a text, any other a value.
                    let at = sources.len();
                    sources.push(*source);
                    marked.push_str(&if in_text {
                        format!("\u{e000}{at}\u{e001}")
                    } else {
                        format!("\"\u{e002}{at}\u{e001}\"")
                    });
                }
            }
        }
        match serde_json::from_str::<Value>(&marked) {
            Ok(value) => self.filled(setting, &value, &sources),
            Err(_) => json!(self.written(setting, written)),
        }
    }

    fn filled(&mut self, setting: &str, value: &Value, sources: &[&str]) -> Value {
        match value {
            Value::String(text) => {
                let alone = text.strip_prefix('\u{e002}').and_then(|rest| rest.strip_suffix('\u{e001}'));
                if let Some(source) = alone.and_then(|at| at.parse::<usize>().ok()).and_then(|at| sources.get(at)) {
                    let found = self.hole(setting, source);
                    return json!(format!("={}", whole(&unwrapped(&found))));
                }
                let mut out = Text::default();
                let mut rest = text.as_str();
                while let Some((before, after)) = rest.split_once('\u{e000}') {
                    out.say(before);
                    let (at, more) = after.split_once('\u{e001}').unwrap_or((after, ""));
                    if let Some(source) = at.parse::<usize>().ok().and_then(|at| sources.get(at)) {
                        let found = self.hole(setting, source);
                        out.fill(in_text(&found));
                    }
                    rest = more;
                }
                out.say(rest);
                json!(out.write())
            }
            Value::Array(list) => Value::Array(list.iter().map(|one| self.filled(setting, one, sources)).collect()),
            Value::Object(map) => Value::Object(
                map.iter()
                    .map(|(name, one)| {
                        let name = name.replace(['\u{e000}', '\u{e001}', '\u{e002}'], "");
                        (name, self.filled(setting, one, sources))
                    })
                    .collect(),
            ),
            other => other.clone(),
        }
    }

    /// A value that has no expressions.
    fn literals(&self, value: &Value) -> Value {
        match value {
            Value::String(text) => json!(literal(text)),
            Value::Array(list) => Value::Array(list.iter().map(|one| self.literals(one)).collect()),
            Value::Object(map) => {
                Value::Object(map.iter().map(|(name, one)| (name.clone(), self.literals(one))).collect())
            }
            other => other.clone(),
        }
    }

    /// The secret that a node's credentials become.
    pub(super) fn credential(&mut self) -> Option<String> {
        let all = self.node().raw.get("credentials").and_then(Value::as_object)?;
        let (kind, one) = all.iter().next()?;
        let named = one.get("name").and_then(Value::as_str).unwrap_or(kind);
        let name = secret_name(named);
        let message = format!("The credential \"{named}\" ({kind}) stays with the other program.");
        let hint = format!("Add it as the secret '{name}' of this machine, for the host that it belongs to.");
        self.tell(Level::Missing, "SECRET", "", message, hint);
        Some(format!("secret://{name}"))
    }
}

/// A name for a secret.
pub(crate) fn secret_name(named: &str) -> String {
    let mut name = String::new();
    for c in named.chars() {
        if c.is_ascii_alphanumeric() || c == '.' {
            name.push(c.to_ascii_lowercase());
        } else if !name.is_empty() && !name.ends_with('-') {
            name.push('-');
        }
        if name.len() >= 50 {
            break;
        }
    }
    let name = name.trim_end_matches('-');
    if name.starts_with(|c: char| c.is_ascii_alphanumeric()) { name.to_owned() } else { "imported".to_owned() }
}

/// A part of a text of the other program.
#[derive(Debug, PartialEq)]
pub(super) enum Piece<'t> {
    Words(&'t str),
    Hole(&'t str),
}

/// A text taken apart: a hole ends at the first `}}`, as it does there.
pub(super) fn holes(text: &str) -> Vec<Piece<'_>> {
    let mut out = Vec::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("{{") {
        // A hole that is not closed goes on to the end.
        let (source, behind) = after.split_once("}}").unwrap_or((after, ""));
        if !before.is_empty() {
            out.push(Piece::Words(before));
        }
        out.push(Piece::Hole(source));
        rest = behind;
    }
    if !rest.is_empty() {
        out.push(Piece::Words(rest));
    }
    out
}

/// A whole value: null where a field does not exist.
pub(super) fn whole(found: &Cel) -> String {
    match found.ty {
        Ty::Time(_) => found.iso().or_null().text,
        _ => found.or_null().text,
    }
}

/// A part of a text: empty where there is nothing.
fn in_text(found: &Cel) -> String {
    match found.ty {
        Ty::Time(_) => found.iso().text,
        // A quotient without a remainder has no point there.
        Ty::Number if !found.missing && found.text.contains('/') => Cel::call("string", &[found], Ty::Text).text,
        Ty::Null => "''".to_owned(),
        Ty::List => found.stringed().map_or_else(|_| found.text.clone(), |text| text.text),
        Ty::Any => found.or(&Cel::text("")).text,
        _ if found.missing => found.or(&Cel::text("")).text,
        _ => found.text.clone(),
    }
}

/// What is written as JSON into JSON is the value itself.
fn unwrapped(found: &Cel) -> Cel {
    match found.text.strip_prefix("json(").and_then(|rest| rest.strip_suffix(')')) {
        Some(inner) if found.ty == Ty::Text && signalbox_engine::expr::Expr::compile(inner).is_ok() => {
            Cel { missing: found.missing, ..Cel::new(inner, Ty::Any) }
        }
        _ => found.clone(),
    }
}

/// It can be written here: not too long, not too deep.
fn sound(cel: &Cel) -> Result<(), String> {
    signalbox_engine::expr::Expr::compile(&format!("coalesce({}, '')", cel.text)).map(|_| ()).map_err(|error| {
        if error.code == signalbox_engine::expr::Code::Limit {
            "it is too long or too deep for one expression here".to_owned()
        } else {
            format!("it gives no expression here ({})", error.message)
        }
    })
}

/// A setting by its path, such as `options.timeout`.
pub(super) fn at<'v>(params: &'v Map, name: &str) -> Option<&'v Value> {
    let mut names = name.split('.');
    let mut here = params.get(names.next()?)?;
    for name in names {
        here = here.get(name)?;
    }
    if here.get("__rl") == Some(&Value::Bool(true)) {
        here = here.get("value")?;
    }
    Some(here).filter(|value| !value.is_null())
}
