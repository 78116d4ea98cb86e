use super::{Decimal, Rounding};
use proptest::prelude::*;
use serde_json::json;

fn d(text: &str) -> Decimal {
    Decimal::parse(text).expect("a decimal")
}

#[test]
fn sums_are_exact() {
    assert_eq!(d("0.1").plus(d("0.2")), Some(d("0.3")));
    assert_eq!(
        d("9223372036854775807").plus(d("1")).and_then(Decimal::value),
        Some(json!(9_223_372_036_854_775_808_u64))
    );
    assert_eq!(d("18446744073709551615").plus(d("1")).and_then(Decimal::value), None, "no number of 64 bits");
    assert_eq!(d("1e3"), d("1000.00"));
    assert_eq!(d("1.5e-3").to_string(), "0.0015");
}

#[test]
fn what_is_no_number_is_none() {
    for text in ["", "-", "1.", ".5", "1,5", "1e", "0x1", "NaN", "+1", "1 000"] {
        assert_eq!(Decimal::parse(text), None, "{text}");
    }
}

#[test]
fn a_half_is_rounded_as_asked() {
    for (text, half, even, up, down) in
        [("2.5", "3", "2", "3", "2"), ("-2.5", "-3", "-2", "-2", "-3"), ("1.005", "1.005", "1.005", "1.005", "1.005")]
    {
        let places = if text == "1.005" { 3 } else { 0 };
        let with = |how| d(text).rounded(places, how).to_string();
        assert_eq!(
            [with(Rounding::Half), with(Rounding::Even), with(Rounding::Up), with(Rounding::Down)],
            [half, even, up, down].map(str::to_owned),
            "{text}"
        );
    }
    assert_eq!(d("1.005").rounded(2, Rounding::Half).to_string(), "1.01");
}

#[test]
fn a_quotient_ends_or_is_the_nearest_number() {
    assert_eq!(d("1").over(d("8")).and_then(Decimal::value), Some(json!(0.125)));
    assert_eq!(d("10").over(d("3")).and_then(Decimal::nearest), Some(json!(10.0 / 3.0)));
    assert_eq!(d("1").over(Decimal::ZERO), None);
}

proptest! {
    #[test]
    fn a_sum_can_be_taken_apart(a in any::<i64>(), b in any::<i64>(), scale in 0_u32..9) {
        let one = Decimal::whole(a);
        let other = Decimal::trimmed(i128::from(b), scale);
        let sum = one.plus(other).expect("fits");
        prop_assert_eq!(sum.minus(other), Some(one));
    }

    #[test]
    fn text_and_back(units in any::<i64>(), scale in 0_u32..20) {
        let number = Decimal::trimmed(i128::from(units), scale);
        prop_assert_eq!(Decimal::parse(&number.to_string()), Some(number));
    }
}
