use super::{Content, sign_in_key};
use crate::vault::key::Manifest;

fn example(kind: &str) -> &'static str {
    let page = include_str!("../../../../../../docs/formats.md");
    let rest = page.split_once(&format!("```json {kind}\n")).expect("an example").1;
    rest.split("\n```").next().expect("its end")
}

#[test]
fn the_examples_of_the_formats_page_read_and_write_back() {
    let text = example("secrets");
    let content = Content::parse(text.as_bytes()).expect("reads");
    assert_eq!(content.to_bytes().as_slice(), text.as_bytes());
    let rest =
        include_str!("../../../../../../docs/formats.md").rsplit_once("```json secrets\n").expect("an example").1;
    let text = rest.split("\n```").next().expect("its end");
    let content = Content::parse(text.as_bytes()).expect("reads");
    assert_eq!(content.to_bytes().as_slice(), text.as_bytes());
    let key = sign_in_key("desk", "01a206f2-0352-7369-9de5-9c10fa6ac778");
    let signed = content.sign_ins.get(&key).expect("a sign-in");
    assert_eq!((signed.access().expose(), signed.secrets().count()), ("correct horse access", 2));
    let older = text.replace("\"desk/01a206f2-0352-7369-9de5-9c10fa6ac778\":", "\"desk\":");
    let older = Content::parse(older.as_bytes()).expect("reads");
    assert_eq!(older.to_bytes().as_slice(), text.as_bytes(), "what was written before is read");
    assert!(!signed.is_over(1_795_258_769_999) && signed.is_over(1_795_258_770_000));
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("vault.json");
    std::fs::write(&path, example("vault")).expect("writes");
    let manifest = Manifest::read(&path).expect("reads").expect("is there");
    manifest.write(&path).expect("writes");
    assert_eq!(std::fs::read_to_string(&path).expect("reads").trim_end(), example("vault"));
    assert!(manifest.recipient().is_ok());
}

#[test]
fn what_cannot_be_read_is_not_quoted() {
    let spoilt = example("secrets").replace("\"kind\":\"header\"", "\"kind\":7");
    assert!(Content::parse(spoilt.as_bytes()).is_err_and(|why| !why.contains("horse") && !why.contains('7')));
    let newer = example("secrets").replace("\"version\":1", "\"version\":5");
    assert!(Content::parse(newer.as_bytes()).is_err_and(|why| why.contains("newer")));
}
