//! Values of a space with which no policy can be used.

use super::Experiment;
use crate::diag::{Code, Level, Problem, Problems, Span};
use crate::value::decode::Spanned;

/// The most policies with a value that are inspected to find a usable one. Whether there is a later one shows when all
/// are tried.
const MOST_LOOKED_AT: usize = 1_000;

/// The values of a space that are in some usable policy: by the setting, then by the index among its values.
struct Usable(Vec<Vec<bool>>);

impl Experiment {
    /// Checks, for a profile, whether each value of the space is in a usable policy, before any policy is tried. The
    /// problems of a value that is in none are pushed, at its location; those of the profile without the space (`own`)
    /// keep theirs. Values that `conditions` leave out with this profile are not inspected. `build` returns whether a
    /// combination is a policy, and pushes its problems.
    ///
    /// # Errors
    /// The first condition that has no answer.
    pub fn check_values(
        &self,
        profile: &str,
        own: &Problems,
        mut build: impl FnMut(usize, &mut Problems) -> bool,
        problems: &mut Problems,
    ) -> Result<(), &Spanned<String>> {
        let counts = self.space.counts();
        let mut usable = Usable(counts.iter().map(|count| vec![false; *count]).collect());
        let values =
            (0..).zip(&counts).flat_map(|(setting, count)| (0..*count).map(move |place| (setting, place)));
        for (setting, place) in values {
            if usable.has(setting, place) {
                continue;
            }
            let wrong = self.look_at(profile, (setting, place), &mut build, &mut usable)?;
            let (Some(wrong), Some(value)) = (wrong, self.space.place_of(setting, place)) else { continue };
            for problem in wrong.iter().filter(|problem| problem.level == Level::Error) {
                // The numbers of a range share one span: the first that is wrong is reported for all.
                let problem = if own.contains(problem) { problem.clone() } else { at_value(problem, value) };
                let is_said = |other: &Problem| other.code == problem.code && other.span == problem.span;
                if !problems.iter().any(is_said) {
                    problems.push(problem);
                }
            }
        }
        Ok(())
    }

    /// Builds policies with a value until one is usable; otherwise returns the problems of the first of them, or of the
    /// value itself.
    fn look_at(
        &self,
        profile: &str,
        (setting, place): (usize, usize),
        build: &mut impl FnMut(usize, &mut Problems) -> bool,
        usable: &mut Usable,
    ) -> Result<Option<Problems>, &Spanned<String>> {
        let mut first = None;
        let mut looked_at = 0;
        for combination in self.space.having(setting, place) {
            if !self.space.is_wanted(profile, combination, &self.conditions)? {
                continue;
            }
            let mut found = Problems::new();
            if build(combination, &mut found) {
                usable.note(&self.space.places(combination));
                return Ok(None);
            }
            let spans = self.space.place_of(setting, place).into_iter().chain(self.space.key_of(setting));
            if spans.into_iter().any(|span| found.iter().any(|problem| is_of_it_alone(problem, span))) {
                return Ok(Some(found));
            }
            first.get_or_insert(found);
            looked_at += 1;
            if looked_at == MOST_LOOKED_AT {
                return Ok(None);
            }
        }
        Ok(first)
    }
}

impl Usable {
    fn has(&self, setting: usize, place: usize) -> bool {
        self.0.get(setting).and_then(|values| values.get(place)).is_some_and(|usable| *usable)
    }

    /// Records a combination that is usable, with these `places`.
    fn note(&mut self, places: &[usize]) {
        for (values, place) in self.0.iter_mut().zip(places) {
            if let Some(usable) = values.get_mut(*place) {
                *usable = true;
            }
        }
    }
}

/// Returns whether a problem is caused by the value at `span` alone, whatever the other settings are.
fn is_of_it_alone(problem: &Problem, span: &Span) -> bool {
    let of_its_form =
        matches!(problem.code, Code::UnknownKey | Code::WrongType | Code::OutOfRange | Code::UnknownWord);
    of_its_form && problem.span.as_ref().is_some_and(|of| span.contains(of))
}

/// A problem reported at the value of the experiment; the location in the profile becomes a related one.
fn at_value(problem: &Problem, value: &Span) -> Problem {
    let mut problem = problem.clone();
    match &problem.span {
        Some(span) if span.file().name() == value.file().name() => {}
        elsewhere => {
            let related = elsewhere.clone().map(|span| (span, "together with this setting".to_owned()));
            problem.related.extend(related);
            problem.span = Some(value.clone());
        }
    }
    problem
}
