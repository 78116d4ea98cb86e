//! Workspaces: which workflows and runs belong together, and how many runs they start.

use crate::chain;
use crate::error::Result;
use crate::store::Store;
use crate::table::workspace::{self, Started, Workspace};
use signalbox_audit::Record;

/// Workspaces.
impl Store {
    /// All workspaces, by name.
    pub fn workspaces(&self) -> Result<Vec<Workspace>> {
        self.view(workspace::all)
    }

    /// The workspace of a name.
    pub fn workspace(&self, name: &str) -> Result<Option<Workspace>> {
        self.view(|connection| workspace::get(connection, name))
    }

    /// Makes a workspace, or gives it another quota.
    pub fn workspace_put(&self, one: Workspace, record: Record) -> Result<()> {
        self.write(true, move |work| {
            workspace::put(work.connection, &one)?;
            chain::append(work, vec![record])
        })
    }

    /// Removes a workspace that has no workflows. False, and nothing is written, when it has some or is not there.
    pub fn workspace_remove(&self, name: &str, record: Record) -> Result<bool> {
        let name = name.to_owned();
        self.write(true, move |work| {
            let gone =
                workspace::workflows(work.connection, &name)?.is_empty() && workspace::delete(work.connection, &name)?;
            if gone {
                chain::append(work, vec![record])?;
            }
            Ok(gone)
        })
    }

    /// Ids of the workflows of a workspace.
    pub fn workspace_workflows(&self, name: &str) -> Result<Vec<String>> {
        self.view(|connection| workspace::workflows(connection, name))
    }

    /// Puts a workflow into a workspace, or into none. False, and nothing is written, when there is no such workspace.
    pub fn workspace_assign(&self, workflow: &str, to: Option<&str>, record: Record) -> Result<bool> {
        let (workflow, to) = (workflow.to_owned(), to.map(str::to_owned));
        self.write(true, move |work| {
            if let Some(name) = &to
                && workspace::get(work.connection, name)?.is_none()
            {
                return Ok(false);
            }
            workspace::assign(work.connection, &workflow, to.as_deref())?;
            chain::append(work, vec![record])?;
            Ok(true)
        })
    }

    /// The workspace of a workflow.
    pub fn workspace_of_workflow(&self, workflow: &str) -> Result<Option<String>> {
        self.view(|connection| workspace::of_workflow(connection, workflow))
    }

    /// The workspace of a run; `None`: there is no such run.
    pub fn workspace_of_run(&self, run: &str) -> Result<Option<Option<String>>> {
        self.view(|connection| workspace::of_run(connection, run))
    }

    /// The workspace that a new run of a workflow belongs to; `parent` is the run that it repeats.
    pub fn workspace_of_new_run(&self, workflow: &str, parent: Option<&str>) -> Result<Option<String>> {
        match parent {
            // One statement sees one state of the database by itself.
            None => self.inner.readers.read(|connection| workspace::of_workflow(connection, workflow)),
            Some(_) => self.view(|connection| workspace::of_new_run(connection, workflow, parent)),
        }
    }

    /// What a workspace has started.
    pub fn workspace_started(&self, name: &str, now_ms: i64) -> Result<Started> {
        self.view(|connection| workspace::started(connection, &workspace::of_workspace(name), Some(name), now_ms))
    }

    /// Forgets what was started on days that are over.
    pub fn starts_sweep(&self, now_ms: i64) -> Result<()> {
        self.write(false, move |work| workspace::sweep(work.connection, now_ms))
    }

    /// What a token has started.
    pub fn token_started(&self, name: &str, now_ms: i64) -> Result<Started> {
        self.view(|connection| workspace::started(connection, &workspace::of_token(name), None, now_ms))
    }
}
