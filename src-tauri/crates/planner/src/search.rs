//! The kinds that a request may need, found by words: the model sees these, never the whole catalog.

use serde::{Deserialize, Serialize};
use signalbox_engine::Catalog;
use signalbox_model::NodeDescriptor;

/// Kinds that most workflows need, whatever the request says.
const COMMON: [&str; 8] = [
    "trigger.manual",
    "http.request",
    "data.set",
    "data.transform",
    "data.filter",
    "flow.if",
    "flow.loop",
    "builtin.human_approval",
];
/// Words of requests in other languages, and what the catalog calls them.
const WORDS: [(&str, &str); 63] = [
    ("täglich", "schedule"),
    ("stündlich", "schedule"),
    ("wöchentlich", "schedule"),
    ("jeden", "schedule"),
    ("jede", "schedule"),
    ("montag", "schedule"),
    ("uhr", "schedule"),
    ("every", "schedule"),
    ("daily", "schedule"),
    ("weekly", "schedule"),
    ("morning", "schedule"),
    ("monday", "schedule"),
    ("chaque", "schedule"),
    ("quotidien", "schedule"),
    ("cada", "schedule"),
    ("diario", "schedule"),
    ("ogni", "schedule"),
    ("毎日", "schedule"),
    ("hole", "fetch"),
    ("abrufen", "fetch"),
    ("lade", "fetch"),
    ("récupère", "fetch"),
    ("obtener", "fetch"),
    ("github", "api"),
    ("website", "api"),
    ("webseite", "api"),
    ("download", "api"),
    ("slack", "api"),
    ("frage", "approval"),
    ("fragen", "approval"),
    ("ask", "approval"),
    ("genehmigung", "approval"),
    ("approve", "approval"),
    ("freigabe", "approval"),
    ("demander", "approval"),
    ("pregunta", "approval"),
    ("datei", "file"),
    ("fichier", "file"),
    ("archivo", "file"),
    ("save", "write"),
    ("speichere", "write"),
    ("summe", "aggregate"),
    ("sum", "aggregate"),
    ("wenn", "condition"),
    ("falls", "condition"),
    ("only", "filter"),
    ("nur", "filter"),
    ("each", "loop"),
    ("jedes", "loop"),
    ("summarise", "chat"),
    ("summarize", "chat"),
    ("zusammenfassen", "chat"),
    ("giorno", "schedule"),
    ("scarica", "fetch"),
    ("salva", "write"),
    ("guardar", "write"),
    ("取得", "fetch"),
    ("保存", "write"),
    ("ファイル", "file"),
    ("approbation", "approval"),
    ("approvazione", "approval"),
    ("aprobación", "approval"),
    ("anfrage", "fetch"),
];

/// A kind that was found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Hit {
    /// Its name.
    pub kind: String,
    /// How well it fits; 0 for those that are always offered.
    pub score: usize,
}

/// At most `limit` kinds, the best first.
pub fn search(catalog: &Catalog, request: &str, limit: usize) -> Vec<Hit> {
    let mut words: Vec<String> = words(request);
    let others = WORDS.iter().filter(|(word, _)| words.iter().any(|said| said == word)).map(|(_, ours)| *ours);
    let others: Vec<String> = others.map(str::to_owned).collect();
    words.extend(others);
    let mut hits: Vec<Hit> = catalog
        .iter()
        .map(|kind| Hit { kind: kind.kind.clone(), score: score(kind, &words) })
        .filter(|hit| hit.score > 0 || COMMON.contains(&hit.kind.as_str()))
        .collect();
    // Stable: the order of the catalog decides between equals.
    hits.sort_by_key(|hit| std::cmp::Reverse(hit.score));
    let (kept, rest) = hits.split_at(hits.len().min(limit));
    let mut kept = kept.to_vec();
    // The common ones stay, in the place of the worst others.
    for common in rest.iter().filter(|hit| COMMON.contains(&hit.kind.as_str())) {
        if let Some(last) = kept.iter_mut().rev().find(|hit| !COMMON.contains(&hit.kind.as_str())) {
            *last = common.clone();
        }
    }
    kept
}

fn words(text: &str) -> Vec<String> {
    let parts = text.split(|c: char| !c.is_alphanumeric()).filter(|word| word.chars().count() > 1);
    parts.take(400).map(str::to_lowercase).collect()
}

fn score(kind: &NodeDescriptor, asked: &[String]) -> usize {
    let names = words(&kind.kind);
    let title = words(&kind.title);
    let about = words(&kind.description);
    let mut score = 0;
    for word in asked {
        let is = |other: &str| is_same(word, other);
        if names.iter().any(|name| is(name)) || kind.aliases.iter().any(|alias| is(&alias.to_lowercase())) {
            score += 4;
        } else if title.iter().any(|name| is(name)) {
            score += 3;
        } else if word.chars().count() > 3 && about.iter().any(|name| is(name)) {
            score += 1;
        }
    }
    score
}

/// The same word, or one with another ending.
fn is_same(one: &str, other: &str) -> bool {
    one == other || (one.len() > 4 && other.len() > 3 && (one.starts_with(other) || other.starts_with(one)))
}

/// Whether a request says when it should run by itself, and by which kind of trigger.
pub(crate) fn trigger_named(request: &str) -> Option<&'static str> {
    let all = words(request);
    let says = |list: &[&str]| all.iter().any(|word| list.contains(&word.as_str()));
    if says(&["webhook", "webhooks"]) {
        return Some("trigger.webhook");
    }
    let times = [
        "daily",
        "hourly",
        "weekly",
        "nightly",
        "täglich",
        "stündlich",
        "wöchentlich",
        "quotidien",
        "diario",
        "diariamente",
        "quotidianamente",
        "毎日",
        "毎週",
        "cron",
    ];
    let every = says(&["every", "each", "jeden", "jede", "chaque", "cada", "ogni"]);
    let unit = [
        "day", "hour", "week", "minute", "minutes", "morning", "evening", "night", "monday", "friday", "weekday",
        "tag", "morgen", "stunde", "woche", "montag", "jour", "matin", "heure", "día", "mañana", "hora", "giorno",
    ];
    (says(&times) || (every && says(&unit))).then_some("trigger.schedule")
}

#[cfg(test)]
mod tests;
