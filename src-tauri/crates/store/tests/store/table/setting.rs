use crate::support::{open, temporary};
use serde_json::json;

#[test]
fn a_setting_outlives_the_process_and_can_be_removed() {
    let (folder, store) = temporary();
    assert_eq!(store.setting_get("ui").expect("reads"), None);
    store.setting_set("ui", Some(json!({"theme": "dark", "layout": {"log": 200}}))).expect("writes");
    drop(store);
    let store = open(folder.path());
    assert_eq!(store.setting_get("ui").expect("reads"), Some(json!({"theme": "dark", "layout": {"log": 200}})));
    store.setting_set("ui", None).expect("removes");
    assert_eq!(store.setting_get("ui").expect("reads"), None);
}
