use super::{Content, Entry, sign_in_key};
use crate::vault::key::Manifest;
use signalbox_ports::secret::AllowedHost;
use signalbox_ports::{CredentialKind, Secret};

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
    let newer = example("secrets").replace("\"version\":1", "\"version\":6");
    assert!(Content::parse(newer.as_bytes()).is_err_and(|why| why.contains("newer")));
}

#[test]
fn keys_of_azure_are_checked_and_an_older_program_does_not_read_them() {
    let entry = |kind: CredentialKind| Entry {
        name: "blobs".into(),
        kind,
        hosts: vec![AllowedHost::parse("ada.blob.core.windows.net").expect("a host")],
        created_at: "2026-11-30T10:00:00.000Z".into(),
        updated_at: "2026-11-30T10:00:00.000Z".into(),
        oauth: None,
        session: None,
    };
    let key = |account: &str| entry(CredentialKind::AzureKey { account: account.into() });
    for (entry, value, words) in [
        (key("ada1"), "a2V5LW9mLXRoZS1hY2NvdW50", None),
        (key("ada1"), "no base64 at all", Some("base64")),
        (key("ada.blob"), "a2V5LW9mLXRoZS1hY2NvdW50", Some("storage account")),
        (entry(CredentialKind::Sas), "sv=2021-12-02&sp=rl&sig=c2lnbmF0dXJl%2B", None),
        (entry(CredentialKind::Sas), "sv=2021-12-02&sp=rl", Some("sig=")),
    ] {
        let found = entry.check(&Secret::new(value));
        match words {
            None => {
                found.map_err(|error| error.message).expect(value);
                let mut content = Content::default();
                content.put(entry, Secret::new(value));
                let text = String::from_utf8(content.to_bytes().to_vec()).expect("text");
                assert!(text.starts_with("{\"version\":5,"), "{text}");
                let read = Content::parse(text.as_bytes()).expect("reads");
                assert_eq!(read.to_bytes().as_slice(), text.as_bytes());
            }
            Some(words) => {
                let error = found.expect_err(value);
                assert!(error.message.contains(words) && !error.message.contains(value), "{}", error.message);
            }
        }
    }
}
