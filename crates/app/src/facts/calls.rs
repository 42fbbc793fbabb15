//! The number of candidates and calls that a document takes at most.

use super::candidate::asked_again;
use crate::plan::Plan;
use crate::profile::{Call, Criterion, Judge, MOST_VALUES};
use crate::stop::{Constant, Kind};

/// Calls that a document takes, each made once, and with every repetition that is allowed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Calls {
    /// The most calls if none fails and each is made once.
    pub once: u64,
    /// The most calls if each is repeated as often as allowed.
    pub most: u64,
}

impl std::ops::Add for Calls {
    type Output = Calls;

    fn add(self, other: Calls) -> Calls {
        Calls { once: self.once.saturating_add(other.once), most: self.most.saturating_add(other.most) }
    }
}

impl Calls {
    fn of(call: &Call, retries: u32) -> Self {
        Calls { once: 1, most: u64::from(call.attempts_after_first(retries)).saturating_add(1) }
    }

    fn sum(calls: &[Calls]) -> Self {
        calls.iter().copied().fold(Calls::default(), std::ops::Add::add)
    }
}

/// The calls that a document's candidates take.
pub struct Parts {
    /// The calls of the stages for candidate 0, one after the other.
    first: Vec<Calls>,
    /// The calls of the stages for each correction.
    later: Vec<Calls>,
    /// The calls of the judges for each candidate, which are asked together; without the judge of single values.
    judges: Calls,
    /// The calls of the judge of single values.
    values: ValueCalls,
}

/// The calls that a judge of single values takes.
#[derive(Debug, Clone, Copy, Default)]
struct ValueCalls {
    /// One question, with its repetitions.
    each: Calls,
    /// The most questions about a candidate.
    of_candidate: u64,
    /// The most about a document.
    of_document: Option<u64>,
}

impl ValueCalls {
    fn of(judge: &Judge) -> Self {
        let at_once = judge.values.at_once.max(1);
        ValueCalls {
            each: Calls::of(&judge.call, judge.on_failure.retry),
            of_candidate: u64::from(MOST_VALUES.div_ceil(at_once)),
            of_document: judge.values.calls.map(u64::from),
        }
    }

    /// The number of questions about this candidate, where as many as allowed were asked about those before.
    fn about(&self, candidate: u64) -> u64 {
        let before = self.of_candidate.saturating_mul(candidate);
        let left = self.of_document.map_or(u64::MAX, |most| most.saturating_sub(before));
        self.of_candidate.min(left)
    }
}

impl Parts {
    /// Returns the calls that the stages and judges of a plan take.
    pub fn of(plan: &Plan) -> Self {
        let stage = |at: usize| {
            let planned = plan.stages.get(at);
            planned.map(|planned| Calls::of(&planned.stage.call, planned.stage.retries)).unwrap_or_default()
        };
        let of_values =
            |judge: &Judge| plan.profile.value_judge().is_some_and(|named| named.value == judge.id.value);
        let judges = plan.judges.iter().map(|planned| &planned.judge);
        let (values, judges): (Vec<&Judge>, Vec<&Judge>) = judges.partition(|judge| of_values(judge));
        let judges: Vec<Calls> =
            judges.iter().map(|judge| Calls::of(&judge.call, judge.on_failure.retry)).collect();
        Parts {
            first: (0..plan.stages.len()).map(stage).collect(),
            later: asked_again(plan).into_iter().map(stage).collect(),
            judges: Calls::sum(&judges),
            values: values.first().map(|judge| ValueCalls::of(judge)).unwrap_or_default(),
        }
    }

    /// The calls of the stages for candidate 0.
    pub fn first(&self) -> Calls {
        Calls::sum(&self.first)
    }

    /// The calls of the stages for a correction.
    pub fn later(&self) -> Calls {
        Calls::sum(&self.later)
    }

    /// The calls of the judges for a candidate, at most.
    pub fn judges(&self) -> Calls {
        self.judges_about(0)
    }

    /// The calls of the judges of whole candidates.
    pub fn judges_of_candidates(&self) -> Calls {
        self.judges
    }

    /// The most questions about single values: for one candidate, and for all where that has a limit of its own.
    pub fn questions_about_values(&self) -> Option<(u64, Option<u64>)> {
        (self.values.each.once > 0).then_some((self.values.of_candidate, self.values.of_document))
    }

    /// The calls of the judges for this candidate, where as much as allowed was asked about those before.
    fn judges_about(&self, candidate: u64) -> Calls {
        let questions = self.values.about(candidate);
        let Calls { once, most } = self.values.each;
        let values = Calls { once: once.saturating_mul(questions), most: most.saturating_mul(questions) };
        self.judges + values
    }

    fn stages(&self, candidate: u64) -> &[Calls] {
        if candidate == 0 { &self.first } else { &self.later }
    }

    /// The calls of one iteration that begins with `before` made, when calls are made again while they are fewer than
    /// `room` (every call is made once whatever was spent).
    fn iteration(&self, candidate: u64, before: u64, room: Option<u64>) -> u64 {
        let after = |used: u64, calls: &Calls| {
            let used = used.saturating_add(calls.once);
            let again = calls.most.saturating_sub(calls.once);
            used.saturating_add(room.map_or(again, |room| again.min(room.saturating_sub(used))))
        };
        let used = self.stages(candidate).iter().fold(before, after);
        after(used, &self.judges_about(candidate))
    }
}

/// The most candidates of a document, by the limits of candidates under `stop` itself and in its groups.
pub(super) fn most_candidates(plan: &Plan) -> u64 {
    let bound = limit(plan, &|criterion| criterion.is_limit().then(|| criterion.earliest()));
    bound.unwrap_or(1)
}

/// The number of candidates begun before a budget of calls is spent, when every call counts: one that the cache
/// answers, or that is never sent, does not. `None` where there is no such budget.
pub(super) fn within_calls(plan: &Plan) -> Option<u64> {
    let parts = Parts::of(plan);
    // A candidate 0 that misses the gate ends the loop; of later ones judges are not asked.
    let first = parts.first().once.saturating_add(parts.judges.once);
    let judges = if plan.policy.gate.is_some() { 0 } else { parts.judges.once };
    let later = parts.later().once.saturating_add(judges).max(1);
    let calls = calls_limit(plan)?;
    Some(calls.saturating_sub(first).div_ceil(later).saturating_add(1))
}

/// The budget of calls that ends the loop.
fn calls_limit(plan: &Plan) -> Option<u64> {
    limit(plan, &|criterion| {
        criterion.constants().into_iter().find_map(|constant| match constant {
            Constant::Calls(limit) => Some(limit),
            Constant::Gain(_)
            | Constant::Falls(_)
            | Constant::Elapsed(_)
            | Constant::Cost(_)
            | Constant::Tokens(_)
            | Constant::Count(_)
            | Constant::Unknown => None,
        })
    })
}

/// The number at which the loop ends at the latest, of the numbers that single criteria end it at: the lowest of those
/// under `stop` and in `any`, the highest of those in a list all of whose members must hold.
fn limit(plan: &Plan, of: &dyn Fn(&Criterion) -> Option<u64>) -> Option<u64> {
    fn one(member: &Criterion, of: &dyn Fn(&Criterion) -> Option<u64>) -> Option<u64> {
        match member.kind() {
            Kind::Any(members) => members.iter().filter_map(|member| one(member, of)).min(),
            Kind::All(members) => all(members, of),
            Kind::Rule(_) => of(member),
        }
    }
    fn all(members: &[Criterion], of: &dyn Fn(&Criterion) -> Option<u64>) -> Option<u64> {
        let limits: Option<Vec<u64>> = members.iter().map(|member| one(member, of)).collect();
        limits.and_then(|limits| limits.into_iter().max())
    }
    let stop = &plan.policy.stop;
    let plain = stop.ungrouped().filter_map(of);
    let any = stop.any().iter().filter_map(|member| one(member, of));
    plain.chain(any).chain(all(stop.all(), of)).min()
}

/// All calls that a document takes at most.
pub fn calls_of_document(plan: &Plan) -> Calls {
    total(plan, most_candidates(plan))
}

/// All calls of a document with this number of candidates.
pub(super) fn total(plan: &Plan, candidates: u64) -> Calls {
    let parts = Parts::of(plan);
    let end = calls_limit(plan);
    // A budget in a group is not checked before a call is made again.
    let room = plan.policy.stop.budget().calls;
    // The loop continues while at least one call is left, and what has begun is finished. (A candidate may take fewer
    // calls than others: the cache answers, or the gate passes over the judges.)
    let begun = |used: u64| end.map_or(used, |end| used.min(end.saturating_sub(1)));
    let mut sum = Calls::default();
    let mut bound = Calls::default();
    for candidate in 0..candidates {
        let own = Calls::sum(parts.stages(candidate)) + parts.judges_about(candidate);
        bound.once = bound.once.max(begun(sum.once).saturating_add(own.once));
        bound.most = bound.most.max(parts.iteration(candidate, begun(sum.most), room));
        sum = sum + own;
    }
    bound
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diag::Problems;
    use crate::profile::{Library, Override, load};

    fn plan(flags: &[&str]) -> Plan {
        let mut problems = Problems::new();
        let overrides: Vec<Override> =
            flags.iter().filter_map(|flag| Override::from_flag(flag, &mut problems)).collect();
        let loaded = load("clinical", &Library::embedded(), &overrides, &|_| None, &mut problems).unwrap();
        Plan::compile(&loaded, &mut problems).unwrap_or_else(|| panic!("{problems:?}"))
    }

    #[test]
    fn calls_are_stages_by_candidates_by_attempts_and_judges() {
        let all = |flags: &[&str]| {
            let plan = plan(flags);
            let calls = total(&plan, most_candidates(&plan));
            (calls.once, calls.most)
        };
        assert_eq!(all(&[]), (5, 15));
        assert_eq!(all(&["stages.0.retries=0"]), (5, 5));
        // The one of the two that answers prompts is asked about values once a document.
        assert_eq!(all(&["stages.0.provider=[pattern, scripted]"]), (6, 31));
        let few = ["stages.0.provider=scripted", "judges.evidence.values.at_once=200"];
        assert_eq!(all(&few), (6, 16));
        let few = ["stages.0.provider=scripted", "judges.evidence.values={ at_once: 200 }"];
        assert_eq!(all(&few), (20, 30));
        assert_eq!(all(&["stop.max_corrections=1"]), (2, 6));
        assert_eq!(all(&["stop.any=[{ max_iterations: 3 }]"]), (3, 9));
        let judge = "judges.j={ provider: x, prompt: judge/accuracy.md, on_failure: { retry: 1 } }";
        assert_eq!(all(&[judge, "judges.j.prompt=judge/literature.md"]), (10, 25));
        // After three calls the fourth candidate is not begun; with a budget of three the third is.
        assert_eq!(all(&["stop.budget={ calls: 3 }"]), (3, 3));
        assert_eq!(all(&["stop.budget={ calls: 3 }", judge, "judges.j.prompt=judge/literature.md"]), (4, 4));
        // In a group it does not keep calls from being made again: two and three, then three.
        assert_eq!(all(&["stop.any=[{ budget: { calls: 3 } }]"]), (3, 5));
        // One call, made again once, spends two; the judge is asked all the same.
        let few = [
            "stop.max_iterations=1",
            "stop.budget={ calls: 2 }",
            judge,
            "judges.j.prompt=judge/literature.md",
        ];
        assert_eq!(all(&few), (2, 3));
    }

    #[test]
    fn limits_in_groups_limit_candidates() {
        let most = |flag: &str| most_candidates(&plan(&["stop.max_iterations=9", flag]));
        for (flag, expected) in [
            ("stop.any=[{ any: [{ max_iterations: 3 }] }]", 3),
            ("stop.any=[{ all: [{ max_corrections: 3 }] }]", 4),
            ("stop.all=[{ max_iterations: 2 }]", 2),
            ("stop.all=[{ max_iterations: 2 }, { max_iterations: 5 }]", 5),
            ("stop.all=[{ max_iterations: 2 }, { unchanged: true }]", 9),
            ("stop.all=[{ max_iterations: 2 }, { budget: { calls: 4 } }]", 9),
        ] {
            assert_eq!(most(flag), expected, "{flag}");
        }
        let within = |flags: &[&str]| within_calls(&plan(flags));
        assert_eq!(within(&["stop.budget=null"]), None);
        assert_eq!(within(&["stop.budget={ calls: 4 }"]), Some(4));
        assert_eq!(within(&["stop.any=[{ all: [{ budget: { calls: 3 } }] }]"]), Some(3));
    }
}
