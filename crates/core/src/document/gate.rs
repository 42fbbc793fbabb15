//! The gate: pages whose signals are beyond the bounds of a profile.

use super::{PageSignal, PageSignals};
use crate::profile::{Above, Below, GateStep, PageGate};
use serde::{Deserialize, Serialize};

/// A signal of a page beyond its bound.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct GateFinding {
    /// The signal.
    pub signal: PageSignal,
    /// Its value.
    pub value: f32,
    /// The bound.
    pub bound: f32,
    /// The step that the profile takes.
    pub then: GateStep,
}

impl PageSignals {
    /// The signals that are beyond the bounds of a profile.
    #[must_use]
    pub fn held_against(&self, gate: &PageGate) -> Vec<GateFinding> {
        self.iter().filter_map(|(signal, value)| finding(signal, value, gate)).collect()
    }
}

fn finding(signal: PageSignal, value: f32, gate: &PageGate) -> Option<GateFinding> {
    let above = |Above(bound): Above| bound.filter(|(bound, _)| f64::from(value) > *bound);
    let below = |Below(bound): Below| bound.filter(|(bound, _)| f64::from(value) < *bound);
    let (bound, then) = match signal {
        PageSignal::UnknownCharacters => above(gate.unknown_characters),
        PageSignal::HiddenWords => above(gate.hidden_words),
        PageSignal::MissingParts => above(gate.missing_parts),
        PageSignal::UnreadInk => above(gate.unread_ink),
        PageSignal::PictureArea => above(gate.picture_area),
        PageSignal::Skew => above(gate.skew),
        PageSignal::OcrConfidence => below(gate.ocr_confidence),
        PageSignal::LayerAgreement => below(gate.layer_agreement),
    }?;
    #[expect(clippy::cast_possible_truncation, reason = "for display beside its value")]
    Some(GateFinding { signal, value, bound: bound as f32, then })
}

impl GateFinding {
    /// The finding, as a clause about its page: `2 words are on it that no eye sees`.
    #[must_use]
    pub fn clause(&self) -> String {
        let percent = |share: f32| format!("{:.0} %", share * 100.0);
        match self.signal {
            PageSignal::UnknownCharacters => {
                format!("its fonts do not tell which characters {} of its glyphs are", percent(self.value))
            }
            PageSignal::HiddenWords if self.value == 1.0 => "it holds a word that no eye sees".to_owned(),
            PageSignal::HiddenWords => format!("it holds {:.0} words that no eye sees", self.value),
            PageSignal::MissingParts if self.value == 1.0 => {
                "a part of it is missing or can't be shown, as in a file that is cut off".to_owned()
            }
            PageSignal::MissingParts => format!(
                "{:.0} parts of it are missing or can't be shown, as in a file that is cut off",
                self.value
            ),
            PageSignal::UnreadInk => {
                format!("{} of what looks like letters on it is a picture or a drawing", percent(self.value))
            }
            PageSignal::PictureArea => format!("a picture covers {} of it", percent(self.value)),
            PageSignal::Skew => format!("it is askew by {:.1} degrees", self.value),
            PageSignal::OcrConfidence => {
                format!("OCR read it with a confidence of {}", percent(self.value))
            }
            PageSignal::LayerAgreement => {
                format!("its text layer has {} of the words that are seen on it", percent(self.value))
            }
        }
    }
}
