//! The containers around the step of a re-run (SEMANTICS 9). Each goes on as it was when the step began last; what a retry of
//! it did later stands for its other iterations only.

use super::{
    place,
    range::{Inner, Range},
    reopen,
};
use crate::compiled::Compiled;
use signalbox_model::{EventBody, RunEvent, base::named, event::StepStart};
use std::collections::BTreeMap;

/// One container around the step.
#[derive(Debug)]
struct Entered {
    name: String,
    /// The item that it was entered for.
    item: usize,
    /// Path of the iteration, branch or file that the step stands in.
    frame: String,
    /// It has other iterations or branches; each item of a sub-workflow is entered by itself.
    several: bool,
    /// The beginning under which the step began last.
    current: usize,
    /// Later ones with the same input: each goes on with the iterations that had not ended.
    later: Vec<usize>,
    /// From here on it was entered with something else: its iterations are others.
    end: usize,
    /// The last event of each of its iterations or branches before that, by their paths.
    last: BTreeMap<String, usize>,
}

/// What of the containers around the step stands.
#[derive(Debug)]
pub(super) struct Around {
    containers: Vec<Entered>,
}

impl Around {
    /// `all`: the events of the original; the step begins with what is there before `until`.
    pub(super) fn of(all: &[&RunEvent], range: &Range, compiled: &Compiled, until: usize) -> Self {
        let begins = |event: &&RunEvent| matches!(event.body, EventBody::StepStart(_)) && event.body.origin().is_none();
        let own =
            |event: &RunEvent| (event.path.as_deref(), event.step_id.as_deref()) == (range.path(), Some(range.step()));
        let before = &all[..until.min(all.len())];
        let began = before.iter().rposition(|event| begins(event) && own(event)).unwrap_or(until);
        let containers = range.around(compiled).into_iter().map(|inner| Entered::of(all, inner, began)).collect();
        Self { containers }
    }

    /// Whether an event stands, as far as these containers know.
    pub(super) fn stands(&self, index: usize, event: &RunEvent) -> bool {
        let Some((path, step)) = place(event) else { return true };
        self.containers.iter().all(|container| container.stands(index, event, path, step))
    }
}

impl Entered {
    fn of(all: &[&RunEvent], inner: Inner, began: usize) -> Self {
        let Inner { name, item, frame, several } = inner;
        let starts: Vec<(usize, &StepStart)> = all
            .iter()
            .enumerate()
            .filter_map(|(index, event)| match &event.body {
                EventBody::StepStart(start) if start.origin.is_none() => Some((index, *event, start)),
                _ => None,
            })
            .filter(|(_, event, _)| {
                let own = event.step_id.as_deref().map(|step| named(event.path.as_deref(), step));
                own.as_deref() == Some(&*name) && reopen::item(event) == item
            })
            .map(|(index, _, start)| (index, start))
            .collect();
        let at = starts.iter().rposition(|(index, _)| *index <= began).unwrap_or(0);
        let with = starts.get(at).map(|(_, start)| *start);
        let same =
            |start: &StepStart| with.is_some_and(|with| start.config == with.config && start.input == with.input);
        let after = starts.get(at + 1..).unwrap_or_default();
        let end = after.iter().find(|(_, start)| !same(start)).map_or(usize::MAX, |(index, _)| *index);
        let later = after.iter().map(|(index, _)| *index).filter(|index| *index < end).collect();
        let current = starts.get(at).map_or(usize::MAX, |(index, _)| *index);
        let mut found = Self { name, item, frame, several, current, later, end, last: BTreeMap::new() };
        for (index, event) in all.iter().enumerate().take_while(|(index, _)| *index < end) {
            let path = place(event).and_then(|(path, _)| path).unwrap_or_default();
            if let Some(frame) = found.frame_of(path) {
                found.last.insert(frame.to_owned(), index);
            }
        }
        found
    }

    fn stands(&self, index: usize, event: &RunEvent, path: Option<&str>, step: &str) -> bool {
        if named(path, step) == self.name {
            return reopen::item(event) != self.item || index <= self.current;
        }
        let Some(frame) = self.frame_of(path.unwrap_or_default()) else { return true };
        let mut later = self.later.iter();
        if frame == self.frame {
            return index < self.end && later.next().is_none_or(|next| index < *next);
        }
        // One that began again stands as it was the last time.
        let last = self.last.get(frame).copied().unwrap_or(index);
        index < self.end && later.all(|next| index >= *next || last < *next)
    }

    /// The iteration, branch or file of this container that a path lies in.
    fn frame_of<'b>(&self, path: &'b str) -> Option<&'b str> {
        if path.strip_prefix(&*self.frame).is_some_and(|rest| rest.is_empty() || rest.starts_with('/')) {
            return path.get(..self.frame.len());
        }
        let (beside, rest) = (self.frame.strip_prefix(&*self.name)?, path.strip_prefix(&*self.name)?);
        let end = |rest: &str| rest.find('/').unwrap_or(rest.len());
        match (beside.chars().next(), rest.chars().next()) {
            (Some('['), Some('[')) if self.several => path.get(..self.name.len() + end(rest)),
            (Some('/'), Some('/')) if self.several => path.get(..=self.name.len() + end(&rest[1..])),
            _ => None,
        }
    }
}
