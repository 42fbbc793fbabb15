//! Documents that are not text but that models can read: images and PDFs.

use std::sync::Arc;

/// Endings, in any case, of such files, for folders.
pub const MEDIA_ENDINGS: [&str; 8] = ["pdf", "png", "jpg", "jpeg", "gif", "webp", "tif", "tiff"];

/// The most bytes of such a document that are sent to a model: as base64 they have a third more, and a MiB of what
/// crosses the plugin boundary is left for what accompanies them.
pub const MOST_ATTACHED_BYTES: usize = (loopctl_plugin_sdk::abi::LC_MAX_OUTPUT - (1 << 20)) / 4 * 3;

/// The first bytes of a PDF file in which its header is looked for.
const HEADER_WITHIN: usize = 1024;
/// The beginning of a PDF's header, before the digits of its version.
const PDF_HEADER: &[u8] = b"%PDF-";

/// The end of the line that begins an object of a PDF.
const OBJECT: &[u8] = b" obj";

/// A document as an image or PDF. Cheap to clone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Media {
    media_type: &'static str,
    bytes: Arc<Vec<u8>>,
}

impl Media {
    /// Recognizes an image or PDF by how its bytes begin; `None` for anything else.
    #[must_use]
    pub fn of(bytes: &[u8]) -> Option<Self> {
        Some(Media { media_type: media_type(bytes)?, bytes: Arc::new(bytes.to_vec()) })
    }

    /// Like [`Media::of`], for bytes that others hold, too.
    #[must_use]
    pub fn of_shared(bytes: &Arc<Vec<u8>>) -> Option<Self> {
        Some(Media { media_type: media_type(bytes)?, bytes: Arc::clone(bytes) })
    }

    /// `application/pdf`, `image/png`, …
    #[must_use]
    pub fn media_type(&self) -> &'static str {
        self.media_type
    }

    /// Returns whether it is small enough to be sent to a model.
    #[must_use]
    pub fn can_be_attached(&self) -> bool {
        self.bytes.len() <= MOST_ATTACHED_BYTES
    }

    /// The whole file.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }
}

/// The media type of bytes, by how they begin.
pub(super) fn media_type(bytes: &[u8]) -> Option<&'static str> {
    match bytes {
        [0x89, b'P', b'N', b'G', ..] => Some("image/png"),
        [0xFF, 0xD8, 0xFF, ..] => Some("image/jpeg"),
        [b'G', b'I', b'F', b'8', ..] => Some("image/gif"),
        [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'E', b'B', b'P', ..] => Some("image/webp"),
        _ => pdf_header(bytes).map(|_| "application/pdf"),
    }
}

/// The place of a PDF's header, which need not be the first of its bytes. What else precedes it, a text about PDF files
/// has too: there the header is followed by objects.
#[must_use]
pub fn pdf_header(bytes: &[u8]) -> Option<usize> {
    if bytes.starts_with(PDF_HEADER) {
        return Some(0);
    }
    let is_header = |at: &[u8]| matches!(at.strip_prefix(PDF_HEADER), Some([major, b'.', minor, ..]) if major.is_ascii_digit() && minor.is_ascii_digit());
    let at = (0..HEADER_WITHIN.min(bytes.len())).find(|&at| bytes.get(at..).is_some_and(is_header))?;
    let has_objects = bytes.get(at..)?.windows(OBJECT.len()).any(|window| window == OBJECT);
    has_objects.then_some(at)
}
