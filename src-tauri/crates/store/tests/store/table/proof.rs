//! `proof`: the last one of each workflow.

use crate::support::temporary;
use signalbox_store::ProofRow;

#[test]
fn the_last_proof_of_a_workflow_is_kept() {
    let (_folder, store) = temporary();
    let proof = |workflow: &str, score| ProofRow {
        workflow: workflow.into(),
        definition: "d".into(),
        at_ms: 1,
        score,
        report: "{}".into(),
    };
    assert_eq!(store.proof("a").expect("reads"), None);
    store.proof_put(proof("a", Some(50))).expect("kept");
    store.proof_put(proof("a", Some(100))).expect("kept");
    store.proof_put(proof("b", None)).expect("kept");
    assert_eq!(store.proof("a").expect("reads"), Some(proof("a", Some(100))));
    let mut scores = store.proof_scores().expect("reads");
    scores.sort();
    assert_eq!(scores, [("a".to_owned(), Some(100)), ("b".to_owned(), None)]);
}
