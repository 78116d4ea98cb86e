//! An index that knows one document; what indexes really do is tested where they are.

use async_trait::async_trait;
use serde_json::json;
use signalbox_ports::retrieval::{
    Document, IndexTotals, IndexWriter, Indexed, Passage, Retrieval, RetrievalError, Search,
};

pub(crate) struct FakeIndexes;

struct FakeWriter(Vec<String>);

#[async_trait]
impl IndexWriter for FakeWriter {
    async fn put(&mut self, document: Document) -> Result<Indexed, RetrievalError> {
        if self.0.contains(&document.id) {
            return Err(RetrievalError::Invalid { field: "id", message: "Two documents have one id".into() });
        }
        self.0.push(document.id);
        Ok(Indexed::Added)
    }
    async fn remove(&mut self, _id: String) -> Result<bool, RetrievalError> {
        Ok(true)
    }
    async fn commit(self: Box<Self>, _replace: bool) -> Result<IndexTotals, RetrievalError> {
        let count = self.0.len() as u64;
        Ok(IndexTotals { removed: 0, documents: count, chunks: count })
    }
}

#[async_trait]
impl Retrieval for FakeIndexes {
    async fn change(&self, index: &str, create: bool) -> Result<Box<dyn IndexWriter>, RetrievalError> {
        if index == "none" && !create {
            return Err(RetrievalError::Missing);
        }
        Ok(Box::new(FakeWriter(Vec::new())))
    }
    async fn search(&self, index: &str, search: Search) -> Result<Vec<Passage>, RetrievalError> {
        if index == "none" {
            return Err(RetrievalError::Missing);
        }
        if !search.query.contains("refund") {
            return Ok(Vec::new());
        }
        Ok(vec![Passage {
            text: "A refund takes seven days.".into(),
            score: 0.6,
            document: "refunds".into(),
            title: Some("Terms".into()),
            start: 10,
            end: 36,
            heading: Some("Refunds".into()),
            page: None,
            metadata: json!({ "area": "sales" }).as_object().cloned().unwrap_or_default(),
        }])
    }
    async fn without_vector(&self, _: &str, _: &str, _: usize) -> Result<Vec<(i64, String)>, RetrievalError> {
        Ok(Vec::new())
    }
    async fn put_vectors(&self, _: &str, _: &str, _: Vec<(i64, Vec<f32>)>) -> Result<(), RetrievalError> {
        Ok(())
    }
}
