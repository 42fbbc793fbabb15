//! Trajectories read from files, with what there is to say about them.

use super::exit::Failure;
use super::output::{Output, complain};
use crate::disk::{self, ReadError};
use crate::experiment::{LongestLine, Trajectory, TrajectoryError, dimensions_used, lines};
use crate::policy::{Decision, ScriptCriteria};
use crate::profile::LoopPolicy;
use crate::value::sanitize_line;
use std::collections::BTreeSet;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};

/// Most names of dimensions that are kept for the warning about those that a profile asks for and nobody recorded.
const MOST_NAMES: usize = 100;

/// Most different notes on decisions that are shown for one profile.
const MOST_NOTES: usize = 20;

/// A policy that trajectories are tried on.
pub(super) struct Policy {
    pub(super) name: String,
    pub(super) policy: LoopPolicy,
    pub(super) scripts: ScriptCriteria,
    /// What has been said about its decisions; each thing is said once.
    notes: BTreeSet<String>,
    /// Bounds on issues that were taken to hold for iterations of which no issues are known, and how many documents passed so.
    assumed: (BTreeSet<String>, usize),
}

impl Policy {
    pub(super) fn new(name: String, policy: LoopPolicy, scripts: ScriptCriteria) -> Self {
        Policy { name, policy, scripts, notes: BTreeSet::new(), assumed: (BTreeSet::new(), 0) }
    }

    /// Counts a document that passed by a bound on issues though its line does not say which issues there were.
    pub(super) fn count_assumed(&mut self, trajectory: &Trajectory, decisions: &[Decision]) {
        let Some(last) = decisions.last().filter(|last| last.verdict.accepts()) else { return };
        if !trajectory.iterations.get(last.iteration).is_some_and(|step| step.issues_unknown) {
            return;
        }
        let is_bound = |line: &str| line.starts_with("accept.") && line.ends_with("_issues");
        let mut bounds =
            last.checks.iter().map(|check| check.line.as_str()).filter(|line| is_bound(line)).peekable();
        if bounds.peek().is_some() {
            self.assumed.1 += 1;
            self.assumed.0.extend(bounds.map(str::to_owned));
        }
    }

    /// Says how many documents passed by bounds on issues that nobody knows.
    pub(super) fn warn_of_assumed(&self, output: &mut Output) {
        let (bounds, count) = &self.assumed;
        if *count == 0 {
            return;
        }
        let bounds: Vec<String> = bounds.iter().map(|line| format!("`{}`", sanitize_line(line))).collect();
        let documents = if *count == 1 { "document" } else { "documents" };
        let word = output.err_paint.warn("warning:");
        output.say(&format!(
            "{word} `{}`: {count} {documents} passed by {} though the line does not say which issues there were (no `issues`)",
            sanitize_line(&self.name),
            bounds.join(", ")
        ));
    }

    /// Shows what was noted about decisions and has not been said yet.
    pub(super) fn say_notes(&mut self, decisions: &[Decision], output: &mut Output) {
        for note in decisions.iter().flat_map(|decision| &decision.notes) {
            if self.notes.len() < MOST_NOTES && self.notes.insert(note.clone()) {
                let word = output.err_paint.warn("warning:");
                output.say(&format!("{word} `{}`: {}", sanitize_line(&self.name), sanitize_line(note)));
            }
        }
    }
}

/// What was seen while trajectories were read.
#[derive(Default)]
pub(super) struct Reading {
    /// Names of dimensions that some trajectory has.
    recorded: BTreeSet<String>,
    /// Whether a line or file could not be read.
    pub(super) broken: bool,
    /// Whether any line could.
    pub(super) any: bool,
    /// How many misspelt keys were found.
    slips: usize,
    /// How many lines could not be read.
    refused: usize,
}

/// Why one file could not be read to its end.
enum Ended {
    /// The file.
    Input(ReadError),
    /// Standard output.
    Output(std::io::Error),
}

impl From<std::io::Error> for Ended {
    fn from(error: std::io::Error) -> Self {
        Ended::Input(error.into())
    }
}

/// The settings behind `--overall-from`.
pub(super) fn overall_from(dimension: Option<&str>) -> Result<Vec<String>, Failure> {
    let Some(dimension) = dimension else { return Ok(Vec::new()) };
    if dimension.is_empty() || dimension.contains(['.', '=', '*']) {
        return Err(Failure::usage(format!("`--overall-from {dimension}` is no name of a dimension")));
    }
    let quoted = serde_json::Value::from(dimension);
    Ok(vec![format!("assess.{dimension}=given"), format!("overall.from={quoted}")])
}

fn file_name(path: &Path) -> String {
    let name = if path.as_os_str() == "-" { "standard input".into() } else { path.to_string_lossy() };
    sanitize_line(&name)
}

impl Reading {
    /// Hands every trajectory of these files to `each`. What can't be read is said and remembered.
    pub(super) fn files(
        &mut self,
        files: &[PathBuf],
        output: &mut Output,
        mut each: impl FnMut(&Trajectory, &mut Output) -> std::io::Result<()>,
    ) -> Result<(), Failure> {
        for file in files {
            match self.file(file, output, &mut each) {
                Ok(()) => {}
                Err(Ended::Output(error)) => return Err(error.into()),
                Err(Ended::Input(error)) => {
                    complain(output, &Failure::broken(format!("can't read `{}`: {error}", file.display())));
                    self.broken = true;
                }
            }
        }
        if let Some(more @ 1..) = self.refused.checked_sub(MOST_NOTES) {
            output.say(&format!("  {more} more lines can't be read"));
        }
        Ok(())
    }

    fn file(
        &mut self,
        path: &Path,
        output: &mut Output,
        each: &mut impl FnMut(&Trajectory, &mut Output) -> std::io::Result<()>,
    ) -> Result<(), Ended> {
        let reader: Box<dyn BufRead> = if path.as_os_str() == "-" {
            Box::new(BufReader::new(std::io::stdin()))
        } else {
            Box::new(BufReader::new(disk::open_input(path).map_err(Ended::Input)?))
        };
        lines(reader, LongestLine::default(), |number, read| {
            match read {
                Ok(trajectory) => {
                    self.any = true;
                    self.warn_of_slips(path, number, &trajectory, output);
                    each(&trajectory, output).map_err(Ended::Output)?;
                    for (name, _) in trajectory.iterations.iter().flat_map(|step| &step.scores) {
                        if !self.recorded.contains(name) && self.recorded.len() < MOST_NAMES {
                            self.recorded.insert(name.clone());
                        }
                    }
                }
                Err(error) => self.refuse(path, number, &error, output),
            }
            Ok(())
        })
    }

    /// Names misspelt keys: an issue that is not read could let a document pass.
    fn warn_of_slips(&mut self, path: &Path, number: u64, trajectory: &Trajectory, output: &mut Output) {
        for slip in &trajectory.slips {
            self.slips += 1;
            if self.slips > MOST_NOTES {
                return;
            }
            let word = output.err_paint.warn("warning:");
            output.say(&format!("{word} {}, line {number}: {}", file_name(path), sanitize_line(slip)));
        }
    }

    fn refuse(&mut self, path: &Path, number: u64, error: &TrajectoryError, output: &mut Output) {
        self.broken = true;
        self.refused += 1;
        if self.refused > MOST_NOTES {
            return;
        }
        let word = output.err_paint.bad("error:");
        output.say(&format!(
            "{word} {}, line {number}: {}",
            file_name(path),
            sanitize_line(&error.to_string())
        ));
        if self.refused == 1 && matches!(error, TrajectoryError::NotJson { .. }) {
            output.say("  help: each line holds one JSON object, as `run --format jsonl` writes them");
        }
    }

    /// Says which dimensions a profile asks for that no trajectory has: they count 0, which is rarely meant.
    pub(super) fn warn_of_missing<'p>(
        &self,
        policies: impl Iterator<Item = &'p Policy>,
        output: &mut Output,
    ) {
        if self.recorded.is_empty() || self.recorded.len() == MOST_NAMES {
            return;
        }
        let list = |names: &[&str]| {
            names.iter().map(|n| format!("`{}`", sanitize_line(n))).collect::<Vec<_>>().join(", ")
        };
        let recorded: Vec<&str> = self.recorded.iter().map(String::as_str).collect();
        let word = output.err_paint.warn("warning:");
        let mut warned = false;
        for Policy { name, policy, .. } in policies {
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
                "  help: the trajectories have {}; `--overall-from {}` makes one of them the overall score, and `--config accept.DIMENSION=null` takes away a bound that can't be met",
                list(&recorded),
                sanitize_line(first)
            ));
        }
    }
}
