//! What people call the steps of a run, those of its sub-workflows with them.

use crate::workflows::check;
use signalbox_model::{Role, Workflow};
use std::collections::HashMap;
use std::sync::Arc;

/// Names of the steps of one definition: each file has its own.
#[derive(Debug, Clone, Default)]
pub(crate) struct Names {
    own: File,
    called: HashMap<String, File>,
}

type File = HashMap<String, Named>;

#[derive(Debug, Clone)]
struct Named {
    /// Its title, else that of its kind.
    title: Option<String>,
    role: Option<Role>,
    /// Of a sub-workflow: the file.
    calls: Option<String>,
}

impl Names {
    /// Of a workflow and the files that it calls, directly or further in, by id.
    pub(crate) fn of<'a>(
        workflow: &Workflow,
        called: impl IntoIterator<Item = (&'a String, &'a Arc<Workflow>)>,
    ) -> Self {
        let called = called.into_iter().map(|(id, workflow)| (id.clone(), file(workflow))).collect();
        Self { own: file(workflow), called }
    }

    /// The name of the step that ran at a path, `None` at the top.
    pub(crate) fn get(&self, path: Option<&str>, step: &str) -> Option<&str> {
        let mut file = &self.own;
        let mut parts = path.unwrap_or_default().split('/').filter(|part| !part.is_empty());
        while let Some(part) = parts.next() {
            let named = file.get(part.split_once('[').map_or(part, |(id, _)| id))?;
            match named.role {
                // A branch is named by its entry, which is no step of the way.
                Some(Role::Parallel) => drop(parts.next()),
                Some(Role::Subworkflow) => file = self.called.get(named.calls.as_deref()?)?,
                _ => {}
            }
        }
        file.get(step)?.title.as_deref()
    }
}

fn file(workflow: &Workflow) -> File {
    let named = workflow.nodes.iter().map(|(id, node)| {
        let kind = check::catalog().get(&node.kind);
        let own = node.title.as_deref().filter(|title| !title.trim().is_empty());
        let title = own.or(kind.map(|kind| kind.title.as_str())).map(str::to_owned);
        let calls = node.config.as_ref().and_then(|config| config.get("workflow")?.as_str()).map(str::to_owned);
        (id.clone(), Named { title, role: kind.map(|kind| kind.role), calls })
    });
    named.collect()
}

#[cfg(test)]
mod tests;
