use super::Batches;
use serde_json::json;
use signalbox_ports::databases::{DatabaseError, RowSource, SqlValue, WriteRow};

struct Rows(std::vec::IntoIter<(Vec<&'static str>, i64)>, usize);

impl RowSource for Rows {
    fn next(&mut self) -> Result<Option<WriteRow>, DatabaseError> {
        self.1 += 1;
        Ok(self.0.next().map(|(names, id)| WriteRow {
            item: self.1,
            columns: names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>().into(),
            values: names.iter().map(|_| SqlValue::Json(json!(id))).collect(),
        }))
    }
}

fn sizes(rows: Vec<(Vec<&'static str>, i64)>, most: usize, distinct: &[&str]) -> Vec<usize> {
    let mut rows = Rows(rows.into_iter(), 0);
    let distinct: Vec<String> = distinct.iter().map(|name| (*name).to_owned()).collect();
    let mut batches = Batches::new(&mut rows, most, &distinct);
    std::iter::from_fn(|| batches.next().expect("rows")).map(|batch| batch.len()).collect()
}

#[test]
fn a_batch_has_one_set_of_columns_and_no_key_twice() {
    let ids = |list: &[i64]| list.iter().map(|id| (vec!["id"], *id)).collect::<Vec<_>>();
    assert_eq!(sizes(ids(&[1, 2, 3, 4, 5]), 2, &[]), [2, 2, 1]);
    assert_eq!(sizes(ids(&[1, 2, 1, 1, 3]), 10, &["id"]), [2, 1, 2]);
    assert_eq!(sizes(vec![(vec!["id"], 1), (vec!["id", "n"], 2), (vec!["id", "n"], 3)], 10, &[]), [1, 2]);
    assert_eq!(sizes(ids(&[]), 10, &[]), [0; 0]);
    let wide: Vec<&'static str> = vec!["n"; 16_000];
    assert_eq!(sizes(vec![(wide.clone(), 1), (wide, 2)], 10, &[]), [1, 1]);
}
