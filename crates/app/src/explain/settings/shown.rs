//! The merged settings, as YAML and as a list, without possible secrets.

use super::complete::complete;
use crate::diag::{Problems, SourceFile};
use crate::facts::{HIDDEN, Origin, without_passwords};
use crate::profile::{has_variable, secret_word};
use crate::value::yaml::{Data, Node, parse};
use crate::value::yaml_text::{quoted, scalar};
use serde::Serialize;
use serde_json::Value;

/// Settings that go to plugins and servers, or locate them.
const GUARDED: [&str; 8] =
    ["config", "extra_body", "extra_headers", "variables", "proxy", "url", "command", "base_url"];

/// One setting.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Setting {
    /// Its key with dots between the parts, as `--config` takes it; list elements by number.
    pub path: String,
    /// Its value.
    pub value: Value,
    /// The location where it was set.
    pub origin: Origin,
}

/// The settings of a profile, ready to be shown.
#[derive(Debug, Clone)]
pub struct Shown {
    lines: Vec<Line>,
    settings: Vec<Setting>,
    hidden: usize,
    whole: Value,
}

#[derive(Debug, Clone)]
struct Line {
    text: String,
    origin: Option<String>,
}

/// Comments begin no farther to the right than this, however long some lines are.
const FARTHEST_COMMENT: usize = 60;

impl Shown {
    /// Prepares merged settings. `extends` is left out: what it refers to is written out.
    #[must_use]
    pub fn of(merged: &Node) -> Self {
        let mut shown = Shown { lines: Vec::new(), settings: Vec::new(), hidden: 0, whole: Value::Null };
        let mut root = merged.clone();
        if let Data::Map(entries) = &mut root.data {
            entries.retain(|entry| entry.key != "extends");
        }
        complete(&mut root);
        shown.hide(&mut root, &mut Vec::new(), false);
        shown.whole = root.to_json();
        shown.list(&root, &mut Vec::new());
        shown.write(&root, 0, "");
        shown
    }

    /// Every setting that is not a list or mapping, in the order in which they are shown.
    #[must_use]
    pub fn settings(&self) -> &[Setting] {
        &self.settings
    }

    /// All settings as one JSON value.
    #[must_use]
    pub fn json(&self) -> &Value {
        &self.whole
    }

    /// The number of values that are not shown because they could be secrets.
    #[must_use]
    pub fn hidden(&self) -> usize {
        self.hidden
    }

    /// As YAML; with `origins` each value is followed by the location where it was set.
    #[must_use]
    pub fn yaml(&self, origins: bool) -> String {
        let width = |line: &Line| line.text.chars().count();
        let commented = self.lines.iter().filter(|line| line.origin.is_some());
        let column = commented.map(width).filter(|width| *width <= FARTHEST_COMMENT).max().unwrap_or(0);
        let mut out = String::new();
        for line in &self.lines {
            out.push_str(&line.text);
            if let (true, Some(origin)) = (origins, &line.origin) {
                let gap = column.saturating_sub(width(line)) + 2;
                out.push_str(&" ".repeat(gap));
                out.push_str("# ");
                out.push_str(origin);
            }
            out.push('\n');
        }
        out
    }

    /// Replaces possible secrets. `guarded`: the value goes to a plugin or server.
    fn hide(&mut self, node: &mut Node, path: &mut Vec<String>, guarded: bool) {
        let span_text = node.span.text().to_owned();
        let written_here = !node.span.file().is_argument();
        let named_secret = guarded && path.iter().any(|key| secret_word(key).is_some());
        match &mut node.data {
            Data::List(items) => {
                for (at, item) in items.iter_mut().enumerate() {
                    path.push(at.to_string());
                    self.hide(item, path, guarded);
                    path.pop();
                }
            }
            Data::Map(entries) => {
                for entry in entries {
                    let guarded = guarded || GUARDED.contains(&entry.key.as_str());
                    path.push(entry.key.clone());
                    self.hide(&mut entry.value, path, guarded);
                    path.pop();
                }
            }
            Data::Text { text, .. } => {
                if named_secret {
                    HIDDEN.clone_into(text);
                    self.hidden += 1;
                } else if guarded && written_here && has_variable(&span_text) {
                    // As it was written it means the same, and reveals nothing.
                    *text = as_written(&span_text).unwrap_or_else(|| {
                        self.hidden += 1;
                        HIDDEN.to_owned()
                    });
                } else {
                    let safe = without_passwords(text);
                    self.hidden += usize::from(safe != *text);
                    // In a profile `${` would begin a variable.
                    *text = safe.replace("${", "$${");
                }
            }
            Data::Int(_) | Data::Float(_) | Data::Bool(_) | Data::Null => {
                if guarded && written_here && has_variable(&span_text) {
                    match as_written(&span_text) {
                        Some(written) => node.data = Data::Text { text: written, plain: true },
                        None => {
                            self.hidden += 1;
                            node.data = Data::Text { text: HIDDEN.to_owned(), plain: false };
                        }
                    }
                }
            }
        }
    }

    fn list(&mut self, node: &Node, path: &mut Vec<String>) {
        match &node.data {
            Data::List(items) if !items.is_empty() => {
                for (at, item) in items.iter().enumerate() {
                    path.push(at.to_string());
                    self.list(item, path);
                    path.pop();
                }
            }
            Data::Map(entries) if !entries.is_empty() => {
                for entry in entries {
                    path.push(entry.key.clone());
                    self.list(&entry.value, path);
                    path.pop();
                }
            }
            _ => {
                let value = match node.to_json() {
                    Value::String(text) => Value::String(text.replace("$${", "${")),
                    other => other,
                };
                self.settings.push(Setting { path: path.join("."), value, origin: Origin::of(node) });
            }
        }
    }

    /// Writes what follows `before` (a key with its colon, a dash, or nothing) at an indent.
    fn write(&mut self, node: &Node, indent: usize, before: &str) {
        let space = " ".repeat(indent);
        let lead = format!("{space}{before}");
        if let Some(text) = written_scalar(node) {
            let gap = if before.is_empty() { "" } else { " " };
            let origin = Some(Origin::of(node).text().replace(['\n', '\r'], " "));
            self.lines.push(Line { text: format!("{lead}{gap}{text}"), origin });
            return;
        }
        match &node.data {
            Data::Map(entries) => {
                let dash = before == "-";
                if !before.is_empty() && !dash {
                    self.lines.push(Line { text: lead, origin: None });
                }
                let inner = if before.is_empty() { indent } else { indent + 2 };
                for (at, entry) in entries.iter().enumerate() {
                    let key = format!("{}:", quoted(&entry.key));
                    if dash && at == 0 {
                        // The first key follows the dash.
                        let from = self.lines.len();
                        self.write(&entry.value, inner, &key);
                        if let Some(line) = self.lines.get_mut(from) {
                            let rest = line.text.trim_start().to_owned();
                            line.text = format!("{space}- {rest}");
                        }
                    } else {
                        self.write(&entry.value, inner, &key);
                    }
                }
            }
            Data::List(items) => {
                if !before.is_empty() {
                    self.lines.push(Line { text: lead, origin: None });
                }
                let inner = if before.is_empty() { indent } else { indent + 2 };
                for item in items {
                    self.write(item, inner, "-");
                }
            }
            _ => {}
        }
    }
}

/// A scalar as it is written. Text that was put back as it was in its file, to be filled in again, keeps its type only
/// without quotes.
fn written_scalar(node: &Node) -> Option<String> {
    match &node.data {
        Data::Text { text, plain: true }
            if has_variable(text) && !text.contains([' ', ',', '#', '\'', '"']) =>
        {
            Some(text.clone())
        }
        data => scalar(data),
    }
}

/// The text of a scalar as it was written, without its quotes, if its source shows it.
fn as_written(span_text: &str) -> Option<String> {
    let node = parse(&SourceFile::new("", span_text), &mut Problems::new())?;
    match node.data {
        Data::Text { text, .. } if !span_text.contains('\n') && without_passwords(&text) == text => {
            Some(text)
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::profile::{Library, Override, load, settings};
    use crate::value::yaml::Entry;
    use proptest::prelude::*;
    use std::collections::HashMap;

    const ALL: [&str; 9] =
        ["aas", "balanced", "batch", "clinical", "definition", "literature", "marc", "marc-v1", "real-time"];

    fn overrides(flags: &[String]) -> Vec<Override> {
        flags.iter().filter_map(|flag| Override::from_flag(flag, &mut Problems::new())).collect()
    }

    fn digests(
        name: &str,
        flags: &[String],
        variables: &HashMap<&str, &str>,
    ) -> Option<(String, String, String)> {
        let environment = |name: &str| variables.get(name).map(|value| (*value).to_owned());
        let mut problems = Problems::new();
        let loaded = load(name, &Library::embedded(), &overrides(flags), &environment, &mut problems)?;
        let yaml = Shown::of(&loaded.merged).yaml(true);
        let again = Library::embedded().holding("profiles/again.yaml", yaml.clone());
        let mut problems = Problems::new();
        let again = load("again", &again, &[], &environment, &mut problems);
        let second = again.map_or_else(|| format!("{problems:?}"), |again| again.profile.digest);
        Some((loaded.profile.digest, second, yaml))
    }

    #[test]
    fn every_shipped_profile_reads_back_to_the_same_digest() {
        for name in ALL {
            let (first, second, yaml) = digests(name, &[], &HashMap::new()).unwrap_or_default();
            assert_eq!(first, second, "{name}\n{yaml}");
            assert!(!first.is_empty());
        }
    }

    #[test]
    fn what_an_example_sets_reads_back() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples");
        let mut seen = 0;
        let mut folders = vec![std::path::PathBuf::from(folder)];
        while let Some(folder) = folders.pop() {
            for entry in std::fs::read_dir(folder).unwrap().flatten() {
                let path = entry.path();
                if path.is_dir() {
                    folders.push(path);
                } else if path.parent().is_some_and(|parent| parent.ends_with("profiles"))
                    && path.extension().is_some_and(|e| e == "yaml")
                    && !path.to_string_lossy().ends_with(".test.yaml")
                {
                    let name = path.to_string_lossy().into_owned();
                    let Some((first, second, yaml)) = digests(&name, &[], &HashMap::new()) else { continue };
                    assert_eq!(first, second, "{name}\n{yaml}");
                    seen += 1;
                }
            }
        }
        assert!(seen > 0 || !std::path::Path::new(folder).join("profiles").exists());
    }

    #[test]
    fn what_was_taken_away_stays_away() {
        let flags = ["classify=null", "feedback.history=null", "repair.salvage=null", "stop.timeout=null"];
        let (first, second, yaml) = digests("clinical", &flags.map(str::to_owned), &HashMap::new()).unwrap();
        assert_eq!(first, second, "{yaml}");
        assert!(yaml.contains("classify: null"), "{yaml}");
        assert!(!yaml.contains("timeout"), "{yaml}");
    }

    #[test]
    fn secrets_are_not_shown() {
        let flags = [
            "stages.0.config={ api_key: sk-1234567, file: a.yaml, deep: { client_secret: hush } }",
            "stages.0.options={ extra_headers: { x-session-token: abcdefg } }",
            "network.proxy='http://user:pw123@proxy.example:3128'",
            "validators={ v: { url: 'https://example.org/check?api_key=QQQ&strict=1', stages: [a] } }",
            "dispositions={ MISSING_AUTHOR: escalate }",
        ]
        .map(str::to_owned);
        let mut problems = Problems::new();
        let loaded =
            settings("clinical", &Library::embedded(), &overrides(&flags), &|_| None, &mut problems).unwrap();
        let shown = Shown::of(&loaded.merged);
        let (yaml, json) = (shown.yaml(true), serde_json::to_string(shown.settings()).unwrap());
        for secret in ["sk-1234567", "hush", "abcdefg", "pw123", "QQQ"] {
            assert!(!yaml.contains(secret) && !json.contains(secret), "{secret}\n{yaml}");
        }
        assert!(yaml.contains("MISSING_AUTHOR: escalate") && yaml.contains("file: a.yaml"), "{yaml}");
        assert_eq!(shown.hidden(), 5);
    }

    #[test]
    fn variables_are_shown_filled_in_where_that_is_safe_and_as_written_elsewhere() {
        let profile = "extends: clinical\nstages:\n  - id: e\n    provider: ${LOOPCTL_PROVIDER:-pattern}\n    prompt: extract.md\n    config:\n      where: \"${PLACE}\"\n      port: ${PORT:-1}\nstop:\n  max_iterations: ${N:-3}\n";
        let library = Library::embedded().holding("profiles/v.yaml", profile);
        let environment = |name: &str| match name {
            "LOOPCTL_PROVIDER" => Some("openai:m".to_owned()),
            "PLACE" => Some("top secret".to_owned()),
            "PORT" => Some("8080".to_owned()),
            _ => None,
        };
        let mut problems = Problems::new();
        let loaded = load("v", &library, &[], &environment, &mut problems).unwrap();
        let yaml = Shown::of(&loaded.merged).yaml(true);
        assert!(!yaml.contains("top secret") && !yaml.contains("8080"), "{yaml}");
        assert!(yaml.contains("provider: openai:m") && yaml.contains("max_iterations: 3 "), "{yaml}");
        assert!(yaml.contains("profiles/v.yaml:4, ${LOOPCTL_PROVIDER:-pattern}"), "{yaml}");
        let again = Library::embedded().holding("profiles/again.yaml", yaml.clone());
        let again = load("again", &again, &[], &environment, &mut problems).unwrap();
        assert_eq!(again.profile.digest, loaded.profile.digest, "{yaml}");
    }

    /// Texts that YAML and variables could make something else of.
    fn text() -> impl Strategy<Value = String> {
        prop_oneof![
            "[ -~]{0,20}",
            Just("${X".to_owned()),
            Just("$${A}".to_owned()),
            Just("a: b # c".to_owned()),
            Just("null".to_owned()),
            Just("0.50".to_owned()),
            Just("- x\n- y\n".to_owned()),
        ]
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn settings_read_back_whatever_was_laid_over_them(
            at in 0..ALL.len(),
            texts in prop::collection::vec(text(), 3),
            bound in 0.0..1.0_f64,
            count in 1..9_u32,
            removed in prop::sample::subsequence(vec!["classify", "select", "feedback.lock", "repair", "stop.timeout", "review", "on_regression"], 0..4),
        ) {
            let quote = |text: &str| serde_json::Value::from(text).to_string();
            let mut settings: Vec<(String, Data)> = vec![
                ("description".to_owned(), Data::Text { text: texts[0].clone(), plain: false }),
                ("variables.x".to_owned(), Data::Text { text: texts[1].clone(), plain: false }),
                ("stages.*.config.free".to_owned(), Data::Text { text: texts[2].clone(), plain: false }),
                ("accept.overall".to_owned(), Data::Float(bound)),
                ("stop.max_iterations".to_owned(), Data::Int(i64::from(count))),
            ];
            settings.extend(removed.iter().map(|path| ((*path).to_owned(), Data::Null)));
            let file = SourceFile::argument("--config", quote("x"));
            let span = crate::diag::Span::new(&file, 0, 1);
            let overrides: Vec<Override> = settings
                .into_iter()
                .filter_map(|(key, data)| {
                    let value = Node { span: span.clone(), data };
                    let entry = Entry { key, key_span: span.clone(), value };
                    Override::from_entry("--config", &entry, &entry.value).ok()
                })
                .collect();
            let mut problems = Problems::new();
            let loaded = load(ALL[at], &Library::embedded(), &overrides, &|_| None, &mut problems);
            prop_assume!(loaded.is_some());
            let loaded = loaded.unwrap();
            let yaml = Shown::of(&loaded.merged).yaml(true);
            let again = Library::embedded().holding("profiles/again.yaml", yaml.clone());
            let mut problems = Problems::new();
            let again = load("again", &again, &[], &|_| None, &mut problems);
            prop_assert!(again.is_some(), "{yaml}\n{problems:?}");
            prop_assert_eq!(again.unwrap().profile.digest, loaded.profile.digest, "{}", yaml);
        }
    }
}
