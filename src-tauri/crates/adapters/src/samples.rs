//! The files that ship with the app; `sample:NAME` reads them.

/// Prefix of their paths.
pub const PREFIX: &str = "sample:";

/// Name and bytes, sorted by name.
pub const FILES: &[(&str, &[u8])] = &[
    ("customers.csv", include_bytes!("../samples/customers.csv")),
    ("invoices.xlsx", include_bytes!("../samples/invoices.xlsx")),
    ("orders.json", include_bytes!("../samples/orders.json")),
];

#[cfg(test)]
mod tests;
