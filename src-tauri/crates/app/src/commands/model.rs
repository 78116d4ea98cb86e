//! Providers of language models.

use crate::Caller;
use crate::app::App;
use crate::dto::{
    Empty, ModelBudgetSet, ModelDefaultSet, ModelFound, ModelNames, ModelRef, ModelSet, ModelTest, ModelTested, Models,
};
use crate::error::ApiResult;

pub(crate) fn model_list(app: &App, _: &Caller, _: Empty) -> ApiResult<Models> {
    app.models_now()
}

pub(crate) fn model_set(app: &App, caller: &Caller, request: ModelSet) -> ApiResult<Models> {
    app.model_set(caller, request)
}

pub(crate) fn model_delete(app: &App, caller: &Caller, request: ModelRef) -> ApiResult<Models> {
    app.model_delete(caller, &request.name)
}

pub(crate) fn model_default_set(app: &App, caller: &Caller, request: ModelDefaultSet) -> ApiResult<Models> {
    app.model_default_set(caller, request.default)
}

pub(crate) fn model_budget_set(app: &App, caller: &Caller, request: ModelBudgetSet) -> ApiResult<Models> {
    app.model_budget_set(caller, request.per_day)
}

pub(crate) fn model_test(app: &App, _: &Caller, request: ModelTest) -> ApiResult<ModelTested> {
    app.model_test(&request.name, request.model.as_deref())
}

pub(crate) fn model_names(app: &App, _: &Caller, request: ModelRef) -> ApiResult<ModelNames> {
    app.model_names(&request.name)
}

pub(crate) fn model_discover(app: &App, caller: &Caller, _: Empty) -> ApiResult<Vec<ModelFound>> {
    app.model_discover(caller)
}
