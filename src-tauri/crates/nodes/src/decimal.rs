//! Decimals that keep their digits: what steps compute with, so that 0.1 + 0.2 is 0.3 and whole numbers of 64 bits stay
//! what they are (ADR 84).

use serde_json::{Number, Value};
use signalbox_model::digits;
use std::cmp::Ordering;

/// Digits after the point that a decimal may have; more would leave no room for the rest of it.
const MOST_SCALE: u32 = 36;
/// Extra digits of a quotient: more than a double holds.
const QUOTIENT_DIGITS: u32 = 20;
/// A decimal of at most so many digits is a double by contract.
const DOUBLE_DIGITS: usize = 17;

/// `units / 10^scale`, without zeros at the end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Decimal {
    units: i128,
    scale: u32,
}

/// How a digit that is left out decides about the one before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Rounding {
    /// A half goes away from zero.
    Half,
    /// A half goes to the even digit.
    Even,
    /// Towards positive infinity.
    Up,
    /// Towards negative infinity.
    Down,
}

fn power(exponent: u32) -> Option<i128> {
    10_i128.checked_pow(exponent)
}

impl Decimal {
    pub(crate) const ZERO: Self = Self { units: 0, scale: 0 };

    fn trimmed(mut units: i128, mut scale: u32) -> Self {
        while scale > 0 && units % 10 == 0 {
            units /= 10;
            scale -= 1;
        }
        Self { units, scale }
    }

    /// A whole number.
    pub(crate) fn whole(number: impl Into<i128>) -> Self {
        Self { units: number.into(), scale: 0 }
    }

    /// Written as JSON writes numbers; `None` for what is no number, and for more digits than fit.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let (mantissa, exponent) = match text.split_once(['e', 'E']) {
            Some((mantissa, exponent)) => (mantissa, exponent.parse::<i32>().ok()?),
            None => (text, 0),
        };
        let (sign, digits) = match mantissa.strip_prefix('-') {
            Some(rest) => (-1, rest),
            None => (1, mantissa),
        };
        let (whole, fraction) = match digits.split_once('.') {
            Some((whole, fraction)) if !fraction.is_empty() => (whole, fraction),
            Some(_) => return None,
            None => (digits, ""),
        };
        let is_digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
        if whole.is_empty() || !is_digits(whole) || !is_digits(fraction) {
            return None;
        }
        let fraction_used = fraction.trim_end_matches('0');
        let units: i128 = format!("{whole}{fraction_used}").parse().ok()?;
        let scale = i32::try_from(fraction_used.len()).ok()?.checked_sub(exponent)?;
        if units == 0 {
            return Some(Self::ZERO);
        }
        let made = match u32::try_from(scale) {
            Ok(scale) => Self::trimmed(units, scale),
            Err(_) => Self { units: units.checked_mul(power(scale.unsigned_abs())?)?, scale: 0 },
        };
        (made.scale <= MOST_SCALE).then_some(Self { units: sign * made.units, ..made })
    }

    /// The number of a value. A text that is written like a number of JSON counts, as cells of tables are texts.
    pub(crate) fn of(value: &Value) -> Option<Self> {
        match value {
            Value::Number(number) => Self::parse(&number.to_string()),
            Value::String(text) => Self::parse(text.trim()),
            Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => None,
        }
    }

    fn aligned(self, other: Self) -> Option<(i128, i128, u32)> {
        let scale = self.scale.max(other.scale);
        let raised = |one: Self| one.units.checked_mul(power(scale - one.scale)?);
        Some((raised(self)?, raised(other)?, scale))
    }

    /// The sum, unless it has more digits than fit.
    pub(crate) fn plus(self, other: Self) -> Option<Self> {
        let (a, b, scale) = self.aligned(other)?;
        Some(Self::trimmed(a.checked_add(b)?, scale))
    }

    /// The difference, unless it has more digits than fit.
    pub(crate) fn minus(self, other: Self) -> Option<Self> {
        self.plus(Self { units: other.units.checked_neg()?, ..other })
    }

    /// The product, unless it has more digits than fit.
    pub(crate) fn times(self, other: Self) -> Option<Self> {
        let made = Self::trimmed(self.units.checked_mul(other.units)?, self.scale + other.scale);
        (made.scale <= MOST_SCALE).then_some(made)
    }

    /// The quotient: exact when it ends, else to 20 digits after the point. `None` for a division by zero, and when it does not fit.
    pub(crate) fn over(self, other: Self) -> Option<Self> {
        let (a, b, _) = self.aligned(other)?;
        if b == 0 {
            return None;
        }
        let (whole, mut rest) = (a.checked_div(b)?, a.checked_rem(b)?);
        let (mut units, mut scale) = (whole, 0);
        while rest != 0 && scale < QUOTIENT_DIGITS {
            let Some((more, left)) = rest.checked_mul(10).map(|raised| (raised / b, raised % b)) else { break };
            let Some(longer) = units.checked_mul(10).and_then(|units| units.checked_add(more)) else { break };
            (units, rest, scale) = (longer, left, scale + 1);
        }
        Some(Self::trimmed(units, scale))
    }

    /// With at most so many digits after the point.
    pub(crate) fn rounded(self, places: u32, how: Rounding) -> Self {
        let Some(cut) = self.scale.checked_sub(places).filter(|cut| *cut > 0) else { return self };
        let Some(unit) = power(cut) else { return Self::ZERO };
        let (kept, rest) = (self.units.div_euclid(unit), self.units.rem_euclid(unit));
        let twice = (rest * 2).cmp(&unit);
        let up = match how {
            _ if rest == 0 => false,
            Rounding::Up => true,
            Rounding::Down => false,
            Rounding::Half => twice == Ordering::Greater || (twice == Ordering::Equal && self.units > 0),
            Rounding::Even => twice == Ordering::Greater || (twice == Ordering::Equal && kept % 2 != 0),
        };
        Self::trimmed(kept + i128::from(up), places)
    }

    /// Which is the larger one.
    pub(crate) fn order(self, other: Self) -> Ordering {
        match self.aligned(other) {
            Some((a, b, _)) => a.cmp(&b),
            // One of them does not fit beside the digits of the other, so it is much larger.
            None if self.units.signum() != other.units.signum() => self.units.cmp(&other.units),
            None => self.float().partial_cmp(&other.float()).unwrap_or(Ordering::Equal),
        }
    }

    fn float(self) -> f64 {
        self.to_string().parse().unwrap_or_default()
    }

    /// As a value with all its digits, or `None` when no number holds them.
    pub(crate) fn value(self) -> Option<Value> {
        if self.scale == 0 {
            let small = i64::try_from(self.units).map(Value::from);
            return small.or_else(|_| u64::try_from(self.units).map(Value::from)).ok();
        }
        let text = self.to_string();
        let kept = digits::keeps(&text);
        kept.then(|| Number::from_f64(self.float()).map(Value::Number)).flatten()
    }

    /// As the nearest value: for what was divided, and has no last digit.
    pub(crate) fn nearest(self) -> Option<Value> {
        let digits = self.units.unsigned_abs().to_string().len();
        let exact = if self.scale == 0 || digits <= DOUBLE_DIGITS { self.value() } else { None };
        exact.or_else(|| Number::from_f64(self.float()).map(Value::Number))
    }
}

impl std::fmt::Display for Decimal {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if self.scale == 0 {
            return write!(out, "{}", self.units);
        }
        let scale = usize::try_from(self.scale).unwrap_or_default();
        let digits = format!("{:0>width$}", self.units.unsigned_abs(), width = scale + 1);
        let (whole, fraction) = digits.split_at(digits.len() - scale);
        let sign = if self.units < 0 { "-" } else { "" };
        write!(out, "{sign}{whole}.{fraction}")
    }
}

#[cfg(test)]
mod tests;
