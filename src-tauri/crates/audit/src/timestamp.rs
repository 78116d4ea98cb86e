//! Times of entries: RFC 3339 as text.

/// Milliseconds since 1970 of an RFC 3339 time; days are counted by the civil calendar.
pub(crate) fn millis(text: &str) -> Option<i64> {
    if !is_rfc3339(text) {
        return None;
    }
    let number = |from: usize, to: usize| text.get(from..to)?.parse::<i64>().ok();
    let (year, month, day) = (number(0, 4)?, number(5, 7)?, number(8, 10)?);
    // Years begin in March, so that the leap day is the last.
    let (year, month) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    let days =
        year * 365 + year.div_euclid(4) - year.div_euclid(100) + year.div_euclid(400) + (month * 153 + 2) / 5 + day
            - 719_469;
    let seconds = (days * 24 + number(11, 13)?) * 3_600 + number(14, 16)? * 60 + number(17, 19)?;
    let digits: String =
        text[19..].strip_prefix('.').unwrap_or_default().chars().take_while(char::is_ascii_digit).collect();
    let fraction: i64 = format!("{digits:0<3}")[..3].parse().ok()?;
    let zone = &text[text.len() - 6..];
    let offset = if text.ends_with('Z') {
        0
    } else {
        let minutes = zone[1..3].parse::<i64>().ok()? * 60 + zone[4..6].parse::<i64>().ok()?;
        if zone.starts_with('-') { -minutes } else { minutes }
    };
    Some((seconds - offset * 60) * 1_000 + fraction)
}

/// RFC 3339 with upper-case `T` and `Z`, so that texts sort.
pub(crate) fn is_rfc3339(text: &str) -> bool {
    let b = text.as_bytes();
    let number = |from: usize, to: usize| -> Option<u32> {
        let digits = b.get(from..to)?;
        digits.iter().try_fold(0, |n, d| d.is_ascii_digit().then(|| n * 10 + u32::from(d - b'0')))
    };
    let two = |at: usize, max: u32| number(at, at + 2).is_some_and(|n| n <= max);
    let (Some(year), Some(month), Some(day)) = (number(0, 4), number(5, 7), number(8, 10)) else { return false };
    let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let days = match month {
        1 | 3 | 5 | 7 | 8 | 10 | 12 => 31,
        4 | 6 | 9 | 11 => 30,
        2 if leap => 29,
        2 => 28,
        _ => return false,
    };
    if day == 0 || day > days || !two(11, 23) || !two(14, 59) || !two(17, 60) {
        return false;
    }
    if [(4, b'-'), (7, b'-'), (10, b'T'), (13, b':'), (16, b':')].iter().any(|(at, want)| b[*at] != *want) {
        return false;
    }
    let mut zone = 19;
    if b.get(zone) == Some(&b'.') {
        let digits = b[zone + 1..].iter().take_while(|d| d.is_ascii_digit()).count();
        if !(1..=9).contains(&digits) {
            return false;
        }
        zone += 1 + digits;
    }
    match &b[zone..] {
        [b'Z'] => true,
        [b'+' | b'-', _, _, b':', _, _] => two(zone + 1, 23) && two(zone + 4, 59),
        _ => false,
    }
}
