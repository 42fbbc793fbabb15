//! A run as it is opened: its documents named, its providers and its journal open, and its run in the journal chosen.

use super::batches::batch_settings;
use super::call_recording::CallRecording;
use super::documents::NamedDocuments;
use super::host::StopRequests;
use super::input_stream::{SkippedInputs, inputs};
use super::parties::{ConsultedParties, Parties};
use super::planned_run::PlannedRun;
use crate::calibration::say_certificate;
use crate::context::Context;
use crate::disk;
use crate::failure::Failure;
use crate::ingest::DocumentReader;
use crate::journals::{self, LatestRun};
use crate::logging::Telemetry;
use crate::requests::{OUT, PROVIDERS, run_settings};
use crate::resumption::{SelectedRun, choose};
use crate::run::{Batch, RunStore, Session, split_rules, usual_jobs};
use crate::store::{Artifacts, Journal, ProcessId, RunId, RunRecord, WorkerLog, folder_key};
use crate::streams::Streams;
use crate::value::ShownPath;
use crate::value::{path_text, sanitize_line};
use serde_json::{Value, json};
use std::path::Path;
use std::sync::Arc;

/// A run that is open.
pub(super) struct OpenedRun {
    pub(super) planned: PlannedRun,
    pub(super) run: RunId,
    pub(super) journal: Arc<Journal>,
    pub(super) artifacts: Option<Artifacts>,
    pub(super) recording: CallRecording,
    /// The run that was the latest one before.
    pub(super) before: Option<LatestRun>,
    pub(super) telemetry: Telemetry,
}

/// The documents of a run, and the session that works on them.
pub(super) struct RunWork {
    pub(super) batch: Batch,
    pub(super) session: Session,
    /// `true` if the request may mean more than one document.
    pub(super) several: bool,
    pub(super) skipped_inputs: SkippedInputs,
}

impl PlannedRun {
    /// Opens all that the run needs. What can't be carried out is refused before anything is paid for.
    pub(super) fn open(
        mut self,
        stops: &StopRequests,
        context: &Context,
        output: &mut Streams,
    ) -> Result<(OpenedRun, RunWork), Failure> {
        let documents = NamedDocuments::of(&self.request, &self.plan, context)?;
        self.refuse_unset_variable()?;
        self.options.report.as_deref().map_or(Ok(()), refuse_unwritable)?;
        let artifacts = self.request.out.as_deref().map(Artifacts::new).transpose()?;
        let recording = CallRecording::open(&self.request.recording, context)?;
        // Messages of plugins while they are opened are logged, too.
        let telemetry = self.options.log.start(context)?;
        let parties = Parties::open(&self, recording.0.as_ref(), context, output)?;
        if let Some(basis) = self.decided_by.basis.clone() {
            let (named, basis) =
                (&self.request.certificate, basis.asking(parties.asked(&self.plan), parties.plugins()));
            say_certificate(named.as_deref(), &self.plan.profile, &basis, self.request.quiet, output)?;
        }
        let journal = Arc::new(self.journal.open(self.options.host.say, output)?);
        if batch_settings(self.request.batches.as_ref()).used && !self.journal.is_kept() {
            return Err(Failure::usage("what waits for a batch is kept in a journal, and there is none")
                .help("name one with `--journal FILE`"));
        }
        let selected = self.select_run(&journal, &parties, &recording, context)?;
        if let Some(note) = selected.note.as_ref().filter(|_| !self.request.quiet) {
            output.say(&sanitize_line(note));
        }
        let before = journals::recall(context);
        let (is_kept, run) = (self.journal.is_kept(), selected.run.clone());
        if is_kept {
            journals::remember(context, journal.path(), &run);
        }
        let artifacts = artifacts.map(|artifacts| if is_kept { artifacts.projected() } else { artifacts });
        let opened = OpenedRun { planned: self, run, journal, artifacts, recording, before, telemetry };
        let work = opened.work(documents, parties, &selected, (stops, context.reader()))?;
        Ok((opened, work))
    }

    /// Refuses to ask with a prompt that lacks a variable.
    fn refuse_unset_variable(&self) -> Result<(), Failure> {
        match self.plan.unset_variables.first() {
            Some(name) if self.consulted == ConsultedParties::All => {
                let profile = &self.plan.profile.name;
                let message = format!("the prompt of the profile `{profile}` needs the variable `{name}`");
                Err(Failure::usage(message).help(format!("give it with `--var {name}=TEXT`")))
            }
            Some(_) | None => Ok(()),
        }
    }

    /// Chooses the run of the journal that the documents belong to.
    fn select_run(
        &self,
        journal: &Journal,
        parties: &Parties,
        recording: &CallRecording,
        context: &Context,
    ) -> Result<SelectedRun, Failure> {
        let mut settings = run_settings(&self.plan, &self.request, &self.decided_by);
        settings.insert(OUT.to_owned(), json!(self.request.out.as_deref().map(path_text)));
        settings.insert("tape".to_owned(), recording.settings());
        settings.insert(PROVIDERS.to_owned(), parties.asked(&self.plan));
        let profile = &self.plan.profile;
        let record = RunRecord {
            started_at: context.now().to_string(),
            profile: profile.name.clone(),
            profile_digest: profile.digest.clone(),
            loopctl_version: env!("CARGO_PKG_VERSION").to_owned(),
            plugins: parties.plugins(),
            settings: Value::Object(settings),
        };
        choose(journal, &self.options.selection, &record, &self.options.profile, context)
    }
}

impl OpenedRun {
    /// The documents of the run, with the session that works on them until it is asked to stop.
    fn work(
        &self,
        documents: NamedDocuments,
        parties: Parties,
        selected: &SelectedRun,
        (stops, reader): (&StopRequests, &DocumentReader),
    ) -> Result<RunWork, Failure> {
        let PlannedRun { plan, request, options, within, .. } = &self.planned;
        let (journal, Parties { candidates, consultants }) = (&self.journal, parties);
        let worker = journal.begin_work(&self.run, &ProcessId::own())?;
        // A type that is given is that of the whole file.
        let is_split =
            split_rules(plan).is_some() && documents.document_type.is_none() && documents.supplied.is_none();
        let (inputs, skipped_inputs) = if selected.lists {
            let (found, skipped) = inputs(plan, &documents, request.out.as_deref(), !selected.goes_on);
            (Some(found), skipped)
        } else {
            (None, SkippedInputs::default())
        };
        let jobs = match (request.jobs, options.watch.is_some()) {
            // Documents to be watched are kept one by one.
            (_, true) => 1,
            (Some(jobs), false) => usize::try_from(jobs).unwrap_or(usize::MAX),
            (None, false) => usual_jobs(plan, &candidates, &consultants, self.recording.0.as_ref()),
        };
        let store = RunStore {
            journal: Arc::new(WorkerLog::new(Arc::clone(journal), worker)),
            run: self.run.clone(),
            artifacts: self.artifacts.clone(),
        };
        let folder = self.artifacts.as_ref().map(|found| folder_key(journal.path(), found.folder()));
        let batch = Batch {
            journal: Arc::clone(journal),
            worker,
            inputs,
            goes_on: selected.goes_on,
            folder,
            jobs,
            document_type: documents.document_type,
            supplied: documents.supplied,
            within: within.clone(),
            keep_going: request.keep_going,
            batches: batch_settings(request.batches.as_ref()),
            steering: None,
        };
        let stopped = stops.stop.subscribe();
        let session = Session::new(Arc::clone(plan), candidates, consultants, store, stopped)
            .draining_on(stops.drain.subscribe())
            .with_time(self.recording.time())
            .with_reader(reader.clone());
        Ok(RunWork { batch, session, several: documents.several || is_split, skipped_inputs })
    }
}

/// Refuses a report that can't be written.
fn refuse_unwritable(report: &Path) -> Result<(), Failure> {
    let folder = report.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let refused = |why: String| {
        let failure = Failure::usage(format!("can't write the report to `{}`: {why}", report.shown()));
        failure.help("name a file in a folder that is there and that you may write to")
    };
    if report.is_dir() {
        return Err(refused("it is a folder".to_owned()));
    }
    if !folder.is_dir() {
        return Err(refused(format!("there is no folder `{}`", folder.shown())));
    }
    disk::try_folder(folder).map_err(|error| refused(error.to_string()))
}
