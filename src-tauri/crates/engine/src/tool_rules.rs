//! What rules say of a tool that a model wants to call (ADR 51): the list of the step and that of the workflow are asked,
//! and the stricter answer holds. Nobody but the gate before the call, and the validator, ask here.

use crate::{expr::Expr, scope::Scope};
use serde::Deserialize;
use serde_json::{Map, Value, json};
use signalbox_model::{Node, ToolRule, ToolVerdict, Workflow, diagnostic::pointer_token};

/// Code of a step that waits for a person who allows a call of a tool.
pub const TOOL_APPROVAL: &str = "TOOL_APPROVAL";
/// The setting of a workflow, and of a step, in which rules stand.
pub const FIELD: &str = "toolRules";
/// Where the rules of a workflow stand.
pub const OF_WORKFLOW: &str = "/settings/toolRules";
/// What a condition sees beside what the settings of a step see.
pub const NAMES: [&str; 4] = ["tool", "server", "args", "hints"];
/// Names of what is decided without a rule.
pub const BY_HINTS: &str = "hints";

/// What a server says of a tool. It may lie: nothing is allowed by these words alone where a rule says otherwise.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Hints {
    /// It changes nothing.
    pub read_only: bool,
    /// It may destroy.
    pub destructive: bool,
    /// Twice is as once.
    pub idempotent: bool,
    /// It reaches out into the world.
    pub open_world: bool,
}

impl Hints {
    /// As conditions and people see it.
    #[must_use]
    pub fn value(self) -> Value {
        json!({
            "readOnly": self.read_only, "destructive": self.destructive, "idempotent": self.idempotent,
            "openWorld": self.open_world
        })
    }

    /// It only looks, and only at what is its own. What only looks destroys nothing: the protocol gives `destructive`, which is
    /// true where nobody says otherwise, no meaning then.
    const fn harmless(self) -> bool {
        self.read_only && !self.open_world
    }
}

/// A call that is asked for.
#[derive(Debug, Clone, Copy)]
pub struct Asked<'a> {
    /// The registered server.
    pub server: &'a str,
    /// The tool at its server.
    pub tool: &'a str,
    /// As the model wrote them.
    pub arguments: &'a Map<String, Value>,
    /// What the server says of the tool.
    pub hints: Hints,
}

/// Rules of one place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rules {
    /// JSON Pointer of the list.
    pub place: String,
    /// In order; an error says what is wrong with one of them.
    pub rules: Result<Vec<ToolRule>, String>,
}

impl Rules {
    fn read(place: String, value: &Value) -> Self {
        Self { place, rules: Vec::<ToolRule>::deserialize(value).map_err(|error| error.to_string()) }
    }

    /// The lists that hold for a step, its own first; none where nobody wrote any.
    #[must_use]
    pub fn of(workflow: &Workflow, id: &str, config: Option<&Value>) -> Vec<Self> {
        let own = config.and_then(|config| config.get(FIELD)).filter(|list| !list.is_null());
        let own = own.map(|list| Self::read(format!("/nodes/{}/config/{FIELD}", pointer_token(id)), list));
        let of_workflow = workflow.settings.as_ref().and_then(|settings| settings.tool_rules.as_ref());
        let of_workflow = of_workflow.map(|list| Self::read(OF_WORKFLOW.into(), list));
        own.into_iter().chain(of_workflow).collect()
    }

    /// [`Rules::of`] a step as it stands in the file.
    #[must_use]
    pub fn of_node(workflow: &Workflow, id: &str, node: &Node) -> Vec<Self> {
        Self::of(workflow, id, node.config.as_ref())
    }
}

/// What happens with a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Decided {
    /// What.
    pub verdict: ToolVerdict,
    /// The rule's name, or [`BY_HINTS`].
    pub rule: String,
    /// Where it stands; [`BY_HINTS`] where no rule said anything.
    pub place: String,
    /// Why, in words.
    pub why: String,
    /// Most bytes of the arguments.
    pub max_arguments: Option<u64>,
    /// Most bytes of the answer.
    pub max_result: Option<u64>,
}

/// Asks the rules. Without any list everything that the author gave to the step may be called; where there is one, what no
/// rule names is asked for, unless the tool says that it only reads what is its own. `granted` tells what a person allowed
/// for the run; it answers for that one rule, and for none of another list.
#[must_use]
pub fn decide(lists: &[Rules], asked: &Asked<'_>, scope: &Scope, granted: &dyn Fn(&Decided) -> bool) -> Decided {
    let answered = |one: Decided| match one.verdict {
        ToolVerdict::Ask if granted(&one) => Decided { verdict: ToolVerdict::Allow, ..one },
        ToolVerdict::Allow | ToolVerdict::Ask | ToolVerdict::Deny => one,
    };
    let mut scope = scope.clone();
    scope.locals.retain(|(name, _)| !NAMES.contains(name));
    scope.locals.push(("tool", Value::from(asked.tool).into()));
    scope.locals.push(("server", Value::from(asked.server).into()));
    scope.locals.push(("args", Value::Object(asked.arguments.clone()).into()));
    scope.locals.push(("hints", asked.hints.value().into()));
    let mut found: Option<Decided> = None;
    for one in lists.iter().filter_map(|list| first(list, &scope)).map(answered) {
        found = Some(match found {
            None => one,
            Some(known) => {
                let least = |a: Option<u64>, b: Option<u64>| a.into_iter().chain(b).min();
                let max_arguments = least(known.max_arguments, one.max_arguments);
                let max_result = least(known.max_result, one.max_result);
                let stricter = if one.verdict > known.verdict { one } else { known };
                Decided { max_arguments, max_result, ..stricter }
            }
        });
    }
    found.unwrap_or_else(|| answered(by_hints(!lists.is_empty(), asked.hints)))
}

fn by_hints(ruled: bool, hints: Hints) -> Decided {
    let (verdict, why) = match (ruled, hints.harmless()) {
        (false, _) => (ToolVerdict::Allow, "There are no rules"),
        (true, true) => (ToolVerdict::Allow, "The tool declares that it only reads its own data"),
        (true, false) => (ToolVerdict::Ask, "No rule matches this call"),
    };
    Decided {
        verdict,
        rule: BY_HINTS.into(),
        place: BY_HINTS.into(),
        why: why.into(),
        max_arguments: None,
        max_result: None,
    }
}

/// What the first rule says that holds. One that cannot be evaluated allows nothing, and refuses or asks all the same:
/// rules fail closed.
fn first(list: &Rules, scope: &Scope) -> Option<Decided> {
    let rules = match &list.rules {
        Ok(rules) => rules,
        Err(why) => {
            return Some(Decided {
                verdict: ToolVerdict::Deny,
                rule: list.place.clone(),
                place: list.place.clone(),
                why: format!("The rules cannot be read: {why}"),
                max_arguments: None,
                max_result: None,
            });
        }
    };
    for (index, rule) in rules.iter().enumerate() {
        let why = match Expr::compile(&rule.when).and_then(|when| when.eval_bool(scope)) {
            Ok(false) => continue,
            Ok(true) => rule.message.clone().unwrap_or_else(|| match rule.action {
                ToolVerdict::Allow => format!("The rule '{}' allows it", rule.name),
                ToolVerdict::Ask => format!("The rule '{}' asks before this call", rule.name),
                ToolVerdict::Deny => format!("The rule '{}' does not allow this call", rule.name),
            }),
            Err(_) if rule.action == ToolVerdict::Allow => continue,
            Err(error) => format!("The rule '{}' could not be evaluated: {}", rule.name, error.message),
        };
        return Some(Decided {
            verdict: rule.action,
            rule: rule.name.clone(),
            place: format!("{}/{index}", list.place),
            why,
            max_arguments: rule.max_arguments,
            max_result: rule.max_result,
        });
    }
    None
}

/// What the rules say of a tool before anything is known but its name: whether it is sure that nobody calls it without a
/// person who said so, whatever the arguments are.
#[must_use]
pub fn is_gated(lists: &[Rules], server: &str, tool: &str, hints: Hints) -> bool {
    let arguments = Map::new();
    let asked = Asked { server, tool, arguments: &arguments, hints };
    let said: Vec<Sure> = lists.iter().map(|list| surely(list, &asked)).collect();
    if said.contains(&Sure::Stopped) {
        return true;
    }
    let silent = said.iter().all(|one| *one == Sure::Silent);
    silent && by_hints(!lists.is_empty(), hints).verdict != ToolVerdict::Allow
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Sure {
    /// It is asked for, or refused.
    Stopped,
    /// It may be allowed.
    Open,
    /// No rule says anything, or those that may say something do not allow it.
    Silent,
}

fn surely(list: &Rules, asked: &Asked<'_>) -> Sure {
    // In a run it may say anything: settings are evaluated, and what is read there is another list.
    let Ok(rules) = &list.rules else { return Sure::Open };
    let mut scope = Scope::empty();
    scope.locals.push(("tool", Value::from(asked.tool).into()));
    scope.locals.push(("server", Value::from(asked.server).into()));
    scope.locals.push(("hints", asked.hints.value().into()));
    for rule in rules {
        let allows = rule.action == ToolVerdict::Allow;
        let Ok(when) = Expr::compile(&rule.when) else {
            // As in a run: it allows nothing, and stops whatever it is asked about.
            if allows {
                continue;
            }
            return Sure::Stopped;
        };
        let roots = &when.references().roots;
        let known = roots.iter().all(|root| ["tool", "server", "hints"].contains(&root.as_str()));
        // The arguments are not bound: what comes out all the same does not depend on them.
        let of_call = roots.iter().all(|root| NAMES.contains(&root.as_str()));
        match when.eval_bool(&scope) {
            Ok(false) if of_call => {}
            Ok(true) if of_call && allows => return Sure::Open,
            Ok(true) if of_call => return Sure::Stopped,
            Err(_) if known && !allows => return Sure::Stopped,
            Err(_) if known => {}
            // What it says depends on the call: it may allow, or leave the call to the next one.
            Ok(_) | Err(_) if allows => return Sure::Open,
            Ok(_) | Err(_) => {}
        }
    }
    Sure::Silent
}

#[cfg(test)]
mod tests;
