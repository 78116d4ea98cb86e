//! 500 labelled texts: precision and recall per kind. `--nocapture` prints the table.

use signalbox_guardrails::measure;

const LABELLED: &str = include_str!("labelled.tsv");

/// Precision and recall that no change may go below.
const FLOORS: &[(&str, f64, f64)] = &[
    ("email", 0.99, 0.99),
    ("phone", 0.95, 0.95),
    ("iban", 0.99, 0.99),
    ("card", 0.98, 0.98),
    ("nationalId", 0.97, 0.97),
    ("injection", 0.95, 0.85),
];

#[test]
fn r_54_precision_and_recall_of_each_kind() {
    assert_eq!(LABELLED.lines().filter(|line| !line.starts_with('#')).count(), 500);
    let (scores, wrong) = measure(LABELLED);
    for line in &wrong {
        println!("{line}");
    }
    let mut below = Vec::new();
    for (name, precision, recall) in FLOORS {
        let score = scores[name];
        println!("{name:12} precision {:.3} recall {:.3} {score:?}", score.precision(), score.recall());
        if score.precision() < *precision || score.recall() < *recall {
            below.push(format!("{name}: {score:?}"));
        }
    }
    assert!(below.is_empty(), "{below:?}\n{}", wrong.join("\n"));
}
