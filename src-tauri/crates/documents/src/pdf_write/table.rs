//! Tables: how wide the columns are, and rows that are not cut in half.

use super::blocks::{Inline, Side, Table};
use super::layout::{Layout, height};
use super::page::{BLACK, LINE, SHADE};
use super::shape::{Line, Setting};
use crate::Error;

/// Rows that are measured for the widths of the columns.
const MEASURED: usize = 300;
/// Size of the letters, in parts of that of plain text.
const SIZE: f32 = 0.92;

/// What all rows of a table have in common.
struct Columns {
    x: f32,
    widths: Vec<f32>,
    sides: Vec<Side>,
    padding: (f32, f32),
    setting: Setting,
}

impl Layout<'_> {
    pub(super) fn table(&mut self, table: &Table, x: f32, width: f32) -> Result<(), Error> {
        let columns = self.columns(table, x, width)?;
        if columns.widths.is_empty() {
            return Ok(());
        }
        self.gap(self.size() * 0.8);
        let header = self.cells(&table.header, &columns, true);
        let has_header = table.header.iter().any(|cell| !cell.is_empty());
        let header_height = if has_header { row_height(&header, &columns) } else { 0.0 };
        let body = self.bottom() - self.options.margin;
        // A header that fills the page would leave no room for rows.
        let repeats = has_header && header_height * 3.0 < body;
        let full = if repeats { body - header_height } else { body };
        self.canvas.open("Table");
        let first = if table.rows.len() == 0 {
            0.0
        } else {
            row_height(&self.cells(&table.rows.cells(0), &columns, false), &columns)
        };
        self.ensure(header_height + first.min(full))?;
        if has_header {
            // Pictures above the rest are no names of columns.
            let has_names = table.header.iter().flatten().any(|inline| matches!(inline, Inline::Text(..)));
            self.row(&header, &columns, Some(if has_names { "TH" } else { "TD" }));
        }
        for at in 0..table.rows.len() {
            let mut cells = self.cells(&table.rows.cells(at), &columns, false);
            let tall = row_height(&cells, &columns);
            if self.y + tall > self.bottom() + 0.01 {
                if tall <= full {
                    self.next_page(&header, &columns, repeats)?;
                } else {
                    // It is higher than a page: as many lines as fit, then the rest.
                    while let Some(some) = self.first_lines(&mut cells, &columns) {
                        if some.iter().any(|cell| !cell.is_empty()) {
                            self.row(&some, &columns, Some("TD"));
                        }
                        self.next_page(&header, &columns, repeats)?;
                    }
                }
            }
            self.row(&cells, &columns, Some("TD"));
        }
        self.canvas.close();
        self.y += self.size() * 0.3;
        Ok(())
    }

    fn next_page(&mut self, header: &[Vec<Line>], columns: &Columns, repeats: bool) -> Result<(), Error> {
        self.new_page()?;
        if repeats {
            self.canvas.begin_repeated();
            self.row(header, columns, None);
            self.canvas.end_repeated();
        }
        Ok(())
    }

    /// Takes away the lines that fit on the page; nothing when all of them do.
    fn first_lines(&self, cells: &mut [Vec<Line>], columns: &Columns) -> Option<Vec<Vec<Line>>> {
        let room = self.bottom() - self.y - 2.0 * columns.padding.1;
        if row_height(cells, columns) <= room + 2.0 * columns.padding.1 {
            return None;
        }
        let mut some = Vec::with_capacity(cells.len());
        for cell in cells.iter_mut() {
            let mut left = room;
            let mut count = cell
                .iter()
                .take_while(|line| {
                    left -= height(line);
                    left >= 0.0
                })
                .count();
            // A line that is higher than a page is drawn nevertheless.
            if count == 0 && self.y < self.bottom() / 2.0 {
                count = 1.min(cell.len());
            }
            some.push(cell.drain(..count).collect());
        }
        Some(some)
    }

    fn cells(&mut self, cells: &[Vec<Inline>], columns: &Columns, is_header: bool) -> Vec<Vec<Line>> {
        let setting = Setting { bold: is_header, ..columns.setting };
        let mut all = Vec::with_capacity(columns.widths.len());
        for (at, width) in columns.widths.iter().enumerate() {
            let room = width - 2.0 * columns.padding.0;
            let cell = cells.get(at).map(Vec::as_slice).unwrap_or_default();
            let shaped = self.shaped(cell, setting, room);
            all.push(self.lines(&shaped, room));
        }
        all
    }

    /// Draws a row whose height fits. `kind`: of its cells, or nothing where it is repeated.
    fn row(&mut self, cells: &[Vec<Line>], columns: &Columns, kind: Option<&'static str>) {
        let (top, tall) = (self.y, row_height(cells, columns));
        let width: f32 = columns.widths.iter().sum();
        let bottom = self.options.height - top - tall;
        let is_header = kind != Some("TD");
        if is_header {
            self.canvas.rectangle(columns.x, bottom, width, tall, SHADE);
        }
        self.canvas.open("TR");
        let mut x = columns.x;
        for ((cell, width), side) in cells.iter().zip(&columns.widths).zip(&columns.sides) {
            self.canvas.open(kind.unwrap_or("TH"));
            self.y = top + columns.padding.1;
            for line in cell {
                self.line(line, x + columns.padding.0, width - 2.0 * columns.padding.0, *side, BLACK);
                self.y += height(line);
            }
            self.canvas.close();
            x += width;
        }
        self.canvas.close();
        self.canvas.rectangle(columns.x, bottom, width, if is_header { 0.9 } else { 0.5 }, LINE);
        self.y = top;
        self.drawn(tall);
    }

    /// As wide as the page. Each column gets what its longest word needs, and the rest by how long its texts are.
    fn columns(&mut self, table: &Table, x: f32, width: f32) -> Result<Columns, Error> {
        let setting = self.setting(self.size() * SIZE);
        let padding = (self.size() * 0.5, self.size() * 0.3);
        let count = table.header.len().max(table.sides.len());
        let least = setting.size + 2.0 * padding.0;
        let most = (width / least).floor() as usize;
        if count > most {
            let words = format!(
                "A table has {count} columns, and the page has room for {most}. Choose fewer columns, smaller letters, a larger page or landscape"
            );
            return Err(Error::too_large(words, most as u64));
        }
        let (mut narrow, mut wide) = (vec![least; count], vec![least; count]);
        let mut measure = |layout: &mut Self, cells: &[Vec<Inline>], bold: bool| {
            for (at, cell) in cells.iter().enumerate().take(count) {
                let shaped = layout.shaped(cell, Setting { bold, ..setting }, width - 2.0 * padding.0);
                for one in &shaped {
                    let (word, all) = one.widths();
                    // Nothing is wider than a third of the page only because a word is long: the word is divided.
                    let word = word.min((width / 3.0).max(width / count as f32 - 2.0 * padding.0)) + 2.0 * padding.0;
                    if let (Some(narrow), Some(wide)) = (narrow.get_mut(at), wide.get_mut(at)) {
                        *narrow = narrow.max(word);
                        *wide = wide.max((all + 2.0 * padding.0).max(word));
                    }
                }
            }
        };
        measure(self, &table.header, true);
        for at in 0..table.rows.len().min(MEASURED) {
            measure(self, &table.rows.cells(at), false);
        }
        let widths = share(width, &narrow, &wide, least);
        let mut sides = table.sides.clone();
        sides.resize(count, Side::Start);
        Ok(Columns { x, widths, sides, padding, setting })
    }
}

/// Divides a width among columns that need at least `narrow` and at best `wide`.
fn share(width: f32, narrow: &[f32], wide: &[f32], least: f32) -> Vec<f32> {
    let (all_narrow, all_wide): (f32, f32) = (narrow.iter().sum(), wide.iter().sum());
    if all_wide <= width {
        let more = (width - all_wide) / all_wide.max(1.0);
        return wide.iter().map(|one| one + one * more).collect();
    }
    if all_narrow <= width {
        let part = (width - all_narrow) / (all_wide - all_narrow).max(0.01);
        return narrow.iter().zip(wide).map(|(narrow, wide)| narrow + (wide - narrow) * part).collect();
    }
    // Not even the words fit: they are divided.
    let floor = least * narrow.len() as f32;
    let part = (width - floor).max(0.0) / (all_narrow - floor).max(0.01);
    narrow.iter().map(|one| least + (one - least) * part).collect()
}

fn row_height(cells: &[Vec<Line>], columns: &Columns) -> f32 {
    let tallest = cells.iter().map(|cell| cell.iter().map(height).sum::<f32>()).fold(0.0, f32::max);
    tallest + 2.0 * columns.padding.1
}

#[cfg(test)]
mod tests {
    use super::share;

    #[test]
    fn a_width_is_shared_by_need() {
        assert_eq!(share(100.0, &[10.0, 10.0], &[20.0, 30.0], 5.0), [40.0, 60.0]);
        assert_eq!(share(100.0, &[20.0, 20.0], &[20.0, 200.0], 5.0), [20.0, 80.0]);
        assert_eq!(share(100.0, &[95.0, 55.0], &[100.0, 100.0], 5.0).iter().sum::<f32>(), 100.0);
    }
}
