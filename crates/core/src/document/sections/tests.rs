//! Files made of several documents.

use super::super::{Classifier, DocumentPage, MarkedPart, PageWord, Pages, PartRole, Structure};
use super::*;
use crate::diag::{Problems, SourceFile};
use crate::profile::{Files, Library};
use crate::value::PageBox;
use proptest::prelude::*;

/// The parts of the shipped reports, in the order in which files are made of them.
const PATHOLOGY: &str = include_str!("../../../../../tests/documents/pathology-gastric.txt");
const RADIOLOGY: &str = include_str!("../../../../../examples/reports/chest-x-ray.txt");
const LABORATORY: &str = include_str!("../../../../../tests/labs/columns.txt");

fn shipped() -> Classifier {
    let library = Library::embedded();
    let file = library.read("rules/classify.yaml").unwrap().unwrap();
    Classifier::read(&file, &library, &mut Problems::new()).unwrap()
}

fn classifier(text: &str) -> Classifier {
    let mut problems = Problems::new();
    let found = Classifier::parse(&SourceFile::new("c.yaml", text), &mut problems);
    found.unwrap_or_else(|| {
        panic!("{:?}", problems.sorted().iter().map(ToString::to_string).collect::<Vec<_>>())
    })
}

const SMALL: &str = r"
minimum: 1
classify:
  a: [{ pattern: alpha, weight: 2 }]
  b: [{ pattern: beta, weight: 2 }]
  c: [{ pattern: gamma, weight: 2 }]
sections:
  titles: ['^\w+ report$']
  heads: ['^patient: (.+)$', '^order: (\d+)$']
  page_numbers: ['page (\d+) of \d+']
  holds: { a: [c] }
  least_characters: 4
";

fn sections(text: &str) -> Vec<(String, String, Vec<CutReason>)> {
    let found = classifier(SMALL).sections(text, None, &Structure::default());
    let shown = |section: Section| {
        (text[section.text.clone()].trim().to_owned(), section.document_type, section.reasons)
    };
    found.into_iter().map(shown).collect()
}

fn count(text: &str) -> usize {
    sections(text).len()
}

#[test]
fn a_page_of_another_type_is_a_document_of_its_own() {
    use CutReason::{NewPage, OtherType};
    let found = sections("Alpha here\n\x0cBeta here\n\x0cMore of it, beta");
    assert_eq!(found.len(), 2);
    assert_eq!((found[0].0.as_str(), found[0].1.as_str()), ("Alpha here", "a"));
    assert_eq!((found[1].1.as_str(), found[1].2.as_slice()), ("b", [NewPage, OtherType].as_slice()));
    // Neither a page nor a title: no cut.
    assert_eq!(count("Alpha here\n\nBeta here\n"), 1);
}

#[test]
fn a_title_begins_a_document_only_if_the_type_changes() {
    assert_eq!(count("first report\nAlpha here\n\nsecond report\nBeta here\n"), 2);
    assert_eq!(count("first report\nAlpha here\n\nsecond report\nMore alpha here\n"), 1);
}

#[test]
fn another_head_begins_a_document_of_the_same_type_and_the_head_of_each_page_does_not() {
    let head = |patient: &str| format!("patient: {patient}\norder: 12\nAlpha here\n");
    let (one, other) = (head("A"), head("B"));
    assert_eq!(sections(&format!("{one}\n{other}"))[1].2, [CutReason::OtherHead]);
    assert_eq!(count(&format!("{one}\x0c{one}\x0c{one}")), 1);
    let page = "patient: A\norder: 12\nBeta table";
    assert_eq!(count(&format!("{one}\x0c{page}")), 1, "the head says that the page goes with the one before");
}

#[test]
fn numbers_of_pages_continue_a_document_or_begin_one() {
    assert_eq!(count("Alpha\npage 1 of 2\x0cBeta\npage 2 of 2"), 1);
    let found = sections("Alpha\npage 1 of 1\x0cAlpha\npage 1 of 1");
    assert_eq!(found[1].2, [CutReason::NewPage, CutReason::FirstPage]);
}

#[test]
fn what_a_type_holds_is_no_document_of_its_own() {
    assert_eq!(count("Alpha here\x0cGamma table"), 1);
    assert_eq!(count("Beta here\x0cGamma table"), 2);
}

#[test]
fn pages_and_headings_of_a_file_are_places_for_a_cut() {
    let text = "Alpha here\nBeta here\n";
    let page = |text| DocumentPage { width: 1.0, height: 1.0, text, ..DocumentPage::default() };
    let pages = Pages::new(vec![page(0..11), page(11..21)]);
    let classifier = classifier(SMALL);
    assert_eq!(classifier.sections(text, Some(&pages), &Structure::default()).len(), 2);
    let heading =
        |level| Structure::new(vec![MarkedPart { text: 11..15, role: PartRole::Heading { level } }]);
    let found = classifier.sections(text, None, &heading(1));
    assert_eq!((found.len(), found[1].title.as_deref()), (2, Some("Beta here")));
    assert_eq!(classifier.sections(text, None, &heading(2)).len(), 1);
}

/// A page of which each word has a height, a width for each letter, and lines of eight words from a margin on.
fn printed(text: &str, page: Range<usize>, height: f32, letter: f32, margin: f32) -> DocumentPage {
    let start = |word: &str| word.as_ptr() as usize - text.as_ptr() as usize;
    let words = text[page.clone()].split_whitespace().enumerate().map(|(number, word)| {
        let (row, column) = ((number / 8) as f32, (number % 8) as f32);
        let bounds = PageBox {
            left: margin + column * 60.0,
            top: 2.0 * height * row,
            width: letter * word.len() as f32,
            height,
        };
        PageWord::new(start(word)..start(word) + word.len(), bounds).unwrap()
    });
    let words = words.collect();
    DocumentPage { width: 600.0, height: 800.0, text: page, words, ..DocumentPage::default() }
}

fn words(first: u32, count: u32) -> String {
    (first..first + count).map(|number| format!("{} ", name(number))).collect()
}

#[test]
fn what_begins_at_several_places_is_the_foot_of_a_page() {
    let count = |last: &str| {
        let (one, other) = (words(0, 120), words(120, 120));
        let text =
            format!("Alpha\n{one}\nSigned.\n\n\n\nHospital of the town\nAlpha\n{other}\n\n\n\n{last}\n");
        let endings = SMALL.replace("  holds:", "  endings: ['signed']\n  holds:");
        classifier(&endings).sections(&text, None, &Structure::default()).len()
    };
    assert_eq!(count("Nothing else was seen"), 2);
    assert_eq!(count("Hospital of the town"), 1);
}

#[test]
fn a_label_without_a_value_may_end_the_last_page_of_a_document() {
    let text = format!("{}\nPrevious Signout Date:\n\x0cRADIOLOGY REPORT\n{}", words(0, 60), words(60, 60));
    assert_eq!(shipped().sections(&text, None, &Structure::default()).len(), 2);
    let within = text.replace('\x0c', "\n\n");
    assert_eq!(shipped().sections(&within, None, &Structure::default()).len(), 1);
}

#[test]
fn pages_that_are_printed_otherwise_are_likelier_other_documents() {
    use CutReason::{NewHeading, NewPage, OtherPrint, OtherWords};
    // Some words are on both pages, as in parts of one document.
    let one = format!("{}.\n", words(0, 60).trim_end());
    let text = format!("{one}\x0cRemarks:\n{}\n", words(50, 60));
    let next = one.len() + 1;
    let cuts = |height, letter, margin| {
        let pages = Pages::new(vec![
            printed(&text, 0..next, 12.0, 5.0, 72.0),
            printed(&text, next..text.len(), height, letter, margin),
        ]);
        shipped().sections(&text, Some(&pages), &Structure::default())
    };
    assert_eq!(cuts(12.0, 5.0, 72.0).len(), 1);
    assert_eq!(cuts(14.0, 5.8, 72.0).len(), 1, "larger print alone is no other document");
    let found = cuts(10.0, 6.0, 40.0);
    assert_eq!(found.len(), 2);
    assert_eq!(found[1].reasons, [NewPage, OtherWords, NewHeading, OtherPrint]);
}

/// A word of its own for each number.
fn name(number: u32) -> String {
    let letter = |digit: u32| char::from_digit(10 + digit % 26, 36).unwrap();
    [number / 26, number, 3 * number, 7, number + 5].map(letter).into_iter().collect()
}

#[test]
fn a_classification_without_signs_finds_one_section() {
    let plain = "classify: { a: [{ pattern: alpha, weight: 2 }], b: [{ pattern: beta, weight: 2 }] }";
    let found = classifier(plain).sections("alpha\x0cbeta beta", None, &Structure::default());
    assert_eq!((found.len(), found[0].text.clone()), (1, 0..15));
}

#[test]
fn reports_in_one_file_are_found_in_any_order_and_each_alone_stays_whole() {
    let classifier = shipped();
    let parts = [(PATHOLOGY, "pathology"), (RADIOLOGY, "radiology"), (LABORATORY, "lab-report")];
    for (text, document_type) in parts {
        let found = classifier.sections(text, None, &Structure::default());
        assert_eq!(found.iter().map(|s| s.document_type.as_str()).collect::<Vec<_>>(), [document_type]);
    }
    for order in [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]] {
        let chosen = order.map(|at| parts[at]);
        let text = chosen.map(|(text, _)| text.trim_end()).join("\n\x0c");
        let found = classifier.sections(&text, None, &Structure::default());
        let types: Vec<_> = found.iter().map(|section| section.document_type.as_str()).collect();
        assert_eq!(types, chosen.map(|(_, document_type)| document_type), "{order:?}");
        for (section, (own, _)) in found.iter().zip(chosen) {
            assert_eq!(text[section.text.clone()].trim(), own.trim());
        }
    }
}

/// The repository's documents and their types.
const DOCUMENTS: &str = include_str!("../../../../../tests/documents/types.yaml");

fn documents() -> Vec<(String, String)> {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let rows = DOCUMENTS.lines().filter(|line| !line.starts_with('#') && !line.is_empty());
    let document = |line: &str| {
        let (path, document_type) = line.split_once(": ").unwrap();
        let text = std::fs::read_to_string(root.join(path)).unwrap();
        (text.trim().to_owned(), document_type.to_owned())
    };
    rows.map(document).collect()
}

#[test]
fn each_document_of_the_repository_is_of_its_type_and_stays_whole() {
    let classifier = shipped();
    let documents = documents();
    assert!(documents.len() >= 15);
    for (text, document_type) in documents {
        let found = classifier.sections(&text, None, &Structure::default());
        assert_eq!(found.len(), 1, "{}", &text[..60]);
        assert_eq!(found[0].document_type, document_type);
    }
}

#[test]
fn documents_that_follow_one_another_are_cut_nowhere_else_and_as_often_as_before() {
    let classifier = shipped();
    let documents = documents();
    // Between documents, and the least number of pairs that are told apart by it: of all, and of two types.
    let floors = [
        ("\n\n", [56, 45]),
        ("\n\n----------------------------------------\n\n", [119, 90]),
        ("\n\x0c", [178, 134]),
    ];
    let counts = floors.map(|(between, _)| {
        let mut counts = [0, 0];
        for (first, one) in &documents {
            for (second, other) in documents.iter().filter(|(text, _)| text != first) {
                let text = format!("{first}{between}{second}");
                let found = classifier.sections(&text, None, &Structure::default());
                let starts: Vec<usize> = found.iter().skip(1).map(|section| section.text.start).collect();
                let wrong = starts.iter().find(|start| **start != text.len() - second.len());
                assert_eq!(wrong.map(|start| &text[*start..]), None, "{between:?} {text}");
                counts[0] += starts.len();
                counts[1] += if one == other { 0 } else { starts.len() };
            }
        }
        counts
    });
    for ((_, least), found) in floors.iter().zip(counts) {
        assert!(found.iter().zip(least).all(|(found, least)| found >= least), "{counts:?}");
    }
}

fn count_by_subjects(text: &str) -> usize {
    let subjects = "  subjects: ['\\b(?:he|his)\\b', '\\b(?:she|her)\\b']\n  holds:";
    classifier(&SMALL.replace("  holds:", subjects)).sections(text, None, &Structure::default()).len()
}

#[test]
fn a_page_about_another_person_is_likelier_to_be_another_document() {
    assert_eq!(count_by_subjects("Alpha: he is well\n\x0cNotes: alpha, she is well"), 2);
    assert_eq!(count_by_subjects("Alpha: he is well\n\x0cNotes: alpha, he is well"), 1);
    // Both are spoken of.
    assert_eq!(count_by_subjects("Alpha: he is well\n\x0cNotes: alpha, she is his wife"), 1);
}

#[test]
fn a_page_that_breaks_off_within_a_sentence_is_continued() {
    let first = |end: &str| format!("Alpha: he is well and the rest of this report is about {end}");
    let count = |end: &str| count_by_subjects(&format!("{}\n\x0cNotes: alpha, she is well", first(end)));
    assert_eq!(count("it."), 2);
    assert_eq!(count("the"), 1);
}

#[test]
fn headings_that_begin_again_begin_another_document_and_an_appendix_or_quoted_message_does_not() {
    let classifier = shipped();
    let report = |organ: &str, finding: &str| {
        format!(
            "EXAM: CT {organ}\n\nREASON FOR EXAM: {finding}\n\nTECHNIQUE: Axial images without contrast.\n\n\
             FINDINGS: {finding} of the {organ}, unchanged.\n\nIMPRESSION: {finding}."
        )
    };
    let (one, other) = (report("chest", "Consolidation"), report("abdomen", "Cholelithiasis"));
    let count = |text: &str| classifier.sections(text, None, &Structure::default()).len();
    assert_eq!(count(&format!("{one}\n\n{other}")), 2);
    assert_eq!(count(&format!("{one}\n\nAPPENDIX\n{other}")), 1);
    assert_eq!(count(&format!("{one}\n\nOn Monday the clinic wrote:\n{other}")), 1);
    assert_eq!(count(&one), 1);
}

proptest! {
    #[test]
    fn sections_are_all_of_the_text_in_its_order(
        text in "(alpha|beta|gamma|page [12] of 2|one report|patient: [AB]|order: [12]|ä| |\n|\x0c|\r\n){0,40}",
    ) {
        let found = classifier(SMALL).sections(&text, None, &Structure::default());
        prop_assert!(!found.is_empty());
        let mut end = 0;
        for section in &found {
            let between = text.get(end..section.text.start);
            prop_assert!(between.is_some_and(|between| between.trim().is_empty()));
            prop_assert!(text.get(section.text.clone()).is_some());
            end = section.text.end;
        }
        prop_assert!(text.get(end..).is_some_and(|rest| rest.trim().is_empty()));
    }
}
