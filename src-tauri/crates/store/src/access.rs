//! Who may reach a server: tokens of programs, and sessions of people. What gives or ends access is one transaction with its
//! audit entry.

use crate::chain;
use crate::error::Result;
use crate::store::Store;
use crate::table::access_token::{self, AccessToken};
use crate::table::user_session::{self, UserSession};
use crate::table::workspace;
use signalbox_audit::Record;

/// Tokens and sessions.
impl Store {
    /// Keeps a token. False, and nothing is written, when its name is taken.
    pub fn access_token_add(&self, one: AccessToken, record: Record) -> Result<bool> {
        self.write(true, move |work| {
            let kept = access_token::insert(work.connection, &one)?;
            if kept {
                chain::append(work, vec![record])?;
            }
            Ok(kept)
        })
    }

    /// All tokens, the newest first.
    pub fn access_tokens(&self) -> Result<Vec<AccessToken>> {
        self.view(access_token::all)
    }

    /// The token of a hash.
    pub fn access_token(&self, hash: &str) -> Result<Option<AccessToken>> {
        self.view(|connection| access_token::get(connection, hash))
    }

    /// The token of a name.
    pub fn access_token_named(&self, name: &str) -> Result<Option<AccessToken>> {
        self.view(|connection| access_token::named(connection, name))
    }

    /// Says that a token was used. Nobody waits for the disk.
    pub fn access_token_used(&self, hash: &str, now_ms: i64) -> Result<()> {
        let hash = hash.to_owned();
        self.write(false, move |work| access_token::used(work.connection, &hash, now_ms))
    }

    /// Ends a token. False, and nothing is written, when there was none.
    pub fn access_token_delete(&self, hash: &str, record: Record) -> Result<bool> {
        let hash = hash.to_owned();
        self.write(true, move |work| {
            if let Some(token) = access_token::get(work.connection, &hash)? {
                workspace::forget_token(work.connection, &token.name)?;
            }
            let deleted = access_token::delete(work.connection, &hash)?;
            if deleted {
                chain::append(work, vec![record])?;
            }
            Ok(deleted)
        })
    }

    /// Keeps a session that begins.
    pub fn session_begin(&self, one: UserSession, record: Record) -> Result<()> {
        self.write(true, move |work| {
            user_session::insert(work.connection, &one)?;
            chain::append(work, vec![record])
        })
    }

    /// Keeps what has changed of a session. False when it has ended.
    pub fn session_update(&self, one: UserSession) -> Result<bool> {
        self.write(true, move |work| user_session::update(work.connection, &one))
    }

    /// All sessions, the newest first.
    pub fn sessions(&self) -> Result<Vec<UserSession>> {
        self.view(user_session::all)
    }

    /// Ends a session. False, and nothing is written, when it had ended.
    pub fn session_end(&self, hash: &str, record: Record) -> Result<bool> {
        let hash = hash.to_owned();
        self.write(true, move |work| {
            let ended = user_session::delete(work.connection, &hash)?;
            if ended {
                chain::append(work, vec![record])?;
            }
            Ok(ended)
        })
    }

    /// Ends all sessions and tokens: those of a backup may have been ended since. How many there were.
    pub fn access_clear(&self) -> Result<usize> {
        self.write(true, |work| Ok(access_token::clear(work.connection)? + user_session::clear(work.connection)?))
    }
}
