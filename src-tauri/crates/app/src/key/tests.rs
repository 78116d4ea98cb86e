use super::open;

#[test]
fn a_key_is_made_once_and_kept_for_its_owner() {
    let folder = tempfile::tempdir().expect("folder");
    let first = open(folder.path()).expect("makes one").public_key();
    assert_eq!(open(folder.path()).expect("reads it").public_key(), first);
    assert_eq!(std::fs::read_dir(folder.path()).expect("lists").count(), 1, "nothing is left beside it");
    let path = folder.path().join("audit.key");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let mode = |mode| std::fs::set_permissions(&path, std::fs::Permissions::from_mode(mode)).expect("chmod");
        assert_eq!(std::fs::metadata(&path).expect("there").permissions().mode() & 0o777, 0o600);
        mode(0o640);
        assert!(open(folder.path()).expect_err("others can read it").contains("chmod 600"));
        mode(0o600);
    }
    std::fs::write(&path, "not a key\n").expect("writes");
    assert!(open(folder.path()).expect_err("no key").contains("64 hexadecimal digits"));
}
