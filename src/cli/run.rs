//! `loopctl run`: the loop over documents.

use super::exit::{Exit, Failure};
use super::given_up::gave_up;
use super::headings::{ARGUMENTS, CALLS, DOCUMENTS, OUTPUT, PROFILE};
use super::hint::Hint;
use super::interrupts;
use super::journal_place::JournalPlace;
use super::latest_run;
use super::loading::{CallArguments, ProfileArguments, known_type, library, prices, providers, state_folder};
use super::logging::LogArguments;
use super::misplaced::refuse_profiles;
use super::output::{Format, Output, RecordFormat, complain};
use super::shadows::changed_by;
use super::tape::{self, RecorderArguments};
use super::watch::{Keeper, Watching};
use crate::diag::Problems;
use crate::engine::Event;
use crate::ingest::{Document, Input, InputError, MEDIA_ENDINGS, find_also};
use crate::plan::{JudgePlan, Plan, Terms, ValidatorPlan, without_references};
use crate::profile::{Asked, FileTracker, read_text_file};
use crate::provider::{Prices, Recorder};
use crate::report::{Live, closing, document_summary, missed};
use crate::result::{DocumentResult, is_result};
use crate::run::{
    Batch, BatchEnd, Candidates, Consultant, Earlier, Observer, RunStore, Session, asked_of, is_unrecognised,
    open_panel, open_stages, plan_ids, plugins_of, unpriced,
};
use crate::store::{Artifacts, RunRecord};
use crate::value::sanitize_line;
use crate::value::{DocumentId, MAX_CANDIDATE_DEPTH, Millis, is_deeper};
use clap::Args;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tokio::sync::watch;

#[derive(Args)]
pub(super) struct Arguments {
    #[command(flatten, next_help_heading = PROFILE)]
    profile: ProfileArguments,
    /// Type of all documents, instead of classifying each
    #[arg(long = "type", value_name = "TYPE", help_heading = DOCUMENTS)]
    document_type: Option<String>,
    /// Start from this extraction instead of asking the provider for one (one document only)
    #[arg(long, value_name = "FILE", help_heading = DOCUMENTS)]
    extraction: Option<PathBuf>,
    /// Leave out the documents that this profile has finished in --out, and run the rest
    ///
    /// Those whose provider or judge failed, or that were stopped, are run again. Whether a document or the profile has changed since is not
    /// looked at.
    #[arg(long, requires = "out", help_heading = DOCUMENTS)]
    resume: bool,
    /// Try every document, even where the provider is plainly unavailable
    ///
    /// A run ends early when the provider's key is missing or refused, when its account has nothing left, and after 10 documents in a
    /// row whose provider failed.
    #[arg(long, help_heading = DOCUMENTS)]
    keep_going: bool,
    /// Stay when all is done, and score again whenever the profile, or a file that it reaches, is saved
    ///
    /// The last candidate of each document is scored again without asking a model or a judge, and what changes is shown: scores, issues,
    /// where the policy would stop. Nothing is written. Ctrl-C ends with the status of the run.
    #[arg(long, help_heading = DOCUMENTS)]
    watch: bool,
    #[command(flatten, next_help_heading = CALLS)]
    tape: RecorderArguments,
    #[command(flatten, next_help_heading = CALLS)]
    calls: CallArguments,
    #[command(flatten, next_help_heading = OUTPUT)]
    format: RecordFormat,
    /// Write extractions, validations and results to this folder
    #[arg(long, value_name = "DIR", help_heading = OUTPUT)]
    out: Option<PathBuf>,
    /// Journal file [default: in --out, else in the state folder]
    #[arg(long, value_name = "FILE", help_heading = OUTPUT)]
    journal: Option<PathBuf>,
    /// No progress on standard error
    #[arg(long, short, help_heading = OUTPUT)]
    quiet: bool,
    #[command(flatten, next_help_heading = OUTPUT)]
    log: LogArguments,
    /// Documents: files, folders, `-` for standard input
    #[arg(required = true, value_name = "INPUT", help_heading = ARGUMENTS)]
    inputs: Vec<PathBuf>,
}

pub(super) fn execute(arguments: &Arguments, output: &mut Output) -> Result<Exit, Failure> {
    let format = arguments.format.chosen(output)?;
    if arguments.watch && format == Format::Json {
        return Err(Failure::usage("`--format json` is one value, and `--watch` goes on answering")
            .help("write `--format jsonl`"));
    }
    let notes = FileTracker::default();
    let plan = arguments.profile.plan_from(&library().noted_in(&notes), &[], output)?;
    let reached = notes.take();
    let changed = changed_by(&arguments.profile.profile, &reached);
    if !changed.is_empty() && !arguments.quiet {
        let (word, files) = (output.err_paint.warn("note:"), sanitize_line(&changed.join(", ")));
        let name = sanitize_line(&arguments.profile.profile);
        output
            .say(&format!("{word} the profile `{name}` ships with loopctl, and is changed here by {files}"));
    }
    // What is saved while documents are run is not lost.
    let watching = arguments.watch.then(|| Watching::start(&arguments.profile, reached)).transpose()?;
    let journal = match (&arguments.journal, &arguments.out) {
        (Some(file), _) => JournalPlace::Asked(file.clone()),
        (None, Some(out)) => JournalPlace::Asked(out.join("journal.sqlite")),
        (None, None) => state_folder()
            .map_or(JournalPlace::Memory, |folder| JournalPlace::Usual(folder.join("journal.sqlite"))),
    };
    Work {
        plan,
        document_type: arguments.document_type.clone(),
        out: arguments.out.clone(),
        extraction: arguments.extraction.clone(),
        journal,
        prices: arguments.calls.prices.clone(),
        log: arguments.log.clone(),
        format,
        quiet: arguments.quiet,
        inputs: arguments.inputs.clone(),
        asks: Asks::Everybody,
        allow_commands: arguments.calls.allow_commands,
        tape: arguments.tape.clone(),
        resume: arguments.resume,
        keep_going: arguments.keep_going,
        watching,
    }
    .run(output)
}

/// Who is asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Asks {
    /// Stages, validators and judges.
    Everybody,
    /// Nobody off this machine: the candidate is supplied, judges are done without, and of the validators only programs run.
    Nobody,
}

/// A loop over documents, as `run`, `validate` and `correct` ask for it.
pub(super) struct Work {
    pub(super) plan: Plan,
    pub(super) document_type: Option<String>,
    pub(super) out: Option<PathBuf>,
    pub(super) extraction: Option<PathBuf>,
    pub(super) journal: JournalPlace,
    /// A table that comes before the usual ones.
    pub(super) prices: Option<PathBuf>,
    pub(super) log: LogArguments,
    pub(super) format: Format,
    pub(super) quiet: bool,
    pub(super) inputs: Vec<PathBuf>,
    pub(super) asks: Asks,
    pub(super) allow_commands: bool,
    pub(super) tape: RecorderArguments,
    /// Whether documents are left out that are finished in `out`.
    pub(super) resume: bool,
    /// Whether every document is tried, however often the provider fails.
    pub(super) keep_going: bool,
    /// What stays to be watched when all documents are done.
    pub(super) watching: Option<Watching>,
}

impl Work {
    pub(super) fn run(self, output: &mut Output) -> Result<Exit, Failure> {
        let document_type = self.document_type.as_deref().map(|t| known_type(&self.plan, t)).transpose()?;
        if let (Asks::Everybody, Some(name)) = (self.asks, self.plan.unset_variables.first()) {
            return Err(Failure::usage(format!(
                "the prompt of the profile `{}` needs the variable `{name}`",
                self.plan.profile.name
            ))
            .help(format!("give it with `--var {name}=TEXT`")));
        }
        refuse_out_among_inputs(self.out.as_deref(), &self.inputs)?;
        refuse_cassettes_among_inputs(&self.inputs)?;
        refuse_profiles(&self.inputs)?;
        let endings: &[&str] = if self.plan.attaches() { &MEDIA_ENDINGS } else { &[] };
        let mut found = find_also(&self.inputs, endings);
        found.inputs = without_references(&self.plan, found.inputs);
        for error in &found.errors {
            complain(output, &Failure::broken(error.to_string()).help(error.help()));
        }
        let unusable = found.errors.len();
        if found.inputs.is_empty() {
            return Ok(Exit::Broken);
        }
        let supplied = match &self.extraction {
            Some(_) if found.inputs.len() != 1 => {
                return Err(Failure::usage(format!(
                    "`--extraction` goes with one document, found {}",
                    found.inputs.len()
                )));
            }
            Some(path) => Some(Arc::new(read_json(path)?)),
            None => None,
        };
        let artifacts = self.out.as_ref().map(Artifacts::new).transpose()?;
        let several = found.inputs.len() > 1;
        let mut earlier = Earlier::default();
        if let (true, Some(artifacts)) = (self.resume, &artifacts) {
            earlier = Earlier::leave_out(artifacts, &self.plan.profile.name, &mut found.inputs);
            if let Some(line) = earlier.line(artifacts).filter(|_| !self.quiet) {
                output.say(&line);
            }
        }
        let tape = self.tape.open()?;
        let prices = self.read_prices(output)?;
        let providers = providers()
            .with_programs_allowed(self.allow_commands)
            .with_prices(prices)
            .with_network(self.plan.profile.network.clone());
        let providers = tape.iter().fold(providers, |providers, tape| providers.with_tape(tape.clone()));
        // What plugins say when they are opened is logged, too.
        let telemetry = self.log.start()?;
        let (candidates, consultants) = match self.asks {
            Asks::Everybody => (
                open_stages(&providers, &self.plan)?,
                open_panel(&providers, &self.plan, self.allow_commands)?,
            ),
            Asks::Nobody => (Candidates::Supplied, self.consultants_here()),
        };
        for warning in unpriced(&self.plan, &candidates, &consultants) {
            let word = output.err_paint.warn("warning:");
            output.say(&format!("{word} {}", sanitize_line(&warning)));
        }
        let journal = self.journal.open(output)?;
        let hint = Hint::of(&self.journal, &journal, artifacts.clone());
        let run = journal.begin_run(&RunRecord {
            started_at: jiff::Timestamp::now().to_string(),
            profile: self.plan.profile.name.clone(),
            profile_digest: self.plan.profile.digest.clone(),
            loopctl_version: env!("CARGO_PKG_VERSION").to_owned(),
            plugins: plugins_of(&candidates, &consultants),
            settings: json!({
                "out": self.out,
                "tape": tape::settings_of(tape.as_ref()),
                "terms": Terms::of(&self.plan),
                "providers": asked_of(&plan_ids(&self.plan), &candidates, &consultants),
            }),
        })?;
        if !matches!(self.journal, JournalPlace::Memory) {
            latest_run::remember(journal.path(), &run);
        }
        let place = RunStore { journal: Arc::new(journal), run, artifacts };

        // Assessing a long document takes its time on this thread; interrupts are heard on the other.
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .enable_all()
            .build()
            .map_err(|error| Failure::broken(format!("can't start: {error}")))?;
        let plan = Arc::new(self.plan);
        let batch = Batch { inputs: found.inputs, document_type, supplied, keep_going: self.keep_going };
        let live = (!self.quiet).then(|| Live::new(Arc::clone(&plan.policy), output.err_paint));
        let is_verdict = self.asks == Asks::Nobody;
        let live = live.map(|live| if is_verdict { live.of_one_candidate() } else { live });
        let (stop, cancelled) = watch::channel(false);
        let stopped = cancelled.clone();
        let unread = self.out.is_none().then(|| stop.clone());
        let keeper =
            self.watching.as_ref().map(|_| Keeper::new(Arc::clone(&plan), batch.document_type.clone()));
        let format = self.format;
        let mut screen = Screen {
            output,
            plan: Arc::clone(&plan),
            live,
            format,
            several,
            written: 0,
            failure: None,
            stop: unread,
            hint,
            gave_up: None,
            keeper,
            missed: is_verdict.then(Vec::new),
        };
        // Heard as long as the process lasts.
        runtime.spawn(interrupts::listen(stop));
        let mut end = runtime.block_on(async {
            let session = Session::new(plan, candidates, consultants, place, cancelled)
                .with_time(tape::time_of(tape.as_ref()));
            let end = batch.run(&session, &mut screen).await;
            session.close(&jiff::Timestamp::now().to_string()).await?;
            end
        });
        if let Ok(end) = &mut end {
            earlier.add_to(end);
        }
        let keeper = screen.keeper.take();
        let closed = screen.close(end.as_ref().ok());
        let followed = || {
            closed?;
            let mut end = end?;
            end.unusable += unusable;
            let exit = tape::report(tape.as_ref(), exit_of(&end), output);
            if let (Some(watching), Some(keeper), false) = (self.watching, keeper, end.cancelled) {
                let written = (format, self.quiet);
                runtime.block_on(watching.follow(keeper.kept(), stopped, written, output))?;
            }
            Ok(exit)
        };
        let exit = followed();
        // While a second interrupt still ends the process.
        drop(telemetry);
        // A call that hangs in a plugin must not keep the process.
        runtime.shutdown_background();
        exit
    }
}

impl Work {
    /// The panel without anybody off this machine.
    fn consultants_here(&self) -> Vec<Consultant> {
        let validator = |planned: &ValidatorPlan| match &planned.validator.asked {
            Asked::Command { .. } if self.allow_commands => Consultant::Validator,
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

    fn read_prices(&self, output: &mut Output) -> Result<Prices, Failure> {
        let mut problems = Problems::new();
        let prices = prices(self.prices.as_deref(), &mut problems);
        output.show(&problems);
        if problems.has_errors() {
            return Err(Failure::usage("the prices can't be used"));
        }
        Ok(prices)
    }
}

/// A run that took its own results for documents would never say anything useful.
fn refuse_out_among_inputs(out: Option<&Path>, inputs: &[PathBuf]) -> Result<(), Failure> {
    let Some(out) = out.and_then(|out| out.canonicalize().ok()) else { return Ok(()) };
    match inputs.iter().find(|input| input.is_dir() && input.canonicalize().is_ok_and(|input| input == out)) {
        Some(input) => Err(Failure::usage(format!(
            "`{}` is the folder of the documents and of `--out`",
            input.display()
        ))
        .help("write the results to another folder")),
        None => Ok(()),
    }
}

/// Recorded answers are no documents. Of `--cache DIR` the folder is treated as one of documents.
fn refuse_cassettes_among_inputs(inputs: &[PathBuf]) -> Result<(), Failure> {
    match inputs.iter().find(|input| Recorder::stands_in(input)) {
        Some(input) => {
            let folder = input.display();
            Err(Failure::usage(format!("`{folder}` holds recorded answers, not documents"))
                .help(format!("for a cache write `--cache-dir {folder}`; else leave the folder out")))
        }
        None => Ok(()),
    }
}

fn exit_of(end: &BatchEnd) -> Exit {
    if end.cancelled {
        Exit::Interrupted
    } else if end.unusable > 0 || end.provider_errors > 0 || end.not_tried > 0 {
        Exit::Broken
    } else if end.passed == end.finished {
        Exit::Success
    } else {
        Exit::NotPassed
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
            path.display(),
            error.line(),
            error.column()
        ))
        .help("an extraction is one JSON object")
    })?;
    if is_deeper(&value, MAX_CANDIDATE_DEPTH) {
        return Err(Failure::broken(format!(
            "`{}` is nested more than {MAX_CANDIDATE_DEPTH} deep",
            path.display()
        ))
        .help("an extraction is one JSON object"));
    }
    if is_result(&value) {
        return Err(Failure::broken(format!("`{}` is the result of a run, no extraction", path.display()))
            .help("name the `…-extraction.json` beside it, or write out its `best_extraction`"));
    }
    Ok(value)
}

/// Shows what happens and writes results as they come.
struct Screen<'a> {
    output: &'a mut Output,
    plan: Arc<Plan>,
    live: Option<Live>,
    format: Format,
    several: bool,
    written: usize,
    failure: Option<std::io::Error>,
    /// Ends the run when nobody reads the results and they are kept nowhere else.
    stop: Option<watch::Sender<bool>>,
    hint: Hint,
    /// Why not every document was tried.
    gave_up: Option<Failure>,
    /// What is kept of each document, to be scored again.
    keeper: Option<Keeper>,
    /// The lines of `accept` that the only candidate does not keep, where there is room for one.
    missed: Option<Vec<String>>,
}

impl Screen<'_> {
    fn write(&mut self, text: &str) {
        if self.failure.is_none() {
            self.failure = self.output.out.write_all(text.as_bytes()).err();
            if let (Some(_), Some(stop)) = (&self.failure, &self.stop) {
                let _ = stop.send(true);
            }
        }
    }

    fn close(mut self, end: Option<&BatchEnd>) -> Result<(), Failure> {
        if self.format == Format::Json && self.several {
            self.write(if self.written == 0 { "[]\n" } else { "\n]\n" });
        }
        if let Some(end) = end
            && self.several
            && self.format == Format::Text
        {
            self.write(&closing(end));
        }
        self.output.out.flush()?;
        if let Some(failure) = &self.gave_up {
            complain(self.output, failure);
        }
        if let Some(line) = self.hint.line(self.several).filter(|_| self.live.is_some()) {
            self.output.say(&self.output.err_paint.faint(&line));
        }
        self.failure.map_or(Ok(()), |error| Err(error.into()))
    }
}

impl Observer for Screen<'_> {
    fn read(&mut self, document: &Document) {
        if let Some(keeper) = &mut self.keeper {
            keeper.read(document);
        }
    }

    fn started(&mut self, id: &DocumentId, document_type: &str) {
        if let Some(keeper) = &mut self.keeper {
            keeper.started(document_type);
        }
        if let Some(line) = self.live.as_mut().map(|live| live.opening(id, document_type)) {
            self.output.say(&line);
        }
    }

    fn event(&mut self, _id: &DocumentId, at: Millis, event: &Event) {
        if let Some(keeper) = &mut self.keeper {
            keeper.event(at, event);
        }
        if let (Some(missing), Event::Decided(decision)) = (&mut self.missed, event) {
            *missing = missed(decision);
        }
        if let Some(line) = self.live.as_mut().and_then(|live| live.line(event)) {
            self.output.say(&line);
        }
    }

    fn finished(&mut self, result: &DocumentResult) {
        let text = match self.format {
            Format::Text => {
                let with_type = self.live.is_none() || is_unrecognised(&self.plan, result);
                document_summary(result, with_type, self.missed.as_deref(), self.output.out_paint)
            }
            Format::Jsonl => serde_json::to_string(result).unwrap_or_default() + "\n",
            Format::Json if self.several => {
                let before = if self.written == 0 { "[\n" } else { ",\n" };
                format!("{before}{}", serde_json::to_string_pretty(result).unwrap_or_default())
            }
            Format::Json => serde_json::to_string_pretty(result).unwrap_or_default() + "\n",
        };
        self.write(&text);
        self.written += 1;
        self.hint.see(result);
        if let Some(keeper) = &mut self.keeper {
            keeper.finished();
        }
    }

    fn unusable(&mut self, error: &InputError) {
        complain(self.output, &Failure::broken(error.to_string()).help(error.help()));
    }

    fn pausing(&mut self, pause: Millis) {
        if self.live.is_some() {
            self.output.say(&format!("the provider failed: the next document is tried in {pause}"));
        }
    }

    fn gave_up(&mut self, why: &str, in_a_row: usize, rest: &[Input]) {
        self.gave_up = Some(gave_up(why, in_a_row, rest, self.hint.has_out()));
    }
}
