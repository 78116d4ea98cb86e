//! About the program, its node kinds, samples and settings.

use crate::Caller;
use crate::app::App;
use crate::dto::{AppInfo, AppSettings, Empty, Kinds, Sample, SettingsSet, Template};
use crate::error::{ApiError, ApiResult};
use crate::workflows::{check, samples, templates};

const NAME: &str = "app";
/// Bytes that the settings of one person may have: everybody with a token may set their own.
const MOST: usize = 256 * 1024;

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

pub(crate) fn sample_list(app: &App, _: &Caller, _: Empty) -> ApiResult<Vec<Sample>> {
    Ok(samples::all(app))
}

pub(crate) fn template_list(_: &App, _: &Caller, _: Empty) -> ApiResult<Vec<Template>> {
    Ok(templates::all())
}

/// A person's own settings.
fn key(caller: &Caller) -> String {
    format!("{NAME}/{}", caller.principal)
}

/// Settings hold comfort only: what does not fit this release counts as not set. Whoever has set nothing yet sees what was
/// set before settings belonged to persons.
pub(crate) fn settings_get(app: &App, caller: &Caller, _: Empty) -> ApiResult<AppSettings> {
    let kept = match app.store.setting_get(&key(caller))? {
        Some(own) => Some(own),
        None => app.store.setting_get(NAME)?,
    };
    Ok(kept.and_then(|value| serde_json::from_value(value).ok()).unwrap_or_default())
}

pub(crate) fn settings_set(app: &App, caller: &Caller, request: SettingsSet) -> ApiResult<Empty> {
    let value = serde_json::to_value(&request.settings)
        .map_err(|error| ApiError::bad_request(format!("The settings cannot be kept: {error}."), "Set them again."))?;
    let size = value.to_string().len();
    if size > MOST {
        let message = format!("These settings have {size} bytes; at most {MOST} are kept for a person.");
        return Err(ApiError::bad_request(message, "Forget saved queries that you do not need."));
    }
    app.store.setting_set(&key(caller), Some(value))?;
    Ok(Empty {})
}
