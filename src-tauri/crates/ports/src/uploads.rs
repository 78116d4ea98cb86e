//! Uploads in parts that have begun at stores. The parts of one that never ends stay there, unseen and paid for: each is noted, so
//! that a later call can tell the store to drop what a killed process left.

/// An upload that has begun. Dropped without [`Self::ended`], it is one of those that [`Uploads::left`] finds.
pub trait NotedUpload: Send + Sync {
    /// The address of its object.
    fn url(&self) -> &str;
    /// What the store calls it.
    fn id(&self) -> &str;
    /// It is complete, or the store has dropped it: there is nothing to remember.
    fn ended(self: Box<Self>);
}

/// Remembers uploads beyond the end of the process.
pub trait Uploads: Send + Sync {
    /// Notes an upload before its first part is sent. A note that cannot be written keeps nobody from uploading.
    fn begun(&self, url: &str, id: &str) -> Box<dyn NotedUpload>;
    /// Uploads of objects below an address that no call is at work on, at most `most`.
    fn left(&self, below: &str, most: usize) -> Vec<Box<dyn NotedUpload>>;
}

/// Where nothing is remembered.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoUploads;

struct Unnoted(String, String);

impl NotedUpload for Unnoted {
    fn url(&self) -> &str {
        &self.0
    }
    fn id(&self) -> &str {
        &self.1
    }
    fn ended(self: Box<Self>) {}
}

impl Uploads for NoUploads {
    fn begun(&self, url: &str, id: &str) -> Box<dyn NotedUpload> {
        Box::new(Unnoted(url.to_owned(), id.to_owned()))
    }
    fn left(&self, _below: &str, _most: usize) -> Vec<Box<dyn NotedUpload>> {
        Vec::new()
    }
}
