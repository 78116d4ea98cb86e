//! Signs of prompt injection in text that comes from outside: heuristics over wording, markup of chat protocols, and
//! characters that people do not see. They find what is common, not everything: a step that acts on untrusted text needs narrow
//! rights as well.

use regex::{Regex, RegexSet};
use std::sync::LazyLock;

/// One sign.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Signal {
    /// Tells the reader to forget its instructions.
    OverridesInstructions,
    /// Gives the reader another role.
    ChangesRole,
    /// Asks for the instructions or secrets of the reader.
    AsksForSecrets,
    /// Asks the reader to hide something from its user.
    Conceals,
    /// Markup that chat protocols use between speakers.
    ChatMarkup,
    /// Characters that people do not see.
    HiddenCharacters,
    /// An address that would carry data away when it is loaded.
    CarriesDataAway,
}

impl Signal {
    /// In plain words, for error messages.
    pub fn words(self) -> &'static str {
        match self {
            Self::OverridesInstructions => "tells the reader to ignore its instructions",
            Self::ChangesRole => "gives the reader another role",
            Self::AsksForSecrets => "asks for hidden instructions or secrets",
            Self::Conceals => "asks to hide something from the user",
            Self::ChatMarkup => "contains control markup of chat models",
            Self::HiddenCharacters => "contains hidden characters",
            Self::CarriesDataAway => "contains an address that would send data away",
        }
    }

    /// Weak signs also occur in harmless text: they count only together with another one.
    fn is_weak(self) -> bool {
        matches!(self, Self::ChangesRole)
    }
}

/// Wording, by sign. English, German, French, Spanish and Chinese.
const WORDING: &[(Signal, &str)] = &[
    (
        Signal::OverridesInstructions,
        r"(?i)\b(?:ignore|disregard|forget|override|bypass|do not follow|stop following)\b.{0,30}\b(?:previous|prior|above|earlier|preceding|all|your|any|system)\b.{0,30}\b(?:instructions?|prompts?|rules|directions|guidelines|orders|messages?)\b",
    ),
    (
        Signal::OverridesInstructions,
        r"(?i)\b(?:forget|ignore) (?:everything|all) (?:above|before|you (?:were|have been) told|that came before|i said)\b",
    ),
    (
        Signal::OverridesInstructions,
        r"(?i)\b(?:your )?new (?:system )?(?:instructions?|task|objective)(?: (?:is|are))?\s*:",
    ),
    (
        Signal::OverridesInstructions,
        r"(?i)\b(?:ignoriere|vergiss|missachte)\b.{0,40}\b(?:anweisungen|regeln|vorgaben|instruktionen)\b",
    ),
    (Signal::OverridesInstructions, r"(?i)\b(?:ignore[zr]?|oublie[zr]?)\b.{0,40}\b(?:instructions|consignes|règles)\b"),
    (
        Signal::OverridesInstructions,
        r"(?i)\b(?:ignora|olvida|ignore|olvide)\b.{0,40}\b(?:instrucciones|reglas|órdenes)\b",
    ),
    (Signal::OverridesInstructions, r"(?:忽略|无视|忘记|忽視|無視).{0,12}(?:指令|指示|提示|规则|要求)"),
    (
        Signal::ChangesRole,
        r"(?i)\b(?:you are now|from now on,? you are|act as|pretend (?:to be|you are)|du bist (?:jetzt|ab jetzt|nun)|tu es maintenant|ahora eres)\b|你现在是|扮演",
    ),
    (
        Signal::ChangesRole,
        r"(?i)\b(?:jailbreak|developer mode|dan mode|god mode|without (?:any )?restrictions|unrestricted)\b",
    ),
    (
        Signal::AsksForSecrets,
        r"(?i)\b(?:reveal|print|show|repeat|output|display|tell me|leak|send|expose)\b.{0,30}\b(?:system prompt|hidden (?:prompt|instructions)|initial instructions|your instructions|instructions above|api[ _-]?keys?|credentials|environment variables|passwords?)\b",
    ),
    (
        Signal::AsksForSecrets,
        r"(?i)\b(?:zeige?|nenne|verrate|gib)\b.{0,30}\b(?:systemprompt|system-prompt|zugangsdaten|passwörter|api-schlüssel)\b",
    ),
    (Signal::AsksForSecrets, r"(?:显示|输出|告诉我|泄露).{0,10}(?:系统提示|系统指令|密钥|密码)"),
    (
        Signal::Conceals,
        r"(?i)\b(?:do not|don't|never|without) (?:tell(?:ing)?|inform(?:ing)?|mention(?:ing)?|alert(?:ing)?|notify(?:ing)?|reveal(?:ing)?)\b.{0,24}\b(?:the )?(?:user|human|operator|owner)\b",
    ),
    (Signal::Conceals, r"(?i)\b(?:sag|sage|verrate) (?:dem|der) (?:nutzer|benutzer|anwender)\w* nicht"),
    (
        Signal::ChatMarkup,
        r"(?i)<\|(?:im_start|im_end|system|user|assistant|endoftext|eot_id|start_header_id)\|>|\[/?INST\]|<</?SYS>>|</?(?:system|assistant)(?:_prompt)?>",
    ),
    (
        Signal::ChatMarkup,
        r"(?im)^\s*#{2,}\s*(?:system|instruction)s?\s*:?\s*$|^\s*(?:system|assistant)\s*:\s*\S|\bBEGIN SYSTEM (?:PROMPT|MESSAGE)\b",
    ),
    (
        Signal::CarriesDataAway,
        r"(?i)!\[[^\]]*\]\(https?://[^)\s]*[?&][^)\s]*(?:=\{|=\$|=%7b|=<|data|secret|token|chat|conversation|history)[^)]*\)",
    ),
    (
        Signal::CarriesDataAway,
        r"(?i)\b(?:send|post|forward|upload|exfiltrate|append)\b.{0,50}\b(?:conversation|chat history|contents?|data|answers?|secrets?|keys?)\b.{0,30}\bto\b.{0,10}(?:https?://|\S+@\S+\.\w)",
    ),
];

static ALL: LazyLock<Option<RegexSet>> = LazyLock::new(|| RegexSet::new(WORDING.iter().map(|(_, text)| *text)).ok());

/// Text with what a person does not see taken out, as a model would read it.
static INVISIBLE: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new("[\u{200b}-\u{200f}\u{202a}-\u{202e}\u{2060}-\u{2064}\u{feff}\u{e0000}-\u{e007f}]").ok()
});

/// The signs in a text; empty when they do not add up to a suspicion.
pub fn signals(text: &str) -> Vec<Signal> {
    let mut found = Vec::new();
    let seen = INVISIBLE.as_ref().map_or(text.into(), |invisible| invisible.replace_all(text, ""));
    if let Some(all) = ALL.as_ref() {
        found.extend(all.matches(&seen).into_iter().filter_map(|at| WORDING.get(at)).map(|(signal, _)| *signal));
    }
    if hides(text) {
        found.push(Signal::HiddenCharacters);
    }
    found.sort_unstable();
    found.dedup();
    if found.iter().all(|signal| signal.is_weak()) {
        found.clear();
    }
    found
}

/// Tag characters spell text that nobody sees; an override of the writing direction shows another order than is read; words
/// cut by invisible spaces pass word lists. A joiner in an emoji or in a script that needs it is honest.
fn hides(text: &str) -> bool {
    // Flags of regions (🏴 …) end with a cancel tag.
    let flags = text.contains('\u{1f3f4}');
    let tags = text.chars().filter(|c| matches!(c, '\u{e0020}'..='\u{e007e}')).count();
    let overrides = text.chars().any(|c| matches!(c, '\u{202d}' | '\u{202e}'));
    let letters: Vec<char> = text.chars().collect();
    let cut = letters
        .windows(3)
        .filter(|three| {
            let invisible = matches!(three[1], '\u{200b}' | '\u{2060}' | '\u{feff}');
            invisible && three[0].is_ascii_alphabetic() && three[2].is_ascii_alphabetic()
        })
        .count();
    (tags > 0 && !flags) || overrides || cut >= 2
}

#[cfg(test)]
mod tests {
    #[test]
    fn every_pattern_compiles() {
        assert!(super::ALL.is_some() && super::INVISIBLE.is_some());
    }
}
