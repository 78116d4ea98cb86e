use super::{name_of, of_file_step, plain_name, walk};
use serde_json::json;
use signalbox_model::BinaryRef;

#[test]
fn files_are_found_where_they_stand() {
    let input = json!({
        "invoice": { "path": "in/0412.pdf", "size": 4, "content": "JVBERg==" },
        "notes": [{ "path": "a.txt", "size": 5, "content": "hello" }],
        "nothing": { "path": "b", "size": 1 },
    });
    let mut found = Vec::new();
    walk(&input, "/input", 0, &mut found);
    let told: Vec<_> =
        found.iter().map(|one| (one.id.as_str(), one.name.as_str(), one.mime.as_str(), one.size)).collect();
    assert_eq!(
        told,
        [("/input/invoice", "0412.pdf", "application/pdf", 4), ("/input/notes/0", "a.txt", "text/plain", 5),]
    );
    assert_eq!(of_file_step(&input["invoice"]).expect("a file").bytes, b"%PDF");
    assert_eq!(of_file_step(&input["notes"][0]).expect("a file").bytes, b"hello");
}

#[test]
fn names_from_outside_are_made_plain() {
    for (name, plain) in
        [("a\u{202e}gpj.exe", "a_gpj.exe"), ("..", "file"), ("c:\\x", "c__x"), ("a\nb.pdf ", "a_b.pdf"), ("", "file")]
    {
        assert_eq!(plain_name(name), plain);
    }
}

#[test]
fn d_10_bytes_are_called_as_who_made_them_says() {
    let bytes = BinaryRef::new("ab".into(), "image/png", 3);
    let read = json!({ "path": "in/0412.pdf", "content": bytes.description() });
    assert_eq!(name_of(&read, "content", &bytes), "0412.pdf");
    let header = |text: &str| json!({ "headers": { "content-disposition": text }, "response": bytes.description() });
    assert_eq!(name_of(&header("attachment; filename=\"../x.png\"; a=b"), "response", &bytes), "x.png");
    assert_eq!(name_of(&header("inline"), "response", &bytes), "response.png");
    // The step said nothing of these.
    assert_eq!(name_of(&json!({ "path": "in/0412.pdf", "content": "text" }), "content", &bytes), "content.png");
    assert_eq!(name_of(&json!(null), "../a", &BinaryRef::new("cd".into(), "a/b", 3)), "_a");
}
