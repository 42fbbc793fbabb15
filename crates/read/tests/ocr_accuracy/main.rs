//! Accuracy of OCR: pages of PDF files are drawn as scans, made worse, read, and held against the text of their file.
//!
//! `LOOPCTL_OCR_ENGINES=all LOOPCTL_OCR_SCANS=all cargo test -p loopctl-read --test ocr_accuracy -- --ignored --nocapture`
//! prints the table of `docs/documents.md`; without the variables, its first row. It needs `tesseract`; with
//! `LOOPCTL_PPOCR_MODELS`, and `loopctl-ppocr` in PATH, `ppocr` proofreads and reads, too. The variables may name some of the
//! engines and scans, with semicolons between them; `LOOPCTL_OCR_PAGES` names other pages, as `FILE#PAGE` with commas between
//! them, and `LOOPCTL_OCR_SHOW` shows what was misread.
#![expect(clippy::indexing_slicing, clippy::unwrap_used, reason = "a test may fail")]
#![expect(clippy::print_stdout, reason = "the table is for people")]
#![expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    clippy::cast_precision_loss,
    reason = "pixels of a page, and counts of its words"
)]

mod comparison;
mod scanned_page;

use comparison::{Counts, PlacedToken, compared};
use image::GrayImage;
use loopctl_core::value::DocumentId;
use loopctl_read::{Document, DocumentReader, OcrSettings, PageBox};
use scanned_page::{SCANS, Scan};
use std::path::PathBuf;
use std::process::Command;
use std::time::{Duration, Instant};

/// Pages of this repository with many numbers: a table, a page of text and numbers, references.
const PAGES: [(&str, usize); 3] = [("article.pdf", 2), ("article.pdf", 3), ("multicolumn.pdf", 1)];

/// A page whose text is known.
struct TruePage {
    name: String,
    bytes: Vec<u8>,
    page: usize,
    size: (f32, f32),
    words: Vec<PlacedToken>,
}

/// An engine, and one that proofreads.
struct Engines {
    name: &'static str,
    engine: &'static str,
    proofread: &'static str,
}

const ENGINES: [Engines; 3] = [
    Engines { name: "tesseract", engine: "tesseract", proofread: "tesseract" },
    Engines { name: "tesseract, ppocr", engine: "tesseract", proofread: "ppocr" },
    Engines { name: "ppocr, tesseract", engine: "ppocr", proofread: "tesseract" },
];

impl TruePage {
    fn of(file: PathBuf, page: usize) -> Self {
        let bytes = std::fs::read(&file).unwrap();
        let document = DocumentReader::in_process().document(DocumentId::new("x"), bytes.clone());
        let shown = document.pages.as_ref().unwrap().iter().nth(page - 1).unwrap();
        let size = (shown.width, shown.height);
        let name = format!("{} {page}", file.file_name().unwrap().to_string_lossy());
        TruePage { name, size, words: words(&document, page), bytes, page }
    }

    fn drawn(&self, dpi: f32) -> GrayImage {
        let picture = DocumentReader::in_process().page_picture(&self.bytes, self.page, dpi / 72.0).unwrap();
        image::load_from_memory(picture.png()).unwrap().to_luma8()
    }

    /// The words where a scan shows them.
    fn words_on(&self, scan: &Scan) -> Vec<PlacedToken> {
        let size = (f64::from(self.size.0), f64::from(self.size.1));
        let moved = |word: &PlacedToken| {
            let [left, top, right, bottom] = word.bounds;
            let corners = [(left, top), (right, top), (left, bottom), (right, bottom)];
            let corners = corners.map(|corner| scan.place(corner, size));
            let least = |of: fn(&(f64, f64)) -> f64| corners.iter().map(of).fold(f64::INFINITY, f64::min);
            let most = |of: fn(&(f64, f64)) -> f64| corners.iter().map(of).fold(0.0, f64::max);
            let bounds = [least(|at| at.0), least(|at| at.1), most(|at| at.0), most(|at| at.1)];
            PlacedToken { bounds, ..word.clone() }
        };
        self.words.iter().map(moved).collect()
    }
}

/// The words of a page, in the order of its text.
fn words(document: &Document, page: usize) -> Vec<PlacedToken> {
    let text = document.text.as_ref().unwrap().as_str();
    let pages = document.pages.as_ref().unwrap();
    let doubtful = pages.doubtful_words(text);
    let words = pages.iter().nth(page - 1).unwrap().words.iter().map(|word| {
        let PageBox { left, top, width, height } = word.bounds();
        let bounds = [left, top, left + width, top + height].map(f64::from);
        let doubt = doubtful.iter().find(|doubtful| doubtful.text == word.text());
        let text = &text[word.text()];
        PlacedToken { text: text.to_owned(), bounds, doubt: doubt.map(|doubt| doubt.clause(text)) }
    });
    words.collect()
}

fn pages() -> Vec<TruePage> {
    if let Ok(named) = std::env::var("LOOPCTL_OCR_PAGES") {
        let pages = named.split(',').map(|page| page.split_once('#').unwrap());
        return pages.map(|(file, page)| TruePage::of(file.into(), page.parse().unwrap())).collect();
    }
    let file = |name| [env!("CARGO_MANIFEST_DIR"), "../../tests/documents/pdf", name].iter().collect();
    PAGES.iter().map(|(name, page)| TruePage::of(file(name), *page)).collect()
}

/// Returns whether a variable, which may have several names or `all`, has this one; without it, whether this is the usual one.
fn is_wanted(variable: &str, name: &str, usual: &str) -> bool {
    let is_named = |wanted: String| wanted == "all" || wanted.split(';').any(|wanted| wanted == name);
    std::env::var(variable).map_or(name == usual, is_named)
}

/// The counts of a scan of these pages as it is read, and the time for a page.
fn measured(pages: &[TruePage], scan: &Scan, engines: &Engines) -> (Counts, Duration) {
    let settings = OcrSettings {
        engine: engines.engine.to_owned(),
        proofread: Some(engines.proofread.to_owned()),
        ..OcrSettings::default()
    };
    let reader = DocumentReader::in_process().with_ocr(settings);
    let mut counts = Counts::default();
    let mut time = Duration::ZERO;
    for page in pages {
        let file = scan.file(&page.drawn(scan.dpi), page.size);
        let started = Instant::now();
        let document = reader.document(DocumentId::new("x"), file);
        time += started.elapsed();
        assert!(document.text.is_ok(), "{}, {}: {:?}", engines.name, page.name, document.text);
        let (of_page, wrong) = compared(&page.words_on(scan), &words(&document, 1));
        counts.add(of_page);
        if std::env::var_os("LOOPCTL_OCR_SHOW").is_some() {
            println!("{}, {}: {wrong:#?}", page.name, scan.name);
        }
    }
    (counts, time / pages.len() as u32)
}

#[test]
#[ignore = "long"]
fn scans_are_read_as_well_as_the_documentation_says() {
    if Command::new("tesseract").arg("--version").output().is_err() {
        assert!(
            !std::env::var("LOOPCTL_TESSERACT").is_ok_and(|need| need == "required"),
            "tesseract is missing"
        );
        println!("tesseract is not here: nothing is measured");
        return;
    }
    let pages = pages();
    println!(
        "| engines | scan | words | tokens with digits | numbers | misread numbers in doubt | decimal marks | signs | right numbers in doubt | a page |\n| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |"
    );
    for engines in
        ENGINES.iter().filter(|engines| is_wanted("LOOPCTL_OCR_ENGINES", engines.name, "tesseract"))
    {
        let needs_ppocr = [engines.engine, engines.proofread].contains(&"ppocr");
        if needs_ppocr && std::env::var_os("LOOPCTL_PPOCR_MODELS").is_none() {
            continue;
        }
        for scan in SCANS.iter().filter(|scan| is_wanted("LOOPCTL_OCR_SCANS", scan.name, "200 dpi")) {
            let (counts, time) = measured(&pages, scan, engines);
            let of = |part: comparison::Part| format!("{} of {}", part.part, part.all);
            println!(
                "| {} | {} | {:.1} % | {:.1} % ({}) | {:.1} % | {} | {} | {} | {:.1} % | {:.1} s |",
                engines.name,
                scan.name,
                counts.words.percent(),
                counts.digit_tokens.percent(),
                of(counts.digit_tokens),
                counts.numbers.percent(),
                of(counts.misread),
                of(counts.marks),
                of(counts.signs),
                counts.right.percent(),
                time.as_secs_f64()
            );
            // Of pages that others name nothing is known before.
            let is_known = std::env::var_os("LOOPCTL_OCR_PAGES").is_none();
            if is_known && engines.name == "tesseract" && scan.name == "200 dpi" {
                assert!(counts.digit_tokens.percent() >= 95.0, "{counts:?}");
                assert!(counts.right.percent() <= 25.0, "{counts:?}");
            }
        }
    }
}
