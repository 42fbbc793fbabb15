//! The files that judges hold candidates against, and that no stage ever sees.

use super::{Document, Input};
use crate::diag::SourceFile;
use crate::plan::{Plan, reference_path};
use crate::profile::read_text_below;
use crate::value::{DocumentId, ShownPath};
use std::collections::{BTreeMap, HashSet};
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

/// Reads the reference of each judge that has one, by judge. One that can't be read is left out, with a warning, and
/// its judge then fails.
pub fn references_of(
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
        let read = reference_path(&named.value, stem(document.path.as_deref(), &document.id), document_type)
            .and_then(|path| read(folder, &path));
        match read {
            Ok(file) => {
                references.insert(id.clone(), file.text().to_owned());
            }
            Err(why) => warnings.push(format!("the reference of judge `{id}` can't be used: {why}")),
        }
    }
    references
}

fn read(folder: &Path, path: &str) -> Result<Arc<SourceFile>, String> {
    let joined = within(folder, path)?;
    let file = read_text_below(folder, path).map_err(|problem| problem.message)?;
    file.ok_or_else(|| format!("can't read `{}`: there is no such file", joined.shown()))
}

/// The file's name without its extension; the id of a document without a file.
fn stem<'a>(path: Option<&'a Path>, id: &'a DocumentId) -> &'a str {
    path.and_then(Path::file_stem).and_then(|stem| stem.to_str()).unwrap_or(id.as_str())
}

/// A path in the document's folder. A profile may come from a third party, and a judge gets to see the files that it
/// names.
fn within(folder: &Path, path: &str) -> Result<PathBuf, String> {
    let outside = || format!("`{path}` is not in the folder of the document");
    if !Path::new(path).components().all(|part| matches!(part, Component::Normal(_) | Component::CurDir)) {
        return Err(outside());
    }
    let (joined, home) =
        (folder.join(path), if folder.as_os_str().is_empty() { Path::new(".") } else { folder });
    // A link may lead elsewhere. A missing file is reported by whoever reads it.
    match (joined.canonicalize(), home.canonicalize()) {
        (Ok(real), Ok(home)) if !real.starts_with(&home) => Err(outside()),
        _ => Ok(joined),
    }
}

/// The inputs that are not references: a file that a judge holds one document against is not another document, and no
/// stage is to see it.
#[must_use]
pub fn without_references(plan: &Plan, inputs: Vec<Input>) -> Vec<Input> {
    let mut references = HashSet::new();
    for named in plan.judges.iter().filter_map(|judge| judge.judge.reference.as_ref()) {
        for path in inputs.iter().filter_map(|input| input.origin().path()) {
            let folder = path.parent().unwrap_or(Path::new(""));
            let Some(stem) = path.file_stem().and_then(|stem| stem.to_str()) else { continue };
            let paths =
                plan.document_types().filter_map(|kind| reference_path(&named.value, stem, kind).ok());
            references.extend(paths.filter_map(|path| within(folder, &path).ok()?.canonicalize().ok()));
        }
    }
    let is_reference = |input: &Input| {
        input
            .origin()
            .path()
            .and_then(|path| path.canonicalize().ok())
            .is_some_and(|path| references.contains(&path))
    };
    inputs.into_iter().filter(|input| !is_reference(input)).collect()
}
