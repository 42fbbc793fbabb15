//! Pages drawn for one question each.

use super::*;
use crate::{DocumentReader, Unreadable};
use loopctl_core::value::DocumentId;
use std::fmt::Write as _;

fn read(bytes: Vec<u8>, settings: &ReadingSettings) -> Result<FileText, Unread> {
    super::read(&opened(Arc::new(bytes), settings)?, settings)
}

/// A PDF with a page for each content stream, 400 by 300 points, with Courier as `F`: each character is 0.6 of its size.
pub(crate) fn pdf(pages: &[String]) -> Vec<u8> {
    let first = 4;
    let kids: Vec<String> = (0..pages.len()).map(|at| format!("{} 0 R", first + 2 * at)).collect();
    let mut objects = vec![
        "<< /Type /Catalog /Pages 2 0 R >>".to_owned(),
        format!("<< /Type /Pages /Kids [{}] /Count {} >>", kids.join(" "), pages.len()),
        "<< /Type /Font /Subtype /Type1 /BaseFont /Courier /Encoding /WinAnsiEncoding >>".to_owned(),
    ];
    for (at, content) in pages.iter().enumerate() {
        objects.push(format!(
            "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 400 300] /Resources << /Font << /F 3 0 R >> /ExtGState << /Clear << /ca 0 >> /Faint << /ca 0.04 >> >> >> /Contents {} 0 R >>",
            first + 2 * at + 1
        ));
        objects.push(format!("<< /Length {} >>\nstream\n{content}\nendstream", content.len()));
    }
    let mut file = String::from("%PDF-1.4\n");
    let mut offsets = Vec::new();
    for (at, object) in objects.iter().enumerate() {
        offsets.push(file.len());
        write!(file, "{} 0 obj\n{object}\nendobj\n", at + 1).unwrap();
    }
    let table = file.len();
    write!(file, "xref\n0 {}\n0000000000 65535 f \n", objects.len() + 1).unwrap();
    for offset in offsets {
        writeln!(file, "{offset:010} 00000 n ").unwrap();
    }
    write!(file, "trailer\n<< /Size {} /Root 1 0 R >>\nstartxref\n{table}\n%%EOF\n", objects.len() + 1)
        .unwrap();
    file.into_bytes()
}

/// Texts at a distance from the left and bottom edge, in ten points.
pub(crate) fn texts(texts: &[(i32, i32, &str)]) -> String {
    texts.iter().map(|(x, y, text)| format!("BT /F 10 Tf 1 0 0 1 {x} {y} Tm ({text}) Tj ET\n")).collect()
}

pub(super) fn pages(read: &FileText) -> &Pages {
    read.pages.as_ref().unwrap()
}

pub(super) fn read_pages(pages: &[String]) -> FileText {
    read(pdf(pages), &ReadingSettings::default()).unwrap()
}

fn text(page: String) -> String {
    read_pages(&[page]).text
}

#[test]
fn rows_keep_the_distance_of_their_cells() {
    // Drawn column by column.
    let page = texts(&[
        (20, 200, "Item"),
        (20, 188, "Paper"),
        (20, 176, "Ink, black"),
        (200, 200, "Quantity"),
        (200, 188, "12"),
        (200, 176, "3"),
        (300, 200, "Total"),
        (300, 188, "18.50"),
        (300, 176, "7.25"),
    ]);
    insta::assert_snapshot!(text(page), @"
    Item                          Quantity         Total
    Paper                         12               18.50
    Ink, black                    3                7.25
    ");
}

#[test]
fn columns_of_running_text_are_read_one_after_the_other() {
    let mut page = texts(&[(120, 280, "A title over both columns")]);
    for line in 0..8 {
        let y = 250 - 12 * line;
        // The columns' lines are not at the same heights.
        page += &texts(&[(20, y, "left words fill this line"), (210, y - 5, "right words fill it as well")]);
    }
    let text = text(page);
    let lines: Vec<&str> = text.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    assert_eq!(lines[0], "A title over both columns");
    assert!(lines[1..9].iter().all(|line| *line == "left words fill this line"), "{text}");
    assert!(lines[9..17].iter().all(|line| *line == "right words fill it as well"), "{text}");
}

#[test]
fn a_table_of_two_columns_is_read_by_rows() {
    let rows: Vec<(i32, i32, &str)> =
        (0..8).flat_map(|row| [(20, 250 - 12 * row, "Haemoglobin"), (210, 250 - 12 * row, "13.2")]).collect();
    assert!(
        text(texts(&rows))
            .lines()
            .take(8)
            .all(|line| line.starts_with("Haemoglobin  ") && line.ends_with(" 13.2"))
    );
}

#[test]
fn each_word_has_its_box_on_its_page() {
    let read = read_pages(&[texts(&[(20, 200, "grade two")]), texts(&[(100, 100, "margins free")])]);
    assert_eq!(read.text.matches('\u{c}').count(), 1);
    let start = read.text.find("free").unwrap();
    let found = pages(&read).passages(start..start + 4);
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].page, 2);
    let seen = found[0].boxes[0];
    // Eight characters of 6 points after the left edge; the baseline is 200 points below the top.
    assert_eq!((seen.left, seen.width), (148.0, 24.0));
    assert!(seen.top < 200.0 && seen.top + seen.height > 200.0);
    assert_eq!((pages(&read).len(), pages(&read).iter().next().unwrap().width), (2, 400.0));
}

#[test]
fn a_page_that_is_turned_is_read_and_its_boxes_are_on_the_page() {
    let page = "BT /F 10 Tf 0 1 -1 0 100 50 Tm (Grade: G2) Tj ET BT /F 10 Tf 0 1 -1 0 120 50 Tm (Margins: free) Tj ET";
    let read = read_pages(&[page.to_owned()]);
    let lines: Vec<&str> = read.text.split_whitespace().collect();
    assert_eq!(lines, ["Grade:", "G2", "Margins:", "free"]);
    let at = read.text.find("G2").unwrap();
    let seen = pages(&read).passages(at..at + 2)[0].boxes[0];
    assert!(seen.height > seen.width && seen.left < 100.0 && seen.left + seen.width > 100.0, "{seen:?}");
}

#[test]
fn what_no_eye_sees_is_no_text() {
    let page = texts(&[(20, 200, "Total 18.50 EUR for paper and ink")])
        + "BT /F 10 Tf 3 Tr 1 0 0 1 20 150 Tm (ignore this) Tj ET\n"
        + "BT /F 10 Tf 0 Tr 1 0 0 1 900 900 Tm (off the page) Tj ET";
    assert_eq!(text(page).trim(), "Total 18.50 EUR for paper and ink");
}

#[test]
fn parts_of_words_are_joined_and_letter_spaced_words_are_one() {
    let parts = texts(&[(20, 200, "hae"), (38, 200, "moglobin"), (100, 200, "13"), (112, 200, ".2")]);
    assert_eq!(text(parts).trim(), "haemoglobin  13.2");
    let spaced =
        "BT /F 10 Tf 4 Tc 1 0 0 1 20 200 Tm (TOTAL) Tj ET BT /F 10 Tf 0 Tc 1 0 0 1 100 200 Tm (9) Tj ET";
    assert_eq!(text(spaced.to_owned()).split_whitespace().collect::<Vec<_>>(), ["TOTAL", "9"]);
    let raised = "BT /F 10 Tf 1 0 0 1 20 200 Tm (10) Tj ET BT /F 6 Tf 1 0 0 1 32.4 204 Tm (9) Tj ET BT /F 10 Tf 1 0 0 1 40 200 Tm (/l) Tj ET";
    assert_eq!(text(raised.to_owned()).lines().count(), 2, "one line, and the end of the page's part");
}

#[test]
fn bold_type_by_drawing_twice_is_read_once() {
    assert_eq!(text(texts(&[(20, 200, "A")]) + "BT /F 10 Tf 1 0 0 1 20.4 200 Tm (A) Tj ET").trim(), "A");
}

#[test]
fn pages_that_are_only_pictures_are_told_from_empty_ones() {
    let picture = |width: i32| format!("q {width} 0 0 200 50 50 cm BI /W 1 /H 1 /CS /G /BPC 8 ID a EI Q");
    let read = read_pages(&[texts(&[(20, 200, "Total 1")]), picture(300), String::new(), picture(30)]);
    // A logo is no scan.
    assert_eq!(pages(&read).doubts().unwrap(), "page 2 shows only a picture, of which no text is read");
    assert_eq!(
        self::read(pdf(&[picture(300)]), &ReadingSettings::default()).unwrap_err(),
        Unread::NoText { pages: 1, engine: None }
    );
}

#[test]
fn files_without_text_say_why() {
    let why = |bytes: Vec<u8>| {
        let document = DocumentReader::in_process().document(DocumentId::new("x"), bytes);
        document.text.map(|text| text.as_str().to_owned()).map_err(|why: Unreadable| why.to_string())
    };
    assert_eq!(
        why(pdf(&["0 0 10 10 re f".to_owned()])).unwrap_err(),
        "the document is a PDF whose page shows no text"
    );
    assert_eq!(
        why(pdf(&[String::new(), String::new()])).unwrap_err(),
        "the document is a PDF, and all of its 2 pages are empty"
    );
    assert_eq!(
        why(b"%PDF-1.7\nnothing".to_vec()).unwrap_err(),
        "the document begins as a PDF, and is damaged"
    );
    assert_eq!(why(pdf(&[])).unwrap_err(), "the document is a PDF without any page");
    assert_eq!(
        why(pdf(&vec![String::new(); 5_001])).unwrap_err(),
        "the document is a PDF with more pages or characters than a document may have"
    );
    assert!(why(pdf(&[texts(&[(20, 200, "Total 1")])])).unwrap().contains("Total 1"));
}

#[test]
fn what_precedes_the_header_is_left_out() {
    let file = [&b"X-Filed-By: desk 3\r\n\r\n"[..], &pdf(&[texts(&[(20, 200, "Total 18.50")])])].concat();
    let document = DocumentReader::in_process().document(DocumentId::new("x"), file);
    assert_eq!(document.text.unwrap().as_str().trim(), "Total 18.50");
    assert_eq!(document.media.unwrap().media_type(), "application/pdf");
    // The name of a file does not matter, but its first bytes.
    let page = DocumentReader::in_process().document(DocumentId::new("page.pdf"), b"<p>Total 18.50".to_vec());
    assert!(page.media.is_none() && page.text.is_ok());
}

#[test]
fn a_file_that_breaks_what_opens_it_is_refused() {
    // A row of more bytes than its reader counts, in the table of objects.
    let table = "1 0 obj<</Type/XRef/Size 1/W[1 1 1]/Filter/FlateDecode/DecodeParms<</Predictor 12/Colors 200>>/Length 11>>stream\n";
    let empty = b"\x78\x01\x01\x00\x00\xff\xff\x00\x00\x00\x01";
    let file = [b"%PDF-1.7\n", table.as_bytes(), empty, b"\nendstream endobj\nstartxref\n9\n%%EOF"].concat();
    let why = read(file, &ReadingSettings::default()).unwrap_err();
    assert!(matches!(why, Unread::Damaged | Unread::Lost { .. }), "{why:?}");
}

/// A file whose page draws a form of ten forms of ten forms, and so on, with this content in the innermost.
fn nested(content: &str) -> Vec<u8> {
    const DEPTH: usize = 9;
    let form = |content: &str, resources: &str| {
        format!(
            "<</Type/XObject/Subtype/Form/BBox[0 0 400 300]/Resources<<{resources}>>/Length {}>>stream\n{content}\nendstream ",
            content.len()
        )
    };
    let mut file = "%PDF-1.7
1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj
2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj
3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 400 300]/Contents 4 0 R/Resources<</XObject<</X 10 0 R>>>>>>endobj
4 0 obj<</Length 5>>stream\n/X Do\nendstream endobj
5 0 obj<</Type/Font/Subtype/Type1/BaseFont/Courier>>endobj\n".to_owned();
    for depth in 0..DEPTH {
        let object = form(&"/X Do ".repeat(10), &format!("/XObject<</X {} 0 R>>", 11 + depth));
        writeln!(file, "{} 0 obj{object}endobj", 10 + depth).unwrap();
    }
    write!(file, "{} 0 obj{}endobj\ntrailer<</Root 1 0 R>>", 10 + DEPTH, form(content, "/Font<</F 5 0 R>>"))
        .unwrap();
    file.into_bytes()
}

#[test]
fn a_page_that_draws_without_end_is_given_up() {
    for content in
        ["BT /F 10 Tf 20 200 Td (Total 18.50) Tj ET", "0 0 9 9 re f 0 0 m 5 5 l S", "0 0 9 9 re W n", ""]
    {
        let read = read(nested(content), &ReadingSettings::default());
        assert_eq!(read.unwrap_err(), Unread::TooMuchWork, "{content}");
    }
}

proptest::proptest! {
    #[test]
    fn damaged_bytes_are_refused_or_read(at in 0_usize..900, byte in 0_u8..=255, cut in 0_usize..900) {
        let mut bytes = pdf(&[texts(&[(20, 200, "Total 18.50")])]);
        if let Some(place) = bytes.get_mut(at) {
            *place = byte;
        }
        bytes.truncate(bytes.len().saturating_sub(cut / 3));
        if let Ok(read) = read(bytes, &ReadingSettings::default()) {
            let words = pages(&read).iter().flat_map(|page| &page.words);
            for word in words {
                proptest::prop_assert!(read.text.get(word.text()).is_some_and(|text| !text.is_empty()));
            }
        }
    }
}

#[test]
fn a_page_is_drawn_with_ink_where_its_words_are() {
    let file = pdf(&[texts(&[(20, 200, "grade two")]), String::new()]);
    let reader = DocumentReader::in_process();
    let size = |png: &[u8]| -> Vec<u32> {
        png[16..24].chunks(4).map(|side| u32::from_be_bytes(side.try_into().unwrap())).collect()
    };
    let (written, empty) =
        (reader.page_picture(&file, 1, 2.0).unwrap(), reader.page_picture(&file, 2, 2.0).unwrap());
    assert_eq!(size(written.png()), [800, 600]);
    assert_ne!(written, empty);
    let error = reader.page_picture(&file, 3, 2.0).unwrap_err();
    assert_eq!(error.to_string(), "the document has no page 3");
}

/// The number of missing parts of each page.
fn missing(bytes: Vec<u8>) -> Vec<f32> {
    let read = read(bytes, &ReadingSettings::default()).unwrap();
    pages(&read).iter().map(|page| page.signals.missing_parts.unwrap()).collect()
}

#[test]
fn pages_of_which_the_file_lacks_a_part_are_told_from_blank_ones() {
    let line = texts(&[(20, 200, "Margins are free")]);
    let whole = pdf(&[line.clone(), String::new(), line.clone()]);
    assert_eq!(missing(whole.clone()), [0.0, 0.0, 0.0]);
    let lacking = |part: &str, instead: &str| {
        let text = String::from_utf8(whole.clone()).unwrap();
        assert!(text.contains(part), "{part}");
        missing(text.replacen(part, instead, 1).into_bytes())
    };
    // References to objects that the file does not have.
    assert_eq!(lacking("/Contents 5 0 R", "/Contents 9 9 R"), [1.0, 0.0, 0.0]);
    assert_eq!(lacking("/Contents 5 0 R", "/Contents [5 0 R 99 0 R]"), [1.0, 0.0, 0.0]);
    assert_eq!(lacking("/F 3 0 R", "/F 99 0 R"), [1.0, 0.0, 0.0]);
    let picture = "/XObject << /I 99 0 R >> /Font << /F";
    assert_eq!(lacking("/Font << /F", picture), [1.0, 0.0, 0.0]);
}

#[test]
fn a_picture_that_can_not_be_decoded_is_missing() {
    let picture = |data: &str| {
        let image = format!("BI /W 2 /H 2 /BPC 8 /CS /G /F /DCT ID {data} EI\n");
        pdf(&[
            texts(&[(20, 200, "Margins are free")]) + format!("q 100 0 0 100 20 20 cm {image} Q\n").as_str()
        ])
    };
    assert_eq!(missing(picture("no picture")), [1.0]);
}
