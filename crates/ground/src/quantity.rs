//! Quantities: numbers with a unit, as fields ask for them by a unit in their names.

use crate::document::Document;
use crate::number::{Number, value_key};
use crate::steps::step;
use std::ops::Range;
use std::sync::LazyLock;

const UNITS: &str = include_str!("../words/units.txt");

/// A unit: its dimension, and its size in the smallest unit of it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Unit {
    dimension: &'static str,
    size: f64,
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

/// The places where a document prints a quantity, in whatever unit; of several numbers by one another, the greatest.
pub(crate) fn places(document: &Document, value: f64, of: Unit) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    for (other, _) in units().iter().filter(|(other, _)| other.dimension == of.dimension) {
        let printed = value * of.size / other.size;
        let slack = printed.abs().max(1.0) * 1e-9;
        let near = document.by_value.get(&value_key(printed)).into_iter().flatten();
        let numbers = near.filter_map(|at| document.numbers.get(*at as usize));
        let same = numbers.filter(|number| !number.is_part && (number.value - printed).abs() <= slack);
        for number in same.filter(|number| unit_behind(document, number) == Some(*other)) {
            found.push(number.start..number.end);
        }
    }
    found.sort_by_key(|range| (range.start, range.end));
    found.dedup();
    found
}

/// All quantities of a unit's dimension that a document prints, with their numbers; of several by one another, the greatest.
pub(crate) fn all(document: &Document, of: Unit) -> impl Iterator<Item = (Range<usize>, f64)> + '_ {
    let numbers = document.numbers.iter().filter(|number| !number.is_part);
    let is_of = move |number: &&Number| {
        unit_behind(document, number).is_some_and(|unit| unit.dimension == of.dimension)
    };
    numbers.filter(is_of).map(|number| (number.start..number.end, number.value))
}

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
