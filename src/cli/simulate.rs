//! `loopctl simulate`: policies tried on trajectories.

use super::exit::{Exit, Failure};
use super::loading::{ProfileArguments, or_default};
use super::output::{Output, complain};
use crate::diag::Problems;
use crate::experiment::{
    Answer, LongestLine, Tally, Trajectory, TrajectoryError, dimensions_used, lines, simulate,
};
use crate::policy::ScriptCriteria;
use crate::profile::LoopPolicy;
use crate::report::{comparison, tame};
use clap::{Args, ValueEnum};
use std::collections::BTreeSet;
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};

/// Most names of dimensions that are kept for the warning about those that a profile asks for and nobody recorded.
const MOST_NAMES: usize = 100;

/// Most different notes on decisions that are shown for one profile.
const MOST_NOTES: usize = 20;

#[derive(Args)]
pub(super) struct Arguments {
    /// Profile by name or path (again to compare several)
    #[arg(long, short, default_value = "balanced", env = "LOOPCTL_PROFILE", value_parser = or_default)]
    profile: Vec<String>,
    /// Lay a setting over each profile, such as `accept.overall=0.9` (again for more)
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
    name: String,
    policy: LoopPolicy,
    scripts: ScriptCriteria,
    tally: Tally,
    /// What has been said about its decisions; each thing is said once.
    notes: BTreeSet<String>,
}

pub(super) fn execute(arguments: &Arguments, output: &mut Output) -> Result<Exit, Failure> {
    let mut simulation = Simulation {
        compared: policies(arguments, output)?,
        shape: arguments.format,
        recorded: BTreeSet::new(),
        broken: false,
        slips: 0,
    };
    for file in &arguments.files {
        match simulation.file(file, output) {
            Ok(()) => {}
            Err(Ended::Output(error)) => return Err(error.into()),
            Err(Ended::Input(error)) => {
                complain(output, &Failure::broken(format!("can't read `{}`: {error}", file.display())));
                simulation.broken = true;
            }
        }
    }
    simulation.close(output)
}

/// Loads every profile as far as its policy goes: prompts, schemas and providers need not be there.
fn policies(arguments: &Arguments, output: &mut Output) -> Result<Vec<Compared>, Failure> {
    let forced = arguments.overall_from.as_deref().map(overall_from).transpose()?.unwrap_or_default();
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
                let taken = compared.iter().any(|other| other.name == loaded.profile.name);
                let name = if taken { name.clone() } else { loaded.profile.name };
                compared.push(Compared {
                    name,
                    policy: loaded.profile.policy,
                    scripts,
                    tally: Tally::default(),
                    notes: BTreeSet::new(),
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

/// The settings behind `--overall-from`.
fn overall_from(dimension: &str) -> Result<Vec<String>, Failure> {
    if dimension.is_empty() || dimension.contains(['.', '=', '*']) {
        return Err(Failure::usage(format!("`--overall-from {dimension}` is no name of a dimension")));
    }
    let quoted = serde_json::Value::from(dimension);
    Ok(vec![format!("assess.{dimension}=given"), format!("overall.from={quoted}")])
}

fn file_name(path: &Path) -> String {
    let name = if path.as_os_str() == "-" { "standard input".into() } else { path.to_string_lossy() };
    tame(&name)
}

struct Simulation {
    compared: Vec<Compared>,
    shape: Shape,
    /// Names of dimensions that some trajectory has.
    recorded: BTreeSet<String>,
    broken: bool,
    /// How many misspelt keys were found.
    slips: usize,
}

/// Why one file could not be read to its end.
enum Ended {
    /// The file.
    Input(std::io::Error),
    /// Standard output.
    Output(std::io::Error),
}

impl From<std::io::Error> for Ended {
    fn from(error: std::io::Error) -> Self {
        Ended::Input(error)
    }
}

impl Simulation {
    fn file(&mut self, path: &Path, output: &mut Output) -> Result<(), Ended> {
        let reader: Box<dyn BufRead> = if path.as_os_str() == "-" {
            Box::new(BufReader::new(std::io::stdin()))
        } else {
            Box::new(BufReader::new(File::open(path)?))
        };
        lines(reader, LongestLine::default(), |number, read| {
            match read {
                Ok(trajectory) => {
                    self.warn_of_slips(path, number, &trajectory, output);
                    self.answer(&trajectory, output).map_err(Ended::Output)?;
                }
                Err(error) => self.refuse(path, number, &error, output),
            }
            Ok(())
        })
    }

    fn answer(&mut self, trajectory: &Trajectory, output: &mut Output) -> std::io::Result<()> {
        let several = self.compared.len() > 1;
        for Compared { name, policy, scripts, tally, notes } in &mut self.compared {
            let simulated = simulate(policy, scripts, trajectory);
            for note in simulated.decisions.iter().flat_map(|decision| &decision.notes) {
                if notes.len() < MOST_NOTES && notes.insert(note.clone()) {
                    let word = output.err_paint.warn("warning:");
                    output.say(&format!("{word} `{}`: {}", tame(name), tame(note)));
                }
            }
            match self.shape {
                Shape::Table => tally.add(&simulated),
                Shape::Jsonl => {
                    let answer = Answer::of(&trajectory.id, several.then_some(name.as_str()), &simulated);
                    let line = serde_json::to_string(&answer).map_err(std::io::Error::from)?;
                    writeln!(output.out, "{line}")?;
                }
            }
        }
        for (name, _) in trajectory.iterations.iter().flat_map(|step| &step.scores) {
            if !self.recorded.contains(name) && self.recorded.len() < MOST_NAMES {
                self.recorded.insert(name.clone());
            }
        }
        Ok(())
    }

    /// Names misspelt keys: an issue that is not read could let a document pass.
    fn warn_of_slips(&mut self, path: &Path, number: u64, trajectory: &Trajectory, output: &mut Output) {
        for slip in &trajectory.slips {
            self.slips += 1;
            if self.slips > MOST_NOTES {
                return;
            }
            let word = output.err_paint.warn("warning:");
            output.say(&format!("{word} {}, line {number}: {}", file_name(path), tame(slip)));
        }
    }

    fn refuse(&mut self, path: &Path, number: u64, error: &TrajectoryError, output: &mut Output) {
        self.broken = true;
        let word = output.err_paint.bad("error:");
        output.say(&format!("{word} {}, line {number}: {}", file_name(path), tame(&error.to_string())));
    }

    fn close(self, output: &mut Output) -> Result<Exit, Failure> {
        self.warn_of_missing(output);
        if self.shape == Shape::Table {
            let columns: Vec<(String, Tally)> =
                self.compared.into_iter().map(|compared| (compared.name, compared.tally)).collect();
            output.out.write_all(comparison(&columns, output.out_paint).as_bytes())?;
        }
        output.out.flush()?;
        Ok(if self.broken { Exit::Broken } else { Exit::Success })
    }

    /// Says which dimensions a profile asks for that no trajectory has: they count 0, which is rarely meant.
    fn warn_of_missing(&self, output: &mut Output) {
        if self.recorded.is_empty() || self.recorded.len() == MOST_NAMES {
            return;
        }
        let list =
            |names: &[&str]| names.iter().map(|n| format!("`{}`", tame(n))).collect::<Vec<_>>().join(", ");
        let recorded: Vec<&str> = self.recorded.iter().map(String::as_str).collect();
        let word = output.err_paint.warn("warning:");
        let mut warned = false;
        for Compared { name, policy, .. } in &self.compared {
            let missing: Vec<&str> =
                dimensions_used(policy).into_iter().filter(|name| !self.recorded.contains(*name)).collect();
            if !missing.is_empty() {
                warned = true;
                let line = format!(
                    "{word} `{name}` decides by {}, which no trajectory has; each counts 0",
                    list(&missing)
                );
                output.say(&line);
            }
        }
        if warned {
            let first = recorded.first().copied().unwrap_or_default();
            output.say(&format!(
                "  help: the trajectories have {}; `--overall-from {}` makes one of them the overall score, and `--set accept.DIMENSION=null` takes away a bound that can't be met",
                list(&recorded),
                tame(first)
            ));
        }
    }
}
