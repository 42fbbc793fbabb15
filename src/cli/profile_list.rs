//! `loopctl profile list`.

use super::loading::{context, library};
use super::result_format::result_format;
use crate::diag::Problems;
use crate::failure::{ExitStatus, Failure};
use crate::plan::Plan;
use crate::profile::{FileTracker, Library, available, file_of, load};
use crate::profiles::changed_by;
use crate::requests::ResultFormat;
use crate::streams::Streams;
use crate::value::sanitize_line;
use clap::Args;
use serde::Serialize;
use std::path::Path;

#[derive(Args)]
pub(super) struct Arguments {
    /// Format of the list; as JSON: `name`, `description`, `source`, `path`, `usable`, `changed_by`
    #[arg(long, value_parser = result_format(), default_value = "text")]
    format: ResultFormat,
}

/// One profile.
#[derive(Serialize)]
struct ProfileEntry {
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
    fn of(file: &str) -> Self {
        let below_home = |home: &Path| Path::new(file).starts_with(home);
        if file.starts_with("<embedded>/") {
            ProfileSource::Embedded
        } else if context().home().is_some_and(|home| below_home(&home)) {
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

pub(super) fn execute(arguments: &Arguments, output: &mut Streams) -> Result<ExitStatus, Failure> {
    let library = library();
    let profiles: Vec<ProfileEntry> =
        available(&library).into_iter().map(|name| listed(name, &library)).collect();
    if arguments.format != ResultFormat::Text {
        output.write_json(&profiles, arguments.format)?;
        return Ok(ExitStatus::Success);
    }
    let width = |of: &dyn Fn(&ProfileEntry) -> usize| profiles.iter().map(of).max().unwrap_or(0);
    let names = width(&|profile| profile.name.chars().count());
    let sources = width(&|profile| profile.source.words().len());
    for profile in &profiles {
        let about = match &profile.description {
            Some(about) => sanitize_line(about),
            None => format!("(can't be used; see `loopctl check {}`)", profile.name),
        };
        writeln!(output.out, "{:names$}  {:sources$}  {about}", profile.name, profile.source.words())?;
        if !profile.changed_by.is_empty() {
            let files: Vec<String> = profile.changed_by.iter().map(|file| sanitize_line(file)).collect();
            let line = format!("changed by {}", files.join(", "));
            writeln!(output.out, "{:names$}  {:sources$}  {}", "", "", output.out_paint.warn(&line))?;
        }
    }
    Ok(ExitStatus::Success)
}

fn listed(name: String, library: &Library) -> ProfileEntry {
    let file = file_of(&name, library).ok().flatten().map(|file| file.name().to_owned());
    let source = file.as_deref().map_or(ProfileSource::WorkingDirectory, ProfileSource::of);
    let mut problems = Problems::new();
    let environment = |variable: &str| std::env::var(variable).ok();
    let notes = FileTracker::default();
    let loaded = load(&name, &library.noted_in(&notes), &[], &environment, &mut problems);
    // Schemas, patterns, rules and prompts are read when it is compiled; `check` reports what is wrong with them.
    if let Some(loaded) = &loaded {
        Plan::compile(loaded, &mut Problems::new());
    }
    let changed_by = changed_by(&name, &notes.take(), context());
    let description = loaded.filter(|_| !problems.has_errors()).map(|loaded| loaded.profile.description);
    let path = file.filter(|_| source != ProfileSource::Embedded);
    ProfileEntry { name, usable: description.is_some(), description, source, path, changed_by }
}
