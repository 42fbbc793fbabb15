//! The profiles that can be loaded by name, with the files on this machine that change those that ship.

use super::shadows::changed_by;
use crate::context::Context;
use crate::diag::Problems;
use crate::plan::Plan;
use crate::profile::{FileTracker, Library, available, file_of, load};
use crate::report::Paint;
use crate::value::sanitize_line;
use serde::Serialize;
use std::path::Path;

/// A profile that can be loaded by name.
#[derive(Debug, Serialize)]
pub struct ListedProfile {
    name: String,
    /// Its purpose; `null` for one that can't be used.
    description: Option<String>,
    source: ProfileSource,
    /// The file; `null` for one that is embedded.
    path: Option<String>,
    /// `true` if it loads without errors.
    usable: bool,
    /// Files on this machine that replace shipped ones, if the profile itself ships.
    changed_by: Vec<String>,
}

/// The source of a profile.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
enum ProfileSource {
    /// `./profiles`.
    WorkingDirectory,
    /// `$LOOPCTL_HOME/profiles`.
    Home,
    /// Part of the program.
    Embedded,
}

impl ProfileSource {
    fn of(file: &str, context: &Context) -> Self {
        if file.starts_with("<embedded>/") {
            ProfileSource::Embedded
        } else if context.home().is_some_and(|home| Path::new(file).starts_with(home)) {
            ProfileSource::Home
        } else {
            ProfileSource::WorkingDirectory
        }
    }

    fn words(self) -> &'static str {
        match self {
            ProfileSource::WorkingDirectory => "working directory",
            ProfileSource::Home => "$LOOPCTL_HOME",
            ProfileSource::Embedded => "embedded",
        }
    }
}

/// The profiles that can be loaded by name.
pub fn list_profiles(context: &Context) -> Vec<ListedProfile> {
    let library = context.library();
    available(&library).into_iter().map(|name| listed(name, &library, context)).collect()
}

fn listed(name: String, library: &Library, context: &Context) -> ListedProfile {
    let file = file_of(&name, library).ok().flatten().map(|file| file.name().to_owned());
    let source =
        file.as_deref().map_or(ProfileSource::WorkingDirectory, |file| ProfileSource::of(file, context));
    let (mut problems, notes) = (Problems::new(), FileTracker::default());
    let environment = |variable: &str| context.variable(variable);
    let loaded = load(&name, &library.noted_in(&notes), &[], &environment, &mut problems);
    // Schemas, patterns, rules and prompts are read when it is compiled; `check` reports what is wrong with them.
    if let Some(loaded) = &loaded {
        Plan::compile(loaded, &mut Problems::new());
    }
    let changed_by = changed_by(&name, &notes.take(), context);
    let description = loaded.filter(|_| !problems.has_errors()).map(|loaded| loaded.profile.description);
    let path = file.filter(|_| source != ProfileSource::Embedded);
    ListedProfile { name, usable: description.is_some(), description, source, path, changed_by }
}

/// The profiles for people.
pub fn profile_list_text(profiles: &[ListedProfile], paint: Paint) -> String {
    let width = |of: &dyn Fn(&ListedProfile) -> usize| profiles.iter().map(of).max().unwrap_or(0);
    let names = width(&|profile| profile.name.chars().count());
    let sources = width(&|profile| profile.source.words().len());
    let mut text = String::new();
    for profile in profiles {
        let about = match &profile.description {
            Some(about) => sanitize_line(about),
            None => format!("(can't be used; see `loopctl check {}`)", profile.name),
        };
        let source = profile.source.words();
        text.push_str(&format!("{:names$}  {source:sources$}  {about}\n", profile.name));
        if !profile.changed_by.is_empty() {
            let line = format!("changed by {}", sanitize_line(&profile.changed_by.join(", ")));
            text.push_str(&format!("{:names$}  {:sources$}  {}\n", "", "", paint.warn(&line)));
        }
    }
    text
}
