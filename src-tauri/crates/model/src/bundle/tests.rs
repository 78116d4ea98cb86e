use super::{AuditKeeping, Bundle, BundleError, BundledFile, FOOTER, FORMAT, Footer, HumanReview, Needs};

fn bundle() -> Bundle {
    Bundle {
        format: FORMAT,
        name: "orders".into(),
        title: "Orders".into(),
        made_by: "0.1.0".into(),
        platform: "linux-x86_64".into(),
        audit: AuditKeeping::Sqlite,
        human: HumanReview::None,
        callback: None,
        modules: Vec::new(),
        needs: Needs::default(),
        files: vec![BundledFile::new("orders", "{}")],
        connectors: Vec::new(),
    }
}

fn split(bytes: &[u8]) -> (&[u8], &[u8]) {
    bytes.split_at(bytes.len() - FOOTER)
}

#[test]
fn what_is_written_is_read() {
    let bytes = bundle().to_bytes().expect("JSON");
    let (section, last) = split(&bytes);
    let footer = Footer::read(last, bytes.len() as u64).expect("whole").expect("a section");
    assert_eq!(footer.length, section.len() as u64);
    assert_eq!(Bundle::read(section, &footer), Ok(bundle()));
}

#[test]
fn every_changed_byte_of_the_section_is_noticed() {
    let bytes = bundle().to_bytes().expect("JSON");
    let (section, last) = split(&bytes);
    let footer = Footer::read(last, bytes.len() as u64).expect("whole").expect("a section");
    for at in 0..section.len() {
        let mut changed = section.to_vec();
        changed[at] ^= 1;
        assert_eq!(Bundle::read(&changed, &footer), Err(BundleError::Hash), "byte {at}");
    }
}

#[test]
fn a_cut_file_and_a_bare_program_are_told_apart() {
    let bytes = bundle().to_bytes().expect("JSON");
    let (_, last) = split(&bytes);
    assert_eq!(Footer::read(last, FOOTER as u64 + 3), Err(BundleError::Cut));
    assert_eq!(Footer::read(&bytes[..FOOTER], bytes.len() as u64), Ok(None));
    assert_eq!(Footer::read(&[], 0), Ok(None));
}

#[test]
fn a_newer_format_and_a_file_with_another_hash_are_refused() {
    let read = |bundle: &Bundle| {
        let bytes = bundle.to_bytes().expect("JSON");
        let (section, last) = split(&bytes);
        let footer = Footer::read(last, bytes.len() as u64).expect("whole").expect("a section");
        Bundle::read(section, &footer)
    };
    assert_eq!(read(&Bundle { format: FORMAT + 1, ..bundle() }), Err(BundleError::Newer(FORMAT + 1)));
    let mut wrong = bundle();
    wrong.files[0].text = "{ }".into();
    let error = read(&wrong).expect_err("another text").to_string();
    assert_eq!(error, "it cannot be read: the hash of 'orders' does not match");
}
