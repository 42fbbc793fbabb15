//! `loopctl serve`: the service, and the tokens that let people and programs in.

mod profiles;
mod token;
mod tuning;

use self::profiles::ServedProfiles;
use self::token::TokenVerb;
use super::exit::{Exit, Failure};
use super::headings::{CALLS, DOCUMENTS, OUTPUT, PROFILE};
use super::interrupts;
use super::loading::{CallArguments, ProfileArguments};
use super::logging::LogArguments;
use super::output::Output;
use super::resume::JournalArgument;
use super::run::duration;
use crate::diag::Problems;
use crate::serve::{
    AddressError, CallMeasures, Metrics, NewAccess, Role, ServeError, Service, ServiceSettings, Stops,
    issue_token, revoke_links, serve,
};
use crate::value::{Millis, sanitize_line};
use clap::{Args, Subcommand};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use tokio::net::TcpListener;
use tokio::sync::watch;

/// How people reach the service.
const ADDRESS: &str = "Address";

#[derive(Args)]
#[command(
    args_conflicts_with_subcommands = true,
    after_help = "Examples:\n  loopctl serve\n  loopctl serve --data /var/lib/loopctl --listen 0.0.0.0:8700 --allow-remote --host loopctl.example.org\n  loopctl serve token add lab-system --role submit"
)]
pub(super) struct Arguments {
    #[command(subcommand)]
    token: Option<Sub>,
    #[command(flatten)]
    start: StartArguments,
}

#[derive(Subcommand)]
enum Sub {
    /// Make, list and revoke tokens
    #[command(subcommand)]
    Token(TokenVerb),
}

#[derive(Args)]
struct StartArguments {
    /// Listen here
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:8700", help_heading = ADDRESS)]
    listen: SocketAddr,
    /// Let other machines reach it: put a proxy with TLS before it
    #[arg(long, help_heading = ADDRESS)]
    allow_remote: bool,
    /// Print no link that lets an admin in: logs would keep it. Who comes in has a token of `loopctl serve token add`
    #[arg(long, help_heading = ADDRESS)]
    no_link: bool,
    /// A name by which it is asked for, beside those of this machine (repeatable)
    #[arg(long, value_name = "NAME[:PORT]", help_heading = ADDRESS)]
    host: Vec<String>,
    /// Keep journal and uploads in this folder [default: the journal of the latest run, uploads beside it]
    #[arg(long, value_name = "DIR", env = "LOOPCTL_DATA", help_heading = DOCUMENTS)]
    data: Option<PathBuf>,
    /// Serve this journal
    #[arg(long, value_name = "FILE", conflicts_with = "data", help_heading = DOCUMENTS)]
    journal: Option<PathBuf>,
    /// Let documents of this folder be submitted by their paths (repeatable)
    #[arg(long, value_name = "DIR", help_heading = DOCUMENTS)]
    folder: Vec<PathBuf>,
    /// Most documents of one profile that wait; others are refused until there is room
    #[arg(long, value_name = "N", default_value_t = 10_000, help_heading = DOCUMENTS)]
    most_waiting: u64,
    /// Largest document, in MB
    #[arg(long, value_name = "MB", default_value_t = 32, value_parser = clap::value_parser!(u64).range(1..=64), help_heading = DOCUMENTS)]
    most_mb: u64,
    /// Documents of one profile at the same time [default: what the profile allows the providers, else 8]
    #[arg(long, short, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=10_000), help_heading = DOCUMENTS)]
    jobs: Option<u32>,
    // Its `--profile` is that of documents that name none.
    #[command(flatten, next_help_heading = PROFILE)]
    profile: ProfileArguments,
    #[command(flatten, next_help_heading = CALLS)]
    calls: CallArguments,
    /// When someone stops the service, wait so long for the calls that are under way
    #[arg(long, value_name = "TIME", default_value = "20s", value_parser = duration, help_heading = CALLS)]
    drain: Millis,
    #[command(flatten, next_help_heading = OUTPUT)]
    log: LogArguments,
}

pub(super) fn execute(arguments: &Arguments, output: &mut Output) -> Result<Exit, Failure> {
    match &arguments.token {
        Some(Sub::Token(verb)) => token::execute(verb, output),
        None => start(&arguments.start, output),
    }
}

/// The journal of the service, and the folder of its uploads.
fn places(data: Option<&PathBuf>, journal: Option<&PathBuf>) -> Result<(PathBuf, PathBuf), Failure> {
    if let Some(data) = data {
        return Ok((data.join("journal.sqlite"), data.join("uploads")));
    }
    let file = JournalArgument::named(journal.cloned()).file();
    let file = file.ok_or_else(|| {
        Failure::usage("no place for journal and uploads is known").help("name one with `--data DIR`")
    })?;
    let uploads = file.with_file_name("uploads");
    Ok((file, uploads))
}

fn start(arguments: &StartArguments, output: &mut Output) -> Result<Exit, Failure> {
    let (journal, uploads) = places(arguments.data.as_ref(), arguments.journal.as_ref())?;
    let settings = ServiceSettings {
        listen: arguments.listen,
        hosts: arguments.host.clone(),
        uploads,
        folders: arguments.folder.clone(),
        most_waiting: arguments.most_waiting,
        most_bytes: arguments.most_mb << 20,
        jobs: arguments.jobs.map(|jobs| usize::try_from(jobs).unwrap_or(usize::MAX)),
        profile: arguments.profile.profile.clone(),
    };
    settings.check_address(arguments.allow_remote)?;
    let mut problems = Problems::new();
    let profiles = ServedProfiles::new(
        arguments.profile.clone(),
        &arguments.calls,
        settings.uploads.clone(),
        &mut problems,
    );
    output.show(&problems);
    if problems.has_errors() {
        return Err(Failure::usage("the prices can't be used"));
    }
    let profiles = Arc::new(profiles);
    let metrics = Arc::new(Metrics::default());
    let telemetry = arguments.log.start_with(Some(Box::new(CallMeasures::layer(Arc::clone(&metrics)))))?;
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
        let service = Service::open(ServiceSettings { listen, ..settings }, &journal, profiles, metrics)?;
        output.say(&format!("serving `{}`", sanitize_line(&journal.display().to_string())));
        if arguments.no_link {
            revoke_links(&service.journal)?;
            output.say(&format!("listening on {listen}"));
        } else {
            let name = person();
            let access = NewAccess { name: &name, role: Role::Admin, lasts: None, is_launch: true };
            let token = issue_token(&service.journal, &access)?;
            output.say(&format!("open http://{}/login#token={token}", reached_at(listen)));
        }
        let (drain, draining) = watch::channel(false);
        let (stop, giving_up) = watch::channel(false);
        tokio::spawn(interrupts::listen(drain, stop, arguments.drain, Arc::new(AtomicBool::new(false))));
        serve(Arc::new(service), listener, Stops { draining, giving_up }).await.map_err(|error| match error {
            ServeError::Store(error) => error.into(),
            ServeError::Listen(_) => Failure::broken(error.to_string()),
        })
    });
    drop(telemetry);
    runtime.shutdown_background();
    ended.map(|()| Exit::Success)
}

/// Where this machine reaches a service that listens on all of its addresses.
fn reached_at(listen: SocketAddr) -> SocketAddr {
    match listen.ip() {
        IpAddr::V4(ip) if ip.is_unspecified() => (Ipv4Addr::LOCALHOST, listen.port()).into(),
        IpAddr::V6(ip) if ip.is_unspecified() => (Ipv6Addr::LOCALHOST, listen.port()).into(),
        _ => listen,
    }
}

/// Whose link it is that is printed: who started the service.
fn person() -> String {
    let named = ["USER", "LOGNAME", "USERNAME"].into_iter().find_map(|name| std::env::var(name).ok());
    named.filter(|name| !name.trim().is_empty()).unwrap_or_else(|| "admin".to_owned())
}

impl From<AddressError> for Failure {
    fn from(error: AddressError) -> Self {
        let help = error.help();
        Failure::usage(error.to_string()).help(help)
    }
}
