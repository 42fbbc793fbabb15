//! Files whose names keep them from being found.

use crate::diag::{Code, Level, Problem, Problems};

/// Files that nothing finds by name, because of their extension.
pub fn lint_endings(problems: &mut Problems) {
    for folder in ["profiles", "rules", "rules/rubrics", "rules/extract", "rules/vocabularies"] {
        let Ok(entries) = std::fs::read_dir(folder) else { continue };
        let mut names: Vec<String> =
            entries.flatten().map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
        names.sort();
        for (name, stem) in names.iter().filter_map(|name| Some((name, name.strip_suffix(".yml")?))) {
            let message = format!("`{folder}/{name}` is not found by its name: files here end in `.yaml`");
            let problem = Problem { level: Level::Note, ..Problem::placeless(Code::MissingFile, message) };
            problems.push(problem.help(format!("rename it to `{stem}.yaml`")));
        }
    }
}
