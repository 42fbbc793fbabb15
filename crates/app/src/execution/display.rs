//! The display of a run in progress: lines for people, and results as they come.

use super::explain_hint::ExplainHint;
use super::host::{MakeProgressLine, ProgressLine, StopRequests};
use super::input_problems::InputProblems;
use super::live_lines::LiveLines;
use super::opened_run::{OpenedRun, RunWork};
use super::parties::ConsultedParties;
use super::result_writer::ResultWriter;
use super::resume_hint::{ResumeHint, gave_up};
use crate::engine::Event;
use crate::failure::Failure;
use crate::ingest::{Document, InputError, ReadingProgress};
use crate::plan::Plan;
use crate::report::{RunFacts, RunSummary, closing, document_summary, missed, render_text};
use crate::requests::ResultFormat;
use crate::rescore::RescoreRecorder;
use crate::result::{DocumentResult, MergedResult, MergedStatus};
use crate::run::{BatchEnd, BatchNews, RunObserver, is_unrecognised};
use crate::streams::{Streams, complain};
use crate::value::ShownPath;
use crate::value::{DocumentId, Millis, sanitize_line};
use std::path::PathBuf;
use std::sync::Arc;

/// The minimum number of documents that get a summary.
const WORTH_A_SUMMARY: u64 = 10;

/// Shows what happens and writes results as they come.
pub(super) struct RunDisplay<'a> {
    output: &'a mut Streams,
    plan: Arc<Plan>,
    live_lines: LiveLines,
    results: ResultWriter,
    hint: ExplainHint,
    /// The folder of the artifacts.
    out: Option<PathBuf>,
    problems: InputProblems,
    /// The reason that not every document was tried.
    gave_up: Option<Failure>,
    /// Keeps what is needed of each document to score it again.
    rescore_recorder: Option<RescoreRecorder>,
    /// The progress of the batch; of a single document, while its pages are read.
    progress: Option<Box<dyn ProgressLine>>,
    /// The document whose pages are read, as the line of progress shows it.
    reading: Option<DocumentId>,
    /// Makes a line of progress for a single document, unless nothing is to be shown.
    progress_line: Option<MakeProgressLine>,
    /// The summary of the batch.
    pub(super) summary: Option<RunSummary>,
    /// The lines of `accept` that the only candidate does not meet, if there is room for one.
    missed: Option<Vec<String>>,
    /// `true` if the sections of a file passed and do not agree.
    in_conflict: bool,
}

/// The results and traces that a display has kept.
pub(super) struct DisplayedRun {
    pub(super) results: Vec<DocumentResult>,
    pub(super) rescore_recorder: Option<RescoreRecorder>,
    /// `true` if the sections of a file passed and do not agree.
    pub(super) in_conflict: bool,
}

impl<'a> RunDisplay<'a> {
    /// The display of a run that is about to begin.
    pub(super) fn new(
        opened: &OpenedRun,
        work: &RunWork,
        stops: &StopRequests,
        output: &'a mut Streams,
    ) -> Self {
        let OpenedRun { planned, run, .. } = opened;
        let (plan, request, options) = (&planned.plan, &planned.request, &planned.options);
        let out = request.out.as_deref();
        let (several, document_type) = (work.several, &work.batch.document_type);
        let is_verdict = planned.consulted == ConsultedParties::OnThisMachine;
        let is_batch = several && !is_verdict;
        let at_once = work.batch.jobs == 1 || !several;
        RunDisplay {
            live_lines: LiveLines::new(plan, !request.quiet, at_once, is_verdict, output.err_paint),
            output,
            plan: Arc::clone(plan),
            results: ResultWriter {
                format: planned.format,
                several,
                stop: out.is_none().then(|| stops.drain.clone()),
                returned: options.returns_results.then(Vec::new),
                written: 0,
                failure: None,
            },
            hint: ExplainHint::of(&planned.journal, opened.artifacts.clone()),
            out: out.map(Into::into),
            problems: InputProblems::default(),
            gave_up: None,
            rescore_recorder: options
                .watch
                .as_ref()
                .map(|_| RescoreRecorder::new(Arc::clone(plan), document_type.clone())),
            progress: (is_batch && !request.quiet).then(options.host.progress_line).flatten(),
            reading: None,
            progress_line: (!is_batch && !request.quiet).then_some(options.host.progress_line),
            summary: is_batch.then(|| {
                RunSummary::new(RunFacts::new(run.as_str(), plan.profile.name.as_str(), &plan.policy))
            }),
            missed: is_verdict.then(Vec::new),
            in_conflict: false,
        }
    }

    /// Ends the display: with the summary of a batch, what was left out, and hints at what can be done next.
    pub(super) fn close(
        mut self,
        end: Option<&BatchEnd>,
        skipped_inputs: Option<&str>,
        resume_hint: &ResumeHint<'_>,
    ) -> Result<DisplayedRun, Failure> {
        self.results.end(self.output);
        drop(self.progress.take());
        let (several, is_text) = (self.results.several, self.results.format == ResultFormat::Text);
        let summary = self.summary.take().filter(|summary| summary.done() >= WORTH_A_SUMMARY);
        if let Some(end) = end
            && several
            && is_text
            && (end.finished != 1 || end.unusable + end.not_tried + end.set_aside > 0)
        {
            if let Some(summary) = &summary {
                let text = render_text(summary, self.output.out_paint);
                self.results.write(&format!("\n{text}\n"), self.output);
            }
            self.results.write(&closing(end), self.output);
        }
        self.output.out.flush()?;
        if let Some(summary) = summary.filter(|_| !is_text && self.live_lines.is_shown()) {
            self.output.say(render_text(&summary, self.output.err_paint).trim_end());
        }
        self.problems.say_others(self.output);
        if let Some(line) = skipped_inputs {
            self.output.say(line);
        }
        if let Some(failure) = &self.gave_up {
            complain(self.output, failure);
        }
        if let Some(end) = end {
            resume_hint.say(end, self.gave_up.is_some(), self.output);
        }
        if let Some(line) = self.hint.line(several).filter(|_| self.live_lines.is_shown()) {
            self.output.say(&self.output.err_paint.faint(&line));
        }
        match self.results.failure {
            Some(error) => Err(error.into()),
            None => Ok(DisplayedRun {
                results: self.results.returned.unwrap_or_default(),
                rescore_recorder: self.rescore_recorder,
                in_conflict: self.in_conflict,
            }),
        }
    }

    /// Shows the result of a file whose sections were documents of their own.
    pub(super) fn show_merged(&mut self, merged: &MergedResult) {
        self.in_conflict |= merged.status == MergedStatus::Conflict;
        self.above(|display| display.results.add_merged(merged, display.output));
    }

    /// Writes above the line of progress.
    fn above(&mut self, mut write: impl FnMut(&mut Self)) {
        let progress = self.progress.take();
        match &progress {
            Some(line) => line.above(&mut || write(self)),
            None => write(self),
        }
        self.progress = progress;
    }

    /// A document has been read, or can't be: the line of progress shows its page no more.
    fn end_reading(&mut self, id: &DocumentId) {
        if self.reading.take_if(|reading| reading == id).is_none() {
            return;
        }
        if self.progress_line.is_some() {
            self.progress = None;
        } else if let Some(progress) = &mut self.progress {
            progress.reading(None);
        }
    }

    fn say_above(&mut self, line: &str) {
        self.above(|display| display.output.say(line));
    }

    fn complain(&mut self, failure: &Failure) {
        self.above(|display| complain(display.output, failure));
    }

    /// Shows a result: what happened in the document, then what came of it.
    fn show(&mut self, result: &DocumentResult) {
        if let Some(lines) = self.live_lines.close(&result.id) {
            self.output.say(&lines);
        }
        let with_type = !self.live_lines.is_shown() || is_unrecognised(&self.plan, result);
        let missed = self.missed.as_deref();
        self.results.add(result, |paint| document_summary(result, with_type, missed, paint), self.output);
    }
}

impl RunObserver for RunDisplay<'_> {
    fn wants_documents(&self) -> bool {
        self.rescore_recorder.is_some()
    }

    fn wants_events(&self) -> bool {
        self.live_lines.is_shown() || self.rescore_recorder.is_some() || self.missed.is_some()
    }

    fn read(&mut self, document: &Document) {
        if let Some(rescore_recorder) = &mut self.rescore_recorder {
            rescore_recorder.read(document);
        }
    }

    fn reading(&mut self, id: &DocumentId, page: ReadingProgress) {
        if self.progress.is_none() {
            self.progress = self.progress_line.and_then(|line| line());
        }
        if let Some(progress) = &mut self.progress {
            self.reading = Some(id.clone());
            progress.reading(Some(page));
        }
    }

    fn started(&mut self, id: &DocumentId, document_type: &str) {
        self.end_reading(id);
        if let Some(rescore_recorder) = &mut self.rescore_recorder {
            rescore_recorder.started(document_type);
        }
        if let Some(line) = self.live_lines.opening(id, document_type) {
            self.say_above(&line);
        }
    }

    fn event(&mut self, id: &DocumentId, at: Millis, event: &Event) {
        if let Some(rescore_recorder) = &mut self.rescore_recorder {
            rescore_recorder.event(at, event);
        }
        if let (Some(missing), Event::Decided(decision)) = (&mut self.missed, event) {
            *missing = missed(decision);
        }
        if let Some(line) = self.live_lines.line(id, event) {
            self.say_above(&line);
        }
    }

    fn listed(&mut self, documents: u64, finished: u64) {
        if finished > 0 && self.live_lines.is_shown() {
            let what = match finished {
                1 => "1 document skipped: it is already finished".to_owned(),
                more => format!("{more} documents skipped: they are already finished"),
            };
            let place = self.out.as_ref().map(|out| format!(" in `{}`", sanitize_line(&out.shown())));
            self.say_above(&format!("{what}{}", place.unwrap_or_default()));
        }
        if let Some(progress) = &mut self.progress {
            progress.listed(documents, finished);
        }
    }

    fn split(&mut self, file: &DocumentId, sections: usize) {
        self.end_reading(file);
        if let Some(progress) = &mut self.progress {
            progress.split(sections);
        }
    }

    fn finished(&mut self, result: &DocumentResult) {
        self.above(|display| display.show(result));
        if let Some(line) = &mut self.progress {
            line.finished(result, self.output);
        }
        if let Some(summary) = &mut self.summary {
            summary.add(result);
        }
        self.hint.see(result);
        if let Some(rescore_recorder) = &mut self.rescore_recorder {
            rescore_recorder.finished();
        }
    }

    fn unusable(&mut self, error: &InputError) {
        let is_reported = self.problems.count(error);
        if let Some(summary) = &mut self.summary {
            summary.set_unreadable(self.problems.unreadable);
        }
        if is_reported {
            self.complain(&Failure::broken(error.to_string()).help(error.help()));
        }
    }

    fn parked(&mut self, id: &DocumentId) {
        self.live_lines.close(id);
    }

    fn batch(&mut self, news: &BatchNews) {
        if let BatchNews::Refused { why } = news {
            let failure = Failure::broken(format!("no batch is waited for any more: {}", sanitize_line(why)));
            self.complain(&failure.help(
                "waiting documents are unchanged; once this is corrected, `loopctl resume` continues them, or `loopctl resume --via online` without batches",
            ));
        } else if self.live_lines.is_shown() {
            self.say_above(&news.to_string());
        }
    }

    fn pausing(&mut self, pause: Millis) {
        if self.live_lines.is_shown() {
            self.say_above(&format!("the provider failed: the next document is tried in {pause}"));
        }
    }

    fn set_aside(&mut self, id: &DocumentId, why: &str) {
        if let Some(summary) = &mut self.summary {
            summary.add_failed(id.as_str(), why);
        }
        if let Some(progress) = &mut self.progress {
            progress.failed(self.output);
        }
        let message = format!("`{}` was quarantined: {}", sanitize_line(id.as_str()), sanitize_line(why));
        self.complain(
            &Failure::broken(message)
                .help("the other documents continue; `loopctl runs retry` tries it again"),
        );
    }

    fn gave_up(&mut self, why: &str, in_a_row: usize, not_tried: (usize, &[DocumentId])) {
        self.gave_up = Some(gave_up(why, in_a_row, not_tried));
    }
}
