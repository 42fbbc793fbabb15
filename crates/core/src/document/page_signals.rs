//! Signals of how well a page can be read: the numbers that the gate of a profile bounds.

use serde::{Deserialize, Serialize};

/// A number that tells how well a page can be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PageSignal {
    /// The share of characters that their fonts do not tell, from 0 to 1.
    UnknownCharacters,
    /// The number of words that no eye sees: transparent, covered, tiny, of the paper's colour, off the page.
    HiddenWords,
    /// The number of parts of the page that its file lacks, or that can't be decoded.
    MissingParts,
    /// The share of ink in the form of letters that no word covers, from 0 to 1.
    UnreadInk,
    /// The share of the page that its largest picture covers, from 0 to 1.
    PictureArea,
    /// The angle by which a scanned page is askew, in degrees.
    Skew,
    /// The mean confidence of OCR, from 0 to 1.
    OcrConfidence,
    /// The share of the words of the text layer that OCR reads in their place, too, from 0 to 1; in the passage of the page
    /// where it reads fewest.
    LayerAgreement,
}

/// The signals of a page; `None` where a signal does not apply.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct PageSignals {
    /// See [`PageSignal::UnknownCharacters`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unknown_characters: Option<f32>,
    /// See [`PageSignal::HiddenWords`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hidden_words: Option<f32>,
    /// See [`PageSignal::MissingParts`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub missing_parts: Option<f32>,
    /// See [`PageSignal::UnreadInk`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unread_ink: Option<f32>,
    /// See [`PageSignal::PictureArea`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub picture_area: Option<f32>,
    /// See [`PageSignal::Skew`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub skew: Option<f32>,
    /// See [`PageSignal::OcrConfidence`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ocr_confidence: Option<f32>,
    /// See [`PageSignal::LayerAgreement`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub layer_agreement: Option<f32>,
}

impl PageSignal {
    /// All signals, in the order in which they are shown.
    pub const ALL: [PageSignal; 8] = [
        PageSignal::UnknownCharacters,
        PageSignal::HiddenWords,
        PageSignal::MissingParts,
        PageSignal::UnreadInk,
        PageSignal::PictureArea,
        PageSignal::Skew,
        PageSignal::OcrConfidence,
        PageSignal::LayerAgreement,
    ];

    /// Its name in profiles and in output.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            PageSignal::UnknownCharacters => "unknown_characters",
            PageSignal::HiddenWords => "hidden_words",
            PageSignal::MissingParts => "missing_parts",
            PageSignal::UnreadInk => "unread_ink",
            PageSignal::PictureArea => "picture_area",
            PageSignal::Skew => "skew",
            PageSignal::OcrConfidence => "ocr_confidence",
            PageSignal::LayerAgreement => "layer_agreement",
        }
    }
}

impl PageSignals {
    /// The value of a signal.
    #[must_use]
    pub fn get(&self, signal: PageSignal) -> Option<f32> {
        match signal {
            PageSignal::UnknownCharacters => self.unknown_characters,
            PageSignal::HiddenWords => self.hidden_words,
            PageSignal::MissingParts => self.missing_parts,
            PageSignal::UnreadInk => self.unread_ink,
            PageSignal::PictureArea => self.picture_area,
            PageSignal::Skew => self.skew,
            PageSignal::OcrConfidence => self.ocr_confidence,
            PageSignal::LayerAgreement => self.layer_agreement,
        }
    }

    /// The signals that apply, each with its value.
    pub fn iter(&self) -> impl Iterator<Item = (PageSignal, f32)> {
        PageSignal::ALL.into_iter().filter_map(|signal| Some((signal, self.get(signal)?)))
    }
}
