//! What changes in behaviour between two profiles.

use super::files::reached;
use super::model::{Explanation, Statement};
use super::render::whole;
use super::{ProfileView, explain};
use crate::diag::Problems;
use crate::explain::settings::shown_value;
use crate::plan::Plan;
use crate::profile::{Loaded, Settings, check_settings};
use crate::value::canonical;
use crate::value::yaml::{Data, Entry, Node};
use serde::Serialize;
use serde_json::Value;

/// Statements that say nothing of what is done.
const NO_BEHAVIOUR: [&str; 3] = ["description", "extends", "accept"];

/// More settings than this are not tried one by one for their effect: profiles that differ so much are two profiles.
const MOST_TRIED: usize = 60;

/// Two profiles side by side.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Comparison {
    /// The name of the one that is changed.
    pub before: String,
    /// The name of the other.
    pub after: String,
    /// What is done otherwise, in the order of an explanation.
    pub changes: Vec<Change>,
    /// Settings that differ, each with whether it makes a difference.
    pub settings: Vec<SettingChange>,
    /// Files that both name and that are not the same.
    pub files: Vec<FileChange>,
}

/// A statement that holds of one profile and not, or otherwise, of the other.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Change {
    /// The section's title.
    pub section: &'static str,
    /// What it is about.
    pub key: String,
    /// What holds of the first; `None` where it says nothing of the matter.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub before: Option<String>,
    /// What holds of the second.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub after: Option<String>,
}

/// A setting that differs.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SettingChange {
    /// As `--config` takes it.
    pub path: String,
    /// What it is in the first; `None` where it is not set.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub before: Option<String>,
    /// What it is in the second.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub after: Option<String>,
    /// Whether it makes a difference.
    pub effect: SettingEffect,
}

/// Whether a setting makes a difference to what is done.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum SettingEffect {
    /// It does.
    Behaviour,
    /// Nothing is done otherwise for it.
    None,
    /// It was not tried, because too many settings differ.
    Unknown,
}

/// A file of the same name that is not the same.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct FileChange {
    /// By what the profiles name it.
    pub name: String,
    /// Where the first has it from.
    pub before: String,
    /// Where the second has it from.
    pub after: String,
}

impl Comparison {
    /// Whether both do the same: no statement differs, and no file that they name.
    #[must_use]
    pub fn is_same(&self) -> bool {
        self.changes.is_empty() && self.files.is_empty()
    }

    /// The settings that differ and make no difference.
    pub fn idle(&self) -> impl Iterator<Item = &SettingChange> {
        self.settings.iter().filter(|setting| setting.effect == SettingEffect::None)
    }
}

/// Says what the second profile does otherwise than the first.
#[must_use]
pub fn compare(before: ProfileView<'_>, after: ProfileView<'_>) -> Comparison {
    let (first, second) = (explain(before), explain(after));
    Comparison {
        before: first.profile.clone(),
        after: second.profile.clone(),
        changes: changes(&first, &second),
        settings: settings(before, &first, after, &second),
        files: files(before, after),
    }
}

fn changes(before: &Explanation, after: &Explanation) -> Vec<Change> {
    let behaviour = |key: &str| !NO_BEHAVIOUR.contains(&key);
    let said = |statement: &Statement| whole(&Statement { label: None, ..statement.clone() });
    let find = |explanation: &Explanation, key: &str| {
        explanation
            .statements()
            .find(|(_, statement)| statement.key == key)
            .map(|(_, statement)| said(statement))
    };
    let mut found = Vec::new();
    for (section, statement) in after.statements().filter(|(_, statement)| behaviour(&statement.key)) {
        let (now, was) = (said(statement), find(before, &statement.key));
        if was.as_ref() != Some(&now) {
            found.push(Change {
                section: section.title,
                key: statement.key.clone(),
                before: was,
                after: Some(now),
            });
        }
    }
    for (section, statement) in before.statements().filter(|(_, statement)| behaviour(&statement.key)) {
        if find(after, &statement.key).is_none() {
            // It stands where its section does.
            let order = |title: &str| {
                let place = |explanation: &Explanation| {
                    explanation.sections.iter().position(|section| section.title == title)
                };
                place(after).or_else(|| place(before)).unwrap_or(usize::MAX)
            };
            let at = found.partition_point(|change: &Change| order(change.section) <= order(section.title));
            let (key, before) = (statement.key.clone(), Some(said(statement)));
            found.insert(at, Change { section: section.title, key, before, after: None });
        }
    }
    moved(&mut found);
    found
}

/// Says of a reason to stop that is told in the same words at another place what the place changes.
fn moved(found: &mut Vec<Change>) {
    let place = |key: &str| {
        let group = ["stop.any", "stop.all"].into_iter().find(|group| key.starts_with(group));
        match group {
            Some(group) => format!("in `{group}`, looked at after all that stand under `stop` itself"),
            None => format!("under `{key}`, looked at in the order of `stop`"),
        }
    };
    // A list with one member has its name before it, and the end of the loop after it.
    let clause = |text: &str| {
        let text = text.split(" → ").next().unwrap_or_default();
        let text = text.trim_start_matches("All of these hold: ").trim_end_matches('.');
        text.to_lowercase()
    };
    let criterion = |change: &Change| change.key.starts_with("stop.");
    let mut at = 0;
    while let Some(change) = found.get(at) {
        let gone = change.before.as_ref().filter(|_| change.after.is_none() && criterion(change));
        let come = gone.map(|text| clause(text)).and_then(|words| {
            found.iter().position(|other| {
                other.before.is_none()
                    && criterion(other)
                    && other.after.as_ref().is_some_and(|text| clause(text) == words)
            })
        });
        let (Some(text), Some(come)) = (gone, come) else {
            at += 1;
            continue;
        };
        let before = format!("{text} ({})", place(&change.key));
        if let Some(other) = found.get_mut(come) {
            let after = other.after.take().unwrap_or_default();
            other.after = Some(format!("{after} ({})", place(&other.key)));
            other.before = Some(before);
        }
        found.remove(at);
    }
}

fn files(before: ProfileView<'_>, after: ProfileView<'_>) -> Vec<FileChange> {
    let (first, mut second) = (reached(before), reached(after));
    first
        .into_iter()
        .filter_map(|(name, file)| {
            let other = second.remove(&name).filter(|other| other.text() != file.text())?;
            Some(FileChange { name, before: file.name().to_owned(), after: other.name().to_owned() })
        })
        .collect()
}

/// A place where two trees differ.
struct Difference {
    path: Vec<String>,
    before: Option<Node>,
    after: Option<Node>,
}

fn settings(
    before: ProfileView<'_>,
    first: &Explanation,
    after: ProfileView<'_>,
    second: &Explanation,
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
                let alone = |subject: ProfileView<'_>, explanation: &Explanation, value: &Option<Node>| {
                    // What can't be compiled by itself can't be said to make no difference.
                    changed(subject, &difference.path, value.as_ref())
                        .is_none_or(|other| !changes(explanation, &other).is_empty())
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

/// The explanation of a profile with one setting changed; `None` when it can't be used then.
fn changed(subject: ProfileView<'_>, path: &[String], value: Option<&Node>) -> Option<Explanation> {
    let Loaded { profile, merged, library } = subject.loaded;
    let mut merged = merged.clone();
    put(&mut merged, path, value)?;
    let file = std::sync::Arc::clone(merged.span.file());
    let chain = profile.chain.clone();
    let settings = Settings { merged, chain, file, complete: true, library: library.clone() };
    let mut problems = Problems::new();
    let loaded = check_settings(settings, &mut problems)?;
    let plan = Plan::compile(&loaded, &mut problems).filter(|_| !problems.has_errors())?;
    Some(explain(ProfileView { loaded: &loaded, plan: &plan, prices: subject.prices }))
}

/// Puts a value into a tree, or takes one out; `None` when there is no such place.
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

impl Change {
    /// The change on one line where the two texts have most words in common, as in `at least 0.95 → 0.98`; else `None`.
    #[must_use]
    pub fn inline(&self) -> Option<String> {
        inline(&tokens(self.before.as_ref()?), &tokens(self.after.as_ref()?))
    }
}

/// Words with the space after them, and the punctuation at their ends as tokens of its own.
fn tokens(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    for word in text.split_inclusive(' ') {
        let mut rest = word;
        while let Some(inner) = rest.strip_prefix(['(', '“']) {
            let (mark, _) = rest.split_at(rest.len() - inner.len());
            found.push(mark);
            rest = inner;
        }
        let core = rest.trim_end_matches([' ', '.', ',', ';', ':', ')', '”']);
        if !core.is_empty() {
            found.push(core);
        }
        let (_, tail) = rest.split_at(core.len());
        if !tail.is_empty() {
            found.push(tail);
        }
    }
    found
}

/// Most tokens that are aligned: a table of their square is made.
const MOST_TOKENS: usize = 1_000;

fn inline(before: &[&str], after: &[&str]) -> Option<String> {
    if before.len() > MOST_TOKENS || after.len() > MOST_TOKENS {
        return None;
    }
    let common = common(before, after);
    let words =
        |tokens: &[&str]| tokens.iter().filter(|token| token.chars().any(char::is_alphanumeric)).count();
    let kept: Vec<&str> = common.iter().filter_map(|(at, _)| before.get(*at).copied()).collect();
    // Where less than two thirds stay, two sentences are easier to read than one with holes.
    if words(&kept) * 3 < words(before).max(words(after)) * 2 {
        return None;
    }
    let mut out = String::new();
    let (mut from, mut to) = (0, 0);
    let ends = std::iter::once((before.len(), after.len()));
    for (at, there) in common.into_iter().chain(ends) {
        let gone = before.get(from..at).unwrap_or_default().concat();
        let come = after.get(to..there).unwrap_or_default().concat();
        let space = if gone.ends_with(' ') || come.ends_with(' ') { " " } else { "" };
        let (gone, come) = (gone.trim(), come.trim());
        let several = gone.contains(' ') || come.contains(' ');
        match (gone.is_empty(), come.is_empty()) {
            (true, true) => {}
            (false, false) if several => out.push_str(&format!("[{gone} → {come}]{space}")),
            (false, false) => out.push_str(&format!("{gone} → {come}{space}")),
            (false, true) => out.push_str(&format!("[no longer: {gone}]{space}")),
            (true, false) => out.push_str(&format!("[added: {come}]{space}")),
        }
        out.push_str(after.get(there).copied().unwrap_or_default());
        (from, to) = (at + 1, there + 1);
    }
    Some(out)
}

/// A longest common subsequence, as pairs of places.
fn common(before: &[&str], after: &[&str]) -> Vec<(usize, usize)> {
    let width = after.len() + 1;
    let mut longest = vec![0_u32; (before.len() + 1) * width];
    let get = |table: &[u32], i: usize, j: usize| table.get(i * width + j).copied().unwrap_or(0);
    for (i, one) in before.iter().enumerate().rev() {
        for (j, other) in after.iter().enumerate().rev() {
            let length = if one == other {
                get(&longest, i + 1, j + 1) + 1
            } else {
                get(&longest, i + 1, j).max(get(&longest, i, j + 1))
            };
            if let Some(cell) = longest.get_mut(i * width + j) {
                *cell = length;
            }
        }
    }
    let (mut i, mut j, mut pairs) = (0, 0, Vec::new());
    while let (Some(one), Some(other)) = (before.get(i), after.get(j)) {
        if one == other {
            pairs.push((i, j));
            (i, j) = (i + 1, j + 1);
        } else if get(&longest, i + 1, j) >= get(&longest, i, j + 1) {
            i += 1;
        } else {
            j += 1;
        }
    }
    pairs
}

#[cfg(test)]
mod tests {
    use super::*;

    fn change(before: &str, after: &str) -> Option<String> {
        inline(&tokens(before), &tokens(after))
    }

    #[test]
    fn a_number_that_changes_is_shown_in_its_sentence() {
        assert_eq!(
            change("The overall score is at least 0.95.", "The overall score is at least 0.98.").as_deref(),
            Some("The overall score is at least 0.95 → 0.98.")
        );
        assert_eq!(
            change(
                "3 candidates have been assessed (candidate 0 and 2 corrections).",
                "1 candidate has been assessed (candidate 0, and no correction)."
            ),
            None
        );
        assert_eq!(
            change("It is red and round, and large.", "It is red and round.").as_deref(),
            Some("It is red and round[no longer: , and large].")
        );
        assert_eq!(
            change(
                "At most 3 candidates of one kind are made here.",
                "At most 5 big candidates of one kind are made here."
            )
            .as_deref(),
            Some("At most 3 → 5 [added: big] candidates of one kind are made here.")
        );
    }
}
