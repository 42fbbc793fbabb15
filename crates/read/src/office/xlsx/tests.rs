//! Workbooks made for one question each.

use crate::office::test_packages::{
    content_types, links, package, pictures_with, png, read, read_any, refusal,
};
use proptest::prelude::*;

const STYLES: &str = r##"<styleSheet>
<numFmts><numFmt numFmtId="164" formatCode="dd/mm/yyyy"/><numFmt numFmtId="165" formatCode="#,##0.00 &quot;€&quot;"/><numFmt numFmtId="166" formatCode=";;;"/></numFmts>
<fonts><font><sz val="11"/><color theme="1"/></font><font><sz val="11"/><color rgb="FFFFFFFF"/></font><font><sz val="1"/></font></fonts>
<fills><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="solid"><fgColor rgb="FF1F3864"/></patternFill></fill></fills>
<cellXfs><xf/><xf numFmtId="164"/><xf numFmtId="165"/><xf numFmtId="9"/><xf fontId="1"/><xf fontId="1" fillId="1"/><xf fontId="2"/><xf numFmtId="166"/></cellXfs>
</styleSheet>"##;

const TEXTS: &str = r#"<sst><si><t>Patient</t></si><si><r><t>Miller</t></r><r><rPr><color rgb="FFFFFFFF"/></rPr><t> HIDDEN</t></r><rPh><t>aid</t></rPh></si><si><t>Sum</t></si></sst>"#;

const BOX: &str = r#"<xdr:wsDr><xdr:sp><xdr:txBody><a:p><a:r><a:t>In a box</a:t></a:r></a:p></xdr:txBody></xdr:sp></xdr:wsDr>"#;

/// A workbook with these sheets: of each its attributes, and what is in it.
fn xlsx(sheets: &[(&str, &str)]) -> Vec<u8> {
    let names: Vec<String> = (1..=sheets.len()).map(|nth| format!("worksheets/sheet{nth}.xml")).collect();
    let list: String = (1..)
        .zip(sheets)
        .map(|(nth, (own, _)): (usize, _)| format!(r#"<sheet {own} r:id="r{nth}"/>"#))
        .collect();
    let ids: Vec<String> = (1..=sheets.len()).map(|nth| format!("r{nth}")).collect();
    let mut all: Vec<(&str, &str, &str)> =
        ids.iter().zip(&names).map(|(id, name)| (id.as_str(), "worksheet", name.as_str())).collect();
    all.extend([("s", "styles", "styles.xml"), ("t", "sharedStrings", "sharedStrings.xml")]);
    let parts: Vec<(String, String)> = names
        .iter()
        .zip(sheets)
        .map(|(name, (_, own))| (format!("xl/{name}"), format!("<worksheet>{own}</worksheet>")))
        .collect();
    let types = content_types("/xl/workbook.xml", "spreadsheetml.sheet");
    let (book, links_of) = (format!("<workbook><sheets>{list}</sheets></workbook>"), links(&all));
    let drawing = links(&[("d", "drawing", "../drawings/drawing1.xml")]);
    let mut files: Vec<(&str, &str)> = vec![
        ("[Content_Types].xml", &types),
        ("xl/workbook.xml", &book),
        ("xl/_rels/workbook.xml.rels", &links_of),
        ("xl/styles.xml", STYLES),
        ("xl/sharedStrings.xml", TEXTS),
        ("xl/worksheets/_rels/sheet2.xml.rels", &drawing),
        ("xl/drawings/drawing1.xml", BOX),
    ];
    files.extend(parts.iter().map(|(name, text)| (name.as_str(), text.as_str())));
    package(&files)
}

fn text(sheet: &str) -> String {
    read(xlsx(&[(r#"name="One""#, sheet)])).unwrap().text
}

fn inline(place: &str, text: &str) -> String {
    format!(r#"<c r="{place}" t="inlineStr"><is><t>{text}</t></is></c>"#)
}

#[test]
fn a_sheet_is_a_table_of_values_as_they_are_shown() {
    let sheet = format!(
        r#"<cols><col min="6" max="6" hidden="1"/></cols><sheetData>
        <row r="1"><c r="A1" t="s"><v>0</v></c>{}{}{}{}</row>
        <row r="2"><c r="A2" t="s"><v>1</v></c><c r="B2" s="1"><v>45521</v></c><c r="C2" s="2"><v>1234.5</v></c><c r="D2" s="3"><v>0.456</v></c><c r="F2"><v>7</v></c></row>
        <row r="3" hidden="1"><c r="A3"><v>99</v></c></row>
        <row r="5"><c r="A5" t="s"><v>2</v></c><c r="C5" t="str"><f>A1</f><v>text</v></c><c r="D5"><f>SUM(D1:D3)</f><v>0.30000000000000004</v></c><c r="E5" t="b"><v>1</v></c></row>
        <row><c t="e"><v>#N/A</v></c><c><f>B2+1</f></c></row>
        </sheetData><mergeCells><mergeCell ref="A5:B5"/></mergeCells>"#,
        inline("B1", "Date"),
        inline("C1", "Price"),
        inline("D1", "Share"),
        inline("E1", "Ok")
    );
    insta::assert_snapshot!(text(&sheet), @"
    One

    Patient  Date        Price      Share  Ok
    Miller   2024-08-17  1234.50 €  46%

    Sum                  text       0.3    TRUE
    #N/A     =B2+1
    ");
}

#[test]
fn what_no_eye_sees_is_not_read() {
    let cell = |place: &str, style: u8| {
        format!(r#"<c r="{place}" s="{style}" t="inlineStr"><is><t>{place}</t></is></c>"#)
    };
    let sheet = format!(
        r#"<cols><col min="2" max="2" width="0"/></cols><sheetData><row r="1">{}{}{}{}{}{}<c r="H1" s="7"><v>5</v></c></row><row r="2" ht="0">{}</row></sheetData>"#,
        cell("A1", 0),
        cell("B1", 0),
        cell("C1", 4),
        cell("D1", 5),
        cell("E1", 6),
        cell("F1", 7),
        cell("A2", 0)
    );
    assert_eq!(text(&sheet), "One\n\nA1  D1\n");
}

#[test]
fn hidden_and_empty_sheets_are_left_out_and_text_boxes_are_read() {
    let data = |text: &str| format!("<sheetData><row>{}</row></sheetData>", inline("A1", text));
    let secret = data("SECRET");
    let book = xlsx(&[
        (r#"name="First""#, &data("one")),
        (r#"name="Second""#, &data("two")),
        (r#"name="Hidden" state="veryHidden""#, &secret),
        (r#"name="Empty""#, "<sheetData/>"),
    ]);
    assert_eq!(read(book).unwrap().text, "First\n\none\n\u{c}Second\n\ntwo\n\nIn a box\n");
    let why = refusal(xlsx(&[(r#"name="Empty""#, "<sheetData/>")]));
    assert!(why.starts_with("the document is an Excel workbook that shows no text"), "{why}");
}

#[test]
fn a_cell_at_the_last_place_of_a_sheet_takes_no_room() {
    let sheet = format!(
        r#"<dimension ref="A1:XFD1048576"/><cols><col min="1" max="16384" width="9"/></cols><sheetData><row r="1">{}</row><row r="1048576">{}</row></sheetData><mergeCells><mergeCell ref="A1:XFD1048576"/></mergeCells>"#,
        inline("A1", "first"),
        inline("XFD1048576", "last")
    );
    assert_eq!(text(&sheet), "One\n\nfirst\n\n last\n");
    assert_eq!(
        text(&format!("<sheetData><row>{}{}</row></sheetData>", inline("A1", "in"), inline("ZZZZ1", "OUT"))),
        "One\n\nin\n"
    );
}

#[test]
fn damaged_workbooks_are_refused() {
    let missing = r#"<sheetData><row><c r="A1" t="s"><v>70</v></c></row></sheetData>"#;
    let open = "<sheetData><row><c><v>1</v>";
    for sheet in [missing, open] {
        let why = refusal(xlsx(&[(r#"name="One""#, sheet)]));
        assert!(why.starts_with("the document begins as an Excel workbook, and is damaged; "), "{why}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn a_damaged_workbook_is_read_or_refused(at in 0usize..1_000, piece in "[<>/&;a-z:\"= 0-9]{0,12}") {
        let sheet = format!(
            r#"<cols><col min="2" max="2" width="9"/></cols><sheetData><row r="1">{}<c r="B1" s="1"><v>45521</v></c></row></sheetData><mergeCells><mergeCell ref="A1:B1"/></mergeCells>"#,
            inline("A1", "first")
        );
        let at = at.min(sheet.len());
        read_any(&xlsx(&[(r#"name="One""#, &format!("{}{piece}{}", &sheet[..at], &sheet[at..]))]));
    }

    #[test]
    fn any_format_shows_any_number(code in "[0#?.,;%yYmMdDhHsSeE+@/ \\[\\]\"<>=*_\\\\AaPp-]{0,16}", value: f64) {
        crate::office::number_format::NumberFormat::of(&code).number(value, crate::office::number_format::FirstDay::Of1900);
    }
}

#[test]
fn a_picture_of_the_size_of_a_scan_counts_and_a_logo_does_not() {
    let sheet = format!("<sheetData><row>{}</row></sheetData>", inline("A1", "Report"));
    let with = |size: (u32, u32)| {
        pictures_with(xlsx(&[(r#"name="One""#, &sheet)]), "xl/media/image1.png", &png(size.0, size.1))
    };
    assert_eq!([with((500, 400)), with((499, 400)), with((199, 2000))], [1, 0, 0]);
}
