//! Lints that single files get, too: rubrics, extraction patterns, the classification, and the profile's own name.

use super::super::{classification, names, rubric};
use super::project::Project;
use crate::diag::{Code, Level, Problem, Problems};
use crate::rules::Inheritance;
use std::path::Path;

pub(super) fn check(project: &Project<'_>, problems: &mut Problems) {
    for written in &project.rubrics {
        rubric::check(&written.root, problems);
        names::check(&written.root, "rubric", problems);
    }
    for extraction in &project.extractions {
        names::check(&extraction.file.root, "extract", problems);
    }
    let library = &project.subject.loaded.library;
    if let Some(named) = &project.subject.loaded.profile.classify
        && let Some(file) = project.file(&format!("rules/{}.yaml", named.value))
        && let Some(root) = Inheritance::CLASSIFICATIONS.read(&file, library, &mut Problems::new())
    {
        classification::check(&root, problems);
    }
    of_profile(project, problems);
}

/// A profile's own name is shown; it is run by the name of its file.
fn of_profile(project: &Project<'_>, problems: &mut Problems) {
    let root = &project.subject.loaded.merged;
    let Some(node) = root.get("name") else { return };
    let Some(name) = node.as_text() else { return };
    if node.span.file().name() != root.span.file().name() {
        return;
    }
    let file = Path::new(root.span.file().name());
    let Some(stem) = file.file_stem().map(|stem| stem.to_string_lossy()).filter(|stem| stem != name) else {
        return;
    };
    let message = format!("this profile is run by the name of its file: `{stem}`, not `{name}`");
    let problem = Problem { level: Level::Note, ..Problem::warning(Code::OtherName, &node.span, message) };
    problems.push(problem.help(format!("write `name: {stem}`, or leave the line out")));
}
