use super::{Tokens, parse};
use signalbox_app::dto::CallerRole;

#[test]
fn a_new_file_is_for_its_owner_only_and_is_read_again() {
    let dir = tempfile::tempdir().expect("dir");
    let path = dir.path().join("serve.token");
    let (_, token) = Tokens::open(&path).expect("made");
    let token = token.expect("a builder");
    let (again, _) = Tokens::open(&path).expect("read");
    assert_eq!(again.holder(&token).map(|holder| holder.role), Some(CallerRole::Builder));
    for wrong in ["", "null", "0", &token[1..], &format!("{token} "), &token.to_uppercase()] {
        assert_eq!(again.holder(wrong), None, "{wrong}");
    }
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        assert_eq!(std::fs::metadata(&path).expect("meta").permissions().mode() & 0o777, 0o600);
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o644)).expect("chmod");
        assert!(Tokens::open(&path).expect_err("open to others").contains("chmod 600"));
    }
}

#[cfg(unix)]
#[test]
fn a_link_to_nothing_is_told() {
    let dir = tempfile::tempdir().expect("dir");
    let path = dir.path().join("serve.token");
    std::os::unix::fs::symlink(dir.path().join("gone"), &path).expect("linked");
    assert!(Tokens::open(&path).expect_err("nothing is there").contains("link to a missing file"));
}

#[test]
fn a_line_names_a_role_or_is_a_builder() {
    let rows = parse("0123456789abcdef\nviewer fedcba9876543210 user:bob\n").expect("two");
    assert_eq!(rows[0].1, super::Holder { role: CallerRole::Builder, name: super::own_name(), workspaces: None });
    let bob = super::Holder { role: CallerRole::Viewer, name: "bob".into(), workspaces: None };
    assert_eq!(rows[1], ("fedcba9876543210".to_owned(), bob));
    let twice = "operator 0123456789abcdef anna\noperator 0123456789abcdef bob";
    for bad in ["", "short", "king 0123456789abcdef", "a b c", "operator 0123456789abcdef a b", twice] {
        assert!(parse(bad).is_err(), "{bad}");
    }
}
