//! From the text to the file.

use super::blocks::{Block, Document, Inline, Rows, Style, plain};
use super::content::{Content, shown};
use super::fonts::{FontFile, FontSource, Fonts};
use super::image;
use super::layout::Layout;
use super::markdown;
use super::objects::{Id, Objects, number, text_string};
use super::options::{Align, Options, pdf_date};
use super::page::{Canvas, GREY, Mark, Usage};
use super::shape::{Part, Run, Setting, shape};
use crate::Error;
use harfrust::GlyphId;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fmt::Write as _;
use subsetter::GlyphRemapper;

/// A file that was made.
#[derive(Debug, Clone, PartialEq)]
pub struct Written {
    /// The file.
    pub bytes: Vec<u8>,
    /// How many pages it has.
    pub pages: usize,
    /// Names of the fonts in it.
    pub fonts: Vec<String>,
    /// Its title.
    pub title: Option<String>,
}

/// Makes a PDF. `images` are the pictures that [`super::image_names`] gives, `fonts` those that the author names.
pub fn write(
    content: &Content,
    options: &Options,
    images: &HashMap<String, Vec<u8>>,
    fonts: Vec<FontFile>,
    others: &mut dyn FontSource,
) -> Result<Written, Error> {
    let document = markdown::read(content)?;
    let mut fonts = Fonts::new(fonts)?;
    fonts.complete(&signs(&document, options), others)?;
    let mut canvas = Canvas::new();
    let mut pictures = HashMap::new();
    for name in &document.images {
        let bytes = images.get(name).ok_or_else(|| {
            let name: String = name.chars().take(200).collect();
            Error::new("BAD_IMAGE", format!("The picture '{name}' was not given")).detail("image", name)
        })?;
        pictures.insert(name.clone(), image::add(name, bytes, &mut canvas.objects)?);
    }
    let images: Vec<Id> = pictures.values().map(|picture| picture.id).collect();
    let mut layout = Layout::new(canvas, &mut fonts, options, document.links.clone(), pictures);
    layout.document(&document)?;
    if !layout.has_content {
        let words = "The PDF would be empty: the text has no words and no pictures. Write something into 'content', or check the value that it shows";
        return Err(Error::new("NO_CONTENT", words).detail("field", "content"));
    }
    let mut canvas = layout.canvas;
    let title = options.title.clone().or_else(|| first_heading(&document));
    let bands = bands(&mut canvas, options, &mut fonts);
    let (pages, names) = (canvas.pages.len(), finish_names(&canvas.usage, &fonts));
    let bytes = finish(canvas, options, &fonts, images, bands, title.as_deref())?;
    Ok(Written { bytes, pages, fonts: names, title })
}

fn first_heading(document: &Document) -> Option<String> {
    let text = document.blocks.iter().find_map(|block| match block {
        Block::Heading(_, inlines) => Some(plain(inlines)),
        _ => None,
    })?;
    let text = text.trim();
    (!text.is_empty()).then(|| text.chars().take(500).collect())
}

/// Every character of the document.
fn signs(document: &Document, options: &Options) -> BTreeSet<char> {
    let mut all = BTreeSet::from([' ', 'x']);
    // A small table of what was seen makes long texts cheap.
    let mut seen = vec![false; 0x3000];
    let mut add = |text: &str| {
        for sign in text.chars() {
            match seen.get_mut(sign as usize) {
                Some(seen) if *seen => {}
                Some(seen) => {
                    *seen = true;
                    all.insert(sign);
                }
                None => {
                    all.insert(sign);
                }
            }
        }
    };
    blocks_signs(&document.blocks, &mut add);
    for content in [&options.header, &options.footer].into_iter().flatten() {
        add("0123456789");
        for (text, _) in markdown::one_line(content) {
            add(&text);
        }
    }
    all
}

fn blocks_signs(blocks: &[Block], add: &mut dyn FnMut(&str)) {
    let inlines = |list: &[Inline], add: &mut dyn FnMut(&str)| {
        for inline in list {
            if let Inline::Text(text, _) = inline {
                add(text);
            }
        }
    };
    for block in blocks {
        match block {
            Block::Heading(_, list) | Block::Paragraph(list) => inlines(list, add),
            Block::Code(code) => add(code),
            Block::Quote(blocks) => blocks_signs(blocks, add),
            Block::List(list) => {
                add("•0123456789.");
                for entry in &list.items {
                    if entry.ticked.is_some() {
                        add("☑☐");
                    }
                    blocks_signs(&entry.blocks, add);
                }
            }
            Block::Table(table) => {
                table.header.iter().for_each(|cell| inlines(cell, add));
                match &table.rows {
                    Rows::Cells(rows) => rows.iter().flatten().for_each(|cell| inlines(cell, add)),
                    Rows::Data(columns, rows) => {
                        let values = rows.iter().flat_map(|row| columns.iter().filter_map(|name| row.get(name)));
                        values.for_each(|value| match value {
                            serde_json::Value::String(text) => add(text),
                            other => add(&shown(other)),
                        });
                    }
                }
            }
            Block::Rule | Block::PageBreak => {}
        }
    }
}

/// Headers and footers: the content of each page.
fn bands(canvas: &mut Canvas, options: &Options, fonts: &mut Fonts) -> Vec<Option<Id>> {
    let pages = canvas.pages.len();
    let size = (options.font_size * 0.82).max(5.0);
    let sides = [
        (&options.header, options.height - options.margin * 0.5 - size * 0.3),
        (&options.footer, options.margin * 0.5 - size * 0.3),
    ];
    let parts: Vec<(Vec<(String, Align)>, f32)> =
        sides.iter().filter_map(|(content, y)| Some((divided((*content).as_ref()?), *y))).collect();
    let mut all = Vec::with_capacity(pages);
    for page in 1..=pages {
        let mut runs: Vec<(Run, f32, f32)> = Vec::new();
        for (parts, y) in &parts {
            for (text, align) in parts {
                let text = text.replace(PAGE, &page.to_string()).replace(PAGES, &pages.to_string());
                let setting = Setting { size, leading: 1.2, bold: false, keeps_blanks: false };
                let room = options.width - 2.0 * options.margin;
                let shaped = shape(&[Inline::Text(text, Style::default())], setting, room, fonts, &|_, _| (0.0, 0.0));
                let Some(line) = shaped.first().and_then(|one| one.lines(room, fonts).into_iter().next()) else {
                    continue;
                };
                let mut x = options.margin
                    + match align {
                        Align::Left => 0.0,
                        Align::Center => (room - line.width) / 2.0,
                        Align::Right => room - line.width,
                    };
                for part in line.parts {
                    let width = part.width();
                    if let Part::Run(run) = part {
                        runs.push((run, x, y.max(2.0)));
                    }
                    x += width;
                }
            }
        }
        all.push(canvas.aside(fonts, &runs, GREY));
    }
    all
}

/// Marks for the numbers, which no text has.
const PAGE: &str = "\u{FDD2}";
const PAGES: &str = "\u{FDD3}";

/// The parts of a header or footer: one is in the middle, two are left and right, three left, middle and right. Values divide nothing.
fn divided(content: &Content) -> Vec<(String, Align)> {
    let mut parts = vec![String::new()];
    for (text, is_written) in markdown::one_line(content) {
        if !is_written {
            if let Some(last) = parts.last_mut() {
                last.push_str(&text);
            }
            continue;
        }
        for (at, piece) in text.split('|').enumerate() {
            if at > 0 {
                parts.push(String::new());
            }
            if let Some(last) = parts.last_mut() {
                last.push_str(&piece.replace("{page}", PAGE).replace("{pages}", PAGES));
            }
        }
    }
    let aligns: &[Align] = match parts.len() {
        1 => &[Align::Center],
        2 => &[Align::Left, Align::Right],
        _ => &[Align::Left, Align::Center, Align::Right],
    };
    let parts = parts.into_iter().map(|text| text.trim().to_owned());
    parts.zip(aligns.iter().copied()).filter(|(text, _)| !text.is_empty()).collect()
}

fn finish_names(usage: &[Usage], fonts: &Fonts) -> Vec<String> {
    let used = usage.iter().zip(&fonts.faces).filter(|(usage, _)| !usage.glyphs.is_empty());
    used.map(|(_, face)| face.name.clone()).collect()
}

fn finish(
    canvas: Canvas,
    options: &Options,
    fonts: &Fonts,
    images: Vec<Id>,
    bands: Vec<Option<Id>>,
    title: Option<&str>,
) -> Result<Vec<u8>, Error> {
    let Canvas { mut objects, structure, usage, pages, marks, .. } = canvas;
    let mut resources = String::from("<</Font<<");
    for (at, usage) in usage.iter().enumerate().filter(|(_, usage)| !usage.glyphs.is_empty()) {
        let font = font(at, usage, fonts, &mut objects)?;
        let _ = write!(resources, "/F{at} {font}");
    }
    resources.push_str(">>/XObject<<");
    for image in images {
        let _ = write!(resources, "/I{} {image}", image.0);
    }
    resources.push_str(">>>>");
    let resources = objects.add(resources);
    let tree = objects.reserve();
    let mut ids = Vec::with_capacity(pages.len());
    for (at, (page, band)) in pages.into_iter().zip(bands).enumerate() {
        let mut text = format!("<</Type/Page/Parent {tree}/Contents[{}", page.content);
        if let Some(band) = band {
            let _ = write!(text, " {band}");
        }
        let _ = write!(text, "]/StructParents {at}/Tabs/S");
        if !page.annotations.is_empty() {
            text.push_str("/Annots[");
            page.annotations.iter().for_each(|id| {
                let _ = write!(text, "{id} ");
            });
            text.push(']');
        }
        text.push_str(">>");
        ids.push(objects.add(text));
    }
    let mut kids = String::new();
    ids.iter().for_each(|id| {
        let _ = write!(kids, "{id} ");
    });
    let (width, height) = (number(options.width), number(options.height));
    let count = ids.len();
    objects.put(
        tree,
        format!("<</Type/Pages/Count {count}/MediaBox[0 0 {width} {height}]/Resources {resources}/Kids[{kids}]>>"),
    );
    let structure = structure.write(&ids, &mut objects);
    let outline = outline(&marks, &ids, &mut objects);
    let metadata = metadata(options, title);
    let metadata = objects.plain_stream("/Type/Metadata/Subtype/XML", metadata.as_bytes());
    let mut catalogue = format!(
        "<</Type/Catalog/Pages {tree}/StructTreeRoot {structure}/MarkInfo<</Marked true>>/Metadata {metadata}/ViewerPreferences<</DisplayDocTitle true>>"
    );
    if let Some(language) = &options.language {
        let _ = write!(catalogue, "/Lang{}", text_string(language));
    }
    if let Some(outline) = outline {
        let _ = write!(catalogue, "/Outlines {outline}");
    }
    catalogue.push_str(">>");
    let root = objects.add(catalogue);
    let mut info = String::from("<</Producer(Signalbox)");
    for (name, value) in [("Title", title), ("Author", options.author.as_deref())] {
        if let Some(value) = value {
            let _ = write!(info, "/{name}{}", text_string(value));
        }
    }
    if let Some(date) = options.date.as_deref().and_then(pdf_date) {
        let _ = write!(info, "/CreationDate({date})");
    }
    info.push_str(">>");
    let info = objects.add(info);
    if objects.len() > super::MAX_CONTENT {
        let words = format!(
            "The PDF would be larger than {} MiB. Use smaller pictures, or write several files",
            super::MAX_CONTENT >> 20
        );
        return Err(Error::too_large(words, super::MAX_CONTENT as u64));
    }
    Ok(objects.finish(root, info))
}

/// A font with the glyphs that were drawn.
fn font(at: usize, usage: &Usage, fonts: &Fonts, objects: &mut Objects) -> Result<Id, Error> {
    let Some(face) = fonts.faces.get(at) else { return Err(Error::new("BAD_FONT", "A font is missing")) };
    let mut remapper = GlyphRemapper::new();
    let mapped: Vec<u16> = usage.glyphs.iter().map(|(glyph, ..)| remapper.remap(*glyph)).collect();
    let part = subsetter::subset(face.bytes.as_ref(), face.index, &remapper).map_err(|error| {
        let words = format!("The font '{}' cannot be put into the PDF: {error}. Use another font file", face.name);
        Error::new("BAD_FONT", words).detail("font", face.name.as_str())
    })?;
    // Six letters that differ from part to part, as the format asks for.
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    for (glyph, ..) in &usage.glyphs {
        hash = (hash ^ u64::from(*glyph)).wrapping_mul(0x0100_0000_01b3);
    }
    let tag: String =
        (0..6_u32).map(|at| char::from(b'A' + u8::try_from((hash >> (at * 8)) % 26).unwrap_or(0))).collect();
    let name = format!("{tag}+{}", face.name);
    let file = if face.is_cff {
        objects.stream("/Subtype/CIDFontType0C", cff_of(&part))
    } else {
        objects.stream(&format!("/Length1 {}", part.len()), &part)
    };
    let metrics = face.font.metrics();
    let scale = 1000.0 / face.units;
    let bounds = metrics.bounds;
    let flags = 4 | u8::from(face.is_mono) | if face.is_italic { 64 } else { 0 };
    let angle = face.font.style_metrics().italic_angle.map_or(0.0, |angle| angle.to_f64() as f32);
    let capital = metrics.cap_height.map_or(face.ascent * 700.0, |capital| capital.to_f32() * scale);
    let descriptor = objects.add(format!(
        "<</Type/FontDescriptor/FontName/{name}/Flags {flags}/FontBBox[{} {} {} {}]/ItalicAngle {}/Ascent {}/Descent {}/CapHeight {}/StemV {}/{} {file}>>",
        number(bounds.x_min.to_f32() * scale),
        number(bounds.y_min.to_f32() * scale),
        number(bounds.x_max.to_f32() * scale),
        number(bounds.y_max.to_f32() * scale),
        number(angle),
        number(face.ascent * 1000.0),
        number(-face.descent * 1000.0),
        number(capital),
        if face.is_bold { 140 } else { 80 },
        if face.is_cff { "FontFile3" } else { "FontFile2" }
    ));
    let mut widths = String::from("[1[");
    for (.., width) in &usage.glyphs {
        let _ = write!(widths, "{} ", number(*width));
    }
    widths.push_str("]]");
    let widths = objects.add(widths);
    let system = "/CIDSystemInfo<</Registry(Adobe)/Ordering(Identity)/Supplement 0>>";
    let kind = if face.is_cff {
        "/Subtype/CIDFontType0".to_owned()
    } else {
        // Codes are our own: one for each glyph and text.
        let mut map = vec![0, 0];
        mapped.iter().for_each(|glyph| map.extend_from_slice(&glyph.to_be_bytes()));
        format!("/Subtype/CIDFontType2/CIDToGIDMap {}", objects.stream("", &map))
    };
    let missing = face.font.glyph_metrics().h_advance(GlyphId::from(0_u16)) * scale;
    let child = objects.add(format!(
        "<</Type/Font{kind}/BaseFont/{name}{system}/FontDescriptor {descriptor}/DW {}/W {widths}>>",
        number(missing)
    ));
    let unicode = objects.stream("", to_unicode(usage).as_bytes());
    Ok(objects.add(format!(
        "<</Type/Font/Subtype/Type0/BaseFont/{name}/Encoding/Identity-H/DescendantFonts[{child}]/ToUnicode {unicode}>>"
    )))
}

/// The outlines of an OpenType file with PostScript outlines.
fn cff_of(font: &[u8]) -> &[u8] {
    let u32_at = |at: usize| Some(u32::from_be_bytes(font.get(at..at + 4)?.try_into().ok()?) as usize);
    let count = font.get(4..6).map_or(0, |two| usize::from(two[0]) << 8 | usize::from(two[1]));
    let entry = (0..count).map(|at| 12 + at * 16).find(|at| font.get(*at..at + 4) == Some(b"CFF "));
    let table = entry.and_then(|at| Some((u32_at(at + 8)?, u32_at(at + 12)?)));
    table.and_then(|(start, length)| font.get(start..start.checked_add(length)?)).unwrap_or(font)
}

/// What each code stands for, for those who search and copy.
fn to_unicode(usage: &Usage) -> String {
    let mut out = String::from(
        "/CIDInit /ProcSet findresource begin\n12 dict begin\nbegincmap\n/CIDSystemInfo <</Registry (Adobe) /Ordering (UCS) /Supplement 0>> def\n/CMapName /Adobe-Identity-UCS def\n/CMapType 2 def\n1 begincodespacerange\n<0000> <FFFF>\nendcodespacerange\n",
    );
    let named: Vec<(usize, &str)> = usage
        .glyphs
        .iter()
        .enumerate()
        .map(|(at, (_, text, _))| (at + 1, text.as_str()))
        .filter(|(_, text)| !text.is_empty())
        .collect();
    for chunk in named.chunks(100) {
        let _ = writeln!(out, "{} beginbfchar", chunk.len());
        for (code, text) in chunk {
            let _ = write!(out, "<{code:04X}> <");
            for unit in text.encode_utf16() {
                let _ = write!(out, "{unit:04X}");
            }
            out.push_str(">\n");
        }
        out.push_str("endbfchar\n");
    }
    out.push_str("endcmap\nCMapName currentdict /CMap defineresource pop\nend\nend\n");
    out
}

/// The headings as bookmarks: each below the last one of a higher rank.
fn outline(marks: &[Mark], pages: &[Id], objects: &mut Objects) -> Option<Id> {
    if marks.is_empty() {
        return None;
    }
    let root = objects.reserve();
    let ids: Vec<Id> = marks.iter().map(|_| objects.reserve()).collect();
    let mut parents: Vec<Option<usize>> = Vec::with_capacity(marks.len());
    let mut open: Vec<usize> = Vec::new();
    for (at, mark) in marks.iter().enumerate() {
        while open.last().and_then(|last| marks.get(*last)).is_some_and(|last| last.level >= mark.level) {
            open.pop();
        }
        parents.push(open.last().copied());
        open.push(at);
    }
    let mut children: BTreeMap<Option<usize>, Vec<usize>> = BTreeMap::new();
    for (at, parent) in parents.iter().enumerate() {
        children.entry(*parent).or_default().push(at);
    }
    let id = |at: usize| ids.get(at).copied().unwrap_or(root);
    for (parent, list) in &children {
        for (place, at) in list.iter().enumerate() {
            let Some(mark) = marks.get(*at) else { continue };
            let page = pages.get(mark.page).copied().unwrap_or(root);
            let title: String = mark.text.trim().chars().take(200).collect();
            let mut text = format!(
                "<</Title{}/Parent {}/Dest[{page}/XYZ null {} null]",
                text_string(&title),
                parent.map_or(root, id),
                number(mark.y)
            );
            if let Some(before) = place.checked_sub(1).and_then(|place| list.get(place)) {
                let _ = write!(text, "/Prev {}", id(*before));
            }
            if let Some(next) = list.get(place + 1) {
                let _ = write!(text, "/Next {}", id(*next));
            }
            if let Some((first, last)) = children.get(&Some(*at)).and_then(|below| below.first().zip(below.last())) {
                // Closed: only the highest rank is seen at first.
                let below = children.get(&Some(*at)).map_or(0, Vec::len);
                let _ = write!(text, "/First {}/Last {}/Count -{below}", id(*first), id(*last));
            }
            text.push_str(">>");
            objects.put(id(*at), text);
        }
    }
    let top = children.get(&None)?;
    let (first, last) = top.first().zip(top.last())?;
    objects.put(root, format!("<</Type/Outlines/First {}/Last {}/Count {}>>", id(*first), id(*last), top.len()));
    Some(root)
}

/// The same about the document as XML.
fn metadata(options: &Options, title: Option<&str>) -> String {
    let escaped = |text: &str| text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
    let mut out = String::from(
        "<?xpacket begin=\"\u{FEFF}\" id=\"W5M0MpCehiHzreSzNTczkc9d\"?>\n<x:xmpmeta xmlns:x=\"adobe:ns:meta/\"><rdf:RDF xmlns:rdf=\"http://www.w3.org/1999/02/22-rdf-syntax-ns#\"><rdf:Description rdf:about=\"\" xmlns:dc=\"http://purl.org/dc/elements/1.1/\" xmlns:pdf=\"http://ns.adobe.com/pdf/1.3/\" xmlns:xmp=\"http://ns.adobe.com/xap/1.0/\"><pdf:Producer>Signalbox</pdf:Producer>",
    );
    if let Some(title) = title {
        let _ = write!(
            out,
            "<dc:title><rdf:Alt><rdf:li xml:lang=\"x-default\">{}</rdf:li></rdf:Alt></dc:title>",
            escaped(title)
        );
    }
    if let Some(author) = &options.author {
        let _ = write!(out, "<dc:creator><rdf:Seq><rdf:li>{}</rdf:li></rdf:Seq></dc:creator>", escaped(author));
    }
    if let Some(language) = &options.language {
        let _ = write!(out, "<dc:language><rdf:Bag><rdf:li>{language}</rdf:li></rdf:Bag></dc:language>");
    }
    if let Some(date) = options.date.as_deref().and_then(pdf_date) {
        let part = |from: usize, to: usize| date.get(from..to).unwrap_or_default();
        let (day, time) = (
            format!("{}-{}-{}", part(2, 6), part(6, 8), part(8, 10)),
            format!("{}:{}:{}", part(10, 12), part(12, 14), part(14, 16)),
        );
        let _ = write!(out, "<xmp:CreateDate>{day}T{time}Z</xmp:CreateDate>");
    }
    out.push_str("</rdf:Description></rdf:RDF></x:xmpmeta>\n<?xpacket end=\"r\"?>");
    out
}
