//! A file on its way out of this program.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use std::io::{self, Read};

/// A file that is handed out while it is read.
pub struct FileContent {
    /// The file name.
    pub name: String,
    /// Bytes.
    pub size: u64,
    /// SHA-256 of all of it, lowercase hex, where it is known before it is read.
    sha256: Option<String>,
    content: Box<dyn Read + Send>,
}

impl FileContent {
    pub(crate) fn new(name: String, size: u64, content: Box<dyn Read + Send>) -> Self {
        Self { name, size, sha256: None, content }
    }

    pub(crate) fn with_sha256(mut self, sha256: String) -> Self {
        self.sha256 = Some(sha256);
        self
    }

    /// The hash as the header `Repr-Digest` tells it (RFC 9530), where it is known.
    pub fn digest(&self) -> Option<String> {
        let sha256 = self.sha256.as_deref()?;
        let byte = |at: usize| u8::from_str_radix(sha256.get(at..at + 2)?, 16).ok();
        let bytes: Option<Vec<u8>> = (0..sha256.len()).step_by(2).map(byte).collect();
        Some(format!("sha-256=:{}:", STANDARD.encode(bytes?)))
    }
}

impl Read for FileContent {
    /// Never more than `size`, which was sent before; less is an error, not the end.
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let most = usize::try_from(self.size).unwrap_or(usize::MAX).min(into.len());
        let read = self.content.read(&mut into[..most])?;
        if read == 0 && most > 0 {
            return Err(io::Error::new(io::ErrorKind::UnexpectedEof, "the file has become shorter"));
        }
        self.size -= read as u64;
        Ok(read)
    }
}

#[cfg(test)]
mod tests {
    use super::FileContent;

    #[test]
    fn a_hash_is_told_in_base64() {
        let content = || FileContent::new("a".to_owned(), 0, Box::new(std::io::empty()));
        assert_eq!(content().digest(), None);
        let told = content().with_sha256("00ff".to_owned()).digest();
        assert_eq!(told.as_deref(), Some("sha-256=:AP8=:"));
    }
}
