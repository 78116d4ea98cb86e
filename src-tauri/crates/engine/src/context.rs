//! Writes to the run's context (SEMANTICS 7).

use crate::{compiled::Compiled, schema::Violation, scope::Context};
use serde_json::Value;
use signalbox_model::{
    Map, NodeFailure,
    event::VarChanged,
    path::{self, Segment},
};
use std::sync::Arc;

/// Applies one `$name[.path]` write; `None` when nothing changed.
pub(crate) fn write(
    compiled: &Compiled,
    node: usize,
    context: &mut Context,
    target: &str,
    value: Arc<Value>,
) -> Result<Option<VarChanged>, NodeFailure> {
    let refuse = |why: String| NodeFailure::validation("BAD_PATH", why).detail("target", target);
    let segments = path::parse(target.strip_prefix('$').unwrap_or(target)).map_err(|e| refuse(e.to_string()))?;
    let Some((Segment::Key(name), rest)) = segments.split_first() else {
        return Err(refuse(format!("'{target}' does not begin with a name, such as $user")));
    };
    if let Some(writes) = &compiled.nodes[node].node.writes
        && !writes.contains(name)
    {
        return Err(NodeFailure::validation(
            "UNDECLARED_WRITE",
            format!("This step may not write ${name}: its 'writes' lists only {}", writes.join(", ")),
        )
        .detail("target", target));
    }
    let old = context.get(name).cloned();
    let new = if rest.is_empty() {
        value
    } else {
        let mut whole = old.as_ref().map_or(Value::Object(Map::new()), |v| (**v).clone());
        set(&mut whole, rest, (*value).clone())
            .map_err(|why| refuse(format!("'{target}' cannot be written: {why}")))?;
        Arc::new(whole)
    };
    if old.as_deref() == Some(new.as_ref()) {
        return Ok(None);
    }
    Arc::make_mut(context).insert(name.clone(), Arc::clone(&new));
    Ok(Some(VarChanged { name: format!("${name}"), old_value: old, new_value: new }))
}

/// Sets a value below another; creates missing objects, never list elements.
fn set(here: &mut Value, rest: &[Segment], value: Value) -> Result<(), String> {
    let Some((segment, rest)) = rest.split_first() else {
        *here = value;
        return Ok(());
    };
    if here.is_null() && matches!(segment, Segment::Key(_)) {
        *here = Value::Object(Map::new());
    }
    match (segment, here) {
        (Segment::Key(name), Value::Object(map)) => set(map.entry(name.clone()).or_insert(Value::Null), rest, value),
        (Segment::Key(name), _) => Err(format!("'{name}' is a field, but its parent is no object")),
        (Segment::Index(index), Value::Array(list)) => {
            let length = list.len();
            let element =
                list.get_mut(*index).ok_or_else(|| format!("the list has no element {index}, only {length}"))?;
            set(element, rest, value)
        }
        (Segment::Index(index), _) => Err(format!("[{index}] needs a list that exists")),
    }
}

/// All writes of a call against `context.schema`.
pub(crate) fn check(
    compiled: &Compiled,
    node: usize,
    context: &Context,
    changes: &[VarChanged],
) -> Result<(), NodeFailure> {
    for change in changes {
        let name = change.name.trim_start_matches('$');
        let Some(value) = context.get(name) else { continue };
        match compiled.file(node).context_schema.get(name) {
            Some(schema) => {
                if let Err(violations) = schema.validate(value) {
                    let told = violations.first().map(Violation::told).unwrap_or_default();
                    return Err(NodeFailure::validation(
                        "SCHEMA_MISMATCH",
                        format!("${name} does not fit the workflow's context schema: {told}"),
                    )
                    .detail("target", change.name.clone()));
                }
            }
            None if compiled.file(node).context_closed => {
                return Err(NodeFailure::validation(
                    "UNDECLARED_WRITE",
                    format!("${name} is not declared in the workflow's context schema"),
                )
                .detail("target", change.name.clone()));
            }
            None => {}
        }
    }
    Ok(())
}
