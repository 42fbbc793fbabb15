//! Compound files, the containers of old office programs: told apart by the names of their streams, so that advice fits.

use super::file_text::Unread;
use super::office_unread::{OfficeFault, OfficeFormat};

/// The first bytes of a compound file.
pub(crate) const SIGNATURE: &[u8] = b"\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1";
/// Names of streams, and the kind of file that has them.
const STREAMS: [(&str, OfficeFormat); 7] = [
    ("EncryptedPackage", OfficeFormat::Encrypted),
    ("WordDocument", OfficeFormat::OldWord),
    ("Workbook", OfficeFormat::OldExcel),
    ("Book", OfficeFormat::OldExcel),
    ("PowerPoint Document", OfficeFormat::Slides),
    ("__properties_version1.0", OfficeFormat::OutlookMessage),
    ("__nameid_version1.0", OfficeFormat::OutlookMessage),
];
/// The length of an entry of a directory, whose first bytes are its name.
const ENTRY: usize = 128;

/// The reason why a compound file has no text.
pub(crate) fn refusal(bytes: &[u8]) -> Unread {
    let (entries, _) = bytes.as_chunks::<ENTRY>();
    let has = |name: &str| {
        let name: Vec<u8> = name.encode_utf16().chain([0]).flat_map(u16::to_le_bytes).collect();
        entries.iter().any(|entry| entry.starts_with(&name))
    };
    let format =
        STREAMS.iter().find(|(name, _)| has(name)).map_or(OfficeFormat::OldOffice, |(_, format)| *format);
    let fault =
        if format == OfficeFormat::Encrypted { OfficeFault::Protected } else { OfficeFault::NoReader };
    fault.of(format)
}
