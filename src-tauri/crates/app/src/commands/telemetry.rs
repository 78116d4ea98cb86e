//! Spans for a collector.

use crate::Caller;
use crate::app::App;
use crate::dto::{Empty, RunTraceOf, RunTraceView, TelemetrySet, TelemetryTest, TelemetryView};
use crate::error::ApiResult;

pub(crate) fn telemetry_get(app: &App, _: &Caller, _: Empty) -> ApiResult<TelemetryView> {
    app.telemetry_now()
}

pub(crate) fn telemetry_set(app: &App, caller: &Caller, request: TelemetrySet) -> ApiResult<TelemetryView> {
    app.telemetry_set(caller, request)
}

pub(crate) fn telemetry_test(app: &App, _: &Caller, _: Empty) -> ApiResult<TelemetryTest> {
    app.telemetry_test()
}

pub(crate) fn run_trace(app: &App, _: &Caller, request: RunTraceOf) -> ApiResult<RunTraceView> {
    app.run_trace(&request)
}
