//! Office documents that are small and would be long to read.

use std::io::{Cursor, Write};
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

/// A package with these parts.
fn package(parts: &[(&str, &str)]) -> Vec<u8> {
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    let options = SimpleFileOptions::default().compression_method(CompressionMethod::Deflated);
    for (name, text) in parts {
        // Writing to memory never fails.
        let _ = writer.start_file(*name, options);
        let _ = writer.write_all(text.as_bytes());
    }
    writer.finish().map(Cursor::into_inner).unwrap_or_default()
}

fn docx_with(body: &str, more: &[(&str, &str)]) -> Vec<u8> {
    let types = r#"<Types><Override PartName="/word/document.xml" ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/></Types>"#;
    let document = format!("<w:document><w:body>{body}</w:body></w:document>");
    let mut parts = vec![("[Content_Types].xml", types), ("word/document.xml", document.as_str())];
    parts.extend(more);
    package(&parts)
}

fn docx(body: &str) -> Vec<u8> {
    docx_with(body, &[])
}

const PARAGRAPH: &str = "<w:p><w:r><w:t>Grade two of four</w:t></w:r></w:p>";

pub(crate) fn docx_of_deep_tables() -> Vec<u8> {
    let (open, close) = ("<w:tbl><w:tr><w:tc>", "</w:tc></w:tr></w:tbl>");
    docx(&(open.repeat(50_000) + PARAGRAPH + close.repeat(50_000).as_str()))
}

pub(crate) fn docx_of_tables_within_tables() -> Vec<u8> {
    // Each cell is written again for each table around it.
    let mut table = PARAGRAPH.to_owned();
    for _ in 0..50 {
        let cell = format!("<w:tc>{PARAGRAPH}</w:tc>").repeat(200);
        table = format!("<w:tbl><w:tr>{cell}<w:tc>{table}</w:tc></w:tr></w:tbl>");
    }
    docx(&table)
}

pub(crate) fn docx_of_many_cells() -> Vec<u8> {
    let row = format!("<w:tr>{}</w:tr>", "<w:tc><w:p><w:r><w:t>x</w:t></w:r></w:p></w:tc>".repeat(300));
    docx(&format!("<w:tbl>{}</w:tbl>", row.repeat(300)))
}

pub(crate) fn docx_of_wide_cells() -> Vec<u8> {
    let cell =
        |span: &str| format!("<w:tc><w:tcPr><w:gridSpan w:val=\"{span}\"/></w:tcPr>{PARAGRAPH}</w:tc>");
    let row = format!("<w:tr>{}{}</w:tr>", cell("1000000000"), cell("18446744073709551615"));
    docx(&format!("<w:tbl>{}</w:tbl>", row.repeat(1_000)))
}

pub(crate) fn docx_whose_styles_are_a_circle() -> Vec<u8> {
    let style = |at: usize| {
        format!(
            "<w:style w:type=\"paragraph\" w:styleId=\"S{at}\"><w:basedOn w:val=\"S{}\"/></w:style>",
            at + 1
        )
    };
    let styles: String = (0..5_000).map(style).collect();
    let styles = format!(
        "<w:styles>{styles}<w:style w:type=\"paragraph\" w:styleId=\"S5000\"><w:basedOn w:val=\"S0\"/></w:style></w:styles>"
    );
    let links = r#"<Relationships><Relationship Id="r1" Type="http://x/relationships/styles" Target="styles.xml"/></Relationships>"#;
    let paragraph = |at: usize| {
        format!("<w:p><w:pPr><w:pStyle w:val=\"S{}\"/></w:pPr><w:r><w:t>x</w:t></w:r></w:p>", at % 5_000)
    };
    let body: String = (0..5_000).map(paragraph).collect();
    docx_with(&body, &[("word/_rels/document.xml.rels", links), ("word/styles.xml", &styles)])
}

pub(crate) fn docx_of_many_attributes() -> Vec<u8> {
    let attributes: String = (0..50_000).map(|at| format!(" a{at}=\"\"")).collect();
    docx(&format!("<w:p{attributes}><w:r><w:t>Grade two</w:t></w:r></w:p>"))
}

pub(crate) fn docx_that_inflates() -> Vec<u8> {
    docx(&" ".repeat(257 << 20))
}

fn xlsx_with(sheet: &str, texts: &str, styles: &str) -> Vec<u8> {
    package(&[
        (
            "[Content_Types].xml",
            r#"<Types><Override PartName="/xl/workbook.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml"/></Types>"#,
        ),
        (
            "xl/workbook.xml",
            r#"<workbook><sheets><sheet name="A" sheetId="1" r:id="r1"/></sheets></workbook>"#,
        ),
        (
            "xl/_rels/workbook.xml.rels",
            r#"<Relationships><Relationship Id="r1" Type="http://x/relationships/worksheet" Target="worksheets/sheet1.xml"/><Relationship Id="r2" Type="http://x/relationships/sharedStrings" Target="sharedStrings.xml"/><Relationship Id="r3" Type="http://x/relationships/styles" Target="styles.xml"/></Relationships>"#,
        ),
        ("xl/worksheets/sheet1.xml", &format!("<worksheet>{sheet}</worksheet>")),
        ("xl/sharedStrings.xml", &format!("<sst>{texts}</sst>")),
        ("xl/styles.xml", &format!("<styleSheet>{styles}</styleSheet>")),
    ])
}

fn xlsx(sheet: &str) -> Vec<u8> {
    xlsx_with(sheet, "", "")
}

pub(crate) fn xlsx_of_too_many_cells() -> Vec<u8> {
    let row = format!("<row>{}</row>", "<c><v>1</v></c>".repeat(1_000));
    xlsx(&format!("<sheetData>{}</sheetData>", row.repeat(2_100)))
}

pub(crate) fn xlsx_of_one_text_in_every_cell() -> Vec<u8> {
    let row = format!("<row>{}</row>", "<c t=\"s\"><v>0</v></c>".repeat(1_000));
    let text = format!("<si><t>{}</t></si>", "long text ".repeat(100_000));
    xlsx_with(&format!("<sheetData>{}</sheetData>", row.repeat(1_000)), &text, "")
}

pub(crate) fn xlsx_of_far_cells() -> Vec<u8> {
    let cell =
        |at: usize| format!("<row r=\"{}\"><c r=\"XFD{0}\"><v>1</v></c></row>", at * 1_000_000_007 + 1);
    xlsx(&format!("<sheetData>{}</sheetData>", (0..10_000).map(cell).collect::<String>()))
}

pub(crate) fn xlsx_of_merged_cells() -> Vec<u8> {
    let merged: String = (1..30_000).map(|at| format!("<mergeCell ref=\"A{at}:XFD{at}\"/>")).collect();
    xlsx(&format!(
        "<cols>{}</cols><sheetData><row r=\"1\"><c r=\"A1\"><v>1</v></c></row></sheetData><mergeCells>{merged}</mergeCells>",
        "<col min=\"1\" max=\"16384\" hidden=\"1\"/>".repeat(20_000)
    ))
}

pub(crate) fn xlsx_of_long_number_formats() -> Vec<u8> {
    let format = format!("{}{}", "#,##0.0#\\x\"y\"?/?".repeat(2_000), ";".repeat(10_000));
    let styles = format!(
        "<numFmts><numFmt numFmtId=\"200\" formatCode=\"{}\"/><numFmt numFmtId=\"201\" formatCode=\"{}\"/></numFmts><cellXfs><xf numFmtId=\"200\"/><xf numFmtId=\"201\"/></cellXfs>",
        format.replace('"', "&quot;"),
        "0".repeat(60_000)
    );
    let row = format!("<row>{}</row>", "<c s=\"0\"><v>1.5E300</v></c><c s=\"1\"><v>1.5</v></c>".repeat(500));
    xlsx_with(&format!("<sheetData>{}</sheetData>", row.repeat(100)), "", &styles)
}

fn odf(kind: &str, body: &str) -> Vec<u8> {
    package(&[
        ("mimetype", &format!("application/vnd.oasis.opendocument.{kind}")),
        (
            "content.xml",
            &format!("<office:document-content><office:body>{body}</office:body></office:document-content>"),
        ),
    ])
}

pub(crate) fn ods_of_repeated_cells() -> Vec<u8> {
    let cell = "<table:table-cell table:number-columns-repeated=\"1000000000\" office:value-type=\"string\"><text:p>x</text:p></table:table-cell>";
    let row = format!("<table:table-row table:number-rows-repeated=\"1000000000\">{cell}</table:table-row>");
    odf(
        "spreadsheet",
        &format!(
            "<office:spreadsheet><table:table table:name=\"A\">{}</table:table></office:spreadsheet>",
            row.repeat(1_000)
        ),
    )
}

pub(crate) fn odt_of_repeated_cells_and_blanks() -> Vec<u8> {
    let cell = "<table:table-cell table:number-columns-repeated=\"1000000000\" table:number-columns-spanned=\"1000000000\"><text:p>x<text:s text:c=\"1000000000\"/>y</text:p></table:table-cell>";
    odf(
        "text",
        &format!(
            "<office:text><table:table>{}</table:table></office:text>",
            format!("<table:table-row table:number-rows-repeated=\"1000000000\">{cell}</table:table-row>")
                .repeat(1_000)
        ),
    )
}

pub(crate) fn odt_of_deep_lists() -> Vec<u8> {
    odf(
        "text",
        &format!(
            "<office:text>{}<text:p>x</text:p>{}</office:text>",
            "<text:list><text:list-item>".repeat(90),
            "</text:list-item></text:list>".repeat(90)
        ),
    )
}

pub(crate) fn zip_of_many_entries() -> Vec<u8> {
    let names: Vec<String> = (0..60_000).map(|at| format!("word/{at}.xml")).collect();
    let parts: Vec<(&str, &str)> = names.iter().map(|name| (name.as_str(), "")).collect();
    package(&parts)
}

pub(crate) fn rtf_of_deep_groups() -> Vec<u8> {
    format!("{{\\rtf1 Grade two {}x{}}}", "{".repeat(200_000), "}".repeat(200_000)).into_bytes()
}

pub(crate) fn rtf_of_many_cells() -> Vec<u8> {
    let row = format!("\\trowd{}\\intbl {}\\row ", "\\cellx100".repeat(300), "x\\cell ".repeat(300));
    format!("{{\\rtf1 {}}}", row.repeat(300)).into_bytes()
}

pub(crate) fn rtf_of_false_lengths() -> Vec<u8> {
    format!(
        "{{\\rtf1 Grade two \\bin2147483647 {}\\uc1000000000 \\u945 x}}",
        "\\bin9999999999 ".repeat(100_000)
    )
    .into_bytes()
}

const MAIL: &str =
    "From: a@example.org\r\nMessage-ID: <1@example.org>\r\nSubject: Grade\r\nMIME-Version: 1.0\r\n";

pub(crate) fn mail_of_deep_parts() -> Vec<u8> {
    let mut mail = MAIL.to_owned();
    for at in 0..50_000 {
        mail += &format!("Content-Type: multipart/mixed; boundary=\"b{at}\"\r\n\r\n--b{at}\r\n");
    }
    (mail + "Content-Type: text/plain\r\n\r\nGrade two\r\n").into_bytes()
}

pub(crate) fn mail_within_mails() -> Vec<u8> {
    let mut mail = MAIL.to_owned();
    for _ in 0..20_000 {
        mail += &format!("Content-Type: message/rfc822\r\n\r\n{MAIL}");
    }
    (mail + "Content-Type: text/plain\r\n\r\nGrade two\r\n").into_bytes()
}

pub(crate) fn mail_of_many_parts() -> Vec<u8> {
    let part =
        "--b\r\nContent-Type: text/plain\r\nContent-Disposition: attachment; filename=a.txt\r\n\r\nx\r\n";
    format!(
        "{MAIL}Content-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\nContent-Type: text/plain\r\n\r\nGrade two\r\n{}--b--\r\n",
        part.repeat(20_000)
    )
    .into_bytes()
}

pub(crate) fn mail_of_encoded_words() -> Vec<u8> {
    format!("{MAIL}To: {}\r\n\r\nGrade two\r\n", "=?utf-8?B?w6TDpA==?= <a@example.org>,\r\n ".repeat(20_000))
        .into_bytes()
}
