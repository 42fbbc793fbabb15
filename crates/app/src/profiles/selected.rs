//! A profile as a user or a recorded run selects it, read with the settings laid over it.

use crate::context::Context;
use crate::diag::{Code, Problem, Problems, SourceFile, Span};
use crate::lint::FileKind;
use crate::plan::Plan;
use crate::profile::{Library, Loaded, Override, Settings, load, read_text_file, settings};
use crate::requests::ProfileSpec;
use crate::shell::quoted;
use crate::value::yaml;
use std::path::Path;

/// A profile with the settings laid over it, and their source: this user, or the record of a run.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct SelectedProfile {
    /// The profile and the settings laid over it.
    pub spec: ProfileSpec,
    /// `true` if they come from a run's record, and not from the user who runs the program: such settings grant no permission.
    pub is_recorded: bool,
    /// The settings by which this user overrides those of a record.
    pub again: Option<Box<SelectedProfile>>,
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

impl SelectedProfile {
    /// A profile with settings laid over it.
    pub fn of(name: &str, settings: &[String]) -> Self {
        let spec =
            ProfileSpec { name: name.to_owned(), settings: settings.to_vec(), ..ProfileSpec::default() };
        SelectedProfile { spec, ..SelectedProfile::default() }
    }

    /// The profile that the record of a run names.
    pub fn recorded(spec: ProfileSpec) -> Self {
        SelectedProfile { spec, is_recorded: true, again: None }
    }

    /// The profile's name or path.
    pub fn name(&self) -> &str {
        &self.spec.name
    }

    /// Returns this profile with the providers, judges and variables of a recorded run's request.
    #[must_use]
    pub fn asking_as(mut self, recorded: &ProfileSpec) -> Self {
        let ProfileSpec { variables, provider, judge, provider_config, .. } = recorded.clone();
        self.spec = ProfileSpec { variables, provider, judge, provider_config, ..self.spec };
        self.is_recorded = true;
        self
    }

    /// The flags besides the profile's name, as they are written; none of a budget.
    pub fn written(&self) -> String {
        let ProfileSpec { settings, variables, provider, judge, provider_config, .. } = &self.spec;
        let settings = settings.iter().filter(|setting| !setting.starts_with("budget."));
        let flags = settings
            .map(|setting| ("--config", setting))
            .chain(variables.iter().map(|variable| ("--var", variable)))
            .chain(provider.iter().map(|provider| ("--provider", provider)))
            .chain(judge.iter().map(|judge| ("--judge", judge)))
            .chain(provider_config.iter().map(|setting| ("--provider-config", setting)));
        flags.map(|(flag, value)| format!("{flag} {}", quoted(value))).collect::<Vec<_>>().join(" ")
    }

    /// The overrides: environment, then flags, then `forced`; later ones win.
    fn overrides(&self, context: &Context, forced: &[&str], problems: &mut Problems) -> Vec<Override> {
        let mut overrides = Override::from_environment(&|name| context.variable(name));
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
        let ProfileSpec { settings, variables, provider, judge, provider_config, .. } = &self.spec;
        let mut overrides = Vec::new();
        let flags = settings.iter().map(String::as_str).chain(forced.iter().copied());
        overrides.extend(flags.filter_map(|flag| Override::from_flag(flag, problems)));
        for variable in variables {
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
        if let Some(provider) = provider {
            overrides.push(Override::from_option("--provider", &["stages", "*", "provider"], provider));
        }
        if let Some(judge) = judge {
            overrides.push(Override::from_option("--judge", &["judges", "*", "provider"], judge));
        }
        for setting in provider_config {
            let path = format!("stages.*.config.{setting}");
            overrides.extend(Override::from_flag(&path, problems));
        }
        overrides
    }

    /// Loads the profile from a library as far as it can be read. Problems are pushed.
    pub fn load(
        &self,
        context: &Context,
        library: &Library,
        forced: &[&str],
        problems: &mut Problems,
    ) -> Option<Loaded> {
        let overrides = self.overrides(context, forced, problems);
        let mut found = Problems::new();
        let loaded = load(&self.spec.name, library, &overrides, &|name| context.variable(name), &mut found);
        let another = found.has_errors().then(|| another_kind(&self.spec.name)).flatten();
        let is_another = another.is_some();
        match another {
            Some(problem) => problems.push(problem),
            None => problems.extend(found),
        }
        loaded.filter(|_| !is_another)
    }

    /// Loads and compiles the profile; none is returned with errors. Problems are pushed.
    pub fn compile(
        &self,
        context: &Context,
        library: &Library,
        forced: &[&str],
        problems: &mut Problems,
    ) -> Option<Plan> {
        let loaded = self.load(context, library, forced, problems)?;
        Plan::compile(&loaded, problems).filter(|_| !problems.has_errors())
    }

    /// Merges the profile's settings without checking them. Problems are pushed.
    pub fn settings(&self, context: &Context, problems: &mut Problems) -> Option<Settings> {
        if let Some(problem) = another_kind(&self.spec.name) {
            problems.push(problem);
            return None;
        }
        let overrides = self.overrides(context, &[], problems);
        let environment = |name: &str| context.variable(name);
        settings(&self.spec.name, &context.library(), &overrides, &environment, problems)
    }
}
