use super::{command, not_linked};
use std::path::PathBuf;

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
fn examples_that_no_step_runs_are_not_linked() {
    let example = |name: &str, emit: &str| {
        format!(
            "/bin/rustc --crate-name {name} src-tauri/crates/engine/examples/{name}.rs --crate-type bin {emit} \
             -C extra-filename=-1f --out-dir /target/debug/examples"
        )
    };
    let checked = format!("clippy-driver {} -C relocation-model=static", example("bench", "--emit=dep-info,metadata"));
    assert_eq!(asked(&example("bench", "--emit=dep-info,link"), ""), checked);
    for (text, file) in [
        (example("bench", "--emit=dep-info,link"), Some("/target/debug/examples/bench-1f")),
        (example("bench", "--emit=dep-info,metadata"), None),
        (example("counts", "--emit=dep-info,link"), None),
        (example("expressions", "--emit=dep-info,link"), None),
        (example("bench", "--emit=dep-info,link").replace("/examples", "/deps"), None),
    ] {
        let args: Vec<String> = text.split(' ').map(str::to_owned).collect();
        let file = file.map(|file| PathBuf::from(format!("{file}{}", std::env::consts::EXE_SUFFIX)));
        assert_eq!(not_linked(&args), file, "{text}");
    }
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
