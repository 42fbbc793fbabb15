//! Soundness of answers that come from another process: a file may have taken it over.

use super::file_text::FileText;
use super::ocr::{LineSheet, PictureFrame};
use super::reader_task::ReaderAnswer;
use loopctl_core::document::{DocumentPage, PageOrigin, Pages};
use std::ops::Range;

/// The most pages of a file, and the most marks of a page: any reader here has fewer.
const MOST_PAGES: usize = 1 << 20;
const MOST_LETTERS: usize = 1 << 30;
/// The longest distance on a picture, in points or pixels.
const LONGEST: f64 = 1e9;
/// The smallest pixel, in points.
const SMALLEST: f64 = 1e-6;

impl ReaderAnswer {
    /// Returns whether an answer fits itself: what it places lies within its text, in order, and its numbers can be reckoned with.
    pub(super) fn is_sound(&self) -> bool {
        match self {
            ReaderAnswer::Text(text) => is_sound_text(text),
            ReaderAnswer::PageCount { pages } => *pages <= MOST_PAGES,
            ReaderAnswer::Ink { letters } => *letters <= MOST_LETTERS,
            ReaderAnswer::Scan { frame, .. } => is_sound_frame(frame),
            ReaderAnswer::Lines { sheet, .. } => is_sound_sheet(sheet),
            ReaderAnswer::Picture { .. } | ReaderAnswer::Unread(_) => true,
        }
    }
}

fn is_sound_text(read: &FileText) -> bool {
    let text = read.text.as_str();
    let pages = || read.pages.iter().flat_map(Pages::iter);
    are_in_order(0..text.len(), pages().map(|page| page.text.clone()))
        && pages().all(|page| is_sound_page(page, text))
        && read.structure.iter().all(|part| text.get(part.text.clone()).is_some())
}

fn is_sound_page(page: &DocumentPage, text: &str) -> bool {
    let is_word = |own: Range<usize>| text.get(own).is_some_and(|own| !own.is_empty());
    let is_size = |size: f32| size.is_finite() && size >= 0.0;
    text.get(page.text.clone()).is_some()
        && is_size(page.width)
        && is_size(page.height)
        && are_in_order(page.text.clone(), page.words.iter().map(|word| word.text()))
        && page.words.iter().all(|word| {
            let bounds = word.bounds();
            is_word(word.text())
                && is_size(bounds.width)
                && is_size(bounds.height)
                && bounds.left.is_finite()
                && bounds.top.is_finite()
        })
        // Words are read by OCR here, and nowhere else.
        && matches!(page.origin, PageOrigin::TextLayer)
}

/// Returns whether ranges lie within another one, each behind the one before it.
fn are_in_order(within: Range<usize>, mut ranges: impl Iterator<Item = Range<usize>>) -> bool {
    let last = ranges.try_fold(within.start, |end, range| {
        (end <= range.start && range.start <= range.end).then_some(range.end)
    });
    last.is_some_and(|last| last <= within.end)
}

fn is_sound_frame(frame: &PictureFrame) -> bool {
    let to_page = frame.to_page();
    (SMALLEST..=LONGEST).contains(&frame.points)
        && is_distance(frame.skew)
        && to_page.as_coeffs().into_iter().all(is_distance)
        && to_page.determinant().abs() >= SMALLEST * SMALLEST
}

fn is_sound_sheet(sheet: &LineSheet) -> bool {
    let is_sound_size = |scale: f64| (SMALLEST..=LONGEST).contains(&scale);
    let lines = sheet.sizes.iter().flat_map(|size| &size.lines);
    sheet.sizes.iter().all(|size| is_sound_size(size.scale))
        && lines.flat_map(|(top, bottom, left)| [top, bottom, left]).all(|at| is_distance(*at))
        && sheet.ink.iter().flatten().flatten().all(|at| is_distance(*at))
}

fn is_distance(number: f64) -> bool {
    number.abs() <= LONGEST
}
