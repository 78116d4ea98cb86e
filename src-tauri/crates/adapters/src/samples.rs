//! The files that ship with the app; `sample:NAME` reads them.

/// Prefix of their paths.
pub const PREFIX: &str = "sample:";

/// Name and bytes, sorted by name.
pub const FILES: &[(&str, &[u8])] = &[
    ("customers.csv", include_bytes!("../samples/customers.csv")),
    ("invoice-template.xlsx", include_bytes!("../samples/invoice-template.xlsx")),
    ("invoices.xlsx", include_bytes!("../samples/invoices.xlsx")),
    ("orders.json", include_bytes!("../samples/orders.json")),
    ("orders.parquet", include_bytes!("../samples/orders.parquet")),
];

/// Databases that ship with the app, as the SQL that makes them: they live in memory, and each step gets its own.
pub const DATABASES: &[(&str, &str)] = &[("shop.db", include_str!("../samples/shop.sql"))];

#[cfg(test)]
mod tests;
