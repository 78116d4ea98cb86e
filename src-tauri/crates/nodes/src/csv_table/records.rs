//! Splits a text into records and values. It keeps no more than one record, so that a table can be measured before it is built.

use std::borrow::Cow;

/// Why a text is no CSV table. The words follow "line N".
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Malformed {
    pub(super) line: u64,
    pub(super) why: String,
}

/// One value of a record.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Field<'a> {
    pub(super) value: Cow<'a, str>,
    pub(super) quoted: bool,
}

/// The records of a text, one after the other. Lines without a value are left out.
pub(super) struct Records<'a> {
    text: &'a str,
    at: usize,
    /// The line at which `at` stands, from 1.
    line: u64,
    separator: u8,
    quote: u8,
}

impl<'a> Records<'a> {
    pub(super) fn new(text: &'a str, line: u64, separator: u8, quote: u8) -> Self {
        Self { text, at: 0, line, separator, quote }
    }

    /// The same records from here on.
    pub(super) fn again(&self) -> Self {
        Self { ..*self }
    }

    /// Where the next record begins, in bytes.
    pub(super) fn at(&self) -> usize {
        self.at
    }

    /// The line of that place.
    pub(super) fn line(&self) -> u64 {
        self.line
    }

    /// How many bytes follow.
    pub(super) fn left(&self) -> usize {
        self.text.len().saturating_sub(self.at)
    }

    /// Nothing follows.
    pub(super) fn is_at_end(&self) -> bool {
        self.left() == 0
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    /// The next record into `fields`, and the line where it begins; `None` at the end of the text.
    pub(super) fn next(&mut self, fields: &mut Vec<Field<'a>>) -> Result<Option<u64>, Malformed> {
        loop {
            fields.clear();
            if self.at >= self.text.len() {
                return Ok(None);
            }
            let line = self.line;
            while self.field(fields)? {}
            let is_blank = match fields.as_slice() {
                // A line of blanks is no record of one value: an empty value that is meant is written as "".
                [only] => !only.quoted && only.value.chars().all(|c| c == ' '),
                _ => false,
            };
            if !is_blank {
                return Ok(Some(line));
            }
        }
    }

    /// Reads one value; true when another one of the same record follows.
    fn field(&mut self, fields: &mut Vec<Field<'a>>) -> Result<bool, Malformed> {
        let field = if self.peek() == Some(self.quote) { self.quoted()? } else { self.plain()? };
        fields.push(field);
        match self.peek() {
            Some(byte) if byte == self.separator => {
                self.at += 1;
                return Ok(true);
            }
            Some(b'\r') => {
                self.at += 1;
                if self.peek() == Some(b'\n') {
                    self.at += 1;
                }
                self.line += 1;
            }
            Some(_) => {
                self.at += 1;
                self.line += 1;
            }
            None => {}
        }
        Ok(false)
    }

    fn plain(&mut self) -> Result<Field<'a>, Malformed> {
        let rest = &self.text.as_bytes()[self.at..];
        let end = rest.iter().position(|byte| *byte == self.separator || matches!(byte, b'\r' | b'\n' | 0));
        let end = end.unwrap_or(rest.len());
        if rest.get(end) == Some(&0) {
            return Err(self.nul());
        }
        let value = &self.text[self.at..self.at + end];
        // Read literally, the quotes would be a part of the value and the separators inside them would end it.
        if value.trim_start().starts_with(char::from(self.quote)) {
            let why =
                "has blanks before the opening quote of a value; the quote must follow the separator directly".into();
            return Err(Malformed { line: self.line, why });
        }
        self.at += end;
        Ok(Field { value: Cow::Borrowed(value), quoted: false })
    }

    fn quoted(&mut self) -> Result<Field<'a>, Malformed> {
        let opened = self.line;
        self.at += 1;
        let mut value: Cow<'a, str> = Cow::Borrowed("");
        let mut from = self.at;
        loop {
            match self.peek() {
                None => {
                    let why = "opens a quote that is never closed".into();
                    return Err(Malformed { line: opened, why });
                }
                Some(0) => return Err(self.nul()),
                Some(byte) if byte == self.quote => {
                    let part = &self.text[from..self.at];
                    self.at += 1;
                    if value.is_empty() {
                        value = Cow::Borrowed(part);
                    } else {
                        value.to_mut().push_str(part);
                    }
                    match self.peek() {
                        Some(byte) if byte == self.quote => {
                            value.to_mut().push(char::from(self.quote));
                            self.at += 1;
                            from = self.at;
                        }
                        Some(byte) if byte != self.separator && !matches!(byte, b'\r' | b'\n') => {
                            return Err(self.text_after_quote(opened));
                        }
                        _ => return Ok(Field { value, quoted: true }),
                    }
                }
                Some(byte) => {
                    self.at += 1;
                    if byte == b'\n' || (byte == b'\r' && self.peek() != Some(b'\n')) {
                        self.line += 1;
                    }
                }
            }
        }
    }

    fn text_after_quote(&self, opened: u64) -> Malformed {
        let rest: String = self.text[self.at..].chars().take_while(|c| !c.is_control()).take(20).collect();
        let begun =
            if opened == self.line { String::new() } else { format!(" of a value that was opened in line {opened}") };
        let why = format!("has text after the closing quote{begun}: {rest:?}. A quote inside a value is written twice");
        Malformed { line: self.line, why }
    }

    fn nul(&self) -> Malformed {
        let why = "holds a NUL character; this is no plain text, or it is UTF-16".into();
        Malformed { line: self.line, why }
    }
}
