//! Whole numbers that a number of JavaScript cannot hold, on their way into a script and back: in between they are BigInt
//! values. In JSON such a number is marked as a text that no other text begins like.

use signalbox_model::digits;
use std::hash::{BuildHasher, RandomState};

/// Above it (and below its negative) two whole numbers can be one number of JavaScript: `Number.MAX_SAFE_INTEGER`.
const SAFE: u64 = (1 << 53) - 1;

/// The beginning of a marked number. Data cannot know it.
pub(super) fn mark() -> String {
    format!("bigint:{:016x}:", RandomState::new().hash_one(0))
}

/// JSON text with its unsafe whole numbers marked.
pub(super) fn marked(text: &str, mark: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut done = 0;
    for range in digits::numbers(text).filter(|range| is_unsafe(&text[range.clone()])) {
        out.push_str(&text[done..range.start]);
        out.push('"');
        out.push_str(mark);
        out.push_str(&text[range.clone()]);
        out.push('"');
        done = range.end;
    }
    out.push_str(&text[done..]);
    out
}

fn is_unsafe(written: &str) -> bool {
    let unsigned = written.strip_prefix('-').unwrap_or(written);
    unsigned.len() >= 16
        && !unsigned.starts_with('0')
        && unsigned.bytes().all(|byte| byte.is_ascii_digit())
        && unsigned.parse::<u64>().map_or(true, |number| number > SAFE)
}

/// The way back: marked numbers are numbers again.
pub(super) fn unmarked(text: &str, mark: &str) -> String {
    let start = format!("\"{mark}");
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, from)) = rest.split_once(&start) {
        out.push_str(before);
        let length = from.bytes().take_while(|byte| byte.is_ascii_digit() || *byte == b'-').count();
        let (digits, after) = from.split_at(length);
        out.push_str(digits);
        rest = after.strip_prefix('"').unwrap_or(after);
    }
    out.push_str(rest);
    out
}

#[cfg(test)]
mod tests {
    use super::{mark, marked, unmarked};

    #[test]
    fn unsafe_whole_numbers_are_marked_and_nothing_else() {
        let text = r#"{"a":9007199254740992,"b":9007199254740991,"c":"\"9007199254740993","d":[-18446744073709551616,1e300,0.12345678901234567]}"#;
        let there = marked(text, "M:");
        assert_eq!(
            there,
            r#"{"a":"M:9007199254740992","b":9007199254740991,"c":"\"9007199254740993","d":["M:-18446744073709551616",1e300,0.12345678901234567]}"#
        );
        assert_eq!(unmarked(&there, "M:"), text);
        assert_ne!(mark(), mark(), "each script has another");
    }
}
