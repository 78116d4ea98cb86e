//! The pages of a column of Parquet. The library reads their heads and checks their checksums; they are unpacked here, up to a limit.

use crate::MAX_PAGE;
use crate::codec::{Codec, unpack};
use crate::failure::Format;
use crate::source::Source;
use bytes::Bytes;
use parquet::basic::{Compression, Encoding, Type};
use parquet::column::page::{Page, PageIterator, PageMetadata, PageReader};
use parquet::errors::{ParquetError, Result};
use parquet::file::metadata::{ColumnChunkMetaData, ParquetMetaData};
use parquet::file::serialized_reader::SerializedPageReader;
use signalbox_documents::Error;
use std::collections::VecDeque;
use std::sync::Arc;

/// The pages of a column in some row groups, one row group after the other.
pub(crate) struct ColumnChunks {
    pub(crate) source: Source,
    pub(crate) metadata: Arc<ParquetMetaData>,
    pub(crate) groups: VecDeque<usize>,
    pub(crate) column: usize,
}

impl Iterator for ColumnChunks {
    type Item = Result<Box<dyn PageReader>>;

    fn next(&mut self) -> Option<Self::Item> {
        let group = self.groups.pop_front()?;
        let group = self.metadata.row_group(group);
        let rows = usize::try_from(group.num_rows()).unwrap_or(0);
        Some(
            Pages::open(&self.source, group.column(self.column), rows)
                .map(|pages| Box::new(pages) as Box<dyn PageReader>),
        )
    }
}

impl PageIterator for ColumnChunks {}

struct Pages {
    /// Of a column that says that it is not compressed, so that it gives the bytes as they are.
    packed: SerializedPageReader<Source>,
    codec: Option<Codec>,
    source: Source,
    column: String,
    /// Of INT96: whether its pages begin with repetition and definition levels.
    int96: Option<(bool, bool)>,
}

impl Pages {
    fn open(source: &Source, column: &ColumnChunkMetaData, rows: usize) -> Result<Self> {
        let name = column.column_path().string();
        let codec = Codec::of(column.compression()).map_err(|codec| {
            refused(source, Error::new("UNSUPPORTED_COMPRESSION", format!("The column '{name}' is compressed with {codec}, which is not read. Write the file with Zstandard or Snappy")).detail("column", name.as_str()))
        })?;
        let plain = column.clone().into_builder().set_compression(Compression::UNCOMPRESSED).build()?;
        let packed = SerializedPageReader::new(Arc::new(source.clone()), &plain, rows, None)?;
        let levels = column.column_descr();
        let has_levels = (levels.max_rep_level() > 0, levels.max_def_level() > 0);
        let int96 = (column.column_type() == Type::INT96).then_some(has_levels);
        Ok(Self { packed, codec, source: source.clone(), column: name, int96 })
    }

    fn unpacked(&self, codec: Codec, packed: &[u8]) -> Result<Vec<u8>> {
        unpack(codec, packed, MAX_PAGE).map_err(|error| {
            let part = format!("A page of the column '{}'", self.column);
            let damaged =
                |why: &str| Format::Parquet.damaged(&format!("the column '{}' has a page whose {why}", self.column));
            refused(&self.source, error.error(MAX_PAGE, &part, damaged))
        })
    }

    fn page(&self, page: Page) -> Result<Page> {
        let Some(codec) = self.codec else { return Ok(page) };
        Ok(match page {
            Page::DataPage { buf, num_values, encoding, def_level_encoding, rep_level_encoding, statistics } => {
                let buf = Bytes::from(self.unpacked(codec, &buf)?);
                Page::DataPage { buf, num_values, encoding, def_level_encoding, rep_level_encoding, statistics }
            }
            Page::DictionaryPage { buf, num_values, encoding, is_sorted } => {
                let buf = Bytes::from(self.unpacked(codec, &buf)?);
                Page::DictionaryPage { buf, num_values, encoding, is_sorted }
            }
            Page::DataPageV2 {
                buf,
                num_values,
                encoding,
                num_nulls,
                num_rows,
                def_levels_byte_len,
                rep_levels_byte_len,
                is_compressed: true,
                statistics,
            } => {
                // The levels are not compressed.
                let levels = def_levels_byte_len as usize + rep_levels_byte_len as usize;
                let (head, packed) = buf
                    .split_at_checked(levels)
                    .ok_or_else(|| ParquetError::EOF("a page ends in its levels".into()))?;
                let mut buf = head.to_vec();
                buf.extend(self.unpacked(codec, packed)?);
                Page::DataPageV2 {
                    buf: Bytes::from(buf),
                    num_values,
                    encoding,
                    num_nulls,
                    num_rows,
                    def_levels_byte_len,
                    rep_levels_byte_len,
                    is_compressed: false,
                    statistics,
                }
            }
            page @ Page::DataPageV2 { .. } => page,
        })
    }
}

/// A page of INT96 without what some writers put behind the values: as twelve bytes, the library refuses it.
fn trimmed(page: Page, (has_repetition, has_definition): (bool, bool)) -> Page {
    let whole = |buf: &Bytes, levels: usize| buf.slice(..buf.len() - buf.len().saturating_sub(levels) % 12);
    match page {
        Page::DataPage { buf, num_values, encoding, def_level_encoding, rep_level_encoding, statistics }
            if encoding == Encoding::PLAIN =>
        {
            // Each kind of levels that is there has its length before it.
            let mut levels = 0_usize;
            for _ in 0..usize::from(has_repetition) + usize::from(has_definition) {
                let length = buf.get(levels..levels.saturating_add(4)).and_then(|bytes| bytes.try_into().ok());
                levels = levels.saturating_add(4 + length.map_or(0, u32::from_le_bytes) as usize);
            }
            let buf = whole(&buf, levels.min(buf.len()));
            Page::DataPage { buf, num_values, encoding, def_level_encoding, rep_level_encoding, statistics }
        }
        Page::DictionaryPage { buf, num_values, encoding, is_sorted } => {
            let buf = whole(&buf, 0);
            Page::DictionaryPage { buf, num_values, encoding, is_sorted }
        }
        page => page,
    }
}

/// The library hands on words only; the error itself waits at the source.
fn refused(source: &Source, error: Error) -> ParquetError {
    let words = error.message.clone();
    source.fail(error);
    ParquetError::General(words)
}

impl Iterator for Pages {
    type Item = Result<Page>;

    fn next(&mut self) -> Option<Self::Item> {
        self.get_next_page().transpose()
    }
}

impl PageReader for Pages {
    fn get_next_page(&mut self) -> Result<Option<Page>> {
        let Some(page) = self.packed.get_next_page()? else { return Ok(None) };
        let page = self.page(page)?;
        Ok(Some(match self.int96 {
            Some(levels) => trimmed(page, levels),
            None => page,
        }))
    }

    fn peek_next_page(&mut self) -> Result<Option<PageMetadata>> {
        self.packed.peek_next_page()
    }

    fn skip_next_page(&mut self) -> Result<()> {
        self.packed.skip_next_page()
    }

    fn at_record_boundary(&mut self) -> Result<bool> {
        self.packed.at_record_boundary()
    }
}
