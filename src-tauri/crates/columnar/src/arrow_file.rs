//! The file format of Arrow (Feather version 2): a footer says where the record batches are.

use crate::arrow_message::{Head, damaged};
use crate::failure::{ARROW_MAGIC, too_large};
use crate::form::Form;
use crate::names::{chosen, distinct};
use crate::rows::{Columns, RowWriter};
use crate::source::Source;
use crate::{MAX_COLUMNS, MAX_FOOTER, ReadOptions, RowSink, schema};
use arrow_ipc::convert::try_fb_to_schema;
use arrow_ipc::reader::FileDecoder;
use arrow_ipc::{Block, Endianness, MessageHeader, MetadataVersion, root_as_footer};
use arrow_schema::{ArrowError, DataType, Field, Schema};
use serde_json::{Value, json};
use signalbox_documents::Error;
use std::iter;
use std::sync::Arc;

pub(crate) fn read(source: &Source, options: &ReadOptions, rows: &mut RowSink<'_>) -> Result<String, Error> {
    let size = source.size();
    let tail =
        size.checked_sub(10).filter(|at| *at >= 8).ok_or_else(|| damaged("it is cut off after its first bytes"))?;
    let end = source.bytes(tail, 10).map_err(|error| damaged(&error.to_string()))?;
    if !end.ends_with(ARROW_MAGIC) {
        return Err(damaged("its end is missing: it was cut off, or is still being written"));
    }
    let length = u64::try_from(end[..4].try_into().map_or(0, i32::from_le_bytes))
        .map_err(|_| damaged("its footer has a negative length"))?;
    if length > MAX_FOOTER {
        return Err(too_large(
            format!("The footer of the Arrow file has {length} bytes, and at most {MAX_FOOTER} are read"),
            MAX_FOOTER,
        ));
    }
    let at = tail.checked_sub(length).ok_or_else(|| damaged("its footer would be longer than the file"))?;
    let bytes = source.bytes(at, usize::try_from(length).unwrap_or(0)).map_err(|error| damaged(&error.to_string()))?;
    let footer =
        root_as_footer(&bytes).map_err(|error| damaged(&format!("its footer cannot be understood: {error}")))?;
    let types = footer.schema().ok_or_else(|| damaged("its footer has no schema"))?;
    let table = Table::of(types, footer.version(), options)?;
    let batches: Vec<Block> = footer.recordBatches().into_iter().flatten().copied().collect();
    let head = |block: &Block| {
        let at = u64::try_from(block.offset()).map_err(|_| damaged("a block of it is before its beginning"))?;
        Head::at(source, at)?.ok_or_else(|| damaged("a block of it has no message"))
    };
    if options.wants_rows() {
        let mut decoder = table.decoder(footer.version());
        for block in footer.dictionaries().into_iter().flatten() {
            let (block, body) = head(block)?.with_body(source)?;
            decoder.read_dictionary(&block, &body).map_err(|error| broken(&error))?;
        }
        let mut writer = RowWriter::new(options, rows);
        for block in &batches {
            if writer.is_done() {
                break;
            }
            table.batch(source, &head(block)?, &decoder, &mut writer)?;
        }
        writer.end()?;
    }
    if !options.wants_description() {
        return Ok(Value::Null.to_string());
    }
    let counted = batches.iter().try_fold(0_u64, |sum, block| Ok::<_, Error>(sum.saturating_add(head(block)?.rows)))?;
    Ok(table.description("arrow", counted, batches.len()))
}

pub(crate) fn broken(error: &ArrowError) -> Error {
    damaged(&error.to_string())
}

/// The columns of a file or a stream.
pub(crate) struct Table {
    schema: Arc<Schema>,
    names: Vec<String>,
    chosen: Vec<usize>,
    columns: Columns,
    forms: Vec<Form>,
}

impl Table {
    pub(crate) fn of(
        types: arrow_ipc::Schema<'_>,
        version: MetadataVersion,
        options: &ReadOptions,
    ) -> Result<Self, Error> {
        if types.endianness() == Endianness::Big {
            return Err(Error::new(
                "UNSUPPORTED_TYPE",
                "The Arrow file was written on a machine with the other order of bytes (big-endian), which is not read",
            ));
        }
        if version.0 < MetadataVersion::V4.0 {
            return Err(Error::new(
                "UNKNOWN_FORMAT",
                "The Arrow file has a version of before 2017, which is not read. Write it again with a newer program",
            ));
        }
        let schema = Arc::new(try_fb_to_schema(types).map_err(|error| broken(&error))?);
        let names = distinct(schema.fields().iter().map(|field| field.name().as_str()));
        let chosen = chosen(&names, options)?;
        let read: usize = chosen.iter().map(|place| leaves(schema.field(*place))).sum();
        if read > MAX_COLUMNS {
            let words = format!(
                "The file has {read} columns with those inside of others, and at most {MAX_COLUMNS} are read. Choose some with 'columns'"
            );
            return Err(too_large(words, MAX_COLUMNS as u64));
        }
        let form = |place: &usize| {
            Form::of(schema.field(*place), &mut iter::empty())
                .map_err(|trouble| trouble.of_column(&names[*place], None))
        };
        let forms = chosen.iter().map(form).collect::<Result<Vec<_>, Error>>()?;
        let read_names = chosen.iter().map(|place| names[*place].clone()).collect();
        let columns = Columns::new(read_names, (0..chosen.len()).collect(), forms.clone());
        Ok(Self { forms, schema: Arc::clone(&schema), names, chosen, columns })
    }

    pub(crate) fn decoder(&self, version: MetadataVersion) -> FileDecoder {
        let decoder = FileDecoder::new(Arc::clone(&self.schema), version);
        // The library looks for each column among those that are wanted.
        let are_all = self.chosen.iter().copied().eq(0..self.schema.fields().len());
        if are_all { decoder } else { decoder.with_projection(self.chosen.clone()) }
    }

    /// Writes the rows of a record batch, which is not read where none of them is wanted.
    pub(crate) fn batch(
        &self,
        source: &Source,
        head: &Head,
        decoder: &FileDecoder,
        writer: &mut RowWriter<'_, '_>,
    ) -> Result<(), Error> {
        if head.kind != MessageHeader::RecordBatch {
            return Err(damaged("a record batch is expected, and there is another message"));
        }
        if writer.passes(head.rows) {
            writer.pass(head.rows);
            return Ok(());
        }
        let (block, body) = head.with_body(source)?;
        match decoder.read_record_batch(&block, &body).map_err(|error| broken(&error))? {
            Some(batch) => writer.batch(&self.columns, batch.columns(), batch.num_rows()),
            None => Ok(()),
        }
    }

    pub(crate) fn description(&self, format: &str, rows: u64, batches: usize) -> String {
        let columns = self
            .chosen
            .iter()
            .zip(&self.forms)
            .map(|(place, form)| (&self.names[*place], self.schema.field(*place), form));
        let made = json!({
            "format": format,
            "columns": schema::described(columns),
            "rowCount": rows,
            "batches": batches,
            "metadata": schema::metadata(self.schema.metadata().iter().map(|(name, value)| (name.as_str(), value.as_str()))),
        });
        made.to_string()
    }
}

/// How many columns a column is, with those inside.
fn leaves(field: &Field) -> usize {
    match field.data_type() {
        DataType::List(field)
        | DataType::LargeList(field)
        | DataType::ListView(field)
        | DataType::LargeListView(field)
        | DataType::FixedSizeList(field, _)
        | DataType::Map(field, _)
        | DataType::RunEndEncoded(_, field) => leaves(field),
        DataType::Struct(fields) => fields.iter().map(|field| leaves(field)).sum::<usize>().max(1),
        DataType::Union(fields, _) => fields.iter().map(|(_, field)| leaves(field)).sum::<usize>().max(1),
        _ => 1,
    }
}
