//! Values of arrays as JSON, the same for Parquet and Arrow. The forms of values are those of databases (`value_text`).

use crate::MAX_ROW;
use crate::failure::Trouble;
use crate::form::{Form, Leaf};
use arrow_array::cast::AsArray as _;
use arrow_array::types::{
    ArrowDictionaryKeyType, ArrowPrimitiveType, Date32Type, Date64Type, Decimal32Type, Decimal64Type, Decimal128Type,
    Decimal256Type, DurationMicrosecondType, DurationMillisecondType, DurationNanosecondType, DurationSecondType,
    Float16Type, Float32Type, Float64Type, Int8Type, Int16Type, Int32Type, Int64Type, IntervalDayTimeType,
    IntervalMonthDayNanoType, IntervalYearMonthType, RunEndIndexType, Time32MillisecondType, Time32SecondType,
    Time64MicrosecondType, Time64NanosecondType, TimestampMicrosecondType, TimestampMillisecondType,
    TimestampNanosecondType, TimestampSecondType, UInt8Type, UInt16Type, UInt32Type, UInt64Type,
};
use arrow_array::{Array, ArrayRef, OffsetSizeTrait, RunArray};
use arrow_buffer::{ArrowNativeType as _, NullBuffer};
use arrow_schema::{DataType, IntervalUnit, TimeUnit};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use signalbox_model::value_text::{
    date, day_time, decimal, double, embedded, in_quotes, interval, plain, single, text, time_nanos, uuid,
};
use std::collections::HashSet;

const DAY_NANOS: u64 = 86_400_000_000_000;
/// The number of 1970-01-01 where days are counted as in INT96.
const JULIAN_1970: i64 = 2_440_588;

type Write = Box<dyn Fn(usize, &mut Vec<u8>) -> Result<(), Trouble>>;

/// The values of an array.
pub(crate) struct Cells {
    nulls: Option<NullBuffer>,
    write: Write,
}

impl Cells {
    /// How the values of an array are written.
    pub(crate) fn of(array: &ArrayRef, form: &Form) -> Result<Self, Trouble> {
        let write = match form {
            Form::Plain => plain_of(array)?,
            Form::Leaf(leaf) => leaf_of(array, *leaf)?,
            Form::Bool8 => numbers::<Int8Type>(array, |out, value| plain(out, value != 0)),
            _ => nested(array, form)?,
        };
        // A union has the nulls of its parts only.
        Ok(Self { nulls: array.nulls().cloned(), write })
    }

    /// Writes one; the row is inside the array.
    pub(crate) fn append(&self, row: usize, out: &mut Vec<u8>) -> Result<(), Trouble> {
        if self.nulls.as_ref().is_some_and(|nulls| nulls.is_null(row)) {
            out.extend_from_slice(b"null");
            return Ok(());
        }
        (self.write)(row, out)
    }
}

fn numbers<T: ArrowPrimitiveType>(array: &ArrayRef, write: impl Fn(&mut Vec<u8>, T::Native) + 'static) -> Write {
    let array = array.as_primitive::<T>().clone();
    Box::new(move |row, out| {
        write(out, array.value(row));
        Ok(())
    })
}

fn checked<T: ArrowPrimitiveType>(
    array: &ArrayRef,
    write: impl Fn(&mut Vec<u8>, T::Native) -> Result<(), Trouble> + 'static,
) -> Write {
    let array = array.as_primitive::<T>().clone();
    Box::new(move |row, out| write(out, array.value(row)))
}

fn unsupported(kind: &DataType) -> Trouble {
    let kind: String = kind.to_string().chars().take(100).collect();
    Trouble::new(
        "UNSUPPORTED_TYPE",
        format!(
            "has the type {kind}, which has no form here. Leave it out with 'columns', or write it as another type"
        ),
    )
}

/// The array is not what its type says; nothing that is read makes one.
fn mismatch() -> Trouble {
    Trouble::new("UNSUPPORTED_TYPE", "has values of another type than the file says")
}

fn plain_of(array: &ArrayRef) -> Result<Write, Trouble> {
    Ok(match array.data_type() {
        DataType::Null => Box::new(|_, out| {
            out.extend_from_slice(b"null");
            Ok(())
        }),
        DataType::Boolean => {
            let array = array.as_boolean().clone();
            Box::new(move |row, out| {
                plain(out, array.value(row));
                Ok(())
            })
        }
        DataType::Int8 => numbers::<Int8Type>(array, plain),
        DataType::Int16 => numbers::<Int16Type>(array, plain),
        DataType::Int32 => numbers::<Int32Type>(array, plain),
        DataType::Int64 => numbers::<Int64Type>(array, plain),
        DataType::UInt8 => numbers::<UInt8Type>(array, plain),
        DataType::UInt16 => numbers::<UInt16Type>(array, plain),
        DataType::UInt32 => numbers::<UInt32Type>(array, plain),
        DataType::UInt64 => numbers::<UInt64Type>(array, plain),
        DataType::Float16 => numbers::<Float16Type>(array, |out, value| single(out, value.to_f32())),
        DataType::Float32 => numbers::<Float32Type>(array, single),
        DataType::Float64 => numbers::<Float64Type>(array, double),
        DataType::Decimal32(_, scale) => decimals::<Decimal32Type>(array, *scale),
        DataType::Decimal64(_, scale) => decimals::<Decimal64Type>(array, *scale),
        DataType::Decimal128(_, scale) => decimals::<Decimal128Type>(array, *scale),
        DataType::Decimal256(_, scale) => decimals::<Decimal256Type>(array, *scale),
        DataType::Date32 => numbers::<Date32Type>(array, |out, days| in_quotes(out, |out| date(out, days.into()))),
        // Whole days, as they should be; else the time as well.
        DataType::Date64 => numbers::<Date64Type>(array, |out, millis| {
            let (days, rest) = split(millis, 1_000);
            in_quotes(out, |out| if rest == 0 { date(out, days) } else { day_time(out, days, rest, false) });
        }),
        DataType::Time32(TimeUnit::Second) => {
            checked::<Time32SecondType>(array, |out, value| clock(out, value.into(), 1))
        }
        DataType::Time32(_) => checked::<Time32MillisecondType>(array, |out, value| clock(out, value.into(), 1_000)),
        DataType::Time64(TimeUnit::Microsecond) => {
            checked::<Time64MicrosecondType>(array, |out, value| clock(out, value, 1_000_000))
        }
        DataType::Time64(_) => checked::<Time64NanosecondType>(array, |out, value| clock(out, value, 1_000_000_000)),
        DataType::Timestamp(unit, zone) => {
            let is_moment = zone.is_some();
            match unit {
                TimeUnit::Second => {
                    numbers::<TimestampSecondType>(array, move |out, value| moment(out, value, 1, is_moment))
                }
                TimeUnit::Millisecond => {
                    numbers::<TimestampMillisecondType>(array, move |out, value| moment(out, value, 1_000, is_moment))
                }
                TimeUnit::Microsecond => numbers::<TimestampMicrosecondType>(array, move |out, value| {
                    moment(out, value, 1_000_000, is_moment)
                }),
                TimeUnit::Nanosecond => numbers::<TimestampNanosecondType>(array, move |out, value| {
                    moment(out, value, 1_000_000_000, is_moment)
                }),
            }
        }
        DataType::Duration(unit) => match unit {
            TimeUnit::Second => {
                numbers::<DurationSecondType>(array, |out, value| span(out, 0, 0, i128::from(value) * 1_000_000_000))
            }
            TimeUnit::Millisecond => {
                numbers::<DurationMillisecondType>(array, |out, value| span(out, 0, 0, i128::from(value) * 1_000_000))
            }
            TimeUnit::Microsecond => {
                numbers::<DurationMicrosecondType>(array, |out, value| span(out, 0, 0, i128::from(value) * 1_000))
            }
            TimeUnit::Nanosecond => {
                numbers::<DurationNanosecondType>(array, |out, value| span(out, 0, 0, value.into()))
            }
        },
        DataType::Interval(IntervalUnit::YearMonth) => {
            numbers::<IntervalYearMonthType>(array, |out, months| span(out, months.into(), 0, 0))
        }
        DataType::Interval(IntervalUnit::DayTime) => numbers::<IntervalDayTimeType>(array, |out, value| {
            span(out, 0, value.days.into(), i128::from(value.milliseconds) * 1_000_000)
        }),
        DataType::Interval(IntervalUnit::MonthDayNano) => numbers::<IntervalMonthDayNanoType>(array, |out, value| {
            span(out, value.months.into(), value.days.into(), value.nanoseconds.into())
        }),
        DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View => texts(array, text)?,
        DataType::Binary | DataType::LargeBinary | DataType::BinaryView | DataType::FixedSizeBinary(_) => {
            blobs(array, |out, value| in_quotes(out, |out| out.extend_from_slice(STANDARD.encode(value).as_bytes())))?
        }
        other => return Err(unsupported(other)),
    })
}

fn leaf_of(array: &ArrayRef, leaf: Leaf) -> Result<Write, Trouble> {
    match leaf {
        Leaf::Plain => plain_of(array),
        Leaf::Json => texts(array, embedded),
        Leaf::Uuid => blobs(array, |out, value| {
            let bytes: [u8; 16] = value.try_into().unwrap_or_default();
            in_quotes(out, |out| uuid(out, bytes));
        }),
        Leaf::Int96 => {
            let array = array.as_fixed_size_binary_opt().ok_or_else(mismatch)?.clone();
            let write: Write = Box::new(move |row, out| {
                let (nanos, day) = array.value(row).split_first_chunk::<8>().ok_or_else(mismatch)?;
                let (nanos, day) =
                    (u64::from_le_bytes(*nanos), u32::from_le_bytes(day.try_into().map_err(|_| mismatch())?));
                // Some writers count the nanoseconds past a day.
                let days = i64::from(day) - JULIAN_1970 + (nanos / DAY_NANOS).cast_signed();
                in_quotes(out, |out| day_time(out, days, nanos % DAY_NANOS, false));
                Ok(())
            });
            Ok(write)
        }
        Leaf::Interval => {
            let array = array.as_fixed_size_binary_opt().ok_or_else(mismatch)?.clone();
            let write: Write = Box::new(move |row, out| {
                let bytes = array.value(row);
                let part = |at: usize| {
                    bytes.get(at..at + 4).and_then(|part| part.try_into().ok()).map_or(0, u32::from_le_bytes)
                };
                span(out, part(0).into(), part(4).into(), i128::from(part(8)) * 1_000_000);
                Ok(())
            });
            Ok(write)
        }
    }
}

fn texts(array: &ArrayRef, write: impl Fn(&mut Vec<u8>, &str) + 'static) -> Result<Write, Trouble> {
    Ok(match array.data_type() {
        DataType::Utf8 => {
            let array = array.as_string::<i32>().clone();
            Box::new(move |row, out| {
                write(out, array.value(row));
                Ok(())
            })
        }
        DataType::LargeUtf8 => {
            let array = array.as_string::<i64>().clone();
            Box::new(move |row, out| {
                write(out, array.value(row));
                Ok(())
            })
        }
        DataType::Utf8View => {
            let array = array.as_string_view().clone();
            Box::new(move |row, out| {
                write(out, array.value(row));
                Ok(())
            })
        }
        _ => return Err(mismatch()),
    })
}

fn blobs(array: &ArrayRef, write: impl Fn(&mut Vec<u8>, &[u8]) + 'static) -> Result<Write, Trouble> {
    Ok(match array.data_type() {
        DataType::Binary => {
            let array = array.as_binary::<i32>().clone();
            Box::new(move |row, out| {
                write(out, array.value(row));
                Ok(())
            })
        }
        DataType::LargeBinary => {
            let array = array.as_binary::<i64>().clone();
            Box::new(move |row, out| {
                write(out, array.value(row));
                Ok(())
            })
        }
        DataType::BinaryView => {
            let array = array.as_binary_view().clone();
            Box::new(move |row, out| {
                write(out, array.value(row));
                Ok(())
            })
        }
        DataType::FixedSizeBinary(_) => {
            let array = array.as_fixed_size_binary().clone();
            Box::new(move |row, out| {
                write(out, array.value(row));
                Ok(())
            })
        }
        _ => return Err(mismatch()),
    })
}

fn decimals<T: ArrowPrimitiveType>(array: &ArrayRef, scale: i8) -> Write
where
    T::Native: ToString,
{
    numbers::<T>(array, move |out, value| decimal(out, &pointed(&value.to_string(), scale)))
}

/// Digits with the point where the scale has it.
fn pointed(digits: &str, scale: i8) -> String {
    let (sign, digits) = digits.strip_prefix('-').map_or(("", digits), |digits| ("-", digits));
    let places = usize::from(scale.unsigned_abs());
    if scale <= 0 {
        let zeros = if digits == "0" { 0 } else { places };
        return format!("{sign}{digits}{}", "0".repeat(zeros));
    }
    if digits.len() <= places {
        return format!("{sign}0.{}{digits}", "0".repeat(places - digits.len()));
    }
    let (whole, fraction) = digits.split_at(digits.len() - places);
    format!("{sign}{whole}.{fraction}")
}

/// Days and nanoseconds of the day.
fn split(value: i64, units_of_second: i64) -> (i64, u64) {
    let day = 86_400 * units_of_second;
    (value.div_euclid(day), value.rem_euclid(day).unsigned_abs() * (1_000_000_000 / units_of_second).unsigned_abs())
}

fn moment(out: &mut Vec<u8>, value: i64, units_of_second: i64, is_moment: bool) {
    let (days, nanos) = split(value, units_of_second);
    in_quotes(out, |out| day_time(out, days, nanos, is_moment));
}

fn clock(out: &mut Vec<u8>, value: i64, units_of_second: i64) -> Result<(), Trouble> {
    if !(0..=86_400 * units_of_second).contains(&value) {
        return Err(Trouble::new("INVALID_VALUE", format!("has {value} as a time of day, which no clock shows")));
    }
    in_quotes(out, |out| {
        time_nanos(out, value.unsigned_abs() * (1_000_000_000 / units_of_second).unsigned_abs(), false)
    });
    Ok(())
}

fn span(out: &mut Vec<u8>, months: i64, days: i64, nanos: i128) {
    text(out, &interval(months, days, nanos));
}

fn nested(array: &ArrayRef, form: &Form) -> Result<Write, Trouble> {
    Ok(match (array.data_type(), form) {
        (DataType::List(_), Form::Inner(form)) => list::<i32>(array, form)?,
        (DataType::LargeList(_), Form::Inner(form)) => list::<i64>(array, form)?,
        (DataType::ListView(_), Form::Inner(form)) => list_view::<i32>(array, form)?,
        (DataType::LargeListView(_), Form::Inner(form)) => list_view::<i64>(array, form)?,
        (DataType::FixedSizeList(_, length), Form::Inner(form)) => {
            let cells = Cells::of(array.as_fixed_size_list().values(), form)?;
            let length = usize::try_from(*length).unwrap_or(0);
            Box::new(move |row, out| elements(&cells, row * length, length, out))
        }
        (DataType::Struct(_), Form::Struct { heads, forms }) => {
            let columns = array.as_struct().columns().iter().zip(forms);
            let cells = columns.map(|(array, form)| Cells::of(array, form)).collect::<Result<Vec<_>, _>>()?;
            let heads = heads.clone();
            Box::new(move |row, out| {
                if cells.is_empty() {
                    out.push(b'{');
                }
                for (head, cells) in heads.iter().zip(&cells) {
                    out.extend_from_slice(head);
                    cells.append(row, out)?;
                }
                out.push(b'}');
                Ok(())
            })
        }
        (DataType::Map(..), Form::Map { is_object, key, value }) => map(array, *is_object, key, value)?,
        (DataType::Dictionary(key, _), Form::Inner(form)) => match key.as_ref() {
            DataType::Int8 => dictionary::<Int8Type>(array, form)?,
            DataType::Int16 => dictionary::<Int16Type>(array, form)?,
            DataType::Int32 => dictionary::<Int32Type>(array, form)?,
            DataType::Int64 => dictionary::<Int64Type>(array, form)?,
            DataType::UInt8 => dictionary::<UInt8Type>(array, form)?,
            DataType::UInt16 => dictionary::<UInt16Type>(array, form)?,
            DataType::UInt32 => dictionary::<UInt32Type>(array, form)?,
            DataType::UInt64 => dictionary::<UInt64Type>(array, form)?,
            _ => return Err(unsupported(array.data_type())),
        },
        (DataType::RunEndEncoded(ends, _), Form::Inner(form)) => match ends.data_type() {
            DataType::Int16 => runs::<Int16Type>(array, form)?,
            DataType::Int32 => runs::<Int32Type>(array, form)?,
            DataType::Int64 => runs::<Int64Type>(array, form)?,
            _ => return Err(unsupported(array.data_type())),
        },
        (DataType::Union(..), Form::Union(forms)) => {
            let union = array.as_union().clone();
            let made = forms.iter().map(|(id, form)| Ok((*id, Cells::of(union.child(*id), form)?)));
            let cells = made.collect::<Result<Vec<_>, Trouble>>()?;
            Box::new(move |row, out| {
                let id = union.type_id(row);
                let (_, cells) = cells.iter().find(|(known, _)| *known == id).ok_or_else(mismatch)?;
                cells.append(union.value_offset(row), out)
            })
        }
        (other, _) => return Err(unsupported(other)),
    })
}

/// Values from a place on, as a list.
fn elements(cells: &Cells, first: usize, length: usize, out: &mut Vec<u8>) -> Result<(), Trouble> {
    let before = out.len();
    out.push(b'[');
    for at in first..first + length {
        if at > first {
            out.push(b',');
        }
        cells.append(at, out)?;
        long(out.len() - before)?;
    }
    out.push(b']');
    Ok(())
}

/// A list of some bytes may stand for any number of values.
fn long(length: usize) -> Result<(), Trouble> {
    if length <= MAX_ROW {
        return Ok(());
    }
    Err(Trouble::new(
        "TOO_LARGE",
        format!("has a value of more than {} MiB of text. Leave it out with 'columns'", MAX_ROW >> 20),
    ))
}

fn list<O: OffsetSizeTrait>(array: &ArrayRef, form: &Form) -> Result<Write, Trouble> {
    let list = array.as_list::<O>();
    let (cells, offsets) = (Cells::of(list.values(), form)?, list.offsets().clone());
    Ok(Box::new(move |row, out| {
        let (first, end) = (offsets[row].as_usize(), offsets[row + 1].as_usize());
        elements(&cells, first, end - first, out)
    }))
}

fn list_view<O: OffsetSizeTrait>(array: &ArrayRef, form: &Form) -> Result<Write, Trouble> {
    let list = array.as_list_view::<O>();
    let (cells, offsets, sizes) = (Cells::of(list.values(), form)?, list.offsets().clone(), list.sizes().clone());
    Ok(Box::new(move |row, out| elements(&cells, offsets[row].as_usize(), sizes[row].as_usize(), out)))
}

fn dictionary<K: ArrowDictionaryKeyType>(array: &ArrayRef, form: &Form) -> Result<Write, Trouble> {
    let dictionary = array.as_dictionary::<K>();
    let (cells, keys) = (Cells::of(dictionary.values(), form)?, dictionary.keys().clone());
    Ok(Box::new(move |row, out| cells.append(keys.value(row).as_usize(), out)))
}

fn runs<E: RunEndIndexType>(array: &ArrayRef, form: &Form) -> Result<Write, Trouble> {
    let runs = array.as_any().downcast_ref::<RunArray<E>>().ok_or_else(mismatch)?.clone();
    let cells = Cells::of(runs.values(), form)?;
    Ok(Box::new(move |row, out| cells.append(runs.get_physical_index(row), out)))
}

fn map(array: &ArrayRef, is_object: bool, key: &Form, value: &Form) -> Result<Write, Trouble> {
    let map = array.as_map();
    let (keys, values, offsets) = (Cells::of(map.keys(), key)?, Cells::of(map.values(), value)?, map.offsets().clone());
    Ok(Box::new(move |row, out| {
        let before = out.len();
        let mut seen = HashSet::new();
        out.push(if is_object { b'{' } else { b'[' });
        let entries = offsets[row].as_usize()..offsets[row + 1].as_usize();
        for (place, at) in entries.enumerate() {
            if place > 0 {
                out.push(b',');
            }
            if !is_object {
                out.extend_from_slice(b"{\"key\":");
                keys.append(at, out)?;
                out.extend_from_slice(b",\"value\":");
                values.append(at, out)?;
                out.push(b'}');
            } else {
                let start = out.len();
                keys.append(at, out)?;
                let name = &out[start..];
                if name == b"null" {
                    return Err(Trouble::new(
                        "INVALID_VALUE",
                        "has a map with a key that is null, which no object has",
                    ));
                }
                if !seen.insert(name.to_vec()) {
                    let name: String = String::from_utf8_lossy(name).chars().take(60).collect();
                    let words = format!(
                        "has a map with the key {name} twice, and an object has each name once. Leave it out with 'columns'"
                    );
                    return Err(Trouble::new("DUPLICATE_MEMBER", words));
                }
                out.push(b':');
                values.append(at, out)?;
            }
            long(out.len() - before)?;
        }
        out.push(if is_object { b'}' } else { b']' });
        Ok(())
    }))
}
