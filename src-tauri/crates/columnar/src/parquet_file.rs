//! Parquet: the footer, then the pages of the wanted columns, some rows at a time.

use crate::codec::Codec;
use crate::failure::{Format, too_large};
use crate::form::{Form, Leaf};
use crate::names::{chosen, distinct};
use crate::pages::ColumnChunks;
use crate::rows::{Columns, RowWriter};
use crate::source::Source;
use crate::{MAX_COLUMNS, ReadOptions, RowSink, footer, schema};
use arrow_schema::{DataType, Field, FieldRef, Fields};
use parquet::arrow::arrow_reader::{ParquetRecordBatchReader, RowGroups};
use parquet::arrow::{ProjectionMask, parquet_to_arrow_field_levels, parquet_to_arrow_schema};
use parquet::basic::{Compression, ConvertedType, LogicalType, Repetition, Type as Physical};
use parquet::column::page::PageIterator;
use parquet::errors::{ParquetError, Result as ParquetResult};
use parquet::file::metadata::{ParquetMetaData, ParquetMetaDataReader, RowGroupMetaData};
use parquet::schema::types::{SchemaDescriptor, Type, TypePtr};
use serde_json::{Value, json};
use signalbox_documents::Error;
use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

/// Rows of a batch at most.
const MOST_ROWS: usize = 8_192;
/// Values of a batch, where a row has many.
const MOST_VALUES: u64 = 512 * 1_024;
/// Bytes of a batch, where values are long.
const MOST_BYTES: u64 = 32 * 1024 * 1024;

fn damaged(error: &ParquetError) -> Error {
    let words = error.to_string();
    let words = words.strip_prefix("Parquet error: ").unwrap_or(&words);
    if words.contains("CompressionCodec") {
        return Error::new(
            "UNSUPPORTED_COMPRESSION",
            format!("The file is compressed in a way that is not known ({words}). Write it with Zstandard or Snappy"),
        );
    }
    Format::Parquet.damaged(words)
}

pub(crate) fn read(source: &Source, options: &ReadOptions, rows: &mut RowSink<'_>) -> Result<String, Error> {
    let footer = footer::read(source)?;
    let metadata = ParquetMetaDataReader::decode_metadata(&footer).map_err(|error| damaged(&error))?;
    drop(footer);
    let file = File::of(source.clone(), Arc::new(metadata), options)?;
    if options.wants_rows() {
        file.rows(options, rows)?;
    }
    Ok(if options.wants_description() { file.description().to_string() } else { Value::Null.to_string() })
}

struct File {
    source: Source,
    metadata: Arc<ParquetMetaData>,
    /// With types of twelve bytes in place of those that would lose something.
    descriptor: SchemaDescriptor,
    mask: ProjectionMask,
    /// Of all columns, as they are read.
    fields: Fields,
    names: Vec<String>,
    /// The columns that are read, in the order of their values, and their forms.
    chosen: Vec<usize>,
    forms: HashMap<usize, Form>,
}

impl File {
    fn of(source: Source, metadata: Arc<ParquetMetaData>, options: &ReadOptions) -> Result<Self, Error> {
        let about = metadata.file_metadata();
        let original = about.schema_descr();
        let texts = about.key_value_metadata();
        // Where the copy of its types that Arrow writes is not right, the types of Parquet hold.
        let types = parquet_to_arrow_schema(original, texts).or_else(|_| parquet_to_arrow_schema(original, None));
        let fields: Fields = types.map_err(|error| damaged(&error))?.fields().iter().map(as_view).collect();
        let names = distinct(fields.iter().map(|field| field.name().as_str()));
        let chosen = chosen(&names, options)?;
        let root = exact(original.root_schema()).map_err(|error| damaged(&error))?;
        let descriptor = SchemaDescriptor::new(root);
        let mask = ProjectionMask::roots(&descriptor, chosen.iter().copied());
        let read = (0..original.num_columns()).filter(|leaf| mask.leaf_included(*leaf)).count();
        if read > MAX_COLUMNS {
            let words = format!(
                "The file has {read} columns with those inside of others, and at most {MAX_COLUMNS} are read. Choose some with 'columns'"
            );
            return Err(too_large(words, MAX_COLUMNS as u64));
        }
        let mut leaves =
            (0..original.num_columns()).filter(|leaf| mask.leaf_included(*leaf)).map(|leaf| leaf_kind(original, leaf));
        let mut forms = HashMap::new();
        for place in chosen.iter().copied().collect::<BTreeSet<_>>() {
            let form =
                Form::of(&fields[place], &mut leaves).map_err(|trouble| trouble.of_column(&names[place], None))?;
            forms.insert(place, form);
        }
        Ok(Self { source, metadata: Arc::clone(&metadata), descriptor, mask, fields, names, chosen, forms })
    }

    fn rows(&self, options: &ReadOptions, sink: &mut RowSink<'_>) -> Result<(), Error> {
        let mut writer = RowWriter::new(options, sink);
        let mut groups = Vec::new();
        for (index, group) in self.metadata.row_groups().iter().enumerate() {
            let rows = u64::try_from(group.num_rows())
                .map_err(|_| Format::Parquet.damaged("a row group has less than no rows"))?;
            if let Some(path) = group.columns().iter().find_map(|column| column.file_path()) {
                return Err(Format::Parquet.damaged(&format!("its rows are in another file ('{path}')")));
            }
            groups.push((index, rows));
        }
        // Whole groups before the offset are not looked at.
        let mut first = 0;
        while groups.get(first).is_some_and(|(_, rows)| writer.passes(*rows)) {
            writer.pass(groups[first].1);
            first += 1;
        }
        let groups: Vec<_> = groups.into_iter().skip(first).collect();
        let begin = writer.at();
        let levels = parquet_to_arrow_field_levels(&self.descriptor, self.mask.clone(), Some(&self.fields))
            .map_err(|error| damaged(&error))?;
        // Columns of the reader are in the order of the file.
        let in_order: BTreeSet<_> = self.chosen.iter().copied().collect();
        let place = |wanted: &usize| in_order.iter().position(|place| place == wanted).unwrap_or(usize::MAX);
        let names = self.chosen.iter().map(|place| self.names[*place].clone()).collect();
        let forms = self.chosen.iter().filter_map(|place| self.forms.get(place).cloned()).collect();
        let columns = Columns::new(names, self.chosen.iter().map(place).collect(), forms);
        let chosen = Chosen {
            source: &self.source,
            metadata: &self.metadata,
            groups: groups.iter().map(|(index, _)| *index).collect(),
        };
        let reader =
            ParquetRecordBatchReader::try_new_with_row_groups(&levels, &chosen, self.batch_rows(&chosen.groups), None);
        let mut last = begin;
        for batch in reader.map_err(|error| damaged(&error))? {
            let batch = batch.map_err(|error| {
                let words = error.to_string();
                damaged(&ParquetError::General(words.trim_start_matches("Parquet argument error: ").to_owned()))
            })?;
            writer.batch(&columns, batch.columns(), batch.num_rows())?;
            last += batch.num_rows() as u64;
            if writer.is_done() {
                return writer.end();
            }
        }
        let said = groups.iter().fold(begin, |sum: u64, (_, rows)| sum.saturating_add(*rows));
        if last != said {
            return Err(Format::Parquet.damaged(&format!("it has {last} rows, and its footer says {said}")));
        }
        writer.end()
    }

    /// How many rows are read at once, so that neither many columns nor long lists or values take much memory.
    fn batch_rows(&self, groups: &[usize]) -> usize {
        let mut most = MOST_ROWS as u64;
        for group in groups.iter().map(|index| self.metadata.row_group(*index)) {
            let rows = u64::try_from(group.num_rows()).unwrap_or(0).max(1);
            let read = group.columns().iter().enumerate().filter(|(leaf, _)| self.mask.leaf_included(*leaf));
            let (mut values, mut bytes) = (0_u64, 0_u64);
            for (_, column) in read {
                let count = u64::try_from(column.num_values()).unwrap_or(0);
                values = values.saturating_add(count);
                let width = u64::try_from(column.column_descr().type_length()).unwrap_or(0).max(8);
                // A dictionary says a long text in a few bytes, but texts are not copied. All else has its width.
                bytes = bytes.saturating_add(
                    count.saturating_mul(width).max(u64::try_from(column.uncompressed_size()).unwrap_or(0)),
                );
            }
            most = most.min(MOST_VALUES / (values / rows).max(1)).min(MOST_BYTES / (bytes / rows).max(1));
        }
        usize::try_from(most).unwrap_or(1).max(1)
    }

    fn description(&self) -> Value {
        let about = self.metadata.file_metadata();
        let columns = self
            .chosen
            .iter()
            .filter_map(|place| Some((&self.names[*place], self.fields[*place].as_ref(), self.forms.get(place)?)));
        let pairs = about.key_value_metadata().into_iter().flatten();
        let texts = pairs.map(|pair| (pair.key.as_str(), pair.value.as_deref().unwrap_or_default()));
        let used = self.metadata.row_groups().iter().flat_map(|group| group.columns());
        let compression: BTreeSet<_> = used.map(|column| compression_name(column.compression())).collect();
        json!({
            "format": "parquet",
            "columns": schema::described(columns),
            "rowCount": about.num_rows(),
            "rowGroups": self.metadata.num_row_groups(),
            "compression": compression,
            "createdBy": about.created_by(),
            "metadata": schema::metadata(texts),
        })
    }
}

fn compression_name(compression: Compression) -> &'static str {
    match (compression, Codec::of(compression)) {
        (_, Ok(None)) => "none",
        (_, Ok(Some(Codec::Snappy))) => "snappy",
        (_, Ok(Some(Codec::Gzip))) => "gzip",
        (_, Ok(Some(Codec::Brotli))) => "brotli",
        (_, Ok(Some(Codec::Zstd))) => "zstd",
        (_, Ok(Some(Codec::Lz4Block | Codec::Lz4Hadoop | Codec::Lz4Frame))) => "lz4",
        (_, Err(_)) => "lzo",
    }
}

fn leaf_kind(descriptor: &SchemaDescriptor, leaf: usize) -> Leaf {
    let column = descriptor.column(leaf);
    match (column.physical_type(), column.logical_type_ref(), column.converted_type()) {
        (Physical::INT96, _, _) => Leaf::Int96,
        (Physical::FIXED_LEN_BYTE_ARRAY, _, ConvertedType::INTERVAL) => Leaf::Interval,
        (Physical::FIXED_LEN_BYTE_ARRAY, Some(LogicalType::Uuid), _) => Leaf::Uuid,
        (_, Some(LogicalType::Json), _) | (_, None, ConvertedType::JSON) => Leaf::Json,
        _ => Leaf::Plain,
    }
}

/// The types of a file, with twelve bytes in place of INT96 and INTERVAL: the library reads the first as nanoseconds of 64 bits, which
/// end in the year 2262, and the second without its months. In a file both are twelve bytes as well.
fn exact(of: &Type) -> ParquetResult<TypePtr> {
    let about = of.get_basic_info();
    let id = about.has_id().then(|| about.id());
    let made = match of {
        Type::PrimitiveType { physical_type: Physical::INT96, .. } => bytes_of(of, id)?,
        Type::PrimitiveType { physical_type: Physical::FIXED_LEN_BYTE_ARRAY, .. }
            if about.converted_type() == ConvertedType::INTERVAL =>
        {
            bytes_of(of, id)?
        }
        Type::PrimitiveType { .. } => of.clone(),
        Type::GroupType { fields, .. } => {
            let fields = fields.iter().map(|field| exact(field)).collect::<ParquetResult<Vec<_>>>()?;
            let mut builder = Type::group_type_builder(of.name()).with_fields(fields).with_id(id);
            builder = builder
                .with_converted_type(about.converted_type())
                .with_logical_type(about.logical_type_ref().cloned());
            if about.has_repetition() {
                builder = builder.with_repetition(about.repetition());
            }
            builder.build()?
        }
    };
    Ok(Arc::new(made))
}

fn bytes_of(of: &Type, id: Option<i32>) -> ParquetResult<Type> {
    let about = of.get_basic_info();
    let repetition = if about.has_repetition() { about.repetition() } else { Repetition::REQUIRED };
    Type::primitive_type_builder(of.name(), Physical::FIXED_LEN_BYTE_ARRAY)
        .with_length(12)
        .with_repetition(repetition)
        .with_id(id)
        .build()
}

/// The type in which a column is read: texts and bytes as views, which refer to a page and its dictionary and do not copy them, and no
/// dictionaries.
fn as_view(field: &FieldRef) -> FieldRef {
    let kind = viewed(field.data_type());
    Arc::new(Field::clone(field).with_data_type(kind))
}

fn viewed(kind: &DataType) -> DataType {
    match kind {
        DataType::Utf8 | DataType::LargeUtf8 => DataType::Utf8View,
        DataType::Binary | DataType::LargeBinary => DataType::BinaryView,
        DataType::Dictionary(_, value) => viewed(value),
        DataType::RunEndEncoded(_, values) => viewed(values.data_type()),
        DataType::List(element) => DataType::List(as_view(element)),
        DataType::LargeList(element) => DataType::LargeList(as_view(element)),
        DataType::ListView(element) => DataType::List(as_view(element)),
        DataType::LargeListView(element) => DataType::LargeList(as_view(element)),
        DataType::FixedSizeList(element, length) => DataType::FixedSizeList(as_view(element), *length),
        DataType::Struct(fields) => DataType::Struct(fields.iter().map(as_view).collect()),
        DataType::Map(entries, sorted) => DataType::Map(as_view(entries), *sorted),
        other => other.clone(),
    }
}

/// The row groups that are read.
struct Chosen<'a> {
    source: &'a Source,
    metadata: &'a Arc<ParquetMetaData>,
    groups: Vec<usize>,
}

impl RowGroups for Chosen<'_> {
    fn num_rows(&self) -> usize {
        self.row_groups().fold(0, |sum, group| sum.saturating_add(usize::try_from(group.num_rows()).unwrap_or(0)))
    }

    fn column_chunks(&self, column: usize) -> ParquetResult<Box<dyn PageIterator>> {
        Ok(Box::new(ColumnChunks {
            source: self.source.clone(),
            metadata: Arc::clone(self.metadata),
            groups: self.groups.iter().copied().collect(),
            column,
        }))
    }

    fn row_groups(&self) -> Box<dyn Iterator<Item = &RowGroupMetaData> + '_> {
        Box::new(self.groups.iter().map(|index| self.metadata.row_group(*index)))
    }

    fn metadata(&self) -> &ParquetMetaData {
        self.metadata
    }
}
