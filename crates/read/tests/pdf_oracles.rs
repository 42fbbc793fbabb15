//! Words and boxes of PDF files against those of other readers: poppler (`pdftotext`), and pdfium and pylopdf from PyPI.
//!
//! The readers are looked for in PATH, and in a Python environment at `pdf-oracles` among the temporary files of the
//! target folder, made from `pdf_oracles.txt`. Without them the test says so and passes; with
//! `LOOPCTL_PDF_ORACLES=required` it fails.
#![expect(clippy::indexing_slicing, clippy::unwrap_used, reason = "a test may fail")]

use loopctl_core::value::DocumentId;
use loopctl_read::DocumentReader;
use std::collections::HashMap;
use std::path::PathBuf;
use std::process::Command;
use unicode_normalization::UnicodeNormalization;

/// The least that is to be measured: document, reader, words found, boxes that agree (`–` where no word is on its page
/// once), order. Poppler writes Arabic words as they are seen, from left to right: they are compared with the others.
const EXPECTED: &str = include_str!("pdf_oracles.tsv");

/// A word, and its box: left, top, right, bottom.
#[derive(Debug, Clone)]
struct SeenWord {
    text: String,
    bounds: [f64; 4],
}

type PageWords = Vec<SeenWord>;

fn word(text: &str, bounds: [f64; 4]) -> SeenWord {
    SeenWord { text: text.nfkc().collect(), bounds }
}

fn file(name: &str) -> PathBuf {
    [env!("CARGO_MANIFEST_DIR"), "../../tests/documents/pdf", name].iter().collect()
}

fn of_ours(name: &str) -> Vec<PageWords> {
    let document =
        DocumentReader::in_process().document(DocumentId::new("x"), std::fs::read(file(name)).unwrap());
    let text = document.text.unwrap();
    let pages = document.pages.unwrap();
    let words_of = |page: &loopctl_core::document::DocumentPage| {
        let words = page.words.iter().map(|placed| {
            let [left, top, width, height] = {
                let bounds = placed.bounds();
                [bounds.left, bounds.top, bounds.width, bounds.height].map(f64::from)
            };
            word(&text.as_str()[placed.text()], [left, top, left + width, top + height])
        });
        words.collect()
    };
    pages.iter().map(words_of).collect()
}

/// The words as `pdftotext -bbox` writes them; `None` without poppler.
fn of_poppler(name: &str) -> Option<Vec<PageWords>> {
    let output = Command::new("pdftotext").arg("-bbox").arg(file(name)).arg("-").output().ok()?;
    assert!(output.status.success(), "{output:?}");
    let text = String::from_utf8(output.stdout).unwrap();
    let bound = |line: &str, name: &str| -> f64 {
        let rest = line.split_once(&format!("{name}=\"")).unwrap().1;
        rest.split('"').next().unwrap().parse().unwrap()
    };
    let mut pages: Vec<PageWords> = Vec::new();
    for line in text.lines().map(str::trim) {
        if line.starts_with("<page") {
            pages.push(Vec::new());
        } else if line.starts_with("<word") {
            let content = line.split_once('>').unwrap().1.trim_end_matches("</word>");
            let plain = content
                .replace("&lt;", "<")
                .replace("&gt;", ">")
                .replace("&quot;", "\"")
                .replace("&apos;", "'")
                .replace("&amp;", "&");
            // Marks of direction are not seen.
            let plain: String = plain.chars().filter(|c| !('\u{202a}'..='\u{202e}').contains(c)).collect();
            let bounds = ["xMin", "yMin", "xMax", "yMax"].map(|name| bound(line, name));
            pages.last_mut().unwrap().push(word(&plain, bounds));
        }
    }
    Some(pages)
}

/// The words as a reader in Python sees them; `None` where the environment is missing.
fn of_python(reader: &str, name: &str) -> Option<Vec<PageWords>> {
    let python = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("pdf-oracles/bin/python");
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/pdf_oracles.py");
    let output = Command::new(python).args([script, reader]).arg(file(name)).output().ok()?;
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8(output.stdout).unwrap();
    let pages = text.lines().map(|line| {
        let words: Vec<(String, f64, f64, f64, f64)> = serde_json::from_str(line).unwrap();
        words
            .iter()
            .map(|(text, left, top, right, bottom)| word(text, [*left, *top, *right, *bottom]))
            .collect()
    });
    Some(pages.collect())
}

/// Shares of an oracle's words: those that are found on their page, those of the words that are unique there whose
/// boxes agree, and the agreement of their order.
fn measured(ours: &[PageWords], theirs: &[PageWords]) -> [Option<f64>; 3] {
    assert_eq!(ours.len(), theirs.len(), "pages");
    let [mut found, mut all, mut agreeing, mut unique, mut in_order, mut both] = [0_usize; 6];
    for (ours, theirs) in ours.iter().zip(theirs) {
        let mut left: HashMap<&str, Vec<&SeenWord>> = HashMap::new();
        for word in ours {
            left.entry(&word.text).or_default().push(word);
        }
        let mut counts: HashMap<&str, usize> = HashMap::new();
        for word in theirs {
            *counts.entry(&word.text).or_default() += 1;
        }
        for word in theirs {
            all += 1;
            if let Some([one]) = left.get(&*word.text).map(Vec::as_slice)
                && counts[&*word.text] == 1
            {
                unique += 1;
                agreeing += usize::from(overlap(one.bounds, word.bounds) > 0.5);
            }
        }
        for (text, count) in counts {
            found += count.min(left.get(text).map_or(0, Vec::len));
        }
        in_order += 2 * longest_common(ours, theirs);
        both += ours.len() + theirs.len();
    }
    [share(found, all), share(agreeing, unique), share(in_order, both)]
}

fn share(part: usize, all: usize) -> Option<f64> {
    (all > 0).then(|| part as f64 / all as f64)
}

/// The area that two boxes share, in parts of what they cover together.
fn overlap(a: [f64; 4], b: [f64; 4]) -> f64 {
    let area = |[left, top, right, bottom]: [f64; 4]| (right - left).max(0.0) * (bottom - top).max(0.0);
    let shared = area([a[0].max(b[0]), a[1].max(b[1]), a[2].min(b[2]), a[3].min(b[3])]);
    shared / (area(a) + area(b) - shared)
}

/// The length of the longest common subsequence.
fn longest_common(a: &[SeenWord], b: &[SeenWord]) -> usize {
    let mut above = vec![0; b.len() + 1];
    for one in a {
        let mut row = vec![0; b.len() + 1];
        for (at, other) in b.iter().enumerate() {
            row[at + 1] = if one.text == other.text { above[at] + 1 } else { row[at].max(above[at + 1]) };
        }
        above = row;
    }
    above[b.len()]
}

#[test]
#[ignore = "long"]
fn words_and_boxes_agree_with_other_readers() {
    let is_required = std::env::var("LOOPCTL_PDF_ORACLES").is_ok_and(|value| value == "required");
    let is_update = std::env::var_os("LOOPCTL_UPDATE").is_some();
    let mut rows = String::new();
    let mut worse = Vec::new();
    for line in EXPECTED.lines() {
        let columns: Vec<&str> = line.split('\t').collect();
        let (name, reader) = (columns[0], columns[1]);
        let theirs = if reader == "poppler" { of_poppler(name) } else { of_python(reader, name) };
        let Some(theirs) = theirs else {
            assert!(!is_required, "{reader} is not here; `pdf_oracles.rs` says how to install it");
            println!("{reader} is not here: nothing is compared with it");
            rows += &format!("{line}\n");
            continue;
        };
        let found = measured(&of_ours(name), &theirs);
        let written = |share: Option<f64>| {
            share.map_or("–".to_owned(), |share| format!("{:.2}", (share * 100.0).floor() / 100.0))
        };
        let shares = found.map(written).join("\t");
        println!("{name}\t{reader}\t{shares}");
        rows += &format!("{name}\t{reader}\t{shares}\n");
        for (share, least) in found.iter().zip(&columns[2..]) {
            let least: Option<f64> = least.parse().ok();
            // Another release of a reader may see a word or two otherwise.
            if share.is_some() != least.is_some()
                || share.zip(least).is_some_and(|(share, least)| share + 0.02 < least)
            {
                worse.push(format!("{line}: {shares}"));
            }
        }
    }
    if is_update {
        std::fs::write(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/pdf_oracles.tsv"), rows).unwrap();
        return;
    }
    assert!(worse.is_empty(), "less than before:\n{}", worse.join("\n"));
}

/// The table for people is that of the test.
#[test]
fn the_documentation_has_these_shares() {
    let page = include_str!("../../../docs/documents.md");
    let mut last = "";
    for line in EXPECTED.lines() {
        let columns: Vec<&str> = line.split('\t').collect();
        let [name, reader, found, boxes, order] = columns[..] else { panic!("{line}") };
        let document = if name == last { String::new() } else { format!("`{name}`") };
        last = name;
        let row = format!("| {document} | {reader} | {found} | {boxes} | {order} |").replace("|  |", "| |");
        assert!(page.contains(&row), "docs/documents.md lacks the row\n{row}");
    }
}
