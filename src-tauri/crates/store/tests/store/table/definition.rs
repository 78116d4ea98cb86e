use crate::support::{raw, temporary};

#[test]
fn a_definition_is_kept_as_it_was_first_written_and_damage_is_found() {
    let (folder, store) = temporary();
    assert_eq!(store.definition_get("h").expect("reads"), None);
    store.definition_put("h", "{\"a\": 1}\n").expect("writes");
    store.definition_put("h", "other").expect("keeps the first");
    assert_eq!(store.definition_get("h").expect("reads").as_deref(), Some("{\"a\": 1}\n"));
    raw(folder.path()).execute("UPDATE definition SET text = '{}'", []).expect("damages");
    assert_eq!(store.definition_get("h").expect_err("is damaged").code(), "STORE_DAMAGED");
}
