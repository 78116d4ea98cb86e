//! Whole numbers in JavaScript source that no number of JavaScript holds: the engine reads them as others without a word.

/// A number as it is written, and as it is read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Rounded {
    /// As it is written.
    pub written: String,
    /// What JavaScript makes of it; none for hexadecimal, octal and binary numbers.
    pub read: Option<String>,
    /// From 1.
    pub line: usize,
    /// From 1, in characters.
    pub column: usize,
}

/// The first one. Comments, texts, templates and regular expressions have no numbers. Decimals are none either: what is written
/// with a fraction or an exponent is a double by intention.
pub(crate) fn rounded(source: &str) -> Option<Rounded> {
    let mut scan = Scan { source, at: 0, braces: Vec::new(), value_before: false };
    while let Some((start, written)) = scan.next_number() {
        if let Some(read) = rounds(written) {
            let before = &source[..start];
            let line_start = before.rfind('\n').map_or(0, |at| at + 1);
            return Some(Rounded {
                written: written.to_owned(),
                read,
                line: before.matches('\n').count() + 1,
                column: before[line_start..].chars().count() + 1,
            });
        }
    }
    None
}

/// What the number is read as, when that is another one.
fn rounds(written: &str) -> Option<Option<String>> {
    let plain: String = written.chars().filter(|c| *c != '_').map(|c| c.to_ascii_lowercase()).collect();
    if plain.ends_with('n') && !plain.starts_with("0x")
        || plain.strip_prefix("0x").is_some_and(|hex| hex.ends_with('n'))
    {
        return None;
    }
    for (prefix, radix) in [("0x", 16), ("0o", 8), ("0b", 2)] {
        if let Some(digits) = plain.strip_prefix(prefix) {
            return (significant_bits(digits, radix) > 53).then_some(None);
        }
    }
    let (whole, fraction) = plain.split_once('.').unwrap_or((&plain, ""));
    let is_whole = fraction.bytes().all(|byte| byte == b'0') && whole.bytes().all(|byte| byte.is_ascii_digit());
    // Old octal numbers begin with a zero.
    if !is_whole || whole.len() <= 15 || whole.starts_with('0') {
        return None;
    }
    let read = format!("{:.0}", whole.parse::<f64>().ok()?);
    (read != whole).then_some(Some(read))
}

/// From the first bit that is set to the last one.
fn significant_bits(digits: &str, radix: u32) -> usize {
    let width = radix.ilog2();
    let bits = digits.chars().filter_map(|digit| digit.to_digit(radix));
    let bits: Vec<bool> = bits.flat_map(|digit| (0..width).rev().map(move |bit| digit >> bit & 1 == 1)).collect();
    let first = bits.iter().position(|bit| *bit);
    let last = bits.iter().rposition(|bit| *bit);
    first.zip(last).map_or(0, |(first, last)| last - first + 1)
}

struct Scan<'s> {
    source: &'s str,
    at: usize,
    /// Braces that are open: whether the text of a template goes on behind each.
    braces: Vec<bool>,
    /// What stood last is a value, so that a slash divides it.
    value_before: bool,
}

impl<'s> Scan<'s> {
    fn byte(&self, ahead: usize) -> u8 {
        self.source.as_bytes().get(self.at + ahead).copied().unwrap_or_default()
    }

    fn next_number(&mut self) -> Option<(usize, &'s str)> {
        while let Some(next) = self.source[self.at..].chars().next() {
            let start = self.at;
            match next {
                '/' if self.byte(1) == b'/' => self.until("\n"),
                '/' if self.byte(1) == b'*' => self.until("*/"),
                '/' if !self.value_before => self.regular_expression(),
                '\'' | '"' => self.text(next),
                '`' => self.template(),
                '{' => {
                    self.braces.push(false);
                    self.operator(1);
                }
                '}' if self.braces.pop() == Some(true) => self.template(),
                ')' | ']' => {
                    self.at += 1;
                    self.value_before = true;
                }
                '+' | '-' if self.byte(1) == self.byte(0) => {
                    self.at += 2;
                    self.value_before = true;
                }
                '0'..='9' => return Some((start, self.number())),
                '.' if self.byte(1).is_ascii_digit() => return Some((start, self.number())),
                c if is_word(c) => self.word(),
                c if c.is_whitespace() => self.at += c.len_utf8(),
                c => self.operator(c.len_utf8()),
            }
        }
        None
    }

    fn operator(&mut self, length: usize) {
        self.at += length;
        self.value_before = false;
    }

    /// To the end of a comment.
    fn until(&mut self, end: &str) {
        let rest = &self.source[self.at..];
        self.at += rest.find(end).map_or(rest.len(), |found| found + end.len());
    }

    /// A quoted text, which ends with its line at the latest.
    fn text(&mut self, quote: char) {
        self.skip(|c, _| c == quote, true);
    }

    fn regular_expression(&mut self) {
        self.skip(|c, in_class| c == '/' && !in_class, true);
    }

    /// The text of a template up to its end, or to an expression in it.
    fn template(&mut self) {
        let mut before = '\0';
        let opens = |c: char, before: char| c == '{' && before == '$';
        let mut last = '\0';
        self.skip(
            |c, _| {
                let ends = c == '`' || opens(c, before);
                before = c;
                last = c;
                ends
            },
            false,
        );
        if last == '{' {
            self.braces.push(true);
            self.value_before = false;
        }
    }

    /// Behind the sign that begins it, up to and with the one that ends it. A sign behind a backslash ends nothing.
    fn skip(&mut self, mut ends: impl FnMut(char, bool) -> bool, in_line: bool) {
        let mut signs = self.source[self.at..].char_indices().skip(1);
        let mut in_class = false;
        let mut end = self.source.len();
        while let Some((place, sign)) = signs.next() {
            match sign {
                '\\' => {
                    signs.next();
                    continue;
                }
                '[' => in_class = true,
                ']' => in_class = false,
                _ => {}
            }
            if ends(sign, in_class) || in_line && sign == '\n' {
                end = self.at + place + sign.len_utf8();
                break;
            }
        }
        self.at = end;
        self.value_before = true;
    }

    fn number(&mut self) -> &'s str {
        let start = self.at;
        let is_decimal = !(self.byte(0) == b'0' && matches!(self.byte(1), b'x' | b'X'));
        loop {
            match self.byte(0) {
                b'e' | b'E' if is_decimal && matches!(self.byte(1), b'+' | b'-') => self.at += 2,
                b'.' | b'_' | b'0'..=b'9' | b'a'..=b'z' | b'A'..=b'Z' => self.at += 1,
                _ => break,
            }
        }
        self.value_before = true;
        &self.source[start..self.at]
    }

    fn word(&mut self) {
        let rest = &self.source[self.at..];
        let word = &rest[..rest.find(|c| !is_word(c)).unwrap_or(rest.len())];
        self.at += word.len();
        let before_value = [
            "await",
            "case",
            "delete",
            "do",
            "else",
            "in",
            "instanceof",
            "new",
            "of",
            "return",
            "throw",
            "typeof",
            "void",
            "yield",
        ];
        self.value_before = !before_value.contains(&word);
    }
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '$' | '#')
}

#[cfg(test)]
mod tests;
