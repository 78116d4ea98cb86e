//! Where the steps of an import stand: columns by the longest way to a step, the first way on a straight line, frames as
//! large as what is in them. The window has a finer layout; this one is for files that no window has seen.

use indexmap::IndexMap;
use serde_json::{Value, json};
use signalbox_model::{Map, Workflow};
use std::collections::HashMap;

/// Sizes of the canvas (ui/src/features/canvas/model).
const CARD: (i64, i64) = (200, 56);
const GAP_X: i64 = 48;
const GAP_Y: i64 = 88;
const BODY_AT: (i64, i64) = (32, 48);
const BODY_RIGHT: i64 = 32;
const BODY_BELOW: i64 = 48;
/// Where wires meet a card and a frame, from its top.
const CARD_PORT: i64 = 28;
const FRAME_PORT: i64 = BODY_AT.1 + CARD_PORT;
/// Height of each port of a card beyond two.
const PORT: i64 = 24;

/// Ways out of an error handler.
const HANDLER_PORTS: i64 = 6;

struct Shape {
    size: (i64, i64),
    port: i64,
}

/// Puts every step somewhere readable.
pub(crate) fn lay_out(workflow: &mut Workflow) {
    let mut bodies: IndexMap<&str, Vec<&str>> = IndexMap::new();
    for (id, node) in &workflow.nodes {
        bodies.entry(node.parent.as_deref().unwrap_or_default()).or_default().push(id);
    }
    let mut wires: HashMap<&str, Vec<&str>> = HashMap::new();
    for edge in &workflow.edges {
        wires.entry(edge.to.as_str()).or_default().push(edge.from.node());
    }
    // Frames are made after those around them: backwards, what is inside has its size first.
    let mut shapes: HashMap<&str, Shape> = HashMap::new();
    let mut places: HashMap<&str, (i64, i64)> = HashMap::new();
    for (id, node) in &workflow.nodes {
        let cases = node.config.as_ref().and_then(|config| config["cases"].as_array()).map_or(0, Vec::len);
        let more = match node.kind.as_str() {
            "builtin.error_handler" => HANDLER_PORTS - 2,
            _ => i64::try_from(cases).unwrap_or(0).saturating_sub(1).clamp(0, 50),
        };
        shapes.insert(id, Shape { size: (CARD.0, CARD.1 + more * PORT), port: CARD_PORT });
    }
    let mut frames: Vec<&str> = bodies.keys().copied().filter(|id| !id.is_empty()).collect();
    frames.sort_by_key(|id| std::cmp::Reverse(depth(workflow, id)));
    for frame in frames.into_iter().chain([""]) {
        let Some(body) = bodies.get(frame) else { continue };
        let size = place(body, &wires, &shapes, &mut places);
        if !frame.is_empty() {
            let size = (size.0 + BODY_AT.0 + BODY_RIGHT, size.1 + BODY_AT.1 + BODY_BELOW);
            shapes.insert(frame, Shape { size, port: FRAME_PORT });
        }
    }
    let mut layout = Map::new();
    for (id, node) in &workflow.nodes {
        let (x, y) = places.get(id.as_str()).copied().unwrap_or_default();
        let corner = if node.parent.is_some() { BODY_AT } else { (0, 0) };
        layout.insert(id.clone(), json!([x + corner.0, y + corner.1]));
    }
    workflow.layout = Some(layout).filter(|layout: &Map| !layout.values().all(Value::is_null));
}

fn depth(workflow: &Workflow, id: &str) -> usize {
    let parent = |id: &str| workflow.nodes.get(id).and_then(|node| node.parent.as_deref());
    std::iter::successors(parent(id), |id| parent(id)).take(64).count()
}

/// Places the steps of one body from 0, 0 and gives its size.
fn place<'a>(
    body: &[&'a str],
    wires: &HashMap<&str, Vec<&'a str>>,
    shapes: &HashMap<&str, Shape>,
    places: &mut HashMap<&'a str, (i64, i64)>,
) -> (i64, i64) {
    let mine: HashMap<&str, usize> = body.iter().enumerate().map(|(i, id)| (*id, i)).collect();
    let before = |id: &str| -> Vec<usize> {
        wires.get(id).into_iter().flatten().filter_map(|from| mine.get(from).copied()).collect()
    };
    let befores: Vec<Vec<usize>> = body.iter().map(|id| before(id)).collect();
    let columns = ranks(&befores);
    let last = columns.iter().copied().max().unwrap_or(0);
    let mut by_column: Vec<Vec<usize>> = vec![Vec::new(); last + 1];
    for (i, column) in columns.iter().enumerate() {
        by_column[*column].push(i);
    }
    // The height of the wire through each step, and whether it is the first that goes on from there.
    let mut lines: Vec<i64> = vec![0; body.len()];
    let (mut x, mut right, mut bottom) = (0, 0, 0);
    let mut top = 0;
    let mut put: Vec<(usize, i64, i64)> = Vec::new();
    for column in by_column {
        let mut wanted: Vec<(i64, usize)> = column
            .into_iter()
            .map(|i| (befores[i].iter().map(|from| lines[*from]).min().unwrap_or(CARD_PORT), i))
            .collect();
        wanted.sort_unstable();
        let mut free = i64::MIN;
        let mut width = CARD.0;
        for (line, i) in wanted {
            let Some(shape) = shapes.get(body[i]) else { continue };
            let y = (line - shape.port).max(free);
            lines[i] = y + shape.port;
            put.push((i, x, y));
            top = top.min(y);
            free = y + shape.size.1 + GAP_Y;
            width = width.max(shape.size.0);
            bottom = bottom.max(y + shape.size.1);
        }
        right = right.max(x + width);
        x += width + GAP_X;
    }
    for (i, x, y) in put {
        places.insert(body[i], (x, y - top));
    }
    (right, bottom - top)
}

/// The longest way to each step. Steps of a circle stay in the first column.
fn ranks(befores: &[Vec<usize>]) -> Vec<usize> {
    let mut open: Vec<usize> = befores.iter().map(Vec::len).collect();
    let mut after: Vec<Vec<usize>> = vec![Vec::new(); befores.len()];
    for (to, from) in befores.iter().enumerate().flat_map(|(to, all)| all.iter().map(move |from| (to, *from))) {
        after[from].push(to);
    }
    let mut ranks = vec![0; befores.len()];
    let mut ready: Vec<usize> = (0..befores.len()).filter(|i| open[*i] == 0).collect();
    while let Some(i) = ready.pop() {
        for to in &after[i] {
            ranks[*to] = ranks[*to].max(ranks[i] + 1);
            open[*to] -= 1;
            if open[*to] == 0 {
                ready.push(*to);
            }
        }
    }
    ranks
}
