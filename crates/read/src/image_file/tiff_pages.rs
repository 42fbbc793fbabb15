//! Pages of TIFF files: a chain of directories, each of which describes an image.

use super::super::file_text::Unread;

/// The position, in bytes, of the first directory's offset in the header of a file.
const FIRST: usize = 4;
/// The length of an entry of a directory.
const ENTRY: usize = 12;

/// The number of pages.
///
/// # Errors
/// When it has none, more than `most`, or a chain that never ends.
pub(super) fn count(bytes: &[u8], most: usize) -> Result<usize, Unread> {
    match directories(bytes).take(most + 1).count() {
        0 => Err(Unread::DamagedImage),
        pages if pages > most => Err(Unread::TooLong),
        pages => Ok(pages),
    }
}

/// A file of which this page, counted from 1, is the first.
///
/// # Errors
/// When it has no such page.
pub(super) fn page(bytes: &[u8], page: usize) -> Result<Vec<u8>, Unread> {
    let unread = Unread::NoPage { page };
    let at = page.checked_sub(1).and_then(|at| directories(bytes).nth(at)).ok_or(unread)?;
    let offset = if is_little(bytes) { at.to_le_bytes() } else { at.to_be_bytes() };
    let mut bytes = bytes.to_vec();
    if let Some(first) = bytes.get_mut(FIRST..FIRST + offset.len()) {
        first.copy_from_slice(&offset);
    }
    Ok(bytes)
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
