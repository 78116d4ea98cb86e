//! Containers: kinds that the engine runs and that the program's catalog does not offer yet.

use signalbox_engine::effect::CallOutput;
use signalbox_model::NodeDescriptor;
use signalbox_nodes::Kind;

const YAML: [&str; 3] = [
    include_str!("containers/flow.loop.yaml"),
    include_str!("containers/flow.parallel.yaml"),
    include_str!("containers/flow.break.yaml"),
];

/// Their descriptors.
pub fn descriptors() -> Vec<NodeDescriptor> {
    YAML.iter().map(|yaml| serde_saphyr::from_str(yaml).unwrap_or_else(|error| panic!("{error}: {yaml}"))).collect()
}

/// The code of a kind: theirs, or the program's.
pub fn kind(name: &str) -> Option<Kind> {
    match name {
        // The engine does the ending.
        "flow.break" => Some(Kind::Pure(|_| Ok(CallOutput::default()))),
        _ => signalbox_nodes::kind(name),
    }
}
