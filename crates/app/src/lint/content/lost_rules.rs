//! Rules of a parent that a profile loses, because it names a file of its own in their place.

use super::language;
use super::project::Project;
use crate::diag::{Code, Problem, Problems};
use crate::profile::{Files, Library, Measure};
use crate::rules::Inheritance;
use crate::value::yaml::{Node, parse};
use std::collections::BTreeSet;

pub(super) fn check(project: &Project<'_>, problems: &mut Problems) {
    let loaded = project.subject.loaded;
    let (profile, library) = (&loaded.profile, &loaded.library);
    let kept: BTreeSet<String> = profile
        .dimensions
        .iter()
        .flat_map(|dimension| dimension.measure.parts())
        .filter_map(
            |part| if let Measure::Rules { name, .. } = part { Some(name.value.as_str()) } else { None },
        )
        .flat_map(|name| with_parents(name, library))
        .collect();
    let parents: Vec<Node> = profile
        .chain
        .iter()
        .skip(1)
        .filter_map(|parent| tree(&format!("profiles/{parent}.yaml"), library))
        .collect();
    for dimension in &profile.dimensions {
        let Measure::Rules { name, .. } = &dimension.measure else { continue };
        let here = name.span.file();
        if !here.is_argument() && here.name() != loaded.merged.span.file().name() {
            continue;
        }
        // The nearest that sets anything for the dimension.
        let before = parents.iter().find_map(|parent| parent.get("assess")?.get(&dimension.name));
        let before = before.and_then(|measure| measure.get("rules"));
        let Some((place, lost)) = before.and_then(|rules| Some((rules, rules.as_text()?))) else { continue };
        if kept.contains(lost) || !overlap(project, &name.value, lost) {
            continue;
        }
        let message =
            format!("the rules `{}` replace the parent's `{lost}`, which no longer run", name.value);
        let problem = Problem::warning(Code::LostRules, &name.span, message);
        problems.push(problem.related(&place.span, "the parent's rules").help(format!(
            "write `extends: {lost}` at the top of `rules/{}.yaml` to keep them, or measure another dimension with yours",
            name.value
        )));
    }
}

/// Returns whether two files have rules for the same document type. A profile for a type of its own misses nothing.
fn overlap(project: &Project<'_>, one: &str, other: &str) -> bool {
    let [one, other] = [one, other].map(|name| types_of(project, name));
    one.intersection(&other).next().is_some()
}

/// The document types for which a file has rules.
fn types_of<'a>(project: &Project<'a>, name: &str) -> BTreeSet<&'a str> {
    let library = &project.subject.loaded.library;
    let file = library.read(&format!("{}/{name}.yaml", Inheritance::RULES.folder)).ok().flatten();
    let root = file.and_then(|file| Inheritance::RULES.read(&file, library, &mut Problems::new()));
    let rules = root.as_ref().map(language::rules).unwrap_or_default();
    let wanted: Vec<Vec<&str>> = rules.iter().map(|rule| language::texts(rule.get("for"))).collect();
    let has = |kind: &&str| wanted.iter().any(|wanted| wanted.is_empty() || wanted.contains(kind));
    project.types.iter().copied().filter(has).collect()
}

/// A rule file and all that it extends.
fn with_parents(name: &str, library: &Library) -> Vec<String> {
    let mut names = vec![name.to_owned()];
    while let Some(last) = names.last() {
        let root = tree(&format!("{}/{last}.yaml", Inheritance::RULES.folder), library);
        let parent = root.and_then(|root| Some(root.get("extends")?.as_text()?.to_owned()));
        match parent {
            Some(parent) if !names.contains(&parent) => names.push(parent),
            _ => break,
        }
    }
    names
}

fn tree(path: &str, library: &Library) -> Option<Node> {
    parse(&library.read(path).ok().flatten()?, &mut Problems::new())
}
