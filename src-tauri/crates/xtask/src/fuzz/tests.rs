use super::{Options, SECONDS, names, seeds};
use std::path::Path;

fn words(text: &str) -> Vec<String> {
    text.split_whitespace().map(str::to_owned).collect()
}

#[test]
fn each_target_has_inputs_to_begin_with() {
    let root = crate::root();
    let workspace = root.join("tests/fuzz");
    let all = names(&std::fs::read_to_string(workspace.join("src/targets.rs")).expect("there"));
    assert!(all.len() >= 16, "{all:?}");
    for name in &all {
        let files =
            seeds(&root, &workspace, name).into_iter().flat_map(|folder| std::fs::read_dir(folder).expect("there"));
        assert!(files.count() > 0, "{name}");
    }
    let corpora = std::fs::read_dir(workspace.join("corpus")).expect("there");
    for folder in corpora.flatten() {
        assert!(all.iter().any(|name| Path::new(&folder.file_name()) == Path::new(name)), "{folder:?}");
    }
}

#[test]
fn targets_and_times_are_read() {
    let known = words("cel csv");
    let all = Options::of(&[], &known).expect("all");
    assert_eq!((all.targets.len(), all.seconds), (2, SECONDS));
    let one = Options::of(&words("csv --seconds 5"), &known).expect("one");
    assert_eq!((one.targets, one.seconds), (words("csv"), 5));
    for (args, said) in
        [("bean", "There is no target 'bean'"), ("--seconds 0", "--seconds needs"), ("--file x", "--file needs one")]
    {
        let why = Options::of(&words(args), &known).err().expect("refused");
        assert!(why.starts_with(said), "{why}");
    }
}
