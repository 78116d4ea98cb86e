//! Conditions in rows, of both generations, as one expression that is true or false.

use super::maker::Maker;
use super::methods;
use crate::cel::{Cel, Ty};
use serde_json::Value;
use signalbox_model::Map;

impl Maker<'_, '_> {
    /// `{conditions: […], combinator, options}`, or an object of lists by type (before version 2).
    pub(super) fn conditions(&mut self, setting: &str, all: &Map, loose: bool) -> String {
        let any = |name: &str| all.get(name).and_then(Value::as_str).is_some_and(|word| word == "or" || word == "any");
        let mut rows: Vec<Cel> = Vec::new();
        if let Some(list) = all.get("conditions").and_then(Value::as_array) {
            let exact =
                all.get("options").and_then(|options| options.get("caseSensitive")) != Some(&Value::Bool(false));
            let strict = all.get("options").and_then(|options| options.get("typeValidation")).and_then(Value::as_str)
                == Some("strict");
            for row in list.iter().filter_map(Value::as_object) {
                let operator = row.get("operator");
                let kind = operator.and_then(|found| found["type"].as_str()).unwrap_or("string");
                let action = operator.and_then(|found| found["operation"].as_str()).unwrap_or("equals");
                let left = self.operand(setting, row.get("leftValue"), kind);
                let right = self.operand(setting, row.get("rightValue"), kind);
                rows.push(self.row(setting, kind, action, left, right, exact, loose || !strict));
            }
        } else {
            for (kind, list) in all {
                for row in list.as_array().into_iter().flatten().filter_map(Value::as_object) {
                    let default = if kind == "number" { "smaller" } else { "equal" };
                    let action = row.get("operation").and_then(Value::as_str).unwrap_or(default);
                    let left = self.operand(setting, row.get("value1"), kind);
                    let right = self.operand(setting, row.get("value2"), kind);
                    rows.push(self.row(setting, kind, action, left, right, true, true));
                }
            }
        }
        let sign = if any("combinator") || any("combineOperation") || self.text("combineOperation") == "any" {
            "||"
        } else {
            "&&"
        };
        let mut rows = rows.into_iter();
        let Some(first) = rows.next() else { return "true".to_owned() };
        rows.fold(first, |before, row| before.binary(sign, &row, Ty::Bool)).text
    }

    pub(super) fn operand(&mut self, setting: &str, value: Option<&Value>, kind: &str) -> Cel {
        match value {
            None | Some(Value::Null) => Cel::text(""),
            Some(Value::String(text)) if text.starts_with('=') => self.cel(setting, text),
            Some(Value::String(text)) => match (kind, text.trim().parse::<f64>()) {
                ("number", Ok(_)) => Cel::new(text.trim(), Ty::Number),
                ("boolean", _) if text == "true" || text == "false" => Cel::new(text.clone(), Ty::Bool),
                _ => Cel::text(text),
            },
            Some(Value::Bool(value)) => Cel::new(value.to_string(), Ty::Bool),
            Some(Value::Number(value)) => Cel::new(value.to_string(), Ty::Number),
            Some(other) => Cel::new(other.to_string(), Ty::Any),
        }
    }

    pub(super) fn row(
        &mut self,
        setting: &str,
        kind: &str,
        action: &str,
        left: Cel,
        right: Cel,
        exact: bool,
        loose: bool,
    ) -> Cel {
        let null = Cel::new("null", Ty::Null);
        let no = Cel::new("false", Ty::Bool);
        // A comparison of something that is not there is not met.
        let met = |row: Cel| if row.missing { row.or(&no).is(Ty::Bool) } else { row };
        let lower = |one: &Cel| if exact { one.clone() } else { one.method("lower", &[], Ty::Text) };
        let as_text = |one: &Cel| match one.ty {
            Ty::Text => one.clone(),
            Ty::Time(_) => one.iso(),
            Ty::Any if loose => {
                Cel { missing: one.missing, ..Cel::call("string", &[&one.or(&Cel::text(""))], Ty::Text) }
            }
            Ty::Any => one.or(&Cel::text("")).is(Ty::Text),
            _ => one.stringed().unwrap_or_else(|_| one.clone()),
        };
        let number = |one: &Cel| match one.ty {
            Ty::Number => one.clone(),
            _ if loose => methods::to_number(one),
            _ => one.clone(),
        };
        let time = |one: &Cel| super::times::to_time(one, None).unwrap_or_else(|_| one.clone());
        let (negative, action) = match action {
            "notEquals" | "notEqual" => (true, "equals"),
            "notContains" => (true, "contains"),
            "notStartsWith" => (true, "startsWith"),
            "notEndsWith" => (true, "endsWith"),
            "notRegex" => (true, "regex"),
            "notExists" => (true, "exists"),
            "notEmpty" | "isNotEmpty" => (true, "empty"),
            other => (false, other),
        };
        let compared = |sign: &str| match kind {
            "dateTime" => met(time(&left).binary(sign, &time(&right), Ty::Bool)),
            "string" => met(as_text(&left).binary(sign, &as_text(&right), Ty::Bool)),
            _ => met(number(&left).binary(sign, &number(&right), Ty::Bool)),
        };
        let sized = |sign: &str| {
            let size = Cel::call("size", &[&left], Ty::Number);
            met(size.binary(sign, &number(&right), Ty::Bool))
        };
        let found = match action {
            "exists" => left.or_null().binary("!=", &null, Ty::Bool),
            "empty" | "isEmpty" => methods::is_empty(&left),
            "true" => met(left.truthy()),
            "false" => left.truthy().not(),
            "equals" | "equal" => match kind {
                "number" if loose && left.ty != Ty::Number => {
                    met(number(&left).binary("==", &number(&right), Ty::Bool))
                }
                "dateTime" => compared("=="),
                "string" => lower(&as_text(&left)).binary("==", &lower(&as_text(&right)), Ty::Bool),
                "boolean" => left.truthy().binary("==", &right.truthy(), Ty::Bool),
                _ => left.or_null().binary("==", &right.or_null(), Ty::Bool),
            },
            "contains" if kind == "array" => met(right.binary("in", &left, Ty::Bool)),
            "contains" | "startsWith" | "endsWith" => {
                lower(&as_text(&left)).method(action, &[&lower(&as_text(&right))], Ty::Bool)
            }
            "regex" => {
                let wanted = right
                    .text
                    .strip_prefix('\'')
                    .and_then(|rest| rest.strip_suffix('\''))
                    .filter(|_| right.ty == Ty::Text);
                let source = wanted.map(|text| text.replace("\\\\", "\\").replace("\\'", "'"));
                let (source, flags) =
                    match source.as_deref().map(|text| text.strip_prefix('/').and_then(|rest| rest.rsplit_once('/'))) {
                        Some(Some((source, flags))) => (Some(source.to_owned()), flags.to_owned()),
                        _ => (source, String::new()),
                    };
                match source.map(|source| super::patterns::pattern(&source, &flags)) {
                    Some(Ok(pattern)) => as_text(&left).method("matches", &[&Cel::text(&pattern)], Ty::Bool),
                    Some(Err(why)) => self.no_row(setting, action, &why),
                    None => as_text(&left).method("matches", &[&right], Ty::Bool),
                }
            }
            "gt" | "larger" | "after" => compared(">"),
            "gte" | "largerEqual" | "afterOrEquals" => compared(">="),
            "lt" | "smaller" | "before" => compared("<"),
            "lte" | "smallerEqual" | "beforeOrEquals" => compared("<="),
            "lengthEquals" => sized("=="),
            "lengthNotEquals" => sized("!="),
            "lengthGt" => sized(">"),
            "lengthLt" => sized("<"),
            "lengthGte" => sized(">="),
            "lengthLte" => sized("<="),
            other => self.no_row(setting, other, "this comparison is not known"),
        };
        let found = Cel { missing: false, ..found };
        if negative { found.not() } else { found }
    }

    fn no_row(&mut self, setting: &str, action: &str, why: &str) -> Cel {
        let message = format!("\"{}\": the comparison '{action}' was not translated: {why}.", self.node().name);
        let hint = "Write the condition anew; the step fails when it runs.";
        self.tell(crate::report::Level::Problem, "CONDITION", setting, message, hint);
        let text = format!("untranslated({}, {})", Cel::text(action).text, Cel::text(why).text);
        Cel::new(text, Ty::Bool)
    }
}
