use super::{Content, FontFile, MAX_DEPTH, NoFonts, Options, Piece, Request, Written, image_names, make, write};
use crate::Error;
use crate::pdf::{ReadOptions, read};
use pdf_extract::{Document, Object};
use serde_json::{Value, json};
use std::collections::HashMap;
use std::sync::Arc;

/// A text in which `§` stands for the values, in order.
fn content(text: &str, values: &[Value]) -> Content {
    let mut pieces = Vec::new();
    for (at, part) in text.split('§').enumerate() {
        if at > 0 {
            pieces.push(Piece::Value(values[at - 1].clone()));
        }
        pieces.push(Piece::Text(part.to_owned()));
    }
    Content { pieces, is_markdown: false }
}

fn written_with(content: &Content, options: &Options, images: &HashMap<String, Vec<u8>>) -> Result<Written, Error> {
    write(content, options, images, Vec::new(), &mut NoFonts)
}

fn made(text: &str, values: &[Value]) -> Written {
    written_with(&content(text, values), &Options::default(), &HashMap::new()).expect("a PDF")
}

fn refused(text: &str, values: &[Value]) -> Error {
    written_with(&content(text, values), &Options::default(), &HashMap::new()).expect_err("refused")
}

/// The texts of its pages, each with one blank between words.
fn pages(written: &Written) -> Vec<String> {
    let json = read(&written.bytes, &ReadOptions { pages: (1, usize::MAX) }).expect("is read");
    let read: Value = serde_json::from_str(&json).expect("JSON");
    let text =
        |page: &Value| page["text"].as_str().unwrap_or_default().split_whitespace().collect::<Vec<_>>().join(" ");
    read["pages"].as_array().expect("pages").iter().map(text).collect()
}

/// Values of a key in all dictionaries of the file.
fn entries(written: &Written, key: &[u8]) -> Vec<Object> {
    fn find(object: &Object, key: &[u8], found: &mut Vec<Object>) {
        match object {
            Object::Dictionary(map) => map.iter().for_each(|(name, value)| {
                if name == key {
                    found.push(value.clone());
                }
                find(value, key, found);
            }),
            Object::Array(list) => list.iter().for_each(|one| find(one, key, found)),
            Object::Stream(stream) => find(&Object::Dictionary(stream.dict.clone()), key, found),
            _ => {}
        }
    }
    let mut found = Vec::new();
    let document = Document::load_mem(&written.bytes).expect("a PDF");
    document.objects.values().for_each(|object| find(object, key, &mut found));
    found
}

fn names(objects: &[Object]) -> Vec<String> {
    objects.iter().filter_map(|one| one.as_name().ok()).map(|name| String::from_utf8_lossy(name).into_owned()).collect()
}

#[test]
fn values_are_never_markup() {
    let hostile = "# *a* | `b` <b>c</b> [d](https://e.example) \\pagebreak\n- f";
    let text = "Dear **§**,\n\n| who | what |\n|--|--|\n| § | x |\n\n```\n§\n```\n\n> §\n\n# §\n";
    let written = made(text, &vec![json!(hostile); 5]);
    let all = pages(&written).join(" ");
    let flat = hostile.split_whitespace().collect::<Vec<_>>().join(" ");
    assert_eq!((written.pages, all.matches(&flat).count()), (1, 5), "{all}");
    assert_eq!(entries(&written, b"URI"), Vec::<Object>::new());
    assert_eq!(written.title.as_deref(), Some(hostile.replace('\n', " ").as_str()));
}

#[test]
fn texts_of_values_are_markdown_when_the_author_says_so() {
    let mut content = content("§", &[json!("# Title\n\n| a | b |\n|--|--:|\n| 1 | 2 |\n")]);
    content.is_markdown = true;
    let written = written_with(&content, &Options::default(), &HashMap::new()).expect("a PDF");
    assert_eq!((written.title.as_deref(), pages(&written)), (Some("Title"), vec!["Title a b 1 2".to_owned()]));
}

#[test]
fn a_list_of_objects_is_a_table_whose_header_is_on_each_page() {
    let rows: Vec<Value> = (0..120).map(|n| json!({ "number": n, "name": format!("Name{n} of\ntwo lines") })).collect();
    let written = made("# Report\n\n§\n\nThe end.", &[json!(rows)]);
    let pages = pages(&written);
    assert!(written.pages > 3, "{}", written.pages);
    assert!(pages.iter().all(|page| page.contains("number name")), "{pages:#?}");
    // No row is cut: both of its lines and its number are on one page.
    for n in [0, 13, 57, 119] {
        assert!(pages.iter().any(|page| page.contains(&format!("{n} Name{n} of two lines"))), "{n}: {pages:#?}");
    }
    assert!(pages.last().is_some_and(|page| page.ends_with("The end.")));
    // It is read out once: as many header cells as columns.
    assert_eq!(names(&entries(&written, b"S")).iter().filter(|kind| *kind == "TH").count(), 2);
}

#[test]
fn amounts_stand_on_the_right_and_numbers_of_things_do_not() {
    use super::blocks::{Side, table_of};
    let rows = json!([
        { "a": 1, "b": "1,234.50 €", "c": "007", "d": "2026-11-30", "e": null, "f": "12.5 %" },
        { "a": 2.5, "b": "-3 €", "c": "12", "d": "2026-12-01", "e": 4, "f": "about 3 %" },
    ]);
    let table = table_of(rows.as_array().expect("a list").clone());
    assert_eq!(table.sides, [Side::End, Side::End, Side::Start, Side::Start, Side::End, Side::Start]);
}

#[test]
fn lists_of_texts_are_lists_and_values_in_a_line_are_text() {
    let values = [json!(["one", "two"]), json!(["a", 1]), json!({ "x": 1.5 }), json!(null), json!(1e20)];
    let written = made("Steps:\n§\n\nInline § and § and §, §.", &values);
    let wanted = "Steps: • one • two Inline a, 1 and {\"x\":1.5} and , 100000000000000000000.";
    assert_eq!(pages(&written), [wanted]);
}

#[test]
fn headers_and_footers_have_page_numbers_and_values_divide_nothing() {
    let options = Options {
        header: Some(content("Report|§", &[json!("A|B {page}")])),
        footer: Some(content("{page} / {pages}", &[])),
        ..Options::default()
    };
    let written = written_with(&content("one\n\n\\pagebreak\n\ntwo", &[]), &options, &HashMap::new()).expect("a PDF");
    let read = pages(&written);
    assert_eq!(written.pages, 2);
    for (page, numbers) in read.iter().zip(["1 / 2", "2 / 2"]) {
        assert!(page.contains("Report") && page.contains("A|B {page}") && page.contains(numbers), "{page}");
    }
}

#[test]
fn the_same_gives_the_same_bytes_and_a_date_only_when_given() {
    let text = "# A\n\nÄ *b* `c` → ✓\n\n- x\n";
    assert_eq!(made(text, &[]).bytes, made(text, &[]).bytes);
    assert_eq!(entries(&made(text, &[]), b"CreationDate"), Vec::<Object>::new());
    let dated = |date: &str| Options::of(&json!({ "date": date })).map_err(|error| error.code);
    let options = dated("2026-11-30T21:36:00+01:00").expect("a date");
    let written = written_with(&content(text, &[]), &options, &HashMap::new()).expect("a PDF");
    let date = entries(&written, b"CreationDate").first().and_then(|date| date.as_str().ok().map(<[u8]>::to_vec));
    assert_eq!(date.as_deref(), Some(&b"D:20261130203600Z"[..]));
    assert_eq!(dated("yesterday"), Err("INPUT_INVALID".to_owned()));
}

#[test]
fn links_lead_to_pages_and_mail_addresses_only() {
    let text =
        "[a](https://a.example/ü?x=1) [b](mailto:b@example.com) [c](javascript:alert) [d](file:///etc/passwd) [e](§)";
    let written = made(text, &[json!("JavaScript:alert(1)")]);
    let mut found: Vec<String> = entries(&written, b"URI")
        .iter()
        .filter_map(|uri| uri.as_str().ok().map(|text| String::from_utf8_lossy(text).into_owned()))
        .collect();
    found.sort();
    assert_eq!(found, ["https://a.example/%C3%BC?x=1", "mailto:b@example.com"]);
    assert!(names(&entries(&written, b"S")).iter().all(|kind| !["JavaScript", "Launch"].contains(&kind.as_str())));
}

#[test]
fn headings_are_bookmarks_and_parts_are_tagged() {
    let written = made("# One\n\ntext\n\n## Two\n\n1. a\n2. b\n\n# Three\n\n> q\n", &[]);
    let titles: Vec<String> = entries(&written, b"Title")
        .iter()
        .filter_map(|title| title.as_str().ok().map(|text| String::from_utf8_lossy(text).into_owned()))
        .collect();
    for wanted in ["One", "Two", "Three"] {
        assert!(titles.iter().any(|title| title == wanted), "{titles:?}");
    }
    let kinds = names(&entries(&written, b"S"));
    for wanted in ["Document", "H1", "H2", "P", "L", "LI", "Lbl", "LBody", "BlockQuote"] {
        assert!(kinds.iter().any(|kind| kind == wanted), "{wanted}: {kinds:?}");
    }
}

#[test]
fn a_character_without_a_font_is_named() {
    let error = refused("Hello §", &[json!("發票 and 🎉")]);
    assert_eq!((error.code.as_str(), &error.details["count"]), ("NO_GLYPH", &json!(3)), "{error}");
    assert!(error.message.contains("U+767C") && error.message.contains("'fonts'"), "{error}");
    // What is never drawn needs no font.
    assert!(pages(&made("a\u{200D}b\u{FE0F}\u{AD}c", &[]))[0].starts_with('a'));
}

#[test]
fn a_named_font_is_used_first_and_arabic_is_shaped() {
    let fonts = vec![FontFile { name: "DejaVuSans.ttf".into(), bytes: Arc::new(dejavu::sans::regular().to_vec()) }];
    let text = content("السلام عليكم 123\n\n**bold** and *italic*", &[]);
    let written = write(&text, &Options::default(), &HashMap::new(), fonts, &mut NoFonts).expect("a PDF");
    assert_eq!(written.fonts, ["DejaVuSans"]);
    let read = pages(&written).join(" ");
    assert!(read.contains("bold and italic"), "{read}");
    // The letters are there; the order on the page is that of the eye.
    let letters = |text: &str| {
        let mut letters: Vec<char> = text.chars().filter(|sign| ('\u{600}'..='\u{6FF}').contains(sign)).collect();
        letters.sort_unstable();
        letters
    };
    assert_eq!(letters(&read), letters("السلام عليكم"));
}

#[test]
fn a_file_that_is_no_font_is_refused() {
    for bytes in
        [b"no font".to_vec(), notosans::REGULAR_TTF[..400].to_vec(), b"ttcf\0\x01\0\0\xff\xff\xff\xff".to_vec()]
    {
        let fonts = vec![FontFile { name: "x.ttf".into(), bytes: Arc::new(bytes) }];
        let error = write(&content("a", &[]), &Options::default(), &HashMap::new(), fonts, &mut NoFonts);
        let error = error.expect_err("refused");
        assert_eq!((error.code.as_str(), &error.details["font"]), ("BAD_FONT", &json!("x.ttf")), "{error}");
    }
}

/// A PNG of one colour; its head may claim another size.
fn png(width: u32, height: u32, alpha: bool, claimed: Option<u32>) -> Vec<u8> {
    let mut out = Vec::new();
    let mut encoder = png::Encoder::new(&mut out, width, height);
    encoder.set_color(if alpha { png::ColorType::Rgba } else { png::ColorType::Rgb });
    let mut writer = encoder.write_header().expect("a head");
    let dots = (width * height) as usize * if alpha { 4 } else { 3 };
    writer.write_image_data(&vec![100; dots]).expect("dots");
    writer.finish().expect("an end");
    if let Some(claimed) = claimed {
        out[16..20].copy_from_slice(&claimed.to_be_bytes());
        out[20..24].copy_from_slice(&claimed.to_be_bytes());
        let sum = crc(&out[12..29]).to_be_bytes();
        out[29..33].copy_from_slice(&sum);
    }
    out
}

fn crc(bytes: &[u8]) -> u32 {
    bytes.iter().fold(!0_u32, |sum, byte| {
        (0..8).fold(sum ^ u32::from(*byte), |sum, _| if sum & 1 == 1 { sum >> 1 ^ 0xEDB8_8320 } else { sum >> 1 })
    }) ^ !0
}

/// The head and the end of a JPEG, turned by a camera.
fn jpeg(orientation: u8) -> Vec<u8> {
    let mut exif = b"Exif\0\0MM\0*\0\0\0\x08\0\x01\x01\x12\0\x03\0\0\0\x01\0".to_vec();
    exif.extend_from_slice(&[orientation, 0, 0, 0, 0, 0, 0]);
    let mut out = vec![0xFF, 0xD8, 0xFF, 0xE1, 0, u8::try_from(exif.len() + 2).expect("short")];
    out.extend_from_slice(&exif);
    out.extend_from_slice(&[0xFF, 0xC0, 0, 17, 8, 0, 20, 0, 40, 3, 1, 0x22, 0, 2, 0x11, 1, 3, 0x11, 1, 0xFF, 0xD9]);
    out
}

fn with_image(bytes: Vec<u8>) -> Result<Written, Error> {
    let text = content("![The logo](logo \"width=50%\") and ![](logo)", &[]);
    assert_eq!(image_names(&text).expect("names"), ["logo"]);
    written_with(&text, &Options::default(), &HashMap::from([("logo".to_owned(), bytes)]))
}

#[test]
fn pictures_are_png_and_jpeg() {
    let plain = with_image(png(8, 4, false, None)).expect("a PDF");
    assert_eq!((entries(&plain, b"SMask").len(), entries(&plain, b"Alt").len()), (0, 1));
    assert_eq!(entries(&with_image(png(8, 4, true, None)).expect("a PDF"), b"SMask").len(), 1);
    let turned = with_image(jpeg(6)).expect("a PDF");
    assert!(names(&entries(&turned, b"Filter")).contains(&"DCTDecode".to_owned()));
}

#[test]
fn what_is_no_picture_is_refused_before_it_is_unpacked() {
    let cut = jpeg(1).into_iter().take(57).collect::<Vec<_>>();
    let mut half = png(64, 64, false, None);
    half.truncate(half.len() / 2);
    for (bytes, code) in [
        (b"<svg/>".to_vec(), "BAD_IMAGE"),
        (b"GIF89a".to_vec(), "BAD_IMAGE"),
        (cut, "BAD_IMAGE"),
        (half, "BAD_IMAGE"),
        (png(1, 1, false, Some(60_000)), "TOO_LARGE"),
        (png(1, 1, false, Some(2_000)), "BAD_IMAGE"),
    ] {
        let error = with_image(bytes).expect_err("refused");
        assert_eq!((error.code.as_str(), &error.details["image"]), (code, &json!("logo")), "{error}");
    }
}

#[test]
fn what_is_empty_or_too_much_is_refused() {
    for (text, code) in [
        ("", "NO_CONTENT"),
        (" \n\n<!-- only a comment -->\n\\pagebreak", "NO_CONTENT"),
        (&">".repeat(MAX_DEPTH + 5), "TOO_LARGE"),
        (&format!("{}\n{}\n", "|a".repeat(80), "|--".repeat(80)), "TOO_LARGE"),
    ] {
        assert_eq!(refused(text, &[]).code, code, "{text}");
    }
    let error = Options::of(&json!({ "pageSize": "a5", "margin": 80 })).expect_err("no room");
    assert!(error.code == "INPUT_INVALID" && error.message.contains("148"), "{error}");
    for options in [json!({ "pageSize": "b5" }), json!({ "fontSize": 0 }), json!({ "language": "english language" })] {
        assert_eq!(Options::of(&options).map_err(|error| error.code), Err("INPUT_INVALID".to_owned()), "{options}");
    }
}

#[test]
fn unusual_texts_are_written_as_they_are() {
    // An open code block, control characters, HTML, tabs, and a word that is wider than the page.
    let word = "w".repeat(300);
    let text = format!(
        "a\u{0}\u{7}b <i>c</i><br>d\n\n<div>e</div>\n\n{word}\n\n| x |\n|--|\n| {word} |\n\n```\n\tcode\n  * not a list"
    );
    let written = made(&text, &[]);
    let all = pages(&written).join(" ");
    for wanted in ["ab <i>c</i> d", "<div>e</div>", "code * not a list"] {
        assert!(all.contains(wanted), "{wanted}: {all}");
    }
    assert_eq!(all.chars().filter(|sign| *sign == 'w').count(), 600);
}

#[test]
fn a_row_that_is_higher_than_a_page_goes_on_on_the_next() {
    let long: Vec<String> = (0..200).map(|n| format!("line{n}")).collect();
    let written = made("§", &[json!([{ "text": long.join("\n"), "n": 1 }, { "text": "last", "n": 2 }])]);
    let all = pages(&written).join(" ");
    assert!(
        written.pages >= 3 && long.iter().all(|line| all.contains(line.as_str())) && all.ends_with("last 2"),
        "{all}"
    );
}

#[test]
fn paper_and_margins_are_those_that_were_chosen() {
    let options = Options::of(&json!({ "pageSize": "letter", "orientation": "landscape", "margin": 0, "fontSize": 8 }));
    let written = written_with(&content("x", &[]), &options.expect("options"), &HashMap::new()).expect("a PDF");
    let sides: Vec<f32> = entries(&written, b"MediaBox")
        .iter()
        .filter_map(|sides| sides.as_array().ok())
        .flatten()
        .filter_map(|side| side.as_float().ok())
        .collect();
    assert_eq!(sides, [0.0, 0.0, 792.0, 612.0]);
}

#[test]
fn what_is_sent_to_another_process_is_the_same_there() {
    let request = Request {
        content: r##"[{"text":"# A "},{"value":"*b*"},{"text":"\n\n![x](logo)"}]"##.into(),
        footer: Some(r#"[{"text":"{page}"}]"#.into()),
        images: vec![("logo".into(), png(2, 2, false, None))],
        fonts: vec![("DejaVuSans.ttf".into(), dejavu::sans::regular().to_vec())],
        ..Request::default()
    };
    let (bytes, head) = request.bytes();
    let written = make(&bytes, &json!({ "head": head }), &mut NoFonts).expect("a PDF");
    assert_eq!((written.title.as_deref(), written.fonts.len()), (Some("A *b*"), 1));
    assert!(pages(&written).join(" ").contains("A *b*"));
    for (head, bytes) in [(head, &bytes[..bytes.len() - 1]), (3, &bytes[..]), (bytes.len() + 1, &bytes[..])] {
        let error = make(bytes, &json!({ "head": head }), &mut NoFonts).expect_err("incomplete");
        assert_eq!(error.code, "INPUT_INVALID");
    }
}

proptest::proptest! {
    #![proptest_config(proptest::prelude::ProptestConfig::with_cases(64))]

    /// Whatever the words are, a file is made or an error is given, and what was made is read.
    #[test]
    fn any_text_is_written_or_refused(text in "[ -~\\n|#*_`>&<\\[\\]()0-9äöü]{0,200}", value in "[ -~\\n]{0,40}") {
        match written_with(&content(&format!("{text}§"), &[json!(value)]), &Options::default(), &HashMap::new()) {
            Ok(written) => { pages(&written); }
            Err(error) => assert!(["NO_CONTENT", "TOO_LARGE", "BAD_IMAGE"].contains(&error.code.as_str()), "{error}"),
        }
    }
}
