//! The stream format of Arrow: a schema, then dictionaries and record batches, one after the other.

use crate::arrow_file::{Table, broken};
use crate::arrow_message::{Head, damaged};
use crate::rows::RowWriter;
use crate::source::Source;
use crate::{ReadOptions, RowSink};
use arrow_ipc::MessageHeader;
use serde_json::Value;
use signalbox_documents::Error;

pub(crate) fn read(source: &Source, options: &ReadOptions, rows: &mut RowSink<'_>) -> Result<String, Error> {
    let first = Head::at(source, 0)?.ok_or_else(|| damaged("it has no messages"))?;
    let message = first.message()?;
    let types = message.header_as_schema().ok_or_else(|| damaged("it does not begin with a schema"))?;
    let version = message.version();
    let table = Table::of(types, version, options)?;
    if options.wants_rows() {
        let mut decoder = table.decoder(version);
        let mut writer = RowWriter::new(options, rows);
        let mut at = first.end();
        while !writer.is_done() {
            let Some(head) = Head::at(source, at)? else { break };
            at = head.end();
            if head.kind == MessageHeader::DictionaryBatch {
                let (block, body) = head.with_body(source)?;
                decoder.read_dictionary(&block, &body).map_err(|error| broken(&error))?;
            } else {
                table.batch(source, &head, &decoder, &mut writer)?;
            }
        }
        writer.end()?;
    }
    if !options.wants_description() {
        return Ok(Value::Null.to_string());
    }
    // Nothing says how many rows there are, so the heads are counted.
    let (mut at, mut counted, mut batches) = (first.end(), 0_u64, 0);
    while let Some(head) = Head::at(source, at)? {
        at = head.end();
        if head.kind == MessageHeader::RecordBatch {
            counted = counted.saturating_add(head.rows);
            batches += 1;
        }
    }
    Ok(table.description("arrowStream", counted, batches))
}
