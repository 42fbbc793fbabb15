//! `loopctl simulate`: policies tried on trajectories.

use super::exit::{Exit, Failure};
use super::loading::{ProfileArguments, or_default};
use super::misplaced::refuse_profiles;
use super::output::{Format, Output, RecordFormat, RecordWriter};
use super::trajectory_files::{Policy, Reading, overall_from};
use crate::diag::Problems;
use crate::experiment::{Answer, Tally, Trajectory, simulate};
use crate::policy::ScriptCriteria;
use crate::report::comparison;
use clap::Args;
use std::path::PathBuf;

#[derive(Args)]
pub(super) struct Arguments {
    /// Profile by name or path (repeatable, to compare several)
    #[arg(long, short, default_value = "balanced", env = "LOOPCTL_PROFILE", value_parser = or_default)]
    profile: Vec<String>,
    /// Set a key of each profile, such as `accept.overall=0.9` (repeatable)
    #[arg(long = "config", value_name = "KEY=VALUE")]
    settings: Vec<String>,
    /// Take the overall score from this recorded dimension, whatever the profiles weigh
    #[arg(long, value_name = "DIM")]
    overall_from: Option<String>,
    #[command(flatten)]
    format: RecordFormat,
    /// JSON lines, one document each: `{"id": …, "iterations": [{"scores": {…}, "issues": […], …}]}`; `-` is standard
    /// input
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
}

/// One policy and what came of it.
struct Compared {
    policy: Policy,
    tally: Tally,
}

pub(super) fn execute(arguments: &Arguments, output: &mut Output) -> Result<Exit, Failure> {
    refuse_profiles(&arguments.files)?;
    let mut compared = policies(arguments, output)?;
    let mut writer = RecordWriter::new(arguments.format.chosen(output)?);
    let mut reading = Reading::default();
    reading.files(&arguments.files, output, |trajectory, output| {
        answer(&mut compared, &mut writer, trajectory, output)
    })?;
    reading.warn_of_missing(compared.iter().map(|compared| &compared.policy), output);
    for Compared { policy, .. } in &compared {
        policy.warn_of_assumed(output);
    }
    // A table of nothing says nothing beside an error.
    if writer.format == Format::Text && (reading.any || !reading.broken) {
        let columns: Vec<(String, Tally)> =
            compared.into_iter().map(|compared| (compared.policy.name, compared.tally)).collect();
        output.out.write_all(comparison(&columns, output.out_paint).as_bytes())?;
    }
    writer.close(output)?;
    Ok(if reading.broken { Exit::Broken } else { Exit::Success })
}

fn answer(
    compared: &mut [Compared],
    writer: &mut RecordWriter,
    trajectory: &Trajectory,
    output: &mut Output,
) -> std::io::Result<()> {
    let several = compared.len() > 1;
    for Compared { policy, tally } in compared {
        let simulated = simulate(&policy.policy, &policy.scripts, trajectory);
        policy.say_notes(&simulated.decisions, output);
        policy.count_assumed(trajectory, &simulated.decisions);
        if writer.format == Format::Text {
            tally.add(&simulated);
        } else {
            let answer = Answer::of(&trajectory.id, several.then_some(policy.name.as_str()), &simulated);
            writer.write(&answer, output)?;
        }
    }
    Ok(())
}

/// Loads every profile as far as its policy goes: prompts, schemas and providers need not be there.
fn policies(arguments: &Arguments, output: &mut Output) -> Result<Vec<Compared>, Failure> {
    let forced = overall_from(arguments.overall_from.as_deref())?;
    let forced: Vec<&str> = forced.iter().map(String::as_str).collect();
    let mut compared: Vec<Compared> = Vec::new();
    let mut failed = Vec::new();
    for name in &arguments.profile {
        let profile = ProfileArguments::of(name, &arguments.settings);
        let mut problems = Problems::new();
        let loaded = profile.load(&forced, &mut problems).map(|loaded| {
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
                compared.push(Compared { policy, tally: Tally::default() });
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
