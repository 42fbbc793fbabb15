//! Properties of every document that is read, whatever its file was. The fuzz targets assert them, too.

use loopctl_read::{Document, MarkedPart, PageOrigin, PartRole};
use std::ops::Range;

/// A property that a document lacks; `None` if it has all of them.
pub(crate) fn fault_of(document: &Document) -> Option<String> {
    let Ok(text) = document.text.as_ref().map(loopctl_read::SourceText::as_str) else { return None };
    if text.trim().is_empty() {
        return Some("its text is blank".to_owned());
    }
    let part = document.structure.iter().find_map(|part| part_fault(part, text));
    let mut end = 0;
    let pages = document.pages.iter().flat_map(|pages| pages.iter());
    part.or_else(|| {
        pages.zip(1..).find_map(|(page, number): (_, usize)| {
            let is_in_order = page.text.start >= end && text.get(page.text.clone()).is_some();
            end = page.text.end;
            let fault = if is_in_order { page_fault(page, text) } else { Some("is out of order") };
            fault.map(|fault| format!("page {number} {fault}: {:?}", page.text))
        })
    })
}

fn part_fault(part: &MarkedPart, text: &str) -> Option<String> {
    let Some(own) = text.get(part.text.clone()) else { return Some(format!("{part:?} is not in the text")) };
    let is_sound = match part.role {
        PartRole::Heading { level } => level > 0 && !own.is_empty(),
        PartRole::Table | PartRole::List | PartRole::Note => !own.is_empty(),
        PartRole::Picture => own.is_empty(),
    };
    (!is_sound).then(|| format!("{part:?} is no such part"))
}

fn page_fault(page: &loopctl_read::DocumentPage, text: &str) -> Option<&'static str> {
    let is_size = |size: f32| size.is_finite() && size >= 0.0;
    if !is_size(page.width) || !is_size(page.height) {
        return Some("has no size");
    }
    let mut end = page.text.start;
    for word in &page.words {
        let own = word.text();
        if own.start < end || own.end > page.text.end {
            return Some("has words out of order");
        }
        end = own.end;
        if text.get(own).is_none_or(|own| own.trim().is_empty()) {
            return Some("has a word without text");
        }
        let bounds = word.bounds();
        let sides = [bounds.left, bounds.top, bounds.width, bounds.height];
        // Words at the edge are placed by their letters, of which a part may be off the page.
        let is_near = |from: f32, size: f32, most: f32| from + size >= -1.0 && from <= most + 1.0;
        if !sides.iter().all(|side| side.is_finite()) || bounds.width < 0.0 || bounds.height < 0.0 {
            return Some("has a word without a place");
        }
        if !is_near(bounds.left, bounds.width, page.width) || !is_near(bounds.top, bounds.height, page.height)
        {
            return Some("has a word off the page");
        }
    }
    let is_word = |range: &Range<usize>| page.words.iter().any(|word| word.text() == *range);
    match &page.origin {
        PageOrigin::TextLayer => None,
        PageOrigin::Ocr(ocr) => {
            let mut ranges = ocr.differing.iter().map(|other| &other.text).chain(&ocr.unread_ink);
            (!ranges.all(is_word)).then_some("has a reading of what is no word")
        }
    }
}
