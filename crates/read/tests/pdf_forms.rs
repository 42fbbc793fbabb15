//! Form fields, annotations and attachments of PDF files: what is seen is read, what opens by a click is not.
#![expect(clippy::indexing_slicing, clippy::unwrap_used, reason = "a test may fail")]

use loopctl_core::document::Document;
use loopctl_core::value::DocumentId;
use loopctl_read::DocumentReader;

/// A PDF whose page, 400 by 300 points, says "Form" at the top, with these annotations; further objects have the numbers
/// from 10 on.
fn pdf(catalog: &str, annotations: &[&str], objects: &[&str]) -> Vec<u8> {
    let content = "BT /F 10 Tf 1 0 0 1 20 280 Tm (Form) Tj ET";
    let mut file = format!(
        "%PDF-1.7
1 0 obj<</Type/Catalog/Pages 2 0 R {catalog}>>endobj
2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj
3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 400 300]/Contents 4 0 R/Resources<</Font<</F 5 0 R>>>>/Annots[{}]>>endobj
4 0 obj<</Length {}>>stream\n{content}\nendstream endobj
5 0 obj<</Type/Font/Subtype/Type1/BaseFont/Courier/Encoding/WinAnsiEncoding>>endobj\n",
        annotations.join(" "),
        content.len(),
    );
    for (number, object) in (10..).zip(objects) {
        file += &format!("{number} 0 obj{object}endobj\n");
    }
    file += "trailer<</Root 1 0 R>>\n%%EOF\n";
    file.into_bytes()
}

/// A form of 100 by 20 points that draws a text.
fn drawn(text: &str) -> String {
    let content = format!("BT /F 10 Tf 2 5 Td ({text}) Tj ET");
    format!(
        "<</Type/XObject/Subtype/Form/BBox[0 0 100 20]/Resources<</Font<</F 5 0 R>>>>/Length {}>>stream\n{content}\nendstream ",
        content.len()
    )
}

fn read(file: Vec<u8>) -> Document {
    DocumentReader::in_process().document(DocumentId::new("x"), file)
}

/// The words after "Form".
fn words(file: Vec<u8>) -> String {
    let text = read(file).text.unwrap();
    let words: Vec<&str> = text.as_str().split_whitespace().collect();
    assert_eq!(words[0], "Form");
    words[1..].join(" ")
}

fn widget(entries: &str) -> String {
    format!("<</Type/Annot/Subtype/Widget/Rect[20 100 120 120]{entries}>>")
}

#[test]
fn a_field_is_read_as_its_appearance_draws_it() {
    let field = widget("/FT/Tx/V(stored)/AP<</N 10 0 R>>");
    let file = |form: &str| pdf(form, &[&field], &[&drawn("drawn value")]);
    assert_eq!(words(file("/AcroForm<</Fields[]>>")), "drawn value");
    // A viewer draws it anew.
    assert_eq!(words(file("/AcroForm<</Fields[]/NeedAppearances true>>")), "stored");
}

#[test]
fn a_field_without_an_appearance_is_read_by_its_value_at_its_place() {
    let document = read(pdf("", &[&widget("/FT/Tx/DA(/F 9 Tf)/V(13.5 g/dl)")], &[]));
    let text = document.text.unwrap();
    let at = text.as_str().find("13.5").unwrap();
    let passage = &document.pages.unwrap().passages(at..at + "13.5 g/dl".len())[0];
    let seen = passage.boxes[0];
    assert_eq!((passage.page, passage.boxes.len()), (1, 1));
    // The rectangle is 180 to 200 points below the top.
    assert!(seen.left >= 20.0 && seen.left + seen.width <= 120.0, "{seen:?}");
    assert!(seen.top >= 179.0 && seen.top + seen.height <= 201.0, "{seen:?}");
}

#[test]
fn values_are_inherited_decoded_and_broken_into_lines() {
    let file = pdf(
        "/AcroForm<</DA(/F 8 Tf)>>",
        &["<</Subtype/Widget/Rect[20 40 120 120]/Parent 10 0 R>>"],
        &[
            "<</FT/Tx/Ff 4096/V<FEFF0047007200F600DF006500200032000D006E006F0064006500730020003100200066007200650065>>>",
        ],
    );
    let text = read(file).text.unwrap();
    let lines: Vec<&str> = text.as_str().lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    assert_eq!(lines, ["Form", "Größe 2", "nodes 1 free"]);
    let file = pdf("", &[&widget("/FT/Tx/V<FEFF05D005D1002005D205D3>")], &[]);
    assert_eq!(words(file), "\u{5d0}\u{5d1} \u{5d2}\u{5d3}");
}

#[test]
fn boxes_are_signs_and_choices_are_what_they_show() {
    let boxes = |states: &str| words(pdf("", &[&widget(&format!("/FT/Btn{states}"))], &[&drawn("4")]));
    assert_eq!(boxes("/AS/Yes/AP<</N<</Yes 10 0 R>>>>"), "\u{2612}");
    assert_eq!(boxes("/AS/Off/AP<</N<</Yes 10 0 R>>>>"), "\u{2610}");
    assert_eq!(boxes("/V/Yes"), "\u{2612}");
    assert_eq!(boxes(""), "\u{2610}");
    // A button that is pressed shows its caption.
    assert_eq!(boxes("/Ff 65536/MK<</CA(Send)>>"), "Send");
    let choice = |value: &str| {
        words(pdf(
            "",
            &[&widget(&format!("/FT/Ch/V{value}/Opt[[(g1)(Grade 1)][(g2)(Grade 2)](other)]"))],
            &[],
        ))
    };
    assert_eq!(choice("(g2)"), "Grade 2");
    assert_eq!(choice("(other)"), "other");
    assert_eq!(choice("[(g1)(g2)]"), "Grade 1 Grade 2");
}

#[test]
fn what_is_not_shown_is_not_read() {
    for annotation in [
        &widget("/FT/Tx/F 2/V(hidden)")[..],
        &widget("/FT/Tx/F 32/V(hidden)"),
        &widget("/FT/Tx/Ff 8192/V(secret)"),
        &widget("/FT/Tx/Ff 8192/AP<</N 10 0 R>>"),
        "<</Subtype/Widget/Rect[20 100 20 100]/FT/Tx/V(flat)>>",
        "<</Subtype/Widget/Rect[900 900 990 920]/FT/Tx/V(off)>>",
        "<</Subtype/Text/Rect[20 100 120 120]/Contents(a comment)/AP<</N 10 0 R>>>>",
        "<</Subtype/Popup/Rect[20 100 120 120]/Contents(a comment)>>",
        "<</Subtype/Stamp/F 2/Rect[20 100 120 120]/AP<</N 10 0 R>>>>",
        "<</Subtype/Stamp/OC 11 0 R/Rect[20 100 120 120]/AP<</N 10 0 R>>>>",
    ] {
        let file = pdf(
            "/OCProperties<</OCGs[11 0 R]/D<</OFF[11 0 R]>>>>",
            &[annotation],
            &[&drawn("shown"), "<</Type/OCG/Name(layer)>>"],
        );
        assert_eq!(words(file), "", "{annotation}");
    }
}

#[test]
fn stamps_and_text_on_the_page_are_read() {
    for (annotation, seen) in [
        ("<</Subtype/Stamp/Rect[20 100 220 140]/AP<</N 10 0 R>>>>", "drawn value"),
        ("<</Subtype/FreeText/Rect[20 100 120 120]/Contents(see page 2)>>", "see page 2"),
        ("<</Subtype/FreeText/Rect[20 100 120 120]/Contents(old)/AP<</N 10 0 R>>>>", "drawn value"),
    ] {
        assert_eq!(words(pdf("", &[annotation], &[&drawn("drawn value")])), seen, "{annotation}");
    }
    // The appearance is scaled to the rectangle.
    let document =
        read(pdf("", &["<</Subtype/Stamp/Rect[200 100 400 140]/AP<</N 10 0 R>>>>"], &[&drawn("big")]));
    let at = document.text.unwrap().as_str().find("big").unwrap();
    let seen = document.pages.unwrap().passages(at..at + 3)[0].boxes[0];
    assert_eq!((seen.left, seen.width), (204.0, 36.0));
}

#[test]
fn a_form_that_its_pages_do_not_show_is_refused() {
    let why = |catalog: &str| read(pdf(catalog, &[], &[])).text.map_err(|why| why.to_string());
    let refused = Err("the document is a PDF whose form is drawn by Adobe's programs only (XFA)".to_owned());
    assert_eq!(why("/AcroForm<</XFA 5 0 R/Fields[]>>").map(|_| ()), refused);
    assert_eq!(why("/NeedsRendering true/AcroForm<</XFA 5 0 R/Fields[4 0 R]>>").map(|_| ()), refused);
    assert!(why("/AcroForm<</XFA 5 0 R/Fields[4 0 R]>>").is_ok());
}

#[test]
fn files_within_a_file_are_named_and_not_read() {
    let tree = "/Names<</EmbeddedFiles<</Kids[10 0 R 10 0 R]>>>>";
    let objects = [
        "<</Kids[10 0 R]/Names[(a)<</F(a.xml)/UF(a\\nb.xml)/EF<<>>>>(b)11 0 R]>>",
        "<</F(scan.png)/EF<</F 12 0 R>>>>",
    ];
    let document = read(pdf(tree, &["<</Subtype/FileAttachment/FS<</F(c.txt)/EF<<>>>>>>"], &objects));
    assert_eq!(document.attachments, ["ab.xml", "scan.png", "c.txt"]);
    assert_eq!(
        document.unread_attachments().unwrap(),
        "the files that it holds are not read: `ab.xml`, `scan.png` and `c.txt`"
    );
    assert_eq!(document.text.unwrap().as_str().trim(), "Form");
    // A portfolio is nothing but its files.
    let why = read(pdf(&format!("{tree}/Collection<<>>"), &[], &objects)).text.unwrap_err();
    assert_eq!(
        why.to_string(),
        "the document is a PDF portfolio, the cover of 2 files (`ab.xml`, `scan.png`)"
    );
}

#[test]
fn fields_that_are_part_of_themselves_end() {
    let file = pdf(
        "/AcroForm 10 0 R",
        &["10 0 R"],
        &["<</Subtype/Widget/Rect[20 100 120 120]/Parent 10 0 R/Kids[10 0 R]/Fields[10 0 R]/FT/Tx>>"],
    );
    assert_eq!(words(file), "");
}
