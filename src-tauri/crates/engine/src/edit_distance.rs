//! How far two names are apart: what looks like a slip of the pen.

/// Longest part of a name that is compared: names come from outside, and the work grows with the product of their lengths.
const COMPARED: usize = 64;

/// Letters to insert, remove, replace or swap with the neighbour.
pub(crate) fn distance(a: &str, b: &str) -> usize {
    let letters = |name: &str| name.chars().take(COMPARED).collect::<Vec<char>>();
    let (a, b) = (letters(a), letters(b));
    let width = b.len() + 1;
    let mut older: Vec<usize> = vec![0; width];
    let mut above: Vec<usize> = (0..width).collect();
    for (row, x) in a.iter().enumerate() {
        let mut line = vec![row + 1; width];
        for (column, y) in b.iter().enumerate() {
            let mut best = (above[column] + usize::from(x != y)).min(above[column + 1] + 1).min(line[column] + 1);
            if row > 0 && column > 0 && a.get(row - 1) == Some(y) && b.get(column - 1) == Some(x) {
                best = best.min(older[column - 1] + 1);
            }
            line[column + 1] = best;
        }
        older = std::mem::replace(&mut above, line);
    }
    above.last().copied().unwrap_or(0)
}
