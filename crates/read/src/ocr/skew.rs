//! Directions of the lines of a picture: their skew, and whether they run across or along the page.
//!
//! Seen along the lines of a text, rows full of ink and rows without any alternate. The angle at which neighbouring rows
//! differ most is therefore that of the lines.

use super::GreyPicture;

/// The most skew that is looked for, in degrees, and the steps of the two searches.
const MOST_SKEW: f64 = 12.0;
const COARSE: f64 = 0.5;
const FINE: f64 = 0.1;
/// The longer side to which a picture is reduced before, in pixels: a skew of a tenth of a degree is then two rows.
const REDUCED: usize = 1_200;
/// The part of the difference between paper and the darkest shade from which a pixel counts as ink.
const INK: u8 = 96;
/// The gain by which a skew, or the other direction, must be better.
const BETTER_SKEW: f64 = 1.03;
const BETTER_DIRECTION: f64 = 1.3;

/// The inked pixels of a picture that was reduced.
pub(super) struct Ink {
    pixels: Vec<(f64, f64)>,
    width: usize,
    height: usize,
}

impl Ink {
    /// The ink of a picture.
    #[expect(clippy::cast_precision_loss, reason = "pixels of a reduced picture")]
    pub(super) fn of(picture: &GreyPicture) -> Self {
        let step = (picture.width().max(picture.height()) / REDUCED).max(1);
        let (width, height) = (picture.width() / step, picture.height() / step);
        let mut darkest = vec![255_u8; width * height];
        for (y, row) in picture.rows().enumerate().take(height * step) {
            for (x, shade) in row.iter().enumerate().take(width * step) {
                if let Some(seen) = darkest.get_mut(y / step * width + x / step) {
                    *seen = (*seen).min(*shade);
                }
            }
        }
        let inked = darkest.iter().enumerate().filter(|(_, shade)| **shade < INK);
        let pixels = inked.map(|(at, _)| ((at % width.max(1)) as f64, (at / width.max(1)) as f64)).collect();
        Ink { pixels, width, height }
    }

    /// Returns whether there is any: a few specks are none.
    pub(super) fn is_some(&self) -> bool {
        self.pixels.len() * 20_000 > self.width * self.height && self.pixels.len() > 8
    }

    /// Degrees by which the lines fall to the right, as far as they do not run across the page already.
    pub(super) fn skew(&self) -> f64 {
        let level = self.alternation(0.0);
        let steps = |from: f64, to: f64, step: f64| {
            std::iter::successors(Some(from), move |at| Some(at + step))
                .take_while(move |at| *at <= to + 1e-9)
        };
        let best = |angles: &mut dyn Iterator<Item = f64>| {
            angles.map(|angle| (angle, self.alternation(angle))).max_by(|a, b| a.1.total_cmp(&b.1))
        };
        let Some((coarse, _)) = best(&mut steps(-MOST_SKEW, MOST_SKEW, COARSE)) else { return 0.0 };
        let fine = best(&mut steps(coarse - COARSE, coarse + COARSE, FINE));
        match fine {
            Some((angle, found)) if found > level * BETTER_SKEW && angle.abs() > FINE / 2.0 => angle,
            _ => 0.0,
        }
    }

    /// Returns whether the lines run along the page, from its bottom to its top or the other way.
    pub(super) fn runs_along(&self) -> bool {
        let turned = Ink {
            pixels: self.pixels.iter().map(|(x, y)| (*y, *x)).collect(),
            width: self.height,
            height: self.width,
        };
        turned.best_alternation() > self.best_alternation() * BETTER_DIRECTION
    }

    fn best_alternation(&self) -> f64 {
        let angles =
            [-12.0, -10.0, -8.0, -6.0, -4.0, -3.0, -2.0, -1.0, 0.0, 1.0, 2.0, 3.0, 4.0, 6.0, 8.0, 10.0, 12.0];
        angles.into_iter().map(|angle| self.alternation(angle)).fold(0.0, f64::max)
    }

    /// The differences of neighbouring rows at an angle, squared: high where lines and the space between them alternate.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        clippy::cast_precision_loss,
        reason = "rows of a reduced picture, with room at both ends"
    )]
    fn alternation(&self, degrees: f64) -> f64 {
        let slope = degrees.to_radians().tan();
        let room = (self.width as f64 * slope.abs()).ceil();
        let mut rows = vec![0_i32; self.height + 2 * room as usize + 2];
        for (x, y) in &self.pixels {
            if let Some(row) = rows.get_mut((y - x * slope + room).round() as usize) {
                *row += 1;
            }
        }
        rows.windows(2).map(|pair| pair.iter().fold(0, |a, b| b - a)).map(|d| f64::from(d).powi(2)).sum()
    }
}
