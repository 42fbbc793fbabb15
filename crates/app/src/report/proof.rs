//! Proofs of promises, for people and for programs.

use super::live::{decision_line, missed};
use super::paint::Paint;
use crate::diag::Span;
use crate::experiment::prove::{
    Acceptance, Broken, Comparison, Counterexample, Difference, Enumerated, Proof, Proved, Shown,
};
use crate::experiment::{Answer, IterationRecord, Simulated, Trajectory};
use crate::facts::{Origin, display_name};
use crate::policy::{Decision, FinalStatus, PromiseKind, Promises, Verdict};
use crate::value::prose::{count, dollars, score, whole};
use crate::value::sanitize_line;
use serde_json::{Value, json};
use std::fmt::Write;

/// Finds the location of a line of a decision in the profile.
pub(super) type Places<'a> = &'a dyn Fn(&str) -> Option<Origin>;

/// A proof with its subject.
#[derive(Clone, Copy)]
pub struct ProofReport<'a> {
    /// The profile's name.
    pub profile: &'a str,
    /// The promises.
    pub promises: &'a Promises,
    /// The proof of the promises.
    pub proof: &'a Proof,
    /// The locations of the profile's lines.
    pub places: Places<'a>,
}

/// The indentation of details below the text of a promise.
const INDENT: &str = "           ";

/// The location of a promise.
fn place_of(span: &Span) -> String {
    let at = span.location();
    format!("{}:{}:{}", display_name(at.file), at.line, at.column)
}

/// The line that decided: the one that ended the loop, or the first that kept the candidate from being accepted.
fn deciding_line(decision: &Decision) -> Option<&str> {
    let check = match decision.verdict {
        Verdict::Continue { .. } => {
            decision.checks.iter().find(|check| check.line.starts_with("accept.") && !check.holds)
        }
        _ if decision.verdict.accepts() => None,
        _ => decision.checks.last(),
    };
    check.map(|check| check.line.as_str())
}

/// A number of a candidate, with as many decimals as it has, nine at most.
fn number(value: f64) -> String {
    score((value * 1e9).round() / 1e9)
}

/// The scores, issues and usage of a candidate.
fn candidate(record: &IterationRecord, overall: Option<f64>) -> String {
    let mut parts: Vec<String> =
        overall.map(|overall| format!("overall {}", number(overall))).into_iter().collect();
    let same = record
        .scores
        .iter()
        .all(|(_, value)| overall.is_some_and(|overall| (value.get() - overall).abs() < 1e-9));
    if !same {
        parts.extend(
            record
                .scores
                .iter()
                .map(|(name, value)| format!("{} {}", sanitize_line(name), number(value.get()))),
        );
    }
    for issue in &record.issues {
        let disposition = issue.disposition.map(|one| format!(", {}", one.as_str())).unwrap_or_default();
        parts.push(format!("{} ({}{disposition})", sanitize_line(&issue.code), issue.severity.as_str()));
    }
    if record.elapsed_ms > 0.0 {
        parts.push(format!("{} ms", record.elapsed_ms));
    }
    if record.cost_usd.get() > 0.0 {
        parts.push(dollars(record.cost_usd));
    }
    if record.tokens > 0 {
        parts.push(count(record.tokens, "token"));
    }
    parts.join(", ")
}

/// One line for each candidate: its figures and the decision, with the location of the line that decides.
fn run_lines(
    trajectory: &Trajectory,
    simulated: &Simulated,
    places: Places<'_>,
    indent: &str,
    out: &mut String,
) {
    let mut contents: Vec<&Value> = Vec::new();
    for (at, (record, decision)) in trajectory.iterations.iter().zip(&simulated.decisions).enumerate() {
        let overall = simulated.outcome.improvement_trajectory.get(at).copied();
        let mut what = candidate(record, overall);
        if let Some(content) = record.candidate.as_deref() {
            if let Some(known) = contents.iter().position(|known| *known == content) {
                let _ = write!(what, ", equal to candidate {known}");
            }
            contents.push(content);
        }
        let place = deciding_line(decision)
            .and_then(places)
            .map(|origin| format!("  [{}]", sanitize_line(&origin.place())));
        let _ = writeln!(out, "{indent}candidate {at}: {what}");
        let _ = writeln!(out, "{indent}  {}{}", decision_line(decision), place.unwrap_or_default());
    }
    let outcome = &simulated.outcome;
    let best = outcome.best_iteration;
    if outcome.final_status == FinalStatus::Incomplete {
        let best = best.map(|at| format!(", candidate {at} is the best so far")).unwrap_or_default();
        let _ = writeln!(out, "{indent}goes on{best}");
        return;
    }
    let returned = best.map(|at| format!(", returns candidate {at}")).unwrap_or_default();
    let reason = sanitize_line(&outcome.stop_reason.to_string());
    let _ = writeln!(out, "{indent}ends {}, {reason}{returned}", outcome.final_status);
}

/// The proof for people.
#[must_use]
pub fn proof_text(report: ProofReport<'_>, paint: Paint) -> String {
    let ProofReport { profile, promises, proof, places } = report;
    let mut out = String::new();
    let number =
        |is: fn(&Shown) -> bool| proof.promises.iter().filter(|proved| is(&proved.shown)).count() as u64;
    let broken = number(|shown| matches!(shown, Shown::Broken(_)));
    let not_shown = number(|shown| matches!(shown, Shown::NotShown(_)));
    let all = count(proof.promises.len() as u64, "promise");
    let sum = match (broken, not_shown) {
        (0, 0) => paint.good(&format!("{all}, all hold")),
        (0, open) => paint.warn(&format!("{all}, none broken, {} not shown", whole(open))),
        (broken, 0) => paint.bad(&format!("{all}, {} broken", whole(broken))),
        (broken, open) => paint.bad(&format!("{all}, {} broken, {} not shown", whole(broken), whole(open))),
    };
    let _ = writeln!(out, "{}: {sum}\n", paint.strong(&sanitize_line(profile)));
    for proved in &proof.promises {
        let word = match &proved.shown {
            Shown::Holds => paint.good("holds    "),
            Shown::NotShown(_) => paint.warn("not shown"),
            Shown::Broken(_) => paint.bad("broken   "),
        };
        let place =
            proved.promise.span.as_ref().map(|span| format!("  [{}]", sanitize_line(&place_of(span))));
        let _ = writeln!(out, "{word}  {}{}", told(proved), place.unwrap_or_default());
        match &proved.shown {
            Shown::Holds => {}
            Shown::NotShown(gaps) => {
                for gap in gaps.iter().filter(|gap| !proof.enumerated.gaps.contains(gap)) {
                    let _ = writeln!(out, "{INDENT}{}", sanitize_line(&gap.to_string()));
                }
            }
            Shown::Broken(Broken::DeadLines(lines)) => {
                for line in lines {
                    let place = places(line).map(|origin| format!("  [{}]", sanitize_line(&origin.place())));
                    let _ = writeln!(
                        out,
                        "{INDENT}`{}` decides no run{}",
                        sanitize_line(line),
                        place.unwrap_or_default()
                    );
                }
            }
            Shown::Broken(Broken::Run(run)) => counterexample_text(run, places, &mut out),
        }
    }
    for waiver in &promises.waived {
        let _ = writeln!(out, "{}  {}", paint.warn("waived   "), sanitize_line(&waiver.to_string()));
    }
    out.push('\n');
    out.push_str(&enumerated_text(&proof.enumerated));
    out
}

fn told(proved: &Proved) -> String {
    let name = sanitize_line(&proved.promise.name);
    match &proved.promise.kind {
        PromiseKind::Shipped(promise) => format!("{name}: {}", promise.sentence()),
        _ => name,
    }
}

fn counterexample_text(run: &Counterexample, places: Places<'_>, out: &mut String) {
    let _ = writeln!(out, "{INDENT}{}", sanitize_line(&run.why));
    if run.by_chance {
        let _ = writeln!(out, "{INDENT}found by chance: a shorter run may break it, too");
    }
    match &run.beside {
        None => run_lines(&run.trajectory, &run.simulated, places, INDENT, out),
        Some((trajectory, simulated)) => {
            let deeper = format!("{INDENT}  ");
            let _ = writeln!(out, "{INDENT}with the better candidate last:");
            run_lines(&run.trajectory, &run.simulated, places, &deeper, out);
            let _ = writeln!(out, "{INDENT}with the worse one:");
            run_lines(trajectory, simulated, places, &deeper, out);
        }
    }
}

/// The runs that were tried, and what they cover.
fn enumerated_text(enumerated: &Enumerated) -> String {
    let Enumerated {
        quantities,
        candidates,
        depth,
        limit,
        complete,
        answered,
        gaps,
        histories,
        decisions,
        random,
        seed,
    } = enumerated;
    let mut out = String::new();
    let places = format!("{} at each place", count(*candidates as u64, "candidate"));
    let stands = format!("{} by {}", runs(*histories), count(*decisions, "decision"));
    let _ = match complete {
        _ if *answered => {
            writeln!(
                out,
                "Every run of up to {} was tried over these values, until every question was answered: {places}, {stands}.",
                count(*depth, "candidate")
            )
        }
        true => {
            writeln!(
                out,
                "Every run to the limit of {} was tried over these values: {places}, {stands}.",
                count(*limit, "candidate")
            )
        }
        false => {
            writeln!(out, "Not every run over these values was tried: {places}, {stands}.")
        }
    };
    for gap in gaps {
        let _ = writeln!(out, "Not shown, because {}.", sanitize_line(&gap.to_string()));
    }
    for quantity in quantities {
        let values: Vec<String> = quantity
            .values
            .iter()
            .map(|value| match value {
                Value::String(text) => text.clone(),
                Value::Number(one) => one
                    .as_f64()
                    .map_or_else(|| one.to_string(), |one| ((one * 1e9).round() / 1e9).to_string()),
                other => other.to_string(),
            })
            .collect();
        let _ = writeln!(out, "  {}: {}", sanitize_line(&quantity.name), values.join(", "));
    }
    let _ = writeln!(
        out,
        "Besides, {} by chance, between these values and to the limit (seed {seed}). Each iteration is one call.",
        count(*random, "run")
    );
    out
}

/// A number of runs: exact while it is small.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "positive and below a million")]
fn runs(number: f64) -> String {
    if number < 1e6 { count(number as u64, "run") } else { format!("{number:.1e} runs") }
}

/// The proof for programs.
#[must_use]
pub fn proof_json(report: ProofReport<'_>) -> Value {
    let ProofReport { profile, promises, proof, places } = report;
    let proved: Vec<Value> = proof.promises.iter().map(|proved| proved_json(proved, places)).collect();
    let waived: Vec<Value> = promises
        .waived
        .iter()
        .map(|waiver| json!({ "promise": waiver.promise.as_str(), "line": waiver.line, "because": waiver.because }))
        .collect();
    json!({
        "profile": profile,
        "holds": holds(proof.promises.iter().map(|proved| &proved.shown)),
        "promises": proved,
        "waived": waived,
        "enumerated": proof.enumerated,
    })
}

/// True where all hold, false where one is broken; `null` where none is, and one is not shown.
fn holds<'a>(shown: impl Iterator<Item = &'a Shown> + Clone) -> Option<bool> {
    if shown.clone().any(|one| matches!(one, Shown::Broken(_))) {
        return Some(false);
    }
    shown.clone().all(|one| matches!(one, Shown::Holds)).then_some(true)
}

fn proved_json(proved: &Proved, places: Places<'_>) -> Value {
    let mut value = json!({ "promise": proved.promise.name, "holds": holds(std::iter::once(&proved.shown)) });
    let Some(members) = value.as_object_mut() else { return value };
    if let PromiseKind::Shipped(promise) = &proved.promise.kind {
        members.insert("says".to_owned(), promise.sentence().into());
    }
    if let Some(span) = &proved.promise.span {
        members.insert("place".to_owned(), place_of(span).into());
    }
    match &proved.shown {
        Shown::Holds => {}
        Shown::NotShown(gaps) => {
            members.insert("not_shown_because".to_owned(), json!(gaps));
        }
        Shown::Broken(Broken::DeadLines(lines)) => {
            let lines: Vec<Value> = lines
                .iter()
                .map(|line| json!({ "line": line, "place": places(line).map(|origin| origin.place()) }))
                .collect();
            members.insert("dead_lines".to_owned(), lines.into());
        }
        Shown::Broken(Broken::Run(run)) => {
            members.insert("why".to_owned(), run.why.as_str().into());
            members.insert("by_chance".to_owned(), run.by_chance.into());
            members.insert("counterexample".to_owned(), run_json(&run.trajectory, &run.simulated, places));
            if let Some((trajectory, simulated)) = &run.beside {
                members
                    .insert("with_the_worse_candidate".to_owned(), run_json(trajectory, simulated, places));
            }
        }
    }
    value
}

fn run_json(trajectory: &Trajectory, simulated: &Simulated, places: Places<'_>) -> Value {
    let decisions: Vec<Value> = simulated
        .decisions
        .iter()
        .map(|decision| {
            let line = deciding_line(decision);
            json!({
                "iteration": decision.iteration,
                "decision": decision_line(decision),
                "line": line,
                "place": line.and_then(places).map(|origin| origin.place()),
                "missed": missed(decision),
            })
        })
        .collect();
    json!({
        "trajectory": trajectory.to_json(),
        "outcome": Answer::of(&trajectory.id, None, simulated),
        "decisions": decisions,
    })
}

/// Two policies that were tried side by side.
#[derive(Clone, Copy)]
pub struct ComparisonReport<'a> {
    /// The names of the two.
    pub names: [&'a str; 2],
    /// The result of the comparison.
    pub comparison: &'a Comparison,
    /// The locations of the lines of each.
    pub places: [Places<'a>; 2],
}

/// The comparison for people.
#[must_use]
pub fn comparison_text(report: ComparisonReport<'_>, paint: Paint) -> String {
    let ComparisonReport { names, comparison, .. } = report;
    let [first, second] = names.map(sanitize_line);
    let mut out = String::new();
    match &comparison.difference {
        None => {
            let told = format!("`{first}` and `{second}` decide alike in every run that was tried");
            let told = match comparison.same() {
                Some(_) => paint.good(&format!("{told}.")),
                None => {
                    paint.warn(&format!("{told}, and not all were: it is not shown that they always do."))
                }
            };
            let _ = writeln!(out, "{told}");
        }
        Some(difference) => {
            let length = difference.trajectory.iterations.len() as u64;
            let _ = writeln!(
                out,
                "`{first}` and `{second}` decide otherwise, at the earliest after {}:",
                count(length, "candidate")
            );
            difference_text(report, difference, &mut out);
        }
    }
    let [only_first, only_second] = &comparison.accepts_only;
    let sides = [(&first, &second, only_first), (&second, &first, only_second)];
    for (side, (one, other, acceptance)) in sides.into_iter().enumerate() {
        match acceptance {
            Acceptance::Only if comparison.only(side).is_some() => {
                let _ =
                    writeln!(out, "{}", paint.good(&format!("`{one}` accepts only what `{other}` accepts.")));
            }
            Acceptance::Only => {
                let told = format!(
                    "`{one}` accepted only what `{other}` accepted; it is not shown that it always does."
                );
                let _ = writeln!(out, "{}", paint.warn(&told));
            }
            Acceptance::Not(difference) => {
                let _ = writeln!(out, "`{one}` accepts what `{other}` does not:");
                difference_text(report, difference, &mut out);
            }
        }
    }
    out.push('\n');
    out.push_str(&enumerated_text(&comparison.enumerated));
    out
}

fn difference_text(report: ComparisonReport<'_>, difference: &Difference, out: &mut String) {
    let Difference { trajectory, simulated } = difference;
    for ((name, places), simulated) in report.names.iter().zip(report.places).zip(simulated) {
        let _ = writeln!(out, "  {}", sanitize_line(name));
        run_lines(trajectory, simulated, places, "    ", out);
    }
}

/// The comparison for programs.
#[must_use]
pub fn comparison_json(report: ComparisonReport<'_>) -> Value {
    let ComparisonReport { names, comparison, places } = report;
    let shown = |difference: &Difference| {
        let [first, second] = &difference.simulated;
        let [at_first, at_second] = places;
        json!({
            "before": run_json(&difference.trajectory, first, at_first),
            "after": run_json(&difference.trajectory, second, at_second),
        })
    };
    let acceptance = |side: usize| match comparison.accepts_only.get(side) {
        Some(Acceptance::Not(difference)) => {
            json!({ "holds": false, "counterexample": shown(difference) })
        }
        _ => json!({ "holds": comparison.only(side) }),
    };
    let [first, second] = names;
    json!({
        "before": first,
        "after": second,
        "same": comparison.same(),
        "difference": comparison.difference.as_ref().map(shown),
        "before_accepts_only_what_after_accepts": acceptance(0),
        "after_accepts_only_what_before_accepts": acceptance(1),
        "enumerated": comparison.enumerated,
    })
}
