//! `loopctl resume`: resumes a run.

use super::headings::{ARGUMENTS, CALLS, DOCUMENTS, OUTPUT, PROFILE};
use super::journal_argument::JournalArgument;
use super::loading::CallArguments;
use super::logging::LogArguments;
use super::passwords::PasswordArguments;
use super::permission::PermissionArguments;
use super::process_host::PROCESS;
use super::run::Via;
use crate::execution::{RunOptions, run};
use crate::failure::{ExitStatus, Failure};
use crate::journals::{find_run, latest_open};
use crate::profiles::SelectedProfile;
use crate::requests::{BatchRequest, ProfileSpec, RecordedPath, RunRequest};
use crate::resumption::{ResumedRun, RunSelection};
use crate::store::{RunId, RunStage};
use crate::streams::Streams;
use crate::value::{path_text, sanitize_line};
use clap::Args;
use std::path::PathBuf;

/// The most documents at the same time, as `--jobs` allows it.
const MOST_JOBS: u32 = 10_000;

#[derive(Args)]
#[command(
    after_help = "Examples:\n  loopctl resume\n  loopctl resume 20261125T081500Z-0001 --jobs 16\n  loopctl resume --journal out/journal.sqlite\n  loopctl resume --budget cost_usd=20\n\nWhat a run would start, load or send documents to is named again, because a journal may be someone else's. So are passwords of documents, which nothing keeps. Several processes may take part in one run, also on several machines that share the journal's disk."
)]
pub(super) struct Arguments {
    /// The run, as `loopctl runs list` names it [default: the latest that is not over]
    #[arg(value_name = "RUN", help_heading = ARGUMENTS)]
    run: Option<String>,
    #[command(flatten)]
    journal: JournalArgument,
    /// Number of documents at the same time [default: as the run's command says]
    #[arg(long, short, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=10_000), help_heading = DOCUMENTS)]
    jobs: Option<u32>,
    #[command(flatten)]
    passwords: PasswordArguments,
    /// Make calls one by one, or in batches of the vendor [default: as the run's command says]
    ///
    /// With `online`, calls that are in no batch yet are made at once, at full price; submitted batches are waited for.
    #[arg(long, value_name = "WAY", value_enum, help_heading = CALLS)]
    via: Option<Via>,
    /// Try every document, even where the provider is plainly unavailable
    #[arg(long, help_heading = CALLS)]
    keep_going: bool,
    #[command(flatten, next_help_heading = PROFILE)]
    again: ResumeSettings,
    #[command(flatten, next_help_heading = CALLS)]
    calls: CallArguments,
    #[command(flatten, next_help_heading = CALLS)]
    permissions: PermissionArguments,
    /// Record the calls from here on in this folder, whether or not the run's command records in another one
    #[arg(long, value_name = "DIR", help_heading = CALLS)]
    record: Option<PathBuf>,
    /// Write a summary of the documents to this file, as a self-contained HTML page
    #[arg(long, value_name = "FILE.html", help_heading = OUTPUT)]
    report: Option<PathBuf>,
    /// No progress on standard error
    #[arg(long, short, help_heading = OUTPUT)]
    quiet: bool,
    #[command(flatten, next_help_heading = OUTPUT)]
    log: LogArguments,
}

pub(super) fn execute(arguments: &Arguments, output: &mut Streams) -> Result<ExitStatus, Failure> {
    let context = arguments.passwords.context()?;
    let journal = arguments.journal.open()?;
    let stored = match &arguments.run {
        Some(id) => find_run(&journal, id)?,
        None => latest_open(&journal, &arguments.journal.again())?,
    };
    if stored.stage == RunStage::Cancelled && !arguments.quiet {
        output.say(&format!("run `{}` was cancelled; resuming it", stored.id));
    }
    let (file, id) = (journal.path().to_path_buf(), stored.id.clone());
    drop(journal);
    let mut request = RunRequest::of_settings(&stored.record.settings).ok_or_else(|| {
        Failure::broken(format!("what run `{id}` was asked for is not in the journal, or not understood any more"))
            .help("a run of another program, or of an older release, can't be resumed from here; run its documents again")
    })?;
    let options = arguments.lay_over(&mut request, file, id);
    go_to_folder(&request, arguments.quiet, output);
    Ok(run(request, options, &context, output)?.exit)
}

impl Arguments {
    /// Lays these arguments over a recorded request. What that permitted is not permitted now.
    fn lay_over(&self, request: &mut RunRequest, journal: PathBuf, run: RunId) -> RunOptions {
        // Paths that are named now are relative to this folder; those of the record, to the run's.
        let absolute = |path: PathBuf| std::path::absolute(&path).unwrap_or(path);
        request.journal = Some(RecordedPath(absolute(journal)));
        request.jobs = self.jobs.or(request.jobs.map(|jobs| jobs.clamp(1, MOST_JOBS)));
        request.keep_going |= self.keep_going;
        request.quiet |= self.quiet;
        if let Some(via) = self.via {
            request.batches.get_or_insert_with(BatchRequest::online).via = via.into();
        }
        let allowed_commands = std::mem::replace(&mut request.allow_commands, self.calls.allow_commands);
        let recorded_prices = request.prices.take().filter(|_| self.calls.prices.is_none());
        request.prices = self.calls.prices.clone().map(absolute).map(RecordedPath);
        let again = self.log.settings().named();
        request
            .of_first_process
            .retain(|flag| !again.contains(&&**flag) && (flag != "--report" || self.report.is_none()));
        if let Some(folder) = self.record.clone() {
            request.recording.record_in(absolute(folder));
        }
        let mut profile = SelectedProfile::recorded(request.profile.clone());
        profile.again = Some(Box::new(self.again.on(profile.name())));
        let resumed = ResumedRun {
            run: run.clone(),
            allowed_commands,
            prices: recorded_prices.map(|path| path.0),
            records_anew: self.record.is_some(),
            permissions: self.permissions.permissions(),
        };
        RunOptions {
            profile,
            selection: RunSelection::This(run),
            report: self.report.clone().map(absolute),
            log: self.log.settings().absolute(),
            resumed: Some(resumed),
            host: PROCESS,
            ..RunOptions::default()
        }
    }
}

/// Changes to the folder in which a run began: its documents and results are there.
fn go_to_folder(request: &RunRequest, quiet: bool, output: &mut Streams) {
    let Some(folder) = request.folder.as_deref() else { return };
    let here = std::env::current_dir().ok();
    if here.as_deref() != Some(folder) && std::env::set_current_dir(folder).is_ok() && !quiet {
        output.say(&format!("in `{}`, where the run began", sanitize_line(&path_text(folder))));
    }
}

/// Settings that are laid over those of a run's record: they name again what it named outside of the profile.
#[derive(Args)]
struct ResumeSettings {
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
    /// A profile with these settings laid over it.
    fn on(&self, profile: &str) -> SelectedProfile {
        let budgets = self.budgets.iter().map(|budget| format!("budget.{budget}"));
        let spec = ProfileSpec {
            name: profile.to_owned(),
            settings: self.settings.iter().cloned().chain(budgets).collect(),
            variables: Vec::new(),
            provider: self.provider.clone(),
            judge: self.judge.clone(),
            provider_config: self.provider_config.clone(),
        };
        SelectedProfile { spec, ..SelectedProfile::default() }
    }
}
