//! OpenDocument files made for one question each.

use crate::PartRole;
use crate::file_text::FileText;
use crate::office::test_packages::{package, pictures_with, png, read, read_any, refusal};
use proptest::prelude::*;

const PAGES: &str = r##"<office:document-styles><office:styles>
<style:style style:name="Standard" style:family="paragraph"/>
<style:style style:name="Title" style:family="paragraph"/>
</office:styles><office:master-styles>
<style:master-page style:name="Standard"><style:header><text:p>Hospital</text:p></style:header><style:footer><text:p>Page <text:page-number>1</text:page-number></text:p></style:footer></style:master-page>
<style:master-page style:name="Unused"><style:header><text:p>UNUSED</text:p></style:header></style:master-page>
</office:master-styles></office:document-styles>"##;

const AUTOMATIC: &str = r##"<office:automatic-styles>
<style:style style:name="T" style:family="paragraph" style:parent-style-name="Title"/>
<style:style style:name="B" style:family="paragraph"><style:paragraph-properties fo:break-before="page"/></style:style>
<style:style style:name="W" style:family="text"><style:text-properties fo:color="#ffffff"/></style:style>
<style:style style:name="H" style:family="text"><style:text-properties text:display="none"/></style:style>
<style:style style:name="Up" style:family="text"><style:text-properties style:text-position="super 58%"/></style:style>
<style:style style:name="Dark" style:family="table-cell"><style:table-cell-properties fo:background-color="#1f3864"/><style:text-properties fo:color="#ffffff"/></style:style>
<style:style style:name="White" style:family="table-cell"><style:text-properties fo:color="#ffffff"/></style:style>
<style:style style:name="Off" style:family="table"><style:table-properties table:display="false"/></style:style>
<text:list-style style:name="L"><text:list-level-style-number text:level="1" style:num-format="1" style:num-suffix="."/><text:list-level-style-number text:level="2" style:num-format="a" style:num-suffix=")" text:display-levels="2"/></text:list-style>
<text:list-style style:name="D"><text:list-level-style-bullet text:level="1" text:bullet-char="•"/></text:list-style>
</office:automatic-styles>"##;

fn file(kind: &str, body: &str) -> Vec<u8> {
    let content = format!(
        "<office:document-content>{AUTOMATIC}<office:body><office:{kind}>{body}</office:{kind}></office:body></office:document-content>"
    );
    let media = format!("application/vnd.oasis.opendocument.{kind}");
    package(&[("mimetype", &media), ("content.xml", &content), ("styles.xml", PAGES)])
}

fn odt(body: &str) -> FileText {
    read(file("text", body)).unwrap()
}

fn ods(body: &str) -> String {
    read(file("spreadsheet", body)).unwrap().text
}

#[test]
fn a_text_is_written_as_it_is_seen() {
    let body = r#"<text:tracked-changes><text:p>DELETED</text:p></text:tracked-changes>
    <text:p text:style-name="T">Report</text:p>
    <text:h text:outline-level="2">Findings</text:h>
    <text:p>Size:<text:s text:c="3"/>4.6
      cm<text:note><text:note-citation>1</text:note-citation><text:note-body><text:p>Twice.</text:p></text:note-body></text:note>,
      10<text:span text:style-name="Up">9</text:span>/l<text:span text:style-name="W">WHITE</text:span><text:span text:style-name="H">HIDDEN</text:span><office:annotation><text:p>COMMENT</text:p></office:annotation></text:p>
    <text:list text:style-name="L"><text:list-item><text:p>one</text:p><text:list><text:list-item><text:p>inner</text:p></text:list-item></text:list></text:list-item>
      <text:list-item><text:p>two</text:p></text:list-item></text:list>
    <text:list text:style-name="L"><text:list-item text:start-value="7"><text:p>seven</text:p></text:list-item></text:list>
    <text:list text:style-name="D"><text:list-item><text:p>dot</text:p></text:list-item></text:list>
    <table:table><table:table-header-rows><table:table-row><table:table-cell><text:p>Test</text:p></table:table-cell><table:table-cell><text:p>Result</text:p></table:table-cell></table:table-row></table:table-header-rows>
      <table:table-row><table:table-cell table:style-name="Dark"><text:p>Haemoglobin</text:p></table:table-cell><table:table-cell><text:p>13.5</text:p></table:table-cell></table:table-row></table:table>
    <text:section text:display="none"><text:p>SECTION</text:p></text:section>
    <text:p text:style-name="B">Next<text:line-break/>page<draw:frame><draw:text-box><text:p>In a box</text:p></draw:text-box></draw:frame></text:p>"#;
    let read = odt(body);
    insta::assert_snapshot!(read.text.replace('\u{c}', "-----\n"), @"
    Hospital

    Report

    Findings

    Size:   4.6 cm[1], 10⁹/l

    1. one
      1.a) inner
    2. two
    7. seven
    • dot

    Test         Result
    Haemoglobin  13.5
    -----
    Next
    page

    In a box

    Page 1

    [1] Twice.
    ");
    let roles: Vec<PartRole> = read.structure.iter().map(|part| part.role).collect();
    let heading = |level| PartRole::Heading { level };
    assert_eq!(roles, [heading(1), heading(2), PartRole::List, PartRole::Table, PartRole::Note]);
}

#[test]
fn a_sheet_is_a_table_of_values_as_they_are_shown() {
    let cell = |attributes: &str, text: &str| {
        format!("<table:table-cell {attributes}><text:p>{text}</text:p></table:table-cell>")
    };
    let number =
        |value: &str, text: &str| cell(&format!(r#"office:value-type="float" office:value="{value}""#), text);
    let body = format!(
        r#"<table:table table:name="One"><table:table-column/><table:table-column table:number-columns-repeated="2"/><table:table-column table:visibility="collapse"/>
        <table:table-row>{}{}{}{}</table:table-row>
        <table:table-row table:visibility="filter">{}</table:table-row>
        <table:table-row>{}{}{}{}</table:table-row>
        <table:table-row table:number-rows-repeated="1048570"><table:table-cell table:number-columns-repeated="16384"/></table:table-row>
        </table:table><table:table table:name="Two" table:style-name="Off"><table:table-row>{}</table:table-row></table:table>"#,
        cell("", "Day"),
        cell("", "Price"),
        cell(r#"table:style-name="White""#, "WHITE"),
        cell("", "HIDDEN"),
        cell("", "FILTERED"),
        cell(r#"office:value-type="date" office:date-value="2024-08-17T00:00:00""#, "17.08.24"),
        number("1234.5", "1.234,50 €"),
        cell(r#"office:value-type="percentage" office:value="0.456" table:style-name="Dark""#, "45,6 %"),
        cell("", "HIDDEN"),
        cell("", "SECRET"),
    );
    insta::assert_snapshot!(ods(&body), @"
    One

    Day         Price
    2024-08-17  1234.50 €  45.6 %
    ");
}

#[test]
fn cells_that_are_repeated_without_end_are_refused() {
    let body = r#"<table:table table:name="One"><table:table-row table:number-rows-repeated="1048576"><table:table-cell table:number-columns-repeated="16384"><text:p>x</text:p></table:table-cell></table:table-row></table:table>"#;
    let why = refusal(file("spreadsheet", body));
    assert!(why.starts_with("the document is an OpenDocument spreadsheet with more text"), "{why}");
}

#[test]
fn a_file_that_needs_a_password_is_refused() {
    let manifest = "<manifest:manifest><manifest:file-entry><manifest:encryption-data/></manifest:file-entry></manifest:manifest>";
    let bytes = package(&[
        ("mimetype", "application/vnd.oasis.opendocument.text"),
        ("META-INF/manifest.xml", manifest),
        ("content.xml", "garbage"),
    ]);
    insta::assert_snapshot!(refusal(bytes), @"the document is an OpenDocument text that needs a password; save a copy that needs none");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn damaged_files_are_read_or_refused(is_text: bool, at in 0usize..600, piece in "[<>/&;a-z:\"= 0-9]{0,12}") {
        let body = r#"<text:list text:style-name="L"><text:list-item><text:p>one<text:s text:c="3"/></text:p></text:list-item></text:list><table:table table:name="One"><table:table-row><table:table-cell table:number-columns-spanned="2"><text:p>1.234,50</text:p></table:table-cell></table:table-row></table:table>"#;
        let at = at.min(body.len());
        let body = format!("{}{piece}{}", &body[..at], &body[at..]);
        read_any(&file(if is_text { "text" } else { "spreadsheet" }, &body));
    }
}

#[test]
fn a_picture_of_the_size_of_a_scan_counts_and_a_logo_does_not() {
    let with = |size: (u32, u32)| {
        pictures_with(file("text", "<text:p>Report</text:p>"), "Pictures/1.png", &png(size.0, size.1))
    };
    assert_eq!([with((500, 400)), with((499, 400)), with((199, 2000))], [1, 0, 0]);
}
