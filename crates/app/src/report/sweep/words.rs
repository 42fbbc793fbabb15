//! Numbers and verdicts in words, as text and page show them.

use crate::experiment::statistics::Estimate;
use crate::experiment::sweep::{
    Comparison, Counts, Difference, Findings, Goal, ShownPolicy, Standing, Verdict,
};
use crate::report::figures::thousands;
use crate::value::prose::count;
use serde_json::Value;

/// The number of decimals in the numbers of each objective: four digits of the largest mean.
pub(super) fn decimals(findings: &Findings, objective: usize) -> usize {
    let all = std::iter::once(&findings.reference).chain(&findings.shown);
    let means = all.filter_map(|policy| policy.test.get(objective)).map(|estimate| estimate.mean.abs());
    let largest = means.fold(0.0, f64::max);
    if largest <= 0.0 {
        return 2;
    }
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "between 0 and 9")]
    let decimals = (3.0 - largest.log10().floor()).clamp(0.0, 9.0) as usize;
    decimals
}

/// `0.8234`.
pub(super) fn number(value: f64, decimals: usize) -> String {
    let written = format!("{value:.decimals$}");
    // A number that is rounded to zero has no sign.
    if written.trim_start_matches('-').bytes().all(|byte| matches!(byte, b'0' | b'.')) {
        return written.trim_start_matches('-').to_owned();
    }
    written
}

/// `+0.0034`.
pub(super) fn signed(value: f64, decimals: usize) -> String {
    let written = number(value, decimals);
    if written.starts_with('-') || value <= 0.0 { written } else { format!("+{written}") }
}

/// `0.8012 to 0.8456`.
pub(super) fn interval(estimate: &Estimate, decimals: usize) -> String {
    format!("{} to {}", number(estimate.low, decimals), number(estimate.high, decimals))
}

/// `+0.0012 to +0.0056`.
pub(super) fn signed_interval(estimate: &Estimate, decimals: usize) -> String {
    format!("{} to {}", signed(estimate.low, decimals), signed(estimate.high, decimals))
}

/// `better`, `not shown to differ`.
pub(super) fn verdict(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Better => "better",
        Verdict::Worse => "worse",
        Verdict::NotShown => "not shown to differ",
        Verdict::Equal => "equal",
    }
}

/// The number of documents that would distinguish two policies; nothing where they are distinguished, or equal.
fn needed(difference: &Difference) -> String {
    difference.documents_needed.map_or_else(String::new, thousands)
}

/// The cells that compare a policy with the reference in an objective: difference, interval, verdict, documents needed.
fn against_reference(shown: &ShownPolicy, objective: usize, digits: usize) -> [String; 4] {
    let difference = shown.comparison.as_ref().and_then(|comparison| comparison.objectives.get(objective));
    match difference {
        Some(difference) => [
            signed(difference.estimate.mean, digits),
            signed_interval(&difference.estimate, digits),
            verdict(difference.verdict).to_owned(),
            needed(difference),
        ],
        None => [String::new(), String::new(), "the reference".to_owned(), String::new()],
    }
}

/// A row of the figures of an objective.
pub(super) struct ObjectiveRow {
    /// The policy's number; none for the reference.
    pub(super) number: Option<usize>,
    /// The mean where it was chosen; `None` where that is not known.
    pub(super) train: Option<String>,
    pub(super) mean: String,
    pub(super) interval: String,
    pub(super) against_reference: [String; 4],
}

/// The figures of the reference and of each policy that is shown in an objective.
pub(super) fn objective_rows(findings: &Findings, objective: usize) -> Vec<ObjectiveRow> {
    let digits = decimals(findings, objective);
    let row = |(at, shown): (usize, &ShownPolicy)| {
        let estimate = shown.test.get(objective)?;
        Some(ObjectiveRow {
            number: Some(at).filter(|at| *at > 0),
            train: shown.train.get(objective).map(|train| number(*train, digits)),
            mean: number(estimate.mean, digits),
            interval: interval(estimate, digits),
            against_reference: against_reference(shown, objective, digits),
        })
    };
    let all = std::iter::once(&findings.reference).chain(&findings.shown);
    all.enumerate().filter_map(row).collect()
}

/// The standing of a policy against the reference, and in the first objective against the chosen one.
pub(super) fn standings(shown: &ShownPolicy) -> [String; 2] {
    let Some(comparison) = &shown.comparison else { return [String::new(), String::new()] };
    let against_chosen = comparison.against_chosen.map_or("–", |difference| verdict(difference.verdict));
    [standing_word(comparison.standing).to_owned(), against_chosen.to_owned()]
}

/// The constraints that the chosen policy breaks where it is judged: a sentence each.
pub(super) fn broken_constraints(policy: &ShownPolicy) -> impl Iterator<Item = String> {
    policy.constraints_missed.iter().map(|constraint| {
        format!("There it does not keep the constraint `{constraint}`, which it keeps where it was chosen.")
    })
}

/// The standing of a policy against the reference, as the end of a sentence: "… is better than `balanced`".
pub(super) fn standing(standing: Standing, reference: &str) -> String {
    match standing {
        Standing::Better => {
            format!("better than {reference} in at least one objective, and not shown to be worse in any")
        }
        Standing::Mixed => format!("better than {reference} in at least one objective, and worse in another"),
        Standing::Worse => {
            format!("worse than {reference} in at least one objective, and not shown to be better in any")
        }
        Standing::NotShown => format!("a tie: it is not shown to differ from {reference}"),
        Standing::Equal => format!("a tie: every document comes to the same as with {reference}"),
    }
}

/// Like [`standing`], in a word or two, for tables.
pub(super) fn standing_word(standing: Standing) -> &'static str {
    match standing {
        Standing::Better => "better",
        Standing::Mixed => "better and worse",
        Standing::Worse => "worse",
        Standing::NotShown => "tie: not shown to differ",
        Standing::Equal => "tie: equal",
    }
}

/// A policy by its profile and these of its settings.
pub(super) fn named<'s>(profile: &str, settings: impl Iterator<Item = (&'s String, &'s Value)>) -> String {
    settings.fold(profile.to_owned(), |name, (key, value)| format!("{name} {key}={value}"))
}

/// A policy by its profile and all of its settings.
pub(super) fn policy(policy: &ShownPolicy) -> String {
    named(&policy.profile, policy.settings.iter())
}

/// A policy by its profile and the settings that are not the same in all policies that are shown.
pub(super) fn policy_among(policy: &ShownPolicy, findings: &Findings) -> String {
    let differs = |key: &String| {
        let mut values = findings.shown.iter().map(|shown| shown.settings.get(key));
        let first = values.next();
        values.any(|value| Some(value) != first)
    };
    let is_alone = findings.shown.len() == 1;
    named(&policy.profile, policy.settings.iter().filter(|(key, _)| is_alone || differs(key)))
}

/// `more is better`, `less is better`.
pub(super) fn goal(goal: Goal) -> &'static str {
    match goal {
        Goal::Maximize => "more is better",
        Goal::Minimize => "less is better",
    }
}

/// The fates of the policies, in the order in which they were checked.
pub(super) fn counts(counts: &Counts) -> Vec<String> {
    let said = [
        (counts.left_out, "left out by conditions"),
        (counts.invalid, "refused, as no profile may have such settings"),
        (counts.not_recorded, "continued beyond what was recorded, so they are not judged"),
        (counts.constraint_missed, "miss a constraint"),
        (counts.same, "come to the same as another one"),
        (counts.candidates, "to choose among"),
        (counts.front, "on the Pareto front"),
    ];
    let said = said.into_iter().filter(|(count, _)| *count > 0);
    said.map(|(count, what)| format!("{} {what}", thousands(count as u64))).collect()
}

/// The documents that only one of two policies passes.
pub(super) fn passed(comparison: &Comparison, reference: &str) -> String {
    let passed = &comparison.passed;
    if passed.policy_only + passed.reference_only == 0 {
        return format!("passes the same documents as {reference}");
    }
    format!(
        "passes {} that {reference} does not, and {} the other way round: {}",
        count(passed.policy_only as u64, "document"),
        passed.reference_only,
        verdict(passed.verdict)
    )
}
