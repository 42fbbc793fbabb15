//! All problems that were found, of which a limited number is kept.

use super::{Level, Problem};

/// The most problems that are kept: no one reads more, and a file of nothing but mistakes must not take forever.
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
    /// An empty collection.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds one. A second problem with the same code, location and message adds nothing and is dropped.
    pub fn push(&mut self, problem: Problem) {
        if self.kept.len() >= MOST_KEPT {
            match problem.level {
                Level::Error => self.more_errors += 1,
                Level::Warning => self.more_warnings += 1,
                Level::Note => self.more_notes += 1,
            }
            return;
        }
        if !self.contains(&problem) {
            self.kept.push(problem);
        }
    }

    /// Returns whether there is one with the same code, location and message.
    #[must_use]
    pub fn contains(&self, problem: &Problem) -> bool {
        let is_same = |kept: &Problem| {
            kept.code == problem.code && kept.message == problem.message && kept.span == problem.span
        };
        self.kept.iter().any(is_same)
    }

    /// Rewords some problems for their reader.
    pub fn reword(&mut self, reword: impl Fn(Problem) -> Problem) {
        self.kept = std::mem::take(&mut self.kept).into_iter().map(reword).collect();
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

    /// Returns whether any of them is an error.
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
    pub fn note_count(&self) -> usize {
        self.kept_at(Level::Note) + self.more_notes
    }

    fn kept_at(&self, level: Level) -> usize {
        self.kept.iter().filter(|p| p.level == level).count()
    }

    /// Returns whether there are no problems.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Number of problems of any level.
    #[must_use]
    pub fn len(&self) -> usize {
        self.kept.len() + self.not_kept()
    }

    /// The number of problems that were counted but not kept.
    #[must_use]
    pub fn not_kept(&self) -> usize {
        self.more_errors + self.more_warnings + self.more_notes
    }

    /// The kept problems in the order of their files and positions; those without a location first.
    #[must_use]
    pub fn sorted(&self) -> Vec<&Problem> {
        let mut all: Vec<&Problem> = self.kept.iter().collect();
        all.sort_by(|a, b| {
            let key = |p: &Problem| p.span.as_ref().map(|s| (s.file().name().to_owned(), s.start()));
            key(a).cmp(&key(b))
        });
        all
    }

    /// Keeps those for which `keep` holds. Those that were only counted stay so.
    pub fn retain(&mut self, keep: impl FnMut(&Problem) -> bool) {
        self.kept.retain(keep);
    }

    /// Applies `change` to those that are kept.
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

#[cfg(test)]
mod tests {
    use super::super::{Code, SourceFile, Span, Style, render_human, render_json};
    use super::*;

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
