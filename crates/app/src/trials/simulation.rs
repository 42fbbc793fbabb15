//! Policies simulated on recorded documents.

use super::{
    PolicyTrial, TrajectoryReading, TriedProfile, overall_from, recorded_run, say_without_candidate,
};
use crate::context::Context;
use crate::diag::Problems;
use crate::experiment::{Answer, Tally, Trajectories};
use crate::failure::Failure;
use crate::journals::JournalSpec;
use crate::plans::refuse_profiles;
use crate::profiles::SelectedProfile;
use crate::report::{Paint, comparison};
use crate::requests::ResultFormat;
use crate::streams::{RecordWriter, Streams};
use crate::value::prose::count;
use crate::value::sanitize_line;
use std::path::PathBuf;

/// A request to simulate policies.
#[derive(Debug, Clone, PartialEq)]
pub struct SimulationRequest {
    /// The profiles whose policies are compared.
    pub profiles: Vec<SelectedProfile>,
    /// The recorded dimension from which the overall score is taken, whatever the profiles' weights.
    pub overall_from: Option<String>,
    /// The run whose documents they are tried on; `None` for those of files.
    pub run: Option<String>,
    /// The journal of the run.
    pub journal: JournalSpec,
    /// Files of trajectories; `-` is standard input.
    pub files: Vec<PathBuf>,
    /// `true` if lines that do not say which issues there were are refused.
    pub requires_issues: bool,
    /// The form of the answer about each document; as text there is none.
    pub format: ResultFormat,
}

/// Simulated policies.
#[derive(Debug)]
pub struct Simulation {
    /// The endings of the documents under each policy, by its name.
    pub policies: Vec<(String, Tally)>,
    /// `true` if all could be read; the rest was reported.
    pub is_whole: bool,
    /// `true` if anything could be read.
    has_documents: bool,
}

impl Simulation {
    /// The policies side by side, for people. An empty table says nothing beside an error.
    #[must_use]
    pub fn text(&self, paint: Paint) -> String {
        if self.has_documents || self.is_whole { comparison(&self.policies, paint) } else { String::new() }
    }
}

/// Tries policies on recorded documents. The answer about each document is written as it comes.
///
/// # Errors
/// When a profile or the run can't be used, or standard output can't be written to.
pub fn simulate(
    request: &SimulationRequest,
    context: &Context,
    output: &mut Streams,
) -> Result<Simulation, Failure> {
    refuse_profiles(context, &request.files)?;
    if request.run.is_none() && request.journal.file.is_some() {
        return Err(Failure::usage("`--journal` goes with `--run`")
            .help("files of trajectories are read as they are"));
    }
    let profiles = request.profiles.iter().map(|one| overall_from(request.overall_from.as_deref(), one));
    let profiles: Vec<SelectedProfile> = profiles.collect::<Result<_, _>>()?;
    let mut trials = trials_of(&profiles, context, output)?;
    let mut writer = RecordWriter::buffered(request.format);
    let (is_whole, has_documents) = match &request.run {
        Some(id) => {
            let run = (id.as_str(), &request.journal);
            let (run, reached) = recorded_run(run, profiles.iter(), context, output)?;
            for (trial, reached) in trials.iter_mut().zip(&reached) {
                // Refuses policies under which the run would have gone differently.
                trial.told_otherwise = run.compared(&trial.tried.name, reached)?;
            }
            decide(&mut trials, &mut writer, &run.trajectories, output)?;
            say_without_candidate(&run, output);
            say_beyond(run.trajectories.documents(), &trials, output);
            (true, true)
        }
        None => {
            let mut reading = TrajectoryReading::requiring_issues(request.requires_issues);
            reading.documents(&request.files, &mut trials, output, |trials, document, output| {
                decide(trials, &mut writer, document, output)
            })?;
            (!reading.broken, reading.any)
        }
    };
    trials.iter().for_each(|trial| trial.warn_of_assumed(output));
    writer.flush(output)?;
    writer.close(output)?;
    let policies = trials.into_iter().map(|trial| (trial.tried.name, trial.tally)).collect();
    Ok(Simulation { policies, is_whole, has_documents })
}

/// Loads the policy of every profile.
fn trials_of(
    profiles: &[SelectedProfile],
    context: &Context,
    output: &mut Streams,
) -> Result<Vec<PolicyTrial>, Failure> {
    let mut trials: Vec<PolicyTrial> = Vec::new();
    let mut failed = Vec::new();
    for profile in profiles {
        let mut problems = Problems::new();
        let tried = TriedProfile::load(profile, context, &mut problems);
        output.show(&problems);
        let Some(mut tried) = tried.filter(|_| !problems.has_errors()) else {
            failed.push(format!("`{}`", profile.name()));
            continue;
        };
        // Profiles of different projects may bear the same name.
        if trials.iter().any(|other| other.tried.name == tried.name) {
            profile.name().clone_into(&mut tried.name);
        }
        trials.push(PolicyTrial::new(tried));
    }
    match failed.as_slice() {
        [] => Ok(trials),
        [one] => Err(Failure::usage(format!("the profile {one} can't be used"))),
        several => Err(Failure::usage(format!("the profiles {} can't be used", several.join(", ")))),
    }
}

/// Decides about every document, and writes the answers. They have the policy's name if it is one of several.
fn decide(
    trials: &mut [PolicyTrial],
    writer: &mut RecordWriter,
    trajectories: &Trajectories,
    output: &mut Streams,
) -> std::io::Result<()> {
    let is_named = trials.len() > 1;
    for document in 0..trajectories.documents() {
        for trial in trials.iter_mut() {
            let decided = trial.decide(trajectories, document, output);
            if let (Some(id), Some((decided, overalls))) = (trajectories.id(document), decided)
                && writer.format != ResultFormat::Text
            {
                let name = is_named.then_some(trial.tried.name.as_str());
                writer.write(&Answer::decided(id, name, &decided, overalls.into_iter()), output)?;
            }
        }
    }
    // A caller that hands over one line may wait for its answer.
    writer.flush(output)
}

/// Reports how many documents end in unrecorded ways.
fn say_beyond(documents: usize, trials: &[PolicyTrial], output: &mut Streams) {
    let documents = count(documents as u64, "document");
    for PolicyTrial { tried, told_otherwise, beyond, .. } in trials {
        let [exhausted, other_base, other_feedback] = *beyond;
        let told = told_otherwise.join(", ");
        let reasons = [
            (exhausted, format!("{exhausted} would have gone on after the last candidate")),
            (other_base, format!("{other_base} would have corrected another candidate")),
            (other_feedback, format!("{other_feedback} would have been told otherwise by feedback ({told})")),
        ];
        let reasons: Vec<String> =
            reasons.into_iter().filter(|(count, _)| *count > 0).map(|(_, reason)| reason).collect();
        if !reasons.is_empty() {
            output.note(&format!(
                "`{}`: how {} of {documents} end is not in the record, and not guessed (`incomplete`): {}",
                sanitize_line(&tried.name),
                exhausted + other_base + other_feedback,
                reasons.join(", ")
            ));
        }
    }
}
