//! What a rubric says of fields that it never asks for.

use crate::diag::{Code, Problem, Problems, Span, nearest};
use crate::value::yaml::{Data, Entry, Node};

/// Looks at a rubric, laid over those that it extends.
pub(super) fn check(root: &Node, problems: &mut Problems) {
    let listed: Vec<(&str, &Span)> = entries(root.get("types"))
        .iter()
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
        if listed.iter().any(|(listed, _)| *listed == name) {
            continue;
        }
        // Grounding goes by the names of fields that no type lists, too. A slip leaves the field that was meant without
        // an entry.
        let described = |listed: &&str| entries(root.get("fields")).iter().any(|entry| entry.key == **listed);
        let guess = nearest(name, listed.iter().map(|(name, _)| *name).filter(|listed| !described(listed)));
        let has_names = ["synonyms", "keys"].into_iter().any(|key| field.value.get(key).is_some());
        if has_names && guess.is_none() {
            continue;
        }
        let message =
            format!("no type of this rubric lists the field `{name}`, so what is said of it is never used");
        let problem = Problem::warning(Code::InertRule, &field.key_span, message);
        problems.push(match guess {
            // Which of the two is right, the rubric does not tell.
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

fn entries(node: Option<&Node>) -> &[Entry] {
    match node.map(|node| &node.data) {
        Some(Data::Map(entries)) => entries,
        _ => &[],
    }
}

fn one_or_more(node: &Node) -> &[Node] {
    match &node.data {
        Data::List(items) => items,
        Data::Null => &[],
        _ => std::slice::from_ref(node),
    }
}
