use super::{ReadOptions, read};
use serde_json::{Value, json};

/// A PDF with one text per page, made as the format asks for.
pub(crate) fn pdf(pages: &[&str]) -> Vec<u8> {
    let mut objects = vec!["<< /Type /Catalog /Pages 2 0 R >>".to_owned()];
    let kids: Vec<String> = (0..pages.len()).map(|index| format!("{} 0 R", 4 + 2 * index)).collect();
    objects.push(format!("<< /Type /Pages /Kids [{}] /Count {} >>", kids.join(" "), pages.len()));
    objects.push("<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>".to_owned());
    for (index, text) in pages.iter().enumerate() {
        let lines: Vec<String> = text.lines().map(|line| format!("({line}) Tj 0 -14 Td")).collect();
        let stream = format!("BT /F1 12 Tf 50 700 Td {} ET", lines.join(" "));
        objects.push(format!("<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Resources << /Font << /F1 3 0 R >> >> /Contents {} 0 R >>", 5 + 2 * index));
        objects.push(format!("<< /Length {} >>\nstream\n{stream}\nendstream", stream.len()));
    }
    written(&objects, "")
}

fn written(objects: &[String], trailer: &str) -> Vec<u8> {
    let mut out = "%PDF-1.4\n".to_owned();
    let mut places = Vec::new();
    for (index, object) in objects.iter().enumerate() {
        places.push(out.len());
        out.push_str(&format!("{} 0 obj\n{object}\nendobj\n", index + 1));
    }
    let table = out.len();
    out.push_str(&format!("xref\n0 {}\n0000000000 65535 f \n", objects.len() + 1));
    for place in places {
        out.push_str(&format!("{place:010} 00000 n \n"));
    }
    out.push_str(&format!(
        "trailer\n<< /Size {} /Root 1 0 R {trailer} >>\nstartxref\n{table}\n%%EOF\n",
        objects.len() + 1
    ));
    out.into_bytes()
}

fn all() -> ReadOptions {
    ReadOptions::of(&json!({}))
}

#[test]
fn the_text_of_each_page() {
    let bytes = pdf(&["Invoice 7\nTotal 12.50", "Terms", "Last"]);
    let value: Value = serde_json::from_str(&read(&bytes, &all()).expect("a PDF")).expect("JSON");
    assert_eq!(value["pageCount"], 3);
    assert_eq!(value["pages"][0], json!({ "page": 1, "text": "Invoice 7\nTotal 12.50" }));
    let some = ReadOptions::of(&json!({ "firstPage": 2, "lastPage": 2 }));
    let value: Value = serde_json::from_str(&read(&bytes, &some).expect("a PDF")).expect("JSON");
    assert_eq!(value["pages"], json!([{ "page": 2, "text": "Terms" }]));
    let none = ReadOptions::of(&json!({ "firstPage": 4 }));
    assert_eq!(read(&bytes, &none).expect_err("no page").code, "INPUT_INVALID");
}

#[test]
fn damaged_and_protected_files_are_told() {
    let good = pdf(&["a"]);
    assert_eq!(read(b"PK\x03\x04", &all()).expect_err("no PDF").code, "UNKNOWN_FORMAT");
    assert_eq!(read(b"%PDF-1.7\nnothing", &all()).expect_err("damaged").code, "BAD_PDF");
    // No page has a size: the library panics, and that is an error.
    let text =
        String::from_utf8(good.clone()).expect("ASCII").replace("/MediaBox [0 0 612 792]", "/NothingHere [1 2 3 45 ]");
    let error = crate::read(crate::Document::Pdf, text.into_bytes(), &json!({})).expect_err("damaged");
    assert_eq!(error.code, "BAD_PDF", "{error}");
    let objects: Vec<String> = vec![
        "<< /Type /Catalog /Pages 2 0 R >>".into(),
        "<< /Type /Pages /Kids [] /Count 0 >>".into(),
        format!("<< /Filter /Standard /V 1 /R 2 /P -4 /O <{0}> /U <{0}> >>", "ab".repeat(32)),
    ];
    let locked = written(&objects, "/Encrypt 3 0 R /ID [<00> <00>]");
    assert_eq!(read(&locked, &all()).expect_err("locked").code, "ENCRYPTED");
}

#[test]
fn a_page_tree_that_leads_to_itself_ends() {
    let objects = vec![
        "<< /Type /Catalog /Pages 2 0 R >>".to_owned(),
        "<< /Type /Pages /Kids [2 0 R 2 0 R] /Count 1000000 >>".to_owned(),
    ];
    assert_eq!(read(&written(&objects, ""), &all()).expect_err("no pages").code, "BAD_PDF");
}

/// What a PDF says about its size is not believed: neither memory nor time is spent on it.
#[test]
fn a_pdf_that_lies_about_its_size_is_read_as_it_is_or_refused() {
    let good = String::from_utf8(pdf(&["abc"])).expect("ASCII");
    let length = good.split("/Length ").nth(1).and_then(|rest| rest.split(' ').next()).expect("a length");
    let place = good.split("startxref\n").nth(1).and_then(|rest| rest.split('\n').next()).expect("a place");
    for (true_one, lie) in [
        ("/Count 1 ".to_owned(), "/Count 4000000000 ".to_owned()),
        (format!("/Length {length}"), "/Length 9000000000000".to_owned()),
        (format!("/Length {length}"), "/Length -1".to_owned()),
        ("/Size 6".to_owned(), "/Size 4000000000".to_owned()),
        ("0 6\n".to_owned(), "0 4000000000\n".to_owned()),
        (format!("startxref\n{place}"), "startxref\n9000000000".to_owned()),
    ] {
        assert!(good.contains(&true_one), "{true_one}");
        let bytes = good.replace(&true_one, &lie).into_bytes();
        match crate::read(crate::Document::Pdf, bytes, &json!({})) {
            Ok(text) => assert_eq!(serde_json::from_str::<Value>(&text).expect("JSON")["pageCount"], 1, "{lie}"),
            Err(error) => assert_eq!(error.code, "BAD_PDF", "{lie}: {error}"),
        }
    }
}
