//! Settings about corrections in a profile that makes none.

use super::criteria::Placed;
use super::view::{View, listed};
use crate::diag::{Code, Problem, Problems};
use crate::profile::Criterion;
use crate::stop::keys_about_corrections;

/// Keys that mean nothing without a correction, besides those of `stop`.
const ABOUT_CORRECTIONS: [&[&str]; 10] = [
    &["gate", "on_correction"],
    &["on_regression"],
    &["generate_once"],
    &["select", "order"],
    &["select", "ties"],
    &["select", "return"],
    &["feedback", "history"],
    &["feedback", "max_bytes"],
    &["feedback", "previous_output"],
    &["feedback", "lock"],
];

/// Names the settings of the profile itself that `limit` leaves without effect.
pub(super) fn check(view: &View<'_>, limit: &Placed, problems: &mut Problems) {
    // The group that holds the limit does something.
    let own = |path: &str| limit.path.starts_with(&format!("{path}["));
    let stop = keys_about_corrections().map(|key| vec!["stop", key]);
    let paths: Vec<Vec<&str>> = stop
        .chain(ABOUT_CORRECTIONS.iter().map(|path| path.to_vec()))
        .filter(|path| view.says(path))
        .collect();
    let mut idle: Vec<String> = paths.iter().map(|path| path.join(".")).filter(|path| !own(path)).collect();
    let more = idle.len().saturating_sub(4);
    idle.truncate(4);
    let Some(first) = idle.first().cloned() else { return };
    let names = match more {
        0 => listed(&idle),
        more => format!("{} and {more} more", listed(&idle).replace(" and ", ", ")),
    };
    let key = limit.path.trim_start_matches("stop.");
    let message = format!(
        "`{key}: {}` allows no correction, so {names} {} nothing",
        limit.span_value(view),
        if idle.len() + more == 1 { "does" } else { "do" }
    );
    let one_more = if matches!(limit.criterion, Criterion::MaxCorrections(_)) { 1 } else { 2 };
    // Whoever tries a limit with a flag knows what it leaves out.
    let mut problem = if limit.span.file().is_argument() {
        Problem::note(Code::OneCandidate, &limit.span, message)
    } else {
        Problem::warning(Code::OneCandidate, &limit.span, message)
    };
    problem = problem.help(format!("write `{key}: {one_more}` for one correction, or remove these settings"));
    if let Some(path) = paths.iter().find(|path| path.join(".") == first) {
        problem = problem.related(view.key(path), "does nothing here");
    }
    problems.push(problem);
}

impl Placed {
    /// What the profile says at its key, as it stands there.
    fn span_value(&self, view: &View<'_>) -> String {
        match &self.criterion {
            Criterion::MaxIterations(most) if !self.is_plain() => most.0.to_string(),
            Criterion::MaxCorrections(most) if !self.is_plain() => most.0.to_string(),
            _ => {
                let path: Vec<&str> = self.path.split('.').collect();
                view.value(&path).text().to_owned()
            }
        }
    }
}
