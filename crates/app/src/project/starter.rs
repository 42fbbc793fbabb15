//! The files of a new project: the few that its owner will edit. All else is inherited from what ships.

use super::change::{Change, How, Plan, Refusal};
use super::draft::{EDITOR_SCHEMAS, schema_path};
use super::rule::rules_measuring;
use crate::diag::Problems;
use crate::profile::{Files, Library, load};
use crate::value::prose::{listed, names};
use include_dir::{Dir, DirEntry, include_dir};
use std::path::Path;

static STARTERS: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/src/project/starter");

/// The starters for profiles by the shipped profile that they descend from.
const FAMILIES: [(&str, &str); 5] = [
    ("marc", "letters"),
    ("literature", "papers"),
    ("definition", "terms"),
    ("marc-v1", "imaging"),
    ("aas", "shells"),
];

/// Files that are not changed if they exist: many folders have them before they hold a project.
const LEFT_ALONE: [&str; 2] = ["README.md", ".gitignore"];

/// The files of a project whose profile extends `parent`, for a folder that is at `root` or does not exist yet.
///
/// # Errors
/// When there is no such profile, or files of the same names exist.
pub(super) fn starter(root: &Path, parent: &str, library: &Library) -> Result<Plan, Refusal> {
    let Start { folder: name, validity } = start_for(parent, library)?;
    let mut plan = Plan::default();
    let mut files = Vec::new();
    if let Some(folder) = STARTERS.get_dir(name) {
        collect(folder, Path::new(name), &mut files);
    }
    files.sort_by_key(|(path, _)| (path.contains('/'), path.clone()));
    let mut next = Vec::new();
    for (path, template) in files {
        let text = template.replace("@PARENT@", parent).replace("@VALIDITY@", &validity);
        if path == "README.md" {
            next = commands(&text);
        }
        if LEFT_ALONE.contains(&path.as_str()) && root.join(&path).symlink_metadata().is_ok() {
            plan.kept.push(path);
        } else {
            plan.changes.push(Change { path, text, how: How::Written });
        }
    }
    for schema in EDITOR_SCHEMAS.map(schema_path) {
        // Those that ship, not one that happens to be in the working directory.
        if let Ok(Some(file)) = Library::embedded().read(&schema) {
            plan.changes.push(Change { path: schema, text: file.text().to_owned(), how: How::Written });
        }
    }
    let occupied = plan.changes.iter().map(|change| &change.path);
    let occupied = names(occupied.filter(|path| root.join(path).symlink_metadata().is_ok()));
    if !occupied.is_empty() {
        let (files, verb) = (occupied.join(", "), if occupied.len() == 1 { "is" } else { "are" });
        return Err(Refusal::new(format!("{files} {verb} there already; nothing was written")).help(
            "choose another folder: `loopctl init DIR`; to add to this project, see `loopctl new --help`",
        ));
    }
    plan.next = next;
    Ok(plan)
}

/// The beginning of a project with a certain parent.
struct Start {
    /// The folder of its files.
    folder: &'static str,
    /// The file of rules that measures `validity` in the parent: the project's own extends it, so that none of its rules is lost.
    validity: String,
}

/// The starter for a profile, by the one that it descends from.
fn start_for(parent: &str, library: &Library) -> Result<Start, Refusal> {
    if parent.contains(['/', '\\']) || parent.ends_with(".yaml") {
        return Err(Refusal::new(format!("`--profile` takes a profile by name, not `{parent}`"))
            .help("`loopctl profile list` names those that there are"));
    }
    let mut problems = Problems::new();
    let loaded = load(parent, library, &[], &|_| None, &mut problems);
    let Some(loaded) = loaded.filter(|_| !problems.has_errors()) else {
        let first = problems.sorted().first().map(|problem| (*problem).clone());
        return Err(
            first.map_or_else(|| Refusal::new(format!("no profile is called `{parent}`")), Refusal::from)
        );
    };
    let chain = &loaded.profile.chain;
    let family = FAMILIES.iter().find(|(ancestor, _)| chain.iter().any(|name| name == ancestor));
    family
        .map(|(_, folder)| Start {
            folder,
            validity: rules_measuring(&loaded.profile, "validity")
                .unwrap_or_else(|| "clinical-validity".to_owned()),
        })
        .ok_or_else(|| {
            let known = listed(FAMILIES.iter().map(|(name, _)| name));
            Refusal::new(format!("there is no project to start with for `{parent}`"))
                .help(format!("there are some for profiles that extend {known}"))
        })
}

/// The commands that a README names.
fn commands(readme: &str) -> Vec<String> {
    readme.lines().filter(|line| line.starts_with("loopctl ")).map(str::to_owned).collect()
}

fn collect<'a>(folder: &'a Dir<'a>, root: &Path, found: &mut Vec<(String, &'a str)>) {
    for entry in folder.entries() {
        match entry {
            DirEntry::Dir(inner) => collect(inner, root, found),
            DirEntry::File(file) => {
                let path = file.path().strip_prefix(root).unwrap_or(file.path());
                let parts: Vec<String> =
                    path.components().map(|part| part.as_os_str().to_string_lossy().into_owned()).collect();
                let path = match parts.join("/").as_str() {
                    "gitignore" => ".gitignore".to_owned(),
                    other => other.to_owned(),
                };
                found.push((path, file.contents_utf8().unwrap_or_default()));
            }
        }
    }
}
