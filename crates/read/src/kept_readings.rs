//! The latest readings of files, for those that open them again: OCR of a scan takes minutes.

use super::file_text::FileText;
use super::reader_task::ReadingSettings;
use loopctl_core::profile::PageGate;
use std::fmt;
use std::sync::{Mutex, PoisonError};

/// The most that is kept, in bytes. The reading that was used longest ago is dropped for another.
const MOST_BYTES: usize = 128 << 20;
/// Bytes that a page takes, and the location of a word.
const OF_A_PAGE: usize = 256;
const OF_A_WORD: usize = 24;

/// The way in which a file is read: the digest of its bytes, the settings, and the gate.
#[derive(Clone, PartialEq)]
pub(super) struct ReadingKey {
    pub(super) digest: String,
    pub(super) settings: ReadingSettings,
    pub(super) gate: PageGate,
}

/// Readings of files, the one that was used last at the end.
#[derive(Default)]
pub(super) struct KeptReadings(Mutex<Vec<(ReadingKey, FileText)>>);

impl KeptReadings {
    /// The reading of a file, if it is kept.
    pub(super) fn find(&self, key: &ReadingKey) -> Option<FileText> {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let at = kept.iter().position(|(other, _)| other == key)?;
        let found = kept.remove(at);
        let text = found.1.clone();
        kept.push(found);
        Some(text)
    }

    /// Keeps the reading of a file, and as many of the latest others as there is room for.
    pub(super) fn keep(&self, key: ReadingKey, text: &FileText) {
        self.keep_within(key, text, MOST_BYTES);
    }

    fn keep_within(&self, key: ReadingKey, text: &FileText, most: usize) {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        kept.retain(|(other, _)| *other != key);
        kept.push((key, text.clone()));
        let mut room = most;
        let fits = kept.iter().rev().take_while(|(_, text)| match room.checked_sub(weight(text)) {
            Some(left) => {
                room = left;
                true
            }
            None => false,
        });
        let dropped = kept.len() - fits.count();
        kept.drain(..dropped);
    }
}

/// The memory that a reading takes, in bytes.
fn weight(text: &FileText) -> usize {
    let pages = text.pages.iter().flat_map(|pages| pages.iter());
    text.text.len() + pages.map(|page| OF_A_PAGE + OF_A_WORD * page.words.len()).sum::<usize>()
}

/// Keeps the text of documents out of logs.
impl fmt::Debug for KeptReadings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("KeptReadings").finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(digest: &str) -> ReadingKey {
        ReadingKey {
            digest: digest.to_owned(),
            settings: ReadingSettings::default(),
            gate: PageGate::default(),
        }
    }

    fn text(length: usize) -> FileText {
        FileText { text: "a".repeat(length), ..FileText::default() }
    }

    #[test]
    fn the_latest_readings_are_kept_as_far_as_there_is_room() {
        let kept = KeptReadings::default();
        for file in ["a", "b"] {
            kept.keep_within(key(file), &text(4), 10);
        }
        // The first is used again, so the second has to make room.
        assert_eq!(kept.find(&key("a")), Some(text(4)));
        kept.keep_within(key("c"), &text(5), 10);
        assert_eq!(kept.find(&key("b")), None);
        assert!(kept.find(&key("a")).is_some() && kept.find(&key("c")).is_some());
        kept.keep_within(key("large"), &text(11), 10);
        assert_eq!(kept.find(&key("large")), None);
    }

    #[test]
    fn a_file_that_is_read_otherwise_is_another_reading() {
        let kept = KeptReadings::default();
        kept.keep(key("a"), &text(1));
        let settings =
            ReadingSettings { ocr: Some(crate::OcrSettings::default()), ..ReadingSettings::default() };
        assert_eq!(kept.find(&ReadingKey { settings, ..key("a") }), None);
        assert_eq!(kept.find(&key("a")), Some(text(1)));
    }
}
