//! What the commands do. One function per row of the command list, with its name.

use super::preview::preview;
use crate::app::App;
use crate::caller::Caller;
use crate::dto::{
    Activation, HookHeard, HookListen, HookListener, HookListening, HookPreview, HookPreviewRequest, SchedulePreview,
    SchedulePreviewRequest, Trigger, TriggerDetails, TriggerFire, TriggerList, TriggerRef, WorkflowActivate,
    WorkflowFailure, WorkflowNamed, WorkflowVersion,
};
use crate::dto::{Empty, PollTest, PollTested, RunStarted};
use crate::error::ApiResult;

pub(crate) fn workflow_activate(app: &App, caller: &Caller, request: WorkflowActivate) -> ApiResult<Activation> {
    app.activate(caller, request)
}

pub(crate) fn workflow_deactivate(app: &App, caller: &Caller, request: WorkflowNamed) -> ApiResult<Activation> {
    app.deactivate(caller, &request.workflow_id)
}

pub(crate) fn activation_list(app: &App, _: &Caller, _: Empty) -> ApiResult<Vec<Activation>> {
    app.activations()
}

pub(crate) fn workflow_versions(app: &App, caller: &Caller, request: WorkflowNamed) -> ApiResult<Vec<WorkflowVersion>> {
    app.versions(caller, &request.workflow_id)
}

pub(crate) fn trigger_list(app: &App, _: &Caller, request: TriggerList) -> ApiResult<Vec<Trigger>> {
    app.trigger_list(request.workflow_id.as_deref())
}

pub(crate) fn failure_list(app: &App, _: &Caller, _: Empty) -> ApiResult<Vec<WorkflowFailure>> {
    app.failures()
}

pub(crate) fn trigger_get(app: &App, _: &Caller, request: TriggerRef) -> ApiResult<TriggerDetails> {
    app.trigger_details(&request.trigger_id)
}

pub(crate) fn trigger_fire(app: &App, caller: &Caller, request: TriggerFire) -> ApiResult<RunStarted> {
    Ok(app.fire_by_hand(caller, &request.trigger_id, request.payload)?.into())
}

pub(crate) fn schedule_preview(app: &App, _: &Caller, request: SchedulePreviewRequest) -> ApiResult<SchedulePreview> {
    preview(&request, app.now_ms())
}

pub(crate) fn poll_test(app: &App, caller: &Caller, request: PollTest) -> ApiResult<PollTested> {
    app.poll_test(caller, request)
}

pub(crate) fn hook_preview(app: &App, _: &Caller, request: HookPreviewRequest) -> ApiResult<HookPreview> {
    Ok(app.hook_preview(&request))
}

pub(crate) fn hook_listen(app: &App, _: &Caller, request: HookListen) -> ApiResult<HookListening> {
    app.hook_listen(&request)
}

pub(crate) fn hook_heard(app: &App, _: &Caller, request: HookListener) -> ApiResult<HookHeard> {
    Ok(app.hook_heard(&request.listen_id))
}

pub(crate) fn hook_stop(app: &App, _: &Caller, request: HookListener) -> ApiResult<Empty> {
    app.hook_stop(&request.listen_id);
    Ok(Empty {})
}
