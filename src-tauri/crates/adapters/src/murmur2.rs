//! How the clients of Kafka choose the partition of a key.

/// The partition of a key, as the clients of Kafka itself choose it.
pub(crate) fn partition_of(key: &[u8], count: usize) -> usize {
    let hash = (murmur2(key) & 0x7fff_ffff) as usize;
    hash.checked_rem(count).unwrap_or_default()
}

/// 32 bits of MurmurHash2 with Kafka's seed.
pub(crate) fn murmur2(bytes: &[u8]) -> u32 {
    const M: u32 = 0x5bd1_e995;
    // Only its lower bits count, as with every length.
    let length = u32::try_from(bytes.len() & 0xffff_ffff).unwrap_or_default();
    let mut hash = 0x9747_b28c ^ length;
    let mut chunks = bytes.chunks_exact(4);
    for chunk in &mut chunks {
        let mut k = chunk.iter().rev().fold(0, |k: u32, byte| (k << 8) | u32::from(*byte));
        k = k.wrapping_mul(M);
        k ^= k >> 24;
        hash = hash.wrapping_mul(M) ^ k.wrapping_mul(M);
    }
    let rest = chunks.remainder();
    if !rest.is_empty() {
        hash ^= rest.iter().rev().fold(0, |k: u32, byte| (k << 8) | u32::from(*byte));
        hash = hash.wrapping_mul(M);
    }
    hash ^= hash >> 13;
    hash = hash.wrapping_mul(M);
    hash ^ (hash >> 15)
}
