//! Fonts: those that come with the program, those that the author names, and those of the machine; which one has a character.

use super::MAX_FONT;
use super::blocks::Style;
use crate::Error;
use harfrust::font::Source;
use harfrust::font::attribute;
use harfrust::{Direction, Font, Script, ShapePlan, ShaperFont};
use std::cell::RefCell;
use std::collections::{BTreeSet, HashMap};
use std::rc::Rc;
use std::sync::Arc;

/// A font file.
#[derive(Debug, Clone, PartialEq)]
pub struct FontFile {
    /// Names it in messages.
    pub name: String,
    /// The file: TrueType, OpenType or a collection of them.
    pub bytes: Arc<Vec<u8>>,
}

/// Where fonts come from that neither the program nor the author has.
pub trait FontSource {
    /// Font files that have as many of these characters as there are.
    fn find(&mut self, missing: &BTreeSet<char>) -> Vec<FontFile>;
}

/// No other fonts.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoFonts;

impl FontSource for NoFonts {
    fn find(&mut self, _missing: &BTreeSet<char>) -> Vec<FontFile> {
        Vec::new()
    }
}

/// Bytes of a font.
#[derive(Clone)]
pub(super) enum Bytes {
    Static(&'static [u8]),
    Own(Arc<Vec<u8>>),
}

impl AsRef<[u8]> for Bytes {
    fn as_ref(&self) -> &[u8] {
        match self {
            Self::Static(bytes) => bytes,
            Self::Own(bytes) => bytes,
        }
    }
}

/// One face.
pub(super) struct Face {
    pub(super) font: Font,
    pub(super) bytes: Bytes,
    pub(super) index: u32,
    /// Its PostScript name without signs that a PDF would have to escape.
    pub(super) name: String,
    pub(super) is_bold: bool,
    pub(super) is_italic: bool,
    pub(super) is_mono: bool,
    /// It comes with the program.
    is_built_in: bool,
    /// Outlines are of the kind of PostScript.
    pub(super) is_cff: bool,
    /// Above and below the line, of a size of 1.
    pub(super) ascent: f32,
    pub(super) descent: f32,
    /// A size of 1 in units of the font.
    pub(super) units: f32,
}

impl std::fmt::Debug for Face {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(&self.name)
    }
}

impl Face {
    fn of(bytes: Bytes, index: u32) -> Option<Self> {
        let source: Source = match &bytes {
            Bytes::Static(bytes) => Source::from(*bytes),
            Bytes::Own(bytes) => {
                let shared: Arc<dyn AsRef<[u8]> + Send + Sync> = bytes.clone();
                Source::from(shared)
            }
        };
        let font = Font::new(source, index)?;
        if !font.charmap().has_unicode() || font.num_glyphs() == 0 || font.num_glyphs() > u32::from(u16::MAX) {
            return None;
        }
        let metrics = font.metrics();
        let units = f32::from(metrics.units_per_em);
        let line = metrics.hhea_line.or(metrics.typo_line)?;
        let (ascent, descent) = (line.ascender.to_f32() / units, -line.descender.to_f32() / units);
        let attributes = font.default_attributes();
        let is_mono = font.style_metrics().is_fixed_pitch == Some(true);
        let name = ps_name(&font).unwrap_or_else(|| "Font".to_owned());
        let tables = tables(bytes.as_ref(), index);
        let has = |tag: &[u8; 4]| tables.contains(tag);
        if !(has(b"glyf") || has(b"CFF ")) {
            return None;
        }
        Some(Self {
            is_bold: attributes.weight.value() >= 600.0,
            is_italic: attributes.style != attribute::Style::Normal,
            is_mono,
            is_built_in: matches!(bytes, Bytes::Static(_)),
            is_cff: has(b"CFF ") && !has(b"glyf"),
            ascent: ascent.clamp(0.1, 3.0),
            descent: descent.clamp(0.0, 3.0),
            units,
            name,
            font,
            bytes,
            index,
        })
    }

    pub(super) fn has(&self, sign: char) -> bool {
        // Arabic letters of one width are for terminals: any other font is better.
        let is_arabic = matches!(sign, '\u{600}'..='\u{6FF}' | '\u{FB50}'..='\u{FDFF}' | '\u{FE70}'..='\u{FEFC}');
        if is_arabic && self.is_built_in && self.is_mono {
            return false;
        }
        let map = self.font.charmap();
        map.map_unicode(sign).is_some()
            || match sign {
                // What the shaper replaces.
                '\u{2011}' => map.map_unicode('\u{2010}').is_some() || map.map_unicode('-').is_some(),
                '\u{a0}' | '\u{2000}'..='\u{200A}' | '\u{202F}' | '\u{205F}' | '\u{3000}' => {
                    map.map_unicode(' ').is_some()
                }
                _ => false,
            }
    }
}

/// Tags of the tables of a font.
fn tables(bytes: &[u8], index: u32) -> Vec<[u8; 4]> {
    let u32_at = |at: usize| Some(u32::from_be_bytes(bytes.get(at..at + 4)?.try_into().ok()?) as usize);
    let start = if bytes.starts_with(b"ttcf") { u32_at(12 + 4 * index as usize) } else { Some(0) };
    let Some(start) = start else { return Vec::new() };
    let count = bytes.get(start + 4..start + 6).map_or(0, |two| usize::from(two[0]) << 8 | usize::from(two[1]));
    (0..count).filter_map(|at| bytes.get(start + 12 + at * 16..start + 16 + at * 16)?.try_into().ok()).collect()
}

/// How many fonts a file has.
fn count(bytes: &[u8]) -> u32 {
    let number = || Some(u32::from_be_bytes(bytes.get(8..12)?.try_into().ok()?));
    if bytes.starts_with(b"ttcf") { number().unwrap_or(0).min(64) } else { 1 }
}

fn ps_name(font: &Font) -> Option<String> {
    let name = font.names().get(harfrust::font::name::NameId::POSTSCRIPT_NAME)?.english_or_first()?;
    let name: String =
        name.name().chars().filter(|sign| sign.is_ascii_alphanumeric() || *sign == '-').take(60).collect();
    (!name.is_empty()).then_some(name)
}

/// Which of these characters a font file has.
pub fn covered(bytes: &Arc<Vec<u8>>, missing: &BTreeSet<char>) -> BTreeSet<char> {
    let faces = (0..count(bytes)).filter_map(|index| Face::of(Bytes::Own(Arc::clone(bytes)), index));
    faces.flat_map(|face| missing.iter().copied().filter(|sign| face.has(*sign)).collect::<Vec<_>>()).collect()
}

/// All fonts of a document.
pub(super) struct Fonts {
    pub(super) faces: Vec<Face>,
    /// Faces of the author, then those of the program, then those of the machine.
    own: usize,
    chosen: HashMap<(char, bool, bool, bool), Option<u16>>,
    /// How each face is shaped in a direction and a script: the same for all of its runs.
    plans: RefCell<HashMap<(u16, bool, Script), Rc<ShapePlan>>>,
}

/// Characters that are never drawn.
pub(super) fn is_invisible(sign: char) -> bool {
    matches!(
        sign,
        '\u{AD}' | '\u{200B}'..='\u{200F}' | '\u{202A}'..='\u{202E}' | '\u{2060}'..='\u{206F}' | '\u{FE00}'..='\u{FE0F}'
            | '\u{E0100}'..='\u{E01EF}' | '\u{180B}'..='\u{180E}' | '\n' | '\r' | '\t'
    )
}

impl Fonts {
    /// The fonts of the program, after those that the author names.
    pub(super) fn new(named: Vec<FontFile>) -> Result<Self, Error> {
        let mut fonts = Self { faces: Vec::new(), own: 0, chosen: HashMap::new(), plans: RefCell::default() };
        for file in named {
            fonts.add_file(file)?;
        }
        fonts.own = fonts.faces.len();
        let built_in: [&'static [u8]; 5] = [
            notosans::REGULAR_TTF,
            notosans::BOLD_TTF,
            notosans::ITALIC_TTF,
            notosans::BOLD_ITALIC_TTF,
            dejavu::sans_mono::regular(),
        ];
        fonts.faces.extend(built_in.into_iter().filter_map(|bytes| Face::of(Bytes::Static(bytes), 0)));
        Ok(fonts)
    }

    fn add_file(&mut self, file: FontFile) -> Result<(), Error> {
        let name: String = file.name.chars().take(200).collect();
        if file.bytes.len() > MAX_FONT {
            let words = format!("The font '{name}' is larger than {} MiB", MAX_FONT >> 20);
            return Err(Error::too_large(words, MAX_FONT as u64).detail("font", name));
        }
        let (before, number) = (self.faces.len(), count(&file.bytes));
        let bytes = Bytes::Own(file.bytes);
        self.faces.extend((0..number).filter_map(|index| Face::of(bytes.clone(), index)));
        if self.faces.len() == before {
            let words = format!(
                "The font '{name}' cannot be read. Use a TrueType or OpenType file (.ttf, .otf, .ttc); web fonts (.woff) are packed and cannot be used"
            );
            return Err(Error::new("BAD_FONT", words).detail("font", name));
        }
        Ok(())
    }

    /// Looks for fonts with the characters that none has. What is missing even then is an error.
    pub(super) fn complete(&mut self, signs: &BTreeSet<char>, other: &mut dyn FontSource) -> Result<(), Error> {
        let missing = |fonts: &Self| -> BTreeSet<char> {
            signs
                .iter()
                .copied()
                .filter(|sign| !is_invisible(*sign) && !fonts.faces.iter().any(|face| face.has(*sign)))
                .collect()
        };
        let mut lacking = missing(self);
        if lacking.is_empty() {
            return Ok(());
        }
        for file in other.find(&lacking) {
            // One that cannot be read has nothing.
            drop(self.add_file(file));
        }
        lacking = missing(self);
        let Some(first) = lacking.first() else { return Ok(()) };
        let list: Vec<String> =
            lacking.iter().take(20).map(|sign| format!("{sign} (U+{:04X})", u32::from(*sign))).collect();
        let more = if lacking.len() > 1 { format!(" and {} others", lacking.len() - 1) } else { String::new() };
        let words = format!(
            "No font has the character '{first}' (U+{:04X}){more}. Name a font file that has it in 'fonts', or install such a font and let the step use the fonts of the machine",
            u32::from(*first)
        );
        Err(Error::new("NO_GLYPH", words).detail("characters", list).detail("count", lacking.len()))
    }

    /// The face of a character: the author's first, then those of the program, then those of the machine; among faces with
    /// the character the one that looks most like it should.
    pub(super) fn choose(&mut self, sign: char, style: Style) -> Option<u16> {
        let key = (sign, style.bold, style.italic, style.code);
        if let Some(found) = self.chosen.get(&key) {
            return *found;
        }
        let score = |at: usize, face: &Face| {
            let group = if at < self.own { 0 } else { 1 + usize::from(at >= self.own + 5) };
            // Code looks like code even where the author names a font for the text.
            let kind = usize::from(style.code != face.is_mono);
            let first = if style.code { (kind, group) } else { (group, kind) };
            (first, usize::from(style.bold != face.is_bold) + usize::from(style.italic != face.is_italic), at)
        };
        let with = self.faces.iter().enumerate().filter(|(_, face)| face.has(sign));
        let best = with.min_by_key(|(at, face)| score(*at, face)).and_then(|(at, _)| u16::try_from(at).ok());
        self.chosen.insert(key, best);
        best
    }

    /// How a face is shaped.
    pub(super) fn plan(&self, at: u16, font: &ShaperFont<'_, '_>, is_rtl: bool, script: Script) -> Rc<ShapePlan> {
        let direction = if is_rtl { Direction::RightToLeft } else { Direction::LeftToRight };
        let make = || Rc::new(ShapePlan::new(font, direction, Some(script), None, &[]));
        Rc::clone(self.plans.borrow_mut().entry((at, is_rtl, script)).or_insert_with(make))
    }

    /// The face of plain text.
    pub(super) fn plain(&mut self, style: Style) -> u16 {
        self.choose('x', style).or_else(|| self.choose(' ', style)).unwrap_or_default()
    }

    pub(super) fn face(&self, at: u16) -> Option<&Face> {
        self.faces.get(usize::from(at))
    }
}
