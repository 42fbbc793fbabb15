//! The command of a recorded run, and the folder where it was given. A journal may be somebody else's: what its commands say is never
//! the word of the person who runs this program.

use super::output::Output;
use super::run::{self, COMMAND, FOLDER};
use super::{Arguments, Verb};
use crate::value::{os_of, path_of, path_text, sanitize_line};
use clap::Parser;
use serde_json::Value;
use std::ffi::OsString;
use std::path::PathBuf;

/// The arguments of a command of `loopctl run`; `None` where it is none, or not understood any more.
fn run_arguments(words: impl Iterator<Item = OsString>) -> Option<run::Arguments> {
    let words = std::iter::once(OsString::from("loopctl")).chain(words);
    match Arguments::try_parse_from(words).ok()?.verb {
        Verb::Run(arguments) => Some(arguments),
        _ => None,
    }
}

/// The arguments of a command that this program makes.
pub(super) fn own_arguments(words: Vec<OsString>) -> Option<run::Arguments> {
    run_arguments(words.into_iter())
}

/// The arguments that a run's record has; `None` where they can't be read any more.
pub(super) fn recorded_arguments(settings: &Value) -> Option<run::Arguments> {
    let words = settings.get(COMMAND).and_then(Value::as_array);
    let words = words.into_iter().flatten().filter_map(Value::as_str);
    run_arguments(words.map(os_of)).map(run::Arguments::of_record)
}

/// The folder in which a run's command was given.
pub(super) fn recorded_folder(settings: &Value) -> Option<PathBuf> {
    settings.get(FOLDER).and_then(Value::as_str).map(path_of)
}

/// Paths of the run's command begin in the folder where it was given.
pub(super) fn go_to_folder(settings: &Value, quiet: bool, output: &mut Output) {
    let Some(folder) = recorded_folder(settings) else { return };
    let here = std::env::current_dir().ok();
    if here.as_deref() != Some(&folder) && std::env::set_current_dir(&folder).is_ok() && !quiet {
        output.say(&format!("in `{}`, where the run began", sanitize_line(&path_text(&folder))));
    }
}
