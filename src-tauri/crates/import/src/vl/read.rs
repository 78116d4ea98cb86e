//! The foreign file as data: steps, what they point to, and what in the file is not as the format says.

use super::cannot;
use super::cel::{Names, Ty};
use crate::report::{Findings, Level};
use crate::{Options, Refused};
use serde_json::Value;
use signalbox_model::{Map, diagnostic::pointer_token};
use std::collections::{BTreeMap, HashMap, HashSet};

/// Most steps of a file.
const MOST_STEPS: usize = 10_000;
/// Most cases of a Branch, and most children of a step.
const MOST_WAYS: usize = 500;
/// Words that are no ids.
const RESERVED: [&str; 5] = ["RETURN", "BREAK", "EXIT_BRANCH", "PAUSE", "ELSE"];
/// The version by whose rules files are read.
const CURRENT: (u32, u32) = (3, 16);
/// Versions that are known.
const KNOWN: [(u32, u32); 3] = [CURRENT, (4, 0), (4, 1)];
/// Before this one expressions have no `=`.
const WITH_EQUALS: (u32, u32) = (3, 10);

/// What a step does, by the first word of its id.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Family {
    Set,
    Write,
    Llm,
    Tool,
    Api,
    Branch,
    Loop,
    Stop,
    Pause,
    Noop,
    /// Nothing here does that: why, one sentence.
    Other(&'static str),
}

/// Where a step leads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Target {
    Step(usize),
    Return,
    Break,
    Pause,
    /// No step has this id.
    Missing(String),
    /// It leads back to where the chain comes from.
    Back(usize),
    Nothing,
}

/// One case of a Branch.
#[derive(Debug, Clone)]
pub(super) struct Case {
    /// None for ELSE.
    pub(super) when: Option<Value>,
    pub(super) to: Target,
    /// The id as written.
    pub(super) name: String,
}

/// One step.
#[derive(Debug)]
pub(super) struct Step<'a> {
    pub(super) id: &'a str,
    /// Its id here.
    pub(super) node: String,
    pub(super) raw: &'a Map,
    /// JSON Pointer of the step.
    pub(super) path: String,
    pub(super) family: Family,
    pub(super) next: Target,
    pub(super) children: Vec<Target>,
    pub(super) cases: Vec<Case>,
    pub(super) on_error: Target,
    pub(super) on_timeout: Target,
    /// What cannot be read of it, one sentence each.
    pub(super) spoilt: Vec<String>,
}

impl Step<'_> {
    /// A field that says something.
    pub(super) fn get(&self, field: &str) -> Option<&Value> {
        self.raw.get(field).filter(|value| !value.is_null())
    }
    pub(super) fn text(&self, field: &str) -> Option<&str> {
        self.get(field)?.as_str()
    }
    pub(super) fn at(&self, field: &str) -> String {
        format!("{}/{field}", self.path)
    }
    fn targets_mut(&mut self) -> impl Iterator<Item = &mut Target> {
        [&mut self.next, &mut self.on_error, &mut self.on_timeout]
            .into_iter()
            .chain(&mut self.children)
            .chain(self.cases.iter_mut().map(|case| &mut case.to))
    }
    pub(super) fn targets(&self) -> impl Iterator<Item = &Target> {
        [&self.next, &self.on_error, &self.on_timeout]
            .into_iter()
            .chain(&self.children)
            .chain(self.cases.iter().map(|case| &case.to))
    }
}

/// A foreign file that was read.
pub(super) struct File<'a> {
    pub(super) version: Option<String>,
    /// Of a version whose expressions have no `=`.
    pub(super) legacy: bool,
    pub(super) name: String,
    pub(super) description: Option<&'a str>,
    pub(super) registry: Registry<'a>,
    pub(super) steps: Vec<Step<'a>>,
    /// Steps that nothing points to, in the order of the file.
    pub(super) entries: Vec<usize>,
}

/// What a file declares.
#[derive(Default)]
pub(super) struct Registry<'a> {
    pub(super) names: Names,
    /// Name, JSON Schema, needed.
    pub(super) params: Vec<(String, Value, bool)>,
    /// Name, JSON Schema.
    pub(super) vars: Vec<(String, Value)>,
    pub(super) apis: BTreeMap<&'a str, &'a Map>,
    pub(super) docs: BTreeMap<&'a str, &'a str>,
    pub(super) schemas: Option<&'a Map>,
}

/// Whether a value looks like such a file.
pub(crate) fn is_one(value: &Value) -> bool {
    let has = |field: &str| value.get(field).is_some();
    (has("steps") || has("registry")) && !has("signalbox") && !has("nodes")
}

/// Reads a file; what is not as it should be is told.
pub(super) fn read<'a>(value: &'a Value, options: &Options, found: &mut Findings) -> Result<File<'a>, Refused> {
    let Some(top) = value.as_object() else {
        return Err(cannot("", "The file is not a JSON object.", "Give a workflow file."));
    };
    let list = match top.get("steps").and_then(Value::as_array) {
        Some(list) if !list.is_empty() => list,
        _ => {
            let hint = "A workflow needs at least one step.";
            return Err(cannot("/steps", "Missing or empty steps array.", hint));
        }
    };
    if list.len() > MOST_STEPS {
        let message = format!("The file has {} steps; at most {MOST_STEPS} are read.", list.len());
        return Err(cannot("/steps", message, "Split it into several workflows that call each other."));
    }
    let (version, legacy) = version(top, found);
    let name = match top.get("name").and_then(Value::as_str).map(str::trim).filter(|name| !name.is_empty()) {
        Some(name) => name.to_owned(),
        None => {
            let hint = "It is called after its file; rename it as you like.";
            found.add(Level::Warning, "NO_NAME", None, "/name", "Missing workflow name.", hint);
            options.name.clone().unwrap_or_else(|| "Imported workflow".into())
        }
    };
    for (field, _) in top.iter().filter(|(_, value)| says(value)) {
        if !matches!(field.as_str(), "version" | "name" | "description" | "registry" | "steps" | "meta") {
            let hint =
                if field == "subflows" { "Import them as files of their own." } else { "Look whether it matters." };
            let message = format!("'{field}' of the file is not taken over.");
            let level = if field == "subflows" { Level::Missing } else { Level::Warning };
            found.add(level, "NOT_USED", None, format!("/{}", pointer_token(field)), message, hint);
        }
    }
    let registry = super::registry::read(top.get("registry"), found);
    let mut steps = steps(list, found)?;
    cut_circles(&mut steps, found);
    let mut pointed = vec![false; steps.len()];
    for target in steps.iter().flat_map(Step::targets) {
        if let Target::Step(to) | Target::Back(to) = target {
            pointed[*to] = true;
        }
    }
    let entries: Vec<usize> = (0..steps.len()).filter(|step| !pointed[*step]).collect();
    if entries.is_empty() {
        return Err(cannot(
            "/steps",
            "No entry nodes found (all nodes are referenced by others - possible cycle).",
            "Let the first step be one that no other step leads to.",
        ));
    }
    if !steps.iter().any(|step| step.family == Family::Stop) {
        let message = "No Stop_* nodes found (workflow may not terminate).";
        let hint = "It ends when nothing is left to do.";
        found.add(Level::Warning, "NO_STOP", None, "/steps", message, hint);
    }
    let description = top.get("description").and_then(Value::as_str);
    Ok(File { version, legacy, name, description, registry, steps, entries })
}

/// Whether a value says anything.
pub(super) fn says(value: &Value) -> bool {
    match value {
        Value::Null => false,
        Value::Object(all) => !all.is_empty(),
        Value::Array(all) => !all.is_empty(),
        Value::String(text) => !text.is_empty(),
        Value::Bool(_) | Value::Number(_) => true,
    }
}

fn version(top: &Map, found: &mut Findings) -> (Option<String>, bool) {
    let text = match top.get("version") {
        Some(Value::String(text)) => Some(text.trim().to_owned()),
        Some(Value::Number(number)) => Some(number.to_string()),
        _ => None,
    };
    let numbers = text.as_deref().and_then(|text| {
        let mut parts = text.trim_start_matches(['v', 'V']).split('.');
        let major: u32 = parts.next()?.parse().ok()?;
        Some((major, parts.next().unwrap_or("0").parse().ok()?))
    });
    let mut tell = |message: String, hint: &str| found.add(Level::Warning, "VERSION", None, "/version", message, hint);
    match (numbers, &text) {
        (Some(numbers), _) if KNOWN.contains(&numbers) => {}
        (Some(numbers), Some(text)) if numbers < WITH_EQUALS => tell(
            format!(
                "The file is of version {text}: its expressions have no '=', so each text is read for what it looks like."
            ),
            "Look at the texts of the steps: what is an expression there has {{ }} or begins with '=' here.",
        ),
        (Some(numbers), Some(text)) if numbers < (4, 2) => tell(
            format!("The file is of version {text}; it is read by the rules of 3.16."),
            "Nothing, if the steps look right.",
        ),
        (_, Some(text)) => tell(
            format!("The version '{text}' of the file is not known; it is read by the rules of 3.16."),
            "Look at the steps before you run it.",
        ),
        (_, None) => tell(
            "The file does not say its version; it is read by the rules of 3.16.".into(),
            "Look at the steps before you run it.",
        ),
    }
    (text, numbers.is_some_and(|numbers| numbers < WITH_EQUALS))
}

fn steps<'a>(list: &'a [Value], found: &mut Findings) -> Result<Vec<Step<'a>>, Refused> {
    let mut ids: HashMap<&str, usize> = HashMap::new();
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    let mut rows = Vec::with_capacity(list.len());
    for (at, value) in list.iter().enumerate() {
        let path = format!("/steps/{at}");
        let Some(raw) = value.as_object() else {
            return Err(cannot(
                path,
                format!("Step {} of the file is no object.", at + 1),
                "Correct it, then import again.",
            ));
        };
        let id = raw.get("id").and_then(Value::as_str).unwrap_or_default();
        if id.is_empty() || id.len() > 200 || id.chars().any(char::is_control) {
            let message = format!("Step {} of the file has no usable id.", at + 1);
            return Err(cannot(format!("{path}/id"), message, "Give each step an id of 1 to 200 letters."));
        }
        if RESERVED.contains(&id) {
            let message = format!("Step \"{id}\" has a reserved word as its id.");
            return Err(cannot(format!("{path}/id"), message, "Rename the step and what leads to it."));
        }
        *counts.entry(id).or_default() += 1;
        ids.insert(id, at);
        rows.push((id, raw, path));
    }
    let twice: Vec<String> = counts
        .iter()
        .filter(|(_, times)| **times > 1)
        .take(20)
        .map(|(id, times)| format!("Duplicate step ID: \"{id}\" ({times} times)."))
        .collect();
    if !twice.is_empty() {
        return Err(cannot("/steps", twice.join(" "), "Give each step an id of its own: a name means one step."));
    }
    let mut taken: HashMap<String, usize> = HashMap::new();
    let mut steps = Vec::with_capacity(rows.len());
    for (id, raw, path) in rows {
        let node = own_id(id, &mut taken, &path, found);
        let mut step = Step {
            id,
            node,
            raw,
            path,
            family: family(id, raw),
            next: Target::Nothing,
            children: Vec::new(),
            cases: Vec::new(),
            on_error: Target::Nothing,
            on_timeout: Target::Nothing,
            spoilt: Vec::new(),
        };
        lead(&mut step, &ids, found);
        steps.push(step);
    }
    Ok(steps)
}

/// An id that a step here may have.
fn own_id(id: &str, taken: &mut HashMap<String, usize>, path: &str, found: &mut Findings) -> String {
    let mut own: String =
        id.chars().map(|c| if c.is_ascii_alphanumeric() || c == '_' || c == '-' { c } else { '_' }).collect();
    if !own.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') {
        own.insert(0, '_');
    }
    let mut free = own.clone();
    // How often a name was wanted: the next number is not looked for anew.
    let mut n = taken.get(&own).copied().unwrap_or(0);
    while taken.contains_key(&free) {
        n += 1;
        free = format!("{own}_{}", n + 1);
    }
    taken.insert(own, n);
    taken.entry(free.clone()).or_insert(0);
    if free != id {
        let message = format!("'{id}' is called '{free}' here: ids have letters, digits, - and _ only.");
        let hint = "Checkpoints of the other program do not fit such a step.";
        found.add(Level::Warning, "ID_CHANGED", Some(id), format!("{path}/id"), message, hint);
    }
    free
}

fn family(id: &str, raw: &Map) -> Family {
    let word = |text: &str| {
        Some(match text {
            "Set" => Family::Set,
            "Write" => Family::Write,
            "LLM" => Family::Llm,
            "Tool" => Family::Tool,
            "API" => Family::Api,
            "Branch" | "Check" => Family::Branch,
            "Loop" => Family::Loop,
            "Stop" | "Done" => Family::Stop,
            "Pause" => Family::Pause,
            "Noop" | "Fork" => Family::Noop,
            "Service" => Family::Other(
                "It calls a service of the other program's own server. Call it with an HTTP request or a tool.",
            ),
            "Component" => Family::Other(
                "It shows a component of the other program's user interface. Ask a person with a form or an approval instead.",
            ),
            "Download" => Family::Other(
                "It downloads a file. Use an HTTP request that keeps the bytes, and a step that writes them.",
            ),
            "Unzip" => Family::Other("It unpacks an archive. Use a tool of a server that can do that."),
            "Actor" => Family::Other("It lets an agent of the other program work. Use an agent step."),
            "Subflow" | "ChildRun" | "SpawnChildRun" => {
                Family::Other("It runs another workflow. Import that one, too, and use a sub-workflow step.")
            }
            _ => return None,
        })
    };
    let prefix = id.split('_').next().unwrap_or_default();
    let named = raw.get("type").and_then(Value::as_str).and_then(word);
    word(prefix).or(named).unwrap_or(Family::Other("No kind of step is known whose ids begin like that."))
}

fn lead(step: &mut Step<'_>, ids: &HashMap<&str, usize>, found: &mut Findings) {
    let to = |text: &str| match text {
        "RETURN" => Target::Return,
        "BREAK" => Target::Break,
        "PAUSE" => Target::Pause,
        "EXIT_BRANCH" => Target::Return,
        id => ids.get(id).map_or_else(|| Target::Missing(id.to_owned()), |at| Target::Step(*at)),
    };
    let mut spoilt = Vec::new();
    let mut wrong = |field: &str, what: &str| {
        let message = format!("Step \"{}\" has a '{field}' that is no {what}.", step.id);
        let path = format!("{}/{field}", step.path);
        found.add(Level::Problem, "BAD_FIELD", Some(step.id), path, message.clone(), "Correct it in the foreign file.");
        spoilt.push(message);
    };
    let one = |field: &str, wrong: &mut dyn FnMut(&str, &str)| match step.raw.get(field) {
        None | Some(Value::Null) => Target::Nothing,
        Some(Value::String(text)) => to(text),
        Some(_) => {
            wrong(field, "id of a step");
            Target::Nothing
        }
    };
    let next = one("next", &mut wrong);
    let on_error = one("onError", &mut wrong);
    let on_timeout = match step.raw.get("timeout").and_then(|timeout| timeout.get("on")) {
        Some(Value::String(text)) => to(text),
        _ => Target::Nothing,
    };
    let mut children = Vec::new();
    match step.raw.get("children") {
        None | Some(Value::Null) => {}
        Some(Value::Array(list)) => {
            children.extend(list.iter().filter_map(Value::as_str).map(to));
            if list.iter().any(|child| !child.is_string()) {
                wrong("children", "list of ids of steps");
            }
        }
        Some(_) => wrong("children", "list of ids of steps"),
    }
    let hint = "Use a loop, or split it into several steps.";
    few(step, "children", &mut children, hint, &mut spoilt, found);
    let cases = match step.raw.get("cases") {
        None | Some(Value::Null) => Vec::new(),
        Some(value) => cases(step, value, &to, &mut spoilt, found),
    };
    let mut missing = |target: &Target, field: &str| {
        if let Target::Missing(id) = target {
            let message = format!("Step \"{}\" references unknown {field}: \"{id}\".", step.id);
            let hint = "A placeholder replaces its target; connect it to an existing step.";
            found.add(Level::Problem, "UNKNOWN_STEP", Some(step.id), step.at(field), message, hint);
        }
    };
    missing(&next, "next");
    missing(&on_error, "onError");
    missing(&on_timeout, "timeout");
    children.iter().for_each(|child| missing(child, "children"));
    cases.iter().for_each(|case| missing(&case.to, "cases"));
    let text = step.text("next");
    let mut warn = |code: &str, field: &str, message: String, hint: &str| {
        found.add(Level::Warning, code, Some(step.id), step.at(field), message, hint);
    };
    match (step.family, &next) {
        (Family::Stop, Target::Nothing) => {}
        (Family::Stop, _) => {
            let message = format!("Stop node \"{}\" cannot have \"next\".", step.id);
            warn("STOP_WITH_NEXT", "next", message, "It ends the run, and what follows it is left out.");
        }
        (_, Target::Nothing) => {
            let message = format!("Step \"{}\" has no 'next'; it is read as RETURN.", step.id);
            warn("MISSING_NEXT", "next", message, "Wire it on if something should follow.");
        }
        (_, Target::Pause) => {
            let message = format!("Step \"{}\" leads to PAUSE, which is no step; a pause follows it.", step.id);
            warn("NEXT_PAUSE", "next", message, "Wire on what should follow the pause.");
        }
        (_, Target::Return) if text == Some("EXIT_BRANCH") => {
            let message = format!("Step \"{}\" leads to EXIT_BRANCH; it is read as RETURN.", step.id);
            warn("EXIT_BRANCH", "next", message, "Nothing, if its branch should end there.");
        }
        _ => {}
    }
    step.next = if step.family == Family::Stop { Target::Nothing } else { next };
    (step.on_error, step.on_timeout, step.children, step.cases) = (on_error, on_timeout, children, cases);
    step.spoilt = spoilt;
}

/// Takes what is too many off the ways of a step, and tells it.
fn few<T>(step: &Step<'_>, field: &str, ways: &mut Vec<T>, hint: &str, spoilt: &mut Vec<String>, found: &mut Findings) {
    if ways.len() <= MOST_WAYS {
        return;
    }
    let message = format!("\"{}\" has {} {field}; at most {MOST_WAYS} are read.", step.id, ways.len());
    found.add(Level::Problem, "TOO_MANY", Some(step.id), step.at(field), message.clone(), hint);
    spoilt.push(message);
    ways.truncate(MOST_WAYS);
}

/// Pairs of condition and id; other shapes that are met are read, too.
fn cases(
    step: &Step<'_>,
    value: &Value,
    to: &dyn Fn(&str) -> Target,
    spoilt: &mut Vec<String>,
    found: &mut Findings,
) -> Vec<Case> {
    let when_of = |object: &Map| {
        ["when", "if", "condition", "expr", "case"].into_iter().find_map(|field| object.get(field).cloned())
    };
    let id_of = |value: &Value| match value {
        Value::String(text) => Some(text.clone()),
        Value::Object(object) => ["next", "target", "then", "step"]
            .into_iter()
            .find_map(|field| object.get(field).and_then(Value::as_str).map(str::to_owned)),
        _ => None,
    };
    let mut rows: Vec<(String, Option<Value>, Option<String>)> = Vec::new();
    let mut objects = false;
    match value {
        Value::Array(list) => {
            for (at, case) in list.iter().enumerate() {
                let path = format!("{}/cases/{at}", step.path);
                match case {
                    Value::Array(pair) if pair.len() == 2 => rows.push((path, pair.first().cloned(), id_of(&pair[1]))),
                    Value::Object(object) => {
                        objects = true;
                        let otherwise = object.contains_key("else") || object.contains_key("default");
                        let when = when_of(object).or_else(|| otherwise.then(|| "ELSE".into()));
                        let id = id_of(case).or_else(|| object.get("else").or(object.get("default")).and_then(id_of));
                        rows.push((path, when, id));
                    }
                    _ => rows.push((path, None, None)),
                }
            }
        }
        Value::Object(map) => {
            objects = true;
            for (key, case) in map {
                let path = format!("{}/cases/{}", step.path, pointer_token(key));
                let when = case.as_object().and_then(when_of).unwrap_or_else(|| Value::String(key.clone()));
                rows.push((path, Some(when), id_of(case)));
            }
        }
        _ => rows.push((step.at("cases"), None, None)),
    }
    few(step, "cases", &mut rows, "Split it into several steps.", spoilt, found);
    if objects {
        let message =
            format!("The cases of \"{}\" are objects; they are read as pairs of condition and step.", step.id);
        let hint = "Look whether the conditions and their order are right.";
        found.add(Level::Warning, "CASES_AS_OBJECTS", Some(step.id), step.at("cases"), message, hint);
    }
    let mut cases = Vec::new();
    for (path, when, name) in rows {
        let (Some(when), Some(name)) = (when, name) else {
            let message = format!("A case of \"{}\" is no pair of condition and step.", step.id);
            let hint = "Correct it in the foreign file: [\"=condition\", \"Step_id\"].";
            found.add(Level::Problem, "BAD_CASE", Some(step.id), path, message.clone(), hint);
            spoilt.push(message);
            continue;
        };
        let otherwise = when.as_str().is_some_and(|text| {
            let text = text.trim();
            text == "ELSE" || (objects && text.eq_ignore_ascii_case("default"))
        });
        cases.push(Case { when: (!otherwise).then_some(when), to: to(&name), name });
    }
    cases
}

/// A chain that leads back to a step on the way to it would never end here: the way back is cut, visibly.
fn cut_circles(steps: &mut [Step<'_>], found: &mut Findings) {
    #[derive(Clone, Copy, PartialEq)]
    enum Seen {
        No,
        Open,
        Done,
    }
    let mut seen = vec![Seen::No; steps.len()];
    let mut back: HashSet<(usize, usize)> = HashSet::new();
    for start in 0..steps.len() {
        if seen[start] != Seen::No {
            continue;
        }
        let leads = |step: &Step<'_>| -> Vec<usize> {
            let to = |target: &Target| if let Target::Step(to) = target { Some(*to) } else { None };
            step.targets().filter_map(to).collect()
        };
        seen[start] = Seen::Open;
        let mut way = vec![(start, leads(&steps[start]))];
        while let Some((step, open)) = way.last_mut() {
            match open.pop() {
                None => {
                    seen[*step] = Seen::Done;
                    way.pop();
                }
                Some(to) => match seen[to] {
                    Seen::No => {
                        seen[to] = Seen::Open;
                        way.push((to, leads(&steps[to])));
                    }
                    Seen::Open => drop(back.insert((*step, to))),
                    Seen::Done => {}
                },
            }
        }
    }
    for (from, to) in &back.iter().copied().collect::<std::collections::BTreeSet<_>>() {
        let name = steps[*to].id;
        let step = &mut steps[*from];
        let message = format!("Step \"{}\" leads back to \"{name}\", which would never end.", step.id);
        let hint = "A placeholder replaces it; repeat steps with a loop, or a failing call with a retry policy.";
        found.add(Level::Problem, "CIRCLE", Some(step.id), step.path.clone(), message, hint);
        for target in step.targets_mut().filter(|target| **target == Target::Step(*to)) {
            *target = Target::Back(*to);
        }
    }
}

/// The JSON Schema of a declared type, and what is known of its values.
pub(super) fn type_of(text: &str) -> (Value, Ty) {
    use serde_json::json;
    let text = text.trim();
    if text.starts_with('[') {
        return (json!({ "type": "array" }), Ty::List);
    }
    match text.to_ascii_uppercase().as_str() {
        "STRING" | "TEXT" => (json!({ "type": "string" }), Ty::Text),
        "INT" | "INTEGER" | "LONG" => (json!({ "type": "integer" }), Ty::Number),
        "FLOAT" | "DOUBLE" | "NUMBER" | "DECIMAL" => (json!({ "type": "number" }), Ty::Number),
        "OBJECT" => (json!({}), Ty::Object),
        "BOOL" | "BOOLEAN" => (json!({ "type": "boolean" }), Ty::Bool),
        _ => (json!({}), Ty::Any),
    }
}
