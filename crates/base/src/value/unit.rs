//! Units of measure whose ratios are powers of ten, and the words for them, read from `words/units.yaml`.

use super::yaml::{self, Data, Entry, Node};
use crate::diag::{Problems, SourceFile};
use std::collections::HashMap;
use std::sync::LazyLock;

/// The quantity that a unit measures.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Dimension {
    /// Metres.
    Length,
    /// Grams.
    Mass,
    /// Litres.
    Volume,
    /// Square metres.
    Area,
    /// Radiation absorbed, in grays.
    Dose,
    /// Parts of a hundred.
    Percent,
}

impl Dimension {
    /// The dimension with this name in the file.
    fn named(name: &str) -> Option<Self> {
        Some(match name {
            "length" => Dimension::Length,
            "mass" => Dimension::Mass,
            "volume" => Dimension::Volume,
            "area" => Dimension::Area,
            "dose" => Dimension::Dose,
            "percent" => Dimension::Percent,
            _ => return None,
        })
    }
}

/// A unit: `10^power` of the dimension's base.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Unit {
    /// The quantity that it measures.
    pub dimension: Dimension,
    /// Its power of ten.
    pub power: i32,
}

/// Per cent.
pub const PERCENT: Unit = Unit { dimension: Dimension::Percent, power: 0 };

/// The unit that a word names, which is in small letters without accents.
#[must_use]
pub fn unit_named(word: &str) -> Option<Unit> {
    UNITS.get(word).copied()
}

static UNITS: LazyLock<HashMap<String, Unit>> = LazyLock::new(|| read().0);

/// The words, and the entries that are not units.
fn read() -> (HashMap<String, Unit>, Vec<String>) {
    let (mut units, mut strange) = (HashMap::new(), Vec::new());
    let file = SourceFile::shipped("words/units.yaml", include_str!("../../../../words/units.yaml"));
    let root = yaml::parse(&file, &mut Problems::new());
    for kind in root.as_ref().map_or(&[][..], entries) {
        for entry in entries(&kind.value) {
            match (Dimension::named(&kind.key), entry.key.parse()) {
                (Some(dimension), Ok(power)) => {
                    let words = match &entry.value.data {
                        Data::List(words) => words.as_slice(),
                        _ => &[],
                    };
                    let words = words.iter().filter_map(Node::as_text);
                    units.extend(words.map(|word| (word.to_owned(), Unit { dimension, power })));
                }
                _ => strange.push(format!("{}.{}", kind.key, entry.key)),
            }
        }
    }
    (units, strange)
}

fn entries(node: &Node) -> &[Entry] {
    match &node.data {
        Data::Map(entries) => entries,
        _ => &[],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_shipped_entry_is_read() {
        assert_eq!(read().1, Vec::<String>::new());
        assert_eq!(unit_named("cm"), Some(Unit { dimension: Dimension::Length, power: -2 }));
        assert_eq!((unit_named("percent"), unit_named("inch")), (Some(PERCENT), None));
    }
}
