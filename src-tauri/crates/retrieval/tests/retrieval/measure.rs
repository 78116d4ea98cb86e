//! 60 documents and 200 questions with known answers: recall@5 and nDCG@10. `--no-capture` prints them.

use crate::index::document;
use serde_json::Map;
use signalbox_ports::retrieval::{Retrieval, Search};
use signalbox_retrieval::IndexFolder;

const PASSAGES: &str = include_str!("../../../../../tests/retrieval/passages.txt");

/// What no change may go below.
const RECALL_AT_5: f64 = 0.95;
const NDCG_AT_10: f64 = 0.90;

#[tokio::test]
async fn recall_and_order_of_words() {
    let folder = tempfile::tempdir().expect("a folder");
    let indexes = IndexFolder::new(folder.path().join("indexes"));
    let mut change = indexes.change("measured", true).await.expect("opens");
    let (mut questions, mut count) = (Vec::new(), 0);
    let mut now: Option<signalbox_ports::retrieval::Document> = None;
    for line in PASSAGES.lines().filter(|line| !line.starts_with('#')) {
        if let Some(head) = line.strip_prefix("@ ") {
            if let Some(last) = now.take() {
                change.put(last).await.expect("is put");
            }
            let (id, title) = head.split_once(" | ").expect("id | title");
            let mut next = document(id, "");
            next.title = Some(title.into());
            now = Some(next);
            count += 1;
        } else if let Some(question) = line.strip_prefix("? ") {
            questions.push((question, now.as_ref().expect("a document").id.clone()));
        } else {
            now.as_mut().expect("a document").text.push_str(line);
        }
    }
    change.put(now.expect("a document")).await.expect("is put");
    change.commit(false).await.expect("is durable");
    assert_eq!((count, questions.len()), (60, 200));

    let (mut recalled, mut gained) = (0_u32, 0.0);
    for (question, id) in &questions {
        let search = Search { query: (*question).into(), top: 10, filter: Map::new(), vector: None };
        let found = indexes.search("measured", search).await.expect("is searched");
        // A document counts once, where its first passage stands.
        let mut documents: Vec<&str> = Vec::new();
        for passage in &found {
            if !documents.contains(&passage.document.as_str()) {
                documents.push(&passage.document);
            }
        }
        let place = documents.iter().position(|document| document == id);
        if place.is_none_or(|place| place >= 5) {
            println!("not among five: {question} ({id}): {documents:?}");
        } else {
            recalled += 1;
        }
        // One right answer: the best order gains 1.
        gained += place.map_or(0.0, |place| 1.0 / (place as f64 + 2.0).log2());
    }
    let total = questions.len() as f64;
    let (recall, ndcg) = (f64::from(recalled) / total, gained / total);
    println!("words: recall@5 {recall:.3}, nDCG@10 {ndcg:.3}, {} questions", questions.len());
    assert!(recall >= RECALL_AT_5 && ndcg >= NDCG_AT_10, "recall@5 {recall:.3}, nDCG@10 {ndcg:.3}");
}
