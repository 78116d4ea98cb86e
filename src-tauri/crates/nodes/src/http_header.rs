//! Headers of an answer.

use signalbox_ports::HttpResponse;

/// A header of the answer; names are lower-case.
pub(crate) fn header<'a>(answer: &'a HttpResponse, name: &str) -> Option<&'a str> {
    answer.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
}
