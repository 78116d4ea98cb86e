use super::{Field, Take, select, table};
use serde_json::{Value, json};

const PAGE: &str = r#"<!doctype html><html><body><h1>Shop</h1>
<div class="card"><a href="/1">Chair <b>blue</b></a><span class="p">4,50</span><i>x</i><i>y</i></div>
<div class="card"><a href="/2">Table</a></div>
<table id="t"><tr><th>Name</th><th>Name</th><th></th></tr><tr><td>A</td><td>B &amp; C</td><td>1</td><td>over</td></tr>
<tr><td>Z<table><tr><td>inner</td></tr></table></td></tr></table><script>ignored()</script></body></html>"#;

fn field(name: &str, selector: &str, take: Take, all: bool) -> Field {
    Field { name: name.into(), selector: selector.into(), take, all }
}

#[test]
fn fields_of_each_element() {
    let fields = [
        field("name", "a", Take::Text, false),
        field("link", "a", Take::Attribute("href".into()), false),
        field("price", ".p", Take::Text, false),
        field("tags", "i", Take::Text, true),
        field("html", "a", Take::Html, false),
    ];
    let found = select(PAGE, "div.card", &fields).expect("a page");
    let wanted = json!([
        { "name": "Chair blue", "link": "/1", "price": "4,50", "tags": ["x", "y"], "html": "Chair <b>blue</b>" },
        { "name": "Table", "link": "/2", "price": null, "tags": [], "html": "Table" },
    ]);
    assert_eq!(Value::from(found), wanted);
    let whole = select(PAGE, "", &[field("title", "h1", Take::Text, false)]).expect("a page");
    assert_eq!(Value::from(whole), json!([{ "title": "Shop" }]));
    assert_eq!(select(PAGE, "p", &fields).expect("a page").len(), 0);
}

#[test]
fn rows_of_a_table() {
    let rows = Value::from(table(PAGE, "#t").expect("a table"));
    assert_eq!(rows[0], json!({ "Name": "A", "Name_2": "B & C", "column3": "1", "column4": "over" }));
    assert_eq!((rows[1]["Name"].as_str(), rows.as_array().map(Vec::len)), (Some("Z inner"), Some(2)));
    assert_eq!(table("<p>none", "").expect_err("no table").code, "NOT_FOUND_IN_PAGE");
}

#[test]
fn a_raised_number_is_not_the_end_of_the_number_before_it() {
    let page = "<table><tr><th>Mass</th><th>Sales</th><th>Place</th></tr><tr><td>5 × 10<sup>-3</sup> g</td><td>412<sup>1</sup></td>\
                <td>3<sup>rd</sup>, H<sub>2</sub>O</td></tr></table>";
    let rows = Value::from(table(page, "").expect("a table"));
    assert_eq!(rows, json!([{ "Mass": "5 × 10⁻³ g", "Sales": "412¹", "Place": "3rd, H2O" }]));
}

#[test]
fn bad_input_is_told() {
    for bad in ["a[", "", "::", "a:unknown-pseudo("] {
        let field = field("x", if bad.is_empty() { "!" } else { bad }, Take::Text, false);
        assert_eq!(select(PAGE, "", &[field]).expect_err(bad).code, "BAD_SELECTOR", "{bad}");
    }
    assert_eq!(table(&"x".repeat(super::MAX_PAGE + 1), "").expect_err("large").code, "TOO_LARGE");
    let deep = "<div>".repeat(500);
    assert_eq!(select(&deep, "p", &[]).expect("a page").len(), 0);
}
