//! Profiles for their pages: explained, tried with other numbers, saved.

use super::trial::PolicyTrial;
use crate::diag::{Level, Problems};
use crate::explain::policy::{Explanation, ProfileView, explain};
use crate::facts::{Origin, display_name};
use crate::plan::Plan;
use crate::profile::{Library, file_of};
use crate::profiles::{ProfileRequest, ServedProfiles};
use crate::project::{Project, Refusal, profile_of_text, set_scalar, write};
use crate::requests::RunRequest;
use crate::store::{Journal, StoredRun};
use crate::value::yaml::{Data, Node};
use crate::value::{Millis, sanitize_line};
use loopctl_app::profiles::{LocatedProfile, ReachedProfile, RecordedRun, SelectedProfile, TrialError};
use std::path::Path;

/// The blocks of a profile whose numbers decide about candidates.
const DECIDING: [&str; 4] = ["accept", "gate", "stop", "overall"];
/// The maximum number of numbers that are shown.
const MOST_KNOBS: usize = 60;
/// The folder in which a project keeps its profiles.
const PROFILES: &str = "profiles";

/// A profile in words, with the numbers that people may change.
pub(crate) struct ProfileDetails {
    /// Its purpose.
    pub description: String,
    /// Everything that it does.
    pub explanation: Explanation,
    /// The numbers of its policy.
    pub knobs: Vec<Knob>,
}

/// A number of a policy.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Knob {
    /// Its path in the profile: `accept.overall`.
    pub path: String,
    /// As it is written.
    pub value: String,
    /// The location where it was set: `profiles/clinical.yaml:7`, or `default`.
    pub origin: String,
}

/// The file of a profile.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ProfileText {
    /// Its name, as people know it.
    pub file: String,
    /// Its content.
    pub text: String,
}

/// The reason why something can't be done with a profile.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct ProfileRefusal {
    /// The reason.
    pub message: String,
    /// Advice on what to do.
    pub help: Option<String>,
    /// The problems of the profile, each on a line.
    pub problems: Vec<String>,
}

impl ProfileRefusal {
    /// Returns a refusal for this reason, without advice and problems.
    pub(crate) fn new(message: impl Into<String>) -> Self {
        ProfileRefusal { message: message.into(), ..ProfileRefusal::default() }
    }

    /// Returns the refusal with advice on what to do.
    pub(crate) fn help(self, help: impl Into<String>) -> Self {
        ProfileRefusal { help: Some(help.into()), ..self }
    }
}

impl ServedProfiles {
    /// The purpose of a profile, in its own words.
    ///
    /// # Errors
    /// The reason why it can't be read.
    pub(crate) fn description(&self, name: &str) -> Result<String, ProfileRefusal> {
        let mut problems = Problems::new();
        let settings = self.selected(&ProfileRequest::named(name)).settings(&self.context, &mut problems);
        match settings {
            Some(settings) => {
                let said = settings.merged.get("description").and_then(Node::as_text);
                Ok(said.unwrap_or_default().to_owned())
            }
            None => Err(refused(&format!("the profile `{name}` can't be read"), &problems)),
        }
    }

    /// Describes what a profile does.
    ///
    /// # Errors
    /// Its problems.
    pub(crate) fn details(&self, request: &ProfileRequest) -> Result<ProfileDetails, ProfileRefusal> {
        let selected = self.selected(request);
        let mut problems = Problems::new();
        let loaded = selected.load(&self.context, &self.context.library(), &[], &mut problems);
        let plan = loaded.as_ref().and_then(|loaded| Plan::compile(loaded, &mut problems));
        let (Some(loaded), Some(plan), false) = (loaded, plan, problems.has_errors()) else {
            return Err(refused(&format!("the profile `{}` can't be used", request.name), &problems));
        };
        let description = loaded.merged.get("description").and_then(Node::as_text).unwrap_or_default();
        Ok(ProfileDetails {
            description: description.to_owned(),
            knobs: knobs(&loaded.merged),
            explanation: explain(ProfileView { loaded: &loaded, plan: &plan, prices: &self.prices }),
        })
    }

    /// The file of a profile, and its text with the settings of the request and under another name, if one is given.
    ///
    /// # Errors
    /// The reason why it can't be changed automatically.
    pub(crate) fn changed_text(
        &self,
        request: &ProfileRequest,
        name: Option<&str>,
    ) -> Result<(ProfileText, String), ProfileRefusal> {
        let file = match file_of(&request.name, &self.context.library()) {
            Ok(Some(file)) => file,
            Ok(None) => return Err(ProfileRefusal::new(format!("there is no profile `{}`", request.name))),
            Err(problem) => return Err(ProfileRefusal::new(problem.message)),
        };
        let mut text = file.text().to_owned();
        let name = name.map(|name| format!("name={name}"));
        for setting in name.iter().chain(&request.settings) {
            let Some((path, value)) = setting.split_once('=') else { continue };
            let keys: Vec<&str> = path.split('.').collect();
            text = set_scalar(&text, &keys, value).map_err(|unfit| {
                let message = format!("`{path}` can't be set in the file: {unfit}");
                ProfileRefusal::new(message).help(format!("write it by hand: `{path}: {value}`"))
            })?;
        }
        let before = file.text().to_owned();
        Ok((ProfileText { file: display_name(file.name()).to_owned(), text: before }, text))
    }

    /// The differences on a recorded run, of which at most `most` documents are inspected.
    ///
    /// # Errors
    /// The reason why they are unknown.
    pub(crate) fn tried(
        &self,
        journal: &Journal,
        run: &StoredRun,
        request: &ProfileRequest,
        most: usize,
    ) -> Result<PolicyTrial, ProfileRefusal> {
        let (Some(recorded), Some(recorded_request)) = (
            LocatedProfile::of(&self.context, &run.record.settings),
            RunRequest::of_settings(&run.record.settings),
        ) else {
            return Err(ProfileRefusal::new("the journal does not say which profile the run had"));
        };
        let recorded = self.reached(&recorded.profile, &recorded.library)?;
        // Settings that the run laid over its profile, such as its provider, are laid over the changed one, too.
        let mut changed = SelectedProfile::recorded(recorded_request.profile);
        changed.spec.name.clone_from(&request.name);
        changed.spec.settings.extend(request.settings.iter().cloned());
        let mut problems = Problems::new();
        let library = self.context.library();
        let changed = ReachedProfile::read(&self.context, &changed, &library, &[], &mut problems)
            .ok_or_else(|| refused("the profile can't be used with these numbers", &problems))?;
        let recorded = RecordedRun::with(journal, run, recorded, most)?;
        let told_otherwise = recorded.compared(&request.name, &changed)?;
        let policy =
            |profile: &ReachedProfile| (profile.plan.profile.policy.clone(), profile.plan.scripts.clone());
        let (before, after) = (policy(&recorded.profile), policy(&changed));
        let trial = PolicyTrial::of(
            &recorded.trajectories,
            (&before.0, &before.1),
            (&after.0, &after.1),
            told_otherwise,
        );
        Ok(PolicyTrial {
            left_out: recorded.left_out as u64,
            without_candidate: recorded.without_candidate as u64,
            ..trial
        })
    }

    /// Saves a text as a new profile of this project. Returns its file.
    ///
    /// # Errors
    /// An invalid or taken name, a text that is not a profile, a folder that can't be written.
    pub(crate) fn save(&self, name: &str, text: &str) -> Result<String, ProfileRefusal> {
        let root = Path::new(".");
        stays_inside(root)?;
        let project = Project::new(root, self.context.library());
        let plan = profile_of_text(&project, name, text).map_err(|refusal| of_refusal(&refusal))?;
        write(root, &plan.changes).map_err(|error| ProfileRefusal::new(error.to_string()))?;
        Ok(format!("{PROFILES}/{name}.yaml"))
    }
}

impl ServedProfiles {
    /// The profile of a recorded run, as it is now.
    fn reached(
        &self,
        profile: &SelectedProfile,
        library: &Library,
    ) -> Result<ReachedProfile, ProfileRefusal> {
        ReachedProfile::read(&self.context, profile, library, &[], &mut Problems::new()).ok_or_else(|| {
            ProfileRefusal::new(format!("the profile `{}` can't be used", sanitize_line(profile.name())))
        })
    }
}

/// Refuses a folder of profiles that leads elsewhere.
fn stays_inside(root: &Path) -> Result<(), ProfileRefusal> {
    let folder = root.join(PROFILES);
    let Ok(found) = folder.canonicalize() else { return Ok(()) };
    match root.canonicalize() {
        Ok(root) if found == root.join(PROFILES) => Ok(()),
        _ => Err(ProfileRefusal::new("the folder `profiles` is a link that leads elsewhere")
            .help("nothing is written outside of the folder of the service: save the YAML by hand")),
    }
}

fn of_refusal(refusal: &Refusal) -> ProfileRefusal {
    let mut refused = refused(&refusal.message, &refusal.problems);
    refused.help.clone_from(&refusal.help);
    refused
}

/// A refusal with the errors in a line each.
fn refused(message: &str, problems: &Problems) -> ProfileRefusal {
    let errors = problems.iter().filter(|problem| problem.level == Level::Error);
    let line = |problem: &crate::diag::Problem| {
        let help = problem.help.as_deref().map(|help| format!(" ({help})")).unwrap_or_default();
        sanitize_line(&format!("{}{help}", problem.message))
    };
    ProfileRefusal { problems: errors.map(line).collect(), ..ProfileRefusal::new(message) }
}

impl From<TrialError> for ProfileRefusal {
    fn from(error: TrialError) -> Self {
        ProfileRefusal::new(error.to_string()).help(error.help())
    }
}

/// The numbers and times under the blocks that decide.
fn knobs(merged: &Node) -> Vec<Knob> {
    let mut knobs = Vec::new();
    for block in DECIDING {
        if let Some(node) = merged.get(block) {
            collect(node, block, &mut knobs);
        }
    }
    knobs.truncate(MOST_KNOBS);
    knobs
}

fn collect(node: &Node, path: &str, knobs: &mut Vec<Knob>) {
    let value = match &node.data {
        Data::Map(entries) => {
            for entry in entries.iter().filter(|entry| !entry.key.contains(['.', '='])) {
                collect(&entry.value, &format!("{path}.{}", entry.key), knobs);
            }
            return;
        }
        Data::Int(number) => number.to_string(),
        Data::Float(number) if number.is_finite() => number.to_string(),
        Data::Text { text, .. } if Millis::parse(text).is_some() => text.clone(),
        _ => return,
    };
    knobs.push(Knob { path: path.to_owned(), value, origin: Origin::of(node).text() });
}
