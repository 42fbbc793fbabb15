//! Policies tried on recorded documents.

use super::ShowTried;
use super::open_experiment::{OpenExperiment, PolicyPlace, cant_be_split};
use super::recordings::Recordings;
use super::trying::try_all;
use crate::diag::Problems;
use crate::experiment::sweep::{Candidate, Choice, Findings, Goals, Measure, ShownOutcomes, Split, Trial};
use crate::failure::Failure;
use crate::profile::{LoopPolicy, SelectKey};
use crate::streams::Streams;
use crate::value::prose::count;

/// An experiment on recorded documents.
pub(super) struct RecordedSweep<'a> {
    pub(super) open: &'a OpenExperiment<'a>,
    pub(super) recordings: Recordings,
    pub(super) split: Split,
    pub(super) goals: Goals,
    reference: Candidate,
}

impl<'a> RecordedSweep<'a> {
    /// Reads the documents, and measures the reference on them.
    pub(super) fn new(open: &'a OpenExperiment<'a>, output: &mut Streams) -> Result<Self, Failure> {
        let recordings = Recordings::read(open, output)?;
        let (trajectories, recorded) = (&recordings.trajectories, recordings.recorded.as_ref());
        if recorded.is_some() {
            open.check_values(recorded, output)?;
        }
        let split = Split::of(trajectories, open.experiment.split.test, open.experiment.split.seed);
        if split.train.is_empty() || split.test.is_empty() {
            return Err(cant_be_split(trajectories.documents()));
        }
        let reference =
            open.built_reference(|place, problems| open.candidate(place, recorded, problems), output)?;
        let goals = Goals::of(&open.experiment, &reference.policy)
            .with_reference(trajectories, &reference, &split.train)
            .map_err(|at| open.not_computed(at))?;
        let sweep = RecordedSweep { open, recordings, split, goals, reference };
        sweep.reference_is_recorded()?;
        Ok(sweep)
    }

    /// Tries every policy, chooses among them, and judges those that are shown.
    pub(super) fn findings(
        &self,
        show: &mut ShowTried<'_>,
        output: &mut Streams,
    ) -> Result<Findings, Failure> {
        let OpenExperiment { experiment, .. } = self.open;
        let (tried, counts) = try_all(self, show, output)?;
        let objectives: Vec<_> = self.goals.goals().collect();
        let choice = Choice::among(tried, &objectives, experiment.show, counts);
        let (mut candidates, mut shown) = (Vec::new(), Vec::new());
        for (one, _) in &choice.shown {
            let place = PolicyPlace::of(one);
            let recorded = self.recordings.recorded.as_ref();
            let Some(candidate) = self.open.candidate(place, recorded, &mut Problems::new()) else {
                continue;
            };
            shown.push(self.outcomes(place, &candidate)?);
            candidates.push(candidate);
        }
        let reference = self.outcomes(self.open.reference(), &self.reference)?;
        self.recordings.reading.warn_of_missing([(self.reference_name(), &self.reference.policy)], output);
        let policies = candidates.iter().chain([&self.reference]).map(|candidate| &candidate.policy);
        self.warn_of_unknown_issues(policies, output);
        let ids = self.split.ids(&self.recordings.trajectories);
        Ok(Findings::of(experiment, &ids, choice, reference, shown))
    }

    fn reference_name(&self) -> &str {
        self.open.name(self.open.reference())
    }

    /// The outcomes of a policy, on each part of the documents.
    fn outcomes(&self, place: PolicyPlace, candidate: &Candidate) -> Result<ShownOutcomes, Failure> {
        let (profile, settings) = self.open.named(place);
        let outcomes = Trial::new(&self.recordings.trajectories, &self.goals)
            .outcomes(candidate, &self.split)
            .map_err(|at| self.open.not_computed(at))?;
        Ok(ShownOutcomes { profile, settings, outcomes })
    }

    /// Checks that the reference is recorded: unrecorded ends can't be compared with.
    fn reference_is_recorded(&self) -> Result<(), Failure> {
        let trajectories = &self.recordings.trajectories;
        let evaluation = Trial::new(trajectories, &self.goals)
            .evaluate(&self.reference, &self.split.train)
            .map_err(|at| self.open.not_computed(at))?;
        if evaluation.beyond == 0 {
            return Ok(());
        }
        let message = format!(
            "how {} of {} ended under the reference `{}` is not in the record",
            evaluation.beyond,
            count(trajectories.documents() as u64, "document"),
            self.reference_name()
        );
        Err(Failure::broken(message)
            .help("name a `reference` that asks for no more than what was recorded, or record longer runs"))
    }

    /// Warns how many documents don't say which issues there were, if a goal or policy asks.
    fn warn_of_unknown_issues<'p>(
        &self,
        mut policies: impl Iterator<Item = &'p LoopPolicy>,
        output: &mut Streams,
    ) {
        let trajectories = &self.recordings.trajectories;
        let counts = |key: &SelectKey| matches!(key, SelectKey::NoCritical | SelectKey::Fewest(_));
        let asks = self.goals.measures().iter().copied().any(Measure::looks_at_issues)
            || policies.any(|policy| {
                !policy.accept.issue_limits.is_empty() || policy.select.order.iter().any(counts)
            });
        let lacking =
            (0..trajectories.documents()).filter(|document| trajectories.lacks_issues(*document)).count();
        if asks && lacking > 0 {
            let all = count(trajectories.documents() as u64, "document");
            let (does, counts) = match lacking {
                1 => ("does", "it counts"),
                _ => ("do", "they count"),
            };
            output.warn(&format!(
                "{lacking} of {all} {does} not say which issues there were (no `issues`): {counts} as having none"
            ));
        }
    }
}
