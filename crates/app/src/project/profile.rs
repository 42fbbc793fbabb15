//! `new profile`: a policy that starts from another, with its numbers to change and cases that hold it to them.

use super::change::{Plan, Refusal};
use super::draft::{Draft, Project};
use super::insert::into_list;
use super::name::kebab;
use super::proof::{Of, played};
use crate::experiment::scenario::Verdict;
use crate::profile::{Files, Loaded, available};
use crate::value::yaml::{Data, Node};

const PROFILE: &str = include_str!("templates/profile.yaml");
const CASES: &str = include_str!("templates/profile.test.yaml");

/// The parent of a project's profile by default.
pub(super) const DEFAULT_PARENT: &str = "balanced";

/// A request for a new profile.
#[derive(Debug, Clone, Copy)]
pub struct NewProfile<'a> {
    /// Its name.
    pub name: &'a str,
    /// The profile that it extends; left out, the project's only profile, or `balanced`.
    pub extends: Option<&'a str>,
}

/// Plans `profiles/NAME.yaml` and its cases.
///
/// # Errors
/// A name that is invalid or taken, a parent that does not exist or can't be used.
pub(super) fn new_profile(project: &Project, wanted: NewProfile<'_>) -> Result<Plan, Refusal> {
    let mut draft = Draft::of(project);
    let own = project.profiles();
    let parent = match (wanted.extends, own.as_slice()) {
        (Some(parent), _) => parent,
        (None, [only]) => only.as_str(),
        (None, _) => DEFAULT_PARENT,
    };
    add_profile(&mut draft, wanted.name, parent)?;
    draft.bring_editor_schemas()?;
    let name = wanted.name;
    Ok(Plan {
        changes: draft.changes,
        next: vec![
            format!("loopctl check {name}"),
            format!("loopctl test {name}"),
            format!("loopctl run --profile {name} --out out DOCUMENT"),
        ],
        ..Plan::default()
    })
}

/// Plans `profiles/NAME.yaml` with an existing text, such as that of another profile with other numbers.
///
/// # Errors
/// A name that is invalid or taken, a text that is not a profile that can be used.
pub fn profile_of_text(project: &Project, name: &str, text: &str) -> Result<Plan, Refusal> {
    let mut draft = Draft::of(project);
    free_name(&draft, name)?;
    draft.create(&format!("profiles/{name}.yaml"), text.to_owned())?;
    draft.profile(name)?;
    Ok(Plan { changes: draft.changes, ..Plan::default() })
}

/// Adds a profile with cases to a draft.
pub(super) fn add_profile(draft: &mut Draft, name: &str, parent: &str) -> Result<(), Refusal> {
    free_name(draft, name)?;
    let (loaded, _) = draft.profile(parent)?;
    let text = PROFILE
        .replace("@PARENT@", parent)
        .replace("@ACCEPT@", &accept(&loaded.merged))
        .replace("@STOP@\n", &stop(&loaded));
    draft.create(&format!("profiles/{name}.yaml"), text)?;
    draft.profile(name)?;

    // The outcome of a course of scores depends on the whole policy, so the cases are tried; those that hold are kept.
    let path = format!("profiles/{name}.test.yaml");
    let head = CASES.replace("@NAME@", name);
    let all = cases(&loaded);
    draft.create(&path, with_cases(&head, &all))?;
    let suite = played(draft, Of::Profile(name), "")?;
    let holds = |case: &&String| {
        suite.results.iter().any(|result| {
            matches!(result.verdict, Verdict::Passed) && case.starts_with(&format!("name: {}\n", result.name))
        })
    };
    let kept: Vec<String> = all.iter().filter(holds).cloned().collect();
    if kept.is_empty() {
        return Err(Refusal::new(format!(
            "no case could be found that a profile starting from `{parent}` satisfies"
        ))
        .help("write the profile by hand: `extends` and what is to be different"));
    }
    if let Some(change) = draft.changes.iter_mut().find(|change| change.path == path) {
        change.text = with_cases(&head, &kept);
    }
    Ok(())
}

fn with_cases(head: &str, cases: &[String]) -> String {
    cases.iter().fold(head.to_owned(), |text, case| into_list(&text, &["cases"], case).unwrap_or(text))
}

/// Refuses names that are taken, here or by what ships.
fn free_name(draft: &Draft, name: &str) -> Result<(), Refusal> {
    kebab("profile", name)?;
    let path = format!("profiles/{name}.yaml");
    if draft.has(&path) {
        return Err(Refusal::new(format!("`{path}` is there already")).help("choose another name"));
    }
    let library = draft.library();
    if available(&library).iter().any(|known| known == name) || library.read(&path)?.is_some() {
        return Err(Refusal::new(format!("a profile `{name}` ships with loopctl; yours would hide it"))
            .help(format!("choose another name, such as `our-{name}`, with `--extends {name}`")));
    }
    Ok(())
}

/// The parent's conditions, in one line.
fn accept(merged: &Node) -> String {
    let Some(Data::Map(entries)) = merged.get("accept").map(|node| &node.data) else {
        return "{ overall: 0.90 }".to_owned();
    };
    let lines: Vec<String> =
        entries.iter().map(|entry| format!("{}: {}", entry.key, entry.value.to_json())).collect();
    format!("{{ {} }}", lines.join(", "))
}

fn limit(loaded: &Loaded) -> Option<(&'static str, u64)> {
    let stop = loaded.merged.get("stop")?;
    ["max_iterations", "max_corrections"]
        .into_iter()
        .find_map(|key| Some((key, stop.get(key)?.to_json().as_u64()?)))
}

/// The parent's limit, with its meaning.
fn stop(loaded: &Loaded) -> String {
    let meaning = match limit(loaded) {
        Some(("max_iterations", _)) => "the first answer counts, too",
        _ => "the first answer does not count",
    };
    limit(loaded)
        .map_or_else(String::new, |(key, number)| format!("stop: {{ {key}: {number} }}   # {meaning}\n"))
}

/// Cases that most policies satisfy, with the parent's numbers.
fn cases(loaded: &Loaded) -> Vec<String> {
    let mut cases = vec![
        "name: passes when nothing is wrong\ntrajectory:\n  - { scores: 1 }\nexpect: { final_status: passed, iteration_count: 1 }\n"
            .to_owned(),
    ];
    let overall = loaded.merged.get("accept").and_then(|accept| accept.get("overall")?.to_json().as_f64());
    if let Some(overall) = overall {
        let below = (overall * 100.0 - 1.0).round() / 100.0;
        cases.push(format!(
            "name: passes at exactly the threshold\ntrajectory:\n  - {{ scores: {overall} }}\nexpect: {{ final_status: passed }}\n"
        ));
        cases.push(format!(
            "name: does not pass below it\ntrajectory:\n  - {{ scores: {below} }}\nexpect: {{ final_status: incomplete }}\n"
        ));
    }
    if let Some((key, number)) = limit(loaded) {
        let candidates = if key == "max_iterations" { number } else { number.saturating_add(1) };
        let scores: Vec<String> =
            (0..candidates.min(8)).map(|at| format!("  - {{ scores: 0.{} }}\n", 50 + at * 6)).collect();
        cases.push(format!(
            "name: gives up after {candidates} candidates that got better\ntrajectory:\n{}expect: {{ final_status: max_iterations_reached, iteration_count: {candidates} }}\n",
            scores.concat()
        ));
    }
    cases
}
