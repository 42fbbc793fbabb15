//! `loopctl serve`: the service, and the tokens that let people and programs in.

mod token;

use self::token::TokenVerb;
use super::headings::{CALLS, DOCUMENTS, OUTPUT, PROFILE};
use super::interrupts;
use super::loading::{CallArguments, ProfileArguments, context};
use super::logging::LogArguments;
use super::run::duration;
use crate::execution::StopRequests;
use crate::failure::{ExitStatus, Failure};
use crate::ingest::MAX_DOCUMENT_BYTES;
use crate::serve::{
    CallMeasures, CheckedService, Metrics, ServeRequest, ServicePaths, ServiceSettings, ShutdownSignals,
};
use crate::streams::Streams;
use crate::value::Millis;
use clap::{Args, Subcommand};
use jiff::SignedDuration;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;

/// The heading of flags about how people reach the service.
const ADDRESS: &str = "Address";

#[derive(Args)]
#[command(
    args_conflicts_with_subcommands = true,
    after_help = "Examples:\n  loopctl serve\n  loopctl serve --data /var/lib/loopctl --listen 0.0.0.0:8700 --allow-remote --host loopctl.example.org\n  loopctl serve token add lab-system --role submit"
)]
pub(super) struct Arguments {
    #[command(subcommand)]
    token: Option<ServeVerb>,
    #[command(flatten)]
    start: StartArguments,
}

#[derive(Subcommand)]
enum ServeVerb {
    /// Make, list and revoke tokens
    #[command(subcommand)]
    Token(TokenVerb),
}

#[derive(Args)]
struct StartArguments {
    /// Address to listen on
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:8700", env = "LOOPCTL_LISTEN", help_heading = ADDRESS)]
    listen: SocketAddr,
    /// Let other machines reach the service: put a proxy with TLS in front of it
    #[arg(long, help_heading = ADDRESS)]
    allow_remote: bool,
    /// Print no link that lets an admin in, which logs would keep. Access then needs a token of `loopctl serve token
    /// add`
    #[arg(long, help_heading = ADDRESS)]
    no_link: bool,
    /// A name by which the service may be asked for, besides those of this machine (repeatable)
    #[arg(long, value_name = "NAME[:PORT]", help_heading = ADDRESS)]
    host: Vec<String>,
    /// Keep journal and uploads in this folder [default: `.loopctl` here]
    #[arg(long, value_name = "DIR", env = "LOOPCTL_DATA", help_heading = DOCUMENTS)]
    data: Option<PathBuf>,
    /// Serve this journal
    #[arg(long, value_name = "FILE", conflicts_with = "data", help_heading = DOCUMENTS)]
    journal: Option<PathBuf>,
    /// Let documents of this folder be submitted by their paths (repeatable)
    #[arg(long, value_name = "DIR", help_heading = DOCUMENTS)]
    folder: Vec<PathBuf>,
    /// Maximum number of waiting documents of one profile; others are refused until there is room
    #[arg(long, value_name = "N", default_value_t = 10_000, help_heading = DOCUMENTS)]
    most_waiting: u64,
    /// Largest document, in MB
    #[arg(long, value_name = "MB", default_value_t = MOST_MB, value_parser = clap::value_parser!(u64).range(1..=MOST_MB), help_heading = DOCUMENTS)]
    most_mb: u64,
    /// Number of documents of one profile at the same time [default: what the profile allows the providers, else 8]
    #[arg(long, short, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=10_000), help_heading = DOCUMENTS)]
    jobs: Option<u32>,
    /// Remove an upload this long after it was submitted, such as `365d`, once nothing is left to do or to decide about
    /// it [default: never]
    #[arg(long, value_name = "TIME", value_parser = token::lasting, help_heading = DOCUMENTS)]
    keep_uploads: Option<SignedDuration>,
    /// Keep entries of the access log for this long
    #[arg(long, value_name = "TIME", default_value = "2190d", value_parser = token::lasting, help_heading = DOCUMENTS)]
    keep_access_log: SignedDuration,
    // Its `--profile` is that of documents that name none.
    #[command(flatten, next_help_heading = PROFILE)]
    profile: ProfileArguments,
    #[command(flatten, next_help_heading = CALLS)]
    calls: CallArguments,
    /// Time to wait for the calls in flight when the service is stopped
    #[arg(long, value_name = "TIME", default_value = "20s", value_parser = duration, help_heading = CALLS)]
    drain: Millis,
    #[command(flatten, next_help_heading = OUTPUT)]
    log: LogArguments,
}

pub(super) fn execute(arguments: &Arguments, output: &mut Streams) -> Result<ExitStatus, Failure> {
    match &arguments.token {
        Some(ServeVerb::Token(verb)) => token::execute(verb, output),
        None => start(&arguments.start, output),
    }
}

/// Largest document that a provider can be given, in MB.
const MOST_MB: u64 = MAX_DOCUMENT_BYTES >> 20;

fn start(arguments: &StartArguments, output: &mut Streams) -> Result<ExitStatus, Failure> {
    let service = CheckedService::of(arguments.request(), context(), output)?;
    let metrics = Arc::new(Metrics::default());
    let measures = Box::new(CallMeasures::layer(Arc::clone(&metrics)));
    let telemetry = arguments.log.settings().start_with(Some(measures), context())?;
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .map_err(|error| Failure::broken(format!("can't start: {error}")))?;
    let signals = || {
        let stops = StopRequests::new(arguments.drain, false);
        let signals =
            ShutdownSignals { draining: stops.drain.subscribe(), giving_up: stops.stop.subscribe() };
        interrupts::listen(stops);
        signals
    };
    let ended = runtime.block_on(service.run(metrics, signals, output));
    drop(telemetry);
    runtime.shutdown_background();
    ended.map(|()| ExitStatus::Success)
}

impl StartArguments {
    fn request(&self) -> ServeRequest {
        let paths = ServicePaths::of(self.data.as_deref(), self.journal.as_deref(), context());
        let profile = self.profile.selected();
        ServeRequest {
            settings: ServiceSettings {
                journal: paths.served(context()),
                listen: self.listen,
                hosts: self.host.clone(),
                uploads: paths.uploads.clone(),
                folders: self.folder.clone(),
                most_waiting: self.most_waiting,
                most_bytes: self.most_mb << 20,
                jobs: self.jobs.map(|jobs| usize::try_from(jobs).unwrap_or(usize::MAX)),
                profile: profile.spec.name.clone(),
                keep_access: self.keep_access_log,
                keep_uploads: self.keep_uploads,
            },
            allow_remote: self.allow_remote,
            prints_link: !self.no_link,
            paths,
            profile,
            prices: self.calls.prices.clone(),
            allow_commands: self.calls.allow_commands,
        }
    }
}
