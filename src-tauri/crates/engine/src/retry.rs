//! Back-off arithmetic (K-13). Delays are a function of (seed, path, node, item, visit, attempt).

use signalbox_model::{hash::digest_of_parts, workflow::Backoff, workflow::RetryPolicy};

/// The longest `Retry-After` that is waited for, milliseconds.
pub const RETRY_AFTER_LIMIT_MS: u64 = 600_000;

/// Un-jittered delay before re-execution number `attempt + 1`, milliseconds.
pub fn base_delay(policy: &RetryPolicy, attempt: u32) -> u64 {
    let first = policy.initial_delay_ms;
    let delay = match policy.backoff {
        Backoff::Fixed => first,
        Backoff::Linear => first.saturating_mul(u64::from(attempt) + 1),
        Backoff::Exponential => first.saturating_mul(2_u64.saturating_pow(attempt)),
    };
    delay.min(policy.max_delay_ms)
}

/// What identifies a delay besides the policy.
#[derive(Debug, Clone, Copy)]
pub struct DelayKey<'a> {
    /// The run's seed.
    pub seed: u64,
    /// Container path, empty at the top.
    pub path: &'a str,
    /// Node id.
    pub node: &'a str,
    /// Item index.
    pub item: usize,
    /// Visit.
    pub visit: u32,
    /// Attempt that failed.
    pub attempt: u32,
}

/// The delay really used, milliseconds: full jitter is uniform from 0 to the base delay.
pub fn delay(policy: &RetryPolicy, key: DelayKey<'_>) -> u64 {
    let base = base_delay(policy, key.attempt);
    if !policy.jitter || base == 0 {
        return base;
    }
    let digest = digest_of_parts(&[
        &key.seed.to_be_bytes(),
        key.path.as_bytes(),
        key.node.as_bytes(),
        &(key.item as u64).to_be_bytes(),
        &key.visit.to_be_bytes(),
        &key.attempt.to_be_bytes(),
    ]);
    let bits = digest.first_chunk().map_or(0, |begin| u64::from_be_bytes(*begin));
    bits % (base + 1)
}

/// One planned re-execution, for drawing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Planned {
    /// From 1.
    pub attempt: u32,
    /// Un-jittered delay before it, milliseconds.
    pub delay_ms: u64,
}

/// All re-executions of a policy, without jitter.
pub fn timeline(policy: &RetryPolicy) -> Vec<Planned> {
    (0..policy.max_attempts.min(100)).map(|n| Planned { attempt: n + 1, delay_ms: base_delay(policy, n) }).collect()
}

#[cfg(test)]
mod tests {
    use super::{DelayKey, delay, timeline};
    use signalbox_model::workflow::{Backoff, RetryPolicy};

    fn policy(backoff: Backoff, first: u64) -> RetryPolicy {
        RetryPolicy { max_attempts: 3, backoff, initial_delay_ms: first, max_delay_ms: 30_000, jitter: false }
    }

    fn key(seed: u64, attempt: u32) -> DelayKey<'static> {
        DelayKey { seed, path: "", node: "n", item: 0, visit: 1, attempt }
    }

    #[test]
    fn ts_002_exponential_delays_are_500_1000_2000() {
        let delays: Vec<u64> = timeline(&policy(Backoff::Exponential, 500)).iter().map(|p| p.delay_ms).collect();
        assert_eq!(delays, [500, 1000, 2000]);
    }

    #[test]
    fn ts_003_fixed_delays_repeat() {
        let fixed = policy(Backoff::Fixed, 200);
        assert_eq!([delay(&fixed, key(1, 0)), delay(&fixed, key(1, 1))], [200, 200]);
    }

    #[test]
    fn ts_004_jitter_repeats_with_the_seed_and_stays_in_bounds() {
        let jittered = RetryPolicy { jitter: true, ..policy(Backoff::Exponential, 500) };
        for attempt in 0..20 {
            let once = delay(&jittered, key(7, attempt));
            assert_eq!(once, delay(&jittered, key(7, attempt)));
            assert!(once <= super::base_delay(&jittered, attempt));
        }
        assert_ne!(delay(&jittered, key(7, 3)), delay(&jittered, key(8, 3)));
    }

    #[test]
    fn linear_grows_and_the_cap_holds() {
        let linear = RetryPolicy { max_delay_ms: 700, ..policy(Backoff::Linear, 300) };
        let delays: Vec<u64> = timeline(&linear).iter().map(|p| p.delay_ms).collect();
        assert_eq!(delays, [300, 600, 700]);
    }
}
