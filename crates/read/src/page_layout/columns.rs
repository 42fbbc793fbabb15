//! Columns of running text: the order in which the parts of a page are read.

use super::lines::{TextLine, lines, pairs};
use super::placed_word::PlacedWord;
use super::sizes::quantile;
use hayro_interpret::kurbo::Rect;

/// The fewest lines that are a column.
const FEWEST_LINES: usize = 5;
/// The height of a gutter, in lines of a usual size.
const GUTTER_LINES: f64 = 6.0;
/// The distance of two lines, in parts of the size.
const LEADING: f64 = 1.2;
/// The width of a gutter, in parts of the size.
const GUTTER_WIDTH: f64 = 0.5;
/// The part of a page's width at either side in which no gutter is looked for.
const MARGIN: f64 = 0.1;
/// The part of two strips' height that they share if they are parts of one gutter.
const SAME_STRIP: f64 = 0.8;
/// The strips that are tried, tallest first.
const MOST_STRIPS: usize = 24;
/// A line of running text: the words that it has at least, the part of its column's width that it fills, and the gap
/// that it nowhere has, in parts of the size.
const PROSE_WORDS: usize = 4;
const PROSE_WIDTH: f64 = 0.6;
const PROSE_GAP: f64 = 1.5;
/// The part of a column's lines that are lines of running text, in percent.
const PROSE_LINES: usize = 60;
/// The most splits of a page, one within another.
const MOST_SPLITS: usize = 12;

/// The parts of a page in the order of reading: columns of running text one after the other, all else by rows.
pub(super) fn reading_order(words: Vec<PlacedWord>) -> Vec<Vec<PlacedWord>> {
    let mut parts = Vec::new();
    split(words, MOST_SPLITS, &mut parts);
    parts
}

fn split(words: Vec<PlacedWord>, splits_left: usize, parts: &mut Vec<Vec<PlacedWord>>) {
    let gutter = if splits_left == 0 { None } else { gutter(&words) };
    let Some(gutter) = gutter else {
        parts.extend((!words.is_empty()).then_some(words));
        return;
    };
    let (mut above, mut left, mut right, mut below) = (vec![], vec![], vec![], vec![]);
    for word in words {
        let center = word.bounds.center();
        if center.y < gutter.y0 {
            above.push(word);
        } else if center.y > gutter.y1 {
            below.push(word);
        } else if center.x < gutter.center().x {
            left.push(word);
        } else {
            right.push(word);
        }
    }
    for part in [above, left, right, below] {
        split(part, splits_left - 1, parts);
    }
}

/// The tallest strip without words that has running text on both sides.
fn gutter(words: &[PlacedWord]) -> Option<Rect> {
    let mut strips = strips(words)?;
    strips.sort_by(|a, b| b.height().total_cmp(&a.height()).then(b.width().total_cmp(&a.width())));
    strips.into_iter().take(MOST_STRIPS).find(|strip| {
        let (mut left, mut right) = (vec![], vec![]);
        for word in words {
            let center = word.bounds.center();
            if strip.y0 <= center.y && center.y <= strip.y1 {
                if center.x < strip.center().x { left.push(word.clone()) } else { right.push(word.clone()) }
            }
        }
        is_prose(left) && is_prose(right)
    })
}

/// The strips that no word crosses, tall and wide enough for a gutter. `None` without words.
fn strips(words: &[PlacedWord]) -> Option<Vec<Rect>> {
    let area = words.iter().map(|word| word.bounds).reduce(|a, b| a.union(b))?;
    let size = quantile(words.iter().map(|word| word.size), 0.5)?;
    let height = GUTTER_LINES * LEADING * size;
    let mut from_top: Vec<&PlacedWord> = words.iter().collect();
    from_top.sort_by(|a, b| a.bounds.y0.total_cmp(&b.bounds.y0));
    let step = (size / 4.0).max(area.width() / 1000.0);
    let (mut closed, mut open): (Vec<Rect>, Vec<Rect>) = (Vec::new(), Vec::new());
    let mut x = area.x0 + area.width() * MARGIN;
    while x < area.x1 - area.width() * MARGIN {
        let mut continued = Vec::new();
        for (y0, y1) in free(&from_top, x, area, height) {
            let is_same = |strip: &Rect| {
                strip.y1.min(y1) - strip.y0.max(y0) >= SAME_STRIP * strip.height().max(y1 - y0)
            };
            continued.push(match open.iter().position(is_same) {
                Some(at) => {
                    let strip = open.swap_remove(at);
                    Rect::new(strip.x0, strip.y0.max(y0), x, strip.y1.min(y1))
                }
                None => Rect::new(x, y0, x, y1),
            });
        }
        closed.append(&mut open);
        open = continued;
        x += step;
    }
    closed.append(&mut open);
    closed.retain(|strip| strip.width() >= GUTTER_WIDTH * size && strip.height() >= height);
    Some(closed)
}

/// The stretches of a vertical line, at least so high, that no word crosses.
fn free(from_top: &[&PlacedWord], x: f64, area: Rect, height: f64) -> Vec<(f64, f64)> {
    let mut free = Vec::new();
    let mut y = area.y0;
    for word in from_top.iter().filter(|word| word.bounds.x0 < x && x < word.bounds.x1) {
        if word.bounds.y0 - y >= height {
            free.push((y, word.bounds.y0));
        }
        y = y.max(word.bounds.y1);
    }
    if area.y1 - y >= height {
        free.push((y, area.y1));
    }
    free
}

/// Returns whether most lines of words are filled as a column of running text is.
fn is_prose(words: Vec<PlacedWord>) -> bool {
    let Some(area) = words.iter().map(|word| word.bounds).reduce(|a, b| a.union(b)) else { return false };
    let lines = lines(words);
    let filled = lines.iter().filter(|line| is_filled(line, area.width())).count();
    lines.len() >= FEWEST_LINES && filled * 100 >= lines.len() * PROSE_LINES
}

fn is_filled(line: &TextLine, width: f64) -> bool {
    let (Some(first), Some(last)) = (line.words.first(), line.words.last()) else { return false };
    line.words.len() >= PROSE_WORDS
        && last.bounds.x1 - first.bounds.x0 > PROSE_WIDTH * width
        && pairs(&line.words).all(|(left, right)| left.gap_to(right) <= PROSE_GAP * line.size)
}
