//! Tokens that snapshots of runs name: who asks again and again gets the same one, not a new one each time.

use crate::app::App;
use crate::error::ApiResult;
use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

/// How long a token is given again, milliseconds: well within the time that it counts.
const KEPT_MS: i64 = 60 * 60 * 1_000;
/// Tasks whose tokens are kept.
const MOST: usize = 1_000;

/// The tokens that this process handed out.
#[derive(Debug, Default)]
pub(crate) struct ResumeTokens(Mutex<HashMap<String, Token>>);

struct Token {
    revision: i64,
    until_ms: i64,
    secret: String,
}

impl std::fmt::Debug for Token {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Token").field("revision", &self.revision).finish_non_exhaustive()
    }
}

impl ResumeTokens {
    /// The token of a task as it is now; nothing when it is not open any more.
    pub(crate) fn of(&self, app: &App, task: &str, revision: i64) -> ApiResult<Option<String>> {
        let now = app.now_ms();
        if let Some(secret) = self.known(task, revision, now) {
            return Ok(Some(secret));
        }
        let secret = app.store.issue_task_secret(task, now)?;
        if let Some(secret) = &secret {
            let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            kept.retain(|_, token| token.until_ms > now);
            if kept.len() < MOST {
                let token = Token { revision, until_ms: now.saturating_add(KEPT_MS), secret: secret.clone() };
                kept.insert(task.to_owned(), token);
            }
        }
        Ok(secret)
    }

    fn known(&self, task: &str, revision: i64, now: i64) -> Option<String> {
        let kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let token = kept.get(task).filter(|token| token.revision == revision && token.until_ms > now);
        token.map(|token| token.secret.clone())
    }
}
