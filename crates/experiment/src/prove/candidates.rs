//! The candidates that are tried: every combination of the values.

use super::Subject;
use super::gap::Gap;
use super::grid::Richness;
use super::issues::{is_of_document, issue_combinations};
use super::spending::Spending;
use super::values::{Free, ScoreValues, Values};
use crate::policy::{IterationSummary, Promises};
use crate::profile::IssueKind;
use crate::simulate::assessment;
use crate::trajectory::{IterationRecord, StepIssue};
use crate::value::{Score, Usd};

/// The most candidates that are tried at one position of a run, unless even the least choice has more.
const MOST_CANDIDATES: usize = 300;

/// The most candidates at all: beyond that, those that are left are tried by chance only.
const BOUND: usize = 1_000;

/// The contents of a candidate, compared with the ones before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Content {
    /// Candidates are not compared.
    Unknown,
    /// Unlike any before.
    New,
    /// Unlike any before, with a value that the one before has.
    Stay,
    /// Unlike any before, with a value that was there before that of the previous candidate.
    Back,
    /// Equal to the best so far. A candidate that equals an earlier one scores as that did, whatever the record says.
    SameAsBest,
    /// Equal to the one before.
    SameAsLatest,
}

impl Content {
    /// The contents in words; `None` if candidates are not compared.
    pub(super) fn word(self) -> Option<&'static str> {
        Some(match self {
            Content::Unknown => return None,
            Content::New => "new",
            Content::Stay => "new, with a value of the one before",
            Content::Back => "new, with the value before that again",
            Content::SameAsBest => "equal to the best so far",
            Content::SameAsLatest => "equal to the one before",
        })
    }

    /// Returns whether it scores as an earlier one did.
    pub(super) fn repeats(self) -> bool {
        matches!(self, Content::SameAsBest | Content::SameAsLatest)
    }
}

/// The class of candidates outside of the classes of the grid.
pub(super) const NO_CLASS: u32 = u32::MAX;

/// One candidate that is tried.
#[derive(Debug, Clone)]
pub(super) struct Candidate {
    /// The scores and the usage of the candidate.
    pub record: IterationRecord,
    pub content: Content,
    /// The facts about it, as each policy sees them.
    pub facts: Vec<IterationSummary>,
    /// Candidates of one class differ in nothing that is scored; [`NO_CLASS`] for those that have none.
    pub class: u32,
    /// The measures of its quality, more being better: each dimension, and how few issues there are of each kind.
    pub quality: Vec<f64>,
    /// Candidates of one group use up the same and are as new.
    pub group: u32,
}

/// All candidates that are tried.
#[derive(Debug, Clone)]
pub(super) struct Candidates {
    pub values: Values,
    pub list: Vec<Candidate>,
    /// Names of the dimensions, in the order of `quality`.
    pub dimensions: Vec<String>,
}

/// The contents that candidates may have, compared with the ones before them.
fn contents(values: &Values) -> Vec<Content> {
    let mut contents = if values.flips {
        vec![Content::New, Content::Stay, Content::Back]
    } else if values.repeats.is_empty() {
        vec![Content::Unknown]
    } else {
        vec![Content::New]
    };
    contents.extend(&values.repeats);
    contents
}

impl Candidates {
    /// Every combination of the values, the plainest first, with as much of the neighbourhood of constants as is not
    /// too much.
    pub(super) fn of(subjects: &[Subject<'_>], promises: &Promises) -> Self {
        let mut made = Candidates::with(subjects, promises, Richness::Full);
        for richness in [Richness::Less, Richness::Least] {
            if made.list.len() > MOST_CANDIDATES {
                made = Candidates::with(subjects, promises, richness);
            }
        }
        made
    }

    /// The gaps of these policies, whatever the search finds.
    pub(super) fn gaps(&self, subjects: &[Subject<'_>]) -> Vec<Gap> {
        let scripts = subjects.iter().any(|subject| !subject.scripts.is_empty());
        self.values.left_out.iter().cloned().chain(scripts.then_some(Gap::StopScripts)).collect()
    }

    /// The gap that scores which rise more often leave, where the longest run has so many candidates.
    pub(super) fn few_rises(&self, longest: u64, limit: u64) -> Option<Gap> {
        (self.values.rises && longest < limit).then_some(Gap::FewRises { candidates: longest, limit })
    }

    fn with(subjects: &[Subject<'_>], promises: &Promises, richness: Richness) -> Self {
        let mut values = Values::of(subjects, promises, richness);
        let (scores, mut is_part) = score_combinations(&values);
        let issues = issue_combinations(&values);
        let contents = contents(&values);
        let spending = values.spending.all();
        let repeated: Vec<Content> = contents.iter().copied().filter(|content| content.repeats()).collect();
        let dimensions: Vec<String> = scores
            .first()
            .map(|first| first.iter().map(|(name, _)| name.clone()).collect())
            .unwrap_or_default();
        let mut list: Vec<Candidate> = Vec::new();
        let mut class = 0;
        let best = scores.len().saturating_sub(1);
        'all: for issues in &issues {
            for (at, scores) in scores.iter().enumerate() {
                // For a document that breaks a condition of `accept`, only what would pass otherwise says anything.
                if is_of_document(issues) && at != best {
                    continue;
                }
                class += 1;
                let scored = scored(subjects, scores, issues);
                for (spent, spending) in spending.iter().enumerate() {
                    for (new, content) in contents.iter().enumerate() {
                        if content.repeats() {
                            continue;
                        }
                        if list.len() >= BOUND {
                            is_part = true;
                            break 'all;
                        }
                        let group = u32::try_from(spent * contents.len() + new).unwrap_or(u32::MAX);
                        list.push(scored.with(*spending, *content, class, group));
                    }
                }
            }
        }
        let nothing = scored(subjects, &Vec::new(), &[]);
        for (spent, spending) in spending.iter().enumerate() {
            for (new, content) in repeated.iter().enumerate() {
                let group = (spent + 1) * contents.len() - 1 - new;
                let group = u32::try_from(group).unwrap_or(u32::MAX);
                list.push(nothing.with(*spending, *content, NO_CLASS, group));
            }
        }
        // The plainest first: a counterexample is reported with as little as it takes.
        list.sort_by_key(|candidate| {
            let scores = &candidate.record.scores;
            let uneven = scores.windows(2).any(|pair| matches!(pair, [(_, a), (_, b)] if a != b));
            (candidate.group, candidate.record.issues.len(), uneven)
        });
        if is_part {
            values.left_out.push(Gap::ManyCandidates);
        }
        let missed = not_reached(&values, subjects, &list);
        values.left_out.extend(missed);
        Candidates { values, list, dimensions }
    }
}

/// The gaps in the overall scores of the candidates, for some policy: a constant, or as many falls as it looks for.
fn not_reached(values: &Values, subjects: &[Subject<'_>], list: &[Candidate]) -> Vec<Gap> {
    let mut missed = Vec::new();
    let scored = || list.iter().filter(|candidate| !candidate.content.repeats());
    for of in 0..subjects.len() {
        let mut scores: Vec<f64> =
            scored().filter_map(|one| one.facts.get(of)).map(|facts| facts.overall).collect();
        scores.sort_by(f64::total_cmp);
        scores.dedup_by(|a, b| (*a - *b).abs() < 1e-9);
        let least = scores.first().copied().unwrap_or_default();
        for bound in &values.bounds {
            let near = |from: f64, to: f64| scores.iter().any(|score| (from..to).contains(score));
            let at = near(bound - 1e-9, bound + 2.0 * values.step);
            let below = near(bound - 2.0 * values.step, bound - 1e-9);
            let gap = Gap::Unreached(format!("{}", (bound * 1e9).round() / 1e9));
            if !(at && (below || *bound <= least + 1e-9) || *bound <= 0.0) && !missed.contains(&gap) {
                missed.push(gap);
            }
        }
        if scores.len() < values.levels && !missed.contains(&Gap::FewLevels) {
            missed.push(Gap::FewLevels);
        }
    }
    missed
}

/// A candidate without its usage.
struct Scored {
    record: IterationRecord,
    facts: Vec<IterationSummary>,
    quality: Vec<f64>,
}

impl Scored {
    fn with(&self, spending: Spending, content: Content, class: u32, group: u32) -> Candidate {
        let record = IterationRecord {
            elapsed_ms: spending.elapsed_ms,
            cost_usd: Usd::new(spending.cost_usd).unwrap_or_default(),
            tokens: spending.tokens,
            ..self.record.clone()
        };
        let (facts, quality) = (self.facts.clone(), self.quality.clone());
        Candidate { record, content, facts, class, quality, group }
    }
}

fn scored(subjects: &[Subject<'_>], scores: &[(String, f64)], issues: &[StepIssue]) -> Scored {
    let record = record(scores, issues);
    let facts: Vec<IterationSummary> = subjects.iter().map(|subject| facts(subject, &record)).collect();
    let mut quality: Vec<f64> = scores.iter().map(|(_, value)| *value).collect();
    if let Some(facts) = facts.first() {
        #[expect(clippy::cast_precision_loss, reason = "a handful of issues")]
        quality.extend(IssueKind::ALL.iter().map(|kind| -(facts.issues.get(*kind) as f64)));
        quality.extend(facts.broken_conditions.map(|is| if is { -1.0 } else { 0.0 }));
    }
    Scored { record, facts, quality }
}

/// The facts about these scores and issues for a policy.
pub(super) fn facts(subject: &Subject<'_>, record: &IterationRecord) -> IterationSummary {
    IterationSummary::of(subject.policy, &assessment(subject.policy, record), None)
}

pub(super) fn record(scores: &[(String, f64)], issues: &[StepIssue]) -> IterationRecord {
    IterationRecord {
        scores: scores.iter().map(|(name, value)| (name.clone(), Score::clamped(*value))).collect(),
        issues: issues.to_vec(),
        ..IterationRecord::default()
    }
}

type Scores = Vec<(String, f64)>;

/// Every combination of scores, and whether there were more than can be tried.
fn score_combinations(values: &Values) -> (Vec<Scores>, bool) {
    let (mut all, mut is_part): (Vec<Scores>, bool) = (vec![Vec::new()], false);
    for ScoreValues { name, values } in &values.direct {
        let longer = |scores: &Scores, value: &f64| {
            let mut scores = scores.clone();
            scores.push((name.clone(), *value));
            scores
        };
        all = all.iter().flat_map(|scores| values.iter().map(move |value| longer(scores, value))).collect();
        is_part |= all.len() > BOUND;
        all.truncate(BOUND);
    }
    if !values.free.is_empty() {
        let direct_share = |scores: &Scores| -> f64 {
            let weight = |name: &str| values.weight_of_direct(name);
            scores.iter().map(|(name, value)| weight(name) * value).sum()
        };
        all = all
            .iter()
            .flat_map(|scores| {
                let rest = direct_share(scores);
                values.overall.iter().filter_map(move |overall| {
                    let mut scores = scores.clone();
                    scores.extend(share_out(&values.free, overall - rest)?);
                    Some(scores)
                })
            })
            .collect();
    }
    for ScoreValues { name, values } in &values.alone {
        let with = |scores: &Scores, value: f64| -> Scores {
            scores
                .iter()
                .map(|(known, old)| (known.clone(), if known == name { value } else { *old }))
                .collect()
        };
        let more: Vec<Scores> =
            all.iter().flat_map(|scores| values.iter().map(move |value| with(scores, *value))).collect();
        for scores in more {
            if !all.contains(&scores) {
                all.push(scores);
            }
        }
    }
    (all, is_part)
}

impl Values {
    /// The weight of a dimension that is inspected by itself in the overall score: the free ones have the rest.
    fn weight_of_direct(&self, name: &str) -> f64 {
        self.direct_weights.iter().find(|(known, _)| known == name).map_or(0.0, |(_, weight)| *weight)
    }
}

/// Values of the free dimensions whose weighted sum is `sum`: all the same if possible, else each as far in its range
/// as the others; `None` if no values have that sum.
fn share_out(free: &[Free], sum: f64) -> Option<Scores> {
    let weight: f64 = free.iter().map(|one| one.weight).sum();
    let least: f64 = free.iter().map(|one| one.weight * one.low).sum();
    let most: f64 = free.iter().map(|one| one.weight * one.high).sum();
    if sum < least - 1e-9 || sum > most + 1e-9 || weight <= 0.0 {
        return None;
    }
    let even = (sum / weight).clamp(0.0, 1.0);
    let fits = free.iter().all(|one| even >= one.low - 1e-12 && even <= one.high + 1e-12);
    let along = if most > least { ((sum - least) / (most - least)).clamp(0.0, 1.0) } else { 0.0 };
    let value = |one: &Free| if fits { even } else { one.low + along * (one.high - one.low) };
    Some(free.iter().map(|one| (one.name.clone(), value(one))).collect())
}
