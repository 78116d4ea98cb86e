//! Variables of the context, as a workflow declares them.

use crate::schema::Schema;
use serde_json::Value;
use std::sync::Arc;

/// The variables that `context.schema` declares, each with its own schema, or why that cannot be used. What stands in
/// `$defs` is there for every one of them.
pub(crate) fn declared(schema: &Value) -> impl Iterator<Item = (&String, Result<Arc<Schema>, String>)> {
    let properties = schema.get("properties").and_then(Value::as_object);
    properties.into_iter().flatten().map(|(name, property)| {
        let mut own = property.clone();
        if let Some(own) = own.as_object_mut() {
            for word in ["$schema", "$defs", "definitions"] {
                if let Some(shared) = schema.get(word).filter(|_| !own.contains_key(word)) {
                    own.insert(word.to_owned(), shared.clone());
                }
            }
        }
        (name, Schema::compile(&own))
    })
}
