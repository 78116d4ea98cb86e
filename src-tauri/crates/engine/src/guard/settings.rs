//! `guardrails` of a node as it is written, and what is wrong with it.

use serde::Deserialize;
use signalbox_guardrails::{Country, Finder, Kind};
use signalbox_model::Node;

/// `guardrails` of a node.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Guardrails {
    /// Guards act only when this is true.
    pub enabled: bool,
    /// Asked in order before the code; `item`, `items` are the input after `in`.
    #[serde(default)]
    pub before: Vec<Guard>,
    /// Asked in order after the code; `_result` and `_meta` are what it made.
    #[serde(default)]
    pub after: Vec<Guard>,
}

/// What a guard looks at.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Check {
    /// A condition.
    #[default]
    Rule,
    /// E-mail addresses, numbers of telephones, accounts, cards and persons.
    PersonalData,
    /// How large the data is.
    Size,
    /// Whether a value is one of those that are allowed.
    AllowList,
    /// Signs of prompt injection.
    PromptInjection,
    /// Whether texts keep to a policy; a model is asked.
    Policy,
    /// Names of persons; a model is asked.
    Names,
}

/// What happens when something is found.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Action {
    /// The call, or its result, is refused.
    #[default]
    Block,
    /// Placeholders take its place.
    Mask,
    /// A person decides.
    Ask,
}

/// One guard.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Guard {
    /// Stands in the error.
    pub name: String,
    /// What it looks at.
    #[serde(default)]
    pub check: Check,
    /// `rule`: CEL; true refuses.
    #[serde(default)]
    pub refuse: Option<String>,
    /// What the error says.
    #[serde(default)]
    pub message: Option<String>,
    /// What happens when something is found; only personal data and names can be masked.
    #[serde(default)]
    pub action: Option<Action>,
    /// `personalData`: kinds that are looked for; all when empty.
    #[serde(default)]
    pub kinds: Vec<String>,
    /// `personalData`: countries whose personal numbers are looked for; all known ones when empty.
    #[serde(default)]
    pub countries: Vec<String>,
    /// `personalData`, `names`: patterns that are allowed.
    #[serde(default)]
    pub except: Vec<String>,
    /// `size`: most bytes of the data, written as JSON.
    #[serde(default)]
    pub max_bytes: Option<u64>,
    /// `allowList`: CEL; a text or a list of texts.
    #[serde(default)]
    pub value: Option<String>,
    /// `allowList`: patterns, of which each text must match one.
    #[serde(default)]
    pub allow: Vec<String>,
    /// `policy`: what is not allowed, in words for the model.
    #[serde(default)]
    pub policy: Option<String>,
    /// `policy`, `names`: who answers; a provider of this machine, or the provider of the workflow.
    #[serde(default)]
    pub provider: Option<String>,
    /// `policy`, `names`: the model.
    #[serde(default)]
    pub model: Option<String>,
}

/// Something that is wrong with a guard.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// JSON Pointer below `guardrails`.
    pub path: String,
    /// What.
    pub message: String,
    /// What to do.
    pub hint: String,
}

impl Guard {
    /// It puts placeholders where personal data is.
    pub(crate) fn masks(&self) -> bool {
        self.check == Check::PersonalData && self.action == Some(Action::Mask)
    }

    /// It lets a person decide.
    pub fn asks(&self) -> bool {
        self.action == Some(Action::Ask)
    }

    /// It asks a model.
    pub fn asks_model(&self) -> bool {
        matches!(self.check, Check::Policy | Check::Names)
    }

    /// What it looks for.
    pub(crate) fn finder(&self) -> Finder {
        Finder {
            kinds: self.kinds.iter().filter_map(|name| Kind::parse(name)).collect(),
            countries: self.countries.iter().filter_map(|code| Country::parse(code)).collect(),
            except: self.except.clone(),
        }
    }
}

impl Guardrails {
    /// The guards of a node as they are written; an error says what is wrong with them.
    pub fn read(node: &Node) -> Result<Option<Self>, serde_json::Error> {
        node.guardrails.as_ref().map(Self::deserialize).transpose()
    }

    /// The guards of both places, with the JSON Pointer of each below `guardrails`.
    pub(crate) fn all(&self) -> impl Iterator<Item = (String, &Guard)> {
        let before = self.before.iter().enumerate().map(|(at, guard)| (format!("/before/{at}"), guard));
        before.chain(self.after.iter().enumerate().map(|(at, guard)| (format!("/after/{at}"), guard)))
    }

    /// One of them asks a model.
    pub fn ask_model(&self) -> bool {
        self.before.iter().chain(&self.after).any(Guard::asks_model)
    }

    /// What is wrong with guards of a step that the engine carries out itself: nobody is asked there, person or model.
    pub(crate) fn not_of_call(&self) -> Vec<Problem> {
        let asking = self.all().filter(|(_, guard)| guard.asks() || guard.asks_model());
        let told = asking.map(|(at, guard)| {
            let (field, whom) = if guard.asks_model() { ("check", "model") } else { ("action", "person") };
            Problem {
                path: format!("{at}/{field}"),
                message: format!(
                    "The safety check '{}' cannot ask a {whom}: this step is a container or waits",
                    guard.name
                ),
                hint: "Put the check on the step before it, or use a rule that blocks".into(),
            }
        });
        told.collect()
    }

    /// What the shape alone does not say: each check has its own settings and needs some of them.
    pub fn problems(&self) -> Vec<Problem> {
        let mut found = Vec::new();
        for (at, guard) in self.all() {
            let mut tell = |field: &str, message: String, hint: String| {
                found.push(Problem { path: format!("{at}/{field}"), message, hint });
            };
            let name = &guard.name;
            let given: [(&str, bool, &[Check]); 10] = [
                ("refuse", guard.refuse.is_some(), &[Check::Rule]),
                ("kinds", !guard.kinds.is_empty(), &[Check::PersonalData]),
                ("countries", !guard.countries.is_empty(), &[Check::PersonalData]),
                ("except", !guard.except.is_empty(), &[Check::PersonalData, Check::Names]),
                ("maxBytes", guard.max_bytes.is_some(), &[Check::Size]),
                ("value", guard.value.is_some(), &[Check::AllowList]),
                ("allow", !guard.allow.is_empty(), &[Check::AllowList]),
                ("policy", guard.policy.as_ref().is_some_and(|text| !text.trim().is_empty()), &[Check::Policy]),
                ("provider", guard.provider.is_some(), &[Check::Policy, Check::Names]),
                ("model", guard.model.is_some(), &[Check::Policy, Check::Names]),
            ];
            for (field, _, _) in given.iter().filter(|(_, given, of)| *given && !of.contains(&guard.check)) {
                let message = format!("The safety check '{name}' does not use '{field}'");
                tell(field, message, "Remove it, or choose the check that it belongs to".into());
            }
            let required: &[&str] = match guard.check {
                Check::Rule => &["refuse"],
                Check::Size => &["maxBytes"],
                Check::AllowList => &["value", "allow"],
                Check::Policy => &["policy"],
                Check::PersonalData | Check::PromptInjection | Check::Names => &[],
            };
            for (field, _, _) in given.iter().filter(|(field, given, _)| !given && required.contains(field)) {
                tell(field, format!("The safety check '{name}' needs '{field}'"), format!("Fill in '{field}'"));
            }
            if guard.action == Some(Action::Mask) {
                match guard.check {
                    Check::PersonalData => {}
                    // What the model finds is known only when the call is recorded already.
                    Check::Names if at.starts_with("/after") => {}
                    Check::Names => {
                        let message = format!("The safety check '{name}' cannot mask names before the call");
                        tell("action", message, "Block or ask, or mask the result of the step before".into());
                    }
                    _ => {
                        let message = format!("The safety check '{name}' finds nothing that could be masked");
                        tell("action", message, "Use block or ask".into());
                    }
                }
            }
            for kind in guard.kinds.iter().filter(|kind| Kind::parse(kind).is_none()) {
                let known = Kind::ALL.map(Kind::name).join(", ");
                let message = format!("The safety check '{name}' cannot look for '{kind}'");
                tell("kinds", message, format!("It finds {known}"));
            }
            for code in guard.countries.iter().filter(|code| Country::parse(code).is_none()) {
                let known = Country::ALL.map(Country::code).join(", ");
                let message = format!("The safety check '{name}' does not know the personal numbers of '{code}'");
                tell("countries", message, format!("It knows those of {known}"));
            }
        }
        found
    }
}
