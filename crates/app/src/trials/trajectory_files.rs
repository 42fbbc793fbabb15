//! Trajectories read from files, with the warnings about them.

use crate::disk::{self, ReadError};
use crate::experiment::{
    Decided, LongestLine, Trajectories, Trajectory, TrajectoryError, dimensions_used, raw_lines,
};
use crate::failure::Failure;
use crate::policy::{Decision, ScriptCriteria, StopReason, line_of};
use crate::profile::{LoopPolicy, OnEscalate, SelectKey};
use crate::stop::Costly;
use crate::streams::{Streams, complain};
use crate::value::{ShownPath, path_text, sanitize_line};
use std::collections::BTreeSet;
use std::fmt;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};

/// The maximum number of dimension names kept for the warning about those that a profile asks for and no trajectory
/// has.
const MOST_NAMES: usize = 100;

/// The number of bytes that are read from a file at once.
const BUFFER: usize = 256 << 10;

/// The maximum number of different notes on decisions that are shown for one profile.
const MOST_NOTES: usize = 20;

/// A policy that trajectories are tried on.
pub struct Policy {
    /// Its name.
    pub name: String,
    /// Its rules.
    pub policy: LoopPolicy,
    /// Its compiled scripts.
    pub scripts: ScriptCriteria,
    /// The remarks about its decisions.
    pub observed: Observations,
}

/// The remarks about a policy's decisions.
#[derive(Default)]
pub struct Observations {
    /// The notes already shown; each is shown once.
    notes: BTreeSet<String>,
    /// Bounds on issues that were taken to hold for iterations without known issues, and the number of documents that
    /// passed by them.
    assumed: (BTreeSet<&'static str>, usize),
    /// Other keys of the policy that inspect issues, and the number of documents that did not pass and were decided by
    /// them.
    overlooked: (BTreeSet<&'static str>, usize),
}

impl Policy {
    /// A policy about which nothing was remarked yet.
    pub fn new(name: String, policy: LoopPolicy, scripts: ScriptCriteria) -> Self {
        Policy { name, policy, scripts, observed: Observations::default() }
    }

    /// Returns whether a criterion compares candidates.
    pub fn looks_at_candidates(&self) -> bool {
        self.policy.stop.looks_at(Costly::Equality) || self.policy.stop.looks_at(Costly::FlipFlops)
    }

    /// Shows notes on decisions that have not been shown yet.
    pub fn say_notes(&mut self, decisions: &[Decision], output: &mut Streams) {
        let notes = decisions.iter().flat_map(|decision| decision.notes.iter().cloned());
        self.observed.notes(&self.name, notes, output);
    }

    /// Warns how many documents were decided by issues that are not known.
    pub fn warn_of_assumed(&self, output: &mut Streams) {
        let said = [
            (&self.observed.assumed, "passed by"),
            (&self.observed.overlooked, "not passed, and decided on by"),
        ];
        for ((lines, count), how) in said.into_iter().filter(|((_, count), _)| *count > 0) {
            let lines: Vec<String> = lines.iter().map(|line| format!("`{line}`")).collect();
            let documents = if *count == 1 { "document" } else { "documents" };
            let word = output.err_paint.warn("warning:");
            output.say(&format!(
                "{word} `{}`: {count} {documents} {how} {} though the line does not say which issues there were (no `issues`)",
                sanitize_line(&self.name),
                lines.join(", ")
            ));
        }
    }
}

impl Observations {
    /// Shows notes that have not been shown yet.
    pub fn notes(&mut self, name: &str, notes: impl IntoIterator<Item = String>, output: &mut Streams) {
        for note in notes {
            if self.notes.len() < MOST_NOTES && !self.notes.contains(&note) {
                let word = output.err_paint.warn("warning:");
                output.say(&format!("{word} `{}`: {}", sanitize_line(name), sanitize_line(&note)));
                self.notes.insert(note);
            }
        }
    }

    /// Counts a document that was decided by issues though its line does not say which there were.
    pub fn count_assumed(
        &mut self,
        trajectories: &Trajectories,
        document: usize,
        policy: &LoopPolicy,
        decided: &Decided,
    ) {
        let unknown = |iteration: usize| trajectories.issues_unknown(document, iteration);
        if decided.stop_reason == StopReason::Accepted {
            let bounds = &policy.accept.issue_limits;
            if !bounds.is_empty() && decided.iteration_count.checked_sub(1).is_some_and(unknown) {
                self.assumed.1 += 1;
                self.assumed.0.extend(bounds.iter().map(|(kind, _)| line_of(*kind)));
            }
            return;
        }
        let counts = |key: &SelectKey| matches!(key, SelectKey::NoCritical | SelectKey::Fewest(_));
        let looks = [
            (policy.on_escalate == OnEscalate::Stop, "on_escalate"),
            (policy.select.order.iter().any(counts) && decided.iteration_count > 1, "select.order"),
        ];
        if looks.iter().any(|(looks, _)| *looks) && (0..decided.iteration_count).any(unknown) {
            self.overlooked.1 += 1;
            self.overlooked.0.extend(looks.iter().filter(|(looks, _)| *looks).map(|(_, line)| *line));
        }
    }
}

/// The observations made while trajectories were read.
#[derive(Default)]
pub struct TrajectoryReading {
    /// Names of dimensions that some trajectory has.
    recorded: BTreeSet<String>,
    /// `true` if a line or file could not be read.
    pub broken: bool,
    /// `true` if any line could be read.
    pub any: bool,
    /// The number of misspelt keys found.
    slips: usize,
    /// The number of lines that could not be read.
    refused: usize,
    /// `true` if lines must say which issues there were.
    requires_issues: bool,
}

/// The reason that one file could not be read to its end.
enum ReadEnd {
    /// The file.
    Input(ReadError),
    /// Standard output.
    Output(std::io::Error),
    /// One line, which the others do not depend on.
    Line(TrajectoryError),
}

impl From<TrajectoryError> for ReadEnd {
    fn from(error: TrajectoryError) -> Self {
        ReadEnd::Line(error)
    }
}

impl From<std::io::Error> for ReadEnd {
    fn from(error: std::io::Error) -> Self {
        ReadEnd::Input(error.into())
    }
}

/// The settings behind `--overall-from`.
pub fn overall_from(dimension: Option<&str>) -> Result<Vec<String>, Failure> {
    let Some(dimension) = dimension else { return Ok(Vec::new()) };
    if dimension.is_empty() || dimension.contains(['.', '=', '*']) {
        return Err(Failure::usage(format!("`--overall-from {dimension}` is not a name of a dimension")));
    }
    let quoted = serde_json::Value::from(dimension);
    Ok(vec![format!("assess.{dimension}=given"), format!("overall.from={quoted}")])
}

/// A line of a file.
#[derive(Clone, Copy)]
struct LinePlace<'p> {
    path: &'p Path,
    number: u64,
}

impl fmt::Display for LinePlace<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let is_input = self.path.as_os_str() == "-";
        let name = if is_input { "standard input".into() } else { path_text(self.path) };
        write!(f, "{}, line {}", sanitize_line(&name), self.number)
    }
}

impl TrajectoryReading {
    /// A reading whose lines must say which issues there were, if so asked for.
    pub fn requiring_issues(requires_issues: bool) -> Self {
        TrajectoryReading { requires_issues, ..TrajectoryReading::default() }
    }

    /// Hands every trajectory of these files to `each`. What can't be read is reported and remembered.
    pub fn files(
        &mut self,
        files: &[PathBuf],
        output: &mut Streams,
        mut each: impl FnMut(&Trajectory, &mut Streams) -> std::io::Result<()>,
    ) -> Result<(), Failure> {
        self.lines(files, output, |reading, place, line, output| {
            let trajectory = Trajectory::parse(line)?;
            reading.warn_of_slips(place, &trajectory.slips, output);
            let names = trajectory.iterations.iter().flat_map(|step| &step.scores);
            reading.note_dimensions(names.map(|(name, _)| name.as_str()));
            each(&trajectory, output).map_err(ReadEnd::Output)
        })
    }

    /// Like [`Self::files`], with one document at a time to decide about. Candidates are kept only if they are needed.
    pub fn documents(
        &mut self,
        files: &[PathBuf],
        keep_candidates: bool,
        output: &mut Streams,
        mut each: impl FnMut(&Trajectories, &mut Streams) -> std::io::Result<()>,
    ) -> Result<(), Failure> {
        let mut trajectories = Trajectories::new(keep_candidates);
        self.lines(files, output, |reading, place, line, output| {
            trajectories.clear();
            reading.read_into(&mut trajectories, place, line, output)?;
            if trajectories.documents() == 0 {
                Ok(())
            } else {
                each(&trajectories, output).map_err(ReadEnd::Output)
            }
        })
    }

    /// All documents of these files.
    pub fn all(
        &mut self,
        files: &[PathBuf],
        keep_candidates: bool,
        output: &mut Streams,
    ) -> Result<Trajectories, Failure> {
        let mut trajectories = Trajectories::new(keep_candidates);
        self.lines(files, output, |reading, place, line, output| {
            reading.read_into(&mut trajectories, place, line, output)
        })?;
        Ok(trajectories)
    }

    fn read_into(
        &mut self,
        trajectories: &mut Trajectories,
        place: LinePlace<'_>,
        line: &[u8],
        output: &mut Streams,
    ) -> Result<(), ReadEnd> {
        let slips = trajectories.read_line(line)?;
        self.warn_of_slips(place, &slips, output);
        let last = trajectories.documents().saturating_sub(1);
        self.note_dimensions(trajectories.dimensions(last));
        if self.requires_issues && trajectories.lacks_issues(last) {
            trajectories.pop();
            self.refuse(place, "an iteration does not say which issues there were (no `issues`), and `--require issues` asks for it", output);
        }
        Ok(())
    }

    fn note_dimensions<'n>(&mut self, names: impl Iterator<Item = &'n str>) {
        for name in names {
            if !self.recorded.contains(name) && self.recorded.len() < MOST_NAMES {
                self.recorded.insert(name.to_owned());
            }
        }
    }

    fn lines(
        &mut self,
        files: &[PathBuf],
        output: &mut Streams,
        mut each: impl FnMut(&mut Self, LinePlace<'_>, &[u8], &mut Streams) -> Result<(), ReadEnd>,
    ) -> Result<(), Failure> {
        for file in files {
            match self.file(file, output, &mut each) {
                Ok(()) => {}
                Err(ReadEnd::Output(error)) => return Err(error.into()),
                Err(ReadEnd::Input(error)) => {
                    complain(output, &Failure::broken(format!("can't read `{}`: {error}", file.shown())));
                    self.broken = true;
                }
                // Reported where it was found.
                Err(ReadEnd::Line(_)) => self.broken = true,
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
        output: &mut Streams,
        each: &mut impl FnMut(&mut Self, LinePlace<'_>, &[u8], &mut Streams) -> Result<(), ReadEnd>,
    ) -> Result<(), ReadEnd> {
        let reader: Box<dyn BufRead> = if path.as_os_str() == "-" {
            Box::new(BufReader::new(std::io::stdin()))
        } else {
            Box::new(BufReader::with_capacity(BUFFER, disk::open_input(path).map_err(ReadEnd::Input)?))
        };
        raw_lines(reader, LongestLine::default(), |number, line| {
            let place = LinePlace { path, number };
            match line.map_err(ReadEnd::Line).and_then(|line| each(self, place, line, output)) {
                Err(ReadEnd::Line(error)) => {
                    self.refuse(place, &error.to_string(), output);
                    if self.refused == 1 && matches!(error, TrajectoryError::NotJson { .. }) {
                        output.say(
                            "  help: each line holds one JSON object, as `run --format jsonl` writes them",
                        );
                    }
                    Ok(())
                }
                read => {
                    self.any |= read.is_ok();
                    read
                }
            }
        })
    }

    /// Warns of misspelt keys: an issue that is not read could let a document pass.
    fn warn_of_slips(&mut self, place: LinePlace<'_>, slips: &[String], output: &mut Streams) {
        for slip in slips {
            self.slips += 1;
            if self.slips > MOST_NOTES {
                return;
            }
            let word = output.err_paint.warn("warning:");
            output.say(&format!("{word} {place}: {}", sanitize_line(slip)));
        }
    }

    fn refuse(&mut self, place: LinePlace<'_>, why: &str, output: &mut Streams) {
        self.broken = true;
        self.refused += 1;
        if self.refused > MOST_NOTES {
            return;
        }
        let word = output.err_paint.bad("error:");
        output.say(&format!("{word} {place}: {}", sanitize_line(why)));
    }

    /// Warns of dimensions that a profile asks for and no trajectory has: they count as 0, which is rarely meant.
    pub fn warn_of_missing<'p>(&self, policies: impl Iterator<Item = &'p Policy>, output: &mut Streams) {
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
