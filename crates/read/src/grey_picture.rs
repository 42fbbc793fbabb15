//! Pictures in shades of grey.

use image::codecs::png::{CompressionType, FilterType, PngEncoder};
use image::{ExtendedColorType, ImageEncoder};

/// The shade of paper.
pub(super) const WHITE: u8 = 255;

/// The shade of a colour, by its red, green and blue.
pub(super) fn shade([red, green, blue]: [u8; 3]) -> u8 {
    let sum = 299 * u32::from(red) + 587 * u32::from(green) + 114 * u32::from(blue);
    u8::try_from(sum / 1_000).unwrap_or(u8::MAX)
}

/// A picture in shades of grey, row by row; 0 is black.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct GreyPicture {
    width: usize,
    height: usize,
    shades: Vec<u8>,
}

impl GreyPicture {
    /// A picture of these shades; `None` unless they are as many as its pixels, and there are some.
    pub(super) fn new(width: usize, height: usize, shades: Vec<u8>) -> Option<Self> {
        let fits = width > 0 && height > 0 && width.checked_mul(height) == Some(shades.len());
        fits.then_some(GreyPicture { width, height, shades })
    }

    /// A picture of this size with a shade for each pixel.
    pub(super) fn drawn(width: usize, height: usize, shade: impl Fn(usize, usize) -> u8) -> Self {
        let (width, height) = (width.max(1), height.max(1));
        let shades = (0..height).flat_map(|y| (0..width).map(move |x| (x, y))).map(|(x, y)| shade(x, y));
        GreyPicture { width, height, shades: shades.collect() }
    }

    pub(super) fn width(&self) -> usize {
        self.width
    }

    pub(super) fn height(&self) -> usize {
        self.height
    }

    /// Its rows, from the top.
    pub(super) fn rows(&self) -> impl Iterator<Item = &[u8]> {
        self.shades.chunks_exact(self.width)
    }

    /// All shades, row by row.
    pub(super) fn shades(&self) -> &[u8] {
        &self.shades
    }

    /// All shades, to change.
    pub(super) fn shades_mut(&mut self) -> &mut [u8] {
        &mut self.shades
    }

    /// The shade of a pixel; that of paper outside.
    pub(super) fn at(&self, x: usize, y: usize) -> u8 {
        if x >= self.width {
            return WHITE;
        }
        self.shades.get(y.saturating_mul(self.width).saturating_add(x)).copied().unwrap_or(WHITE)
    }

    /// The shade between pixels, by those around it.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        clippy::cast_precision_loss,
        reason = "a place within the picture, and a shade between two shades"
    )]
    pub(super) fn between(&self, x: f64, y: f64) -> u8 {
        if !(-1.0..self.width as f64).contains(&x) || !(-1.0..self.height as f64).contains(&y) {
            return WHITE;
        }
        let (left, top) = (x.floor(), y.floor());
        let (right_part, lower_part) = (x - left, y - top);
        let shade = |dx: f64, dy: f64| {
            let (x, y) = (left + dx, top + dy);
            let inside = x >= 0.0 && y >= 0.0;
            f64::from(if inside { self.at(x as usize, y as usize) } else { WHITE })
        };
        let mixed = |a: f64, b: f64, part: f64| a + (b - a) * part;
        let upper = mixed(shade(0.0, 0.0), shade(1.0, 0.0), right_part);
        let lower = mixed(shade(0.0, 1.0), shade(1.0, 1.0), right_part);
        mixed(upper, lower, lower_part).round() as u8
    }

    /// A PNG file of it; `None` for a picture larger than PNG files can be.
    pub(super) fn png(&self) -> Option<Vec<u8>> {
        let mut png = Vec::new();
        let (width, height) = (u32::try_from(self.width).ok()?, u32::try_from(self.height).ok()?);
        PngEncoder::new_with_quality(&mut png, CompressionType::Fast, FilterType::Sub)
            .write_image(&self.shades, width, height, ExtendedColorType::L8)
            .ok()?;
        Some(png)
    }
}
