//! Problems in what people wrote: where they are, what they mean, how they are shown.
//!
//! A check never stops at the first mistake: it pushes each [`Problem`] into [`Problems`] and goes on, so that one
//! run shows everything. A problem carries a stable [`Code`], the [`Span`] it is about, and what to do about it.

mod code;
mod mask;
mod render;
mod sarif;
mod source;

pub use code::Code;
pub use render::{Style, render_human, render_json};
pub(crate) use sarif::render_sarif;
pub use source::{SourceFile, Span};

use std::fmt;

/// How much a problem weighs: an error makes the file unusable, a warning and a note do not.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Level {
    /// Worth knowing; nothing need be wrong, or it is wrong on this machine only.
    Note,
    /// Probably not what was meant; the file can be used.
    Warning,
    /// The file can't be used.
    Error,
}

impl Level {
    /// The word for it in every output format.
    #[must_use]
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Level::Note => "note",
            Level::Warning => "warning",
            Level::Error => "error",
        }
    }
}

/// One mistake in a file, an environment variable or an argument.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Problem {
    /// What kind of mistake; stable across releases.
    pub code: Code,
    /// Error or warning.
    pub level: Level,
    /// What is wrong: lower case, one line, no full stop.
    pub message: String,
    /// Where. `None` only when the problem has no text to point at, such as a file that does not exist.
    pub span: Option<Span>,
    /// A few words beside the marked text.
    pub label: String,
    /// What to do about it.
    pub help: Option<String>,
    /// Other places that matter, each with a few words on why.
    pub related: Vec<(Span, String)>,
}

impl Problem {
    /// An error at `span`.
    #[must_use]
    pub fn error(code: Code, span: &Span, message: impl Into<String>) -> Self {
        Self::new(code, Level::Error, Some(span.clone()), message.into())
    }

    /// A warning at `span`.
    #[must_use]
    pub fn warning(code: Code, span: &Span, message: impl Into<String>) -> Self {
        Self::new(code, Level::Warning, Some(span.clone()), message.into())
    }

    /// A note at `span`.
    #[must_use]
    pub fn note(code: Code, span: &Span, message: impl Into<String>) -> Self {
        Self::new(code, Level::Note, Some(span.clone()), message.into())
    }

    /// An error that has no text to point at.
    #[must_use]
    pub fn placeless(code: Code, message: impl Into<String>) -> Self {
        Self::new(code, Level::Error, None, message.into())
    }

    fn new(code: Code, level: Level, span: Option<Span>, message: String) -> Self {
        Problem { code, level, message, span, label: String::new(), help: None, related: Vec::new() }
    }

    /// Says a few words beside the marked text.
    #[must_use]
    pub fn label(mut self, label: impl Into<String>) -> Self {
        self.label = label.into();
        self
    }

    /// Says what to do.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// Points at another place that matters.
    #[must_use]
    pub fn related(mut self, span: &Span, why: impl Into<String>) -> Self {
        self.related.push((span.clone(), why.into()));
        self
    }
}

impl fmt::Display for Problem {
    /// One line: `file:line:column: error[LC102]: message`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(span) = &self.span {
            write!(f, "{}: ", span.location())?;
        }
        write!(f, "{}[{}]: {}", self.level.as_str(), self.code.as_str(), self.message)
    }
}

/// Most problems that are kept: nobody reads more, and a file of nothing but mistakes must not take for ever.
const MOST_KEPT: usize = 500;

/// All problems found so far, in the order in which they were found. Those after the first 500 are only counted.
#[derive(Debug, Clone, Default)]
pub struct Problems {
    kept: Vec<Problem>,
    more_errors: usize,
    more_warnings: usize,
    more_notes: usize,
}

impl Problems {
    /// None yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds one. A second problem with the same code, place and message says nothing and is dropped.
    pub fn push(&mut self, problem: Problem) {
        if self.kept.len() >= MOST_KEPT {
            match problem.level {
                Level::Error => self.more_errors += 1,
                Level::Warning => self.more_warnings += 1,
                Level::Note => self.more_notes += 1,
            }
            return;
        }
        let known = self.kept.iter().any(|p| {
            p.code == problem.code && p.message == problem.message && p.span.as_ref() == problem.span.as_ref()
        });
        if !known {
            self.kept.push(problem);
        }
    }

    /// Adds all of another collection.
    pub fn extend(&mut self, other: Problems) {
        for problem in other.kept {
            self.push(problem);
        }
        self.more_errors += other.more_errors;
        self.more_warnings += other.more_warnings;
        self.more_notes += other.more_notes;
    }

    /// Whether any of them is an error.
    #[must_use]
    pub fn has_errors(&self) -> bool {
        self.error_count() > 0
    }

    /// Number of errors.
    #[must_use]
    pub fn error_count(&self) -> usize {
        self.kept_at(Level::Error) + self.more_errors
    }

    /// Number of warnings.
    #[must_use]
    pub fn warning_count(&self) -> usize {
        self.kept_at(Level::Warning) + self.more_warnings
    }

    /// Number of notes.
    #[must_use]
    pub(crate) fn note_count(&self) -> usize {
        self.kept_at(Level::Note) + self.more_notes
    }

    fn kept_at(&self, level: Level) -> usize {
        self.kept.iter().filter(|p| p.level == level).count()
    }

    /// Whether there is nothing to say.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Number of problems of any level.
    #[must_use]
    pub fn len(&self) -> usize {
        self.kept.len() + self.not_kept()
    }

    /// How many were counted and not kept.
    #[must_use]
    pub(crate) fn not_kept(&self) -> usize {
        self.more_errors + self.more_warnings + self.more_notes
    }

    /// The kept problems in the order of their files and places; those without a place first.
    #[must_use]
    pub(crate) fn sorted(&self) -> Vec<&Problem> {
        let mut all: Vec<&Problem> = self.kept.iter().collect();
        all.sort_by(|a, b| {
            let key = |p: &Problem| p.span.as_ref().map(|s| (s.file().name().to_owned(), s.start()));
            key(a).cmp(&key(b))
        });
        all
    }

    /// Keeps those of which `keep` holds. Those that were only counted stay so.
    pub fn retain(&mut self, keep: impl FnMut(&Problem) -> bool) {
        self.kept.retain(keep);
    }

    /// Changes those that are kept.
    pub fn change(&mut self, change: impl FnMut(&mut Problem)) {
        self.kept.iter_mut().for_each(change);
    }

    /// Iterates over the kept ones in the order of discovery.
    pub fn iter(&self) -> impl Iterator<Item = &Problem> {
        self.kept.iter()
    }
}

impl From<Problem> for Problems {
    fn from(problem: Problem) -> Self {
        Problems { kept: vec![problem], ..Problems::default() }
    }
}

/// The known name nearest to `word`, if one is near enough to be a slip of the keyboard.
#[must_use]
pub(crate) fn nearest<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let folded = word.to_lowercase().replace('-', "_");
    known
        .into_iter()
        .map(|candidate| {
            let similarity =
                strsim::normalized_damerau_levenshtein(&folded, &candidate.to_lowercase().replace('-', "_"));
            (similarity, candidate)
        })
        .filter(|(similarity, _)| *similarity >= 0.6)
        .max_by(|a, b| a.0.total_cmp(&b.0))
        .map(|(_, candidate)| candidate)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nearest_finds_slips_and_leaves_strangers_alone() {
        let known = ["max_iterations", "min_improvement", "timeout"];
        assert_eq!(nearest("max_iteration", known), Some("max_iterations"));
        assert_eq!(nearest("min-improvment", known), Some("min_improvement"));
        assert_eq!(nearest("colour", known), None);
    }

    #[test]
    fn a_repeated_problem_is_kept_once() {
        let file = SourceFile::new("a.yaml", "x: 1\n");
        let span = Span::new(&file, 0, 1);
        let mut problems = Problems::new();
        problems.push(Problem::error(Code::UnknownKey, &span, "unknown key `x`"));
        problems.push(Problem::error(Code::UnknownKey, &span, "unknown key `x`"));
        assert_eq!(problems.len(), 1);
    }

    #[test]
    fn endless_mistakes_are_counted_and_not_kept() {
        let file = SourceFile::new("a.yaml", "x: 1\n");
        let mut problems = Problems::new();
        for n in 0..100_000 {
            let message = format!("unknown key `k{n}`");
            problems.push(Problem::warning(Code::UnknownKey, &Span::new(&file, 0, 1), message));
        }
        assert!(!problems.has_errors());
        problems.push(Problem::error(Code::WrongType, &Span::new(&file, 0, 1), "expected text"));
        assert_eq!((problems.len(), problems.error_count(), problems.iter().count()), (100_001, 1, 500));
        let text = render_human(&problems, Style::Plain);
        assert!(text.ends_with("and 99501 more problems\n"), "{}", &text[text.len() - 100..]);
        assert_eq!(render_json(&problems).as_array().unwrap().len(), 501);
    }
}
