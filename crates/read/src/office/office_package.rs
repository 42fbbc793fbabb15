//! Office packages: ZIP archives whose entries are the parts of a document, inflated up to a bound.

use super::office_unread::OfficeFault;
use crate::image_file::may_hold_text;
use std::collections::HashMap;
use std::io::{Cursor, Read};
use zip::ZipArchive;
use zip::result::ZipError;

/// The most bytes that the parts of a package have together when they are inflated.
const MOST_INFLATED: u64 = 256 << 20;
/// The most entries of a package.
const MOST_ENTRIES: usize = 20_000;

/// The folders in which packages keep pictures, as names are compared.
const FOLDERS: [&str; 3] = ["word/media/", "xl/media/", "pictures/"];
/// The most bytes of a picture that are looked at for its size.
const MOST_PICTURE: u64 = 1 << 20;

/// A package whose parts are read one by one.
pub(super) struct OfficePackage<'a> {
    archive: ZipArchive<Cursor<&'a [u8]>>,
    /// Entries by the names of their parts, in lower case: names of parts differ in more than their case.
    entries: HashMap<String, usize>,
    /// The bytes that may still be inflated.
    left: u64,
}

impl<'a> OfficePackage<'a> {
    /// Opens the package that these bytes are.
    pub(super) fn open(bytes: &'a [u8]) -> Result<Self, OfficeFault> {
        let archive = ZipArchive::new(Cursor::new(bytes)).map_err(|error| fault(&error))?;
        if archive.len() > MOST_ENTRIES {
            return Err(OfficeFault::TooLong);
        }
        let names = archive.file_names_raw();
        let entries = names.enumerate().map(|(at, name)| (part_name(&String::from_utf8_lossy(name)), at));
        let entries = entries.collect();
        Ok(OfficePackage { archive, entries, left: MOST_INFLATED })
    }

    /// Returns whether there is such a part.
    pub(super) fn has(&self, name: &str) -> bool {
        self.entries.contains_key(&part_name(name))
    }

    /// The text of a part; `None` if there is no such part.
    pub(super) fn part(&mut self, name: &str) -> Result<Option<String>, OfficeFault> {
        let Some(&entry) = self.entries.get(&part_name(name)) else { return Ok(None) };
        let file = self.archive.by_index(entry).map_err(|error| fault(&error))?;
        let mut bytes = Vec::new();
        // The size that an entry declares may be a lie.
        file.take(self.left.saturating_add(1)).read_to_end(&mut bytes).map_err(|_| OfficeFault::Damaged)?;
        let left = u64::try_from(bytes.len()).ok().and_then(|read| self.left.checked_sub(read));
        self.left = left.ok_or(OfficeFault::TooLong)?;
        decoded(bytes).map(Some)
    }

    /// The number of its pictures in which text could be read.
    ///
    /// # Errors
    /// When its parts inflate to too much.
    pub(super) fn pictures(&mut self) -> Result<usize, OfficeFault> {
        let is_picture = |name: &&String| FOLDERS.iter().any(|folder| name.starts_with(folder));
        let entries: Vec<usize> =
            self.entries.iter().filter(|(name, _)| is_picture(name)).map(|(_, at)| *at).collect();
        let mut pictures = 0;
        for entry in entries {
            let Ok(file) = self.archive.by_index(entry) else { continue };
            let mut bytes = Vec::new();
            // A picture that is damaged shows nothing.
            let read = file.take(self.left.min(MOST_PICTURE)).read_to_end(&mut bytes).unwrap_or_default();
            self.left = self.left.saturating_sub(u64::try_from(read).unwrap_or(u64::MAX));
            pictures += usize::from(may_hold_text(&bytes));
            if self.left == 0 {
                return Err(OfficeFault::TooLong);
            }
        }
        Ok(pictures)
    }

    /// The text of a part that has to be there.
    pub(super) fn needed(&mut self, name: &str) -> Result<String, OfficeFault> {
        self.part(name)?.ok_or(OfficeFault::Damaged)
    }
}

/// The name of a part, as names are compared.
fn part_name(name: &str) -> String {
    name.trim_start_matches(['/', '\\']).replace('\\', "/").to_ascii_lowercase()
}

fn fault(error: &ZipError) -> OfficeFault {
    match error {
        ZipError::UnsupportedArchive(why) if *why == ZipError::PASSWORD_REQUIRED => OfficeFault::Protected,
        ZipError::InvalidPassword => OfficeFault::Protected,
        _ => OfficeFault::Damaged,
    }
}

/// The text of an XML part: UTF-8, or UTF-16 with a byte order mark.
fn decoded(bytes: Vec<u8>) -> Result<String, OfficeFault> {
    let wide = |rest: &[u8], unit: fn([u8; 2]) -> u16| {
        let (pairs, half) = rest.as_chunks::<2>();
        let units: Vec<u16> = pairs.iter().map(|pair| unit(*pair)).collect();
        String::from_utf16(&units).ok().filter(|_| half.is_empty())
    };
    let text = match bytes.as_slice() {
        [0xFF, 0xFE, rest @ ..] => wide(rest, u16::from_le_bytes),
        [0xFE, 0xFF, rest @ ..] => wide(rest, u16::from_be_bytes),
        [0xEF, 0xBB, 0xBF, rest @ ..] => std::str::from_utf8(rest).ok().map(str::to_owned),
        _ => return String::from_utf8(bytes).map_err(|_| OfficeFault::Damaged),
    };
    text.ok_or(OfficeFault::Damaged)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::office::test_packages::package;

    #[test]
    fn parts_are_found_whatever_the_case_of_their_names_and_inflated_up_to_a_bound() {
        let bytes = package(&[("word/Document.xml", &"x".repeat(1_000)), ("b.xml", &"y".repeat(500))]);
        let mut open = OfficePackage::open(&bytes).unwrap();
        assert_eq!(open.part("/Word\\document.xml").unwrap().unwrap().len(), 1_000);
        assert_eq!(open.part("none.xml").unwrap(), None);
        assert_eq!(open.needed("none.xml"), Err(OfficeFault::Damaged));
        open.left = 499;
        assert_eq!(open.part("b.xml"), Err(OfficeFault::TooLong));
    }

    #[test]
    fn parts_are_decoded() {
        let wide: Vec<u8> = "\u{feff}<a>ä</a>".encode_utf16().flat_map(u16::to_le_bytes).collect();
        assert_eq!(decoded(wide).unwrap(), "<a>ä</a>");
        assert_eq!(decoded("\u{feff}<a/>".into()).unwrap(), "<a/>");
        assert_eq!(decoded(vec![b'<', 0xe4]), Err(OfficeFault::Damaged));
        assert_eq!(decoded(vec![0xff, 0xfe, 0]), Err(OfficeFault::Damaged));
    }
}
