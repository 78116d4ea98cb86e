//! Numbers of nodes and wires at paths. The top of a run is frame 0; every open iteration, branch and sub-workflow is a
//! frame with a number of its own. Node `n` of the compiled workflow has in frame `f` the number `f * nodes + n`, a wire
//! likewise. So what is said of a node by its number (sets, tasks, timers, calls) holds at any path in the same words,
//! and a run without containers pays nothing for it.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::ops::{Deref, Index, IndexMut};

/// What does not differ between frames: a number leads to the same element in each.
#[derive(Debug)]
pub(crate) struct Cyclic<T>(Vec<T>);

impl<T> Cyclic<T> {
    pub(crate) fn new(list: Vec<T>) -> Self {
        Self(list)
    }
    /// The frame that a number belongs to.
    pub(crate) fn frame(&self, number: usize) -> usize {
        if number < self.0.len() { 0 } else { number / self.0.len() }
    }
    /// The number in frame 0.
    pub(crate) fn local(&self, number: usize) -> usize {
        if number < self.0.len() { number } else { number % self.0.len() }
    }
    /// The number of a local element in a frame.
    pub(crate) fn number(&self, frame: usize, local: usize) -> usize {
        frame * self.0.len() + local
    }
}

impl<T> Deref for Cyclic<T> {
    type Target = [T];
    fn deref(&self) -> &[T] {
        &self.0
    }
}

impl<T> Index<usize> for Cyclic<T> {
    type Output = T;
    fn index(&self, number: usize) -> &T {
        &self.0[self.local(number)]
    }
}

/// What each frame has of its own: a list for the top, and of the open frames only what belongs to them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Spread<T> {
    top: Vec<T>,
    #[serde(default = "BTreeMap::new", skip_serializing_if = "BTreeMap::is_empty")]
    inner: BTreeMap<usize, T>,
}

impl<T> Spread<T> {
    pub(crate) fn new(top: Vec<T>) -> Self {
        Self { top, inner: BTreeMap::new() }
    }
    pub(crate) fn top(&self) -> &[T] {
        &self.top
    }
    pub(crate) fn get(&self, number: usize) -> Option<&T> {
        if number < self.top.len() { self.top.get(number) } else { self.inner.get(&number) }
    }
    pub(crate) fn get_mut(&mut self, number: usize) -> Option<&mut T> {
        if number < self.top.len() { self.top.get_mut(number) } else { self.inner.get_mut(&number) }
    }
    pub(crate) fn insert(&mut self, number: usize, value: T) {
        self.inner.insert(number, value);
    }
    pub(crate) fn remove(&mut self, number: usize) -> Option<T> {
        self.inner.remove(&number)
    }
    /// Of all frames, with their numbers.
    pub(crate) fn all(&self) -> impl Iterator<Item = (usize, &T)> {
        self.top.iter().enumerate().chain(self.inner.iter().map(|(number, value)| (*number, value)))
    }
    /// Of the open frames.
    pub(crate) fn inner(&self) -> impl Iterator<Item = (usize, &T)> {
        self.inner.iter().map(|(number, value)| (*number, value))
    }
    pub(crate) fn top_mut(&mut self) -> &mut [T] {
        &mut self.top
    }
    pub(crate) fn clear_inner(&mut self) {
        self.inner.clear();
    }
}

impl<T> Index<usize> for Spread<T> {
    type Output = T;
    /// Like a list: a number that does not exist is a fault of the program. What comes from outside asks [`Self::get`].
    fn index(&self, number: usize) -> &T {
        if number < self.top.len() { &self.top[number] } else { &self.inner[&number] }
    }
}

impl<T: Default> IndexMut<usize> for Spread<T> {
    fn index_mut(&mut self, number: usize) -> &mut T {
        if number < self.top.len() { &mut self.top[number] } else { self.inner.entry(number).or_default() }
    }
}
