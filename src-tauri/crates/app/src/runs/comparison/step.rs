//! What a run tells of one step at one path.

use crate::dto::Aspect;
use indexmap::IndexMap;
use serde_json::Value;
use signalbox_model::base::named;
use signalbox_model::diagnostic::pointer_token;
use signalbox_model::{ErrorPayload, EventBody, Items, RunEvent};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Items or calls of a step whose values are looked at.
const MOST: usize = 10_000;

/// The values of a step that are compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Part {
    Input,
    Config,
    Output,
    Error,
}

/// In the order in which they are told.
pub(crate) const PARTS: [Part; 4] = [Part::Input, Part::Config, Part::Output, Part::Error];

impl Part {
    pub(crate) fn aspect(self) -> Aspect {
        match self {
            Self::Input => Aspect::Input,
            Self::Config => Aspect::Config,
            Self::Output => Aspect::Output,
            Self::Error => Aspect::Error,
        }
    }
}

/// Where a value stands in the log: event and pointer.
#[derive(Debug, Clone)]
struct Place {
    seq: u64,
    pointer: String,
}

/// One value of a part.
#[derive(Debug, Clone)]
pub(crate) struct Leaf {
    /// Where it stands in its part: `/0`, `/success/0`.
    pub(crate) at: String,
    pub(crate) value: Arc<Value>,
    place: Place,
}

impl Leaf {
    /// How the whole of what stands at a pointer inside it is fetched (`run_value`).
    pub(crate) fn reference(&self, run_id: &str, inner: &str) -> String {
        format!("{run_id}/{}{}{inner}", self.place.seq, self.place.pointer)
    }
}

/// The failure that a recovery step worked on: step and item.
type Failure = Option<(String, usize)>;
/// Which call: its failure, and the item when it is one of several. Calls side by side end in any order, so what they tell
/// is laid out by this.
type Call = (Failure, Option<usize>);
/// A value and where it stands.
type Told<T> = (Arc<T>, Place);

/// What the calls of a step told last.
#[derive(Debug, Clone, Default)]
pub(crate) struct StepTold {
    input: BTreeMap<(Failure, usize), Told<Value>>,
    config: BTreeMap<Call, Told<Value>>,
    output: BTreeMap<Call, Vec<(String, Items, Place)>>,
    error: BTreeMap<Call, Told<ErrorPayload>>,
}

impl StepTold {
    /// Whether an event says something that is compared.
    pub(crate) fn tells(event: &RunEvent) -> bool {
        matches!(event.body, EventBody::StepStart(_) | EventBody::StepDone(_) | EventBody::StepError(_))
    }

    /// The next event of the step, which stands at `prefix` of event `seq`.
    pub(crate) fn take(&mut self, event: &RunEvent, seq: u64, prefix: &str) {
        let origin = event.body.origin();
        let origin = origin.map(|one| (named(one.path.as_deref(), &one.step_id), one.item.unwrap_or_default()));
        let call = (origin.clone(), event.item);
        let place = |pointer: String| Place { seq, pointer: format!("{prefix}/payload/{pointer}") };
        match &event.body {
            EventBody::StepStart(start) => {
                for (index, item) in start.input.iter().enumerate() {
                    let told = (item.data.value(), place(format!("input/{index}/data")));
                    self.input.insert((origin.clone(), item.item), told);
                }
                self.config.insert(call.clone(), (Arc::clone(&start.config), place("config".to_owned())));
                // What an earlier round put out went nowhere.
                self.output.remove(&call);
            }
            EventBody::StepDone(done) => {
                let ports = done.items.iter().filter(|(_, items)| !items.is_empty());
                let made = ports.map(|(port, items)| {
                    (port.clone(), items.clone(), place(format!("items/{}", pointer_token(port))))
                });
                self.output.entry(call).or_default().extend(made);
            }
            EventBody::StepError(failed) => {
                self.error.insert(call, (Arc::clone(&failed.error), place("error".to_owned())));
            }
            _ => {}
        }
    }

    /// The ports that it took, by name.
    pub(crate) fn ports(&self) -> IndexMap<String, usize> {
        let mut ports: BTreeMap<&str, usize> = BTreeMap::new();
        for (port, items, _) in self.output.values().flatten() {
            *ports.entry(port).or_default() += items.len();
        }
        ports.into_iter().map(|(port, count)| (port.to_owned(), count)).collect()
    }

    /// The values of a part, at most `most` of each port or of all calls.
    pub(crate) fn leaves(&self, part: Part, most: usize) -> Vec<Leaf> {
        let most = most.min(MOST);
        let listed = |values: &mut dyn Iterator<Item = Told<Value>>| {
            let leaf = |(index, (value, place))| Leaf { at: format!("/{index}"), value, place };
            values.take(most).enumerate().map(leaf).collect()
        };
        match part {
            Part::Input => listed(&mut self.input.values().cloned()),
            Part::Config => listed(&mut self.config.values().cloned()),
            Part::Error => {
                listed(&mut self.error.values().map(|(error, place)| {
                    (Arc::new(serde_json::to_value(&**error).unwrap_or_default()), place.clone())
                }))
            }
            Part::Output => {
                let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
                let mut found = Vec::new();
                for (port, items, place) in self.output.values().flatten() {
                    let count = counts.entry(port).or_default();
                    for (index, item) in items.iter().enumerate().take(most.saturating_sub(*count)) {
                        let pointer = format!("{}/{index}/data", place.pointer);
                        let place = Place { seq: place.seq, pointer };
                        let at = format!("/{}/{count}", pointer_token(port));
                        found.push(Leaf { at, value: Arc::clone(&item.data), place });
                        *count += 1;
                    }
                }
                found
            }
        }
    }
}
