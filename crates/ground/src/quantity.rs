//! Quantities: numbers with a unit, as fields ask for them by a unit in their names.

use crate::document::Document;
use crate::number::{Number, value_key};
use crate::steps::step;
use std::collections::HashMap;
use std::ops::Range;
use std::sync::LazyLock;

/// The factors by which a number in another unit differs.
pub(crate) const SIZES: [f64; 7] = [1.0, 10.0, 100.0, 1000.0, 0.1, 0.01, 0.001];

const UNITS: &str = include_str!("../words/units.txt");

/// A unit: its dimension, and its size in the smallest unit of it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Unit {
    dimension: &'static str,
    size: f64,
}

impl Unit {
    /// An amount of this unit in another one of its dimension.
    pub(crate) fn of(self, amount: f64, other: Unit) -> f64 {
        amount * self.size / other.size
    }

    /// Returns whether both are of one dimension.
    pub(crate) fn is_like(self, other: Unit) -> bool {
        self.dimension == other.dimension
    }
}

/// The units with their names.
fn units() -> &'static [(Unit, Vec<&'static str>)] {
    static ALL: LazyLock<Vec<(Unit, Vec<&str>)>> = LazyLock::new(|| {
        let lines = UNITS.lines().filter(|line| !line.starts_with('#'));
        let read = |line: &'static str| {
            let mut words = line.split(' ');
            let (dimension, size) = (words.next()?, words.next()?.parse().ok()?);
            Some((Unit { dimension, size }, words.collect()))
        };
        lines.filter_map(read).collect()
    });
    &ALL
}

/// The unit that a folded word names.
pub(crate) fn unit(word: &str) -> Option<Unit> {
    units().iter().find(|(_, names)| names.contains(&word)).map(|(unit, _)| *unit)
}

/// A number with a unit where a document prints it; of several by one another, the greatest.
#[derive(Debug)]
pub(crate) struct Quantity {
    pub(crate) value: f64,
    pub(crate) unit: Unit,
    pub(crate) place: Range<usize>,
}

/// The quantities of a document, and which of them are of a size.
#[derive(Debug)]
pub(crate) struct Quantities {
    all: Vec<Quantity>,
    by_size: HashMap<u64, Vec<u32>>,
    by_start: HashMap<usize, u32>,
}

impl Quantities {
    /// Reads those of a document.
    pub(crate) fn read(document: &Document) -> Self {
        let numbers = document.numbers.iter().filter(|number| !number.is_part);
        let read = |number: &Number| {
            let unit = unit_behind(document, number)?;
            Some(Quantity { value: number.value, unit, place: number.start..number.end })
        };
        let all: Vec<Quantity> = numbers.filter_map(read).collect();
        let mut by_size: HashMap<u64, Vec<u32>> = HashMap::new();
        for (at, quantity) in (0u32..).zip(&all) {
            by_size.entry(value_key(quantity.value * quantity.unit.size)).or_default().push(at);
        }
        let by_start = (0u32..).zip(&all).map(|(at, quantity)| (quantity.place.start, at)).collect();
        Quantities { all, by_size, by_start }
    }

    /// The quantity whose number begins at a byte.
    pub(crate) fn at(&self, start: usize) -> Option<&Quantity> {
        self.by_start.get(&start).and_then(|at| self.all.get(*at as usize))
    }

    /// The places of those that are so much of a unit, in any unit that they are printed in.
    pub(crate) fn places(&self, value: f64, of: Unit) -> Vec<Range<usize>> {
        let same = self.by_size.get(&value_key(value * of.size)).into_iter().flatten();
        let quantities = same.filter_map(|at| self.all.get(*at as usize));
        let like = quantities.filter(|quantity| {
            quantity.unit.dimension == of.dimension && quantity.value.signum() == value.signum()
        });
        let mut found: Vec<Range<usize>> = like.map(|quantity| quantity.place.clone()).take(MOST).collect();
        found.dedup();
        found
    }
}

/// Most places of one quantity.
const MOST: usize = 400;

/// The longest row of numbers by one another, in bytes.
const LONGEST: usize = 60;

/// The unit behind a number, or behind the smaller ones that it is given by.
fn unit_behind(document: &Document, number: &Number) -> Option<Unit> {
    let end = number.end.saturating_add(LONGEST).min(document.text.len());
    let end = (number.end..=end).rev().find(|at| document.text.is_char_boundary(*at))?;
    let rest = document.slice(number.end, end).to_lowercase();
    let is_by = |c: char| matches!(c, 'x' | '×' | '*');
    let pieces = rest.split(|c: char| c.is_whitespace() || is_by(c) || c == '-');
    for piece in pieces.filter(|piece| !piece.is_empty()) {
        step(1);
        let figure: String =
            piece.chars().take_while(|c| c.is_ascii_digit() || matches!(c, '.' | ',')).collect();
        if let Ok(other) = figure.trim_end_matches(['.', ',']).replace(',', ".").parse::<f64>() {
            if other > number.value {
                return None;
            }
            let unit_in_piece = piece.get(figure.len()..).filter(|unit| !unit.is_empty());
            match unit_in_piece {
                Some(named) => return unit(named.trim_end_matches(|c: char| !c.is_alphabetic())),
                None => continue,
            }
        }
        return unit(piece.trim_end_matches(|c: char| !c.is_alphabetic()));
    }
    None
}
