//! An experiment with the profiles that its space is laid over.

use crate::context::Context;
use crate::diag::{Code, Problem, Problems};
use crate::experiment::sweep::{Candidate, Evaluation, Experiment, RecordedBy, Tried};
use crate::failure::Failure;
use crate::journals::{JournalSpec, find_run};
use crate::plan::Plan;
use crate::profile::{Override, Settings, check_settings, read_text_file};
use crate::profiles::SelectedProfile;
use crate::requests::RunRequest;
use crate::streams::Streams;
use crate::value::decode::Spanned;
use crate::value::prose::count;
use crate::value::{ShownPath, path_of, path_text};
use serde_json::{Map, Value};
use std::path::{Path, PathBuf};

/// A profile with the experiment's own settings laid over it.
struct Base {
    /// Its name in the experiment.
    name: String,
    /// The profile, as a request names it.
    selected: SelectedProfile,
    settings: Settings,
}

/// An experiment with its profiles and its reference.
pub(super) struct OpenExperiment<'a> {
    pub(super) experiment: Experiment,
    pub(super) context: &'a Context,
    /// The folder of its file: names of files are relative to it.
    pub(super) folder: PathBuf,
    /// The profiles that the space is laid over, and last that of the reference.
    bases: Vec<Base>,
}

/// A policy: the index of its profile, and its combination of settings of the space, which the reference has none of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct PolicyPlace {
    pub(super) profile: usize,
    pub(super) combination: Option<usize>,
}

impl PolicyPlace {
    /// The place of a policy of the space that was tried.
    pub(super) fn of(tried: &Tried) -> Self {
        PolicyPlace { profile: tried.profile, combination: Some(tried.combination) }
    }

    /// The policy with its evaluation.
    pub(super) fn tried(self, evaluation: Evaluation) -> Tried {
        Tried { profile: self.profile, combination: self.combination.unwrap_or_default(), evaluation }
    }
}

impl<'a> OpenExperiment<'a> {
    /// Reads an experiment and every profile. Problems are shown where it is named. Candidates of a recorded run came
    /// from the providers of its command, which hold for every profile.
    pub(super) fn read(file: &Path, context: &'a Context, output: &mut Streams) -> Result<Self, Failure> {
        let experiment = read_experiment(file, output)?;
        let folder = file.parent().unwrap_or(Path::new("")).to_path_buf();
        let recorded = recorded_profile(&experiment, &folder, context)?;
        let mut problems = Problems::new();
        let mut load =
            |name| Base::load(name, &experiment, &folder, recorded.as_ref(), context, &mut problems);
        let bases: Vec<Option<Base>> =
            experiment.profiles.iter().chain([&experiment.reference]).map(&mut load).collect();
        output.show(&problems);
        match bases.into_iter().collect() {
            Some(bases) if !problems.has_errors() => {
                Ok(OpenExperiment { experiment, context, folder, bases })
            }
            _ => Err(Failure::usage("a profile of the experiment can't be used")),
        }
    }

    /// Returns whether documents are run for the experiment.
    pub(super) fn is_fresh(&self) -> bool {
        !self.experiment.documents.fresh.is_empty()
    }

    /// Files that the experiment names.
    pub(super) fn files(&self, named: &[Spanned<String>]) -> Vec<PathBuf> {
        named.iter().map(|one| self.folder.join(&one.value)).collect()
    }

    /// The profiles and the reference, as the command line would name them.
    pub(super) fn selected(&self) -> impl Iterator<Item = &SelectedProfile> {
        self.bases.iter().map(|base| &base.selected)
    }

    /// The number of policies of the space.
    pub(super) fn policies(&self) -> usize {
        self.combinations().saturating_mul(self.reference().profile)
    }

    /// The policy of the space with this number.
    pub(super) fn place(&self, number: usize) -> PolicyPlace {
        let (profile, combination) = (number / self.combinations(), number % self.combinations());
        PolicyPlace { profile, combination: Some(combination) }
    }

    /// The reference.
    pub(super) fn reference(&self) -> PolicyPlace {
        PolicyPlace { profile: self.bases.len().saturating_sub(1), combination: None }
    }

    fn combinations(&self) -> usize {
        self.experiment.space.combinations().unwrap_or_default().max(1)
    }

    /// The name of a policy's profile.
    pub(super) fn name(&self, place: PolicyPlace) -> &str {
        self.bases.get(place.profile).map_or("", |base| base.name.as_str())
    }

    /// The name of a policy's profile, and its settings of the space.
    pub(super) fn named(&self, place: PolicyPlace) -> (String, Map<String, Value>) {
        let settings = place.combination.map(|combination| self.experiment.space.settings(combination));
        (self.name(place).to_owned(), settings.unwrap_or_default())
    }

    /// Returns whether the conditions hold for a policy. The error is the condition that has no answer.
    pub(super) fn is_wanted(&self, place: PolicyPlace) -> Result<bool, &Spanned<String>> {
        let Experiment { space, conditions, .. } = &self.experiment;
        space.is_wanted(self.name(place), place.combination.unwrap_or_default(), conditions)
    }

    /// Refuses a space with a value that makes the policies of a profile unusable, before anything is decided. With
    /// `recorded`, also one under which the run would have had other candidates.
    pub(super) fn check_values(
        &self,
        recorded: Option<&RecordedBy>,
        output: &mut Streams,
    ) -> Result<(), Failure> {
        for profile in 0..self.reference().profile {
            let (mut problems, mut own) = (Problems::new(), Problems::new());
            let is_usable = |combination: Option<usize>, problems: &mut Problems| {
                let place = PolicyPlace { profile, combination };
                match self.is_fresh() {
                    true => self.plan(place, problems).is_some(),
                    false => self.candidate(place, recorded, problems).is_some(),
                }
            };
            is_usable(None, &mut own);
            let name = self.name(PolicyPlace { profile, combination: None });
            self.experiment
                .check_values(name, &own, |one, problems| is_usable(Some(one), problems), &mut problems)
                .map_err(|condition| condition_without_answer(condition, output))?;
            if problems.has_errors() {
                output.show(&problems);
                if problems.iter().all(|problem| own.contains(problem)) {
                    return Err(Failure::usage(format!("the profile `{name}` can't be used")));
                }
                let message = format!("the space has values that `{name}` can't have");
                return Err(Failure::usage(message)
                    .help("correct them, or leave them out with this profile by `conditions`"));
            }
        }
        Ok(())
    }

    /// The reference as `build` makes it, showing every problem.
    pub(super) fn built_reference<T>(
        &self,
        build: impl FnOnce(PolicyPlace, &mut Problems) -> Option<T>,
        output: &mut Streams,
    ) -> Result<T, Failure> {
        let mut problems = Problems::new();
        let built = build(self.reference(), &mut problems);
        output.show(&problems);
        let name = self.name(self.reference());
        built.ok_or_else(|| Failure::usage(format!("the reference `{name}` can't be used")))
    }

    fn overrides(&self, place: PolicyPlace) -> impl Iterator<Item = &Override> {
        place.combination.into_iter().flat_map(|one| self.experiment.space.overrides(one))
    }

    /// The plan of a policy, for documents that are run; `None` with what is wrong in `problems`.
    pub(super) fn plan(&self, place: PolicyPlace, problems: &mut Problems) -> Option<Plan> {
        let settings = self.bases.get(place.profile)?.settings.with(self.overrides(place), problems);
        let loaded = check_settings(settings, problems)?;
        Plan::compile(&loaded, problems).filter(|_| !problems.has_errors())
    }

    /// A policy; `None` with what is wrong in `problems`.
    pub(super) fn candidate(
        &self,
        place: PolicyPlace,
        recorded: Option<&RecordedBy>,
        problems: &mut Problems,
    ) -> Option<Candidate> {
        Candidate::build(&self.bases.get(place.profile)?.settings, self.overrides(place), recorded, problems)
    }

    /// The failure of an objective or a constraint without a value: `at` counts through objectives, then constraints.
    pub(super) fn not_computed(&self, at: usize) -> Failure {
        let Experiment { objectives, constraints, .. } = &self.experiment;
        let objective = objectives.get(at).map(|objective| objective.expression.as_str());
        let constraint = at.checked_sub(objectives.len()).and_then(|at| constraints.get(at));
        let written = objective.or(constraint.map(|one| one.value.as_str())).unwrap_or_default();
        Failure::usage(format!("`{written}` has no number for some document"))
            .help("take care of divisions by 0; text has no number")
    }
}

impl Base {
    fn load(
        name: &Spanned<String>,
        experiment: &Experiment,
        folder: &Path,
        recorded: Option<&SelectedProfile>,
        context: &Context,
        problems: &mut Problems,
    ) -> Option<Self> {
        let is_path =
            name.value.contains(['/', '\\']) || name.value.ends_with(".yaml") || name.value.ends_with(".yml");
        let path = if is_path {
            path_text(&folder.join(path_of(&name.value))).into_owned()
        } else {
            name.value.clone()
        };
        let own = SelectedProfile::of(&path, &[]);
        let selected = match recorded {
            Some(recorded) => own.asking_as(&recorded.spec),
            None => own,
        };
        let mut found = Problems::new();
        let settings = selected.settings(context, &mut found).filter(|settings| settings.complete);
        let settings = settings.map(|settings| settings.with(experiment.config.iter(), &mut found));
        for problem in found.iter() {
            // Without a position, it gets that of the profile's name.
            let span = problem.span.clone().or_else(|| Some(name.span.clone()));
            problems.push(Problem { span, ..problem.clone() });
        }
        Some(Base { name: name.value.clone(), selected, settings: settings? })
    }
}

fn read_experiment(file: &Path, output: &mut Streams) -> Result<Experiment, Failure> {
    let mut problems = Problems::new();
    let source = read_text_file(file).map_err(|problem| {
        let failure = Failure::broken(problem.message);
        problem.help.into_iter().fold(failure, Failure::help)
    })?;
    let experiment = Experiment::parse(&source, &mut problems);
    output.show(&problems);
    experiment.ok_or_else(|| Failure::usage(format!("the experiment `{}` can't be used", file.shown())))
}

/// The journal with the run of an experiment.
pub(super) fn journal_of(experiment: &Experiment, folder: &Path) -> JournalSpec {
    JournalSpec { file: experiment.documents.journal.as_ref().map(|file| folder.join(&file.value)) }
}

/// The profile of the run that an experiment is about, with what its command laid over it; `None` if it is about no
/// run, or the record does not say.
fn recorded_profile(
    experiment: &Experiment,
    folder: &Path,
    context: &Context,
) -> Result<Option<SelectedProfile>, Failure> {
    let Some(run) = &experiment.documents.run else { return Ok(None) };
    let run = find_run(&journal_of(experiment, folder).open(context)?, &run.value)?;
    Ok(RunRequest::of_settings(&run.record.settings)
        .map(|request| SelectedProfile::recorded(request.profile)))
}

/// Shows a condition that can't be computed.
pub(super) fn condition_without_answer(condition: &Spanned<String>, output: &mut Streams) -> Failure {
    let mut problems = Problems::new();
    let message = "this condition has no answer for some combination";
    problems.push(
        Problem::error(Code::BadTemplate, &condition.span, message)
            .help("a setting that was taken away is `none`: `stop.rollbacks is none or stop.rollbacks > 1`"),
    );
    output.show(&problems);
    Failure::usage("the experiment can't be used")
}

/// Warns of policies that can't be used; `which` says which is the first of them.
pub(super) fn warn_of_invalid(invalid: usize, which: &str, output: &mut Streams) {
    let policies = count(invalid as u64, "policy");
    output.warn(&format!(
        "{policies} of the space can't be used; {which}: `conditions` leave such policies out"
    ));
}

/// The failure of too few documents.
pub(super) fn cant_be_split(documents: usize) -> Failure {
    let message = format!("{} can't be split in two parts", count(documents as u64, "document"));
    Failure::broken(message).help("take more documents: intervals of fewer than some fifty say little")
}
