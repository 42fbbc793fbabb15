//! A loop over documents, as `run`, `validate`, `correct` and `resume` ask for it.

use super::super::hint::Hint;
use super::super::interrupts;
use super::super::journal_place::JournalPlace;
use super::super::loading::{context, providers_or_warn, say_whose_prices_hold};
use super::super::logging::LogArguments;
use super::super::progress_line::ProgressLine;
use super::super::tape;
use super::batches;
use super::display::{LiveLines, ResumeHint, RunDisplay};
use super::input_stream::{
    SkippedInputs, inputs, is_one, refuse_cassettes_among_inputs, refuse_out_among_inputs,
    refuse_standard_input_twice,
};
use crate::calibration::Certified;
use crate::diag::Problems;
use crate::disk;
use crate::failure::{ExitStatus, Failure};
use crate::journals::{self, summary_of, write_page};
use crate::plan::{JudgePlan, Plan, ValidatorPlan};
use crate::plans::{known_type, refuse_profiles};
use crate::profile::{Asked, read_text_file};
use crate::provider::{Prices, Recorder};
use crate::report::{RunFacts, RunSummary};
use crate::requests::ResultFormat;
use crate::requests::{DecidedBy, OUT, PROVIDERS, RecordedPath, RunRequest, run_settings};
use crate::rescore::RescoreRecorder;
use crate::result::{DocumentResult, is_result};
use crate::resumption::{PolicyIdentity, ResumeOverrides, RunSelection, SelectedRun, choose};
use crate::run::{
    Batch, BatchEnd, Candidates, Consultant, RunStore, Session, asked_of, open_panel, open_stages, plan_ids,
    plugins_of, unpriced, usual_jobs,
};
use crate::store::{Artifacts, Journal, ProcessId, RunId, RunRecord, StoreError, WorkerLog, folder_key};
use crate::streams::Streams;
use crate::value::ShownPath;
use crate::value::{MAX_CANDIDATE_DEPTH, Millis, is_deeper, path_text, sanitize_line};
use crate::watch::ProfileWatch;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use tokio::sync::watch;

/// The default time that calls in flight have when a run is stopped.
const DRAIN: Millis = Millis(20_000);

/// The parties that are asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::cli) enum ConsultedParties {
    /// Stages, validators and judges.
    Everybody,
    /// No one off this machine: the candidate is supplied, judges are done without, and of the validators only programs
    /// run.
    Nobody,
}

/// A loop over documents, as `run`, `validate` and `correct` ask for it.
pub(in crate::cli) struct RunInvocation {
    pub(in crate::cli) plan: Plan,
    pub(in crate::cli) request: RunRequest,
    /// `true` if the request is recorded, so that the run can be resumed.
    pub(in crate::cli) is_resumable: bool,
    pub(in crate::cli) journal: JournalPlace,
    /// The run of the journal that the documents belong to.
    pub(in crate::cli) selection: RunSelection,
    /// The digest of every file that the profile reaches.
    pub(in crate::cli) files_digest: String,
    /// The digest of all that decides, with prompts by their texts.
    pub(in crate::cli) texts_digest: String,
    /// The policy part by part, and the certificate that is to cover the run.
    pub(in crate::cli) certified: Option<Certified>,
    pub(in crate::cli) log: LogArguments,
    pub(in crate::cli) format: ResultFormat,
    /// The file for the summary as a page.
    pub(in crate::cli) report: Option<PathBuf>,
    pub(in crate::cli) consulted: ConsultedParties,
    /// The profile to watch when all documents are done.
    pub(in crate::cli) watching: Option<ProfileWatch>,
    /// Folders in which documents must lie, if a recorded command names them.
    pub(in crate::cli) within: Option<Vec<PathBuf>>,
    /// The settings laid over those of a record.
    pub(in crate::cli) overrides: Option<ResumeOverrides>,
}

impl RunInvocation {
    /// Runs the loop. Results go to `results` if that is given, else to standard output.
    pub(in crate::cli) fn run(
        self,
        results: Option<&mut Vec<DocumentResult>>,
        output: &mut Streams,
    ) -> Result<ExitStatus, Failure> {
        let request = &self.request;
        let paths = |paths: &[RecordedPath]| paths.iter().map(|path| path.0.clone()).collect::<Vec<_>>();
        let (named, from) = (paths(&request.inputs), paths(&request.from));
        let (out, quiet) = (request.out.as_deref(), request.quiet);
        let document_type =
            request.document_type.as_deref().map(|t| known_type(&self.plan, t)).transpose()?;
        if let (ConsultedParties::Everybody, Some(name)) = (self.consulted, self.plan.unset_variables.first())
        {
            return Err(Failure::usage(format!(
                "the prompt of the profile `{}` needs the variable `{name}`",
                self.plan.profile.name
            ))
            .help(format!("give it with `--var {name}=TEXT`")));
        }
        refuse_out_among_inputs(out, &named)?;
        refuse_cassettes_among_inputs(&named)?;
        refuse_profiles(context(), &named)?;
        refuse_standard_input_twice(&named, &from)?;
        if let Some(file) = &self.report {
            refuse_unwritable(file)?;
        }
        let several = !is_one(&named, &from);
        let supplied = match request.extraction.as_deref() {
            Some(_) if several => {
                return Err(Failure::usage("`--extraction` goes with one document")
                    .help("name the file of that document"));
            }
            Some(path) => Some(Arc::new(read_json(path)?)),
            None => None,
        };
        let artifacts = out.map(Artifacts::new).transpose()?;
        let batches = batches::settings(request.batches.as_ref());
        let tape = tape::open(&request.recording)?;
        let prices = self.read_prices(output)?;
        if self.consulted == ConsultedParties::Everybody && !quiet {
            say_whose_prices_hold(output);
        }
        let providers = providers_or_warn(output)
            .with_programs_allowed(request.allow_commands)
            .with_prices(prices)
            .with_network(self.plan.profile.network.clone());
        let providers = tape.iter().fold(providers, |providers, tape| providers.with_tape(tape.clone()));
        // Messages of plugins while they are opened are logged, too.
        let telemetry = self.log.start()?;
        let (candidates, consultants) = match self.consulted {
            ConsultedParties::Everybody => (
                open_stages(&providers, &self.plan)?,
                open_panel(&providers, &self.plan, request.allow_commands)?,
            ),
            ConsultedParties::Nobody => (Candidates::Supplied, self.consultants_here()),
        };
        for warning in unpriced(&self.plan, &candidates, &consultants) {
            let word = output.err_paint.warn("warning:");
            output.say(&format!("{word} {}", sanitize_line(&warning)));
        }
        if let Some(certified) = &self.certified {
            let asked = asked_of(&plan_ids(&self.plan), &candidates, &consultants);
            let plugins = plugins_of(&candidates, &consultants);
            certified.say(&self.plan.profile, asked, plugins, quiet, output)?;
        }
        let journal = Arc::new(self.journal.open(output)?);
        let artifacts = artifacts.map(|artifacts| match self.journal {
            JournalPlace::Memory => artifacts,
            JournalPlace::Asked(_) | JournalPlace::Usual(_) => artifacts.projected(),
        });
        if batches.used && matches!(self.journal, JournalPlace::Memory) {
            return Err(Failure::usage("what waits for a batch is kept in a journal, and there is none")
                .help("name one with `--journal FILE`"));
        }
        let hint = Hint::of(&self.journal, &journal, artifacts.clone());
        let selected = self.choose_run(&journal, (&candidates, &consultants), tape.as_ref())?;
        if let Some(note) = selected.note.as_ref().filter(|_| !quiet) {
            output.say(&sanitize_line(note));
        }
        let before = journals::recall(context());
        let is_kept = !matches!(self.journal, JournalPlace::Memory);
        if is_kept {
            journals::remember(context(), journal.path(), &selected.run);
        }
        let run = selected.run.clone();
        let worker = journal.begin_work(&run, &ProcessId::own())?;
        let folder = artifacts.as_ref().map(|artifacts| folder_key(journal.path(), artifacts.folder()));
        let store = RunStore {
            journal: Arc::new(WorkerLog::new(Arc::clone(&journal), worker)),
            run: run.clone(),
            artifacts,
        };
        let jobs = match (request.jobs, self.watching.is_some()) {
            // Documents to be watched are kept one by one.
            (_, true) => 1,
            (Some(jobs), false) => usize::try_from(jobs).unwrap_or(usize::MAX),
            (None, false) => usual_jobs(&self.plan, &candidates, &consultants, tape.as_ref()),
        };
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(workers_for(jobs))
            .enable_all()
            .build()
            .map_err(|error| Failure::broken(format!("can't start: {error}")))?;
        let plan = Arc::new(self.plan);
        let (inputs, skipped_inputs) = if selected.lists {
            let (inputs, skipped_inputs) = inputs(&plan, &named, &from, out, !selected.goes_on);
            (Some(inputs), skipped_inputs)
        } else {
            (None, SkippedInputs::default())
        };
        let batch = Batch {
            journal: Arc::clone(&journal),
            worker,
            inputs,
            goes_on: selected.goes_on,
            folder,
            jobs,
            document_type,
            supplied,
            within: self.within.clone(),
            keep_going: request.keep_going,
            batches,
            steering: None,
        };
        let is_verdict = self.consulted == ConsultedParties::Nobody;
        let (stop, cancelled) = watch::channel(false);
        let (drain, draining) = watch::channel(false);
        let (stopped, drained) = (cancelled.clone(), draining.clone());
        let rescore_recorder = self
            .watching
            .as_ref()
            .map(|_| RescoreRecorder::new(Arc::clone(&plan), batch.document_type.clone()));
        let format = self.format;
        let plan_of_display = Arc::clone(&plan);
        let mut display = RunDisplay {
            plan: Arc::clone(&plan),
            live_lines: LiveLines::new(&plan, !quiet, jobs == 1 || !several, is_verdict, output.err_paint),
            output,
            format,
            several,
            written: 0,
            failure: None,
            stop: out.is_none().then(|| drain.clone()),
            hint,
            out: out.map(Path::to_path_buf),
            results,
            unreadable: 0,
            elsewhere: 0,
            bad_lines: 0,
            progress: (several && !is_verdict).then(|| ProgressLine::start(None, quiet)),
            summary: (several && !is_verdict).then(|| {
                RunSummary::new(RunFacts::new(
                    run.as_str(),
                    plan_of_display.profile.name.as_str(),
                    &plan_of_display.policy,
                ))
            }),
            gave_up: None,
            rescore_recorder,
            missed: is_verdict.then(Vec::new),
        };
        // Interrupts are heard as long as the process lasts.
        let at_work = Arc::new(AtomicBool::new(!quiet));
        runtime.spawn(interrupts::listen(drain, stop, request.drain.unwrap_or(DRAIN), Arc::clone(&at_work)));
        let end = runtime.block_on(async {
            let session = Session::new(plan, candidates, consultants, store, cancelled)
                .draining_on(draining)
                .with_time(tape::time_of(tape.as_ref()));
            let session = Arc::new(session);
            let end = batch.run(&session, &mut display).await?;
            if end.not_tried + end.given_up == 0 && !end.cancelled {
                session.close(&context().now().to_string()).await?;
            }
            Ok::<BatchEnd, StoreError>(end)
        });
        at_work.store(false, Ordering::Relaxed);
        if is_kept && end.is_ok() && journal.stages(&run)?.sum() == 0 {
            // Nothing was found: the earlier latest run still is the latest.
            journal.remove_run(&run)?;
            if let Some(before) = before {
                journals::remember(context(), &before.journal, &RunId::new(before.run));
            }
        }
        let rescore_recorder = display.rescore_recorder.take();
        let skipped_inputs =
            skipped_inputs.line(end.as_ref().map_or(0, |end| end.repeated)).filter(|_| !quiet);
        let resume_hint = ResumeHint { run: &run, journal: &self.journal, quiet };
        if let (Ok(_), Some(seen)) = (&end, &display.summary) {
            // Other processes may have had a part in it, and earlier ones.
            if seen.done() != journal.stages(&run)?.sum() {
                display.summary = Some(summary_of(&journal, &run, false)?);
            }
            if let (Some(file), Some(summary)) = (&self.report, &display.summary) {
                write_page(summary, file)?;
            }
        }
        let closed = display.close(end.as_ref().ok(), skipped_inputs.as_deref(), &resume_hint);
        // Others may want to work with it while this process only watches.
        drop(journal);
        let followed = || {
            closed?;
            let end = end?;
            let exit = tape::report(tape.as_ref(), exit_of(&end), output);
            if let (Some(watching), Some(rescore_recorder), false) =
                (self.watching, rescore_recorder, end.cancelled)
            {
                let written = (format, quiet);
                runtime.block_on(watching.follow(
                    rescore_recorder.kept(),
                    (drained, stopped),
                    written,
                    output,
                ))?;
            }
            Ok(exit)
        };
        let exit = followed();
        // While a further interrupt still ends the process.
        drop(telemetry);
        // A call that hangs in a plugin must not keep the process.
        runtime.shutdown_background();
        exit
    }

    /// The run that the documents belong to.
    fn choose_run(
        &self,
        journal: &Journal,
        (candidates, consultants): (&Candidates, &[Consultant]),
        tape: Option<&Recorder>,
    ) -> Result<SelectedRun, Failure> {
        let (files_digest, texts_digest) = (&*self.files_digest, &*self.texts_digest);
        let basis = self.certified.as_ref().map(|certified| &certified.basis);
        let decided_by = DecidedBy { files_digest, texts_digest, basis };
        let mut settings = run_settings(&self.plan, self.is_resumable.then_some(&self.request), &decided_by);
        settings.insert(OUT.to_owned(), json!(self.request.out.as_deref().map(path_text)));
        settings.insert("tape".to_owned(), tape::settings_of(tape));
        settings.insert(PROVIDERS.to_owned(), asked_of(&plan_ids(&self.plan), candidates, consultants));
        let record = RunRecord {
            started_at: context().now().to_string(),
            profile: self.plan.profile.name.clone(),
            profile_digest: self.plan.profile.digest.clone(),
            loopctl_version: env!("CARGO_PKG_VERSION").to_owned(),
            plugins: plugins_of(candidates, consultants),
            settings: Value::Object(settings),
        };
        let policy_identity = PolicyIdentity {
            profile: &self.plan.profile.name,
            profile_digest: &self.plan.profile.digest,
            files_digest,
            texts_digest,
            overrides: self.overrides.as_ref(),
        };
        choose(journal, &self.selection, &record, &policy_identity)
    }
}

/// The number of threads that work on documents. Assessing a long document occupies one; signals are heard on another.
fn workers_for(jobs: usize) -> usize {
    let processors = std::thread::available_parallelism().map_or(1, std::num::NonZeroUsize::get);
    jobs.min(processors).max(1)
}

impl RunInvocation {
    /// The panel without members off this machine.
    fn consultants_here(&self) -> Vec<Consultant> {
        let validator = |planned: &ValidatorPlan| match &planned.validator.asked {
            Asked::Command { .. } if self.request.allow_commands => Consultant::Validator,
            Asked::Command { .. } => {
                Consultant::NotRun("a profile's programs run with `--allow-commands` only".to_owned())
            }
            Asked::Service { .. } => {
                Consultant::NotRun("`validate` asks no services; `loopctl run` does".to_owned())
            }
        };
        let judge = |_: &JudgePlan| Consultant::NotRun("no judge is asked without a provider".to_owned());
        self.plan.validators.iter().map(validator).chain(self.plan.judges.iter().map(judge)).collect()
    }

    fn read_prices(&self, output: &mut Streams) -> Result<Prices, Failure> {
        let mut problems = Problems::new();
        let prices = context().prices(self.request.prices.as_deref(), &mut problems);
        output.show(&problems);
        if problems.has_errors() {
            return Err(Failure::usage("the prices can't be used"));
        }
        Ok(prices)
    }
}

/// Refuses a report that can't be written, before anything is paid for.
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

fn exit_of(end: &BatchEnd) -> ExitStatus {
    if end.cancelled {
        ExitStatus::Interrupted
    } else if end.unusable + end.provider_errors + end.set_aside + end.broken > 0
        || end.not_tried + end.given_up > 0
    {
        ExitStatus::Broken
    } else if end.finished == 0 {
        // Nothing was found, which is not what was meant.
        ExitStatus::Broken
    } else if end.passed == end.finished {
        ExitStatus::Success
    } else {
        ExitStatus::NotPassed
    }
}

fn read_json(path: &Path) -> Result<Value, Failure> {
    let file = read_text_file(path).map_err(|problem| {
        let failure = Failure::broken(problem.message);
        match problem.help {
            Some(help) => failure.help(help),
            None => failure,
        }
    })?;
    let value = serde_json::from_str(file.without_mark()).map_err(|error| {
        Failure::broken(format!(
            "`{}` is not JSON (line {}, column {})",
            path.shown(),
            error.line(),
            error.column()
        ))
        .help("an extraction is one JSON object")
    })?;
    if is_deeper(&value, MAX_CANDIDATE_DEPTH) {
        return Err(Failure::broken(format!(
            "`{}` is nested more than {MAX_CANDIDATE_DEPTH} deep",
            path.shown()
        ))
        .help("an extraction is one JSON object"));
    }
    if is_result(&value) {
        return Err(Failure::broken(format!("`{}` is the result of a run, no extraction", path.shown()))
            .help("name the `…-extraction.json` beside it, or write out its `best_extraction`"));
    }
    Ok(value)
}
