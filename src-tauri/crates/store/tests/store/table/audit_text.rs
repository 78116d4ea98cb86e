use crate::people::record;
use crate::support::{count, temporary};
use serde_json::json;
use signalbox_store::{AuditQuery, Store};

fn found(store: &Store, text: &str) -> Vec<u64> {
    let query = AuditQuery { text: vec![text.into()], limit: 1_000, ..AuditQuery::default() };
    store.audit_page(&query).expect("lists").rows.into_iter().rev().map(|row| row.seq).collect()
}

/// A search finds the same whether the texts are in, are not yet, or are partly in.
#[test]
fn what_is_not_taken_in_yet_is_found_too() {
    let (_folder, store) = temporary();
    let texts =
        ["Paid 4711 EUR", "paid nothing", "Ärger mit \"Zitat\"", "100% done_now", "ab \u{1e900}\u{1e901}\u{1e902}"];
    let add = || {
        for text in texts {
            store.audit_append(record("NOTE", "run-1", json!({ "message": text })), None, false).expect("records");
        }
    };
    add();
    let asked = [
        "4711",
        "PAID",
        "aid 4",
        "Ärger",
        "äRGER MIT",
        "är",
        "\u{1e922}\u{1e923}\u{1e924}",
        "100%",
        "_now",
        "ab",
        "user:anna",
        "run-1",
        "nowhere",
        "%",
        "a_",
        "2026-11",
        "log",
        "\"level\":\"INFO",
    ];
    let plain: Vec<Vec<u64>> = asked.iter().map(|text| found(&store, text)).collect();
    let of = |text: &str| asked.iter().zip(&plain).find(|(one, _)| **one == text).map(|(_, found)| found.as_slice());
    for (text, seqs) in [("4711", &[0][..]), ("PAID", &[0, 1]), ("Ärger", &[2]), ("äRGER MIT", &[2]), ("är", &[2])] {
        assert_eq!(of(text), Some(seqs), "{text}");
    }
    assert_eq!((of("\u{1e922}\u{1e923}\u{1e924}"), of("nowhere")), (Some(&[4][..]), Some(&[][..])));
    assert!(!store.audit_index().expect("takes in"), "all of it at once");
    assert_eq!(asked.iter().map(|text| found(&store, text)).collect::<Vec<_>>(), plain);
    add();
    for (text, before) in asked.iter().zip(&plain) {
        let twice: Vec<u64> = before.iter().copied().chain(before.iter().map(|seq| seq + 5)).collect();
        assert_eq!(found(&store, text), twice, "{text}");
    }
}

#[test]
fn tags_are_found_and_go_with_their_entries() {
    let (folder, store) = temporary();
    for tags in [vec!["pii", "pii", "pay"], vec!["pay"]] {
        let mut one = record("NOTE", "r", json!({}));
        one.tags = Some(tags.into_iter().map(str::to_owned).collect());
        store.audit_append(one, None, false).expect("records");
    }
    let tagged = |tag: &str| {
        let query = AuditQuery { tag: Some(tag.into()), ..AuditQuery::default() };
        store.audit_page(&query).expect("lists").rows.iter().map(|row| row.seq).collect::<Vec<_>>()
    };
    assert_eq!((tagged("pay"), tagged("pii"), tagged("p")), (vec![1, 0], vec![0], vec![]));
    assert_eq!(count(folder.path(), "SELECT count(*) FROM audit_tag"), 3);
}
