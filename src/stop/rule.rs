//! What every criterion is: a key of the profile, a decision, a reason, a clause.

use super::ScriptCriterion;
use crate::diag::Problems;
use crate::value::shape::Key;
use crate::value::yaml::Node;
use crate::value::{Millis, Usage, Usd};
use serde_json::Value;
use smallvec::{SmallVec, smallvec};

/// What of a run the criteria look at when a candidate has been assessed.
pub(crate) struct Progress<'a> {
    /// The overall scores of all candidates, in order.
    pub overalls: &'a [f64],
    /// For each of them the highest up to it.
    pub highest: &'a [f64],
    /// The first candidate that the latest one equals.
    pub equals: Option<usize>,
    /// How many candidates in a row were rolled back, up to the latest.
    pub rollbacks: u64,
    /// The path of the candidate that went back and forth most often, and how often.
    pub flip_flop: Option<(&'a str, u64)>,
    /// Time since the run started.
    pub elapsed: Millis,
    /// Calls, tokens and money so far.
    pub usage: Usage,
    /// What a function of the author's own says, or why it says nothing.
    pub script: &'a dyn Fn(&ScriptCriterion) -> Result<bool, String>,
}

impl Progress<'_> {
    /// How many candidates have been assessed.
    #[must_use]
    pub(crate) fn candidates(&self) -> u64 {
        self.overalls.len() as u64
    }
}

/// What takes time to find out of each candidate, so that it is done only where a criterion looks at it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Costly {
    /// Whether it equals an earlier one: [`Progress::equals`].
    Equality,
    /// What of it went back and forth: [`Progress::flip_flop`].
    FlipFlops,
}

/// One comparison that was made.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Seen {
    /// Which of [`Rule::parts`] it is about; 0 of a criterion that has none.
    pub part: usize,
    /// Whether it ends the loop.
    pub holds: bool,
    /// What was measured.
    pub value: f64,
    /// What it was compared with.
    pub bound: f64,
    /// The path of the candidate that it is about, where it is about one.
    pub path: Option<String>,
}

impl Seen {
    /// A comparison of two numbers.
    #[must_use]
    pub(crate) fn new(holds: bool, value: f64, bound: f64) -> Self {
        Seen { part: 0, holds, value, bound, path: None }
    }

    /// Whether a count has come to its limit.
    #[must_use]
    pub(crate) fn count(value: u64, limit: u64) -> Self {
        Seen::new(value >= limit, number(value), number(limit))
    }
}

/// Counts and milliseconds as they stand in events.
#[expect(clippy::cast_precision_loss, reason = "far below 2^53")]
pub(super) fn number(count: u64) -> f64 {
    count as f64
}

/// A count of things in memory.
pub(super) fn long(count: usize) -> u64 {
    u64::try_from(count).unwrap_or(u64::MAX)
}

/// What a criterion saw: nothing while there is too little to look at.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Looked {
    /// The comparisons in their order. The criterion holds if the last one does.
    pub seen: SmallVec<[Seen; 3]>,
    /// What a person should know.
    pub note: Option<&'static str>,
    /// Why it could not be looked at.
    pub failed: Option<String>,
}

impl Looked {
    /// Whether the criterion holds.
    #[must_use]
    pub(crate) fn holds(&self) -> bool {
        self.seen.last().is_some_and(|seen| seen.holds)
    }
}

impl From<Seen> for Looked {
    fn from(seen: Seen) -> Self {
        Looked { seen: smallvec![seen], ..Looked::default() }
    }
}

impl From<Option<Seen>> for Looked {
    fn from(seen: Option<Seen>) -> Self {
        Looked { seen: seen.into_iter().collect(), ..Looked::default() }
    }
}

/// What of a run so far later answers of its criteria depend on: two runs that agree in it, and in what comes later, are
/// answered alike. Whoever tries every course of scores need follow only one of them.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Memory {
    /// Numbers, in an order that depends on the policy alone.
    pub numbers: SmallVec<[f64; 8]>,
    /// Whether they depend on the candidates themselves, besides on which equals which.
    pub candidates: bool,
    /// Whether they may depend on all that there was.
    pub everything: bool,
}

impl Memory {
    /// Adds the last overall scores, at most so many; places of scores that there are not yet are marked.
    pub(super) fn last_scores(&mut self, overalls: &[f64], most: usize) {
        let missing = most.saturating_sub(overalls.len()).min(most);
        self.numbers.extend(std::iter::repeat_n(-1.0, missing));
        self.numbers.extend(overalls.iter().rev().take(most).copied());
    }
}

/// A constant that a criterion compares what it looks at with. A proof tries what lies just below, at and just above each of
/// them, so that every comparison of a policy comes out both ways.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Constant {
    /// How far overall scores lie apart.
    Gain(f64),
    /// How many overall scores in a row fall.
    Falls(usize),
    /// The time that has passed.
    Elapsed(Millis),
    /// The money that was spent.
    Cost(Usd),
    /// The tokens that were used up.
    Tokens(u64),
    /// The calls that were made.
    Calls(u64),
    /// A count that every long enough run comes through one by one: of candidates, corrections, rollbacks, repetitions.
    Count(u64),
    /// What a function of the author's own compares with, which only the function knows.
    Unknown,
}

/// The constants of one criterion.
pub(crate) type Constants = SmallVec<[Constant; 3]>;

/// A setting that makes a criterion hold sooner.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Setting {
    /// Its key.
    pub key: &'static str,
    /// The value.
    pub value: u64,
    /// The least value that it may have.
    pub least: u64,
}

/// A criterion with its settings.
pub(crate) trait Rule {
    /// Looks at the run.
    fn look(&self, run: &Progress<'_>) -> Looked;

    /// The keys below its own that it looks at one by one, where there are several.
    fn parts(&self) -> &'static [&'static str] {
        &[]
    }

    /// When it ends the loop, as a clause that can stand after "when".
    fn clause(&self) -> String;

    /// With how many candidates assessed it can hold at the earliest.
    fn earliest(&self) -> u64;

    /// The setting with which it could hold among so many candidates, and the least value that it may have.
    fn fitting(&self, candidates: u64) -> Option<Setting> {
        let _ = candidates;
        None
    }

    /// All constants that it compares what it looks at with; none of one that compares candidates with each other only.
    fn constants(&self) -> Constants;

    /// What it looks at that takes time to find out.
    fn costly(&self) -> Option<Costly>;

    /// The key below which it stands in explanations and its reason in results, if they are not the key of the profile.
    fn named(&self) -> Option<String> {
        None
    }

    /// What of its settings does not stand in what it sees, for those who explain a run later.
    fn terms(&self) -> Option<Value> {
        None
    }

    /// Adds what of the run so far its later answers depend on. [`Memory::everything`] is right of every criterion, and leaves
    /// much to try.
    fn remember(&self, run: &Progress<'_>, memory: &mut Memory);
}

/// How a criterion is declared.
pub(crate) trait Declared: Rule + Sized {
    /// Its key under `stop`.
    const KEY: Key;
    /// Its key in an element of a group.
    const IN_GROUP: Key = Self::KEY.never_null();
    /// The reason in results.
    const REASON: &'static str = Self::KEY.name;
    /// Whether it limits how many candidates there are: it is looked at before a rollback is settled, and the run has
    /// then the status of one that came to its limit.
    const IS_LIMIT: bool = false;
    /// Whether it is looked at before a rollback is settled.
    const BEFORE_ROLLBACK: bool = Self::IS_LIMIT;

    /// Whether it is looked at before a failed call is made again, too, so that it says something of a single candidate.
    const BOUNDS_CALLS: bool = false;

    /// Reads what is under its key of `stop`: none, one or several of it.
    fn read(node: &Node, problems: &mut Problems) -> Vec<Self>;

    /// Reads what is under its key in an element of a group.
    fn read_in_group(node: &Node, problems: &mut Problems) -> Option<Self> {
        Self::read(node, problems).pop()
    }
}
