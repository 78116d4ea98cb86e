use super::{html_table, markdown_table};
use serde_json::json;

#[test]
fn tables_for_people_escape_what_means_something() {
    let rows = json!([{ "name": "A|B", "note": "*bold*\nline" }, { "note": "<b>", "n": 1 }]);
    let wanted = "| name | note | n |\n| --- | --- | --- |\n| A\\|B | \\*bold\\*<br>line |  |\n|  | &lt;b> | 1 |\n";
    assert_eq!(markdown_table(&rows).expect("a table"), wanted);
    let html = html_table(&json!([{ "a<b": "<script>\"'&" }])).expect("a table");
    assert!(html.contains("<th>a&lt;b</th>") && html.contains("<td>&lt;script&gt;&quot;&#39;&amp;</td>"), "{html}");
    assert_eq!(markdown_table(&json!([])), Ok(String::new()));
    assert_eq!(markdown_table(&json!([1])).expect_err("no table").code, "SCHEMA_MISMATCH");
}
