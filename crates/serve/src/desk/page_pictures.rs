//! Pictures of pages, drawn when they are asked for and kept for a while.

use super::costly_cache::{CacheBounds, CacheBusy, CostlyCache};
use super::document_source::OpenFile;
use crate::store::DocumentKey;
use std::sync::Arc;
use std::time::Duration;

/// The bounds of what is kept, and of how much is drawn at the same time: a page that occupies its reader until that
/// is ended leaves room for those of other documents.
const BOUNDS: CacheBounds = CacheBounds {
    weight: 64 << 20,
    fresh: Duration::from_secs(30 * 60),
    workers: 2,
    waiting: 48,
    patience: Duration::from_secs(30),
};

/// The bytes that the reason for a missing picture counts as.
const OF_A_REASON: usize = 256;

/// The most pixels of a picture.
const MOST_PIXELS: f32 = 16_000_000.0;

/// The resolution of a picture.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PictureScale {
    /// A small picture among those of all pages.
    Small,
    /// So many pixels for a point, 72 to an inch.
    Pixels(u8),
}

impl PictureScale {
    /// The resolutions of pages that are read, the lowest first.
    pub(super) const READ: [PictureScale; 4] =
        [PictureScale::Pixels(1), PictureScale::Pixels(2), PictureScale::Pixels(3), PictureScale::Pixels(4)];

    /// The resolution that an address names.
    pub(super) fn named(name: &str) -> Option<Self> {
        let known = Self::READ.into_iter().chain([PictureScale::Small]);
        known.into_iter().find(|scale| scale.name() == name)
    }

    /// Its name in addresses.
    pub(super) fn name(self) -> &'static str {
        match self {
            PictureScale::Small => "small",
            PictureScale::Pixels(1) => "1",
            PictureScale::Pixels(2) => "2",
            PictureScale::Pixels(3) => "3",
            PictureScale::Pixels(_) => "4",
        }
    }

    /// Pixels for a point.
    pub(super) fn pixels(self) -> f32 {
        match self {
            PictureScale::Small => 0.25,
            PictureScale::Pixels(pixels) => f32::from(pixels),
        }
    }
}

/// A picture as a PNG file, or the reason why there is none.
type DrawnPage = Result<Arc<[u8]>, String>;

/// Pictures by their document, the digest of its file, their page and resolution.
pub(super) struct PagePictures(CostlyCache<(DocumentKey, String, usize, &'static str), DrawnPage>);

impl Default for PagePictures {
    fn default() -> Self {
        PagePictures(CostlyCache::new(BOUNDS))
    }
}

impl PagePictures {
    /// The picture of a page as a PNG file, or the reason why it can't be drawn.
    ///
    /// # Errors
    /// When there is no room for drawing it.
    pub(super) fn draw(
        &self,
        document: DocumentKey,
        file: &OpenFile,
        page: usize,
        scale: PictureScale,
    ) -> Result<DrawnPage, CacheBusy> {
        let pages = file.document.pages.as_deref();
        let area = pages.and_then(|pages| pages.iter().nth(page.saturating_sub(1)));
        let area = area.map_or(0.0, |page| page.width * page.height).max(1.0);
        let pixels = scale.pixels().min((MOST_PIXELS / area).sqrt());
        let key = (document, file.digest.clone(), page, scale.name());
        self.0.get(&key, &file.digest, || match file.reader.page_picture(&file.bytes, page, pixels) {
            Ok(picture) => {
                let picture: Arc<[u8]> = picture.into_png().into();
                let weight = picture.len();
                (Ok(picture), weight)
            }
            Err(why) => (Err(why.to_string()), OF_A_REASON),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_names_one_of_a_few_resolutions() {
        let names = ["small", "1", "2", "3", "4"];
        assert_eq!(names.map(|name| PictureScale::named(name).map(|scale| scale.name())), names.map(Some));
        for other in ["", "0", "5", "1e9", "-1", "2.0", "nan", "SMALL"] {
            assert_eq!(PictureScale::named(other), None, "{other}");
        }
    }
}
