//! `loopctl plugin new`: the beginning of a plugin.

use super::loading::context;
use crate::failure::{ExitStatus, Failure};
use crate::plugin_project::{PluginKind, PluginLanguage, PluginProjectRequest, new_plugin_project};
use crate::streams::Streams;
use clap::{Args, ValueEnum};
use std::path::PathBuf;

#[derive(Args)]
pub(super) struct Arguments {
    /// The plugin's name: lower-case letters, digits, `-` and `_`, beginning with a letter
    name: String,
    /// Language to write it in
    #[arg(long, value_enum)]
    lang: LanguageName,
    /// Kind of the plugin
    #[arg(long, value_enum, default_value = "http")]
    kind: KindName,
    /// Folder of the project, which is created [default: loopctl-NAME]
    #[arg(long, value_name = "DIR")]
    dir: Option<PathBuf>,
    /// Take the Rust SDK from this checkout of loopctl [default: the one that this loopctl was built in, else a copy of
    /// the SDK in the project]
    #[arg(long, value_name = "DIR")]
    sdk: Option<PathBuf>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum LanguageName {
    /// With the SDK
    Rust,
    /// With the header alone
    C,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum KindName {
    /// Translates to and from an HTTP API; loopctl does the networking
    Http,
    /// Makes the answers itself
    Direct,
}

pub(super) fn execute(arguments: &Arguments, output: &mut Streams) -> Result<ExitStatus, Failure> {
    let request = PluginProjectRequest {
        name: arguments.name.clone(),
        language: match arguments.lang {
            LanguageName::Rust => PluginLanguage::Rust,
            LanguageName::C => PluginLanguage::C,
        },
        kind: match arguments.kind {
            KindName::Http => PluginKind::Http,
            KindName::Direct => PluginKind::Direct,
        },
        folder: arguments.dir.clone(),
        sdk: arguments.sdk.clone(),
    };
    let project = new_plugin_project(&request, context())?;
    output.write_text(&project.text())?;
    Ok(ExitStatus::Success)
}
