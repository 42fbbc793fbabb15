//! From the arguments that name a profile to a compiled plan.

use crate::context::{Context, PRICES};
use crate::profile::Library;
use crate::profiles::SelectedProfile;
use crate::provider::Providers;
use crate::requests::ProfileSpec;
use crate::streams::Streams;
use crate::value::ShownPath;
use crate::value::{path_text, sanitize_line};
use clap::Args;
use std::path::PathBuf;
use std::sync::OnceLock;

/// The profile with the settings laid over it, for a verb that makes no calls.
#[derive(Args, Clone)]
pub(super) struct PolicyArguments {
    /// Profile by name or path
    #[arg(long, short, default_value = "balanced", env = "LOOPCTL_PROFILE", value_parser = or_default)]
    profile: String,
    /// Set a key of the profile, such as `accept.overall=0.9` (repeatable)
    #[arg(long = "config", value_name = "KEY=VALUE")]
    settings: Vec<String>,
}

impl PolicyArguments {
    /// The profile that they select.
    pub(super) fn selected(&self) -> SelectedProfile {
        SelectedProfile::of(&self.profile, &self.settings)
    }
}

/// The permissions and prices of calls.
#[derive(Args, Clone)]
pub(super) struct CallArguments {
    /// Let the profile run programs on this machine: its validators, and those that the provider `command` runs
    #[arg(long)]
    pub(super) allow_commands: bool,
    /// Model prices that take precedence over `prices.yaml` here, in $LOOPCTL_HOME and in loopctl itself [env:
    /// LOOPCTL_PRICES]
    #[arg(long, value_name = "FILE")]
    pub(super) prices: Option<PathBuf>,
}

/// The profile with the settings laid over it.
#[derive(Args, Clone)]
pub(super) struct ProfileArguments {
    /// Profile by name or path
    #[arg(long, short, default_value = "balanced", env = "LOOPCTL_PROFILE", value_parser = or_default)]
    profile: String,
    #[command(flatten)]
    over: OverrideArguments,
}

/// The settings laid over a profile.
#[derive(Args, Clone, Default)]
pub(super) struct OverrideArguments {
    /// Set a key of the profile, such as `accept.overall=0.9` (repeatable)
    #[arg(long = "config", value_name = "KEY=VALUE")]
    settings: Vec<String>,
    /// Set a variable of the profile's prompts to a literal text (repeatable)
    #[arg(long = "var", value_name = "NAME=TEXT")]
    variables: Vec<String>,
    /// Provider plugin by name or path, with an optional `:model`, for every stage
    #[arg(long)]
    provider: Option<String>,
    /// Provider plugin for every judge, such as `openai:gpt-x`; `none` to do without
    #[arg(long)]
    judge: Option<String>,
    /// A setting of the provider plugin, such as `file=answers.yaml` (repeatable)
    #[arg(long, value_name = "KEY=VALUE")]
    provider_config: Vec<String>,
}

/// An empty variable counts as one that is not set.
#[expect(clippy::unnecessary_wraps, reason = "the signature of a value parser")]
pub(super) fn or_default(name: &str) -> Result<String, std::convert::Infallible> {
    Ok(if name.is_empty() { "balanced".to_owned() } else { name.to_owned() })
}

/// The surroundings of this process, with the folder where it began.
pub(super) fn context() -> &'static Context {
    static CONTEXT: OnceLock<Context> = OnceLock::new();
    CONTEXT.get_or_init(|| {
        let folder = std::env::current_dir().unwrap_or_default();
        Context::new(
            folder,
            |name| std::env::var_os(name),
            std::env::current_exe().ok(),
            jiff::Timestamp::now,
        )
    })
}

/// The library of the working directory, `$LOOPCTL_HOME` and the embedded files.
pub(super) fn library() -> Library {
    context().library()
}

/// Reports that the working directory has prices of its own: the folder may come from someone else.
pub(super) fn say_whose_prices_hold(output: &mut Streams) {
    let Ok(folder) = std::env::current_dir() else { return };
    if context().home().as_deref() != Some(&folder) && folder.join(PRICES).is_file() {
        let (word, file) = (output.err_paint.warn("note:"), folder.join(PRICES));
        let file = sanitize_line(&path_text(&file));
        output.say(&format!("{word} what calls cost is counted by `{file}`, where it has a price"));
    }
}

/// Every provider plugin that this process may use, with a warning if a folder to search does not exist.
pub(super) fn providers_or_warn(output: &mut Streams) -> Providers {
    for folder in context().plugin_paths().missing() {
        let word = output.err_paint.warn("warning:");
        let folder = sanitize_line(&folder.shown());
        output.say(&format!("{word} there is no folder `{folder}`, which `LOOPCTL_PLUGIN_PATH` names"));
    }
    context().providers()
}

impl ProfileArguments {
    /// The profile that they select.
    pub(super) fn selected(&self) -> SelectedProfile {
        self.over.on(&self.profile)
    }
}

impl OverrideArguments {
    /// Returns whether nothing overrides the profile.
    pub(super) fn is_empty(&self) -> bool {
        self.on("").spec == ProfileSpec::default()
    }

    /// A profile with these settings laid over it.
    pub(super) fn on(&self, profile: &str) -> SelectedProfile {
        let spec = ProfileSpec {
            name: profile.to_owned(),
            settings: self.settings.clone(),
            variables: self.variables.clone(),
            provider: self.provider.clone(),
            judge: self.judge.clone(),
            provider_config: self.provider_config.clone(),
        };
        SelectedProfile { spec, ..SelectedProfile::default() }
    }
}
