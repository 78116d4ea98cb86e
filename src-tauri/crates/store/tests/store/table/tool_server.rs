use crate::support::{open, temporary};
use serde_json::json;
use signalbox_model::AuditEvent;
use signalbox_store::ToolServerRow;
use signalbox_store::audit::{Actor, Level, Record};

fn record() -> Record {
    Record::new("2026-01-01T00:00:00.000Z", "$store", "$run", AuditEvent::ToolServerSet, Level::Info, Actor::system())
}

fn row(name: &str) -> ToolServerRow {
    ToolServerRow {
        name: name.into(),
        definition: json!({ "transport": "stdio", "command": "node" }),
        approved: None,
        seen: Some(json!({ "tools": [] })),
        blocked: None,
        trouble: None,
        sign_in: Some(json!({ "challenge": {} })),
        made_by: "user:ada".into(),
        made_ms: 1,
    }
}

#[test]
fn a_server_is_kept_changed_and_deleted_each_with_its_entry() {
    let (folder, store) = temporary();
    assert_eq!(store.tool_server("files"), Ok(None));
    let kept = store.tool_server_change("files", |before| {
        assert_eq!(before, None);
        Ok::<_, ()>((row("files"), Some(record())))
    });
    assert_eq!(kept, Ok(Ok(row("files"))));
    drop(store);
    let store = open(folder.path());
    let refused = store.tool_server_change("files", Err::<(ToolServerRow, Option<Record>), _>);
    assert_eq!(refused, Ok(Err(Some(row("files")))));
    let blocked =
        ToolServerRow { blocked: Some("changed".into()), approved: Some(json!({ "hash": "x" })), ..row("files") };
    let next = blocked.clone();
    assert_eq!(store.tool_server_change("files", move |_| Ok::<_, ()>((next, None))), Ok(Ok(blocked.clone())));
    assert_eq!(store.tool_servers(), Ok(vec![blocked]));
    assert_eq!(store.tool_server_delete("files", record()), Ok(true));
    assert_eq!(store.tool_server_delete("files", record()), Ok(false));
    assert_eq!(store.tool_servers(), Ok(vec![]));
    assert_eq!(store.audit_state().expect("reads").head.size, 2, "one entry for each change that names one");
}
