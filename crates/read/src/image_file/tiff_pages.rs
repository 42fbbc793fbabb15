//! Pages of TIFF files: a chain of directories, each of which describes an image.

use super::super::file_text::Unread;
use std::io::{self, BufRead, Read, Seek, SeekFrom};

/// The length, in bytes, of the header of a file.
const HEADER: usize = 8;
/// The position, in bytes, of the first directory's offset in the header of a file.
const FIRST: usize = 4;
/// The length of an entry of a directory.
const ENTRY: usize = 12;

/// The offsets of the directories that describe the pages.
///
/// # Errors
/// When it has none, more than `most`, or a chain that never ends.
pub(super) fn pages(bytes: &[u8], most: usize) -> Result<Vec<u32>, Unread> {
    let pages: Vec<u32> = directories(bytes).take(most + 1).collect();
    match pages.len() {
        0 => Err(Unread::DamagedImage),
        several if several > most => Err(Unread::TooLong),
        _ => Ok(pages),
    }
}

/// A file of which the page of this directory is the first: its bytes are not copied.
pub(super) struct ImagePage<'b> {
    bytes: &'b [u8],
    header: [u8; HEADER],
    at: usize,
}

impl<'b> ImagePage<'b> {
    /// The page of a directory; the first, or the whole of another file, if none is named.
    pub(super) fn of(bytes: &'b [u8], directory: Option<u32>) -> Self {
        let mut header = [0; HEADER];
        for (own, byte) in header.iter_mut().zip(bytes) {
            *own = *byte;
        }
        if let Some(directory) = directory {
            let offset = if is_little(bytes) { directory.to_le_bytes() } else { directory.to_be_bytes() };
            for (own, byte) in header.iter_mut().skip(FIRST).zip(offset) {
                *own = byte;
            }
        }
        ImagePage { bytes, header, at: 0 }
    }
}

impl Read for ImagePage<'_> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let mut ready = self.fill_buf()?;
        let read = ready.read(into)?;
        self.consume(read);
        Ok(read)
    }
}

impl BufRead for ImagePage<'_> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        let header = self.header.get(self.at..self.bytes.len().min(HEADER)).unwrap_or_default();
        let rest = self.bytes.get(self.at..).unwrap_or_default();
        Ok(if header.is_empty() { rest } else { header })
    }

    fn consume(&mut self, read: usize) {
        self.at = self.at.saturating_add(read);
    }
}

impl Seek for ImagePage<'_> {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let beyond = || io::Error::from(io::ErrorKind::InvalidInput);
        let from = |place: usize, by: i64| {
            let place = i64::try_from(place).ok()?.checked_add(by)?;
            u64::try_from(place).ok()
        };
        let place = match to {
            SeekFrom::Start(place) => Some(place),
            SeekFrom::End(by) => from(self.bytes.len(), by),
            SeekFrom::Current(by) => from(self.at, by),
        };
        let place = place.ok_or_else(beyond)?;
        self.at = usize::try_from(place).map_err(|_| beyond())?;
        Ok(place)
    }
}

/// The offsets of the directories. A chain that returns to an earlier one has no end: its users stop.
fn directories(bytes: &[u8]) -> impl Iterator<Item = u32> {
    let next = |directory: u32| {
        let at = usize::try_from(directory).ok()?;
        let entries = bytes.get(at..at.checked_add(2)?)?;
        let entries: [u8; 2] = entries.try_into().ok()?;
        let count = if is_little(bytes) { u16::from_le_bytes(entries) } else { u16::from_be_bytes(entries) };
        offset(bytes, at.checked_add(2 + usize::from(count) * ENTRY)?)
    };
    // A directory that is not within the file describes nothing.
    let is_within = |at: &u32| usize::try_from(*at).is_ok_and(|at| at + 2 <= bytes.len());
    std::iter::successors(offset(bytes, FIRST).filter(is_within), move |at| next(*at).filter(is_within))
}

/// The offset that is written at a position; `None` for the end of the chain.
fn offset(bytes: &[u8], at: usize) -> Option<u32> {
    let four: [u8; 4] = bytes.get(at..at.checked_add(4)?)?.try_into().ok()?;
    let offset = if is_little(bytes) { u32::from_le_bytes(four) } else { u32::from_be_bytes(four) };
    (offset != 0).then_some(offset)
}

fn is_little(bytes: &[u8]) -> bool {
    bytes.first() == Some(&b'I')
}
