//! What refers to rows follows them.

use super::{cell, changed, filled, part, sheet_xml, template};
use rust_xlsxwriter::{
    Chart, ChartType, ConditionalFormatCell, ConditionalFormatCellRule, DataValidation, Format, Formula, Shape,
    Sparkline, Table, TableColumn, TableFunction, Url, Workbook,
};
use serde_json::{Value, json};

fn lines(count: u32) -> Value {
    json!({ "lines": (1..=count).map(|n| json!({ "name": format!("n{n}"), "amount": n })).collect::<Vec<_>>() })
}

#[test]
fn merged_cells_formats_checks_links_and_print_areas_follow() {
    let bytes = template(|sheet| {
        let plain = Format::new();
        sheet.write(1, 0, "{{lines.name}}")?.write(1, 3, "{{lines.amount}}")?;
        sheet.merge_range(1, 0, 1, 2, "{{lines.name}}", &plain)?;
        sheet.merge_range(3, 0, 4, 1, "below", &plain)?;
        let high = ConditionalFormatCell::new()
            .set_rule(ConditionalFormatCellRule::GreaterThan(Formula::new("=$D$6")))
            .set_format(Format::new().set_bold());
        sheet.add_conditional_format(1, 3, 1, 3, &high)?;
        sheet.add_data_validation(1, 3, 1, 3, &DataValidation::new().allow_list_formula(Formula::new("=$F$5:$F$9")))?;
        sheet.write_url(5, 0, Url::new("internal:Invoice!A6").set_text("down"))?;
        sheet.write(5, 3, 2)?;
        sheet.set_print_area(0, 0, 6, 3)?;
        sheet.set_repeat_rows(0, 0)?;
        sheet.autofilter(0, 0, 1, 3)?;
        sheet.set_page_breaks(&[5])?;
        sheet.set_header("&L{{title}}");
        Ok(())
    });
    let mut data = lines(3);
    data["title"] = json!("R&D <2026>");
    let made = filled(&bytes, data).expect("filled").bytes;
    let xml = sheet_xml(&made);
    for wanted in [
        "<mergeCells count=\"4\">",
        "<mergeCell ref=\"A2:C2\"/>",
        "<mergeCell ref=\"A4:C4\"/>",
        "<mergeCell ref=\"A6:B7\"/>",
        "<conditionalFormatting sqref=\"D2:D4\">",
        "<formula>$D$8</formula>",
        "sqref=\"D2:D4\"",
        "<formula1>$F$7:$F$11</formula1>",
        "ref=\"A8\"",
        "location=\"Invoice!A8\"",
        "<autoFilter ref=\"A1:D4\"",
        "<brk id=\"7\"",
        "&amp;LR&amp;&amp;D &lt;2026&gt;",
    ] {
        assert!(xml.contains(wanted), "{wanted} in {xml}");
    }
    let workbook = part(&made, "xl/workbook.xml");
    for wanted in ["Invoice!$A$1:$D$9", "Invoice!$1:$1", "Invoice!$A$1:$D$4"] {
        assert!(workbook.contains(wanted), "{wanted} in {workbook}");
    }
}

#[test]
fn tables_charts_pictures_and_small_charts_follow() {
    let mut book = Workbook::new();
    let sheet = book.add_worksheet().set_name("Data").expect("a name");
    let columns = [
        TableColumn::new().set_header("Name").set_total_label("Total"),
        TableColumn::new().set_header("Amount").set_total_function(TableFunction::Sum),
    ];
    sheet
        .add_table(0, 0, 2, 1, &Table::new().set_name("Lines").set_columns(&columns).set_total_row(true))
        .expect("a table");
    sheet.write(1, 0, "{{lines.name}}").expect("written").write(1, 1, "{{lines.amount}}").expect("written");
    let mut chart = Chart::new(ChartType::Column);
    chart.add_series().set_categories("Data!$A$2:$A$2").set_values("Data!$B$2:$B$2").set_name("Data!$B$1");
    chart.title().set_name("Sales of {{year}}");
    sheet.insert_chart(6, 3, &chart).expect("a chart");
    sheet.insert_shape(4, 0, &Shape::textbox().set_text("Thank you, {{who}}!")).expect("a shape");
    sheet.add_sparkline(1, 4, &Sparkline::new().set_range(("Data", 1, 1, 1, 3))).expect("a sparkline");
    let bytes = book.save_to_buffer().expect("a workbook");
    let mut data = lines(4);
    (data["year"], data["who"]) = (json!(2026), json!("Ada"));
    let made = filled(&bytes, data).expect("filled").bytes;
    let table = part(&made, "xl/tables/table1.xml");
    assert!(table.contains("ref=\"A1:B6\"") && table.contains("<autoFilter ref=\"A1:B5\""), "{table}");
    let chart = part(&made, "xl/charts/chart1.xml");
    for wanted in ["<c:f>Data!$A$2:$A$5</c:f>", "<c:f>Data!$B$2:$B$5</c:f>", "<c:f>Data!$B$1</c:f>", "Sales of 2026"] {
        assert!(chart.contains(wanted), "{wanted} in {chart}");
    }
    assert!(!chart.contains("Cache>"), "{chart}");
    let drawing = part(&made, "xl/drawings/drawing1.xml");
    assert!(drawing.contains("<xdr:row>9</xdr:row>") && drawing.contains("Thank you, Ada!"), "{drawing}");
    let xml = sheet_xml(&made);
    for wanted in ["<xm:f>Data!B2:D2</xm:f><xm:sqref>E2</xm:sqref>", "<xm:f>Data!B5:D5</xm:f><xm:sqref>E5</xm:sqref>"] {
        assert!(xml.contains(wanted), "{wanted} in {xml}");
    }
    assert!(
        cell(&made, "B6").contains("SUBTOTAL(109,[Amount])")
            || cell(&made, "B6").contains("SUBTOTAL(109,Lines[Amount])"),
        "{}",
        cell(&made, "B6")
    );
    // The titles of a table are in two places, so they are not filled.
    let title = changed(&bytes, "xl/sharedStrings.xml", |text| text.replace(">Amount<", ">{{year}}<"));
    assert_eq!(filled(&title, lines(1)).expect_err("a title").code, "BAD_TEMPLATE");
}

/// Two rows for each element, joined by a merged cell, and a list of another sheet.
#[test]
fn several_rows_and_sheets_are_repeated() {
    let mut book = Workbook::new();
    let plain = Format::new();
    let first = book.add_worksheet().set_name("First").expect("a name");
    first.merge_range(1, 0, 2, 0, "{{lines.name}}", &plain).expect("merged");
    first.write(1, 1, "{{lines.#}}").expect("written").write(2, 1, "{{lines.amount}}").expect("written");
    first.write_formula(1, 2, "=B3*2").expect("written");
    first.write_formula(4, 1, "=SUM(B2:B3)+Second!A2").expect("written");
    let second = book.add_worksheet().set_name("Second").expect("a name");
    second.write(0, 0, "{{notes}}").expect("written");
    second.write_formula(1, 0, "=COUNTA(A1)+First!B5").expect("written");
    let bytes = book.save_to_buffer().expect("a workbook");
    let mut data = lines(3);
    data["notes"] = json!(["a", "b"]);
    let made = filled(&bytes, data).expect("filled").bytes;
    let xml = sheet_xml(&made);
    for wanted in ["<mergeCell ref=\"A2:A3\"/>", "<mergeCell ref=\"A4:A5\"/>", "<mergeCell ref=\"A6:A7\"/>"] {
        assert!(xml.contains(wanted), "{wanted} in {xml}");
    }
    assert!(cell(&made, "C6").contains("<f>B7*2</f>"));
    assert!(cell(&made, "B6").contains("<v>3</v>") && cell(&made, "B7").contains("<v>3</v>"));
    assert!(cell(&made, "B9").contains("<f>SUM(B2:B7)+Second!A3</f>"), "{}", cell(&made, "B9"));
    assert!(part(&made, "xl/worksheets/sheet2.xml").contains("<f>COUNTA(A1:A2)+First!B9</f>"));
}

#[test]
fn shared_and_array_formulas_become_right_ones() {
    let bytes = template(|sheet| {
        sheet.write(0, 0, "{{lines.amount}}")?;
        for row in 0..6 {
            sheet.write(row, 3, 1)?;
        }
        Ok(())
    });
    let rows = |text: String, rows: &str| {
        let (before, rest) = text.split_once("<row r=\"2\"").expect("row 2");
        let (_, after) = rest.split_once("</sheetData>").expect("the end");
        format!("{before}{rows}</sheetData>{after}")
    };
    let shared = changed(&bytes, "xl/worksheets/sheet1.xml", |text| {
        rows(
            text,
            "<row r=\"3\"><c r=\"B3\"><f t=\"shared\" ref=\"B3:B5\" si=\"0\">A3+$A$1</f><v>1</v></c></row><row r=\"4\"><c r=\"B4\" t=\"str\"><f t=\"shared\" si=\"0\"/><v>x</v></c></row><row><c><v>5</v></c><c><f ca=\"1\" t=\"shared\" si=\"0\"/></c></row>",
        )
    });
    let made = filled(&shared, lines(3)).expect("filled").bytes;
    for (address, wanted) in [
        ("B5", "<c r=\"B5\"><f>A5+$A$1</f></c>"),
        ("B6", "<c r=\"B6\"><f>A6+$A$1</f></c>"),
        ("B7", "<c r=\"B7\"><f ca=\"1\">A7+$A$1</f></c>"),
        ("A7", "<c r=\"A7\"><v>5</v></c>"),
    ] {
        assert_eq!(cell(&made, address), wanted);
    }
    // Nothing moves: the formulas are as they were, without their values.
    let made = filled(&shared, lines(1)).expect("filled").bytes;
    assert_eq!(cell(&made, "B4"), "<c r=\"B4\"><f t=\"shared\" si=\"0\"/></c>");
    let array = |range: &str, row: u32| {
        let cells = format!(
            "<row r=\"{row}\"><c r=\"B{row}\" cm=\"1\"><f t=\"array\" ref=\"{range}\">A1:A1*2</f><v>1</v></c><c r=\"C{row}\"><v>8</v></c></row>"
        );
        changed(&bytes, "xl/worksheets/sheet1.xml", |text| rows(text, &cells))
    };
    let made = filled(&array("B3:C3", 3), lines(3)).expect("filled").bytes;
    assert_eq!(cell(&made, "B5"), "<c r=\"B5\" cm=\"1\"><f t=\"array\" ref=\"B5:C5\">A1:A3*2</f></c>");
    assert_eq!(cell(&made, "C5"), "<c r=\"C5\"/>");
    let crossing = changed(&bytes, "xl/worksheets/sheet1.xml", |text| {
        text.replace("<row r=\"1\"", "<row x=\"\" r=\"1\"").replace(
            "</c></row><row r=\"2\"",
            "</c><c r=\"F1\"><f t=\"array\" ref=\"F1:F3\">D1:D3</f></c></row><row r=\"2\"",
        )
    });
    let error = filled(&crossing, lines(3)).expect_err("crossing");
    assert_eq!((error.code.as_str(), &error.details["cell"]), ("BAD_TEMPLATE", &json!("F1")), "{error}");
    assert!(filled(&crossing, lines(1)).is_ok());
}

/// Newer checks of input and formats with conditions are in an extension, with their place after the formula.
#[test]
fn extensions_of_excel_follow() {
    let bytes = template(|sheet| {
        sheet.write(1, 0, "{{lines.amount}}")?.write(4, 0, "{{lines.name}}")?.write(6, 0, "end")?;
        Ok(())
    });
    let extension = "<extLst><ext uri=\"{X}\" xmlns:x14=\"x14\"><x14:dataValidations count=\"1\" xmlns:xm=\"xm\"><x14:dataValidation type=\"list\"><x14:formula1><xm:f>Other!$A$5&amp;$B$7</xm:f></x14:formula1><xm:sqref>A2:B2 C7</xm:sqref></x14:dataValidation></x14:dataValidations><x14:conditionalFormattings><x14:conditionalFormatting xmlns:xm=\"xm\"><x14:cfRule type=\"expression\" priority=\"1\"><xm:f>$A2&gt;SUM($A$2:$A$2)</xm:f></x14:cfRule><xm:sqref>A2</xm:sqref></x14:conditionalFormatting></x14:conditionalFormattings></ext></extLst></worksheet>";
    let bytes = changed(&bytes, "xl/worksheets/sheet1.xml", |text| text.replace("</worksheet>", extension));
    let xml = sheet_xml(&filled(&bytes, lines(3)).expect("filled").bytes);
    for wanted in [
        "<xm:f>Other!$A$5&amp;$B$11</xm:f></x14:formula1><xm:sqref>A2:B4 C11</xm:sqref>",
        "<xm:f>$A2&gt;SUM($A$2:$A$4)</xm:f></x14:cfRule><xm:sqref>A2:A4</xm:sqref>",
    ] {
        assert!(xml.contains(wanted), "{wanted} in {xml}");
    }
}
