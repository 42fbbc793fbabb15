//! The policies of a space that race: all of them, or some that are drawn, as many as the budget lets run.

use super::open_experiment::{OpenExperiment, PolicyPlace, condition_without_answer, warn_of_invalid};
use crate::diag::Problems;
use crate::experiment::statistics::Seeded;
use crate::experiment::sweep::{Counts, Schedule};
use crate::facts::{Calls, calls_of_document};
use crate::failure::Failure;
use crate::plan::Plan;
use crate::streams::Streams;

/// A policy of the race.
pub(super) struct Entrant {
    pub(super) place: PolicyPlace,
    pub(super) plan: Plan,
    /// The maximum number of calls for a document.
    pub(super) calls: Calls,
}

/// The policies of a race and its rounds.
pub(super) struct Entrants {
    /// In the order of the space.
    pub(super) all: Vec<Entrant>,
    pub(super) schedule: Schedule,
    /// `true` if some of the space were not drawn.
    pub(super) is_drawn: bool,
    pub(super) counts: Counts,
}

impl Entrants {
    /// Draws policies from the space until there are enough, or the calls of the race would not be enough for one more
    /// when each call is made once. `documents` is the number of documents to choose on.
    pub(super) fn draw(
        open: &OpenExperiment<'_>,
        documents: usize,
        reference: Calls,
        output: &mut Streams,
    ) -> Result<Self, Failure> {
        let experiment = &open.experiment;
        let mut order: Vec<usize> = (0..open.policies()).collect();
        Seeded::new(experiment.race.seed).shuffle(&mut order);
        let schedule = |policies: usize| Schedule::of(policies, documents, experiment.race.first);
        // Judging the policy that wins gets the other half.
        let limit = experiment.budget.and_then(|budget| budget.calls).map(|calls| calls / 2);
        let mut counts = Counts { policies: open.policies(), ..Counts::default() };
        let (mut drawn, mut dearest, mut is_drawn) = (Vec::new(), 0, false);
        let mut first_invalid: Option<Problems> = None;
        for place in order.into_iter().map(|number| open.place(number)) {
            if drawn.len() >= experiment.race.policies {
                is_drawn = true;
                break;
            }
            let wanted = open.is_wanted(place);
            if !wanted.map_err(|condition| condition_without_answer(condition, output))? {
                counts.left_out += 1;
                continue;
            }
            let mut problems = Problems::new();
            let Some(plan) = open.plan(place, &mut problems) else {
                counts.invalid += 1;
                first_invalid.get_or_insert(problems);
                continue;
            };
            let calls = calls_of_document(&plan);
            let once = dearest.max(calls.once);
            let needed = calls_needed(&schedule(drawn.len() + 1), once, reference.once);
            if limit.is_some_and(|limit| needed > limit) {
                if drawn.is_empty() {
                    return Err(too_little(needed));
                }
                is_drawn = true;
                break;
            }
            dearest = once;
            drawn.push(Entrant { place, plan, calls });
        }
        if let Some(problems) = &first_invalid {
            output.show(problems);
            if drawn.is_empty() {
                return Err(Failure::usage("no policy of the space can be used"));
            }
            warn_of_invalid(counts.invalid, "the problem of the first one is above", output);
        }
        if drawn.is_empty() {
            return Err(Failure::usage("the conditions leave no policy of the space"));
        }
        drawn.sort_by_key(|one| one.place);
        counts.tried = drawn.len();
        Ok(Entrants { schedule: schedule(drawn.len()), all: drawn, is_drawn, counts })
    }
}

/// The calls of a race in which no call is made again, where a document takes at most `policy` with each policy.
fn calls_needed(schedule: &Schedule, policy: u64, reference: u64) -> u64 {
    let runs = u64::try_from(schedule.runs()).unwrap_or(u64::MAX);
    let documents = u64::try_from(schedule.documents()).unwrap_or(u64::MAX);
    runs.saturating_mul(policy).saturating_add(documents.saturating_mul(reference))
}

fn too_little(needed: u64) -> Failure {
    let message = format!(
        "the budget is too small: one policy and the reference take up to {needed} calls on the first documents, and half of the budget is for judging"
    );
    let help = format!(
        "write `budget: {{ calls: {} }}` or more, or fewer documents in the first round: `race: {{ first: 2 }}`",
        needed.saturating_mul(2)
    );
    Failure::usage(message).help(help)
}
