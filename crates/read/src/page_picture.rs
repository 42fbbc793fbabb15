//! Pictures of pages, as a person sees them.

use image::codecs::png::{CompressionType, FilterType, PngEncoder};
use image::{DynamicImage, ImageEncoder, RgbImage};
use serde::{Deserialize, Serialize};
use std::io::Cursor;

/// The first bytes of a PNG file.
const PNG: &[u8] = b"\x89PNG";

/// A page as a PNG file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PagePicture(Vec<u8>);

/// The size of a picture of a page.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum PictureSize {
    /// So many pixels for a point of the page.
    Scale(f32),
    /// So many pixels along its longest side.
    LongestSide(u64),
}

impl PictureSize {
    /// The pixels for a point of a page with these sides.
    #[expect(clippy::cast_precision_loss, clippy::cast_possible_truncation, reason = "pixels of a picture")]
    pub(super) fn scale(self, width: f32, height: f32) -> f32 {
        match self {
            PictureSize::Scale(scale) => scale,
            // A little more, because parts of a pixel are cut off.
            PictureSize::LongestSide(pixels) => {
                ((pixels as f64 + 0.01) / f64::from(width.max(height))) as f32
            }
        }
    }
}

impl PagePicture {
    /// The picture of these pixels. Without colours it has shades of grey, which take fewer bytes. The same pixels always give
    /// the same bytes.
    pub(super) fn of(pixels: RgbImage) -> Option<Self> {
        let is_grey = pixels
            .pixels()
            .all(|pixel| matches!(pixel.0, [red, green, blue] if red == green && green == blue));
        let pixels = DynamicImage::ImageRgb8(pixels);
        let pixels = if is_grey { DynamicImage::ImageLuma8(pixels.into_luma8()) } else { pixels };
        let mut png = Cursor::new(Vec::new());
        let encoder = PngEncoder::new_with_quality(&mut png, CompressionType::Default, FilterType::Adaptive);
        encoder
            .write_image(pixels.as_bytes(), pixels.width(), pixels.height(), pixels.color().into())
            .ok()?;
        Self::from_png(png.into_inner())
    }

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
