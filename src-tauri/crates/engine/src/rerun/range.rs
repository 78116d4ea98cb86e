//! What executes again (SEMANTICS 9): the step, all that it leads to, and the containers around it, whose other
//! iterations stay.

use super::RerunError;
use crate::{compiled::Compiled, paths, reachable::reach};
use signalbox_model::{
    Role,
    base::{named, parted},
};
use std::collections::BTreeSet;

/// Where an event stands to it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    /// It stays.
    Outside,
    /// It executes again.
    Inside,
    /// The event is about a container around the step.
    Around,
}

/// One region on the way from the top to the step.
#[derive(Debug)]
struct Level {
    /// Path of its frame; empty at the top.
    path: String,
    file: usize,
    /// The container that the step stands in, or the step.
    node: usize,
    /// What is reached from it.
    reached: BTreeSet<usize>,
}

impl Level {
    /// The item that its container was entered for. One of a loop and of branches takes all its items at once.
    fn entered_for(&self, compiled: &Compiled, container: usize) -> usize {
        let last = self.path.rsplit('/').next().unwrap_or_default();
        let index = last.split_once('[').and_then(|(_, rest)| rest.strip_suffix(']'));
        match compiled.nodes[container].role {
            Role::Subworkflow => index.and_then(|index| index.parse().ok()).unwrap_or(0),
            Role::Loop | Role::Parallel => 0,
            // These hold nothing.
            Role::Step
            | Role::Trigger
            | Role::Stop
            | Role::Wait
            | Role::Approval
            | Role::Form
            | Role::Pause
            | Role::Recovery
            | Role::Break => 0,
        }
    }
}

/// A container around the step.
#[derive(Debug)]
pub(super) struct Inner {
    /// With its path.
    pub(super) name: String,
    /// The item that it was entered for.
    pub(super) item: usize,
    /// Path of the iteration, branch or file that the step stands in.
    pub(super) frame: String,
    /// It has other iterations or branches; each item of a sub-workflow is entered by itself.
    pub(super) several: bool,
}

/// The part of a run that executes again.
#[derive(Debug)]
pub(super) struct Range {
    name: String,
    levels: Vec<Level>,
}

impl Range {
    /// Of a step by its name; `None` when the definition has no such step there.
    pub(super) fn of(compiled: &Compiled, name: &str) -> Option<Self> {
        let (path, step) = parted(name);
        let (frames, node) = paths::stands_at(compiled, path, step)?;
        let mut levels = Vec::new();
        let (mut outer, mut file) = (String::new(), 0);
        for (path, container, inner) in frames {
            levels.push((outer, file, container));
            outer = path;
            file = inner;
        }
        levels.push((outer, file, node));
        let levels = levels
            .into_iter()
            .map(|(path, file, node)| Level { path, file, node, reached: reach(compiled, node) })
            .collect();
        Some(Self { name: name.to_owned(), levels })
    }

    /// Refuses steps that nothing can begin at.
    pub(super) fn may_begin(&self, compiled: &Compiled) -> Result<(), RerunError> {
        let Some(level) = self.levels.last() else { return Ok(()) };
        if compiled.nodes[level.node].recovery.is_some() {
            return Err(RerunError::Recovery { step: self.name.clone() });
        }
        if self.levels.first().is_some_and(|top| compiled.abort_region[top.node]) {
            return Err(RerunError::AfterAbort { step: self.name.clone() });
        }
        Ok(())
    }

    pub(super) fn path(&self) -> Option<&str> {
        parted(&self.name).0
    }

    pub(super) fn step(&self) -> &str {
        parted(&self.name).1
    }

    /// It gets the run's input.
    pub(super) fn is_entry(&self, compiled: &Compiled) -> bool {
        self.levels.len() == 1 && self.levels.first().is_some_and(|top| compiled.regions[0].entries.contains(&top.node))
    }

    /// Whether the step stands inside this node, which calls a file.
    pub(super) fn leads_through(&self, node: usize) -> bool {
        self.levels.split_last().is_some_and(|(_, around)| around.iter().any(|level| level.node == node))
    }

    /// Whether a node executes again that stands in the top file or in one that the step is in, in one iteration at least, the
    /// containers around the step included. Of what stands beside the step in these containers only what it leads to does.
    pub(super) fn executes(&self, compiled: &Compiled, index: usize) -> bool {
        let file = compiled.nodes[index].file;
        let outer = |node: &usize| {
            let parent = compiled.nodes[*node].node.parent.as_ref()?;
            compiled.files.get(file)?.index.get(parent).copied()
        };
        let stands: Vec<usize> = std::iter::successors(Some(index), outer).collect();
        let found =
            self.levels.iter().enumerate().rev().filter(|(_, level)| level.file == file).find_map(|(depth, level)| {
                let region = compiled.nodes[level.node].region;
                let node = stands.iter().find(|node| compiled.nodes[**node].region == region)?;
                let beside = *node == level.node && *node != index && depth + 1 < self.levels.len();
                Some(level.reached.contains(node) && !beside)
            });
        found.unwrap_or_default()
    }

    /// Whether a step executes again.
    pub(super) fn holds_name(&self, compiled: &Compiled, name: &str) -> bool {
        let (path, step) = parted(name);
        self.at(compiled, path, step) != Place::Outside
    }

    /// The containers around the step, from the top.
    pub(super) fn around(&self, compiled: &Compiled) -> Vec<Inner> {
        let told = |(outer, inner): (&Level, &Level)| Inner {
            name: named(Some(&*outer.path).filter(|path| !path.is_empty()), &compiled.nodes[outer.node].id),
            item: inner.entered_for(compiled, outer.node),
            frame: inner.path.clone(),
            several: compiled.nodes[outer.node].role != Role::Subworkflow,
        };
        self.levels.iter().zip(self.levels.iter().skip(1)).map(told).collect()
    }

    /// Where a step at a path stands. What only runs after an abort never stays.
    pub(super) fn at(&self, compiled: &Compiled, path: Option<&str>, step: &str) -> Place {
        let path = path.unwrap_or_default();
        let own = named(Some(path).filter(|path| !path.is_empty()), step);
        for (depth, level) in self.levels.iter().enumerate() {
            // The node of this region that the step is, or that it stands in.
            let rest = match level.path.as_str() {
                "" => own.as_str(),
                outer => match own.strip_prefix(outer).and_then(|rest| rest.strip_prefix('/')) {
                    Some(rest) => rest,
                    None => return Place::Outside,
                },
            };
            let first = rest.split(['/', '[']).next().unwrap_or_default();
            let Some(node) = compiled.files.get(level.file).and_then(|file| file.index.get(first)).copied() else {
                return Place::Outside;
            };
            if depth == 0 && compiled.abort_region[node] {
                return Place::Inside;
            }
            if node != level.node {
                return if level.reached.contains(&node) { Place::Inside } else { Place::Outside };
            }
            let Some(inner) = self.levels.get(depth + 1) else { return Place::Inside };
            if path == level.path {
                return Place::Around;
            }
            let same = path.strip_prefix(&inner.path).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'));
            if !same {
                return Place::Outside;
            }
        }
        Place::Inside
    }
}
