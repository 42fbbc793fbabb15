//! `loopctl serve`: the service, and the tokens that let people and programs in.

mod token;

use self::token::TokenVerb;
use super::headings::{CALLS, DOCUMENTS, OUTPUT, PROFILE};
use super::interrupts;
use super::loading::{CallArguments, ProfileArguments, context};
use super::logging::LogArguments;
use super::run::duration;
use crate::disk::{self, Access};
use crate::execution::{StopRequests, read_prices};
use crate::failure::{ExitStatus, Failure};
use crate::ingest::MAX_DOCUMENT_BYTES;
use crate::journals;
use crate::serve::{
    AccessRole, CallMeasures, ChosenBy, Metrics, NewAccess, ServeError, ServedJournal, ServedProfiles,
    Service, ServiceSettings, ShutdownSignals, issue_token, revoke_links, serve,
};
use crate::shell::quoted;
use crate::store::Journal;
use crate::streams::Streams;
use crate::value::ShownPath;
use crate::value::{Millis, sanitize_line};
use clap::{Args, Subcommand};
use jiff::SignedDuration;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tokio::net::TcpListener;

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

/// The folder in which a service keeps its journal if no other is named, below the one in which it is started.
const OWN: &str = ".loopctl";

/// The locations of what a service keeps.
struct ServicePaths {
    journal: PathBuf,
    uploads: PathBuf,
    chosen_by: ChosenBy,
}

/// The journal of the service, and the folder of its uploads: those named, else those of this folder. The journal of a
/// run elsewhere is another project's, with its documents and its tokens.
fn places(data: Option<&PathBuf>, journal: Option<&PathBuf>) -> ServicePaths {
    let (journal, chosen_by) = match (data, journal) {
        (Some(data), _) => (data.join("journal.sqlite"), ChosenBy::Data),
        (None, Some(journal)) => (journal.clone(), ChosenBy::Journal),
        (None, None) => {
            let own = Path::new(OWN).join("journal.sqlite");
            let here = || std::env::current_dir().and_then(|here| here.canonicalize()).ok();
            let of_run =
                || latest_journal().filter(|latest| here().is_some_and(|here| latest.starts_with(here)));
            match if own.exists() { None } else { of_run() } {
                Some(latest) => (latest, ChosenBy::LatestRun),
                None => (own, ChosenBy::Folder),
            }
        }
    };
    let uploads = journal.with_file_name("uploads");
    ServicePaths { journal, uploads, chosen_by }
}

impl ServicePaths {
    /// The journal by its absolute path, whose parts need not exist yet.
    fn served(&self) -> ServedJournal {
        let file = std::path::absolute(&self.journal).unwrap_or_else(|_| self.journal.clone());
        let started_in = std::env::current_dir().unwrap_or_default();
        ServedJournal { file, started_in, by: self.chosen_by }
    }

    /// Makes the folder of this folder's journal if there is none yet, then points to the journal of the latest run.
    fn begin(&self, output: &mut Streams) -> Result<(), Failure> {
        if self.chosen_by != ChosenBy::Folder || self.journal.exists() {
            return Ok(());
        }
        let folder = self.journal.parent().unwrap_or(Path::new(OWN));
        // Documents and results don't belong in a history that others get.
        disk::make_private_folder(folder)
            .and_then(|()| disk::replace(&folder.join(".gitignore"), b"*\n", Access::Owner))
            .map_err(|error| {
                Failure::broken(format!("can't begin a journal in `{}`: {error}", folder.shown()))
                    .help("name a place for it with `--data DIR`")
            })?;
        output.say("this folder gets a journal of its own");
        if let Some(latest) = latest_journal() {
            let latest = quoted(&latest.shown());
            output.say(&format!("  help: `loopctl serve --journal {latest}` serves that of your latest run"));
        }
        Ok(())
    }
}

/// The journal of the latest run, if it still exists.
fn latest_journal() -> Option<PathBuf> {
    journals::recall(context()).map(|latest| latest.journal).filter(|file| file.exists())
}

/// Reports whose tokens let them in: a journal may have come from somewhere else.
fn say_tokens(journal: &Journal, output: &mut Streams) -> Result<(), Failure> {
    let tokens = journal.tokens("token")?;
    let holding: Vec<String> = tokens
        .iter()
        .filter(|token| token::holds(token))
        .map(|token| format!("`{}` ({})", sanitize_line(&token.name), sanitize_line(&token.role)))
        .collect();
    if holding.is_empty() {
        return Ok(());
    }
    let more = holding.len().saturating_sub(MOST_NAMED);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    let named = holding.iter().take(MOST_NAMED).cloned().collect::<Vec<_>>().join(", ");
    output.say(&format!("these come in by tokens of this journal: {named}{more}"));
    Ok(())
}

/// Largest document that a provider can be given, in MB.
const MOST_MB: u64 = MAX_DOCUMENT_BYTES >> 20;

/// The maximum number of token holders that are named at the start.
const MOST_NAMED: usize = 20;

fn start(arguments: &StartArguments, output: &mut Streams) -> Result<ExitStatus, Failure> {
    let places = places(arguments.data.as_ref(), arguments.journal.as_ref());
    let settings = ServiceSettings {
        journal: places.served(),
        listen: arguments.listen,
        hosts: arguments.host.clone(),
        uploads: places.uploads.clone(),
        folders: arguments.folder.clone(),
        most_waiting: arguments.most_waiting,
        most_bytes: arguments.most_mb << 20,
        jobs: arguments.jobs.map(|jobs| usize::try_from(jobs).unwrap_or(usize::MAX)),
        profile: arguments.profile.selected().spec.name,
        keep_access: arguments.keep_access_log,
        keep_uploads: arguments.keep_uploads,
    };
    settings
        .check_address(arguments.allow_remote)
        .map_err(|error| Failure::usage(error.to_string()).help(error.help()))?;
    let calls = &arguments.calls;
    let prices = read_prices(calls.prices.as_deref(), context(), output)?;
    let profiles = ServedProfiles::new(
        context().clone(),
        arguments.profile.selected(),
        prices,
        calls.allow_commands,
        settings.uploads.clone(),
    );
    let profiles = Arc::new(profiles);
    let metrics = Arc::new(Metrics::default());
    let measures = Box::new(CallMeasures::layer(Arc::clone(&metrics)));
    let telemetry = arguments.log.settings().start_with(Some(measures), context())?;
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .map_err(|error| Failure::broken(format!("can't start: {error}")))?;
    let ended = runtime.block_on(async {
        let listener = TcpListener::bind(settings.listen).await.map_err(|error| {
            Failure::broken(format!("can't listen on `{}`: {error}", settings.listen))
                .help("another program may have it; name another with `--listen 127.0.0.1:PORT`")
        })?;
        let listen = listener.local_addr().unwrap_or(settings.listen);
        places.begin(output)?;
        let settings = ServiceSettings { listen, ..settings };
        let service = Service::open(settings, &places.journal, profiles, metrics)?;
        output.say(&format!("serving `{}`", sanitize_line(&places.journal.shown())));
        say_tokens(&service.journal, output)?;
        if arguments.no_link {
            revoke_links(&service.journal)?;
            output.say(&format!("listening on {listen}"));
        } else {
            let name = person();
            let access = NewAccess { name: &name, role: AccessRole::Admin, lasts: None, is_launch: true };
            let token = issue_token(&service.journal, &access)?;
            output.say(&format!("open http://{}/login#token={token}", reached_at(listen)));
        }
        let stops = StopRequests::new(arguments.drain, false);
        let signals =
            ShutdownSignals { draining: stops.drain.subscribe(), giving_up: stops.stop.subscribe() };
        interrupts::listen(stops);
        serve(Arc::new(service), listener, signals).await.map_err(|error| match error {
            ServeError::Store(error) => error.into(),
            ServeError::Listen(_) => Failure::broken(error.to_string()),
        })
    });
    drop(telemetry);
    runtime.shutdown_background();
    ended.map(|()| ExitStatus::Success)
}

/// The address at which this machine reaches a service that listens on all of its addresses.
fn reached_at(listen: SocketAddr) -> SocketAddr {
    match listen.ip() {
        IpAddr::V4(ip) if ip.is_unspecified() => (Ipv4Addr::LOCALHOST, listen.port()).into(),
        IpAddr::V6(ip) if ip.is_unspecified() => (Ipv6Addr::LOCALHOST, listen.port()).into(),
        _ => listen,
    }
}

/// The name for the printed link: the user who started the service.
fn person() -> String {
    let named = ["USER", "LOGNAME", "USERNAME"].into_iter().find_map(|name| std::env::var(name).ok());
    named.filter(|name| !name.trim().is_empty()).unwrap_or_else(|| "admin".to_owned())
}
