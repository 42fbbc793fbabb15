//! Readings of files that were split: their sections take their parts from it, so that a file is read once.

use super::Document;
use std::collections::BTreeSet;
use std::fmt;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// The most files of which a reading is kept. The one that was used longest ago is dropped for another.
const MOST_FILES: usize = 4;

/// The readings of files that were split.
#[derive(Default)]
pub(super) struct SharedReadings(Mutex<Vec<SharedReading>>);

/// A file that is read, or will be by the first section that asks for it.
struct SharedReading {
    /// SHA-256 of the file's bytes, in hexadecimal.
    digest: String,
    document: Arc<OnceLock<Arc<Document>>>,
    /// The sections that have taken their part, by their numbers.
    taken: BTreeSet<usize>,
}

impl SharedReadings {
    /// Keeps what was read of a file for its sections.
    pub(super) fn keep(&self, document: Document) {
        let digest = document.digest.clone();
        let document = Arc::new(OnceLock::from(Arc::new(document)));
        let mut readings = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        readings.retain(|reading| reading.digest != digest);
        readings.push(SharedReading { digest, document, taken: BTreeSet::new() });
        drop_oldest(&mut readings);
    }

    /// The reading of a file, for the section with this number of so many. The first one reads it, and others wait for
    /// that. It is dropped when the last one has it, or when it has no text.
    pub(super) fn take(
        &self,
        digest: &str,
        (section, sections): (usize, usize),
        read: impl FnOnce() -> Document,
    ) -> Arc<Document> {
        let slot = self.slot(digest);
        let document = Arc::clone(slot.get_or_init(|| Arc::new(read())));
        let mut readings = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        readings.retain_mut(|reading| {
            if !Arc::ptr_eq(&reading.document, &slot) {
                return true;
            }
            reading.taken.insert(section);
            document.text.is_ok() && reading.taken.len() < sections
        });
        document
    }

    fn slot(&self, digest: &str) -> Arc<OnceLock<Arc<Document>>> {
        let mut readings = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let known = readings.iter().position(|reading| reading.digest == digest);
        let reading = match known {
            Some(at) => readings.remove(at),
            None => {
                SharedReading { digest: digest.to_owned(), document: Arc::default(), taken: BTreeSet::new() }
            }
        };
        let slot = Arc::clone(&reading.document);
        readings.push(reading);
        drop_oldest(&mut readings);
        slot
    }
}

fn drop_oldest(readings: &mut Vec<SharedReading>) {
    let too_many = readings.len().saturating_sub(MOST_FILES);
    readings.drain(..too_many);
}

/// Keeps the text of documents out of logs.
impl fmt::Debug for SharedReadings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SharedReadings").finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::Cell;

    #[test]
    fn a_file_is_read_once_for_all_its_sections_and_dropped_after_the_last() {
        let (readings, reads) = (SharedReadings::default(), Cell::new(0));
        let take = |file: &str, section| {
            let read = || {
                reads.set(reads.get() + 1);
                Document { digest: file.to_owned(), ..Document::from_text(file, file) }
            };
            readings.take(file, (section, 3), read).id.to_string()
        };
        for section in [2, 1, 1, 3] {
            assert_eq!(take("a", section), "a");
        }
        assert_eq!(reads.get(), 1);
        assert!(readings.0.lock().unwrap().is_empty());
        // The first of five files has to make room.
        for file in ["a", "b", "c", "d", "e", "b", "a"] {
            take(file, 1);
        }
        assert_eq!(reads.get(), 1 + 6);
        readings.keep(Document { digest: "f".to_owned(), ..Document::from_text("f", "f") });
        take("f", 1);
        assert_eq!(reads.get(), 1 + 6);
    }

    #[test]
    fn a_file_without_a_text_is_read_again() {
        let (readings, reads) = (SharedReadings::default(), Cell::new(0));
        for section in [1, 2] {
            readings.take("scan", (section, 2), || {
                reads.set(reads.get() + 1);
                Document { text: Err(crate::Unreadable::Empty), ..Document::from_text("scan", "") }
            });
        }
        assert_eq!(reads.get(), 2);
    }
}
