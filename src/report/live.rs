//! One line per iteration while a run goes on.

use super::paint::{Paint, tame};
use crate::engine::Event;
use crate::policy::{Decision, StopReason, Verdict};
use crate::profile::{LoopPolicy, Target};
use crate::score::Assessment;
use crate::value::{DocumentId, Severity, at_least};
use std::fmt::Write;
use std::sync::Arc;

/// Turns events into lines for people.
#[derive(Debug)]
pub struct Live {
    policy: Arc<LoopPolicy>,
    paint: Paint,
    /// What was noted of the current document: said once, however often it is decided.
    noted: Vec<String>,
}

impl Live {
    /// Lines that show scores against the targets of this policy.
    #[must_use]
    pub fn new(policy: Arc<LoopPolicy>, paint: Paint) -> Self {
        Live { policy, paint, noted: Vec::new() }
    }

    /// The line with which a document begins.
    #[must_use]
    pub fn opening(&mut self, id: &DocumentId, document_type: &str) -> String {
        self.noted.clear();
        format!("{}  {}", self.paint.strong(&tame(id.as_str())), tame(document_type))
    }

    /// The line for an event; `None` for those that people need not see.
    #[must_use]
    pub fn line(&mut self, event: &Event) -> Option<String> {
        match event {
            Event::Assessed { iteration, assessment } => {
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
                    let _ = write!(lines, "\n     {} {}", self.paint.warn("warning:"), tame(note));
                }
                Some(lines)
            }
            Event::Failed { failure, .. } | Event::Unanswered { failure, .. } => {
                Some(format!("     {} {}", self.paint.bad("call failed:"), tame(&failure.message)))
            }
            Event::Waiting { until, .. } => Some(self.paint.faint(&format!("     trying again at {until}"))),
            Event::Unreadable { reason } => {
                Some(format!("     {} {}", self.paint.bad("unreadable:"), tame(reason)))
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
        // A dimension called `overall` is the overall score, which stands at the end.
        for (name, score) in assessment.scores.iter().filter(|(name, _)| *name != "overall") {
            let _ = write!(line, "  {name} {}", self.against(score.get(), self.bound(name)));
        }
        let _ = write!(
            line,
            "  {} {}",
            self.paint.strong("overall"),
            self.against(assessment.overall, self.bound("overall"))
        );
        let issues: Vec<String> = Severity::ALL
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
        let named = |target: &Target| target.name() == name;
        self.policy.accept.thresholds.iter().find(|(target, _)| named(target)).map(|(_, bound)| bound.get())
    }

    /// `0.871/0.980`, green when it is enough.
    fn against(&self, value: f64, bound: Option<f64>) -> String {
        match bound {
            None => format!("{value:.3}"),
            Some(bound) if at_least(value, bound) => self.paint.good(&format!("{value:.3}/{bound}")),
            Some(bound) => self.paint.warn(&format!("{value:.3}/{bound}")),
        }
    }

    fn decision(&self, decision: &Decision) -> String {
        let line = decision_line(decision);
        match &decision.verdict {
            Verdict::Stop { reason: StopReason::Accepted } => self.paint.good(&line),
            Verdict::Stop { .. } => self.paint.warn(&line),
            Verdict::Continue { .. } => self.paint.faint(&line),
        }
    }
}

/// What was decided and why, in one line.
#[must_use]
pub fn decision_line(decision: &Decision) -> String {
    let numbers =
        |line: &str, value: f64, bound: f64| format!("{line}: {} against {}", short(value), short(bound));
    match &decision.verdict {
        Verdict::Stop { reason: StopReason::Accepted } => {
            "→ accepted: every line of `accept` holds".to_owned()
        }
        Verdict::Stop { reason: StopReason::Unchanged } => match decision.checks.last() {
            Some(check) => format!("→ stop, unchanged (equals iteration {})", short(check.value)),
            None => "→ stop, unchanged".to_owned(),
        },
        Verdict::Stop { reason } => match decision.checks.last() {
            Some(check) => {
                let at = check.path.as_ref().map_or_else(String::new, |path| format!(" at {}", tame(path)));
                format!("→ stop, {reason} ({}{at})", numbers(&check.line, check.value, check.bound))
            }
            None => format!("→ stop, {reason}"),
        },
        Verdict::Continue { base } => {
            let missed: Vec<String> = decision
                .checks
                .iter()
                .filter(|check| check.line.starts_with("accept.") && !check.holds)
                .map(|check| numbers(&check.line, check.value, check.bound))
                .collect();
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

/// At most four decimals.
pub(super) fn short(value: f64) -> String {
    let text = format!("{value:.4}");
    let trimmed = text.trim_end_matches('0').trim_end_matches('.');
    if trimmed.is_empty() || trimmed == "-0" { "0".to_owned() } else { trimmed.to_owned() }
}
