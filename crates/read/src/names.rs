//! The names of documents: the name that each would get, and which of several that share one gets it.

use super::Input;
use crate::value::{DocumentId, digest_bytes, os_text, path_text};
use std::collections::{HashMap, HashSet};
use std::path::{Component, Path, PathBuf};

/// Eight bytes that identify a text. Two in a hundred million documents may be mistaken for each other with a probability of
/// one in a thousand.
pub(super) fn short_digest(text: &str) -> u64 {
    let digest = digest_bytes(text.as_bytes());
    digest.get(..16).and_then(|hex| u64::from_str_radix(hex, 16).ok()).unwrap_or_default()
}

/// Gives each document a name that no other has, in a process that keeps no journal of names. It holds eight bytes for each.
#[derive(Debug, Clone, Default)]
pub struct Names {
    taken: HashSet<u64>,
}

impl Names {
    /// The document under the first of its names that is not taken: [`Input::name`], [`Input::qualified`],
    /// [`Input::unambiguous`]. Upper and lower case are the same, as on many file systems.
    #[must_use]
    pub fn assign(&mut self, input: Input) -> Input {
        let unambiguous = input.unambiguous();
        let numbered = (2_u64..).map(|count| format!("{unambiguous}#{count}"));
        let wanted = [input.name().to_owned(), input.qualified().to_owned(), unambiguous.clone()];
        let free = wanted
            .into_iter()
            .chain(numbered)
            .find(|name| self.taken.insert(short_digest(&name.to_lowercase())));
        match free {
            Some(name) => input.with_id(DocumentId::new(name)),
            None => input,
        }
    }
}

/// The path without its ending, with `/` between its parts on every system, and without `.` and its root.
pub(super) fn as_written(path: &Path) -> String {
    joined(path, &without_ending(path))
}

/// The file's name without its ending.
pub(super) fn without_ending(path: &Path) -> String {
    os_text(path.file_stem().unwrap_or(path.as_os_str())).into_owned()
}

/// The name for a file beside others of its name: its folder's name and its own, whose ending stays unless it is the
/// usual one.
pub(super) fn with_parent(folder: &str, relative: &Path) -> String {
    let usual = relative.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("txt"));
    let last = if usual {
        without_ending(relative)
    } else {
        os_text(relative.file_name().unwrap_or_default()).into_owned()
    };
    let name = joined(relative, &last);
    if folder.is_empty() { name } else { format!("{folder}/{name}") }
}

fn joined(path: &Path, last: &str) -> String {
    let mut name = String::new();
    for part in path.parent().unwrap_or(Path::new("")).components() {
        if let Component::Normal(part) = part {
            name.push_str(&os_text(part));
            name.push('/');
        }
    }
    name + last
}

/// The name of a folder, wherever the working directory is.
pub(super) fn folder_name(folder: &Path) -> String {
    let whole = absolute(folder);
    whole.file_name().map_or_else(String::new, |name| os_text(name).into_owned())
}

/// The name of the folder in which a file is.
pub(super) fn parent_name(file: &Path) -> String {
    absolute(file).parent().map_or_else(String::new, folder_name)
}

pub(super) fn absolute(path: &Path) -> PathBuf {
    let path = if path.as_os_str().is_empty() { Path::new(".") } else { path };
    std::path::absolute(path).unwrap_or_else(|_| path.to_path_buf())
}

/// The names of files that are arguments of one command and would share one: their paths relative to the innermost folder that
/// holds them all.
#[derive(Debug, Default)]
pub(super) struct SharedNames {
    groups: HashMap<String, NameGroup>,
}

impl SharedNames {
    /// Groups the arguments that would share a name. `is_file` is called only for those that may.
    pub(super) fn of(arguments: &[PathBuf], is_file: impl Fn(&Path) -> bool) -> Self {
        let key = |path: &Path| without_ending(path).to_lowercase();
        let mut counts: HashMap<String, usize> = HashMap::new();
        let mut seen = HashSet::new();
        let mut distinct = Vec::new();
        for argument in arguments {
            let path = name_of(argument);
            if seen.insert(short_digest(&path_text(&absolute(path)))) {
                *counts.entry(key(path)).or_default() += 1;
                distinct.push(argument);
            }
        }
        let mut groups: HashMap<String, NameGroup> = HashMap::new();
        for argument in distinct {
            let path = name_of(argument);
            let key = key(path);
            let is_stdin = path != argument.as_path();
            if counts.get(&key).is_some_and(|count| *count > 1) && (is_stdin || is_file(path)) {
                // Standard input has no path, and collides with a file `stdin.txt` all the same.
                groups.entry(key).or_default().add((!is_stdin).then_some(path));
            }
        }
        groups.retain(|_, group| group.count > 1);
        SharedNames { groups }
    }

    /// The name for a file that is an argument.
    pub(super) fn name(&self, path: &Path) -> String {
        let stem = without_ending(path);
        match self.groups.get(&stem.to_lowercase()) {
            Some(group) => group.relative(path),
            None => stem,
        }
    }
}

/// The path from which the name of an argument is made.
fn name_of(argument: &Path) -> &Path {
    if argument.as_os_str() == "-" { Path::new("stdin") } else { argument }
}

/// Files that would share a name.
#[derive(Debug, Default)]
struct NameGroup {
    count: usize,
    /// The common beginning of all paths, part by part; `None` before the first.
    shared: Option<Vec<String>>,
}

impl NameGroup {
    fn add(&mut self, path: Option<&Path>) {
        self.count += 1;
        let Some(path) = path else { return };
        let parts = parts(path);
        match &mut self.shared {
            Some(shared) => {
                let same = shared.iter().zip(&parts).take_while(|(one, other)| one == other).count();
                shared.truncate(same);
            }
            none => *none = Some(parts),
        }
    }

    /// The path without the folders that the whole group shares, with `/` between its parts on every system.
    fn relative(&self, path: &Path) -> String {
        let own = parts(path);
        let folders = own.len().saturating_sub(1);
        let shared = self.shared.as_ref().map_or(0, Vec::len).min(folders);
        own.into_iter().skip(shared).collect::<Vec<_>>().join("/")
    }
}

fn parts(path: &Path) -> Vec<String> {
    #[cfg(test)]
    tests::SPLITS.with(|splits| splits.set(splits.get() + 1));
    absolute(path)
        .components()
        .filter(|part| matches!(part, Component::Normal(_) | Component::ParentDir))
        .map(|part| os_text(part.as_os_str()).into_owned())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Origin;
    use proptest::prelude::*;
    use std::cell::Cell;
    use std::collections::BTreeMap;

    thread_local! {
        /// The number of paths that were taken apart.
        pub(super) static SPLITS: Cell<usize> = const { Cell::new(0) };
    }

    #[test]
    fn many_files_of_one_name_are_told_apart_by_their_folders() {
        let reports = |count: usize| -> Vec<PathBuf> {
            (0..count).map(|n| PathBuf::from(format!("/data/{n}/report.txt"))).collect()
        };
        let splits = |count| {
            let before = SPLITS.with(Cell::get);
            let shared = SharedNames::of(&reports(count), |_| true);
            let names: HashSet<String> = reports(count).iter().map(|path| shared.name(path)).collect();
            assert_eq!(names.len(), count);
            assert!(names.contains(&format!("{}/report.txt", count - 1)));
            SPLITS.with(Cell::get) - before
        };
        // Once for what the group shares, once for the name.
        assert_eq!((splits(100), splits(400)), (200, 800));
    }

    #[test]
    fn a_name_is_a_matter_of_the_path_alone() {
        for (path, name) in [
            ("report.txt", "report"),
            ("./a/b.c.txt", "a/b.c"),
            ("/data/x/report.md", "data/x/report"),
            ("../x/report", "x/report"),
        ] {
            assert_eq!(as_written(Path::new(path)), name);
        }
        assert_eq!(with_parent("b", Path::new("report.txt")), "b/report");
        assert_eq!(with_parent("b", Path::new("c/report.md")), "b/c/report.md");
        assert_eq!(parent_name(Path::new("/x/b/report.txt")), "b");
    }

    #[cfg(unix)]
    #[test]
    fn names_that_are_no_text_are_spelled_by_their_bytes() {
        use std::os::unix::ffi::OsStrExt;
        let path = |bytes: &[u8]| PathBuf::from(std::ffi::OsStr::from_bytes(bytes));
        assert_eq!(without_ending(&path(b"caf\xe9.txt")), "caf\\xE9");
        assert_eq!(as_written(&path(b"d\xff/caf\xe8.txt")), "d\\xFF/caf\\xE8");
    }

    fn inputs(paths: &[String]) -> Vec<Input> {
        paths
            .iter()
            .map(|path| {
                let path = PathBuf::from("/data").join(path);
                let names = (without_ending(&path), with_parent(&parent_name(&path), &path));
                Input::found(names.0, names.1, Origin::File(path))
            })
            .collect()
    }

    proptest! {
        #[test]
        fn names_are_unique_and_stay_when_more_inputs_join(
            paths in prop::collection::btree_set("([ab]/){0,2}[abAB~#2]{1,2}(\\.txt|\\.md)?", 1..30),
            more in prop::collection::btree_set("([ab]/){0,2}[abAB~#2]{1,2}(\\.txt|\\.md)?", 1..30),
        ) {
            let first: Vec<String> = paths.into_iter().collect();
            let mut all = first.clone();
            all.extend(more.into_iter().filter(|path| !first.contains(path)));
            let named = |paths: &[String]| -> BTreeMap<String, String> {
                let mut names = Names::default();
                let given = inputs(paths).into_iter().map(|input| names.assign(input));
                given.map(|input| (input.identity(), input.id().to_string())).collect()
            };
            let (before, after) = (named(&first), named(&all));
            let unique: HashSet<String> = after.values().map(|name| name.to_lowercase()).collect();
            prop_assert_eq!(unique.len(), all.len());
            for (identity, name) in &before {
                prop_assert_eq!(&after[identity], name);
            }
            // Where no other document wants it, a document has the name that its path alone gives.
            for (one, other) in inputs(&first).into_iter().zip(inputs(&first)) {
                prop_assert_eq!(one.name(), other.name());
                prop_assert_eq!(one.unambiguous(), other.unambiguous());
            }
        }
    }
}
