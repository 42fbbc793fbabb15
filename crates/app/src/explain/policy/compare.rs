//! Differences in behaviour between two profiles.

use super::files::reached;
use super::page::Pages;
use super::render::whole;
use super::{ProfileView, Statement, said};
use crate::diag::Problems;
use crate::facts::{Fact, Facts, Origin, shown_value};
use crate::plan::Plan;
use crate::profile::{Loaded, Settings, check_settings};
use crate::value::canonical;
use crate::value::yaml::{Data, Entry, Node};
use serde::Serialize;
use serde_json::Value;

/// Facts that are not about behaviour, or repeat others.
const NO_BEHAVIOUR: [&str; 3] = ["description", "extends", "accept"];
/// The beginning of the keys of facts that sum up others.
const SUMMARY: &str = "short.";

/// More settings than this are not tried one by one for their effect: profiles that differ so much are two profiles.
const MOST_TRIED: usize = 60;

/// Two profiles side by side.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Comparison {
    /// The name of the one that is changed.
    pub before: String,
    /// The name of the other.
    pub after: String,
    /// The differences in behaviour, in the order of an explanation.
    pub changes: Vec<Change>,
    /// Settings that differ, each with whether it makes a difference.
    pub settings: Vec<SettingChange>,
    /// Files that both name and that are not the same.
    pub files: Vec<FileChange>,
}

/// A fact that holds of one profile only, or differs between the two.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Change {
    /// The section's title.
    pub section: &'static str,
    /// The key of its subject.
    pub key: String,
    /// The fact of the first; `None` where there is no such fact.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub before: Option<Said>,
    /// The fact of the second.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub after: Option<Said>,
}

/// A fact of one profile.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Said {
    /// In words.
    pub text: String,
    /// The numbers, names and choices.
    pub values: Value,
    /// The locations of the settings from which it follows.
    pub origin: Vec<Origin>,
}

/// A setting that differs.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SettingChange {
    /// As `--config` takes it.
    pub path: String,
    /// Its value in the first; `None` where it is not set.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub before: Option<String>,
    /// Its value in the second.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub after: Option<String>,
    /// Its effect.
    pub effect: SettingEffect,
}

/// The effect of a setting on behaviour.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum SettingEffect {
    /// It makes a difference.
    Behaviour,
    /// It makes no difference.
    None,
    /// It was not tried, because too many settings differ.
    Unknown,
}

/// A file of the same name that is not the same.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct FileChange {
    /// The name that the profiles use.
    pub name: String,
    /// The origin of the first profile's file.
    pub before: String,
    /// The origin of the second profile's file.
    pub after: String,
}

impl Comparison {
    /// Returns whether both do the same: no statement differs, and no file that they name.
    #[must_use]
    pub fn is_same(&self) -> bool {
        self.changes.is_empty() && self.files.is_empty()
    }
}

/// Reports what the second profile does differently from the first.
#[must_use]
pub fn compare(before: ProfileView<'_>, after: ProfileView<'_>) -> Comparison {
    let (first, second) = (Facts::of(before), Facts::of(after));
    Comparison {
        before: first.profile.clone(),
        after: second.profile.clone(),
        changes: in_words(&first, &second),
        settings: settings(before, &first, after, &second),
        files: files(before, &first, after, &second),
    }
}

/// The facts of either that are not the same in the other.
fn changed_facts<'a>(before: &'a Facts, after: &'a Facts) -> Vec<(Option<&'a Fact>, Option<&'a Fact>)> {
    let behaviour =
        |fact: &&Fact| !NO_BEHAVIOUR.contains(&fact.key.as_str()) && !fact.key.starts_with(SUMMARY);
    let find = |facts: &'a Facts, key: &str| facts.list.iter().find(|fact| fact.key == key);
    let mut found: Vec<(Option<&Fact>, Option<&Fact>)> = Vec::new();
    for now in after.list.iter().filter(behaviour) {
        let was = find(before, &now.key);
        if !was.is_some_and(|was| was.says_the_same(now)) {
            found.push((was, Some(now)));
        }
    }
    for was in before.list.iter().filter(behaviour).filter(|was| find(after, &was.key).is_none()) {
        // A reason to stop may only have moved.
        let moved = |(before, now): &(Option<&Fact>, Option<&Fact>)| {
            before.is_none()
                && now.is_some_and(|now| criterion(now).is_some() && criterion(now) == criterion(was))
        };
        match found.iter_mut().find(|change| moved(change)) {
            Some(change) => change.0 = Some(was),
            None => found.push((Some(was), None)),
        }
    }
    found
}

/// The condition on which a criterion ends the loop, regardless of its position.
fn criterion(fact: &Fact) -> Option<&Value> {
    fact.values.get("when").filter(|_| matches!(fact.kind, "criterion" | "together"))
}

/// The changes in the order of the pages.
fn in_words(before: &Facts, after: &Facts) -> Vec<Change> {
    let (first, second) = (said(before), said(after));
    let pages = Pages::all();
    let place = |fact: &Fact| pages.place(fact.kind).map_or(0, |(at, _)| at);
    let mut changes: Vec<(usize, Change)> = changed_facts(before, after)
        .into_iter()
        .filter_map(|(was, now)| {
            let fact = now.or(was)?;
            let moved = was.zip(now).filter(|(was, now)| was.key != now.key).is_some();
            let side = |fact: Option<&Fact>, explanation: &super::Explanation| {
                let fact = fact?;
                let (_, statement) = explanation.statements().find(|(_, one)| one.fact.key == fact.key)?;
                let mut text = whole(&Statement { label: None, ..statement.clone() });
                if moved {
                    text.push_str(&format!(" ({})", position(&fact.key)));
                }
                Some(Said { text, values: fact.values.clone(), origin: fact.origin.clone() })
            };
            let change = Change {
                section: pages.pages.get(place(fact)).map_or("", |page| page.title),
                key: fact.key.clone(),
                before: side(was, &first),
                after: side(now, &second),
            };
            Some((place(fact), change))
        })
        .collect();
    changes.sort_by_key(|(place, _)| *place);
    changes.into_iter().map(|(_, change)| change).collect()
}

/// A description of the position of a reason to stop.
fn position(key: &str) -> String {
    let group = ["stop.any", "stop.all"].into_iter().find(|group| key.starts_with(group));
    match group {
        Some(group) => format!("in `{group}`, checked after all criteria directly under `stop`"),
        None => format!("under `{key}`, checked in the order of `stop`"),
    }
}

fn files(before: ProfileView<'_>, first: &Facts, after: ProfileView<'_>, second: &Facts) -> Vec<FileChange> {
    let (first, mut second) = (reached(before, first), reached(after, second));
    first
        .into_iter()
        .filter_map(|(name, file)| {
            let other = second.remove(&name).filter(|other| other.text() != file.text())?;
            Some(FileChange { name, before: file.name().to_owned(), after: other.name().to_owned() })
        })
        .collect()
}

/// A location where two trees differ.
struct Difference {
    path: Vec<String>,
    before: Option<Node>,
    after: Option<Node>,
}

fn settings(
    before: ProfileView<'_>,
    first: &Facts,
    after: ProfileView<'_>,
    second: &Facts,
) -> Vec<SettingChange> {
    let mut found = Vec::new();
    differ(&mut Vec::new(), Some(&before.loaded.merged), Some(&after.loaded.merged), &mut found);
    found.retain(|difference| difference.path.first().is_none_or(|key| key != "extends" && key != "name"));
    let tried = found.len() <= MOST_TRIED;
    found
        .iter()
        .map(|difference| {
            let path = difference.path.join(".");
            let shown = |node: &Option<Node>| node.as_ref().map(|node| shown_value(&path, &node.to_json()));
            let effect = if difference.path.first().is_some_and(|key| key == "description") {
                SettingEffect::None
            } else if !tried {
                SettingEffect::Unknown
            } else {
                let alone = |subject: ProfileView<'_>, facts: &Facts, value: &Option<Node>| {
                    // A value that can't be compiled by itself can't be said to make no difference.
                    changed(subject, &difference.path, value.as_ref())
                        .is_none_or(|other| !changed_facts(facts, &other).is_empty())
                };
                if alone(before, first, &difference.after) || alone(after, second, &difference.before) {
                    SettingEffect::Behaviour
                } else {
                    SettingEffect::None
                }
            };
            SettingChange { before: shown(&difference.before), after: shown(&difference.after), path, effect }
        })
        .collect()
}

/// The facts of a profile with one setting changed; `None` when it can't be used then.
fn changed(subject: ProfileView<'_>, path: &[String], value: Option<&Node>) -> Option<Facts> {
    let Loaded { profile, merged, library } = subject.loaded;
    let mut merged = merged.clone();
    put(&mut merged, path, value)?;
    let file = std::sync::Arc::clone(merged.span.file());
    let chain = profile.chain.clone();
    let settings = Settings { merged, chain, file, complete: true, library: library.clone() };
    let mut problems = Problems::new();
    let loaded = check_settings(settings, &mut problems)?;
    let plan = Plan::compile(&loaded, &mut problems).filter(|_| !problems.has_errors())?;
    Some(Facts::of(ProfileView { loaded: &loaded, plan: &plan, prices: subject.prices }))
}

/// Puts a value into a tree, or takes one out; `None` when there is no such location.
fn put(node: &mut Node, path: &[String], value: Option<&Node>) -> Option<()> {
    let (part, rest) = path.split_first()?;
    match &mut node.data {
        Data::Map(entries) => {
            if !rest.is_empty() {
                let entry = entries.iter_mut().find(|entry| entry.key == *part)?;
                return put(&mut entry.value, rest, value);
            }
            let known = entries.iter().position(|entry| entry.key == *part);
            match (known, value) {
                (Some(at), Some(value)) => entries.get_mut(at)?.value = value.clone(),
                (Some(at), None) => {
                    entries.remove(at);
                }
                (None, Some(value)) => {
                    let key_span = value.span.clone();
                    entries.push(Entry { key: part.clone(), key_span, value: value.clone() });
                }
                (None, None) => {}
            }
        }
        Data::List(items) => {
            let item = items.get_mut(part.parse::<usize>().ok()?)?;
            if rest.is_empty() {
                *item = value?.clone();
            } else {
                return put(item, rest, value);
            }
        }
        _ => return None,
    }
    Some(())
}

/// Finds the smallest parts in which two trees differ. Lists of different lengths differ as a whole.
fn differ(path: &mut Vec<String>, before: Option<&Node>, after: Option<&Node>, found: &mut Vec<Difference>) {
    let null = |node: &Node| matches!(node.data, Data::Null);
    let (before, after) = (before.filter(|node| !null(node)), after.filter(|node| !null(node)));
    match (before.map(|node| &node.data), after.map(|node| &node.data)) {
        (Some(Data::Map(first)), Some(Data::Map(second))) => {
            let get = |entries: &[Entry], key: &str| entries.iter().position(|entry| entry.key == key);
            let added = second.iter().filter(|entry| get(first, &entry.key).is_none());
            for key in first.iter().chain(added).map(|entry| entry.key.clone()) {
                let one = get(first, &key).and_then(|at| first.get(at)).map(|entry| &entry.value);
                let other = get(second, &key).and_then(|at| second.get(at)).map(|entry| &entry.value);
                path.push(key);
                differ(path, one, other, found);
                path.pop();
            }
        }
        (Some(Data::List(first)), Some(Data::List(second))) if first.len() == second.len() => {
            for (at, (one, other)) in first.iter().zip(second).enumerate() {
                path.push(at.to_string());
                differ(path, Some(one), Some(other), found);
                path.pop();
            }
        }
        _ => {
            let text = |node: Option<&Node>| canonical(&node.map_or(Value::Null, Node::to_json));
            if text(before) != text(after) {
                found.push(Difference { path: path.clone(), before: before.cloned(), after: after.cloned() });
            }
        }
    }
}
