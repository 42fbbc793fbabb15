//! Ink of the characters in a line of a picture: what tells, beside any reading, how many there are and where.

use super::GreyPicture;
use crate::page_ink::{Mark, Marks};

/// The shade below which a pixel is ink.
const INK: u8 = 128;
/// The room around a line in which its ink is looked for, in parts of its height: to the sides, where a sign may stand that
/// was not read, and above and below.
const BESIDE: f64 = 1.0;
const AROUND: f64 = 0.15;
/// Marks that are no characters, in parts of the line's height: specks, and rules of tables.
const LEAST_SIDE: f64 = 0.05;
const MOST_WIDTH: f64 = 3.0;
/// The part of the narrower mark that two marks of one character share: the parts of `=`, `:` and `i`.
const SHARED: f64 = 0.5;

/// The characters' ink in a line (left, top, width, height): for each its left, top, right and bottom in pixels of the picture,
/// from left to right.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    clippy::cast_precision_loss,
    reason = "pixels of a picture of bounded size"
)]
pub(super) fn characters_in(picture: &GreyPicture, [left, top, width, height]: [f64; 4]) -> Vec<[f64; 4]> {
    let first = |start: f64, room: f64| (start - room).max(0.0) as usize;
    let end = |end: f64, room: f64, most: usize| ((end + room).max(0.0) as usize).min(most);
    let (from_x, to_x) = (first(left, BESIDE * height), end(left + width, BESIDE * height, picture.width()));
    let (from_y, to_y) = (first(top, AROUND * height), end(top + height, AROUND * height, picture.height()));
    if from_x >= to_x || from_y >= to_y {
        return Vec::new();
    }
    let rows = picture.rows().skip(from_y).take(to_y - from_y);
    let is_ink = rows.flat_map(|row| row.iter().skip(from_x).take(to_x - from_x)).map(|shade| *shade < INK);
    let mut marks = Marks::new(is_ink.collect(), to_x - from_x).taken(|mark| {
        let (wide, high) = ((mark.right - mark.left + 1) as f64, (mark.bottom - mark.top + 1) as f64);
        let middle = from_y as f64 + f64::midpoint(mark.top as f64, mark.bottom as f64);
        wide.max(high) > LEAST_SIDE * height
            && wide <= MOST_WIDTH * height
            && (top..=top + height).contains(&middle)
    });
    marks.sort_by_key(|mark| mark.left);
    let mut characters: Vec<Mark> = Vec::with_capacity(marks.len());
    for mark in marks {
        match characters.last_mut().filter(|last| is_same_character(last, &mark)) {
            Some(last) => {
                last.right = last.right.max(mark.right);
                last.top = last.top.min(mark.top);
                last.bottom = last.bottom.max(mark.bottom);
            }
            None => characters.push(mark),
        }
    }
    let placed = |mark: &Mark| {
        let (x, y) = (from_x as f64, from_y as f64);
        [x + mark.left as f64, y + mark.top as f64, x + mark.right as f64 + 1.0, y + mark.bottom as f64 + 1.0]
    };
    characters.iter().map(placed).collect()
}

#[expect(clippy::cast_precision_loss, reason = "pixels of a line")]
fn is_same_character(left: &Mark, right: &Mark) -> bool {
    let shared = (left.right.min(right.right) + 1).saturating_sub(left.left.max(right.left)) as f64;
    let narrower = (left.right - left.left).min(right.right - right.left) + 1;
    shared > SHARED * narrower as f64
}
