//! Large values by reference: above 8 KB a value is stored once by content hash.

use crate::hash::sha256_hex;
use serde_json::Value;

/// Compact JSON text above this many bytes goes to the blob table.
pub const BLOB_LIMIT: usize = 8 * 1024;

/// Key under which a stored reference stands. Values of users never get this meaning: the store keeps references in a
/// list of pointers beside the payload, not inside it.
pub fn blob_hash(value: &Value) -> String {
    sha256_hex(value.to_string().as_bytes())
}
