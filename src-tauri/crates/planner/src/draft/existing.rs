//! A workflow file as a draft, and a draft put back onto the file it came from: what a draft does not hold stays as it was.

use super::{Draft, DraftNode, layout};
use serde_json::{Map, Value, json};
use signalbox_engine::Catalog;

/// Where new steps are put below those that are there.
const GAP: f64 = 160.0;

impl Draft {
    /// The steps of a workflow file with all their fields.
    pub fn of_document(document: &Value) -> Self {
        let nodes = document["nodes"].as_object().into_iter().flatten().filter_map(|(id, node)| {
            let mut fields = node.as_object()?.clone();
            let kind = fields.shift_remove("type").as_ref().and_then(Value::as_str).unwrap_or_default().to_owned();
            Some((id.clone(), DraftNode { kind, fields }))
        });
        let text = |value: &Value| value.as_str().map(str::to_owned);
        let edges = document["edges"].as_array().into_iter().flatten();
        Self {
            nodes: nodes.collect(),
            edges: edges.filter_map(|edge| Some((text(&edge["from"])?, text(&edge["to"])?))).collect(),
            params: document.get("params").cloned(),
            context: document.get("context").cloned(),
        }
    }

    /// The file with the steps and edges of this draft. Places of steps that were there are kept; new ones are laid out.
    pub fn onto(&self, base: &Value, catalog: &Catalog) -> Value {
        let mut document = base.clone();
        let drawn = self.document("", "", "", catalog);
        let mut nodes = Map::new();
        for (id, node) in &self.nodes {
            // An unchanged step stays byte for byte what it was: its fields keep their order.
            let unchanged = Self::of_document(&json!({ "nodes": { id: base["nodes"][id].clone() } }));
            let same = unchanged.nodes.get(id) == Some(node);
            nodes.insert(id.clone(), if same { base["nodes"][id].clone() } else { self.written(id, &drawn, base) });
        }
        let edges: Vec<Value> = self
            .edges
            .iter()
            .map(|(from, to)| {
                let known = base["edges"].as_array().into_iter().flatten();
                let known = known.into_iter().find(|edge| edge["from"] == *from && edge["to"] == *to);
                known.cloned().unwrap_or_else(|| json!({ "from": from, "to": to }))
            })
            .collect();
        for (name, value) in [("params", &self.params), ("context", &self.context)] {
            if let Some(value) = value {
                document[name] = value.clone();
            }
        }
        document["nodes"] = nodes.into();
        document["edges"] = edges.into();
        document["layout"] = self.places(base);
        document
    }

    fn written(&self, id: &str, drawn: &Value, base: &Value) -> Value {
        let mut node = drawn["nodes"][id].clone();
        let is_new = base["nodes"].get(id).is_none();
        let given = self.nodes.get(id).is_some_and(|node| node.fields.contains_key("title"));
        if let (false, false, Some(fields)) = (is_new, given, node.as_object_mut()) {
            fields.shift_remove("title");
        }
        node
    }

    fn places(&self, base: &Value) -> Value {
        let wanted = layout::of(self);
        let known = base["layout"].as_object().cloned().unwrap_or_default();
        let number = |value: &Value, at: usize| value[at].as_f64();
        let of_steps = || known.iter().filter(|(id, _)| self.nodes.contains_key(*id)).map(|(_, place)| place);
        let bottom = of_steps().filter_map(|place| number(place, 1)).reduce(f64::max);
        let mut places = known.clone();
        for id in self.nodes.keys().filter(|id| !known.contains_key(*id)) {
            let Some(bottom) = bottom else {
                places.insert(id.clone(), wanted[id].clone());
                continue;
            };
            // After the step before it, where there is one; below everything, so that nothing is covered.
            let before = self.edges.iter().find(|(_, to)| to == id).and_then(|(from, _)| from.rsplit_once('.'));
            let left = before.and_then(|(from, _)| places.get(from)).and_then(|place| number(place, 0));
            let x = left.map_or_else(|| number(&wanted[id], 0).unwrap_or_default(), |left| left + 280.0);
            let y = number(&wanted[id], 1).unwrap_or_default();
            places.insert(id.clone(), json!([x as i64, (bottom + GAP + y) as i64]));
        }
        places.retain(|id, _| self.nodes.contains_key(id) || base["nodes"].get(id).is_none());
        places.into()
    }
}

#[cfg(test)]
mod tests;
