use super::{DEFAULTS, Package, Parts, SERVICE, UNIT, control, maintainer_files, tree};
use signalbox_oci::tar::Entry;

#[test]
fn each_file_belongs_to_one_package() {
    let parts = Parts { man: vec![("signalbox.1".into(), b"x".to_vec())], ..Parts::default() };
    let mut all: Vec<String> =
        Package::ALL.into_iter().flat_map(|package| tree(package, &parts).0.into_keys()).collect();
    let count = all.len();
    all.sort();
    all.dedup();
    assert_eq!(all.len(), count);
    for path in ["usr/bin/signalbox", "usr/bin/signalbox-desktop", UNIT, DEFAULTS, "usr/share/man/man1/signalbox.1.gz"]
    {
        assert!(all.iter().any(|known| known == path), "{path}");
    }
    assert!(all.iter().all(|path| !path.starts_with("var/")), "data is no part of a package");
}

#[test]
fn control_fields_are_those_of_a_binary_package() {
    for package in Package::ALL {
        let text = control(package, "0.1.0", "amd64", "2.36", 12);
        for field in [
            "Package",
            "Version",
            "Architecture",
            "Maintainer",
            "Installed-Size",
            "Depends",
            "Section",
            "Priority",
            "Description",
        ] {
            assert_eq!(
                text.lines().filter(|line| line.starts_with(&format!("{field}: "))).count(),
                1,
                "{field}\n{text}"
            );
        }
        let (_, described) = text.split_once("Description: ").expect("one");
        assert!(described.trim_end().lines().skip(1).all(|line| line.starts_with(' ') && line.len() <= 81), "{text}");
        assert!(text.ends_with('\n') && !text.contains("\n\n"), "{text}");
    }
    assert!(control(Package::Server, "0.1.0", "amd64", "2.36", 1).contains("signalbox-cli (= 0.1.0)"));
}

#[test]
fn the_service_writes_only_into_its_own_folder() {
    for setting in [
        "ProtectSystem=strict",
        "User=signalbox",
        "StateDirectoryMode=0700",
        "NoNewPrivileges=yes",
        "CapabilityBoundingSet=\n",
    ] {
        assert!(SERVICE.contains(setting), "{setting}");
    }
    assert!(!SERVICE.contains("ReadWritePaths"));
}

#[test]
fn purge_removes_what_the_installation_made() {
    let files = maintainer_files(Package::Server);
    let of = |name: &str| files.iter().find(|(known, _)| *known == name).map(|(_, text)| *text).expect(name);
    assert!(of("postinst").contains("install -d -o signalbox -g signalbox -m 0700 /var/lib/signalbox"));
    let (before, purged) = of("postrm").split_once("= purge").expect("a branch");
    assert!(purged.contains("rm -rf /var/lib/signalbox\n") && purged.contains("deluser") && !before.contains("rm "));
    let server = tree(Package::Server, &Parts::default());
    assert!(of("conffiles").lines().all(|path| server.0.contains_key(path.trim_start_matches('/'))));
    assert!(matches!(server.0.get(UNIT), Some(Entry::File { mode: 0o644, .. })));
}

#[test]
fn a_double_click_on_a_workflow_opens_it() {
    let app = tree(Package::App, &Parts::default());
    let text = |path: &str| match app.0.get(path) {
        Some(Entry::File { bytes, .. }) => String::from_utf8(bytes.clone()).expect("text"),
        _ => panic!("{path} is missing"),
    };
    let entry = text("usr/share/applications/app.signalbox.desktop.desktop");
    assert!(entry.contains("\nExec=signalbox-desktop %u\n"), "{entry}");
    let types = entry.lines().find_map(|line| line.strip_prefix("MimeType=")).expect("types");
    assert_eq!(types, "x-scheme-handler/signalbox;application/vnd.signalbox.workflow+json;");
    let kinds = text("usr/share/mime/packages/signalbox.xml");
    assert!(kinds.contains("<mime-type type=\"application/vnd.signalbox.workflow+json\">"), "{kinds}");
    assert!(kinds.contains("<sub-class-of type=\"application/json\"/>"), "{kinds}");
    // `*.json` of application/json has the usual weight of 50.
    assert!(kinds.contains("<glob weight=\"80\" pattern=\"*.signalbox.json\"/>"), "{kinds}");
}

#[test]
fn each_icon_has_the_size_of_its_folder() {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../..");
    let parts =
        Parts { icons: crate::package::icons(&root).expect("icons"), drawing: b"<svg".to_vec(), ..Parts::default() };
    let app = tree(Package::App, &parts);
    for size in super::ICON_SIZES {
        let path = format!("usr/share/icons/hicolor/{size}x{size}/apps/app.signalbox.desktop.png");
        let Some(Entry::File { bytes, .. }) = app.0.get(&path) else { panic!("{path} is missing") };
        let at = |from: usize| u32::from_be_bytes(bytes[from..from + 4].try_into().expect("four bytes"));
        // The header of a PNG: width and height.
        assert_eq!((&bytes[..4], at(16), at(20)), (&b"\x89PNG"[..], u32::from(size), u32::from(size)), "{path}");
    }
    assert!(app.0.contains_key("usr/share/icons/hicolor/scalable/apps/app.signalbox.desktop.svg"));
}

#[test]
fn whatever_has_programs_has_the_notices_of_what_is_in_them() {
    let parts = Parts { notices: b"notices".to_vec(), ..Parts::default() };
    for package in Package::ALL {
        let path = format!("usr/share/doc/{}/THIRD-PARTY.gz", package.name());
        assert_eq!(tree(package, &parts).0.contains_key(&path), package != Package::Server, "{path}");
    }
    assert!(super::portable(&parts, "").0.contains_key("THIRD-PARTY.gz"));
}
