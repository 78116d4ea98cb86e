//! Services that tasks are copied to.

use crate::Caller;
use crate::app::App;
use crate::dto::{
    Empty, TaskCopiesSent, TaskCopy, TaskCopyLog, TaskCopyRef, TaskDestination, TaskDestinationAdd,
    TaskDestinationKind, TaskDestinationRef, TaskDestinationTest,
};
use crate::error::ApiResult;

pub(crate) fn task_destination_list(app: &App, _: &Caller, _: Empty) -> ApiResult<Vec<TaskDestination>> {
    app.task_destinations_now()
}

pub(crate) fn task_destination_kinds(app: &App, _: &Caller, _: Empty) -> ApiResult<Vec<TaskDestinationKind>> {
    Ok(app.task_destination_kinds())
}

pub(crate) fn task_destination_add(
    app: &App,
    caller: &Caller,
    request: TaskDestinationAdd,
) -> ApiResult<Vec<TaskDestination>> {
    app.task_destination_add(caller, request)
}

pub(crate) fn task_destination_remove(
    app: &App,
    caller: &Caller,
    request: TaskDestinationRef,
) -> ApiResult<Vec<TaskDestination>> {
    app.task_destination_remove(caller, &request.id)
}

pub(crate) fn task_destination_test(
    app: &App,
    _: &Caller,
    request: TaskDestinationRef,
) -> ApiResult<TaskDestinationTest> {
    app.task_destination_test(&request.id)
}

pub(crate) fn task_copy_log(app: &App, _: &Caller, request: TaskCopyLog) -> ApiResult<Vec<TaskCopy>> {
    let limit = super::page_size(request.limit, 50, 500)?;
    app.task_copy_log(request.id.as_deref(), limit)
}

pub(crate) fn task_copy_again(app: &App, caller: &Caller, request: TaskCopyRef) -> ApiResult<TaskCopy> {
    app.task_copy_again(caller, &request.id)
}

pub(crate) fn task_copy_send(app: &App, _: &Caller, _: Empty) -> ApiResult<TaskCopiesSent> {
    Ok(TaskCopiesSent { tried: app.task_copies_send()? })
}
