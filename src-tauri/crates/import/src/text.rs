//! Texts with holes. What stands between holes means itself, whatever braces it has: `{{` opens a hole here, and a `{` right
//! before a hole would open it too early, so such braces are put in by a hole of their own.

/// A text that is written piece by piece.
#[derive(Debug, Default)]
pub(crate) struct Text {
    parts: Vec<Part>,
}

#[derive(Debug)]
enum Part {
    Says(String),
    Hole(String),
    /// A text with holes that was written before.
    Written(String),
}

impl Text {
    /// Goes on with words that mean themselves.
    pub(crate) fn say(&mut self, words: &str) {
        match self.parts.last_mut() {
            Some(Part::Says(before)) => before.push_str(words),
            _ if words.is_empty() => {}
            _ => self.parts.push(Part::Says(words.to_owned())),
        }
    }

    /// Goes on with what an expression gives.
    pub(crate) fn fill(&mut self, cel: impl Into<String>) {
        self.parts.push(Part::Hole(cel.into()));
    }

    /// Goes on with a value as it stands in a setting.
    pub(crate) fn put(&mut self, written: &str) {
        match written.strip_prefix('=') {
            Some(words) if words.starts_with('=') => self.say(words),
            Some(cel) => self.fill(cel),
            None if written.contains("{{") => self.parts.push(Part::Written(written.to_owned())),
            None => self.say(written),
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.parts.is_empty()
    }

    /// As a value of a setting.
    pub(crate) fn write(&self) -> String {
        let braces = |words: &str| words.contains("{{");
        if let [Part::Says(words)] = self.parts.as_slice()
            && !braces(words)
        {
            // `==` is how a text begins with `=`.
            return if words.starts_with('=') { format!("={words}") } else { words.clone() };
        }
        let mut out = String::new();
        for (at, part) in self.parts.iter().enumerate() {
            match part {
                Part::Hole(cel) => out.push_str(&hole(cel)),
                Part::Written(text) => match text.strip_suffix('{') {
                    Some(text) => {
                        out.push_str(text);
                        out.push_str(&hole("'{'"));
                    }
                    None => out.push_str(text),
                },
                Part::Says(words) => {
                    let words = match words.strip_prefix('=').filter(|_| at == 0) {
                        Some(rest) => {
                            out.push_str(&hole("'='"));
                            rest
                        }
                        None => words,
                    };
                    said(words, at + 1 < self.parts.len(), &mut out);
                }
            }
        }
        out
    }
}

/// Words between holes; runs of braces that would open a hole are filled in.
fn said(words: &str, hole_follows: bool, out: &mut String) {
    let mut rest = words;
    while let Some(at) = rest.find('{') {
        let (before, from) = rest.split_at(at);
        let behind = from.trim_start_matches('{');
        let run = &from[..from.len() - behind.len()];
        out.push_str(before);
        if run.len() > 1 || (behind.is_empty() && hole_follows) {
            out.push_str(&hole(&quoted(run)));
        } else {
            out.push_str(run);
        }
        rest = behind;
    }
    out.push_str(rest);
}

/// CEL as a hole; braces of its own are kept apart from those of the hole.
fn hole(cel: &str) -> String {
    if cel.starts_with('{') || cel.ends_with('}') { format!("{{{{ {cel} }}}}") } else { format!("{{{{{cel}}}}}") }
}

/// A text that means itself here.
pub(crate) fn literal(words: &str) -> String {
    let mut text = Text::default();
    text.say(words);
    text.write()
}

/// A text as CEL.
pub(crate) fn quoted(text: &str) -> String {
    let mut out = String::from("'");
    for c in text.chars() {
        match c {
            '\\' => out.push_str("\\\\"),
            '\'' => out.push_str("\\'"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            c if c.is_control() => out.push_str(&format!("\\u{:04x}", u32::from(c))),
            c => out.push(c),
        }
    }
    out.push('\'');
    out
}
