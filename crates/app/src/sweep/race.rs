//! Policies that race on documents which are run for the experiment.

use super::SweepRequest;
use super::entrants::Entrants;
use super::inputs::{TrainTestInputs, next_document};
use super::open_experiment::{OpenExperiment, PolicyPlace};
use super::runner::{Runnable, Runner};
use crate::experiment::sweep::{
    Choice, Counts, DroppedPolicy, Evaluation, Findings, Goals, Measured, Outcomes, Race, RaceFindings,
    ShownOutcomes,
};
use crate::facts::calls_of_document;
use crate::failure::Failure;
use crate::ingest::Input;
use crate::result::DocumentResult;
use crate::streams::Streams;
use crate::value::prose::count;
use serde_json::Value;

/// The policies that race, with what runs them.
struct RaceField<'a> {
    open: &'a OpenExperiment<'a>,
    goals: &'a Goals,
    runner: Runner,
    reference: Runnable,
    policies: Vec<(PolicyPlace, Runnable)>,
}

/// The measurements of the winning policy and the reference on the documents that judge them.
#[derive(Default)]
struct JudgedDocuments {
    ids: Vec<String>,
    reference: Vec<Measured>,
    winner: Vec<Measured>,
}

/// The documents on which policies raced.
#[derive(Default)]
struct RacedDocuments {
    ids: Vec<String>,
    /// `true` if the budget ended the race before its schedule did.
    is_cut_short: bool,
}

/// Races the policies of an experiment, and judges the one that wins.
pub(super) fn race(
    open: &OpenExperiment<'_>,
    request: &SweepRequest,
    output: &mut Streams,
) -> Result<Findings, Failure> {
    let experiment = &open.experiment;
    let reference = open.built_reference(|place, problems| open.plan(place, problems), output)?;
    let inputs = TrainTestInputs::find(open, &reference, output)?;
    let goals = Goals::of(experiment, &reference.policy);
    let calls = calls_of_document(&reference);
    let Entrants { all, schedule, is_drawn, counts } =
        Entrants::draw(open, inputs.train.len(), calls, output)?;
    let planned_documents = schedule.documents();
    let runner = Runner::new(open, request, output)?;
    let reference = runner.open(reference, calls.most)?;
    let policies: Result<_, Failure> =
        all.into_iter().map(|one| Ok((one.place, runner.open(one.plan, one.calls.most)?))).collect();
    let mut field = RaceField { open, goals: &goals, runner, reference, policies: policies? };
    let mut race = Race::new(&goals, field.policies.len(), schedule, experiment.bootstrap.confidence);
    let raced = field.run(&mut race, &inputs.train, request.quiet, output)?;
    let winner = field.winner(&race)?;
    let judged = match winner {
        Some(policy) => field.judge(policy, &inputs.test, output)?,
        None => JudgedDocuments::default(),
    };
    let not_judged_on = winner.map_or(0, |_| inputs.test.len().saturating_sub(judged.ids.len()));
    let course = RaceFindings {
        budget: experiment.budget.unwrap_or_default().into(),
        spent: field.runner.spending.used(),
        policies: field.policies.len(),
        is_drawn,
        seed: experiment.race.seed,
        planned_documents,
        is_cut_short: raced.is_cut_short,
        not_judged_on,
        provider_errors: field.runner.provider_errors,
        rounds: race.rounds().to_vec(),
        dropped: field.dropped(&race),
    };
    let findings = field.findings(&race, winner, counts, raced, judged)?;
    Ok(Findings { race: Some(course), ..findings })
}

impl RaceField<'_> {
    /// Runs documents until the race, the documents or the budget end.
    fn run(
        &mut self,
        race: &mut Race<'_>,
        inputs: &[Input],
        quiet: bool,
        output: &mut Streams,
    ) -> Result<RacedDocuments, Failure> {
        let mut raced = RacedDocuments::default();
        let mut waiting = inputs.iter();
        while race.is_on() {
            let racing = race.policies().iter().filter_map(|policy| self.policies.get(*policy));
            let running: Vec<&Runnable> =
                std::iter::once(&self.reference).chain(racing.map(|(_, policy)| policy)).collect();
            let Some(document) = next_document(&mut waiting, &running, output) else {
                race.stop();
                break;
            };
            let Some(results) = self.runner.run(&document, &running, true)? else {
                raced.is_cut_short = true;
                race.stop();
                break;
            };
            let mut measured = self.measured(&results)?.into_iter();
            if let Some(of_reference) = measured.next() {
                race.add(of_reference, measured.collect()).map_err(|at| self.open.not_computed(at))?;
            }
            raced.ids.extend(document.first().map(|document| document.id.to_string()));
            if !quiet {
                self.say_round(race, raced.ids.len(), output);
            }
        }
        if raced.ids.is_empty() {
            return Err(Failure::broken("the budget is not enough for all policies on one document")
                .help("raise `budget`, or let fewer policies race: `race: { policies: 8 }`"));
        }
        Ok(raced)
    }

    /// Reports the state of the race when a round has ended.
    fn say_round(&self, race: &Race<'_>, documents: usize, output: &mut Streams) {
        let rounds = race.rounds();
        let Some(round) = rounds.last().filter(|round| round.documents == documents) else { return };
        output.say(&format!(
            "round {}: {} began, {} left after {}; {} so far",
            rounds.len(),
            count(round.policies as u64, "policy"),
            round.left,
            count(documents as u64, "document"),
            count(self.runner.spending.used().calls, "call")
        ));
    }

    /// The best policy that is left, if it keeps the constraints.
    fn winner(&self, race: &Race<'_>) -> Result<Option<usize>, Failure> {
        let wrong = |at: usize| self.open.not_computed(at);
        match race.ranking().map_err(wrong)?.first() {
            Some(first) if race.keeps_constraints(*first).map_err(wrong)? => Ok(Some(*first)),
            Some(_) | None => Ok(None),
        }
    }

    /// Runs a policy and the reference on the documents that had no say, as far as the budget allows.
    fn judge(
        &mut self,
        policy: usize,
        inputs: &[Input],
        output: &mut Streams,
    ) -> Result<JudgedDocuments, Failure> {
        let mut judged = JudgedDocuments::default();
        let running: Vec<&Runnable> =
            std::iter::once(&self.reference).chain(self.policies.get(policy).map(|(_, one)| one)).collect();
        let mut waiting = inputs.iter();
        while let Some(document) = next_document(&mut waiting, &running, output) {
            let Some(results) = self.runner.run(&document, &running, false)? else { break };
            let mut measured = self.measured(&results)?.into_iter();
            judged.reference.extend(measured.next());
            judged.winner.extend(measured.next());
            judged.ids.extend(document.first().map(|document| document.id.to_string()));
        }
        if judged.ids.is_empty() {
            return Err(Failure::broken("nothing of the budget is left to judge the policy that won")
                .help("raise `budget`"));
        }
        Ok(judged)
    }

    fn measured(&self, results: &[DocumentResult]) -> Result<Vec<Measured>, Failure> {
        let measured: Result<_, usize> = results.iter().map(|result| self.goals.measured(result)).collect();
        measured.map_err(|at| self.open.not_computed(at))
    }

    /// The place of a policy by its number in the race.
    fn place(&self, policy: usize) -> PolicyPlace {
        self.policies.get(policy).map_or(self.open.place(0), |(place, _)| *place)
    }

    fn dropped(&self, race: &Race<'_>) -> Vec<DroppedPolicy> {
        let named = race.dropped().iter().map(|one| {
            let (profile, settings) = self.open.named(self.place(one.policy));
            DroppedPolicy { profile, settings, dropped: one.clone() }
        });
        named.collect()
    }

    fn findings(
        &self,
        race: &Race<'_>,
        winner: Option<usize>,
        counts: Counts,
        raced: RacedDocuments,
        judged: JudgedDocuments,
    ) -> Result<Findings, Failure> {
        let wrong = |at: usize| self.open.not_computed(at);
        let experiment = &self.open.experiment;
        let ranking = race.ranking().map_err(wrong)?;
        let mut missed = 0;
        for policy in &ranking {
            missed += usize::from(!race.keeps_constraints(*policy).map_err(wrong)?);
        }
        let tried = winner.map(|policy| {
            let means = race.means(policy);
            let evaluation = Evaluation { means, keeps_constraints: true, beyond: 0, behaviour: 0 };
            (self.place(policy).tried(evaluation), 0)
        });
        let choice = Choice {
            counts: Counts { constraint_missed: missed, candidates: ranking.len() - missed, ..counts },
            shown: tried.into_iter().collect(),
            points: ranking.iter().map(|policy| race.means(*policy)).collect(),
        };
        let outcomes = |place, train, test| {
            let (profile, settings) = self.open.named(place);
            let outcomes = [train, test].map(|part| Outcomes::of_measured(part, experiment.objectives.len()));
            ShownOutcomes { profile, settings, outcomes }
        };
        let reference = outcomes(self.open.reference(), race.reference(), &judged.reference);
        let shown = winner.map(|policy| outcomes(self.place(policy), race.measured(policy), &judged.winner));
        let ids = [raced.ids, judged.ids].map(|ids| ids.into_iter().map(Value::from).collect());
        Ok(Findings::of(experiment, &ids, choice, reference, shown.into_iter().collect()))
    }
}
