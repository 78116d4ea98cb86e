//! The parts of an xlsx file: what each is, which belongs to which, and how the changed ones are put back.

use super::xml::{Edits, Kind, Tokens, bad};
use crate::Error;
use crate::sheet::guard::{damaged, sizes};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::io::{Cursor, Read as _, Write as _};
use zip::write::SimpleFileOptions;
use zip::{ZipArchive, ZipWriter};

/// Most bytes of a part that is read.
const MAX_PART: u64 = 256 * 1024 * 1024;
const CONTENT_TYPES: &str = "[Content_Types].xml";

/// A relationship from one part to another.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Related {
    pub(super) id: String,
    /// The last word of its type: `worksheet`, `drawing`.
    pub(super) kind: String,
    /// The part.
    pub(super) target: String,
}

/// An opened file.
pub(super) struct Package {
    archive: ZipArchive<Cursor<Vec<u8>>>,
    /// Names of the parts, by their names in small letters.
    names: HashMap<String, String>,
    types: HashMap<String, String>,
    defaults: HashMap<String, String>,
    /// Parts with another text.
    changed: BTreeMap<String, String>,
    removed: BTreeSet<String>,
}

impl Package {
    pub(super) fn open(bytes: Vec<u8>) -> Result<Self, Error> {
        {
            let archive =
                ZipArchive::new(Cursor::new(bytes.as_slice())).map_err(|error| damaged(&error.to_string()))?;
            sizes(&archive)?;
        }
        let archive = ZipArchive::new(Cursor::new(bytes)).map_err(|error| damaged(&error.to_string()))?;
        let mut names = HashMap::new();
        for name in archive.file_names() {
            let name = name.map_err(|error| damaged(&error.to_string()))?.into_owned();
            names.insert(name.to_lowercase(), name);
        }
        let (types, defaults) = (HashMap::new(), HashMap::new());
        let (changed, removed) = (BTreeMap::new(), BTreeSet::new());
        let mut package = Self { archive, names, types, defaults, changed, removed };
        package.read_types()?;
        Ok(package)
    }

    fn read_types(&mut self) -> Result<(), Error> {
        let text = self.text(CONTENT_TYPES)?;
        let mut tokens = Tokens::new(&text, CONTENT_TYPES);
        while let Some(token) = tokens.next()? {
            let Kind::Open(tag, _) = token.kind else { continue };
            let Some(content) = tag.attribute("ContentType") else { continue };
            match (tag.local_name(), tag.attribute("PartName"), tag.attribute("Extension")) {
                ("Override", Some(name), _) => {
                    self.types.insert(name.trim_start_matches('/').to_lowercase(), content);
                }
                ("Default", _, Some(extension)) => {
                    self.defaults.insert(extension.to_lowercase(), content);
                }
                _ => {}
            }
        }
        Ok(())
    }

    pub(super) fn has(&self, name: &str) -> bool {
        self.names.contains_key(&name.to_lowercase())
    }

    /// What a part is.
    pub(super) fn content_type(&self, name: &str) -> &str {
        let name = name.to_lowercase();
        let by_extension = || name.rsplit_once('.').and_then(|(_, extension)| self.defaults.get(extension));
        self.types.get(&name).or_else(by_extension).map_or("", String::as_str)
    }

    /// The parts whose type ends so, sorted by name.
    pub(super) fn of_type(&self, end: &str) -> Vec<String> {
        let found: BTreeSet<&String> = self
            .types
            .iter()
            .filter(|(_, content)| content.ends_with(end))
            .filter_map(|(name, _)| self.names.get(name))
            .collect();
        found.into_iter().cloned().collect()
    }

    /// A part as text, with the changes so far.
    pub(super) fn text(&mut self, name: &str) -> Result<String, Error> {
        let Some(real) = self.names.get(&name.to_lowercase()).cloned() else {
            return Err(bad(name, "it is missing"));
        };
        if let Some(text) = self.changed.get(&real) {
            return Ok(text.clone());
        }
        let file = self.archive.by_name(&real).map_err(|error| bad(name, &error.to_string()))?;
        let mut bytes = Vec::new();
        file.take(MAX_PART + 1).read_to_end(&mut bytes).map_err(|error| bad(name, &error.to_string()))?;
        if bytes.len() as u64 > MAX_PART {
            let words = format!("The part '{name}' of the template has more than {} MiB", MAX_PART >> 20);
            return Err(Error::too_large(words, MAX_PART));
        }
        let text = String::from_utf8(bytes).map_err(|_| bad(name, "it is not UTF-8"))?;
        Ok(match text.strip_prefix('\u{feff}') {
            Some(rest) => rest.to_owned(),
            None => text,
        })
    }

    /// The relationships of a part; none when it has no list of them.
    pub(super) fn related(&mut self, name: &str) -> Result<Vec<Related>, Error> {
        let list = rels_of(name);
        if !self.has(&list) {
            return Ok(Vec::new());
        }
        let text = self.text(&list)?;
        let mut tokens = Tokens::new(&text, &list);
        let mut found = Vec::new();
        while let Some(token) = tokens.next()? {
            let Kind::Open(tag, _) = token.kind else { continue };
            if tag.local_name() != "Relationship" || tag.raw("TargetMode") == Some("External") {
                continue;
            }
            let (Some(id), Some(kind), Some(target)) =
                (tag.attribute("Id"), tag.attribute("Type"), tag.attribute("Target"))
            else {
                continue;
            };
            let kind = kind.rsplit('/').next().unwrap_or_default().to_owned();
            found.push(Related { id, kind, target: resolved(name, &target) });
        }
        Ok(found)
    }

    pub(super) fn change(&mut self, name: &str, text: String) {
        if let Some(real) = self.names.get(&name.to_lowercase()) {
            self.changed.insert(real.clone(), text);
        }
    }

    /// Changes a part where there is something to change.
    pub(super) fn edit(
        &mut self,
        name: &str,
        make: impl FnOnce(&str, &mut Edits) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let text = self.text(name)?;
        let mut edits = Edits::default();
        make(&text, &mut edits)?;
        if !edits.is_empty() {
            let text = edits.apply(&text);
            self.change(name, text);
        }
        Ok(())
    }

    /// Leaves a part out, with its type and the relationship from another part.
    pub(super) fn remove(&mut self, name: &str, from: &str) -> Result<(), Error> {
        let Some(real) = self.names.get(&name.to_lowercase()).cloned() else { return Ok(()) };
        self.removed.insert(real);
        self.edit(CONTENT_TYPES, |text, edits| {
            drop_elements(text, CONTENT_TYPES, edits, |attribute| {
                attribute("PartName").is_some_and(|part| part.trim_start_matches('/').eq_ignore_ascii_case(name))
            })
        })?;
        self.edit(&rels_of(from), |text, edits| {
            drop_elements(text, from, edits, |attribute| {
                attribute("Target").is_some_and(|target| resolved(from, &target).eq_ignore_ascii_case(name))
            })
        })
    }

    /// Gives a part another type.
    pub(super) fn retype(&mut self, name: &str, content_type: &str) -> Result<(), Error> {
        self.edit(CONTENT_TYPES, |text, edits| {
            let mut tokens = Tokens::new(text, CONTENT_TYPES);
            while let Some(token) = tokens.next()? {
                if let Kind::Open(tag, _) = token.kind
                    && tag
                        .attribute("PartName")
                        .is_some_and(|part| part.trim_start_matches('/').eq_ignore_ascii_case(name))
                    && let Some(slice) = tag.raw("ContentType")
                {
                    edits.replace_slice(text, slice, content_type);
                }
            }
            Ok(())
        })
    }

    /// The file. The parts `written` are made one after the other by `make`; what did not change is copied as it is compressed.
    pub(super) fn finish(
        mut self,
        written: &BTreeMap<String, usize>,
        mut make: impl FnMut(&mut Self, usize, &mut dyn std::io::Write) -> Result<(), Error>,
    ) -> Result<Vec<u8>, Error> {
        let failed = |error: &dyn std::fmt::Display| damaged(&error.to_string());
        let mut out = ZipWriter::new(Cursor::new(Vec::new()));
        for index in 0..self.archive.len() {
            let file = self.archive.by_index_raw(index).map_err(|error| failed(&error))?;
            let name = file.name().map_err(|error| failed(&error))?.into_owned();
            if self.removed.contains(&name) {
                continue;
            }
            let options = SimpleFileOptions::default();
            if let Some(text) = self.changed.get(&name) {
                drop(file);
                out.start_file(&name, options).map_err(|error| failed(&error))?;
                out.write_all(text.as_bytes()).map_err(|error| failed(&error))?;
            } else if let Some(sheet) = written.get(&name) {
                drop(file);
                out.start_file(&name, options).map_err(|error| failed(&error))?;
                make(&mut self, *sheet, &mut out)?;
            } else {
                out.raw_copy_file(file).map_err(|error| failed(&error))?;
            }
        }
        Ok(out.finish().map_err(|error| failed(&error))?.into_inner())
    }

    /// The name of a part as it is in the file.
    pub(super) fn real_name(&self, name: &str) -> Option<&String> {
        self.names.get(&name.to_lowercase())
    }
}

fn drop_elements(
    text: &str,
    part: &str,
    edits: &mut Edits,
    is_it: impl Fn(&dyn Fn(&str) -> Option<String>) -> bool,
) -> Result<(), Error> {
    let mut tokens = Tokens::new(text, part);
    while let Some(token) = tokens.next()? {
        if let Kind::Open(tag, is_empty) = token.kind
            && is_it(&|name| tag.attribute(name))
        {
            let end = if is_empty { token.at.end } else { tokens.inner().map(|_| tokens.at())? };
            edits.replace(token.at.start..end, "");
        }
    }
    Ok(())
}

fn rels_of(part: &str) -> String {
    match part.rsplit_once('/') {
        Some((folder, name)) => format!("{folder}/_rels/{name}.rels"),
        None => format!("_rels/{part}.rels"),
    }
}

/// The part that a relationship of another one leads to.
fn resolved(from: &str, target: &str) -> String {
    if let Some(absolute) = target.strip_prefix('/') {
        return absolute.to_owned();
    }
    let mut folders: Vec<&str> = from.split('/').collect();
    folders.pop();
    for step in target.split('/') {
        match step {
            "" | "." => {}
            ".." => drop(folders.pop()),
            name => folders.push(name),
        }
    }
    folders.join("/")
}

#[cfg(test)]
mod tests {
    use super::{rels_of, resolved};

    #[test]
    fn targets_are_relative_to_the_part() {
        assert_eq!(resolved("xl/workbook.xml", "worksheets/sheet1.xml"), "xl/worksheets/sheet1.xml");
        assert_eq!(resolved("xl/worksheets/sheet1.xml", "../drawings/drawing1.xml"), "xl/drawings/drawing1.xml");
        assert_eq!(resolved("xl/workbook.xml", "/xl/worksheets/sheet1.xml"), "xl/worksheets/sheet1.xml");
        assert_eq!(resolved("", "xl/workbook.xml"), "xl/workbook.xml");
        assert_eq!(
            (rels_of("xl/workbook.xml"), rels_of("")),
            ("xl/_rels/workbook.xml.rels".into(), "_rels/.rels".into())
        );
    }
}
