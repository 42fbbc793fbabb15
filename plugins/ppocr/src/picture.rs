//! Pictures in memory, read from PNG files within bounds.

use std::io::{BufRead, Seek};

use png::{ColorType, Decoder, Limits, Transformations};

use crate::error::PpocrError;
use crate::rounding::{measure, pixel, round, sample};

/// The most pixels of a picture: two pages of A4 at 600 dots per inch.
pub const MOST_PIXELS: u64 = 72_000_000;
/// The longest side of a picture, in pixels.
pub const LONGEST_SIDE: u32 = 32_000;
/// The most memory that the decoder may take for itself, in bytes.
const DECODER_MEMORY: usize = 512 << 20;

/// The brightness of red, green and blue.
pub(crate) type Color = [f32; 3];

/// A picture in red, green and blue, without transparency.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RgbPicture {
    width: usize,
    height: usize,
    /// Row by row, from the top.
    pixels: Vec<[u8; 3]>,
}

impl RgbPicture {
    /// The picture with these pixels, row by row; `None` if they do not fill its rows.
    #[must_use]
    pub fn new(width: usize, height: usize, pixels: Vec<[u8; 3]>) -> Option<Self> {
        let fills = width > 0 && height > 0 && width.checked_mul(height) == Some(pixels.len());
        fills.then_some(RgbPicture { width, height, pixels })
    }

    /// Reads a PNG file. Its size is checked before anything is decoded; what is transparent becomes white.
    ///
    /// # Errors
    /// When it is no PNG file, damaged, or larger than [`MOST_PIXELS`] and [`LONGEST_SIDE`].
    pub fn from_png(file: impl BufRead + Seek) -> Result<Self, PpocrError> {
        let mut decoder = Decoder::new_with_limits(file, Limits { bytes: DECODER_MEMORY });
        decoder.set_transformations(Transformations::normalize_to_color8());
        decoder.set_ignore_text_chunk(true);
        decoder.set_ignore_iccp_chunk(true);
        let header = decoder.read_header_info()?;
        let (width, height) = (header.width, header.height);
        if u64::from(width) * u64::from(height) > MOST_PIXELS || width.max(height) > LONGEST_SIDE {
            return Err(PpocrError::TooLarge { width, height });
        }
        let mut reader = decoder.read_info()?;
        let size = reader.output_buffer_size().ok_or(PpocrError::TooLarge { width, height })?;
        let mut samples = vec![0; size];
        let frame = reader.next_frame(&mut samples)?;
        let channels = frame.color_type.samples();
        let pixels = samples.chunks_exact(channels).map(|pixel| color(frame.color_type, pixel)).collect();
        let side = |length: u32| usize::try_from(length).unwrap_or(usize::MAX);
        RgbPicture::new(side(width), side(height), pixels).ok_or(PpocrError::Empty)
    }

    /// The number of columns.
    #[must_use]
    pub fn width(&self) -> usize {
        self.width
    }

    /// The number of rows.
    #[must_use]
    pub fn height(&self) -> usize {
        self.height
    }

    /// The pixels, row by row.
    pub(crate) fn pixels(&self) -> &[[u8; 3]] {
        &self.pixels
    }

    /// The rows, from the top.
    pub(crate) fn rows(&self) -> impl ExactSizeIterator<Item = &[[u8; 3]]> {
        self.pixels.chunks_exact(self.width)
    }

    /// The pixel at a place; outside of the picture, the nearest one within.
    fn at(&self, x: i64, y: i64) -> Color {
        let within =
            |place: i64, count: usize| usize::try_from(place.max(0)).map_or(0, |place| place.min(count - 1));
        let index = within(y, self.height) * self.width + within(x, self.width);
        self.pixels.get(index).map_or([0.0; 3], |pixel| pixel.map(f32::from))
    }

    /// The color at a point, between the pixels around it (bicubic). The center of the first pixel is at (0.5, 0.5).
    pub(crate) fn between(&self, x: f64, y: f64) -> Color {
        let (x, y) = (x - 0.5, y - 0.5);
        let (across, down) = (cubic(x - x.floor()), cubic(y - y.floor()));
        let (left, top) = (pixel(x) - 1, pixel(y) - 1);
        let mut color = [0.0; 3];
        for (row, row_weight) in (top..).zip(down) {
            for (column, weight) in (left..).zip(across) {
                for (sum, part) in color.iter_mut().zip(self.at(column, row)) {
                    *sum += part * weight * row_weight;
                }
            }
        }
        color.map(|part: f32| part.clamp(0.0, 255.0))
    }

    /// The picture in another size. Where it becomes smaller, all pixels count.
    #[must_use]
    pub fn resized(&self, width: usize, height: usize) -> Self {
        let (width, height) = (width.max(1), height.max(1));
        if (width, height) == (self.width, self.height) {
            return self.clone();
        }
        let across = shares(self.width, width);
        let mut narrow = Vec::with_capacity(width * self.height);
        for row in self.rows() {
            narrow.extend(
                across
                    .iter()
                    .map(|(first, weights)| mixed(row.get(*first..).unwrap_or_default().iter(), weights)),
            );
        }
        let mut pixels = Vec::with_capacity(width * height);
        for (first, weights) in shares(self.height, height) {
            pixels.extend((0..width).map(|column| {
                let below = narrow.get(first * width + column..).unwrap_or_default();
                mixed(below.iter().step_by(width), &weights)
            }));
        }
        RgbPicture { width, height, pixels }
    }
}

/// The color of a decoded pixel.
fn color(color_type: ColorType, pixel: &[u8]) -> [u8; 3] {
    let over_white = |value: u8, alpha: u8| {
        let alpha = f32::from(alpha) / 255.0;
        sample(f32::from(value) * alpha + 255.0 * (1.0 - alpha))
    };
    match (color_type, pixel) {
        (ColorType::Rgb, &[red, green, blue]) => [red, green, blue],
        (ColorType::Rgba, &[red, green, blue, alpha]) => {
            [red, green, blue].map(|value| over_white(value, alpha))
        }
        (ColorType::GrayscaleAlpha, &[grey, alpha]) => [over_white(grey, alpha); 3],
        (_, &[grey, ..]) => [grey; 3],
        (_, &[]) => [255; 3],
    }
}

/// The weights of four neighbours for a point between the second and the third (Keys, a = -0.75).
fn cubic(fraction: f64) -> [f32; 4] {
    const A: f64 = -0.75;
    let near = |distance: f64| ((A + 2.0) * distance - (A + 3.0)) * distance * distance + 1.0;
    let far = |distance: f64| ((A * distance - 5.0 * A) * distance + 8.0 * A) * distance - 4.0 * A;
    [far(1.0 + fraction), near(fraction), near(1.0 - fraction), far(2.0 - fraction)].map(narrowed)
}

/// The measure with less precision.
#[expect(clippy::cast_possible_truncation, reason = "a weight needs less precision")]
fn narrowed(measure: f64) -> f32 {
    measure as f32
}

/// For each of `to` places the first of `from` places that it is made of, and their weights (a triangle, as wide as needed).
fn shares(from: usize, to: usize) -> Vec<(usize, Vec<f32>)> {
    let scale = measure(from) / measure(to);
    let reach = scale.max(1.0);
    let share = |place: usize| {
        let center = (measure(place) + 0.5) * scale - 0.5;
        let first = round((center - reach).max(0.0));
        let last = round((center + reach).max(0.0)).clamp(first, from - 1);
        let weights: Vec<f64> =
            (first..=last).map(|at| (1.0 - (measure(at) - center).abs() / reach).max(0.0)).collect();
        let sum: f64 = weights.iter().sum();
        if sum <= 0.0 {
            let nearest = round(center.max(0.0)).min(from - 1);
            return (nearest, vec![1.0]);
        }
        (first, weights.into_iter().map(|weight| narrowed(weight / sum)).collect())
    };
    (0..to).map(share).collect()
}

/// The mixture of pixels by weight.
fn mixed<'a>(pixels: impl Iterator<Item = &'a [u8; 3]>, weights: &[f32]) -> [u8; 3] {
    let mut sums = [0.0; 3];
    for (pixel, weight) in pixels.zip(weights) {
        for (sum, value) in sums.iter_mut().zip(pixel) {
            *sum += f32::from(*value) * weight;
        }
    }
    sums.map(sample)
}
