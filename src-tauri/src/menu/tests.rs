use super::MENUS;
use std::path::Path;

fn sources(folder: &Path, into: &mut String) {
    for entry in std::fs::read_dir(folder).expect("the UI's sources").flatten() {
        let path = entry.path();
        if path.is_dir() {
            sources(&path, into);
        } else if path.extension().is_some_and(|end| end == "ts" || end == "tsx") {
            into.push_str(&std::fs::read_to_string(&path).expect("text"));
        }
    }
}

#[test]
fn every_item_names_an_action_of_the_ui() {
    let mut text = String::new();
    sources(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../ui/src"), &mut text);
    // From the menu of the tray.
    for id in ["go.inbox", "automations.pauseAll"] {
        assert!(text.contains(&format!("id: '{id}'")), "the UI has no action {id}");
    }
    for (menu, items) in MENUS {
        for (id, _) in items.iter().filter(|(id, _)| *id != "-" && *id != "app.quit") {
            let own = id.strip_prefix("canvas.").is_some_and(|name| text.contains(&format!("one('{name}',")));
            assert!(own || text.contains(&format!("id: '{id}'")), "{menu}: the UI has no action {id}");
        }
    }
}
