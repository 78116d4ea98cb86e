//! The runner as the real program, with workflows that the real `signalbox` exports.

mod callback;
mod download;
mod export;
mod kill;
mod outside;
mod people;
mod same_events;
mod support;
mod triggers;
