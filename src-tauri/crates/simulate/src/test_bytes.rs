//! Bytes that a test holds: Base64 in its file, by their SHA-256.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde::de::Error as _;
use serde::ser::SerializeMap;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use signalbox_model::hash::sha256_hex;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Bytes by their SHA-256. A copy shares them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TestBytes(Arc<BTreeMap<String, Vec<u8>>>);

impl TestBytes {
    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The bytes of a hash.
    #[must_use]
    pub fn get(&self, sha256: &str) -> Option<&[u8]> {
        self.0.get(sha256).map(Vec::as_slice)
    }

    /// Keeps bytes.
    pub fn insert(&mut self, bytes: Vec<u8>) {
        Arc::make_mut(&mut self.0).insert(sha256_hex(&bytes), bytes);
    }

    /// How many bytes there are in all.
    #[must_use]
    pub fn size(&self) -> usize {
        self.0.values().map(Vec::len).sum()
    }
}

impl Serialize for TestBytes {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        for (sha256, bytes) in &*self.0 {
            map.serialize_entry(sha256, &STANDARD.encode(bytes))?;
        }
        map.end()
    }
}

impl<'de> Deserialize<'de> for TestBytes {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let texts = BTreeMap::<String, String>::deserialize(deserializer)?;
        let mut all = BTreeMap::new();
        for (sha256, text) in texts {
            let plain: String = text.chars().filter(|letter| !letter.is_ascii_whitespace()).collect();
            let bytes = STANDARD
                .decode(plain)
                .map_err(|error| D::Error::custom(format!("bytes '{sha256}' are not Base64 ({error})")))?;
            let hash = sha256_hex(&bytes);
            if hash != sha256 {
                let words = format!(
                    "bytes '{sha256}' are others: their SHA-256 is {hash}. Write that in its place, and in `binary`"
                );
                return Err(D::Error::custom(words));
            }
            all.insert(sha256, bytes);
        }
        Ok(Self(Arc::new(all)))
    }
}
