//! Pictures of pages, as a person sees them.

/// The first bytes of a PNG file.
const PNG: &[u8] = b"\x89PNG";

/// A page as a PNG file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PagePicture(Vec<u8>);

impl PagePicture {
    /// The picture that this PNG file is; `None` if it is something else.
    #[must_use]
    pub(super) fn from_png(bytes: Vec<u8>) -> Option<Self> {
        bytes.starts_with(PNG).then_some(PagePicture(bytes))
    }

    /// The PNG file.
    #[must_use]
    pub fn png(&self) -> &[u8] {
        &self.0
    }

    /// The PNG file, owned.
    #[must_use]
    pub fn into_png(self) -> Vec<u8> {
        self.0
    }
}
