//! Tokens of programs, and people who are signed in to a server.

use crate::app::App;
use crate::caller::Caller;
use crate::dto::{AccessToken, Empty, SessionRef, TokenAdd, TokenAdded, TokenName, UserSession};
use crate::error::ApiResult;

pub(crate) fn token_list(app: &App, _: &Caller, _: Empty) -> ApiResult<Vec<AccessToken>> {
    app.tokens()
}

pub(crate) fn token_add(app: &App, caller: &Caller, request: TokenAdd) -> ApiResult<TokenAdded> {
    app.token_add(caller, request)
}

pub(crate) fn token_revoke(app: &App, caller: &Caller, request: TokenName) -> ApiResult<Empty> {
    app.token_revoke(caller, &request.name)?;
    Ok(Empty {})
}

pub(crate) fn session_list(app: &App, caller: &Caller, _: Empty) -> ApiResult<Vec<UserSession>> {
    app.user_sessions(caller)
}

pub(crate) fn session_end(app: &App, caller: &Caller, request: SessionRef) -> ApiResult<Empty> {
    app.user_session_end(caller, &request.id)?;
    Ok(Empty {})
}
