//! Files of other programs, kinds of files, and files that are refused.

use super::{changed, filled, invoice, order, part, parts, rows, sheet_xml, template};
use serde_json::json;

const TYPES: &str = "[Content_Types].xml";
const MAIN: &str = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml";

#[test]
fn templates_of_excel_and_files_with_macros_keep_what_they_are() {
    let with = |kind: &str| changed(&invoice(), TYPES, |text| text.replace(MAIN, kind));
    let xltx = with("application/vnd.openxmlformats-officedocument.spreadsheetml.template.main+xml");
    let made = filled(&xltx, order()).expect("filled");
    assert!(part(&made.bytes, TYPES).contains(MAIN) && !made.has_macros);
    for kind in [
        "application/vnd.ms-excel.sheet.macroEnabled.main+xml",
        "application/vnd.ms-excel.template.macroEnabled.main+xml",
    ] {
        let made = filled(&with(kind), order()).expect("filled");
        assert!(part(&made.bytes, TYPES).contains("ms-excel.sheet.macroEnabled.main+xml") && made.has_macros);
    }
    let refused = filled(&with("application/vnd.ms-excel.sheet.binary.macroEnabled.main"), order()).expect_err("xlsb");
    assert_eq!(refused.code, "UNKNOWN_FORMAT");
}

#[test]
fn what_is_no_workbook_is_refused() {
    for (bytes, code) in [
        (&b"<html>"[..], "UNKNOWN_FORMAT"),
        (b"", "UNKNOWN_FORMAT"),
        (&[0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1, 0, 0], "UNKNOWN_FORMAT"),
        (b"PK\x03\x04", "BAD_SPREADSHEET"),
    ] {
        assert_eq!(filled(bytes, order()).expect_err("refused").code, code);
    }
    let sheet = "xl/worksheets/sheet1.xml";
    for change in [
        |text: String| text.replace("<sheetData>", "<!DOCTYPE x [<!ENTITY a \"b\">]><sheetData>"),
        |text: String| text.replace("<row r=\"2\"", "<row r=\"1\""),
        |text: String| text.replace("r=\"B5\"", "r=\"A5\""),
        |text: String| text.replace("</sheetData>", ""),
    ] {
        let error = filled(&changed(&invoice(), sheet, change), order()).expect_err("damaged");
        assert_eq!(error.code, "BAD_SPREADSHEET", "{error}");
    }
}

/// Prefixes on all elements, texts in the cells, and no places: as libraries of other languages write.
#[test]
fn files_in_another_style_of_xml_are_filled() {
    let bytes = changed(&invoice(), "xl/worksheets/sheet1.xml", |_| {
        r#"<?xml version="1.0"?><x:worksheet xmlns:x="urn:main"><x:sheetData><x:row><x:c t="inlineStr"><x:is><x:t>No {{number}}</x:t></x:is></x:c></x:row><x:row x:ht='12' spans='1:"2'><x:c t="inlineStr"><x:is><x:t>{{lines.name}}</x:t></x:is></x:c><x:c><x:v>4</x:v></x:c></x:row><x:row><x:c><x:f>SUM(B2)&amp;"&lt;"</x:f><x:v>4</x:v></x:c><x:extLst><x:ext uri="u"/></x:extLst></x:row></x:sheetData></x:worksheet>"#.to_owned()
    });
    let made = filled(&bytes, order()).expect("filled").bytes;
    assert_eq!(
        sheet_xml(&made),
        r#"<?xml version="1.0"?><x:worksheet xmlns:x="urn:main"><x:sheetData><x:row r="1"><x:c r="A1" t="inlineStr"><x:is><x:t>No R-17</x:t></x:is></x:c></x:row><x:row r="2" x:ht="12" spans='1:"2'><x:c r="A2" t="inlineStr"><x:is><x:t>Keyboard</x:t></x:is></x:c><x:c r="B2"><x:v>4</x:v></x:c></x:row><x:row r="3" x:ht="12" spans='1:"2'><x:c r="A3" t="inlineStr"><x:is><x:t>=1+1</x:t></x:is></x:c><x:c r="B3"><x:v>4</x:v></x:c></x:row><x:row r="4" x:ht="12" spans='1:"2'><x:c r="A4" t="inlineStr"><x:is><x:t>Mouse</x:t></x:is></x:c><x:c r="B4"><x:v>4</x:v></x:c></x:row><x:row r="5"><x:c r="A5"><x:f>SUM(B2:B4)&amp;&quot;&lt;&quot;</x:f></x:c><x:extLst><x:ext uri="u"/></x:extLst></x:row></x:sheetData></x:worksheet>"#
    );
}

#[test]
fn the_chain_of_calculation_is_left_out_and_nothing_else() {
    let with_chain = changed(&invoice(), TYPES, |text| {
        text.replace("</Types>", "<Override PartName=\"/xl/calcChain.xml\" ContentType=\"application/vnd.openxmlformats-officedocument.spreadsheetml.calcChain+xml\"/></Types>")
    });
    let with_chain = changed(&with_chain, "xl/_rels/workbook.xml.rels", |text| {
        text.replace(
            "</Relationships>",
            "<Relationship Id=\"rId99\" Type=\"urn:x/calcChain\" Target=\"calcChain.xml\"/></Relationships>",
        )
    });
    let with_chain = super::with_part(&with_chain, "xl/calcChain.xml", b"<calcChain/>");
    let with_chain = super::with_part(&with_chain, "xl/vbaProject.bin", b"\x00\x01macros");
    let made = filled(&with_chain, order()).expect("filled").bytes;
    let names: Vec<String> = parts(&made).into_iter().map(|(name, _)| name).collect();
    let wanted: Vec<String> =
        parts(&with_chain).into_iter().map(|(name, _)| name).filter(|name| name != "xl/calcChain.xml").collect();
    assert_eq!(names, wanted);
    assert!(
        !part(&made, TYPES).contains("calcChain") && !part(&made, "xl/_rels/workbook.xml.rels").contains("calcChain")
    );
}

#[test]
fn pivot_tables_read_their_data_again() {
    let types = |text: String| {
        text.replace("</Types>", "<Override PartName=\"/xl/pivotCache/pivotCacheDefinition1.xml\" ContentType=\"application/vnd.openxmlformats-officedocument.spreadsheetml.pivotCacheDefinition+xml\"/></Types>")
    };
    let bytes = super::with_part(
        &changed(&invoice(), TYPES, types),
        "xl/pivotCache/pivotCacheDefinition1.xml",
        b"<pivotCacheDefinition xmlns=\"m\" recordCount=\"1\"><cacheSource type=\"worksheet\"><worksheetSource ref=\"A4:D5\" sheet=\"Invoice\"/></cacheSource></pivotCacheDefinition>",
    );
    let made = filled(&bytes, order()).expect("filled").bytes;
    let cache = part(&made, "xl/pivotCache/pivotCacheDefinition1.xml");
    assert!(cache.contains("refreshOnLoad=\"1\"") && cache.contains("ref=\"A4:D7\""), "{cache}");
}

/// Whatever a file says, it is filled or refused.
#[test]
fn damaged_templates_do_not_end_the_program() {
    use proptest::prelude::*;
    let template = invoice();
    let parts = ["xl/worksheets/sheet1.xml", "xl/workbook.xml", "xl/sharedStrings.xml", "xl/styles.xml", TYPES];
    let piece = prop::sample::select(vec![
        "",
        "<",
        ">",
        "/>",
        "<c r=\"A1\"/>",
        "4294967295",
        "\"",
        "&",
        "{{lines}}",
        "<f>A1:",
        "</row>",
        "é",
    ]);
    let config = ProptestConfig { cases: 96, failure_persistence: None, ..ProptestConfig::default() };
    proptest!(config, |(part in 0..parts.len(), at in 0_usize..1_000, length in 0_usize..40, piece in piece)| {
        let bytes = changed(&template, parts[part], |text| {
            let signs: Vec<char> = text.chars().collect();
            let start = at * signs.len() / 1_000;
            let end = (start + length).min(signs.len());
            signs[..start].iter().collect::<String>() + piece + &signs[end..].iter().collect::<String>()
        });
        let _ = filled(&bytes, order());
    });
}

/// The guard of reading: what a file says of its size is looked at before anything is unpacked.
#[test]
fn a_bomb_is_refused() {
    let mut lying = invoice();
    let directory = (0..lying.len()).find(|at| lying[*at..].starts_with(b"PK\x01\x02")).expect("a directory");
    lying[directory + 24..directory + 28].copy_from_slice(&0xffff_fffe_u32.to_le_bytes());
    assert_eq!(filled(&lying, order()).expect_err("a bomb").code, "TOO_LARGE");
}

#[test]
fn many_rows_stay_within_the_limits() {
    let count = 2_000;
    let data = json!({ "lines": (0..count).map(|n| json!({ "name": format!("n{n}"), "quantity": n, "price": 1 })).collect::<Vec<_>>(), "number": 1, "date": null, "customer": { "name": "" } });
    let made = filled(&invoice(), data).expect("filled").bytes;
    assert_eq!(rows(&made).as_array().expect("rows").len(), count + 3);
    let empty = template(|sheet| sheet.write(0, 0, "{{a}}").map(drop));
    assert!(filled(&empty, json!({ "a": "x" })).is_ok());
}
