//! About the program, its node kinds, samples and settings.

use crate::app::App;
use crate::dto::{AppInfo, AppSettings, Empty, Kinds, Sample, SettingsSet};
use crate::error::{ApiError, ApiResult};
use crate::{Caller, check, samples};

const NAME: &str = "app";

pub(crate) fn app_info(app: &App, caller: &Caller, _: Empty) -> ApiResult<AppInfo> {
    Ok(AppInfo {
        version: env!("CARGO_PKG_VERSION").to_owned(),
        host: caller.host,
        data_dir: app.store.folder().display().to_string(),
        platform: std::env::consts::OS.to_owned(),
    })
}

pub(crate) fn catalog_list(_: &App, _: &Caller, _: Empty) -> ApiResult<Kinds> {
    Ok(check::kinds())
}

pub(crate) fn sample_list(_: &App, _: &Caller, _: Empty) -> ApiResult<Vec<Sample>> {
    Ok(samples::all())
}

/// Settings hold comfort only: what does not fit this release counts as not set.
pub(crate) fn settings_get(app: &App, _: &Caller, _: Empty) -> ApiResult<AppSettings> {
    let kept = app.store.setting_get(NAME)?;
    Ok(kept.and_then(|value| serde_json::from_value(value).ok()).unwrap_or_default())
}

pub(crate) fn settings_set(app: &App, _: &Caller, request: SettingsSet) -> ApiResult<Empty> {
    let value = serde_json::to_value(&request.settings)
        .map_err(|error| ApiError::bad_request(format!("The settings cannot be kept: {error}."), "Set them again."))?;
    app.store.setting_set(NAME, Some(value))?;
    Ok(Empty {})
}
