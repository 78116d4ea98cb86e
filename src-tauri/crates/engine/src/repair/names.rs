//! When two names mean the same: key names and the values of an enum.

use crate::edit_distance::distance;

/// Longest name that is compared letter by letter.
const LONGEST: usize = 64;
/// Shortest name for which a typo is believed: `AUD` is not a typo of `USD`.
const SHORTEST: usize = 4;

/// Letters and digits in lower case: `Order-ID`, `order_id` and `orderId` are the same.
pub(super) fn plain(name: &str) -> String {
    name.chars().filter(|c| !(c.is_whitespace() || matches!(c, '_' | '-' | '.'))).flat_map(char::to_lowercase).collect()
}

/// A typo: at most two letters and at most a third of the shorter name differ. The first letter and the digits must agree,
/// because `increase` is not `decrease` and `line1` is not `line2`.
pub(super) fn typo(found: &str, wanted: &str) -> bool {
    let (a, b) = (plain(found), plain(wanted));
    let (long, other) = (a.chars().count(), b.chars().count());
    if long.min(other) < SHORTEST || long.max(other) > LONGEST || a.chars().next() != b.chars().next() {
        return false;
    }
    let digits = |name: &str| name.chars().filter(|c| c.is_numeric()).collect::<String>();
    if digits(&a) != digits(&b) {
        return false;
    }
    let distance = distance(&a, &b);
    distance <= 2 && distance * 3 <= long.min(other)
}

/// The one of `wanted` that `found` means, and whether it took the belief in a typo. `None` when none or several fit.
pub(super) fn only<'w>(found: &str, wanted: &[&'w str], guess: bool) -> Option<(&'w str, bool)> {
    let same = plain(found);
    if same.is_empty() {
        return None;
    }
    let mut equal = wanted.iter().filter(|one| plain(one) == same);
    match (equal.next(), equal.next()) {
        (Some(one), None) => return Some((one, false)),
        (Some(_), Some(_)) => return None,
        _ => {}
    }
    if !guess {
        return None;
    }
    let mut near = wanted.iter().filter(|one| typo(found, one));
    match (near.next(), near.next()) {
        (Some(one), None) => Some((one, true)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::{only, typo};

    #[test]
    fn a_typo_is_small_and_the_name_long() {
        for (found, wanted) in
            [("adress", "address"), ("recieved", "received"), ("stauts", "status"), ("amout", "amount")]
        {
            assert!(typo(found, wanted), "{found}");
        }
        for (found, wanted) in [
            ("AUD", "USD"),
            ("decrease", "increase"),
            ("line1", "line2"),
            ("active", "inactive"),
            ("open", "opened"),
            ("", "a"),
        ] {
            assert!(!typo(found, wanted), "{found}");
        }
    }

    #[test]
    fn two_meanings_are_none() {
        assert_eq!(only("Order ID", &["orderId", "name"], true), Some(("orderId", false)));
        assert_eq!(only("order-id", &["orderId", "order_id"], true), None);
        assert_eq!(only("colour", &["color", "colours"], true), None);
        assert_eq!(only("colr", &["color"], false), None);
        assert_eq!(only("_-", &["a"], true), None);
    }
}
