//! Times as texts of English (United States) and of languages that write the same digits in another order.

use crate::js::{Entry, Js};
use std::collections::BTreeMap;

/// The pattern of `toLocaleString` and its relatives, and the zone; the language of the other program is English.
pub(super) fn pattern(name: &str, args: &[Js], zone: &Option<String>) -> Result<(String, Option<String>), String> {
    let refuse = || Err("texts of a language or region are not made".to_owned());
    let (language, options) = match args {
        [] | [Js::Undefined] => ("en-US", &[][..]),
        [Js::Text(language)] => (language.as_str(), &[][..]),
        [Js::Text(language), Js::Object(options)] => (language.as_str(), options.as_slice()),
        [Js::Undefined, Js::Object(options)] => ("en-US", options.as_slice()),
        _ => return refuse(),
    };
    let mut zone = zone.clone();
    let mut wanted: BTreeMap<&str, String> = BTreeMap::new();
    for option in options {
        match option {
            Entry::Field(name, Js::Text(value)) if name == "timeZone" => zone = Some(value.clone()),
            Entry::Field(name, Js::Text(value)) => {
                wanted.insert(name, value.clone());
            }
            Entry::Field(name, Js::Bool(value)) => {
                wanted.insert(name, value.to_string());
            }
            _ => return refuse(),
        }
    }
    let get = |name: &str| wanted.get(name).map(String::as_str);
    if wanted.is_empty() {
        let date = match language {
            "en-US" => "M/d/yyyy",
            "en-GB" | "fr-FR" | "pt-BR" => "dd/MM/yyyy",
            "es-ES" => "d/M/yyyy",
            "de-DE" => "d.M.yyyy",
            "en-CA" | "sv-SE" => "yyyy-MM-dd",
            _ => return refuse(),
        };
        return match (name, language) {
            ("toLocaleDateString", _) => Ok((date.to_owned(), zone)),
            ("toLocaleTimeString", "en-US") => Ok(("h:mm:ss a".to_owned(), zone)),
            ("toLocaleString", "en-US") => Ok((format!("{date}, h:mm:ss a"), zone)),
            ("toLocaleTimeString", "en-GB" | "fr-FR" | "de-DE" | "pt-BR" | "sv-SE") => {
                Ok(("HH:mm:ss".to_owned(), zone))
            }
            ("toLocaleString", "sv-SE") => Ok((format!("{date} HH:mm:ss"), zone)),
            ("toLocaleString", "en-GB" | "de-DE" | "pt-BR") => Ok((format!("{date}, HH:mm:ss"), zone)),
            _ => refuse(),
        };
    }
    if language != "en-US" {
        return refuse();
    }
    let day = match get("day") {
        Some("numeric") => "d",
        Some("2-digit") => "dd",
        None => "",
        Some(_) => return refuse(),
    };
    let year = match get("year") {
        Some("numeric") => "yyyy",
        Some("2-digit") => "yy",
        None => "",
        Some(_) => return refuse(),
    };
    let weekday = match get("weekday") {
        Some("long") => "EEEE",
        Some("short") => "EEE",
        None => "",
        Some(_) => return refuse(),
    };
    let time = match (get("hour"), get("minute"), get("second"), get("hour12")) {
        (None, None, None, None) => "",
        (Some("2-digit"), Some("2-digit"), None, None | Some("true")) => "hh:mm a",
        (Some("numeric"), Some("2-digit"), None, None | Some("true")) => "h:mm a",
        (Some("2-digit"), Some("2-digit"), Some("2-digit"), None | Some("true")) => "hh:mm:ss a",
        _ => return refuse(),
    };
    let known = ["day", "year", "weekday", "month", "hour", "minute", "second", "hour12"];
    if wanted.keys().any(|name| !known.contains(name)) {
        return refuse();
    }
    let date = match get("month") {
        Some(month @ ("long" | "short")) => {
            let month = if month == "long" { "MMMM" } else { "MMM" };
            let inner = [month, day].iter().filter(|part| !part.is_empty()).copied().collect::<Vec<_>>().join(" ");
            let with_year = match (year, day) {
                ("", _) => inner,
                (_, "") => format!("{inner} {year}"),
                _ => format!("{inner}, {year}"),
            };
            if weekday.is_empty() { with_year } else { format!("{weekday}, {with_year}") }
        }
        Some(month @ ("numeric" | "2-digit")) => {
            let month = if month == "numeric" { "M" } else { "MM" };
            let digits =
                [month, day, year].iter().filter(|part| !part.is_empty()).copied().collect::<Vec<_>>().join("/");
            if weekday.is_empty() { digits } else { format!("{weekday}, {digits}") }
        }
        None if day.is_empty() && year.is_empty() => weekday.to_owned(),
        None if weekday.is_empty() && day.is_empty() => year.to_owned(),
        None if weekday.is_empty() && year.is_empty() => day.to_owned(),
        _ => return refuse(),
    };
    // Without a date or a time in the options, each method adds one.
    let long = matches!(get("month"), Some("long"));
    Ok(match (date.is_empty(), time.is_empty(), name) {
        (false, true, "toLocaleDateString" | "toLocaleString") => (date, zone),
        (true, false, "toLocaleTimeString" | "toLocaleString") => (time.to_owned(), zone),
        (false, false, "toLocaleString" | "toLocaleDateString") if long => (format!("{date} 'at' {time}"), zone),
        (false, false, "toLocaleString" | "toLocaleDateString") => (format!("{date}, {time}"), zone),
        _ => return refuse(),
    })
}
