//! Shares of the cuts that are found in files joined from several documents, and of documents that stay whole:
//! a table in Markdown.
//!
//! ```text
//! cargo run --release -p loopctl-core --example measure_sections -- a FOLDER...
//! ```
//!
//! The documents are the text files of the folders. `a` and `b` are two halves of them, by a digest of their names: signs and
//! weights are chosen by one, and the other says what to expect. With `--faults`, each wrong and each missing cut is
//! shown.
#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a table for those who run it")]

use loopctl_core::diag::Problems;
use loopctl_core::document::{Classifier, Structure};
use loopctl_core::profile::{Files, Library};
use std::path::Path;

/// The number of files that are made of each kind.
const FILES: usize = 120;
/// The sizes of documents that are taken, in bytes.
const SIZES: std::ops::RangeInclusive<usize> = 150..=20_000;
/// The number of characters that are shown of a place.
const SHOWN: usize = 100;

/// A document, with the type that it has alone.
struct Part {
    text: String,
    document_type: String,
}

/// Numbers that are the same each time.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap_or_default() % bound.max(1)
    }
}

/// The cuts of files of one kind.
#[derive(Default)]
struct Counts {
    expected: usize,
    found: usize,
    wrong: usize,
}

fn main() {
    let mut arguments: Vec<String> = std::env::args().skip(1).collect();
    let shows_faults = arguments.iter().any(|argument| argument == "--faults");
    arguments.retain(|argument| argument != "--faults");
    let Some((half, folders)) = arguments.split_first() else {
        eprintln!("usage: measure_sections a|b [--faults] FOLDER...");
        std::process::exit(2);
    };
    let classifier = shipped().unwrap_or_else(|| {
        eprintln!("the shipped classification can't be read");
        std::process::exit(1);
    });
    let parts = parts(&classifier, half, folders);
    println!("{} documents of half {half}\n", parts.len());
    println!("| files | cuts found | wrong cuts |\n| --- | ---: | ---: |");
    let joins = [
        ("joined by a page break", "\n\x0c"),
        ("joined by an empty line", "\n\n"),
        ("joined by two empty lines", "\n\n\n"),
        ("joined by a line of dashes", "\n\n----------------------------------------\n\n"),
    ];
    for (name, between) in joins {
        let mut numbers = Numbers(7);
        let mut counts = Counts::default();
        for _ in 0..FILES {
            let count = 2 + numbers.below(3);
            let chosen: Vec<&Part> =
                (0..count).filter_map(|_| parts.get(numbers.below(parts.len()))).collect();
            counts.add(&classifier, &chosen, between, shows_faults);
        }
        counts.show(name);
    }
    for (name, between) in
        [("pages of reports of one type", "\n\x0c"), ("one type, joined by an empty line", "\n\n")]
    {
        let mut numbers = Numbers(11);
        let mut counts = Counts::default();
        for _ in 0..FILES {
            let Some(first) = parts.get(numbers.below(parts.len())) else { continue };
            let same: Vec<&Part> = parts
                .iter()
                .filter(|part| part.document_type == first.document_type && part.text != first.text)
                .collect();
            let Some(second) = same.get(numbers.below(same.len())) else { continue };
            counts.add(&classifier, &[first, second], between, shows_faults);
        }
        counts.show(name);
    }
    let split = |texts: &[String]| texts.iter().filter(|text| sections(&classifier, text) > 1).count();
    let whole: Vec<String> = parts.iter().map(|part| part.text.clone()).collect();
    println!("| one document | | {} of {} split |", split(&whole), whole.len());
    let mut numbers = Numbers(13);
    let paged: Vec<String> = parts.iter().filter_map(|part| paged(&part.text, &mut numbers)).collect();
    println!("| one document, broken into pages | | {} of {} split |", split(&paged), paged.len());
}

fn shipped() -> Option<Classifier> {
    let library = Library::embedded();
    let file = library.read("rules/classify.yaml").ok()??;
    Classifier::read(&file, &library, &mut Problems::new())
}

fn sections(classifier: &Classifier, text: &str) -> usize {
    classifier.sections(text, None, &Structure::default()).len()
}

/// The documents of a half, in the order of their names.
fn parts(classifier: &Classifier, half: &str, folders: &[String]) -> Vec<Part> {
    let mut files: Vec<_> =
        folders.iter().filter_map(|folder| std::fs::read_dir(folder).ok()).flatten().collect();
    files.sort_by_key(|file| file.as_ref().map(std::fs::DirEntry::path).ok());
    let of_file = |path: &Path| {
        let name = path.file_name()?.to_str()?;
        let digest = name.bytes().fold(14_695_981_039_346_656_037_u64, |digest, byte| {
            (digest ^ u64::from(byte)).wrapping_mul(1_099_511_628_211)
        });
        let own = if (digest >> 20).is_multiple_of(2) { "a" } else { "b" };
        let is_text = path.extension().is_some_and(|extension| extension == "txt");
        let text = std::fs::read_to_string(path).ok().filter(|_| is_text && own == half)?.trim().to_owned();
        let document_type = classifier.classify(&text).document_type;
        SIZES.contains(&text.len()).then_some(Part { text, document_type })
    };
    files.into_iter().flatten().filter_map(|file| of_file(&file.path())).collect()
}

/// A document with an edge of a page at one of its lines or sentences, in its middle.
fn paged(text: &str, numbers: &mut Numbers) -> Option<String> {
    let ends: Vec<usize> = text
        .match_indices(['\n', '.'])
        .map(|(at, _)| at + 1)
        .filter(|at| (text.len() / 5..text.len() * 4 / 5).contains(at))
        .collect();
    let at = *ends.get(numbers.below(ends.len()))?;
    let (one, other) = text.split_at_checked(at)?;
    Some(format!("{one}\n\x0c{}", other.trim_start()))
}

impl Counts {
    fn add(&mut self, classifier: &Classifier, chosen: &[&Part], between: &str, shows_faults: bool) {
        let mut text = String::new();
        let mut expected = Vec::new();
        for part in chosen {
            if !text.is_empty() {
                text.push_str(between);
                expected.push(text.len());
            }
            text.push_str(&part.text);
        }
        let found = classifier.sections(&text, None, &Structure::default());
        let starts: Vec<usize> = found.iter().skip(1).map(|section| section.text.start).collect();
        self.expected += expected.len();
        let missing: Vec<usize> = expected.iter().filter(|at| !starts.contains(at)).copied().collect();
        self.found += expected.len() - missing.len();
        for at in missing.iter().filter(|_| shows_faults) {
            let (before, after) = text.split_at_checked(*at).unwrap_or_default();
            let end: String = before.chars().skip(before.chars().count().saturating_sub(SHOWN)).collect();
            let start: String = after.chars().take(SHOWN).collect();
            eprintln!("missing: {end:?} | {start:?}");
        }
        for at in starts.iter().filter(|at| !expected.contains(at)) {
            self.wrong += 1;
            if shows_faults {
                let shown: String = text.get(*at..).unwrap_or_default().chars().take(SHOWN).collect();
                eprintln!("wrong: {shown:?}");
            }
        }
    }

    fn show(&self, name: &str) {
        println!("| {name} | {} of {} | {} |", self.found, self.expected, self.wrong);
    }
}
