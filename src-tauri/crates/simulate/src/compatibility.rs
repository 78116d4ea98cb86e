//! What of a test no longer fits its workflow, step by step.

use crate::compare::Difference;
use crate::test_file::{CallReply, RerunStart, TestFile};
use serde_json::json;
use signalbox_engine::catalog::nearest;
use signalbox_engine::{Catalog, Compiled};
use signalbox_model::base::parted;
use signalbox_model::hash::sha256_hex;
use signalbox_model::{EventBody, Role, Workflow};
use std::collections::BTreeSet;

/// Identifies what a workflow does: SHA-256 of its definition without positions, pinned outputs, faults and versions of kinds, hex.
pub fn definition_hash(workflow: &Workflow) -> String {
    let mut plain = workflow.clone();
    plain.layout = None;
    plain.extra.clear();
    for node in plain.nodes.values_mut() {
        node.pinned = None;
        node.fault = None;
        node.type_version = None;
    }
    sha256_hex(serde_json::to_string(&plain).unwrap_or_default().as_bytes())
}

/// What does not fit (differences), and what is only worth knowing (notes).
pub fn check(test: &TestFile, compiled: &Compiled, catalog: &Catalog) -> (Vec<Difference>, Vec<String>) {
    let mut checker = Checker { compiled, catalog, found: Vec::new(), gone: BTreeSet::new() };
    for (list, replies) in [("calls", &test.calls), ("mocks", &test.mocks)] {
        for (at, reply) in replies.iter().enumerate() {
            checker.reply(&format!("{list}/{at}"), reply, list == "mocks");
        }
    }
    for (at, act) in test.people.iter().enumerate() {
        let inside = act.path.as_deref();
        checker.step(&act.step, &format!("people/{at}"), inside);
        if let Some(target) = &act.target {
            checker.step(target, &format!("people/{at}/target"), inside);
        }
    }
    for step in test.expect.steps.keys() {
        checker.step(step, "expect/steps", None);
    }
    for (step, ports) in &test.expect.ports {
        if checker.step(step, "expect/ports", None) {
            ports.keys().for_each(|port| checker.port(step, port, "expect/ports"));
        }
    }
    for step in test.expect.not_called.iter().chain(&test.expect.failed_step) {
        checker.step(step, "expect", None);
    }
    if let Some(rerun) = &test.rerun {
        checker.kept(rerun);
    }
    let mut notes = Vec::new();
    if test.definition.as_ref().is_some_and(|hash| *hash != compiled.definition_hash) {
        notes.push("The workflow has changed since the test was saved.".to_owned());
    }
    (checker.found, notes)
}

struct Checker<'c> {
    compiled: &'c Compiled,
    catalog: &'c Catalog,
    found: Vec<Difference>,
    /// Steps that were told.
    gone: BTreeSet<String>,
}

impl Checker<'_> {
    fn add(&mut self, step: &str, field: &str, message: String) {
        let difference = Difference {
            step: Some(step.to_owned()),
            field: field.to_owned(),
            expected: Some(json!(step)),
            actual: None,
            message,
        };
        self.found.push(difference);
    }

    /// Whether the workflow has the step. Steps of called files are known when they are reached.
    fn step(&mut self, step: &str, field: &str, path: Option<&str>) -> bool {
        let nodes = &self.compiled.workflow.nodes;
        if nodes.contains_key(step)
            || path.is_some_and(|path| crate::expectations::in_called_file(&self.compiled.workflow, path))
        {
            return true;
        }
        if self.gone.insert(step.to_owned()) {
            let like = nearest(step, nodes.keys().map(String::as_str));
            let like = like.map_or_else(String::new, |like| format!(" Is it '{like}' now?"));
            self.add(step, field, format!("The workflow has no step '{step}' any more.{like}"));
        }
        false
    }

    /// What a re-run keeps of its original: each step is still there, does the same kind of work and has the ports that it used.
    fn kept(&mut self, rerun: &RerunStart) {
        let (path, from) = parted(&rerun.from);
        self.step(from, "rerun/from", path);
        for event in &rerun.base.events {
            let Some(step) = &event.step_id else { continue };
            let path = event.path.as_deref();
            if path.is_some_and(|path| crate::expectations::in_called_file(&self.compiled.workflow, path))
                || !self.step(step, "rerun/base", path)
            {
                continue;
            }
            match &event.body {
                EventBody::StepStart(start) => self.same_kind(step, &start.kind),
                EventBody::StepDone(done) => done.ports.keys().for_each(|port| self.port(step, port, "rerun/base")),
                _ => {}
            }
        }
    }

    fn same_kind(&mut self, step: &str, before: &str) {
        let Some(now) = self.compiled.workflow.nodes.get(step).map(|node| node.kind.clone()) else { return };
        if now != before && self.gone.insert(step.to_owned()) {
            let message =
                format!("'{step}' was a step of the kind {before} and is one of {now} now. Save the test again.");
            self.add(step, "rerun/base", message);
        }
    }

    fn port(&mut self, step: &str, port: &str, field: &str) {
        let Some(node) = self.compiled.workflow.nodes.get(step) else { return };
        let Some(kind) = self.catalog.get(&node.kind) else { return };
        if !kind.port_ids(node.config.as_ref()).iter().any(|known| known == port) {
            let message = format!(
                "'{step}' has no port '{port}' any more (its ports: {}).",
                kind.port_ids(node.config.as_ref()).join(", ")
            );
            self.add(step, field, message);
        }
    }

    fn reply(&mut self, field: &str, reply: &CallReply, is_mock: bool) {
        if !self.step(&reply.step, field, reply.path.as_deref()) {
            return;
        }
        for port in reply.output.iter().flat_map(|output| output.keys()).chain(&reply.pass) {
            self.port(&reply.step, port, field);
        }
        let Some(node) = self.compiled.workflow.nodes.get(&reply.step) else { return };
        let Some(kind) = self.catalog.get(&node.kind) else { return };
        let called = match kind.role {
            Role::Step | Role::Trigger | Role::Break => true,
            Role::Stop
            | Role::Wait
            | Role::Approval
            | Role::Form
            | Role::Pause
            | Role::Loop
            | Role::Parallel
            | Role::Subworkflow => false,
            // Rules and people decide there; only what reaches outside is called.
            Role::Recovery => node.kind == "builtin.self_healing" || node.kind == "builtin.audit",
        };
        if is_mock && !called {
            let message = format!(
                "'{}' ({}) is carried out by the engine and cannot be mocked. Mock the steps in it or before it.",
                reply.step, kind.title
            );
            self.add(&reply.step, field, message);
        }
    }
}
