//! Guards of a step (K-14): conditions and checks of texts that refuse a call before its code, withhold what it made, or mask
//! personal data in either (ADR 125).

mod checks;
pub mod question;
mod settings;

pub use checks::blocked;
pub(crate) use checks::{Masker, Seen, refusal};
pub use settings::{Action, Check, Guard, Guardrails, Problem};

pub use signalbox_guardrails::{allowed, texts};
use signalbox_model::Node;

/// The guards of a node that act.
pub fn active(node: &Node) -> Guardrails {
    Guardrails::read(node).ok().flatten().filter(|guards| guards.enabled).unwrap_or_default()
}
