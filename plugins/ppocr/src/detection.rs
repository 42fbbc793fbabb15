//! Finds the lines of text of a picture.

use rten_tensor::NdTensor;
use rten_tensor::prelude::*;

use crate::error::PpocrError;
use crate::geometry::TextRegion;
use crate::models::LoadedModel;
use crate::picture::RgbPicture;
use crate::probability::ProbabilityMap;
use crate::rounding::{measure, round};

/// The longest side at which a picture is searched, in pixels: a page of A4 at 200 dots per inch is not made smaller.
const LONGEST_SEARCHED: usize = 2_368;
/// Sides of what the model is given are multiples of this.
const STEP: usize = 32;
/// The border around a picture, in which its outermost pixels are repeated: lines at the very edge are found, too.
const BORDER: usize = 16;

/// Finds the lines of text of a picture, from left to right or, where they are upright, from bottom to top.
pub(crate) fn lines_of(
    model: &LoadedModel,
    picture: &RgbPicture,
    pool: &std::sync::Arc<rten::ThreadPool>,
) -> Result<Vec<TextRegion>, PpocrError> {
    let longest = picture.width().max(picture.height());
    let scale = (measure(LONGEST_SEARCHED) / measure(longest)).min(1.0);
    let searched =
        picture.resized(round(measure(picture.width()) * scale), round(measure(picture.height()) * scale));
    let output = model.run(input(&searched), pool)?;
    let shape: Vec<usize> = output.shape().to_vec();
    let [_, _, _, width] = shape.as_slice() else {
        return Err(model.unexpected(&shape));
    };
    let values = output.into_data();
    let regions = ProbabilityMap::new(*width, &values).regions();
    let border = -measure(BORDER);
    let within = |region: TextRegion| region.moved(border, border).scaled(1.0 / scale);
    Ok(regions.into_iter().map(within).collect())
}

/// The picture as the model takes it: planes of blue, green and red, from -1 to 1.
fn input(picture: &RgbPicture) -> NdTensor<f32, 4> {
    let (width, height) = (picture.width(), picture.height());
    let padded = |side: usize| (side + 2 * BORDER).next_multiple_of(STEP);
    let (padded_width, padded_height) = (padded(width), padded(height));
    let mut data = Vec::with_capacity(3 * padded_width * padded_height);
    for plane in [2, 1, 0] {
        for row in 0..padded_height {
            let row = row.saturating_sub(BORDER).min(height - 1);
            let pixels = picture.pixels().get(row * width..(row + 1) * width).unwrap_or_default();
            let values = pixels.iter().map(|pixel| pixel.get(plane).copied().unwrap_or(u8::MAX));
            let first = values.clone().next().unwrap_or(u8::MAX);
            let last = values.clone().next_back().unwrap_or(u8::MAX);
            let filled = std::iter::repeat_n(first, BORDER)
                .chain(values)
                .chain(std::iter::repeat_n(last, padded_width - BORDER - width));
            data.extend(filled.map(|value| f32::from(value) / 127.5 - 1.0));
        }
    }
    NdTensor::from_data([1, 3, padded_height, padded_width], data)
}
