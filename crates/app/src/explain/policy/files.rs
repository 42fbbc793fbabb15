//! The files that a profile reaches by name.

use super::ProfileView;
use crate::diag::SourceFile;
use crate::facts::Facts;
use crate::profile::Files;
use serde_json::Value;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Every file that facts name, with what it holds. Files that those include are not followed.
pub(super) fn reached(subject: ProfileView<'_>, facts: &Facts) -> BTreeMap<String, Arc<SourceFile>> {
    let mut named = Vec::new();
    facts.list.iter().for_each(|fact| names(&fact.values, &mut named));
    let types: Vec<&str> = subject.plan.document_types().collect();
    let by_type = |path: &str| -> Vec<String> {
        let fill = |document_type: &&str| {
            path.replace("{{ document_type }}", document_type).replace("{{document_type}}", document_type)
        };
        if path.contains("{{") { types.iter().map(fill).collect() } else { vec![path.to_owned()] }
    };
    let library = &subject.loaded.library;
    let read = |name: String| Some((name.clone(), library.read(&name).ok().flatten()?));
    named.iter().flat_map(|path| by_type(path)).filter_map(read).collect()
}

/// The texts in a value that are names of files; a function is called by its file, as in `rules/stop.rhai#plateau`.
fn names(value: &Value, found: &mut Vec<String>) {
    match value {
        Value::String(text) => {
            let file = text.split('#').next().unwrap_or_default();
            let is_one = [".yaml", ".md", ".json", ".rhai"].iter().any(|ending| file.ends_with(ending));
            if is_one && file.contains('/') {
                found.push(file.to_owned());
            }
        }
        Value::Array(items) => items.iter().for_each(|item| names(item, found)),
        Value::Object(members) => members.values().for_each(|member| names(member, found)),
        _ => {}
    }
}
