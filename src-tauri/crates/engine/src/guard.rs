//! Guards of a step (K-14): conditions and checks of texts that refuse a call before its code, withhold what it made, or mask
//! personal data in either (ADR 125).

mod checks;
mod settings;

pub(crate) use checks::{Seen, mask_items, mask_value, refusal};
pub use settings::{Action, Check, Guard, Guardrails, Problem};

use signalbox_model::Node;

/// The guards of a node that act.
pub(crate) fn active(node: &Node) -> Guardrails {
    Guardrails::read(node).ok().flatten().filter(|guards| guards.enabled).unwrap_or_default()
}
