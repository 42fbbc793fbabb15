//! Files that give themselves a name other than their own.

use crate::diag::{Code, Problem, Problems};
use crate::value::yaml::Node;
use std::path::Path;

/// Checks the name under `key`, in a file of its own.
pub(super) fn check(root: &Node, key: &str, problems: &mut Problems) {
    let Some(node) = root.get(key) else { return };
    let Some(name) = node.as_text() else { return };
    let file = Path::new(node.span.file().name());
    let Some(stem) = file.file_stem().map(|stem| stem.to_string_lossy()).filter(|stem| stem != name) else {
        return;
    };
    // Files in folders of a profile's own are named for stages.
    let is_plain = file
        .parent()
        .and_then(Path::file_name)
        .is_some_and(|f| f == "extract" || f == "rubrics" || f == "vocabularies");
    if !is_plain || file.starts_with("<embedded>") {
        return;
    }
    // An inherited name is that of the parent.
    if node.span.file().name() != root.span.file().name() {
        return;
    }
    let message = format!("this calls itself `{name}`, but it is found by the name of its file: `{stem}`");
    problems.push(
        Problem::warning(Code::OtherName, &node.span, message)
            .help(format!("write `{key}: {stem}`, or give the file another name")),
    );
}
