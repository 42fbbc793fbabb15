//! Changes of one part of a package, which is packed again without compression: a change of the packed bytes would be refused
//! by their checksum.

use std::io::{Cursor, Read, Write};
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipArchive, ZipWriter};

/// The most parts of a package that is changed so.
const MOST_PARTS: usize = 64;
/// One of so many changes is of the packed bytes.
const PACKED: u32 = 16;

/// A package with one part changed by `change`, which is given the part with room and its length, and returns its new length;
/// `None` if the file is no package, or is to be changed as it is.
pub(crate) fn changed(
    file: &[u8],
    seed: u32,
    most: usize,
    change: impl FnOnce(&mut [u8], usize) -> usize,
) -> Option<Vec<u8>> {
    if !file.starts_with(b"PK\x03\x04") || seed % PACKED == 0 {
        return None;
    }
    let mut archive = ZipArchive::new(Cursor::new(file)).ok()?;
    if archive.is_empty() || archive.len() > MOST_PARTS {
        return None;
    }
    let changed = usize::try_from(seed / PACKED).ok()? % archive.len();
    let mut change = Some(change);
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    for at in 0..archive.len() {
        let part = archive.by_index(at).ok()?;
        let name = part.name().ok()?.into_owned();
        let mut content = Vec::new();
        part.take(u64::try_from(most).ok()?).read_to_end(&mut content).ok()?;
        if at == changed {
            let size = content.len();
            content.resize(size + size / 2 + 256, 0);
            let size = change.take()?(&mut content, size);
            content.truncate(size);
        }
        let options = SimpleFileOptions::default().compression_method(CompressionMethod::Stored);
        writer.start_file(name, options).ok()?;
        writer.write_all(&content).ok()?;
    }
    writer.finish().ok().map(Cursor::into_inner)
}
