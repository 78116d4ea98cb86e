//! Reads the workflow files of n8n in a folder and prints how many are read, and what of them is translated.
//! `cargo run -p signalbox-import --example corpus FOLDER [LIST]`: with LIST, each expression that is not translated is written there:
//! file, node, expression and reason, one a line.

use signalbox_import::{Format, Level, NOT_VALID, Options, import, recognise};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

fn files(folder: &Path, out: &mut Vec<PathBuf>) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        let path = entry.path();
        if path.is_dir() {
            files(&path, out);
        } else if path.extension().is_some_and(|ext| ext == "json") {
            out.push(path);
        }
    }
}

/// What stands behind each `untranslated(` of a value.
fn kept(value: &serde_json::Value, tell: &mut dyn FnMut(&str)) {
    match value {
        serde_json::Value::String(text) => text.split("untranslated(").skip(1).for_each(tell),
        serde_json::Value::Array(list) => list.iter().for_each(|one| kept(one, tell)),
        serde_json::Value::Object(map) => map.values().for_each(|one| kept(one, tell)),
        _ => {}
    }
}

fn main() {
    let Some(folder) = std::env::args_os().nth(1) else {
        eprintln!("Name a folder of workflow files.");
        std::process::exit(2);
    };
    let catalog = signalbox_nodes::built_in().clone();
    let mut all = Vec::new();
    files(Path::new(&folder), &mut all);
    all.sort();
    let (mut read, mut failed, mut invalid) = (0, 0, 0);
    let mut statuses: BTreeMap<String, usize> = BTreeMap::new();
    let mut reasons: BTreeMap<String, usize> = BTreeMap::new();
    let mut kinds: BTreeMap<String, usize> = BTreeMap::new();
    let mut expressions = (0usize, 0usize);
    let mut wrong: BTreeMap<String, (usize, String)> = BTreeMap::new();
    let mut list = String::new();
    let begin = std::time::Instant::now();
    for path in &all {
        let Ok(text) = std::fs::read_to_string(path) else { continue };
        if recognise(&text) != Some(Format::N8n) {
            continue;
        }
        let imported = match import(&text, &Options::default()) {
            Ok(imported) => imported.checked(&catalog),
            Err(refused) => {
                failed += 1;
                println!("{}: {refused}", path.display());
                continue;
            }
        };
        read += 1;
        let mut bad = false;
        for found in &imported.report.findings {
            if found.code == NOT_VALID {
                bad = true;
                let words: String = found.message.split("cannot run: ").last().unwrap_or("").chars().take(90).collect();
                let entry = wrong.entry(words).or_insert((0, format!("{} {}", path.display(), found.message)));
                entry.0 += 1;
            } else if found.code == "EXPRESSION" {
                let why = found.message.split("was not translated: ").last().unwrap_or("");
                let why: String = why.split(". It is kept").next().unwrap_or("").chars().take(100).collect();
                *reasons.entry(why).or_default() += 1;
            } else if found.code == "NOT_TRANSLATED" {
                let kind =
                    found.message.split(" (").nth(1).and_then(|rest| rest.split(')').next()).unwrap_or("").to_owned();
                *kinds.entry(kind).or_default() += 1;
            } else if found.level == Level::Problem {
                *kinds.entry(format!("[{}]", found.code)).or_default() += 1;
            }
        }
        for (id, step) in &imported.workflow.nodes {
            let node =
                imported.report.translated.iter().find(|one| one.nodes.contains(id)).map(|one| one.step.as_str());
            kept(&serde_json::json!(step), &mut |text| {
                let line = serde_json::json!([path.display().to_string(), node, text]);
                list.push_str(&format!("{line}\n"));
            });
        }
        invalid += usize::from(bad);
        for one in &imported.report.translated {
            *statuses.entry(format!("{:?}", one.status)).or_default() += 1;
        }
        for note in &imported.report.notes {
            if let Some((counts, _)) = note.split_once(" expressions") {
                let mut words = counts.split(" of ");
                let mut next = || words.next().and_then(|word| word.parse::<usize>().ok()).unwrap_or(0);
                expressions.0 += next();
                expressions.1 += next();
            }
        }
    }
    if let Some(file) = std::env::args_os().nth(2)
        && let Err(error) = std::fs::write(&file, list)
    {
        eprintln!("{}: {error}", Path::new(&file).display());
    }
    println!("{read} read, {failed} refused, {invalid} with a step that is not valid, in {:?}", begin.elapsed());
    println!("steps: {statuses:?}; expressions: {} of {}", expressions.0, expressions.1);
    let print = |title: &str, all: &BTreeMap<String, usize>| {
        let mut rows: Vec<_> = all.iter().collect();
        rows.sort_by_key(|(_, count)| std::cmp::Reverse(**count));
        println!("-- {title}");
        for (word, count) in rows.into_iter().take(45) {
            println!("{count:6} {word}");
        }
    };
    print("expressions", &reasons);
    print("types", &kinds);
    let mut rows: Vec<_> = wrong.iter().collect();
    rows.sort_by_key(|(_, (count, _))| std::cmp::Reverse(*count));
    println!("-- not valid");
    for (word, (count, example)) in rows.into_iter().take(25) {
        println!("{count:6} {word}\n         {example}");
    }
}
