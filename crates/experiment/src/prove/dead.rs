//! Lines that decide nothing in any run.

use super::Subject;
use super::search::Tried;
use crate::policy::{Decision, StopReason, Verdict};
use crate::profile::OnEscalate;
use crate::stop::Placed;
use std::collections::BTreeSet;

/// The lines that decided some run.
#[derive(Debug, Default)]
pub(super) struct Deciding {
    lines: BTreeSet<String>,
}

impl Deciding {
    fn add(&mut self, line: &str) {
        if !self.lines.contains(line) {
            self.lines.insert(line.to_owned());
        }
    }

    /// Records what decided after a candidate.
    pub(super) fn look(&mut self, tried: &Tried) {
        let Decision { verdict, checks, .. } = &tried.decision;
        if let Verdict::Stop { reason } = verdict {
            match reason {
                StopReason::Accepted => return,
                StopReason::CriticalIssue => self.add("on_escalate"),
                StopReason::Gate => self.add("gate"),
                // The criterion that ends the loop is checked last; of a group, every member that holds had a part.
                StopReason::Group(_) => {
                    for check in checks.iter().filter(|check| check.holds && check.line.starts_with("stop."))
                    {
                        self.add(&check.line);
                    }
                    return;
                }
                _ => {
                    if let Some(last) = checks.last() {
                        self.add(&last.line);
                    }
                }
            }
        }
        // One line alone kept the candidate from being accepted.
        let missed_gate = tried.walk.history.latest().is_some_and(|latest| latest.missed_gate);
        let mut failed = checks.iter().filter(|check| check.line.starts_with("accept.") && !check.holds);
        if let (Some(one), None, false) = (failed.next(), failed.next(), missed_gate) {
            self.add(&one.line);
        }
    }

    /// The lines of the policy that decided nothing, in its order.
    pub(super) fn dead(&self, subject: &Subject<'_>) -> Vec<String> {
        lines(subject).into_iter().filter(|line| !self.lines.contains(line)).collect()
    }
}

/// Every line of a policy that should decide something: those of `accept` and `stop`, the gate, `on_escalate: stop`.
pub fn lines(subject: &Subject<'_>) -> Vec<String> {
    let policy = subject.policy;
    let mut lines = Vec::new();
    if policy.on_escalate == OnEscalate::Stop {
        lines.push("on_escalate".to_owned());
    }
    if policy.gate.is_some() {
        lines.push("gate".to_owned());
    }
    lines.extend(policy.accept.thresholds.iter().map(|threshold| threshold.line().to_string()));
    let limits = policy.accept.issue_limits.iter();
    lines.extend(limits.map(|(kind, _)| format!("accept.{}_issues", kind.as_str())));
    for placed in policy.stop.placed() {
        of_criterion(placed, &mut lines);
    }
    lines
}

fn of_criterion(placed: Placed<'_>, lines: &mut Vec<String>) {
    let Some(properties) = placed.criterion.properties() else {
        return placed.members().for_each(|member| of_criterion(member, lines));
    };
    if properties.parts.is_empty() {
        lines.push(placed.line(0).to_string());
    }
    let deciding = properties.parts.iter().enumerate().filter(|(_, part)| part.decides);
    lines.extend(deciding.map(|(at, _)| placed.line(at).to_string()));
}
