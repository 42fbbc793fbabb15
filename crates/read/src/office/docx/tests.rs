//! Word documents made for one question each.

use crate::file_text::FileText;
use crate::office::test_packages::{
    content_types, links, package, pictures_with, png, read, read_any, refusal,
};
use crate::{PartRole, Structure};
use proptest::prelude::*;

const STYLES: &str = r#"<w:styles xmlns:w="w">
<w:docDefaults><w:rPrDefault><w:rPr><w:sz w:val="22"/></w:rPr></w:rPrDefault></w:docDefaults>
<w:style w:type="paragraph" w:default="1" w:styleId="Normal"><w:name w:val="Normal"/></w:style>
<w:style w:type="paragraph" w:styleId="berschrift1"><w:name w:val="heading 1"/><w:pPr><w:outlineLvl w:val="0"/></w:pPr></w:style>
<w:style w:type="paragraph" w:styleId="Section"><w:name w:val="Our section"/><w:basedOn w:val="berschrift1"/></w:style>
<w:style w:type="paragraph" w:styleId="Loop"><w:name w:val="Loop"/><w:basedOn w:val="Loop"/></w:style>
<w:style w:type="paragraph" w:styleId="Secret"><w:name w:val="Secret"/><w:rPr><w:vanish/></w:rPr></w:style>
<w:style w:type="table" w:styleId="Dark"><w:name w:val="Dark"/><w:tblStylePr w:type="firstRow"><w:tcPr><w:shd w:val="clear" w:fill="4F81BD"/></w:tcPr></w:tblStylePr></w:style>
</w:styles>"#;

const NUMBERING: &str = r#"<w:numbering xmlns:w="w">
<w:abstractNum w:abstractNumId="1">
<w:lvl w:ilvl="0"><w:start w:val="1"/><w:numFmt w:val="decimal"/><w:lvlText w:val="%1."/></w:lvl>
<w:lvl w:ilvl="1"><w:start w:val="1"/><w:numFmt w:val="lowerLetter"/><w:lvlText w:val="%1.%2)"/></w:lvl>
</w:abstractNum>
<w:abstractNum w:abstractNumId="2"><w:lvl w:ilvl="0"><w:numFmt w:val="bullet"/><w:lvlText w:val="&#xF0B7;"/><w:rPr><w:rFonts w:ascii="Symbol"/></w:rPr></w:lvl></w:abstractNum>
<w:num w:numId="1"><w:abstractNumId w:val="1"/></w:num>
<w:num w:numId="2"><w:abstractNumId w:val="2"/></w:num>
<w:num w:numId="3"><w:abstractNumId w:val="1"/><w:lvlOverride w:ilvl="0"><w:startOverride w:val="5"/></w:lvlOverride></w:num>
</w:numbering>"#;

const NOTES: &str = r#"<w:footnotes xmlns:w="w"><w:footnote w:type="separator" w:id="-1"><w:p><w:r><w:t>line</w:t></w:r></w:p></w:footnote>
<w:footnote w:id="7"><w:p><w:r><w:footnoteRef/></w:r><w:r><w:t xml:space="preserve"> Measured twice.</w:t></w:r></w:p></w:footnote></w:footnotes>"#;

fn edge(text: &str) -> String {
    format!(r#"<w:hdr xmlns:w="w"><w:p><w:r><w:t>{text}</w:t></w:r></w:p></w:hdr>"#)
}

fn document(body: &str) -> String {
    format!(
        r#"<?xml version="1.0"?><w:document xmlns:w="w" xmlns:r="r" xmlns:mc="m"><w:body>{body}</w:body></w:document>"#
    )
}

/// A document with this body.
fn docx(body: &str) -> Vec<u8> {
    let rels = links(&[
        ("s", "styles", "styles.xml"),
        ("n", "numbering", "numbering.xml"),
        ("f", "footnotes", "footnotes.xml"),
        ("h1", "header", "header1.xml"),
        ("h2", "header", "/word/header2.xml"),
        ("f1", "footer", "footer1.xml"),
    ]);
    package(&[
        ("[Content_Types].xml", &content_types("/word/document.xml", "wordprocessingml.document")),
        ("word/document.xml", &document(body)),
        ("word/_rels/document.xml.rels", &rels),
        ("word/styles.xml", STYLES),
        ("word/numbering.xml", NUMBERING),
        ("word/footnotes.xml", NOTES),
        ("word/header1.xml", &edge("Hospital")),
        ("word/header2.xml", &edge("First page only")),
        ("word/footer1.xml", &edge("Confidential")),
    ])
}

fn file(body: &str) -> FileText {
    read(docx(body)).unwrap()
}

fn text(body: &str) -> String {
    file(body).text
}

fn run(text: &str) -> String {
    format!(r#"<w:r><w:t xml:space="preserve">{text}</w:t></w:r>"#)
}

fn p(properties: &str, text: &str) -> String {
    format!("<w:p><w:pPr>{properties}</w:pPr>{}</w:p>", run(text))
}

fn styled(look: &str, text: &str) -> String {
    format!("<w:r><w:rPr>{look}</w:rPr><w:t>{text}</w:t></w:r>")
}

fn roles(structure: &Structure) -> Vec<PartRole> {
    structure.iter().map(|part| part.role).collect()
}

#[test]
fn headings_lists_and_paragraphs_are_written_as_they_are_seen() {
    let item = |list: &str, level: &str, text: &str| {
        p(&format!(r#"<w:numPr><w:ilvl w:val="{level}"/><w:numId w:val="{list}"/></w:numPr>"#), text)
    };
    let body = [
        p(r#"<w:pStyle w:val="Section"/>"#, "Findings"),
        p(r#"<w:pStyle w:val="Loop"/>"#, "Free margins."),
        item("1", "0", "one"),
        item("1", "1", "inner"),
        item("1", "1", "inner"),
        item("1", "0", "two"),
        item("1", "1", "again"),
        item("2", "0", "dot"),
        p(r#"<w:outlineLvl w:val="2"/>"#, "Deeper"),
        item("3", "0", "from five"),
        item("0", "0", "no item"),
    ];
    let read = file(&body.concat());
    insta::assert_snapshot!(read.text, @"
    Findings

    Free margins.

    1. one
      1.a) inner
      1.b) inner
    2. two
      2.a) again
    • dot

    Deeper

    5. from five

    no item
    ");
    let heading = |level| PartRole::Heading { level };
    assert_eq!(roles(&read.structure), [heading(1), PartRole::List, heading(3), PartRole::List]);
}

#[test]
fn cells_keep_their_columns() {
    let cell =
        |properties: &str, text: &str| format!("<w:tc><w:tcPr>{properties}</w:tcPr>{}</w:tc>", p("", text));
    let row = |properties: &str, cells: &[String]| {
        format!("<w:tr><w:trPr>{properties}</w:trPr>{}</w:tr>", cells.concat())
    };
    let span = r#"<w:gridSpan w:val="2"/>"#;
    let rows = [
        row("", &[cell("", "Test"), cell("", "Result"), cell("", "Unit")]),
        row("", &[cell("", "Haemoglobin"), cell("", ""), cell("", "g/l")]),
        row("<w:del/>", &[cell("", "Deleted")]),
        row("", &[cell(span, "Both of them"), cell(r#"<w:vMerge/>"#, "covered")]),
        row(r#"<w:gridBefore w:val="1"/>"#, &[cell("", "6.1"), cell("", "G/l")]),
    ];
    let read = file(&format!("<w:tbl>{}</w:tbl>{}", rows.concat(), p("", "Behind")));
    insta::assert_snapshot!(read.text, @"
    Test         Result  Unit
    Haemoglobin          g/l
    Both of them
                 6.1     G/l

    Behind
    ");
    assert_eq!(roles(&read.structure), [PartRole::Table]);
}

#[test]
fn what_was_deleted_is_not_read_and_what_was_inserted_is() {
    let mark = r#"<w:rPr><w:del w:id="1"/></w:rPr>"#;
    let body = format!(
        "<w:p>{}<w:del>{}<w:r><w:delText>5.2</w:delText></w:r></w:del><w:ins>{}</w:ins><w:moveFrom>{}</w:moveFrom></w:p>{}{}",
        run("Size: "),
        run("9.9"),
        run("4.6 cm"),
        run("moved"),
        p(mark, "One "),
        p("", "line"),
    );
    assert_eq!(text(&body), "Size: 4.6 cm\n\nOne line\n");
}

#[test]
fn what_no_eye_sees_is_not_read() {
    let dark = r#"<w:shd w:val="clear" w:fill="1F3864"/>"#;
    let white = r#"<w:color w:val="FFFFFF"/>"#;
    let body = [
        format!(
            "<w:p>{}{}{}{}{}{}</w:p>",
            styled(white, "WHITE"),
            styled("<w:vanish/>", "VANISHED"),
            styled(r#"<w:sz w:val="2"/>"#, "TINY"),
            styled(r#"<w:color w:val="FDFDFD"/>"#, "ALMOST"),
            styled(r#"<w:color w:val="1F3864"/><w:shd w:val="clear" w:fill="1F3864"/>"#, "DARK"),
            styled(r#"<w:vanish w:val="0"/>"#, "seen "),
        ),
        format!("<w:p>{}</w:p>", styled(&format!("{white}{dark}"), "white on dark")),
        format!("<w:p><w:pPr>{dark}</w:pPr>{}</w:p>", styled(white, "white on a dark line")),
        format!(
            "<w:tbl><w:tr><w:tc><w:tcPr>{dark}</w:tcPr><w:p>{}</w:p></w:tc></w:tr></w:tbl>",
            styled(white, "dark cell")
        ),
        format!(
            r#"<w:tbl><w:tblPr><w:tblStyle w:val="Dark"/></w:tblPr><w:tr><w:tc><w:p>{}</w:p></w:tc></w:tr></w:tbl>"#,
            styled(white, "coloured by a style")
        ),
        p(r#"<w:pStyle w:val="Secret"/>"#, "SECRET"),
        format!("<w:p>{}</w:p>", styled(white, "WHITE AGAIN")),
    ];
    let expected = "seen\n\nwhite on dark\n\nwhite on a dark line\n\ndark cell\n\ncoloured by a style\n";
    assert_eq!(text(&body.concat()), expected);
}

#[test]
fn text_boxes_are_read_once_behind_their_paragraph() {
    let content = |text: &str| format!("<w:txbxContent>{}</w:txbxContent>", p("", text));
    let body = format!(
        "<w:p>{}<w:r><mc:AlternateContent><mc:Choice><w:drawing><wps:txbx>{}</wps:txbx></w:drawing></mc:Choice>\
         <mc:Fallback><w:pict><v:textbox>{}</v:textbox></w:pict></mc:Fallback></mc:AlternateContent></w:r>{}</w:p>",
        run("Before "),
        content("In the box"),
        content("In the box"),
        run("after.")
    );
    assert_eq!(text(&body), "Before after.\n\nIn the box\n");
}

#[test]
fn fields_give_their_results_and_forms_their_state() {
    let field = |kind: &str, inner: &str| {
        format!(r#"<w:r><w:fldChar w:fldCharType="{kind}">{inner}</w:fldChar></w:r>"#)
    };
    let check = |on: &str| {
        field("begin", &format!(r#"<w:ffData><w:checkBox><w:default w:val="{on}"/></w:checkBox></w:ffData>"#))
    };
    let list = r#"<w:ffData><w:ddList><w:result w:val="1"/><w:listEntry w:val="no"/><w:listEntry w:val="yes"/></w:ddList></w:ffData>"#;
    let link = format!("<w:hyperlink>{}</w:hyperlink><w:fldSimple>{}</w:fldSimple>", run("link "), run("3"));
    let sdt = format!(
        "<w:sdt><w:sdtPr><w:text/></w:sdtPr><w:sdtContent>{}</w:sdtContent></w:sdt>",
        run(" ☒ ticked")
    );
    let parts = [
        field("begin", ""),
        "<w:r><w:instrText>PAGE</w:instrText></w:r>".to_owned(),
        run("code"),
        field("separate", ""),
        run("12 "),
        field("end", ""),
        check("1"),
        field("end", ""),
        check("0"),
        field("end", ""),
        field("begin", list),
        field("end", ""),
        link,
        sdt,
    ];
    let body = format!("<w:p>{}</w:p>", parts.concat());
    assert_eq!(text(&body), "12 ☒☐yeslink 3 ☒ ticked\n");
    // A field without an end hides no more than its paragraph.
    let open = format!("<w:p>{}{}</w:p>{}", field("begin", ""), run("HIDDEN"), p("", "seen"));
    assert_eq!(text(&open), "seen\n");
}

#[test]
fn notes_follow_the_text_and_their_marks_are_no_digits_of_a_value() {
    let reference =
        r#"<w:r><w:rPr><w:vertAlign w:val="superscript"/></w:rPr><w:footnoteReference w:id="7"/></w:r>"#;
    let power = styled(r#"<w:vertAlign w:val="superscript"/>"#, "9");
    let read =
        file(&format!("<w:p>{}{reference}{}{power}{}</w:p>", run("Size 4.6"), run(" cm, 10"), run("/l")));
    assert_eq!(read.text, "Size 4.6[1] cm, 10⁹/l\n\n[1] Measured twice.\n");
    assert_eq!(roles(&read.structure), [PartRole::Note]);
}

#[test]
fn headers_and_footers_that_are_shown_are_written_once() {
    let section = |title: &str| {
        format!(
            r#"<w:sectPr><w:headerReference w:type="default" r:id="h1"/><w:headerReference w:type="first" r:id="h2"/><w:footerReference w:type="default" r:id="f1"/>{title}</w:sectPr>"#
        )
    };
    let body = format!("{}{}{}", p(&section(""), "One"), p("", "Two"), section(""));
    assert_eq!(text(&body), "Hospital\n\nOne\n\nConfidential\n\u{c}Two\n");
    let titled = format!("{}{}", p("", "One"), section("<w:titlePg/>"));
    assert_eq!(text(&titled), "First page only\n\nHospital\n\nOne\n\nConfidential\n");
}

#[test]
fn breaks_tabulators_symbols_and_formulas_are_text() {
    let body = format!(
        r#"<w:p>{}<w:r><w:br/></w:r>{}<w:r><w:tab/></w:r>{}<w:r><w:br w:type="page"/></w:r>{}<w:r><w:sym w:font="Wingdings" w:char="F0FE"/><w:noBreakHyphen/></w:r>{}</w:p>
        <w:p><m:oMath><m:f><m:num><m:r><m:t>1</m:t></m:r></m:num><m:den><m:r><m:t>2</m:t></m:r></m:den></m:f></m:oMath></w:p>
        <w:p><w:pPr><w:pageBreakBefore/></w:pPr>{}</w:p>"#,
        run("a"),
        run("b"),
        run("c"),
        run("d"),
        styled(r#"<w:rFonts w:ascii="Symbol"/>"#, "m"),
        run("next")
    );
    assert_eq!(text(&body), "a\nb       c\n\u{c}d☑-μ\n\n1/2\n\u{c}next\n");
    let initial = format!("{}{}", p(r#"<w:framePr w:dropCap="drop"/>"#, "D"), p("", "iagnosis"));
    assert_eq!(text(&initial), "Diagnosis\n");
}

#[test]
fn hostile_documents_are_refused() {
    let of = |document: &str| {
        package(&[
            ("[Content_Types].xml", &content_types("/word/document.xml", "wordprocessingml.document")),
            ("word/document.xml", document),
        ])
    };
    let laughs = r#"<!DOCTYPE x [<!ENTITY a "ha"><!ENTITY b "&a;&a;">]><w:document><w:body><w:p><w:r><w:t>&b;</w:t></w:r></w:p></w:body></w:document>"#;
    let nested = "<w:sdt><w:sdtContent>".repeat(500_000);
    let unknown = document(&run("&secret;"));
    let mut cases = vec![
        refusal(of(laughs)),
        refusal(of(&document(&nested))),
        refusal(of(&unknown)),
        refusal(of(&document(&p("", "x")).replace("</w:body>", ""))),
        refusal(of(&document("<w:p/>"))),
        refusal(of("")),
    ];
    let mut cut = docx(&p("", "text"));
    cut.truncate(cut.len() - 30);
    cases.push(refusal(cut));
    insta::assert_snapshot!(cases.join("\n"));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn a_damaged_document_is_read_or_refused(at in 0usize..4_000, byte: u8, cut in 0usize..4_000) {
        let mut bytes = docx(&format!("{}{}", p(r#"<w:pStyle w:val="Section"/>"#, "Findings"), p("", "Free margins.")));
        let length = bytes.len();
        bytes[at % length] = byte;
        let _ = read_any(&bytes);
        bytes.truncate(cut % length);
        let _ = read_any(&bytes);
    }

    #[test]
    fn damaged_xml_is_read_or_refused(at in 0usize..400, piece in "[<>/&;a-z:\"= ]{0,12}") {
        let own = document(&format!("{}{}", p(r#"<w:pStyle w:val="Section"/>"#, "Findings"), p("", "x")));
        let at = (0..=at.min(own.len())).rev().find(|at| own.is_char_boundary(*at)).unwrap();
        let damaged = format!("{}{piece}{}", &own[..at], &own[at..]);
        let bytes = package(&[
            ("[Content_Types].xml", &content_types("/word/document.xml", "wordprocessingml.document")),
            ("word/document.xml", &damaged),
        ]);
        let _ = read_any(&bytes);
    }
}

#[test]
fn a_picture_of_the_size_of_a_scan_counts_and_a_logo_does_not() {
    let with =
        |name: &str, file: &[u8]| pictures_with(docx("<w:p><w:r><w:t>Report</w:t></w:r></w:p>"), name, file);
    for (size, count) in [((500, 400), 1), ((499, 400), 0), ((199, 2000), 0), ((200, 1000), 1)] {
        assert_eq!(with("word/media/image1.png", &png(size.0, size.1)), count, "{size:?}");
    }
    // Drawings of lines tell no pixels, and a file that is damaged shows nothing.
    assert_eq!(with("word/media/image1.emf", &[7; 60_000]), 1);
    assert_eq!(with("word/media/image1.emf", &[7; 2_000]), 0);
    assert_eq!(with("word/media/image1.png", &png(500, 400)[..20]), 0);
    assert_eq!(with("word/embeddings/image1.png", &png(500, 400)), 0);
}
