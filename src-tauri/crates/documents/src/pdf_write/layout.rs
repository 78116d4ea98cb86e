//! Blocks on pages: where each line stands, and where a page ends.

use super::blocks::{Block, Document, Inline, List, Picture, Side, Style, Width};
use super::fonts::Fonts;
use super::image::Image;
use super::options::Options;
use super::page::{BLACK, Canvas, Colour, GREY, LINE, Mark, SHADE};
use super::shape::{Line, Part, Setting, Shaped, shape};
use super::{MAX_PAGES, blocks};
use crate::Error;
use std::collections::HashMap;

/// Height of a line, in parts of the font size.
const LEADING: f32 = 1.4;
/// Dots of a picture on a screen, for each point.
const DOTS: f32 = 96.0 / 72.0;

/// Pages that fill.
pub(super) struct Layout<'a> {
    pub(super) canvas: Canvas,
    pub(super) fonts: &'a mut Fonts,
    pub(super) options: &'a Options,
    pub(super) links: Vec<String>,
    pub(super) images: HashMap<String, Image>,
    /// Distance from the top of the page.
    pub(super) y: f32,
    /// Nothing is on the page yet.
    is_fresh: bool,
    /// Bars beside quotes: where they stand, and where they begin on this page.
    bars: Vec<(f32, f32)>,
    /// Lists that are open.
    lists: usize,
    /// Something was drawn.
    pub(super) has_content: bool,
}

impl<'a> Layout<'a> {
    pub(super) fn new(
        canvas: Canvas,
        fonts: &'a mut Fonts,
        options: &'a Options,
        links: Vec<String>,
        images: HashMap<String, Image>,
    ) -> Self {
        let y = options.margin;
        Self {
            canvas,
            fonts,
            options,
            links,
            images,
            y,
            is_fresh: true,
            bars: Vec::new(),
            lists: 0,
            has_content: false,
        }
    }

    /// All of the document.
    pub(super) fn document(&mut self, document: &Document) -> Result<(), Error> {
        let (left, width) = (self.options.margin, self.options.width - 2.0 * self.options.margin);
        self.blocks(&document.blocks, left, width)?;
        self.canvas.end_page();
        Ok(())
    }

    pub(super) fn size(&self) -> f32 {
        self.options.font_size
    }

    pub(super) fn setting(&self, size: f32) -> Setting {
        Setting { size, leading: LEADING, bold: false, keeps_blanks: false }
    }

    /// Where the page ends for text.
    pub(super) fn bottom(&self) -> f32 {
        self.options.height - self.options.margin
    }

    pub(super) fn new_page(&mut self) -> Result<(), Error> {
        for at in 0..self.bars.len() {
            self.bar(at);
            if let Some(bar) = self.bars.get_mut(at) {
                bar.1 = self.options.margin;
            }
        }
        self.canvas.end_page();
        if self.canvas.page() >= MAX_PAGES {
            let words = format!("The PDF would have more than {MAX_PAGES} pages. Write several files");
            return Err(Error::too_large(words, MAX_PAGES as u64));
        }
        (self.y, self.is_fresh) = (self.options.margin, true);
        Ok(())
    }

    /// A new page unless there is so much room, or nothing is on this one.
    pub(super) fn ensure(&mut self, height: f32) -> Result<(), Error> {
        if self.y + height > self.bottom() + 0.01 && !self.is_fresh { self.new_page() } else { Ok(()) }
    }

    /// Room above a block; none at the top of a page.
    pub(super) fn gap(&mut self, height: f32) {
        if !self.is_fresh {
            self.y += height;
        }
    }

    fn bar(&mut self, at: usize) {
        let Some((x, from)) = self.bars.get(at).copied() else { return };
        if self.y > from {
            self.canvas.rectangle(x, self.options.height - self.y, 2.0, self.y - from, LINE);
        }
    }

    fn blocks(&mut self, all: &[Block], x: f32, width: f32) -> Result<(), Error> {
        for (at, block) in all.iter().enumerate() {
            self.block(block, x, width, at == 0)?;
        }
        Ok(())
    }

    /// `is_first`: nothing is before it in its list entry or quote.
    fn block(&mut self, block: &Block, x: f32, width: f32, is_first: bool) -> Result<(), Error> {
        let size = self.size();
        match block {
            Block::Heading(level, inlines) => self.heading(*level, inlines, x, width),
            Block::Paragraph(inlines) => {
                if !is_first {
                    self.gap(size * 0.6);
                }
                let shaped = self.shaped(inlines, self.setting(size), width);
                let lines = self.lines(&shaped, width);
                self.canvas.open("P");
                self.text(&lines, x, width, Side::Start, BLACK)?;
                self.canvas.close();
                Ok(())
            }
            Block::Code(code) => self.code(code, x, width),
            Block::Quote(blocks) => {
                self.gap(size * 0.6);
                self.ensure(size * LEADING * 2.0)?;
                self.canvas.open("BlockQuote");
                self.bars.push((x, self.y));
                self.blocks(blocks, x + size * 1.2, (width - size * 1.2).max(size * 3.0))?;
                self.bar(self.bars.len() - 1);
                self.bars.pop();
                self.canvas.close();
                Ok(())
            }
            Block::List(list) => self.list(list, x, width, is_first),
            Block::Table(table) => self.table(table, x, width),
            Block::Rule => {
                self.gap(size * 0.9);
                self.ensure(size)?;
                self.canvas.rectangle(x, self.options.height - self.y, width, 0.75, LINE);
                self.drawn(size * 0.3);
                Ok(())
            }
            Block::PageBreak if self.is_fresh => Ok(()),
            Block::PageBreak => self.new_page(),
        }
    }

    /// Something of this height was drawn.
    pub(super) fn drawn(&mut self, height: f32) {
        self.y += height;
        (self.is_fresh, self.has_content) = (false, true);
    }

    pub(super) fn shaped(&mut self, inlines: &[Inline], setting: Setting, room: f32) -> Vec<Shaped> {
        let (images, highest) = (&self.images, self.options.height - 2.0 * self.options.margin);
        let picture = |picture: &Picture, room: f32| picture_size(images.get(&picture.name), picture, room, highest);
        shape(inlines, setting, room, self.fonts, &picture)
    }

    pub(super) fn lines(&self, shaped: &[Shaped], width: f32) -> Vec<Line> {
        shaped.iter().flat_map(|one| one.lines(width, self.fonts)).collect()
    }

    fn heading(&mut self, level: u8, inlines: &[Inline], x: f32, width: f32) -> Result<(), Error> {
        const KINDS: [&str; 6] = ["H1", "H2", "H3", "H4", "H5", "H6"];
        let scale = match level {
            1 => 1.9,
            2 => 1.45,
            3 => 1.2,
            4 => 1.05,
            _ => 1.0,
        };
        let size = self.size() * scale;
        self.gap(size * if level == 1 { 1.0 } else { 0.9 });
        let setting = Setting { bold: true, leading: 1.25, ..self.setting(size) };
        let shaped = self.shaped(inlines, setting, width);
        let lines = self.lines(&shaped, width);
        let height: f32 = lines.iter().map(height).sum();
        // A heading stays with what it is above.
        self.ensure(height + self.size() * LEADING * 3.0)?;
        let mark =
            Mark { level, text: blocks::plain(inlines), page: self.canvas.page(), y: self.options.height - self.y };
        self.canvas.marks.push(mark);
        self.canvas.open(KINDS.get(usize::from(level) - 1).copied().unwrap_or("H6"));
        self.text(&lines, x, width, Side::Start, if level == 6 { GREY } else { BLACK })?;
        self.canvas.close();
        Ok(())
    }

    /// Lines of a paragraph. At least two stay together at its beginning and at its end.
    fn text(&mut self, lines: &[Line], x: f32, width: f32, side: Side, colour: Colour) -> Result<(), Error> {
        let mut at = 0;
        while at < lines.len() {
            let rest = lines.get(at..).unwrap_or_default();
            let mut room = self.bottom() - self.y + 0.01;
            let fits = rest
                .iter()
                .take_while(|line| {
                    room -= height(line);
                    room >= 0.0
                })
                .count();
            let mut count = fits;
            if fits < rest.len() {
                if rest.len() - fits == 1 && rest.len() > 3 && fits > 2 {
                    count -= 1;
                }
                if at == 0 && count < 2 && rest.len() > 1 && !self.is_fresh {
                    count = 0;
                }
                if count == 0 && self.is_fresh {
                    count = 1;
                }
            }
            for line in rest.iter().take(count) {
                self.line(line, x, width, side, colour);
                self.drawn(height(line));
            }
            at += count;
            if at < lines.len() {
                self.new_page()?;
            }
        }
        Ok(())
    }

    /// One line, whose top is at the present place.
    pub(super) fn line(&mut self, line: &Line, x: f32, width: f32, side: Side, colour: Colour) {
        let side = match (side, line.is_rtl) {
            (Side::Start, true) => Side::End,
            (side, _) => side,
        };
        let mut x = x + match side {
            Side::Start => 0.0,
            Side::Middle => (width - line.width).max(0.0) / 2.0,
            Side::End => (width - line.width).max(0.0),
        };
        let base = self.options.height - self.y - line.ascent;
        for part in &line.parts {
            match part {
                Part::Run(run) => {
                    let link = run.style.link.and_then(|at| self.links.get(at as usize)).cloned();
                    self.canvas.run(self.fonts, run, x, base, colour, link.as_deref());
                }
                Part::Picture(picture, width, height) => {
                    if let Some(image) = self.images.get(&picture.name) {
                        self.canvas.picture(image, &picture.alt, x, base, *width, *height);
                    }
                }
            }
            x += part.width();
        }
    }

    fn code(&mut self, code: &str, x: f32, width: f32) -> Result<(), Error> {
        let (size, padding) = (self.size(), self.size() * 0.6);
        self.gap(size * 0.7);
        let style = Style { code: true, ..Style::default() };
        let setting = Setting { keeps_blanks: true, leading: 1.3, ..self.setting(size * 0.95) };
        let mut lines = Vec::new();
        for line in code.trim_end_matches('\n').split('\n') {
            let inlines = [Inline::Text(line.trim_end_matches('\r').to_owned(), style)];
            let shaped = self.shaped(&inlines, setting, width);
            lines.extend(self.lines(&shaped, width - 2.0 * padding));
        }
        self.canvas.open("Code");
        let mut at = 0;
        while at < lines.len() {
            let mut room = self.bottom() - self.y - 2.0 * padding;
            let fits = lines
                .iter()
                .skip(at)
                .take_while(|line| {
                    room -= height(line);
                    room >= -0.01
                })
                .count();
            if (fits == 0 || (at == 0 && fits < 3.min(lines.len()))) && !self.is_fresh {
                self.new_page()?;
                continue;
            }
            let count = fits.max(1).min(lines.len() - at);
            let some: Vec<Line> = lines.iter().skip(at).take(count).cloned().collect();
            let tall: f32 = some.iter().map(height).sum::<f32>() + 2.0 * padding;
            self.canvas.rectangle(x, self.options.height - self.y - tall, width, tall, SHADE);
            self.y += padding;
            for line in &some {
                self.line(line, x + padding, width - 2.0 * padding, Side::Start, BLACK);
                self.drawn(height(line));
            }
            self.y += padding;
            at += count;
            if at < lines.len() {
                self.new_page()?;
            }
        }
        self.canvas.close();
        Ok(())
    }

    fn list(&mut self, list: &List, x: f32, width: f32, is_first: bool) -> Result<(), Error> {
        let size = self.size();
        let setting = self.setting(size);
        let markers: Vec<String> = list
            .items
            .iter()
            .enumerate()
            .map(|(at, entry)| match (entry.ticked, list.first) {
                (Some(true), _) => "☑".to_owned(),
                (Some(false), _) => "☐".to_owned(),
                (None, Some(first)) => format!("{}.", first.saturating_add(at as u64)),
                (None, None) => "•".to_owned(),
            })
            .collect();
        let mut lines = Vec::with_capacity(markers.len());
        for marker in &markers {
            let shaped = self.shaped(&[Inline::Text(marker.clone(), Style::default())], setting, width);
            lines.push(self.lines(&shaped, width).into_iter().next().unwrap_or_default());
        }
        let widest = lines.iter().map(|line| line.width).fold(size * 0.9, f32::max);
        let indent = widest + size * 0.6;
        let room = (width - indent).max(size * 3.0);
        // Entries with several blocks have more room between them.
        let is_loose = list
            .items
            .iter()
            .any(|entry| entry.blocks.len() > 1 && !matches!(entry.blocks.get(1), Some(Block::List(_))));
        self.canvas.open("L");
        for (at, (entry, marker)) in list.items.iter().zip(&lines).enumerate() {
            match (at, is_first) {
                (0, true) => {}
                (0, false) => self.gap(size * if self.lists > 0 { 0.15 } else { 0.5 }),
                _ => self.gap(size * if is_loose { 0.5 } else { 0.15 }),
            }
            let two_lines =
                matches!(entry.blocks.first(), Some(Block::Paragraph(inlines)) if blocks::plain(inlines).len() > 60);
            self.ensure(size * LEADING * if two_lines { 2.0 } else { 1.0 })?;
            self.canvas.open("LI");
            self.canvas.open("Lbl");
            self.line(marker, x, widest, Side::End, BLACK);
            self.canvas.close();
            self.canvas.open("LBody");
            if entry.blocks.is_empty() {
                self.drawn(height(marker));
            }
            self.has_content = true;
            self.lists += 1;
            self.blocks(&entry.blocks, x + indent, room)?;
            self.lists -= 1;
            self.canvas.close();
            self.canvas.close();
        }
        self.canvas.close();
        Ok(())
    }
}

pub(super) fn height(line: &Line) -> f32 {
    line.ascent + line.descent
}

/// Its size on a screen, but not wider or higher than there is room.
fn picture_size(image: Option<&Image>, picture: &Picture, room: f32, highest: f32) -> (f32, f32) {
    let Some(image) = image else { return (0.0, 0.0) };
    let (wide, high) = (image.size.0 as f32, image.size.1 as f32);
    let width = match picture.width {
        Some(Width::Points(points)) => points,
        Some(Width::Part(part)) => room * part,
        None => wide / DOTS,
    };
    let width = width.min(room).max(0.1);
    let scale = (width / wide).min(highest * 0.95 / high);
    (wide * scale, high * scale)
}
