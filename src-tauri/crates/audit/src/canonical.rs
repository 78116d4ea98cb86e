//! Canonical JSON (RFC 8785): the bytes that are hashed and signed.
//!
//! Written here and not taken from a crate for two reasons: a number that another reader would round must be refused
//! and not written, with the place where it stands; and an entry is sealed for every step of a run, so the writer puts
//! the known fields in their order without building a tree first. The tests hold it against another implementation.

use serde_json::{Map, Number, Value};
use signalbox_model::strict_json;

/// The largest integer that every JSON reader keeps exactly: 2^53 - 1.
pub const MAX_SAFE_INTEGER: u64 = (1 << 53) - 1;

/// Deepest nesting that is written: an entry inside a line of a file stays below the limit of JSON readers (127).
const MAX_DEPTH: usize = 120;

/// Why a value has no canonical form.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CanonicalError {
    /// An integer that not every reader keeps exactly.
    #[error("{path}: the integer {number} is beyond 2^53 - 1 and would be rounded by other readers; carry it as text")]
    Integer {
        /// JSON Pointer to the number.
        path: String,
        /// The number as written.
        number: String,
    },
    /// Nesting too deep.
    #[error("{path}: nested deeper than 120 levels; store large values apart and put their hash here")]
    Depth {
        /// JSON Pointer to the value.
        path: String,
    },
    /// Text that is no JSON, or JSON that has no canonical form (a lone surrogate, a number beyond the range).
    #[error("not JSON: {0}")]
    Syntax(String),
}

/// The canonical text of a value.
///
/// # Errors
/// [`CanonicalError`] for an integer beyond 2^53 - 1 or nesting beyond 120 levels.
pub fn to_canonical(value: &Value) -> Result<String, CanonicalError> {
    let mut out = String::new();
    let mut writer = Writer { out: &mut out, base: None, path: Vec::new() };
    writer.value(value)?;
    Ok(out)
}

/// The canonical text of JSON text. A lone surrogate is refused, a duplicate key too.
///
/// # Errors
/// [`CanonicalError`]; see [`to_canonical`].
pub fn canonicalize(text: &str) -> Result<String, CanonicalError> {
    let value = strict_json::read(text).map_err(|error| CanonicalError::Syntax(error.to_string()))?;
    to_canonical(&value)
}

/// Replaces every integer beyond 2^53 - 1 by its decimal text, so that data from outside can be sealed.
pub fn carry_as_text(value: &mut Value) {
    match value {
        Value::Number(number) => {
            if let Some(text) = unsafe_integer(number) {
                *value = Value::String(text);
            }
        }
        Value::Array(items) => items.iter_mut().for_each(carry_as_text),
        Value::Object(map) => map.values_mut().for_each(carry_as_text),
        Value::Null | Value::Bool(_) | Value::String(_) => {}
    }
}

/// The text of a number that would be written as an integer beyond the safe range.
fn unsafe_integer(number: &Number) -> Option<String> {
    if let Some(n) = number.as_u64() {
        return (n > MAX_SAFE_INTEGER).then(|| n.to_string());
    }
    if let Some(n) = number.as_i64() {
        return (n.unsigned_abs() > MAX_SAFE_INTEGER).then(|| n.to_string());
    }
    // Below 1e21 ECMAScript writes a double without an exponent: it would read as an integer.
    let double = number.as_f64()?;
    (double.fract() == 0.0 && (9_007_199_254_740_992.0..1e21).contains(&double.abs()))
        .then(|| ryu_js::Buffer::new().format(double).to_owned())
}

pub(crate) struct Writer<'a> {
    out: &'a mut String,
    /// The first name of each pointer of the value.
    base: Option<&'static str>,
    path: Vec<String>,
}

impl<'a> Writer<'a> {
    /// A writer for what stands at `base` (one name of a pointer), appending to `out`.
    pub(crate) fn at(out: &'a mut String, base: &'static str) -> Self {
        Self { out, base: Some(base), path: Vec::new() }
    }

    fn pointer(&self) -> String {
        let names = self.base.into_iter().chain(self.path.iter().map(String::as_str));
        names.fold(String::new(), |text, name| text + "/" + &name.replace('~', "~0").replace('/', "~1"))
    }

    fn value(&mut self, value: &Value) -> Result<(), CanonicalError> {
        match value {
            Value::Null => self.out.push_str("null"),
            Value::Bool(true) => self.out.push_str("true"),
            Value::Bool(false) => self.out.push_str("false"),
            Value::String(text) => push_string(self.out, text),
            Value::Number(number) => self.number(number)?,
            Value::Array(items) => {
                self.depth()?;
                self.out.push('[');
                for (index, item) in items.iter().enumerate() {
                    if index > 0 {
                        self.out.push(',');
                    }
                    if scalar(item) {
                        self.scalar(item, || index.to_string())?;
                    } else {
                        self.path.push(index.to_string());
                        self.value(item)?;
                        self.path.pop();
                    }
                }
                self.out.push(']');
            }
            Value::Object(map) => self.object(map)?,
        }
        Ok(())
    }

    pub(crate) fn object(&mut self, map: &Map<String, Value>) -> Result<(), CanonicalError> {
        self.depth()?;
        let mut members: Vec<(&String, &Value)> = map.iter().collect();
        // RFC 8785 sorts by UTF-16 code units. That is the order of the bytes unless a key leaves the basic plane.
        if members.iter().all(|(key, _)| key.is_ascii()) {
            members.sort_unstable_by_key(|(key, _)| *key);
        } else {
            members.sort_by(|(a, _), (b, _)| a.encode_utf16().cmp(b.encode_utf16()));
        }
        self.out.push('{');
        for (index, (key, value)) in members.into_iter().enumerate() {
            if index > 0 {
                self.out.push(',');
            }
            push_string(self.out, key);
            self.out.push(':');
            if scalar(value) {
                self.scalar(value, || key.clone())?;
            } else {
                self.path.push(key.clone());
                self.value(value)?;
                self.path.pop();
            }
        }
        self.out.push('}');
        Ok(())
    }

    /// A value without members: its name is only needed when it is refused.
    fn scalar(&mut self, value: &Value, name: impl Fn() -> String) -> Result<(), CanonicalError> {
        if let Value::Number(number) = value
            && unsafe_integer(number).is_some()
        {
            self.path.push(name());
        }
        self.value(value)
    }

    fn depth(&self) -> Result<(), CanonicalError> {
        if usize::from(self.base.is_some()) + self.path.len() >= MAX_DEPTH {
            return Err(CanonicalError::Depth { path: self.pointer() });
        }
        Ok(())
    }

    fn number(&mut self, number: &Number) -> Result<(), CanonicalError> {
        if let Some(text) = unsafe_integer(number) {
            return Err(CanonicalError::Integer { path: self.pointer(), number: text });
        }
        if let Some(n) = number.as_u64() {
            push_integer(self.out, n);
        } else if let Some(n) = number.as_i64() {
            self.out.push('-');
            push_integer(self.out, n.unsigned_abs());
        } else {
            match number.as_f64() {
                Some(double) if double.is_finite() => self.out.push_str(ryu_js::Buffer::new().format(double)),
                _ => return Err(CanonicalError::Syntax(format!("{}: {number} is beyond a double", self.pointer()))),
            }
        }
        Ok(())
    }
}

fn scalar(value: &Value) -> bool {
    !matches!(value, Value::Array(_) | Value::Object(_))
}

pub(crate) fn push_integer(out: &mut String, mut n: u64) {
    let mut digits = [0; 20];
    let mut at = digits.len();
    loop {
        at -= 1;
        digits[at] = b'0' + u8::try_from(n % 10).unwrap_or(0);
        n /= 10;
        if n == 0 {
            break;
        }
    }
    // Digits are text.
    out.push_str(std::str::from_utf8(&digits[at..]).unwrap_or_default());
}

/// A JSON string as RFC 8785 writes it: only `"`, `\` and the controls below U+0020 are escaped.
pub(crate) fn push_string(out: &mut String, text: &str) {
    out.push('"');
    let mut from = 0;
    for (at, byte) in text.bytes().enumerate() {
        let short = match byte {
            b'"' => "\\\"",
            b'\\' => "\\\\",
            8 => "\\b",
            9 => "\\t",
            10 => "\\n",
            12 => "\\f",
            13 => "\\r",
            0..0x20 => "",
            _ => continue,
        };
        out.push_str(&text[from..at]);
        if short.is_empty() {
            out.push_str("\\u00");
            crate::digest::push_hex(out, &[byte]);
        } else {
            out.push_str(short);
        }
        from = at + 1;
    }
    out.push_str(&text[from..]);
    out.push('"');
}
