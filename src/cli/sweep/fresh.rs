//! Policies that race on documents which are run for the experiment.

use super::super::loading::CallArguments;
use super::entrants::{Entrant, Entrants};
use super::not_computed;
use super::policies::Bases;
use super::runner::{Runnable, Runner};
use crate::experiment::statistics::Seeded;
use crate::experiment::sweep::{
    Choice, Counts, DroppedPolicy, Evaluation, Experiment, Findings, Goals, Measured, Outcomes, Race,
    RaceFindings, ShownOutcomes, Split, Tried,
};
use crate::facts::calls_of_document;
use crate::failure::Failure;
use crate::ingest::{Document, Input, Wanted, find_all};
use crate::plan::Plan;
use crate::provider::Recorder;
use crate::result::DocumentResult;
use crate::streams::{Streams, complain};
use crate::value::prose::count;
use serde_json::{Map, Value};
use std::path::Path;
use std::sync::Arc;

/// The means by which documents are run.
pub(super) struct FreshRunSettings<'a> {
    pub(super) calls: &'a CallArguments,
    /// Policies that run at the same time.
    pub(super) jobs: usize,
    pub(super) quiet: bool,
}

/// Documents of both parts, in the order in which they are run.
struct TrainTestInputs {
    train: Vec<Input>,
    test: Vec<Input>,
}

/// Races the policies of an experiment, and judges the one that wins.
pub(super) fn race(
    experiment: &Experiment,
    folder: &Path,
    bases: &Bases,
    means: &FreshRunSettings<'_>,
    output: &mut Streams,
) -> Result<Findings, Failure> {
    let reference = bases.reference_plan(output)?;
    let documents = TrainTestInputs::find(experiment, folder, &reference, output)?;
    let goals = Goals::of(experiment, &reference.policy);
    let calls = calls_of_document(&reference);
    let entrants = Entrants::draw(experiment, bases, documents.train.len(), calls, output)?;
    let Entrants { all, schedule, is_drawn, counts } = entrants;
    let budget = experiment.budget.unwrap_or_default();
    let mut runner = Runner::new(budget, means.calls, means.jobs, output)?;
    let reference = runner.open(reference, calls.most)?;
    let places: Vec<(usize, usize)> = all.iter().map(|one| (one.profile, one.combination)).collect();
    let open = |one: Entrant| runner.open(one.plan, one.calls.most);
    let policies: Vec<Runnable> = all.into_iter().map(open).collect::<Result<_, _>>()?;

    let wrong = |at: usize| not_computed(experiment, at);
    let planned = schedule.documents();
    let mut race = Race::new(&goals, policies.len(), schedule, experiment.bootstrap.confidence);
    let mut train_ids = Vec::new();
    let mut waiting = documents.train.iter();
    let mut is_cut_short = false;
    while race.is_on() {
        let Some(document) = next_document(&mut waiting, output) else {
            race.stop();
            break;
        };
        let mut running = vec![&reference];
        running.extend(race.policies().iter().filter_map(|policy| policies.get(*policy)));
        let Some(results) = runner.run(&document, &running, true)? else {
            is_cut_short = true;
            race.stop();
            break;
        };
        let mut measured = measured(&goals, &results).map_err(wrong)?.into_iter();
        if let Some(of_reference) = measured.next() {
            race.add(of_reference, measured.collect()).map_err(wrong)?;
        }
        train_ids.push(document.id.to_string());
        say_round(&race, train_ids.len(), &runner, means, output);
    }
    if train_ids.is_empty() {
        return Err(Failure::broken("the budget is not enough for all policies on one document")
            .help("raise `budget`, or let fewer policies race: `race: { policies: 8 }`"));
    }

    let ranking = race.ranking().map_err(wrong)?;
    let mut winner = None;
    if let Some(first) = ranking.first().copied()
        && race.keeps_constraints(first).map_err(wrong)?
    {
        winner = policies.get(first).map(|runnable| (first, runnable));
    }
    let judged = match winner {
        Some((_, runnable)) => {
            judge(&documents.test, [&reference, runnable], &goals, &mut runner, output)?.map_err(wrong)?
        }
        None => JudgedDocuments::default(),
    };
    let objectives = experiment.objectives.len();
    let outcomes = |train: &[Measured], test: &[Measured]| {
        [Outcomes::of_measured(train, objectives), Outcomes::of_measured(test, objectives)]
    };
    let named = |policy: usize| {
        let (profile, combination) = places.get(policy).copied().unwrap_or_default();
        (bases.name(profile).to_owned(), experiment.space.settings(combination))
    };
    let of_reference = ShownOutcomes {
        profile: bases.reference_name().to_owned(),
        settings: Map::new(),
        outcomes: outcomes(race.reference(), &judged.reference),
    };
    let shown = winner.map(|(policy, _)| {
        let (profile, settings) = named(policy);
        ShownOutcomes { profile, settings, outcomes: outcomes(race.measured(policy), &judged.winner) }
    });
    let tried = winner.map(|(policy, _)| {
        let (profile, combination) = places.get(policy).copied().unwrap_or_default();
        let evaluation =
            Evaluation { means: race.means(policy), keeps_constraints: true, beyond: 0, behaviour: 0 };
        (Tried { profile, combination, evaluation }, 0)
    });
    let mut missed = 0;
    for policy in &ranking {
        missed += usize::from(!race.keeps_constraints(*policy).map_err(wrong)?);
    }
    let choice = Choice {
        counts: Counts { constraint_missed: missed, candidates: ranking.len() - missed, ..counts },
        shown: tried.into_iter().collect(),
        points: ranking.iter().map(|policy| race.means(*policy)).collect(),
    };
    let ids = [train_ids, judged.ids].map(|ids| ids.into_iter().map(Value::from).collect::<Vec<_>>());
    let not_judged_on = if winner.is_some() { documents.test.len().saturating_sub(ids[1].len()) } else { 0 };
    let findings = Findings::of(experiment, &ids, choice, of_reference, shown.into_iter().collect());
    let dropped = race.dropped().iter().map(|one| {
        let (profile, settings) = named(one.policy);
        DroppedPolicy { profile, settings, dropped: one.clone() }
    });
    let race = RaceFindings {
        budget: budget.into(),
        spent: runner.spending.used(),
        policies: policies.len(),
        is_drawn,
        seed: experiment.race.seed,
        planned_documents: planned,
        is_cut_short,
        not_judged_on,
        provider_errors: runner.provider_errors,
        rounds: race.rounds().to_vec(),
        dropped: dropped.collect(),
    };
    Ok(Findings { race: Some(race), ..findings })
}

/// The measurements of the winning policy and the reference on the documents that judge them.
#[derive(Default)]
struct JudgedDocuments {
    ids: Vec<String>,
    reference: Vec<Measured>,
    winner: Vec<Measured>,
}

/// Runs both on the documents that had no say, as far as the budget allows. The inner error is an objective without a
/// value.
fn judge(
    documents: &[Input],
    policies: [&Runnable; 2],
    goals: &Goals,
    runner: &mut Runner,
    output: &mut Streams,
) -> Result<Result<JudgedDocuments, usize>, Failure> {
    let mut judged = JudgedDocuments::default();
    let mut waiting = documents.iter();
    while let Some(document) = next_document(&mut waiting, output) {
        let Some(results) = runner.run(&document, &policies, false)? else { break };
        let mut measured = match measured(goals, &results) {
            Ok(measured) => measured.into_iter(),
            Err(at) => return Ok(Err(at)),
        };
        judged.reference.extend(measured.next());
        judged.winner.extend(measured.next());
        judged.ids.push(document.id.to_string());
    }
    if judged.ids.is_empty() {
        return Err(Failure::broken("nothing of the budget is left to judge the policy that won")
            .help("raise `budget`"));
    }
    Ok(Ok(judged))
}

fn measured(goals: &Goals, results: &[DocumentResult]) -> Result<Vec<Measured>, usize> {
    results.iter().map(|result| goals.measured(result)).collect()
}

/// Reads the next document that can be read, and reports those that can't.
fn next_document<'i>(
    waiting: &mut impl Iterator<Item = &'i Input>,
    output: &mut Streams,
) -> Option<Arc<Document>> {
    waiting.find_map(|input| match input.read() {
        Ok(document) => Some(Arc::new(document)),
        Err(error) => {
            complain(output, &Failure::broken(format!("left out: {error}")).help(error.help()));
            None
        }
    })
}

/// Reports the state of the race when a round has ended.
fn say_round(
    race: &Race<'_>,
    documents: usize,
    runner: &Runner,
    means: &FreshRunSettings<'_>,
    output: &mut Streams,
) {
    let rounds = race.rounds();
    let Some(round) = rounds.last().filter(|round| round.documents == documents && !means.quiet) else {
        return;
    };
    output.say(&format!(
        "round {}: {} began, {} left after {}; {} so far",
        rounds.len(),
        count(round.policies as u64, "policy"),
        round.left,
        count(documents as u64, "document"),
        count(runner.spending.used().calls, "call")
    ));
}

impl TrainTestInputs {
    /// Finds the documents, splits them, and puts both parts into the order that the seed determines.
    fn find(
        experiment: &Experiment,
        folder: &Path,
        plan: &Plan,
        output: &mut Streams,
    ) -> Result<Self, Failure> {
        let found = find_all(Wanted {
            arguments: experiment.documents.fresh.iter().map(|one| folder.join(&one.value)).collect(),
            endings: if plan.attaches() { &crate::ingest::MEDIA_ENDINGS } else { &[] },
            holds_recordings: Some(Recorder::stands_in),
            ..Wanted::default()
        });
        for error in &found.errors {
            complain(output, &Failure::broken(error.to_string()).help(error.help()));
        }
        if !found.errors.is_empty() {
            return Err(Failure::usage("not all documents of the experiment are there"));
        }
        let mut inputs = found.inputs;
        inputs.sort_by(|one, other| one.id().as_str().cmp(other.id().as_str()));
        let ids: Vec<String> = inputs.iter().map(|input| input.id().to_string()).collect();
        let split = Split::of_ids(&ids, experiment.split.test, experiment.split.seed);
        if split.train.is_empty() || split.test.is_empty() {
            return Err(super::cant_be_split(ids.len()));
        }
        let part = |places: &[usize]| {
            let mut part: Vec<Input> = places.iter().filter_map(|at| inputs.get(*at).cloned()).collect();
            Seeded::new(experiment.race.seed).shuffle(&mut part);
            part
        };
        Ok(TrainTestInputs { train: part(&split.train), test: part(&split.test) })
    }
}
