//! Trajectories read from files, with the warnings about them.

use super::PolicyTrial;
use crate::disk::{self, ReadError};
use crate::experiment::{LongestLine, Trajectories, TrajectoryError, dimensions_used, raw_lines};
use crate::failure::Failure;
use crate::profile::LoopPolicy;
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

/// The maximum number of misspelt keys, and of unreadable lines, that are shown.
const MOST_NOTES: usize = 20;

/// The observations made while trajectories were read.
#[derive(Default)]
pub(crate) struct TrajectoryReading {
    /// Names of dimensions that some trajectory has.
    recorded: BTreeSet<String>,
    /// `true` if a line or file could not be read.
    pub(crate) broken: bool,
    /// `true` if any line could be read.
    pub(crate) any: bool,
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
}

impl From<std::io::Error> for ReadEnd {
    fn from(error: std::io::Error) -> Self {
        ReadEnd::Input(error.into())
    }
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
    pub(crate) fn requiring_issues(requires_issues: bool) -> Self {
        TrajectoryReading { requires_issues, ..TrajectoryReading::default() }
    }

    /// Tries policies on the documents of these files, one at a time by `each`. What can't be read is reported and
    /// remembered.
    pub(crate) fn documents(
        &mut self,
        files: &[PathBuf],
        trials: &mut [PolicyTrial],
        output: &mut Streams,
        mut each: impl FnMut(&mut [PolicyTrial], &Trajectories, &mut Streams) -> std::io::Result<()>,
    ) -> Result<(), Failure> {
        // Candidates are kept only if they are needed.
        let mut trajectories = Trajectories::new(trials.iter().any(PolicyTrial::looks_at_candidates));
        self.lines(files, &mut trajectories, output, |trajectories, output| {
            let is_kept = trajectories.documents() > 0;
            let decided = if is_kept { each(trials, trajectories, output) } else { Ok(()) };
            trajectories.clear();
            decided
        })?;
        self.warn_of_missing(trials.iter().map(|trial| (&*trial.tried.name, trial.tried.policy())), output);
        Ok(())
    }

    /// All documents of these files.
    pub(crate) fn all(
        &mut self,
        files: &[PathBuf],
        keep_candidates: bool,
        output: &mut Streams,
    ) -> Result<Trajectories, Failure> {
        let mut trajectories = Trajectories::new(keep_candidates);
        self.lines(files, &mut trajectories, output, |_, _| Ok(()))?;
        Ok(trajectories)
    }

    /// Inspects a document that was read last.
    fn inspect(&mut self, trajectories: &mut Trajectories, place: LinePlace<'_>, output: &mut Streams) {
        let last = trajectories.documents().saturating_sub(1);
        for name in trajectories.dimensions(last) {
            if !self.recorded.contains(name) && self.recorded.len() < MOST_NAMES {
                self.recorded.insert(name.to_owned());
            }
        }
        if self.requires_issues && trajectories.lacks_issues(last) {
            trajectories.pop();
            self.refuse(place, "an iteration does not say which issues there were (no `issues`), and `--require issues` asks for it", output);
        }
    }

    /// Reads every line, and calls `each` after one that could be read.
    fn lines(
        &mut self,
        files: &[PathBuf],
        trajectories: &mut Trajectories,
        output: &mut Streams,
        mut each: impl FnMut(&mut Trajectories, &mut Streams) -> std::io::Result<()>,
    ) -> Result<(), Failure> {
        for file in files {
            match self.file(file, trajectories, output, &mut each) {
                Ok(()) => {}
                Err(ReadEnd::Output(error)) => return Err(error.into()),
                Err(ReadEnd::Input(error)) => {
                    complain(output, &Failure::broken(format!("can't read `{}`: {error}", file.shown())));
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
        trajectories: &mut Trajectories,
        output: &mut Streams,
        each: &mut impl FnMut(&mut Trajectories, &mut Streams) -> std::io::Result<()>,
    ) -> Result<(), ReadEnd> {
        let reader: Box<dyn BufRead> = if path.as_os_str() == "-" {
            Box::new(BufReader::new(std::io::stdin()))
        } else {
            Box::new(BufReader::with_capacity(BUFFER, disk::open_input(path).map_err(ReadEnd::Input)?))
        };
        raw_lines(reader, LongestLine::default(), |number, line| {
            let place = LinePlace { path, number };
            match line.and_then(|line| trajectories.read_line(line)) {
                Ok(slips) => {
                    self.any = true;
                    self.warn_of_slips(place, &slips, output);
                    self.inspect(trajectories, place, output);
                    each(trajectories, output).map_err(ReadEnd::Output)
                }
                Err(error) => {
                    self.refuse(place, &error.to_string(), output);
                    if self.refused == 1 && matches!(error, TrajectoryError::NotJson { .. }) {
                        output.say(
                            "  help: each line holds one JSON object, as `run --format jsonl` writes them",
                        );
                    }
                    Ok(())
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
            output.warn(&format!("{place}: {}", sanitize_line(slip)));
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
    pub(crate) fn warn_of_missing<'p>(
        &self,
        policies: impl IntoIterator<Item = (&'p str, &'p LoopPolicy)>,
        output: &mut Streams,
    ) {
        if self.recorded.is_empty() || self.recorded.len() == MOST_NAMES {
            return;
        }
        let list = |names: &[&str]| {
            names.iter().map(|n| format!("`{}`", sanitize_line(n))).collect::<Vec<_>>().join(", ")
        };
        let recorded: Vec<&str> = self.recorded.iter().map(String::as_str).collect();
        let mut warned = false;
        for (name, policy) in policies {
            let missing: Vec<&str> =
                dimensions_used(policy).into_iter().filter(|name| !self.recorded.contains(*name)).collect();
            if !missing.is_empty() {
                warned = true;
                let missing = list(&missing);
                output
                    .warn(&format!("`{name}` decides by {missing}, which no trajectory has; each counts 0"));
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
