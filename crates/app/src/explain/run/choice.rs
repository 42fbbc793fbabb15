//! The reason why a candidate was chosen: the keys of the order with the values that were compared.

use super::record::{Candidate, Record};
use super::story::{Chosen, Ranked};
use super::verdict::gate;
use super::words::number;
use crate::plan::SelectTerms;
use crate::policy::{IssueCounts, StopReason};
use crate::profile::IssueKind;
use crate::value::prose::{list, plural};
use crate::value::{EPSILON, Score, Severity};
use std::cmp::Ordering;

/// The values that were compared, and what decided. `None` without a chosen candidate.
pub(super) fn chosen(record: &Record) -> Option<Chosen> {
    let outcome = record.outcome.as_ref()?;
    let best = outcome.best_iteration?;
    let assessed = |(at, candidate): (usize, &Candidate)| candidate.overall.map(|_| at);
    let all: Vec<usize> = record.candidates.iter().enumerate().filter_map(assessed).collect();
    let Some(select) = record.terms.as_ref().map(|terms| &terms.select) else {
        let why = vec!["in which order candidates were compared was not recorded".to_owned()];
        return Some(Chosen { iteration: best, order: Vec::new(), candidates: Vec::new(), why });
    };
    let candidates: Vec<Ranked> = all
        .iter()
        .filter_map(|at| {
            let candidate = record.candidates.get(*at)?;
            let values = select.order.iter().map(|key| value(key, candidate)).collect();
            Some(Ranked { iteration: *at, values })
        })
        .collect();
    let accepted = outcome.stop_reason == StopReason::Accepted;
    let missed_gate = |at: usize| {
        let known = record.candidates.get(at).and_then(|candidate| gate(candidate, record.terms.as_ref()));
        known.is_some_and(|gate| !gate.holds)
    };
    // One that missed the gate is below all that did not, regardless of the keys.
    let (below, compared): (Vec<Ranked>, Vec<Ranked>) =
        candidates.iter().cloned().partition(|ranked| missed_gate(ranked.iteration) && !missed_gate(best));
    let latest = candidates.last().map(|last| last.iteration);
    let mut why = reasons(best, accepted, select, &compared, latest);
    let is_latest = select.returned == "last" && latest == Some(best);
    let by_rank = !(accepted || is_latest);
    if by_rank && !below.is_empty() {
        let names: Vec<String> = below.iter().map(|ranked| ranked.iteration.to_string()).collect();
        let (who, which) = (plural(names.len() as u64, "candidate"), list(&names, "and"));
        why.push(format!("{who} {which} missed the gate, which puts it below whatever did not"));
    }
    Some(Chosen { iteration: best, order: select.order.clone(), candidates, why })
}

/// The value of a candidate for a key; more is better. `None` where the record does not have it.
#[expect(clippy::cast_precision_loss, reason = "counts of issues are small")]
fn value(key: &str, candidate: &Candidate) -> Option<f64> {
    let counts = candidate.assessment.as_ref().map(IssueCounts::of);
    let critical =
        counts.map(|counts| counts.get(IssueKind::Severity(Severity::Critical))).or(candidate.critical);
    match key {
        "no_critical" => critical.map(|count| f64::from(u8::from(count == 0))),
        "overall" => candidate.overall,
        key => match SelectTerms::counted(key) {
            Some(IssueKind::Severity(Severity::Critical)) => critical.map(|count| -(count as f64)),
            Some(kind) => counts.map(|counts| -(counts.get(kind) as f64)),
            None => candidate.scores.as_ref().map(|scores| scores.get(key).unwrap_or(Score::ZERO).get()),
        },
    }
}

/// A value of the order as people read it.
pub(super) fn key_value(key: &str, value: Option<f64>) -> String {
    match (key, value) {
        (_, None) => "?".to_owned(),
        ("no_critical", Some(value)) => if value > 0.0 { "yes" } else { "no" }.to_owned(),
        (key, Some(value)) if SelectTerms::counted(key).is_some() => number(-value),
        (_, Some(value)) => number(value),
    }
}

fn reasons(
    best: usize,
    accepted: bool,
    select: &SelectTerms,
    candidates: &[Ranked],
    latest: Option<usize>,
) -> Vec<String> {
    if latest == Some(0) {
        return vec!["it is the only candidate that was assessed".to_owned()];
    }
    if accepted {
        return vec!["it was accepted, and an accepted candidate is always the chosen one".to_owned()];
    }
    if select.returned == "last" && latest == Some(best) {
        return vec!["`select.return: last` returns the latest candidate, whatever it scored".to_owned()];
    }
    let Some(own) = candidates.iter().find(|ranked| ranked.iteration == best) else { return Vec::new() };
    let mut by_key: Vec<(usize, Vec<String>)> = Vec::new();
    let mut equal = Vec::new();
    let mut unknown = Vec::new();
    for other in candidates.iter().filter(|ranked| ranked.iteration != best) {
        let mut deciding = None;
        for (at, (mine, theirs)) in own.values.iter().zip(&other.values).enumerate() {
            let (Some(mine), Some(theirs)) = (mine, theirs) else {
                deciding = Some(None);
                break;
            };
            if order(*mine, *theirs) != Ordering::Equal {
                deciding = Some(Some((at, *theirs)));
                break;
            }
        }
        let name = other.iteration.to_string();
        match deciding {
            None => equal.push(name),
            Some(None) => unknown.push(name),
            Some(Some((at, theirs))) => {
                let key = select.order.get(at).map_or("", String::as_str);
                let said = format!("{} of candidate {name}", key_value(key, Some(theirs)));
                match by_key.iter_mut().find(|(known, _)| *known == at) {
                    Some((_, against)) => against.push(said),
                    None => by_key.push((at, vec![said])),
                }
            }
        }
    }
    by_key.sort_by_key(|(at, _)| *at);
    let mut why: Vec<String> = by_key
        .into_iter()
        .map(|(at, against)| {
            let key = select.order.get(at).map_or("", String::as_str);
            let own = key_value(key, own.values.get(at).copied().flatten());
            format!("by `{key}` it ranks first: {own} against {}", list(&against, "and"))
        })
        .collect();
    if !equal.is_empty() {
        let (what, of) = match (equal.as_slice(), select.ties == "first") {
            ([other], first) => {
                (format!("it and candidate {other}"), if first { "the earlier" } else { "the later" })
            }
            (others, first) => {
                let others = list(others, "and");
                (format!("it and the candidates {others}"), if first { "the earliest" } else { "the latest" })
            }
        };
        why.push(format!(
            "{what} score the same in all that is compared; {of} is taken (`select.ties: {}`)",
            select.ties
        ));
    }
    if !unknown.is_empty() {
        why.push(format!("how it compares with candidate {} was not recorded", list(&unknown, "and")));
    }
    why
}

fn order(a: f64, b: f64) -> Ordering {
    if a > b + EPSILON {
        Ordering::Greater
    } else if a < b - EPSILON {
        Ordering::Less
    } else {
        Ordering::Equal
    }
}
