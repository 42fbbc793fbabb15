//! The head of a part of a file: what tells its document from others.

use super::signs::SectionSigns;
use std::collections::BTreeMap;

/// The number of lines at the top of a part in which its head is looked for.
const HEAD_LINES: usize = 16;
/// The number of lines at the top and at the end of a part in which the number of its page is looked for.
const EDGE_LINES: usize = 4;

/// The head of a part of a file.
#[derive(Debug, Default, Clone)]
pub(super) struct PartHead {
    /// The value of each kind of line, in small letters.
    values: BTreeMap<usize, String>,
    /// The number of its page.
    pub(super) page: Option<u32>,
}

impl PartHead {
    pub(super) fn of(text: &str, signs: &SectionSigns) -> Self {
        let lines: Vec<&str> = lines(text).collect();
        let mut values = BTreeMap::new();
        for (kind, value) in lines.iter().take(HEAD_LINES).filter_map(|line| signs.head(line)) {
            values.entry(kind).or_insert_with(|| value.to_lowercase());
        }
        let edges = lines.iter().take(EDGE_LINES).chain(lines.iter().rev().take(EDGE_LINES));
        let page = edges.filter_map(|line| signs.page_number(line)).next();
        PartHead { values, page }
    }

    /// Returns whether it names something else than another head does.
    pub(super) fn contradicts(&self, other: &Self) -> bool {
        self.values.iter().any(|(kind, value)| other.values.get(kind).is_some_and(|known| known != value))
    }

    /// Returns whether it is the head that each page of a document has.
    pub(super) fn repeats(&self, other: &Self) -> bool {
        !self.values.is_empty()
            && self.values.iter().all(|(kind, value)| other.values.get(kind) == Some(value))
    }

    /// Takes in the head of a part that continues this one.
    pub(super) fn continue_with(&mut self, other: Self) {
        for (kind, value) in other.values {
            self.values.entry(kind).or_insert(value);
        }
        self.page = other.page.or(self.page);
    }
}

/// The lines of a text that say something.
pub(super) fn lines(text: &str) -> impl Iterator<Item = &str> {
    text.split(['\n', '\r', '\x0c']).map(str::trim).filter(|line| line.contains(char::is_alphanumeric))
}
