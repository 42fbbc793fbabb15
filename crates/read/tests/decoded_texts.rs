//! Texts that a reader made: they are taken as they are, the same each time.

use loopctl_core::value::DocumentId;
use loopctl_read::{Document, DocumentReader};
use std::io::{Cursor, Write};
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

fn read(bytes: Vec<u8>) -> Document {
    DocumentReader::in_process().document(DocumentId::new("x"), bytes)
}

/// A text in RTF, which may have characters of any kind.
fn rtf(text: &str) -> Document {
    read(format!("{{\\rtf1\\ansi {text}\\par}}").into_bytes())
}

#[test]
fn a_text_whose_first_word_is_the_mark_of_a_kind_of_file_is_a_text() {
    for text in ["GIF89a pictures have 256 colours.", "%PDF-1.7 is the first line of such a file."] {
        assert_eq!(rtf(text).text.unwrap().as_str().trim_end(), text);
    }
}

#[test]
fn a_text_that_begins_with_an_invisible_character_has_its_parts_in_their_places() {
    let document = rtf("\\u-257 ?Findings\\par\\trowd\\cellx1000\\intbl 30 mm\\cell\\row");
    let text = document.text.unwrap();
    let part = document.structure.iter().next().unwrap();
    assert_eq!(text.as_str().get(part.text.clone()), Some("30 mm"));
}

#[test]
fn a_list_whose_style_two_others_define_has_the_same_numbers_each_time() {
    const NUMBERING: &str = r#"<w:numbering xmlns:w="w">
<w:abstractNum w:abstractNumId="1"><w:lvl w:ilvl="0"><w:numFmt w:val="decimal"/><w:lvlText w:val="%1."/></w:lvl><w:styleLink w:val="S"/></w:abstractNum>
<w:abstractNum w:abstractNumId="2"><w:lvl w:ilvl="0"><w:numFmt w:val="upperRoman"/><w:lvlText w:val="(%1)"/></w:lvl><w:styleLink w:val="S"/></w:abstractNum>
<w:abstractNum w:abstractNumId="3"><w:numStyleLink w:val="S"/></w:abstractNum>
<w:num w:numId="1"><w:abstractNumId w:val="3"/></w:num></w:numbering>"#;
    const BODY: &str = r#"<w:document xmlns:w="w"><w:body><w:p><w:pPr><w:numPr><w:ilvl w:val="0"/><w:numId w:val="1"/></w:numPr></w:pPr><w:r><w:t>Margins free</w:t></w:r></w:p></w:body></w:document>"#;
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, part) in [
        (
            "[Content_Types].xml",
            r#"<Types><Override PartName="/word/document.xml" ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/></Types>"#,
        ),
        ("word/document.xml", BODY),
        (
            "word/_rels/document.xml.rels",
            r#"<Relationships><Relationship Id="n" Type="x/numbering" Target="numbering.xml"/></Relationships>"#,
        ),
        ("word/numbering.xml", NUMBERING),
    ] {
        writer.start_file(name, SimpleFileOptions::default()).unwrap();
        writer.write_all(part.as_bytes()).unwrap();
    }
    let file = writer.finish().unwrap().into_inner();
    for _ in 0..20 {
        assert_eq!(read(file.clone()).text.unwrap().as_str().trim_end(), "1. Margins free");
    }
}
