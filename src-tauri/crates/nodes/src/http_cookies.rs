//! Cookies as data: an answer hands them on, and a later step names them. So they are kept with the run, and a run that is
//! resumed or repeated has them, too.

use crate::support::{setting, wrong_setting};
use serde_json::{Map, Value};
use signalbox_engine::effect::CallSlot;
use signalbox_model::NodeFailure;
use signalbox_ports::Cookie;

const FIELD: &str = "cookies";
const SHAPE: &str = "the list 'cookies' of an earlier answer";

/// A cookie of an answer.
pub(crate) fn to_json(cookie: &Cookie) -> Value {
    let mut fields = Map::new();
    fields.insert("name".into(), cookie.name.clone().into());
    fields.insert("value".into(), cookie.value.clone().into());
    fields.insert("domain".into(), cookie.domain.clone().into());
    fields.insert("hostOnly".into(), cookie.host_only.into());
    fields.insert("path".into(), cookie.path.clone().into());
    fields.insert("secure".into(), cookie.secure.into());
    fields.insert("httpOnly".into(), cookie.http_only.into());
    if let Some(end) = cookie.expires_ms {
        fields.insert("expiresMs".into(), end.into());
    }
    fields.into()
}

/// The cookies that a step is given.
pub(crate) fn from_setting(slot: &CallSlot) -> Result<Vec<Cookie>, NodeFailure> {
    let Some(given) = setting(slot, FIELD) else { return Ok(Vec::new()) };
    let list = given.as_array().ok_or_else(|| wrong_setting(FIELD, SHAPE, given))?;
    list.iter().enumerate().map(|(at, one)| cookie(one, at)).collect()
}

fn cookie(given: &Value, at: usize) -> Result<Cookie, NodeFailure> {
    let field = |name: &str| format!("{FIELD}.{at}.{name}");
    let text = |name: &str| match &given[name] {
        // No header may hold control characters; the cookie would be left out without a word.
        Value::String(text) if !text.contains(|c: char| c == ';' || c.is_control()) => Ok(text.clone()),
        other => Err(wrong_setting(&field(name), "text without ; and control characters", other)),
    };
    let flag = |name: &str, otherwise: bool| match &given[name] {
        Value::Null => Ok(otherwise),
        Value::Bool(flag) => Ok(*flag),
        other => Err(wrong_setting(&field(name), "true or false", other)),
    };
    let domain = signalbox_ports::host::canonical(&text("domain")?);
    // An empty domain would end every host.
    if domain.is_empty() {
        return Err(wrong_setting(&field("domain"), "the host that the cookie belongs to", &given["domain"]));
    }
    Ok(Cookie {
        name: text("name")?,
        value: text("value")?,
        domain,
        host_only: flag("hostOnly", true)?,
        path: if given["path"].is_null() { "/".to_owned() } else { text("path")? },
        secure: flag("secure", false)?,
        http_only: flag("httpOnly", false)?,
        expires_ms: match &given["expiresMs"] {
            Value::Null => None,
            other => Some(
                other.as_i64().ok_or_else(|| wrong_setting(&field("expiresMs"), "milliseconds since 1970", other))?,
            ),
        },
    })
}
