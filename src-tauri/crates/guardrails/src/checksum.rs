//! Check digits.

/// Luhn (ISO/IEC 7812), for payment cards.
pub(crate) fn luhn(digits: &[u32]) -> bool {
    let sum: u32 = digits
        .iter()
        .rev()
        .enumerate()
        .map(|(at, digit)| match (at % 2, digit * 2) {
            (0, _) => *digit,
            (_, double) if double > 9 => double - 9,
            (_, double) => double,
        })
        .sum();
    sum.is_multiple_of(10)
}

/// Remainder by 97 of a number in which a letter stands for two digits (A = 10), as in an IBAN.
pub(crate) fn mod_97(characters: impl Iterator<Item = char>) -> u32 {
    characters.fold(0, |rest, c| match c.to_digit(36) {
        Some(value) if value > 9 => (rest * 100 + value) % 97,
        Some(value) => (rest * 10 + value) % 97,
        None => rest,
    })
}

/// ISO 7064 MOD 11,10 (German tax number).
pub(crate) fn mod_11_10(digits: &[u32]) -> bool {
    let Some((check, rest)) = digits.split_last() else { return false };
    let product = rest.iter().fold(10, |product, digit| {
        let sum = (digit + product) % 10;
        (if sum == 0 { 10 } else { sum }) * 2 % 11
    });
    (11 - product) % 10 == *check
}

/// Sum of digits by weights.
pub(crate) fn weighted(digits: &[u32], weights: &[u32]) -> u32 {
    digits.iter().zip(weights).map(|(digit, weight)| digit * weight).sum()
}

/// Verhoeff (Aadhaar): multiplication in the dihedral group D5.
pub(crate) fn verhoeff(digits: &[u32]) -> bool {
    const PERMUTATION: [usize; 10] = [1, 5, 7, 6, 2, 8, 3, 0, 9, 4];
    let times = |a: usize, b: usize| match (a < 5, b < 5) {
        (true, true) => (a + b) % 5,
        (true, false) => (a + b) % 5 + 5,
        (false, true) => (a + 5 - b) % 5 + 5,
        (false, false) => (a + 5 - b) % 5,
    };
    let permuted = |digit: usize, place: usize| (0..place % 8).fold(digit, |digit, _| PERMUTATION[digit]);
    let check =
        digits.iter().rev().enumerate().fold(0, |check, (place, digit)| times(check, permuted(*digit as usize, place)));
    check == 0
}

/// A day that exists, without its year where only two digits of that are known.
pub(crate) fn is_day(year: u32, month: u32, day: u32) -> bool {
    let leap = year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
    let last = match month {
        2 if leap => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        1 | 3 | 5 | 7 | 8 | 10 | 12 => 31,
        _ => return false,
    };
    (1..=last).contains(&day)
}
