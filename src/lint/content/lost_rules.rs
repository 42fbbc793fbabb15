//! Rules of a parent that a profile loses, because it names a file of its own in their place.

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
        let before = parents.iter().find_map(|parent| {
            parent.get("assess")?.get(&dimension.name)?.get("rules").filter(|rules| rules.as_text().is_some())
        });
        let Some((place, lost)) = before.and_then(|rules| Some((rules, rules.as_text()?))) else { continue };
        if kept.contains(lost) {
            continue;
        }
        let message = format!(
            "the rules `{}` stand in place of the parent's `{lost}`, which are not asked any more",
            name.value
        );
        let problem = Problem::warning(Code::LostRules, &name.span, message);
        problems.push(problem.related(&place.span, "the parent's rules").help(format!(
            "write `extends: {lost}` at the top of `rules/{}.yaml` to keep them, or measure another dimension with yours",
            name.value
        )));
    }
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
