use super::Tree;

fn tree() -> Tree {
    let mut tree = Tree::default();
    tree.program("usr/bin/b", "two");
    tree.file("etc/a", vec![b'x'; 600]);
    tree.link("usr/bin/c", "b");
    tree.folder("var/lib/z", 0o700, 998);
    tree
}

#[test]
fn the_same_files_give_the_same_bytes_in_whatever_order_they_came() {
    let mut other = Tree::default();
    other.folder("var/lib/z", 0o700, 998);
    other.link("usr/bin/c", "b");
    other.file("etc/a", vec![b'x'; 600]);
    other.program("usr/bin/b", "two");
    let one = tree().archive("top", 1_700_000_000).expect("an archive");
    assert_eq!(one, other.archive("top", 1_700_000_000).expect("an archive"));
    assert_eq!(one.len() % 10_240, 0);
    assert_ne!(one, tree().archive("top", 1_700_000_001).expect("an archive"));
}

#[test]
fn tar_reads_it() {
    let file = std::env::temp_dir().join(format!("oci-tar-{}.tar", std::process::id()));
    std::fs::write(&file, tree().archive("top", 1_700_000_000).expect("an archive")).expect("written");
    let args = ["--utc", "--numeric-owner", "-tvf", &file.to_string_lossy()];
    let out = std::process::Command::new("tar").args(args).output();
    std::fs::remove_file(&file).ok();
    // Not every system has it.
    let Ok(out) = out else { return };
    let list = String::from_utf8_lossy(&out.stdout);
    let lines: Vec<String> = list.lines().map(|line| line.split_whitespace().collect::<Vec<_>>().join(" ")).collect();
    assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
    let at = "2023-11-14 22:13";
    for wanted in [
        format!("-rwxr-xr-x 0/0 3 {at} top/usr/bin/b"),
        format!("-rw-r--r-- 0/0 600 {at} top/etc/a"),
        format!("lrwxrwxrwx 0/0 0 {at} top/usr/bin/c -> b"),
        format!("drwx------ 998/998 0 {at} top/var/lib/z/"),
    ] {
        assert!(
            lines.iter().any(|line| line.trim_end_matches('/') == wanted.trim_end_matches('/')),
            "{wanted}\n{list}"
        );
    }
}

#[test]
fn names_that_do_not_fit_are_refused() {
    let mut tree = Tree::default();
    tree.file(format!("{}/{}/x", "a".repeat(90), "b".repeat(60)), "");
    assert!(tree.archive("", 0).is_ok());
    tree.file("b".repeat(101), "");
    assert!(tree.archive("", 0).expect_err("is refused").contains("too long"));
}
