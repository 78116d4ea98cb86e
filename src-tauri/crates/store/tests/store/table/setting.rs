use crate::support::{open, temporary};
use serde_json::{Value, json};

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

/// What several write at the same time is all there: nobody writes between the look and the change.
#[test]
fn changes_at_the_same_time_lose_nothing() {
    let (_folder, store) = temporary();
    std::thread::scope(|scope| {
        for writer in 0..4 {
            let store = &store;
            scope.spawn(move || {
                for number in 0..25 {
                    let add = move |kept: Option<Value>| {
                        let mut list: Vec<Value> = kept.and_then(|list| list.as_array().cloned()).unwrap_or_default();
                        list.push(json!([writer, number]));
                        Ok::<_, ()>(Some(list.into()))
                    };
                    assert_eq!(store.setting_change("list", add), Ok(Ok(())));
                }
            });
        }
    });
    let list = store.setting_get("list").expect("reads").expect("there");
    assert_eq!(list.as_array().map(Vec::len), Some(100));
    assert_eq!(store.setting_change("list", |_| Err("refused")), Ok(Err("refused")));
    assert_eq!(store.setting_get("list"), Ok(Some(list)), "what is refused changes nothing");
    assert_eq!(store.setting_change("list", |_| Ok::<_, ()>(None)), Ok(Ok(())));
    assert_eq!(store.setting_get("list"), Ok(None));
}
