//! The answer of a command as JSON text.

use crate::error::{ApiError, ApiResult};
use serde::Serialize;
use std::marker::PhantomData;

pub(crate) fn not_json(error: &serde_json::Error) -> ApiError {
    ApiError::unavailable("NOT_JSON", format!("The answer cannot be written as JSON: {error}."), "Try again.")
}

/// What the body of a command that answers with `R` gives back.
pub(crate) trait Answer<R> {
    fn text(self) -> ApiResult<String>;
}

impl<R: Serialize> Answer<R> for R {
    fn text(self) -> ApiResult<String> {
        serde_json::to_string(&self).map_err(|error| not_json(&error))
    }
}

/// An `R` that its body has written as JSON, because it is too long to become a tree on its way.
pub(crate) struct Written<R>(String, PhantomData<R>);

impl<R> Written<R> {
    pub(crate) fn new(text: String) -> Self {
        Self(text, PhantomData)
    }
}

impl<R> Answer<R> for Written<R> {
    fn text(self) -> ApiResult<String> {
        Ok(self.0)
    }
}
