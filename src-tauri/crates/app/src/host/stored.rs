//! Settings of the program that a person fills in: how they are read from the store, and from a form.

use crate::App;
use crate::error::ApiResult;
use serde::de::DeserializeOwned;

/// The setting of this name; what another release wrote counts as not set.
pub(super) fn stored_setting<T: Default + DeserializeOwned>(app: &App, name: &str) -> ApiResult<T> {
    let kept = app.store.setting_get(name)?;
    Ok(kept.and_then(|value| serde_json::from_value(value).ok()).unwrap_or_default())
}

/// The text of a form field; none when it is blank.
pub(super) fn given(text: Option<String>) -> Option<String> {
    text.map(|text| text.trim().to_owned()).filter(|text| !text.is_empty())
}
