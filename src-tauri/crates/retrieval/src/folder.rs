//! The folder of indexes. A name is a file name and nothing else.

use crate::index::Change;
use crate::{search, vectors};
use async_trait::async_trait;
use signalbox_ports::retrieval::{
    Document, IndexTotals, IndexWriter, Indexed, Passage, Retrieval, RetrievalError, Search,
};
use std::path::{Path, PathBuf};

/// Longest name of an index.
const LONGEST: usize = 64;

/// Indexes below the data folder.
pub struct IndexFolder {
    folder: PathBuf,
}

impl IndexFolder {
    /// In a folder that is made with its first index.
    pub fn new(folder: PathBuf) -> Self {
        Self { folder }
    }

    fn file(&self, name: &str) -> Result<PathBuf, RetrievalError> {
        index_file(&self.folder, name)
    }
}

/// The file of an index. Small letters only: files of other names may be the same file.
pub(crate) fn index_file(folder: &Path, name: &str) -> Result<PathBuf, RetrievalError> {
    let is_good = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || matches!(c, '-' | '_');
    if name.is_empty() || name.len() > LONGEST || !name.chars().all(is_good) {
        let message =
            format!("The name of an index has 1 to {LONGEST} small letters a to z, digits, '-' and '_', and no path");
        return Err(RetrievalError::Invalid { field: "index", message });
    }
    // The real folder: SQLite refuses links anywhere in the path of the file.
    let folder = folder.canonicalize().unwrap_or_else(|_| folder.to_owned());
    Ok(folder.join(format!("index-{name}.sqlite")))
}

/// Documents hold data of people: the folder is for its owner only.
fn create(folder: &Path) -> std::io::Result<()> {
    let mut builder = std::fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)
}

async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, RetrievalError> + Send + 'static,
) -> Result<T, RetrievalError> {
    let done = tokio::task::spawn_blocking(work).await;
    done.unwrap_or_else(|error| Err(RetrievalError::Io { message: format!("The work on the index ended: {error}") }))
}

#[async_trait]
impl Retrieval for IndexFolder {
    async fn change(&self, index: &str, create_it: bool) -> Result<Box<dyn IndexWriter>, RetrievalError> {
        self.file(index)?;
        if create_it {
            create(&self.folder).map_err(|error| match error.kind() {
                std::io::ErrorKind::StorageFull => RetrievalError::DiskFull,
                _ => RetrievalError::Io { message: format!("The folder of indexes cannot be made: {error}") },
            })?;
        }
        let file = self.file(index)?;
        let change = blocking(move || Change::begin(&file, create_it)).await?;
        Ok(Box::new(Writer(Some(change))))
    }

    async fn search(&self, index: &str, search: Search) -> Result<Vec<Passage>, RetrievalError> {
        let file = self.file(index)?;
        blocking(move || search::search(&file, &search)).await
    }

    async fn without_vector(
        &self,
        index: &str,
        model: &str,
        limit: usize,
    ) -> Result<Vec<(i64, String)>, RetrievalError> {
        let (file, model) = (self.file(index)?, model.to_owned());
        blocking(move || vectors::missing(&file, &model, limit)).await
    }

    async fn put_vectors(&self, index: &str, model: &str, of: Vec<(i64, Vec<f32>)>) -> Result<(), RetrievalError> {
        let (file, model) = (self.file(index)?, model.to_owned());
        blocking(move || vectors::put(&file, &model, &of)).await
    }
}

/// `None` after a failure: what is half done is undone.
struct Writer(Option<Change>);

impl Writer {
    async fn on_thread<T: Send + 'static>(
        &mut self,
        work: impl FnOnce(&mut Change) -> Result<T, RetrievalError> + Send + 'static,
    ) -> Result<T, RetrievalError> {
        let mut change = self.taken()?;
        let (change, done) = blocking(move || {
            let done = work(&mut change)?;
            Ok((change, done))
        })
        .await?;
        self.0 = Some(change);
        Ok(done)
    }

    fn taken(&mut self) -> Result<Change, RetrievalError> {
        self.0.take().ok_or_else(|| RetrievalError::Io { message: "The change of the index was given up".into() })
    }
}

#[async_trait]
impl IndexWriter for Writer {
    async fn put(&mut self, document: Document) -> Result<Indexed, RetrievalError> {
        self.on_thread(move |change| change.put(&document)).await
    }

    async fn remove(&mut self, id: String) -> Result<bool, RetrievalError> {
        self.on_thread(move |change| change.remove(&id)).await
    }

    async fn commit(mut self: Box<Self>, replace: bool) -> Result<IndexTotals, RetrievalError> {
        let change = self.taken()?;
        blocking(move || change.commit(replace)).await
    }
}
