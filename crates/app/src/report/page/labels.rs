//! Names of points in a plot, placed so that none lies over another one or is cut off.

use super::axis::tenths;
use super::risk_axes::{WIDTH, text_width};

/// The height of a line.
const LINE: f64 = 12.0;
/// Distances from its point at which a name may begin.
const DISTANCES: [f64; 3] = [8.0, 20.0, 34.0];

/// The areas that are taken.
#[derive(Debug, Default)]
pub(in crate::report) struct Labels {
    taken: Vec<Area>,
    /// From the top down to here there is room.
    bottom: f64,
}

#[derive(Debug, Clone, Copy)]
struct Area {
    left: f64,
    right: f64,
    top: f64,
    bottom: f64,
}

impl Labels {
    /// For a plot of which the axis is at `bottom`.
    pub(in crate::report) fn above(bottom: f64) -> Self {
        Labels { taken: Vec::new(), bottom }
    }

    /// Keeps names away from a point.
    pub(in crate::report) fn keep_clear(&mut self, x: f64, y: f64) {
        self.taken.push(Area { left: x - 5.0, right: x + 5.0, top: y - 5.0, bottom: y + 5.0 });
    }

    /// The beginning of the name of a point, on its base line; `None` where there is no room around it.
    pub(in crate::report) fn place(&mut self, name: &str, x: f64, y: f64) -> Option<(f64, f64)> {
        let width = text_width(name);
        let around = DISTANCES.into_iter().flat_map(|far| {
            let (right, left, middle) = (x + far, x - far - width, x - width / 2.0);
            [
                (right, y - far),
                (left, y - far),
                (right, y + far + LINE - 4.0),
                (left, y + far + LINE - 4.0),
                (middle, y - far - 2.0),
                (middle, y + far + LINE),
            ]
        });
        let area = |(left, base): (f64, f64)| Area {
            left,
            right: left + width,
            top: base - LINE + 2.0,
            bottom: base + 2.0,
        };
        let is_free = |area: &Area| {
            area.left >= 0.0
                && area.right <= WIDTH
                && area.top >= 0.0
                && area.bottom <= self.bottom
                && !self.taken.iter().any(|taken| taken.overlaps(area))
        };
        let found = around.map(|at| (at, area(at))).find(|(_, area)| is_free(area));
        let (at, area) = found?;
        self.taken.push(area);
        Some((tenths(at.0), tenths(at.1)))
    }
}

impl Area {
    fn overlaps(&self, other: &Area) -> bool {
        self.left < other.right
            && other.left < self.right
            && self.top < other.bottom
            && other.top < self.bottom
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_points_that_lie_together_do_not_lie_over_each_other() {
        let mut labels = Labels::above(300.0);
        let points: Vec<(f64, f64)> = (0..10_u8).map(|at| (380.0 - f64::from(at) * 3.0, 40.0)).collect();
        points.iter().for_each(|(x, y)| labels.keep_clear(*x, *y));
        let placed: Vec<(f64, f64)> =
            points.iter().filter_map(|(x, y)| labels.place("balanced", *x, *y)).collect();
        assert!(placed.len() >= 6, "{placed:?}");
        for (at, (x, y)) in placed.iter().enumerate() {
            assert!(*x >= 0.0 && x + 56.0 <= WIDTH && *y >= 10.0, "{x} {y}");
            assert!(
                placed
                    .iter()
                    .skip(at + 1)
                    .all(|(other, down)| (x - other).abs() >= 56.0 || (y - down).abs() >= LINE)
            );
        }
    }
}
