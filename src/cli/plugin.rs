//! `loopctl plugin list|inspect|trust|check|new`.

use super::loading::context;
use super::plugin_check;
use super::plugin_new;
use super::result_format::result_format;
use crate::execution::providers_or_warn;
use crate::failure::{ExitStatus, Failure};
use crate::provider::{Inspected, ProviderEntry, TrustState};
use crate::requests::ResultFormat;
use crate::streams::Streams;
use crate::value::ShownPath;
use crate::value::{path_text, sanitize_line};
use clap::{Args, Subcommand};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

#[derive(Args)]
pub(super) struct Arguments {
    #[command(subcommand)]
    verb: PluginVerb,
}

#[derive(Subcommand)]
enum PluginVerb {
    /// List every plugin that can be found, and whether it may run
    List {
        /// Format of the list
        #[arg(long, value_parser = result_format(), default_value = "text")]
        format: ResultFormat,
    },
    /// Show what a plugin says about itself, without running any of it
    Inspect {
        /// Name or path
        plugin: String,
    },
    /// Allow a plugin to run, by writing its digest to the lock file
    Trust {
        /// Name or path
        plugin: String,
    },
    /// Drive a plugin through the whole contract, and report which promises it breaks
    Check(plugin_check::Arguments),
    /// Create a plugin: a project that builds, with its tests
    New(plugin_new::Arguments),
}

pub(super) fn execute(arguments: &Arguments, output: &mut Streams) -> Result<ExitStatus, Failure> {
    let providers = providers_or_warn(context(), output);
    let path_of = |plugin: &str| -> Result<PathBuf, Failure> {
        Ok(if is_path(plugin) { PathBuf::from(plugin) } else { providers.path_of(plugin)? })
    };
    match &arguments.verb {
        PluginVerb::Check(arguments) => {
            return plugin_check::execute(arguments, &providers, &path_of(&arguments.plugin)?, output);
        }
        PluginVerb::List { format } => {
            let listed = providers.list();
            if *format != ResultFormat::Text {
                let all: Vec<Value> = listed.iter().map(in_list).collect();
                output.write_json(&all, *format)?;
                return Ok(ExitStatus::Success);
            }
            for entry in listed {
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
                writeln!(output.out, "{:<12}  {shadowed}{about}", entry.name)?;
                writeln!(output.out, "{:<12}  {}", "", output.out_paint.faint(&entry.path.shown()))?;
            }
        }
        PluginVerb::Inspect { plugin } => {
            let inspected = match path_of(plugin) {
                Ok(path) => providers.inspect(&path)?,
                // A built-in plugin has a manifest but no file.
                Err(failure) => providers.built_in_named(plugin).ok_or(failure)?,
            };
            writeln!(output.out, "{}", serde_json::to_string_pretty(&shown(&inspected)).unwrap_or_default())?;
        }
        PluginVerb::Trust { plugin } => {
            let path = path_of(plugin)?;
            // Reported first, so that it is known what is trusted even if the lock file can't be written.
            let inspected = providers.inspect(&path)?;
            for line in asked_for(&inspected) {
                output.say(&line);
            }
            let trusted = providers.trust(&path)?;
            if trusted.plugin.digest != inspected.digest {
                return Err(Failure::broken("the file changed while it was being trusted")
                    .help("look at it again with `loopctl plugin inspect`, then trust it"));
            }
            writeln!(
                output.out,
                "{}",
                serde_json::to_string_pretty(&shown(&trusted.plugin)).unwrap_or_default()
            )?;
            if let Some(before) = &trusted.replaced {
                output.say(&format!("the digest before was {before}"));
            }
            output.say(&format!("may run from here on; written to `{}`", trusted.lock_file.shown()));
        }
        PluginVerb::New(arguments) => return plugin_new::execute(arguments, output),
    }
    Ok(ExitStatus::Success)
}

/// Returns whether the argument names a file instead of a plugin.
fn is_path(plugin: &str) -> bool {
    plugin.contains(std::path::MAIN_SEPARATOR) || Path::new(plugin).is_file()
}

/// Describes the plugin that is about to be trusted, and what it asks for.
fn asked_for(plugin: &Inspected) -> Vec<String> {
    let manifest = &plugin.manifest;
    let list = |what: &str, names: &[String]| {
        let names: Vec<String> = names.iter().map(|name| format!("`{}`", sanitize_line(name))).collect();
        (!names.is_empty()).then(|| format!("  it asks for {what}: {}", names.join(", ")))
    };
    let mut lines = vec![
        format!(
            "`{}` {}: {}",
            sanitize_line(&manifest.name),
            sanitize_line(&manifest.version),
            sanitize_line(&manifest.description)
        ),
        format!("  sha256 {}", plugin.digest),
    ];
    lines.extend(list("the secrets", &manifest.secrets));
    lines.extend(list("the hosts", &manifest.hosts));
    let endpoints = manifest.endpoints.iter().filter_map(|endpoint| endpoint.base_url.clone());
    lines.extend(list("the addresses", &endpoints.collect::<Vec<_>>()));
    if manifest.runs_programs() {
        lines.push("  it runs programs of this machine, when `--allow-commands` is given".to_owned());
    }
    lines
}

/// An entry of the list as JSON.
fn in_list(entry: &ProviderEntry) -> Value {
    let mut about = match &entry.plugin {
        Ok(plugin) => shown(plugin),
        Err(error) => {
            json!({"name": entry.name, "path": path_text(&entry.path), "problem": error.to_string()})
        }
    };
    if let Some(about) = about.as_object_mut() {
        about.insert("used".to_owned(), json!(entry.used));
    }
    about
}

fn shown(plugin: &Inspected) -> Value {
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
        "path": plugin.path,
        "sha256": plugin.digest,
        "trust": trust,
        "why": why,
        "manifest": plugin.manifest,
    })
}
