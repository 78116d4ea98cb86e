//! Conditions of a query and what stands for their question marks.

use crate::letters;
use crate::sql::Value as Sql;
use std::borrow::Cow;

/// Conditions that all hold together.
#[derive(Default)]
pub(crate) struct Filter {
    conditions: Vec<Cow<'static, str>>,
    /// What stands for the question marks, in their order.
    pub(crate) values: Vec<Sql>,
}

impl Filter {
    /// How many conditions.
    pub(crate) fn len(&self) -> usize {
        self.conditions.len()
    }

    /// A condition with one question mark.
    pub(crate) fn add(&mut self, condition: impl Into<Cow<'static, str>>, value: impl Into<Sql>) {
        self.add_all(condition, [value.into()]);
    }

    /// A condition with as many question marks as values.
    pub(crate) fn add_all<const N: usize>(&mut self, condition: impl Into<Cow<'static, str>>, values: [Sql; N]) {
        self.conditions.push(condition.into());
        self.values.extend(values);
    }

    /// What `of` gives is one of these workspaces; without any, nothing is.
    pub(crate) fn add_workspaces(&mut self, of: &str, workspaces: Option<&[String]>) {
        let Some(workspaces) = workspaces else { return };
        if workspaces.is_empty() {
            self.add_all("1 = 0", []);
            return;
        }
        let marks = vec!["?"; workspaces.len()].join(", ");
        self.conditions.push(format!("{of} IN ({marks})").into());
        self.values.extend(workspaces.iter().map(|name| Sql::from(name.clone())));
    }

    /// The text stands somewhere in one of `columns`, in capital letters or small ones; whatever it holds, it is no pattern.
    pub(crate) fn contains(&mut self, columns: &str, text: &str) {
        self.add(format!("holds(?, {columns})"), letters::fold(text));
    }

    /// The WHERE of a statement; nothing without conditions.
    pub(crate) fn sql(&self) -> String {
        if self.conditions.is_empty() { String::new() } else { format!("WHERE {}", self.conditions.join(" AND ")) }
    }
}
