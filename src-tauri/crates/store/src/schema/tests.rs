#[test]
fn every_migration_has_its_own_number() {
    let ids: Vec<i64> = super::all().iter().map(|migration| migration.id).collect();
    assert_eq!(ids, (1..=i64::try_from(ids.len()).expect("few")).collect::<Vec<_>>());
}
