//! From the arguments that name a profile to a compiled plan.

use super::hint::quoted;
use crate::context::{Context, PRICES};
use crate::diag::{Problems, nearest};
use crate::failure::{ExitStatus, Failure};
use crate::plan::Plan;
use crate::profile::{Library, Loaded, Settings};
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
    /// Converts these to all arguments of a profile.
    pub(super) fn profile(&self) -> ProfileArguments {
        ProfileArguments::of(&self.profile, &self.settings)
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
    pub(super) profile: String,
    /// Set a key of the profile, such as `accept.overall=0.9` (repeatable)
    #[arg(long = "config", value_name = "KEY=VALUE")]
    pub(super) settings: Vec<String>,
    /// Set a variable of the profile's prompts to a literal text (repeatable)
    #[arg(long = "var", value_name = "NAME=TEXT")]
    pub(super) variables: Vec<String>,
    /// Provider plugin by name or path, with an optional `:model`, for every stage
    #[arg(long)]
    pub(super) provider: Option<String>,
    /// Provider plugin for every judge, such as `openai:gpt-x`; `none` to do without
    #[arg(long)]
    pub(super) judge: Option<String>,
    /// A setting of the provider plugin, such as `file=answers.yaml` (repeatable)
    #[arg(long, value_name = "KEY=VALUE")]
    pub(super) provider_config: Vec<String>,
    /// `true` if they come from a run's record, and not from the user who runs the program.
    #[arg(skip)]
    pub(super) is_recorded: bool,
    /// The arguments by which this user overrides those of a record.
    #[arg(skip)]
    pub(super) again: Option<Box<ProfileArguments>>,
}

/// An empty variable counts as one that is not set.
#[expect(clippy::unnecessary_wraps, reason = "the signature of a value parser")]
pub(super) fn or_default(name: &str) -> Result<String, std::convert::Infallible> {
    Ok(if name.is_empty() { "balanced".to_owned() } else { name.to_owned() })
}

/// The profile that `run` uses if none is named, for a verb that needs one only with certain flags.
pub(super) fn usual_profile() -> String {
    let named = std::env::var("LOOPCTL_PROFILE").unwrap_or_default();
    if named.is_empty() { "balanced".to_owned() } else { named }
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
    /// A profile with settings laid over it.
    pub(super) fn of(profile: &str, settings: &[String]) -> Self {
        Self::of_spec(ProfileSpec {
            name: profile.to_owned(),
            settings: settings.to_vec(),
            ..ProfileSpec::default()
        })
    }

    /// A profile as a request names it.
    pub(super) fn of_spec(spec: ProfileSpec) -> Self {
        ProfileArguments {
            profile: spec.name,
            settings: spec.settings,
            variables: spec.variables,
            provider: spec.provider,
            judge: spec.judge,
            provider_config: spec.provider_config,
            is_recorded: false,
            again: None,
        }
    }

    /// A profile that was selected before.
    pub(super) fn of_selected(selected: SelectedProfile) -> Self {
        let again = selected.again.map(|again| Box::new(Self::of_selected(*again)));
        ProfileArguments { is_recorded: selected.is_recorded, again, ..Self::of_spec(selected.spec) }
    }

    /// The profile as a request names it.
    pub(super) fn spec(&self) -> ProfileSpec {
        ProfileSpec {
            name: self.profile.clone(),
            settings: self.settings.clone(),
            variables: self.variables.clone(),
            provider: self.provider.clone(),
            judge: self.judge.clone(),
            provider_config: self.provider_config.clone(),
        }
    }

    /// Returns these arguments with the providers, judges and variables of a recorded run's command.
    pub(super) fn asking_as(self, recorded: &ProfileArguments) -> Self {
        ProfileArguments {
            provider: recorded.provider.clone(),
            judge: recorded.judge.clone(),
            provider_config: recorded.provider_config.clone(),
            variables: recorded.variables.clone(),
            is_recorded: true,
            ..self
        }
    }

    /// The flags besides the profile's name, as they are written; none of a budget.
    pub(super) fn written(&self) -> String {
        let settings = self.settings.iter().filter(|setting| !setting.starts_with("budget.")).cloned();
        let without = ProfileArguments { settings: settings.collect(), ..self.clone() };
        without.words().iter().map(|word| quoted(word)).collect::<Vec<_>>().join(" ")
    }

    fn words(&self) -> Vec<String> {
        let flags = [
            ("--config", self.settings.as_slice()),
            ("--var", self.variables.as_slice()),
            ("--provider", self.provider.as_slice()),
            ("--judge", self.judge.as_slice()),
            ("--provider-config", self.provider_config.as_slice()),
        ];
        let words = |(flag, values): (&str, &[String])| {
            values.iter().flat_map(|value| [flag.to_owned(), value.clone()]).collect::<Vec<_>>()
        };
        flags.into_iter().flat_map(words).collect()
    }

    /// The profile that they select.
    pub(super) fn selected(&self) -> SelectedProfile {
        SelectedProfile {
            spec: self.spec(),
            is_recorded: self.is_recorded,
            again: self.again.as_ref().map(|again| Box::new(again.selected())),
        }
    }

    /// Loads the profile as far as it can be read. Problems are pushed.
    pub(super) fn load(&self, forced: &[&str], problems: &mut Problems) -> Option<Loaded> {
        self.load_from(&library(), forced, problems)
    }

    /// Like [`Self::load`], from another library and without reporting problems, which were reported before.
    pub(super) fn loaded_from(&self, library: &Library, forced: &[&str]) -> Option<Loaded> {
        self.load_from(library, forced, &mut Problems::new())
    }

    pub(super) fn load_from(
        &self,
        library: &Library,
        forced: &[&str],
        problems: &mut Problems,
    ) -> Option<Loaded> {
        self.selected().load(context(), library, forced, problems)
    }

    /// Loads and compiles the profile; none is returned with errors. Problems are pushed.
    pub(super) fn compile(
        &self,
        library: &Library,
        forced: &[&str],
        problems: &mut Problems,
    ) -> Option<Plan> {
        self.selected().compile(context(), library, forced, problems)
    }

    /// Merges the profile's settings without checking them. Problems are pushed.
    pub(super) fn settings(&self, problems: &mut Problems) -> Option<Settings> {
        self.selected().settings(context(), problems)
    }

    /// Loads and compiles the profile, showing every problem.
    pub(super) fn plan(&self, forced: &[&str], output: &mut Streams) -> Result<Plan, Failure> {
        self.plan_from(&library(), forced, output)
    }

    /// Like [`Self::plan`], from another library than the usual one.
    pub(super) fn plan_from(
        &self,
        library: &Library,
        forced: &[&str],
        output: &mut Streams,
    ) -> Result<Plan, Failure> {
        let mut problems = Problems::new();
        let plan = self.compile(library, forced, &mut problems);
        self.shown(plan, &problems, output)
    }

    /// Like [`Self::plan_from`], for scoring only.
    pub(super) fn plan_to_score(&self, library: &Library, output: &mut Streams) -> Result<Plan, Failure> {
        let mut problems = Problems::new();
        let loaded = self.load_from(library, &[], &mut problems);
        let plan = loaded.and_then(|loaded| Plan::compile_to_score(&loaded, &mut problems));
        self.shown(plan.filter(|_| !problems.has_errors()), &problems, output)
    }

    /// Shows the problems of reading the profile; a failure unless something was `read`.
    pub(super) fn shown<T>(
        &self,
        read: Option<T>,
        problems: &Problems,
        output: &mut Streams,
    ) -> Result<T, Failure> {
        output.show(problems);
        match read {
            Some(read) => Ok(read),
            None => {
                let count = problems.error_count();
                let errors = if count == 1 { "1 error".to_owned() } else { format!("{count} errors") };
                Err(Failure {
                    message: format!("the profile `{}` can't be used: {errors}", self.profile),
                    help: None,
                    exit: ExitStatus::Usage,
                })
            }
        }
    }
}

/// Checks the argument of `--type`.
pub(super) fn known_type(plan: &Plan, document_type: &str) -> Result<String, Failure> {
    if plan.document_types().any(|known| known == document_type) {
        return Ok(document_type.to_owned());
    }
    let list = plan.document_types().map(|t| format!("`{t}`")).collect::<Vec<_>>().join(", ");
    let help = match nearest(document_type, plan.document_types()) {
        Some(guess) => format!("did you mean `{guess}`? Known: {list}"),
        None => format!("known: {list}"),
    };
    Err(Failure::usage(format!("no document type is called `{document_type}`")).help(help))
}
