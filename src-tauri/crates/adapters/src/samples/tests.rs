use super::FILES;
use serde_json::{Value, json};
use signalbox_documents::sheet::{CellType, Column, SheetRows, WriteOptions, write};
use std::path::Path;

/// Invoice, customer, region, day, amount, paid.
const INVOICES: [(&str, &str, &str, &str, f64, bool); 10] = [
    ("INV-1001", "Ada Lovelace", "North", "2026-10-15", 240.0, true),
    ("INV-1002", "Grace Hopper", "West", "2026-10-20", 1200.5, false),
    ("INV-1003", "Alan Turing", "North", "2026-10-31", 29.0, false),
    ("INV-1004", "Katherine Johnson", "South", "2026-11-02", 1450.0, true),
    ("INV-1005", "Edsger Dijkstra", "East", "2026-11-05", 310.75, true),
    ("INV-1006", "Barbara Liskov", "West", "2026-11-12", 99.99, false),
    ("INV-1007", "Donald Knuth", "South", "2026-11-20", 640.0, false),
    ("INV-1008", "Margaret Hamilton", "East", "2026-11-28", 875.25, true),
    ("INV-1009", "Tony Hoare", "North", "2026-12-01", 58.4, false),
    ("INV-1010", "Frances Allen", "South", "2026-12-15", 412.0, true),
];

/// A spreadsheet is no text that can be read in a review, so it is made here. `SIGNALBOX_GEN=1` writes it.
#[test]
fn gen_the_sample_spreadsheet_is_fresh() {
    let row = |(invoice, customer, region, due, amount, paid)| json!({ "invoice": invoice, "customer": customer, "region": region, "due": due, "amount": amount, "paid": paid });
    let rows: Vec<Value> = INVOICES.into_iter().map(row).collect();
    let mut columns: Vec<Column> = ["invoice", "customer", "region", "due", "amount", "paid"]
        .map(|field| Column { field: field.into(), ..Column::default() })
        .into();
    columns[4] = Column { kind: CellType::Number, format: Some("#,##0.00".into()), ..columns[4].clone() };
    let options = WriteOptions { columns, ..WriteOptions::default() };
    let made =
        write(&[SheetRows { name: "Invoices".into(), rows: rows.iter().collect() }], &options).expect("a spreadsheet");
    if std::env::var_os("SIGNALBOX_GEN").is_some() {
        let place = Path::new(env!("CARGO_MANIFEST_DIR")).join("samples/invoices.xlsx");
        std::fs::write(place, &made).expect("written");
    }
    let (_, kept) = FILES.iter().find(|(name, _)| *name == "invoices.xlsx").expect("it ships");
    assert!(
        *kept == made.as_slice(),
        "samples/invoices.xlsx is stale: run this test with SIGNALBOX_GEN=1, and build again"
    );
}
