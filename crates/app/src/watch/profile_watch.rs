//! `loopctl run --watch`: what was run is scored again whenever the profile, or a file that it reaches, is saved.

use super::file_watch::FileWatch;
use super::lines::{happened, left_out, opening, used_for_asking};
use crate::context::Context;
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
use std::collections::BTreeSet;
use std::path::PathBuf;
use std::time::Duration;
use tokio::runtime::Handle;

/// The time that a file with mistakes may lie before they are shown: it may be half-written.
const DOUBT: Duration = Duration::from_millis(400);

/// The profile with the files that it reaches.
pub struct ProfileWatch {
    context: Context,
    profile: SelectedProfile,
    files: FileWatch,
    reached: Reached,
    /// The saved files that were not reported yet.
    saved: BTreeSet<PathBuf>,
    /// The latest message about the profile, so that it is not repeated at every save.
    said: String,
}

impl ProfileWatch {
    /// Begins to watch what loading the profile inspects, so that saves made while documents are run are not lost.
    /// Problems of the profile are reported by the run.
    ///
    /// # Errors
    /// When the system can't watch the files.
    pub fn start(context: &Context, profile: SelectedProfile) -> Result<Self, Failure> {
        let notes = FileTracker::default();
        profile.compile(context, &context.library().noted_in(&notes), &[], &mut Problems::new());
        let reached = notes.take();
        Ok(ProfileWatch {
            context: context.clone(),
            profile,
            files: FileWatch::start(&reached)?,
            reached,
            saved: BTreeSet::new(),
            said: String::new(),
        })
    }

    /// Scores the documents of a run again when all are done.
    pub fn after_run(self, format: ResultFormat, quiet: bool) -> RescoreWatch {
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
            output.say(&opening(self.profile.name(), self.reached.files(), kept.documents()));
            left_out(&kept).iter().for_each(|line| output.warn(line));
        }
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
            if !changed.is_empty() {
                self.saved.extend(changed);
                doubted = self.rescore(&mut kept, format, output)?;
                self.files.follow(&self.reached)?;
            } else if lain && let Some(problems) = doubted.take() {
                self.show(&problems, format, output)?;
            }
        }
    }

    /// Compiles the profile and scores all documents again. Returns the problems of one that can't be used.
    fn rescore(
        &mut self,
        kept: &mut RescoreBuffer,
        format: ResultFormat,
        output: &mut Streams,
    ) -> Result<Option<Problems>, Failure> {
        let (mut problems, notes) = (Problems::new(), FileTracker::default());
        let library = self.context.library().noted_in(&notes);
        let Some(plan) = self.profile.compile(&self.context, &library, &[], &mut problems) else {
            self.reached.absorb(notes.take());
            return Ok(Some(problems));
        };
        // Files that are no longer reached need not be watched.
        self.reached = notes.take();
        let saved = self.show(&problems, format, output)?;
        answer(kept, &plan, format, output)?;
        if let Some(line) = used_for_asking(&saved, &plan) {
            write_line(&line, format, output)?;
        }
        Ok(None)
    }

    /// Names what was saved, and its problems unless they were shown before. Returns the saved files.
    fn show(
        &mut self,
        problems: &Problems,
        format: ResultFormat,
        output: &mut Streams,
    ) -> Result<BTreeSet<PathBuf>, Failure> {
        let saved = std::mem::take(&mut self.saved);
        let line = output.out_paint.faint(&happened(&saved));
        let broken = problems.has_errors();
        if broken {
            output.say(&line)
        } else {
            write_line(&line, format, output)?
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
        Ok(saved)
    }
}

/// Writes a line for people, which output for programs does not have.
fn write_line(line: &str, format: ResultFormat, output: &mut Streams) -> Result<(), Failure> {
    match format {
        ResultFormat::Text => output.write_text(&format!("{line}\n"))?,
        ResultFormat::Json | ResultFormat::Jsonl => output.say(line),
    }
    Ok(())
}

/// Scores all documents with `plan` and reports what that changes.
fn answer(
    kept: &mut RescoreBuffer,
    plan: &Plan,
    format: ResultFormat,
    output: &mut Streams,
) -> Result<(), Failure> {
    let rescored = kept.rescore(plan);
    let text = match format {
        ResultFormat::Text => rescoring_lines(&rescored, output.out_paint),
        ResultFormat::Json | ResultFormat::Jsonl => {
            rescored.iter().map(|one| format!("{}\n", rescoring_json(one, &plan.profile.name))).collect()
        }
    };
    output.write_text(&text)
}
