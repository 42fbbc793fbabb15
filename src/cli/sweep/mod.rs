//! `loopctl sweep`: the best policy of many, on recorded documents or on those that are run for it.

mod entrants;
mod fresh;
mod policies;
mod recordings;
mod runner;
mod trying;

use self::fresh::FreshRunSettings;
use self::policies::Bases;
use self::recordings::{Recordings, recorded_profile};
use super::headings::{ARGUMENTS, CALLS, DOCUMENTS, OUTPUT};
use super::loading::CallArguments;
use super::result_format::result_format;
use crate::diag::{Problem, Problems};
use crate::disk::{self, Access};
use crate::experiment::Trajectories;
use crate::experiment::sweep::{
    Candidate, Choice, Experiment, Findings, Goals, Measure, ShownOutcomes, Split, Trial,
};
use crate::failure::{ExitStatus, Failure};
use crate::profile::{LoopPolicy, SelectKey, read_text_file};
use crate::report::{sweep_html, sweep_text};
use crate::requests::ResultFormat;
use crate::streams::Streams;
use crate::value::ShownPath;
use crate::value::prose::count;
use clap::Args;
use serde_json::Map;
use std::path::{Path, PathBuf};

#[derive(Args)]
#[command(
    after_help = "An experiment names recorded documents, a space of settings, and what is wanted:\n\n  documents: { trajectories: [runs.jsonl] }\n  space: { stop.max_iterations: { from: 2, to: 6 }, on_regression: [keep, rollback] }\n  objectives: [{ maximize: overall }, { minimize: cost_usd }]\n\nPolicies are chosen on one part of the documents and judged on the other. The same file and recordings give the same answer.\n\nOn documents that are not recorded, which are run for it, policies race within a budget:\n\n  documents: { fresh: ['reports/*.txt'] }\n  budget: { calls: 500, cost_usd: 5 }"
)]
pub(super) struct Arguments {
    /// The file of the experiment
    #[arg(value_name = "EXPERIMENT.yaml", help_heading = ARGUMENTS)]
    file: PathBuf,
    /// With fresh documents, run this many policies at the same time on a document
    #[arg(long, short, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=1_000), help_heading = DOCUMENTS)]
    jobs: u32,
    #[command(flatten, next_help_heading = CALLS)]
    calls: CallArguments,
    /// Format of the findings on standard output
    #[arg(long, value_parser = result_format(), value_name = "FORMAT", default_value = "text", help_heading = OUTPUT)]
    format: ResultFormat,
    /// Also write them to this file, as a self-contained HTML page
    #[arg(long, value_name = "FILE.html", help_heading = OUTPUT)]
    report: Option<PathBuf>,
    /// No progress on standard error
    #[arg(long, short, help_heading = OUTPUT)]
    quiet: bool,
}

pub(super) fn execute(arguments: &Arguments, output: &mut Streams) -> Result<ExitStatus, Failure> {
    let experiment = read(&arguments.file, output)?;
    let folder = arguments.file.parent().unwrap_or(Path::new(""));
    let recorded = recorded_profile(&experiment, folder)?;
    let bases = Bases::load(&experiment, folder, recorded.as_ref(), output)?;
    bases.check_values(&experiment, None, output)?;
    if !experiment.documents.fresh.is_empty() {
        let jobs = usize::try_from(arguments.jobs).unwrap_or(usize::MAX);
        let means = FreshRunSettings { calls: &arguments.calls, jobs, quiet: arguments.quiet };
        let findings = fresh::race(&experiment, folder, &bases, &means, output)?;
        write(&findings, arguments, output)?;
        return Ok(ExitStatus::Success);
    }
    let recordings = Recordings::read(&experiment, folder, &bases, output)?;
    let (trajectories, recorded) = (&recordings.trajectories, recordings.recorded.as_ref());
    if recorded.is_some() {
        bases.check_values(&experiment, recorded, output)?;
    }
    let split = Split::of(trajectories, experiment.split.test, experiment.split.seed);
    if split.train.is_empty() || split.test.is_empty() {
        return Err(cant_be_split(trajectories.documents()));
    }
    let reference = bases.reference(recorded, output)?;
    let plain = Goals::of(&experiment, &reference.policy);
    let goals = plain
        .with_reference(trajectories, &reference, &split.train)
        .map_err(|at| not_computed(&experiment, at))?;
    reference_is_recorded(&goals, trajectories, &reference, &bases, &split, &experiment)?;

    let (tried, counts) = trying::try_all(
        &experiment,
        &bases,
        trajectories,
        recorded,
        &goals,
        &split,
        arguments.quiet,
        output,
    )?;
    let objectives: Vec<_> = goals.goals().collect();
    let choice = Choice::among(tried, &objectives, experiment.show, counts);

    let mut trial = Trial::new(trajectories, &goals);
    let mut outcomes =
        |candidate: &Candidate| trial.outcomes(candidate, &split).map_err(|at| not_computed(&experiment, at));
    let mut shown = Vec::new();
    let mut policies = vec![reference.policy.clone()];
    for (one, _) in &choice.shown {
        let Some(candidate) =
            bases.candidate(&experiment, one.profile, one.combination, recorded, &mut Problems::new())
        else {
            continue;
        };
        let profile = bases.name(one.profile).to_owned();
        policies.push(candidate.policy.clone());
        let settings = experiment.space.settings(one.combination);
        shown.push(ShownOutcomes { profile, settings, outcomes: outcomes(&candidate)? });
    }
    let of_reference = ShownOutcomes {
        profile: bases.reference_name().to_owned(),
        settings: Map::new(),
        outcomes: outcomes(&reference)?,
    };
    recordings.reading.warn_of_missing([(bases.reference_name(), &reference.policy)], output);
    warn_of_unknown_issues(trajectories, &goals, &policies, output);
    let findings = Findings::of(&experiment, &split.ids(trajectories), choice, of_reference, shown);
    write(&findings, arguments, output)?;
    Ok(if recordings.reading.broken { ExitStatus::Broken } else { ExitStatus::Success })
}

fn read(file: &Path, output: &mut Streams) -> Result<Experiment, Failure> {
    let mut problems = Problems::new();
    let source = read_text_file(file).map_err(|problem| {
        let failure = Failure::broken(problem.message);
        problem.help.into_iter().fold(failure, Failure::help)
    })?;
    let experiment = Experiment::parse(&source, &mut problems);
    output.show(&problems);
    experiment.ok_or_else(|| Failure::usage(format!("the experiment `{}` can't be used", file.shown())))
}

fn cant_be_split(documents: usize) -> Failure {
    let message = format!("{} can't be split in two parts", count(documents as u64, "document"));
    Failure::broken(message).help("take more documents: intervals of fewer than some fifty say little")
}

/// The failure of an objective or a constraint without a value: `at` counts through objectives, then constraints.
fn not_computed(experiment: &Experiment, at: usize) -> Failure {
    let objective = experiment.objectives.get(at).map(|objective| objective.expression.as_str());
    let constraint =
        at.checked_sub(experiment.objectives.len()).and_then(|at| experiment.constraints.get(at));
    let written = objective.or(constraint.map(|one| one.value.as_str())).unwrap_or_default();
    Failure::usage(format!("`{written}` has no number for some document"))
        .help("take care of divisions by 0; text has no number")
}

/// Checks that the reference is recorded: unrecorded ends can't be compared with.
fn reference_is_recorded(
    goals: &Goals,
    trajectories: &Trajectories,
    reference: &Candidate,
    bases: &Bases,
    split: &Split,
    experiment: &Experiment,
) -> Result<(), Failure> {
    let evaluation = Trial::new(trajectories, goals)
        .evaluate(reference, &split.train)
        .map_err(|at| not_computed(experiment, at))?;
    if evaluation.beyond == 0 {
        return Ok(());
    }
    let message = format!(
        "how {} of {} ended under the reference `{}` is not in the record",
        evaluation.beyond,
        count(trajectories.documents() as u64, "document"),
        bases.reference_name()
    );
    Err(Failure::broken(message)
        .help("name a `reference` that asks for no more than what was recorded, or record longer runs"))
}

/// Warns how many documents don't say which issues there were, if a goal or policy asks.
fn warn_of_unknown_issues(
    trajectories: &Trajectories,
    goals: &Goals,
    policies: &[LoopPolicy],
    output: &mut Streams,
) {
    let counts = |key: &SelectKey| matches!(key, SelectKey::NoCritical | SelectKey::Fewest(_));
    let asks = goals.measures().iter().copied().any(Measure::looks_at_issues)
        || policies
            .iter()
            .any(|policy| !policy.accept.issue_limits.is_empty() || policy.select.order.iter().any(counts));
    let lacking =
        (0..trajectories.documents()).filter(|document| trajectories.lacks_issues(*document)).count();
    if asks && lacking > 0 {
        let word = output.err_paint.warn("warning:");
        let all = count(trajectories.documents() as u64, "document");
        let (does, counts) = match lacking {
            1 => ("does", "it counts"),
            _ => ("do", "they count"),
        };
        output.say(&format!(
            "{word} {lacking} of {all} {does} not say which issues there were (no `issues`): {counts} as having none"
        ));
    }
}

fn write(findings: &Findings, arguments: &Arguments, output: &mut Streams) -> Result<(), Failure> {
    if let Some(file) = &arguments.report {
        let page = sweep_html(findings);
        disk::replace(file, page.as_bytes(), Access::Owner).map_err(|error| {
            Failure::broken(format!("can't write the report to `{}`: {error}", file.shown()))
        })?;
    }
    match arguments.format {
        ResultFormat::Text => {
            output.out.write_all(sweep_text(findings, output.out_paint).as_bytes())?;
            output.out.flush()?;
            Ok(())
        }
        format => output.write_json(findings, format),
    }
}

/// A problem of a profile; without a position, it gets that of the profile's name.
fn at_its_name(problem: &Problem, span: &crate::diag::Span) -> Problem {
    Problem { span: problem.span.clone().or_else(|| Some(span.clone())), ..problem.clone() }
}
