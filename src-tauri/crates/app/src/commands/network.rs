//! How connections leave this machine.

use crate::Caller;
use crate::app::App;
use crate::dto::{Empty, NetworkSet, NetworkTest, NetworkTested, NetworkView};
use crate::error::ApiResult;

pub(crate) fn network_get(app: &App, _: &Caller, _: Empty) -> ApiResult<NetworkView> {
    app.network_now()
}

pub(crate) fn network_set(app: &App, caller: &Caller, request: NetworkSet) -> ApiResult<NetworkView> {
    app.network_set(caller, request)
}

pub(crate) fn network_test(app: &App, caller: &Caller, request: NetworkTest) -> ApiResult<NetworkTested> {
    app.network_test(caller, &request)
}
