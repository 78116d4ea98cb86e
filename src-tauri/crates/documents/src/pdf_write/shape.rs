//! Paragraphs to lines: which font has which character, in which direction it runs, which glyphs draw it, and where lines end.

use super::blocks::{Inline, Picture, Style};
use super::fonts::{Fonts, is_invisible};
use harfrust::{Buffer, BufferFlags, Direction, Script, ShapeOptions, ShaperFont, unicode};
use unicode_bidi::{BidiInfo, Level};
use unicode_linebreak::{BreakOpportunity, linebreaks};

/// The letter that stands for a picture in a text.
const OBJECT: char = '\u{FFFC}';
/// Inline code is a little smaller: letters of one width look larger.
const CODE_SIZE: f32 = 0.9;

/// A glyph in a line.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Glyph {
    pub(super) id: u16,
    /// What it stands for; empty for all but the first glyph of several that stand for one text.
    pub(super) text: String,
    /// In parts of the font size.
    pub(super) advance: f32,
    pub(super) offset: (f32, f32),
    /// Where its text is in the paragraph.
    start: usize,
}

/// Glyphs of one face and style.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Run {
    pub(super) face: u16,
    pub(super) size: f32,
    pub(super) style: Style,
    pub(super) glyphs: Vec<Glyph>,
    pub(super) width: f32,
}

/// A part of a line.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Part {
    Run(Run),
    /// A picture, with its width and height.
    Picture(Picture, f32, f32),
}

impl Part {
    pub(super) fn width(&self) -> f32 {
        match self {
            Self::Run(run) => run.width,
            Self::Picture(_, width, _) => *width,
        }
    }
}

/// A line that was laid out.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Line {
    /// From left to right.
    pub(super) parts: Vec<Part>,
    pub(super) width: f32,
    pub(super) ascent: f32,
    pub(super) descent: f32,
    /// It begins on the right.
    pub(super) is_rtl: bool,
}

/// How text is set.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Setting {
    pub(super) size: f32,
    /// Height of a line, in parts of the size.
    pub(super) leading: f32,
    pub(super) bold: bool,
    /// Blanks at the beginning stay, as in code.
    pub(super) keeps_blanks: bool,
}

/// Size of a picture that has so much room.
pub(super) type PictureSize<'a> = dyn Fn(&Picture, f32) -> (f32, f32) + 'a;

/// A piece of the paragraph with one style.
struct Span {
    start: usize,
    style: Style,
    picture: Option<(Picture, f32, f32)>,
}

/// A paragraph whose glyphs are known.
pub(super) struct Shaped {
    text: String,
    runs: Vec<Placed>,
    /// Byte, and whether the line must end there.
    breaks: Vec<(usize, bool)>,
    setting: Setting,
    is_rtl: bool,
}

/// Glyphs of a part of the text, or a picture.
struct Placed {
    start: usize,
    end: usize,
    level: Level,
    part: Part,
}

/// Shapes one paragraph.
pub(super) fn shape(
    inlines: &[Inline],
    setting: Setting,
    room: f32,
    fonts: &mut Fonts,
    picture_size: &PictureSize<'_>,
) -> Vec<Shaped> {
    // A hard break ends a paragraph as far as directions and lines go.
    inlines
        .split(|inline| *inline == Inline::Break)
        .map(|part| shape_part(part, setting, room, fonts, picture_size))
        .collect()
}

fn shape_part(
    inlines: &[Inline],
    setting: Setting,
    room: f32,
    fonts: &mut Fonts,
    picture_size: &PictureSize<'_>,
) -> Shaped {
    let (mut text, mut spans) = (String::new(), Vec::new());
    for inline in inlines {
        let start = text.len();
        match inline {
            Inline::Text(words, style) => {
                let words = words.replace('\t', "    ").replace(['\n', '\r', OBJECT], " ");
                text.push_str(if start == 0 && !setting.keeps_blanks { words.trim_start_matches(' ') } else { &words });
                let style = Style { bold: style.bold || setting.bold, ..*style };
                spans.push(Span { start, style, picture: None });
            }
            Inline::Image(picture) => {
                text.push(OBJECT);
                let (width, height) = picture_size(picture, room);
                spans.push(Span { start, style: Style::default(), picture: Some((picture.clone(), width, height)) });
            }
            Inline::Break => {}
        }
    }
    text.truncate(text.trim_end_matches(' ').len());
    let needs_bidi = text.chars().any(|sign| {
        ('\u{590}'..='\u{8FF}').contains(&sign)
            || ('\u{FB1D}'..='\u{FEFC}').contains(&sign)
            || ('\u{200E}'..='\u{202E}').contains(&sign)
            || ('\u{10800}'..='\u{1EFFF}').contains(&sign)
    });
    let (levels, base) = if needs_bidi {
        let info = BidiInfo::new(&text, None);
        let base = info.paragraphs.first().map_or(Level::ltr(), |paragraph| paragraph.level);
        (Some(info.levels), base)
    } else {
        (None, Level::ltr())
    };
    let runs = runs(&text, &spans, levels.as_deref(), base, setting, fonts);
    let breaks = linebreaks(&text).map(|(at, kind)| (at, kind == BreakOpportunity::Mandatory)).collect();
    Shaped { text, runs, breaks, setting, is_rtl: base.is_rtl() }
}

/// Parts of the text that are shaped at once: one style, font, direction and script.
fn runs(
    text: &str,
    spans: &[Span],
    levels: Option<&[Level]>,
    base: Level,
    setting: Setting,
    fonts: &mut Fonts,
) -> Vec<Placed> {
    let mut all: Vec<Placed> = Vec::new();
    // Face, level, script, span and beginning of what is being collected.
    let mut current: Option<(u16, Level, Script, usize, usize)> = None;
    let mut span_at = 0;
    let flush =
        |current: Option<(u16, Level, Script, usize, usize)>, end: usize, all: &mut Vec<Placed>, fonts: &Fonts| {
            let Some((face, level, script, span, start)) = current else { return };
            let (Some(span), Some(words)) = (spans.get(span), text.get(start..end)) else { return };
            let run = glyphs(words, start, face, level, script, span.style, setting, fonts);
            all.push(Placed { start, end, level, part: Part::Run(run) });
        };
    for (at, sign) in text.char_indices() {
        while spans.get(span_at + 1).is_some_and(|next| next.start <= at) {
            span_at += 1;
        }
        let Some(span) = spans.get(span_at) else { break };
        let level = levels.and_then(|levels| levels.get(at)).copied().unwrap_or(base);
        if let Some((picture, width, height)) = &span.picture {
            flush(current.take(), at, &mut all, fonts);
            let part = Part::Picture(picture.clone(), *width, *height);
            all.push(Placed { start: at, end: at + sign.len_utf8(), level, part });
            continue;
        }
        let script = unicode::script(u32::from(sign));
        let is_neutral = matches!(script, Script::COMMON | Script::INHERITED | Script::UNKNOWN);
        let same_span = current.filter(|(_, _, _, span, _)| *span == span_at);
        // Marks and joiners stay in the font of what is before them where that has them; blanks and punctuation do so only in
        // scripts that have their own, such as Chinese: a full stop after a symbol looks like those of the text.
        let keeps = same_span.is_some_and(|(face, _, before, ..)| {
            let has = fonts.face(face).is_some_and(|face| face.has(sign));
            let is_european = matches!(before, Script::COMMON | Script::LATIN | Script::GREEK | Script::CYRILLIC);
            is_invisible(sign) || (has && (script == Script::INHERITED || (is_neutral && !is_european)))
        });
        let face = match same_span {
            Some((face, ..)) if keeps => face,
            _ => fonts.choose(sign, span.style).unwrap_or_else(|| fonts.plain(span.style)),
        };
        match &mut current {
            Some((same_face, same_level, same_script, same_span, _))
                if *same_face == face
                    && *same_level == level
                    && *same_span == span_at
                    && (is_neutral || *same_script == script || *same_script == Script::COMMON) =>
            {
                if !is_neutral {
                    *same_script = script;
                }
            }
            _ => {
                flush(current.take(), at, &mut all, fonts);
                current = Some((face, level, if is_neutral { Script::COMMON } else { script }, span_at, at));
            }
        }
    }
    flush(current, text.len(), &mut all, fonts);
    all
}

#[expect(clippy::too_many_arguments, reason = "all of them say what one run is")]
fn glyphs(
    words: &str,
    start: usize,
    face_at: u16,
    level: Level,
    script: Script,
    style: Style,
    setting: Setting,
    fonts: &Fonts,
) -> Run {
    let size = if style.code { setting.size * CODE_SIZE } else { setting.size };
    let mut run = Run { face: face_at, size, style, glyphs: Vec::new(), width: 0.0 };
    let Some(face) = fonts.face(face_at) else { return run };
    let mut buffer = Buffer::new();
    buffer.push_str(words);
    buffer.set_direction(if level.is_rtl() { Direction::RightToLeft } else { Direction::LeftToRight });
    buffer.set_script(Some(script));
    buffer.set_flags(BufferFlags::REMOVE_DEFAULT_IGNORABLES);
    let font = ShaperFont::new(&face.font);
    let plan = fonts.plan(face_at, &font, level.is_rtl(), script);
    if harfrust::shape(&font, &mut buffer, ShapeOptions::new().plan(Some(&plan))).is_err() {
        return run;
    }
    let infos = buffer.glyph_infos();
    // Where the text of each glyph ends: at the next cluster.
    let mut clusters: Vec<usize> = infos.iter().map(|info| info.cluster as usize).collect();
    clusters.sort_unstable();
    clusters.dedup();
    let mut seen = None;
    for (info, position) in infos.iter().zip(buffer.glyph_positions()) {
        let cluster = info.cluster as usize;
        let end = clusters.get(clusters.partition_point(|one| *one <= cluster)).copied().unwrap_or(words.len());
        let text = if seen == Some(cluster) { "" } else { words.get(cluster..end).unwrap_or_default() };
        seen = Some(cluster);
        let advance = position.x_advance as f32 / face.units;
        run.glyphs.push(Glyph {
            id: u16::try_from(info.glyph_id).unwrap_or_default(),
            text: text.to_owned(),
            advance,
            offset: (position.x_offset as f32 / face.units, position.y_offset as f32 / face.units),
            start: start + cluster,
        });
        run.width += advance * size;
    }
    run
}

impl Shaped {
    /// Width of the widest piece that no line break divides, and of all of it in one line.
    pub(super) fn widths(&self) -> (f32, f32) {
        let advances = self.advances();
        let (mut least, mut all, mut from) = (0_f32, 0.0, 0);
        for (at, _) in &self.breaks {
            let width = self.width_of(&advances, from, *at);
            least = least.max(width);
            from = *at;
        }
        for width in &advances {
            all += width;
        }
        (least, all)
    }

    /// Advance of what begins at each byte.
    fn advances(&self) -> Vec<f32> {
        let mut advances = vec![0.0; self.text.len()];
        for placed in &self.runs {
            match &placed.part {
                Part::Run(run) => {
                    for glyph in &run.glyphs {
                        if let Some(slot) = advances.get_mut(glyph.start) {
                            *slot += glyph.advance * run.size;
                        }
                    }
                }
                Part::Picture(_, width, _) => {
                    if let Some(slot) = advances.get_mut(placed.start) {
                        *slot += width;
                    }
                }
            }
        }
        advances
    }

    /// Width of a piece without the blanks at its end.
    fn width_of(&self, advances: &[f32], from: usize, to: usize) -> f32 {
        let end = from + self.text.get(from..to).map_or(0, |piece| piece.trim_end_matches([' ', '\u{200B}']).len());
        advances.get(from..end).unwrap_or_default().iter().sum()
    }

    /// Breaks it into lines of a width.
    pub(super) fn lines(&self, width: f32, fonts: &Fonts) -> Vec<Line> {
        if self.text.is_empty() {
            return vec![self.line(0, 0, fonts)];
        }
        let advances = self.advances();
        let sum = |from: usize, to: usize| advances.get(from..to).unwrap_or_default().iter().sum::<f32>();
        // Rounding must not break what was measured to fit.
        let width = width + 0.01;
        let (mut lines, mut start, mut end, mut filled) = (Vec::new(), 0, 0, 0.0);
        for (at, must) in self.breaks.iter().copied() {
            let visible = self.width_of(&advances, end, at);
            if end > start && filled + visible > width {
                lines.push(self.line(start, end, fonts));
                (start, filled) = (end, 0.0);
            }
            // A word that is wider than the line is divided anywhere between letters.
            if filled + visible > width {
                let mut from = start;
                let mut used = 0.0;
                for (offset, sign) in self.text.get(start..at).unwrap_or_default().char_indices() {
                    let here = start + offset;
                    let next = sum(here, here + sign.len_utf8());
                    if used + next > width && here > from && next > 0.0 {
                        lines.push(self.line(from, here, fonts));
                        (from, used) = (here, 0.0);
                    }
                    used += next;
                }
                (start, filled) = (from, used);
            } else {
                filled += sum(end, at);
            }
            end = at;
            if must && at < self.text.len() {
                lines.push(self.line(start, end, fonts));
                (start, filled) = (end, 0.0);
            }
        }
        if start < self.text.len() {
            lines.push(self.line(start, self.text.len(), fonts));
        }
        lines
    }

    /// What stands in one line, in the order in which it is drawn.
    fn line(&self, start: usize, end: usize, fonts: &Fonts) -> Line {
        let visible =
            start + self.text.get(start..end).map_or(0, |piece| piece.trim_end_matches([' ', '\u{200B}']).len());
        let leading = self.setting.size * self.setting.leading;
        let mut line = Line { is_rtl: self.is_rtl, ..Line::default() };
        let mut pieces: Vec<(Level, Part)> = Vec::new();
        let (mut ascent, mut descent) = (0.0_f32, 0.0_f32);
        for placed in self.runs.iter().filter(|placed| placed.start < visible && placed.end > start) {
            match &placed.part {
                Part::Picture(picture, width, height) => {
                    ascent = ascent.max(*height);
                    pieces.push((placed.level, Part::Picture(picture.clone(), *width, *height)));
                }
                Part::Run(run) => {
                    let whole = placed.start >= start && placed.end <= visible;
                    let glyphs: Vec<Glyph> = if whole {
                        run.glyphs.clone()
                    } else {
                        run.glyphs.iter().filter(|glyph| (start..visible).contains(&glyph.start)).cloned().collect()
                    };
                    let width = glyphs.iter().map(|glyph| glyph.advance * run.size).sum();
                    // Fonts of some scripts reserve far more than their letters need.
                    if let Some(face) = fonts.face(run.face) {
                        ascent = ascent.max(face.ascent.min(1.1) * run.size);
                        descent = descent.max(face.descent.min(0.5) * run.size);
                    }
                    pieces.push((placed.level, Part::Run(Run { glyphs, width, ..run.clone_empty() })));
                }
            }
        }
        if pieces.is_empty() {
            (ascent, descent) = (self.setting.size, self.setting.size * 0.25);
        }
        // The same distance between lines whatever their fonts, unless one is taller than that.
        let extra = (leading - ascent - descent).max(0.0);
        (line.ascent, line.descent) = (ascent + extra / 2.0, descent + extra / 2.0);
        reorder(&mut pieces);
        line.parts = pieces.into_iter().map(|(_, part)| part).collect();
        line.width = line.parts.iter().map(Part::width).sum();
        line
    }
}

impl Run {
    fn clone_empty(&self) -> Self {
        Self { glyphs: Vec::new(), ..*self }
    }
}

/// From the highest level down to the lowest odd one, what is at least as high is reversed (rule L2 of Unicode).
fn reorder(pieces: &mut [(Level, Part)]) {
    let highest = pieces.iter().map(|(level, _)| level.number()).max().unwrap_or(0);
    for level in (1..=highest).rev() {
        let mut at = 0;
        while at < pieces.len() {
            let length =
                pieces.get(at..).unwrap_or_default().iter().take_while(|(one, _)| one.number() >= level).count();
            if length == 0 {
                at += 1;
            } else {
                if let Some(part) = pieces.get_mut(at..at + length) {
                    part.reverse();
                }
                at += length;
            }
        }
    }
}
