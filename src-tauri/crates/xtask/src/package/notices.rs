//! The notices of the crates and of the packages of the UI that are compiled into the programs: who wrote them, under which licence,
//! and the texts that came with them. Most texts are shared by many packages and are printed once.

use super::sbom::Component;
use crate::{Failure, shell, ui};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// Longer files are no notices.
const LONGEST: u64 = 256 << 10;

/// Where the sources of a package are, and whom they name as authors.
#[derive(Debug, Clone, Default)]
pub(crate) struct Source {
    folder: PathBuf,
    authors: String,
}

/// Prints `kind|name|version|folder|authors`: crates as cargo knows them, packages of the UI by its lock file.
const SOURCES: &str = "const [cargo, lock, modules] = process.argv.slice(1); \
     const run = require('child_process').execFileSync; \
     const found = run('cargo', ['metadata', '--locked', '--format-version', '1', '--manifest-path', cargo], { maxBuffer: 1 << 28, stdio: ['ignore', 'pipe', 'inherit'] }); \
     const line = (...parts) => console.log(parts.map((part) => String(part).replace(/[|\\s]+/g, ' ')).join('|')); \
     const path = require('path'); \
     for (const one of JSON.parse(found).packages) line('cargo', one.name, one.version, path.dirname(one.manifest_path), one.authors.join(', ')); \
     for (const [at, one] of Object.entries(require(lock).packages)) { \
       if (at && !one.dev) line('npm', at.split('node_modules/').pop(), one.version, path.join(modules, at), ''); \
     }";

/// The folder of each package that may be compiled in.
pub(crate) fn sources(root: &Path) -> Result<BTreeMap<(String, String, String), Source>, Failure> {
    let ui = ui::dir(root);
    let (cargo, lock) = (root.join("Cargo.toml"), ui.join("package-lock.json"));
    let args = ["-e", SOURCES, &cargo.to_string_lossy(), &lock.to_string_lossy(), &ui.to_string_lossy()];
    let lines = shell::output("node", &args).ok_or("`cargo metadata` or the lock file of the UI cannot be read.")?;
    let mut all = BTreeMap::new();
    for line in lines.lines() {
        let mut parts = line.splitn(5, '|').map(str::to_owned);
        if let (Some(kind), Some(name), Some(version), Some(folder), Some(authors)) =
            (parts.next(), parts.next(), parts.next(), parts.next(), parts.next())
        {
            all.insert((kind, name, version), Source { folder: folder.into(), authors });
        }
    }
    Ok(all)
}

/// The document: a list of the packages with the numbers of their texts, then the texts.
///
/// # Errors
/// The sources of a package are not there: its notices would be missing.
pub(crate) fn document(
    components: &BTreeSet<Component>,
    sources: &BTreeMap<(String, String, String), Source>,
) -> Result<String, Failure> {
    let mut texts: Vec<String> = Vec::new();
    let mut numbers: BTreeMap<String, usize> = BTreeMap::new();
    let mut list = String::new();
    for one in components {
        let key = (one.kind.to_owned(), one.name.clone(), one.version.clone());
        let source = sources.get(&key).filter(|source| source.folder.is_dir()).ok_or_else(|| {
            format!(
                "The sources of {} {} are not there, and its notices would be missing. Run `cargo fetch` and `npm ci` in ui/.",
                one.name, one.version
            )
        })?;
        let mut named: BTreeSet<usize> = BTreeSet::new();
        for text in texts_of(&source.folder) {
            let next = texts.len() + 1;
            let number = *numbers.entry(same(&text)).or_insert(next);
            if number == next {
                texts.push(text);
            }
            named.insert(number);
        }
        let license = if one.license.is_empty() { "licence not stated" } else { &one.license };
        list += &format!("{} {} ({}): {license}", one.name, one.version, one.kind);
        if named.is_empty() {
            list += "; no text in its sources";
            if !source.authors.is_empty() {
                list += &format!("; authors: {}", source.authors);
            }
        } else {
            let named: Vec<String> = named.iter().map(usize::to_string).collect();
            list += &format!("; text {}", named.join(", "));
        }
        list.push('\n');
    }
    let mut all = format!("{HEAD}\n{list}");
    for (at, text) in texts.iter().enumerate() {
        all += &format!("\n{}\nText {}\n\n{}\n", "-".repeat(72), at + 1, text.trim_end());
    }
    Ok(all)
}

const HEAD: &str = "\
Signalbox is licensed under the Apache License, Version 2.0. Its programs contain the packages listed here, each under the
licence that is named with it. The numbers are those of the texts below, as they came with the sources of the packages. The
programs also contain the standard library of Rust, licensed under the MIT License or the Apache License, Version 2.0.
";

/// Two texts are the same when they differ only in line breaks, indentation and letters' case.
fn same(text: &str) -> String {
    text.split_whitespace().map(str::to_lowercase).collect::<Vec<_>>().join(" ")
}

/// What a package says about its licence and its authors, also in the folders that it has from others.
fn texts_of(folder: &Path) -> Vec<String> {
    let mut paths = Vec::new();
    look(folder, 0, &mut paths);
    paths.sort();
    let read = |path: PathBuf| {
        let bytes = fs::read(path).ok()?;
        let text = String::from_utf8_lossy(&bytes).replace("\r\n", "\n").replace('\r', "\n");
        (!text.trim().is_empty()).then(|| text.trim_start_matches('\u{feff}').to_owned())
    };
    paths.into_iter().filter_map(read).collect()
}

fn look(folder: &Path, depth: u8, paths: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        let name = entry.file_name().to_string_lossy().to_lowercase();
        if path.is_dir() {
            // Packages within a package are listed by themselves.
            if depth < 2 && !["node_modules", "target", "tests", "test", "benches", "examples"].contains(&name.as_str())
            {
                look(&path, depth + 1, paths);
            }
        } else if is_notice(&name, &folder_name(folder))
            && entry.metadata().is_ok_and(|meta| meta.is_file() && meta.len() <= LONGEST)
        {
            paths.push(path);
        }
    }
}

fn folder_name(folder: &Path) -> String {
    folder.file_name().map(|name| name.to_string_lossy().to_lowercase()).unwrap_or_default()
}

/// `LICENSE`, `LICENSE-MIT`, `COPYING.txt`, `NOTICE`, and everything in a folder `LICENSES`; no source file of that name.
fn is_notice(name: &str, folder: &str) -> bool {
    let plain = name.rsplit_once('.').is_none_or(|(_, end)| {
        !["rs", "js", "mjs", "cjs", "ts", "json", "c", "h", "py", "toml", "html", "tmpl", "hbs", "xml", "sh"]
            .contains(&end)
    });
    let begins = ["license", "licence", "copying", "copyright", "notice", "unlicense", "ofl", "authors"];
    plain && (begins.iter().any(|word| name.starts_with(word)) || ["licenses", "licences"].contains(&folder))
}

#[cfg(test)]
mod tests;
