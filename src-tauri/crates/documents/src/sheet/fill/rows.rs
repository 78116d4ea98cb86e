//! Where the rows of a sheet are after some of them were repeated. Rows count from 1, as in the file.

use crate::sheet::MAX_ROWS;
use std::ops::RangeInclusive;
use std::sync::Arc;

/// Rows that are repeated for each element of a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Block {
    pub(super) first: u32,
    pub(super) last: u32,
    /// How often the rows are in the result: at least once, because formulas need a place to refer to.
    pub(super) copies: u32,
    /// The list has no elements: the rows stay, empty and hidden.
    pub(super) is_empty: bool,
    /// The path of the list.
    pub(super) list: Arc<str>,
}

impl Block {
    pub(super) fn height(&self) -> u32 {
        self.last - self.first + 1
    }

    pub(super) fn contains(&self, row: u32) -> bool {
        (self.first..=self.last).contains(&row)
    }

    fn inserted(&self) -> u32 {
        self.height().saturating_mul(self.copies.saturating_sub(1))
    }
}

/// The repeated rows of one sheet, from top to bottom. Rows are only ever inserted, so every row has a place.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct RowMap {
    blocks: Vec<Block>,
}

impl RowMap {
    /// Of blocks from top to bottom that do not overlap.
    pub(super) fn new(blocks: Vec<Block>) -> Self {
        Self { blocks }
    }

    pub(super) fn blocks(&self) -> &[Block] {
        &self.blocks
    }

    /// Every row stays where it is.
    pub(super) fn is_plain(&self) -> bool {
        self.blocks.iter().all(|block| block.copies == 1)
    }

    pub(super) fn block_of(&self, row: u32) -> Option<&Block> {
        let index = self.blocks.partition_point(|block| block.last < row);
        self.blocks.get(index).filter(|block| block.contains(row))
    }

    /// Where a row is; of a repeated one the first copy.
    pub(super) fn first(&self, row: u32) -> u32 {
        let above = self.blocks.iter().take_while(|block| block.last < row);
        above.fold(row, |row, block| row.saturating_add(block.inserted()))
    }

    /// Where a row is; of a repeated one the last copy.
    pub(super) fn last(&self, row: u32) -> u32 {
        let copies = self.block_of(row).map_or(1, |block| block.copies);
        self.copy(row, copies.saturating_sub(1))
    }

    /// A copy of a repeated row; another row has one place.
    pub(super) fn copy(&self, row: u32, copy: u32) -> u32 {
        let below = self.block_of(row).map_or(0, |block| block.height().saturating_mul(copy));
        self.first(row).saturating_add(below)
    }

    /// The rows that a range covers afterwards; one end at the last row of a sheet stays there.
    pub(super) fn grown(&self, first: u32, last: u32) -> (u32, u32) {
        (self.first(first).min(MAX_ROWS), self.last(last).min(MAX_ROWS))
    }

    /// The same for something that applies to cells and not to what is between them: of a block of several rows, each copy of the
    /// rows that are meant.
    pub(super) fn ranges(&self, first: u32, last: u32) -> Vec<(u32, u32)> {
        match self.block_of(first) {
            Some(block) if block.contains(last) && last - first + 1 < block.height() => {
                (0..block.copies).map(|copy| (self.copy(first, copy), self.copy(last, copy))).collect()
            }
            _ => vec![self.grown(first, last)],
        }
    }

    /// The rows that repeated rows take in the result.
    pub(super) fn place(&self, block: &Block) -> RangeInclusive<u32> {
        self.first(block.first)..=self.last(block.last)
    }
}
