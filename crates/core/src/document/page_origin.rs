//! Origins of a page's words: the text that its file holds, or OCR of its picture, with what leaves an OCR word in doubt.

use super::pages::{PageWord, Pages};
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// The origin of a page's words.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PageOrigin {
    /// The text that its file holds.
    #[default]
    TextLayer,
    /// OCR of its picture.
    Ocr(PageOcr),
}

/// A page's reading by OCR.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PageOcr {
    /// The engine that read it.
    pub engine: String,
    /// The mean confidence of its words, from 0 to 100.
    pub confidence: u8,
    /// The confidence below which a word with a digit is in doubt.
    pub least_confidence: u8,
    /// Clockwise degrees by which its picture was turned to read it: 0, 90, 180 or 270.
    #[serde(default, skip_serializing_if = "is_upright")]
    pub turned: u16,
    /// Degrees by which its lines rise to the right after that.
    #[serde(default)]
    pub skew: f32,
    /// The engine that read the lines with digits again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub proofread_by: Option<String>,
    /// The words whose digits that engine reads otherwise, in the order of the text.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub differing: Vec<OtherReading>,
    /// The words with digits, by their bytes in the document's text, in or beside which ink was not read: perhaps a decimal
    /// mark or a sign. In the order of the text.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unread_ink: Vec<Range<usize>>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes what it skips by reference")]
fn is_upright(turned: &u16) -> bool {
    *turned == 0
}

/// A word as a second engine reads it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OtherReading {
    /// The word's bytes in the document's text.
    pub text: Range<usize>,
    /// Its text by the second reading; empty where that has no word.
    pub reads: String,
}

/// A word with digits that OCR may have misread.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DoubtfulWord {
    /// Its bytes in the document's text.
    pub text: Range<usize>,
    /// The number of its page, from 1.
    pub page: usize,
    /// The engine that read it.
    pub engine: String,
    /// The reason for doubt.
    pub why: ReadingDoubt,
}

/// The reason why a word that OCR read is in doubt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ReadingDoubt {
    /// A second engine reads other digits.
    Differs {
        /// That engine.
        engine: String,
        /// Its reading; empty where it has no word.
        reads: String,
    },
    /// There is ink in the word or beside it that was not read.
    UnreadInk,
    /// The engine itself is not sure.
    Confidence {
        /// Its confidence, from 0 to 100.
        percent: u8,
    },
}

impl PageOrigin {
    /// Returns whether the words are those that the file holds.
    #[must_use]
    pub fn is_text_layer(&self) -> bool {
        matches!(self, PageOrigin::TextLayer)
    }

    /// The origin of the words in a section of the text.
    #[must_use]
    pub(super) fn within(&self, section: &Range<usize>) -> Self {
        let PageOrigin::Ocr(ocr) = self else { return PageOrigin::TextLayer };
        let moved = |text: &Range<usize>| {
            let is_inside = section.start <= text.start && text.end <= section.end;
            is_inside.then(|| text.start - section.start..text.end - section.start)
        };
        let differing = ocr
            .differing
            .iter()
            .filter_map(|other| Some(OtherReading { text: moved(&other.text)?, reads: other.reads.clone() }));
        let unread_ink = ocr.unread_ink.iter().filter_map(moved).collect();
        PageOrigin::Ocr(PageOcr { differing: differing.collect(), unread_ink, ..ocr.clone() })
    }

    /// The reading by OCR, if the words come from one.
    #[must_use]
    pub fn ocr(&self) -> Option<&PageOcr> {
        match self {
            PageOrigin::TextLayer => None,
            PageOrigin::Ocr(ocr) => Some(ocr),
        }
    }
}

impl DoubtfulWord {
    /// A clause that says why the word, which was read as `read`, is in doubt.
    #[must_use]
    pub fn clause(&self, read: &str) -> String {
        let DoubtfulWord { page, engine, why, .. } = self;
        match why {
            ReadingDoubt::Differs { engine: other, reads } if reads.is_empty() => {
                format!("on page {page}, `{engine}` reads `{read}`, and `{other}` reads no word there")
            }
            ReadingDoubt::Differs { engine: other, reads } => {
                format!("on page {page}, `{engine}` reads `{read}`, and `{other}` reads `{reads}`")
            }
            ReadingDoubt::UnreadInk => {
                format!(
                    "on page {page}, `{engine}` reads `{read}`, and there is ink in it or beside it that is not read"
                )
            }
            ReadingDoubt::Confidence { percent } => {
                format!("on page {page}, `{engine}` reads `{read}` with a confidence of only {percent} %")
            }
        }
    }
}

impl PageOcr {
    /// The reason why a word of the page, which has a digit, is in doubt; `None` if it is not.
    fn doubt(&self, word: &PageWord) -> Option<ReadingDoubt> {
        let text = word.text();
        let at = self.differing.partition_point(|other| other.text.start < text.start);
        if let (Some(other), Some(engine)) = (self.differing.get(at), &self.proofread_by)
            && other.text == text
        {
            return Some(ReadingDoubt::Differs { engine: engine.clone(), reads: other.reads.clone() });
        }
        let at = self.unread_ink.partition_point(|unread| unread.start < text.start);
        if self.unread_ink.get(at) == Some(&text) {
            return Some(ReadingDoubt::UnreadInk);
        }
        let percent = word.confidence()?;
        (percent < self.least_confidence).then_some(ReadingDoubt::Confidence { percent })
    }
}

impl Pages {
    /// Returns whether a passage, given by its bytes in the text, has words that OCR read.
    #[must_use]
    pub fn rests_on_ocr(&self, text: Range<usize>) -> bool {
        self.iter().any(|page| {
            page.origin.ocr().is_some()
                && page.text.start < text.end
                && text.start < page.text.end
                && page.words_in(&text).next().is_some()
        })
    }

    /// The words with digits that OCR may have misread, in the order of the text, which is that of the document.
    #[must_use]
    pub fn doubtful_words(&self, text: &str) -> Vec<DoubtfulWord> {
        let mut doubtful = Vec::new();
        for (number, page) in (1..).zip(self.iter()) {
            let Some(ocr) = page.origin.ocr() else { continue };
            let has_digit = |word: &&PageWord| {
                text.get(word.text()).is_some_and(|word| word.chars().any(char::is_numeric))
            };
            let words = page.words.iter().filter(has_digit);
            doubtful.extend(words.filter_map(|word| {
                let why = ocr.doubt(word)?;
                Some(DoubtfulWord { text: word.text(), page: number, engine: ocr.engine.clone(), why })
            }));
        }
        doubtful
    }
}

#[cfg(test)]
mod tests {
    use super::super::{DocumentPage, PageBox};
    use super::*;

    fn word(text: Range<usize>, confidence: Option<u8>) -> PageWord {
        let bounds = PageBox { left: 1.0, top: 1.0, width: 1.0, height: 1.0 };
        let word = PageWord::new(text, bounds).unwrap();
        confidence.map_or(word, |percent| word.with_confidence(percent))
    }

    const TEXT: &str = "pT2 4.5 10 free\x0c13.2";

    fn pages() -> Pages {
        let ocr = PageOcr {
            engine: "tesseract".to_owned(),
            confidence: 80,
            least_confidence: 60,
            turned: 0,
            skew: 0.4,
            proofread_by: Some("ppocr".to_owned()),
            differing: vec![OtherReading { text: 4..7, reads: "4.6".to_owned() }],
            unread_ink: std::iter::once(8..10).collect(),
        };
        let page = |text, words, origin| DocumentPage {
            width: 100.0,
            height: 100.0,
            text,
            words,
            origin,
            ..DocumentPage::default()
        };
        let first =
            vec![word(0..3, Some(40)), word(4..7, Some(95)), word(8..10, Some(10)), word(11..15, Some(95))];
        Pages::new(vec![
            page(0..16, first, PageOrigin::Ocr(ocr)),
            page(16..20, vec![word(16..20, None)], PageOrigin::TextLayer),
        ])
    }

    #[test]
    fn words_with_digits_are_in_doubt_where_readings_differ_ink_is_not_read_or_the_engine_is_not_sure() {
        let why: Vec<(Range<usize>, ReadingDoubt)> =
            pages().doubtful_words(TEXT).into_iter().map(|word| (word.text, word.why)).collect();
        assert_eq!(
            why,
            [
                (0..3, ReadingDoubt::Confidence { percent: 40 }),
                (4..7, ReadingDoubt::Differs { engine: "ppocr".to_owned(), reads: "4.6".to_owned() }),
                (8..10, ReadingDoubt::UnreadInk),
            ]
        );
    }

    #[test]
    fn a_passage_rests_on_ocr_where_ocr_read_a_word_of_it() {
        assert!(pages().rests_on_ocr(5..6));
        assert!(!pages().rests_on_ocr(7..8), "a blank");
        assert!(!pages().rests_on_ocr(16..20));
        assert!(pages().rests_on_ocr(11..20));
    }

    #[test]
    fn origins_are_kept_when_pages_are_written_and_absent_for_text_layers() {
        let written = serde_json::to_string(&pages()).unwrap();
        assert!(written.contains("[0,3,[1.0,1.0,1.0,1.0],40]"), "{written}");
        assert_eq!(written.matches("\"origin\"").count(), 1, "{written}");
        assert_eq!(serde_json::from_str::<Pages>(&written).unwrap(), pages());
    }
}
