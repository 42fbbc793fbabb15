//! Profiles and everything they reach checked, and any other file by itself.

use crate::context::{Context, PRICES};
use crate::diag::{Code, Level, Problem, Problems, SourceFile};
use crate::experiment::calibrate::Basis;
use crate::lint::{
    FileKind, check_file, check_loaded, files_of, is_about_shipped, lint_certificate, lint_endings,
    lint_prices,
};
use crate::profile::{FileTracker, Library, available, read_text_file};
use crate::profiles::SelectedProfile;
use crate::provider::Providers;
use crate::value::prose::count;
use std::path::Path;
use std::sync::Arc;

/// A request to check profiles and files. Without any, all profiles that can be named and every file of the project
/// are checked.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct CheckRequest {
    /// Profiles by name or path.
    pub profiles: Vec<String>,
    /// Settings laid over each profile.
    pub settings: Vec<String>,
    /// Profiles by name or path, and files of any other kind by path.
    pub named: Vec<String>,
}

/// The problems of what was checked.
#[derive(Debug, Default)]
pub struct CheckAnswer {
    /// The problems.
    pub problems: Problems,
    profiles: usize,
    files: usize,
}

/// Checks profiles and files.
#[must_use]
pub fn check(request: &CheckRequest, context: &Context, providers: &Providers) -> CheckAnswer {
    let (library, mut checked) = (context.library(), CheckAnswer::default());
    context.prices(None, &mut checked.problems);
    let mut checker = Checker { settings: &request.settings, context, library, providers, checked };
    if request.profiles.is_empty() && request.named.is_empty() {
        checker.project();
    }
    request.profiles.iter().for_each(|name| checker.profile(name, |_| true));
    request.named.iter().for_each(|name| checker.named(name));
    checker.checked
}

impl CheckAnswer {
    /// The number of checked things and of their problems, for people.
    #[must_use]
    pub fn closing(&self) -> String {
        let counted = |number: usize, what: &str| count(number as u64, what);
        let what = match (self.profiles, self.files) {
            (profiles, 0) => counted(profiles, "profile"),
            (0, files) => counted(files, "file"),
            (profiles, files) => {
                format!("{} and {}", counted(profiles, "profile"), counted(files, "other file"))
            }
        };
        let problems = &self.problems;
        let mut counts =
            vec![counted(problems.error_count(), "error"), counted(problems.warning_count(), "warning")];
        if problems.note_count() > 0 {
            counts.push(counted(problems.note_count(), "note"));
        }
        let mut text = format!("{what} checked: {}\n", counts.join(", "));
        if let Some(first) = problems.sorted().into_iter().rev().max_by_key(|problem| problem.level) {
            text.push_str(&format!("more about a code: loopctl explain {}\n", first.code.as_str()));
        }
        text
    }
}

/// Checks one thing after the other.
struct Checker<'a> {
    settings: &'a [String],
    context: &'a Context,
    library: Library,
    providers: &'a Providers,
    checked: CheckAnswer,
}

impl Checker<'_> {
    /// Checks all profiles that can be named, and every file of the project in the working directory.
    fn project(&mut self) {
        for name in available(&self.library) {
            // Shipped files were not asked about, and can't be changed here.
            self.profile(&name, |problem| problem.level > Level::Note || !is_about_shipped(problem));
        }
        let table = Path::new(PRICES);
        if table.is_file() {
            // Errors of form were found when prices were loaded.
            if let Ok(file) = read_text_file(table) {
                lint_prices(&file, self.providers, &mut self.checked.problems);
            }
            self.checked.files += 1;
        }
        for (kind, path, file) in files_of(Path::new("."), &mut self.checked.problems) {
            self.file(kind, &path, &file);
        }
        lint_endings(&mut self.checked.problems);
    }

    /// Checks a profile. Only the problems that are `wanted` are reported.
    fn profile(&mut self, name: &str, wanted: impl FnMut(&Problem) -> bool) {
        // Problems of another profile must not reduce the checks of this one.
        let mut problems = Problems::new();
        let profile = SelectedProfile::of(name, self.settings);
        let notes = FileTracker::default();
        let library = self.library.clone().noted_in(&notes);
        if let Some(loaded) = profile.load(self.context, &library, &[], &mut problems) {
            let environment = |name: &str| self.context.variable(name);
            check_loaded(&loaded, self.providers, &environment, &mut problems);
            let basis = Basis::of(&loaded.profile, &notes.take(), Path::new(name));
            lint_certificate(&loaded, &basis, &mut problems);
        }
        problems.retain(wanted);
        self.checked.problems.extend(problems);
        self.checked.profiles += 1;
    }

    /// Checks a file that is not a profile.
    fn file(&mut self, kind: FileKind, path: &Path, file: &Arc<SourceFile>) {
        let problems = &mut self.checked.problems;
        check_file(kind, path, file, &self.library, problems);
        if kind == FileKind::Prices {
            lint_prices(file, self.providers, problems);
        }
        self.checked.files += 1;
    }

    /// Checks a profile, or a file of another kind.
    fn named(&mut self, name: &str) {
        let path = Path::new(name);
        if path.is_dir() {
            let problem = Problem::placeless(Code::Unreadable, format!("`{name}` is a folder"));
            let problem = problem.help("`loopctl check` without a name checks everything in this folder");
            self.checked.problems.push(problem);
            return;
        }
        let ending = path.extension().map(|ending| ending.to_string_lossy().to_lowercase());
        let ending = ending.unwrap_or_default();
        let is_yaml = matches!(ending.as_str(), "yaml" | "yml");
        let is_path = is_yaml
            || name.contains(['/', '\\'])
            || path.is_file()
            || matches!(ending.as_str(), "json" | "md" | "txt" | "rhai");
        let kind = match is_path.then(|| read_text_file(path)) {
            // For a profile that can't be read, loading reports why.
            None => Ok(None),
            Some(Err(_)) if is_yaml => Ok(None),
            Some(Err(problem)) => Err(problem),
            Some(Ok(file)) => FileKind::of(path, &file).map(|kind| Some((kind, file))),
        };
        match kind {
            Ok(None | Some((FileKind::Profile, _))) => self.profile(name, |_| true),
            Ok(Some((kind, file))) => self.file(kind, path, &file),
            Err(problem) => {
                self.checked.files += 1;
                self.checked.problems.push(problem);
            }
        }
    }
}
