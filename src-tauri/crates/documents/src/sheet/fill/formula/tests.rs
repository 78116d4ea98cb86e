use super::{Part, moved, parse};

/// The references of a formula as they are written.
fn references(formula: &str) -> Vec<&str> {
    let parts = parse(formula);
    let whole: String = parts
        .iter()
        .map(|part| match part {
            Part::Other(text) | Part::Text(text) | Part::Reference(text, _) => *text,
        })
        .collect();
    assert_eq!(whole, formula, "the parts are the formula");
    parts.into_iter().filter_map(|part| if let Part::Reference(text, _) = part { Some(text) } else { None }).collect()
}

#[test]
fn references_are_found_and_nothing_else() {
    for (formula, wanted) in [
        ("SUM(D5:D9)*$B$2", &["D5:D9", "$B$2"][..]),
        ("A1+a1+XFD1048576", &["A1", "a1", "XFD1048576"]),
        ("XFE1+A1048577+A0+ABCD1", &[]),
        ("LOG10(A1)+DEC2BIN(B2)", &["A1", "B2"]),
        ("IF(A1=\"B2:C3\",\"x\"\"D4\",E5)", &["A1", "E5"]),
        ("'My Sheet'!A1+Data!$B:$C+'It''s'!5:7", &["'My Sheet'!A1", "Data!$B:$C", "'It''s'!5:7"]),
        ("Sheet1:Sheet3!A1+'One:Two'!B2", &["Sheet1:Sheet3!A1", "'One:Two'!B2"]),
        ("[1]Data!A1+'[2]Other Data'!B2:C3+[1]!name+D4", &["D4"]),
        ("Table1[[#This Row],[A1]]*Table1[B2]+C3", &["C3"]),
        ("Table1[a'[b']C4]+D5", &["D5"]),
        ("1E5+1.5E+10+2e-3+E5", &["E5"]),
        ("#REF!+Sheet1!#REF!+#N/A+A1", &["A1"]),
        ("{1,2;3,4}+A1", &["A1"]),
        ("total_A1+A1.b+_A1+rate+TRUE+Über1+\\A1", &[]),
        ("B2 B1:B9,C3", &["B2", "B1:B9", "C3"]),
        ("A1 : B2", &["A1 : B2"]),
        ("_xlfn.XLOOKUP(A1,B:B,C:C)", &["A1", "B:B", "C:C"]),
        ("A1:INDEX(B:B,3)", &["A1", "B:B"]),
        ("-A1%+B1^2&C1<>D1", &["A1", "B1", "C1", "D1"]),
        ("", &[]),
        ("\"open", &[]),
        ("'open!A1", &[]),
        ("Table1[[open", &[]),
    ] {
        assert_eq!(references(formula), wanted, "{formula}");
    }
}

#[test]
fn a_single_cell_is_values_where_a_function_takes_ranges() {
    let is_values = |formula: &str| match parse(formula).into_iter().find(|part| matches!(part, Part::Reference(..))) {
        Some(Part::Reference(_, reference)) => reference.is_values,
        _ => false,
    };
    for yes in ["SUM(D5)", "sum( D5 )", "SUBTOTAL(9,D5)", "1+AVERAGE(D5,2)", "_xlfn.STDEV.S(D5)"] {
        assert!(is_values(yes), "{yes}");
    }
    for no in ["D5", "SUM(D5*2)", "SUM((D5))", "IF(D5,1)", "ROUND(D5,2)", "SUM(-D5)", "COUNTIF(D5,1)"] {
        assert!(!is_values(no), "{no}");
    }
}

#[test]
fn a_shared_formula_moves_along() {
    assert_eq!(moved("B5*$C5+D$5+$E$5+\"B5\"", 2, 1), "C7*$C7+E$5+$E$5+\"B5\"");
    assert_eq!(moved("SUM(Data!A$1:A5)+5:6+B:B", 1, 1), "SUM(Data!B$1:B6)+6:7+C:C");
    assert_eq!(moved("A1+B1", 0, -1), "#REF!+A1");
    assert_eq!(moved("B5:Sheet!C6", 1, 0), "B6:Sheet!C7");
}

/// Whatever a file says, its formulas are read to their end.
#[test]
fn any_text_is_taken_apart() {
    use proptest::prelude::*;
    let signs = "[A-C$1-9:!'\"#(),\\[\\]{}\\. _eE+üñ]{0,24}";
    proptest!(|(formula in signs)| {
        references(Box::leak(formula.into_boxed_str()));
    });
}
