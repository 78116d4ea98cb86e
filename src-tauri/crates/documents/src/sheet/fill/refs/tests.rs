use super::{Book, CellRange, Place, SeveralSheets, moved_cell, moved_range, moved_ranges};
use crate::sheet::fill::formula::{Part, parse};
use crate::sheet::fill::rows::{Block, RowMap};
use proptest::prelude::*;
use std::collections::BTreeSet;

fn block(first: u32, last: u32, copies: u32, list: &str) -> Block {
    Block { first, last, copies, is_empty: false, list: list.into() }
}

/// `Invoice` repeats row 5 five times, `Other` nothing.
fn book() -> Book {
    let map = RowMap::new(vec![block(5, 5, 5, "lines")]);
    Book { sheets: vec![("Invoice".into(), map), ("Other".into(), RowMap::default())] }
}

fn outside(formula: &str) -> String {
    book().rewrite(formula, Place::of(0)).expect("a formula").into_owned()
}

fn copy(formula: &str, copy: u32) -> String {
    book().rewrite(formula, Place::of(0).copy("lines", copy)).expect("a formula").into_owned()
}

#[test]
fn ranges_grow_with_repeated_rows_and_cells_below_move() {
    for (before, after) in [
        ("SUM(D5:D5)", "SUM(D5:D9)"),
        ("SUM(D5)", "SUM(D5:D9)"),
        ("SUM($D$5)", "SUM($D$5:$D$9)"),
        ("SUM(D4:D6)", "SUM(D4:D10)"),
        ("D5*2", "D5*2"),
        ("D6+D$7", "D10+D$11"),
        ("B2+A1", "B2+A1"),
        ("D:D+5:5+3:4", "D:D+5:9+3:4"),
        ("SUM(Invoice!D5:E5)", "SUM(Invoice!D5:E9)"),
        ("SUM('invoice'!D6)", "SUM('invoice'!D10)"),
        ("Other!D6", "Other!D6"),
        ("[1]Invoice!D6", "[1]Invoice!D6"),
        ("\"D6\"&Unknown!D6", "\"D6\"&Unknown!D6"),
        ("A1048576+A1:A1048576", "A1048576+A1:A1048576"),
        ("SUM(D9:D5)", "SUM(D13:D5)"),
    ] {
        assert_eq!(outside(before), after, "{before}");
    }
    // From another sheet.
    let other = book().rewrite("Invoice!D6+D6", Place::of(1)).expect("a formula").into_owned();
    assert_eq!(other, "Invoice!D10+D6");
}

#[test]
fn a_copy_refers_to_its_row() {
    for (before, first, third) in [
        ("B5*C5", "B5*C5", "B7*C7"),
        ("SUM(A5:C5)", "SUM(A5:C5)", "SUM(A7:C7)"),
        ("B5*$B$2", "B5*$B$2", "B7*$B$2"),
        ("B5*B2", "B5*B2", "B7*B2"),
        // The row before, as in a running total.
        ("F4+D5", "F4+D5", "F6+D7"),
        ("F$4+D5", "F$4+D5", "F$4+D7"),
        ("SUM(D$5:D5)", "SUM(D$5:D5)", "SUM(D$5:D7)"),
        ("SUM(F$4:F4)", "SUM(F$4:F4)", "SUM(F$4:F6)"),
        ("SUM(F1:F4)", "SUM(F1:F4)", "SUM(F1:F4)"),
        ("D5/SUM(D$5:D$5)", "D5/SUM(D$5:D$9)", "D7/SUM(D$5:D$9)"),
        ("D5/D6", "D5/D10", "D7/D10"),
        ("D5/D$6", "D5/D$10", "D7/D$10"),
        ("Other!A5", "Other!A5", "Other!A5"),
    ] {
        assert_eq!((copy(before, 0), copy(before, 2)), (first.into(), third.into()), "{before}");
    }
}

#[test]
fn several_sheets_move_alike_or_not_at_all() {
    assert_eq!(book().rewrite("SUM(Invoice:Other!B2)", Place::of(1)).expect("above").as_ref(), "SUM(Invoice:Other!B2)");
    let refused = book().rewrite("SUM(Invoice:Other!B6)", Place::of(1));
    assert_eq!(refused, Err(SeveralSheets("Invoice:Other!B6".into())));
}

#[test]
fn names_and_charts_have_rules_of_their_own() {
    let name = |formula: &str| {
        let place = Place { only_fixed: true, ..Place::default() };
        book().rewrite(formula, place).expect("a formula").into_owned()
    };
    assert_eq!(name("Invoice!$D$5:$D$5"), "Invoice!$D$5:$D$9");
    assert_eq!(
        (name("Invoice!$A$1:$F$8"), name("Invoice!$4:$6")),
        ("Invoice!$A$1:$F$12".into(), "Invoice!$4:$10".into())
    );
    assert_eq!((name("Invoice!A6"), name("$A$6")), ("Invoice!A6".into(), "$A$6".into()));
    let chart = |formula: &str| {
        let place = Place { cells_grow: true, ..Place::default() };
        book().rewrite(formula, place).expect("a formula").into_owned()
    };
    assert_eq!((chart("Invoice!$D$5"), chart("Invoice!$D$6")), ("Invoice!$D$5:$D$9".into(), "Invoice!$D$10".into()));
}

#[test]
fn places_of_formats_follow_their_cells() {
    let map = RowMap::new(vec![block(5, 5, 5, "lines"), block(8, 9, 3, "notes")]);
    assert_eq!(moved_ranges(&map, "A5:C5 D6 E:E").as_deref(), Some("A5:C9 D10 E:E"));
    assert_eq!(moved_ranges(&map, "A1:B4"), None);
    // One of two rows that are repeated together: each copy of it, and not what is between.
    assert_eq!(moved_ranges(&map, "B9").as_deref(), Some("B13 B15 B17"));
    assert_eq!(moved_ranges(&map, "B8:B9").as_deref(), Some("B12:B17"));
    assert_eq!(moved_range(&map, "A4:D6").as_deref(), Some("A4:D10"));
    assert_eq!((moved_cell(&map, "B9").as_deref(), moved_cell(&map, "B5")), (Some("B13"), None));
}

/// The cells of a reference, in one column.
fn covered(formula: &str) -> BTreeSet<u32> {
    let Some(Part::Reference(text, _)) = parse(formula).into_iter().next() else { panic!("{formula} is no reference") };
    let (first, last) = CellRange::parse(text).expect("a range").rows().expect("rows");
    (first..=last).collect()
}

/// Blocks apart from each other, from gaps, heights and numbers of copies.
fn map(parts: &[(u32, u32, u32)]) -> RowMap {
    let mut row = 0;
    let mut blocks = Vec::new();
    for (index, (gap, height, copies)) in parts.iter().enumerate() {
        let first = row + gap;
        row = first + height - 1;
        blocks.push(block(first, row, *copies, &format!("list{index}")));
    }
    RowMap::new(blocks)
}

proptest! {
    /// Every row of the template has places in the result; no two share one, and none is lost. A range covers the places of the
    /// rows that it covered and of no other row, whatever is repeated.
    #[test]
    fn every_reference_names_the_same_cells(
        parts in prop::collection::vec((1_u32..5, 1_u32..4, 1_u32..6), 0..5),
        first in 1_u32..40,
        height in 0_u32..12,
    ) {
        let map = map(&parts);
        let places = |row: u32| -> Vec<u32> {
            let copies = map.block_of(row).map_or(1, |block| block.copies);
            (0..copies).map(|copy| map.copy(row, copy)).collect()
        };
        let mut all: Vec<u32> = (1..=60).flat_map(places).collect();
        all.sort();
        let wanted: Vec<u32> = (1..=u32::try_from(all.len()).expect("few")).collect();
        prop_assert_eq!(&all, &wanted);

        let book = Book { sheets: vec![("S".into(), map.clone())] };
        let last = first + height;
        // Whole blocks, so that rows between the copies belong to the range as well.
        let cuts = |row: u32| map.block_of(row).is_some_and(|block| block.height() > 1 && block.copies > 1);
        prop_assume!(!cuts(first) && !cuts(last));
        let formula = format!("D{first}:D{last}");
        let after = book.rewrite(&formula, Place::of(0)).expect("a formula").into_owned();
        let expected: BTreeSet<u32> = (first..=last).flat_map(places).collect();
        prop_assert_eq!(covered(&after), expected);

        let single = book.rewrite(&format!("D{first}"), Place::of(0)).map(|text| covered(&text)).expect("a formula");
        prop_assert_eq!(single, BTreeSet::from([map.first(first)]));

        // A formula in a repeated row sees its copy, wherever the reference leads within these rows.
        for block in map.blocks() {
            for copy in 0..block.copies {
                let place = Place::of(0).copy(&block.list, copy);
                for row in block.first..=block.last {
                    let seen = book.rewrite(&format!("D{row}"), place).map(|text| covered(&text)).expect("a formula");
                    prop_assert_eq!(seen, BTreeSet::from([map.copy(row, copy)]));
                }
            }
        }
    }
}
