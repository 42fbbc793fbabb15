//! Profiles for the service's pages: explained, tried with other numbers, saved.

use super::super::exit::Failure;
use super::super::loading::{ProfileArguments, library};
use super::super::recorded_request::LocatedProfile;
use super::super::recorded_run::{ReachedProfile, RecordedRun};
use super::profiles::ServedProfiles;
use crate::app::RunRequest;
use crate::diag::{Level, Problems};
use crate::explain::policy::{ProfileView, explain};
use crate::facts::Origin;
use crate::plan::Plan;
use crate::profile::file_of;
use crate::project::{Project, Refusal, profile_of_text, set_scalar, write};
use crate::serve::{Knob, ProfileDetails, ProfileRequest, ProfileText, ProfileTuning, Refused, Trial};
use crate::store::{Journal, StoredRun};
use crate::value::yaml::{Data, Node};
use crate::value::{Millis, sanitize_line};
use std::path::Path;

/// The blocks of a profile whose numbers decide about candidates.
const DECIDING: [&str; 4] = ["accept", "gate", "stop", "overall"];
/// The maximum number of numbers that are shown.
const MOST_KNOBS: usize = 60;
/// The folder in which a project keeps its profiles.
const PROFILES: &str = "profiles";

impl ProfileTuning for ServedProfiles {
    fn description(&self, name: &str) -> Result<String, Refused> {
        let mut problems = Problems::new();
        let settings = self.arguments_of(&ProfileRequest::named(name)).settings(&mut problems);
        match settings {
            Some(settings) => {
                let said = settings.merged.get("description").and_then(Node::as_text);
                Ok(said.unwrap_or_default().to_owned())
            }
            None => Err(refused(&format!("the profile `{name}` can't be read"), &problems)),
        }
    }

    fn details(&self, request: &ProfileRequest) -> Result<ProfileDetails, Refused> {
        let arguments = self.arguments_of(request);
        let mut problems = Problems::new();
        let loaded = arguments.load_from(&library(), &[], &mut problems);
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

    fn changed_text(
        &self,
        request: &ProfileRequest,
        name: Option<&str>,
    ) -> Result<(ProfileText, String), Refused> {
        let file = match file_of(&request.name, &library()) {
            Ok(Some(file)) => file,
            Ok(None) => return Err(Refused::new(format!("there is no profile `{}`", request.name))),
            Err(problem) => return Err(Refused::new(problem.message)),
        };
        let mut text = file.text().to_owned();
        let name = name.map(|name| format!("name={name}"));
        for setting in name.iter().chain(&request.settings) {
            let Some((path, value)) = setting.split_once('=') else { continue };
            let keys: Vec<&str> = path.split('.').collect();
            text = set_scalar(&text, &keys, value).map_err(|unfit| {
                let message = format!("`{path}` can't be set in the file: {unfit}");
                Refused::new(message).help(format!("write it by hand: `{path}: {value}`"))
            })?;
        }
        let before = file.text().to_owned();
        Ok((ProfileText { file: crate::facts::display_name(file.name()).to_owned(), text: before }, text))
    }

    fn tried(
        &self,
        journal: &Journal,
        run: &StoredRun,
        request: &ProfileRequest,
        most: usize,
    ) -> Result<Trial, Refused> {
        let (Some(recorded), Some(recorded_request)) =
            (LocatedProfile::of(&run.record.settings), RunRequest::of_settings(&run.record.settings))
        else {
            return Err(Refused::new("the journal does not say which profile the run had"));
        };
        let recorded = ReachedProfile::read(&recorded.arguments, &recorded.library)?;
        // Settings that the run laid over its profile, such as its provider, are laid over the changed one, too.
        let mut changed = ProfileArguments::of_spec(recorded_request.profile);
        changed.is_recorded = true;
        changed.profile.clone_from(&request.name);
        changed.settings.extend(request.settings.iter().cloned());
        let mut problems = Problems::new();
        if changed.compile(&library(), &[], &mut problems).is_none() {
            return Err(refused("the profile can't be used with these numbers", &problems));
        }
        let changed = ReachedProfile::read(&changed, &library())?;
        let recorded = RecordedRun::with(journal, run, recorded, most)?;
        let told_otherwise = recorded.compared(&request.name, &changed)?;
        let policy =
            |profile: &ReachedProfile| (profile.plan.profile.policy.clone(), profile.plan.scripts.clone());
        let (before, after) = (policy(&recorded.profile), policy(&changed));
        let trial =
            Trial::of(&recorded.columns, (&before.0, &before.1), (&after.0, &after.1), told_otherwise);
        Ok(Trial {
            left_out: recorded.left_out as u64,
            without_candidate: recorded.without_candidate as u64,
            ..trial
        })
    }

    fn save(&self, name: &str, text: &str) -> Result<String, Refused> {
        let root = Path::new(".");
        stays_inside(root)?;
        let project = Project::new(root, library());
        let plan = profile_of_text(&project, name, text).map_err(|refusal| of_refusal(&refusal))?;
        write(root, &plan.changes).map_err(|error| Refused::new(error.to_string()))?;
        Ok(format!("{PROFILES}/{name}.yaml"))
    }
}

/// Refuses a folder of profiles that leads elsewhere.
fn stays_inside(root: &Path) -> Result<(), Refused> {
    let folder = root.join(PROFILES);
    let Ok(found) = folder.canonicalize() else { return Ok(()) };
    match root.canonicalize() {
        Ok(root) if found == root.join(PROFILES) => Ok(()),
        _ => Err(Refused::new("the folder `profiles` is a link that leads elsewhere")
            .help("nothing is written outside of the folder of the service: save the YAML by hand")),
    }
}

fn of_refusal(refusal: &Refusal) -> Refused {
    let mut refused = refused(&refusal.message, &refusal.problems);
    refused.help.clone_from(&refusal.help);
    refused
}

/// A refusal with the errors in a line each.
fn refused(message: &str, problems: &Problems) -> Refused {
    let errors = problems.iter().filter(|problem| problem.level == Level::Error);
    let line = |problem: &crate::diag::Problem| {
        let help = problem.help.as_deref().map(|help| format!(" ({help})")).unwrap_or_default();
        sanitize_line(&format!("{}{help}", problem.message))
    };
    Refused { problems: errors.map(line).collect(), ..Refused::new(message) }
}

impl From<Failure> for Refused {
    fn from(failure: Failure) -> Self {
        Refused { message: failure.message, help: failure.help, problems: Vec::new() }
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
