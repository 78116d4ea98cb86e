//! The pages while they are drawn: operators for text, lines and pictures, and what belongs to which part of the document.

use super::blocks::Style;
use super::fonts::Fonts;
use super::image::Image;
use super::objects::{Id, Objects, ascii_string, number};
use super::shape::{Glyph, Run};
use super::structure::Structure;
use harfrust::GlyphId;
use std::collections::HashMap;
use std::fmt::Write as _;

/// Slant of letters whose font has no italic.
const SLANT: f32 = 0.2;
/// Thickness of the outline of letters whose font has no bold, in parts of the size.
const BOLDER: f32 = 0.03;
/// Colours: red, green, blue.
pub(super) type Colour = (f32, f32, f32);
pub(super) const BLACK: Colour = (0.0, 0.0, 0.0);
pub(super) const GREY: Colour = (0.4, 0.4, 0.4);
pub(super) const LINE: Colour = (0.8, 0.8, 0.8);
pub(super) const SHADE: Colour = (0.95, 0.95, 0.95);
const LINK: Colour = (0.04, 0.32, 0.65);

/// Which glyphs of a face were drawn.
#[derive(Default)]
pub(super) struct Usage {
    codes: HashMap<(u16, String), u16>,
    /// By code from 1: glyph, text, and width in thousandths of the size.
    pub(super) glyphs: Vec<(u16, String, f32)>,
}

impl Usage {
    /// The code of a glyph that stands for a text, and its width. Where the outlines are of the kind of PostScript a glyph has one code.
    fn code(&mut self, fonts: &Fonts, face: u16, glyph: &Glyph) -> (u16, f32) {
        let is_cff = fonts.face(face).is_some_and(|face| face.is_cff);
        let full = self.glyphs.len() >= usize::from(u16::MAX) - 1;
        let known = |text: &str| self.codes.get(&(glyph.id, text.to_owned())).copied();
        let first = (is_cff || full).then(|| self.glyphs.iter().position(|(id, ..)| *id == glyph.id)).flatten();
        let first = first.and_then(|at| u16::try_from(at + 1).ok());
        let code = if is_cff { first } else { known(&glyph.text).or(first) };
        if let Some(code) = code {
            return (code, self.glyphs.get(usize::from(code) - 1).map_or(0.0, |(.., width)| *width));
        }
        let width = fonts
            .face(face)
            .map_or(0.0, |face| face.font.glyph_metrics().h_advance(GlyphId::from(glyph.id)) * 1000.0 / face.units);
        self.glyphs.push((glyph.id, glyph.text.clone(), width));
        let code = u16::try_from(self.glyphs.len()).unwrap_or(u16::MAX);
        self.codes.insert((glyph.id, glyph.text.clone()), code);
        (code, width)
    }
}

/// A page that is done.
pub(super) struct Finished {
    pub(super) content: Id,
    pub(super) annotations: Vec<Id>,
}

/// A heading for the outline.
pub(super) struct Mark {
    pub(super) level: u8,
    pub(super) text: String,
    pub(super) page: usize,
    pub(super) y: f32,
}

/// The pages.
pub(super) struct Canvas {
    pub(super) objects: Objects,
    pub(super) structure: Structure,
    pub(super) usage: Vec<Usage>,
    pub(super) pages: Vec<Finished>,
    pub(super) marks: Vec<Mark>,
    operators: String,
    annotations: Vec<Id>,
    is_tagged: bool,
    /// What is drawn is decoration: it was read out before.
    is_repeated: bool,
}

impl Canvas {
    pub(super) fn new() -> Self {
        let mut objects = Objects::new();
        let structure = Structure::new(&mut objects);
        Self {
            objects,
            structure,
            usage: Vec::new(),
            pages: Vec::new(),
            marks: Vec::new(),
            operators: String::new(),
            annotations: Vec::new(),
            is_tagged: false,
            is_repeated: false,
        }
    }

    /// What is drawn until [`Canvas::end_repeated`] was there before, as the header of a table on its second page.
    pub(super) fn begin_repeated(&mut self) {
        self.untag();
        self.operators.push_str("/Artifact BMC\n");
        self.is_repeated = true;
    }

    pub(super) fn end_repeated(&mut self) {
        self.is_repeated = false;
        self.operators.push_str("EMC\n");
    }

    /// The page that is drawn, from 0.
    pub(super) fn page(&self) -> usize {
        self.pages.len()
    }

    pub(super) fn open(&mut self, kind: &'static str) {
        if self.is_repeated {
            return;
        }
        self.untag();
        self.structure.open(kind, &mut self.objects);
    }

    pub(super) fn close(&mut self) {
        if self.is_repeated {
            return;
        }
        self.untag();
        self.structure.close();
    }

    fn tag(&mut self) {
        if !self.is_tagged && !self.is_repeated {
            let kind = self.structure.kind();
            let number = self.structure.content(self.pages.len());
            let _ = writeln!(self.operators, "/{kind} <</MCID {number}>> BDC");
            self.is_tagged = true;
        }
    }

    fn untag(&mut self) {
        if self.is_tagged {
            self.operators.push_str("EMC\n");
            self.is_tagged = false;
        }
    }

    /// Something that is only decoration.
    fn artifact(&mut self, operators: &str) {
        if self.is_repeated {
            let _ = writeln!(self.operators, "{operators}");
            return;
        }
        self.untag();
        let _ = writeln!(self.operators, "/Artifact BMC\n{operators}\nEMC");
    }

    /// A filled rectangle; `y` is its lower edge.
    pub(super) fn rectangle(&mut self, x: f32, y: f32, width: f32, height: f32, colour: Colour) {
        let text = format!("{} rg {} {} {} {} re f", rgb(colour), number(x), number(y), number(width), number(height));
        self.artifact(&text);
    }

    /// Draws glyphs from a point on the base line.
    pub(super) fn run(&mut self, fonts: &Fonts, run: &Run, x: f32, y: f32, colour: Colour, link: Option<&str>) {
        let colour = if link.is_some() { LINK } else { colour };
        if link.is_some() {
            self.open("Link");
        }
        self.tag();
        let text = self.glyphs(fonts, run, x, y, colour);
        self.operators.push_str(&text);
        let thickness = (run.size * 0.05).max(0.4);
        if let Some(link) = link {
            self.rectangle(x, y - run.size * 0.14, run.width, thickness, colour);
            self.annotation(link, x, y, run);
            self.close();
        }
        if run.style.strike {
            self.rectangle(x, y + run.size * 0.27, run.width, thickness, colour);
        }
    }

    fn annotation(&mut self, link: &str, x: f32, y: f32, run: &Run) {
        if self.is_repeated {
            return;
        }
        let id = self.objects.reserve();
        let parent = self.structure.annotation(self.pages.len(), id);
        let (bottom, top) = (y - run.size * 0.25, y + run.size * 0.95);
        let value = format!(
            "<</Type/Annot/Subtype/Link/F 4/Border[0 0 0]/Rect[{} {} {} {}]/StructParent {parent}/Contents{}/A<</S/URI/URI{}>>>>",
            number(x),
            number(bottom),
            number(x + run.width),
            number(top),
            super::objects::text_string(link),
            ascii_string(&address(link))
        );
        self.objects.put(id, value);
        self.annotations.push(id);
    }

    fn glyphs(&mut self, fonts: &Fonts, run: &Run, x: f32, y: f32, colour: Colour) -> String {
        let face_at = usize::from(run.face);
        while self.usage.len() <= face_at {
            self.usage.push(Usage::default());
        }
        let (Some(face), Some(usage)) = (fonts.face(run.face), self.usage.get_mut(face_at)) else {
            return String::new();
        };
        let Style { bold, italic, .. } = run.style;
        let slant = if italic && !face.is_italic { SLANT } else { 0.0 };
        let is_bolder = bold && !face.is_bold;
        let mut out = format!("BT {} rg /F{face_at} {} Tf ", rgb(colour), number(run.size));
        if is_bolder {
            let _ = write!(out, "{} RG {} w 2 Tr ", rgb(colour), number(run.size * BOLDER));
        }
        let _ = write!(out, "1 0 {} 1 {} {} Tm [<", number(slant), number(x), number(y));
        let mut rise = 0.0;
        // What is still to be moved to the right, in thousandths of the size.
        let mut shift = 0.0;
        for glyph in &run.glyphs {
            let (code, width) = usage.code(fonts, run.face, glyph);
            let (dx, dy) = (glyph.offset.0 * 1000.0, glyph.offset.1);
            if (dy - rise).abs() > 0.001 {
                let _ = write!(out, ">] TJ {} Ts [<", number(dy * run.size));
                rise = dy;
            }
            let before = (shift + dx).round();
            if before != 0.0 {
                let _ = write!(out, ">{}<", -before);
            }
            let _ = write!(out, "{code:04X}");
            shift = shift + dx - before + (glyph.advance * 1000.0 - width) - dx;
        }
        out.push_str(">] TJ");
        if rise != 0.0 {
            out.push_str(" 0 Ts");
        }
        if is_bolder {
            out.push_str(" 0 Tr");
        }
        out.push_str(" ET\n");
        out
    }

    /// Draws a picture; `y` is its lower edge.
    pub(super) fn picture(&mut self, image: &Image, alt: &str, x: f32, y: f32, width: f32, height: f32) {
        self.untag();
        let alt = (!alt.is_empty() && !self.is_repeated).then(|| alt.to_owned());
        if alt.is_some() {
            self.structure.open_with("Figure", alt, &mut self.objects);
            self.tag();
        } else {
            self.operators.push_str("/Artifact BMC\n");
        }
        // A camera says how its picture is turned: the unit square is turned first.
        let turned = match image.orientation {
            2 => "-1 0 0 1 1 0",
            3 => "-1 0 0 -1 1 1",
            4 => "1 0 0 -1 0 1",
            5 => "0 -1 -1 0 1 1",
            6 => "0 -1 1 0 0 1",
            7 => "0 1 1 0 0 0",
            8 => "0 1 -1 0 1 0",
            _ => "1 0 0 1 0 0",
        };
        let _ = writeln!(
            self.operators,
            "q {} 0 0 {} {} {} cm {turned} cm /I{} Do Q",
            number(width),
            number(height),
            number(x),
            number(y),
            image.id.0
        );
        if self.is_tagged {
            self.close();
        } else {
            self.operators.push_str("EMC\n");
        }
    }

    /// Ends the page.
    pub(super) fn end_page(&mut self) {
        self.untag();
        let operators = std::mem::take(&mut self.operators);
        let content = self.objects.stream("", operators.as_bytes());
        self.pages.push(Finished { content, annotations: std::mem::take(&mut self.annotations) });
    }

    /// Text that belongs to no part of the document, as its own content: headers and footers.
    pub(super) fn aside(&mut self, fonts: &Fonts, runs: &[(Run, f32, f32)], colour: Colour) -> Option<Id> {
        let mut text = String::from("/Artifact <</Type/Pagination>> BDC\n");
        for (run, x, y) in runs {
            text.push_str(&self.glyphs(fonts, run, *x, *y, colour));
        }
        text.push_str("EMC\n");
        (!runs.is_empty()).then(|| self.objects.stream("", text.as_bytes()))
    }
}

fn rgb(colour: Colour) -> String {
    format!("{} {} {}", number(colour.0), number(colour.1), number(colour.2))
}

/// An address with ASCII alone.
fn address(link: &str) -> String {
    let mut out = String::with_capacity(link.len());
    for byte in link.bytes() {
        if (b'!'..=b'~').contains(&byte) {
            out.push(char::from(byte));
        } else {
            let _ = write!(out, "%{byte:02X}");
        }
    }
    out
}
