//! What a statement of a workflow may do in a SQLite file.

use rusqlite::hooks::{AuthAction, Authorization};

/// Settings that only tell something; with a value they name what they tell about.
const ASKING: [&str; 13] = [
    "collation_list",
    "foreign_key_check",
    "foreign_key_list",
    "function_list",
    "index_info",
    "index_list",
    "index_xinfo",
    "integrity_check",
    "pragma_list",
    "quick_check",
    "table_info",
    "table_list",
    "table_xinfo",
];
/// Settings that may be read.
const READ: [&str; 6] = ["application_id", "encoding", "foreign_keys", "page_count", "page_size", "user_version"];
/// Functions that reach beyond the file.
const FUNCTIONS: [&str; 5] = ["edit", "fts3_tokenizer", "load_extension", "readfile", "writefile"];

/// Judges an action of a statement; `strict` is off for statements of the program itself.
pub(super) fn judge(action: &AuthAction<'_>, strict: bool) -> Authorization {
    let is_refused = match action {
        // Also what VACUUM INTO does.
        AuthAction::Attach { .. } | AuthAction::Detach { .. } | AuthAction::Unknown { .. } => true,
        AuthAction::Transaction { .. } => strict,
        AuthAction::Function { function_name } => FUNCTIONS.iter().any(|name| name.eq_ignore_ascii_case(function_name)),
        AuthAction::Pragma { pragma_name, pragma_value } => {
            let is = |name: &&&str| name.eq_ignore_ascii_case(pragma_name);
            let asks =
                ASKING.iter().any(|name| is(&name)) || (pragma_value.is_none() && READ.iter().any(|name| is(&name)));
            strict && !asks
        }
        _ => false,
    };
    if is_refused { Authorization::Deny } else { Authorization::Allow }
}
