//! The names in a record, as its schema or a user knows them.

use std::collections::HashMap;

/// Other names of a record's fields, and the members that name the items of its lists.
#[derive(Debug, Clone, Default)]
pub struct FieldNames {
    others: HashMap<String, Vec<String>>,
    /// Lists, and their members.
    item_keys: Vec<(String, String)>,
}

impl FieldNames {
    /// Adds other names of a field, such as its title in a schema. The field is a JSON Pointer with `*` for each index.
    pub fn add(&mut self, field: String, names: impl IntoIterator<Item = String>) {
        self.others.entry(field).or_default().extend(names);
    }

    /// Says which member names each item of a list, a JSON Pointer with `*` for each index. The first call for a list
    /// holds.
    pub fn name_items(&mut self, list: String, member: String) {
        self.item_keys.push((list, member));
    }

    pub(crate) fn others(&self, field: &str) -> &[String] {
        self.others.get(field).map(Vec::as_slice).unwrap_or_default()
    }

    /// The member that names each item of a list, whose JSON Pointer has indices or `*`.
    #[must_use]
    pub fn item_key(&self, list: &str) -> Option<&str> {
        let is_of = |(known, step): (&str, &str)| known == step || known == "*" && is_index(step);
        let is_here = |known: &str| {
            let (known, steps) = (known.split('/'), list.split('/'));
            known.clone().count() == steps.clone().count() && known.zip(steps).all(is_of)
        };
        self.item_keys.iter().find(|(known, _)| is_here(known)).map(|(_, member)| &**member)
    }
}

/// Returns whether a step of a JSON Pointer is the index of an item.
fn is_index(step: &str) -> bool {
    !step.is_empty() && step.bytes().all(|byte| byte.is_ascii_digit())
}
