use crate::support::{T0, delete, end, new_run, started, temporary};
use signalbox_store::NewRun;

#[test]
fn a_definition_is_kept_as_it_was_first_written_and_damage_is_found() {
    let (folder, store) = temporary();
    assert_eq!(store.definition_get("h").expect("reads"), None);
    store.definition_put("h", "{\"a\": 1}\n").expect("writes");
    store.definition_put("h", "other").expect("keeps the first");
    assert_eq!(store.definition_get("h").expect("reads").as_deref(), Some("{\"a\": 1}\n"));
    crate::support::change(folder.path(), "UPDATE definition SET text = '{}'");
    assert_eq!(store.definition_get("h").expect_err("is damaged").code(), "STORE_DAMAGED");
}

/// Which definitions there are.
fn kept(folder: &std::path::Path) -> Vec<String> {
    crate::support::texts(folder, "SELECT hash FROM definition ORDER BY hash")
}

#[test]
fn definitions_go_when_no_run_needs_them_and_not_before_a_run_could_start() {
    let (folder, store) = temporary();
    let sweep = |now: i64| store.definitions_sweep("files", now, now - 10).expect("sweeps");
    let main = r#"{"files":{"child":"sub"}}"#;
    store.definition_put("sub", "{}").expect("writes");
    let definition = NewRun { definition_hash: "main".into(), definition: Some(main.into()), ..new_run("r1") };
    let owner = store.create_run(definition).expect("is created");
    end(&store, "r1", &owner, 2);
    let other = started(&store, "r2");
    end(&store, "r2", &other, 2);
    store.definition_put("damaged", "not json").expect("writes");
    store.definition_put("early", "{}").expect("writes");

    assert_eq!(sweep(T0), 0, "what nobody needs is noted first");
    assert_eq!(sweep(T0 + 9), 0);
    // A run that starts writes its definition again, and is committed later.
    store.definition_put("early", "{}").expect("writes");
    assert_eq!(sweep(T0 + 10), 1);
    assert_eq!(kept(folder.path()), ["definition", "early", "main", "sub"]);
    let late = NewRun { definition_hash: "early".into(), definition: None, ..new_run("r3") };
    let owner = store.create_run(late).expect("is created");
    end(&store, "r3", &owner, 2);
    assert_eq!(sweep(T0 + 30), 0);

    // The file of a sub-workflow goes after the one that names it.
    delete(&store, "r1").expect("is deleted");
    assert_eq!((sweep(T0 + 40), sweep(T0 + 50), sweep(T0 + 60)), (0, 1, 0));
    assert_eq!(kept(folder.path()), ["definition", "early", "sub"]);
    assert_eq!(sweep(T0 + 70), 1);
    assert_eq!(kept(folder.path()), ["definition", "early"]);
}
