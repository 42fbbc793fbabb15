//! Lines about watched files.

use crate::plan::Plan;
use crate::rescore::RescoreBuffer;
use crate::value::ShownPath;
use crate::value::prose::count;
use crate::value::sanitize_line;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// The line at the beginning: the profile, the number of its files here, and the documents that are scored again.
pub(super) fn opening(profile: &str, files: usize, documents: usize) -> String {
    let files = match files {
        0 => "; all it reaches is built in, and a file of yours in its place counts".to_owned(),
        files => format!(" ({} here)", count(files as u64, "file")),
    };
    let are = if documents == 1 { "is" } else { "are" };
    let (profile, documents) = (sanitize_line(profile), count(documents as u64, "document"));
    format!("watching `{profile}`{files}: save one, and {documents} {are} scored again; Ctrl-C ends")
}

/// The documents that are not scored again.
pub(super) fn left_out(kept: &RescoreBuffer) -> Vec<String> {
    let documents = |number: usize| count(number as u64, "document");
    let mut lines = Vec::new();
    if kept.dropped() > 0 {
        let (latest, dropped) = (documents(kept.documents()), kept.dropped());
        lines.push(format!(
            "only the latest {latest} are kept; the {dropped} before them are not scored again"
        ));
    }
    if kept.without_candidate() > 0 {
        let without = documents(kept.without_candidate());
        lines.push(format!("{without} without a candidate can't be scored again"));
    }
    lines
}

/// Names the saved files whose changes scoring again does not show.
pub(super) fn used_for_asking(saved: &BTreeSet<PathBuf>, plan: &Plan) -> Option<String> {
    let names: Vec<String> =
        saved.iter().filter(|path| is_for_asking(path, plan)).map(|path| shown(path)).collect();
    let is = match names.as_slice() {
        [] => return None,
        [_] => "is",
        _ => "are",
    };
    let names = names.join(", ");
    Some(format!("{names} {is} used only when a provider is asked: run again to see the effect"))
}

/// Names the files that were saved, and those that no longer exist.
pub(super) fn happened(changed: &BTreeSet<PathBuf>) -> String {
    let (there, gone): (Vec<&PathBuf>, Vec<&PathBuf>) = changed.iter().partition(|path| path.exists());
    let named = |word: &str, paths: &[&PathBuf]| {
        let names: Vec<String> = paths.iter().map(|path| shown(path)).collect();
        (!names.is_empty()).then(|| format!("{word} {}", names.join(", ")))
    };
    let parts: Vec<String> =
        [named("saved", &there), named("deleted", &gone)].into_iter().flatten().collect();
    parts.join("; ")
}

/// Returns whether a file is only read to ask for candidates: instructions and patterns.
fn is_for_asking(path: &Path, plan: &Plan) -> bool {
    let instructions = path.parent().is_some_and(|folder| folder.iter().any(|part| part == "prompts"));
    let types: Vec<&str> = plan.scoring.rules().document_types().collect();
    let patterns = |template: &str| {
        types.iter().any(|document_type| {
            let name = template
                .replace("{{ document_type }}", document_type)
                .replace("{{document_type}}", document_type);
            path.ends_with(Path::new("rules").join(name))
        })
    };
    let of_stages = plan.stages.iter().filter_map(|stage| stage.stage.patterns.as_ref());
    instructions || of_stages.into_iter().any(|template| patterns(&template.value))
}

/// A path as people wrote it.
fn shown(path: &Path) -> String {
    sanitize_line(&path.strip_prefix(".").unwrap_or(path).shown())
}
