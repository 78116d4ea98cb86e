//! Servers of tools.

use crate::Caller;
use crate::app::App;
use crate::dto::{
    Empty, SkillEntry, SkillList, Tool, ToolServer, ToolServerApprove, ToolServerConnect, ToolServerImport,
    ToolServerName, ToolServerSay, ToolServerSet, ToolServerSignInFinish, ToolServerSignedOut, ToolServerSigningIn,
    ToolServersImported,
};
use crate::error::ApiResult;

pub(crate) fn tool_server_list(app: &App, _: &Caller, _: Empty) -> ApiResult<Vec<ToolServer>> {
    app.tool_servers_now()
}

pub(crate) fn tool_server_set(app: &App, caller: &Caller, request: ToolServerSet) -> ApiResult<ToolServer> {
    app.tool_server_set(caller, &request.name, request.definition)
}

pub(crate) fn tool_server_import(
    app: &App,
    caller: &Caller,
    request: ToolServerImport,
) -> ApiResult<ToolServersImported> {
    app.tool_server_import(caller, &request.text)
}

pub(crate) fn tool_server_delete(app: &App, caller: &Caller, request: ToolServerName) -> ApiResult<Empty> {
    app.tool_server_delete(caller, &request.name)
}

pub(crate) fn tool_server_connect(app: &App, caller: &Caller, request: ToolServerConnect) -> ApiResult<ToolServer> {
    app.tool_server_connect(caller, &request.name, request.start.as_ref())
}

pub(crate) fn tool_server_approve(app: &App, caller: &Caller, request: ToolServerApprove) -> ApiResult<ToolServer> {
    app.tool_server_approve(caller, &request.name, &request.hash)
}

pub(crate) fn tool_server_sign_in(
    app: &App,
    caller: &Caller,
    request: ToolServerName,
) -> ApiResult<ToolServerSigningIn> {
    app.tool_server_sign_in(caller, &request.name)
}

pub(crate) fn tool_server_sign_in_finish(
    app: &App,
    caller: &Caller,
    request: ToolServerSignInFinish,
) -> ApiResult<ToolServer> {
    app.tool_server_sign_in_finish(caller, &request.name, &request.address)
}

pub(crate) fn tool_server_sign_out(
    app: &App,
    caller: &Caller,
    request: ToolServerName,
) -> ApiResult<ToolServerSignedOut> {
    app.tool_server_sign_out(caller, &request.name)
}

pub(crate) fn tool_server_say(app: &App, caller: &Caller, request: ToolServerSay) -> ApiResult<ToolServer> {
    app.tool_server_say(caller, request)
}

pub(crate) fn skill_list(app: &App, _: &Caller, request: SkillList) -> ApiResult<Vec<SkillEntry>> {
    let found = app.wait_for(signalbox_nodes::skills_in(&request.workflow_id, request.folder.trim(), &app.world))?;
    // The name of a folder is half a name most of the time that it is typed; a run says what is wrong with it.
    let told =
        |skill: signalbox_nodes::Skill| SkillEntry { name: skill.name, about: skill.about, unusable: skill.trouble };
    Ok(found.map(|skills| skills.into_iter().map(told).collect()).unwrap_or_default())
}

pub(crate) fn tool_list(app: &App, _: &Caller, _: Empty) -> ApiResult<Vec<Tool>> {
    app.tools_approved()
}
