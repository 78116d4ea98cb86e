//! Answers in another shape: a run as clients of the VL workflow format know it. Asked for in the query, or by the profile of
//! `Accept` (RFC 6906).

use super::routes::Action;
use axum::http::header;
use axum::http::request::Parts;

/// A route that has two shapes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Shaped {
    /// The parameter of the query.
    pub(crate) parameter: &'static str,
    /// Its value for the usual shape.
    pub(crate) usual: &'static str,
    /// Its value for the other one.
    pub(crate) other: &'static str,
    /// The profile of the other one.
    pub(crate) profile: &'static str,
    /// The command that gives it.
    pub(crate) command: &'static str,
}

/// The shapes of a route.
pub(crate) fn of(action: Action) -> Option<Shaped> {
    match action {
        Action::RunStatus => Some(Shaped {
            parameter: "shape",
            usual: "summary",
            other: "snapshot",
            profile: "urn:signalbox:shape:snapshot",
            command: "run_snapshot",
        }),
        Action::RunCheckpoint => Some(Shaped {
            parameter: "format",
            usual: "signalbox",
            other: "vl",
            profile: "urn:signalbox:shape:vl",
            command: "run_checkpoint_vl",
        }),
        _ => None,
    }
}

impl Shaped {
    /// Whether a request asks for the other shape: by its query, else by its profile. `Err`: what the query says instead.
    pub(crate) fn is_asked(self, parts: &Parts) -> Result<bool, String> {
        let query = parts.uri.query().filter(|query| !query.is_empty());
        match query.map(|query| (query, query.split_once('='))) {
            None => Ok(self.is_accepted(parts)),
            Some((_, Some((name, value)))) if name == self.parameter && value == self.usual => Ok(false),
            Some((_, Some((name, value)))) if name == self.parameter && value == self.other => Ok(true),
            Some((query, _)) => Err(query.to_owned()),
        }
    }

    /// A profile that nobody here knows is passed over, as its rules say.
    fn is_accepted(self, parts: &Parts) -> bool {
        let lines = parts.headers.get_all(header::ACCEPT).iter().filter_map(|line| line.to_str().ok());
        let types = lines.flat_map(|line| line.split(','));
        let parameters = types.flat_map(|media| media.split(';').skip(1));
        let mut profiles = parameters.filter_map(|parameter| {
            let (name, value) = parameter.split_once('=')?;
            name.trim().eq_ignore_ascii_case("profile").then(|| value.trim().trim_matches('"'))
        });
        profiles.any(|profiles| profiles.split(' ').any(|profile| profile == self.profile))
    }
}

#[cfg(test)]
mod tests;
