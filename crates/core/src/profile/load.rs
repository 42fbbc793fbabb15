//! Finding a profile, its ancestors and its overrides, and laying them over each other.

use super::checked::{self, Profile};
use super::extends::{self, Heir, Heirs, profile_name};
use super::interpolate::{Environment, interpolate};
use super::merge::merge;
use super::overrides::Override;
use crate::diag::{Code, Problem, Problems, SourceFile, Span, nearest};
use crate::library::{Files, Library};
use crate::value::declare::DEFAULTS_NAME;
use crate::value::path_of;
use crate::value::yaml::{Data, Entry, Node, parse};
use std::borrow::Cow;
use std::path::{Component, Path, PathBuf};
use std::sync::{Arc, LazyLock};

/// The settings that underlie every profile, in YAML: the declared defaults.
#[must_use]
pub fn defaults_text() -> &'static str {
    static TEXT: LazyLock<String> = LazyLock::new(|| Profile::mapping().defaults());
    &TEXT
}

/// A checked profile and the library of its other files.
#[derive(Debug, Clone)]
pub struct Loaded {
    /// The profile.
    pub profile: Profile,
    /// The merged settings, each with its place.
    pub merged: Node,
    /// The library of rules, prompts and schemas: beside the profile first.
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
    /// `true` if every ancestor could be read.
    pub complete: bool,
    /// The library in which the files that they name are looked up.
    pub library: Library,
}

impl Settings {
    /// The name of a profile that sets none: that of its file.
    fn fallback_name(&self) -> String {
        profile_name(self.file.name())
    }

    /// Returns these settings with others laid over them; nothing is read for it.
    pub fn with<'o>(&self, overrides: impl Iterator<Item = &'o Override>, problems: &mut Problems) -> Self {
        static DEFAULTS: LazyLock<Node> = LazyLock::new(defaults);
        let mut settings = self.clone();
        overrides.for_each(|setting| setting.apply(&mut settings.merged, problems));
        without_nulls(&mut settings.merged, &DEFAULTS);
        settings
    }
}

/// Loads the profile called `name`, or the one at that path if it looks like a path (has a separator or ends in `.yaml`
/// or `.yml`). Every problem found is pushed. A profile with errors is returned, too, as far as it could be read, so
/// that the files that it names can be checked at once; it must not be run.
pub fn load(
    name: &str,
    library: &Library,
    overrides: &[Override],
    environment: Environment<'_>,
    problems: &mut Problems,
) -> Option<Loaded> {
    let settings = settings(name, library, overrides, environment, problems)?;
    if !settings.complete {
        // The present settings can be judged by themselves; missing ones may be the missing parent's.
        let mut found = Problems::new();
        let library = &settings.library;
        checked::decode(&settings.merged, &settings.fallback_name(), settings.chain, library, &mut found);
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
    let profile = checked::decode(&merged, &fallback_name, chain, &library, problems)?;
    Some(Loaded { profile, merged, library })
}

/// Lays the settings of the profile called `name` (see [`load`]) over each other without checking them: for reports
/// about a profile that can't be used. `None` when the profile itself can't be read.
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
    let mut kin = Profiles { own: file.name().to_owned(), library, projects: 1, environment };
    let extends::Chain { heirs, complete } = extends::chain(&file, &mut kin, problems)?;
    let library = kin.library;
    for (at, Heir { file, mut root }) in heirs.into_iter().enumerate().rev() {
        // A name is a profile's own: results of a child must not go by its parent's.
        if at > 0
            && let Data::Map(entries) = &mut root.data
        {
            entries.retain(|entry| entry.key != "name");
        }
        chain.insert(0, profile_name(file.name()));
        emptied.extend(without_value(&root));
        merged = merge(merged, root);
    }
    for setting in overrides {
        setting.apply(&mut merged, problems);
    }
    without_nulls(&mut merged, &defaults);
    // A profile can't do without these: the error is reported at the line that removed them.
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

/// The settings that underlie every profile.
#[must_use]
pub fn defaults() -> Node {
    let file = SourceFile::new(DEFAULTS_NAME, defaults_text());
    // The defaults are YAML, which every test that loads a profile shows.
    parse(&file, &mut Problems::new())
        .unwrap_or_else(|| Node { span: Span::new(&file, 0, 0), data: Data::Null })
}

/// Removes keys that have a default and are `null`: one removed twice is as one removed once.
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
        let path = &path_of(name);
        return match library.read_path(path) {
            Ok(file) => Some((file, library.nearest(project_of(path)))),
            Err(problem) => {
                let named = format!("profiles/{name}");
                let is_named =
                    !name.contains(['/', '\\']) && library.read(&named).is_ok_and(|file| file.is_some());
                problems.push(if is_named && !library.exists(path) {
                    problem.help(format!(
                        "did you mean `{named}`? By its name, `{}`, it is found, too",
                        profile_name(name)
                    ))
                } else {
                    problem
                });
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
        _ if library.is_folder(name) => format!("`{name}` is a folder; known: {list}"),
        _ if library.list("profiles", ".yml").contains(&other) => {
            format!("there is `{other}`; profiles end in `.yaml`: rename it to `{name}.yaml`")
        }
        Some(guess) => format!("did you mean `{guess}`? Known: {list}"),
        None => format!("known: {list}; or give a path such as ./my-profile.yaml"),
    };
    make(Code::UnknownProfile, format!("no profile is called `{name}`")).help(help)
}

/// Inheritance between profiles: by name, or by a path beside the file.
struct Profiles<'e> {
    /// The file of the profile itself.
    own: String,
    /// The library in which files are looked up: with the projects of all profiles so far.
    library: Library,
    projects: usize,
    environment: Environment<'e>,
}

impl Heirs for Profiles<'_> {
    fn what(&self) -> &'static str {
        "profile"
    }

    fn names_one(&self) -> String {
        "extends: balanced".to_owned()
    }

    fn shown<'f>(&self, file: &'f SourceFile) -> Cow<'f, str> {
        profile_name(file.name()).into()
    }

    fn refusal(&self, file: &Arc<SourceFile>, root: &Node) -> Option<Problem> {
        if let Data::Null = root.data {
            let message = format!("the profile `{}` is empty", file.name());
            let problem = Problem::error(Code::Empty, &root.span, message);
            return Some(problem.help("start from another one: `extends: balanced`"));
        }
        rules_not_profile(root, file.name())
    }

    fn prepare(&mut self, root: &mut Node, problems: &mut Problems) {
        interpolate(root, self.environment, problems);
    }

    fn parent(
        &mut self,
        name: &str,
        child: &SourceFile,
        span: &Span,
        problems: &mut Problems,
    ) -> Option<Arc<SourceFile>> {
        let next = read_parent(name, child, &self.library, span, problems)?;
        let parent = path_of(next.name());
        let project = project_of(&parent);
        if looks_like_a_path(name) && next.name() != self.own && self.library.holds(project) {
            self.library = self.library.farther(self.projects, project);
            self.projects += 1;
        }
        Some(next)
    }

    fn untie(&self, is_itself: bool) -> &'static str {
        if is_itself {
            "a profile of the same name in a farther folder can't be reached; give this one another name"
        } else {
            "take one of the links out"
        }
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
        let beside = path_of(child.name()).parent().unwrap_or(Path::new("")).join(path_of(parent));
        // `./ours.yaml` and `ours.yaml` are one file, which a circle must not hide behind.
        let beside: PathBuf = beside.components().filter(|part| *part != Component::CurDir).collect();
        library.read_named_path(&beside).map(Some)
    } else {
        let name = format!("profiles/{parent}.yaml");
        // A profile in the place of one that ships with loopctl may start from that one, by its own name.
        let hidden = |file: &Arc<SourceFile>| {
            Library::embedded().read(&name).ok().flatten().filter(|_| file.name() == child.name())
        };
        library.read(&name).map(|found| found.map(|file| hidden(&file).unwrap_or(file)))
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
    fn a_profile_may_start_from_the_shipped_one_that_it_hides() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("profiles")).unwrap();
        let library = Library::new(vec![folder.path().to_path_buf()]);
        for (name, refused) in [("clinical", false), ("mine", true)] {
            let text = format!("extends: {name}\naccept: {{ overall: 0.99 }}\n");
            std::fs::write(folder.path().join(format!("profiles/{name}.yaml")), text).unwrap();
            let mut problems = Problems::new();
            let loaded = load(name, &library, &[], &|_| None, &mut problems);
            assert_eq!((loaded.is_none(), problems.has_errors()), (refused, refused), "{problems:?}");
            let chain = loaded.map(|loaded| loaded.profile.chain).unwrap_or_default();
            assert!(refused || chain == ["clinical", "clinical", "marc"], "{chain:?}");
        }
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
