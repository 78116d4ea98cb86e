//! Divides a text into passages where it is divided itself: headings, paragraphs, rows, sentences. A passage is a piece of
//! the text as it stands, so that its place can be told.

use crate::unit::{Section, Unit, cut};
use crate::{csv, html};
use signalbox_ports::retrieval::{ChunkSize, DocumentFormat};
use std::borrow::Cow;
use std::ops::Range;

/// A passage.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Chunk {
    /// Its words.
    pub text: String,
    /// The first character, counted in the whole text.
    pub start: u64,
    /// The character after the last one.
    pub end: u64,
    /// What stands above it.
    pub heading: Option<String>,
    /// The page, from 1, in which its place is counted.
    pub page: Option<u64>,
}

/// What divides the pages of a text.
const PAGE_BREAK: char = '\u{c}';

/// The passages of a text, in order. Places of HTML count in its text without tags.
pub fn chunks(text: &str, format: DocumentFormat, size: ChunkSize) -> Vec<Chunk> {
    if format == DocumentFormat::Pdf {
        let on_page = |(page, text)| {
            chunks(text, DocumentFormat::Text, size).into_iter().map(move |chunk| Chunk { page: Some(page), ..chunk })
        };
        return (1..).zip(text.split(PAGE_BREAK)).flat_map(on_page).collect();
    }
    let text = if format == DocumentFormat::Html { Cow::Owned(html::text(text)) } else { Cow::Borrowed(text) };
    let sections = match format {
        DocumentFormat::Csv => csv::sections(&text),
        DocumentFormat::Text | DocumentFormat::Pdf => {
            vec![Section { heading: None, units: paragraphs(&text, 0..text.len()) }]
        }
        DocumentFormat::Markdown | DocumentFormat::Html => headed(&text),
    };
    let mut counter = Counter { text: &text, byte: 0, chars: 0 };
    let mut found = Vec::new();
    for section in sections {
        for at in packed(&text, divided(&text, section.units, size.max_chars), size) {
            let start = counter.at(at.start);
            let text = text[at].to_owned();
            let end = start + text.chars().count() as u64;
            found.push(Chunk { text, start, end, heading: section.heading.clone(), page: None });
        }
    }
    found
}

/// Counts characters up to a place; places mostly grow.
struct Counter<'a> {
    text: &'a str,
    byte: usize,
    chars: u64,
}

impl Counter<'_> {
    fn at(&mut self, byte: usize) -> u64 {
        if byte >= self.byte {
            self.chars += self.text[self.byte..byte].chars().count() as u64;
        } else {
            // Back by the overlap.
            self.chars -= self.text[byte..self.byte].chars().count() as u64;
        }
        self.byte = byte;
        self.chars
    }
}

/// Lines with their place, the line break left out.
pub(crate) fn lines(text: &str, within: Range<usize>) -> impl Iterator<Item = Range<usize>> {
    let mut from = within.start;
    std::iter::from_fn(move || {
        if from >= within.end {
            return None;
        }
        let rest = &text[from..within.end];
        let length = rest.find('\n').unwrap_or(rest.len());
        let line = from..from + rest[..length].trim_end_matches('\r').len();
        from += length + 1;
        Some(line)
    })
}

/// Sections of Markdown: a heading opens one; its name has those above it.
fn headed(text: &str) -> Vec<Section> {
    let (mut sections, mut path): (Vec<Section>, Vec<(usize, String)>) = (Vec::new(), Vec::new());
    let (mut from, mut fence, mut body) = (0, None::<&str>, 0);
    let mut close = |from: usize, to: usize, body: usize, path: &[(usize, String)]| {
        // A heading alone is a passage too: it may be all that is said.
        let units = paragraphs(text, if text[body..to].trim().is_empty() { from..to } else { body..to });
        if !units.is_empty() {
            let names: Vec<&str> = path.iter().map(|(_, name)| name.as_str()).collect();
            let heading = (!names.is_empty()).then(|| cut(&names.join(" › ")));
            sections.push(Section { heading, units });
        }
    };
    for line in lines(text, 0..text.len()) {
        let words = text[line.clone()].trim_start();
        let mark = ["```", "~~~"].into_iter().find(|mark| words.starts_with(mark));
        if let Some(mark) = mark {
            if fence.is_none_or(|open| open == mark) {
                fence = if fence.is_none() { Some(mark) } else { None };
            }
            continue;
        }
        let level = words.len() - words.trim_start_matches('#').len();
        if fence.is_some() || !(1..=6).contains(&level) || !words[level..].starts_with([' ', '\t']) {
            continue;
        }
        close(from, line.start, body, &path);
        path.retain(|(above, _)| *above < level);
        path.push((level, words[level..].trim().trim_end_matches('#').trim_end().to_owned()));
        from = line.start;
        body = (line.end + 1).min(text.len());
    }
    close(from, text.len(), body.min(text.len()), &path);
    sections
}

/// Sentences, and lines that begin a list or a row, by paragraphs.
fn paragraphs(text: &str, within: Range<usize>) -> Vec<Unit> {
    let mut units = Vec::new();
    let mut open: Option<Range<usize>> = None;
    for line in lines(text, within) {
        let words = text[line.clone()].trim();
        if words.is_empty() {
            if let Some(paragraph) = open.take() {
                sentences(text, paragraph, &mut units);
            }
        } else if let Some(paragraph) = open.as_mut().filter(|_| !words.starts_with(['-', '*', '+', '|', '>'])) {
            paragraph.end = line.end;
        } else {
            if let Some(paragraph) = open.take() {
                sentences(text, paragraph, &mut units);
            }
            open = Some(line);
        }
    }
    if let Some(paragraph) = open {
        sentences(text, paragraph, &mut units);
    }
    units
}

/// Divides a paragraph after `.`, `!` and `?` with a space behind, and after their like in other scripts.
fn sentences(text: &str, paragraph: Range<usize>, units: &mut Vec<Unit>) {
    let (mut from, mut opens) = (paragraph.start, true);
    let mut take = |at: Range<usize>| {
        let words = &text[at.clone()];
        let start = at.start + (words.len() - words.trim_start().len());
        let end = start + words.trim().len();
        if start < end {
            units.push(Unit { at: start..end, opens });
            opens = false;
        }
    };
    let mut chars = text[paragraph.clone()].char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        let after = paragraph.start + at + c.len_utf8();
        let wide = matches!(c, '。' | '！' | '？' | '；' | '।' | '؟' | '…');
        let spaced = matches!(c, '.' | '!' | '?') && chars.peek().is_none_or(|(_, next)| next.is_whitespace());
        if wide || spaced {
            take(from..after);
            from = after;
        }
    }
    take(from..paragraph.end);
}

/// Units that are no longer than a passage may be: longer ones are cut between words, or else anywhere.
fn divided(text: &str, units: Vec<Unit>, most: usize) -> Vec<Unit> {
    let mut out = Vec::with_capacity(units.len());
    for unit in units {
        let (mut at, mut opens) = (unit.at, unit.opens);
        while let Some((limit, _)) = text[at.clone()].char_indices().nth(most) {
            let piece = &text[at.start..at.start + limit];
            // Not at the very beginning: a piece must shrink what is left by much.
            let space = piece.rfind(char::is_whitespace).filter(|space| *space > limit / 2);
            let end = at.start + space.unwrap_or(limit);
            out.push(Unit { at: at.start..end, opens });
            opens = false;
            let rest = &text[end..at.end];
            at.start = end + (rest.len() - rest.trim_start().len());
        }
        if at.start < at.end {
            out.push(Unit { at, opens });
        }
    }
    out
}

/// Puts units together to passages.
fn packed(text: &str, units: Vec<Unit>, size: ChunkSize) -> Vec<Range<usize>> {
    let length = |from: usize, to: usize| text[units[from].at.start..units[to].at.end].chars().count();
    let mut passages = Vec::new();
    let mut first = 0;
    while first < units.len() {
        let mut last = first;
        while last + 1 < units.len() && length(first, last + 1) <= size.max_chars {
            last += 1;
        }
        if last + 1 < units.len() && !units[last + 1].opens {
            // Rather at the end of a paragraph, when that leaves more than half of a passage.
            let paragraph = (first + 1..=last).rev().find(|at| units[*at].opens);
            if let Some(at) = paragraph.filter(|at| length(first, at - 1) * 2 > size.max_chars) {
                last = at - 1;
            }
        }
        passages.push(units[first].at.start..units[last].at.end);
        if last + 1 == units.len() {
            break;
        }
        // What the next passage repeats must leave room for its first own unit.
        let mut next = last + 1;
        while next > first + 1
            && length(next - 1, last) <= size.overlap_chars
            && length(next - 1, last + 1) <= size.max_chars
        {
            next -= 1;
        }
        first = next;
    }
    passages
}

#[cfg(test)]
mod tests;
