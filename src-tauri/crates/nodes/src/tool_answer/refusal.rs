//! Whether a tool that failed refused its arguments. The type of the error says so, never its words: a code of JSON-RPC or of
//! gRPC, an HTTP status, or a list of places in the arguments as validators of servers write it.

use serde_json::Value;
use signalbox_ports::tools::ToolInfo;

/// JSON-RPC: invalid params.
const INVALID_PARAMS: i64 = -32602;
/// What protocols and frameworks call it: gRPC and its JSON form, JSON-RPC by name, Ajv, Zod, pydantic.
const CODES: [&str; 9] = [
    "INVALID_ARGUMENT",
    "INVALID_ARGUMENTS",
    "INVALID_PARAMS",
    "INVALID_INPUT",
    "INPUT_INVALID",
    "VALIDATION_ERROR",
    "VALIDATIONERROR",
    "ZODERROR",
    "OUT_OF_RANGE",
];
/// Statuses of HTTP: the request was understood, and what it holds is not taken.
const STATUSES: [u64; 2] = [400, 422];
/// Names under which validators list what is wrong, and under which each of them says where.
const LISTS: [&str; 4] = ["issues", "errors", "violations", "detail"];
const PLACES: [&str; 4] = ["path", "loc", "instancePath", "field"];
/// Entries of such a list that are looked at.
const ENTRIES: usize = 20;

/// `told`: the error as the tool gave it, an object where it is structured.
pub(super) fn is_of_arguments(info: &ToolInfo, told: &Value, message: &str) -> bool {
    let code = told.get("code").or_else(|| told.get("name")).or_else(|| told.get("type"));
    let by_code = match code {
        Some(Value::Number(number)) => {
            number.as_i64() == Some(INVALID_PARAMS) || number.as_u64().is_some_and(|code| STATUSES.contains(&code))
        }
        Some(Value::String(name)) => CODES.contains(&name.to_ascii_uppercase().as_str()),
        _ => false,
    };
    let status = told.get("status").or_else(|| told.get("statusCode")).and_then(Value::as_u64);
    by_code
        || status.is_some_and(|status| STATUSES.contains(&status))
        || names_arguments(info, told)
        || has_code(message)
        || has_places(info, message)
}

/// A list of places of which one is an argument.
fn names_arguments(info: &ToolInfo, told: &Value) -> bool {
    let lists = LISTS.iter().filter_map(|name| told.get(name)?.as_array());
    let all = lists.chain(told.as_array()).flatten().take(ENTRIES);
    all.filter_map(|one| PLACES.iter().find_map(|name| one.get(name))).any(|place| match place {
        Value::Array(parts) => parts.iter().filter_map(Value::as_str).any(|part| is_argument(info, part)),
        Value::String(text) => text.split(['/', '.']).any(|part| is_argument(info, part)),
        _ => false,
    })
}

fn is_argument(info: &ToolInfo, name: &str) -> bool {
    info.input_schema["properties"].get(name).is_some()
}

/// `MCP error -32602: …`, as the SDK in TypeScript writes the code of an error into a text.
fn has_code(message: &str) -> bool {
    let code = INVALID_PARAMS.to_string();
    message.match_indices(&code).any(|(at, found)| {
        let digit = |c: Option<char>| c.is_some_and(|c| c.is_ascii_alphanumeric());
        !digit(message[..at].chars().next_back()) && !digit(message[at + found.len()..].chars().next())
    })
}

/// A line with the name of an argument, and below it `[type=…, input_value=…]`: as pydantic writes what it refuses, which the SDK
/// in Python hands on as text.
fn has_places(info: &ToolInfo, message: &str) -> bool {
    let lines: Vec<&str> = message.lines().collect();
    lines.windows(2).any(|pair| match pair {
        [place, found] => {
            let marked = found.contains("[type=") && found.contains("input_value=");
            // Of an argument that is not known the name stands in no schema.
            let unknown =
                found.contains("[type=unexpected_keyword_argument") || found.contains("[type=extra_forbidden");
            marked && (unknown || place.trim().split('.').next().is_some_and(|name| is_argument(info, name)))
        }
        _ => false,
    })
}
