//! Flags that are not there: whoever uses a name of an earlier version is told the new one, whoever slips the nearest.

use crate::diag::nearest;
use clap::builder::StyledStr;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use std::error::Error;

/// Flags by the verb that had them (none: any verb), with what to write instead.
const FLAGS: [(Option<&str>, &str, &str); 11] = [
    (None, "--set", "`--set KEY=VALUE` is `--config KEY=VALUE` now"),
    (None, "--variable", "`--variable NAME=TEXT` is `--var NAME=TEXT` now"),
    (None, "--unfinished", "`--unfinished` is `--resume` now"),
    (Some("check"), "--explain", "write `loopctl explain CODE`; `loopctl explain codes` lists them all"),
    (Some("repair"), "--jsonl", "`--jsonl` is `--format jsonl` now"),
    (None, "--json", "write `--format json`"),
    (None, "--jsonl", "write `--format jsonl`"),
    (Some("run"), "--document", PLAIN),
    (Some("validate"), "--document", PLAIN),
    (Some("correct"), "--document", PLAIN),
    (None, "--cache", "a folder for the cache is named by `--cache-dir DIR`"),
];

/// Said of a flag for what stands without one.
const PLAIN: &str = "the document is a plain argument: leave `--document` out";

/// Values of `--format`.
const FORMATS: [(&str, &str); 3] = [
    ("table", "`--format table` is `--format text` now"),
    ("human", "`--format human` is `--format text` now"),
    ("yaml", "`--format yaml` is `--format text` now"),
];

/// Verbs that ask nobody, and their flags that did nothing.
const ASK_NOBODY: [&str; 2] = ["validate", "score"];
const OF_CALLS: [&str; 5] = ["--provider", "--provider-config", "--judge", "--record", "--replay"];

/// Adds to an error of the command line what to write instead, if it is about a flag that is not there. `written` are the words
/// after the program's name.
pub(super) fn name_the_new(
    mut error: clap::Error,
    command: &clap::Command,
    written: &[String],
) -> clap::Error {
    let verb = written.first().map(String::as_str);
    let text = |kind| match error.get(kind) {
        Some(ContextValue::String(text)) => Some(text.clone()),
        _ => None,
    };
    let Some(argument) = text(ContextKind::InvalidArg) else { return error };
    if error.source().is_some_and(|source| source.is::<std::num::ParseIntError>()) {
        let value = text(ContextKind::InvalidValue).unwrap_or_default();
        let message = format!("invalid value '{value}' for '{argument}': expected a whole number\n");
        return clap::Error::raw(ErrorKind::ValueValidation, message).with_cmd(command);
    }
    let flag = argument.split([' ', '=', '[']).next().unwrap_or_default();
    let advice = match error.kind() {
        ErrorKind::UnknownArgument | ErrorKind::TooManyValues => FLAGS
            .iter()
            .find(|(of, name, _)| *name == flag && of.is_none_or(|of| verb == Some(of)))
            .map(|(.., advice)| (*advice).to_owned())
            .or_else(|| asks_nobody(verb, flag)),
        ErrorKind::InvalidValue if flag == "--format" => {
            let value = text(ContextKind::InvalidValue);
            FORMATS.iter().find(|(old, _)| Some(*old) == value.as_deref()).map(|(_, new)| (*new).to_owned())
        }
        _ => None,
    };
    if flag.starts_with("--") {
        without_tip_for_values(&mut error);
    }
    if let Some(advice) = advice {
        // Guesses by spelling would lead elsewhere.
        error.remove(ContextKind::SuggestedArg);
        error.remove(ContextKind::SuggestedValue);
        error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![StyledStr::from(advice)]));
    } else if error.kind() == ErrorKind::UnknownArgument
        && (error.get(ContextKind::SuggestedArg).is_none() || swapped(flag, command, written))
        && let Some(near) = nearest_flag(flag, command, written)
    {
        error.insert(ContextKind::SuggestedArg, ContextValue::String(near));
    }
    error
}

/// Whether two letters beside each other changed places in a flag of the verb.
fn swapped(flag: &str, command: &clap::Command, written: &[String]) -> bool {
    nearest_flag(flag, command, written).is_some_and(|near| {
        let (mut one, mut other): (Vec<char>, Vec<char>) = (flag.chars().collect(), near.chars().collect());
        one.sort_unstable();
        other.sort_unstable();
        one == other
    })
}

/// The flag of the verb that was meant. The library's own guess goes by another measure, and misses letters that changed places.
fn nearest_flag(flag: &str, command: &clap::Command, written: &[String]) -> Option<String> {
    let name = flag.strip_prefix("--")?;
    let verb = written.iter().fold(command, |of, word| of.find_subcommand(word).unwrap_or(of));
    let known =
        verb.get_arguments().filter(|argument| !argument.is_hide_set()).filter_map(clap::Arg::get_long);
    nearest(name, known).map(|near| format!("--{near}"))
}

/// Takes out the tip that `-- --flag` passes a flag as a value: nobody means a file of that name.
fn without_tip_for_values(error: &mut clap::Error) {
    let Some(ContextValue::StyledStrs(tips)) = error.remove(ContextKind::Suggested) else { return };
    let kept: Vec<StyledStr> =
        tips.into_iter().filter(|tip| !tip.to_string().contains("as a value")).collect();
    if !kept.is_empty() {
        error.insert(ContextKind::Suggested, ContextValue::StyledStrs(kept));
    }
}

fn asks_nobody(verb: Option<&str>, flag: &str) -> Option<String> {
    let verb = verb?;
    let is_of_calls = OF_CALLS.contains(&flag) || flag.starts_with("--cache");
    (ASK_NOBODY.contains(&verb) && is_of_calls)
        .then(|| format!("`{verb}` asks no provider, so leave `{flag}` out; `loopctl run` has it"))
}
