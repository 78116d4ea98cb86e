//! Places by their names (SEMANTICS 1): `loop[3]`, `par/b2`, `call`, `call[2]`, joined with `/`.

use crate::compiled::{Compiled, CompiledFile, NodeAt};
use signalbox_model::{NodeDescriptor, Role, Workflow};
use std::sync::Arc;

/// A container on the way to a place: the path of its frame, its node, the file whose nodes stand in it.
pub(crate) type OnTheWay = (String, usize, usize);

impl Compiled {
    /// What people call the node that runs at a path, `None` at the top: its title, else the title of its kind. Of several
    /// nodes of a file with the same name each but the first has a number, as on the canvas.
    pub fn name_of(&self, path: Option<&str>, id: &str) -> Option<String> {
        let file = file_at(self, path.unwrap_or_default())?;
        let own = self.nodes.get(*file.index.get(id)?)?.name();
        let names =
            || file.workflow.nodes.keys().filter_map(|key| Some((key, self.nodes.get(*file.index.get(key)?)?.name())));
        let earlier = names().take_while(|(key, _)| *key != id).filter(|(_, name)| *name == own).count();
        // A number that is part of another node's name is left out.
        let free =
            (2_usize..).map(|number| format!("{own} {number}")).filter(|name| names().all(|(_, other)| other != name));
        if earlier == 0 { Some(own.to_owned()) } else { free.take(earlier).last() }
    }

    /// What a node is that runs at a path, `None` at the top.
    pub fn node_at(&self, path: Option<&str>, id: &str) -> Option<NodeAt<'_>> {
        let node = self.nodes.get(*file_at(self, path.unwrap_or_default())?.index.get(id)?)?;
        Some(NodeAt { kind: &node.kind, name: node.name(), description: node.node.description.as_deref() })
    }

    /// The kind of a node that runs at a path, `None` at the top, and whether its calls tell the service a key by which it
    /// knows a repetition.
    pub fn kind_at(&self, path: Option<&str>, id: &str) -> Option<(&NodeDescriptor, bool)> {
        let node = self.nodes.get(*file_at(self, path.unwrap_or_default())?.index.get(id)?)?;
        Some((&node.descriptor, node.node.sends_key()))
    }

    /// The steps along a path that run other workflows, the outermost first.
    pub fn calls_along(&self, path: &str) -> Vec<&str> {
        let way = way(self, path).unwrap_or_default();
        let calls = way.iter().filter(|(_, node, _)| self.nodes[*node].role == Role::Subworkflow);
        calls.map(|(_, node, _)| &*self.nodes[*node].id).collect()
    }

    /// The workflow that a step of one of the run's files runs, if it runs one.
    pub fn called_by(&self, file: &Workflow, step: &str) -> Option<&Arc<Workflow>> {
        let file = self.files.iter().find(|one| std::ptr::eq(&raw const *one.workflow, file))?;
        let node = &self.nodes[*file.index.get(step)?];
        let body = node.bodies.first().filter(|_| node.role == Role::Subworkflow)?;
        Some(&self.files[self.nodes[*self.regions[*body].nodes.first()?].file].workflow)
    }
}

/// The file whose nodes run at a path.
fn file_at<'a>(compiled: &'a Compiled, path: &str) -> Option<&'a CompiledFile> {
    compiled.files.get(way(compiled, path)?.last().map_or(0, |(_, _, file)| *file))
}

/// The containers along a path, the outermost first.
fn way(compiled: &Compiled, path: &str) -> Option<Vec<OnTheWay>> {
    let (mut file, mut found, mut so_far) = (0, Vec::<OnTheWay>::new(), String::new());
    if !path.is_empty() && path.split('/').any(str::is_empty) {
        return None;
    }
    let mut parts = path.split('/').filter(|part| !part.is_empty());
    while let Some(part) = parts.next() {
        let (id, number) = numbered(part);
        let node = *compiled.files.get(file)?.index.get(id)?;
        if !is_in(compiled, found.last(), node) {
            return None;
        }
        if !so_far.is_empty() {
            so_far.push('/');
        }
        so_far.push_str(part);
        match compiled.nodes[node].role {
            Role::Parallel if part != id => return None,
            Role::Subworkflow if part != id && number.is_none() => return None,
            Role::Parallel => {
                so_far.push('/');
                so_far.push_str(parts.next()?);
            }
            Role::Subworkflow => {
                let body = compiled.nodes[node].bodies.first()?;
                file = compiled.nodes[*compiled.regions[*body].nodes.first()?].file;
            }
            Role::Loop => {}
            _ => return None,
        }
        found.push((so_far.clone(), node, file));
    }
    Some(found)
}

/// The way to a step and its node; `None` when the definition has no such step there. A step inside a container is named
/// with all that is around it.
pub(crate) fn stands_at(compiled: &Compiled, path: Option<&str>, step: &str) -> Option<(Vec<OnTheWay>, usize)> {
    let way = way(compiled, path.unwrap_or_default())?;
    let file = way.last().map_or(0, |(_, _, file)| *file);
    let node = *compiled.files.get(file)?.index.get(step)?;
    is_in(compiled, way.last(), node).then_some((way, node))
}

/// Whether a node stands right in a container, or at the top of the run's own file.
fn is_in(compiled: &Compiled, around: Option<&OnTheWay>, node: usize) -> bool {
    let region = compiled.nodes[node].region;
    let Some((path, container, _)) = around else { return region == 0 };
    let container = &compiled.nodes[*container];
    let branch = path.rsplit('/').next().unwrap_or_default();
    container.bodies.contains(&region)
        && (container.role != Role::Parallel
            || compiled.regions[region].entries.first().is_some_and(|entry| *compiled.nodes[*entry].id == *branch))
}

/// The loop of a path whose iteration is not named by a number, if there is one: nothing runs there.
pub(crate) fn without_iteration(compiled: &Compiled, path: &str) -> Option<String> {
    let way = way(compiled, path)?;
    way.iter().filter(|(_, node, _)| compiled.nodes[*node].role == Role::Loop).find_map(|(path, ..)| {
        let (id, number) = numbered(path.rsplit('/').next()?);
        number.is_none().then(|| id.to_owned())
    })
}

/// Whether a place that a person names is this path of a run. Whether a call of another file has a number is known only
/// when its step is entered, by how many items there are: without one, each of its calls is meant, and the first is the
/// only one too.
pub(crate) fn means(named: &str, path: &str) -> bool {
    let (mut named, mut path) = (named.split('/'), path.split('/'));
    loop {
        match (named.next(), path.next()) {
            (None, None) => return true,
            (Some(named), Some(part)) if named == part => {}
            (Some(named), Some(part)) => {
                let ((id, number), (same, other)) = (numbered(named), numbered(part));
                if id != same || (number.is_some() && (number != Some(0) || other.is_some())) {
                    return false;
                }
            }
            _ => return false,
        }
    }
}

/// A part of a path, with its number: `call[2]`.
fn numbered(part: &str) -> (&str, Option<u32>) {
    match part.strip_suffix(']').and_then(|part| part.split_once('[')) {
        // As the log writes it: `01` and `+1` are no numbers of its.
        Some((id, number)) => (id, number.parse().ok().filter(|n: &u32| n.to_string() == number)),
        None => (part, None),
    }
}
