//! How long another side asks to wait, and how long it takes.

use std::time::Duration;

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

/// A time in words: `300 ms`, `60 s`, `5 min`, `2 h`.
pub fn in_words(time: Duration) -> String {
    let seconds = time.as_secs();
    match seconds {
        _ if time.subsec_millis() != 0 && seconds < 60 => format!("{} ms", time.as_millis()),
        0..120 => format!("{seconds} s"),
        120..7_200 => format!("{} min", seconds.div_ceil(60)),
        _ => format!("{} h", seconds.div_ceil(3_600)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_is_told_in_its_own_unit() {
        for (ms, told) in [
            (300, "300 ms"),
            (1_500, "1500 ms"),
            (60_000, "60 s"),
            (61_500, "61 s"),
            (150_000, "3 min"),
            (3_600_000, "60 min"),
            (86_400_000, "24 h"),
        ] {
            assert_eq!(in_words(Duration::from_millis(ms)), told);
        }
    }
}
