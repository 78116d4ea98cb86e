//! Rules of error handling, looked at without a run: what is wrong with them, and which can never decide.

use crate::expr::{Compared, Expr, ExprError, Literal};
use crate::scope::Scope;
use crate::validate::conditions;
use crate::{decision, expr, validate};
use serde_json::{Value, json};
use signalbox_model::{
    Code, Diagnostic, ErrorType, Workflow,
    diagnostic::pointer_token,
    workflow::{ErrorPolicy, Rule},
};
use std::collections::BTreeSet;
use std::sync::Arc;

/// A finding about one rule of a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RuleFinding {
    /// Which rule, from 0.
    pub index: usize,
    /// What and why; its path is that inside the list.
    pub diagnostic: Diagnostic,
    /// Character in `when`, when it is known.
    pub position: Option<usize>,
}

/// Names that a rule may use.
const NAMES: [&str; 9] = ["error", "err", "ctx", "item", "items", "params", "context", "run", "workflow"];

/// Everything that can be said about a list of rules. `wired`: the wired ports of the handler, none for a policy.
pub fn check(rules: &[Rule], wired: Option<&[&str]>) -> Vec<RuleFinding> {
    let mut all = read(rules, wired);
    all.extend(tried(rules, &all));
    all.extend(fields(rules, &all));
    all.sort_by_key(|f| f.index);
    all
}

/// Rules of a file that can never decide, beside what the file is refused for.
pub(crate) fn of_file(workflow: &Workflow) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    let mut look = |rules: &[Rule], wired: Option<&[&str]>, at: &str| {
        let mut known = read(rules, wired);
        let refused = known.len();
        known.extend(tried(rules, &known));
        known.extend(fields(rules, &known));
        found.extend(known.into_iter().skip(refused).map(|RuleFinding { diagnostic, .. }| Diagnostic {
            path: format!("{at}{}", diagnostic.path),
            ..diagnostic
        }));
    };
    if let Some(ErrorPolicy::Rules(list)) = workflow.settings.as_ref().and_then(|s| s.error_policy.as_ref()) {
        look(&list.rules, None, "/settings/errorPolicy/rules");
    }
    for (id, node) in workflow.nodes.iter().filter(|(_, node)| node.kind == "builtin.error_handler") {
        let Some(config) = node.config.as_ref().filter(|config| config.get("rules").is_some()) else { continue };
        let ports = workflow.edges.iter().filter(|edge| edge.from.node() == id).map(|edge| edge.from.port());
        let at = format!("/nodes/{}/config/rules", pointer_token(id));
        look(&decision::rules_of(config), Some(&ports.collect::<Vec<_>>()), &at);
    }
    found
}

/// What the texts of the rules say.
fn read(rules: &[Rule], wired: Option<&[&str]>) -> Vec<RuleFinding> {
    let mut found = Vec::new();
    validate::check_rules(rules, "", wired, &mut found);
    let mut all: Vec<RuleFinding> = found
        .into_iter()
        .map(|diagnostic| {
            let index = diagnostic.path.split('/').nth(1).and_then(|i| i.parse().ok()).unwrap_or_default();
            RuleFinding { index, diagnostic, position: None }
        })
        .collect();
    for (index, rule) in rules.iter().enumerate() {
        let at = format!("/{index}/when");
        match Expr::compile(&rule.when) {
            Err(error) => {
                let diagnostic = validate::broken(&at, &rule.when, &error);
                all.retain(|f| f.diagnostic.path != at);
                all.push(RuleFinding { index, diagnostic, position: error.position });
            }
            Ok(expression) => {
                let unknown = |root: &&String| !NAMES.contains(&root.as_str()) && root.as_str() != "nodes";
                for root in expression.references().roots.iter().filter(unknown) {
                    let hint = crate::catalog::nearest(root, NAMES)
                        .map_or_else(|| format!("Available: {}", NAMES.join(", ")), |n| format!("Did you mean '{n}'?"));
                    all.push(RuleFinding {
                        index,
                        diagnostic: Diagnostic::error(
                            Code::UnknownName,
                            at.clone(),
                            format!("The rule '{}' uses '{root}', which is not available", rule.name),
                            hint,
                        ),
                        position: rule.when.find(root.as_str()).map(|byte| rule.when[..byte].chars().count()),
                    });
                }
            }
        }
    }
    all
}

/// Fields that no error has, wherever a condition names them: also where another part of it decides before them. Nothing
/// of conditions that something is `known` about.
fn fields(rules: &[Rule], known: &[RuleFinding]) -> Vec<RuleFinding> {
    let error = conditions::error();
    let has: Vec<&str> = error["properties"].as_object().into_iter().flatten().map(|(name, _)| name.as_str()).collect();
    let mut all = Vec::new();
    for (index, rule) in rules.iter().enumerate() {
        let at = format!("/{index}/when");
        let Some(expression) =
            Expr::compile(&rule.when).ok().filter(|_| !known.iter().any(|f| f.diagnostic.path == at))
        else {
            continue;
        };
        for path in &expression.references().paths {
            let of = ["error", "err", "ctx.error"].into_iter().find_map(|root| {
                let field = path.strip_prefix(root)?.strip_prefix('.')?;
                Some((root, field.split(['.', '[']).next().unwrap_or(field)))
            });
            let Some((root, field)) = of.filter(|(_, field)| !has.contains(field)) else { continue };
            // Two that were typed into one begin with the first.
            let begins = || has.iter().copied().filter(|name| field.starts_with(name)).max_by_key(|name| name.len());
            let hint = crate::catalog::nearest(field, has.iter().copied()).or_else(begins).map_or_else(
                || format!("Available: {}", has.join(", ")),
                |near| format!("Did you mean '{root}.{near}'?"),
            );
            let message = format!("The rule '{}' uses '{root}.{field}', which no error has", rule.name);
            let diagnostic = Diagnostic::warning(Code::UnknownName, at.clone(), message, hint);
            all.push(RuleFinding { index, diagnostic, position: place(&rule.when, &format!("{root}.{field}")) });
        }
    }
    all
}

/// Where a condition has this path as a whole, in characters: no other begins or goes on around it.
fn place(when: &str, path: &str) -> Option<usize> {
    let named = |letter: char| letter.is_alphanumeric() || letter == '_';
    let byte = when.match_indices(path).map(|(byte, _)| byte).find(|byte| {
        let (before, behind) = (&when[..*byte], &when[byte + path.len()..]);
        !before.ends_with(|letter| named(letter) || letter == '.') && !behind.starts_with(named)
    })?;
    Some(when[..byte].chars().count())
}

/// What happens when the rules are tried; nothing of those that something is `known` about. They are warnings: a rule that
/// cannot be evaluated does not match, and the run goes on with the next (K-10).
fn tried(rules: &[Rule], known: &[RuleFinding]) -> Vec<RuleFinding> {
    let mut all: Vec<RuleFinding> = Vec::new();
    let is_known = |index: usize| known.iter().any(|f| f.index == index);
    let tried = Tried::of(rules);
    for (index, error) in tried.unusable() {
        if is_known(index) {
            continue;
        }
        let code = if error.code == expr::Code::MissingField { Code::UnknownName } else { Code::BadConfig };
        let message = format!("The rule '{}' can never be evaluated: {}", rules[index].name, error.message);
        let hint = error.suggestions.first().map_or_else(
            || {
                "Compare values of the same type; `error.type` and codes are texts, `error.attempt` is a number"
                    .to_owned()
            },
            |near| format!("Did you mean '{near}'?"),
        );
        let diagnostic = Diagnostic::warning(code, format!("/{index}/when"), message, hint);
        all.push(RuleFinding { index, diagnostic, position: error.position });
    }
    for (index, message, hint) in tried.shadowed(rules) {
        if is_known(index) || all.iter().any(|f| f.index == index) {
            continue;
        }
        let diagnostic = Diagnostic::warning(Code::RuleUnreachable, format!("/{index}"), message, hint);
        all.push(RuleFinding { index, diagnostic, position: None });
    }
    all
}

/// Errors as they can occur. A ValidationError is never retryable (K-49).
fn samples(compared: &[Compared]) -> Vec<Value> {
    let (mut codes, mut numbers): (BTreeSet<String>, BTreeSet<i64>) = (BTreeSet::new(), (0..4).collect());
    for Compared { texts, numbers: found, .. } in compared {
        codes.extend(texts.iter().cloned());
        numbers.extend(
            found.iter().filter(|n| (0..1000).contains(*n)).flat_map(|n| [n.saturating_sub(1).max(0), *n, n + 1]),
        );
    }
    let attempts: Vec<i64> = numbers.iter().copied().take(ATTEMPTS).collect();
    let mut details: Vec<Value> = vec![json!({})];
    details.extend(codes.into_iter().take(8).map(|code| json!({ "code": code, "severity": code })));
    details.extend(numbers.into_iter().filter(|n| *n > 99).take(4).map(|status| json!({ "status": status })));
    let mut all = Vec::new();
    for error_type in ErrorType::ALL {
        for retryable in [true, false] {
            if retryable && error_type == ErrorType::ValidationError {
                continue;
            }
            for attempt in &attempts {
                for details in &details {
                    all.push(json!({
                        "type": error_type, "message": "", "retryable": retryable, "originNode": "step",
                        "attempt": attempt, "maxAttempts": 3, "timestamp": "2026-01-01T00:00:00Z", "details": details,
                    }));
                }
            }
        }
    }
    all
}

/// Attempts that are tried at most.
const ATTEMPTS: usize = 12;

/// Fields of which the samples have all that there is, or a value on each side of what a rule compares with.
const WHOLE: [&str; 3] = ["type", "retryable", "attempt"];

/// Which field of the error a path is.
fn field_of(path: &str) -> Option<&str> {
    path.strip_prefix("error.").or_else(|| path.strip_prefix("err."))
}

/// Whether a condition asks for nothing but what the samples have all of: then what fits none of them never fits. `numbers` are
/// those of all conditions that are tried.
fn is_whole(expression: &Expr, compared: &Compared, numbers: &BTreeSet<i64>) -> bool {
    let paths = &expression.references().paths;
    let tried = numbers.len() * 3 + 4 <= ATTEMPTS && numbers.iter().all(|n| *n < 1000);
    // What is computed has other numbers on its sides.
    !compared.is_computed
        && paths.iter().all(|path| field_of(path).is_some_and(|field| WHOLE.contains(&field)))
        && (tried || !paths.iter().any(|path| field_of(path) == Some("attempt")))
}

/// What to write instead of what no error has; where nothing of that kind is wrong, that it cannot be true.
fn never_hint(compared: &Compared) -> String {
    let types: Vec<Value> = ErrorType::ALL.iter().map(|kind| json!(kind)).collect();
    let names: Vec<&str> = types.iter().filter_map(Value::as_str).collect();
    let mut lines: Vec<String> = Vec::new();
    for (path, literal) in &compared.pairs {
        let line = match (field_of(path), literal) {
            (Some("type"), Literal::Text(text)) if names.contains(&text.as_str()) => continue,
            (Some("type"), literal) => {
                let near = |text: &String| crate::catalog::nearest(text, names.iter().copied());
                if let Literal::Text(text) = literal
                    && let Some(near) = near(text)
                {
                    return format!("Did you mean '{near}'?");
                }
                format!("Types are {}", names.join(", "))
            }
            (Some("retryable"), literal) if *literal != Literal::Bool => "error.retryable is true or false".to_owned(),
            (Some("attempt"), literal) if *literal != Literal::Number => "error.attempt is a number from 0".to_owned(),
            _ => continue,
        };
        if !lines.contains(&line) {
            lines.push(line);
        }
    }
    if lines.is_empty() {
        return "Its conditions exclude each other, or one is always false: relax it, or remove it".to_owned();
    }
    lines.join("; ")
}

/// Whether it asks for the type that is never retryable, and for more.
fn refuses_to_retry(compared: &Compared, when: &str) -> bool {
    compared.texts.iter().any(|text| text == "ValidationError") && when.contains("retryable")
}

/// Fields of an error that only some have, and that no sample has.
const SOME_HAVE: [&str; 3] = ["originRunId", "suggestedAction", "provenanceRef"];

/// One rule, tried on all samples; nothing of a rule that depends on data, which cannot be tried out.
#[derive(Debug, Default)]
struct Trial {
    own: bool,
    fits: usize,
    decides: usize,
    /// Rules that came first.
    before: BTreeSet<usize>,
    /// It could be evaluated, or failed at what another error may have.
    usable: bool,
    /// The samples have all that it asks for.
    whole: bool,
    compared: Compared,
    why: Option<ExprError>,
}

/// Rules, tried on errors as they can occur.
struct Tried(Vec<Trial>);

impl Tried {
    fn of(rules: &[Rule]) -> Self {
        let compiled: Vec<Option<Expr>> = rules.iter().map(|rule| Expr::compile(&rule.when).ok()).collect();
        let own = |e: &Expr| e.references().roots.iter().all(|root| matches!(root.as_str(), "error" | "err"));
        // The samples are those of all rules.
        let compared: Vec<Compared> =
            compiled.iter().map(|e| e.as_ref().map(Expr::compared).unwrap_or_default()).collect();
        let numbers: BTreeSet<i64> = compared.iter().flat_map(|compared| compared.numbers.iter().copied()).collect();
        let samples = samples(&compared);
        let mut all: Vec<Trial> = compiled
            .iter()
            .zip(compared)
            .map(|(e, compared)| Trial {
                own: e.as_ref().is_some_and(own),
                whole: e.as_ref().is_some_and(|e| is_whole(e, &compared, &numbers)),
                compared,
                ..Trial::default()
            })
            .collect();
        let mut scope = Scope::empty();
        scope.item = json!({}).into();
        for sample in samples {
            scope.error = Arc::new(sample);
            let mut first = None;
            for (i, expression) in compiled.iter().enumerate() {
                let Some(expression) = expression.as_ref().filter(|_| all[i].own) else { continue };
                match expression.eval_bool(&scope) {
                    Ok(fits) => {
                        all[i].usable = true;
                        if !fits {
                            continue;
                        }
                    }
                    Err(error) => {
                        all[i].usable |= depends(&error);
                        all[i].why.get_or_insert(error);
                        continue;
                    }
                }
                all[i].fits += 1;
                match first {
                    None => {
                        first = Some(i);
                        all[i].decides += 1;
                    }
                    Some(earlier) => {
                        all[i].before.insert(earlier);
                    }
                }
            }
        }
        Self(all)
    }

    /// Rules that fail on every error: their types do not go together, or they name what no error has.
    fn unusable(&self) -> impl Iterator<Item = (usize, &ExprError)> {
        let failed = self.0.iter().enumerate().filter(|(_, trial)| trial.own && !trial.usable);
        failed.filter_map(|(i, trial)| Some((i, trial.why.as_ref()?)))
    }

    /// Rules that an earlier one always forestalls, and rules that ask for what never happens.
    fn shadowed(&self, rules: &[Rule]) -> Vec<(usize, String, String)> {
        let mut found = Vec::new();
        for (i, (rule, trial)) in rules.iter().zip(&self.0).enumerate() {
            if !trial.own {
                continue;
            }
            if trial.fits > 0 && trial.decides == 0 {
                let names: Vec<String> = trial.before.iter().map(|b| format!("'{}'", rules[*b].name)).collect();
                found.push((
                    i,
                    format!(
                        "The rule '{}' is never used: {} matches first for every error it matches",
                        rule.name,
                        names.join(", ")
                    ),
                    "Move it up, restrict the earlier rule, or remove it".to_owned(),
                ));
            } else if trial.fits == 0 && trial.whole && refuses_to_retry(&trial.compared, &rule.when) {
                found.push((
                    i,
                    format!(
                        "The rule '{}' never matches: a ValidationError is not retryable, unless a Fail step says so",
                        rule.name
                    ),
                    "Remove the test of error.retryable".to_owned(),
                ));
            } else if trial.fits == 0 && trial.whole {
                found.push((
                    i,
                    format!("The rule '{}' never matches any error", rule.name),
                    never_hint(&trial.compared),
                ));
            }
        }
        found
    }
}

/// Whether another error may have what was missing here. Types that do not go together never do.
fn depends(error: &ExprError) -> bool {
    match error.code {
        expr::Code::MissingField => {
            !matches!(error.more.available_at.as_str(), "error" | "err")
                || SOME_HAVE.contains(&error.more.word.as_str())
        }
        expr::Code::Eval | expr::Code::SchemaMismatch | expr::Code::PairedSeveral | expr::Code::PairedNone => false,
        expr::Code::Syntax | expr::Code::Limit => true,
    }
}

#[cfg(test)]
mod tests;
