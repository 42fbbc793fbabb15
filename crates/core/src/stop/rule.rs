//! The parts that make a criterion: a key of the profile, a decision, a reason, a clause.

use super::{Criterion, Doubt, EndingLine, Ground, Overtakes, ScriptCriterion};
use crate::diag::Problems;
use crate::value::shape::Key;
use crate::value::yaml::Node;
use crate::value::{Millis, Usage, Usd};
use serde_json::Value;
use smallvec::{SmallVec, smallvec};

/// The parts of a run that criteria inspect when a candidate has been assessed.
pub struct Progress<'a> {
    /// The overall scores of all candidates, in order.
    pub overalls: &'a [f64],
    /// The highest score up to each of them.
    pub highest: &'a [f64],
    /// The first candidate that the latest one equals.
    pub equals: Option<usize>,
    /// The number of candidates in a row that were rolled back, up to the latest.
    pub rollbacks: u64,
    /// The path of the candidate that went back and forth most often, and how often.
    pub flip_flop: Option<(&'a str, u64)>,
    /// Time since the run started.
    pub elapsed: Millis,
    /// Calls, tokens and money so far.
    pub usage: Usage,
    /// The answer of a function of the author's own, or why it gives none.
    pub script: &'a dyn Fn(&ScriptCriterion) -> Result<bool, String>,
}

impl Progress<'_> {
    /// The number of assessed candidates.
    #[must_use]
    pub fn candidates(&self) -> u64 {
        self.overalls.len() as u64
    }
}

/// A fact about each candidate that takes time to find out, so that this is done only where a criterion inspects it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Costly {
    /// Equality with an earlier one: [`Progress::equals`].
    Equality,
    /// The parts of it that went back and forth: [`Progress::flip_flop`].
    FlipFlops,
}

/// One comparison that was made.
#[derive(Debug, Clone, PartialEq)]
pub struct Seen {
    /// The index in [`Properties::parts`] that it is about; 0 for a criterion that has none.
    pub part: usize,
    /// `true` if it ends the loop.
    pub holds: bool,
    /// The measured value.
    pub value: f64,
    /// The value it was compared with.
    pub bound: f64,
    /// The path in the candidate that it is about, if it is about one.
    pub path: Option<String>,
}

impl Seen {
    /// A comparison of two numbers.
    #[must_use]
    pub fn new(holds: bool, value: f64, bound: f64) -> Self {
        Seen { part: 0, holds, value, bound, path: None }
    }

    /// A comparison that holds once a count has reached its limit.
    #[must_use]
    pub fn count(value: u64, limit: u64) -> Self {
        Seen::new(value >= limit, number(value), number(limit))
    }
}

/// Counts and milliseconds as they appear in events.
#[expect(clippy::cast_precision_loss, reason = "far below 2^53")]
pub(super) fn number(count: u64) -> f64 {
    count as f64
}

/// A count of things in memory.
pub(super) fn long(count: usize) -> u64 {
    u64::try_from(count).unwrap_or(u64::MAX)
}

/// The findings of a criterion: none while there is too little to inspect.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Looked {
    /// The comparisons in their order. The criterion holds if the last one does.
    pub seen: SmallVec<[Seen; 3]>,
    /// A remark that a person should know.
    pub note: Option<&'static str>,
    /// The reason why it could not be evaluated.
    pub failed: Option<String>,
}

impl Looked {
    /// Returns whether the criterion holds.
    #[must_use]
    pub fn holds(&self) -> bool {
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

/// The parts of a run so far on which later answers of its criteria depend: two runs that agree in them, and in what
/// comes later, are answered alike. A search over every course of scores need follow only one of them.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Memory {
    /// Numbers, in an order that depends on the policy alone.
    pub numbers: SmallVec<[f64; 8]>,
    /// `true` if they depend on the candidates themselves, not only on which equals which.
    pub candidates: bool,
    /// `true` if they may depend on everything so far.
    pub everything: bool,
}

impl Memory {
    /// Adds the last overall scores, at most so many; missing scores are marked.
    pub(super) fn last_scores(&mut self, overalls: &[f64], most: usize) {
        let missing = most.saturating_sub(overalls.len()).min(most);
        self.numbers.extend(std::iter::repeat_n(-1.0, missing));
        self.numbers.extend(overalls.iter().rev().take(most).copied());
    }
}

/// A constant with which a criterion compares what it inspects. A proof tries values just below, at and just above each
/// of them, so that every comparison of a policy comes out both ways.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Constant {
    /// The distance between overall scores.
    Gain(f64),
    /// The number of overall scores in a row that fall.
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
    /// The constant of a function of the author's own, which only the function knows.
    Unknown,
}

/// The constants of one criterion.
pub(super) type Constants = SmallVec<[Constant; 3]>;

/// A setting that makes a criterion hold sooner.
#[derive(Debug, Clone, Copy)]
pub struct Setting {
    /// Its key.
    pub key: &'static str,
    /// The value with which it could hold among so many candidates.
    pub value: fn(u64) -> u64,
    /// The least value that it may have.
    pub least: u64,
}

/// A key below its own that a criterion evaluates by itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Part {
    /// The key.
    pub key: &'static str,
    /// `true` if it is set, and decides in some course of candidates that a proof tries.
    pub decides: bool,
}

/// The facts about a criterion with its settings on which lints, proofs and explanations rest. Each is to be given: what is
/// left out of a proof is not proved.
#[derive(Debug, Clone)]
pub struct Properties {
    /// The least number of assessed candidates with which it can hold.
    pub earliest: u64,
    /// The setting with which it could hold sooner, if there is one.
    pub fitting: Option<Setting>,
    /// All constants with which it compares what it inspects; none for one that compares only candidates with each
    /// other.
    pub constants: Constants,
    /// The costly fact that it inspects, if any.
    pub costly: Option<Costly>,
    /// `true` if it can hold only where candidates are rolled back.
    pub needs_rollback: bool,
    /// The keys below its own that it evaluates one by one, if there are several.
    pub parts: SmallVec<[Part; 3]>,
}

/// A criterion with its settings.
pub trait Rule {
    /// Evaluates the run.
    fn look(&self, run: &Progress<'_>) -> Looked;

    /// The condition under which it ends the loop, as a clause that can follow "when".
    fn clause(&self) -> String;

    /// The facts about it that follow from its settings alone.
    fn properties(&self) -> Properties;

    /// Returns whether it holds no later than `other` in every course of scores, so that it leaves it nothing to decide.
    fn overtakes(&self, other: &Criterion, ground: &Ground) -> Option<Overtakes>;

    /// The doubt that its settings give rise to by themselves, if any.
    fn doubt(&self, ground: &Ground) -> Option<Doubt>;

    /// The key below which it appears in explanations and its reason in results, if they are not the key of the
    /// profile.
    fn named(&self) -> Option<String> {
        None
    }

    /// The settings that do not appear in what it sees, for explaining a run later.
    fn terms(&self) -> Option<Value> {
        None
    }

    /// Adds the parts of the run so far on which its later answers depend. [`Memory::everything`] is right for every
    /// criterion, and leaves much to try.
    fn remember(&self, run: &Progress<'_>, memory: &mut Memory);
}

/// The declaration of a criterion.
pub trait Declared: Rule + Sized {
    /// Its key under `stop`.
    const KEY: Key;
    /// Its key in an element of a group.
    const IN_GROUP: Key = Self::KEY.never_null();
    /// The reason in results.
    const REASON: &'static str = Self::KEY.name;
    /// `true` if it limits the number of candidates: it is then evaluated before a rollback is settled, and the run
    /// gets the status of one that reached its limit.
    const IS_LIMIT: bool = false;
    /// `true` if it is evaluated before a rollback is settled.
    const BEFORE_ROLLBACK: bool = Self::IS_LIMIT;

    /// `true` if it is also evaluated before a failed call is made again, so that it matters to a single candidate.
    const BOUNDS_CALLS: bool = false;

    /// Words for a line of it that ended a run: the values it saw, and what is allowed.
    fn ended(line: &EndingLine<'_>) -> String;

    /// Reads the value under its key of `stop`: none, one or several of it.
    fn read(node: &Node, problems: &mut Problems) -> Vec<Self>;

    /// Reads the value under its key in an element of a group.
    fn read_in_group(node: &Node, problems: &mut Problems) -> Option<Self> {
        Self::read(node, problems).pop()
    }
}
