//! Provider plugins as users name, list, inspect and trust them.

use crate::diag::{Problems, SourceFile, Span};
use crate::failure::{ExitStatus, Failure};
use crate::profile::Override;
use crate::provider::{Inspected, ProviderEntry, Providers, TrustState};
use crate::report::Paint;
use crate::streams::Streams;
use crate::value::prose::listed;
use crate::value::yaml::{Data, Node};
use crate::value::{ShownPath, path_text, sanitize_line};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

/// The library of a plugin, by its name or path.
///
/// # Errors
/// When there is no plugin of that name.
pub fn plugin_path(providers: &Providers, plugin: &str) -> Result<PathBuf, Failure> {
    let is_path = plugin.contains(std::path::MAIN_SEPARATOR) || Path::new(plugin).is_file();
    Ok(if is_path { PathBuf::from(plugin) } else { providers.path_of(plugin)? })
}

/// A plugin as it describes itself, without running any of it.
///
/// # Errors
/// When there is no such plugin, or it can't be read.
pub fn inspect_plugin(providers: &Providers, plugin: &str) -> Result<Inspected, Failure> {
    match plugin_path(providers, plugin) {
        Ok(path) => Ok(providers.inspect(&path)?),
        // A built-in plugin has a manifest but no file.
        Err(failure) => providers.built_in_named(plugin).ok_or(failure),
    }
}

/// Allows a plugin to run. What it asks for is reported first, so that it is known what is trusted even if the lock file
/// can't be written.
///
/// # Errors
/// When there is no such plugin, or the lock file can't be written.
pub fn trust_plugin(
    providers: &Providers,
    plugin: &str,
    output: &mut Streams,
) -> Result<(Inspected, Vec<String>), Failure> {
    let path = plugin_path(providers, plugin)?;
    let inspected = providers.inspect(&path)?;
    asked_for(&inspected).iter().for_each(|line| output.say(line));
    let trusted = providers.trust(&path)?;
    if trusted.plugin.digest != inspected.digest {
        return Err(Failure::broken("the file changed while it was being trusted")
            .help("look at it again with `loopctl plugin inspect`, then trust it"));
    }
    let mut done: Vec<String> =
        trusted.replaced.iter().map(|before| format!("the digest before was {before}")).collect();
    done.push(format!("may run from here on; written to `{}`", trusted.lock_file.shown()));
    Ok((trusted.plugin, done))
}

/// Describes the plugin that is about to be trusted, and what it asks for.
fn asked_for(plugin: &Inspected) -> Vec<String> {
    let manifest = &plugin.manifest;
    let list = |what: &str, names: &[String]| {
        let listed = listed(names.iter().map(|name| sanitize_line(name)));
        (!names.is_empty()).then(|| format!("  it asks for {what}: {listed}"))
    };
    let [name, version, about] =
        [&manifest.name, &manifest.version, &manifest.description].map(|text| sanitize_line(text));
    let mut lines = vec![format!("`{name}` {version}: {about}"), format!("  sha256 {}", plugin.digest)];
    lines.extend(list("the secrets", &manifest.secrets));
    lines.extend(list("the hosts", &manifest.hosts));
    let endpoints = manifest.endpoints.iter().filter_map(|endpoint| endpoint.base_url.clone());
    lines.extend(list("the addresses", &endpoints.collect::<Vec<_>>()));
    if manifest.runs_programs() {
        lines.push("  it runs programs of this machine, when `--allow-commands` is given".to_owned());
    }
    lines
}

/// The plugins for people.
pub fn plugin_list_text(plugins: &[ProviderEntry], paint: Paint) -> String {
    let entry = |entry: &ProviderEntry| {
        let about = match &entry.plugin {
            Ok(plugin) => {
                let trust = match plugin.trust {
                    TrustState::Installation => "part of the installation",
                    TrustState::Locked => "trusted",
                    TrustState::Untrusted { .. } => "NOT trusted",
                    TrustState::Changed { .. } => "CHANGED since it was trusted",
                };
                format!("{}  {trust}  {}", plugin.manifest.version, plugin.manifest.description)
            }
            Err(error) => format!("unusable: {error}"),
        };
        let shadowed = if entry.used { "" } else { "not used, the one above comes first  " };
        let path = paint.faint(&entry.path.shown());
        format!("{:<12}  {shadowed}{about}\n{:<12}  {path}\n", entry.name, "")
    };
    plugins.iter().map(entry).collect()
}

/// The plugins for programs.
pub fn plugin_list_json(plugins: &[ProviderEntry]) -> Value {
    let entry = |entry: &ProviderEntry| {
        let mut about = match &entry.plugin {
            Ok(plugin) => plugin_json(plugin),
            Err(error) => {
                json!({"name": entry.name, "path": path_text(&entry.path), "problem": error.to_string()})
            }
        };
        if let Some(members) = about.as_object_mut() {
            members.insert("used".to_owned(), json!(entry.used));
        }
        about
    };
    plugins.iter().map(entry).collect()
}

/// A plugin for programs.
pub fn plugin_json(plugin: &Inspected) -> Value {
    let (trust, why) = match &plugin.trust {
        TrustState::Installation => ("installation", None),
        TrustState::Locked => ("locked", None),
        TrustState::Untrusted { reason } => ("untrusted", Some(reason.clone())),
        TrustState::Changed { expected } => {
            ("changed", Some(format!("the lock file has the digest {expected}")))
        }
    };
    json!({
        "name": plugin.manifest.name,
        "path": path_text(&plugin.path),
        "sha256": plugin.digest,
        "trust": trust,
        "why": why,
        "manifest": plugin.manifest,
    })
}

/// The configuration that settings `KEY=VALUE` make, showing problems.
///
/// # Errors
/// When one can't be read.
pub fn plugin_config(settings: &[String], output: &mut Streams) -> Result<Value, Failure> {
    let mut problems = Problems::new();
    let file = SourceFile::new("--config", "");
    let mut root = Node { span: Span::new(&file, 0, 0), data: Data::Map(Vec::new()) };
    for setting in settings {
        if let Some(setting) = Override::from_flag(setting, &mut problems) {
            setting.apply(&mut root, &mut problems);
        }
    }
    output.show(&problems);
    if problems.has_errors() { Err(Failure::shown(ExitStatus::Usage)) } else { Ok(root.to_json()) }
}
