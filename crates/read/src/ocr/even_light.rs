//! Light of a photographed page: shadows and uneven light taken away, so that its paper is equally bright everywhere.
//!
//! The page is divided into tiles. The shade of the paper in a tile is that of its lighter pixels; between the middles of
//! tiles it changes gradually. Each pixel is seen in proportion to the paper around it.

use super::GreyPicture;
use crate::grey_picture::WHITE;

/// The tiles along the longer side of a page: they are higher than two lines of print.
const TILES: usize = 40;
/// The part of a tile's pixels, in hundredths from the darkest, that are not lighter than its paper.
const NOT_LIGHTER: usize = 90;
/// The share of the page's brightest paper below which a tile has none: a dark panel or picture, which stays dark.
const LEAST_PAPER: f64 = 0.3;
/// The difference of paper, of 255, from which a page is unevenly lit: between the tiles that exceed a tenth and nine tenths
/// of all.
const UNEVEN: f64 = 24.0;

/// The shade of the paper in the tiles of a picture.
struct Paper {
    side: usize,
    columns: usize,
    rows: usize,
    shades: Vec<f64>,
}

/// Makes the paper of an unevenly lit picture equally bright. Returns whether it was uneven.
pub(in super::super) fn even_light(picture: &mut GreyPicture) -> bool {
    let paper = Paper::of(picture);
    if !paper.is_uneven() {
        return false;
    }
    let paper = paper.smoothed();
    let lit = GreyPicture::drawn(picture.width(), picture.height(), |x, y| {
        in_proportion(picture.at(x, y), paper.at(x, y))
    });
    *picture = lit;
    true
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "bounded on both sides")]
fn in_proportion(shade: u8, paper: f64) -> u8 {
    (f64::from(shade) * f64::from(WHITE) / paper.max(1.0)).clamp(0.0, f64::from(WHITE)) as u8
}

impl Paper {
    fn of(picture: &GreyPicture) -> Self {
        let side = (picture.width().max(picture.height()) / TILES).max(1);
        let (columns, rows) = (picture.width().div_ceil(side), picture.height().div_ceil(side));
        let mut counts = vec![[0_u32; 256]; columns * rows];
        for (y, row) in picture.rows().enumerate() {
            for (x, shade) in row.iter().enumerate() {
                let tile = counts.get_mut(y / side * columns + x / side);
                if let Some(count) = tile.and_then(|tile| tile.get_mut(usize::from(*shade))) {
                    *count += 1;
                }
            }
        }
        let mut shades: Vec<f64> = counts.iter().map(paper_shade).collect();
        let brightest = shades.iter().copied().fold(1.0, f64::max);
        for shade in &mut shades {
            if *shade < LEAST_PAPER * brightest {
                *shade = 0.0;
            }
        }
        Paper { side, columns, rows, shades }
    }

    fn is_uneven(&self) -> bool {
        let mut sorted: Vec<f64> = self.shades.iter().copied().filter(|shade| *shade > 0.0).collect();
        sorted.sort_by(f64::total_cmp);
        let at = |tenths: usize| sorted.get(sorted.len() * tenths / 10).copied().unwrap_or_default();
        at(9) - at(1) > UNEVEN
    }

    /// The paper without ink: each tile gets the lightest shade of its neighbours, then the mean of theirs, so that shades
    /// change gradually.
    fn smoothed(self) -> Self {
        let lightest = |around: &[f64]| around.iter().copied().fold(0.0, f64::max);
        let light = self.with_each(lightest);
        let brightest = light.shades.iter().copied().fold(1.0, f64::max);
        // Where there is no paper around, either, the picture stays as it is.
        let known = Paper {
            shades: light.shades.iter().map(|shade| if *shade > 0.0 { *shade } else { brightest }).collect(),
            ..light
        };
        #[expect(clippy::cast_precision_loss, reason = "at most nine tiles")]
        let mean = |around: &[f64]| around.iter().sum::<f64>() / around.len().max(1) as f64;
        known.with_each(mean)
    }

    /// Tiles with a shade from that of each and those around it.
    fn with_each(self, shade: impl Fn(&[f64]) -> f64) -> Self {
        let mut shades = Vec::with_capacity(self.shades.len());
        for row in 0..self.rows {
            for column in 0..self.columns {
                let rows = row.saturating_sub(1)..(row + 2).min(self.rows);
                let columns = column.saturating_sub(1)..(column + 2).min(self.columns);
                let around: Vec<f64> = rows
                    .flat_map(|row| columns.clone().map(move |column| (row, column)))
                    .map(|(row, column)| self.tile(column, row))
                    .collect();
                shades.push(shade(&around));
            }
        }
        Paper { shades, ..self }
    }

    fn tile(&self, column: usize, row: usize) -> f64 {
        let at =
            row.min(self.rows.saturating_sub(1)) * self.columns + column.min(self.columns.saturating_sub(1));
        self.shades.get(at).copied().unwrap_or(f64::from(WHITE))
    }

    /// The shade of the paper at a pixel.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        clippy::cast_precision_loss,
        reason = "pixels of a picture of bounded size"
    )]
    fn at(&self, x: usize, y: usize) -> f64 {
        let tiles = |pixel: usize| ((pixel as f64 + 0.5) / self.side as f64 - 0.5).max(0.0);
        let (x, y) = (tiles(x), tiles(y));
        let (column, row) = (x as usize, y as usize);
        let mixed = |a: f64, b: f64, part: f64| a + (b - a) * part;
        let upper = mixed(self.tile(column, row), self.tile(column + 1, row), x.fract());
        let lower = mixed(self.tile(column, row + 1), self.tile(column + 1, row + 1), x.fract());
        mixed(upper, lower, y.fract())
    }
}

/// The shade of the paper in a tile with so many pixels of each shade.
fn paper_shade(counts: &[u32; 256]) -> f64 {
    let all: u32 = counts.iter().sum();
    let mut seen = 0;
    for (shade, count) in (0..=WHITE).zip(counts) {
        seen += count;
        if seen as usize * 100 >= all as usize * NOT_LIGHTER {
            return f64::from(shade);
        }
    }
    f64::from(WHITE)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A page of lines, with ink that has a fifth of the light of its paper.
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a shade")]
    fn page(light: impl Fn(usize, usize) -> f64) -> GreyPicture {
        GreyPicture::drawn(400, 600, |x, y| {
            let is_ink = y % 20 < 6 && x % 7 < 3;
            (light(x, y) * if is_ink { 0.2 } else { 1.0 }) as u8
        })
    }

    #[test]
    #[expect(clippy::cast_precision_loss, reason = "pixels of a small picture")]
    fn a_shadow_is_taken_away_and_ink_stays_ink() {
        let mut lit = page(|x, y| 240.0 - 0.2 * x as f64 - 0.1 * y as f64);
        assert!(even_light(&mut lit));
        for (y, row) in lit.rows().enumerate() {
            for (x, shade) in row.iter().enumerate() {
                let is_ink = y % 20 < 6 && x % 7 < 3;
                assert!(if is_ink { *shade < 70 } else { *shade > 215 }, "{x} {y}: {shade}");
            }
        }
    }

    #[test]
    fn evenly_lit_pages_stay_as_they_are_and_dark_panels_stay_dark() {
        let before = page(|_, _| 200.0);
        let mut after = before.clone();
        assert!(!even_light(&mut after));
        assert_eq!(before, after);
        let mut panel = page(|x, y| if x > 100 && y > 300 { 20.0 } else { 240.0 });
        even_light(&mut panel);
        assert!(panel.at(300, 509) < 40);
    }
}
