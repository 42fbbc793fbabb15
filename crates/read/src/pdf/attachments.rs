//! Files that a PDF file holds besides its pages: they are named, and not read.

use super::text_string::text_of_object;
use hayro_interpret::hayro_syntax::object::{Array, Dict, Object};

/// The most names, and the most nodes of the tree of names.
const MOST_NAMES: usize = 100;
const MOST_NODES: usize = 1_000;
/// The longest name, in characters.
const LONGEST_NAME: usize = 100;

/// The names of files within a file.
#[derive(Debug, Default)]
pub(super) struct Attachments(Vec<String>);

impl Attachments {
    /// The files that the catalog names.
    pub(super) fn of(catalog: &Dict<'_>) -> Self {
        let mut found = Attachments::default();
        let tree =
            catalog.get::<Dict<'_>>(b"Names").and_then(|names| names.get::<Dict<'_>>(b"EmbeddedFiles"));
        let mut nodes: Vec<Dict<'_>> = tree.into_iter().collect();
        // A tree may have itself as a branch.
        let mut seen = 0;
        while let Some(node) = nodes.pop().filter(|_| seen < MOST_NODES) {
            seen += 1;
            let files = node.get::<Array<'_>>(b"Names");
            for file in files.iter().flat_map(|files| files.iter::<Object<'_>>()).take(2 * MOST_NAMES) {
                if let Some(file) = file.into_dict() {
                    found.note(&file);
                }
            }
            let branches = node.get::<Array<'_>>(b"Kids");
            nodes.extend(branches.iter().flat_map(|kids| kids.iter::<Dict<'_>>()).take(MOST_NODES));
        }
        found
    }

    /// Notes the file of a file specification.
    pub(super) fn note(&mut self, file: &Dict<'_>) {
        let name = file.get::<Object<'_>>(b"UF").or_else(|| file.get::<Object<'_>>(b"F"));
        let name = name.and_then(text_of_object).unwrap_or_default();
        let name: String = name.chars().filter(|c| !c.is_control()).take(LONGEST_NAME).collect();
        let name = if name.trim().is_empty() { "a file without a name".to_owned() } else { name };
        if file.contains_key(b"EF") && self.0.len() < MOST_NAMES && !self.0.contains(&name) {
            self.0.push(name);
        }
    }

    /// The names, in the order in which they were found.
    pub(super) fn into_names(self) -> Vec<String> {
        self.0
    }
}
