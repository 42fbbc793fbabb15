//! Flags that the command line does not have: what to write instead, or the nearest one.

use crate::diag::nearest;
use clap::builder::StyledStr;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use std::error::Error;

/// Flags that people try, by verb (none: any verb), with what to write instead.
const FLAGS: [(Option<&str>, &str, &str); 6] = [
    (None, "--json", "write `--format json`"),
    (None, "--jsonl", "write `--format jsonl`"),
    (Some("run"), "--document", PLAIN),
    (Some("validate"), "--document", PLAIN),
    (Some("correct"), "--document", PLAIN),
    (None, "--cache", "a folder for the cache is named by `--cache-dir DIR`"),
];

/// The advice on a flag for what is a plain argument.
const PLAIN: &str = "the document is a plain argument: leave `--document` out";

/// Verbs that make no calls, and their flags that did nothing.
const ASK_NOBODY: [&str; 2] = ["validate", "score"];
const OF_CALLS: [&str; 5] = ["--provider", "--provider-config", "--judge", "--record", "--replay"];

/// Adds to an error of the command line what to write instead, if it is about an unknown flag. `written` are the words
/// after the program's name.
pub(super) fn advise(mut error: clap::Error, command: &clap::Command, written: &[String]) -> clap::Error {
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

/// Returns whether a flag has the letters of the nearest flag of the verb in another order.
fn swapped(flag: &str, command: &clap::Command, written: &[String]) -> bool {
    nearest_flag(flag, command, written).is_some_and(|near| {
        let (mut one, mut other): (Vec<char>, Vec<char>) = (flag.chars().collect(), near.chars().collect());
        one.sort_unstable();
        other.sort_unstable();
        one == other
    })
}

/// The flag of the verb that was meant. The library's own guess goes by another measure, and misses transposed letters.
fn nearest_flag(flag: &str, command: &clap::Command, written: &[String]) -> Option<String> {
    let name = flag.strip_prefix("--")?;
    let verb = written.iter().fold(command, |of, word| of.find_subcommand(word).unwrap_or(of));
    let known =
        verb.get_arguments().filter(|argument| !argument.is_hide_set()).filter_map(clap::Arg::get_long);
    nearest(name, known).map(|near| format!("--{near}"))
}

/// Removes the tip that `-- --flag` passes a flag as a value: no user means a file of that name.
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
