//! Where the steps of a draft stand on the canvas: columns from left to right by their distance from the start.

use crate::draft::Draft;
use serde_json::{Map, Value, json};
use std::collections::HashMap;

const COLUMN: usize = 280;
const ROW: usize = 140;

/// Id → `[x, y]`.
pub(crate) fn of(draft: &Draft) -> Value {
    let mut columns: HashMap<&str, usize> = draft.nodes.keys().map(|id| (id.as_str(), 0)).collect();
    // The longest way to each step; a circle ends it after as many rounds as there are steps.
    for _ in 0..draft.nodes.len() {
        let mut moved = false;
        for (from, to) in &draft.edges {
            let from = from.rsplit_once('.').map_or(from.as_str(), |(node, _)| node);
            let Some(next) = columns.get(from).map(|column| (column + 1).min(draft.nodes.len())) else { continue };
            if let Some(column) = columns.get_mut(to.as_str()).filter(|column| **column < next) {
                *column = next;
                moved = true;
            }
        }
        if !moved {
            break;
        }
    }
    let mut rows: HashMap<usize, usize> = HashMap::new();
    let mut layout = Map::new();
    for id in draft.nodes.keys() {
        let column = columns.get(id.as_str()).copied().unwrap_or_default();
        let row = rows.entry(column).or_default();
        layout.insert(id.clone(), json!([column * COLUMN, *row * ROW]));
        *row += 1;
    }
    layout.into()
}
