//! A page of a document as data: its measures, and its words with their boxes.

use super::positions::Positions;
use crate::ingest::{DocumentPage, GateFinding, PageOrigin, PageSignals, PageWord};
use crate::value::PageBox;
use serde::Serialize;

/// The size of a page in points, with as many decimals as boxes are written with.
pub(super) struct PageSize {
    pub(super) width: f64,
    pub(super) height: f64,
}

impl PageSize {
    pub(super) fn of(page: &DocumentPage) -> Self {
        let whole = PageBox { left: 0.0, top: 0.0, width: page.width, height: page.height };
        let [_, _, width, height] = whole.into();
        PageSize { width, height }
    }
}

/// A page of a document.
#[derive(Debug, Serialize)]
pub(super) struct SeenPage {
    /// Its number, from 1.
    page: usize,
    /// Its width and height in points, 72 to an inch.
    width: f64,
    height: f64,
    /// The characters of the document's text that come from it.
    start: usize,
    end: usize,
    /// `true` if it shows only a picture, of which no text is read.
    is_picture: bool,
    /// The origin of its words.
    origin: PageOrigin,
    /// Numbers that tell how well it can be read, and those that the gate of the profile holds against it.
    signals: PageSignals,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    findings: Vec<GateFinding>,
    word_count: usize,
    words: Vec<SeenWord>,
}

/// A word of a page.
#[derive(Debug, Serialize)]
struct SeenWord {
    text: String,
    start: usize,
    end: usize,
    #[serde(rename = "box")]
    bounds: PageBox,
    /// The confidence of OCR, from 0 to 100.
    #[serde(skip_serializing_if = "Option::is_none")]
    confidence: Option<u8>,
}

impl SeenPage {
    pub(super) fn of(number: usize, page: &DocumentPage, positions: &Positions<'_>) -> Self {
        let PageSize { width, height } = PageSize::of(page);
        SeenPage {
            page: number,
            width,
            height,
            start: positions.characters(page.text.start),
            end: positions.characters(page.text.end),
            is_picture: page.is_picture,
            origin: page.origin.clone(),
            signals: page.signals,
            findings: page.findings.clone(),
            word_count: page.words.len(),
            words: page.words.iter().map(|word| SeenWord::of(word, positions)).collect(),
        }
    }
}

impl SeenWord {
    fn of(word: &PageWord, positions: &Positions<'_>) -> Self {
        let bytes = word.text();
        SeenWord {
            text: positions.text(&bytes).to_owned(),
            start: positions.characters(bytes.start),
            end: positions.characters(bytes.end),
            bounds: word.bounds(),
            confidence: word.confidence(),
        }
    }
}
