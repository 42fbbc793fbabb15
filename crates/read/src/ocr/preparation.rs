//! Preparation of a page's picture for OCR: even light, full contrast, upright, its lines level.

use super::GreyPicture;
use super::even_light;
use super::skew::Ink;
use crate::grey_picture::WHITE;
use hayro_interpret::kurbo::{Affine, Point, Vec2};
use serde::{Deserialize, Serialize};

/// The shades that are paper and ink: those that this part of the pixels exceed, in thousandths.
const DARKEST: usize = 5;
const LIGHTEST: usize = 900;
/// The least difference of the two that is stretched: paper alone has no contrast.
const LEAST_CONTRAST: u8 = 24;
/// The least skew that is mended, in degrees.
const LEAST_SKEW: f64 = 0.15;

/// Quarter turns, clockwise.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(in super::super) enum Turn {
    None,
    Right,
    Half,
    Left,
}

/// The picture of a page, as an engine reads it.
#[derive(Debug, Clone)]
pub(in super::super) struct PreparedPicture {
    pub(in super::super) frame: PictureFrame,
    pub(in super::super) picture: GreyPicture,
}

/// The relation of a prepared picture to its page.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(in super::super) struct PictureFrame {
    /// The turn by which the page became upright.
    pub(in super::super) turn: Turn,
    /// Degrees by which its lines fell to the right after that.
    pub(in super::super) skew: f64,
    /// From pixels of the picture to points of the page.
    pub(super) to_page: [f64; 6],
    /// Points for a pixel.
    pub(in super::super) points: f64,
    /// `false` if the page is empty.
    pub(in super::super) has_ink: bool,
}

impl Turn {
    /// Clockwise degrees.
    pub(in super::super) fn degrees(self) -> u16 {
        match self {
            Turn::None => 0,
            Turn::Right => 90,
            Turn::Half => 180,
            Turn::Left => 270,
        }
    }

    /// All turns, this one first, then the opposite one.
    pub(in super::super) fn and_others(self) -> [Self; 4] {
        match self {
            Turn::None => [Turn::None, Turn::Half, Turn::Right, Turn::Left],
            Turn::Right => [Turn::Right, Turn::Left, Turn::None, Turn::Half],
            Turn::Half => [Turn::Half, Turn::None, Turn::Right, Turn::Left],
            Turn::Left => [Turn::Left, Turn::Right, Turn::None, Turn::Half],
        }
    }
}

impl PictureFrame {
    /// From pixels of the picture to points of the page.
    pub(in super::super) fn to_page(&self) -> Affine {
        Affine::new(self.to_page)
    }
}

/// Prepares a picture of a page that has so many points for a pixel: turned as told, or as its lines run.
pub(in super::super) fn prepared(
    mut picture: GreyPicture,
    points: f64,
    turn: Option<Turn>,
) -> PreparedPicture {
    even_light(&mut picture);
    stretch_contrast(&mut picture);
    let ink = Ink::of(&picture);
    let has_ink = ink.is_some();
    let turn = turn.unwrap_or(if has_ink && ink.runs_along() { Turn::Right } else { Turn::None });
    let (turned, from_turned) = turned(picture, turn);
    let skew = if has_ink { Ink::of(&turned).skew() } else { 0.0 };
    let (picture, from_level) =
        if skew.abs() < LEAST_SKEW { (turned, Affine::IDENTITY) } else { leveled(&turned, skew) };
    let to_page = Affine::scale(points) * from_turned * from_level;
    let frame = PictureFrame { turn, skew, to_page: to_page.as_coeffs(), points, has_ink };
    PreparedPicture { frame, picture }
}

/// Makes paper white and ink black.
fn stretch_contrast(picture: &mut GreyPicture) {
    let mut counts = [0_usize; 256];
    for shade in picture.shades() {
        if let Some(count) = counts.get_mut(usize::from(*shade)) {
            *count += 1;
        }
    }
    let all = picture.shades().len();
    let shade_at = |thousandths: usize| {
        let mut seen = 0;
        let reached = |(_, count): &(u8, &usize)| {
            seen += **count;
            seen * 1_000 > all * thousandths
        };
        (0..=WHITE).zip(&counts).find(reached).map_or(WHITE, |(shade, _)| shade)
    };
    let (ink, paper) = (shade_at(DARKEST), shade_at(LIGHTEST));
    let range = paper.saturating_sub(ink);
    if range < LEAST_CONTRAST || (ink == 0 && paper == WHITE) {
        return;
    }
    for shade in picture.shades_mut() {
        let above = u32::from(shade.saturating_sub(ink));
        *shade = u8::try_from(above * u32::from(WHITE) / u32::from(range)).unwrap_or(WHITE);
    }
}

/// A picture turned, and the way back to its pixels before.
#[expect(clippy::cast_precision_loss, reason = "pixels of a picture of bounded size")]
pub(super) fn turned(picture: GreyPicture, turn: Turn) -> (GreyPicture, Affine) {
    let (width, height) = (picture.width(), picture.height());
    let (w, h) = (width as f64, height as f64);
    match turn {
        Turn::None => (picture, Affine::IDENTITY),
        Turn::Right => (
            GreyPicture::drawn(height, width, |x, y| picture.at(y, height - 1 - x)),
            Affine::new([0.0, -1.0, 1.0, 0.0, 0.0, h]),
        ),
        Turn::Half => (
            GreyPicture::drawn(width, height, |x, y| picture.at(width - 1 - x, height - 1 - y)),
            Affine::new([-1.0, 0.0, 0.0, -1.0, w, h]),
        ),
        Turn::Left => (
            GreyPicture::drawn(height, width, |x, y| picture.at(width - 1 - y, x)),
            Affine::new([0.0, 1.0, -1.0, 0.0, w, 0.0]),
        ),
    }
}

/// A picture whose lines, which fall to the right by so many degrees, are level, and the way back to its pixels before.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    clippy::cast_precision_loss,
    reason = "pixels of a picture of bounded size"
)]
pub(super) fn leveled(picture: &GreyPicture, degrees: f64) -> (GreyPicture, Affine) {
    let (w, h) = (picture.width() as f64, picture.height() as f64);
    let (sin, cos) = degrees.to_radians().sin_cos();
    let (width, height) = (w * cos + h * sin.abs(), w * sin.abs() + h * cos);
    let middle = |w: f64, h: f64| Vec2::new(w / 2.0, h / 2.0);
    let back = Affine::translate(middle(w, h))
        * Affine::rotate(degrees.to_radians())
        * Affine::translate(-middle(width.floor(), height.floor()));
    let drawn = GreyPicture::drawn(width as usize, height as usize, |x, y| {
        let from = back * Point::new(x as f64 + 0.5, y as f64 + 0.5);
        picture.between(from.x - 0.5, from.y - 0.5)
    });
    (drawn, back)
}
