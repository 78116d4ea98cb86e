//! The names an expression can see (SEMANTICS 3). Values are shared by `Arc`: building a scope costs a handful of
//! reference counts whatever the size of the data. Large data is text, and is read where it stands.

use crate::expr::Allowance;
use crate::lineage::Unpaired;
use crate::schemas::Schemas;
use indexmap::IndexMap;
use serde_json::Value;
use signalbox_model::Data;
use std::sync::{Arc, OnceLock};

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

/// What expressions see as `run`. The step that executed last changes at every step and is rarely read, so it is put beside the
/// others only for an expression that reads more than they say.
#[derive(Debug, Clone)]
pub struct RunView {
    fixed: Arc<Value>,
    last_node: Option<Arc<str>>,
    whole: OnceLock<Arc<Value>>,
}

impl RunView {
    /// `fixed`: what is the same in the whole run, an object.
    pub(crate) fn new(fixed: Arc<Value>, last_node: Option<Arc<str>>) -> Self {
        Self { fixed, last_node, whole: OnceLock::new() }
    }

    /// A field, without making the object for one that is the same in the whole run.
    pub fn get(&self, name: &str) -> Option<&Value> {
        self.fixed.get(name).or_else(|| self.whole().get(name))
    }

    /// The object with all fields.
    pub fn whole(&self) -> &Arc<Value> {
        self.whole.get_or_init(|| {
            let mut whole = (*self.fixed).clone();
            whole["lastNode"] = self.last_node.as_deref().into();
            Arc::new(whole)
        })
    }
}

impl From<Value> for RunView {
    /// `whole`: with all fields.
    fn from(whole: Value) -> Self {
        let whole = Arc::new(whole);
        Self { fixed: Arc::clone(&whole), last_node: None, whole: whole.into() }
    }
}

/// What is bound while an expression is evaluated.
#[derive(Debug, Clone)]
pub struct Scope {
    /// The run's input.
    pub params: Arc<Value>,
    /// `{id, startedAt, lastNode}`; `lastNode` is the step that executed last, null before the first (D-07).
    pub run: RunView,
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
            run: Value::Object(serde_json::Map::new()).into(),
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
