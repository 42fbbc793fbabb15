//! Finds profiles, rules, prompts and schemas by name.
//!
//! A name such as `rules/clinical-validity.yaml` is looked for in each root in turn (the project of the profile, the
//! working directory, `$LOOPCTL_HOME`) and last among the files embedded in the executable; the first hit wins. Files
//! held in memory come before all of them.

mod providers;
mod reached;

pub use reached::{FileTracker, Reached};

use crate::diag::{Code, Problem, SourceFile, nearest};
use crate::disk::{self, ReadError};
use crate::value::{MAX_STEPS, ShownPath, os_text, path_of, path_text};
use include_dir::{Dir, include_dir};
use providers::KnownProviders;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

/// Largest file read through [`Files`], in bytes.
pub const MAX_FILE_BYTES: u64 = 8 << 20;

/// Most folders that a file is in below those of declared files, where only these are searched.
const MOST_PARTS: usize = 32;

/// The most characters that are shown of a name that is not looked up.
const LONGEST_SHOWN: usize = 200;

/// Finds declared files by name.
pub trait Files: Send + Sync {
    /// The file of that name, `None` if there is none anywhere.
    ///
    /// # Errors
    /// A problem when the file exists and can't be read.
    fn read(&self, name: &str) -> Result<Option<Arc<SourceFile>>, Problem>;

    /// Names of all files under a folder that end in `suffix`, sorted, each once.
    fn list(&self, folder: &str, suffix: &str) -> Vec<String>;
}

static PROFILES: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/../../profiles");
static RULES: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/../../rules");
static PROMPTS: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/../../prompts");
static SCHEMAS: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/../../schemas");

/// Files held in memory, then roots on disk, nearest first, then the files embedded in the executable.
#[derive(Debug, Clone)]
pub struct Library {
    held: BTreeMap<String, Arc<SourceFile>>,
    roots: Vec<PathBuf>,
    /// The record of the paths that were looked up, if one is kept.
    notes: Option<FileTracker>,
    /// `true` if only the folders of declared files are searched.
    is_confined: bool,
    /// The providers that answer prompts, as far as they are known.
    providers: KnownProviders,
}

impl Library {
    /// Looks in `roots` in this order, then among the embedded files.
    #[must_use]
    pub fn new(roots: Vec<PathBuf>) -> Self {
        let providers = KnownProviders::shipped();
        Library { held: BTreeMap::new(), roots, notes: None, is_confined: false, providers }
    }

    /// Only the embedded files.
    #[must_use]
    pub fn embedded() -> Self {
        Library::new(Vec::new())
    }

    /// Returns this library with a file that is not on the disk before all others: a profile that is tried out, say.
    #[must_use]
    pub fn holding(&self, name: &str, text: impl Into<String>) -> Self {
        let mut library = self.clone();
        library.held.insert(name.to_owned(), SourceFile::new(name, text));
        library
    }

    /// Returns this library with other providers: `of` says whether the provider of a name answers prompts, and returns
    /// `None` for one that it does not know.
    #[must_use]
    pub fn beside(&self, of: impl Fn(&str) -> Option<bool> + Send + Sync + 'static) -> Self {
        Library { providers: KnownProviders::asked_of(of), ..self.clone() }
    }

    /// Returns whether a provider answers prompts, by the name that a profile has for it.
    pub fn answers_prompts(&self, provider: &str) -> bool {
        self.providers.answer_prompts(provider)
    }

    /// Returns this library, recording every path that it looks up from here on.
    #[must_use]
    pub fn noted_in(&self, notes: &FileTracker) -> Self {
        Library { notes: Some(notes.clone()), ..self.clone() }
    }

    /// Returns this library for a text whose author may not know what this machine has: files are named within the
    /// folders of declared files, and the existence of any other is not revealed.
    #[must_use]
    pub fn confined(&self) -> Self {
        Library { is_confined: true, ..self.clone() }
    }

    /// Refuses to look outside the folders of declared files, in a confined library.
    fn confine(&self, name: &str) -> Result<(), Problem> {
        let mut parts = Path::new(name).components().filter(|part| *part != Component::CurDir);
        let folder = parts.next().and_then(|part| part.as_os_str().to_str());
        let is_declared = folder.is_some_and(|folder| embedded(folder).is_some());
        if !self.is_confined || is_declared && is_inside(name) && parts.count() < MOST_PARTS {
            return Ok(());
        }
        let shown: String = name.chars().take(LONGEST_SHOWN).collect();
        let message = format!("`{shown}` can't be read from here");
        Err(Problem::placeless(Code::MissingFile, message).help(
            "a profile that is not saved yet may refer to other profiles by name, and to files below `profiles/`, `rules/`, `prompts/` and \
             `schemas/`; `loopctl check FILE` reads any file that you may read",
        ))
    }

    /// Returns whether there is anything at a path that this library may look at.
    pub fn exists(&self, path: &Path) -> bool {
        self.confine(&path_text(path)).is_ok() && path.exists()
    }

    /// Returns whether a name that is not a profile's is that of a folder.
    pub fn is_folder(&self, name: &str) -> bool {
        !self.is_confined && Path::new(name).is_dir()
    }

    /// Reads a text file that was named by its path, and records that.
    pub fn read_path(&self, path: &Path) -> Result<Arc<SourceFile>, Problem> {
        self.confine(&path_text(path))?;
        refuse_endless(path)?;
        let read = read_text_file(path);
        self.note(path, &read);
        read
    }

    /// Reads a text file that another file names by its path: below one of the roots, where links are followed.
    pub fn read_named_path(&self, path: &Path) -> Result<Arc<SourceFile>, Problem> {
        if self.is_confined {
            // Through the roots alone: those of a confined library are fixed.
            return match self.read(&path_text(path))? {
                Some(file) => Ok(file),
                None => {
                    let message = format!("there is no file `{}`", path.shown());
                    Err(Problem::placeless(Code::MissingFile, message))
                }
            };
        }
        refuse_endless(path)?;
        if !self.holds(path) && path.exists() {
            if let Some(notes) = &self.notes {
                notes.refused(path);
            }
            let message = format!("`{}` is outside the folders in which files are looked up", path.shown());
            return Err(Problem::placeless(Code::MissingFile, message).help(
                "a file names others in its project, in the working directory or in $LOOPCTL_HOME: copy it there, or run \
                 loopctl in a folder that holds both",
            ));
        }
        self.read_path(path)
    }

    /// Returns whether the target of the path is below one of the roots.
    pub fn holds(&self, path: &Path) -> bool {
        let Ok(real) = path.canonicalize() else { return false };
        self.roots.iter().any(|root| {
            let home = root.canonicalize().ok();
            let below = home.as_ref().and_then(|home| real.strip_prefix(home).ok()).and_then(Path::to_str);
            below.is_some_and(|below| matches!(disk::find_below(root, below), Ok(Some(_))))
        })
    }

    fn note(&self, path: &Path, read: &Result<Arc<SourceFile>, Problem>) {
        if let Some(notes) = &self.notes {
            match read {
                Ok(file) => notes.file(path, file.text()),
                Err(_) => notes.refused(path),
            }
        }
    }

    /// Returns this library with another root after the first `after` ones.
    #[must_use]
    pub fn farther(&self, after: usize, root: &Path) -> Self {
        let mut roots = self.roots.clone();
        if !roots.iter().any(|known| known.as_path() == root) {
            roots.insert(after.min(roots.len()), root.to_path_buf());
        }
        Library { roots, ..self.clone() }
    }

    /// Returns this library with another root before all others.
    #[must_use]
    pub fn nearest(&self, root: &Path) -> Self {
        let mut roots = vec![root.to_path_buf()];
        roots.extend(self.roots.iter().filter(|known| known.as_path() != root).cloned());
        Library { roots, ..self.clone() }
    }
}

/// The embedded folder of that name and the rest of the path.
fn embedded(name: &str) -> Option<(&'static Dir<'static>, &str)> {
    let (folder, rest) = name.split_once('/').unwrap_or((name, ""));
    let dir = match folder {
        "profiles" => &PROFILES,
        "rules" => &RULES,
        "prompts" => &PROMPTS,
        "schemas" => &SCHEMAS,
        _ => return None,
    };
    Some((dir, rest))
}

/// Refuses a path that has more parts than any file's.
fn refuse_endless(path: &Path) -> Result<(), Problem> {
    if path.components().nth(MAX_STEPS).is_none() {
        return Ok(());
    }
    let message = format!("a path has more than {MAX_STEPS} parts");
    Err(Problem::placeless(Code::MissingFile, message).help("name the file by a shorter path"))
}

/// Returns whether a name stays inside its root.
fn is_inside(name: &str) -> bool {
    Path::new(name).components().all(|c| matches!(c, Component::Normal(_) | Component::CurDir))
}

impl Files for Library {
    fn read(&self, name: &str) -> Result<Option<Arc<SourceFile>>, Problem> {
        self.confine(name)?;
        refuse_endless(Path::new(name))?;
        if !is_inside(name) {
            let problem = Problem::placeless(Code::MissingFile, format!("`{name}` leads out of its folder"));
            return Err(
                problem.help("name files relative to the folder that holds profiles, rules and prompts")
            );
        }
        if let Some(file) = self.held.get(name) {
            return Ok(Some(Arc::clone(file)));
        }
        for root in &self.roots {
            let path = root.join(name);
            match disk::read_below(root, name, MAX_FILE_BYTES) {
                Ok(None) => {
                    if let Some(notes) = &self.notes {
                        notes.nothing(&path);
                    }
                }
                found => {
                    let read = found
                        .map(Option::unwrap_or_default)
                        .map_err(|error| unreadable(&path, &error))
                        .and_then(|bytes| text_of(&path, bytes));
                    self.note(&path, &read);
                    return read.map(Some);
                }
            }
        }
        let text = embedded(name).and_then(|(dir, rest)| dir.get_file(rest)).and_then(|f| f.contents_utf8());
        Ok(text.map(|text| SourceFile::shipped(name, text)))
    }

    fn list(&self, folder: &str, suffix: &str) -> Vec<String> {
        if self.confine(folder).is_err() {
            return Vec::new();
        }
        let within = |name: &&String| name.rsplit_once('/').is_some_and(|(held, _)| held == folder);
        let mut names: BTreeSet<String> =
            self.held.keys().filter(within).filter(|name| name.ends_with(suffix)).cloned().collect();
        for root in &self.roots {
            let Ok(Some(found)) = disk::find_below(root, folder) else { continue };
            let Ok(entries) = std::fs::read_dir(found) else { continue };
            for entry in entries.flatten() {
                let name = os_text(&entry.file_name()).into_owned();
                if name.ends_with(suffix) && entry.path().is_file() {
                    names.insert(format!("{folder}/{name}"));
                }
            }
        }
        if let Some((dir, rest)) = embedded(folder) {
            let dir = if rest.is_empty() { Some(dir) } else { dir.get_dir(rest) };
            for file in dir.into_iter().flat_map(Dir::files) {
                if let Some(name) = file.path().file_name().and_then(|n| n.to_str())
                    && name.ends_with(suffix)
                {
                    names.insert(format!("{folder}/{name}"));
                }
            }
        }
        names.into_iter().collect()
    }
}

/// The file nearest by name to a missing one: beside it, or in a folder whose name is nearest.
pub fn nearby(path: &Path) -> Option<String> {
    nearby_within(path, MAX_STEPS)
}

fn nearby_within(path: &Path, steps: usize) -> Option<String> {
    let folder = path.parent().filter(|_| steps > 0)?;
    let is_there = folder.as_os_str().is_empty() || folder.exists();
    let found =
        if is_there { folder.to_path_buf() } else { PathBuf::from(nearby_within(folder, steps - 1)?) };
    let folder = found.as_path();
    let here = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    let same = folder.join(path.file_name()?);
    if same.exists() {
        return Some(same.shown().into_owned());
    }
    let names = std::fs::read_dir(here).ok()?.flatten().map(|entry| entry.file_name());
    let mut names: Vec<String> = names.map(|name| os_text(&name).into_owned()).collect();
    names.sort();
    let wanted = os_text(path.file_name()?).into_owned();
    let guess = nearest(&wanted, names.iter().map(String::as_str))?;
    Some(folder.join(path_of(guess)).shown().into_owned())
}

/// Reads a text file with a bound on its size.
///
/// # Errors
/// A problem that names the path when it can't be read, is not a regular file, is too large, or is not UTF-8.
pub fn read_text_file(path: &Path) -> Result<Arc<SourceFile>, Problem> {
    let bytes = disk::read(path, MAX_FILE_BYTES).map_err(|error| unreadable(path, &error))?;
    text_of(path, bytes)
}

/// The text file `name` in the folder `root`, `None` if there is none. The path may be a profile's: it stays below `root`
/// after links are resolved.
///
/// # Errors
/// As [`read_text_file`].
pub fn read_text_below(root: &Path, name: &str) -> Result<Option<Arc<SourceFile>>, Problem> {
    let path = root.join(name);
    let bytes = disk::read_below(root, name, MAX_FILE_BYTES).map_err(|error| unreadable(&path, &error))?;
    bytes.map(|bytes| text_of(&path, bytes)).transpose()
}

fn unreadable(path: &Path, error: &ReadError) -> Problem {
    let shown = path.shown();
    let problem = match error {
        ReadError::TooLarge { limit } => {
            Problem::placeless(Code::TooLarge, format!("`{shown}` has more than {limit} bytes"))
        }
        _ => Problem::placeless(Code::Unreadable, format!("can't read `{shown}`: {error}")),
    };
    match (error, nearby(path)) {
        (ReadError::Missing, Some(guess)) => problem.help(format!("did you mean `{guess}`?")),
        (ReadError::Missing, None) => problem.help("check the name, and the folder it is in"),
        _ => match error.help() {
            Some(help) => problem.help(help),
            None => problem,
        },
    }
}

fn text_of(path: &Path, bytes: Vec<u8>) -> Result<Arc<SourceFile>, Problem> {
    let shown = path.shown();
    match String::from_utf8(bytes) {
        Ok(text) => Ok(SourceFile::new(path_text(path), text)),
        Err(error) => {
            let at = error.utf8_error().valid_up_to();
            let before = error.as_bytes().get(..at).unwrap_or_default();
            let line = 1 + before.iter().filter(|byte| **byte == b'\n').count();
            let problem =
                Problem::placeless(Code::Unreadable, format!("`{shown}` is not UTF-8 text (line {line})"));
            Err(problem.help(
                "open it in your editor and save it with the encoding UTF-8; then check the letters with accents",
            ))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_nearer_root_wins_and_names_stay_inside() {
        let near = tempfile::tempdir().unwrap();
        let far = tempfile::tempdir().unwrap();
        for (dir, text) in [(&near, "near"), (&far, "far")] {
            std::fs::create_dir(dir.path().join("rules")).unwrap();
            std::fs::write(dir.path().join("rules/x.yaml"), text).unwrap();
        }
        let library = Library::new(vec![far.path().into()]).nearest(near.path());
        assert_eq!(library.read("rules/x.yaml").unwrap().unwrap().text(), "near");
        assert!(library.read("../rules/x.yaml").is_err());
        assert!(library.read("rules/none.yaml").unwrap().is_none());
        assert!(library.list("rules", ".yaml").contains(&"rules/x.yaml".to_owned()));
        let holding = library.holding("rules/x.yaml", "held").holding("rules/deep/y.yaml", "");
        assert_eq!(holding.nearest(far.path()).read("rules/x.yaml").unwrap().unwrap().text(), "held");
        assert!(!holding.list("rules", ".yaml").contains(&"rules/deep/y.yaml".to_owned()));
        assert_eq!(holding.list("rules/deep", ".yaml"), ["rules/deep/y.yaml"]);
    }

    /// An existing file and a missing one can't be told apart.
    #[test]
    fn a_confined_library_looks_into_the_folders_of_declared_files_alone() {
        let root = tempfile::tempdir().unwrap();
        for (folder, file) in [("rules", "x.yaml"), ("data", "secret.yaml")] {
            std::fs::create_dir(root.path().join(folder)).unwrap();
            std::fs::write(root.path().join(folder).join(file), "text").unwrap();
        }
        std::fs::write(root.path().join(".env"), "SECRET=1").unwrap();
        let library = Library::new(vec![root.path().into()]).confined();
        assert_eq!(library.read("rules/x.yaml").unwrap().unwrap().text(), "text");
        assert_eq!(library.read("./rules/x.yaml").unwrap().unwrap().text(), "text");
        assert!(library.read("rules/none.yaml").unwrap().is_none());
        let whole = root.path().join("rules/x.yaml");
        let deep = format!("rules/{}x.yaml", "a/".repeat(10_000));
        for (there, not) in [
            (".env", ".other"),
            ("data/secret.yaml", "data/none.yaml"),
            ("/etc/passwd", "/etc/none"),
            ("rules/../.env", "rules/../.other"),
            (whole.to_str().unwrap(), deep.as_str()),
        ] {
            for name in [there, not] {
                for read in [library.read(name).map(drop), library.read_named_path(Path::new(name)).map(drop)]
                {
                    assert!(read.unwrap_err().message.ends_with("can't be read from here"), "{name}");
                }
            }
        }
        assert!(library.list("data", ".yaml").is_empty() && !library.is_folder("data"));
        assert!(library.nearest(Path::new("/etc")).read("passwd").is_err());
    }
}
