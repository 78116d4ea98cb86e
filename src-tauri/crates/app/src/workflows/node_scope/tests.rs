use super::{around, frames, is_at};
use serde_json::json;
use signalbox_model::Workflow;

fn workflow() -> Workflow {
    let file = json!({
        "signalbox": 1, "id": "w", "name": "w", "edges": [], "nodes": {
            "each": { "type": "flow.loop" },
            "par": { "type": "flow.parallel", "parent": "each" },
            "left": { "type": "data.set", "parent": "par" },
            "inner": { "type": "flow.loop", "parent": "par" },
            "deep": { "type": "data.set", "parent": "inner" },
            "sub": { "type": "flow.subworkflow", "parent": "each" },
            "top": { "type": "data.set" }
        }
    });
    serde_json::from_value(file).expect("workflow")
}

#[test]
fn a_path_names_containers() {
    let workflow = workflow();
    let found = frames(&workflow, "each[3]/par/inner/inner[12]").expect("of this file");
    let told: Vec<_> = found.iter().map(|f| (f.container, f.index, f.outer, f.path)).collect();
    assert_eq!(
        told,
        [
            ("each", Some(3), "", "each[3]"),
            ("par", None, "each[3]", "each[3]/par/inner"),
            ("inner", Some(12), "each[3]/par/inner", "each[3]/par/inner/inner[12]"),
        ]
    );
    assert_eq!(frames(&workflow, ""), Some(vec![]));
    for odd in ["sub", "each[3]/sub", "each[3]/sub[1]", "each", "each[x]", "each[3]/par", "no[1]", "/", "each[3]/"] {
        let found = frames(&workflow, odd);
        assert!(found.is_none() || odd == "each[3]/", "{odd}: {found:?}");
    }
}

#[test]
fn a_node_lives_in_its_containers() {
    let workflow = workflow();
    assert_eq!(around(&workflow, "deep"), ["each", "par", "inner"]);
    assert!(is_at(&workflow, "deep", "each[3]/par/inner/inner[12]"));
    assert!(is_at(&workflow, "left", "each[0]/par/left"));
    assert!(is_at(&workflow, "top", ""));
    assert!(!is_at(&workflow, "top", "each[0]"));
    assert!(!is_at(&workflow, "deep", "each[3]"));
    assert!(!is_at(&workflow, "top", "sub"), "a step of another file that has the same name");
}
