use super::{checked, holds};
use crate::dto::{HealthAlert, HealthNumbers};

fn alert(expression: &str) -> HealthAlert {
    HealthAlert {
        id: String::new(),
        name: " Many failures ".into(),
        workflow_id: Some(" ".into()),
        expression: expression.into(),
        days: 7,
    }
}

#[test]
fn a_condition_is_true_or_not() {
    let numbers = HealthNumbers { runs: 20, failed: 3, error_rate: 0.15, p95_ms: 4_000, ..HealthNumbers::default() };
    assert_eq!(holds("errorRate > 0.1 && runs >= 20", &numbers), Ok(true));
    assert_eq!(holds("p95Ms > 5000 || failed > 3", &numbers), Ok(false));
    assert_eq!(holds("proofScore != null && proofScore < 80", &numbers), Ok(false));
    assert!(holds("proofScore < 80", &numbers).is_err());
}

#[test]
fn what_cannot_be_used_is_refused() {
    let kept = checked(alert(" failed > 0 ")).expect("fits");
    assert_eq!((kept.name.as_str(), kept.expression.as_str(), kept.workflow_id), ("Many failures", "failed > 0", None));
    let why = |alert: HealthAlert| {
        let error = checked(alert).expect_err("is refused");
        format!("{} {} {}", error.code, error.message, error.hint)
    };
    for wrong in ["failed >", "mistakes > 1", "failed", "now() > 1"] {
        let why = why(alert(wrong));
        assert!(why.starts_with("BAD_EXPRESSION") && why.contains("errorRate > 0.1"), "{why}");
    }
    assert!(why(HealthAlert { name: " ".into(), ..alert("failed > 0") }).contains("1 to 100 characters"));
    assert!(why(HealthAlert { days: 400, ..alert("failed > 0") }).contains("1 to 366 days"));
}
