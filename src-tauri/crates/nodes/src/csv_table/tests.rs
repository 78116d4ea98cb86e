use super::{Layout, RowReader, SEPARATORS, format, format_text};
use crate::formats::Content;
use proptest::prelude::*;
use serde_json::{Map, Value, json};
use signalbox_model::{Data, NodeFailure};

const AUTO: Layout = Layout { separator: None, header: true, quote: Some(b'"') };

fn with(separator: u8) -> Layout {
    Layout { separator: Some(separator), ..AUTO }
}

fn parse(text: &str, layout: Layout, what: &str) -> Result<Value, NodeFailure> {
    Ok(match super::read(text, layout, what, String::new())? {
        Content::Values(value) => value,
        Content::Text(text) => serde_json::from_str(&text).expect("JSON"),
    })
}

fn read(text: &str) -> Value {
    parse(text, AUTO, "The text").unwrap_or_else(|failure| panic!("{text:?}: {}", failure.message))
}

fn refused(text: &str, layout: Layout) -> String {
    let failure = parse(text, layout, "The text").expect_err(text);
    assert_eq!(failure.code, "BAD_CSV");
    assert!(failure.details["line"].is_u64(), "{:?}", failure.details);
    failure.message
}

#[test]
fn there_and_back() {
    let text = "\u{feff}id,name\n1,\"Ada, \"\"L\"\"\"\n2,two\r\n";
    let rows = read(text);
    assert_eq!(rows, json!([{"id": "1", "name": "Ada, \"L\""}, {"id": "2", "name": "two"}]));
    assert_eq!(format(&rows, AUTO, "x").expect("rows"), "id,name\n1,\"Ada, \"\"L\"\"\"\n2,two\n");
    assert_eq!(format(&json!([{"a": 1}, {"b": [1], "a": null}]), AUTO, "x").as_deref(), Ok("a,b\n1,\n,[1]\n"));
}

/// The case csv-semicolon: a table of a spreadsheet program in a country with decimal commas.
#[test]
fn separators_are_found_and_values_keep_their_text() {
    let chairs = json!([{"artikel": "stuhl", "menge": "4"}, {"artikel": "tisch", "menge": "2"}]);
    for text in [
        "artikel;menge\nstuhl;4\ntisch;2\n",
        "artikel\tmenge\nstuhl\t4\ntisch\t2\n",
        "artikel|menge\nstuhl|4\ntisch|2\n",
        "artikel,menge\nstuhl,4\ntisch,2\n",
        "sep=;\r\nartikel;menge\r\nstuhl;4\r\ntisch;2",
        "\u{feff}sep=|\nartikel|menge\nstuhl|4\ntisch|2",
        "artikel;menge\rstuhl;4\r\n\n   \ntisch;2\n\n",
        "\n\nartikel;menge;\nstuhl;4;\ntisch;2\n",
        "\"artikel\";\" menge\"\nstuhl;4\ntisch;2\n".replace(" menge", "menge").as_str(),
    ] {
        assert_eq!(read(text), chairs, "{text:?}");
    }
    assert_eq!(read("artikel;preis\nstuhl;4,50\n"), json!([{"artikel": "stuhl", "preis": "4,50"}]));
    assert_eq!(read("artikel;preis, netto;n\nstuhl;4,50;007\n")[0]["preis, netto"], "4,50");
    assert_eq!(
        read("id,note;old\n1,a;b\n2,c\n"),
        json!([{"id": "1", "note;old": "a;b"}, {"id": "2", "note;old": "c"}])
    );
    assert_eq!(read("size,n\n5\" pipe,3\n")[0]["size"], "5\" pipe", "a quote inside a plain value is itself");
    assert_eq!(read("a,b\n\"x\n\r\ny\",2\n")[0]["a"], "x\n\r\ny", "line breaks inside quotes stay");
}

#[test]
fn empty_tables_and_tables_without_a_header() {
    for text in ["", "\u{feff}", "\n\r\n  \n", "a;b", "a;b\n", "sep=;", "sep=;\n"] {
        assert_eq!(read(text), json!([]), "{text:?}");
    }
    let bare = Layout { header: false, ..AUTO };
    let rows = json!([{"column1": "1", "column2": "x"}, {"column1": "2", "column2": ""}]);
    assert_eq!(parse("1;x\n2;\n", bare, "x").as_ref(), Ok(&rows));
    assert_eq!(
        format(&rows, Layout { separator: Some(b'\t'), header: false, ..AUTO }, "x").as_deref(),
        Ok("1\tx\n2\t\n")
    );
    assert_eq!(read("a\n\"\"\n\n"), json!([{"a": ""}]), "an empty value is written in quotes, a blank line is none");
}

#[test]
fn what_is_malformed_says_its_line_and_its_cause() {
    for (text, words) in [
        ("a,b\n1,2\n3\n", "line 3 has 1 value, the header names 2 columns (separator ',')"),
        ("a;b\n1;2;3\n", "line 2 has 3 values, the header names 2 columns (separator ';')"),
        ("name,price\nx,4,50\n", "A value that contains a comma must be in quotes"),
        ("a,b\n1,2,\n", "It ends with a separator"),
        ("a,a\n1,2\n", "line 1 names the column 'a' twice"),
        ("\na, a \n1,2\n", "line 2 names the column 'a' twice"),
        ("a,\n1,2\n", "line 1 has no name for column 2, and line 2 has a value in it"),
        ("a,,c\n1,2,3\n", "line 1 has no name for column 2"),
        (",b\n1,2\n", "line 1 has no name for column 1"),
        ("a,b\n1,\"x\n2,y\n3,z\n", "line 2 opens a quote that is never closed"),
        ("a,b\r1,\"x\r2,y\r", "line 2 opens a quote that is never closed"),
        (
            "a,b\n1,\"x\n2,\"y\"\n",
            "line 3 has text after the closing quote of a value that was opened in line 2: \"y\\\"\"",
        ),
        ("a,b\n\"1\"x,2\n", "line 2 has text after the closing quote: \"x,2\""),
        ("a,b\n\"1\" ,2\n", "line 2 has text after the closing quote"),
        ("a,b\n1, \"x,y\"\n", "line 2 has blanks before the opening quote"),
        ("a,b\n1,x\0\n", "line 2 holds a NUL character"),
        ("a,b\n1,\"\n\0\"\n", "line 3 holds a NUL character"),
        ("a;b,c\n1;2,3\n", "line 1 could be separated by ',' or ';': set the separator"),
        ("sep=:\na:b\n", "line 1 begins with 'sep=:', which names no separator that is known"),
    ] {
        let message = refused(text, AUTO);
        assert!(message.contains(words), "{text:?}: {message}");
    }
    for (text, separator, words) in [
        ("artikel;menge\nstuhl;4\n", b',', "names one column, 'artikel;menge', which holds ';'"),
        (
            "a\tb\n1\t2\n",
            b',',
            "which holds tab: the separator is probably that one, not ','. Set the separator to tab",
        ),
        ("a,b\n1,2\n", b';', "Set the separator to comma"),
        ("sep=;\na;b\n", b',', "line 1 says that the separator is ';', the setting says ','"),
    ] {
        let message = refused(text, with(separator));
        assert!(message.contains(words), "{text:?}: {message}");
    }
}

#[test]
fn a_table_that_would_fill_the_memory_is_refused_before_it_is_built() {
    let wide = ["c"; 2_000].iter().enumerate().map(|(n, c)| format!("{c}{n}")).collect::<Vec<_>>().join(",");
    let cells = format!("{wide}\n{}", format!("{}\n", ",".repeat(1_999)).repeat(2_000));
    let long: Vec<String> = (0..1_000).map(|n| format!("{}{n}", "x".repeat(1_000))).collect();
    let headers = format!("{}\n{}", long.join(","), format!("{}\n", ",".repeat(999)).repeat(480));
    for text in [cells, headers] {
        let failure = parse(&text, AUTO, "The text").expect_err("too large");
        assert_eq!(failure.code, "TOO_LARGE");
        assert!(failure.message.contains("more than 256 MiB of memory as values"), "{}", failure.message);
    }
}

#[test]
fn a_table_of_mostly_empty_cells_is_refused() {
    let rows: Vec<_> = (0..9_000).map(|n| json!({ format!("c{n}"): n })).collect();
    let failure = format(&json!(rows), AUTO, "The list").expect_err("81 million cells");
    assert_eq!((failure.code.as_str(), failure.details["size"].as_u64()), ("TOO_LARGE", Some(81_000_000)));
}

#[test]
fn what_no_csv_text_can_hold_is_not_written() {
    for rows in [json!([{"": 1}]), json!([{"a": "\0"}]), json!([1]), json!(1)] {
        assert_eq!(format(&rows, AUTO, "x").expect_err("refused").code, "SCHEMA_MISMATCH", "{rows}");
    }
    // A program that takes a value for a formula is told so by its own import; here values are data, and change for nobody.
    assert_eq!(format(&json!([{"a": "=1+1"}, {"a": "@x"}]), AUTO, "x").as_deref(), Ok("a\n=1+1\n@x\n"));
}

fn cell() -> impl Strategy<Value = String> {
    prop_oneof![
        "[ -~äß€\u{feff}\n\r\t]{0,6}",
        "[,;|\t\"\r\n ]{0,5}",
        Just("sep=;".to_owned()),
        Just("=1+1".to_owned()),
        Just(String::new()),
    ]
}

proptest! {
    #[test]
    fn csv_that_is_written_reads_back_the_same(
        names in prop::collection::btree_set(cell().prop_filter("a name", |name| !name.is_empty()), 1..5),
        values in prop::collection::vec(prop::collection::vec(cell(), 5), 1..8),
        separator in prop::sample::select(SEPARATORS.map(|(_, byte)| byte).to_vec()),
        header: bool,
        told: bool,
    ) {
        let names: Vec<String> = if header {
            names.into_iter().collect()
        } else {
            (1..=names.len()).map(|number| format!("column{number}")).collect()
        };
        let rows: Vec<Value> = values
            .iter()
            .map(|row| Value::Object(names.iter().cloned().zip(row.iter().cloned().map(Value::String)).collect::<Map<_, _>>()))
            .collect();
        let rows = Value::Array(rows);
        let text = format(&rows, Layout { separator: Some(separator), header, ..AUTO }, "x").expect("written");
        let layout = Layout { separator: told.then_some(separator), header, ..AUTO };
        prop_assert_eq!(parse(&text, layout, "x"), Ok(rows), "{:?}", text);
    }

    #[test]
    fn any_text_is_a_table_or_an_error_with_its_line(text in "[a-c,;|\t\"\r\n \0=]{0,40}") {
        match parse(&text, AUTO, "x") {
            Ok(rows) => prop_assert!(rows.is_array()),
            Err(failure) => prop_assert!(failure.details["line"].as_u64().is_some_and(|line| line >= 1), "{}", failure.message),
        }
    }
}

/// Counted, not timed: a large table becomes the JSON text of its rows, and no value is made of it.
#[test]
fn a_large_table_stays_text() {
    let cells = ["plain", "\"qu\"\"oted, é\"", "back\\slash", "\"two\nlines\"", ""];
    let row = cells.join(",");
    let mut text = "one,two,\"th\"\"ree\",four,five\n".to_owned();
    for _ in 0..5_000 {
        text.push_str(&row);
        text.push('\n');
    }
    let row =
        json!({ "one": "plain", "two": "qu\"oted, é", "th\"ree": "back\\slash", "four": "two\nlines", "five": "" });
    let rows = Value::Array(vec![row; 5_000]);
    let before = "{\"content\":".to_owned();
    let read = super::read(&text, AUTO, "x", before).expect("a table");
    assert!(read == Content::Text(format!("{{\"content\":{rows}")));
}

/// What the values of a table may take depends on its length: those of an ordinary one take twenty times its text.
#[test]
fn a_large_ordinary_table_is_accepted() {
    let ordinary = |rows: usize| {
        format!("id,name,city,amount,day\n{}", "1000001,Ada Lovelace,London,12.50,2026-11-28\n".repeat(rows))
    };
    let large = ordinary(450_000);
    assert!(large.len() > 20_000_000);
    assert!(matches!(super::read(&large, AUTO, "x", String::new()), Ok(Content::Text(_))));
}

/// Separators that are not known: one column is not what was meant.
#[test]
fn a_foreign_separator_is_told() {
    for (text, sign) in [("a^b\n1^2\n", "'^'"), ("a~b~c\n1~2~3\n4~~\n", "'~'"), ("a\u{1f}b\n1\u{1f}2\n", "'\\u{1f}'")] {
        let message = refused(text, AUTO);
        assert!(message.contains("line 1 has one value") && message.contains(sign), "{message}");
    }
    let bare = Layout { header: false, ..AUTO };
    assert!(refused("1^2\n3^4\n", bare).contains("'^'"));
    for one in ["\"a^b\"\n1^2\n", "a^b\n12\n", "power\n2^8\n", "a^b\n", "a^b,c\n1^2,3\n"] {
        assert!(read(one).is_array(), "{one}");
    }
}

#[test]
fn single_quotes_are_found_only_where_they_stand_around_values() {
    let any = Layout { quote: None, ..AUTO };
    let found = |text: &str| super::found(text, any, "The text").expect("a table");
    let single = "id;name\n1;'a;b'\n2;'it''s'\n";
    assert_eq!((found(single).separator, found(single).quote), ("semicolon", "single"));
    let Content::Values(rows) = super::read(single, any, "The text", String::new()).expect("a table") else {
        panic!("small")
    };
    assert_eq!(rows, json!([{ "id": "1", "name": "a;b" }, { "id": "2", "name": "it's" }]));
    for double in ["id,name\n1,O'Brien\n2,'s\n", "id,name\n1,\"'a'\"\n2,'x'\n", "id\n'\n"] {
        assert_eq!(found(double).quote, "double", "{double}");
    }
}

/// Rows that are read from text, one at a time, give the same table and the same errors as values.
#[test]
fn rows_that_are_text_become_the_same_table_as_values() {
    let same = json!([
        { "a": "x;y", "b": 1.5, "c": null }, { "b": true, "d": ["1", { "e": "\n" }], "a": "\"é\"" }, {}
    ]);
    for value in
        [same, json!([]), json!([{}]), json!({ "a": 1 }), json!([{ "": 1 }]), json!([{ "a": 1 }, 2]), json!("x")]
    {
        let Data::Text(text) = Data::written(value.to_string()) else { panic!("text") };
        assert_eq!(format_text(&text, AUTO, "x"), format(&value, AUTO, "x"), "{value}");
    }
}

/// What a table gives when it is read in pieces of so many bytes.
fn in_pieces(text: &str, layout: Layout, size: usize) -> Result<Value, NodeFailure> {
    let mut reader = RowReader::new(layout, "The text");
    reader.first = 8;
    let (mut rows, mut at) = (Vec::new(), 0);
    loop {
        let mut end = (at + size).min(text.len());
        while !text.is_char_boundary(end) {
            end += 1;
        }
        let mut row = |row: String| rows.push(serde_json::from_str(&row).expect("JSON"));
        reader.take(&text[at..end], end == text.len(), &mut row)?;
        at = end;
        if at == text.len() {
            return Ok(Value::Array(rows));
        }
    }
}

#[test]
fn a_table_in_pieces_gives_the_same_rows_and_errors() {
    let texts = [
        ("", b','),
        ("\n\n", b','),
        ("a,b\n", b','),
        ("a,b\n1,2\n3,4", b','),
        ("a,b\r\n1,2\r\n\r\n3,\"x\r\ny\"\r\n", b','),
        ("\u{feff}näme;ß\n1;é\n", b';'),
        ("sep=;\na;b\n1;2\n", b';'),
        ("a\tb\n\"1 \"\"q\"\"\"\t2\n", b'\t'),
        ("a,b,\n1,2,\n", b','),
        ("a,b\n1,2,3\n", b','),
        ("a,b\n1\n", b','),
        ("a,a\n1,2\n", b','),
        ("a,b\n\"1,2\n", b','),
        ("a,b\n\"1\"x,2\n", b','),
        ("a,b\n1, \"2\"\n", b','),
        ("a,b\n1,\0\n", b','),
        ("a^b\n1^2\n3^4\n", b','),
        ("only\nx\n\"\"\n", b','),
        ("a,b\n1,2\n\"3\",\"4\"", b','),
    ];
    for (text, separator) in texts {
        for header in [true, false] {
            let layout = Layout { header, ..with(separator) };
            let whole = parse(text, layout, "The text").map_err(|failure| failure.message);
            for size in [1, 2, 3, 5, 7, 1_000] {
                let pieces = in_pieces(text, layout, size).map_err(|failure| failure.message);
                assert_eq!(pieces, whole, "{text:?} in pieces of {size}, header {header}");
            }
            let auto = Layout { header, ..AUTO };
            let whole = parse(text, auto, "The text").map_err(|failure| failure.message);
            assert_eq!(in_pieces(text, auto, 1_000).map_err(|failure| failure.message), whole, "{text:?}");
        }
    }
}
