//! The profiles that an experiment lays its space over.

use super::super::loading::context;
use super::at_its_name;
use super::trying::condition_without_answer;
use crate::diag::Problems;
use crate::experiment::sweep::{Candidate, Experiment, RecordedBy};
use crate::failure::Failure;
use crate::plan::Plan;
use crate::profile::{Override, Settings, check_settings};
use crate::profiles::SelectedProfile;
use crate::streams::Streams;
use crate::value::decode::Spanned;
use crate::value::{path_of, path_text};
use std::path::Path;

/// A profile with the experiment's own settings laid over it.
struct Base {
    /// Its name in the experiment.
    name: String,
    /// The profile, as a request names it.
    selected: SelectedProfile,
    settings: Settings,
}

/// The profiles of an experiment, and its reference.
pub(super) struct Bases {
    profiles: Vec<Base>,
    reference: Base,
}

impl Bases {
    /// Reads every profile. Problems are shown where it is named. Candidates of a recorded run came from the providers
    /// of its command, which hold for every profile.
    pub(super) fn load(
        experiment: &Experiment,
        folder: &Path,
        recorded: Option<&SelectedProfile>,
        output: &mut Streams,
    ) -> Result<Self, Failure> {
        let mut problems = Problems::new();
        let mut load = |name: &Spanned<String>| Base::load(name, experiment, folder, recorded, &mut problems);
        let profiles: Vec<Option<Base>> = experiment.profiles.iter().map(&mut load).collect();
        let reference = load(&experiment.reference);
        output.show(&problems);
        match (profiles.into_iter().collect(), reference) {
            (Some(profiles), Some(reference)) if !problems.has_errors() => Ok(Bases { profiles, reference }),
            _ => Err(Failure::usage("a profile of the experiment can't be used")),
        }
    }

    /// The profiles, as the command line would name them.
    pub(super) fn selected(&self) -> impl Iterator<Item = &SelectedProfile> {
        self.profiles.iter().chain([&self.reference]).map(|base| &base.selected)
    }

    /// The number of profiles that the space is laid over.
    pub(super) fn count(&self) -> usize {
        self.profiles.len()
    }

    /// The name of a profile.
    pub(super) fn name(&self, profile: usize) -> &str {
        self.profiles.get(profile).map_or("", |base| base.name.as_str())
    }

    pub(super) fn reference_name(&self) -> &str {
        &self.reference.name
    }

    /// Refuses a space with a value that makes the policies of a profile unusable, before anything is decided. With
    /// `recorded`, also one under which the run would have had other candidates.
    pub(super) fn check_values(
        &self,
        experiment: &Experiment,
        recorded: Option<&RecordedBy>,
        output: &mut Streams,
    ) -> Result<(), Failure> {
        let is_fresh = !experiment.documents.fresh.is_empty();
        for (profile, base) in self.profiles.iter().enumerate() {
            let mut problems = Problems::new();
            let mut own = Problems::new();
            if is_fresh {
                let _ = plan_of(&base.settings, std::iter::empty(), &mut own);
            } else {
                let _ = Candidate::build(&base.settings, std::iter::empty(), recorded, &mut own);
            }
            let build = |combination: usize, problems: &mut Problems| {
                if is_fresh {
                    self.plan(experiment, profile, combination, problems).is_some()
                } else {
                    self.candidate(experiment, profile, combination, recorded, problems).is_some()
                }
            };
            experiment
                .check_values(&base.name, &own, build, &mut problems)
                .map_err(|condition| condition_without_answer(condition, output))?;
            if problems.has_errors() {
                output.show(&problems);
                if problems.iter().all(|problem| own.contains(problem)) {
                    return Err(Failure::usage(format!("the profile `{}` can't be used", base.name)));
                }
                let message = format!("the space has values that `{}` can't have", base.name);
                return Err(Failure::usage(message)
                    .help("correct them, or leave them out with this profile by `conditions`"));
            }
        }
        Ok(())
    }

    /// The policy of the reference.
    pub(super) fn reference(
        &self,
        recorded: Option<&RecordedBy>,
        output: &mut Streams,
    ) -> Result<Candidate, Failure> {
        let mut problems = Problems::new();
        let built = Candidate::build(&self.reference.settings, std::iter::empty(), recorded, &mut problems);
        output.show(&problems);
        built.ok_or_else(|| Failure::usage(format!("the reference `{}` can't be used", self.reference.name)))
    }

    /// The plan of the reference, for documents that are run.
    pub(super) fn reference_plan(&self, output: &mut Streams) -> Result<Plan, Failure> {
        let mut problems = Problems::new();
        let plan = plan_of(&self.reference.settings, std::iter::empty(), &mut problems);
        output.show(&problems);
        plan.ok_or_else(|| Failure::usage(format!("the reference `{}` can't be used", self.reference.name)))
    }

    /// The plan of a combination over a profile, for documents that are run; `None` with what is wrong in `problems`.
    pub(super) fn plan(
        &self,
        experiment: &Experiment,
        profile: usize,
        combination: usize,
        problems: &mut Problems,
    ) -> Option<Plan> {
        let base = self.profiles.get(profile)?;
        plan_of(&base.settings, experiment.space.overrides(combination), problems)
    }

    /// The policy of a combination over a profile; `None` with what is wrong in `problems`.
    pub(super) fn candidate(
        &self,
        experiment: &Experiment,
        profile: usize,
        combination: usize,
        recorded: Option<&RecordedBy>,
        problems: &mut Problems,
    ) -> Option<Candidate> {
        let base = self.profiles.get(profile)?;
        Candidate::build(&base.settings, experiment.space.overrides(combination), recorded, problems)
    }
}

fn plan_of<'o>(
    settings: &Settings,
    laid_over: impl Iterator<Item = &'o Override>,
    problems: &mut Problems,
) -> Option<Plan> {
    let loaded = check_settings(settings.with(laid_over, problems), problems)?;
    Plan::compile(&loaded, problems).filter(|_| !problems.has_errors())
}

impl Base {
    fn load(
        name: &Spanned<String>,
        experiment: &Experiment,
        folder: &Path,
        recorded: Option<&SelectedProfile>,
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
        let settings = selected.settings(context(), &mut found).filter(|settings| settings.complete);
        let settings = settings.map(|settings| settings.with(experiment.config.iter(), &mut found));
        found.iter().for_each(|problem| problems.push(at_its_name(problem, &name.span)));
        Some(Base { name: name.value.clone(), selected, settings: settings? })
    }
}
