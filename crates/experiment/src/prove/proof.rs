//! The findings about a policy's promises.

use super::candidates::Candidates;
use super::checks::{Checks, Found};
use super::dead;
use super::gap::Gap;
use super::random::random_runs;
use super::search::search;
use super::values::Values;
use super::walk::{KeyRule, Walk};
use super::{Effort, Subject, limit_of};
use crate::policy::{Promise, PromiseKind, Promises};
use crate::profile::{CONDITIONS, ShippedPromise};
use crate::simulate::{Simulated, simulate};
use crate::statistics::real;
use crate::trajectory::{IterationRecord, Trajectory};
use serde::Serialize;
use serde_json::{Value, json};

/// The findings about each promise, and the runs that were tried.
#[derive(Debug)]
pub struct Proof {
    /// Each promise, in the order of the policy.
    pub promises: Vec<Proved>,
    /// The runs that were tried.
    pub enumerated: Enumerated,
    /// Waived lines that the policy does not have.
    pub unknown_lines: Vec<String>,
}

impl Proof {
    /// Returns whether every promise holds.
    #[must_use]
    pub fn holds(&self) -> bool {
        self.promises.iter().all(|proved| matches!(proved.shown, Shown::Holds))
    }

    /// Returns whether any promise is broken.
    #[must_use]
    pub fn is_broken(&self) -> bool {
        self.promises.iter().any(|proved| proved.broken().is_some())
    }
}

/// The finding about one promise.
#[derive(Debug)]
pub struct Proved {
    /// The promise.
    pub promise: Promise,
    /// The finding.
    pub shown: Shown,
}

impl Proved {
    /// The violation, if one was found.
    #[must_use]
    pub fn broken(&self) -> Option<&Broken> {
        match &self.shown {
            Shown::Broken(broken) => Some(broken),
            Shown::Holds | Shown::NotShown(_) => None,
        }
    }
}

/// The finding about a promise.
#[derive(Debug)]
pub enum Shown {
    /// It holds for every run over the listed values.
    Holds,
    /// It holds for the runs that were tried. The gaps are what was not tried, or what trying can't show.
    NotShown(Vec<Gap>),
    /// It does not hold.
    Broken(Broken),
}

/// The violation of a promise.
#[derive(Debug)]
pub enum Broken {
    /// A run.
    Run(Box<Counterexample>),
    /// Lines that decide no run over the listed values, as decisions name them: `stop.decline`.
    DeadLines(Vec<String>),
}

/// A run in which a promise does not hold.
#[derive(Debug, Clone)]
pub struct Counterexample {
    /// The candidates, as `simulate` and `test` take them. Its id is the promise.
    pub trajectory: Trajectory,
    /// The outcome of the policy on them.
    pub simulated: Simulated,
    /// For a promise about two candidates at the same position: the run with the worse one, and its outcome.
    pub beside: Option<(Trajectory, Simulated)>,
    /// The description of the violation.
    pub why: String,
    /// `true` if it was found in a random run: then there may be a shorter one that was not tried.
    pub by_chance: bool,
}

/// The runs against which promises were checked.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Enumerated {
    /// The values that were tried for each quantity.
    pub quantities: Vec<Quantity>,
    /// The number of candidates that were tried at each position of a run.
    pub candidates: usize,
    /// Every run of up to so many candidates was tried.
    pub depth: u64,
    /// The most candidates of a run.
    pub limit: u64,
    /// `true` if every run over these values was tried.
    pub complete: bool,
    /// The gaps: what was not tried.
    pub gaps: Vec<Gap>,
    /// `true` if the search ended before, because all that was asked had been answered.
    pub answered: bool,
    /// The number of these runs.
    pub histories: f64,
    /// The number of decisions that stood for them.
    pub decisions: u64,
    /// The number of random runs that were tried besides.
    pub random: u64,
    /// The seed of the random runs.
    pub seed: u64,
}

/// The values that were tried for one quantity.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Quantity {
    /// Its name: a dimension, `overall`, `issues.critical`, `elapsed_ms` and so on.
    pub name: String,
    /// The values.
    pub values: Vec<Value>,
}

/// Checks the promises of a policy against every run over representative values, and against random runs.
#[must_use]
pub fn prove(subject: &Subject<'_>, promises: &Promises, effort: Effort) -> Proof {
    let candidates = Candidates::of(std::slice::from_ref(subject), promises);
    let limit = limit_of(subject.policy);
    let mut checks = Checks::new(subject, promises, &candidates);
    let rule = KeyRule::of(promises, &candidates);
    let most = effort.decisions_of(std::slice::from_ref(subject), promises);
    let reach = search(subject, &candidates, rule, limit, most, &mut checks);
    let by_chance = random_runs(subject, &candidates, limit, effort, &mut checks);

    let mut gaps = candidates.gaps(std::slice::from_ref(subject));
    gaps.extend(reach.gap(limit));
    gaps.extend(reach.complete.then(|| candidates.few_rises(reach.depth, limit)).flatten());
    gaps.extend(checks.script_failed.take().map(Gap::ScriptFailed));

    let dead = checks.deciding.dead(subject);
    let dead: Vec<String> = dead.into_iter().filter(|line| !promises.may_be_dead(line)).collect();
    let all = dead::lines(subject);
    let unknown_lines = promises.waived.iter().filter_map(|waiver| waiver.line.clone());
    let unknown_lines = unknown_lines.filter(|line| !all.contains(line)).collect();

    let proved = promises.list.iter().zip(&checks.found).enumerate().map(|(at, (promise, found))| {
        let random = by_chance.iter().find(|(of, _)| *of == at).map(|(_, run)| run);
        let shown = match (&promise.kind, found) {
            (PromiseKind::Shipped(ShippedPromise::NoDeadCriterion), _) if dead.is_empty() => Shown::Holds,
            (PromiseKind::Shipped(ShippedPromise::NoDeadCriterion), _) if gaps.is_empty() => {
                Shown::Broken(Broken::DeadLines(dead.clone()))
            }
            (PromiseKind::Shipped(ShippedPromise::NoDeadCriterion), _) => {
                let undecided = std::iter::once(Gap::NoRun(dead.clone()));
                Shown::NotShown(undecided.chain(gaps.iter().cloned()).collect())
            }
            (_, Some(found)) => {
                let record = |walk: &Walk, at: usize| match random {
                    Some(run) => run.records.get(at).cloned(),
                    None => {
                        let number = usize::try_from(*walk.tried.get(at)?).ok()?;
                        candidates.list.get(number).map(|candidate| candidate.record.clone())
                    }
                };
                let run = counterexample(subject, &promise.name, found, &record);
                let run = Counterexample { by_chance: random.is_some(), ..run };
                Shown::Broken(Broken::Run(Box::new(run)))
            }
            (kind, None) => {
                let gaps: Vec<Gap> = gaps.iter().cloned().chain(own_gap(kind)).collect();
                if gaps.is_empty() { Shown::Holds } else { Shown::NotShown(gaps) }
            }
        };
        Proved { promise: promise.clone(), shown }
    });
    let promises = proved.collect();
    let enumerated = Enumerated {
        quantities: quantities(&candidates),
        candidates: candidates.list.len(),
        depth: reach.depth,
        limit,
        complete: reach.complete && !gaps.contains(&Gap::ManyCandidates),
        answered: false,
        gaps,
        histories: reach.histories,
        decisions: reach.decisions,
        random: effort.random,
        seed: effort.seed,
    };
    Proof { promises, enumerated, unknown_lines }
}

/// The gap that trying values leaves for a promise, however many there are.
fn own_gap(kind: &PromiseKind) -> Option<Gap> {
    match kind {
        PromiseKind::Always(condition) | PromiseKind::Never(condition) => {
            (!condition.only_compares_constants()).then_some(Gap::Computed)
        }
        PromiseKind::Script(_) => Some(Gap::PromiseScript),
        PromiseKind::Monotone(_) | PromiseKind::Shipped(_) => None,
    }
}

/// The run as a trajectory, and the outcome of the policy on it.
fn counterexample(
    subject: &Subject<'_>,
    name: &str,
    found: &Found,
    record: &dyn Fn(&Walk, usize) -> Option<IterationRecord>,
) -> Counterexample {
    let played = |walk: &Walk, id: &str| {
        let trajectory = walk.trajectory(id, |at| record(walk, at));
        let simulated = simulate(subject.policy, subject.scripts, &trajectory);
        (trajectory, simulated)
    };
    let (trajectory, simulated) = played(&found.walk, name);
    let beside = found.beside.as_ref().map(|walk| played(walk, &format!("{name} (the worse candidate)")));
    Counterexample { trajectory, simulated, beside, why: found.why.clone(), by_chance: false }
}

/// The values that were tried, for users who want to know what the proof covers.
pub(super) fn quantities(candidates: &Candidates) -> Vec<Quantity> {
    let Values { direct, overall, alone, issues, spending, .. } = &candidates.values;
    let spending = spending.all();
    let of = |name: &str, values: Vec<Value>| Quantity { name: name.to_owned(), values };
    let numbers = |values: &[f64]| values.iter().map(|value| json!(value)).collect::<Vec<_>>();
    let mut all: Vec<Quantity> = Vec::new();
    if !overall.is_empty() {
        all.push(of("overall", numbers(overall)));
    }
    all.extend(direct.iter().map(|score| of(&score.name, numbers(&score.values))));
    all.extend(alone.iter().map(|score| of(&format!("{} alone", score.name), numbers(&score.values))));
    for issue in issues {
        let name = format!("issues.{}", issue.kind.as_str());
        all.push(of(&name, issue.counts.iter().map(|count| json!(count)).collect()));
    }
    let mut documents = vec![json!("seen and of a known type")];
    let broken = CONDITIONS.iter().zip(candidates.values.broken_conditions).filter(|(_, tried)| *tried);
    documents.extend(broken.map(|(condition, _)| json!(condition.document)));
    if documents.len() > 1 {
        all.push(of("document", documents));
    }
    let mut spent = |name: &str, values: Vec<Value>| {
        if values.len() > 1 {
            all.push(of(name, values));
        }
    };
    let zero_first = |mut values: Vec<f64>| {
        values.sort_by(f64::total_cmp);
        values.dedup();
        numbers(&values)
    };
    spent("elapsed_ms", zero_first(spending.iter().map(|one| one.elapsed_ms).collect()));
    spent("cost_usd", zero_first(spending.iter().map(|one| one.cost_usd).collect()));
    spent("tokens", zero_first(spending.iter().map(|one| real(one.tokens)).collect()));
    let mut contents: Vec<Value> = Vec::new();
    for candidate in &candidates.list {
        let Some(word) = candidate.content.word() else { continue };
        if !contents.iter().any(|known| known == word) {
            contents.push(word.into());
        }
    }
    spent("candidate", contents);
    all
}
