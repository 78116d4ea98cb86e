//! Completions and man pages come from the definitions of the arguments.

use crate::support::TestHome;
use std::collections::BTreeSet;

/// Every command that help lists, with its subcommands: `runs list`.
fn commands(place: &TestHome, under: &[&str]) -> Vec<String> {
    let mut args = under.to_vec();
    args.push("--help");
    let help = place.run(&args).out;
    let Some((_, list)) = help.split_once("Commands:\n") else { return Vec::new() };
    let names: Vec<&str> = list
        .lines()
        .take_while(|line| !line.trim().is_empty())
        .filter(|line| line.starts_with("  ") && !line.starts_with("   "))
        .filter_map(|line| line.split_whitespace().next())
        .collect();
    let mut all = Vec::new();
    for name in names {
        let path: Vec<&str> = under.iter().copied().chain([name]).collect();
        all.push(path.join(" "));
        all.extend(commands(place, &path));
    }
    all
}

/// One test, because the list of commands takes a hundred starts of the program.
#[test]
fn completions_and_man_pages_contain_every_command() {
    let place = TestHome::new();
    let all = commands(&place, &[]);
    completions_of_each_shell_contain(&all, &place);
    each_has_a_man_page(&all, &place);
}

fn completions_of_each_shell_contain(all: &[String], place: &TestHome) {
    assert!(all.len() > 60 && all.contains(&"audit anchor add".to_owned()), "{all:?}");
    for shell in ["bash", "zsh", "fish", "powershell"] {
        let done = place.run(&["completions", shell]);
        assert_eq!(done.code, 0, "{}", done.err);
        for command in all {
            let last = command.rsplit(' ').next().unwrap_or_default();
            assert!(done.out.contains(last), "{shell}: {command}");
        }
    }
    let statuses = "created queued running paused completed failed cancelled";
    for (typed, wanted) in [("runs list --status ''", statuses), ("run", "run runs"), ("audit anchor a", "add")] {
        assert_eq!(completed_by_bash(place, typed), wanted, "{typed}");
    }
    assert_eq!(place.run(&["completions", "tcsh"]).code, 2);
    assert!(!place.data().exists(), "no data folder is made");
}

/// What bash offers after these words, the last one being incomplete.
fn completed_by_bash(place: &TestHome, typed: &str) -> String {
    let script = place.run(&["completions", "bash"]).out;
    let asked = format!(
        "{script}\nCOMP_WORDS=(signalbox {typed}); COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1)); \
         _signalbox signalbox \"${{COMP_WORDS[-1]}}\" \"${{COMP_WORDS[-2]}}\"; echo \"${{COMPREPLY[@]}}\""
    );
    let file = place.file("complete.bash", asked);
    let done = std::process::Command::new("bash").arg("--norc").arg(file).output().expect("bash is there");
    String::from_utf8_lossy(&done.stdout).trim().to_owned()
}

fn each_has_a_man_page(all: &[String], place: &TestHome) {
    let out = place.dir.path().join("man/man1");
    let done = place.run(&["man", "--out", &out.display().to_string(), "--json"]);
    assert_eq!(done.code, 0, "{}", done.err);
    let wanted: BTreeSet<String> = std::iter::once("signalbox.1".to_owned())
        .chain(all.iter().map(|command| format!("signalbox-{}.1", command.replace(' ', "-"))))
        .collect();
    let written: BTreeSet<String> = std::fs::read_dir(&out)
        .expect("the folder")
        .map(|entry| entry.expect("an entry").file_name().into_string().expect("text"))
        .collect();
    assert_eq!(written, wanted);
    let page = std::fs::read_to_string(out.join("signalbox-backup.1")).expect("a page");
    assert!(page.contains("with\\-secrets") && page.contains("Exit: 0"), "{page}");
}

#[test]
fn every_workflow_in_the_manual_runs() {
    let place = TestHome::new();
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../docs/manual");
    let mut seen = 0;
    for page in std::fs::read_dir(folder).expect("the manual is there").flatten() {
        let text = std::fs::read_to_string(page.path()).unwrap_or_default();
        for block in text.split("```json\n").skip(1).filter(|block| block.contains("\"signalbox\"")) {
            let file = place.file("manual.signalbox.json", block.split("```").next().unwrap_or_default());
            let done = place.run(&["run", &file.to_string_lossy()]);
            assert_eq!(done.code, 0, "{}: {}{}", page.path().display(), done.out, done.err);
            seen += 1;
        }
    }
    assert!(seen > 0);
}
