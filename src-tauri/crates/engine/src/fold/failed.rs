//! What failed, as it leaves: the error as data, with the bytes that came in.

use crate::compiled::Compiled;
use signalbox_model::{Binaries, ErrorPayload, Item, Items, Mode, item::together};
use std::sync::Arc;

/// The bytes of what goes into a slot. They stay with it, whatever becomes of its data and whichever way it leaves.
pub(crate) fn bytes_of(compiled: &Compiled, node: usize, input: &Items, slot: usize) -> Option<Binaries> {
    match compiled.nodes[node].mode {
        Mode::Each => input.binary(slot).cloned(),
        Mode::All => together(input.binaries()),
    }
}

/// An item of a red port.
pub(super) fn error_item(error: &Arc<ErrorPayload>, paired: Option<usize>, binary: Option<Binaries>) -> Item {
    Item {
        id: "1".into(),
        data: Arc::new(serde_json::to_value(error.as_ref()).unwrap_or_default()),
        binary,
        error: Some(Arc::clone(error)),
        paired_item: paired,
    }
}
