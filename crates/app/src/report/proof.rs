//! Proofs of promises, for people and for programs.

use super::live::{decision_line, missed};
use super::model::{Block, Item, List, Piece, Tone, lines, toned};
use super::paint::Paint;
use crate::diag::Span;
use crate::experiment::prove::{
    Acceptance, Broken, Comparison, Counterexample, Difference, Enumerated, Gap, Proof, Proved, Shown,
};
use crate::experiment::{Answer, IterationRecord, Simulated, Trajectory};
use crate::facts::{Origin, display_name};
use crate::policy::{Decision, FinalStatus, PromiseKind, Promises, Verdict, Waiver};
use crate::value::prose::{count, dollars, score, whole};
use serde_json::{Value, json};

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
    let same = |value: f64| overall.is_some_and(|overall| (value - overall).abs() < 1e-9);
    if !record.scores.iter().all(|(_, value)| same(value.get())) {
        parts.extend(record.scores.iter().map(|(name, value)| format!("{name} {}", number(value.get()))));
    }
    for issue in &record.issues {
        let disposition = issue.disposition.map(|one| format!(", {}", one.as_str())).unwrap_or_default();
        parts.push(format!("{} ({}{disposition})", issue.code, issue.severity.as_str()));
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

/// `  [profiles/mine.yaml:5:20]`, where the location of a line is known.
fn bracketed(line: Option<&str>, places: Places<'_>) -> String {
    line.and_then(places).map(|origin| format!("  [{}]", origin.place())).unwrap_or_default()
}

/// The figures of each candidate and below them its decision, with the location of the line that decides; then the end.
fn run(trajectory: &Trajectory, simulated: &Simulated, places: Places<'_>) -> Vec<Item> {
    let mut contents: Vec<&Value> = Vec::new();
    let mut items = Vec::new();
    for (at, (record, decision)) in trajectory.iterations.iter().zip(&simulated.decisions).enumerate() {
        let overall = simulated.outcome.improvement_trajectory.get(at).copied();
        let mut what = format!("candidate {at}: {}", candidate(record, overall));
        if let Some(content) = record.candidate.as_deref() {
            if let Some(known) = contents.iter().position(|known| *known == content) {
                what = format!("{what}, equal to candidate {known}");
            }
            contents.push(content);
        }
        let decided = format!("{}{}", decision_line(decision), bracketed(deciding_line(decision), places));
        items.push(Item::new("", vec![Piece::Outside(what)], vec![decided.into()]));
    }
    let outcome = &simulated.outcome;
    let best = |before: &str, after: &str| {
        let best = outcome.best_iteration.map(|at| format!("{before} candidate {at}{after}"));
        best.unwrap_or_default()
    };
    let end = if outcome.final_status == FinalStatus::Incomplete {
        format!("goes on{}", best(",", " is the best so far"))
    } else {
        format!("ends {}, {}{}", outcome.final_status, outcome.stop_reason, best(", returns", ""))
    };
    items.push(end.into());
    items
}

/// The proof for people.
#[must_use]
pub fn proof_text(report: ProofReport<'_>, paint: Paint) -> String {
    let ProofReport { profile, promises, proof, places } = report;
    let number =
        |is: fn(&Shown) -> bool| proof.promises.iter().filter(|proved| is(&proved.shown)).count() as u64;
    let broken = number(|shown| matches!(shown, Shown::Broken(_)));
    let not_shown = number(|shown| matches!(shown, Shown::NotShown(_)));
    let all = count(proof.promises.len() as u64, "promise");
    let (tone, sum) = match (broken, not_shown) {
        (0, 0) => (Tone::Good, "all hold".to_owned()),
        (0, open) => (Tone::Warn, format!("none broken, {} not shown", whole(open))),
        (broken, 0) => (Tone::Bad, format!("{} broken", whole(broken))),
        (broken, open) => (Tone::Bad, format!("{} broken, {} not shown", whole(broken), whole(open))),
    };
    let mut items: Vec<Item> =
        proof.promises.iter().map(|proved| promise(proved, &proof.enumerated.gaps, places)).collect();
    let waived =
        |waiver: &Waiver| vec![toned(Tone::Warn, "waived   "), Piece::Outside(format!("  {waiver}"))];
    items.extend(promises.waived.iter().map(waived).map(Item::from));
    let mut blocks =
        vec![Block::Text(tone, format!("{profile}: {all}, {sum}")), Block::List(List::of(items))];
    blocks.extend(enumerated(&proof.enumerated));
    lines(&blocks, paint)
}

/// A promise with its verdict, and the run or lines that break it or the reasons for which it is not shown.
fn promise(proved: &Proved, known: &[Gap], places: Places<'_>) -> Item {
    let (word, parts) = match &proved.shown {
        Shown::Holds => (toned(Tone::Good, "holds    "), Vec::new()),
        Shown::NotShown(gaps) => {
            let gaps = gaps.iter().filter(|gap| !known.contains(gap)).map(|gap| gap.to_string().into());
            (toned(Tone::Warn, "not shown"), gaps.collect())
        }
        Shown::Broken(broken) => (toned(Tone::Bad, "broken   "), breaking(broken, places)),
    };
    let name = match &proved.promise.kind {
        PromiseKind::Shipped(promise) => format!("{}: {}", proved.promise.name, promise.sentence()),
        _ => proved.promise.name.clone(),
    };
    let place = proved.promise.span.as_ref().map(|span| format!("  [{}]", place_of(span)));
    let text = format!("  {name}{}", place.unwrap_or_default());
    Item::new("", vec![word, Piece::Outside(text)], parts)
}

fn breaking(broken: &Broken, places: Places<'_>) -> Vec<Item> {
    let counterexample = match broken {
        Broken::DeadLines(lines) => {
            let line = |line: &String| format!("`{line}` decides no run{}", bracketed(Some(line), places));
            return lines.iter().map(line).map(Item::from).collect();
        }
        Broken::Run(run) => run,
    };
    let Counterexample { trajectory, simulated, why, by_chance, beside } = &**counterexample;
    let mut items = vec![Item::from(why.clone())];
    if *by_chance {
        items.push("found by chance: a shorter run may break it, too".to_owned().into());
    }
    let first = run(trajectory, simulated, places);
    let side = |told: &str, run| Item::new("", vec![Piece::Words(told.to_owned())], run);
    match beside {
        None => items.extend(first),
        Some((trajectory, simulated)) => items.extend([
            side("with the better candidate last:", first),
            side("with the worse one:", run(trajectory, simulated, places)),
        ]),
    }
    items
}

/// The runs that were tried, and what they cover.
fn enumerated(enumerated: &Enumerated) -> Vec<Block> {
    let Enumerated { quantities, candidates, depth, limit, complete, answered, .. } = enumerated;
    let Enumerated { gaps, histories, decisions, random, seed, .. } = enumerated;
    let places = format!("{} at each place", count(*candidates as u64, "candidate"));
    let tried = format!("{places}, {} by {}", runs(*histories), count(*decisions, "decision"));
    let tried = if *answered {
        let depth = count(*depth, "candidate");
        format!(
            "Every run of up to {depth} was tried over these values, until every question was answered: {tried}."
        )
    } else if *complete {
        format!(
            "Every run to the limit of {} was tried over these values: {tried}.",
            count(*limit, "candidate")
        )
    } else {
        format!("Not every run over these values was tried: {tried}.")
    };
    let gaps = gaps.iter().map(|gap| format!("Not shown, because {gap}."));
    let values = quantities.iter().map(|quantity| {
        let values: Vec<String> = quantity.values.iter().map(shown_value).collect();
        format!("{}: {}", quantity.name, values.join(", "))
    });
    let random = format!(
        "Besides, {} by chance, between these values and to the limit (seed {seed}). Each iteration is one call.",
        count(*random, "run")
    );
    let mut blocks = vec![Block::Section("Runs that were tried".to_owned())];
    blocks.extend(std::iter::once(tried).chain(gaps).map(|told| Block::Text(Tone::Plain, told)));
    blocks.extend([Block::List(List::of(values)), Block::Text(Tone::Plain, random)]);
    blocks
}

fn shown_value(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Number(one) => {
            one.as_f64().map_or_else(|| one.to_string(), |one| ((one * 1e9).round() / 1e9).to_string())
        }
        other => other.to_string(),
    }
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
    let ComparisonReport { names: [first, second], comparison, .. } = report;
    let mut blocks = Vec::new();
    match &comparison.difference {
        None => {
            let told = format!("`{first}` and `{second}` decide alike in every run that was tried");
            blocks.push(match comparison.same() {
                Some(_) => Block::Text(Tone::Good, format!("{told}.")),
                None => {
                    let told = format!("{told}, and not all were: it is not shown that they always do.");
                    Block::Text(Tone::Warn, told)
                }
            });
        }
        Some(difference) => {
            let after = count(difference.trajectory.iterations.len() as u64, "candidate");
            let told = format!("`{first}` and `{second}` decide otherwise, at the earliest after {after}:");
            blocks.extend([Block::Text(Tone::Plain, told), side_by_side(report, difference)]);
        }
    }
    let [only_first, only_second] = &comparison.accepts_only;
    let sides = [(first, second, only_first), (second, first, only_second)];
    for (side, (one, other, acceptance)) in sides.into_iter().enumerate() {
        match acceptance {
            Acceptance::Only if comparison.only(side).is_some() => {
                let told = format!("`{one}` accepts only what `{other}` accepts.");
                blocks.push(Block::Text(Tone::Good, told));
            }
            Acceptance::Only => {
                let told = format!(
                    "`{one}` accepted only what `{other}` accepted; it is not shown that it always does."
                );
                blocks.push(Block::Text(Tone::Warn, told));
            }
            Acceptance::Not(difference) => {
                let told = format!("`{one}` accepts what `{other}` does not:");
                blocks.extend([Block::Text(Tone::Plain, told), side_by_side(report, difference)]);
            }
        }
    }
    blocks.extend(enumerated(&comparison.enumerated));
    lines(&blocks, paint)
}

fn side_by_side(report: ComparisonReport<'_>, difference: &Difference) -> Block {
    let Difference { trajectory, simulated } = difference;
    let sides = report.names.into_iter().zip(report.places).zip(simulated);
    let side = |((name, places), simulated)| Item::new(name, Vec::new(), run(trajectory, simulated, places));
    Block::List(List::of(sides.map(side)))
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
