//! Whatever the steps of a foreign file are called, each reference to one leads to the step under its id here. References are
//! found by the marks of the schema (`x-ref`, ADR 89), so that none is forgotten that a later import may write.

use proptest::prelude::*;
use serde_json::{Value, json};
use signalbox_engine::expr::{Expr, value_refs};
use signalbox_import::{Options, import};
use signalbox_model::Workflow;
use std::collections::{BTreeSet, HashMap};

/// Where a step is named, and which.
type Named = BTreeSet<(String, String)>;

/// What the schemas say of a file: where it names steps.
struct Marks {
    file: Value,
    kinds: HashMap<String, Value>,
}

impl Marks {
    fn new() -> Self {
        let kinds = signalbox_nodes::catalog().into_iter().map(|kind| (kind.kind, kind.config)).collect();
        Self { file: json!(schemars::schema_for!(Workflow)), kinds }
    }

    fn of(&self, document: &Value) -> Named {
        let mut out = Named::new();
        self.walk(&self.file, document, "", "", &mut out);
        out
    }

    fn walk(&self, schema: &Value, value: &Value, at: &str, kind: &str, out: &mut Named) {
        if let Some(name) = schema["$ref"].as_str().and_then(|name| name.strip_prefix("#/$defs/")) {
            self.walk(&self.file["$defs"][name], value, at, kind, out);
        }
        for variants in ["anyOf", "oneOf", "allOf"] {
            for variant in schema[variants].as_array().into_iter().flatten() {
                self.walk(variant, value, at, kind, out);
            }
        }
        let kind = value["type"].as_str().unwrap_or(kind);
        for (name, one, below) in parts(schema, value) {
            if below.is_object() {
                self.walk(below, one, &format!("{at}/{name}"), kind, out);
            }
        }
        if let Some(word) = schema["x-ref"].as_str() {
            self.take(word, value, at, kind, out);
        }
        for (pattern, word) in schema["x-refs"].as_object().into_iter().flatten() {
            self.below(&pattern.split('/').collect::<Vec<_>>(), word.as_str().expect("a word"), value, at, out);
        }
    }

    fn below(&self, pattern: &[&str], word: &str, value: &Value, at: &str, out: &mut Named) {
        let Some((step, rest)) = pattern.split_first() else { return self.take(word, value, at, "", out) };
        for (name, one, _) in parts(&Value::Null, value) {
            if *step == "*" || *step == name {
                self.below(rest, word, one, &format!("{at}/{name}"), out);
            }
        }
    }

    fn take(&self, word: &str, value: &Value, at: &str, kind: &str, out: &mut Named) {
        let nodes = |expr: Expr| expr.references().nodes.clone();
        let ids = match (word, value) {
            ("step-keys", Value::Object(fields)) => fields.keys().cloned().collect(),
            ("step", Value::String(id)) => vec![id.clone()],
            ("port", Value::String(port)) => vec![port.split('.').next().unwrap_or_default().to_owned()],
            ("cel", Value::String(text)) => nodes(Expr::compile(text).expect(text)),
            ("value", _) => value_refs(value).into_iter().flat_map(|(_, expr)| nodes(expr.expect(at))).collect(),
            ("config", _) => match self.kinds.get(kind) {
                Some(schema) => return self.config(schema, value, at, out),
                None => Vec::new(),
            },
            _ => Vec::new(),
        };
        out.extend(ids.into_iter().map(|id| (at.to_owned(), id)));
    }

    fn config(&self, schema: &Value, value: &Value, at: &str, out: &mut Named) {
        if let Some(word) = schema["x-ref"].as_str() {
            return self.take(word, value, at, "", out);
        }
        match value {
            _ if schema["x-raw"] == json!(true) => {}
            Value::String(_) if schema["x-cel"] == json!(true) => self.take("cel", value, at, "", out),
            Value::String(_) => self.take("value", value, at, "", out),
            _ => parts(schema, value)
                .into_iter()
                .for_each(|(name, one, below)| self.config(below, one, &format!("{at}/{name}"), out)),
        }
    }
}

/// What stands in a value, with its name and what a schema says of it.
fn parts<'a>(schema: &'a Value, value: &'a Value) -> Vec<(String, &'a Value, &'a Value)> {
    match value {
        Value::Object(fields) => {
            let of = |name: &str| schema["properties"].get(name).unwrap_or(&schema["additionalProperties"]);
            fields.iter().map(|(name, one)| (name.clone(), one, of(name))).collect()
        }
        Value::Array(list) => {
            list.iter().enumerate().map(|(at, one)| (at.to_string(), one, &schema["items"])).collect()
        }
        _ => Vec::new(),
    }
}

/// An id as it may be here.
fn plain(id: &str) -> String {
    id.chars().map(|c| if c.is_ascii_alphanumeric() || c == '_' || c == '-' { c } else { '_' }).collect()
}

/// One step: what it does, how its id ends, and picks of where it leads.
#[derive(Debug, Clone)]
struct Shape {
    family: &'static str,
    ending: String,
    picks: [usize; 6],
}

fn shape() -> impl Strategy<Value = Shape> {
    let families = vec!["Set", "Write", "Tool", "LLM", "Branch", "Loop", "Noop", "Pause", "Service"];
    let letters = vec![' ', '.', '/', '-', '\'', '"', '[', ']', 'ü', '日', '_', 'a', '{', '}', '\\', '~', '$', '='];
    let ending = prop::collection::vec(prop::sample::select(letters), 0..5).prop_map(String::from_iter);
    (prop::sample::select(families), ending, any::<[usize; 6]>()).prop_map(|(family, ending, picks)| Shape {
        family,
        ending,
        picks,
    })
}

/// A file of such steps, where each leads to later ones.
fn file(shapes: &[Shape], named: &dyn Fn(&str) -> String) -> Value {
    let id = |at: usize| match shapes.get(at) {
        Some(shape) => named(&format!("{}_{at:03}{}", shape.family, shape.ending)),
        None => named("Stop_999 end"),
    };
    let later = |at: usize, pick: usize| match (pick % 4, shapes.len() - at) {
        (0, _) => "RETURN".to_owned(),
        (_, left) => id(at + 1 + pick / 4 % left),
    };
    let mut steps: Vec<Value> = shapes
        .iter()
        .enumerate()
        .map(|(at, shape)| {
            let [next, error, one, two, three, more] = shape.picks;
            let mut step = json!({ "id": id(at), "next": later(at, next) });
            if more % 2 == 0 {
                step["onError"] = json!(later(at, error));
            }
            let fields = match shape.family {
                "Set" => json!({ "target": "$n", "value": "=1" }),
                "Write" => json!({ "path": "/a.txt", "content": "{{$n}}" }),
                "Tool" => json!({ "tool": "read", "in": { "path": "=$text" }, "out": { "/{=$n}.json": "=_result.a", "$any": "=_result" } }),
                "LLM" => json!({ "prompt": "Say {{$n}}", "out": { "/said-{=$n}.txt": "=_result" }, "children": [later(at, one)] }),
                "Branch" => json!({ "cases": [["=$n > 1", later(at, one)], ["=$n > 2", later(at, two)], ["ELSE", later(at, three)]] }),
                "Loop" => json!({ "mode": "serial", "source": "=rows", "children": [later(at, one), later(at, two)] }),
                "Pause" => json!({ "resumeResultTarget": "$any", "timeout": { "sec": 5, "on": later(at, one) } }),
                _ => json!({}),
            };
            step.as_object_mut().expect("a step").extend(fields.as_object().expect("fields").clone());
            step
        })
        .collect();
    steps.push(json!({ "id": id(shapes.len()), "reason": "done" }));
    json!({
        "version": "3.16", "name": "Test",
        "registry": { "params": ["rows([OBJECT])"], "vars": ["$n(INT)", "$text(STRING)", "$any(OBJECT)"] },
        "steps": steps,
    })
}

fn imported(file: &Value) -> Value {
    let made = import(&file.to_string(), &Options::default()).unwrap_or_else(|refused| panic!("{refused}"));
    json!(made.workflow)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, ..ProptestConfig::default() })]

    #[test]
    fn every_reference_leads_to_the_step_under_its_new_id(shapes in prop::collection::vec(shape(), 1..7)) {
        let marks = Marks::new();
        let odd = imported(&file(&shapes, &str::to_owned));
        let named = marks.of(&odd);
        for (at, id) in &named {
            prop_assert!(odd["nodes"].get(id).is_some(), "{at} names {id:?}, which is no step: {odd}");
        }
        // The same file with ids that need no change gives the same references, at the same places.
        prop_assert_eq!(&named, &marks.of(&imported(&file(&shapes, &plain))));
    }
}

/// The property is about something: the marks find wires, frames and expressions, under ids that were changed.
#[test]
fn references_of_each_kind_are_found() {
    let shape = |family, ending: &str, picks| Shape { family, ending: ending.into(), picks };
    let shapes = [
        shape("Loop", " each/row", [5, 0, 1, 5, 0, 0]),
        shape("Tool", " Read.File", [1, 1, 0, 0, 0, 0]),
        shape("Pause", " 日", [1, 0, 1, 0, 0, 1]),
    ];
    let document = imported(&file(&shapes, &str::to_owned));
    let named = Marks::new().of(&document);
    let has = |at: &str, id: &str| named.iter().any(|(place, name)| place.contains(at) && name == id);
    assert!(has("/edges/", "Pause_002__"), "{named:?}");
    assert!(has("/parent", "Loop_000_each_row"), "{named:?}");
    assert!(has("/config/content", "Tool_001_Read_File"), "{named:?}");
}
