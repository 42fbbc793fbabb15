//! `loopctl run --watch`: what was run is scored again whenever the profile, or a file that it reaches, is saved.

use super::loading::{context, library};
use crate::diag::Problems;
use crate::execution::{RescoreWatch, StopRequests};
use crate::failure::Failure;
use crate::plan::Plan;
use crate::profile::{FileTracker, Reached};
use crate::profiles::SelectedProfile;
use crate::report::{rescoring_json, rescoring_lines};
use crate::requests::ResultFormat;
use crate::rescore::RescoreBuffer;
use crate::streams::Streams;
use crate::value::ShownPath;
use crate::value::sanitize_line;
use crate::watch::{FileWatch, WatchError};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::Duration;
use tokio::runtime::Handle;

/// The time that a file with mistakes may lie before they are shown: it may be half-written.
const DOUBT: Duration = Duration::from_millis(400);

/// The profile with the files that it reaches.
pub(super) struct ProfileWatch {
    profile: SelectedProfile,
    files: FileWatch,
    reached: Reached,
    /// The latest message about the profile, so that it is not repeated at every save.
    said: String,
}

impl ProfileWatch {
    /// Begins to watch what loading the profile inspects, so that saves made while documents are run are not lost.
    /// Problems of the profile are reported by the run.
    pub(super) fn start(profile: SelectedProfile) -> Result<Self, Failure> {
        let notes = FileTracker::default();
        profile.compile(context(), &library().noted_in(&notes), &[], &mut Problems::new());
        let reached = notes.take();
        let files = FileWatch::start(&reached)?;
        Ok(ProfileWatch { profile, files, reached, said: String::new() })
    }

    /// Scores the documents of a run again when all are done.
    pub(super) fn after_run(self, format: ResultFormat, quiet: bool) -> RescoreWatch {
        Box::new(move |kept, stops, output| {
            Handle::current().block_on(self.follow(kept, stops, (format, quiet), output))
        })
    }

    /// Scores `kept` again at every save, until a request to stop.
    async fn follow(
        mut self,
        mut kept: RescoreBuffer,
        stops: &StopRequests,
        (format, quiet): (ResultFormat, bool),
        output: &mut Streams,
    ) -> Result<(), Failure> {
        let (mut drained, mut stopped) = (stops.drain.subscribe(), stops.stop.subscribe());
        if !quiet {
            self.open(&kept, output);
        }
        let mut saved = BTreeSet::new();
        // Problems that are shown if nothing is saved for a moment.
        let mut doubted: Option<Problems> = None;
        loop {
            let doubtful = doubted.is_some();
            let lain = tokio::select! {
                biased;
                _ = stopped.wait_for(|stopped| *stopped) => return Ok(()),
                _ = drained.wait_for(|drained| *drained) => return Ok(()),
                settled = self.files.settled() => {
                    settled?;
                    false
                }
                () = tokio::time::sleep(DOUBT), if doubtful => true,
            };
            let changed = self.reached.changed();
            if changed.is_empty() {
                if let (true, Some(problems)) = (lain, doubted.take()) {
                    self.show(&std::mem::take(&mut saved), &problems, format, output);
                }
                continue;
            }
            saved.extend(changed);
            let mut problems = Problems::new();
            let notes = FileTracker::default();
            let plan = self.profile.compile(context(), &library().noted_in(&notes), &[], &mut problems);
            match plan {
                Some(plan) => {
                    doubted = None;
                    // Files that are no longer reached need not be watched.
                    self.reached = notes.take();
                    let saved = std::mem::take(&mut saved);
                    self.show(&saved, &problems, format, output);
                    answer(&mut kept, &plan, format, output)?;
                    say_what_is_not_seen(&saved, &plan, format, output)?;
                }
                None => {
                    self.reached.absorb(notes.take());
                    doubted = Some(problems);
                }
            }
            self.files.follow(&self.reached)?;
        }
    }

    fn open(&self, kept: &RescoreBuffer, output: &mut Streams) {
        let count = |count: usize, what: &str| match count {
            1 => format!("1 {what}"),
            several => format!("{several} {what}s"),
        };
        let files = match self.reached.files() {
            0 => "; all it reaches is built in, and a file of yours in its place counts".to_owned(),
            files => format!(" ({} here)", count(files, "file")),
        };
        output.say(&format!(
            "watching `{}`{files}: save one, and {} scored again; Ctrl-C ends",
            sanitize_line(self.profile.name()),
            match kept.documents() {
                1 => "1 document is".to_owned(),
                several => format!("{several} documents are"),
            },
        ));
        let word = output.err_paint.warn("warning:");
        if kept.dropped() > 0 {
            output.say(&format!(
                "{word} only the latest {} are kept; the {} before them are not scored again",
                count(kept.documents(), "document"),
                kept.dropped(),
            ));
        }
        if kept.without_candidate() > 0 {
            let documents = count(kept.without_candidate(), "document");
            output.say(&format!("{word} {documents} without a candidate can't be scored again"));
        }
    }

    /// Names what was saved, and its problems unless they were shown before.
    fn show(
        &mut self,
        saved: &BTreeSet<PathBuf>,
        problems: &Problems,
        format: ResultFormat,
        output: &mut Streams,
    ) {
        let line = output.out_paint.faint(&happened(saved));
        // Output for programs has no lines of this kind.
        let broken = problems.has_errors();
        if format == ResultFormat::Text && !broken {
            let _ = writeln!(output.out, "{line}");
        } else {
            output.say(&line);
        }
        let said = format!("{problems:?}");
        if broken || said != self.said {
            output.show(problems);
        }
        self.said = said;
        if broken {
            let errors = match problems.error_count() {
                1 => "this mistake is".to_owned(),
                several => format!("these {several} mistakes are"),
            };
            output.say(&format!("nothing was scored; waiting until {errors} corrected"));
        }
    }
}

/// Scores all documents with `plan` and reports what that changes.
fn answer(
    kept: &mut RescoreBuffer,
    plan: &Plan,
    format: ResultFormat,
    output: &mut Streams,
) -> Result<(), Failure> {
    let rescored = kept.rescore(plan);
    match format {
        ResultFormat::Text => {
            output.out.write_all(rescoring_lines(&rescored, output.out_paint).as_bytes())?;
        }
        ResultFormat::Json | ResultFormat::Jsonl => {
            for one in &rescored {
                writeln!(output.out, "{}", rescoring_json(one, &plan.profile.name))?;
            }
        }
    }
    output.out.flush()?;
    Ok(())
}

/// Names the saved files whose changes scoring again does not show.
fn say_what_is_not_seen(
    saved: &BTreeSet<PathBuf>,
    plan: &Plan,
    format: ResultFormat,
    output: &mut Streams,
) -> Result<(), Failure> {
    let names: Vec<String> =
        saved.iter().filter(|path| is_for_asking(path, plan)).map(|path| shown(path)).collect();
    let is = match names.as_slice() {
        [] => return Ok(()),
        [_] => "is",
        _ => "are",
    };
    let line =
        format!("{} {is} used only when a provider is asked: run again to see the effect", names.join(", "));
    if format == ResultFormat::Text {
        writeln!(output.out, "{line}")?;
        output.out.flush()?;
    } else {
        output.say(&line);
    }
    Ok(())
}

/// Names the files that were saved, and those that no longer exist.
fn happened(changed: &BTreeSet<PathBuf>) -> String {
    let (there, gone): (Vec<&PathBuf>, Vec<&PathBuf>) = changed.iter().partition(|path| path.exists());
    let named = |word: &str, paths: &[&PathBuf]| {
        let names: Vec<String> = paths.iter().map(|path| shown(path)).collect();
        (!names.is_empty()).then(|| format!("{word} {}", names.join(", ")))
    };
    let parts: Vec<String> =
        [named("saved", &there), named("deleted", &gone)].into_iter().flatten().collect();
    parts.join("; ")
}

/// Returns whether a file is only read to ask for candidates: instructions and patterns.
fn is_for_asking(path: &Path, plan: &Plan) -> bool {
    let instructions = path.parent().is_some_and(|folder| folder.iter().any(|part| part == "prompts"));
    let types: Vec<&str> = plan.scoring.rules().document_types().collect();
    let patterns = |template: &str| {
        types.iter().any(|document_type| {
            let name = template
                .replace("{{ document_type }}", document_type)
                .replace("{{document_type}}", document_type);
            path.ends_with(Path::new("rules").join(name))
        })
    };
    let of_stages = plan.stages.iter().filter_map(|stage| stage.stage.patterns.as_ref());
    instructions || of_stages.into_iter().any(|template| patterns(&template.value))
}

/// A path as people wrote it.
fn shown(path: &Path) -> String {
    sanitize_line(&path.strip_prefix(".").unwrap_or(path).shown())
}

impl From<WatchError> for Failure {
    fn from(error: WatchError) -> Self {
        Failure::broken(error.to_string()).help(error.help())
    }
}
