//! What an index keeps, finds and refuses.

use serde_json::{Map, Value, json};
use signalbox_ports::retrieval::{
    ChunkSize, Document, DocumentFormat, IndexTotals, Indexed, Passage, Retrieval, RetrievalError, Search,
};
use signalbox_retrieval::IndexFolder;

fn map(value: Value) -> Map<String, Value> {
    value.as_object().cloned().unwrap_or_default()
}

pub(crate) fn document(id: &str, text: &str) -> Document {
    Document {
        id: id.into(),
        title: None,
        text: text.into(),
        format: DocumentFormat::Markdown,
        metadata: Map::new(),
        size: ChunkSize { max_chars: 400, overlap_chars: 60 },
    }
}

async fn put(indexes: &IndexFolder, documents: Vec<Document>, replace: bool) -> (Vec<Indexed>, IndexTotals) {
    let mut change = indexes.change("manual", true).await.expect("opens");
    let mut became = Vec::new();
    for document in documents {
        became.push(change.put(document).await.expect("is put"));
    }
    (became, change.commit(replace).await.expect("is durable"))
}

async fn find(indexes: &IndexFolder, query: &str, filter: Value) -> Vec<Passage> {
    let search = Search { query: query.into(), top: 5, filter: map(filter), vector: None };
    indexes.search("manual", search).await.expect("is searched")
}

fn ids(found: &[Passage]) -> Vec<&str> {
    found.iter().map(|passage| passage.document.as_str()).collect()
}

fn indexes() -> (tempfile::TempDir, IndexFolder) {
    let folder = tempfile::tempdir().expect("a folder");
    let indexes = IndexFolder::new(folder.path().join("indexes"));
    (folder, indexes)
}

fn texts() -> Vec<Document> {
    let mut refunds = document("refunds", "# Refunds\nMoney comes back within seven days. Shipping is not refunded.");
    refunds.title = Some("Terms".into());
    refunds.metadata = map(json!({ "area": "sales", "year": 2024, "tags": ["money", "law"] }));
    let mut returns = document("returns", "Send the parcel to our warehouse in Gävle. Keep the receipt.");
    returns.metadata = map(json!({ "area": "logistics" }));
    vec![
        refunds,
        returns,
        document("zh", "退款在七天内完成。运费不退。"),
        document("other", "The canteen opens at noon."),
    ]
}

#[tokio::test]
async fn passages_are_found_by_words_in_any_form_accent_and_script() {
    let (_folder, indexes) = indexes();
    put(&indexes, texts(), false).await;
    let found = find(&indexes, "When is my refund back?", json!({})).await;
    assert_eq!(ids(&found)[0], "refunds");
    assert_eq!(found[0].title.as_deref(), Some("Terms"));
    assert_eq!(found[0].heading.as_deref(), Some("Refunds"));
    assert_eq!((found[0].start, found[0].end), (10, 10 + found[0].text.chars().count() as u64));
    assert!(found[0].score > 0.3 && found[0].score < 1.0, "{}", found[0].score);
    assert_eq!(ids(&find(&indexes, "GAVLE", json!({})).await), ["returns"]);
    assert_eq!(ids(&find(&indexes, "退款要多久？", json!({})).await), ["zh"]);
    assert_eq!(ids(&find(&indexes, "费", json!({})).await), ["zh"]);
    let whole = find(&indexes, "canteen noon", json!({})).await;
    assert!((whole[0].score - 1.0).abs() < f64::EPSILON, "all words of the question are there: {}", whole[0].score);
    assert!(find(&indexes, "zeppelin", json!({})).await.is_empty());
}

#[tokio::test]
async fn filters_ask_for_metadata() {
    let (_folder, indexes) = indexes();
    put(&indexes, texts(), false).await;
    for (filter, wanted) in [
        (json!({ "area": "sales" }), vec!["refunds"]),
        (json!({ "area": ["logistics", "sales"] }), vec!["refunds"]),
        (json!({ "area": "logistics" }), vec![]),
        (json!({ "year": 2024.0, "tags": "law" }), vec!["refunds"]),
        (json!({ "nothing": 1 }), vec![]),
    ] {
        assert_eq!(ids(&find(&indexes, "refunded money", filter.clone()).await), wanted, "{filter}");
    }
}

#[tokio::test]
async fn what_is_unchanged_stays_and_what_is_left_out_goes() {
    let (_folder, indexes) = indexes();
    let (became, totals) = put(&indexes, texts(), false).await;
    assert_eq!(became, [Indexed::Added; 4]);
    assert_eq!((totals.documents, totals.chunks, totals.removed), (4, 4, 0));
    // The same again, as after a crash: nothing changes.
    let (became, again) = put(&indexes, texts(), false).await;
    assert_eq!((became, again), (vec![Indexed::Unchanged; 4], totals));
    // Other metadata needs no other passages, and is there at once.
    let mut changed = texts();
    changed[0].metadata = map(json!({ "area": "law" }));
    changed[1].text = "Bring the parcel to the shop.".into();
    let (became, totals) = put(&indexes, changed[..2].to_vec(), true).await;
    assert_eq!(became, [Indexed::Unchanged, Indexed::Changed]);
    assert_eq!((totals.documents, totals.chunks, totals.removed), (2, 2, 2));
    assert_eq!(ids(&find(&indexes, "refund", json!({ "area": "law" })).await), ["refunds"]);
    assert!(find(&indexes, "warehouse canteen 退款", json!({})).await.is_empty());
    assert_eq!(ids(&find(&indexes, "shop", json!({})).await), ["returns"]);
    let mut change = indexes.change("manual", false).await.expect("opens");
    assert!(change.remove("returns".into()).await.expect("is removed"));
    assert!(!change.remove("returns".into()).await.expect("was not there"));
    assert_eq!(change.commit(false).await.expect("is durable").documents, 1);
}

#[tokio::test]
async fn a_change_that_is_not_committed_never_was() {
    let (_folder, indexes) = indexes();
    put(&indexes, texts(), false).await;
    let mut change = indexes.change("manual", true).await.expect("opens");
    change.put(document("new", "A zeppelin.")).await.expect("is put");
    assert!(find(&indexes, "zeppelin", json!({})).await.is_empty(), "others see what was before");
    drop(change);
    assert!(find(&indexes, "zeppelin", json!({})).await.is_empty());
    // Two at once come one after the other.
    let one = put(&indexes, vec![document("a", "Alpha")], false);
    let other = put(&indexes, vec![document("b", "Beta")], false);
    let ((_, one), (_, other)) = tokio::join!(one, other);
    assert_eq!(one.documents.max(other.documents), 6);
}

#[tokio::test]
async fn nothing_of_a_question_reaches_the_query_language() {
    let (_folder, indexes) = indexes();
    put(&indexes, texts(), false).await;
    for query in [
        r#"" OR text:refund"#,
        "heading:refund",
        "refund*",
        "NEAR(refund money, 2)",
        "-refund",
        "^refund",
        "a\0refund",
        "{text}: refund",
    ] {
        assert_eq!(ids(&find(&indexes, query, json!({})).await).first(), Some(&"refunds"), "{query}");
    }
    let none =
        indexes.search("manual", Search { query: "\"*()".into(), top: 5, filter: Map::new(), vector: None }).await;
    assert!(matches!(none, Err(RetrievalError::Invalid { field: "query", .. })), "{none:?}");
}

#[tokio::test]
async fn a_name_cannot_leave_the_folder() {
    let (folder, indexes) = indexes();
    for name in ["", "..", "../other", "a/b", "a\\b", "/etc/x", "a.b", "Manual", "a\0", "naïve", &"x".repeat(65)] {
        let refused = indexes.change(name, true).await.err();
        assert!(matches!(refused, Some(RetrievalError::Invalid { field: "index", .. })), "{name}: {refused:?}");
    }
    assert!(!folder.path().join("indexes").exists());
}

#[tokio::test]
async fn a_missing_a_damaged_and_a_foreign_file_are_told_apart() {
    let (folder, indexes) = indexes();
    let search = || Search { query: "x".into(), top: 1, filter: Map::new(), vector: None };
    assert_eq!(indexes.search("manual", search()).await, Err(RetrievalError::Missing));
    assert_eq!(indexes.change("manual", false).await.err(), Some(RetrievalError::Missing));
    put(&indexes, texts(), false).await;
    let file = folder.path().join("indexes/index-manual.sqlite");
    std::fs::copy(&file, folder.path().join("outside.sqlite")).expect("copied");
    std::fs::write(folder.path().join("indexes/index-noise.sqlite"), b"no database, but some other text".repeat(200))
        .expect("written");
    let noise = indexes.search("noise", search()).await;
    assert!(matches!(noise, Err(RetrievalError::Damaged { .. })), "{noise:?}");
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink(
            folder.path().join("outside.sqlite"),
            folder.path().join("indexes/index-link.sqlite"),
        )
        .expect("linked");
        assert!(indexes.search("link", search()).await.is_err(), "a link leads out of the folder");
    }
}

#[tokio::test]
async fn documents_that_cannot_be_kept_are_refused_with_their_field() {
    let (_folder, indexes) = indexes();
    for (wrong, field) in [
        (vec![document("", "x")], "id"),
        (vec![document("a", "x"), document("a", "y")], "id"),
        (vec![document("a", &"x".repeat((16 << 20) + 1))], "text"),
    ] {
        let mut change = indexes.change("manual", true).await.expect("opens");
        let mut last = Ok(Indexed::Added);
        for document in wrong {
            last = change.put(document).await;
        }
        assert!(matches!(&last, Err(RetrievalError::Invalid { field: told, .. }) if *told == field), "{last:?}");
        assert!(change.commit(false).await.is_err(), "what failed is not committed");
    }
}

/// Indexes of earlier versions have no pages; the first change adds them.
#[tokio::test]
async fn a_passage_of_a_pdf_has_its_page_also_in_an_older_index() {
    let (folder, indexes) = indexes();
    put(&indexes, texts(), false).await;
    let file = folder.path().join("indexes/index-manual.sqlite");
    let older = rusqlite::Connection::open(&file).expect("opens");
    older.execute_batch("ALTER TABLE chunks DROP COLUMN page").expect("an older index");
    drop(older);
    assert_eq!(find(&indexes, "canteen", json!({})).await[0].page, None);
    let pdf = Document { format: DocumentFormat::Pdf, ..document("a.pdf", "Cover\u{c}The warranty lasts two years.") };
    put(&indexes, vec![pdf], false).await;
    let found = find(&indexes, "warranty", json!({})).await;
    assert_eq!((found[0].page, found[0].start, found[0].end), (Some(2), 0, 29));
    assert_eq!(find(&indexes, "canteen", json!({})).await[0].page, None);
}

/// A text of 10^6 passages, where an index has at most 200,000: nothing of it is written, and what was there stays.
#[tokio::test]
async fn a_million_passages_are_refused_before_they_are_written() {
    let (_folder, indexes) = indexes();
    put(&indexes, texts(), false).await;
    let huge = Document {
        format: DocumentFormat::Text,
        size: ChunkSize { max_chars: 4, overlap_chars: 0 },
        ..document("huge", &"abc\n\n".repeat(1_000_000))
    };
    let mut change = indexes.change("manual", true).await.expect("opens");
    let error = change.put(huge).await.expect_err("too many");
    assert!(matches!(error, RetrievalError::Full { limit: 200_000 }), "{error:?}");
    drop(change);
    assert_eq!(ids(&find(&indexes, "refunds", json!({})).await), ["refunds"]);
}
