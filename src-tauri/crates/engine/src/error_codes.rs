//! Codes and fields of errors that the fold, the routing and the steps share.

/// Code of an error: a call was cut off that may have happened.
pub const INTERRUPTED: &str = "INTERRUPTED";

/// Among the details of a container's error: the errors of what it holds.
pub(crate) const CHILD_ERRORS: &str = "childErrors";

/// Stands for a rule: `onExpiry` of the step itself.
pub(crate) const ON_EXPIRY: &str = "onExpiry";

/// What an interrupted call that is not repeated says.
pub(crate) const MAY_HAVE_HAPPENED: &str =
    "The step was cut off while it was under way, so it may have happened; it is not sent again by itself";
