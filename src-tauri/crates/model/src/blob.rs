//! Large values by reference: above a limit a value is stored once by content hash.

/// Compact JSON text above this many bytes goes to the blob table.
pub const BLOB_LIMIT: usize = 8 * 1024;
