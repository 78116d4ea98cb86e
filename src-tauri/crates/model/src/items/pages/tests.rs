use super::*;

fn kept(recent: &Recent<usize>) -> Vec<usize> {
    recent.0.lock().expect("not poisoned").iter().map(|(one, _)| **one).collect()
}

#[test]
fn few_large_parts_are_kept_or_some_small_ones() {
    let recent = Recent::new();
    for one in 0..20 {
        recent.keep(&Arc::new(one), 100_000);
    }
    assert_eq!(kept(&recent), (12..20).collect::<Vec<_>>());
    recent.keep(&Arc::new(20), 8_000_000);
    assert_eq!(kept(&recent), [17, 18, 19, 20]);
    for one in 21..24 {
        recent.keep(&Arc::new(one), 50_000_000);
    }
    assert_eq!(kept(&recent), [22, 23]);
}
