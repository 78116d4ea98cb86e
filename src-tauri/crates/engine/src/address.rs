//! Addresses with holes: whether what a person wrote or gave holds the host, or data of the run may choose it (TRUST,
//! SSRF).

use crate::expr::Expr;

fn is_from_data(expression: &Expr, trusted: &[&str]) -> bool {
    expression.references().roots.iter().any(|root| !trusted.contains(&root.as_str()))
}

/// Whether a host or a port, as a value of its own, names data of the run anywhere.
pub(crate) fn host_from_data(text: &str, trusted: &[&str]) -> bool {
    let sources = match text.strip_prefix('=').filter(|rest| !rest.starts_with('=')) {
        Some(source) => vec![source],
        None => text.split("{{").skip(1).map(|rest| rest.split("}}").next().unwrap_or_default().trim()).collect(),
    };
    sources
        .into_iter()
        .any(|source| Expr::compile(source).map_or(true, |expression| is_from_data(&expression, trusted)))
}

/// Whether scheme or authority of a URL template name data of the run.
pub(crate) fn authority_from_data(text: &str, trusted: &[&str]) -> bool {
    let from_data = |expression: &Expr| is_from_data(expression, trusted);
    if let Some(source) = text.strip_prefix('=').filter(|rest| !rest.starts_with('=')) {
        // The whole address is computed: any data in it may be the authority.
        return Expr::compile(source).map_or(true, |e| from_data(&e));
    }
    let mut rest = text;
    let mut so_far = String::new();
    while let Some(open) = rest.find("{{") {
        so_far.push_str(&rest[..open]);
        if authority_is_complete(&so_far) {
            return false;
        }
        let Some(close) = rest[open..].find("}}") else { return true };
        match Expr::compile(rest[open + 2..open + close].trim()) {
            Ok(expression) if !from_data(&expression) => {}
            Ok(_) | Err(_) => return true,
        }
        so_far.push(TRUSTED_HOLE);
        rest = &rest[open + close + 2..];
    }
    false
}

/// Stands for a `{{ }}` whose value a person gave.
const TRUSTED_HOLE: char = '\u{1}';

/// Whether the beginning of a URL template holds the whole authority, so that nothing behind it changes the host. A
/// parser of addresses skips tabs and line ends, takes `\` for `/`, and any number of them for the two before a host.
fn authority_is_complete(so_far: &str) -> bool {
    let slash = ['/', '\\'];
    let text: String = so_far.chars().filter(|c| !matches!(c, '\t' | '\r' | '\n')).collect();
    let Some(end) = text.find(['/', '\\', '?', '#']) else { return false };
    let (head, rest) = text.split_at(end);
    // A value at the very start may be a whole address, or only its scheme when `:` or a second slash follows.
    let may_be_scheme = head.ends_with(':') || rest.chars().nth(1).is_some_and(|second| slash.contains(&second));
    if head.starts_with(TRUSTED_HOLE) && !may_be_scheme {
        return true;
    }
    let authority = rest.trim_start_matches(slash);
    may_be_scheme && authority.find(['/', '\\', '?', '#']).is_some_and(|end| end > 0)
}

/// Watches an address being filled: a host that the template leaves to a value must be there before data comes. With an
/// empty value the next text would become the host.
#[derive(Debug, Default)]
pub(crate) struct Filling {
    /// The template so far.
    shape: String,
    settled: bool,
}

impl Filling {
    /// Text of the template.
    pub(crate) fn text(&mut self, text: &str) {
        if !self.settled {
            self.shape.push_str(text);
        }
    }

    /// The next hole, behind `so_far`; false when the host should be there by now and is not.
    pub(crate) fn hole(&mut self, so_far: &str) -> bool {
        if self.settled {
            return true;
        }
        self.settled = authority_is_complete(&self.shape);
        self.shape.push(TRUSTED_HOLE);
        !self.settled || authority_is_complete(so_far)
    }
}

#[cfg(test)]
mod tests;
