//! The start of a service: its address, prices and profiles are checked, then its journal is opened, and those who come in
//! are named.

use crate::access::{AccessRole, NewAccess, is_valid, issue_token, revoke_links};
use crate::context::Context;
use crate::failure::Failure;
use crate::metrics::Metrics;
use crate::profiles::ServedProfiles;
use crate::service_paths::ServicePaths;
use crate::settings::ServiceSettings;
use crate::state::Service;
use crate::store::Journal;
use crate::streams::Streams;
use crate::value::{ShownPath, sanitize_line};
use crate::{ServeError, ShutdownSignals, serve};
use jiff::Timestamp;
use loopctl_app::plans::read_prices;
use loopctl_app::profiles::SelectedProfile;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::path::PathBuf;
use std::sync::Arc;
use tokio::net::TcpListener;

/// The maximum number of token holders that are named at the start.
const MOST_NAMED: usize = 20;

/// A request to serve.
#[derive(Debug)]
pub struct ServeRequest {
    /// The settings of the service.
    pub settings: ServiceSettings,
    /// Other machines may reach it.
    pub allow_remote: bool,
    /// A link that lets an admin in is printed.
    pub prints_link: bool,
    /// The locations of what it keeps.
    pub paths: ServicePaths,
    /// The profile of documents that name none, with the settings laid over each profile.
    pub profile: SelectedProfile,
    /// A table of prices before the usual ones.
    pub prices: Option<PathBuf>,
    /// Profiles may run programs.
    pub allow_commands: bool,
}

/// A service that was checked and can be started.
pub struct CheckedService {
    request: ServeRequest,
    profiles: Arc<ServedProfiles>,
    context: Context,
}

impl CheckedService {
    /// Checks what is asked for, and shows problems of prices.
    ///
    /// # Errors
    /// When the address is not permitted, or the prices can't be used.
    pub fn of(request: ServeRequest, context: &Context, output: &mut Streams) -> Result<Self, Failure> {
        let settings = &request.settings;
        settings
            .check_address(request.allow_remote)
            .map_err(|error| Failure::usage(error.to_string()).help(error.help()))?;
        let prices = read_prices(request.prices.as_deref(), context, output)?;
        let profiles = ServedProfiles::new(
            // The desk opens what a run has read.
            context.clone().with_reader(context.reader().clone().keeping_readings()),
            request.profile.clone(),
            prices,
            request.allow_commands,
            settings.uploads.clone(),
        );
        Ok(CheckedService { profiles: Arc::new(profiles), context: context.clone(), request })
    }

    /// Listens, opens the journal, and serves until it is stopped by the signals, which are asked for once both are open.
    ///
    /// # Errors
    /// When the address or the journal can't be used.
    pub async fn run(
        self,
        metrics: Arc<Metrics>,
        signals: impl FnOnce() -> ShutdownSignals,
        output: &mut Streams,
    ) -> Result<(), Failure> {
        let ServeRequest { settings, paths, prints_link, .. } = self.request;
        let listener = TcpListener::bind(settings.listen).await.map_err(|error| {
            Failure::broken(format!("can't listen on `{}`: {error}", settings.listen))
                .help("another program may have it; name another with `--listen 127.0.0.1:PORT`")
        })?;
        let listen = listener.local_addr().unwrap_or(settings.listen);
        paths.begin(&self.context, output)?;
        let settings = ServiceSettings { listen, ..settings };
        let service = Service::open(settings, &paths.journal, self.profiles, metrics)?;
        output.say(&format!("serving `{}`", sanitize_line(&paths.journal.shown())));
        say_tokens(&service.journal, output)?;
        if prints_link {
            let name = person(&self.context);
            let access = NewAccess { name: &name, role: AccessRole::Admin, lasts: None, is_launch: true };
            let token = issue_token(&service.journal, &access)?;
            output.say(&format!("open http://{}/login#token={token}", reached_at(listen)));
        } else {
            revoke_links(&service.journal)?;
            output.say(&format!("listening on {listen}"));
        }
        serve(Arc::new(service), listener, signals()).await.map_err(|error| match error {
            ServeError::Store(error) => error.into(),
            ServeError::Listen(_) => Failure::broken(error.to_string()),
        })
    }
}

/// Reports whose tokens let them in: a journal may have come from somewhere else.
fn say_tokens(journal: &Journal, output: &mut Streams) -> Result<(), Failure> {
    let (tokens, now) = (journal.tokens("token")?, Timestamp::now());
    let holding: Vec<String> = tokens
        .iter()
        .filter(|token| is_valid(token, now))
        .map(|token| format!("`{}` ({})", sanitize_line(&token.name), sanitize_line(&token.role)))
        .collect();
    if !holding.is_empty() {
        let more = holding.len().saturating_sub(MOST_NAMED);
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        let named = holding.iter().take(MOST_NAMED).cloned().collect::<Vec<_>>().join(", ");
        output.say(&format!("these come in by tokens of this journal: {named}{more}"));
    }
    Ok(())
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
fn person(context: &Context) -> String {
    let named = ["USER", "LOGNAME", "USERNAME"].into_iter().find_map(|name| context.variable(name));
    named.filter(|name| !name.trim().is_empty()).unwrap_or_else(|| "admin".to_owned())
}
