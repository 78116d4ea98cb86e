//! A step from one version of the store to the next.

/// One additive step. `id` is the store version after it.
pub(crate) struct Migration {
    pub(crate) id: i64,
    pub(crate) sql: &'static str,
}
