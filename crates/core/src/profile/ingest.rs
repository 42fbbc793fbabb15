//! `ingest`: the reading of documents, and the gate that their pages must pass before anything is paid for.

use crate::diag::{Code, Problem, Problems};
use crate::value::decode::{Decode, Fields, Spanned, number_in, wrong_type};
use crate::value::shape::Shape;
use crate::value::yaml::{Data, Node};
use crate::{decode_words, mapping};
use serde::{Deserialize, Serialize};

/// Bounds on the resolution of pictures for OCR, in dots per inch.
const RESOLUTIONS: (f64, f64) = (72.0, 600.0);
/// Most languages that one page is read in: each slows it down.
const MOST_LANGUAGES: usize = 10;

mapping! {
    /// The reading of documents that are not plain text: the pages that OCR reads, and those that are good enough to be
    /// worked on.
    "ingest" is "set of reading settings", expects "a mapping such as `{ ocr: { languages: [deu] } }`", all default;
    #[derive(Debug, Clone)]
    pub struct Ingest {
        /// Optical character recognition, for pictures of text. `false` switches it off: then a page that is a picture is
        /// left to a person or a judge that is shown it.
        #[key(default("{ engine: tesseract, languages: [eng], proofread: tesseract }"), examples(&["false", "{ languages: [deu, eng] }"]))]
        pub ocr: OcrUse,
        /// Bounds on the signals of each page. A page beyond one is read by OCR, left to a person, or ends the document as
        /// `failed`, `unreadable_input`, before any call is made.
        #[key(default("{}"), examples(&["{ hidden_words: { above: 0, then: fail } }"]))]
        pub gate: PageGate,
    }
}

/// The use of OCR.
#[derive(Debug, Clone)]
pub enum OcrUse {
    /// None.
    Off,
    /// By these settings.
    On(Ocr),
}

mapping! {
    /// The reading of pictures of text.
    "ocr" is "set of OCR settings", checked by Ocr::check, all default;
    #[derive(Debug, Clone)]
    pub struct Ocr {
        /// The engine that reads pages.
        #[key(default("tesseract"), examples(&["ppocr"]))]
        pub engine: OcrEngine,
        /// The languages of the documents, as the engine names them.
        #[key(default("[eng]"), examples(&["[deu, eng]"]))]
        pub languages: Vec<Spanned<String>>,
        /// The engine by which lines with digits are read again: where its digits differ, a value that rests on them is
        /// undecided. The first engine reads them at another size; `null` reads nothing again.
        #[key(default("tesseract"), examples(&["ppocr", "null"]))]
        pub proofread: Option<OcrEngine>,
        /// The resolution of the pictures, in dots per inch.
        #[key(shaped(|| Shape::number(RESOLUTIONS.0, RESOLUTIONS.1)), default("300"), examples(&["400"]))]
        pub dpi: f64 = |node, problems| number_in(node, RESOLUTIONS.0, RESOLUTIONS.1, problems),
    }
}

/// A program that reads pictures of text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OcrEngine {
    /// Tesseract, version 5 or later.
    Tesseract,
    /// PP-OCR, by the program `loopctl-ppocr`.
    Ppocr,
}

decode_words!(OcrEngine, "engine", {
    "tesseract": "The program `tesseract`, version 5 or later." => OcrEngine::Tesseract,
    "ppocr": "The program `loopctl-ppocr`, which reads numbers better and takes longer." => OcrEngine::Ppocr,
});

mapping! {
    /// Bounds on the signals of a page; `false` takes one away.
    "page_gate" is "set of bounds on pages", expects "a mapping from signals to bounds, such as `{ skew: { above: 5, then: fail } }`", all default;
    #[derive(Debug, Clone, PartialEq)]
    pub struct PageGate {
        /// The share of characters that their fonts do not tell.
        #[key(default("{ above: 0.1, then: ocr }"), examples(&["{ above: 0.02, then: fail }"]))]
        pub unknown_characters: Above,
        /// The number of words that no eye sees: transparent, covered, tiny, of the paper's colour, off the page. They are never
        /// part of the text; a page with such words may hold instructions for a model.
        #[key(default("{ above: 0, then: review }"), examples(&["{ above: 0, then: fail }"]))]
        pub hidden_words: Above,
        /// The number of parts of a page that its file lacks, or that can't be decoded: content, pictures, fonts. A file that was
        /// cut off has such pages.
        #[key(default("{ above: 0, then: review }"), examples(&["{ above: 0, then: fail }"]))]
        pub missing_parts: Above,
        /// The share of ink in the form of letters that no word covers: text that is a picture or a drawing.
        #[key(default("{ above: 0.1, then: ocr }"), examples(&["{ above: 0.05, then: review }"]))]
        pub unread_ink: Above,
        /// The share of the page that its largest picture covers.
        #[key(default("false"), examples(&["{ above: 0.5, then: ocr }"]))]
        pub picture_area: Above,
        /// The angle by which a scanned page is askew, in degrees.
        #[key(default("{ above: 4, then: review }"), examples(&["{ above: 2, then: fail }"]))]
        pub skew: Above,
        /// The mean confidence of OCR.
        #[key(default("{ below: 0.7, then: review }"), examples(&["{ below: 0.8, then: fail }"]))]
        pub ocr_confidence: Below,
        /// The share of the words of a text layer that OCR reads in their place, too, in the passage of the page where it reads
        /// fewest. Measured only with a bound: each page is then read by OCR.
        #[key(default("false"), examples(&["{ below: 0.6, then: ocr }"]))]
        pub layer_agreement: Below,
    }
}

mapping! {
    /// An upper bound of a signal.
    "upper_bound" is "upper bound";
    struct AboveKeys {
        /// The largest value that is good enough.
        #[key(shaped(|| Shape::at_least(0.0)), required, examples(&["0.1"]))]
        above: f64 = |node, problems| number_in(node, 0.0, f64::MAX, problems),
        /// The step for a page beyond it.
        #[key(required, examples(&["review"]))]
        then: GateStep,
    }
}

mapping! {
    /// A lower bound of a signal.
    "lower_bound" is "lower bound";
    struct BelowKeys {
        /// The smallest value that is good enough.
        #[key(shaped(|| Shape::at_least(0.0)), required, examples(&["0.7"]))]
        below: f64 = |node, problems| number_in(node, 0.0, f64::MAX, problems),
        /// The step for a page below it.
        #[key(required, examples(&["review"]))]
        then: GateStep,
    }
}

/// The largest value of a signal that is good enough, and the step for a page beyond it; `None` for no bound.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Above(pub Option<(f64, GateStep)>);

/// The smallest value of a signal that is good enough, and the step for a page below it; `None` for no bound.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Below(pub Option<(f64, GateStep)>);

/// The step for a page that is not good enough.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum GateStep {
    /// It is read by OCR; where that can't be done, or does not help, the document is left to a person.
    Ocr,
    /// The document is left to a person.
    Review,
    /// The document fails.
    Fail,
}

decode_words!(GateStep, "step", {
    "ocr": "The page is read by OCR. Where that can't be done, or does not help, the document is left to a person." => GateStep::Ocr,
    "review": "The document does not pass until a judge that is shown it has answered; else a person decides." => GateStep::Review,
    "fail": "The document ends as `failed`, `unreadable_input`." => GateStep::Fail,
});

impl Default for OcrUse {
    fn default() -> Self {
        OcrUse::On(Ocr::default())
    }
}

impl OcrUse {
    /// The settings, if OCR is used.
    #[must_use]
    pub fn settings(&self) -> Option<&Ocr> {
        match self {
            OcrUse::Off => None,
            OcrUse::On(ocr) => Some(ocr),
        }
    }
}

impl OcrEngine {
    /// Its name in profiles and in output.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            OcrEngine::Tesseract => "tesseract",
            OcrEngine::Ppocr => "ppocr",
        }
    }
}

impl Decode for OcrUse {
    const EXPECTED: &'static str = "`false`, or a mapping such as `{ languages: [deu] }`";

    fn shape() -> Shape {
        Shape::AnyOf(vec![Shape::Bool, Shape::Mapping(Ocr::mapping())])
    }

    fn decode(node: &Node, problems: &mut Problems) -> Option<Self> {
        match node.data {
            Data::Bool(true) => Some(OcrUse::default()),
            Data::Bool(false) => Some(OcrUse::Off),
            Data::Map(_) => Ocr::read_mapping(node, problems).map(OcrUse::On),
            _ => wrong_type(node, Self::EXPECTED, problems),
        }
    }
}

impl Ocr {
    /// Checks that languages are names, which a program is given as an argument.
    fn check(read: &Self, _: &Fields<'_>, problems: &mut Problems) {
        let is_name = |name: &str| {
            name.starts_with(|c: char| c.is_ascii_alphabetic())
                && name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-'))
        };
        for language in read.languages.iter().filter(|language| !is_name(&language.value)) {
            let problem =
                Problem::error(Code::OutOfRange, &language.span, "this is not the name of a language");
            problems.push(problem.help("engines name languages by short words: `eng`, `deu`, `chi_sim`"));
        }
        if let Some(further) = read.languages.get(MOST_LANGUAGES) {
            let problem =
                format!("expected at most {MOST_LANGUAGES} languages, found {}", read.languages.len());
            problems.push(
                Problem::error(Code::OutOfRange, &further.span, problem)
                    .help("name the languages of these documents: each one takes time for every page"),
            );
        }
    }
}

impl Decode for Above {
    const EXPECTED: &'static str = "`false`, or a bound such as `{ above: 0.1, then: review }`";

    fn shape() -> Shape {
        Shape::AnyOf(vec![Shape::Only("false"), Shape::Mapping(AboveKeys::mapping())])
    }

    fn decode(node: &Node, problems: &mut Problems) -> Option<Self> {
        match node.data {
            Data::Bool(false) => Some(Above(None)),
            Data::Map(_) => {
                AboveKeys::read_mapping(node, problems).map(|read| Above(Some((read.above, read.then))))
            }
            _ => wrong_type(node, Self::EXPECTED, problems),
        }
    }
}

impl Decode for Below {
    const EXPECTED: &'static str = "`false`, or a bound such as `{ below: 0.7, then: review }`";

    fn shape() -> Shape {
        Shape::AnyOf(vec![Shape::Only("false"), Shape::Mapping(BelowKeys::mapping())])
    }

    fn decode(node: &Node, problems: &mut Problems) -> Option<Self> {
        match node.data {
            Data::Bool(false) => Some(Below(None)),
            Data::Map(_) => {
                BelowKeys::read_mapping(node, problems).map(|read| Below(Some((read.below, read.then))))
            }
            _ => wrong_type(node, Self::EXPECTED, problems),
        }
    }
}
