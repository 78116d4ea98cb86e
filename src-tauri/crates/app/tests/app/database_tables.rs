//! The tables of a step's database, for the settings of the step.

use crate::common::place;
use serde_json::json;

#[test]
fn tables_of_a_step_are_listed_without_a_run() {
    let place = place();
    let ask = |config| json!({ "workflowId": "shop", "config": config });
    let settings =
        json!({ "system": "sqlite", "file": "sample:shop.db", "sql": "DELETE FROM orders", "access": "write" });
    let found = place.ok("database_tables", ask(settings));
    let names: Vec<&str> =
        found["tables"].as_array().expect("a list").iter().filter_map(|one| one["name"].as_str()).collect();
    assert!(names.contains(&"orders"), "{found}");
    assert!(found["tables"][0]["columns"][0]["name"].is_string() && found["total"] == names.len(), "{found}");
    // Only what lies in a folder that is allowed for the workflow.
    let file = place.dir.path().join("other.db").display().to_string();
    let refused = place.ask("database_tables", ask(json!({ "system": "sqlite", "file": file }))).expect_err("refused");
    assert_eq!(
        (refused.code.as_str(), &refused.details.expect("says why")["code"]),
        ("DATABASE_FAILED", &json!("PATH_REFUSED"))
    );
    let by_data = json!({ "system": "postgres", "host": "{{item.host}}", "database": "shop" });
    assert!(place.ask("database_tables", ask(by_data)).expect_err("unknown").message.contains("'host'"));
    assert!(place.ok("run_list", json!({}))["runs"].as_array().is_some_and(Vec::is_empty));
}
