//! The parts of pages: facts below the title, tiles, and lengths.

use crate::experiment::statistics::share;
use crate::report::model::Tone;

/// A fact below the title.
#[derive(Debug)]
pub struct Fact {
    /// Its name.
    pub name: &'static str,
    /// Its value.
    pub value: String,
}

/// The facts that there are: those without a value are left out.
pub fn facts<const N: usize>(all: [(&'static str, String); N]) -> Vec<Fact> {
    let known = all.into_iter().filter(|(_, value)| !value.is_empty());
    known.map(|(name, value)| Fact { name, value }).collect()
}

/// A number that is seen first.
#[derive(Debug)]
pub struct Tile {
    /// The meaning of the number.
    pub name: &'static str,
    /// The number, with its unit.
    pub value: String,
    /// A note about it; may be empty.
    pub note: String,
    /// The tone of the number.
    pub tone: Tone,
}

/// A tile.
#[must_use]
pub fn tile(name: &'static str, value: impl Into<String>, note: impl Into<String>, tone: Tone) -> Tile {
    Tile { name, value: value.into(), note: note.into(), tone }
}

/// The length of a bar, of 100.
pub(in crate::report) fn of_100(count: u64, most: u64) -> f64 {
    share(count, most).map_or(0.0, |share| tenths(share * 100.0))
}

/// A length with one decimal: pages stay short, and the same on every machine.
pub(in crate::report) fn tenths(length: f64) -> f64 {
    (length * 10.0).round() / 10.0
}
