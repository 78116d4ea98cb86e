use super::timestamp;

fn timestamp_text(micros: i64) -> String {
    let mut out = Vec::new();
    timestamp(&mut out, micros, true);
    String::from_utf8(out).expect("text")
}

#[test]
fn times_are_those_of_a_calendar() {
    let mut micros = -62_135_596_800_000_000_i64;
    // Steps of some 11 days, 1 hour, 2 minutes, 3 seconds and 4,005 microseconds, up to the year 9999.
    while micros < 253_370_764_800_000_000 {
        let at = jiff::Timestamp::from_microsecond(micros).expect("in range");
        let at = at.to_zoned(jiff::tz::TimeZone::UTC).datetime();
        let (day, clock) = (at.date(), at.time());
        let fraction = clock.subsec_nanosecond() / 1_000;
        let fraction =
            if fraction % 1_000 == 0 { format!("{:03}", fraction / 1_000) } else { format!("{fraction:06}") };
        let wanted = format!("{day}T{:02}:{:02}:{:02}.{fraction}Z", clock.hour(), clock.minute(), clock.second());
        assert_eq!(timestamp_text(micros), wanted);
        micros += 37 * (11 * 86_400_000_000 + 3_723_000_000) + 4_005;
    }
}
