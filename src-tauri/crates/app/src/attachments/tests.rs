use super::{of_answer, of_file_step, plain_name, walk};
use serde_json::json;

#[test]
fn files_are_found_where_they_stand() {
    let input = json!({
        "invoice": { "path": "in/0412.pdf", "size": 4, "content": "JVBERg==" },
        "notes": [{ "path": "a.txt", "size": 5, "content": "hello" }],
        "answer": { "status": 200, "headers": { "content-type": "image/png", "content-disposition": "attachment; filename=\"../x.png\"" }, "response": "iVBORw==" },
        "text": { "status": 200, "headers": { "content-type": "text/plain" }, "response": "aaaa" },
        "nothing": { "path": "b", "size": 1 },
    });
    let mut found = Vec::new();
    walk(&input, "/input", 0, &mut found);
    let told: Vec<_> =
        found.iter().map(|one| (one.id.as_str(), one.name.as_str(), one.mime.as_str(), one.size)).collect();
    assert_eq!(
        told,
        [
            ("/input/invoice", "0412.pdf", "application/pdf", 4),
            ("/input/notes/0", "a.txt", "text/plain", 5),
            ("/input/answer", "x.png", "image/png", 4),
        ]
    );
    assert_eq!(of_file_step(&input["invoice"]).expect("a file").bytes, b"%PDF");
    assert_eq!(of_file_step(&input["notes"][0]).expect("a file").bytes, b"hello");
    assert_eq!(of_answer(&input["answer"]).expect("a file").bytes, [0x89, b'P', b'N', b'G']);
}

#[test]
fn names_from_outside_are_made_plain() {
    for (name, plain) in
        [("a\u{202e}gpj.exe", "a_gpj.exe"), ("..", "file"), ("c:\\x", "c__x"), ("a\nb.pdf ", "a_b.pdf"), ("", "file")]
    {
        assert_eq!(plain_name(name), plain);
    }
}
