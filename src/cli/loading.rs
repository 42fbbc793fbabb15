//! From the arguments that name a profile to a compiled plan.

use super::exit::{Exit, Failure};
use super::hint::quoted;
use super::output::Output;
use crate::app::ProfileSpec;
use crate::diag::{Code, Problem, Problems, SourceFile, Span, nearest};
use crate::lint::FileKind;
use crate::plan::Plan;
use crate::profile::{Library, Loaded, Override, Settings, load, read_text_below, read_text_file, settings};
use crate::provider::{PluginPaths, Prices, Providers};
use crate::value::ShownPath;
use crate::value::{path_text, sanitize_line, yaml};
use clap::Args;
use std::path::{Path, PathBuf};
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

/// The folder of a user's own profiles, rules and plugins.
pub(super) fn home() -> Option<PathBuf> {
    std::env::var_os("LOOPCTL_HOME").filter(|home| !home.is_empty()).map(where_it_began)
}

/// Resolves a path of the environment in the folder where the process began, whatever folder a run's record has led to
/// since.
pub(super) fn where_it_began(path: impl Into<PathBuf>) -> PathBuf {
    static FOLDER: OnceLock<PathBuf> = OnceLock::new();
    FOLDER.get_or_init(|| std::env::current_dir().unwrap_or_default()).join(path.into())
}

/// Remembers the folder where the process began.
pub(super) fn note_folder() {
    where_it_began("");
}

/// The default folder of this user's journal and cache.
pub(super) fn state_folder() -> Option<PathBuf> {
    let variable = |name| std::env::var_os(name).filter(|v| !v.is_empty()).map(where_it_began);
    home()
        .or_else(|| variable("XDG_STATE_HOME").map(|state| state.join("loopctl")))
        .or_else(|| variable("HOME").map(|home| home.join(".local/state/loopctl")))
}

/// The locations searched for profiles, rules, prompts and schemas: the working directory, then `$LOOPCTL_HOME`, then
/// the embedded files.
pub(super) fn library() -> Library {
    library_in(std::iter::once(PathBuf::from(".")).chain(home()).collect())
}

/// The library of these folders and of the embedded files. The plugins on this machine tell what providers can do.
pub(super) fn library_in(roots: Vec<PathBuf>) -> Library {
    let answers = |name: &str| providers().find(name).ok().map(|plugin| plugin.manifest.answers_prompts());
    Library::new(roots).beside(answers)
}

/// The file of prices.
pub(super) const PRICES: &str = "prices.yaml";

/// The variable that names a price table if `--prices` does not.
const PRICES_VARIABLE: &str = "LOOPCTL_PRICES";

/// Loads the prices of models: from `file`, or the one that the environment names, then from `prices.yaml` in the
/// working directory and in `$LOOPCTL_HOME`, then those that ship with loopctl. Problems are pushed.
pub(super) fn prices(file: Option<&Path>, problems: &mut Problems) -> Prices {
    let usual = std::iter::once(PathBuf::new()).chain(home());
    let asked = std::env::var_os(PRICES_VARIABLE).filter(|name| !name.is_empty());
    let named = file.map(Path::to_path_buf).or(asked.map(where_it_began));
    let named = named.map(|path| read_text_file(&path));
    let usual = usual.filter_map(|folder| read_text_below(&folder, PRICES).transpose());
    let tables: Vec<Prices> = named
        .into_iter()
        .chain(usual)
        .filter_map(|read| match read {
            Ok(file) => Prices::parse(&file, problems),
            Err(problem) => {
                problems.push(problem);
                None
            }
        })
        .collect();
    tables.into_iter().rev().fold(Prices::shipped(), |farther, nearer| nearer.before(farther))
}

/// Reports that the working directory has prices of its own: the folder may come from someone else.
pub(super) fn say_whose_prices_hold(output: &mut Output) {
    let Ok(folder) = std::env::current_dir() else { return };
    if home().as_deref() != Some(&folder) && folder.join(PRICES).is_file() {
        let (word, file) = (output.err_paint.warn("note:"), folder.join(PRICES));
        let file = sanitize_line(&path_text(&file));
        output.say(&format!("{word} what calls cost is counted by `{file}`, where it has a price"));
    }
}

/// Every provider plugin that this process may use.
pub(super) fn providers() -> Providers {
    let mut paths = PluginPaths::from_env();
    paths.search = paths.search.into_iter().map(where_it_began).collect();
    paths.home = paths.home.map(where_it_began);
    Providers::new(paths)
}

/// Every provider plugin that this process may use, with a warning if a folder to search does not exist.
pub(super) fn providers_or_warn(output: &mut Output) -> Providers {
    for folder in PluginPaths::from_env().missing() {
        let word = output.err_paint.warn("warning:");
        let folder = sanitize_line(&folder.shown());
        output.say(&format!("{word} there is no folder `{folder}`, which `LOOPCTL_PLUGIN_PATH` names"));
    }
    providers()
}

fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok()
}

/// The problem of a path that leads to a file of another kind: each of its keys would be unknown in a profile.
fn another_kind(profile: &str) -> Option<Problem> {
    let path = Path::new(profile);
    let file = read_text_file(path).ok().filter(|_| profile.contains(['/', '\\', '.']))?;
    let kind = FileKind::of(path, &file);
    let what = match &kind {
        // Problems of rules name their location.
        Ok(FileKind::Profile | FileKind::Rules) => return None,
        Ok(kind) => format!("{}, not a profile", kind.what()),
        Err(_) => "no profile".to_owned(),
    };
    let root = yaml::parse(&file, &mut Problems::new());
    let has = |key: &&str| root.as_ref().is_some_and(|root| root.get(key).is_some());
    if ["accept", "assess", "stop"].iter().any(has) {
        return None;
    }
    let problem = Problem::placeless(Code::Conflict, format!("`{profile}` is {what}"));
    Some(problem.help("name a profile, or its file in `profiles/`; `loopctl profile list` lists them"))
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

    /// The overrides: environment, then flags, then `forced`; later ones win.
    fn overrides(&self, forced: &[&str], problems: &mut Problems) -> Vec<Override> {
        let mut overrides = Override::from_environment(&variable);
        let own = self.flags(forced, problems);
        if self.is_recorded {
            overrides.extend(own.into_iter().map(Override::recorded));
        } else {
            overrides.extend(own);
        }
        overrides.extend(self.again.iter().flat_map(|again| again.flags(&[], problems)));
        overrides
    }

    /// The overrides that the flags make.
    fn flags(&self, forced: &[&str], problems: &mut Problems) -> Vec<Override> {
        let mut overrides = Vec::new();
        let flags = self.settings.iter().map(String::as_str).chain(forced.iter().copied());
        overrides.extend(flags.filter_map(|flag| Override::from_flag(flag, problems)));
        for variable in &self.variables {
            match variable.split_once('=').map(|(name, text)| (name.trim(), text)) {
                Some((name, text)) if !name.is_empty() => {
                    overrides.push(Override::from_option("--var", &["variables", name], text));
                }
                _ => {
                    let file = SourceFile::new("--var", variable.as_str());
                    let span = Span::new(&file, 0, variable.len());
                    problems.push(
                        Problem::error(Code::BadOverride, &span, "a variable needs a name and a text")
                            .help("write `--var task='set the serial number to 12-345'`"),
                    );
                }
            }
        }
        if let Some(provider) = &self.provider {
            overrides.push(Override::from_option("--provider", &["stages", "*", "provider"], provider));
        }
        if let Some(judge) = &self.judge {
            overrides.push(Override::from_option("--judge", &["judges", "*", "provider"], judge));
        }
        for setting in &self.provider_config {
            let path = format!("stages.*.config.{setting}");
            overrides.extend(Override::from_flag(&path, problems));
        }
        overrides
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
        let overrides = self.overrides(forced, problems);
        let mut found = Problems::new();
        let loaded = load(&self.profile, library, &overrides, &variable, &mut found);
        let another = found.has_errors().then(|| another_kind(&self.profile)).flatten();
        let is_another = another.is_some();
        match another {
            Some(problem) => problems.push(problem),
            None => problems.extend(found),
        }
        loaded.filter(|_| !is_another)
    }

    /// Loads and compiles the profile; none is returned with errors. Problems are pushed.
    pub(super) fn compile(
        &self,
        library: &Library,
        forced: &[&str],
        problems: &mut Problems,
    ) -> Option<Plan> {
        let loaded = self.load_from(library, forced, problems)?;
        Plan::compile(&loaded, problems).filter(|_| !problems.has_errors())
    }

    /// Merges the profile's settings without checking them. Problems are pushed.
    pub(super) fn settings(&self, problems: &mut Problems) -> Option<Settings> {
        if let Some(problem) = another_kind(&self.profile) {
            problems.push(problem);
            return None;
        }
        let overrides = self.overrides(&[], problems);
        settings(&self.profile, &library(), &overrides, &variable, problems)
    }

    /// Loads and compiles the profile, showing every problem.
    pub(super) fn plan(&self, forced: &[&str], output: &mut Output) -> Result<Plan, Failure> {
        self.plan_from(&library(), forced, output)
    }

    /// Like [`Self::plan`], from another library than the usual one.
    pub(super) fn plan_from(
        &self,
        library: &Library,
        forced: &[&str],
        output: &mut Output,
    ) -> Result<Plan, Failure> {
        let mut problems = Problems::new();
        let plan = self.compile(library, forced, &mut problems);
        self.shown(plan, &problems, output)
    }

    /// Like [`Self::plan_from`], for scoring only.
    pub(super) fn plan_to_score(&self, library: &Library, output: &mut Output) -> Result<Plan, Failure> {
        let mut problems = Problems::new();
        let loaded = self.load_from(library, &[], &mut problems);
        let plan = loaded.and_then(|loaded| Plan::compile_to_score(&loaded, &mut problems));
        self.shown(plan.filter(|_| !problems.has_errors()), &problems, output)
    }

    fn shown(&self, plan: Option<Plan>, problems: &Problems, output: &mut Output) -> Result<Plan, Failure> {
        output.show(problems);
        match plan {
            Some(plan) => Ok(plan),
            None => {
                let count = problems.error_count();
                let errors = if count == 1 { "1 error".to_owned() } else { format!("{count} errors") };
                Err(Failure {
                    message: format!("the profile `{}` can't be used: {errors}", self.profile),
                    help: None,
                    exit: Exit::Usage,
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
