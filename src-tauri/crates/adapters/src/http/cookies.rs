//! Cookies of one call (RFC 6265): what an answer sets goes along to the next hop that it belongs to.

use jiff::{civil::DateTime, tz::TimeZone};
use signalbox_ports::Cookie;
use signalbox_ports::host::{canonical, is_localhost};
use url::{Host, Url};

/// Most cookies that are kept; the oldest go first.
const MOST: usize = 300;
/// Longest name and value together.
const LONGEST: usize = 4096;

/// The cookies that a call has.
#[derive(Debug, Default)]
pub(crate) struct Jar(Vec<Cookie>);

impl Jar {
    pub(crate) fn new(cookies: Vec<Cookie>) -> Self {
        Self(cookies)
    }

    pub(crate) fn into_cookies(self) -> Vec<Cookie> {
        self.0
    }

    /// Takes a `Set-Cookie` line of an answer from `url`; one that does not belong to the host is passed over.
    pub(crate) fn take(&mut self, line: &str, url: &Url, now_ms: i64) {
        let Some(cookie) = parse(line, url, now_ms) else { return };
        let same =
            |known: &Cookie| known.name == cookie.name && known.domain == cookie.domain && known.path == cookie.path;
        // Who could read along may not replace what is for private connections only.
        if !is_private(url) && self.0.iter().any(|known| same(known) && known.secure) {
            return;
        }
        self.0.retain(|known| !same(known));
        if cookie.expires_ms.is_none_or(|end| end > now_ms) {
            self.0.push(cookie);
            if self.0.len() > MOST {
                self.0.remove(0);
            }
        }
    }

    /// The value of `Cookie` for an address, behind what the step itself set there; `None` when there is nothing.
    pub(crate) fn header(&self, url: &Url, now_ms: i64, own: Option<&str>) -> Option<String> {
        let mut fitting: Vec<&Cookie> = self.0.iter().filter(|cookie| fits(cookie, url, now_ms)).collect();
        // The more exact path first; those that came earlier before the others.
        fitting.sort_by_key(|cookie| std::cmp::Reverse(cookie.path.len()));
        if fitting.is_empty() {
            return own.map(str::to_owned);
        }
        let replaced = |pair: &str| {
            let name = pair.split('=').next().unwrap_or_default().trim();
            fitting.iter().any(|cookie| cookie.name == name)
        };
        let own = own.into_iter().flat_map(|own| own.split(';')).map(str::trim);
        let mut pairs: Vec<String> =
            own.filter(|pair| !pair.is_empty() && !replaced(pair)).map(str::to_owned).collect();
        pairs.extend(fitting.iter().map(|cookie| {
            if cookie.name.is_empty() { cookie.value.clone() } else { format!("{}={}", cookie.name, cookie.value) }
        }));
        Some(pairs.join("; "))
    }
}

fn host_of(url: &Url) -> String {
    canonical(url.host_str().unwrap_or_default())
}

/// Whether a host is a domain or below it.
fn is_below(host: &str, domain: &str) -> bool {
    host == domain || host.strip_suffix(domain).is_some_and(|rest| rest.ends_with('.'))
}

/// Whether nobody can read along: the connection is encrypted, or does not leave this machine.
fn is_private(url: &Url) -> bool {
    let is_local = match url.host() {
        Some(Host::Domain(name)) => is_localhost(&canonical(name)),
        Some(Host::Ipv4(ip)) => ip.is_loopback(),
        Some(Host::Ipv6(ip)) => ip.is_loopback(),
        None => false,
    };
    url.scheme() == "https" || is_local
}

fn fits(cookie: &Cookie, url: &Url, now_ms: i64) -> bool {
    let host = host_of(url);
    let by_host = if cookie.host_only { host == cookie.domain } else { is_below(&host, &cookie.domain) };
    let path = url.path();
    let by_path = path == cookie.path
        || path
            .strip_prefix(cookie.path.as_str())
            .is_some_and(|rest| cookie.path.ends_with('/') || rest.starts_with('/'));
    by_host && by_path && (!cookie.secure || is_private(url)) && cookie.expires_ms.is_none_or(|end| end > now_ms)
}

/// The folder of the path of an address.
fn default_path(url: &Url) -> String {
    match url.path().rsplit_once('/') {
        None | Some(("", _)) => "/".to_owned(),
        Some((folder, _)) => folder.to_owned(),
    }
}

fn parse(line: &str, url: &Url, now_ms: i64) -> Option<Cookie> {
    let mut parts = line.split(';');
    let pair = parts.next().unwrap_or_default();
    let (name, value) = pair.split_once('=').unwrap_or(("", pair));
    let (name, value) = (name.trim(), value.trim());
    let unsendable = |text: &str| text.chars().any(|c| c.is_control());
    if name.len() + value.len() > LONGEST
        || (name.is_empty() && value.is_empty())
        || unsendable(name)
        || unsendable(value)
    {
        return None;
    }
    let host = host_of(url);
    let mut cookie = Cookie {
        name: name.to_owned(),
        value: value.to_owned(),
        domain: host.clone(),
        host_only: true,
        path: default_path(url),
        secure: false,
        http_only: false,
        expires_ms: None,
    };
    let (mut max_age, mut has_path) = (None, false);
    for part in parts {
        let (key, given) = part.split_once('=').unwrap_or((part, ""));
        let given = given.trim();
        match key.trim().to_ascii_lowercase().as_str() {
            "domain" => {
                let domain = canonical(given.trim_start_matches('.'));
                if domain.is_empty() {
                    continue;
                }
                let literal = matches!(url.host(), Some(Host::Ipv4(_) | Host::Ipv6(_)));
                if domain == host {
                    cookie.host_only = literal || !domain.contains('.');
                } else if literal || !domain.contains('.') || !is_below(&host, &domain) {
                    // Another host, or all hosts of a top-level domain.
                    return None;
                } else {
                    cookie.host_only = false;
                }
                cookie.domain = domain;
            }
            "path" if given.starts_with('/') => (cookie.path, has_path) = (given.to_owned(), given == "/"),
            "path" => (cookie.path, has_path) = (default_path(url), false),
            "secure" => cookie.secure = true,
            "httponly" => cookie.http_only = true,
            "max-age" => {
                let digits = given.strip_prefix('-').unwrap_or(given);
                if !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit()) {
                    let seconds: i64 = if given.starts_with('-') { 0 } else { digits.parse().unwrap_or(i64::MAX) };
                    max_age =
                        Some(if seconds == 0 { i64::MIN } else { now_ms.saturating_add(seconds.saturating_mul(1000)) });
                }
            }
            "expires" => cookie.expires_ms = date_ms(given).or(cookie.expires_ms),
            _ => {}
        }
    }
    // Max-Age wins over Expires.
    cookie.expires_ms = max_age.or(cookie.expires_ms);
    let encrypted = url.scheme() == "https";
    let lower = cookie.name.to_ascii_lowercase();
    let kept = (!cookie.secure || is_private(url))
        && (!lower.starts_with("__secure-") || (cookie.secure && encrypted))
        && (!lower.starts_with("__host-") || (cookie.secure && encrypted && cookie.host_only && has_path));
    kept.then_some(cookie)
}

/// A date as servers write it, in any order and with any separators (RFC 6265, 5.1.1).
fn date_ms(text: &str) -> Option<i64> {
    const MONTHS: [&str; 12] = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
    let is_separator = |c: char| !(c.is_ascii_alphanumeric() || c == ':' || !c.is_ascii());
    let (mut time, mut day, mut month, mut year) = (None, None, None, None);
    for token in text.split(is_separator).filter(|token| !token.is_empty()) {
        let digits = token.bytes().take_while(u8::is_ascii_digit).count();
        let number = token.get(..digits).and_then(|digits| digits.parse::<i64>().ok());
        if time.is_none()
            && let Some(found) = clock_time(token)
        {
            time = Some(found);
        } else if let (None, Some(number), 1..=2) = (day, number, digits) {
            day = i8::try_from(number).ok();
        } else if let (None, Some(found)) =
            (month, MONTHS.iter().position(|name| token.get(..3).is_some_and(|start| start.eq_ignore_ascii_case(name))))
        {
            month = i8::try_from(found + 1).ok();
        } else if let (None, Some(number), 2..=4) = (year, number, digits) {
            year = Some(match number {
                70..=99 => number + 1900,
                0..=69 => number + 2000,
                other => other,
            });
        }
    }
    let ((hour, minute, second), day, month, year) = (time?, day?, month?, year?);
    let moment = DateTime::new(i16::try_from(year).ok()?, month, day, hour, minute, second, 0).ok()?;
    // Years before it are typing errors.
    let moment = (year >= 1601).then_some(moment)?.to_zoned(TimeZone::UTC).ok()?;
    Some(moment.timestamp().as_millisecond())
}

fn clock_time(token: &str) -> Option<(i8, i8, i8)> {
    let mut parts = token.split(':').map(|part| {
        let digits = part.bytes().take_while(u8::is_ascii_digit).count();
        if (1..=2).contains(&digits) { part.get(..digits)?.parse::<i8>().ok() } else { None }
    });
    let time = (parts.next()??, parts.next()??, parts.next()??);
    parts.next().is_none().then_some(time)
}

#[cfg(test)]
mod tests;
