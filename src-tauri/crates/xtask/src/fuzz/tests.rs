use super::{LONGEST, Options, PROGRAMS, SECONDS, Target, listed, seeds, targets};
use std::path::Path;

fn words(text: &str) -> Vec<String> {
    text.split_whitespace().map(str::to_owned).collect()
}

#[test]
fn each_target_has_inputs_to_begin_with() {
    let root = crate::root();
    let workspace = root.join("tests/fuzz");
    let all = targets(&workspace).expect("read");
    assert!(all.len() >= 27, "{all:?}");
    for target in &all {
        let folders = seeds(&root, &workspace, &target.name);
        let files = folders.into_iter().flat_map(|folder| std::fs::read_dir(folder).expect("there"));
        assert!(files.count() > 0, "{}", target.name);
        let same = all.iter().filter(|other| other.name == target.name);
        assert_eq!(same.count(), 1, "{}", target.name);
    }
    let corpora = std::fs::read_dir(workspace.join("corpus")).expect("there");
    for folder in corpora.flatten() {
        assert!(all.iter().any(|one| Path::new(&folder.file_name()) == Path::new(&one.name)), "{folder:?}");
        for file in std::fs::read_dir(folder.path()).expect("there").flatten() {
            assert!(file.metadata().expect("there").len() <= LONGEST, "{file:?} would be cut off");
        }
    }
}

/// A target names readers of documents in one program and all others in the other one, and both are there to be built.
#[test]
fn each_program_is_built() {
    let workspace = crate::root().join("tests/fuzz");
    let manifest = std::fs::read_to_string(workspace.join("Cargo.toml")).expect("there");
    let all = targets(&workspace).expect("read");
    for (program, _) in PROGRAMS {
        assert!(manifest.contains(&format!("name = \"{program}\"")), "{program}");
        assert!(all.iter().any(|target| target.program == program), "{program}");
    }
}

#[test]
fn targets_and_times_are_read() {
    let target = |name: String| Target { name, program: PROGRAMS[0].0 };
    let known: Vec<Target> = words("cel csv").into_iter().map(target).collect();
    let all = Options::of(&[], &known).expect("all");
    assert_eq!((all.targets.len(), all.seconds), (2, SECONDS));
    let one = Options::of(&words("csv --seconds 5"), &known).expect("one");
    assert_eq!((listed(&one.targets).as_str(), one.seconds), ("csv", 5));
    for (args, said) in
        [("bean", "There is no target 'bean'"), ("--seconds 0", "--seconds needs"), ("--file x", "--file needs one")]
    {
        let why = Options::of(&words(args), &known).err().expect("refused");
        assert!(why.starts_with(said), "{why}");
    }
}
