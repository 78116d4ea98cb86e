//! Vectors beside words.

use crate::index::document;
use serde_json::{Map, json};
use signalbox_ports::retrieval::{Passage, QueryVector, Retrieval, RetrievalError, Search};
use signalbox_retrieval::IndexFolder;

const MODEL: &str = "concepts";

/// What a text is about, as a model might see it: water, money, time.
fn vector(text: &str) -> Vec<f32> {
    let about = |words: &[&str]| words.iter().filter(|word| text.to_lowercase().contains(*word)).count() as f32 + 0.05;
    vec![
        about(&["ferry", "boat", "sail", "vessel"]),
        about(&["refund", "money", "reimburse"]),
        about(&["canteen", "lunch", "meal"]),
    ]
}

async fn made() -> (tempfile::TempDir, IndexFolder) {
    let folder = tempfile::tempdir().expect("a folder");
    let indexes = IndexFolder::new(folder.path().join("indexes"));
    let mut change = indexes.change("mixed", true).await.expect("opens");
    for (id, text) in [
        ("ferry", "The ferry sails at nine."),
        ("refunds", "Customers get their money back."),
        ("canteen", "Lunch is served from noon."),
    ] {
        let mut document = document(id, text);
        document.metadata.insert("id".into(), json!(id));
        change.put(document).await.expect("is put");
    }
    change.commit(false).await.expect("is durable");
    (folder, indexes)
}

async fn embed(indexes: &IndexFolder) -> usize {
    let missing = indexes.without_vector("mixed", MODEL, 100).await.expect("is read");
    let count = missing.len();
    let vectors = missing.into_iter().map(|(chunk, text)| (chunk, vector(&text))).collect();
    indexes.put_vectors("mixed", MODEL, vectors).await.expect("are kept");
    count
}

async fn find(
    indexes: &IndexFolder,
    query: &str,
    vector: Option<QueryVector>,
    filter: Map<String, serde_json::Value>,
) -> Result<Vec<Passage>, RetrievalError> {
    indexes.search("mixed", Search { query: query.into(), top: 2, filter, vector }).await
}

fn asked(query: &str) -> Option<QueryVector> {
    Some(QueryVector { model: MODEL.into(), vector: vector(query) })
}

#[tokio::test]
async fn what_has_none_of_the_words_is_found_by_its_meaning() {
    let (_folder, indexes) = made().await;
    assert_eq!(embed(&indexes).await, 3);
    assert_eq!(embed(&indexes).await, 0, "each passage is asked for once");
    let query = "reimburse a vessel or a boat";
    assert!(find(&indexes, "vessel", None, Map::new()).await.expect("is searched").is_empty());
    let found = find(&indexes, "vessel", asked("vessel"), Map::new()).await.expect("is searched");
    assert_eq!(found[0].document, "ferry");
    assert!(found[0].score > 0.9 && found[0].score <= 1.0, "{}", found[0].score);
    let both = find(&indexes, query, asked(query), Map::new()).await.expect("is searched");
    assert_eq!(both.iter().map(|one| one.document.as_str()).collect::<Vec<_>>(), ["ferry", "refunds"]);
    // A filter holds for vectors too.
    let filter = Map::from_iter([("id".to_owned(), json!(["refunds", "canteen"]))]);
    let found = find(&indexes, "vessel", asked("vessel"), filter).await.expect("is searched");
    assert!(found.iter().all(|one| one.document != "ferry"), "{found:?}");
}

#[tokio::test]
async fn vectors_belong_to_one_model_and_go_with_their_passages() {
    let (_folder, indexes) = made().await;
    let none = find(&indexes, "ferry", asked("ferry"), Map::new()).await;
    assert!(matches!(none, Err(RetrievalError::Embedding { .. })), "no vectors yet: {none:?}");
    embed(&indexes).await;
    let other = Some(QueryVector { model: "other".into(), vector: vec![1.0, 0.0, 0.0] });
    let refused = find(&indexes, "ferry", other, Map::new()).await;
    assert!(
        matches!(&refused, Err(RetrievalError::Embedding { message }) if message.contains("'concepts'")),
        "{refused:?}"
    );
    assert_eq!(
        indexes.without_vector("mixed", "other", 2).await.expect("is read").len(),
        2,
        "all are missing of another model"
    );
    let mut change = indexes.change("mixed", false).await.expect("opens");
    change.remove("ferry".into()).await.expect("is removed");
    change.put(document("refunds", "No money comes back.")).await.expect("is put");
    change.commit(false).await.expect("is durable");
    let found = find(&indexes, "ferry boat", asked("ferry boat"), Map::new()).await.expect("is searched");
    assert!(found.iter().all(|one| one.document == "canteen"), "{found:?}");
    assert_eq!(embed(&indexes).await, 1, "only what changed");
    for wrong in [vec![], vec![0.0, 0.0, 0.0], vec![f32::NAN, 1.0, 1.0], vec![1.0, 2.0]] {
        let refused = indexes.put_vectors("mixed", MODEL, vec![(1, wrong)]).await;
        assert!(matches!(refused, Err(RetrievalError::Embedding { .. })), "{refused:?}");
    }
}
