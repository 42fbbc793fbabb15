//! The files that judges hold candidates against, and that no stage ever sees.

use super::Plan;
use crate::ingest::Document;
use crate::profile::read_text_file;
use std::collections::BTreeMap;
use std::path::Path;

/// Reads the reference of each judge that has one, by judge. What can't be read is left out, with a warning: the judge
/// then has failed.
pub(super) fn references_of(
    plan: &Plan,
    document: &Document,
    document_type: &str,
    warnings: &mut Vec<String>,
) -> BTreeMap<String, String> {
    let folder = document.path.as_deref().and_then(Path::parent).unwrap_or(Path::new(""));
    let mut references = BTreeMap::new();
    for judge in &plan.judges {
        let Some(named) = &judge.judge.reference else { continue };
        let id = &judge.judge.id.value;
        let read = path_of(&named.value, document.id.as_str(), document_type)
            .and_then(|path| read_text_file(&folder.join(path)).map_err(|problem| problem.message));
        match read {
            Ok(file) => {
                references.insert(id.clone(), file.text().to_owned());
            }
            Err(why) => warnings.push(format!("the reference of judge `{id}` can't be used: {why}")),
        }
    }
    references
}

/// The path that a template such as `{{ document_id }}.gold.json` stands for.
///
/// # Errors
/// What is wrong with it.
pub(super) fn path_of(template: &str, document_id: &str, document_type: &str) -> Result<String, String> {
    let mut environment = minijinja::Environment::new();
    environment.set_undefined_behavior(minijinja::UndefinedBehavior::Strict);
    environment
        .render_str(template, minijinja::context! { document_id, document_type })
        .map_err(|error| error.detail().map_or_else(|| error.to_string(), str::to_owned))
}
