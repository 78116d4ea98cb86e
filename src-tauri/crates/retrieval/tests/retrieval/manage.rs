//! Indexes as people see them.

use crate::index::document;
use signalbox_ports::retrieval::{Retrieval, RetrievalError};
use signalbox_retrieval::{IndexFolder, delete_index, index_documents, index_facts, index_names};

#[tokio::test]
async fn an_index_is_counted_listed_and_deleted_and_a_late_change_fails() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("indexes");
    assert_eq!(index_names(&path).expect("reads"), Vec::<String>::new());
    let indexes = IndexFolder::new(path.clone());
    let mut change = indexes.change("manual", true).await.expect("opens");
    for id in ["b", "a", "c"] {
        change.put(document(id, "A text about lamps.")).await.expect("is put");
    }
    change.commit(false).await.expect("is durable");
    indexes.put_vectors("manual", "tiny", vec![(1, vec![1.0, 0.0])]).await.expect("are kept");
    std::fs::write(path.join("index-Wrong Name.sqlite"), "x").expect("written");
    assert_eq!(index_names(&path).expect("reads"), ["manual"]);
    let facts = index_facts(&path, "manual").expect("reads");
    assert_eq!((facts.documents, facts.chunks, facts.vectors), (3, 3, 1));
    assert_eq!(facts.model, Some(("tiny".to_owned(), 2)));
    assert!(facts.bytes > 0 && facts.changed_ms > 0);
    let ids = |after: Option<&str>, limit: usize| -> Vec<String> {
        let found = index_documents(&path, "manual", after, limit).expect("reads");
        found.into_iter().map(|one| one.id).collect()
    };
    assert_eq!((ids(None, 2), ids(Some("b"), 2)), (vec!["a".to_owned(), "b".to_owned()], vec!["c".to_owned()]));
    // Somebody has opened it for a change, and loses that change with an error.
    let open = signalbox_retrieval::check_index(&path.join("index-manual.sqlite"));
    assert_eq!(open, Vec::<String>::new());
    delete_index(&path, "manual").expect("is deleted");
    assert_eq!(delete_index(&path, "manual"), Err(RetrievalError::Missing));
    assert_eq!(index_facts(&path, "manual"), Err(RetrievalError::Missing));
    std::fs::write(path.join("index-broken.sqlite"), "no database").expect("written");
    assert!(matches!(index_facts(&path, "broken"), Err(RetrievalError::Damaged { .. })));
    delete_index(&path, "broken").expect("what cannot be read can be deleted");
}
