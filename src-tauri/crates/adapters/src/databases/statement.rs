//! The statements of a write. Names are quoted, values are placeholders.

use signalbox_ports::databases::{TableName, WriteAction};

/// How a database writes names and placeholders.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Dialect {
    Postgres,
    MySql,
    Sqlite,
}

impl Dialect {
    /// A name with its quotes.
    pub(super) fn quoted(self, name: &str) -> String {
        match self {
            Self::Postgres | Self::Sqlite => format!("\"{}\"", name.replace('"', "\"\"")),
            Self::MySql => format!("`{}`", name.replace('`', "``")),
        }
    }

    /// A table with its schema.
    pub(super) fn table(self, table: &TableName) -> String {
        match &table.schema {
            Some(schema) => format!("{}.{}", self.quoted(schema), self.quoted(&table.name)),
            None => self.quoted(&table.name),
        }
    }

    fn placeholder(self, place: usize) -> String {
        match self {
            Self::Postgres => format!("${place}"),
            Self::MySql | Self::Sqlite => "?".to_owned(),
        }
    }

    fn list(self, names: &[String]) -> String {
        names.iter().map(|name| self.quoted(name)).collect::<Vec<_>>().join(", ")
    }

    /// `"a" = $1 AND "b" = $2`, with placeholders from `first`.
    fn equal(self, names: &[String], first: usize, between: &str) -> String {
        let one = |(at, name): (usize, &String)| format!("{} = {}", self.quoted(name), self.placeholder(first + at));
        names.iter().enumerate().map(one).collect::<Vec<_>>().join(between)
    }
}

/// What is written, whatever the number of rows.
pub(super) struct Statement<'a> {
    pub(super) dialect: Dialect,
    pub(super) table: &'a TableName,
    pub(super) action: WriteAction,
    pub(super) key: &'a [String],
}

impl Statement<'_> {
    /// Several rows go into one statement.
    pub(super) fn takes_many(&self) -> bool {
        matches!(self.action, WriteAction::Insert | WriteAction::Upsert)
    }

    /// The SQL for rows of these columns. Updates and deletes take one row: first the values, then the key.
    pub(super) fn sql(&self, columns: &[String], rows: usize) -> String {
        let (dialect, table) = (self.dialect, self.dialect.table(self.table));
        match self.action {
            WriteAction::Insert | WriteAction::Upsert => self.then(self.insert(columns, rows), columns),
            WriteAction::Update => {
                let others = self.others(columns);
                let set = dialect.equal(&others, 1, ", ");
                let by = dialect.equal(self.key, others.len() + 1, " AND ");
                format!("UPDATE {table} SET {set} WHERE {by}")
            }
            WriteAction::Delete => format!("DELETE FROM {table} WHERE {}", dialect.equal(self.key, 1, " AND ")),
        }
    }

    /// The columns that do not name a row.
    fn others(&self, columns: &[String]) -> Vec<String> {
        columns.iter().filter(|name| !self.key.contains(name)).cloned().collect()
    }

    /// What an insert does with a row that is there already.
    fn then(&self, insert: String, columns: &[String]) -> String {
        let (dialect, others) = (self.dialect, self.others(columns));
        if self.action != WriteAction::Upsert {
            return insert;
        }
        let sets = |value: &dyn Fn(&str) -> String| {
            let set = |name: &String| format!("{} = {}", dialect.quoted(name), value(&dialect.quoted(name)));
            others.iter().map(set).collect::<Vec<_>>().join(", ")
        };
        match dialect {
            Dialect::Postgres | Dialect::Sqlite => {
                let key = dialect.list(self.key);
                let then = if others.is_empty() {
                    "NOTHING".to_owned()
                } else {
                    format!("UPDATE SET {}", sets(&|name| format!("EXCLUDED.{name}")))
                };
                format!("{insert} ON CONFLICT ({key}) DO {then}")
            }
            Dialect::MySql => {
                let same = self.key.first().map(|name| dialect.quoted(name)).unwrap_or_default();
                let then = if others.is_empty() {
                    format!("{same} = {same}")
                } else {
                    sets(&|name| format!("VALUES({name})"))
                };
                format!("{insert} ON DUPLICATE KEY UPDATE {then}")
            }
        }
    }

    /// The same of any number of rows, whose values come as a list for each column (PostgreSQL).
    pub(super) fn sql_of_lists(&self, columns: &[String], types: &[&str]) -> String {
        let list = |(at, name): (usize, &&str)| format!("${}::pg_catalog.{}[]", at + 1, self.dialect.quoted(name));
        let lists = types.iter().enumerate().map(list).collect::<Vec<_>>().join(", ");
        self.then(self.insert_into(columns) + &format!(" SELECT * FROM unnest({lists})"), columns)
    }

    fn insert_into(&self, columns: &[String]) -> String {
        format!("INSERT INTO {} ({})", self.dialect.table(self.table), self.dialect.list(columns))
    }

    fn insert(&self, columns: &[String], rows: usize) -> String {
        let dialect = self.dialect;
        let row = |row: usize| {
            let places = (1..=columns.len()).map(|at| dialect.placeholder(row * columns.len() + at));
            format!("({})", places.collect::<Vec<_>>().join(", "))
        };
        let rows: Vec<String> = (0..rows).map(row).collect();
        format!("{} VALUES {}", self.insert_into(columns), rows.join(", "))
    }

    /// Where each column of a row stands among the placeholders of [`Self::sql`].
    pub(super) fn order(&self, columns: &[String]) -> Vec<usize> {
        let place = |name: &String| columns.iter().position(|column| column == name);
        let key = self.key.iter().filter_map(place);
        match self.action {
            WriteAction::Insert | WriteAction::Upsert => (0..columns.len()).collect(),
            WriteAction::Update => {
                let others = (0..columns.len()).filter(|at| !self.key.contains(&columns[*at]));
                others.chain(key).collect()
            }
            WriteAction::Delete => key.collect(),
        }
    }
}

#[cfg(test)]
mod tests;
