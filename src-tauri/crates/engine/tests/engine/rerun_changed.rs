//! A re-run with another definition than that of the original (UX C24): what it cannot take over, and what files below do.

use crate::driver::{World, catalog};
use serde_json::{Value, json};
use signalbox_engine::Compiled;
use signalbox_engine::rerun::{Change, Original, Overrides, Plan, RerunError, StepDisposition, plan};
use signalbox_model::{Effects, NodeFailure, RunStatus, Workflow};
use std::collections::BTreeMap;
use std::sync::Arc;

fn compile(file: Value, hash: &str, below: Vec<Value>) -> Compiled {
    let read = |file: Value| serde_json::from_value::<Workflow>(file).expect("a workflow");
    let files: BTreeMap<String, Arc<Workflow>> =
        below.into_iter().map(read).map(|file| (file.id.clone(), Arc::new(file))).collect();
    Compiled::with_files(Arc::new(read(file)), hash, &catalog(), &files).expect("valid")
}

fn never(_: &str, _: usize, _: u32) -> Option<NodeFailure> {
    None
}

fn ran<'a>(compiled: &'a Compiled) -> World<'a> {
    let mut world = World::new(compiled, &never, 1);
    world.start(json!({}));
    world.run_to_end();
    assert_eq!(world.state.status(), RunStatus::Completed);
    world
}

fn look(world: &World<'_>, target: &Compiled, from: &str) -> Plan {
    plan(Original { compiled: world.compiled, events: &world.events }, target, from).expect("a plan")
}

fn chain(one: &str, more: Value) -> Value {
    let mut file = json!({ "signalbox": 1, "id": "w", "name": "w", "settings": {},
        "nodes": { "one": { "type": one, "out": { "$n": 5 } }, "two": { "type": "t.read" } },
        "edges": [{ "from": "one.success", "to": "two" }] });
    file.as_object_mut().expect("an object").extend(more.as_object().cloned().expect("an object"));
    file
}

/// ADR 29: what a step of another kind did is no result of this one.
#[test]
fn a_kept_step_of_another_kind_executes_again() {
    let before = compile(chain("t.read", json!({})), "old", vec![]);
    let first = ran(&before);
    let now = compile(chain("t.write", json!({})), "new", vec![]);
    let looked = look(&first, &now, "two");
    assert_eq!((looked.steps[0].fate, looked.steps[0].change), (StepDisposition::Again, Change::Incompatible));
    let made = looked.with(&now, Overrides::default()).expect("fits");
    let mut second = World::again(&now, &never, 2, made);
    second.run_to_end();
    assert_eq!(second.state.status(), RunStatus::Completed);
    assert_eq!(second.calls[&("one".to_owned(), 0)], 1, "the step of the new kind was called");
}

#[test]
fn new_params_get_their_defaults_or_are_asked_for() {
    let first_file = compile(chain("t.read", json!({})), "old", vec![]);
    let first = ran(&first_file);
    let params =
        |of: Value| json!({ "params": { "type": "object", "required": ["region"], "properties": { "region": of } } });
    let filled = compile(chain("t.read", params(json!({ "type": "string", "default": "eu" }))), "new", vec![]);
    let made = look(&first, &filled, "two").with(&filled, Overrides::default()).expect("fits");
    assert_eq!(made.params["region"], "eu");
    let asked = compile(chain("t.read", params(json!({ "type": "string" }))), "newer", vec![]);
    let refused = look(&first, &asked, "two").with(&asked, Overrides::default()).expect_err("it is missing");
    assert_eq!(refused.code(), "BAD_PARAM", "{refused}");
    let given = json!({ "region": "us" }).as_object().cloned().expect("an object");
    let overrides = Overrides { params: given, ..Overrides::default() };
    look(&first, &asked, "two").with(&asked, overrides).expect("it is there now");
}

/// K-36: a variable that stands has to fit what the new definition says of it.
#[test]
fn a_kept_variable_has_to_fit_the_new_schema() {
    let first_file = compile(chain("t.read", json!({})), "old", vec![]);
    let first = ran(&first_file);
    let text = json!({ "context": { "schema": { "type": "object", "properties": { "n": { "type": "string" } } } } });
    let now = compile(chain("t.read", text), "new", vec![]);
    let refused = look(&first, &now, "two").with(&now, Overrides::default()).expect_err("5 is no text");
    assert!(matches!(&refused, RerunError::Variable { name, .. } if name == "n"), "{refused}");
    let context = json!({ "n": "five" }).as_object().cloned().expect("an object");
    look(&first, &now, "two").with(&now, Overrides { context, ..Overrides::default() }).expect("it fits now");
}

/// UX C24: what a sub-workflow does outside is told at the step that calls it, however deep it stands.
#[test]
fn what_the_files_below_do_is_told_at_the_calling_step() {
    let outer = json!({ "signalbox": 1, "id": "w", "name": "w", "settings": {},
        "nodes": { "s": { "type": "t.sub", "config": { "workflow": "middle" } } }, "edges": [] });
    let middle = json!({ "signalbox": 1, "id": "middle", "name": "middle",
        "nodes": { "deep": { "type": "t.sub", "config": { "workflow": "inner" } } }, "edges": [] });
    let inner = |title: &str, url: &str| {
        json!({ "signalbox": 1, "id": "inner", "name": "inner",
        "nodes": { "post": { "type": "t.write", "title": title, "config": { "url": url } } }, "edges": [] })
    };
    let before = compile(outer.clone(), "old", vec![middle.clone(), inner("Pay", "/pay")]);
    let first = ran(&before);
    let own = look(&first, &before, "s");
    assert_eq!((own.steps[0].effects, own.steps[0].repeats), (Effects::Write, true));
    assert_eq!(own.steps[0].change, Change::None);
    let renamed = compile(outer.clone(), "new", vec![middle.clone(), inner("Pay it", "/pay")]);
    assert_eq!(look(&first, &renamed, "s").steps[0].change, Change::None, "a title does nothing");
    let changed = compile(outer, "newer", vec![middle, inner("Pay", "/pay-twice")]);
    assert_eq!(look(&first, &changed, "s").steps[0].change, Change::Changed);
}

/// UX C24: of a sub-workflow in which the run begins, what stands before that stays, and is no effect of the re-run.
#[test]
fn of_a_file_that_the_run_begins_in_only_what_follows_is_told() {
    let outer = json!({ "signalbox": 1, "id": "w", "name": "w", "settings": {},
        "nodes": { "s": { "type": "t.sub", "config": { "workflow": "inner" } } }, "edges": [] });
    let inner = json!({ "signalbox": 1, "id": "inner", "name": "inner",
        "nodes": { "post": { "type": "t.write" }, "note": { "type": "t.pass" }, "more": { "type": "t.sub", "config": { "workflow": "last" } } },
        "edges": [{ "from": "post.success", "to": "note" }, { "from": "note.success", "to": "more" }] });
    let last =
        json!({ "signalbox": 1, "id": "last", "name": "last", "nodes": { "say": { "type": "t.read" } }, "edges": [] });
    let compiled = compile(outer, "one", vec![inner, last]);
    let first = ran(&compiled);
    for (from, effects, repeats) in
        [("s", Effects::Write, true), ("s/post", Effects::Write, true), ("s/note", Effects::Read, false)]
    {
        let steps = look(&first, &compiled, from).steps;
        assert_eq!((steps[0].effects, steps[0].repeats), (effects, repeats), "{from}");
    }
}
