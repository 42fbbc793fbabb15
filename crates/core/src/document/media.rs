//! Documents that are not text but that models can read: images and PDFs.

use std::sync::Arc;

/// Endings, in any case, of such files, for folders.
pub const MEDIA_ENDINGS: [&str; 6] = ["pdf", "png", "jpg", "jpeg", "gif", "webp"];

/// A document as an image or PDF. Cheap to clone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Media {
    media_type: &'static str,
    bytes: Arc<[u8]>,
}

impl Media {
    /// Recognizes an image or PDF by how its bytes begin; `None` for anything else.
    #[must_use]
    pub fn of(bytes: &[u8]) -> Option<Self> {
        Some(Media { media_type: media_type(bytes)?, bytes: bytes.into() })
    }

    /// `application/pdf`, `image/png`, …
    #[must_use]
    pub fn media_type(&self) -> &'static str {
        self.media_type
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
        [b'%', b'P', b'D', b'F', b'-', ..] => Some("application/pdf"),
        [0x89, b'P', b'N', b'G', ..] => Some("image/png"),
        [0xFF, 0xD8, 0xFF, ..] => Some("image/jpeg"),
        [b'G', b'I', b'F', b'8', ..] => Some("image/gif"),
        [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'E', b'B', b'P', ..] => Some("image/webp"),
        _ => None,
    }
}
