//! A line of text, cut out of its picture and turned level.

use rten_tensor::NdTensor;

use crate::geometry::TextRegion;
use crate::picture::{Color, RgbPicture};
use crate::rounding::{ceil, floor, measure, sample};

/// The height of a line as the model takes it, in pixels.
pub(crate) const LINE_HEIGHT: usize = 48;
/// The least width that the model was taught with; shorter lines are followed by grey.
const LEAST_WIDTH: usize = 320;
/// The most width: longer lines are narrowed.
const MOST_WIDTH: usize = 4_096;
/// The width of a step of the model.
pub(crate) const STEP_WIDTH: usize = 8;

/// A line of text of the height [`LINE_HEIGHT`].
#[derive(Debug, Clone)]
pub(crate) struct LineCrop {
    region: TextRegion,
    picture: RgbPicture,
}

impl LineCrop {
    /// Cuts a region out of a picture; `None` if it has no extent.
    pub(crate) fn of(picture: &RgbPicture, region: TextRegion) -> Option<Self> {
        let pixel = region.thickness() / measure(LINE_HEIGHT);
        let has_extent = region.length() >= 1.0 && region.thickness() >= 1.0 && pixel.is_finite();
        if !has_extent {
            return None;
        }
        let width = ceil(region.length() / pixel).clamp(1, MOST_WIDTH);
        let step = region.length() / measure(width);
        // A pixel of the crop that is made of several takes the mean of that many.
        let (inner, down) = (ceil(step - 0.25).clamp(1, 8), ceil(pixel - 0.25).clamp(1, 8));
        let color = |column: usize, row: usize| {
            let mut sum: Color = [0.0; 3];
            for part in 0..inner * down {
                let along = measure(column) + (measure(part % inner) + 0.5) / measure(inner);
                let across = measure(row) + (measure(part / inner) + 0.5) / measure(down);
                let place = region.to_picture(along * step, across * pixel);
                for (sum, value) in sum.iter_mut().zip(picture.between(place.x, place.y)) {
                    *sum += value;
                }
            }
            #[expect(clippy::cast_precision_loss, reason = "at most 64")]
            let count = (inner * down) as f32;
            sum.map(|sum| sample(sum / count))
        };
        let pixels = (0..LINE_HEIGHT).flat_map(|row| (0..width).map(move |column| (column, row)));
        let picture =
            RgbPicture::new(width, LINE_HEIGHT, pixels.map(|(column, row)| color(column, row)).collect())?;
        Some(LineCrop { region, picture })
    }

    /// The region that was cut out.
    pub(crate) fn region(&self) -> &TextRegion {
        &self.region
    }

    /// The columns of pixels.
    pub(crate) fn width(&self) -> usize {
        self.picture.width()
    }

    /// The rows of pixels.
    pub(crate) fn rows(&self) -> impl ExactSizeIterator<Item = &[[u8; 3]]> {
        self.picture.rows()
    }

    /// The region in the picture that columns and rows of this crop show.
    pub(crate) fn part(&self, columns: (f64, f64), rows: (f64, f64)) -> TextRegion {
        let along = self.region.length() / measure(self.width());
        let across = self.region.thickness() / measure(LINE_HEIGHT);
        self.region.part((columns.0 * along, columns.1 * along), (rows.0 * across, rows.1 * across))
    }

    /// The line as the model takes it: planes of blue, green and red, from -1 to 1.
    pub(crate) fn input(&self) -> NdTensor<f32, 4> {
        let width = self.width();
        let padded = width.max(LEAST_WIDTH).next_multiple_of(STEP_WIDTH);
        let mut data = Vec::with_capacity(3 * LINE_HEIGHT * padded);
        for plane in [2, 1, 0] {
            for row in self.rows() {
                let values = row.iter().map(|pixel| pixel.get(plane).copied().unwrap_or(u8::MAX));
                data.extend(values.map(|value| f32::from(value) / 127.5 - 1.0));
                data.extend(std::iter::repeat_n(0.0, padded - width));
            }
        }
        NdTensor::from_data([1, 3, LINE_HEIGHT, padded], data)
    }

    /// The column in the middle of a step of the model.
    pub(crate) fn column_of(step: f64) -> f64 {
        (step + 0.5) * measure(STEP_WIDTH)
    }

    /// The columns that a place is in.
    pub(crate) fn column(&self, place: f64) -> usize {
        floor(place.max(0.0)).min(self.width() - 1)
    }
}
