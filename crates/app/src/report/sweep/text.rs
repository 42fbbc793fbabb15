//! The findings of an experiment, for terminals: the chosen policy first, then the front.

use super::race;
use super::words::{
    ObjectiveRow, broken_constraints, counts, decimals, goal, number, objective_rows, passed, policy,
    policy_among, signed, signed_interval, standing, standings, verdict,
};
use crate::experiment::sweep::{Findings, RaceFindings, ShownPolicy};
use crate::report::columns::{figure, figures, word, words};
use crate::report::figures::{confidence, thousands};
use crate::report::paint::Paint;
use crate::report::text_table::text_table;
use crate::value::prose::count;
use crate::value::sanitize_line;
use std::fmt::Write;

/// The findings of an experiment, as text.
pub fn sweep_text(findings: &Findings, paint: Paint) -> String {
    let mut out = String::new();
    let _ = writeln!(out, "{}  {}", paint.strong("Sweep"), sanitize_line(&findings.description));
    let documents = &findings.documents;
    let _ = writeln!(
        out,
        "  {}: policies are chosen on {}, and judged on the other {}",
        count((documents.train + documents.test) as u64, "document"),
        thousands(documents.train as u64),
        thousands(documents.test as u64)
    );
    let _ = writeln!(out, "  {}", count(findings.policies.policies as u64, "policy"));
    for line in counts(&findings.policies) {
        let _ = writeln!(out, "    {line}");
    }
    for constraint in &findings.constraints {
        let _ = writeln!(out, "  constraint: {}", sanitize_line(constraint));
    }
    if let Some(race) = &findings.race {
        for line in race::sentences(race) {
            let _ = writeln!(out, "  {}", sanitize_line(&line));
        }
    }
    match findings.shown.first() {
        Some(chosen) => choice(findings, chosen, paint, &mut out),
        None => {
            let _ = writeln!(out, "\n{}", paint.strong("No policy of the space can be chosen"));
        }
    }
    if let Some(race) = &findings.race {
        out.push_str(&rounds(findings, race, paint));
    }
    out.push_str(&policies(findings, paint));
    for at in 0..findings.objectives.len() {
        out.push_str(&objective(findings, at, paint));
    }
    if !findings.shown.is_empty() {
        let method = &findings.statistics;
        let _ = writeln!(
            out,
            "\n  Intervals hold at {} each. Verdicts hold at {} for {}.",
            confidence(method.confidence),
            confidence(method.confidence),
            match method.comparisons {
                1 => "the one comparison".to_owned(),
                several => format!("all {several} comparisons together (Holm)"),
            }
        );
        let _ = writeln!(
            out,
            "  `n needed`: documents on which a difference of this size would be seen four times out of five.\n  `same`: other policies of the space that come to the same on every document."
        );
    }
    out
}

fn choice(findings: &Findings, chosen: &ShownPolicy, paint: Paint, out: &mut String) {
    let reference = format!("`{}`", sanitize_line(&findings.reference.profile));
    let _ = writeln!(out, "\n{}  {}", paint.strong("Chosen"), sanitize_line(&policy(chosen)));
    let Some(comparison) = &chosen.comparison else { return };
    let _ = writeln!(
        out,
        "  On the documents that it was not chosen on: {}.",
        standing(comparison.standing, &reference)
    );
    for (at, difference) in comparison.objectives.iter().enumerate() {
        let (Some(objective), Some(own), Some(other)) =
            (findings.objectives.get(at), chosen.test.get(at), findings.reference.test.get(at))
        else {
            continue;
        };
        let digits = decimals(findings, at);
        let _ = writeln!(
            out,
            "    {} {}, {reference} {}: {} ({}), {}",
            sanitize_line(&objective.name),
            number(own.mean, digits),
            number(other.mean, digits),
            signed(difference.estimate.mean, digits),
            signed_interval(&difference.estimate, digits),
            verdict(difference.verdict)
        );
    }
    let _ = writeln!(out, "    It {}.", passed(comparison, &reference));
    for broken in broken_constraints(chosen) {
        let _ = writeln!(out, "    {}", sanitize_line(&broken));
    }
    for (at, estimate) in comparison.train.iter().enumerate() {
        let Some(objective) = findings.objectives.get(at) else { continue };
        let digits = decimals(findings, at);
        let _ = writeln!(
            out,
            "    {}",
            paint.faint(&format!(
                "where it was chosen, which flatters it: {} {} ({})",
                sanitize_line(&objective.name),
                signed(estimate.mean, digits),
                signed_interval(estimate, digits)
            ))
        );
    }
}

/// The course of each round, and the dropped policies.
fn rounds(findings: &Findings, race: &RaceFindings, paint: Paint) -> String {
    let mut out = text_table("Rounds", &figures(race::ROUND_COLUMNS), &race::rounds(race), 0, paint);
    let (rows, more) = race::dropped(race, findings);
    let mut columns = race::dropped_columns();
    columns.extend(findings.objectives.first().map(|first| figure(&first.name)));
    out.push_str(&text_table("Dropped", &columns, &rows, more, paint));
    out
}

/// The policies by their numbers.
fn policies(findings: &Findings, paint: Paint) -> String {
    let row = |(number, shown): (usize, &ShownPolicy)| {
        let [standing, against_chosen] = standings(shown);
        let same = if shown.same == 0 { String::new() } else { thousands(shown.same as u64) };
        vec![number.to_string(), policy_among(shown, findings), standing, against_chosen, same]
    };
    let rows: Vec<Vec<String>> = (1..).zip(&findings.shown).map(row).collect();
    let first = findings.objectives.first().map_or("", |objective| objective.name.as_str());
    let heading = if findings.race.is_some() { "The policy that won" } else { "On the front" };
    let standing = words("policy | against the reference");
    let columns =
        [figures(""), standing, vec![word(&format!("{first} against 1"))], figures("same")].concat();
    text_table(heading, &columns, &rows, 0, paint)
}

/// The figures of each policy in an objective.
fn objective(findings: &Findings, at: usize, paint: Paint) -> String {
    let Some(objective) = findings.objectives.get(at) else { return String::new() };
    let rows: Vec<Vec<String>> = objective_rows(findings, at)
        .into_iter()
        .map(|ObjectiveRow { number, mean, interval, against_reference, .. }| {
            let number = number.map_or_else(String::new, |number| number.to_string());
            [vec![number, mean, interval], against_reference.to_vec()].concat()
        })
        .collect();
    let numbers = figures("| mean | interval | difference | interval");
    let columns = [numbers, words(""), figures("n needed")].concat();
    let heading = format!("{} ({})", sanitize_line(&objective.name), goal(objective.goal));
    text_table(&heading, &columns, &rows, 0, paint)
}
