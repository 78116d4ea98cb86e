//! What a file says about its columns, in words.

use crate::form::{Form, Leaf, names};
use arrow_schema::{DataType, Field, Fields, IntervalUnit, TimeUnit};
use serde_json::{Map, Value, json};

/// `[{name, type, nullable, fields?}]` of these columns.
pub(crate) fn described<'a>(columns: impl Iterator<Item = (&'a String, &'a Field, &'a Form)>) -> Value {
    columns.map(|(name, field, form)| column(name, field, form)).collect()
}

fn column(name: &str, field: &Field, form: &Form) -> Value {
    let mut made = json!({ "name": name, "type": kind(field.data_type(), form), "nullable": field.is_nullable() });
    if let (DataType::Struct(fields), Form::Struct { forms, .. }) = (field.data_type(), form) {
        let names = names(fields);
        made["fields"] = described(
            names
                .iter()
                .zip(fields.iter().map(AsRef::as_ref))
                .zip(forms)
                .map(|((name, field), form)| (name, field, form)),
        );
    }
    made
}

/// Key and value texts of a file, without the copy of its types that Arrow writes.
pub(crate) fn metadata<'a>(all: impl Iterator<Item = (&'a str, &'a str)>) -> Map<String, Value> {
    let mut texts: Vec<_> = all.filter(|(name, _)| *name != "ARROW:schema").collect();
    texts.sort_unstable();
    texts.into_iter().map(|(name, value)| (name.to_owned(), value.into())).collect()
}

fn kind(data_type: &DataType, form: &Form) -> String {
    let unit = |unit: &TimeUnit| match unit {
        TimeUnit::Second => "s",
        TimeUnit::Millisecond => "ms",
        TimeUnit::Microsecond => "us",
        TimeUnit::Nanosecond => "ns",
    };
    let inner = |field: &Field| match form {
        Form::Inner(form) => kind(field.data_type(), form),
        _ => kind(field.data_type(), &Form::Plain),
    };
    match form {
        Form::Leaf(Leaf::Int96) => return "timestamp(ns)".into(),
        Form::Leaf(Leaf::Interval) => return "interval".into(),
        Form::Leaf(Leaf::Uuid) => return "uuid".into(),
        Form::Leaf(Leaf::Json) => return "json".into(),
        Form::Bool8 => return "bool".into(),
        _ => {}
    }
    match data_type {
        DataType::Null => "null".into(),
        DataType::Boolean => "bool".into(),
        DataType::Int8 => "int8".into(),
        DataType::Int16 => "int16".into(),
        DataType::Int32 => "int32".into(),
        DataType::Int64 => "int64".into(),
        DataType::UInt8 => "uint8".into(),
        DataType::UInt16 => "uint16".into(),
        DataType::UInt32 => "uint32".into(),
        DataType::UInt64 => "uint64".into(),
        DataType::Float16 => "float16".into(),
        DataType::Float32 => "float32".into(),
        DataType::Float64 => "float64".into(),
        DataType::Decimal32(precision, scale)
        | DataType::Decimal64(precision, scale)
        | DataType::Decimal128(precision, scale)
        | DataType::Decimal256(precision, scale) => format!("decimal({precision}, {scale})"),
        DataType::Date32 | DataType::Date64 => "date".into(),
        DataType::Time32(of) | DataType::Time64(of) => format!("time({})", unit(of)),
        DataType::Timestamp(of, None) => format!("timestamp({})", unit(of)),
        DataType::Timestamp(of, Some(zone)) => format!("timestamp({}, {zone})", unit(of)),
        DataType::Duration(of) => format!("duration({})", unit(of)),
        DataType::Interval(IntervalUnit::YearMonth | IntervalUnit::DayTime | IntervalUnit::MonthDayNano) => {
            "interval".into()
        }
        DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View => "text".into(),
        DataType::Binary | DataType::LargeBinary | DataType::BinaryView => "binary".into(),
        DataType::FixedSizeBinary(length) => format!("binary({length})"),
        DataType::List(element)
        | DataType::LargeList(element)
        | DataType::ListView(element)
        | DataType::LargeListView(element) => format!("list<{}>", inner(element)),
        DataType::FixedSizeList(element, length) => format!("list<{}, {length}>", inner(element)),
        DataType::RunEndEncoded(_, values) => inner(values),
        DataType::Dictionary(_, values) => match form {
            Form::Inner(form) => kind(values, form),
            _ => kind(values, &Form::Plain),
        },
        DataType::Struct(fields) => format!("struct<{}>", members(fields, form)),
        DataType::Map(entries, _) => match (entries.data_type(), form) {
            (DataType::Struct(fields), Form::Map { key, value, .. }) if fields.len() == 2 => {
                format!("map<{}, {}>", kind(fields[0].data_type(), key), kind(fields[1].data_type(), value))
            }
            _ => "map".into(),
        },
        DataType::Union(fields, _) => {
            let Form::Union(forms) = form else { return "union".into() };
            let kinds: Vec<_> =
                fields.iter().zip(forms).map(|((_, field), (_, form))| kind(field.data_type(), form)).collect();
            format!("union<{}>", kinds.join(", "))
        }
    }
}

fn members(fields: &Fields, form: &Form) -> String {
    let Form::Struct { forms, .. } = form else { return String::new() };
    let named =
        fields.iter().zip(forms).map(|(field, form)| format!("{}: {}", field.name(), kind(field.data_type(), form)));
    named.collect::<Vec<_>>().join(", ")
}
