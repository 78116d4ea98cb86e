//! Checkpoints of source 003 (`vl_workflow_checkpoint`, K-30): read, checked against a workflow, and made the beginning of
//! a run. A run begins there as a re-run begins at a step: [`crate::Input::Rerun`]. Everything wrong is told before it does.

use crate::{compiled::Compiled, fold, prepare, rerun::Rerun, until::outermost};
use serde_json::Value;
use signalbox_model::{
    Item, Map, Role,
    base::{Base, Begun, Foreign, ImportedFrom},
    diagnostic::pointer_token,
    event::WorkflowStart,
};
use std::collections::BTreeMap;
use std::sync::Arc;

/// What such a checkpoint says it is.
pub const TYPE: &str = "vl_workflow_checkpoint";
/// The newest version that is read.
const NEWEST: u64 = 3;
/// Iterations that no loop exceeds.
const MOST_ITERATIONS: u64 = 1_000_000;
/// Local variables that a run binds itself.
const BOUND: [&str; 5] = ["_result", "_meta", "_toolResult", "_item", "_index"];
/// Fields that say what a run here finds out itself.
const NOT_NEEDED: [&str; 3] = ["status", "eventSeq", "version"];

/// Why nothing can be made of a file of another program: a checkpoint, or a workflow.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct Refused {
    /// The code that a host shows and decides by.
    pub code: &'static str,
    /// Where in the file: a JSON Pointer.
    pub path: String,
    /// What is wrong, in sentences.
    pub message: String,
    /// What a person does next.
    pub hint: String,
}

fn refused(code: &'static str, path: impl Into<String>, what: String, hint: impl Into<String>) -> Refused {
    Refused { code, path: path.into(), message: format!("{what}."), hint: hint.into() }
}

fn bad(path: &str, wanted: &str, found: &Value) -> Refused {
    let kind = match found {
        Value::Null => "null",
        Value::Bool(_) => "true or false",
        Value::Number(_) => "a number that does not fit",
        Value::String(_) => "a text",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    };
    let message = format!("{path} of the checkpoint is {kind}; it needs {wanted}");
    refused("BAD_CHECKPOINT", path, message, "Use the file as the other program wrote it, or correct this place.")
}

/// A checkpoint that was read; whether it fits a workflow says [`Checkpoint::begin`].
#[derive(Debug, Clone, PartialEq)]
pub struct Checkpoint {
    source: ImportedFrom,
    current: String,
    /// The run's input.
    pub params: Map,
    variables: Map,
    /// Variable → where it stands in the checkpoint; none of those that somebody changed.
    places: BTreeMap<String, String>,
    item: Option<Value>,
    /// Somebody gave the item.
    item_given: bool,
    completed: Vec<String>,
    branches: Vec<(String, Vec<String>)>,
    progress: Vec<(String, usize)>,
    ended: Vec<(String, Vec<usize>)>,
}

/// Reads a checkpoint of version 1, 2 or 3, or a minimal `{currentStepID, params, variables}` (C-14).
pub fn read(value: &Value) -> Result<Checkpoint, Refused> {
    let all = value.as_object().ok_or_else(|| {
        let hint = "Give a checkpoint, or at least {\"currentStepID\": \"STEP\"}.";
        refused("NOT_A_CHECKPOINT", "", "The checkpoint is not a JSON object".into(), hint)
    })?;
    let kind = text(all, "_type")?.unwrap_or_else(|| TYPE.to_owned());
    if kind != TYPE {
        let (message, hint) = if kind == "signalbox_checkpoint" {
            (
                "This is a checkpoint of Signalbox, which only says where a run stands",
                "Its run goes on with `signalbox resume RUN`, or begins again with `signalbox rerun RUN --from STEP`.",
            )
        } else {
            ("The file says that it is something else", "Give a file with \"_type\": \"vl_workflow_checkpoint\".")
        };
        return Err(refused("NOT_A_CHECKPOINT", "/_type", format!("{message} ('{kind}')"), hint));
    }
    let version = match all.get("_version") {
        None => 2,
        Some(found) => {
            found.as_u64().filter(|n| *n > 0).ok_or_else(|| bad("/_version", "a whole number from 1", found))?
        }
    };
    if version > NEWEST {
        let message = format!("The checkpoint has version {version}; this program reads versions 1 to {NEWEST}");
        return Err(refused(
            "NEWER_VERSION",
            "/_version",
            message,
            "Use a newer release of Signalbox, or an older checkpoint.",
        ));
    }
    let current = text(all, "currentStepID")?.filter(|step| !step.is_empty()).ok_or_else(|| {
        let hint = "Name the step that is to run next in `currentStepID`.";
        refused("BAD_CHECKPOINT", "/currentStepID", "The checkpoint names no step to begin at".into(), hint)
    })?;
    let mut left_out = Vec::new();
    for (field, _) in all.iter().filter(|(_, found)| says(found)) {
        match field.as_str() {
            "_type" | "_version" | "currentStepID" | "params" | "variables" | "localVars" | "completedSteps"
            | "completedBranches" | "loopProgress" | "loopState" | "createdAt" | "workflowID" | "runID" | "runId"
            | "paramTypes" | "varTypes" => {}
            known if NOT_NEEDED.contains(&known) => {}
            other => left_out.push(format!("/{}", pointer_token(other))),
        }
    }
    for field in ["status", "version"] {
        text(all, field)?;
    }
    if let Some(found) = all.get("eventSeq").filter(|found| found.as_u64().is_none()) {
        return Err(bad("/eventSeq", "a whole number", found));
    }
    for field in ["paramTypes", "varTypes", "artifacts"] {
        for (name, found) in object(all, field)? {
            found.as_str().ok_or_else(|| bad(&format!("/{field}/{}", pointer_token(&name)), "a text", &found))?;
        }
    }
    let (mut variables, mut places) = (Map::new(), BTreeMap::new());
    for (name, found) in object(all, "variables")? {
        let plain = name.strip_prefix('$').unwrap_or(&name);
        let place = format!("/variables/{}", pointer_token(&name));
        places.insert(plain.to_owned(), place.clone());
        if plain.is_empty() || variables.insert(plain.to_owned(), found).is_some() {
            let message = format!("The variable '{name}' has no name, or stands twice, with and without '$'");
            return Err(refused("BAD_VARIABLE", place, message, "Give each variable one name and one value."));
        }
    }
    let mut item = None;
    for (name, found) in object(all, "localVars")? {
        let place = format!("/localVars/{}", pointer_token(&name));
        if name == "_result" {
            item = Some(found).filter(|found| !found.is_null());
        } else if BOUND.contains(&name.as_str()) {
            left_out.push(place);
        } else if variables.contains_key(&name) {
            let message = format!("'{name}' is a variable and a local variable");
            return Err(refused(
                "BAD_VARIABLE",
                place,
                message,
                "Remove one of the two: a run has one variable of a name.",
            ));
        } else {
            places.insert(name.clone(), place);
            variables.insert(name, found);
        }
    }
    // Version 1 has no state of parallel steps and loops: everything in them runs again (C-05).
    let (mut branches, mut progress, mut ended) = (Vec::new(), Vec::new(), Vec::new());
    if version > 1 {
        for (step, found) in object(all, "completedBranches")? {
            let names = strings(&format!("/completedBranches/{}", pointer_token(&step)), &found)?;
            branches.push((step, names));
        }
        for (step, found) in object(all, "loopProgress")? {
            let path = format!("/loopProgress/{}", pointer_token(&step));
            progress.push((step, count(&path, &found)?));
        }
        for (step, found) in object(all, "loopState")? {
            let path = format!("/loopState/{}/completed", pointer_token(&step));
            let list = found.get("completed").unwrap_or(&Value::Null);
            let list = list.as_array().ok_or_else(|| bad(&path, "a list of the iterations that ended", list))?;
            let indexes = list.iter().enumerate().map(|(at, found)| count(&format!("{path}/{at}"), found));
            let mut indexes: Vec<usize> = indexes.collect::<Result<_, _>>()?;
            indexes.sort_unstable();
            indexes.dedup();
            ended.push((step, indexes));
        }
    } else {
        let maps = ["completedBranches", "loopProgress", "loopState"];
        left_out.extend(maps.into_iter().filter(|map| all.get(*map).is_some_and(says)).map(|map| format!("/{map}")));
    }
    let run_id = [text(all, "workflowID")?, text(all, "runID")?, text(all, "runId")?].into_iter().flatten().next();
    let completed =
        all.get("completedSteps").map_or_else(|| Ok(Vec::new()), |found| strings("/completedSteps", found))?;
    Ok(Checkpoint {
        source: ImportedFrom { kind, version, run_id, created_at: text(all, "createdAt")?, left_out },
        current,
        params: object(all, "params")?,
        variables,
        places,
        item,
        item_given: false,
        completed,
        branches,
        progress,
        ended,
    })
}

/// Not empty.
fn says(found: &Value) -> bool {
    match found {
        Value::Null => false,
        Value::Object(all) => !all.is_empty(),
        Value::Array(all) => !all.is_empty(),
        Value::Bool(_) | Value::Number(_) | Value::String(_) => true,
    }
}

fn text(all: &Map, field: &str) -> Result<Option<String>, Refused> {
    match all.get(field) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) => Ok(Some(text.clone())),
        Some(other) => Err(bad(&format!("/{field}"), "a text", other)),
    }
}

fn object(all: &Map, field: &str) -> Result<Map, Refused> {
    match all.get(field) {
        None | Some(Value::Null) => Ok(Map::new()),
        Some(Value::Object(found)) => Ok(found.clone()),
        Some(other) => Err(bad(&format!("/{field}"), "an object", other)),
    }
}

fn strings(path: &str, found: &Value) -> Result<Vec<String>, Refused> {
    let list = found.as_array().ok_or_else(|| bad(path, "a list of ids of steps", found))?;
    let one = |(at, found): (usize, &Value)| {
        found.as_str().map(str::to_owned).ok_or_else(|| bad(&format!("{path}/{at}"), "the id of a step", found))
    };
    list.iter().enumerate().map(one).collect()
}

fn count(path: &str, found: &Value) -> Result<usize, Refused> {
    let number = found.as_u64().filter(|number| *number <= MOST_ITERATIONS);
    number
        .and_then(|number| usize::try_from(number).ok())
        .ok_or_else(|| bad(path, &format!("a whole number up to {MOST_ITERATIONS}"), found))
}

impl Checkpoint {
    /// Fields that are not taken over, as JSON Pointers.
    pub fn left_out(&self) -> &[String] {
        &self.source.left_out
    }

    /// Puts other values in their places (C-13): `$name` is a variable, `_name` a local one, `name` a param.
    pub fn override_with(&mut self, overrides: Map) -> Result<(), Refused> {
        for (name, value) in overrides {
            if name == "_result" {
                (self.item, self.item_given) = (Some(value), true);
            } else if BOUND.contains(&name.as_str()) {
                let message = format!("'{name}' is bound by the steps themselves");
                return Err(refused("BAD_VARIABLE", "", message, "Change a variable, a param or `_result`."));
            } else if let Some(variable) = name.strip_prefix('$') {
                if variable.is_empty() {
                    return Err(refused("BAD_VARIABLE", "", "'$' names no variable".into(), "Write $name."));
                }
                self.places.remove(variable);
                self.variables.insert(variable.to_owned(), value);
            } else if name.starts_with('_') {
                self.places.remove(&name);
                self.variables.insert(name, value);
            } else {
                self.params.insert(name, value);
            }
        }
        Ok(())
    }

    /// The beginning of a run of this workflow with these params: complete, and found to fit.
    pub fn begin(self, compiled: &Compiled, params: Value) -> Result<Rerun, Refused> {
        let known = |path: String, step: &str| {
            compiled.node_index(step).ok_or_else(|| {
                let message = format!("The workflow has no step '{step}', which the checkpoint says has run");
                refused(
                    "OTHER_WORKFLOW",
                    path,
                    message,
                    "The checkpoint is of another workflow, or of another version of it: give that one.",
                )
            })
        };
        let current = compiled.node_index(&self.current).ok_or_else(|| {
            let steps: Vec<&str> = compiled.workflow.nodes.keys().take(20).map(String::as_str).collect();
            let message = format!("The workflow has no step '{}', where the checkpoint begins", self.current);
            refused("UNKNOWN_STEP", "/currentStepID", message, format!("It has: {}.", steps.join(", ")))
        })?;
        for (at, step) in self.completed.iter().enumerate() {
            known(format!("/completedSteps/{at}"), step)?;
        }
        for (field, steps) in [
            ("completedBranches", self.branches.iter().map(|(step, _)| step).collect::<Vec<_>>()),
            ("loopProgress", self.progress.iter().map(|(step, _)| step).collect()),
            ("loopState", self.ended.iter().map(|(step, _)| step).collect()),
        ] {
            for step in steps {
                known(format!("/{field}/{}", pointer_token(step)), step)?;
            }
        }
        // What was under way in a container begins again with it (C-19).
        let start = outermost(compiled, current);
        if compiled.nodes[start].recovery.is_some() || compiled.abort_region[start] {
            let message = format!("The step '{}' only works on failures of other steps", compiled.node_id(start));
            return Err(refused(
                "STEP_NOT_A_START",
                "/currentStepID",
                message,
                "Begin at the step whose failure it worked on.",
            ));
        }
        for (name, value) in &self.variables {
            compiled.fits_context(name, value).map_err(|why| {
                let message = format!("${name}: {why}");
                refused(
                    "BAD_VARIABLE",
                    self.places.get(name).cloned().unwrap_or_default(),
                    message,
                    "Give a value that fits the context of the workflow.",
                )
            })?;
        }
        let id = compiled.node_id(start);
        let branches =
            self.branches.into_iter().find(|(step, _)| step == id).map(|(_, names)| names).unwrap_or_default();
        let possible = first_steps(compiled, start);
        if let Some(other) = branches.iter().find(|name| !possible.contains(&name.as_str())) {
            let message = format!("The step '{id}' has no branch that begins with '{other}'");
            let hint = format!("Its branches begin with: {}.", possible.join(", "));
            return Err(refused("OTHER_WORKFLOW", format!("/completedBranches/{}", pointer_token(id)), message, hint));
        }
        let entry = compiled.regions.first().is_some_and(|top| top.entries.contains(&start));
        let params = Arc::new(params);
        let mut source = self.source;
        let item = match self.item {
            Some(item) if !entry => Arc::new(item),
            Some(_) if self.item_given => {
                let message = format!("The step '{id}' begins the workflow: its item is the run's input");
                return Err(refused("BAD_VARIABLE", "", message, "Change params instead of `_result`."));
            }
            Some(_) => {
                source.left_out.push("/localVars/_result".into());
                Arc::clone(&params)
            }
            None => Arc::clone(&params),
        };
        // Only the loop that the run begins with goes on where it was; others begin anew, unless they had ended.
        let others = |step: &String| step != id && !self.completed.contains(step);
        let progress = self.progress.iter().filter(|(step, done)| *done > 0 && others(step));
        let ended = self.ended.iter().filter(|(step, done)| !done.is_empty() && others(step));
        let place = |map: &str, step: &str| format!("/{map}/{}", pointer_token(step));
        source.left_out.extend(progress.map(|(step, _)| place("loopProgress", step)));
        source.left_out.extend(ended.map(|(step, _)| place("loopState", step)));
        let foreign = Foreign {
            source,
            step: id.to_owned(),
            item: Arc::clone(&item),
            completed: self.completed,
            branches,
            iterations: self.progress.iter().find(|(step, _)| step == id).map_or(0, |(_, done)| *done),
            ended: self.ended.into_iter().find(|(step, _)| step == id).map(|(_, done)| done).unwrap_or_default(),
        };
        let mut context = compiled.workflow.initial_context();
        context.extend(self.variables);
        let input = vec![Item { id: "1".into(), data: item, binary: None, error: None, paired_item: None }];
        let begun = Begun { step: id.to_owned(), input, context: Map::new() };
        let begun = if fold::imported_checkpoint::begins(compiled, start, &foreign) { vec![begun] } else { Vec::new() };
        let base = Base { given: context.clone(), begun, foreign: Some(Box::new(foreign)), ..Base::default() };
        let mut rerun = Rerun { params, context, from: id.to_owned(), until: None, parent: None, base_seq: None, base };
        if let Some((config, total)) = loop_of(compiled, start, &rerun)
            && let Some(foreign) = &mut rerun.base.foreign
        {
            let many = Some(foreign.iterations).filter(|done| *done > total);
            let one = foreign.ended.iter().find(|index| **index >= total);
            let beyond = many.map(|done| ("loopProgress", format!("{done} iterations of '{id}' have ended")));
            let beyond = beyond.or(one.map(|index| ("loopState", format!("iteration {index} of '{id}' has ended"))));
            if let Some((place, what)) = beyond {
                let message = format!("The checkpoint says that {what}, and its list has {total} elements here");
                let hint = "The checkpoint is of another list: give the params and variables that it was made with, or leave this out.";
                return Err(refused("OTHER_WORKFLOW", format!("/{place}/{}", pointer_token(id)), message, hint));
            }
            // Of a parallel loop that is not the whole of it the number names no iteration: it counts for nothing.
            let counted = fold::imported_checkpoint::counted(&config, total, foreign.iterations);
            if counted == 0 && foreign.iterations > 0 {
                foreign.source.left_out.push(format!("/loopProgress/{}", pointer_token(id)));
            }
            foreign.iterations = counted;
        }
        Ok(rerun)
    }
}

/// With which settings a loop begins whose iterations have ended in part, and how long its list is: the state that the run
/// begins with says it.
fn loop_of(compiled: &Compiled, start: usize, rerun: &Rerun) -> Option<(Arc<Value>, usize)> {
    let ended = rerun.base.foreign.as_ref().is_some_and(|known| known.iterations > 0 || !known.ended.is_empty());
    if !ended || compiled.nodes[start].role != Role::Loop {
        return None;
    }
    let begins = WorkflowStart {
        name: compiled.workflow.name.clone(),
        version: compiled.definition_hash.clone(),
        params: Arc::clone(&rerun.params),
        seed: String::new(),
        context: Some(rerun.context.clone()),
        started_by: None,
        resumed_from: Some(rerun.from.clone()),
        until: None,
        parent_run_id: None,
        base_seq: None,
        base: Some(Box::new(rerun.base.clone())),
    };
    let state = fold::look(compiled, "", &begins, &mut |_| {}).ok()?;
    let (config, items) = prepare::loop_begins(compiled, &state, start)?;
    let total = fold::body::iterations(&config, items).unwrap_or(usize::MAX);
    Some((config, total))
}

fn first_steps(compiled: &Compiled, start: usize) -> Vec<&str> {
    let this = &compiled.nodes[start];
    match this.role {
        Role::Parallel => {
            let entries = this.bodies.iter().filter_map(|body| compiled.regions[*body].entries.first());
            entries.map(|entry| compiled.node_id(*entry)).collect()
        }
        _ if compiled.is_container(start) => Vec::new(),
        _ => fold::imported_checkpoint::children(compiled, start)
            .into_iter()
            .map(|child| compiled.node_id(child))
            .collect(),
    }
}
