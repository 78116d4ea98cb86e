//! How long another side asks to wait.

/// `Retry-After` in milliseconds: seconds or an HTTP date.
pub fn retry_after(text: &str, now_ms: i64) -> Option<u64> {
    let text = text.trim();
    if let Ok(seconds) = text.parse::<u64>() {
        return Some(seconds.saturating_mul(1_000));
    }
    let at = httpdate::parse_http_date(text).ok()?.duration_since(std::time::UNIX_EPOCH).ok()?;
    let at = i64::try_from(at.as_millis()).ok()?;
    u64::try_from(at.saturating_sub(now_ms)).ok().or(Some(0))
}
