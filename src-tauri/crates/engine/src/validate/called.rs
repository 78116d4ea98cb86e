//! The files of sub-workflows, and of workflows that list new items: each is there, has no errors of its own, and none leads back to itself (SEMANTICS 6).

use super::{connectors, containers::begins, poll, valid_workflow_id, words::step_of};
use crate::catalog::Catalog;
use crate::connector::KnownConnectors;
use signalbox_model::{Code, Diagnostic, Role, Severity, Workflow, diagnostic::pointer_token};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Workflows in workflows.
const DEEPEST: usize = 16;

/// Files that sub-workflow steps may name, by id.
#[derive(Debug, Clone, Default)]
pub struct Called {
    /// Those that could be read.
    pub files: BTreeMap<String, Arc<Workflow>>,
    /// What keeps others from being used.
    pub problems: BTreeMap<String, Diagnostic>,
    /// Connectors whose operations steps of all these files call.
    pub connectors: KnownConnectors,
}

/// Ids of workflows that a workflow's steps name, in the order of the file, as they are written.
pub fn called_by<'a>(workflow: &'a Workflow, catalog: &Catalog) -> Vec<&'a str> {
    steps(workflow, catalog).map(|step| step.named).filter(|named| valid_workflow_id(named)).collect()
}

/// A step that names another workflow.
struct Naming<'a> {
    id: &'a str,
    named: &'a str,
    /// Where in its config.
    field: &'static str,
}

/// Sub-workflow steps, and steps that ask a workflow for new items.
fn steps<'a>(workflow: &'a Workflow, catalog: &Catalog) -> impl Iterator<Item = Naming<'a>> {
    workflow.nodes.iter().filter_map(|(id, node)| {
        let config = node.config.as_ref()?;
        if node.kind == poll::KIND {
            return poll::source_workflow(config).map(|named| Naming { id, named, field: "source/workflow" });
        }
        let named = config.get("workflow")?.as_str()?;
        let role = catalog.get(&node.kind)?.role;
        (role == Role::Subworkflow).then_some(Naming { id, named, field: "workflow" })
    })
}

/// Every diagnostic of the files that a workflow's steps name, at those steps.
pub fn check_called(workflow: &Workflow, catalog: &Catalog, called: &Called) -> Vec<Diagnostic> {
    let mut look = Look {
        catalog,
        called,
        way: vec![workflow.id.as_str()],
        heights: BTreeMap::new(),
        found: Vec::new(),
        too_deep: false,
    };
    for Naming { id, named, field } in steps(workflow, catalog) {
        let at = format!("/nodes/{}/config/{field}", pointer_token(id));
        look.follow(workflow, id, named, &at);
    }
    connectors::check(workflow, catalog, &called.connectors, &mut look.found);
    look.found
}

struct Look<'a> {
    catalog: &'a Catalog,
    called: &'a Called,
    /// Ids of the files that are looked at, the outermost first.
    way: Vec<&'a str>,
    /// Files that were looked at, and how many levels of files are in each; each is told about once.
    heights: BTreeMap<&'a str, usize>,
    found: Vec<Diagnostic>,
    too_deep: bool,
}

impl<'a> Look<'a> {
    /// Looks at what a step names; gives how many levels of files stand in it, itself included.
    fn follow(&mut self, workflow: &'a Workflow, id: &str, named: &'a str, at: &str) -> usize {
        let step = step_of(workflow, self.catalog, id);
        let name = match self.way.len() {
            1 => step,
            _ => format!("In the workflow '{}': {step}", workflow.id),
        };
        let mut bad = |code: Code, message: String, hint: &str| {
            self.found.push(Diagnostic::error(code, at, message, hint));
            0
        };
        if named.starts_with('=') || named.contains("{{") {
            let message = format!(
                "{name} refers to its workflow with an expression, but the workflow must be known when the run starts"
            );
            return bad(Code::BadConfig, message, "Use the id of a workflow");
        }
        if named.is_empty() {
            // A setting that is not filled in is told about like any other.
            return 0;
        }
        if !valid_workflow_id(named) {
            let message = format!("{name} refers to '{named}', which is not a valid workflow id");
            let hint = "Use the 'id' in the file, not its path: letters, digits, '.', '_' and '-'";
            return bad(Code::BadConfig, message, hint);
        }
        if self.way.contains(&named) {
            let message = format!("{name} runs '{named}', which contains it");
            return bad(Code::Cycle, message, "Choose another workflow");
        }
        let Some(file) = self.called.files.get(named) else {
            return match self.called.problems.get(named) {
                Some(problem) => {
                    let message = format!("{name} runs '{named}', whose file cannot be used: {}", problem.message);
                    bad(problem.code, message, &problem.hint)
                }
                None => bad(
                    Code::UnknownWorkflow,
                    format!("{name} refers to the workflow '{named}', which was not found"),
                    "Choose a workflow of the library, or put its file next to this one",
                ),
            };
        };
        let height = match self.heights.get(named) {
            Some(height) => *height,
            // What is deeper is not looked at: the way to it is an error.
            None if self.way.len() > DEEPEST => 1,
            None => {
                self.own(file, named, &name, at);
                self.way.push(named);
                let inside: Vec<_> = steps(file, self.catalog).collect();
                let deepest = inside.into_iter().map(|next| self.follow(file, next.id, next.named, at)).max();
                self.way.pop();
                let height = 1 + deepest.unwrap_or_default();
                self.heights.insert(named, height);
                height
            }
        };
        if self.way.len() + height > DEEPEST + 1 && !self.too_deep {
            self.too_deep = true;
            let message = format!("{name} nests more than {DEEPEST} levels of workflows");
            self.found.push(Diagnostic::error(Code::BadParent, at, message, "Use fewer levels"));
        }
        height
    }

    /// Errors of a file by itself.
    fn own(&mut self, file: &Workflow, named: &str, name: &str, at: &str) {
        if !file.nodes.is_empty() && !begins(file, None) {
            let message = format!("{name} runs '{named}', which has no step that could start");
            self.found.push(Diagnostic::error(Code::EmptyWorkflow, at, message, "Add a step without incoming wires"));
        }
        let mut all = super::check(file, self.catalog);
        connectors::check(file, self.catalog, &self.called.connectors, &mut all);
        for own in all.into_iter().filter(|d| d.severity == Severity::Error) {
            let place = if own.path.is_empty() { String::new() } else { format!(" ({})", own.path) };
            let message = format!("In the workflow '{named}': {}{place}", own.message);
            self.found.push(Diagnostic::error(own.code, at, message, own.hint));
        }
    }
}
