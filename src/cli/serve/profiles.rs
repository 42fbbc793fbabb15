//! Profiles as the command line finds them, for the service.

use super::super::loading::{CallArguments, ProfileArguments, home, library, library_in, prices, providers};
use super::super::recorded_command::{recorded_arguments, recorded_folder};
use super::super::recorded_run::texts_digest_of;
use super::super::run::{settings_of, usual_jobs};
use crate::diag::{Code, Problem, Problems};
use crate::experiment::calibrate::Basis;
use crate::lint::check_foreign;
use crate::plan::Plan;
use crate::profile::{FileTracker, available, load};
use crate::provider::{Prices, Providers};
use crate::run::{Candidates, Consultant, OpenError, open_panel, open_stages};
use crate::serve::{CompiledProfile, ProfileRequest, ProfileSource, RecordedProfile};
use crate::store::StoredRun;
use crate::value::{path_of, path_text, sanitize_line};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// What a profile is called that is in no file yet.
const CHECKED: &str = "checked";

/// Profiles with what the arguments of `serve` lay over each.
pub(super) struct ServedProfiles {
    /// Whose name is replaced by the one that is asked for.
    arguments: ProfileArguments,
    allow_commands: bool,
    pub(super) prices: Prices,
    /// Found where the program was when it was started: an upgrade puts another file in its place, and the system then says that there
    /// is none.
    providers: Providers,
    /// Where the documents are.
    uploads: PathBuf,
}

impl ServedProfiles {
    /// Those that are found from the working directory. Problems of the price tables are pushed.
    pub(super) fn new(
        arguments: ProfileArguments,
        calls: &CallArguments,
        uploads: PathBuf,
        problems: &mut Problems,
    ) -> Self {
        let prices = prices(calls.prices.as_deref(), problems);
        let providers = providers();
        ServedProfiles { arguments, allow_commands: calls.allow_commands, prices, providers, uploads }
    }

    pub(super) fn arguments_of(&self, request: &ProfileRequest) -> ProfileArguments {
        let mut arguments = ProfileArguments { profile: request.name.clone(), ..self.arguments.clone() };
        arguments.settings.extend(request.settings.iter().cloned());
        arguments
    }
}

impl ProfileSource for ServedProfiles {
    fn names(&self) -> Vec<String> {
        available(&library())
    }

    fn compile(&self, request: &ProfileRequest) -> Result<CompiledProfile, Problems> {
        let mut problems = Problems::new();
        let notes = FileTracker::default();
        let arguments = self.arguments_of(request);
        let plan = arguments.compile(&library().noted_in(&notes), &[], &mut problems);
        let (reached, named) = (notes.take(), Path::new(&arguments.profile));
        let Some(plan) = plan else { return Err(problems) };
        if let Some(name) = plan.unset_variables.first() {
            let message =
                format!("the prompt of the profile `{}` needs the variable `{name}`", plan.profile.name);
            let help = format!("start the service with `--var {name}=TEXT`");
            problems.push(Problem::placeless(Code::Conflict, message).help(help));
            return Err(problems);
        }
        let files_digest = reached.digest(named);
        let loaded = arguments.loaded_from(&library(), &[]);
        let texts_digest = loaded.map(|loaded| texts_digest_of(&loaded, &reached, named)).unwrap_or_default();
        let basis = Basis::of(&plan.profile, &reached, named);
        let command = arguments.command(self.allow_commands, &self.uploads);
        let settings = settings_of(&plan, &command, (&files_digest, &texts_digest, &basis));
        Ok(CompiledProfile { plan: Arc::new(plan), files_digest, reached, settings })
    }

    fn check_text(&self, yaml: &str) -> Problems {
        let mut problems = Problems::new();
        let library = library().holding(&format!("profiles/{CHECKED}.yaml"), yaml).confined();
        // Neither what the service was started with nor the environment is laid over it: what is said of it would tell them.
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

    fn of_run(&self, run: &StoredRun) -> RecordedProfile {
        let gone = |differs: String| RecordedProfile { plan: None, differs: Some(differs) };
        let Some(arguments) = recorded_arguments(&run.record.settings) else {
            return gone("the journal does not say which profile the run had".to_owned());
        };
        let folder = recorded_folder(&run.record.settings);
        let arguments = in_folder(arguments.profile(), folder.as_deref());
        let name = sanitize_line(&run.record.profile);
        let notes = FileTracker::default();
        let roots = folder.into_iter().chain(home()).collect();
        let library = library_in(roots).noted_in(&notes);
        let Some(plan) = arguments.compile(&library, &[], &mut Problems::new()) else {
            return gone(format!("the profile `{name}` can't be used any more"));
        };
        let files_digest = notes.take().digest(Path::new(&arguments.profile));
        let recorded = run.record.settings.get("files_digest").and_then(Value::as_str);
        let is_as_it_was = plan.profile.digest == run.record.profile_digest
            && recorded.is_none_or(|digest| digest == files_digest);
        let differs = (!is_as_it_was)
            .then(|| format!("the profile `{name}`, or a file that it reaches, has changed since the run"));
        RecordedProfile { plan: Some(Arc::new(plan)), differs }
    }

    fn open(&self, plan: &Plan) -> Result<(Candidates, Vec<Consultant>), OpenError> {
        let providers = self
            .providers
            .clone()
            .with_programs_allowed(self.allow_commands)
            .with_prices(self.prices.clone())
            .with_network(plan.profile.network.clone());
        Ok((open_stages(&providers, plan)?, open_panel(&providers, plan, self.allow_commands)?))
    }

    fn usual_jobs(&self, plan: &Plan, candidates: &Candidates, consultants: &[Consultant]) -> usize {
        usual_jobs(plan, candidates, consultants, None)
    }
}

/// The same of a run that began in another folder.
pub(super) fn in_folder(arguments: &ProfileArguments, folder: Option<&Path>) -> ProfileArguments {
    let mut arguments = arguments.clone();
    let is_path = arguments.profile.contains(['/', '\\', '.']);
    if let (Some(folder), true) = (folder, is_path) {
        arguments.profile = path_text(&folder.join(path_of(&arguments.profile))).into_owned();
    }
    arguments
}
