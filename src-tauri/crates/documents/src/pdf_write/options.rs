//! How the pages look, and what the file says about itself.

use super::content::Content;
use crate::Error;
use serde_json::Value;

/// Points of a millimetre.
const MM: f32 = 72.0 / 25.4;

/// Where a header or footer is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Align {
    /// At the left margin.
    Left,
    /// In the middle.
    #[default]
    Center,
    /// At the right margin.
    Right,
}

/// Settings of a PDF. Lengths are in points.
#[derive(Debug, Clone, PartialEq)]
pub struct Options {
    /// Width of a page.
    pub width: f32,
    /// Height of a page.
    pub height: f32,
    /// The same on all sides.
    pub margin: f32,
    /// Of plain text.
    pub font_size: f32,
    /// Above each page; `{page}` and `{pages}` are numbers, `|` divides left, middle and right.
    pub header: Option<Content>,
    /// Below each page.
    pub footer: Option<Content>,
    /// Title of the document; without one, the first heading.
    pub title: Option<String>,
    /// Who wrote it.
    pub author: Option<String>,
    /// Its language, such as `en` or `zh-CN`.
    pub language: Option<String>,
    /// When it was made, as `2026-11-28T10:30:00Z`; without it the file has no date.
    pub date: Option<String>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            width: 210.0 * MM,
            height: 297.0 * MM,
            margin: 20.0 * MM,
            font_size: 10.5,
            header: None,
            footer: None,
            title: None,
            author: None,
            language: None,
            date: None,
        }
    }
}

impl Options {
    /// From `{pageSize, orientation, margin, fontSize, title, author, language, date}`; lengths in millimetres, font sizes in points.
    pub fn of(options: &Value) -> Result<Self, Error> {
        let text = |name: &str| options[name].as_str().filter(|text| !text.trim().is_empty()).map(str::to_owned);
        let (width, height) = match options["pageSize"].as_str().unwrap_or("a4") {
            "a3" => (297.0 * MM, 420.0 * MM),
            "a4" => (210.0 * MM, 297.0 * MM),
            "a5" => (148.0 * MM, 210.0 * MM),
            "letter" => (612.0, 792.0),
            "legal" => (612.0, 1008.0),
            _ => return Err(wrong("pageSize", "a3, a4, a5, letter or legal")),
        };
        let (width, height) = match options["orientation"].as_str().unwrap_or("portrait") {
            "landscape" => (height, width),
            "portrait" => (width, height),
            _ => return Err(wrong("orientation", "portrait or landscape")),
        };
        let margin = between(options, "margin", 20.0, 0.0, 200.0)? * MM;
        let font_size = between(options, "fontSize", 10.5, 4.0, 72.0)?;
        if width.min(height) - 2.0 * margin < 4.0 * font_size.max(10.0) {
            let words = format!(
                "The margins of {} mm leave no room on a page of {} × {} mm. Choose smaller margins or a larger page",
                (margin / MM).round(),
                (width / MM).round(),
                (height / MM).round()
            );
            return Err(Error::new("INPUT_INVALID", words).detail("field", "margin"));
        }
        let language = text("language");
        if let Some(language) = &language {
            let fits =
                |part: &str| (1..=8).contains(&part.len()) && part.bytes().all(|byte| byte.is_ascii_alphanumeric());
            if language.len() > 40 || !language.split('-').all(fits) {
                return Err(wrong("language", "a language tag such as en, de or zh-CN"));
            }
        }
        let (title, author, date) = (text("title"), text("author"), text("date"));
        if let Some(date) = &date
            && pdf_date(date).is_none()
        {
            return Err(wrong("date", "a date such as 2026-11-28 or 2026-11-28T10:30:00Z"));
        }
        Ok(Self { width, height, margin, font_size, header: None, footer: None, title, author, language, date })
    }
}

fn wrong(field: &str, wanted: &str) -> Error {
    Error::new("INPUT_INVALID", format!("The setting '{field}' must be {wanted}")).detail("field", field)
}

fn between(options: &Value, field: &str, default: f32, least: f32, most: f32) -> Result<f32, Error> {
    let value = match &options[field] {
        Value::Null => return Ok(default),
        value => value.as_f64().map(|value| value as f32),
    };
    value
        .filter(|value| (least..=most).contains(value))
        .ok_or_else(|| wrong(field, &format!("a number from {least} to {most}")))
}

/// A date of ISO 8601 as PDF writes it: `D:20261128103000Z`.
pub(super) fn pdf_date(text: &str) -> Option<String> {
    let utc = if let Ok(time) = text.parse::<jiff::Timestamp>() {
        time
    } else if let Ok(time) = text.parse::<jiff::civil::DateTime>() {
        time.to_zoned(jiff::tz::TimeZone::UTC).ok()?.timestamp()
    } else {
        text.parse::<jiff::civil::Date>().ok()?.to_zoned(jiff::tz::TimeZone::UTC).ok()?.timestamp()
    };
    let time = utc.to_zoned(jiff::tz::TimeZone::UTC).datetime();
    (0..=9999).contains(&time.year()).then(|| {
        format!(
            "D:{:04}{:02}{:02}{:02}{:02}{:02}Z",
            time.year(),
            time.month(),
            time.day(),
            time.hour(),
            time.minute(),
            time.second()
        )
    })
}
