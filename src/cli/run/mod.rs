//! `loopctl run`: the loop over documents.

mod batches;
mod display;
mod input_stream;
mod invocation;
mod selection;

use self::batches::BatchArguments;
pub(super) use self::batches::Via;
pub(super) use self::invocation::{ConsultedParties, RunInvocation};
use self::selection::ResumeOverrides;
pub(super) use self::selection::RunSelection;
use super::certificate_files::Certified;
use super::headings::{ARGUMENTS, CALLS, DOCUMENTS, OUTPUT, PROFILE};
use super::journal_place::JournalPlace;
use super::loading::{CallArguments, ProfileArguments, context, library};
use super::logging::LogArguments;
use super::permission::{Permission, PermissionArguments, say_where_documents_go};
use super::reach::{RecordedPath, ResumeReach};
use super::result_format::RecordFormat;
use super::shadows::changed_by;
use super::tape::RecorderArguments;
use super::watch::ProfileWatch;
use crate::experiment::calibrate::Basis;
use crate::failure::{ExitStatus, Failure};
use crate::profile::{FileTracker, Loaded};
use crate::profiles::texts_digest_of;
use crate::requests::ResultFormat;
use crate::requests::{RecordedPath as StoredPath, RunRequest};
use crate::store::RunId;
use crate::streams::Streams;
use crate::value::{Millis, sanitize_line};
use clap::Args;
use std::path::{Path, PathBuf};

/// The most documents at the same time, as `--jobs` allows it.
const MOST_JOBS: u32 = 10_000;
/// The default time that calls in flight have when a run is stopped.
const DRAIN: Millis = Millis(20_000);

#[derive(Args)]
pub(super) struct Arguments {
    #[command(flatten, next_help_heading = PROFILE)]
    profile: ProfileArguments,
    /// Type of all documents, instead of classifying each
    #[arg(long = "type", value_name = "TYPE", help_heading = DOCUMENTS)]
    document_type: Option<String>,
    /// Read the documents to run from this file, `-` for standard input: a path or a record on each line (repeatable)
    ///
    /// A record is a JSON object: `{"id": …, "text": …}` or `{"id": …, "path": …}`, with `document_type` and
    /// `variables` if they are known.
    #[arg(long, value_name = "FILE", help_heading = DOCUMENTS)]
    from: Vec<PathBuf>,
    /// Start from this extraction instead of asking the provider for one (one document only)
    #[arg(long, value_name = "FILE", help_heading = DOCUMENTS)]
    extraction: Option<PathBuf>,
    /// Resume the latest run of this profile in the same journal: finished documents are left out, the rest continue
    /// where they were, and new ones join
    ///
    /// A document is the same if its path and its bytes are. Those whose provider or judge failed, or that were
    /// stopped, are tried again. Those that an earlier version of the profile finished are finished, too; those in
    /// flight then begin anew.
    #[arg(long, help_heading = DOCUMENTS)]
    resume: bool,
    /// Number of documents at the same time [default: what the profile allows the providers, else 8; 1 if one is not
    /// asked over the network]
    #[arg(long, short, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=10_000), help_heading = DOCUMENTS)]
    jobs: Option<u32>,
    /// Try every document, even where the provider is plainly unavailable
    ///
    /// A run ends early when the provider's key is missing or refused, when its account has nothing left, and after 10
    /// documents in a row whose provider failed.
    #[arg(long, help_heading = DOCUMENTS)]
    keep_going: bool,
    /// Keep running when all is done, and score again whenever the profile, or a file that it reaches, is saved
    ///
    /// The last candidate of each document is scored again without asking a model or a judge, and the changes are
    /// shown: scores, issues, where the policy would stop. Nothing is written. Ctrl-C ends with the status of the run.
    #[arg(long, help_heading = DOCUMENTS)]
    watch: bool,
    #[command(flatten, next_help_heading = CALLS)]
    tape: RecorderArguments,
    #[command(flatten, next_help_heading = CALLS)]
    calls: CallArguments,
    #[command(flatten, next_help_heading = CALLS)]
    batches: BatchArguments,
    /// Report what this certificate of `loopctl calibrate` promises of the results, or why it is void [default: the one
    /// that the profile names]
    #[arg(long, value_name = "FILE", help_heading = OUTPUT)]
    certificate: Option<PathBuf>,
    #[command(flatten, next_help_heading = OUTPUT)]
    format: RecordFormat,
    /// Write extractions, validations and results to this folder
    #[arg(long, value_name = "DIR", help_heading = OUTPUT)]
    out: Option<PathBuf>,
    /// Journal file [default: in --out, else in the state folder]
    #[arg(long, value_name = "FILE", help_heading = OUTPUT)]
    journal: Option<PathBuf>,
    /// Time to wait for the calls in flight when the run is stopped
    #[arg(long, value_name = "TIME", default_value = "20s", value_parser = duration, help_heading = CALLS)]
    drain: Millis,
    /// Write a summary of the documents to this file, as a self-contained HTML page
    #[arg(long, value_name = "FILE.html", help_heading = OUTPUT)]
    report: Option<PathBuf>,
    /// No progress on standard error
    #[arg(long, short, help_heading = OUTPUT)]
    quiet: bool,
    #[command(flatten, next_help_heading = OUTPUT)]
    log: LogArguments,
    /// Documents: files, folders, patterns in quotes such as 'reports/**/*.txt', files of records (.jsonl), `-` for
    /// standard input
    #[arg(required_unless_present = "from", value_name = "INPUT", help_heading = ARGUMENTS)]
    inputs: Vec<PathBuf>,
    /// The values of a command in the record of a run.
    #[arg(skip)]
    recorded: RecordedArguments,
}

pub(super) fn execute(arguments: &Arguments, output: &mut Streams) -> Result<ExitStatus, Failure> {
    let selection = if arguments.resume { RunSelection::Latest } else { RunSelection::Fresh };
    carry_out(arguments, selection, output)
}

/// Like [`execute`], for the run that `selection` means.
pub(super) fn carry_out(
    arguments: &Arguments,
    selection: RunSelection,
    output: &mut Streams,
) -> Result<ExitStatus, Failure> {
    let format = arguments.format.chosen(output)?;
    if arguments.watch && format == ResultFormat::Json {
        return Err(Failure::usage("`--format json` is one value, and `--watch` goes on answering")
            .help("write `--format jsonl`"));
    }
    let notes = FileTracker::default();
    let plan = arguments.profile.plan_from(&library().noted_in(&notes), &[], output)?;
    let reached = notes.take();
    let changed = changed_by(&arguments.profile.profile, &reached);
    if !changed.is_empty() {
        let (word, files) = (output.err_paint.warn("note:"), sanitize_line(&changed.join(", ")));
        let name = sanitize_line(&arguments.profile.profile);
        output
            .say(&format!("{word} the profile `{name}` ships with loopctl, and is changed here by {files}"));
    }
    if arguments.batches.used() {
        arguments.batches.check(plan.profile.network.batch, &arguments.refuses_batches())?;
    }
    let named = Path::new(&arguments.profile.profile);
    let files_digest = reached.digest(named);
    let loaded = arguments.profile.loaded_from(&library(), &[]);
    let mut within = None;
    if let Some(loaded) = &loaded {
        if let RunSelection::This(run) = &selection {
            within = arguments.check_permission(run, loaded, output)?;
        }
        say_where_documents_go(loaded, output);
    }
    let texts_digest = loaded.map(|loaded| texts_digest_of(&loaded, &reached, named)).unwrap_or_default();
    let certified = Certified {
        basis: Basis::of(&plan.profile, &reached, named),
        named: arguments.certificate.clone(),
        of_profile: plan.profile.certify.as_ref().and_then(|certify| certify.certificate.clone()),
    };
    // Saves made while documents are run are not lost.
    let watching = arguments.watch.then(|| ProfileWatch::start(&arguments.profile, reached)).transpose()?;
    let journal = match (&arguments.journal, &arguments.out) {
        (Some(file), _) => JournalPlace::Asked(file.clone()),
        (None, Some(out)) => JournalPlace::Asked(out.join("journal.sqlite")),
        (None, None) => context()
            .state_folder()
            .map_or(JournalPlace::Memory, |folder| JournalPlace::Usual(folder.join("journal.sqlite"))),
    };
    RunInvocation {
        plan,
        files_digest,
        texts_digest,
        certified: Some(certified),
        document_type: arguments.document_type.clone(),
        out: arguments.out.clone(),
        extraction: arguments.extraction.clone(),
        journal,
        selection,
        request: Some(arguments.request()),
        prices: arguments.calls.prices.clone(),
        log: arguments.log.clone(),
        format,
        quiet: arguments.quiet,
        report: arguments.report.clone(),
        inputs: arguments.inputs.clone(),
        from: arguments.from.clone(),
        consulted: ConsultedParties::Everybody,
        allow_commands: arguments.calls.allow_commands,
        tape: arguments.tape.clone(),
        jobs: arguments.jobs,
        drain: arguments.drain,
        keep_going: arguments.keep_going,
        batches: arguments.batches.settings(),
        watching,
        within,
        overrides: arguments.overrides(),
    }
    .run(output)
}

impl Arguments {
    /// The parts of the command that don't go with batches.
    fn refuses_batches(&self) -> Vec<&'static str> {
        let is_stdin = |path: &PathBuf| path.as_os_str() == "-";
        let mut refuses = self.tape.named();
        refuses.extend(self.watch.then_some("`--watch`"));
        // It is read once, and the document resumes when its answers are there.
        refuses.extend(self.inputs.iter().any(is_stdin).then_some("a document from standard input"));
        refuses
    }

    /// The settings that resuming a run lays over those of its record.
    fn overrides(&self) -> Option<ResumeOverrides> {
        let flags = self.profile.again.as_ref()?.written();
        let without = ProfileArguments { again: None, ..self.profile.clone() };
        let loaded = (!flags.is_empty()).then(|| without.loaded_from(&library(), &[]))?;
        Some(ResumeOverrides { flags, digest_without: loaded.map(|loaded| loaded.profile.digest) })
    }

    /// The arguments of a request.
    pub(super) fn of_request(request: RunRequest) -> Self {
        let path = |path: Option<StoredPath>| path.map(|path| path.0);
        let paths = |paths: Vec<StoredPath>| paths.into_iter().map(|path| path.0).collect();
        Arguments {
            profile: ProfileArguments::of_spec(request.profile),
            document_type: request.document_type,
            from: paths(request.from),
            extraction: path(request.extraction),
            resume: false,
            jobs: request.jobs.map(|jobs| jobs.clamp(1, MOST_JOBS)),
            keep_going: request.keep_going,
            watch: false,
            tape: RecorderArguments::of_request(request.recording),
            calls: CallArguments { allow_commands: request.allow_commands, prices: path(request.prices) },
            batches: BatchArguments::of_request(request.batches),
            certificate: path(request.certificate),
            format: RecordFormat { format: request.format },
            out: path(request.out),
            journal: path(request.journal),
            drain: request.drain.unwrap_or(DRAIN),
            report: None,
            quiet: request.quiet,
            log: LogArguments::default(),
            inputs: paths(request.inputs),
            recorded: RecordedArguments {
                ignored_flags: request.of_first_process,
                ..RecordedArguments::default()
            },
        }
    }

    /// The request that they make, as a run's record keeps it.
    fn request(&self) -> RunRequest {
        let path = |path: &Option<PathBuf>| path.as_deref().map(StoredPath::from);
        let paths = |paths: &[PathBuf]| paths.iter().map(|path| path.as_path().into()).collect();
        let report = self.report.as_ref().map(|_| "--report");
        RunRequest {
            folder: std::env::current_dir().ok().as_deref().map(StoredPath::from),
            document_type: self.document_type.clone(),
            inputs: paths(&self.inputs),
            from: paths(&self.from),
            extraction: path(&self.extraction),
            jobs: self.jobs,
            keep_going: self.keep_going,
            recording: self.tape.request(),
            allow_commands: self.calls.allow_commands,
            prices: path(&self.calls.prices),
            batches: Some(self.batches.request()),
            certificate: path(&self.certificate),
            format: self.format.format,
            out: path(&self.out),
            journal: path(&self.journal),
            drain: Some(self.drain),
            quiet: self.quiet,
            of_first_process: self.log.named().into_iter().chain(report).map(str::to_owned).collect(),
            ..RunRequest::of(self.profile.spec())
        }
    }

    /// Marks these arguments as those of a run's record: what they permit is not permitted now.
    pub(super) fn of_record(mut self) -> Self {
        self.profile.is_recorded = true;
        self.recorded.allowed_commands = std::mem::take(&mut self.calls.allow_commands);
        self
    }

    /// Applies the arguments given when the run is resumed.
    pub(super) fn resume_with(&mut self, options: ResumeOptions<'_>) {
        self.batches.resume_with(options.via);
        self.journal = Some(options.journal);
        self.jobs = options.jobs.or(self.jobs);
        self.keep_going |= options.keep_going;
        self.quiet |= options.quiet;
        self.profile.again = Some(Box::new(options.again.arguments(&self.profile.profile)));
        self.recorded.permissions = options.permissions;
        self.calls.allow_commands = options.calls.allow_commands;
        self.recorded.prices = self.calls.prices.take().filter(|_| options.calls.prices.is_none());
        self.calls.prices = options.calls.prices;
        let again = options.log.named();
        self.recorded
            .ignored_flags
            .retain(|flag| !again.contains(&&**flag) && (flag != "--report" || options.report.is_none()));
        if let Some(folder) = options.record {
            self.tape.record_in(folder);
            self.recorded.records_anew = true;
        }
        self.log = options.log;
        self.report = options.report;
    }

    /// The files and folders that a recorded command names. Its inputs are read again only if they have not all been
    /// listed.
    pub(super) fn recorded_paths(&self, is_listed: bool) -> Vec<RecordedPath<'_>> {
        let mut paths = Vec::new();
        if let Some(out) = &self.out {
            paths.push(RecordedPath::written("--out", out));
        }
        let tape = self.tape.folders().into_iter().filter(|_| !self.recorded.records_anew);
        paths.extend(tape.map(|(flag, folder)| match flag {
            "--replay" => RecordedPath::read(flag, folder),
            _ => RecordedPath::written(flag, folder),
        }));
        let extraction = self.extraction.iter().map(|file| RecordedPath::read("--extraction", file));
        let certificate = self.certificate.iter().map(|file| RecordedPath::read("--certificate", file));
        paths.extend(extraction.chain(certificate));
        if !is_listed {
            let is_file = |path: &&PathBuf| path.as_os_str() != "-";
            paths.extend(self.from.iter().filter(is_file).map(|file| RecordedPath::read("--from", file)));
            paths.extend(
                self.inputs.iter().filter(is_file).map(|input| RecordedPath::read("an input", input)),
            );
        }
        paths
    }

    /// Refuses what the user who resumes a run does not permit; reports what the run's command had that is not done
    /// again. Returns the folders in which its documents must lie.
    fn check_permission(
        &self,
        run: &RunId,
        loaded: &Loaded,
        output: &mut Streams,
    ) -> Result<Option<Vec<PathBuf>>, Failure> {
        let recorded = &self.recorded;
        let reach = ResumeReach::of(self.journal.as_deref(), run, recorded.permissions.paths());
        let permission = Permission {
            given: &recorded.permissions,
            allows_commands: self.calls.allow_commands,
            allowed_commands: recorded.allowed_commands,
            prices: recorded.prices.as_deref(),
            places: reach.lacking(run, self)?,
        };
        permission.check(run.as_str(), loaded, &context().providers(), output)?;
        if !recorded.ignored_flags.is_empty() && !self.quiet {
            let (word, flags) = (output.err_paint.warn("note:"), recorded.ignored_flags.join("`, `"));
            output.say(&format!(
                "{word} the run's command had `{flags}`; give it again if it is wanted now, too"
            ));
        }
        Ok(reach.into_folders())
    }
}

/// The values of a run's record that are given anew when it is resumed.
#[derive(Debug, Clone, Default)]
struct RecordedArguments {
    /// Programs were allowed.
    allowed_commands: bool,
    /// Its table of prices, if none is named now.
    prices: Option<PathBuf>,
    /// The folder that calls are recorded in is named now.
    records_anew: bool,
    /// Flags of it that are not followed.
    ignored_flags: Vec<String>,
    permissions: PermissionArguments,
}

/// The arguments given when a run is resumed.
pub(super) struct ResumeOptions<'a> {
    pub(super) journal: PathBuf,
    pub(super) jobs: Option<u32>,
    pub(super) keep_going: bool,
    pub(super) quiet: bool,
    pub(super) via: Option<Via>,
    pub(super) again: &'a ResumeSettings,
    pub(super) calls: CallArguments,
    pub(super) permissions: PermissionArguments,
    pub(super) report: Option<PathBuf>,
    pub(super) record: Option<PathBuf>,
    pub(super) log: LogArguments,
}

/// Settings that are laid over those of a run's record: they name again what it named outside of the profile.
#[derive(Args)]
pub(super) struct ResumeSettings {
    /// Set a key of the profile as the run's command did, or another `budget` (repeatable)
    #[arg(long = "config", value_name = "KEY=VALUE")]
    settings: Vec<String>,
    /// Budget of the run from here on, earlier calls included: `cost_usd=20`, `tokens=1000000` or `calls=500`
    /// (repeatable)
    #[arg(long = "budget", value_name = "KEY=NUMBER")]
    budgets: Vec<String>,
    /// The provider plugin for every stage, as the run's command names it
    #[arg(long)]
    provider: Option<String>,
    /// The provider plugin for every judge, as the run's command names it
    #[arg(long)]
    judge: Option<String>,
    /// A setting of the provider plugin, as the run's command has it (repeatable)
    #[arg(long, value_name = "KEY=VALUE")]
    provider_config: Vec<String>,
}

impl ResumeSettings {
    fn arguments(&self, profile: &str) -> ProfileArguments {
        let budgets = self.budgets.iter().map(|budget| format!("budget.{budget}"));
        let mut arguments = ProfileArguments::of(profile, &self.settings);
        arguments.settings.extend(budgets);
        arguments.provider.clone_from(&self.provider);
        arguments.judge.clone_from(&self.judge);
        arguments.provider_config.clone_from(&self.provider_config);
        arguments
    }
}

/// A time such as `20s`, as profiles write it.
pub(super) fn duration(text: &str) -> Result<Millis, String> {
    Millis::parse(text).ok_or_else(|| "expected a time such as `20s`, `500ms` or `2m`".to_owned())
}
