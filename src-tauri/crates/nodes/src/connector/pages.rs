//! The next page of a list.

use super::styles::Pair;
use crate::http_header::header;
use serde_json::{Map, Value};
use signalbox_model::connector::{PageSize, Pagination, Parameter, Place};
use signalbox_model::{NodeFailure, Operation};
use signalbox_ports::HttpResponse;
use std::collections::BTreeSet;
use url::Url;

/// Where the next page is.
pub(crate) enum Next {
    /// The same request with this value of a parameter.
    Parameter(String, Value),
    /// This address.
    Address(String),
}

/// Where a list has come to.
#[derive(Default)]
pub(crate) struct Progress {
    /// Pages so far.
    pub(crate) pages: u64,
    /// Elements so far.
    pub(crate) elements: u64,
    /// Where pages were found: one that comes twice would never end.
    seen: BTreeSet<String>,
}

/// The first request: the size of a page, when the step sets none. A page is not larger than what is wanted.
pub(crate) fn begin(operation: &Operation, params: &mut Map<String, Value>, extra: &mut Vec<Pair>, limit: u64) {
    let Some(PageSize { parameter, value }) = operation.pagination.as_ref().and_then(Pagination::size) else { return };
    if !params.contains_key(parameter) {
        set(operation, params, extra, parameter, (*value).min(limit).max(1).into());
    }
}

/// Sets a parameter; one that the operation does not describe goes into the query.
pub(crate) fn set(
    operation: &Operation,
    params: &mut Map<String, Value>,
    extra: &mut Vec<Pair>,
    name: &str,
    value: Value,
) {
    if operation.parameter(name).is_some() {
        params.insert(name.to_owned(), value);
        return;
    }
    let text = match value {
        Value::String(text) => text,
        other => other.to_string(),
    };
    extra.retain(|(known, _)| known != name);
    extra.push((name.to_owned(), text));
}

/// The operation of further pages, where they have another path: it takes the value that leads there, and nothing else.
pub(crate) fn further(operation: &Operation) -> Option<Operation> {
    let Some(Pagination::Cursor { parameter, path: Some(path), .. }) = &operation.pagination else { return None };
    let known = operation.parameter(parameter).cloned();
    let place = if operation.method == "GET" { Place::Query } else { Place::Body };
    let takes = known.unwrap_or_else(|| Parameter { name: parameter.clone(), place, ..Parameter::default() });
    Some(Operation { path: path.clone(), parameters: vec![takes], ..operation.clone() })
}

impl Progress {
    /// The page after this one; nothing when it is the last.
    pub(crate) fn next(
        &mut self,
        pagination: &Pagination,
        params: &Map<String, Value>,
        answer: &HttpResponse,
        body: &Value,
        elements: &[Value],
        from: &str,
    ) -> Result<Option<Next>, NodeFailure> {
        self.pages += 1;
        self.elements += elements.len() as u64;
        let next = match pagination {
            Pagination::Link { .. } => {
                header(answer, "link").and_then(next_link).map(|to| absolute(from, to)).transpose()?.map(Next::Address)
            }
            Pagination::NextUrl { field, .. } => match body.pointer(field) {
                Some(Value::String(to)) if !to.is_empty() => Some(Next::Address(absolute(from, to)?)),
                _ => None,
            },
            Pagination::Cursor { parameter, field, last, more, .. } => {
                let from = if *last { elements.last() } else { Some(body) };
                let value = from.and_then(|value| value.pointer(field));
                let value = value
                    .filter(|value| !matches!(value, Value::Null | Value::Bool(false)) && value.as_str() != Some(""));
                value
                    .filter(|_| is_more(body, more.as_deref()))
                    .map(|value| Next::Parameter(parameter.clone(), value.clone()))
            }
            Pagination::Page { parameter, first, more, size } => {
                let is_more = more.is_some() || is_full(size.as_ref(), params, elements.len());
                let number = params.get(parameter).and_then(Value::as_u64).unwrap_or(*first + self.pages - 1) + 1;
                let goes_on = !elements.is_empty() && is_more && self::is_more(body, more.as_deref());
                goes_on.then(|| Next::Parameter(parameter.clone(), number.into()))
            }
            Pagination::Offset { parameter, total, size } => {
                let at = params.get(parameter).and_then(Value::as_u64);
                // The parameter is the step's on the first page, and that of the page before afterwards.
                let before = at.unwrap_or(self.elements - elements.len() as u64) + elements.len() as u64;
                let goes_on = match total.as_deref().and_then(|total| body.pointer(total)?.as_u64()) {
                    Some(total) => before < total,
                    None => is_full(size.as_ref(), params, elements.len()),
                };
                (goes_on && !elements.is_empty()).then(|| Next::Parameter(parameter.clone(), before.into()))
            }
        };
        let mark = match &next {
            None => return Ok(None),
            Some(Next::Address(to)) => to.clone(),
            Some(Next::Parameter(_, value)) => value.to_string(),
        };
        if !self.seen.insert(mark) {
            let message = "The service names the same next page a second time, so the list would never end";
            return Err(NodeFailure::tool("PAGE_LOOP", message).detail("pages", self.pages));
        }
        Ok(next)
    }
}

fn is_more(body: &Value, more: Option<&str>) -> bool {
    more.is_none_or(|pointer| match body.pointer(pointer) {
        Some(Value::Bool(more)) => *more,
        Some(Value::Null) | None => false,
        Some(Value::String(text)) => !text.is_empty(),
        Some(Value::Number(number)) => number.as_f64() != Some(0.0),
        Some(Value::Array(_) | Value::Object(_)) => true,
    })
}

/// Whether a page had as many elements as it may have; a shorter one is the last.
fn is_full(size: Option<&PageSize>, params: &Map<String, Value>, elements: usize) -> bool {
    let Some(size) = size else { return true };
    let wanted = params.get(&size.parameter).and_then(Value::as_u64).unwrap_or(size.value);
    elements as u64 >= wanted
}

/// The address with `rel="next"` of a header `Link` (RFC 8288).
pub(crate) fn next_link(header: &str) -> Option<&str> {
    let mut rest = header;
    while let Some((_, after)) = rest.split_once('<') {
        let (target, after) = after.split_once('>')?;
        // Parameters end where the next link begins.
        let (parameters, next) = match after.find(",<").or_else(|| after.find(", <")) {
            Some(at) => after.split_at(at),
            None => (after, ""),
        };
        let is_next = parameters.split(';').any(|parameter| {
            let Some((name, value)) = parameter.split_once('=') else { return false };
            let value = value.trim().trim_matches(['"', ',', ' ']);
            name.trim().eq_ignore_ascii_case("rel") && value.split(' ').any(|rel| rel.eq_ignore_ascii_case("next"))
        });
        if is_next {
            return Some(target.trim());
        }
        rest = next;
    }
    None
}

/// An address of a service stays with the service: nothing that was sent to it goes elsewhere.
fn absolute(from: &str, to: &str) -> Result<String, NodeFailure> {
    let refused = |why: &str| {
        let short: String = to.chars().take(200).collect();
        NodeFailure::tool("NEXT_PAGE_REFUSED", format!("The address of the next page is not used: {why}"))
            .detail("address", short)
    };
    let base = Url::parse(from).map_err(|_| refused("the address of this page cannot be read"))?;
    let next = base.join(to).map_err(|_| refused("it cannot be read"))?;
    if next.origin() != base.origin() {
        let host = next.host_str().unwrap_or_default().to_owned();
        return Err(refused(&format!("it leads to another host ({host}) than the service")));
    }
    Ok(next.into())
}

#[cfg(test)]
mod tests;
