//! Pages drawn, turned, skewed and read.

use super::engine::{Engines, OcrEngine};
use super::line_sheet::SheetSize;
use super::preparation::{Turn, leveled, prepared, turned};
use super::scan::{PagePictures, scanned};
use super::skew::Ink;
use super::tesseract_table::OcrWord;
use super::{GreyPicture, LineSheet, OcrSettings, PictureFrame, SheetTask, lines_of};
use crate::file_text::{FileText, Unread};
use crate::image_file::{ImageKind, grey};
use crate::pdf;
use crate::reader_task::ReadingSettings;
use crate::{DocumentReader, PageBox, ReadingDoubt};
use hayro_interpret::kurbo::Point;
use loopctl_core::document::{DocumentPage, Pages};
use loopctl_core::value::DocumentId;
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// A PDF page of eighteen lines.
fn page() -> Vec<u8> {
    let lines: Vec<(i32, i32, String)> = (0..18)
        .map(|line| {
            (30, 280 - 14 * line, format!("Specimen {line}: margins free, {}.{line} mm of 30", 7 + line))
        })
        .collect();
    let lines: Vec<(i32, i32, &str)> = lines.iter().map(|(x, y, text)| (*x, *y, text.as_str())).collect();
    pdf::tests::pdf(&[pdf::tests::texts(&lines)])
}

/// That page at 150 dots per inch.
fn picture() -> GreyPicture {
    let file = pdf::opened(Arc::new(page()), &ReadingSettings::default()).unwrap();
    pdf::grey(&file, 1, 150.0).unwrap().0
}

#[test]
fn the_skew_of_lines_is_found_and_mended() {
    let level = picture();
    assert!(Ink::of(&level).skew().abs() < 0.15);
    for degrees in [-9.5, -4.2, -1.2, 0.7, 2.5, 8.0] {
        let (skewed, _) = leveled(&level, -degrees);
        let found = Ink::of(&skewed).skew();
        assert!((found - degrees).abs() < 0.15, "{degrees} degrees are found as {found}");
        let mended = prepared(skewed, 1.0, Some(Turn::None));
        assert!(Ink::of(&mended.picture).skew().abs() < 0.2);
    }
}

#[test]
fn lines_that_run_along_the_page_are_told_from_those_that_run_across() {
    assert!(!Ink::of(&picture()).runs_along());
    for turn in [Turn::Right, Turn::Left] {
        let (turned, _) = turned(picture(), turn);
        assert!(Ink::of(&turned).runs_along());
        assert_eq!(prepared(turned, 1.0, None).frame.turn, Turn::Right);
    }
}

#[test]
fn an_empty_page_has_no_ink() {
    let empty = prepared(GreyPicture::drawn(400, 300, |_, _| 240), 1.0, None);
    assert!(!empty.frame.has_ink);
    assert!(prepared(picture(), 1.0, None).frame.has_ink);
}

proptest::proptest! {
    #[test]
    fn places_in_a_prepared_picture_are_found_on_its_page(
        x in 20_usize..180, y in 20_usize..120, turn in 0_usize..4, tenths in -45_i32..45,
    ) {
        // One dark spot, and what becomes of it.
        let spot = |at: usize, place: usize| at.abs_diff(place) <= 3;
        let page = GreyPicture::drawn(200, 140, |px, py| if spot(px, x) && spot(py, y) { 0 } else { 255 });
        let turn = Turn::None.and_others()[turn];
        let (turned, from_turned) = turned(page, turn);
        let (level, from_level) = leveled(&turned, f64::from(tenths) / 10.0);
        let dark = level.rows().enumerate().flat_map(|(y, row)| row.iter().enumerate().map(move |(x, shade)| (x, y, *shade)));
        let dark: Vec<(f64, f64)> =
            dark.filter(|(_, _, shade)| *shade < 128).map(|(x, y, _)| (x as f64 + 0.5, y as f64 + 0.5)).collect();
        let count = dark.len() as f64;
        let middle = dark.iter().fold((0.0, 0.0), |sum, at| (sum.0 + at.0 / count, sum.1 + at.1 / count));
        let found = from_turned * from_level * Point::new(middle.0, middle.1);
        let (dx, dy) = (found.x - x as f64 - 0.5, found.y - y as f64 - 0.5);
        proptest::prop_assert!(dx.abs() < 0.6 && dy.abs() < 0.6, "{turn:?} {tenths}: {dx} {dy}");
    }
}

#[test]
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "pixels of a small picture")]
fn lines_on_a_sheet_are_those_of_the_page() {
    let page = prepared(picture(), 1.0, Some(Turn::None));
    let boxes = [[60.0, 30.0, 500.0, 24.0], [200.0, 90.0, 120.0, 24.0]];
    let task = SheetTask { turn: Turn::None, lines: boxes.to_vec(), scales: vec![1.0] };
    let (sheet, drawn) = lines_of(&page, &task);
    let lines = &sheet.sizes[0].lines;
    assert_eq!(lines.len(), 2);
    for ([left, top, width, height], (start, end, origin)) in boxes.iter().zip(lines) {
        let margin = height * 0.25;
        assert!(end - start >= *height);
        let same =
            (0..*width as usize).flat_map(|x| (0..*height as usize).map(move |y| (x, y))).all(|(x, y)| {
                let on_page = page.picture.at(*left as usize + x, *top as usize + y);
                let (sheet_x, sheet_y) = (left - origin, start + margin);
                on_page == drawn.at(sheet_x as usize + x, sheet_y as usize + y)
            });
        assert!(same, "the line at {top}");
    }
    assert!(drawn.shades().iter().any(|shade| *shade < 100), "there is ink");
}

/// An engine that reads two words where the page is upright, and little otherwise.
struct Upright {
    name: &'static str,
    grade: &'static str,
    upright: u8,
}

impl OcrEngine for Upright {
    fn name(&self) -> &str {
        self.name
    }

    fn read(&self, png: Vec<u8>, _: &OcrSettings) -> Result<Vec<OcrWord>, String> {
        let word = |text: &str, left: f64, confidence| OcrWord {
            text: text.to_owned(),
            line: (1, 1, 1),
            left,
            top: 40.0,
            right: left + 30.0,
            bottom: 60.0,
            confidence,
        };
        match png.first() {
            Some(turn) if *turn == self.upright => {
                Ok(vec![word("grade_of_tumour", 40.0, 96), word(self.grade, 80.0, 92)])
            }
            // The sheet of lines.
            Some(9) => Ok(vec![word("grade_of_tumour", 40.0, 90), word(self.grade, 80.0, 90)]),
            Some(_) => Ok(vec![word("qe", 40.0, 20)]),
            None => Err("it crashed".to_owned()),
        }
    }
}

/// Pictures of which the only byte tells the turn.
struct Turned;

fn frame(turn: Turn) -> PictureFrame {
    PictureFrame { turn, ..prepared(GreyPicture::drawn(200, 100, |_, _| 255), 0.5, Some(turn)).frame }
}

impl PagePictures for Turned {
    fn prepared(&self, page: usize, turn: Option<Turn>) -> Result<(PictureFrame, Vec<u8>), Unread> {
        let turn = turn.unwrap_or(Turn::None);
        let byte = u8::try_from(turn.degrees() / 90).unwrap();
        let png = if page == 4 { Vec::new() } else { vec![byte] };
        Ok((PictureFrame { has_ink: page != 3, ..frame(turn) }, png))
    }

    fn unread_letters(&self, _: usize, words: &[PageBox]) -> Result<usize, Unread> {
        Ok(words.len())
    }

    fn lines(&self, _: usize, task: SheetTask) -> Result<(LineSheet, Vec<u8>), Unread> {
        assert_eq!(task.lines.len(), 1);
        let sizes = vec![SheetSize { scale: 1.0, lines: vec![(30.0, 70.0, 0.0)] }];
        Ok((LineSheet { sizes, ink: Vec::new() }, vec![9]))
    }
}

fn layer(text: &str, pages: usize, for_ocr: Vec<usize>) -> FileText {
    let page = |range: std::ops::Range<usize>| DocumentPage {
        width: 100.0,
        height: 50.0,
        text: range,
        is_picture: true,
        ..DocumentPage::default()
    };
    let shown = (0..pages).map(|at| if at == 0 { page(0..text.len()) } else { page(text.len()..text.len()) });
    FileText {
        text: text.to_owned(),
        pages: Some(Pages::new(shown.collect())),
        for_ocr,
        ..FileText::default()
    }
}

fn engines(upright: u8, second: Option<&'static str>) -> Engines {
    let engine = |name, grade| -> Box<dyn OcrEngine> { Box::new(Upright { name, grade, upright }) };
    Engines { first: engine("first", "G2"), second: second.map(|grade| engine("second", grade)) }
}

#[test]
fn pages_read_by_ocr_take_their_place_among_the_others() {
    let read = layer("Invoice 7\n", 3, vec![2, 3]);
    let read = scanned(read, &Turned, &engines(0, None), &OcrSettings::default(), None).unwrap();
    assert_eq!(
        read.text.split('\u{c}').map(str::trim).collect::<Vec<_>>(),
        ["Invoice 7", "grade_of_tumour G2", ""]
    );
    let pages = read.pages.unwrap();
    let pages: Vec<&DocumentPage> = pages.iter().collect();
    assert!(pages[0].origin.is_text_layer());
    let words: Vec<&str> = pages[1].words.iter().map(|word| &read.text[word.text()]).collect();
    assert_eq!(words, ["grade_of_tumour", "G2"]);
    let ocr = pages[1].origin.ocr().unwrap();
    assert_eq!((ocr.engine.as_str(), ocr.confidence, ocr.turned), ("first", 95, 0));
    // Of half a point for a pixel.
    assert_eq!(pages[1].words[1].bounds().left, 40.0);
    assert!(pages[2].words.is_empty() && pages[2].is_picture);
}

/// Pictures that keep the pages that were begun.
#[derive(Default)]
struct Begun(std::sync::Mutex<Vec<(usize, usize)>>);

impl PagePictures for Begun {
    fn begun(&self, page: usize, pages: usize) {
        self.0.lock().unwrap().push((page, pages));
    }

    fn prepared(&self, page: usize, turn: Option<Turn>) -> Result<(PictureFrame, Vec<u8>), Unread> {
        Turned.prepared(page, turn)
    }

    fn unread_letters(&self, page: usize, words: &[PageBox]) -> Result<usize, Unread> {
        Turned.unread_letters(page, words)
    }

    fn lines(&self, page: usize, task: SheetTask) -> Result<(LineSheet, Vec<u8>), Unread> {
        Turned.lines(page, task)
    }
}

#[test]
fn each_page_that_is_begun_is_told_with_their_number() {
    let pictures = Begun::default();
    let read = layer("Invoice 7\n", 3, vec![2, 3]);
    scanned(read, &pictures, &engines(0, None), &OcrSettings::default(), None).unwrap();
    let mut begun = pictures.0.into_inner().unwrap();
    begun.sort_unstable();
    assert_eq!(begun, [(1, 2), (2, 2)]);
}

#[test]
fn a_page_is_turned_until_it_reads() {
    for upright in 0..4 {
        let read =
            scanned(layer("", 1, vec![1]), &Turned, &engines(upright, None), &OcrSettings::default(), None);
        let pages = read.unwrap().pages.unwrap();
        let turned = pages.iter().next().unwrap().origin.ocr().unwrap().turned;
        assert_eq!(turned, u16::from(upright) * 90);
    }
}

#[test]
fn digits_that_a_second_engine_reads_otherwise_leave_their_word_in_doubt() {
    let doubtful = |second| {
        let read =
            scanned(layer("", 1, vec![1]), &Turned, &engines(0, second), &OcrSettings::default(), None)
                .unwrap();
        read.pages.unwrap().doubtful_words(&read.text).into_iter().map(|word| word.why).collect::<Vec<_>>()
    };
    assert_eq!(doubtful(None), []);
    assert_eq!(doubtful(Some("g2")), []);
    let differs = ReadingDoubt::Differs { engine: "second".to_owned(), reads: "G3".to_owned() };
    assert_eq!(doubtful(Some("G3")), [differs]);
}

#[test]
fn what_ocr_can_not_read_is_an_error_that_names_the_page() {
    let settings = OcrSettings { most_pages: 2, ..OcrSettings::default() };
    let why = |read: FileText| scanned(read, &Turned, &engines(0, None), &settings, None).unwrap_err();
    assert_eq!(why(layer("x", 4, vec![4])), Unread::OcrFailed { page: 4, why: "it crashed".to_owned() });
    assert_eq!(why(layer("x", 4, vec![1, 2, 3])), Unread::TooManyScans { pages: 3, most: 2 });
    assert_eq!(why(layer("", 3, vec![3])), Unread::NoText { pages: 3, engine: Some("first".to_owned()) });
    let hurried = OcrSettings { document_time: std::time::Duration::ZERO, ..OcrSettings::default() };
    let late = scanned(layer("x", 1, vec![1]), &Turned, &engines(0, None), &hurried, None).unwrap_err();
    assert_eq!(late, Unread::ScansTooSlow { page: 1 });
}

/// An engine that notes the time that each of its readings has.
struct Timed(Arc<Mutex<Vec<Duration>>>);

impl OcrEngine for Timed {
    fn name(&self) -> &str {
        "timed"
    }

    fn read(&self, png: Vec<u8>, settings: &OcrSettings) -> Result<Vec<OcrWord>, String> {
        self.0.lock().unwrap().push(settings.page_time);
        Upright { name: "timed", grade: "2", upright: 2 }.read(png, settings)
    }
}

#[test]
fn all_readings_of_a_page_share_its_time() {
    let times = Arc::new(Mutex::new(Vec::new()));
    let timed = || Box::new(Timed(Arc::clone(&times)));
    let engines = Engines { first: timed(), second: Some(timed()) };
    let read = |settings: &OcrSettings| scanned(layer("", 1, vec![1]), &Turned, &engines, settings, None);
    let settings = OcrSettings::default();
    read(&settings).unwrap();
    let noted = std::mem::take(&mut *times.lock().unwrap());
    assert_eq!(noted.first(), Some(&settings.page_time));
    // As it lies, turned, and its lines with digits.
    assert!(noted.len() >= 3 && noted.windows(2).all(|pair| pair[1] < pair[0]), "{noted:?}");

    let crashes =
        Engines { first: Box::new(Upright { name: "crashes", grade: "2", upright: 0 }), second: None };
    let none = OcrSettings { page_time: Duration::ZERO, ..settings };
    let why = scanned(layer("", 4, vec![4]), &Turned, &crashes, &none, None).unwrap_err();
    let too_long = "its readings took more than 0 seconds in all".to_owned();
    assert_eq!(why, Unread::OcrFailed { page: 4, why: too_long });
}

fn message(settings: OcrSettings) -> String {
    let reader = DocumentReader::in_process().with_ocr(settings);
    let png = picture().png().unwrap();
    reader.document(DocumentId::new("scan"), png).text.unwrap_err().to_string()
}

#[test]
fn a_missing_engine_is_named_with_the_way_to_install_it() {
    let missing = message(OcrSettings { engine: "no-such-engine".to_owned(), ..OcrSettings::default() });
    assert!(missing.contains("there is no OCR engine `no-such-engine`"), "{missing}");
    let path = message(OcrSettings { engine: "./tesseract".to_owned(), ..OcrSettings::default() });
    assert!(path.contains("is not the name of an OCR engine"), "{path}");
}

/// Tesseract, where it is installed.
fn with_tesseract() -> Option<OcrSettings> {
    with_language("eng")
}

/// Tesseract, where it is installed and has this language.
fn with_language(language: &str) -> Option<OcrSettings> {
    let settings =
        OcrSettings { proofread: None, languages: vec![language.to_owned()], ..OcrSettings::default() };
    match Engines::of(&settings) {
        Ok(_) => Some(settings),
        Err(why)
            if language == "eng"
                && std::env::var("LOOPCTL_TESSERACT").is_ok_and(|need| need == "required") =>
        {
            panic!("{why}")
        }
        Err(why) => {
            eprintln!("not tried: {why}");
            None
        }
    }
}

#[test]
#[ignore = "long"]
fn a_scan_is_read_by_tesseract_upright_and_turned() {
    let Some(settings) = with_tesseract() else { return };
    let reader = DocumentReader::in_process().with_ocr(settings);
    for turn in [Turn::None, Turn::Half, Turn::Left] {
        let (turned, _) = turned(picture(), turn);
        let (skewed, _) = leveled(&turned, 1.2);
        let document = reader.document(DocumentId::new("scan"), skewed.png().unwrap());
        let text = document.text.unwrap().as_str().to_owned();
        let found = (0..18).filter(|line| text.contains(&format!("{}.{line} mm", 7 + line))).count();
        assert!(found >= 16, "{turn:?}, {found} lines:\n{text}");
        let pages = document.pages.unwrap();
        let at = text.find("Specimen").unwrap();
        let seen = &pages.passages(at..at + 8)[0].boxes[0];
        let (wide, high) = (skewed.width() as f32, skewed.height() as f32);
        // The first word: near the corner of the page where it begins.
        let middle = ((seen.left + seen.width / 2.0) / wide, (seen.top + seen.height / 2.0) / high);
        let expected = match turn {
            Turn::None => (true, true),
            Turn::Half => (false, false),
            Turn::Left | Turn::Right => (true, false),
        };
        assert_eq!((middle.0 < 0.5, middle.1 < 0.5), expected, "{turn:?} {middle:?}");
    }
}

#[test]
fn letters_of_another_language_are_read_where_it_is_installed() {
    let Some(settings) = with_language("deu") else { return };
    let lines = [
        (30, 250, "Gr\\366\\337e des Pr\\344parats"),
        (30, 230, "R\\344nder tumorfrei, Gef\\344\\337e frei"),
    ];
    let page = pdf::tests::pdf(&[pdf::tests::texts(&lines)]);
    let page = pdf::opened(Arc::new(page), &ReadingSettings::default()).unwrap();
    let (picture, _) = pdf::grey(&page, 1, 150.0).unwrap();
    let reader = DocumentReader::in_process().with_ocr(settings);
    let document = reader.document(DocumentId::new("scan"), picture.png().unwrap());
    let text = document.text.unwrap().as_str().to_owned();
    let found = ["Größe", "Präparats", "Ränder", "Gefäße"].into_iter().filter(|word| text.contains(word));
    assert!(found.count() >= 3, "{text}");
}

#[test]
fn a_language_that_tesseract_lacks_is_named_with_its_package() {
    if with_tesseract().is_none() {
        return;
    }
    let missing = message(OcrSettings {
        languages: vec!["eng".to_owned(), "tlh_old".to_owned()],
        ..OcrSettings::default()
    });
    assert!(missing.contains("`tlh_old`; install it: `apt-get install tesseract-ocr-tlh-old`"), "{missing}");
    let odd = message(OcrSettings { languages: vec!["--help".to_owned()], ..OcrSettings::default() });
    assert!(odd.contains("`--help` is not a language"), "{odd}");
}

#[test]
fn an_image_is_enlarged_to_the_resolution_that_engines_like() {
    let png = picture().png().unwrap();
    let (enlarged, points) = grey(ImageKind::Png, &png, 1, 300.0).unwrap();
    let longer = enlarged.width().max(enlarged.height());
    assert!((2_400..=3_600).contains(&longer), "{longer}");
    assert!((points * longer as f64 - picture().width().max(picture().height()) as f64).abs() < 1.0);
}
