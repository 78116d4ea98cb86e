use super::{micros, words};

#[test]
fn units_become_whole_millionths_and_back() {
    for (units, whole, text) in
        [(2.0, 2_000_000, "2.00"), (0.15, 150_000, "0.15"), (0.0061, 6_100, "0.0061"), (0.0, 0, "0.00")]
    {
        assert_eq!(micros(units), Some(whole));
        assert_eq!(words(whole), text);
    }
    // Three times a tenth is three tenths, which binary fractions do not say.
    assert_eq!(micros(0.1).map(|tenth| words(3 * tenth)), Some("0.30".into()));
}

#[test]
fn what_is_no_amount_is_none() {
    // Less than the smallest amount is not nothing: a budget of it would stop everything without a word.
    for units in [-1.0, f64::NAN, f64::INFINITY, 1e10, 0.000_000_1] {
        assert_eq!(micros(units), None, "{units}");
    }
}
