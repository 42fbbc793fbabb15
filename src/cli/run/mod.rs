//! `loopctl run`: the loop over documents.

mod batches;
mod found;
mod jobs;
mod screen;
mod which;
mod work;

use self::batches::BatchArguments;
pub(super) use self::batches::Via;
pub(super) use self::jobs::usual as usual_jobs;
pub(super) use self::which::{COMMAND, FOLDER, Which, basis_of};
pub(super) use self::work::{Asks, Work, settings_of};
use super::certificate_files::Certified;
use super::exit::{Exit, Failure};
use super::headings::{ARGUMENTS, CALLS, DOCUMENTS, OUTPUT, PROFILE};
use super::journal_place::JournalPlace;
use super::loading::{CallArguments, ProfileArguments, library, state_folder};
use super::logging::LogArguments;
use super::output::{Format, Output, RecordFormat};
use super::recorded_run::texts_digest_of;
use super::shadows::changed_by;
use super::tape::RecorderArguments;
use super::watch::Watching;
use crate::experiment::calibrate::Basis;
use crate::profile::FileTracker;
use crate::value::{Millis, sanitize_line};
use clap::Args;
use std::path::{Path, PathBuf};

#[derive(Args)]
pub(super) struct Arguments {
    #[command(flatten, next_help_heading = PROFILE)]
    profile: ProfileArguments,
    /// Type of all documents, instead of classifying each
    #[arg(long = "type", value_name = "TYPE", help_heading = DOCUMENTS)]
    document_type: Option<String>,
    /// Read which documents are meant from this file, `-` for standard input: a path or a record on each line (repeatable)
    ///
    /// A record is a JSON object: `{"id": …, "text": …}` or `{"id": …, "path": …}`, with `document_type` and `variables` if they are
    /// known.
    #[arg(long, value_name = "FILE", help_heading = DOCUMENTS)]
    from: Vec<PathBuf>,
    /// Start from this extraction instead of asking the provider for one (one document only)
    #[arg(long, value_name = "FILE", help_heading = DOCUMENTS)]
    extraction: Option<PathBuf>,
    /// Go on with the latest run of this profile in the same journal: what is finished is left out, the rest goes on where it
    /// was, and what was not there joins
    ///
    /// A document is the same if its path and its bytes are. Those whose provider or judge failed, or that were stopped, are tried
    /// again. What the profile decided differently before is finished, too; what was under way then begins anew.
    #[arg(long, help_heading = DOCUMENTS)]
    resume: bool,
    /// Documents at the same time [default: what the profile allows the providers, else 8; 1 where nothing is asked over the network]
    #[arg(long, short, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=10_000), help_heading = DOCUMENTS)]
    jobs: Option<u32>,
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
    #[command(flatten, next_help_heading = CALLS)]
    batches: BatchArguments,
    /// Say what this certificate of `loopctl calibrate` promises of the results, or why it is void [default: the one that the
    /// profile names]
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
    /// When someone stops the run, wait so long for the calls that are under way
    #[arg(long, value_name = "TIME", default_value = "20s", value_parser = duration, help_heading = CALLS)]
    drain: Millis,
    /// Write what the documents came to together to this file, as a page of HTML that needs nothing else
    #[arg(long, value_name = "FILE.html", help_heading = OUTPUT)]
    report: Option<PathBuf>,
    /// No progress on standard error
    #[arg(long, short, help_heading = OUTPUT)]
    quiet: bool,
    #[command(flatten, next_help_heading = OUTPUT)]
    log: LogArguments,
    /// Documents: files, folders, patterns in quotes such as 'reports/**/*.txt', files of records (.jsonl), `-` for standard
    /// input
    #[arg(required_unless_present = "from", value_name = "INPUT", help_heading = ARGUMENTS)]
    inputs: Vec<PathBuf>,
}

pub(super) fn execute(arguments: &Arguments, output: &mut Output) -> Result<Exit, Failure> {
    let command: Vec<String> =
        std::env::args_os().skip(1).map(|word| word.to_string_lossy().into_owned()).collect();
    let which = if arguments.resume { Which::Latest } else { Which::Fresh };
    carry_out(arguments, which, command, output)
}

/// The same for a run that is gone on with.
pub(super) fn carry_out(
    arguments: &Arguments,
    which: Which,
    command: Vec<String>,
    output: &mut Output,
) -> Result<Exit, Failure> {
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
    if arguments.batches.used() {
        arguments.batches.check(plan.profile.network.batch, &arguments.refuses_batches())?;
    }
    let named = Path::new(&arguments.profile.profile);
    let files_digest = reached.digest(named);
    let loaded = arguments.profile.loaded_from(&library(), &[]);
    let texts_digest = loaded.map(|loaded| texts_digest_of(&loaded, &reached, named)).unwrap_or_default();
    let certified = Certified {
        basis: Basis::of(&plan.profile, &reached, named),
        named: arguments.certificate.clone(),
        of_profile: plan.profile.certify.as_ref().and_then(|certify| certify.certificate.clone()),
    };
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
        files_digest,
        texts_digest,
        certified: Some(certified),
        document_type: arguments.document_type.clone(),
        out: arguments.out.clone(),
        extraction: arguments.extraction.clone(),
        journal,
        which,
        command,
        prices: arguments.calls.prices.clone(),
        log: arguments.log.clone(),
        format,
        quiet: arguments.quiet,
        report: arguments.report.clone(),
        inputs: arguments.inputs.clone(),
        from: arguments.from.clone(),
        asks: Asks::Everybody,
        allow_commands: arguments.calls.allow_commands,
        tape: arguments.tape.clone(),
        jobs: arguments.jobs,
        drain: arguments.drain,
        keep_going: arguments.keep_going,
        batches: arguments.batches.settings(),
        watching,
    }
    .run(output)
}

impl Arguments {
    /// What of the command goes with no batch.
    fn refuses_batches(&self) -> Vec<&'static str> {
        let is_stdin = |path: &PathBuf| path.as_os_str() == "-";
        let mut refuses = self.tape.named();
        refuses.extend(self.watch.then_some("`--watch`"));
        // It is read once, and the document is gone on with when its answers are there.
        refuses.extend(self.inputs.iter().any(is_stdin).then_some("a document from standard input"));
        refuses
    }

    /// The profile.
    pub(super) fn profile(&self) -> &ProfileArguments {
        &self.profile
    }

    /// What going on with the run says beside its command.
    pub(super) fn go_on(
        &mut self,
        journal: PathBuf,
        jobs: Option<u32>,
        keep_going: bool,
        quiet: bool,
        via: Option<Via>,
    ) {
        self.batches.go_on(via);
        self.journal = Some(journal);
        self.jobs = jobs.or(self.jobs);
        self.keep_going |= keep_going;
        self.quiet |= quiet;
        self.watch = false;
    }
}

/// A time such as `20s`, as profiles write it.
pub(super) fn duration(text: &str) -> Result<Millis, String> {
    Millis::parse(text).ok_or_else(|| "expected a time such as `20s`, `500ms` or `2m`".to_owned())
}
