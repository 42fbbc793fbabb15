//! The data that the lints of a policy inspect: its settings with their positions, and the possible scores.

use crate::diag::{Code, Problem, Span};
use crate::facts::{Placed, Range, entry_of, placed, range_of};
use crate::lint::ProfileView;
use crate::profile::{LoopPolicy, OnGateMiss, OnRegression, Overall, Profile, SelectKey, Target};
use crate::stop::Ground;
use crate::value::prose::decimals;
use crate::value::yaml::{Data, Entry, Node};

/// A compiled profile, as the lints of a policy see it.
pub(super) struct View<'a> {
    pub(super) profile: &'a Profile,
    pub(super) policy: &'a LoopPolicy,
    pub(super) subject: ProfileView<'a>,
    /// The stop criteria, in the order in which they are checked.
    pub(super) criteria: Vec<Placed>,
    root: &'a Node,
}

impl<'a> View<'a> {
    pub(super) fn of(subject: ProfileView<'a>) -> Self {
        let profile = &subject.loaded.profile;
        let root = &subject.loaded.merged;
        View { profile, policy: &profile.policy, subject, criteria: placed(&profile.policy.stop, root), root }
    }

    /// The limit that ends a run first, with the number of candidates at which it does.
    pub(super) fn limit(&self) -> Option<(&Placed, u64)> {
        let limits = self.criteria.iter().filter(|one| one.is_plain() && one.criterion.is_limit());
        limits.map(|one| (one, one.criterion.earliest())).min_by_key(|(one, most)| (*most, one.rank))
    }

    /// The limit that allows no correction, if there is one.
    pub(super) fn only_candidate(&self) -> Option<&Placed> {
        self.limit()?;
        let limits = self.criteria.iter().filter(|one| one.alone && one.criterion.is_limit());
        limits.filter(|one| one.criterion.earliest() == 1).min_by_key(|one| one.rank)
    }

    /// The entry at a path of keys.
    pub(super) fn entry(&self, path: &[&str]) -> Option<&'a Entry> {
        let (last, above) = path.split_last()?;
        let mut node = self.root;
        for key in above {
            node = node.get(key)?;
        }
        entry_of(node, last)
    }

    /// The position of the key at a path; of the profile where it is not set.
    pub(super) fn key(&self, path: &[&str]) -> &'a Span {
        self.entry(path).map_or(&self.root.span, |entry| &entry.key_span)
    }

    /// The position of the value at a path; of the profile where it is not set.
    pub(super) fn value(&self, path: &[&str]) -> &'a Span {
        self.entry(path).map_or(&self.root.span, |entry| &entry.value.span)
    }

    /// Returns whether the profile itself (or the command line) sets this, not a profile that it extends.
    pub(super) fn is_own(&self, span: &Span) -> bool {
        span.file().is_argument() || span.file().name() == self.root.span.file().name()
    }

    /// The position of the key of the order at this index.
    pub(super) fn order_key(&self, at: usize) -> &'a Span {
        let order = self.value(&["select", "order"]);
        match self.entry(&["select", "order"]).map(|entry| &entry.value.data) {
            Some(Data::List(items)) => items.get(at).map_or(order, |item| &item.span),
            _ => order,
        }
    }

    /// The position of the setting that gives a dimension its score.
    pub(super) fn measure(&self, name: &str) -> &'a Span {
        let floor = self.entry(&["assess", name, "floor"]).map(|entry| &entry.key_span);
        floor.unwrap_or_else(|| self.key(&["assess", name]))
    }

    /// Returns whether the profile itself sets something at this path.
    pub(super) fn says(&self, path: &[&str]) -> bool {
        self.entry(path).is_some_and(|entry| self.is_own(&entry.key_span))
    }

    /// A warning where the profile itself sets it, a note where it is inherited.
    pub(super) fn doubt(&self, code: Code, span: &Span, message: impl Into<String>) -> Problem {
        self.doubt_of(code, span, &[], message)
    }

    /// Like [`doubt`](Self::doubt), for something that follows from several settings: a warning where the profile
    /// itself sets one of them.
    pub(super) fn doubt_of(
        &self,
        code: Code,
        span: &Span,
        others: &[&Span],
        message: impl Into<String>,
    ) -> Problem {
        if self.is_own(span) || others.iter().any(|other| self.is_own(other)) {
            Problem::warning(code, span, message)
        } else {
            Problem::note(code, span, format!("in `{}` {}", self.profile.name, message.into()))
        }
    }

    /// The scores that a dimension can have.
    pub(super) fn dimension(&self, name: &str) -> Range {
        let known = self.profile.dimensions.iter().find(|dimension| dimension.name == name);
        known.map_or(Range::FULL, |dimension| range_of(dimension, self.profile.candidate))
    }

    /// The values that the overall score can have.
    pub(super) fn overall(&self) -> Range {
        match &self.policy.overall {
            Overall::From(name) => self.dimension(name),
            Overall::Weighted(weights) => weights.iter().fold(Range::NOTHING, |sum, (name, weight)| {
                let Range { low, high } = self.dimension(name);
                Range { low: sum.low + weight * low, high: sum.high + weight * high }
            }),
        }
    }

    /// The settings on which the doubts of criteria rest.
    pub(super) fn ground(&self) -> Ground {
        let policy = self.policy;
        let is_overall = |key: &SelectKey| match (key, &policy.overall) {
            (SelectKey::Score(Target::Overall), _) => true,
            (SelectKey::Score(Target::Dimension(name)), Overall::From(from)) => name == from,
            _ => false,
        };
        let rolls_back = policy.on_regression == OnRegression::Rollback;
        let falls_roll_back = rolls_back && policy.select.order.first().is_some_and(is_overall);
        let gate = policy.gate.as_ref().is_some_and(|gate| gate.on_correction == OnGateMiss::Rollback);
        let Range { low, high } = self.overall();
        Ground {
            rolls_back,
            falls_roll_back,
            only_falls_roll_back: falls_roll_back && !gate,
            ties_may_roll_back: policy.select.order.len() > 1,
            overall: (low, high),
        }
    }

    /// The values that a bound can be about.
    pub(super) fn target(&self, target: &Target) -> Range {
        match target {
            Target::Overall => self.overall(),
            Target::Dimension(name) => self.dimension(name),
        }
    }
}

/// A number as a person would write it, with four decimals at most.
pub(super) fn number(value: f64) -> String {
    decimals(value, 4)
}
