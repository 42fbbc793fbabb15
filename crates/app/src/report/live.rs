//! One line per iteration while a run is in progress.

use super::paint::Paint;
use crate::engine::Event;
use crate::policy::{Decision, FinalStatus, StopReason, Verdict};
use crate::profile::LoopPolicy;
use crate::score::Assessment;
use crate::value::{DocumentId, EPSILON, Severity, at_least};
use crate::value::{prose, sanitize_line};
use std::fmt::Write;
use std::sync::Arc;

/// Scores are considered equal if they differ by less than these decimals show.
const MOST_DECIMALS: usize = 9;

/// Turns events into lines for people.
#[derive(Debug)]
pub struct Live {
    policy: Arc<LoopPolicy>,
    paint: Paint,
    /// Notes on the current document: shown once, however often it is decided.
    noted: Vec<String>,
    /// The iteration whose scores were shown last, as tier 1 gave them.
    shown: Option<usize>,
    /// `true` if only one candidate was allowed from the start: then the limit is not worth a line.
    one_candidate: bool,
}

impl Live {
    /// Lines that show scores against the targets of this policy.
    #[must_use]
    pub fn new(policy: Arc<LoopPolicy>, paint: Paint) -> Self {
        Live { policy, paint, noted: Vec::new(), shown: None, one_candidate: false }
    }

    /// Like this one, for a verdict on one candidate.
    #[must_use]
    pub fn of_one_candidate(self) -> Self {
        Live { one_candidate: true, ..self }
    }

    /// The line with which a document begins.
    #[must_use]
    pub fn opening(&mut self, id: &DocumentId, document_type: &str) -> String {
        self.noted.clear();
        self.shown = None;
        format!("{}  {}", self.paint.strong(&sanitize_line(id.as_str())), sanitize_line(document_type))
    }

    /// The line for an event; `None` for those that people need not see.
    #[must_use]
    pub fn line(&mut self, event: &Event) -> Option<String> {
        match event {
            // With a judge's answers about single values; the conclusion follows.
            Event::Assessed { iteration, .. } if self.shown == Some(*iteration) => None,
            Event::Assessed { iteration, assessment } => {
                self.shown = Some(*iteration);
                Some(self.scores(&format!("  {iteration:>2}"), assessment))
            }
            // The same candidate, after judges, validators and locks.
            Event::Concluded { assessment, .. } => Some(self.scores("   +", assessment)),
            Event::Decided(decision) => {
                let mut lines = format!("     {}", self.decision(decision));
                for note in &decision.notes {
                    if self.noted.contains(note) {
                        continue;
                    }
                    self.noted.push(note.clone());
                    let _ = write!(lines, "\n     {} {}", self.paint.warn("warning:"), sanitize_line(note));
                }
                Some(lines)
            }
            Event::Failed { failure, .. } | Event::Unanswered { failure, .. } => {
                Some(format!("     {} {}", self.paint.bad("call failed:"), sanitize_line(&failure.message)))
            }
            Event::Waiting { until, .. } => Some(self.paint.faint(&format!("     trying again at {until}"))),
            Event::Unreadable { reason } => {
                Some(format!("     {} {}", self.paint.bad("unreadable:"), sanitize_line(reason)))
            }
            Event::Stopped { .. } => Some(format!("     {}", self.paint.warn("stopped"))),
            Event::Started
            | Event::Called(_)
            | Event::Supplied { .. }
            | Event::Staged { .. }
            | Event::Assembled { .. }
            | Event::Produced { .. }
            | Event::Consulted { .. }
            | Event::Woke
            | Event::Finished(_) => None,
        }
    }

    fn scores(&self, beginning: &str, assessment: &Assessment) -> String {
        let mut line = beginning.to_owned();
        // A dimension called `overall` is the overall score, which is at the end.
        for (name, score) in assessment.scores.iter().filter(|(name, _)| *name != "overall") {
            let _ = write!(line, "  {name} {}", self.against(score.get(), self.bound(name)));
        }
        let _ = write!(
            line,
            "  {} {}",
            self.paint.strong("overall"),
            self.against(assessment.overall, self.bound("overall"))
        );
        let issues: Vec<String> = Severity::WRONG
            .into_iter()
            .filter_map(|severity| {
                let count = assessment.count_severity(severity);
                (count > 0).then(|| format!("{count} {}", severity.as_str()))
            })
            .collect();
        let issues = if issues.is_empty() { "no issues".to_owned() } else { issues.join(", ") };
        let _ = write!(line, "  {}", self.paint.faint(&issues));
        line
    }

    fn bound(&self, name: &str) -> Option<f64> {
        let mut thresholds = self.policy.accept.thresholds.iter();
        thresholds.find(|threshold| threshold.target.name() == name).map(|threshold| threshold.bound.get())
    }

    /// `0.871/0.980`, green when it is enough.
    fn against(&self, value: f64, bound: Option<f64>) -> String {
        match bound {
            None => format!("{value:.3}"),
            Some(bound) => {
                let decimals = decimals(value, bound);
                let text = format!("{value:.decimals$}/{bound}");
                if at_least(value, bound) { self.paint.good(&text) } else { self.paint.warn(&text) }
            }
        }
    }

    fn decision(&self, decision: &Decision) -> String {
        let line = match &decision.verdict {
            Verdict::Stop { reason }
                if self.one_candidate && reason.status() == FinalStatus::MaxIterationsReached =>
            {
                format!("→ not passed ({})", missed(decision).join("; "))
            }
            _ => decision_line(decision),
        };
        match &decision.verdict {
            Verdict::Stop { reason: StopReason::Accepted } => self.paint.good(&line),
            Verdict::Stop { .. } => self.paint.warn(&line),
            Verdict::Continue { .. } => self.paint.faint(&line),
        }
    }
}

/// The decision and its reason, in one line.
#[must_use]
pub fn decision_line(decision: &Decision) -> String {
    match &decision.verdict {
        Verdict::Stop { reason: StopReason::Accepted } => {
            "→ accepted: every line of `accept` holds".to_owned()
        }
        Verdict::Stop { reason: StopReason::Criterion("unchanged") } => match decision.checks.last() {
            Some(check) => {
                format!("→ stop, unchanged (equals iteration {})", prose::decimals(check.value, 4))
            }
            None => "→ stop, unchanged".to_owned(),
        },
        Verdict::Stop { reason } => match decision.checks.last() {
            Some(check) => {
                let at = check
                    .path
                    .as_ref()
                    .map_or_else(String::new, |path| format!(" at {}", sanitize_line(path)));
                format!("→ stop, {reason} ({}{at})", numbers(&check.line, check.value, check.bound))
            }
            None => format!("→ stop, {reason}"),
        },
        Verdict::Continue { base } => {
            let missed = missed(decision);
            let from = if decision.rolled_back {
                format!("back to iteration {base}")
            } else {
                format!("correct iteration {base}")
            };
            let why = if missed.is_empty() { "the gate was missed".to_owned() } else { missed.join("; ") };
            format!("→ {from} ({why})")
        }
    }
}

/// The lines of `accept` that don't hold, each with the values that were compared.
#[must_use]
pub fn missed(decision: &Decision) -> Vec<String> {
    let of_accept = decision.checks.iter().filter(|check| check.line.starts_with("accept.") && !check.holds);
    of_accept.map(|check| numbers(&check.line, check.value, check.bound)).collect()
}

/// `accept.overall: 0.913 against 0.95`.
pub(super) fn numbers(line: &str, value: f64, bound: f64) -> String {
    let decimals = decimals(value, bound);
    format!("{line}: {} against {}", prose::decimals(value, decimals), prose::decimals(bound, decimals))
}

/// The number of decimals of a number beside its bound: three, or as many as the bound has, or as many as it takes to
/// distinguish the two.
fn decimals(value: f64, bound: f64) -> usize {
    let of_bound = bound.to_string().split_once('.').map_or(0, |(_, decimals)| decimals.len());
    let least = of_bound.clamp(3, MOST_DECIMALS);
    let same = |decimals: &usize| prose::decimals(value, *decimals) == prose::decimals(bound, *decimals);
    if (value - bound).abs() <= EPSILON {
        return least;
    }
    (least..MOST_DECIMALS).find(|decimals| !same(decimals)).unwrap_or(MOST_DECIMALS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_beside_its_bound_shows_why_it_is_not_enough() {
        for (value, bound, expected) in [
            (0.912_5, 0.95, "x: 0.912 against 0.95"),
            (0.949_96, 0.95, "x: 0.94996 against 0.95"),
            (0.1 + 0.2, 0.3, "x: 0.3 against 0.3"),
            (-0.233_33, 0.05, "x: -0.233 against 0.05"),
            (0.003_21, 0.000_5, "x: 0.0032 against 0.0005"),
            (3.0, 3.0, "x: 3 against 3"),
        ] {
            assert_eq!(numbers("x", value, bound), expected);
        }
    }
}
