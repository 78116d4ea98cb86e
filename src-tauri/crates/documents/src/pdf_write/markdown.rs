//! Markdown to blocks. Where a value stands the author's text has a mark (two characters that Unicode keeps for programs, with a number
//! between them), so that no value is ever read as Markdown, wherever it stands: in a line, a cell, a code block or an address.

use super::blocks::{
    Block, Document, Entry, Inline, List, Picture, Rows, Side, Style, Table, Width, lines, plain, table_of,
};
use super::content::{Content, Piece, shown};
use super::{MAX_CONTENT, MAX_DEPTH, MAX_IMAGES};
use crate::Error;
use pulldown_cmark::{Alignment, CodeBlockKind, Event, HeadingLevel, Options, Parser, Tag, TagEnd};
use serde_json::Value;
use std::borrow::Cow;

const OPEN: char = '\u{FDD0}';
const CLOSE: char = '\u{FDD1}';
/// Longest address of a link.
const MAX_LINK: usize = 2_000;

/// Reads the author's text with its values.
pub(super) fn read(content: &Content) -> Result<Document, Error> {
    let (text, values) = marked(content)?;
    let options = Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH | Options::ENABLE_TASKLISTS;
    let mut reader = Reader { values, document: Document::default(), open: vec![Open::default()] };
    for event in Parser::new_ext(&text, options) {
        reader.event(event)?;
    }
    reader.end()
}

/// The text of one line with values, for headers and footers: what the author wrote, and what is a value.
pub(super) fn one_line(content: &Content) -> Vec<(String, bool)> {
    let part = |piece: &Piece| match piece {
        Piece::Text(text) => (clean(&text.replace(['\n', '\r'], " ")).into_owned(), true),
        Piece::Value(value) => (clean(&shown(value).replace(['\n', '\r'], " ")).into_owned(), false),
    };
    content.pieces.iter().map(part).collect()
}

/// The author's text with marks, and the values that they stand for.
fn marked(content: &Content) -> Result<(String, Vec<Value>), Error> {
    let (mut text, mut values) = (String::new(), Vec::new());
    for piece in &content.pieces {
        match piece {
            Piece::Text(part) => text.push_str(&clean(part)),
            Piece::Value(Value::String(part)) if content.is_markdown => text.push_str(&clean(part)),
            Piece::Value(value) => {
                text.push(OPEN);
                text.push_str(&values.len().to_string());
                text.push(CLOSE);
                values.push(value.clone());
            }
        }
        if text.len() > MAX_CONTENT {
            let words = format!("The text is larger than {} MiB. Write several files", MAX_CONTENT >> 20);
            return Err(Error::too_large(words, MAX_CONTENT as u64));
        }
    }
    Ok((text, values))
}

/// Without control characters and the marks.
pub(super) fn clean(text: &str) -> Cow<'_, str> {
    let is_bad = |sign: char| {
        (sign.is_control() && !matches!(sign, '\n' | '\r' | '\t'))
            || ('\u{FDD0}'..='\u{FDEF}').contains(&sign)
            || sign == '\u{FEFF}'
    };
    if text.contains(is_bad) { Cow::Owned(text.replace(is_bad, "")) } else { Cow::Borrowed(text) }
}

/// A part of a text: the author's words, or a value.
enum Part<'a> {
    Words(&'a str),
    Value(usize),
}

fn parts(text: &str) -> Vec<Part<'_>> {
    let (mut all, mut rest) = (Vec::new(), text);
    while let Some((before, after)) = rest.split_once(OPEN) {
        let Some((number, behind)) = after.split_once(CLOSE) else { break };
        if !before.is_empty() {
            all.push(Part::Words(before));
        }
        if let Ok(number) = number.parse() {
            all.push(Part::Value(number));
        }
        rest = behind;
    }
    if !rest.is_empty() {
        all.push(Part::Words(rest));
    }
    all
}

/// What is being read.
#[derive(Default)]
struct Open {
    kind: Kind,
    blocks: Vec<Block>,
    inlines: Vec<Inline>,
}

#[derive(Default)]
enum Kind {
    #[default]
    Document,
    Paragraph,
    Heading(u8),
    Code(String),
    Quote,
    List(List),
    Item(Option<bool>),
    Table(Vec<Side>, Vec<Vec<Inline>>, Vec<Vec<Vec<Inline>>>),
    Row(Vec<Vec<Inline>>),
    Cell,
    /// Bold, italic, strike, link: the style before.
    Styled(Style),
    Image(String, Option<Width>),
    Html(String),
}

struct Reader {
    values: Vec<Value>,
    document: Document,
    open: Vec<Open>,
}

impl Reader {
    fn style(&self) -> Style {
        let in_header =
            self.open.iter().rev().any(|open| matches!(&open.kind, Kind::Table(_, header, _) if header.is_empty()));
        let style = self.open.iter().rev().find_map(|open| match &open.kind {
            Kind::Styled(style) => Some(*style),
            _ => None,
        });
        let mut style = style.unwrap_or_default();
        style.bold |= in_header;
        style
    }

    fn top(&mut self) -> Option<&mut Open> {
        self.open.last_mut()
    }

    fn push(&mut self, kind: Kind) -> Result<(), Error> {
        let deep = self.open.iter().filter(|open| matches!(open.kind, Kind::Quote | Kind::List(_))).count();
        if deep > MAX_DEPTH {
            let words = format!("Lists and quotes are nested deeper than {MAX_DEPTH} levels");
            return Err(Error::too_large(words, MAX_DEPTH as u64));
        }
        self.open.push(Open { kind, ..Open::default() });
        Ok(())
    }

    fn event(&mut self, event: Event<'_>) -> Result<(), Error> {
        match event {
            Event::Start(tag) => self.start(tag)?,
            Event::End(tag) => self.close(tag),
            Event::Text(text) => self.text(&text, self.style()),
            Event::Code(text) => self.text(&text, Style { code: true, ..self.style() }),
            Event::SoftBreak => self.words(" ".to_owned(), self.style()),
            Event::HardBreak => self.inline(Inline::Break),
            Event::Rule => self.block(Block::Rule),
            Event::TaskListMarker(ticked) => {
                if let Some(Kind::Item(slot)) =
                    self.open.iter_mut().rev().map(|open| &mut open.kind).find(|kind| matches!(kind, Kind::Item(_)))
                {
                    *slot = Some(ticked);
                }
            }
            Event::InlineHtml(tag) => match tag.trim_matches(['<', '>', '/', ' ']).to_ascii_lowercase().as_str() {
                "br" => self.inline(Inline::Break),
                _ if tag.starts_with("<!--") => {}
                _ => self.text(&tag, self.style()),
            },
            Event::Html(line) => match self.top() {
                Some(Open { kind: Kind::Html(text), .. }) => text.push_str(&line),
                _ => self.text(&line, Style::default()),
            },
            Event::InlineMath(text) | Event::DisplayMath(text) | Event::FootnoteReference(text) => {
                self.text(&text, self.style());
            }
        }
        Ok(())
    }

    fn start(&mut self, tag: Tag<'_>) -> Result<(), Error> {
        let style = self.style();
        let kind = match tag {
            Tag::Heading { level, .. } => Kind::Heading(level_of(level)),
            Tag::BlockQuote(_) => Kind::Quote,
            Tag::CodeBlock(CodeBlockKind::Fenced(_) | CodeBlockKind::Indented) => Kind::Code(String::new()),
            Tag::HtmlBlock => Kind::Html(String::new()),
            Tag::List(first) => Kind::List(List { first, items: Vec::new() }),
            Tag::Item => Kind::Item(None),
            Tag::Table(sides) => Kind::Table(sides.iter().map(side_of).collect(), Vec::new(), Vec::new()),
            Tag::TableHead | Tag::TableRow => Kind::Row(Vec::new()),
            Tag::TableCell => Kind::Cell,
            Tag::Emphasis => Kind::Styled(Style { italic: true, ..style }),
            Tag::Strong => Kind::Styled(Style { bold: true, ..style }),
            Tag::Strikethrough => Kind::Styled(Style { strike: true, ..style }),
            Tag::Link { dest_url, .. } => {
                let link = self.link(&dest_url).or(style.link);
                Kind::Styled(Style { link, ..style })
            }
            Tag::Image { dest_url, title, .. } => Kind::Image(self.filled(&dest_url), width_of(&self.filled(&title))),
            _ => Kind::Paragraph,
        };
        self.push(kind)
    }

    fn close(&mut self, _tag: TagEnd) {
        if self.open.len() < 2 {
            return;
        }
        let Some(Open { kind, blocks, inlines }) = self.open.pop() else { return };
        match kind {
            Kind::Document => {}
            Kind::Paragraph => self.paragraph(inlines),
            Kind::Heading(level) => self.block(Block::Heading(level, inlines)),
            Kind::Code(text) => self.block(Block::Code(text)),
            Kind::Html(text) => self.html(&text),
            Kind::Quote => self.block(Block::Quote(blocks)),
            Kind::List(list) => self.block(Block::List(list)),
            Kind::Item(ticked) => {
                let mut blocks = blocks;
                // The words of a list without blank lines are in no paragraph.
                if !inlines.is_empty() {
                    blocks.push(Block::Paragraph(inlines));
                }
                if let Some(Open { kind: Kind::List(list), .. }) = self.top() {
                    list.items.push(Entry { ticked, blocks });
                }
            }
            Kind::Table(sides, header, rows) => {
                self.block(Block::Table(Table { sides, header, rows: Rows::Cells(rows) }));
            }
            Kind::Row(cells) => {
                if let Some(Open { kind: Kind::Table(_, header, rows), .. }) = self.top() {
                    if header.is_empty() { *header = cells } else { rows.push(cells) }
                }
            }
            Kind::Cell => {
                if let Some(Open { kind: Kind::Row(cells), .. }) = self.top() {
                    cells.push(inlines);
                }
            }
            Kind::Styled(_) => {
                if let Some(top) = self.top() {
                    top.inlines.extend(inlines);
                }
            }
            Kind::Image(name, width) => {
                if !self.document.images.contains(&name) {
                    self.document.images.push(name.clone());
                }
                self.inline(Inline::Image(Picture { name, alt: plain(&inlines), width }));
            }
        }
    }

    /// A paragraph that is one value is a table or a list when the value is one; `\pagebreak` begins a page.
    fn paragraph(&mut self, inlines: Vec<Inline>) {
        let is_break = |text: &str| matches!(text.trim(), "\\pagebreak" | "\\newpage");
        match inlines.as_slice() {
            [] => {}
            [Inline::Text(text, _)] if is_break(text) => self.block(Block::PageBreak),
            _ => self.block(Block::Paragraph(inlines)),
        }
    }

    /// Comments are left out; other HTML is shown as it is written, so that nothing is lost.
    fn html(&mut self, text: &str) {
        let mut rest = text;
        let mut shown = String::new();
        while let Some((before, after)) = rest.split_once("<!--") {
            shown.push_str(before);
            rest = after.split_once("-->").map_or("", |(_, behind)| behind);
        }
        shown.push_str(rest);
        for line in shown.lines().map(str::trim).filter(|line| !line.is_empty()) {
            let inlines = self.inlines(line, Style::default());
            self.block(Block::Paragraph(inlines));
        }
    }

    fn block(&mut self, block: Block) {
        if let Some(top) = self.top() {
            // Words before a list in an entry without blank lines.
            if !top.inlines.is_empty() {
                let inlines = std::mem::take(&mut top.inlines);
                top.blocks.push(Block::Paragraph(inlines));
            }
            top.blocks.push(block);
        }
    }

    fn inline(&mut self, inline: Inline) {
        if let Some(top) = self.top() {
            top.inlines.push(inline);
        }
    }

    fn words(&mut self, text: String, style: Style) {
        match self.top().and_then(|top| top.inlines.last_mut()) {
            Some(Inline::Text(last, same)) if *same == style => last.push_str(&text),
            _ => self.inline(Inline::Text(text, style)),
        }
    }

    fn text(&mut self, text: &str, style: Style) {
        let filled = text.contains(OPEN).then(|| self.filled(text));
        if let Some(Open { kind: Kind::Code(code), .. }) = self.top() {
            code.push_str(filled.as_deref().unwrap_or(text));
            return;
        }
        if filled.is_none() {
            self.words(text.to_owned(), style);
            return;
        }
        if let Some(block) = self.block_value(text) {
            let before = self.top().map(|top| std::mem::take(&mut top.inlines)).unwrap_or_default();
            // It is put where the paragraph will be, after the lines before it.
            if let Some(parent) = self.open.len().checked_sub(2).and_then(|at| self.open.get_mut(at)) {
                if !before.is_empty() {
                    parent.blocks.push(Block::Paragraph(before));
                }
                parent.blocks.push(block);
            }
            return;
        }
        for inline in self.inlines(text, style) {
            match inline {
                Inline::Text(text, style) => self.words(text, style),
                other => self.inline(other),
            }
        }
    }

    /// The table or list that a value alone in a line of a paragraph is.
    fn block_value(&mut self, text: &str) -> Option<Block> {
        let begins_line = |inlines: &[Inline]| match inlines.last() {
            None => true,
            Some(Inline::Text(text, _)) => text.ends_with(' '),
            Some(_) => false,
        };
        let top = self.open.last()?;
        let [Part::Value(at)] = parts(text)[..] else { return None };
        let is_alone = matches!(top.kind, Kind::Paragraph) && begins_line(&top.inlines);
        let value = self.values.get_mut(at).filter(|_| is_alone)?;
        match value {
            Value::Array(list) if list.is_empty() => None,
            // Each place has its value once, so that a long list is not copied.
            Value::Array(list) if list.iter().all(Value::is_object) => {
                Some(Block::Table(table_of(std::mem::take(list))))
            }
            Value::Array(list) => {
                let entry = |one: &Value| Entry {
                    ticked: None,
                    blocks: vec![Block::Paragraph(lines(&clean(&shown(one)), Style::default()))],
                };
                Some(Block::List(List { first: None, items: list.iter().map(entry).collect() }))
            }
            Value::Object(_) => Some(Block::Table(table_of(vec![std::mem::take(value)]))),
            _ => None,
        }
    }

    fn inlines(&self, text: &str, style: Style) -> Vec<Inline> {
        let mut all = Vec::new();
        for part in parts(text) {
            match part {
                Part::Words(words) => all.push(Inline::Text(words.to_owned(), style)),
                Part::Value(at) => all.extend(lines(&self.value(at), style)),
            }
        }
        all
    }

    fn value(&self, at: usize) -> String {
        self.values.get(at).map(shown).map(|text| clean(&text).into_owned()).unwrap_or_default()
    }

    /// A text with its values.
    fn filled(&self, text: &str) -> String {
        let mut out = String::new();
        for part in parts(text) {
            match part {
                Part::Words(words) => out.push_str(words),
                Part::Value(at) => out.push_str(&self.value(at)),
            }
        }
        out
    }

    /// Pages and mail addresses are links; anything else is only text, because a PDF could start programs with it.
    fn link(&mut self, address: &str) -> Option<u32> {
        let address = self.filled(address);
        let address = address.trim();
        let lower = address.get(..8.min(address.len())).unwrap_or_default().to_ascii_lowercase();
        let fits = ["http://", "https://", "mailto:"].iter().any(|scheme| lower.starts_with(scheme));
        if !fits || address.len() > MAX_LINK {
            return None;
        }
        let at = self.document.links.iter().position(|link| link == address).unwrap_or_else(|| {
            self.document.links.push(address.to_owned());
            self.document.links.len() - 1
        });
        u32::try_from(at).ok()
    }

    fn end(mut self) -> Result<Document, Error> {
        if self.document.images.len() > MAX_IMAGES {
            let words = format!(
                "The text names {} pictures, and at most {MAX_IMAGES} are possible",
                self.document.images.len()
            );
            return Err(Error::too_large(words, MAX_IMAGES as u64));
        }
        if let Some(Open { blocks, .. }) = self.open.pop() {
            self.document.blocks = blocks;
        }
        Ok(self.document)
    }
}

fn level_of(level: HeadingLevel) -> u8 {
    match level {
        HeadingLevel::H1 => 1,
        HeadingLevel::H2 => 2,
        HeadingLevel::H3 => 3,
        HeadingLevel::H4 => 4,
        HeadingLevel::H5 => 5,
        HeadingLevel::H6 => 6,
    }
}

fn side_of(alignment: &Alignment) -> Side {
    match alignment {
        Alignment::Center => Side::Middle,
        Alignment::Right => Side::End,
        Alignment::Left | Alignment::None => Side::Start,
    }
}

/// `width=40mm` or `width=50%`, from the title of a picture.
fn width_of(title: &str) -> Option<Width> {
    let value = title.trim().strip_prefix("width=")?.trim();
    let number = |text: &str| text.trim().parse::<f32>().ok().filter(|number| (0.1..=2_000.0).contains(number));
    if let Some(part) = value.strip_suffix('%') {
        return number(part).map(|part| Width::Part((part / 100.0).min(1.0)));
    }
    number(value.strip_suffix("mm")?).map(|mm| Width::Points(mm * 72.0 / 25.4))
}
