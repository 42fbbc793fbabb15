//! `loopctl plugin list|inspect|trust|check|new`.

use super::loading::context;
use super::plugin_check;
use super::plugin_new;
use super::result_format::result_format;
use crate::execution::providers_or_warn;
use crate::failure::{ExitStatus, Failure};
use crate::plugins::{
    inspect_plugin, plugin_json, plugin_list_json, plugin_list_text, plugin_path, trust_plugin,
};
use crate::requests::ResultFormat;
use crate::streams::Streams;
use clap::{Args, Subcommand};

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
    match &arguments.verb {
        PluginVerb::Check(arguments) => {
            let path = plugin_path(&providers, &arguments.plugin)?;
            return plugin_check::execute(arguments, &providers, &path, output);
        }
        PluginVerb::List { format } => {
            let plugins = providers.list();
            let text = |paint| plugin_list_text(&plugins, paint);
            output.write_answer(*format, text, || plugin_list_json(&plugins))?;
        }
        PluginVerb::Inspect { plugin } => {
            let inspected = inspect_plugin(&providers, plugin)?;
            output.write_json(&plugin_json(&inspected), ResultFormat::Json)?;
        }
        PluginVerb::Trust { plugin } => {
            let (trusted, done) = trust_plugin(&providers, plugin, output)?;
            output.write_json(&plugin_json(&trusted), ResultFormat::Json)?;
            done.iter().for_each(|line| output.say(line));
        }
        PluginVerb::New(arguments) => return plugin_new::execute(arguments, output),
    }
    Ok(ExitStatus::Success)
}
