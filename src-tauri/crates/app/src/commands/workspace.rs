//! Workspaces: which workflows belong together, and how many runs they may start.

use crate::app::App;
use crate::caller::Caller;
use crate::dto::{Empty, Workspace, WorkspaceAssign, WorkspaceName, WorkspacePut};
use crate::error::ApiResult;

pub(crate) fn workspace_list(app: &App, _: &Caller, _: Empty) -> ApiResult<Vec<Workspace>> {
    app.workspaces()
}

pub(crate) fn workspace_put(app: &App, caller: &Caller, request: WorkspacePut) -> ApiResult<Vec<Workspace>> {
    app.workspace_put(caller, request)
}

pub(crate) fn workspace_remove(app: &App, caller: &Caller, request: WorkspaceName) -> ApiResult<Vec<Workspace>> {
    app.workspace_remove(caller, &request.name)
}

pub(crate) fn workspace_assign(app: &App, caller: &Caller, request: WorkspaceAssign) -> ApiResult<Vec<Workspace>> {
    app.workspace_assign(caller, request)
}
