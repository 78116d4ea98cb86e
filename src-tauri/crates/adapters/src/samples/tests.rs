use super::FILES;
use rust_xlsxwriter::{
    Color, DocProperties, ExcelDateTime, Format, FormatAlign, FormatBorder, Formula, Shape, ShapeFont, ShapeFormat,
    ShapeSolidFill, Workbook, XlsxError,
};
use serde_json::{Value, json};
use signalbox_documents::sheet::{CellType, Column, SheetRows, WriteOptions, write};
use std::path::Path;

/// Invoice, customer, region, day, amount, paid.
const INVOICES: [(&str, &str, &str, &str, f64, bool); 10] = [
    ("INV-1001", "Ada Lovelace", "North", "2026-10-15", 240.0, true),
    ("INV-1002", "Grace Hopper", "West", "2026-10-20", 1200.5, false),
    ("INV-1003", "Alan Turing", "North", "2026-10-31", 29.0, false),
    ("INV-1004", "Katherine Johnson", "South", "2026-11-02", 1450.0, true),
    ("INV-1005", "Edsger Dijkstra", "East", "2026-11-05", 310.75, true),
    ("INV-1006", "Barbara Liskov", "West", "2026-11-12", 99.99, false),
    ("INV-1007", "Donald Knuth", "South", "2026-11-20", 640.0, false),
    ("INV-1008", "Margaret Hamilton", "East", "2026-11-28", 875.25, true),
    ("INV-1009", "Tony Hoare", "North", "2026-12-01", 58.4, false),
    ("INV-1010", "Frances Allen", "South", "2026-12-15", 412.0, true),
];

/// A spreadsheet is no text that can be read in a review, so it is made here. `SIGNALBOX_GEN=1` writes it.
#[test]
fn gen_the_sample_spreadsheet_is_fresh() {
    let row = |(invoice, customer, region, due, amount, paid)| json!({ "invoice": invoice, "customer": customer, "region": region, "due": due, "amount": amount, "paid": paid });
    let rows: Vec<Value> = INVOICES.into_iter().map(row).collect();
    let mut columns: Vec<Column> = ["invoice", "customer", "region", "due", "amount", "paid"]
        .map(|field| Column { field: field.into(), ..Column::default() })
        .into();
    columns[4] = Column { kind: CellType::Number, format: Some("#,##0.00".into()), ..columns[4].clone() };
    let options = WriteOptions { columns, ..WriteOptions::default() };
    let made =
        write(&[SheetRows { name: "Invoices".into(), rows: rows.iter().collect() }], &options).expect("a spreadsheet");
    is_fresh("invoices.xlsx", &made);
}

fn is_fresh(file: &str, made: &[u8]) {
    if std::env::var_os("SIGNALBOX_GEN").is_some() {
        let place = Path::new(env!("CARGO_MANIFEST_DIR")).join("samples").join(file);
        std::fs::write(place, made).expect("written");
    }
    let (_, kept) = FILES.iter().find(|(name, _)| *name == file).expect("it ships");
    assert!(*kept == made, "samples/{file} is stale: run this test with SIGNALBOX_GEN=1, and build again");
}

#[test]
fn gen_the_sample_template_is_fresh() {
    is_fresh("invoice-template.xlsx", &template().expect("a workbook"));
}

/// An invoice with a logo, borders, number formats, a row for the lines and a total.
fn template() -> Result<Vec<u8>, XlsxError> {
    let (dark, light) = (Color::RGB(0x1F_3A_5F), Color::RGB(0xE8_EE_F5));
    let label = Format::new().set_font_color(dark).set_bold();
    let head = Format::new().set_bold().set_font_color(Color::White).set_background_color(dark);
    let head_right = head.clone().set_align(FormatAlign::Right);
    let line = Format::new().set_border_bottom(FormatBorder::Hair);
    let money = line.clone().set_num_format("#,##0.00");
    let total = Format::new().set_bold().set_border_top(FormatBorder::Double).set_background_color(light);
    let total_money = total.clone().set_num_format("#,##0.00");
    let left = Format::new().set_align(FormatAlign::Left);

    let mut book = Workbook::new();
    // The same code gives the same file.
    let made = ExcelDateTime::from_ymd(2000, 1, 1)?;
    book.set_properties(&DocProperties::new().set_title("Invoice").set_creation_datetime(&made));
    let sheet = book.add_worksheet().set_name("Invoice")?;
    for (column, width) in [6.0, 24.0, 12.0, 14.0, 16.0].into_iter().enumerate() {
        sheet.set_column_width(u16::try_from(column).expect("few"), width)?;
    }
    sheet.write_with_format(
        0,
        0,
        "Invoice {{id}}",
        &Format::new().set_bold().set_font_size(20).set_font_color(dark),
    )?;
    sheet.set_row_height(0, 30)?;
    let logo = Shape::textbox()
        .set_text("SB")
        .set_width(88)
        .set_height(36)
        .set_font(&ShapeFont::new().set_bold().set_size(16).set_color(Color::White))
        .set_format(&ShapeFormat::new().set_solid_fill(&ShapeSolidFill::new().set_color(dark)));
    sheet.insert_shape_with_offset(0, 4, &logo, 20, 2)?;
    let day = left.clone().set_num_format("d mmmm yyyy");
    sheet.write_with_format(2, 0, "Date", &label)?.write_with_format(2, 1, "{{placedOn}}", &day)?;
    sheet.write_with_format(3, 0, "To", &label)?.write_with_format(3, 1, "Customer no. {{customerId}}", &left)?;
    sheet.write_with_format(5, 0, "No.", &head)?.write_with_format(5, 1, "Article", &head)?;
    for (column, title) in [(2, "Quantity"), (3, "Price"), (4, "Amount")] {
        sheet.write_with_format(5, column, title, &head_right)?;
    }
    sheet.write_with_format(6, 0, "{{lines.#}}", &line)?.write_with_format(6, 1, "{{lines.sku}}", &line)?;
    sheet.write_with_format(6, 2, "{{lines.quantity}}", &line)?.write_with_format(6, 3, "{{lines.price}}", &money)?;
    sheet.write_formula_with_format(6, 4, "=C7*D7", &money)?;
    sheet.write_with_format(7, 0, "Total in {{currency}}", &total)?;
    for column in 1..4 {
        sheet.write_blank(7, column, &total)?;
    }
    sheet.write_formula_with_format(7, 4, Formula::new("=SUM(E7:E7)"), &total_money)?;
    sheet.merge_range(9, 0, 9, 4, "Thank you for your order.", &Format::new().set_italic())?;
    sheet.set_print_area(0, 0, 9, 4)?.set_footer("&LInvoice {{id}}&RPage &P of &N").set_print_fit_to_pages(1, 0);
    sheet.set_screen_gridlines(false);
    book.save_to_buffer()
}
