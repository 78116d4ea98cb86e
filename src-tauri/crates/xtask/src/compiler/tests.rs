use super::command;

fn asked(text: &str, manifest: &str) -> String {
    command(&text.split(' ').map(str::to_owned).collect::<Vec<_>>(), manifest, true).join(" ")
}

#[test]
fn each_line_is_checked_once() {
    let library = "/bin/rustc --crate-name signalbox_app src-tauri/crates/app/src/lib.rs --crate-type lib";
    assert_eq!(asked(library, ""), format!("{library} -D warnings"), "it is checked with its tests");
    let alone = "[package]\nname = \"a\"\n\n[lib]\ntest = false\n\n[[test]]\nname = \"app\"\n";
    assert_eq!(asked(library, alone), format!("clippy-driver {library}"), "nobody else checks it");
    let of_a_program = "[package]\n\n[[bin]]\nname = \"a\"\npath = \"src/main.rs\"\ntest = false\n";
    assert_eq!(asked(library, of_a_program), format!("{library} -D warnings"));
    for text in [
        "/bin/rustc --crate-name signalbox_app src-tauri/crates/app/src/lib.rs --test",
        "/bin/rustc --crate-name app src-tauri/crates/app/tests/app/main.rs --test",
        "/bin/rustc --crate-name counts src-tauri/crates/engine/examples/counts.rs --crate-type bin",
        "/bin/rustc --crate-name build_script_build src-tauri/build.rs --crate-type bin",
    ] {
        assert_eq!(asked(text, ""), format!("clippy-driver {text} -C relocation-model=static"));
    }
    let program = "/bin/rustc --crate-name signalbox src/main.rs --crate-type bin";
    assert_eq!(asked(program, ""), format!("{program} -D warnings -C relocation-model=static"));
    assert_eq!(asked(program, of_a_program), format!("clippy-driver {program} -C relocation-model=static"));
}

#[test]
fn what_the_compiler_can_do_is_asked_of_rustc() {
    let text = "/bin/rustc - --crate-name ___ --print=file-names --crate-type bin";
    assert_eq!(asked(text, ""), text);
    assert_eq!(asked("/bin/rustc -vV", ""), "/bin/rustc -vV");
}

#[test]
fn no_line_is_left_out_of_a_build_with_tests() {
    let wanted = format!("{}(test)", "not");
    let mut folders = vec![crate::root().join("src-tauri")];
    let mut read = 0;
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).expect("a folder").flatten() {
            let path = entry.path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|ending| ending == "rs") {
                read += 1;
                let text = std::fs::read_to_string(&path).expect("text");
                assert!(!text.contains(&wanted), "Clippy would not see what {} leaves out of tests", path.display());
            }
        }
    }
    assert!(read > 1_000, "{read} files");
}
