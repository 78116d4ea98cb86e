//! What values of a column become, by its type and by what the file says about it.

use crate::failure::Trouble;
use crate::names::{distinct, heads};
use arrow_schema::{DataType, Field, Fields};

/// Types inside one another.
const MOST_DEPTH: usize = 60;

/// What a column of Parquet is that has no such type in Arrow.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Leaf {
    Plain,
    /// Twelve bytes: nanoseconds of a day and the number of the day.
    Int96,
    /// Twelve bytes: months, days, milliseconds.
    Interval,
    Uuid,
    Json,
}

/// How the values of an array are written.
#[derive(Debug, Clone)]
pub(crate) enum Form {
    /// As the type says.
    Plain,
    Leaf(Leaf),
    /// A number that is true or false.
    Bool8,
    /// Lists of each kind; values of a dictionary and of runs.
    Inner(Box<Form>),
    Struct {
        heads: Vec<Vec<u8>>,
        forms: Vec<Form>,
    },
    /// An object where the keys are texts, else a list of keys and values.
    Map {
        is_object: bool,
        key: Box<Form>,
        value: Box<Form>,
    },
    /// By the number of the type.
    Union(Vec<(i8, Form)>),
}

impl Form {
    /// The form of a column. `leaves` gives what Parquet says about each of its parts, in their order.
    pub(crate) fn of(field: &Field, leaves: &mut dyn Iterator<Item = Leaf>) -> Result<Self, Trouble> {
        of(field, leaves, 0)
    }
}

fn of(field: &Field, leaves: &mut dyn Iterator<Item = Leaf>, depth: usize) -> Result<Form, Trouble> {
    if depth > MOST_DEPTH {
        return Err(Trouble::new("UNSUPPORTED_TYPE", format!("has more than {MOST_DEPTH} types inside one another")));
    }
    let inner = |field: &Field, leaves: &mut dyn Iterator<Item = Leaf>| of(field, leaves, depth + 1).map(Box::new);
    Ok(match field.data_type() {
        DataType::List(element)
        | DataType::LargeList(element)
        | DataType::FixedSizeList(element, _)
        | DataType::ListView(element)
        | DataType::LargeListView(element)
        | DataType::RunEndEncoded(_, element) => Form::Inner(inner(element, leaves)?),
        DataType::Dictionary(_, value) => {
            let value = Field::new("value", (**value).clone(), true).with_metadata(field.metadata().clone());
            Form::Inner(inner(&value, leaves)?)
        }
        DataType::Struct(fields) => {
            let forms = fields.iter().map(|field| of(field, leaves, depth + 1)).collect::<Result<_, _>>()?;
            Form::Struct { heads: heads(&names(fields)), forms }
        }
        DataType::Map(entries, _) => {
            let DataType::Struct(fields) = entries.data_type() else { return Err(no_map()) };
            let [key, value] = fields.as_ref() else { return Err(no_map()) };
            Form::Map { is_object: is_text(key.data_type()), key: inner(key, leaves)?, value: inner(value, leaves)? }
        }
        DataType::Union(fields, _) => {
            let forms = fields.iter().map(|(id, field)| Ok((id, of(field, leaves, depth + 1)?)));
            Form::Union(forms.collect::<Result<_, Trouble>>()?)
        }
        plain => match leaves.next().unwrap_or(Leaf::Plain) {
            Leaf::Plain => named(field, plain),
            leaf => Form::Leaf(leaf),
        },
    })
}

fn no_map() -> Trouble {
    Trouble::new("UNSUPPORTED_TYPE", "is a map without keys and values")
}

/// Names of the members of a struct.
pub(crate) fn names(fields: &Fields) -> Vec<String> {
    distinct(fields.iter().map(|field| field.name().as_str()))
}

/// Types that Arrow knows by name.
fn named(field: &Field, plain: &DataType) -> Form {
    match (field.metadata().get("ARROW:extension:name").map(String::as_str), plain) {
        (Some("arrow.uuid"), DataType::FixedSizeBinary(16)) => Form::Leaf(Leaf::Uuid),
        (Some("arrow.json"), DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View) => Form::Leaf(Leaf::Json),
        (Some("arrow.bool8"), DataType::Int8) => Form::Bool8,
        _ => Form::Plain,
    }
}

pub(crate) fn is_text(kind: &DataType) -> bool {
    match kind {
        DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View => true,
        DataType::Dictionary(_, value) => is_text(value),
        DataType::RunEndEncoded(_, value) => is_text(value.data_type()),
        _ => false,
    }
}
