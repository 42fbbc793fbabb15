//! The order in which lines are read: columns of running text one after the other, rows of cells from cell to cell.

use std::f64::consts::PI;

use crate::geometry::{PlanePoint, TextRegion};
use crate::recognition::RecognizedLine;
use crate::rounding::measure;

/// Lines that are read one below the other.
#[derive(Debug, Clone, PartialEq)]
pub struct PageBlock {
    /// The rows: parts of lines beside each other.
    pub rows: Vec<Vec<RecognizedLine>>,
}

/// The rows that a column has at least.
const ROWS_OF_A_COLUMN: usize = 5;
/// The width of a column that its lines fill, half of them at least.
const FILLED: f64 = 0.5;
/// The most ways to split that are tried.
const MOST_GUTTERS: usize = 200;
/// The depth to which columns are split further.
const DEEPEST: usize = 8;

/// A line, as it is when the text of the page is level.
struct Laid {
    line: RecognizedLine,
    left: f64,
    right: f64,
    top: f64,
    bottom: f64,
}

impl Laid {
    fn middle(&self) -> f64 {
        f64::midpoint(self.top, self.bottom)
    }

    fn height(&self) -> f64 {
        self.bottom - self.top
    }
}

/// Lines in the order of reading. Those in the direction of most of the text come first, then those in others.
#[must_use]
pub fn in_reading_order(lines: Vec<RecognizedLine>) -> Vec<PageBlock> {
    let mut blocks = Vec::new();
    let mut left = lines;
    while let Some(direction) = main_direction(&left) {
        let (same, others): (Vec<_>, Vec<_>) =
            left.into_iter().partition(|line| quarter(line.region.direction()) == quarter(direction));
        let laid = same.into_iter().map(|line| laid(line, direction)).collect();
        ordered(laid, DEEPEST, &mut blocks);
        left = others;
    }
    blocks
}

/// The quarter of the circle, from 0 to 3, in whose middle the right, the bottom, the left or the top is.
fn quarter(direction: PlanePoint) -> usize {
    match (direction.x.abs() >= direction.y.abs(), direction.x >= 0.0, direction.y >= 0.0) {
        (true, true, _) => 0,
        (false, _, true) => 1,
        (true, false, _) => 2,
        (false, _, false) => 3,
    }
}

/// The mean direction of the lines in the quarter with the most text; `None` without lines.
fn main_direction(lines: &[RecognizedLine]) -> Option<PlanePoint> {
    let sum = |wanted: usize| {
        let of_quarter =
            lines.iter().map(|line| &line.region).filter(|region| quarter(region.direction()) == wanted);
        of_quarter.fold((0.0, 0.0, 0.0), |(x, y, length), region: &TextRegion| {
            // The angle of a short line says little.
            let weight = region.length() * region.length();
            (x + region.direction().x * weight, y + region.direction().y * weight, length + region.length())
        })
    };
    let (x, y, length) = (0..4).map(sum).max_by(|one, other| one.2.total_cmp(&other.2))?;
    let angle = y.atan2(x);
    (length > 0.0 && angle.abs() <= PI).then(|| PlanePoint::new(angle.cos(), angle.sin()))
}

fn laid(line: RecognizedLine, direction: PlanePoint) -> Laid {
    let level = |point: PlanePoint| {
        (point.x * direction.x + point.y * direction.y, point.y * direction.x - point.x * direction.y)
    };
    let (x, y) = level(line.region.center());
    let (length, thickness) = (line.region.length() / 2.0, line.region.thickness() / 2.0);
    Laid { left: x - length, right: x + length, top: y - thickness, bottom: y + thickness, line }
}

/// Puts lines in order: the parts between lines that span their columns one after the other, in each column by column.
fn ordered(lines: Vec<Laid>, depth: usize, blocks: &mut Vec<PageBlock>) {
    if lines.is_empty() {
        return;
    }
    let Some(gutter) = best_gutter(&lines).filter(|_| depth > 0) else {
        blocks.push(block(lines));
        return;
    };
    for band in bands(lines, gutter) {
        if band.is_split {
            let (left, right) = band.lines.into_iter().partition(|line: &Laid| line.right <= gutter);
            ordered(left, depth - 1, blocks);
            ordered(right, depth - 1, blocks);
        } else {
            ordered(band.lines, depth - 1, blocks);
        }
    }
}

/// Lines between two heights.
struct Band {
    lines: Vec<Laid>,
    /// `true` for columns at both sides of the gutter.
    is_split: bool,
}

/// The bands at a gutter: those with columns at both sides, and what is between these.
fn bands(mut lines: Vec<Laid>, gutter: f64) -> Vec<Band> {
    lines.sort_by(|one, other| one.middle().total_cmp(&other.middle()));
    let mut bands: Vec<Band> = Vec::new();
    let mut run: Vec<Laid> = Vec::new();
    let close = |run: &mut Vec<Laid>, bands: &mut Vec<Band>| {
        let lines = std::mem::take(run);
        let is_split = columns_at(&lines, gutter).is_some();
        match bands.last_mut() {
            Some(last) if !is_split && !last.is_split => last.lines.extend(lines),
            _ => bands.push(Band { lines, is_split }),
        }
    };
    for line in lines {
        if line.left < gutter && line.right > gutter {
            close(&mut run, &mut bands);
            match bands.last_mut() {
                Some(last) if !last.is_split => last.lines.push(line),
                _ => bands.push(Band { lines: vec![line], is_split: false }),
            }
        } else {
            run.push(line);
        }
    }
    close(&mut run, &mut bands);
    bands.retain(|band| !band.lines.is_empty());
    bands
}

/// The place that splits the most text into columns; `None` if there are no columns.
fn best_gutter(lines: &[Laid]) -> Option<f64> {
    let mut edges: Vec<f64> = lines.iter().map(|line| line.right + line.height() / 4.0).collect();
    edges.sort_by(f64::total_cmp);
    edges.dedup_by(|one, other| (*one - *other).abs() < 2.0);
    let every = edges.len().div_ceil(MOST_GUTTERS).max(1);
    let mut sorted: Vec<&Laid> = lines.iter().collect();
    sorted.sort_by(|one, other| one.middle().total_cmp(&other.middle()));
    let mut best: Option<(f64, f64)> = None;
    for gutter in edges.into_iter().step_by(every) {
        let runs = sorted.split(|line| line.left < gutter && line.right > gutter);
        let height: f64 = runs.filter_map(|run| columns_at(run, gutter)).sum();
        if height > 0.0 && best.is_none_or(|(most, _)| height > most) {
            best = Some((height, gutter));
        }
    }
    best.map(|(_, gutter)| gutter)
}

/// The number of rows that columns at both sides of a gutter share; `None` if there are not two columns of running text.
fn columns_at<L: std::borrow::Borrow<Laid>>(lines: &[L], gutter: f64) -> Option<f64> {
    let (left, right): (Vec<&Laid>, Vec<&Laid>) =
        lines.iter().map(std::borrow::Borrow::borrow).partition(|line| line.right <= gutter);
    let is_column = |side: &[&Laid]| {
        let from = side.iter().map(|line| line.left).fold(f64::INFINITY, f64::min);
        let to = side.iter().map(|line| line.right).fold(f64::NEG_INFINITY, f64::max);
        let full = side.iter().filter(|line| line.right - line.left >= FILLED * (to - from)).count();
        side.len() >= ROWS_OF_A_COLUMN && 2 * full >= side.len()
    };
    let overlap = |side: &[&Laid]| {
        let top = side.iter().map(|line| line.top).fold(f64::INFINITY, f64::min);
        let bottom = side.iter().map(|line| line.bottom).fold(f64::NEG_INFINITY, f64::max);
        (top, bottom)
    };
    let ((left_top, left_bottom), (right_top, right_bottom)) = (overlap(&left), overlap(&right));
    let shared = left_bottom.min(right_bottom) - left_top.max(right_top);
    (is_column(&left) && is_column(&right) && shared > 0.0).then(|| measure(left.len().min(right.len())))
}

/// The rows of lines that belong together, each from its left.
fn block(mut lines: Vec<Laid>) -> PageBlock {
    lines.sort_by(|one, other| one.middle().total_cmp(&other.middle()));
    let mut rows: Vec<Vec<Laid>> = Vec::new();
    for line in lines {
        let is_beside = |row: &Vec<Laid>| {
            row.iter().all(|other| {
                let shared = line.bottom.min(other.bottom) - line.top.max(other.top);
                let apart =
                    line.left >= other.right - other.height() || other.left >= line.right - line.height();
                shared > 0.5 * line.height().min(other.height()) && apart
            })
        };
        match rows.last_mut().filter(|row| is_beside(row)) {
            Some(row) => row.push(line),
            None => rows.push(vec![line]),
        }
    }
    let rows = rows.into_iter().map(|mut row| {
        row.sort_by(|one, other| one.left.total_cmp(&other.left));
        row.into_iter().map(|laid| laid.line).collect()
    });
    PageBlock { rows: rows.collect() }
}
