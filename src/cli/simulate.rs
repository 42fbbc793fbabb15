//! `loopctl simulate`: policies tried on trajectories.

use super::exit::{Exit, Failure};
use super::loading::{ProfileArguments, or_default};
use super::output::Output;
use super::trajectory_files::{Policy, Reading, overall_from};
use crate::diag::Problems;
use crate::experiment::{Answer, Tally, Trajectory, simulate};
use crate::policy::ScriptCriteria;
use crate::report::comparison;
use clap::{Args, ValueEnum};
use std::path::PathBuf;

#[derive(Args)]
pub(super) struct Arguments {
    /// Profile by name or path (again to compare several)
    #[arg(long, short, default_value = "balanced", env = "LOOPCTL_PROFILE", value_parser = or_default)]
    profile: Vec<String>,
    /// Lay a setting over each profile, such as `accept.overall=0.9` (repeatable)
    #[arg(long = "set", value_name = "KEY=VALUE")]
    settings: Vec<String>,
    /// Take the overall score from this recorded dimension, whatever the profiles weigh
    #[arg(long, value_name = "DIM")]
    overall_from: Option<String>,
    /// How answers are written
    #[arg(long, value_enum, default_value = "jsonl")]
    format: Shape,
    /// JSON lines, one document each: `{"id": …, "iterations": [{"scores": {…}, "issues": […], …}]}`; `-` is standard
    /// input
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
}

/// How answers are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Shape {
    /// One JSON object for each document (and profile, if there are several)
    Jsonl,
    /// For people: the profiles side by side
    Table,
}

/// One policy and what came of it.
struct Compared {
    policy: Policy,
    tally: Tally,
}

pub(super) fn execute(arguments: &Arguments, output: &mut Output) -> Result<Exit, Failure> {
    let mut compared = policies(arguments, output)?;
    let shape = arguments.format;
    let mut reading = Reading::default();
    reading.files(&arguments.files, output, |trajectory, output| {
        answer(&mut compared, shape, trajectory, output)
    })?;
    reading.warn_of_missing(compared.iter().map(|compared| &compared.policy), output);
    for Compared { policy, .. } in &compared {
        policy.warn_of_assumed(output);
    }
    if shape == Shape::Table {
        let columns: Vec<(String, Tally)> =
            compared.into_iter().map(|compared| (compared.policy.name, compared.tally)).collect();
        output.out.write_all(comparison(&columns, output.out_paint).as_bytes())?;
    }
    output.out.flush()?;
    Ok(if reading.broken { Exit::Broken } else { Exit::Success })
}

fn answer(
    compared: &mut [Compared],
    shape: Shape,
    trajectory: &Trajectory,
    output: &mut Output,
) -> std::io::Result<()> {
    let several = compared.len() > 1;
    for Compared { policy, tally } in compared {
        let simulated = simulate(&policy.policy, &policy.scripts, trajectory);
        policy.say_notes(&simulated.decisions, output);
        policy.count_assumed(trajectory, &simulated.decisions);
        match shape {
            Shape::Table => tally.add(&simulated),
            Shape::Jsonl => {
                let answer = Answer::of(&trajectory.id, several.then_some(policy.name.as_str()), &simulated);
                let line = serde_json::to_string(&answer).map_err(std::io::Error::from)?;
                writeln!(output.out, "{line}")?;
            }
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
        let profile = ProfileArguments {
            variables: Vec::new(),
            profile: name.clone(),
            settings: arguments.settings.clone(),
            provider: None,
            judge: None,
            provider_config: Vec::new(),
        };
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
