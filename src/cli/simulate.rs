//! `loopctl simulate`: policies tried on trajectories.

use super::headings::{ARGUMENTS, DOCUMENTS, OUTPUT, PROFILE};
use super::journal_argument::JournalArgument;
use super::loading::{context, library, or_default};
use super::result_format::RecordFormat;
use crate::diag::Problems;
use crate::experiment::{Answer, Decider, Tally, Trajectories};
use crate::failure::{ExitStatus, Failure};
use crate::plans::refuse_profiles;
use crate::policy::ScriptCriteria;
use crate::profile::LoopPolicy;
use crate::profiles::{ReachedProfile, RecordedRun, SelectedProfile};
use crate::report::comparison;
use crate::requests::ResultFormat;
use crate::streams::{RecordWriter, Streams};
use crate::trials::{
    Observations, Policy, TrajectoryReading, overall_from, recorded_run, say_without_candidate,
};
use crate::value::sanitize_line;
use clap::{Args, ValueEnum};
use std::path::PathBuf;

/// The content that lines of trajectories must have.
#[derive(Debug, Clone, Copy, ValueEnum)]
enum Require {
    /// The issues of each candidate, even if there are none (`issues: []`)
    Issues,
}

#[derive(Args)]
pub(super) struct Arguments {
    /// Profile by name or path (repeatable, to compare several)
    #[arg(long, short, default_value = "balanced", env = "LOOPCTL_PROFILE", value_parser = or_default, help_heading = PROFILE)]
    profile: Vec<String>,
    /// Set a key of each profile, such as `accept.overall=0.9` (repeatable)
    #[arg(long = "config", value_name = "KEY=VALUE", help_heading = PROFILE)]
    settings: Vec<String>,
    /// Take the overall score from this recorded dimension, whatever the profiles' weights
    #[arg(long, value_name = "DIM", help_heading = PROFILE)]
    overall_from: Option<String>,
    /// Refuse documents whose lines lack what policies may inspect
    #[arg(long, value_name = "WHAT", value_enum, help_heading = DOCUMENTS)]
    require: Option<Require>,
    /// Try the profiles on the documents of a run, as `loopctl runs list` names it, instead of files
    ///
    /// Exact as long as a policy asks for the candidates that were recorded; where it would continue differently, its
    /// end is not known. Refused where prompts, feedback or rules differ, because other candidates would have come.
    /// Prompts and feedback templates are compared by their text, regardless of file names.
    #[arg(long, value_name = "RUN", conflicts_with_all = ["files", "require"], help_heading = DOCUMENTS)]
    run: Option<String>,
    #[command(flatten)]
    journal: JournalArgument,
    #[command(flatten, next_help_heading = OUTPUT)]
    format: RecordFormat,
    /// JSON lines, one document each: `{"id": …, "iterations": [{"scores": {…}, "issues": […], …}]}`; `-` is standard
    /// input
    #[arg(required_unless_present = "run", value_name = "FILE", help_heading = ARGUMENTS)]
    files: Vec<PathBuf>,
}

/// One policy and its results.
struct ComparedPolicy {
    policy: Policy,
    tally: Tally,
    /// The parts that its feedback would have told differently.
    told_otherwise: Vec<&'static str>,
    /// The number of documents that would have continued in unrecorded ways, in the order of
    /// [`Beyond`](crate::experiment::Beyond).
    beyond: [u64; 3],
}

pub(super) fn execute(arguments: &Arguments, output: &mut Streams) -> Result<ExitStatus, Failure> {
    refuse_profiles(context(), &arguments.files)?;
    if arguments.run.is_none() && arguments.journal.is_named() {
        return Err(Failure::usage("`--journal` goes with `--run`")
            .help("files of trajectories are read as they are"));
    }
    let mut compared = policies(arguments, output)?;
    let mut writer = RecordWriter::buffered(arguments.format.chosen(output)?);
    let mut broken = false;
    let mut any = true;
    match &arguments.run {
        Some(run) => {
            let run = recorded(run, arguments, &mut compared, output)?;
            answer(&mut compared, &mut writer, &run.trajectories, output)?;
            say_beyond(&run, &compared, output);
        }
        None => {
            let keep = compared.iter().any(|compared| compared.policy.looks_at_candidates());
            let mut reading = TrajectoryReading::requiring_issues(arguments.require.is_some());
            reading.documents(&arguments.files, keep, output, |document, output| {
                answer(&mut compared, &mut writer, document, output)
            })?;
            reading.warn_of_missing(compared.iter().map(|compared| &compared.policy), output);
            (broken, any) = (reading.broken, reading.any);
        }
    }
    for ComparedPolicy { policy, .. } in &compared {
        policy.warn_of_assumed(output);
    }
    // An empty table says nothing beside an error.
    if writer.format == ResultFormat::Text && (any || !broken) {
        let columns: Vec<(String, Tally)> =
            compared.into_iter().map(|compared| (compared.policy.name, compared.tally)).collect();
        output.out.write_all(comparison(&columns, output.out_paint).as_bytes())?;
    }
    writer.flush(output)?;
    writer.close(output)?;
    Ok(if broken { ExitStatus::Broken } else { ExitStatus::Success })
}

/// Decides about every document.
fn answer(
    compared: &mut [ComparedPolicy],
    writer: &mut RecordWriter,
    trajectories: &Trajectories,
    output: &mut Streams,
) -> std::io::Result<()> {
    let several = compared.len() > 1;
    let mut trials: Vec<PolicyReplay<'_, '_>> =
        compared.iter_mut().map(|one| PolicyReplay::of(one, trajectories)).collect();
    for document in 0..trajectories.documents() {
        for trial in &mut trials {
            let (Some(id), Some(decided)) = (trajectories.id(document), trial.decider.decide(document))
            else {
                continue;
            };
            trial.observed.notes(trial.name, trial.decider.take_notes(), output);
            trial.observed.count_assumed(trajectories, document, trial.policy, &decided);
            if let Some(beyond) = decided.beyond
                && let Some(count) = trial.beyond.get_mut(beyond as usize)
            {
                *count += 1;
            }
            if writer.format == ResultFormat::Text {
                trial.tally.add_decided(&decided, trial.decider.overalls());
            } else {
                let name = several.then_some(trial.name);
                writer.write(&Answer::decided(id, name, &decided, trial.decider.overalls()), output)?;
            }
        }
    }
    // A caller that hands over one line may wait for its answer.
    writer.flush(output)
}

/// One policy while it decides.
struct PolicyReplay<'c, 'p> {
    name: &'p str,
    policy: &'p LoopPolicy,
    decider: Decider<'c, 'p>,
    observed: &'p mut Observations,
    tally: &'p mut Tally,
    beyond: &'p mut [u64; 3],
}

impl<'c, 'p> PolicyReplay<'c, 'p> {
    fn of(compared: &'p mut ComparedPolicy, trajectories: &'c Trajectories) -> Self {
        let ComparedPolicy {
            policy: Policy { name, policy, scripts, observed },
            tally,
            told_otherwise,
            beyond,
        } = compared;
        let decider = Decider::new(trajectories, policy, scripts).told_otherwise(!told_otherwise.is_empty());
        PolicyReplay { name, policy, decider, observed, tally, beyond }
    }
}

/// Reads the run, and refuses policies under which it would have gone differently.
fn recorded(
    run: &str,
    arguments: &Arguments,
    compared: &mut [ComparedPolicy],
    output: &mut Streams,
) -> Result<RecordedRun, Failure> {
    let forced = overall_from(arguments.overall_from.as_deref())?;
    let forced: Vec<&str> = forced.iter().map(String::as_str).collect();
    let profiles = arguments.profile.iter();
    // Names of profiles are looked up here, and those of the run where it began.
    let reached: Vec<ReachedProfile> = profiles
        .map(|name| {
            let profile = SelectedProfile::of(name, &arguments.settings);
            profile.reached(context(), &library(), &forced, output)
        })
        .collect::<Result<_, _>>()?;
    let run = recorded_run(run, &arguments.journal.spec(), context(), output)?;
    for (compared, reached) in compared.iter_mut().zip(&reached) {
        compared.told_otherwise = run.compared(&compared.policy.name, reached)?;
    }
    Ok(run)
}

/// Reports how many documents end in unrecorded ways.
fn say_beyond(run: &RecordedRun, compared: &[ComparedPolicy], output: &mut Streams) {
    let word = output.err_paint.warn("note:");
    let documents =
        |count: u64| if count == 1 { "1 document".to_owned() } else { format!("{count} documents") };
    say_without_candidate(run, output);
    for ComparedPolicy { policy, told_otherwise, beyond, .. } in compared {
        let [exhausted, other_base, other_feedback] = *beyond;
        let all = exhausted + other_base + other_feedback;
        if all == 0 {
            continue;
        }
        let feedback = format!(
            "{other_feedback} would have been told otherwise by feedback ({})",
            told_otherwise.join(", ")
        );
        let reasons = [
            (exhausted, format!("{exhausted} would have gone on after the last candidate")),
            (other_base, format!("{other_base} would have corrected another candidate")),
            (other_feedback, feedback),
        ];
        let reasons: Vec<String> =
            reasons.into_iter().filter(|(count, _)| *count > 0).map(|(_, said)| said).collect();
        output.say(&format!(
            "{word} `{}`: how {} of {} end is not in the record, and not guessed (`incomplete`): {}",
            sanitize_line(&policy.name),
            all,
            documents(run.trajectories.documents() as u64),
            reasons.join(", ")
        ));
    }
}

/// Loads the policy of every profile: prompts, schemas and providers need not exist.
fn policies(arguments: &Arguments, output: &mut Streams) -> Result<Vec<ComparedPolicy>, Failure> {
    let forced = overall_from(arguments.overall_from.as_deref())?;
    let forced: Vec<&str> = forced.iter().map(String::as_str).collect();
    let mut compared: Vec<ComparedPolicy> = Vec::new();
    let mut failed = Vec::new();
    for name in &arguments.profile {
        let profile = SelectedProfile::of(name, &arguments.settings);
        let mut problems = Problems::new();
        let loaded = profile.load(context(), &library(), &forced, &mut problems).map(|loaded| {
            let stop = &loaded.profile.policy.stop;
            (ScriptCriteria::compile(stop, &loaded.library, &mut problems), loaded)
        });
        output.show(&problems);
        match loaded {
            Some((scripts, loaded)) if !problems.has_errors() => {
                // Profiles of different projects may bear the same name.
                let taken = compared.iter().any(|other| other.policy.name == loaded.profile.name);
                let name = if taken { name.clone() } else { loaded.profile.name };
                let policy = Policy::new(name, loaded.profile.policy, scripts);
                compared.push(ComparedPolicy {
                    policy,
                    tally: Tally::default(),
                    told_otherwise: Vec::new(),
                    beyond: [0; 3],
                });
            }
            _ => failed.push(format!("`{name}`")),
        }
    }
    match failed.as_slice() {
        [] => Ok(compared),
        [one] => Err(Failure::usage(format!("the profile {one} can't be used"))),
        several => Err(Failure::usage(format!("the profiles {} can't be used", several.join(", ")))),
    }
}
