//! Money: whole millionths of a unit, so that sums are exact. People and files write units with up to six places.

/// A millionth of a unit is the smallest amount.
const MICROS: f64 = 1_000_000.0;
/// Nobody pays more than a billion units.
const MOST: f64 = 1_000_000_000.0;

/// Units as people write them, as millionths; `None` for what is no amount from 0 on, or less than the smallest and not 0.
pub fn micros(units: f64) -> Option<u64> {
    if !(0.0..=MOST).contains(&units) {
        return None;
    }
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "0 to 10^15, checked above")]
    let micros = (units * MICROS).round() as u64;
    (micros > 0 || units == 0.0).then_some(micros)
}

/// Millionths as people read them, with hundredths always: `2.00`, `0.0061`.
pub fn words(micros: u64) -> String {
    let (units, rest) = (micros / 1_000_000, micros % 1_000_000);
    let places = format!("{rest:06}");
    format!("{units}.{:0<2}", places.trim_end_matches('0'))
}

#[cfg(test)]
mod tests;
