//! Regions of text in a map of probabilities.

use crate::geometry::{PlanePoint, TextRegion};
use crate::rounding::{ceil, floor, measure};

/// The probability from which a pixel is one of text.
const TEXT: f32 = 0.3;
/// The mean probability from which a region is one of text.
const REGION: f64 = 0.5;
/// The shortest side of a region before it is grown, in pixels of the map.
const THINNEST: f64 = 3.0;
/// The model is taught the core of each line; a region is larger by this share of area over circumference.
const GROWTH: f64 = 1.6;
/// The most regions of a picture.
const MOST_REGIONS: usize = 4_000;

/// The probability of each pixel to be one of text.
#[derive(Debug, Clone, Copy)]
pub struct ProbabilityMap<'a> {
    width: usize,
    values: &'a [f32],
}

impl<'a> ProbabilityMap<'a> {
    /// The map of these values, row by row.
    #[must_use]
    pub fn new(width: usize, values: &'a [f32]) -> Self {
        ProbabilityMap { width: width.max(1), values }
    }

    fn height(&self) -> usize {
        self.values.len() / self.width
    }

    /// The regions of text, from the top, each as large as its text.
    #[must_use]
    pub fn regions(&self) -> Vec<TextRegion> {
        let mut is_new = self.marked();
        let mut regions = Vec::new();
        for at in 0..is_new.len() {
            if is_new.get(at) == Some(&true) {
                let extremes = self.component(at, &mut is_new);
                regions.extend(self.region(extremes));
                if regions.len() == MOST_REGIONS {
                    break;
                }
            }
        }
        regions
    }

    /// The pixels of text, each with its neighbours at the right and below, so that strokes that almost touch do.
    fn marked(&self) -> Vec<bool> {
        let mut marked: Vec<bool> = self.values.iter().map(|value| *value > TEXT).collect();
        for row in marked.chunks_exact_mut(self.width) {
            let mut before = false;
            for pixel in row {
                let is_text = *pixel;
                *pixel |= before;
                before = is_text;
            }
        }
        for at in (self.width..marked.len()).rev() {
            let above = marked.get(at - self.width) == Some(&true);
            if let Some(pixel) = marked.get_mut(at) {
                *pixel |= above;
            }
        }
        marked
    }

    /// The first and the last pixel in each row of what is connected with the pixel `at`, which is then no longer new.
    fn component(&self, at: usize, is_new: &mut [bool]) -> Vec<PlanePoint> {
        let first_row = at / self.width;
        // A component is found by the first of its pixels, so none is above it.
        let mut extents: Vec<Option<(usize, usize)>> = Vec::new();
        let mut open = vec![at];
        if let Some(pixel) = is_new.get_mut(at) {
            *pixel = false;
        }
        while let Some(at) = open.pop() {
            let (row, column) = (at / self.width, at % self.width);
            let below = row - first_row;
            if extents.len() <= below {
                extents.resize(below + 1, None);
            }
            if let Some(extent) = extents.get_mut(below) {
                let (left, right) = extent.unwrap_or((column, column));
                *extent = Some((left.min(column), right.max(column)));
            }
            for near_row in row.saturating_sub(1)..=row + 1 {
                for near in column.saturating_sub(1)..=(column + 1).min(self.width - 1) {
                    let near = near_row * self.width + near;
                    if let Some(pixel) = is_new.get_mut(near).filter(|pixel| **pixel) {
                        *pixel = false;
                        open.push(near);
                    }
                }
            }
        }
        let rows = (first_row..).zip(extents).filter_map(|(row, extent)| Some((row, extent?)));
        let point = |column: usize, row: usize| PlanePoint::new(measure(column), measure(row));
        rows.flat_map(|(row, (left, right))| [point(left, row), point(right, row)]).collect()
    }

    /// The region around the pixels of a component; `None` if it is too small or not likely text.
    fn region(&self, extremes: Vec<PlanePoint>) -> Option<TextRegion> {
        let core = TextRegion::around(extremes)?;
        let is_text = core.length().min(core.thickness()) >= THINNEST && self.mean(&core) >= REGION;
        let around = 2.0 * (core.length() + core.thickness());
        is_text.then(|| core.grown(core.area() * GROWTH / around))
    }

    /// The mean probability of the pixels in a region.
    fn mean(&self, region: &TextRegion) -> f64 {
        let corners = region.corners();
        let extent = |of: fn(&PlanePoint) -> f64, most: usize| {
            let (least, highest) = corners
                .iter()
                .map(of)
                .fold((f64::MAX, 0.0_f64), |(least, highest), at| (least.min(at), highest.max(at)));
            floor(least)..=ceil(highest).min(most)
        };
        let (mut sum, mut count) = (0.0, 0_usize);
        for row in extent(|corner| corner.y, self.height().saturating_sub(1)) {
            for column in extent(|corner| corner.x, self.width - 1) {
                let (along, across) = region.from_picture(PlanePoint::new(measure(column), measure(row)));
                let is_within = (-0.5..=region.length() + 0.5).contains(&along)
                    && (-0.5..=region.thickness() + 0.5).contains(&across);
                if let Some(value) = self.values.get(row * self.width + column).filter(|_| is_within) {
                    sum += f64::from(*value);
                    count += 1;
                }
            }
        }
        if count == 0 { 0.0 } else { sum / measure(count) }
    }
}
