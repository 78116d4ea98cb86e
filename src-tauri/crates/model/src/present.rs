//! `null` is a value: a field that holds one is not a field that is absent.

use serde::{Deserialize, Deserializer};

/// Reads a field that is there, with whatever value. With `#[serde(default)]` an absent one stays `None`; without this,
/// `Some(null)` would be read as `None`, and a state that was stored would differ from the one that was not.
///
/// # Errors
/// What stands there is no `T`.
pub fn present<'de, D: Deserializer<'de>, T: Deserialize<'de>>(deserializer: D) -> Result<Option<T>, D::Error> {
    T::deserialize(deserializer).map(Some)
}
