//! From the arguments that name a profile to a compiled plan.

use super::contained_reader;
use super::passwords::PASSWORD_VARIABLE;
use crate::context::Context;
use crate::ingest::DocumentReader;
use crate::profile::{Ingest, Library};
use crate::profiles::SelectedProfile;
use crate::requests::ProfileSpec;
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
        let executable = std::env::current_exe().ok();
        let reader = executable.clone().map_or_else(DocumentReader::in_process, contained_reader::start_with);
        let password = std::env::var(PASSWORD_VARIABLE).ok().filter(|password| !password.is_empty());
        Context::new(folder, |name| std::env::var_os(name), executable, jiff::Timestamp::now).with_reader(
            reader.with_passwords(password.into_iter().collect()).with_ingest(&Ingest::default()),
        )
    })
}

/// The library of the working directory, `$LOOPCTL_HOME` and the embedded files.
pub(super) fn library() -> Library {
    context().library()
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
