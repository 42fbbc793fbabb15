//! `loopctl run`: the loop over documents.

mod batches;

use self::batches::BatchArguments;
pub(super) use self::batches::Via;
use super::headings::{ARGUMENTS, CALLS, DOCUMENTS, OUTPUT, PROFILE};
use super::loading::{CallArguments, ProfileArguments, context};
use super::logging::LogArguments;
use super::passwords::PasswordArguments;
use super::process_host::PROCESS;
use super::result_format::RecordFormat;
use super::tape::RecorderArguments;
use crate::execution::{RescoreWatch, RunOptions, run};
use crate::failure::{ExitStatus, Failure};
use crate::requests::{RecordedPath, ResultFormat, RunRequest};
use crate::resumption::RunSelection;
use crate::streams::Streams;
use crate::value::Millis;
use crate::watch::ProfileWatch;
use clap::Args;
use std::path::PathBuf;

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
    #[command(flatten)]
    passwords: PasswordArguments,
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
}

pub(super) fn execute(arguments: &Arguments, output: &mut Streams) -> Result<ExitStatus, Failure> {
    let selection = if arguments.resume { RunSelection::Latest } else { RunSelection::Fresh };
    let options = RunOptions {
        profile: arguments.profile.selected(),
        selection,
        report: arguments.report.clone(),
        log: arguments.log.settings(),
        watch: arguments.watch.then(|| arguments.watch(output)).transpose()?,
        host: PROCESS,
        ..RunOptions::default()
    };
    Ok(run(arguments.request(), options, &arguments.passwords.context()?, output)?.exit)
}

impl Arguments {
    /// The watch over the profile when all documents are done.
    fn watch(&self, output: &Streams) -> Result<RescoreWatch, Failure> {
        let format = self.format.chosen(output)?;
        if format == ResultFormat::Json {
            return Err(Failure::usage("`--format json` is one value, and `--watch` goes on answering")
                .help("write `--format jsonl`"));
        }
        Ok(ProfileWatch::start(context(), self.profile.selected())?.after_run(format, self.quiet))
    }

    /// The request that they make, as a run's record keeps it.
    fn request(&self) -> RunRequest {
        let path = |path: &Option<PathBuf>| path.as_deref().map(RecordedPath::from);
        let paths = |paths: &[PathBuf]| paths.iter().map(|path| path.as_path().into()).collect();
        let once = self.log.settings().named().into_iter().chain(self.report.as_ref().map(|_| "--report"));
        RunRequest {
            folder: Some(context().folder().into()),
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
            of_first_process: once.map(str::to_owned).collect(),
            ..RunRequest::of(self.profile.selected().spec)
        }
    }
}

/// A time such as `20s`, as profiles write it.
pub(super) fn duration(text: &str) -> Result<Millis, String> {
    Millis::parse(text).ok_or_else(|| "expected a time such as `20s`, `500ms` or `2m`".to_owned())
}
