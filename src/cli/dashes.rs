//! Flags with the wrong dashes: `-profile`, or `–profile` as word processors and web pages write it. Nothing is run:
//! a value without its flag would look like a document.

use crate::failure::Failure;
use clap::Command;

/// The characters that other texts use for `-`: hyphens, dashes, the minus sign.
const OTHERS: [char; 6] = ['‐', '‑', '–', '—', '―', '−'];

/// The failure of the first argument that is a flag except for its dashes, if any. `arguments` begin with the program's
/// name.
pub(super) fn mistaken(
    command: impl FnOnce() -> Command,
    arguments: impl IntoIterator<Item = String>,
) -> Option<Failure> {
    let arguments: Vec<String> =
        arguments.into_iter().skip(1).take_while(|argument| argument != "--").collect();
    if !arguments.iter().any(|argument| written(argument).is_some()) {
        return None;
    }
    let mut command = command();
    command.build();
    let mut of = &command;
    for argument in &arguments {
        if let Some(verb) = of.find_subcommand(argument) {
            of = verb;
        } else if let Some((dashes, name)) = written(argument)
            && let Some(right) = flag(of, name, dashes)
        {
            let why = if dashes == "-" {
                "begins with one dash, and flags of several letters have two"
            } else {
                "begins with the dash of a word processor, not with `-`"
            };
            let written = argument.split('=').next().unwrap_or_default();
            return Some(Failure::usage(format!("`{written}` {why}")).help(format!("write `{right}`")));
        }
    }
    None
}

/// The dashes and the name of an argument that may be a flag and does not begin as one.
fn written(argument: &str) -> Option<(&str, &str)> {
    let text = argument.trim_start_matches(|c| c == '-' || OTHERS.contains(&c));
    let (dashes, text) = argument.split_at(argument.len() - text.len());
    let name = text.split('=').next().unwrap_or_default();
    let is_wrong = dashes.contains(OTHERS) || dashes == "-" && name.chars().count() > 1;
    (is_wrong && !name.is_empty()).then_some((dashes, name))
}

/// The verb's flag of that name, as it should be written.
fn flag(verb: &Command, name: &str, dashes: &str) -> Option<String> {
    let mut known = verb.get_arguments();
    if known.any(|known| known.get_long() == Some(name)) {
        return Some(format!("--{name}"));
    }
    let mut letters = name.chars();
    let (letter, rest) = (letters.next()?, letters.as_str());
    let is_short = verb.get_arguments().any(|known| known.get_short() == Some(letter));
    (is_short && rest.is_empty() && dashes != "-").then(|| format!("-{name}"))
}
