//! Profiles as the command line finds them, for the service.

use super::super::loading::{CallArguments, ProfileArguments, library, prices, providers};
use super::super::recorded_request::LocatedProfile;
use super::super::recorded_run::texts_digest_of;
use super::super::run::{settings_of, usual_jobs};
use crate::app::{RecordedPath, RunIdentity, RunRequest};
use crate::diag::{Code, Problem, Problems};
use crate::experiment::calibrate::Basis;
use crate::lint::check_foreign;
use crate::plan::Plan;
use crate::profile::{FileTracker, available, load};
use crate::provider::{Prices, Providers};
use crate::run::{Candidates, Consultant, OpenError, open_panel, open_stages};
use crate::serve::{CompiledProfile, ProfileRequest, ProfileSource, RecordedProfile};
use crate::store::StoredRun;
use crate::value::sanitize_line;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The name of a profile that is in no file yet.
const CHECKED: &str = "checked";

/// Profiles with what the arguments of `serve` lay over each.
pub(super) struct ServedProfiles {
    /// The arguments, in which the requested name replaces the profile's.
    arguments: ProfileArguments,
    allow_commands: bool,
    pub(super) prices: Prices,
    /// Found where the program was when it was started: an upgrade replaces its file, and the system then reports that
    /// there is none.
    providers: Providers,
    /// The folder of the documents.
    uploads: PathBuf,
}

impl ServedProfiles {
    /// The profiles found from the working directory. Problems of the price tables are pushed.
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
        let request = RunRequest {
            folder: std::env::current_dir().ok().as_deref().map(RecordedPath::from),
            inputs: vec![self.uploads.as_path().into()],
            allow_commands: self.allow_commands,
            ..RunRequest::of(arguments.spec())
        };
        let settings = settings_of(&plan, &request, (&files_digest, &texts_digest, &basis));
        Ok(CompiledProfile { plan: Arc::new(plan), files_digest, reached, settings })
    }

    fn check_text(&self, yaml: &str) -> Problems {
        let mut problems = Problems::new();
        let library = library().holding(&format!("profiles/{CHECKED}.yaml"), yaml).confined();
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

    fn of_run(&self, run: &StoredRun) -> RecordedProfile {
        let gone = |differs: String| RecordedProfile { plan: None, differs: Some(differs) };
        let Some(recorded) = LocatedProfile::of(&run.record.settings) else {
            return gone("the journal does not say which profile the run had".to_owned());
        };
        let name = sanitize_line(&run.record.profile);
        let notes = FileTracker::default();
        let library = recorded.library.noted_in(&notes);
        let Some(plan) = recorded.arguments.compile(&library, &[], &mut Problems::new()) else {
            return gone(format!("the profile `{name}` can't be used any more"));
        };
        let files_digest = notes.take().digest(Path::new(&recorded.arguments.profile));
        let identity = RunIdentity {
            profile_digest: &plan.profile.digest,
            files_digest: Some(&files_digest),
            texts_digest: None,
        };
        let was = RunIdentity::of_record(&run.record.profile_digest, &run.record.settings);
        let differs = (!identity.decides_as(&was))
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
