//! A requested run, carried out by this process.

use super::super::journal_place::JournalPlace;
use super::super::loading::{context, library};
use super::super::logging::LogArguments;
use super::super::result_format::RecordFormat;
use super::batches;
use super::invocation::{ConsultedParties, RunInvocation};
use crate::calibration::Certified;
use crate::diag::Problems;
use crate::experiment::calibrate::Basis;
use crate::failure::{ExitStatus, Failure};
use crate::profile::{FileTracker, Loaded};
use crate::profiles::{SelectedProfile, changed_by, texts_digest_of};
use crate::requests::{CallsVia, ResultFormat, RunRequest};
use crate::result::DocumentResult;
use crate::resumption::{
    Permission, Permissions, ResumeOverrides, ResumeReach, RunSelection, say_where_documents_go,
};
use crate::store::RunId;
use crate::streams::Streams;
use crate::value::sanitize_line;
use crate::watch::ProfileWatch;
use std::path::{Path, PathBuf};

/// The options of the process that carries out a request: they are no part of the run's record.
pub(in crate::cli) struct RunOptions<'a> {
    /// The profile of the request, with the settings by which this user overrides those of a record.
    pub(in crate::cli) profile: SelectedProfile,
    pub(in crate::cli) selection: RunSelection,
    /// The file for the summary as a page.
    pub(in crate::cli) report: Option<PathBuf>,
    pub(in crate::cli) log: LogArguments,
    /// `true` if documents are scored again when the profile is saved.
    pub(in crate::cli) watch: bool,
    /// The run that is resumed.
    pub(in crate::cli) resumed: Option<ResumedRun>,
    /// Takes the results in place of standard output.
    pub(in crate::cli) results: Option<&'a mut Vec<DocumentResult>>,
}

/// A recorded run that is resumed, with what its record permitted and what this user permits.
pub(in crate::cli) struct ResumedRun {
    pub(in crate::cli) run: RunId,
    /// Programs were allowed.
    pub(in crate::cli) allowed_commands: bool,
    /// Its table of prices, if none is named now.
    pub(in crate::cli) prices: Option<PathBuf>,
    /// The folder that calls are recorded in is named now.
    pub(in crate::cli) records_anew: bool,
    pub(in crate::cli) permissions: Permissions,
}

impl RunOptions<'_> {
    /// The options of a run with nothing besides.
    pub(in crate::cli) fn of(profile: SelectedProfile, selection: RunSelection) -> Self {
        RunOptions {
            profile,
            selection,
            report: None,
            log: LogArguments::default(),
            watch: false,
            resumed: None,
            results: None,
        }
    }

    /// The settings that override those of a run's record when it is resumed.
    fn overrides(&self) -> Option<ResumeOverrides> {
        let flags = self.profile.again.as_ref()?.written();
        let without = SelectedProfile { again: None, ..self.profile.clone() };
        let loaded =
            (!flags.is_empty()).then(|| without.load(context(), &library(), &[], &mut Problems::new()))?;
        Some(ResumeOverrides { flags, digest_without: loaded.map(|loaded| loaded.profile.digest) })
    }
}

/// Carries out a request.
pub(in crate::cli) fn carry_out(
    request: RunRequest,
    options: RunOptions<'_>,
    output: &mut Streams,
) -> Result<ExitStatus, Failure> {
    let format = RecordFormat { format: request.format }.chosen(output)?;
    if options.watch && format == ResultFormat::Json {
        return Err(Failure::usage("`--format json` is one value, and `--watch` goes on answering")
            .help("write `--format jsonl`"));
    }
    let (notes, library) = (FileTracker::default(), library());
    let plan = options.profile.plan(context(), &library.clone().noted_in(&notes), &[], output)?;
    let reached = notes.take();
    let name = options.profile.name();
    let changed = changed_by(name, &reached, context());
    if !changed.is_empty() {
        let (word, files) = (output.err_paint.warn("note:"), sanitize_line(&changed.join(", ")));
        let name = sanitize_line(name);
        output
            .say(&format!("{word} the profile `{name}` ships with loopctl, and is changed here by {files}"));
    }
    if request.batches.as_ref().is_some_and(|batches| batches.via == CallsVia::Batch) {
        batches::check(plan.profile.network.batch, &refuses_batches(&request, options.watch))?;
    }
    let named = Path::new(name);
    let files_digest = reached.digest(named);
    let loaded = options.profile.load(context(), &library, &[], &mut Problems::new());
    let mut within = None;
    if let Some(loaded) = &loaded {
        if let Some(resumed) = &options.resumed {
            within = check_permission(&request, resumed, loaded, output)?;
        }
        say_where_documents_go(loaded, output);
    }
    let texts_digest = loaded.map(|loaded| texts_digest_of(&loaded, &reached, named)).unwrap_or_default();
    let certified = Certified {
        basis: Basis::of(&plan.profile, &reached, named),
        named: request.certificate.as_deref().map(Path::to_path_buf),
        of_profile: plan.profile.certify.as_ref().and_then(|certify| certify.certificate.clone()),
    };
    // Saves made while documents are run are not lost.
    let watching =
        options.watch.then(|| ProfileWatch::start(context(), &options.profile, reached)).transpose()?;
    let journal = match (request.journal.as_deref(), request.out.as_deref()) {
        (Some(file), _) => JournalPlace::Asked(file.to_path_buf()),
        (None, Some(out)) => JournalPlace::Asked(out.join("journal.sqlite")),
        (None, None) => context()
            .state_folder()
            .map_or(JournalPlace::Memory, |folder| JournalPlace::Usual(folder.join("journal.sqlite"))),
    };
    let overrides = options.overrides();
    RunInvocation {
        plan,
        files_digest,
        texts_digest,
        certified: Some(certified),
        journal,
        selection: options.selection,
        request,
        is_resumable: true,
        log: options.log,
        format,
        report: options.report,
        consulted: ConsultedParties::Everybody,
        watching,
        within,
        overrides,
    }
    .run(options.results, output)
}

/// The parts of a request that don't go with batches.
fn refuses_batches(request: &RunRequest, watch: bool) -> Vec<&'static str> {
    let mut refuses = request.recording.named();
    refuses.extend(watch.then_some("`--watch`"));
    // It is read once, and the document resumes when its answers are there.
    let has_stdin = request.inputs.iter().any(|path| path.as_os_str() == "-");
    refuses.extend(has_stdin.then_some("a document from standard input"));
    refuses
}

/// Refuses what the user who resumes a run does not permit; reports what the run's command had that is not done again.
/// Returns the folders in which its documents must lie.
fn check_permission(
    request: &RunRequest,
    resumed: &ResumedRun,
    loaded: &Loaded,
    output: &mut Streams,
) -> Result<Option<Vec<PathBuf>>, Failure> {
    let ResumedRun { run, permissions, .. } = resumed;
    let reach = ResumeReach::of(context(), request.journal.as_deref(), run, &permissions.paths);
    let here = std::env::current_dir().unwrap_or_default();
    let permission = Permission {
        given: permissions,
        allows_commands: request.allow_commands,
        allowed_commands: resumed.allowed_commands,
        prices: resumed.prices.as_deref(),
        places: reach.lacking(run, request, resumed.records_anew, &here)?,
    };
    permission.check(run.as_str(), loaded, &context().providers(), output)?;
    if !request.of_first_process.is_empty() && !request.quiet {
        let (word, flags) = (output.err_paint.warn("note:"), request.of_first_process.join("`, `"));
        output
            .say(&format!("{word} the run's command had `{flags}`; give it again if it is wanted now, too"));
    }
    Ok(reach.into_folders())
}
