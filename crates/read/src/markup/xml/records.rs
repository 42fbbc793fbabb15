//! Any XML as lines: a line for each value, with the names that lead to it, and a table for elements that repeat.

use super::super::flow::{FlowBlock, FlowCell, FlowRow, one_line};
use super::name_words::name_words;
use super::tree::XmlElement;
use std::collections::{HashMap, HashSet};

/// The number of names that lead to a value.
const NAMES: usize = 3;
/// The most columns of a table of records; longer ones are lines.
const MOST_COLUMNS: usize = 100;

/// The number of a path: a name below another path.
type PathId = usize;

/// Reads elements that hold data.
#[derive(Default)]
struct RecordReader<'x> {
    names: Vec<String>,
    known: HashMap<&'x str, usize>,
    /// Each path: the one above it, and the number of its last name.
    paths: Vec<(Option<PathId>, usize)>,
    known_paths: HashMap<(Option<PathId>, usize), PathId>,
    /// Paths whose last element has a sibling of its name somewhere.
    repeating: HashSet<PathId>,
    blocks: Vec<FlowBlock>,
}

/// The blocks of elements.
pub(super) fn read<'x>(elements: impl Iterator<Item = &'x XmlElement>) -> Vec<FlowBlock> {
    let mut reader = RecordReader::default();
    let elements: Vec<&XmlElement> = elements.collect();
    for element in &elements {
        reader.find_repeating(element, None);
    }
    for element in &elements {
        reader.element(element, None);
    }
    reader.blocks
}

impl<'x> RecordReader<'x> {
    /// The path of a name below another one.
    fn path(&mut self, above: Option<PathId>, name: &'x str) -> PathId {
        let names = &mut self.names;
        let name = *self.known.entry(name).or_insert_with(|| {
            names.push(name_words(name));
            names.len() - 1
        });
        let paths = &mut self.paths;
        *self.known_paths.entry((above, name)).or_insert_with(|| {
            paths.push((above, name));
            paths.len() - 1
        })
    }

    fn find_repeating(&mut self, element: &'x XmlElement, above: Option<PathId>) {
        let path = self.path(above, &element.name);
        if element.has_text() {
            return;
        }
        let mut seen = HashSet::new();
        for child in element.elements() {
            let own = self.path(Some(path), &child.name);
            if !seen.insert(own) {
                self.repeating.insert(own);
            }
            self.find_repeating(child, Some(path));
        }
    }

    /// Adds the values of an element outside of records, and its records as tables.
    fn element(&mut self, element: &'x XmlElement, above: Option<PathId>) {
        let path = self.path(above, &element.name);
        for (attribute, value) in &element.attributes {
            let own = self.path(Some(path), attribute);
            self.line(own, value);
        }
        if is_value(element) {
            self.line(path, &element.text());
            return;
        }
        let mut records: Vec<&XmlElement> = Vec::new();
        for child in element.elements() {
            let own = self.path(Some(path), &child.name);
            let repeats = self.repeating.contains(&own);
            if records.last().is_some_and(|last| !repeats || last.name != child.name) {
                self.table(&std::mem::take(&mut records));
            }
            if repeats {
                records.push(child);
                continue;
            }
            // The parts of a file begin with their names: those of their values are only the last ones.
            if above.is_none() && !is_value(child) {
                let text = name_words(&child.name);
                self.blocks.push(FlowBlock::Heading { level: 2, text });
            }
            self.element(child, Some(path));
        }
        self.table(&records);
    }

    fn line(&mut self, path: PathId, value: &str) {
        let value = one_line(value);
        if !value.is_empty() {
            let names = self.last_names(path, 0);
            self.blocks.push(FlowBlock::line(format!("{names}: {value}")));
        }
    }

    /// The last names of a path, those without the first ones.
    fn last_names(&self, path: PathId, without: usize) -> String {
        let above = |path: &PathId| self.paths.get(*path).and_then(|(above, _)| *above);
        let path: Vec<PathId> = std::iter::successors(Some(path), above).collect();
        let shown = path.len().saturating_sub(without).clamp(1, NAMES);
        let names = path.iter().take(shown).rev();
        let names: Vec<&str> =
            names.filter_map(|path| self.names.get(self.paths.get(*path)?.1)).map(String::as_str).collect();
        names.join(" ")
    }

    /// Adds records of one name, a row each, with a column for each path of their values.
    fn table(&mut self, records: &[&'x XmlElement]) {
        let mut rows: Vec<Vec<(PathId, String)>> = Vec::new();
        for record in records {
            let mut values = Vec::new();
            self.values(record, None, &mut values);
            if !values.is_empty() {
                rows.push(values);
            }
        }
        let Some(first) = records.first().filter(|_| !rows.is_empty()) else { return };
        let mut columns: Vec<PathId> = Vec::new();
        let mut column_of: HashMap<PathId, usize> = HashMap::new();
        for (path, _) in rows.iter().flatten() {
            column_of.entry(*path).or_insert_with(|| {
                columns.push(*path);
                columns.len() - 1
            });
        }
        let title = name_words(&first.name);
        if columns.len() > MOST_COLUMNS {
            for row in rows {
                self.blocks.push(FlowBlock::paragraph(title.clone()));
                row.iter().for_each(|(path, value)| self.line(*path, value));
            }
            return;
        }
        // The name of the record itself is that of the table.
        let mut table: Vec<FlowRow> =
            vec![columns.iter().map(|path| cell(self.last_names(*path, 1))).collect()];
        for values in rows {
            let mut row: Vec<String> = vec![String::new(); columns.len()];
            for (path, value) in values {
                let Some(own) = column_of.get(&path).and_then(|at| row.get_mut(*at)) else { continue };
                if !own.is_empty() {
                    own.push_str(", ");
                }
                own.push_str(&value);
            }
            table.push(row.into_iter().map(cell).collect());
        }
        self.blocks.push(FlowBlock::paragraph(title));
        self.blocks.push(FlowBlock::Table(table));
    }

    /// The values of a record, by their paths in it.
    fn values(&mut self, element: &'x XmlElement, above: Option<PathId>, into: &mut Vec<(PathId, String)>) {
        let path = self.path(above, &element.name);
        let mut add = |path: PathId, value: &str| {
            let value = one_line(value);
            if !value.is_empty() {
                into.push((path, value));
            }
        };
        for (attribute, value) in &element.attributes {
            let own = self.path(Some(path), attribute);
            add(own, value);
        }
        if is_value(element) {
            add(path, &element.text());
            return;
        }
        for child in element.elements() {
            self.values(child, Some(path), into);
        }
    }
}

fn cell(text: String) -> FlowCell {
    FlowCell::new(if text.is_empty() { Vec::new() } else { vec![FlowBlock::line(text)] })
}

/// Returns whether an element is one value: text, or running text with elements that mark words of it.
fn is_value(element: &XmlElement) -> bool {
    element.has_text() || element.elements().next().is_none()
}
