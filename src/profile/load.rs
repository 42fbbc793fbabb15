//! Finding a profile, its ancestors and its overrides, and laying them over each other.

use super::checked::{self, Profile};
use super::files::{Files, Library};
use super::interpolate::{Environment, interpolate};
use super::merge::merge;
use super::overrides::Override;
use crate::diag::{Code, Problem, Problems, SourceFile, Span, nearest};
use crate::value::yaml::{Data, Entry, Node, parse};
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

/// Longest chain of `extends`.
const LONGEST_CHAIN: usize = 16;

/// What the defaults are known by in spans.
pub const DEFAULTS_NAME: &str = "<defaults>";

/// What is laid under every profile.
const DEFAULTS: &str = include_str!("default.yaml");

/// What is laid under every profile, in YAML: every key with its default or, commented, an example.
#[must_use]
pub fn defaults_text() -> &'static str {
    DEFAULTS
}

/// A checked profile and where its other files are looked for.
#[derive(Debug, Clone)]
pub struct Loaded {
    /// The profile.
    pub profile: Profile,
    /// The merged settings, each with its place.
    pub merged: Node,
    /// Where rules, prompts and schemas are read from: beside the profile first.
    pub library: Library,
}

/// The settings of a profile as they were laid over each other, whether they make a usable profile or not.
#[derive(Debug, Clone)]
pub struct Settings {
    /// The merged settings, each with its place.
    pub merged: Node,
    /// The profiles that they come from, the profile itself first, its farthest ancestor last.
    pub chain: Vec<String>,
    /// The file of the profile itself.
    pub file: Arc<SourceFile>,
    /// Whether every ancestor could be read.
    pub complete: bool,
    /// Where the files that they name are looked for.
    pub library: Library,
}

impl Settings {
    /// What the profile is called that does not say so itself: by its file.
    fn fallback_name(&self) -> String {
        profile_name(self.file.name())
    }
}

/// Loads the profile called `name`, or the one at that path if it looks like a path (has a separator or ends in
/// `.yaml` or `.yml`). Every problem found is pushed. A profile with errors is returned, too, as far as it could be
/// read, so that what it names can be checked in the same go; it must not be run.
pub fn load(
    name: &str,
    library: &Library,
    overrides: &[Override],
    environment: Environment<'_>,
    problems: &mut Problems,
) -> Option<Loaded> {
    let settings = settings(name, library, overrides, environment, problems)?;
    if !settings.complete {
        // What is here can be judged by itself; what it lacks or refers to may be the missing parent's.
        let mut found = Problems::new();
        checked::decode(&settings.merged, &settings.fallback_name(), settings.chain, &mut found);
        let own =
            |code| matches!(code, Code::UnknownKey | Code::WrongType | Code::OutOfRange | Code::UnknownWord);
        found.iter().filter(|problem| own(problem.code)).for_each(|problem| problems.push(problem.clone()));
        return None;
    }
    checked(settings, problems)
}

/// Checks settings that have been laid over each other, or were changed since.
pub fn checked(settings: Settings, problems: &mut Problems) -> Option<Loaded> {
    let fallback_name = settings.fallback_name();
    let Settings { merged, chain, library, .. } = settings;
    let profile = checked::decode(&merged, &fallback_name, chain, problems)?;
    Some(Loaded { profile, merged, library })
}

/// Lays the settings of the profile called `name` (see [`load`]) over each other without checking them: what can be said
/// of a profile that can't be used. `None` when the profile itself can't be read.
pub fn settings(
    name: &str,
    library: &Library,
    overrides: &[Override],
    environment: Environment<'_>,
    problems: &mut Problems,
) -> Option<Settings> {
    let (file, library) = find(name, library, problems)?;
    let mut chain = Vec::new();
    let defaults = defaults();
    let mut merged = defaults.clone();
    let mut emptied: Vec<Entry> = Vec::new();
    let Ancestry { ancestors, complete, library } = ancestry(&file, library, environment, problems)?;
    for (at, ancestor) in ancestors.into_iter().enumerate().rev() {
        let mut root = ancestor.root;
        // A name is a profile's own: results of a child must not go by its parent's.
        if at > 0
            && let Data::Map(entries) = &mut root.data
        {
            entries.retain(|entry| entry.key != "name");
        }
        chain.insert(0, ancestor.name);
        emptied.extend(without_value(&root));
        merged = merge(merged, root);
    }
    for setting in overrides {
        setting.apply(&mut merged, problems);
    }
    without_nulls(&mut merged, &defaults);
    // A profile can't do without these: what is wrong is told at the line that took them away.
    if let Data::Map(entries) = &mut merged.data {
        for entry in emptied.into_iter().rev() {
            if !entries.iter().any(|known| known.key == entry.key) {
                entries.push(entry);
            }
        }
    }
    Some(Settings { merged, chain, file, complete, library })
}

/// The keys without a value that every profile must have.
fn without_value(root: &Node) -> Vec<Entry> {
    let Data::Map(entries) = &root.data else { return Vec::new() };
    let bare = |entry: &&Entry| {
        matches!(entry.value.data, Data::Null)
            && ["overall", "accept", "stop", "feedback"].contains(&entry.key.as_str())
    };
    entries.iter().filter(bare).cloned().collect()
}

/// What is laid under every profile.
#[must_use]
pub fn defaults() -> Node {
    let file = SourceFile::new(DEFAULTS_NAME, DEFAULTS);
    // The defaults are YAML, which every test that loads a profile shows.
    parse(&file, &mut Problems::new())
        .unwrap_or_else(|| Node { span: Span::new(&file, 0, 0), data: Data::Null })
}

/// Takes out keys that have a default and are `null`: one that was taken away twice is as one that was taken away once.
fn without_nulls(node: &mut Node, defaults: &Node) {
    let (Data::Map(entries), Data::Map(_)) = (&mut node.data, &defaults.data) else { return };
    entries.retain(|entry| !matches!(entry.value.data, Data::Null) || defaults.get(&entry.key).is_none());
    for entry in entries {
        if let Some(default) = defaults.get(&entry.key) {
            without_nulls(&mut entry.value, default);
        }
    }
}

/// The file of the profile called `name`, nearest first, if there is one.
///
/// # Errors
/// A problem when it exists and can't be read.
pub fn file_of(name: &str, library: &Library) -> Result<Option<Arc<SourceFile>>, Problem> {
    library.read(&format!("profiles/{name}.yaml"))
}

/// Names of all profiles that can be loaded by name, sorted.
#[must_use]
pub fn available(library: &Library) -> Vec<String> {
    let names = library.list("profiles", ".yaml");
    names.iter().filter(|name| !name.ends_with(".test.yaml")).map(|name| profile_name(name)).collect()
}

fn looks_like_a_path(name: &str) -> bool {
    name.contains(['/', '\\']) || name.ends_with(".yaml") || name.ends_with(".yml")
}

fn profile_name(path: &str) -> String {
    Path::new(path).file_stem().map_or_else(|| path.to_owned(), |stem| stem.to_string_lossy().into_owned())
}

/// The folder that a profile at this path takes its rules, prompts and schemas from. A profile in `…/profiles/`
/// belongs to the project that holds that folder.
fn project_of(path: &Path) -> &Path {
    fn above(path: &Path) -> &Path {
        path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."))
    }
    let folder = above(path);
    if folder.file_name().is_some_and(|name| name == "profiles") { above(folder) } else { folder }
}

/// The file of a profile, and the library with the profile's own project in front.
fn find(name: &str, library: &Library, problems: &mut Problems) -> Option<(Arc<SourceFile>, Library)> {
    if looks_like_a_path(name) {
        let path = Path::new(name);
        return match library.read_path(path) {
            Ok(file) => Some((file, library.nearest(project_of(path)))),
            Err(problem) => {
                problems.push(problem);
                None
            }
        };
    }
    match library.read(&format!("profiles/{name}.yaml")) {
        Ok(Some(file)) => Some((file, library.clone())),
        Ok(None) => {
            problems.push(unknown_profile(Problem::placeless, name, library));
            None
        }
        Err(problem) => {
            problems.push(problem);
            None
        }
    }
}

fn unknown_profile(make: impl FnOnce(Code, String) -> Problem, name: &str, library: &Library) -> Problem {
    let known = available(library);
    let list = known.iter().map(|k| format!("`{k}`")).collect::<Vec<_>>().join(", ");
    let other = format!("profiles/{name}.yml");
    let help = match nearest(name, known.iter().map(String::as_str)) {
        _ if library.list("profiles", ".yml").contains(&other) => {
            format!("there is `{other}`; profiles end in `.yaml`: rename it to `{name}.yaml`")
        }
        Some(guess) => format!("did you mean `{guess}`? Known: {list}"),
        None => format!("known: {list}; or give a path such as ./my-profile.yaml"),
    };
    make(Code::UnknownProfile, format!("no profile is called `{name}`")).help(help)
}

struct Ancestor {
    name: String,
    root: Node,
}

/// The profile and all it extends.
struct Ancestry {
    /// Nearest first.
    ancestors: Vec<Ancestor>,
    /// Whether none is missing.
    complete: bool,
    /// With the projects of all of them.
    library: Library,
}

/// Follows `extends`; `None` when the profile itself can't be read.
fn ancestry(
    file: &Arc<SourceFile>,
    mut library: Library,
    environment: Environment<'_>,
    problems: &mut Problems,
) -> Option<Ancestry> {
    let mut projects = 1;
    let mut chain: Vec<Ancestor> = Vec::new();
    let mut seen = vec![file.name().to_owned()];
    let mut file = Arc::clone(file);
    loop {
        let Some(mut root) = parse(&file, problems) else {
            return (!chain.is_empty()).then_some(Ancestry { ancestors: chain, complete: false, library });
        };
        if let Data::Null = root.data {
            problems.push(
                Problem::error(Code::Empty, &root.span, format!("the profile `{}` is empty", file.name()))
                    .help("start from another one: `extends: balanced`"),
            );
            return (!chain.is_empty()).then_some(Ancestry { ancestors: chain, complete: false, library });
        }
        if let Some(problem) = rules_not_profile(&root, file.name()) {
            problems.push(problem);
            return (!chain.is_empty()).then_some(Ancestry { ancestors: chain, complete: false, library });
        }
        interpolate(&mut root, environment, problems);
        let name = profile_name(file.name());
        let parent = root.get("extends").map(|node| (node.as_text().map(str::to_owned), node.span.clone()));
        chain.push(Ancestor { name: name.clone(), root });
        let Some((parent, span)) = parent else {
            return Some(Ancestry { ancestors: chain, complete: true, library });
        };
        let Some(parent) = parent else {
            problems.push(
                Problem::error(Code::WrongType, &span, "`extends` names one profile")
                    .help("extends: balanced"),
            );
            return Some(Ancestry { ancestors: chain, complete: false, library });
        };
        let next_name = profile_name(&parent);
        let path =
            chain.iter().map(|a| a.name.as_str()).chain([next_name.as_str()]).collect::<Vec<_>>().join(" → ");
        let Some(next) = read_parent(&parent, &file, &library, &span, problems) else {
            return Some(Ancestry { ancestors: chain, complete: false, library });
        };
        if seen.iter().any(|known| known == next.name()) {
            let (message, help) = if next.name() == file.name() {
                (format!("the profile `{name}` extends itself"), "a profile of the same name in a farther folder can't be reached; give this one another name".to_owned())
            } else {
                (format!("`extends` goes round in a circle: {path}"), "take one of the links out".to_owned())
            };
            problems.push(Problem::error(Code::InheritanceCycle, &span, message).help(help));
            return Some(Ancestry { ancestors: chain, complete: false, library });
        }
        if chain.len() >= LONGEST_CHAIN {
            problems.push(Problem::error(
                Code::InheritanceCycle,
                &span,
                format!("more than {LONGEST_CHAIN} profiles extend each other: {path}"),
            ));
            return Some(Ancestry { ancestors: chain, complete: false, library });
        }
        let project = project_of(Path::new(next.name()));
        if looks_like_a_path(&parent) && library.holds(project) {
            library = library.farther(projects, project);
            projects += 1;
        }
        seen.push(next.name().to_owned());
        file = next;
    }
}

/// A file of rules that is treated as a profile: nothing in it would be known.
fn rules_not_profile(root: &Node, name: &str) -> Option<Problem> {
    let Data::Map(entries) = &root.data else { return None };
    let rules = entries.iter().find(|e| e.key == "rules" && matches!(e.value.data, Data::List(_)))?;
    let folder = Path::new(name).parent().and_then(Path::file_name);
    let (message, help) = if folder.is_some_and(|folder| folder == "profiles") {
        (
            "this is a rule file, but it lies in the folder of profiles",
            "move it to the folder `rules`; a profile names it under `assess:`",
        )
    } else {
        ("this is a rule file, not a profile", "a profile names it under `assess:`")
    };
    Some(Problem::error(Code::Conflict, &rules.key_span, message).help(help))
}

fn read_parent(
    parent: &str,
    child: &SourceFile,
    library: &Library,
    span: &Span,
    problems: &mut Problems,
) -> Option<Arc<SourceFile>> {
    let read = if looks_like_a_path(parent) {
        let beside = Path::new(child.name()).parent().unwrap_or(Path::new("")).join(parent);
        // `./ours.yaml` and `ours.yaml` are one file, which a circle must not hide behind.
        let beside: PathBuf = beside.components().filter(|part| *part != Component::CurDir).collect();
        library.read_named_path(&beside).map(Some)
    } else {
        library.read(&format!("profiles/{parent}.yaml"))
    };
    match read {
        Ok(Some(file)) => Some(file),
        Ok(None) => {
            problems.push(unknown_profile(
                |code, message| Problem::error(code, span, message),
                parent,
                library,
            ));
            None
        }
        Err(problem) => {
            problems.push(Problem { span: Some(span.clone()), ..problem });
            None
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn loaded(text: &str) -> (Option<Loaded>, Problems) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("mine.yaml");
        std::fs::write(&path, text).unwrap();
        let mut problems = Problems::new();
        let loaded = load(path.to_str().unwrap(), &Library::embedded(), &[], &|_| None, &mut problems);
        (loaded, problems)
    }

    #[test]
    fn a_profile_without_a_name_is_called_after_its_own_file() {
        let (found, problems) = loaded("extends: clinical\n");
        assert!(problems.is_empty(), "{problems:?}");
        let profile = found.unwrap().profile;
        assert_eq!(
            (profile.name.as_str(), profile.chain),
            ("mine", ["mine", "clinical", "marc"].map(String::from).to_vec())
        );
        assert_eq!(loaded("extends: clinical\nname: ours\n").0.unwrap().profile.name, "ours");
    }

    #[test]
    fn a_limit_that_was_taken_away_is_no_limit() {
        for stop in ["{ max_iterations: null }", "{ max_iterations: null, max_corrections: null }"] {
            let (_, problems) = loaded(&format!("extends: batch\nstop: {stop}\n"));
            assert!(problems.iter().any(|p| p.code == Code::NoLimit), "{stop}: {problems:?}");
        }
    }

    #[test]
    fn all_mistakes_of_a_stage_are_shown_at_once() {
        let (_, problems) = loaded(
            "extends: batch\nstages: [{ id: x, promt: a.md, deadline: 5, retries: 100, config: 3 }]\n",
        );
        let codes: Vec<Code> = problems.iter().map(|p| p.code).collect();
        assert_eq!(
            codes,
            [Code::MissingKey, Code::WrongType, Code::WrongType, Code::OutOfRange, Code::UnknownKey]
        );
    }
}
