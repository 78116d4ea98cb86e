//! Methods of lists, and of lists of items.

use super::expr::{Maker, Out, Turned};
use super::methods::{includes, is_empty, json, numeric, to_number};
use crate::cel::{Cel, Ty};
use crate::js::Js;

impl Maker<'_> {
    /// Methods of lists.
    pub(super) fn of_list(&mut self, owner: &Cel, name: &str, args: &[Js], entry: Ty) -> Out {
        let kept = if entry == Ty::Item { Ty::Items } else { Ty::List };
        let turn = |name: &str, turned: &Turned, body: &Cel, ty: Ty| turn(owner, name, turned, body, ty);
        let plain = |body: &Cel| Turned { variable: "x".into(), body: body.clone(), by_place: false };
        Ok(match (name, args) {
            ("map", [Js::Name(name)]) if matches!(name.as_str(), "Number" | "String") && entry != Ty::Item => {
                let x = Cel::new("x", Ty::Any);
                let body = if name == "Number" { to_number(&x) } else { x.stringed()? };
                turn("map", &plain(&body), &body, Ty::List)
            }
            ("map", [function] | [function, _]) => {
                let turned = self.with(function, owner, entry)?;
                let body = &turned.body;
                match body.ty {
                    // The item itself stays one.
                    Ty::Item => turn("map", &turned, body, Ty::Items),
                    Ty::Time(_) => turn("map", &turned, &body.iso(), Ty::List),
                    Ty::Items | Ty::Node | Ty::Space(_) | Ty::Span(_) => {
                        return Err("a list of lists of items is made".into());
                    }
                    _ => turn("map", &turned, &body.or_null(), Ty::List),
                }
            }
            ("flatMap", [function]) if entry != Ty::Item || is_of_data(function) => {
                let turned = self.with(function, owner, entry)?;
                if matches!(turned.body.ty, Ty::Item | Ty::Items | Ty::Node | Ty::Space(_) | Ty::Span(_) | Ty::Time(_))
                {
                    return Err("a list of lists of items is made".into());
                }
                turn("map", &turned, &turned.body.or_null(), Ty::List).method("flatten", &[], Ty::List)
            }
            ("flat", [] | [Js::Number(1.0)]) if entry != Ty::Item => owner.method("flatten", &[], Ty::List),
            ("filter", [Js::Name(name)]) if name == "Boolean" => {
                let body = Cel { missing: false, ..Cel::new("x", Ty::Any) }.truthy();
                turn("filter", &plain(&body), &body, kept)
            }
            ("filter" | "some" | "every" | "find" | "findIndex", [function]) => {
                let turned = self.with(function, owner, entry.clone())?;
                let body = turned.body.truthy();
                match name {
                    "filter" => turn("filter", &turned, &body, kept),
                    "some" => turn("exists", &turned, &body, Ty::Bool),
                    "every" => turn("all", &turned, &body, Ty::Bool),
                    "findIndex" => return Err("'.findIndex()' of a list is not translated".into()),
                    _ => {
                        let first = turn("filter", &turned, &body, Ty::List).index(&Cel::new("0", Ty::Number));
                        Cel { missing: true, ..first.is(entry) }
                    }
                }
            }
            ("reduce", [function, Js::Number(begin)]) if *begin == 0.0 => {
                let (variable, body) = self.added(function, entry)?;
                let body = numeric(&body)?;
                let turned = Turned { variable, body: body.clone(), by_place: false };
                turn("map", &turned, &body, Ty::List).method("sum", &[], Ty::Number)
            }
            ("reduce", [function, Js::Text(begin)]) => {
                let (variable, body) = self.added(function, entry)?;
                let body = body.stringed()?;
                let turned = Turned { variable, body: body.clone(), by_place: false };
                let text = turn("map", &turned, &body, Ty::List).method("join", &[&Cel::text("")], Ty::Text);
                if begin.is_empty() { text } else { Cel::text(begin).binary("+", &text, Ty::Text) }
            }
            ("first", []) => Cel { missing: true, ..owner.index(&Cel::new("0", Ty::Number)).is(entry) },
            ("last" | "pop", []) => {
                let last = Cel::call("size", &[owner], Ty::Number).binary("-", &Cel::new("1", Ty::Number), Ty::Number);
                Cel { missing: true, ..owner.index(&last).is(entry) }
            }
            ("at", [Js::Minus(one)]) if **one == Js::Number(1.0) => return self.of_list(owner, "last", &[], entry),
            ("at", [Js::Number(at)]) if *at >= 0.0 && at.fract() == 0.0 => {
                Cel { missing: true, ..owner.index(&Cel::new(at.to_string(), Ty::Number)).is(entry) }
            }
            ("slice", [] | [_] | [_, _]) => {
                let args = self.all(args)?;
                owner.method("slice", &args.iter().collect::<Vec<_>>(), kept)
            }
            ("isEmpty", []) => is_empty(owner),
            ("isNotEmpty", []) => is_empty(owner).not(),
            ("reverse" | "unique", []) => owner.method(name, &[], kept),
            ("removeDuplicates", []) => owner.method("unique", &[], kept),
            _ if entry == Ty::Item => return Err(format!("'.{name}()' of a list of items is not translated")),
            ("includes", [one]) => includes(owner, &self.of(one)?),
            ("join", [] | [_]) => {
                let between = args.first().map_or_else(|| Ok(Cel::text(",")), |one| self.of(one))?;
                let texts = Cel {
                    missing: owner.missing,
                    ..Cel::new(format!("{}.map(x, string(x))", owner.owner()), Ty::List)
                };
                texts.method("join", &[&between], Ty::Text)
            }
            ("concat", [_, ..]) => {
                let mut out = owner.clone();
                for arg in args {
                    out = out.binary("+", &self.of(arg)?, Ty::List);
                }
                out
            }
            ("append", [one]) => {
                let one = self.of(one)?;
                owner.binary("+", &Cel::new(format!("[{}]", one.text), Ty::List), Ty::List)
            }
            ("sum" | "min" | "max", []) => owner.method(name, &[], Ty::Number),
            ("average", []) => {
                let sum = Cel::call("double", &[&owner.method("sum", &[], Ty::Number)], Ty::Number);
                sum.binary("/", &Cel::call("size", &[owner], Ty::Number), Ty::Number)
            }
            ("pluck", [Js::Text(field)]) => {
                let entry = Cel::any("x").field(field);
                let body = entry.or_null();
                turn("map", &plain(&body), &body, Ty::List)
            }
            ("pluck", [Js::Text(_), ..]) => {
                let mut fields = Vec::new();
                for arg in args {
                    let Js::Text(field) = arg else { return Err("the name of a field is computed".into()) };
                    fields.push(Cel::any("x").field(field).or_null().text);
                }
                // Several fields give a list of lists.
                let body = Cel::new(format!("[{}]", fields.join(", ")), Ty::List);
                turn("map", &plain(&body), &body, Ty::List)
            }
            ("compact", []) if owner.ty == Ty::List => {
                let body = Cel::new("!(x in [null, ''])", Ty::Bool);
                turn("filter", &plain(&body), &body, Ty::List)
            }
            ("chunk", [size]) => {
                let size = self.of(size)?;
                owner.method("chunks", &[&size], Ty::List)
            }
            ("union", [other]) => owner.binary("+", &self.of(other)?, Ty::List).method("unique", &[], Ty::List),
            ("intersection" | "difference", [other]) => {
                let other = self.of(other)?;
                let inside = Cel::new("x", Ty::Any).binary("in", &other, Ty::Bool);
                let body = if name == "difference" { inside.not() } else { inside };
                turn("filter", &plain(&body), &body, Ty::List).method("unique", &[], Ty::List)
            }
            ("smartJoin", [Js::Text(_), Js::Text(_)]) => {
                return Err("'.smartJoin()' of a list is not translated; use a JavaScript step".into());
            }
            ("toJsonString", []) => json(owner, None)?,
            ("toString", []) => owner.stringed()?,
            (
                "forEach" | "flat" | "flatMap" | "sort" | "push" | "reduce" | "splice" | "smartJoin" | "randomItem",
                _,
            ) => {
                return Err(format!("'.{name}()' of a list is not translated; use a JavaScript step"));
            }
            _ => return Err(format!("'.{name}()' of a list is not translated")),
        })
    }
}

/// A function that gives data of an item, not the item.
fn is_of_data(function: &Js) -> bool {
    !matches!(function, Js::Arrow { body, .. } if matches!(**body, Js::Name(_)))
}

/// A loop over a list, or over its places when the function asks for them.
fn turn(owner: &Cel, name: &str, turned: &Turned, body: &Cel, ty: Ty) -> Cel {
    let Turned { variable, by_place, .. } = turned;
    let missing = owner.missing || body.missing;
    let text = if *by_place {
        let places = format!("range(0, size({}) - 1)", owner.text);
        match name {
            // The entries at the places that pass.
            "filter" => {
                let entry = owner.index(&Cel::new(variable.clone(), Ty::Number)).text;
                format!("{places}.filter({variable}, {}).map({variable}, {entry})", body.text)
            }
            _ => format!("{places}.{name}({variable}, {})", body.text),
        }
    } else {
        format!("{}.{name}({variable}, {})", owner.owner(), body.text)
    };
    Cel { missing, ..Cel::new(text, ty) }
}
