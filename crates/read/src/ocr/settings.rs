//! Settings of OCR.

use loopctl_core::profile::Ocr;
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// The ways in which pages are read by OCR.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct OcrSettings {
    /// The engine: `tesseract`, `ppocr`, or the name of a program that reads a PNG file from standard input and writes
    /// tesseract's TSV to standard output.
    pub engine: String,
    /// The engine that reads the lines with digits again; the first one again, at another size, if it is that.
    pub proofread: Option<String>,
    /// The languages of the documents, by tesseract's names: `eng`, `deu`.
    pub languages: Vec<String>,
    /// The resolution of the pictures, in dots per inch.
    pub dpi: u16,
    /// The confidence below which a word with a digit is in doubt, from 0 to 100.
    pub least_confidence: u8,
    /// The most pages that are read by OCR in one document.
    pub most_pages: usize,
    /// The most time for all readings of one page.
    pub page_time: Duration,
    /// The most time for all pages of a document.
    pub document_time: Duration,
}

/// Bounds on the resolution.
const LEAST_DPI: u16 = 72;
const MOST_DPI: u16 = 600;

impl Default for OcrSettings {
    fn default() -> Self {
        OcrSettings {
            engine: "tesseract".to_owned(),
            proofread: Some("tesseract".to_owned()),
            languages: vec!["eng".to_owned()],
            dpi: 300,
            least_confidence: 60,
            most_pages: 300,
            page_time: Duration::from_mins(5),
            document_time: Duration::from_mins(60),
        }
    }
}

impl OcrSettings {
    /// The resolution, within bounds.
    pub(in super::super) fn dots_per_inch(&self) -> f64 {
        f64::from(self.dpi.clamp(LEAST_DPI, MOST_DPI))
    }
}

impl From<&Ocr> for OcrSettings {
    fn from(ocr: &Ocr) -> Self {
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "bounded when it is read"
        )]
        let dpi = ocr.dpi as u16;
        OcrSettings {
            engine: ocr.engine.name().to_owned(),
            proofread: ocr.proofread.map(|engine| engine.name().to_owned()),
            languages: ocr.languages.iter().map(|language| language.value.clone()).collect(),
            dpi,
            ..OcrSettings::default()
        }
    }
}
