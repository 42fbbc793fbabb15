//! The display of a run in progress: lines for people, and results as they come.

use super::super::given_up::gave_up;
use super::super::hint::Hint;
use super::super::journal_place::JournalPlace;
use super::super::progress_line::ProgressLine;
use crate::engine::Event;
use crate::failure::Failure;
use crate::ingest::{Document, InputError};
use crate::plan::Plan;
use crate::profile::LoopPolicy;
use crate::report::{Live, Paint, RunSummary, closing, document_summary, missed, render_text};
use crate::requests::ResultFormat;
use crate::rescore::RescoreRecorder;
use crate::result::DocumentResult;
use crate::run::{BatchEnd, BatchNews, RunObserver, is_unrecognised};
use crate::shell::quoted;
use crate::store::RunId;
use crate::streams::{Streams, complain};
use crate::value::ShownPath;
use crate::value::{DocumentId, Millis, prose, sanitize_line};
use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;
use tokio::sync::watch;

/// The minimum number of documents that get a summary.
const WORTH_A_SUMMARY: u64 = 10;

/// Shows what happens and writes results as they come.
pub(super) struct RunDisplay<'a> {
    pub(super) output: &'a mut Streams,
    pub(super) plan: Arc<Plan>,
    pub(super) live_lines: LiveLines,
    pub(super) format: ResultFormat,
    pub(super) several: bool,
    pub(super) written: usize,
    pub(super) failure: Option<std::io::Error>,
    /// Ends the run when no one reads the results and they are kept nowhere else.
    pub(super) stop: Option<watch::Sender<bool>>,
    pub(super) hint: Hint,
    /// The folder of the artifacts.
    pub(super) out: Option<PathBuf>,
    /// Takes the results in place of standard output.
    pub(super) results: Option<&'a mut Vec<DocumentResult>>,
    pub(super) unreadable: u64,
    /// Documents of another run, on which a process is at work.
    pub(super) elsewhere: u64,
    /// Lines of lists and records that name no document.
    pub(super) bad_lines: u64,
    /// The reason that not every document was tried.
    pub(super) gave_up: Option<Failure>,
    /// Keeps what is needed of each document to score it again.
    pub(super) rescore_recorder: Option<RescoreRecorder>,
    /// The progress of the batch.
    pub(super) progress: Option<ProgressLine>,
    /// The summary of the batch.
    pub(super) summary: Option<RunSummary>,
    /// The lines of `accept` that the only candidate does not meet, if there is room for one.
    pub(super) missed: Option<Vec<String>>,
}

/// The maximum number of lines without a document that are reported one by one.
const MOST_BAD_LINES: u64 = 10;

impl RunDisplay<'_> {
    fn write(&mut self, text: &str) {
        if self.failure.is_none() {
            self.failure = self.output.out.write_all(text.as_bytes()).err();
            if let (Some(_), Some(stop)) = (&self.failure, &self.stop) {
                let _ = stop.send(true);
            }
        }
    }

    pub(super) fn close(
        mut self,
        end: Option<&BatchEnd>,
        skipped_inputs: Option<&str>,
        resume_hint: &ResumeHint<'_>,
    ) -> Result<(), Failure> {
        if self.format == ResultFormat::Json && self.several {
            self.write(if self.written == 0 { "[]\n" } else { "\n]\n" });
        }
        drop(self.progress.take());
        let summary = self.summary.take().filter(|summary| summary.done() >= WORTH_A_SUMMARY);
        if let Some(end) = end
            && self.several
            && self.format == ResultFormat::Text
            && (end.finished != 1 || end.unusable + end.not_tried + end.set_aside > 0)
        {
            if let Some(summary) = &summary {
                self.write(&format!("\n{}\n", render_text(summary, self.output.out_paint)));
            }
            self.write(&closing(end));
        }
        self.output.out.flush()?;
        if let Some(summary) = summary
            && self.format != ResultFormat::Text
            && self.live_lines.is_shown()
        {
            self.output.say(render_text(&summary, self.output.err_paint).trim_end());
        }
        if let Some(more @ 1..) = self.elsewhere.checked_sub(1) {
            self.output.say(&format!("{more} more documents are of that run"));
        }
        if let Some(more @ 1..) = self.bad_lines.checked_sub(MOST_BAD_LINES) {
            let (lines, name) = (prose::count(more, "more line"), if more == 1 { "names" } else { "name" });
            self.output.say(&format!("{lines} {name} no document either"));
        }
        if let Some(line) = skipped_inputs {
            self.output.say(line);
        }
        if let Some(failure) = &self.gave_up {
            complain(self.output, failure);
        }
        if let Some(end) = end {
            resume_hint.say(end, self.gave_up.is_some(), self.output);
        }
        if let Some(line) = self.hint.line(self.several).filter(|_| self.live_lines.is_shown()) {
            self.output.say(&self.output.err_paint.faint(&line));
        }
        self.failure.map_or(Ok(()), |error| Err(error.into()))
    }
}

/// The way to resume a run that is not over.
pub(super) struct ResumeHint<'a> {
    pub(super) run: &'a RunId,
    pub(super) journal: &'a JournalPlace,
    pub(super) quiet: bool,
}

impl ResumeHint<'_> {
    fn say(&self, end: &BatchEnd, gave_up: bool, output: &mut Streams) {
        let left = end.not_tried + end.given_up;
        if left == 0 && !end.cancelled {
            return;
        }
        let command = match self.journal {
            JournalPlace::Memory => return,
            JournalPlace::Usual(_) => format!("loopctl resume {}", self.run),
            JournalPlace::Asked(file) => {
                format!("loopctl resume {} --journal {}", self.run, quoted(&file.shown()))
            }
        };
        let waiting = match left {
            0 => String::new(),
            1 => "1 document waits; ".to_owned(),
            more => format!("{more} documents wait; "),
        };
        if end.over_budget {
            let failure = Failure::broken(format!("the run's budget is spent: {} left", count(left)));
            complain(
                output,
                &failure.help(format!("resume with a larger one: `{command} --budget cost_usd=N`, `tokens=N` or `calls=N`; it counts what was used before")),
            );
        } else if !self.quiet && !gave_up {
            output.say(&format!("{waiting}resume with `{}`", sanitize_line(&command)));
        }
    }
}

fn count(documents: usize) -> String {
    if documents == 1 { "1 document is".to_owned() } else { format!("{documents} documents are") }
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

    fn started(&mut self, id: &DocumentId, document_type: &str) {
        if let Some(rescore_recorder) = &mut self.rescore_recorder {
            rescore_recorder.started(document_type);
        }
        if let Some(line) = self.live_lines.opening(id, document_type) {
            self.above(|display| display.output.say(&line));
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
            self.above(|display| display.output.say(&line));
        }
    }

    fn listed(&mut self, documents: u64, finished: u64) {
        if finished > 0 && self.live_lines.is_shown() {
            let what = match finished {
                1 => "1 document skipped: it is already finished".to_owned(),
                more => format!("{more} documents skipped: they are already finished"),
            };
            let place = self.out.as_ref().map(|out| format!(" in `{}`", sanitize_line(&out.shown())));
            self.above(|display| display.output.say(&format!("{what}{}", place.unwrap_or_default())));
        }
        if let Some(progress) = self.progress.take() {
            let progress = progress.after_earlier(finished, 0);
            progress.set_total(Some(documents));
            self.progress = Some(progress);
        }
    }

    fn finished(&mut self, result: &DocumentResult) {
        let mut progress = self.progress.take();
        match &progress {
            Some(line) => line.above(|| self.show(result)),
            None => self.show(result),
        }
        if let Some(line) = &mut progress {
            line.finished(result, self.output);
        }
        self.progress = progress;
        if let Some(summary) = &mut self.summary {
            summary.add(result);
        }
        self.hint.see(result);
        if let Some(rescore_recorder) = &mut self.rescore_recorder {
            rescore_recorder.finished();
        }
    }

    fn unusable(&mut self, error: &InputError) {
        if let InputError::AtWorkElsewhere { .. } = error {
            // The others would get the same message.
            self.elsewhere += 1;
            if self.elsewhere > 1 {
                return;
            }
        } else if let Some(summary) = &mut self.summary {
            self.unreadable += 1;
            summary.set_unreadable(self.unreadable);
        }
        if let InputError::Line { .. } = error {
            self.bad_lines += 1;
            if self.bad_lines > MOST_BAD_LINES {
                return;
            }
        }
        self.complain(&Failure::broken(error.to_string()).help(error.help()));
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
            self.above(|display| display.output.say(&news.to_string()));
        }
    }

    fn pausing(&mut self, pause: Millis) {
        if self.live_lines.is_shown() {
            self.above(|display| {
                display.output.say(&format!("the provider failed: the next document is tried in {pause}"));
            });
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

impl RunDisplay<'_> {
    /// Writes above the line of progress.
    fn above<R>(&mut self, write: impl FnOnce(&mut Self) -> R) -> R {
        let progress = self.progress.take();
        let written = match &progress {
            Some(line) => line.above(|| write(self)),
            None => write(self),
        };
        self.progress = progress;
        written
    }

    fn complain(&mut self, failure: &Failure) {
        self.above(|display| complain(display.output, failure));
    }

    /// Shows a result: what happened in the document, then what came of it.
    fn show(&mut self, result: &DocumentResult) {
        if let Some(lines) = self.live_lines.close(&result.id) {
            self.output.say(&lines);
        }
        if let Some(results) = &mut self.results {
            return results.push(result.clone());
        }
        let text = match self.format {
            ResultFormat::Text => {
                let with_type = !self.live_lines.is_shown() || is_unrecognised(&self.plan, result);
                document_summary(result, with_type, self.missed.as_deref(), self.output.out_paint)
            }
            ResultFormat::Jsonl => serde_json::to_string(result).unwrap_or_default() + "\n",
            ResultFormat::Json if self.several => {
                let before = if self.written == 0 { "[\n" } else { ",\n" };
                format!("{before}{}", serde_json::to_string_pretty(result).unwrap_or_default())
            }
            ResultFormat::Json => serde_json::to_string_pretty(result).unwrap_or_default() + "\n",
        };
        self.write(&text);
        self.written += 1;
    }
}

/// The lines of documents in progress: of one at a time as they come, of several at once together when a document is
/// over.
pub(super) struct LiveLines {
    policy: Arc<LoopPolicy>,
    paint: Paint,
    shown: bool,
    at_once: bool,
    of_one_candidate: bool,
    open: HashMap<DocumentId, (Live, Vec<String>)>,
}

impl LiveLines {
    pub(super) fn new(plan: &Plan, shown: bool, at_once: bool, of_one_candidate: bool, paint: Paint) -> Self {
        let policy = Arc::clone(&plan.policy);
        LiveLines { policy, paint, shown, at_once, of_one_candidate, open: HashMap::new() }
    }

    pub(super) fn is_shown(&self) -> bool {
        self.shown
    }

    fn opening(&mut self, id: &DocumentId, document_type: &str) -> Option<String> {
        if !self.shown {
            return None;
        }
        let live = Live::new(Arc::clone(&self.policy), self.paint);
        let mut live = if self.of_one_candidate { live.of_one_candidate() } else { live };
        let line = live.opening(id, document_type);
        let (line, lines) = if self.at_once { (Some(line), Vec::new()) } else { (None, vec![line]) };
        self.open.insert(id.clone(), (live, lines));
        line
    }

    fn line(&mut self, id: &DocumentId, event: &Event) -> Option<String> {
        let (live, lines) = self.open.get_mut(id)?;
        let line = live.line(event)?;
        if self.at_once {
            return Some(line);
        }
        lines.push(line);
        None
    }

    fn close(&mut self, id: &DocumentId) -> Option<String> {
        let (_, lines) = self.open.remove(id)?;
        (!lines.is_empty()).then(|| lines.join("\n"))
    }
}
