//! Profiles as the service knows them: by name, with the settings by which a submission may override theirs.

use crate::context::Context;
use crate::diag::{Code, Problem, Problems};
use crate::lint::check_foreign;
use crate::plan::Plan;
use crate::profile::{Reached, available, load};
use crate::provider::{Prices, Providers};
use crate::requests::{RunRequest, run_settings};
use crate::run::{Candidates, Consultant, OpenError, open_panel, open_stages};
use crate::store::StoredRun;
use loopctl_app::profiles::{ReachedProfile, RecordedProfile, SelectedProfile};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

/// The name of a profile that is in no file yet.
const CHECKED: &str = "checked";

/// A profile with the settings that a submission overrides.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub(crate) struct ProfileRequest {
    /// The profile's name; a path is none.
    pub name: String,
    /// Settings such as `accept.overall=0.9`.
    pub settings: Vec<String>,
}

impl ProfileRequest {
    /// A profile as it is.
    pub(crate) fn named(name: impl Into<String>) -> Self {
        ProfileRequest { name: name.into(), settings: Vec::new() }
    }
}

/// A profile that can be run.
#[derive(Clone)]
pub(crate) struct CompiledProfile {
    /// The profile with everything that it reaches.
    pub plan: Arc<Plan>,
    /// The digest of every file that it reaches beside profiles.
    pub files_digest: String,
    /// Every file that was inspected, to tell whether it is still as it was.
    pub reached: Reached,
    /// The settings in the record of a run, with which other verbs resume the run, explain it and try other policies on
    /// it.
    pub settings: Value,
}

impl CompiledProfile {
    /// Returns whether a file that it reaches has changed since, or has appeared where none was.
    pub(crate) fn has_changed(&self) -> bool {
        !self.reached.clone().changed().is_empty()
    }
}

/// The profiles of the folder in which the service was started, with the settings that its arguments override, and the
/// providers that they ask.
pub struct ServedProfiles {
    pub(crate) context: Context,
    /// The profile of documents that name none. Its settings override those of every profile.
    selected: SelectedProfile,
    allow_commands: bool,
    pub(crate) prices: Prices,
    /// Found where the program was when it was started: an upgrade replaces its file, and the system then reports that
    /// there is none.
    providers: Providers,
    /// The folder of the documents.
    uploads: PathBuf,
    /// The types of documents that pages suggest, once they were asked for.
    suggested_types: OnceLock<Vec<String>>,
}

impl ServedProfiles {
    /// The profiles found from the working directory, whose documents are below `uploads`. Programs of profiles are run
    /// only if `allow_commands`.
    pub fn new(
        context: Context,
        selected: SelectedProfile,
        prices: Prices,
        allow_commands: bool,
        uploads: PathBuf,
    ) -> Self {
        let providers = context.providers();
        let suggested_types = OnceLock::new();
        ServedProfiles { context, selected, allow_commands, prices, providers, uploads, suggested_types }
    }

    /// A profile with the settings that the service and a submission override.
    pub(crate) fn selected(&self, request: &ProfileRequest) -> SelectedProfile {
        let mut selected = self.selected.clone();
        selected.spec.name.clone_from(&request.name);
        selected.spec.settings.extend(request.settings.iter().cloned());
        selected
    }

    /// The names of all profiles, sorted.
    pub(crate) fn names(&self) -> Vec<String> {
        available(&self.context.library())
    }

    /// The types of documents of the profile that is used where none is named, as they were when this was first asked.
    pub(crate) fn suggested_types(&self, usual: &ProfileRequest) -> &[String] {
        self.suggested_types.get_or_init(|| match self.compile(usual) {
            Ok(compiled) => compiled.plan.document_types().map(str::to_owned).collect(),
            Err(_) => Vec::new(),
        })
    }

    /// Reads a profile with everything that it reaches.
    ///
    /// # Errors
    /// Everything that is wrong with it.
    pub(crate) fn compile(&self, request: &ProfileRequest) -> Result<CompiledProfile, Problems> {
        let mut problems = Problems::new();
        let selected = self.selected(request);
        let library = self.context.library();
        let reached = ReachedProfile::read(&self.context, &selected, &library, &[], &mut problems);
        let Some(profile) = reached else { return Err(problems) };
        let plan = &profile.plan;
        if let Some(name) = plan.unset_variables.first() {
            let message =
                format!("the prompt of the profile `{}` needs the variable `{name}`", plan.profile.name);
            let help = format!("start the service with `--var {name}=TEXT`");
            problems.push(Problem::placeless(Code::Conflict, message).help(help));
            return Err(problems);
        }
        let request = RunRequest {
            folder: Some(self.context.folder()).filter(|folder| *folder != Path::new("")).map(Into::into),
            inputs: vec![self.uploads.as_path().into()],
            allow_commands: self.allow_commands,
            ..RunRequest::of(selected.spec.clone())
        };
        let decided_by = profile.decided_by();
        Ok(CompiledProfile {
            settings: Value::Object(run_settings(plan, &request, &decided_by)),
            plan: Arc::new(profile.plan),
            files_digest: decided_by.files_digest,
            reached: profile.reached,
        })
    }

    /// Checks a profile that is in no file yet: everything that is wrong with it.
    pub(crate) fn check_text(&self, yaml: &str) -> Problems {
        let mut problems = Problems::new();
        let library = self.context.library().holding(&format!("profiles/{CHECKED}.yaml"), yaml).confined();
        // Neither the service's arguments nor the environment is laid over it: messages about it would reveal them.
        if let Some(loaded) = load(CHECKED, &library, &[], &|_| None, &mut problems) {
            check_foreign(&loaded, &self.providers, &mut problems);
        }
        problems.reword(|problem| match problem.code == Code::UnsetVariable {
            true => Problem {
                message: "a profile is checked here without the environment".to_owned(),
                ..problem
            }
            .help("give the variable a default, `${NAME:-value}`; `loopctl check` reads the environment"),
            false => problem,
        });
        problems
    }

    /// The profile of a run, as it is now.
    pub(crate) fn of_run(&self, run: &StoredRun) -> RecordedProfile {
        RecordedProfile::of_run(&self.context, run, &mut Problems::new())
    }

    /// Opens every provider and consultant that a profile asks.
    ///
    /// # Errors
    /// The one that can't be asked.
    pub(crate) fn open(&self, plan: &Plan) -> Result<(Candidates, Vec<Consultant>), OpenError> {
        let providers = self
            .providers
            .clone()
            .with_programs_allowed(self.allow_commands)
            .with_prices(self.prices.clone())
            .with_network(plan.profile.network.clone());
        Ok((open_stages(&providers, plan)?, open_panel(&providers, plan, self.allow_commands)?))
    }
}
