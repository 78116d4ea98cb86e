//! Dates and times of day in other spellings than RFC 3339. A spelling with two readings, a missing zone or a missing
//! time of day is refused: an invented one would be a wrong one.

use signalbox_model::time;

const MONTHS: [&str; 12] = [
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
];
/// German names that differ, with the number of the month.
const MONATE: [(&str, u32); 8] = [
    ("januar", 1),
    ("februar", 2),
    ("märz", 3),
    ("mai", 5),
    ("juni", 6),
    ("juli", 7),
    ("oktober", 10),
    ("dezember", 12),
];
/// Longest text that is looked at.
const LONGEST: usize = 64;

struct Day {
    year: u32,
    month: u32,
    day: u32,
}

/// `date` of RFC 3339, or why not.
pub(super) fn date(text: &str) -> Result<String, String> {
    let (day, rest) = start(text)?;
    if !rest.is_empty() {
        let (clock, _) = clock(rest)?;
        if clock != "00:00:00" {
            return Err("it has a time of day, which would be lost".into());
        }
    }
    Ok(written(&day))
}

/// `date-time` of RFC 3339, or why not.
pub(super) fn date_time(text: &str) -> Result<String, String> {
    let trimmed = text.trim();
    if matches!(trimmed.len(), 10 | 13) && trimmed.bytes().all(|byte| byte.is_ascii_digit()) {
        return epoch(trimmed);
    }
    let (day, rest) = start(text)?;
    if rest.is_empty() {
        return Err("the time of day is missing".into());
    }
    let (clock, zone) = clock(rest)?;
    let zone = zone.ok_or("the time zone is missing")?;
    Ok(format!("{}T{clock}{zone}", written(&day)))
}

fn written(day: &Day) -> String {
    format!("{:04}-{:02}-{:02}", day.year, day.month, day.day)
}

/// Seconds (10 digits) or milliseconds (13 digits) since 1970.
fn epoch(text: &str) -> Result<String, String> {
    let number: i64 = text.parse().map_err(|_| "it is not written as a time")?;
    let written = time::format(if text.len() == 13 { number } else { number * 1_000 });
    Ok(written.strip_suffix(".000Z").map_or_else(|| written.clone(), |whole| format!("{whole}Z")))
}

/// The day at the start of a text, and what follows.
fn start(text: &str) -> Result<(Day, &str), String> {
    let text = text.trim();
    if text.is_empty() || text.len() > LONGEST {
        return Err("it is not written as a date".into());
    }
    // `Wed, 31 Dec 2025`: a weekday says nothing new.
    let text = match text.split_once([',', ' ']) {
        Some((word, rest)) if weekday(word) => rest.trim_start_matches([',', ' ']),
        _ => text,
    };
    let (tokens, rest) = tokens(text);
    let day = match tokens.as_slice() {
        [one] => compact(one)?,
        [a, b, c] => three([a, b, c])?,
        _ => return Err("it is not written as a date".into()),
    };
    if day.day == 0 || i64::from(day.day) > time::days_in_month(day.year.into(), day.month.into()) {
        return Err("there is no such day".into());
    }
    Ok((day, rest))
}

struct Token<'t> {
    text: &'t str,
    /// What stands behind it.
    mark: &'t str,
}

/// Up to three words of a date with the marks between them, and the rest of the text.
fn tokens(text: &str) -> (Vec<Token<'_>>, &str) {
    let mut out = Vec::new();
    let mut rest = text;
    while out.len() < 3 {
        let digit = rest.starts_with(|c: char| c.is_ascii_digit());
        let end =
            rest.find(|c: char| if digit { !c.is_ascii_digit() } else { !c.is_alphabetic() }).unwrap_or(rest.len());
        if end == 0 {
            break;
        }
        let (word, after) = rest.split_at(end);
        let single = out.is_empty() && digit && word.len() == 8;
        let stop = after.find(|c: char| !matches!(c, '-' | '/' | '.' | ',' | ' ')).unwrap_or(after.len());
        let (mark, next) = after.split_at(stop);
        out.push(Token { text: word, mark: mark.trim_end() });
        rest = next;
        if single || next.is_empty() {
            break;
        }
    }
    // Between the day and the clock: `T`, a blank or a comma, which is taken already.
    let rest = rest.strip_prefix(['T', 't']).unwrap_or(rest);
    (out, rest.trim())
}

fn compact(token: &Token<'_>) -> Result<Day, String> {
    let text = token.text;
    if text.len() != 8 || !text.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err("it is not written as a date".into());
    }
    let part = |from: usize, to: usize| text.get(from..to).and_then(|part| part.parse().ok()).unwrap_or(0);
    let day = Day { year: part(0, 4), month: part(4, 6), day: part(6, 8) };
    if (1900..2200).contains(&day.year) { Ok(day) } else { Err("it is not written as a date".into()) }
}

fn three([a, b, c]: [&Token<'_>; 3]) -> Result<Day, String> {
    let number = |token: &Token<'_>| {
        (token.text.bytes().all(|byte| byte.is_ascii_digit()) && token.text.len() <= 4)
            .then(|| token.text.parse().unwrap_or(0))
    };
    let no = || "it is not written as a date".to_owned();
    let year = |token: &Token<'_>| match token.text.len() {
        4 => number(token).ok_or_else(no),
        2 => Err("its year has two digits".to_owned()),
        _ => Err(no()),
    };
    if let Some(month) = month(b.text) {
        return Ok(Day { year: year(c)?, month, day: number(a).ok_or_else(no)? });
    }
    if let Some(month) = month(a.text) {
        return Ok(Day { year: year(c)?, month, day: number(b).ok_or_else(no)? });
    }
    let (Some(x), Some(y), Some(_)) = (number(a), number(b), number(c)) else { return Err(no()) };
    if a.mark.is_empty() || a.mark != b.mark {
        return Err(no());
    }
    if a.text.len() == 4 && c.text.len() <= 2 {
        return Ok(Day { year: x, month: y, day: number(c).ok_or_else(no)? });
    }
    if a.text.len() > 2 || b.text.len() > 2 {
        return Err(no());
    }
    let year = year(c)?;
    // With dots the day stands first everywhere; with other marks only a number above 12 tells.
    if a.mark == "." || x > 12 || x == y {
        Ok(Day { year, month: y, day: x })
    } else if y > 12 {
        Ok(Day { year, month: x, day: y })
    } else {
        Err(format!("it can mean {year:04}-{x:02}-{y:02} or {year:04}-{y:02}-{x:02}"))
    }
}

fn month(word: &str) -> Option<u32> {
    let word = word.to_lowercase();
    if let Some((_, month)) = MONATE.iter().find(|(name, _)| *name == word) {
        return Some(*month);
    }
    let long = word.chars().count() >= 3;
    let at = MONTHS
        .iter()
        .position(|name| *name == word || (long && (word == name[..3] || word == "sept" && *name == "september")));
    at.and_then(|at| u32::try_from(at + 1).ok())
}

fn weekday(word: &str) -> bool {
    const DAYS: [&str; 7] = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"];
    let word = word.to_lowercase();
    DAYS.iter().any(|day| *day == word || day[..3] == word)
}

/// `10:00`, `10:00:00.5`, with `Z`, `UTC`, `GMT`, `+01`, `+0100` or `+01:00` behind.
fn clock(text: &str) -> Result<(String, Option<String>), String> {
    let no = || "its time of day is not written as hh:mm:ss".to_owned();
    let end = text.find(|c: char| !(c.is_ascii_digit() || matches!(c, ':' | '.'))).unwrap_or(text.len());
    let (clock, zone) = text.split_at(end);
    let parts: Vec<&str> = clock.split(':').collect();
    let (hour, minute, second) = match parts.as_slice() {
        [hour, minute] => (*hour, *minute, "00"),
        [hour, minute, second] => (*hour, *minute, *second),
        _ => return Err(no()),
    };
    let (second, fraction) = second.split_once('.').map_or((second, None), |(second, rest)| (second, Some(rest)));
    let fits = |part: &str, below: u32| {
        part.len() == 2 && part.bytes().all(|byte| byte.is_ascii_digit()) && part.parse().is_ok_and(|n: u32| n < below)
    };
    let hour = if hour.len() == 1 { format!("0{hour}") } else { hour.to_owned() };
    let fine = fraction.is_none_or(|part| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit()));
    if !fits(&hour, 24) || !fits(minute, 60) || !fits(second, 60) || !fine {
        return Err(no());
    }
    let fraction = fraction.map(|part| format!(".{part}")).unwrap_or_default();
    Ok((format!("{hour}:{minute}:{second}{fraction}"), self::zone(zone.trim())?))
}

fn zone(text: &str) -> Result<Option<String>, String> {
    if text.is_empty() {
        return Ok(None);
    }
    if ["z", "utc", "gmt"].contains(&text.to_lowercase().as_str()) {
        return Ok(Some("Z".into()));
    }
    let no = || "its time zone is not an offset such as +01:00".to_owned();
    let (sign, rest) = text.split_at_checked(1).filter(|(sign, _)| ["+", "-"].contains(sign)).ok_or_else(no)?;
    let digits: String = rest.chars().filter(|c| *c != ':').collect();
    if !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(no());
    }
    let (hour, minute) = match (digits.len(), rest.len()) {
        (2, 2) => (digits.as_str(), "00"),
        (4, 4 | 5) => digits.split_at(2),
        _ => return Err(no()),
    };
    if hour > "23" || minute > "59" {
        return Err(no());
    }
    Ok(Some(format!("{sign}{hour}:{minute}")))
}

#[cfg(test)]
mod tests;
