//! Changes JSON by its structure: bytes changed by chance are mostly no JSON any more, and the readers behind the JSON parser
//! would see none of them. Every fourth change is one of bytes all the same.

use crate::harness::{Shape, chosen};
use serde_json::{Value, json};

/// Random numbers that follow from a seed (SplitMix64).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut x = self.0;
        x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        x ^ (x >> 31)
    }

    fn below(&mut self, most: usize) -> usize {
        usize::try_from(self.next() % most.max(1) as u64).unwrap_or_default()
    }
}

/// The mutator that libFuzzer calls: changes `data[..size]` in place and gives its new size.
pub fn mutate(data: &mut [u8], size: usize, max_size: usize, seed: u32) -> usize {
    let mut random = Random(u64::from(seed));
    let lines = match chosen().shape {
        Shape::Json => false,
        Shape::Lines => true,
        Shape::Bytes => return libfuzzer_sys::fuzzer_mutate(data, size, max_size),
    };
    if random.below(4) > 0
        && let Some(text) = std::str::from_utf8(&data[..size]).ok().and_then(|text| changed(text, lines, &mut random))
        && text.len() <= max_size
    {
        data[..text.len()].copy_from_slice(text.as_bytes());
        return text.len();
    }
    libfuzzer_sys::fuzzer_mutate(data, size, max_size)
}

fn changed(text: &str, lines: bool, random: &mut Random) -> Option<String> {
    if !lines {
        return Some(change(serde_json::from_str(text).ok()?, random).to_string());
    }
    let mut all: Vec<String> = text.lines().map(str::to_owned).collect();
    let at = random.below(all.len());
    match random.below(6) {
        0 => drop(all.remove(at)),
        1 => all.insert(at, all[random.below(all.len())].clone()),
        2 => {
            let other = random.below(all.len());
            all.swap(at, other);
        }
        _ => all[at] = change(serde_json::from_str(&all[at]).ok()?, random).to_string(),
    }
    Some(all.join("\n"))
}

fn change(mut value: Value, random: &mut Random) -> Value {
    for _ in 0..=random.below(3) {
        let mut places = Vec::new();
        collect(&value, &mut String::new(), &mut places);
        let at = places[random.below(places.len())].clone();
        let other = value.pointer(&places[random.below(places.len())]).cloned().unwrap_or(Value::Null);
        match random.below(8) {
            0 | 1 => put(&mut value, &at, other),
            2 | 3 => put(&mut value, &at, interesting(random)),
            4 => remove(&mut value, &at, random),
            5 => double(&mut value, &at, random),
            6 => put(&mut value, &at, wrapped(other, random)),
            _ => text(&mut value, &at, random),
        }
        if value.to_string().len() > 60_000 {
            break;
        }
    }
    value
}

/// The JSON pointers of all values in a value.
fn collect(value: &Value, at: &mut String, places: &mut Vec<String>) {
    places.push(at.clone());
    let length = at.len();
    match value {
        Value::Array(list) => {
            for (index, one) in list.iter().enumerate() {
                *at += &format!("/{index}");
                collect(one, at, places);
                at.truncate(length);
            }
        }
        Value::Object(map) => {
            for (key, one) in map {
                *at += &format!("/{}", key.replace('~', "~0").replace('/', "~1"));
                collect(one, at, places);
                at.truncate(length);
            }
        }
        _ => {}
    }
}

fn put(value: &mut Value, at: &str, new: Value) {
    if let Some(place) = value.pointer_mut(at) {
        *place = new;
    }
}

fn remove(value: &mut Value, at: &str, random: &mut Random) {
    match value.pointer_mut(at) {
        Some(Value::Array(list)) if !list.is_empty() => drop(list.remove(random.below(list.len()))),
        Some(Value::Object(map)) if !map.is_empty() => {
            let key = map.keys().nth(random.below(map.len())).cloned().unwrap_or_default();
            map.shift_remove(&key);
        }
        Some(other) => *other = Value::Null,
        None => {}
    }
}

/// An element or a field once more.
fn double(value: &mut Value, at: &str, random: &mut Random) {
    match value.pointer_mut(at) {
        Some(Value::Array(list)) if !list.is_empty() => {
            let one = list[random.below(list.len())].clone();
            list.extend(std::iter::repeat_n(one, 1 + random.below(4)));
        }
        Some(Value::Object(map)) if !map.is_empty() => {
            let place = random.below(map.len());
            let Some((key, one)) = map.iter().nth(place).map(|(key, one)| (key.clone(), one.clone())) else { return };
            let key = match random.below(3) {
                0 => format!("{key}2"),
                1 => "$ref".to_owned(),
                _ => map.keys().nth(random.below(map.len())).cloned().unwrap_or(key),
            };
            map.insert(key, one);
        }
        _ => {}
    }
}

/// A value inside lists or objects.
fn wrapped(mut value: Value, random: &mut Random) -> Value {
    for _ in 0..1 + random.below(40) {
        value = if random.below(2) == 0 { json!([value]) } else { json!({ "a": value }) };
    }
    value
}

/// Changes a text: cut, doubled, with a part of something else, or by bytes.
fn text(value: &mut Value, at: &str, random: &mut Random) {
    let Some(Value::String(text)) = value.pointer_mut(at) else { return };
    let cut = (0..=text.len()).filter(|at| text.is_char_boundary(*at)).nth(random.below(text.chars().count() + 1));
    let cut = cut.unwrap_or_default();
    match random.below(5) {
        0 => text.truncate(cut),
        1 => *text = text.split_off(cut),
        2 => *text = text.repeat(2 + random.below(4)),
        3 => text.insert_str(cut, PARTS[random.below(PARTS.len())]),
        _ => {
            let mut bytes = text.clone().into_bytes();
            let size = bytes.len();
            bytes.resize(size + 16, 0);
            let size = libfuzzer_sys::fuzzer_mutate(&mut bytes, size, size + 16);
            *text = String::from_utf8_lossy(&bytes[..size]).into_owned();
        }
    }
}

/// What means something to one of the readers.
const PARTS: [&str; 40] = [
    "{{",
    "}}",
    "${",
    "=",
    "$",
    ".",
    "$.",
    "$$.",
    "[",
    "]",
    "(",
    ")",
    "{",
    "}",
    "'",
    "\"",
    "\\",
    "`",
    "/",
    "~",
    "#/",
    "..",
    "?",
    ":",
    ",",
    "%",
    "&",
    "é",
    "\u{feff}",
    "\u{0}",
    "\n",
    "\u{10ffff}",
    "İ",
    "9223372036854775808",
    "-1",
    "1e999",
    "[?(@.a)]",
    "=>",
    "/*",
    "=~",
];

fn interesting(random: &mut Random) -> Value {
    match random.below(12) {
        0 => Value::Null,
        1 => json!(true),
        2 => json!(0),
        3 => json!(-1),
        4 => json!(u64::MAX),
        5 => json!(i64::MIN),
        6 => json!(1.5e300),
        7 => json!(""),
        8 => json!([]),
        9 => json!({}),
        10 => json!(PARTS[random.below(PARTS.len())].repeat(1 + random.below(200))),
        _ => json!(PARTS[random.below(PARTS.len())]),
    }
}
