//! The programs, plugins and servers that a recorded run would use, and whether the user who resumes it permits that. A
//! journal may come from someone else: nothing in it is a permission, nor are the files that it leads to.

use super::ResumedRun;
use crate::diag::Span;
use crate::facts::without_passwords;
use crate::failure::Failure;
use crate::profile::{Author, Loaded, Outside, OutsideKind, outside_of};
use crate::provider::{Providers, TrustState};
use crate::requests::RunRequest;
use crate::shell::quoted;
use crate::streams::Streams;
use crate::value::{path_text, sanitize_line};
use serde_json::Value;
use std::collections::BTreeSet;
use std::env::consts::DLL_SUFFIX;
use std::path::PathBuf;

/// Permissions besides those that the flags of a run give when they are repeated.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Permissions {
    /// Servers that documents may go to.
    pub hosts: Vec<String>,
    /// Provider plugins that may be loaded.
    pub plugins: Vec<String>,
    /// Files and folders that may be read and written.
    pub paths: Vec<PathBuf>,
}

impl ResumedRun {
    /// Refuses to resume if something is not permitted, listing all of it with the flags that permit it. `places` are
    /// the files and folders of the record that are not permitted: the use of each, and its flag.
    ///
    /// # Errors
    /// When something is not permitted.
    pub(super) fn check(
        &self,
        request: &RunRequest,
        places: Vec<(String, String)>,
        loaded: &Loaded,
        providers: &Providers,
        output: &mut Streams,
    ) -> Result<(), Failure> {
        let mut lacking: Vec<(String, String)> = Vec::new();
        for one in outside_of(loaded) {
            if let Some(found) = self.lacks(&one, request.allow_commands, providers)
                && !lacking.contains(&found)
            {
                lacking.push(found);
            }
        }
        lacking.extend(places);
        if let Some(prices) = &self.prices {
            let shown = path_text(prices);
            lacking.push((
                format!("counts what calls cost by the prices in `{shown}` (`--prices` in its record)"),
                format!("--prices {}", quoted(&shown)),
            ));
        }
        if lacking.is_empty() {
            return Ok(());
        }
        output.say(&format!("run `{}`, when resumed,", sanitize_line(self.run.as_str())));
        for (what, _) in &lacking {
            output.say(&format!("  {}", sanitize_line(what)));
        }
        let flags: BTreeSet<&str> = lacking.iter().map(|(_, flag)| flag.as_str()).collect();
        let flags = flags.into_iter().collect::<Vec<_>>().join(" ");
        Err(Failure::usage("its journal may be someone else's, and permits none of this")
            .help(format!("if you mean it, give the command again with `{}`", sanitize_line(&flags))))
    }

    /// The use that is not permitted, and the flag that permits it.
    fn lacks(&self, one: &Outside, allows_commands: bool, providers: &Providers) -> Option<(String, String)> {
        let named = || named_by(one);
        match &one.what {
            OutsideKind::Program(_) if !self.allowed_commands || allows_commands => None,
            OutsideKind::Program(command) => Some((
                format!("runs the program `{}` ({})", shown(command), named()),
                ALLOW_COMMANDS.to_owned(),
            )),
            OutsideKind::Provider(spec, config) => {
                self.lacks_provider(one, (spec, config), allows_commands, providers)
            }
            _ if one.by == Author::User || one.is_shipped() => None,
            OutsideKind::Server(host) | OutsideKind::Proxy(host) if self.permissions.hosts.contains(host) => {
                None
            }
            OutsideKind::Server(host) => {
                let flag = again(&one.at).unwrap_or_else(|| format!("--allow-host {}", quoted(host)));
                Some((format!("sends documents to `{host}` ({})", named()), flag))
            }
            OutsideKind::Proxy(host) => {
                let flag = again(&one.at).unwrap_or_else(|| format!("--allow-host {}", quoted(host)));
                Some((format!("sends documents through the proxy `{host}` ({})", named()), flag))
            }
        }
    }

    fn lacks_provider(
        &self,
        one: &Outside,
        (spec, config): (&str, &Value),
        allows_commands: bool,
        providers: &Providers,
    ) -> Option<(String, String)> {
        let found = providers.find(spec).ok();
        let runs_programs = found.as_ref().is_some_and(|found| found.manifest.runs_programs());
        if runs_programs && !allows_commands {
            let program = ["command", "program"].iter().find_map(|key| config.get(key));
            let program = program.map(words).unwrap_or_default();
            let what = format!("runs the program `{}` ({})", shown(&program), named_by(one));
            return Some((what, ALLOW_COMMANDS.to_owned()));
        }
        let is_path = spec.contains(['/', std::path::MAIN_SEPARATOR]) || spec.contains(DLL_SUFFIX);
        let is_installed = !is_path && found.is_none_or(|found| found.trust == TrustState::Installation);
        if one.by == Author::User
            || one.is_shipped()
            || is_installed
            || self.permissions.plugins.iter().any(|plugin| plugin == spec)
        {
            return None;
        }
        let flag = again(&one.at).unwrap_or_else(|| format!("--allow-plugin {}", quoted(spec)));
        Some((format!("loads the provider plugin `{spec}` ({})", named_by(one)), flag))
    }
}

/// Reports each server and proxy that only a file names as a destination of documents: the file may come from someone
/// else.
pub fn say_where_documents_go(loaded: &Loaded, output: &mut Streams) {
    let mut said = BTreeSet::new();
    for one in outside_of(loaded).iter().filter(|one| one.by == Author::Profile && !one.is_shipped()) {
        let line = match &one.what {
            OutsideKind::Server(host) => format!("documents go to `{host}` (named by {})", named_by(one)),
            OutsideKind::Proxy(host) => {
                format!("documents go through the proxy `{host}` (named by {})", named_by(one))
            }
            OutsideKind::Program(_) | OutsideKind::Provider(..) => continue,
        };
        if said.insert(line.clone()) {
            output.note(&sanitize_line(&line));
        }
    }
}

const ALLOW_COMMANDS: &str = "--allow-commands";

/// The flag of a run's record, to be repeated; `None` if no flag named it, or it holds a password.
fn again(at: &Span) -> Option<String> {
    const EVERY_STAGE: &str = "stages.*.config.";
    let file = at.file();
    if !file.is_recorded() || without_passwords(file.text()) != file.text() {
        return None;
    }
    match (file.name(), file.text().strip_prefix(EVERY_STAGE)) {
        ("--config", Some(setting)) => Some(format!("--provider-config {}", quoted(setting))),
        (flag, _) => Some(format!("{flag} {}", quoted(file.text()))),
    }
}

/// The origin of the setting, in words.
fn named_by(one: &Outside) -> String {
    let file = one.at.file();
    match one.by {
        Author::Record => "a flag in the run's record".to_owned(),
        Author::User => format!("`{}`", file.name()),
        Author::Profile => format!("{}:{}", file.name(), one.at.location().line),
    }
}

/// A command as it was configured: a text, or a list of words.
fn words(command: &Value) -> String {
    match command {
        Value::String(text) => text.clone(),
        Value::Array(words) => {
            words.iter().map(|word| word.as_str().unwrap_or_default()).collect::<Vec<_>>().join(" ")
        }
        _ => String::new(),
    }
}

/// The beginning of a command, which may be a whole script.
fn shown(command: &str) -> String {
    const MOST: usize = 200;
    let mut shown: String = command.chars().take(MOST).collect();
    if command.chars().nth(MOST).is_some() {
        shown.push('…');
    }
    shown
}
