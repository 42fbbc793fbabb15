//! The test file of each profile, file of rules and vocabulary.

#![expect(clippy::disallowed_methods, reason = "looks for the cases beside a file")]

use super::rule_cases::test_rules;
use super::suite::{Choice, Suite, SuiteKind, test_profile};
use super::vocabulary_cases::test_vocabulary;
use crate::diag::{Code, Level, Problem, Problems, SourceFile, nearest};
use crate::profile::{Files, Library, available, read_text_file};
use crate::rules::Inheritance;
use crate::value::yaml::{self, Data};
use crate::value::{ShownPath, prose};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The ending of test files.
const ENDING: &str = ".test.yaml";

/// A profile, a file of rules or a vocabulary, with its test file.
#[derive(Debug, Clone)]
pub struct TestTarget {
    /// The kind of the target.
    pub kind: SuiteKind,
    /// The name or path that a profile is loaded by; the name of a file of rules or of a vocabulary.
    pub name: String,
    /// Its cases.
    pub file: Arc<SourceFile>,
    /// The library that holds its files.
    pub library: Library,
}

impl TestTarget {
    /// Runs its cases. Every problem of the file and of what it tests is pushed; `None` when one of them is an error.
    pub fn test(&self, choice: Choice<'_>, problems: &mut Problems) -> Option<Suite> {
        let TestTarget { kind, name, file, library } = self;
        match kind {
            SuiteKind::Profile => test_profile(name, library, file, choice, problems),
            SuiteKind::Rules => test_rules(name, library, file, choice, problems),
            SuiteKind::Vocabulary => test_vocabulary(name, library, file, choice, problems),
        }
    }
}

/// Everything that can be named and has a test file: profiles, then rules, then vocabularies. Pushes the problems of
/// files that can't be read, and warnings about files of rules and vocabularies without cases.
pub fn subjects(library: &Library, problems: &mut Problems) -> Vec<TestTarget> {
    let mut found = Vec::new();
    for (kind, folder) in SuiteKind::FOLDERS {
        for path in library.list(folder, ENDING) {
            let Some(name) =
                path.strip_prefix(folder).and_then(|rest| rest.strip_prefix('/')?.strip_suffix(ENDING))
            else {
                continue;
            };
            match library.read(&path) {
                Ok(Some(file)) => {
                    found.push(TestTarget { kind, name: name.to_owned(), file, library: library.clone() });
                }
                Ok(None) => {}
                Err(problem) => problems.push(problem),
            }
        }
    }
    for path in library.list("rules", ".yaml") {
        let name = path.trim_start_matches("rules/").trim_end_matches(".yaml");
        let tested =
            name.ends_with(".test") || found.iter().any(|s| s.kind == SuiteKind::Rules && s.name == name);
        if let Some(file) = library.read(&path).ok().flatten().filter(|file| !tested && holds_rules(file)) {
            let message = format!("the rules of `{}` have no cases", file.name());
            let warning = Problem { level: Level::Warning, ..Problem::placeless(Code::InertRule, message) };
            problems.push(warning.help(format!(
                "write `rules/{name}{ENDING}`: `cases: [{{ rule: ID, valid: [..], invalid: [..] }}]`"
            )));
        }
    }
    let folder = Inheritance::VOCABULARIES.folder;
    for path in library.list(folder, ".yaml") {
        let Some(name) =
            path.strip_prefix(folder).and_then(|rest| rest.strip_prefix('/')?.strip_suffix(".yaml"))
        else {
            continue;
        };
        let tested = name.ends_with(".test")
            || found.iter().any(|s| s.kind == SuiteKind::Vocabulary && s.name == name);
        if !tested {
            let message = format!("the vocabulary `{path}` has no cases");
            let warning = Problem { level: Level::Warning, ..Problem::placeless(Code::InertRule, message) };
            problems.push(warning.help(format!(
                "write `{folder}/{name}{ENDING}`: `cases: [{{ text: .., field: .., says: .. }}]`"
            )));
        }
    }
    found
}

/// The profile, rules or vocabulary that an argument names: by name, by path, or by the path of the test file.
///
/// # Errors
/// If nothing has that name, or it has no test file.
pub fn find_subject(argument: &str, library: &Library) -> Result<TestTarget, Problem> {
    let is_path = argument.contains(['/', '\\']) || argument.ends_with(".yaml") || argument.ends_with(".yml");
    if is_path { by_path(argument, library) } else { by_name(argument, library) }
}

/// The reason why the target of an argument has no cases: it is a folder, or a file of another kind.
fn no_subject(argument: &str) -> Option<Problem> {
    let path = Path::new(argument);
    let (what, help) = if path.is_dir() {
        ("a folder", "`loopctl test` without a name tests all of this project; else name one of its files")
    } else if path.is_file() {
        (
            "no profile, rule file or vocabulary",
            "name one, such as `profiles/batch.yaml`; its cases stand beside it",
        )
    } else {
        return None;
    };
    Some(Problem::placeless(Code::Unreadable, format!("`{argument}` is {what}")).help(help))
}

fn by_name(name: &str, library: &Library) -> Result<TestTarget, Problem> {
    let mut known = None;
    for (kind, folder) in SuiteKind::FOLDERS {
        if known.is_none() && library.read(&format!("{folder}/{name}.yaml"))?.is_some() {
            known = Some((kind, folder));
        }
    }
    let (kind, folder) = match known {
        Some(known) => known,
        None => {
            if let Some(problem) = no_subject(name) {
                return Err(problem);
            }
            let known = available(library);
            let list = prose::listed(&known);
            let help = match nearest(name, known.iter().map(String::as_str)) {
                Some(guess) => format!("did you mean `{guess}`? Known profiles: {list}"),
                None => format!("known profiles: {list}; or give a path such as ./my-profile.yaml"),
            };
            let problem = Problem::placeless(
                Code::UnknownProfile,
                format!("no profile, rule file or vocabulary is called `{name}`"),
            );
            return Err(problem.help(help));
        }
    };
    let path = format!("{folder}/{name}{ENDING}");
    match library.read(&path)? {
        Some(file) => Ok(TestTarget { kind, name: name.to_owned(), file, library: library.clone() }),
        None => Err(without_cases(name, &path)),
    }
}

fn by_path(argument: &str, library: &Library) -> Result<TestTarget, Problem> {
    let path = Path::new(argument);
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let ending = if name.ends_with(".yml") { "yml" } else { "yaml" };
    let stem = name.trim_end_matches(".yaml").trim_end_matches(".yml").trim_end_matches(".test").to_owned();
    let own = path.with_file_name(format!("{stem}.{ending}"));
    let tests = path.with_file_name(format!("{stem}.test.{ending}"));
    if !own.exists() && tests.exists() {
        return Err(without_subject(&own, &tests));
    }
    if !own.exists()
        && let Some(problem) = no_subject(argument)
    {
        return Err(problem);
    }
    let file = read_text_file(&own)?;
    let within_rules = own.parent().and_then(Path::file_name).is_some_and(|folder| folder == "rules");
    if within_rules && is_empty(&file) {
        return Err(Inheritance::RULES.empty(&file));
    }
    let tested = match read_text_file(&tests) {
        Ok(tested) => tested,
        Err(problem) if problem.code == Code::Unreadable => {
            return Err(without_cases(&own.shown(), &tests.shown()));
        }
        Err(problem) => return Err(problem),
    };
    let folder = own.parent().map(Path::to_path_buf).unwrap_or_default();
    if folder.file_name().is_some_and(|last| last == "vocabularies") {
        let library = library
            .nearest(&above(&folder, 2))
            .holding(&format!("{}/{stem}.yaml", Inheritance::VOCABULARIES.folder), file.text());
        return Ok(TestTarget { kind: SuiteKind::Vocabulary, name: stem, file: tested, library });
    }
    if !holds_rules(&file) {
        let name = own.shown().into_owned();
        return Ok(TestTarget { kind: SuiteKind::Profile, name, file: tested, library: library.clone() });
    }
    // Rules name their scripts relative to the folder that holds `rules`.
    let project = above(&folder, usize::from(folder.file_name().is_some_and(|last| last == "rules")));
    let library = library.nearest(&project).holding(&format!("rules/{stem}.yaml"), file.text());
    Ok(TestTarget { kind: SuiteKind::Rules, name: stem, file: tested, library })
}

/// The folder so many levels above another; `.` for the current directory.
fn above(folder: &Path, levels: usize) -> PathBuf {
    match folder.ancestors().nth(levels) {
        Some(project) if !project.as_os_str().is_empty() => project.to_path_buf(),
        _ => PathBuf::from("."),
    }
}

/// Returns whether a file has rules, and is not a rubric, classification or profile.
fn holds_rules(file: &Arc<SourceFile>) -> bool {
    yaml::parse(file, &mut Problems::new())
        .is_some_and(|node| node.get("rules").is_some_and(|rules| matches!(rules.data, Data::List(_))))
}

fn is_empty(file: &Arc<SourceFile>) -> bool {
    yaml::parse(file, &mut Problems::new()).is_some_and(|node| matches!(node.data, Data::Null))
}

/// The problem of cases whose subject does not exist.
fn without_subject(own: &Path, tests: &Path) -> Problem {
    let message = format!("`{}` has cases for `{}`, which is not there", tests.shown(), own.shown());
    Problem::placeless(Code::MissingFile, message)
        .help("give the cases the name of what they are for, or take the file out")
}

fn without_cases(what: &str, path: &str) -> Problem {
    Problem::placeless(Code::MissingFile, format!("`{what}` has no test file `{path}`"))
        .help("copy one such as profiles/batch.test.yaml and change its numbers")
}
