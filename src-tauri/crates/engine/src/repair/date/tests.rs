use super::{date, date_time};

#[test]
fn dates_are_read_or_refused() {
    for text in [
        "31.12.2025",
        "2025/12/31",
        "2025.12.31",
        "2025-12-31",
        "20251231",
        "Dec 31, 2025",
        "31 Dec 2025",
        "31. Dezember 2025",
        "December 31 2025",
        "31/12/2025",
        "12/31/2025",
        "31-12-2025",
        "Wed, 31 Dec 2025",
        "Wednesday 31 December 2025",
        "2025-12-31T00:00:00Z",
        "31-Dec-2025",
    ] {
        assert_eq!(date(text).as_deref(), Ok("2025-12-31"), "{text}");
    }
    assert_eq!(date("02/02/2025").as_deref(), Ok("2025-02-02"));
    assert_eq!(date("1.2.2025").as_deref(), Ok("2025-02-01"));
    assert_eq!(date("29.02.2024").as_deref(), Ok("2024-02-29"));
    for (text, reason) in [
        ("01/02/2025", "2025-01-02 or 2025-02-01"),
        ("31.12.25", "two digits"),
        ("29.02.2025", "no such day"),
        ("31.13.2025", "no such day"),
        ("2025-12-31T10:00:00Z", "lost"),
        ("tomorrow", "not written"),
        ("31.12/2025", "not written"),
        ("2025", "not written"),
        ("", "not written"),
        ("ÄÖÜ ßßß ééé", "not written"),
    ] {
        assert!(date(text).expect_err(text).contains(reason), "{text}");
    }
}

#[test]
fn times_are_read_or_refused() {
    for (text, wanted) in [
        ("2025-12-31 10:00:00Z", "2025-12-31T10:00:00Z"),
        ("2025-12-31T10:00:00+0100", "2025-12-31T10:00:00+01:00"),
        ("2025-12-31T10:00Z", "2025-12-31T10:00:00Z"),
        ("2025/12/31 10:00:00.250 UTC", "2025-12-31T10:00:00.250Z"),
        ("31.12.2025 9:05 +01", "2025-12-31T09:05:00+01:00"),
        ("31.12.2025, 09:05:00 Z", "2025-12-31T09:05:00Z"),
        ("Wed, 31 Dec 2025 23:59:59 GMT", "2025-12-31T23:59:59Z"),
        ("Dec 31, 2025 23:59:59 -0500", "2025-12-31T23:59:59-05:00"),
        ("1767225599", "2025-12-31T23:59:59Z"),
        ("1767225599250", "2025-12-31T23:59:59.250Z"),
        ("1709164800", "2024-02-29T00:00:00Z"),
    ] {
        assert_eq!(date_time(text).as_deref(), Ok(wanted), "{text}");
    }
    for (text, reason) in [
        ("2025-12-31", "time of day is missing"),
        ("2025-12-31 10:00:00", "zone is missing"),
        ("2025-12-31 25:00:00Z", "hh:mm:ss"),
        ("2025-12-31 10:00:00 CET", "offset"),
        ("2025-12-31 10:00:00 +25:00", "offset"),
        ("01/02/2025 10:00Z", "can mean"),
        ("12345", "not written"),
    ] {
        assert!(date_time(text).expect_err(text).contains(reason), "{text}: {:?}", date_time(text));
    }
}
