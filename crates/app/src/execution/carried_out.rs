//! A run carried out: its documents, one after the other or at the same time, and what follows when they are done.

use super::FinishedRun;
use super::display::{DisplayedRun, RunDisplay};
use super::host::StopRequests;
use super::opened_run::{OpenedRun, RunWork};
use super::planned_run::PlannedRun;
use super::resume_hint::ResumeHint;
use crate::context::Context;
use crate::failure::{ExitStatus, Failure};
use crate::journals::{self, merged_files, summary_of, write_page};
use crate::run::BatchEnd;
use crate::store::{Artifact, RunId, StoreError};
use crate::streams::Streams;
use crate::value::Millis;
use std::sync::Arc;
use tokio::runtime::Runtime;

/// The default time that calls in flight have when a run is stopped.
const DRAIN: Millis = Millis(20_000);

impl PlannedRun {
    /// Opens the run, carries it out, and reports what came of it.
    pub(super) fn carry_out(self, context: &Context, output: &mut Streams) -> Result<FinishedRun, Failure> {
        let stops = StopRequests::new(self.request.drain.unwrap_or(DRAIN), !self.request.quiet);
        let (opened, work) = self.open(&stops, context, output)?;
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(workers_for(work.batch.jobs))
            .enable_all()
            .build()
            .map_err(|error| Failure::broken(format!("can't start: {error}")))?;
        let mut display = RunDisplay::new(&opened, &work, &stops, output);
        let skipped_inputs = work.skipped_inputs.clone();
        let end = opened.execute(work, &stops, &runtime, &mut display, context);
        stops.report_no_more();
        let quiet = opened.planned.request.quiet;
        let skipped = skipped_inputs.line(end.as_ref().map_or(0, |end| end.repeated)).filter(|_| !quiet);
        let displayed = opened.conclude(end.as_ref().ok(), skipped.as_deref(), display, context);
        let OpenedRun { planned, journal, recording, telemetry, .. } = opened;
        // Others may want to work with it while this process only watches.
        drop(journal);
        let finished = displayed.and_then(|DisplayedRun { results, rescore_recorder, in_conflict }| {
            let end = end?;
            let exit = match exit_of(&end) {
                ExitStatus::Success if in_conflict => ExitStatus::NotPassed,
                exit => exit,
            };
            let exit = recording.report(exit, output);
            if let (Some(watch), Some(recorder), false) =
                (planned.options.watch, rescore_recorder, end.cancelled)
            {
                let _in_runtime = runtime.enter();
                watch(recorder.kept(), &stops, output)?;
            }
            Ok(FinishedRun { results, exit })
        });
        // While a further interrupt still ends the process.
        drop(telemetry);
        // A call that hangs in a plugin must not keep the process.
        runtime.shutdown_background();
        finished
    }
}

impl OpenedRun {
    /// Runs the documents until all are done or the run is asked to stop. The host listens as long as the runtime lasts.
    fn execute(
        &self,
        work: RunWork,
        stops: &StopRequests,
        runtime: &Runtime,
        display: &mut RunDisplay<'_>,
        context: &Context,
    ) -> Result<BatchEnd, StoreError> {
        runtime.block_on(async {
            (self.planned.options.host.listen)(stops.clone());
            let session = Arc::new(work.session);
            let end = work.batch.run(&session, display).await?;
            if end.not_tried + end.given_up == 0 && !end.cancelled {
                session.close(&context.now().to_string()).await?;
            }
            Ok(end)
        })
    }

    /// Brings record and summary of the run up to date, and ends its display.
    fn conclude(
        &self,
        end: Option<&BatchEnd>,
        skipped_inputs: Option<&str>,
        mut display: RunDisplay<'_>,
        context: &Context,
    ) -> Result<DisplayedRun, Failure> {
        let PlannedRun { journal, request, options, .. } = &self.planned;
        if end.is_some() {
            self.merge_sections(&mut display)?;
            self.forget_if_empty(context)?;
            if let Some(summary) = &mut display.summary {
                // Other processes may have had a part in it, and earlier ones.
                if summary.done() != self.journal.stages(&self.run)?.sum() {
                    *summary = summary_of(&self.journal, &self.run, false)?;
                }
                options.report.as_deref().map_or(Ok(()), |file| write_page(summary, file))?;
            }
        }
        let resume_hint = ResumeHint { run: &self.run, journal, quiet: request.quiet };
        display.close(end, skipped_inputs, &resume_hint)
    }

    /// Merges the results of files whose sections were documents of their own.
    fn merge_sections(&self, display: &mut RunDisplay<'_>) -> Result<(), Failure> {
        for merged in merged_files(&self.journal, &self.run)? {
            if let Some(artifacts) = &self.artifacts {
                artifacts.write(&merged.id, Artifact::Merged, &merged)?;
            }
            display.show_merged(&merged);
        }
        Ok(())
    }

    /// Removes the run if no document was found: the earlier latest run still is the latest.
    fn forget_if_empty(&self, context: &Context) -> Result<(), Failure> {
        if self.planned.journal.is_kept() && self.journal.stages(&self.run)?.sum() == 0 {
            self.journal.remove_run(&self.run)?;
            if let Some(before) = &self.before {
                journals::remember(context, &before.journal, &RunId::new(before.run.as_str()));
            }
        }
        Ok(())
    }
}

/// The number of threads that work on documents. Assessing a long document occupies one; signals are heard on another.
fn workers_for(jobs: usize) -> usize {
    let processors = std::thread::available_parallelism().map_or(1, std::num::NonZeroUsize::get);
    jobs.min(processors).max(1)
}

fn exit_of(end: &BatchEnd) -> ExitStatus {
    if end.cancelled {
        ExitStatus::Interrupted
    } else if end.unusable + end.provider_errors + end.set_aside + end.broken > 0
        || end.not_tried + end.given_up > 0
        // Nothing was found, which is not what was meant.
        || end.finished == 0
    {
        ExitStatus::Broken
    } else if end.passed == end.finished {
        ExitStatus::Success
    } else {
        ExitStatus::NotPassed
    }
}
