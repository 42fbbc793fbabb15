//! The locations of criteria in the profile. The names of their lines are made when it is read: every decision shares
//! them.

use super::Criterion;
use std::sync::Arc;

/// The location of a criterion, in words.
#[derive(Debug, Clone)]
pub(super) struct Place {
    /// A name for each part that it evaluates, such as `stop.any[0].budget.calls`; none for a group.
    lines: Box<[Arc<str>]>,
    /// The name of the criterion in the reason of a group that fired because of it.
    reason: Arc<str>,
    /// The locations of the members of a group.
    members: Box<[Place]>,
}

impl Place {
    /// The location of a criterion below the line `above`.
    pub(super) fn of(criterion: &Criterion, above: &str) -> Self {
        let key = criterion.key();
        let members = criterion.members().iter().enumerate();
        let members = members.map(|(at, member)| Place::of(member, &format!("{above}.{key}[{at}]")));
        let line = format!("{above}.{}", criterion.place());
        let lines = match criterion.properties().map(|properties| properties.parts) {
            None => Box::default(),
            Some(parts) if parts.is_empty() => Box::new([Arc::from(line)]) as Box<[_]>,
            Some(parts) => parts.iter().map(|part| format!("{line}.{}", part.key).into()).collect(),
        };
        Place { lines, reason: criterion.reason().into(), members: members.collect() }
    }
}

/// A criterion with its location in the profile.
#[derive(Debug, Clone, Copy)]
pub struct Placed<'a> {
    /// The criterion.
    pub criterion: &'a Criterion,
    pub(super) place: &'a Place,
}

impl<'a> Placed<'a> {
    /// The line of one of the parts that it evaluates.
    #[must_use]
    pub fn line(self, part: usize) -> Arc<str> {
        self.place.lines.get(part).cloned().unwrap_or_default()
    }

    /// The name of the criterion in the reason of a group that fired because of it.
    #[must_use]
    pub fn reason(self) -> &'a Arc<str> {
        &self.place.reason
    }

    /// The members of a group.
    pub fn members(self) -> impl Iterator<Item = Placed<'a>> {
        let members = self.criterion.members().iter().zip(&self.place.members);
        members.map(|(criterion, place)| Placed { criterion, place })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stop::{Budget, MaxIterations, StopCriteria, Unchanged};

    #[test]
    fn lines_lead_through_groups_to_keys() {
        let budget = Criterion::Budget(Budget::default());
        let all = Criterion::All(vec![Criterion::Unchanged(Unchanged), budget]);
        let criteria = [Criterion::MaxIterations(MaxIterations(2)), Criterion::Any(vec![all])];
        let stop: StopCriteria = criteria.into_iter().collect();
        let plain = stop.before_rollback().next().unwrap();
        assert_eq!(
            (plain.line(0).as_ref(), plain.reason().as_ref()),
            ("stop.max_iterations", "max_iterations")
        );
        let inner = stop.after_rollback().next().unwrap().members().next().unwrap();
        let lines: Vec<_> = inner.members().flat_map(|member| member.place.lines.to_vec()).collect();
        assert_eq!(
            lines.iter().map(AsRef::as_ref).collect::<Vec<&str>>(),
            [
                "stop.any[0].all[0].unchanged",
                "stop.any[0].all[1].budget.cost_usd",
                "stop.any[0].all[1].budget.tokens",
                "stop.any[0].all[1].budget.calls"
            ]
        );
    }
}
