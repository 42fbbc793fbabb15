//! `stop`: all criteria of a profile.

use super::group::{ALL, ANY, read_members};
use super::place::{Place, Placed};
use super::{
    Budget, Costly, Criterion, Declared, KEYS, MaxCorrections, MaxIterations, Timeout, Waiting, read,
};
use crate::diag::{Code, Problem, Problems};
use crate::value::Millis;
use crate::value::decode::{Decode, Fields};
use crate::value::shape::{Mapping, Shape};
use crate::value::yaml::Node;
use smallvec::SmallVec;

/// Reasons to stop, in the order in which they are evaluated; groups last.
#[derive(Debug, Clone, Default)]
pub struct StopCriteria {
    criteria: Vec<Criterion>,
    /// The location of each in the profile.
    places: Vec<Place>,
    /// The costly facts that they inspect: every candidate asks for them.
    costly: SmallVec<[Costly; 2]>,
}

/// The keys of `stop`.
pub static STOP: Mapping = Mapping {
    name: "stop",
    what: "list of stop criteria",
    doc: "Reasons to end the loop without a candidate that is good enough. One that is not set never applies. They are \
          looked at in this order, after acceptance.",
    keys: &[KEYS, &[ANY, ALL]],
    open: None,
};

impl FromIterator<Criterion> for StopCriteria {
    fn from_iter<I: IntoIterator<Item = Criterion>>(criteria: I) -> Self {
        let mut criteria: Vec<Criterion> = criteria.into_iter().collect();
        criteria.sort_by_key(Criterion::rank);
        StopCriteria::of(criteria)
    }
}

impl StopCriteria {
    /// Criteria in the order in which they are evaluated.
    fn of(criteria: Vec<Criterion>) -> Self {
        let places = criteria.iter().map(|criterion| Place::of(criterion, STOP.name)).collect();
        let mut costly = SmallVec::new();
        for criterion in &criteria {
            criterion.visit(&mut |one| costly.extend(one.costly()));
        }
        StopCriteria { criteria, places, costly }
    }

    /// Every criterion, groups as they are.
    pub fn iter(&self) -> std::slice::Iter<'_, Criterion> {
        self.criteria.iter()
    }

    /// Like [`StopCriteria::iter`], each with its location in the profile.
    pub fn placed(&self) -> impl Iterator<Item = Placed<'_>> {
        self.criteria.iter().zip(&self.places).map(|(criterion, place)| Placed { criterion, place })
    }

    /// Those that are not groups, in order.
    pub fn ungrouped(&self) -> impl Iterator<Item = &Criterion> {
        self.criteria.iter().filter(|criterion| criterion.rule().is_some())
    }

    /// Those that are evaluated before a rollback is settled, in order.
    pub fn before_rollback(&self) -> impl Iterator<Item = Placed<'_>> {
        self.placed().filter(|placed| placed.criterion.is_before_rollback())
    }

    /// Those that are evaluated after it, in order: groups last.
    pub fn after_rollback(&self) -> impl Iterator<Item = Placed<'_>> {
        self.placed().filter(|placed| !placed.criterion.is_before_rollback())
    }

    /// The members of `any`.
    #[must_use]
    pub fn any(&self) -> &[Criterion] {
        self.criteria.iter().find(|one| matches!(one, Criterion::Any(_))).map_or(&[], Criterion::members)
    }

    /// The members of `all`.
    #[must_use]
    pub fn all(&self) -> &[Criterion] {
        self.criteria.iter().find(|one| matches!(one, Criterion::All(_))).map_or(&[], Criterion::members)
    }

    /// The longest time, if it is limited outside of groups.
    #[must_use]
    pub fn timeout(&self) -> Option<Millis> {
        self.limit_of_time().map(|limit| limit.after)
    }

    /// The treatment of time spent waiting for a rate limit's turn.
    #[must_use]
    pub fn waiting(&self) -> Waiting {
        self.limit_of_time().map(|limit| limit.waiting).unwrap_or_default()
    }

    fn limit_of_time(&self) -> Option<Timeout> {
        self.criteria
            .iter()
            .find_map(|one| if let Criterion::Timeout(limit) = one { Some(*limit) } else { None })
    }

    /// The budget outside of groups; one without limits if there is none.
    #[must_use]
    pub fn budget(&self) -> Budget {
        let budget = |one: &Criterion| if let Criterion::Budget(budget) = one { Some(*budget) } else { None };
        self.criteria.iter().find_map(budget).unwrap_or_default()
    }

    /// Returns whether a criterion inspects this.
    pub fn looks_at(&self, what: Costly) -> bool {
        self.costly.contains(&what)
    }

    /// Visits every criterion that is not a group, including those in groups.
    pub fn visit(&self, see: &mut dyn FnMut(&Criterion)) {
        self.criteria.iter().for_each(|criterion| criterion.visit(see));
    }
}

impl Decode for StopCriteria {
    const EXPECTED: &'static str = "a mapping of stop criteria";

    fn shape() -> Shape {
        Shape::Mapping(&STOP)
    }

    fn decode(node: &Node, problems: &mut Problems) -> Option<Self> {
        let mut fields = Fields::open(node, &STOP, problems)?;
        let mut criteria = Vec::new();
        for key in KEYS {
            if let Some(node) = fields.node(key.name) {
                criteria.extend(read(key.name, node, problems));
            }
        }
        for (key, group) in [(ANY.name, Criterion::Any as fn(_) -> _), (ALL.name, Criterion::All)] {
            if let Some(node) = fields.node(key) {
                criteria.extend(Some(read_members(node, problems)).filter(|one| !one.is_empty()).map(group));
            }
        }
        if fields.node(MaxIterations::KEY.name).is_none() && fields.node(MaxCorrections::KEY.name).is_none() {
            problems.push(
                Problem::error(Code::NoLimit, fields.span(), "nothing limits how often the loop goes round")
                    .help("set `max_iterations` or `max_corrections`"),
            );
        }
        fields.finish(problems);
        Some(StopCriteria::of(criteria))
    }
}
