//! Newer releases.

use crate::Caller;
use crate::app::App;
use crate::dto::{Empty, UpdatesSet, UpdatesView};
use crate::error::ApiResult;

pub(crate) fn updates_get(app: &App, _: &Caller, _: Empty) -> ApiResult<UpdatesView> {
    app.updates_now()
}

pub(crate) fn updates_set(app: &App, caller: &Caller, request: UpdatesSet) -> ApiResult<UpdatesView> {
    app.updates_set(caller, request)
}

pub(crate) fn updates_check(app: &App, _: &Caller, _: Empty) -> ApiResult<UpdatesView> {
    app.updates_check()
}
