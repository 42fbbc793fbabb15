//! Settings of a rubric for fields that it never asks for.

use crate::diag::{Code, Problem, Problems, Span, nearest};
use crate::lint::nodes::{entries, one_or_more};
use crate::value::prose::did_you_mean;
use crate::value::yaml::{Entry, Node};

/// Checks a rubric, laid over those that it extends.
pub(super) fn check(root: &Node, problems: &mut Problems) {
    let listed: Vec<(&str, &Span)> = entries(root.get("types"))
        .flat_map(|kind| entries(Some(&kind.value)))
        .flat_map(|importance| one_or_more(&importance.value))
        .filter_map(|name| Some((name.as_text()?, &name.span)))
        .collect();
    for field in entries(root.get("fields")) {
        for synonym in field.value.get("synonyms").map(one_or_more).unwrap_or_default() {
            if synonym.as_text().is_some_and(|text| text.trim().is_empty()) {
                let message = "an empty synonym is found in every document";
                problems.push(
                    Problem::warning(Code::MatchesAll, &synonym.span, message)
                        .help("write the words to look for"),
                );
            }
        }
        let name = field.key.as_str();
        if let Some(when) = field.value.get("applies_when") {
            looks_elsewhere(name, when, &listed, problems);
        }
        if listed.iter().any(|(listed, _)| *listed == name) {
            continue;
        }
        // Grounding goes by the names of fields that no type lists, too. A slip leaves the field that was meant without
        // an entry.
        let described = |listed: &&str| entries(root.get("fields")).any(|entry| entry.key == **listed);
        let guess = nearest(name, listed.iter().map(|(name, _)| *name).filter(|listed| !described(listed)));
        let has_names = ["synonyms", "keys"].into_iter().any(|key| field.value.get(key).is_some());
        if has_names && guess.is_none() {
            continue;
        }
        let message =
            format!("no type of this rubric lists the field `{name}`, so its settings are never used");
        let problem = Problem::warning(Code::InertRule, &field.key_span, message);
        problems.push(match guess {
            // The rubric does not tell which of the two is right.
            Some(guess) => {
                let problem =
                    problem.help(format!("is it `{guess}`? One of the two is misspelt: write both alike"));
                match listed.iter().find(|(name, _)| *name == guess) {
                    Some((_, span)) => problem.related(span, format!("`{guess}` is listed here")),
                    None => problem,
                }
            }
            None => {
                problem.help("list it under `required`, `important` or `optional` of a type, or remove it")
            }
        });
    }
}

/// Checks the fields that decide whether a field applies: not the field itself, and only fields that the rubric lists.
fn looks_elsewhere(name: &str, when: &Node, listed: &[(&str, &Span)], problems: &mut Problems) {
    for at in fields_in(when) {
        let Some(text) = at.as_text() else { continue };
        if text == name {
            let message =
                format!("`{name}` is missing when this is asked, so it can't say whether it applies");
            problems.push(Problem::warning(Code::InertRule, &at.span, message).help("look at another field"));
        } else if !listed.iter().any(|(listed, _)| *listed == text) {
            let message = format!("no type of this rubric lists the field `{text}`");
            let others = listed.iter().map(|(name, _)| *name).filter(|listed| *listed != name);
            let help =
                did_you_mean(text, others, format!("without a value of `{text}`, `{name}` always applies"));
            problems.push(Problem::warning(Code::InertRule, &at.span, message).help(help));
        }
    }
}

/// The nodes under `field`, in a condition and in those below it.
fn fields_in(condition: &Node) -> Vec<&Node> {
    let below = |entry: &Entry| {
        entry.value.get("field").is_some() || ["not", "all", "any"].contains(&entry.key.as_str())
    };
    let own = condition.get("field").into_iter();
    let inner = entries(Some(condition)).filter(|entry| below(entry));
    let inner = inner.flat_map(|entry| one_or_more(&entry.value));
    own.chain(inner.flat_map(fields_in)).collect()
}
