//! The names an expression can see (SEMANTICS 3). Values are shared by `Arc`: building a scope costs a handful of
//! reference counts whatever the size of the data. Large data is text, and is read where it stands.

use crate::expr::Allowance;
use crate::lineage::Unpaired;
use crate::schemas::Schemas;
use indexmap::IndexMap;
use serde_json::Value;
use signalbox_model::Data;
use std::sync::Arc;

/// Top-level variables of a run; a write replaces one `Arc`.
pub type Context = Arc<IndexMap<String, Arc<Value>>>;

/// Last success of an ancestor.
#[derive(Debug, Clone)]
pub struct NodeView {
    /// Data of its output item, a list when it made several, null when none.
    pub output: Data,
    /// Data of all its output items.
    pub items: Arc<Vec<Data>>,
}

/// By id of an earlier step: the data of its item that the current one descends from.
pub type Paired = IndexMap<String, Result<Data, Unpaired>>;

/// What is bound while an expression is evaluated.
#[derive(Debug, Clone)]
pub struct Scope {
    /// The run's input.
    pub params: Arc<Value>,
    /// `{id, startedAt, lastNode}`; `lastNode` is the step that executed last, null before the first (D-07).
    pub run: Arc<Value>,
    /// `{id}`.
    pub workflow: Arc<Value>,
    /// Run-wide variables.
    pub context: Context,
    /// Data of the current item, null without items.
    pub item: Data,
    /// Data of all items.
    pub items: Arc<Vec<Data>>,
    /// Ancestors that the expressions of this node name and that have succeeded.
    pub nodes: Arc<IndexMap<String, NodeView>>,
    /// What `paired('step')` gives, for the steps that the expressions of this node name there.
    pub paired: Option<Arc<Paired>>,
    /// `error`, `err` and `ctx.error`; null without an error on the item.
    pub error: Arc<Value>,
    /// `ctx.data`: the failed call's input if there is an error, else the item's data.
    pub data: Data,
    /// `_result`, `_meta`, `_toolResult`, `_item`, `_index` where they are bound.
    pub locals: Vec<(&'static str, Data)>,
    /// Schemas that have a name.
    pub schemas: Schemas,
    /// What a preview may cost; none in a run, where only counted limits decide.
    pub allowance: Option<Arc<Allowance>>,
}

impl Scope {
    /// A scope with nothing but null and empty values; tests and previews fill what they need.
    pub fn empty() -> Self {
        let null = Arc::new(Value::Null);
        Self {
            params: Arc::new(Value::Object(serde_json::Map::new())),
            run: Arc::new(Value::Object(serde_json::Map::new())),
            workflow: Arc::new(Value::Object(serde_json::Map::new())),
            context: Arc::new(IndexMap::new()),
            item: Data::Value(Arc::clone(&null)),
            items: Arc::new(Vec::new()),
            nodes: Arc::new(IndexMap::new()),
            paired: None,
            error: Arc::clone(&null),
            data: Data::Value(null),
            locals: Vec::new(),
            schemas: Schemas::default(),
            allowance: None,
        }
    }
}
