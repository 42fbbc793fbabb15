//! Settings from flags and the environment, laid over the profile.

use crate::diag::{Code, Problem, Problems, SourceFile, Span};
use crate::value::MAX_STEPS;
use crate::value::yaml::{Data, Entry, Node, parse, resolve_plain};
use std::sync::Arc;

/// One setting laid over the profile.
#[derive(Debug, Clone)]
pub struct Override {
    /// Its name for people: `--config stop.timeout=10s` or `MARC_TIMEOUT_MS`.
    origin: String,
    path: Vec<String>,
    /// The position of the key, if it is not before the value.
    key_span: Option<Span>,
    value: Node,
}

/// Environment variables with the setting that each means and the unit to append, weakest first:
/// `LOOPCTL_*` beats the names of the reliability loop.
const VARIABLES: [(&str, &str, &str); 8] = [
    ("MARC_QUALITY_THRESHOLD", "accept.overall", ""),
    ("MARC_MAX_ITERATIONS", "stop.max_iterations", ""),
    ("MARC_MIN_IMPROVEMENT", "stop.min_improvement.delta", ""),
    ("MARC_TIMEOUT_MS", "stop.timeout", "ms"),
    ("LOOPCTL_QUALITY_THRESHOLD", "accept.overall", ""),
    ("LOOPCTL_MAX_ITERATIONS", "stop.max_iterations", ""),
    ("LOOPCTL_MIN_IMPROVEMENT", "stop.min_improvement.delta", ""),
    ("LOOPCTL_TIMEOUT_MS", "stop.timeout", "ms"),
];

impl Override {
    /// Reads the argument of `--config`: `a.b=value`, where the value is YAML.
    pub fn from_flag(argument: &str, problems: &mut Problems) -> Option<Self> {
        let file = SourceFile::argument("--config", argument);
        let whole = Span::new(&file, 0, argument.len());
        let Some((path, _)) = argument.split_once('=') else {
            problems.push(
                Problem::error(Code::BadOverride, &whole, "a setting needs a key and a value")
                    .help("write `--config accept.overall=0.9`"),
            );
            return None;
        };
        let path = match parts_of_key(path) {
            Ok(path) => path,
            Err(bad) => {
                problems.push(bad.problem(&whole));
                return None;
            }
        };
        if argument.trim_end().ends_with('=') && argument.matches('=').count() == 1 {
            problems.push(
                Problem::error(Code::BadOverride, &whole, "a setting needs a value")
                    .help("write `KEY=null` to take a setting away, `KEY=''` for an empty text"),
            );
            return None;
        }
        let value = value_after_equals(&file, argument, problems)?;
        Some(Override { origin: "--config".to_owned(), path, key_span: None, value })
    }

    /// A setting given by a flag of its own, such as `--provider`.
    #[must_use]
    pub fn from_option(flag: &str, path: &[&str], text: &str) -> Self {
        let file = SourceFile::argument(flag, text);
        let value = Node {
            span: Span::new(&file, 0, text.len()),
            data: Data::Text { text: text.to_owned(), plain: false },
        };
        let path = path.iter().map(|&part| part.to_owned()).collect();
        Override { origin: flag.to_owned(), path, key_span: None, value }
    }

    /// A setting in a file: the key of `entry` has dots between its parts, `value` is its value, or one of them.
    ///
    /// # Errors
    /// A problem when that is not a key of a setting.
    pub fn from_entry(origin: &str, entry: &Entry, value: &Node) -> Result<Self, Problem> {
        let path = parts_of_key(&entry.key).map_err(|bad| bad.problem(&entry.key_span))?;
        Ok(Override {
            origin: origin.to_owned(),
            path,
            key_span: Some(entry.key_span.clone()),
            value: value.clone(),
        })
    }

    /// The setting as the record of a run has it: without an author of its own.
    #[must_use]
    pub fn recorded(self) -> Self {
        let given = self.value.span.file();
        let file = SourceFile::recorded(given.name(), given.text());
        Override { value: moved(self.value, &file, 0), ..self }
    }

    /// The key of the profile that it is in: the first part of its path.
    pub fn top_key(&self) -> &str {
        self.path.first().map_or("", String::as_str)
    }

    /// The position of its value.
    pub fn span(&self) -> &Span {
        &self.value.span
    }

    /// The settings that environment variables ask for, weakest first.
    pub fn from_environment(environment: super::Environment<'_>) -> Vec<Self> {
        VARIABLES
            .iter()
            .filter_map(|(name, path, unit)| {
                let text = environment(name).filter(|text| !text.trim().is_empty())?;
                let text = text.trim();
                // A value that brings its own unit, or is not a number at all, is judged as it is.
                let unit = if text.parse::<f64>().is_ok() { unit } else { "" };
                let text = format!("{text}{unit}");
                let file = SourceFile::argument(*name, text.clone());
                let value = Node { span: Span::new(&file, 0, text.len()), data: resolve_plain(&text) };
                Some(Override {
                    origin: (*name).to_owned(),
                    path: path.split('.').map(str::to_owned).collect(),
                    key_span: None,
                    value,
                })
            })
            .collect()
    }

    /// Sets the value in the tree, making mappings on the way. List elements are addressed by number, or all of
    /// them by `*`.
    ///
    /// The overall score is either weights or one dimension: `overall.from` removes the weights, a weight removes
    /// `from`.
    pub fn apply(&self, root: &mut Node, problems: &mut Problems) {
        if let [overall, key] = self.path.as_slice()
            && overall == "overall"
            && !matches!(self.value.data, Data::Null)
            && let Data::Map(entries) = &mut root.data
            && let Some(Entry { value: Node { data: Data::Map(lines), .. }, .. }) =
                entries.iter_mut().find(|entry| entry.key == "overall")
        {
            lines.retain(|line| (line.key == "from") == (key == "from"));
        }
        if let Err(part) = set(root, &self.path, self) {
            let help = if part == "judges" {
                "the profile has no judges: leave this out, or declare one under `judges`"
            } else {
                "every part before the last must be a mapping of the profile, or the number of a list element"
            };
            problems.push(
                Problem::error(
                    Code::BadOverride,
                    &self.value.span,
                    format!(
                        "{} can't set `{}`: there is nothing to go into at `{part}`",
                        self.origin,
                        self.path.join(".")
                    ),
                )
                .help(help),
            );
        }
    }
}

/// The reason that a text is not a key of a setting.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum BadKey {
    EmptyPart,
    TooManyParts,
}

impl BadKey {
    fn problem(self, place: &Span) -> Problem {
        let (message, help) = match self {
            BadKey::EmptyPart => (
                "the key of a setting has an empty part".to_owned(),
                "separate the parts with single dots, as in `stop.max_iterations`",
            ),
            BadKey::TooManyParts => (
                format!("the key of a setting has more than {MAX_STEPS} parts"),
                "write the key as `loopctl profile show` has it, with a dot for each level",
            ),
        };
        Problem::error(Code::BadOverride, place, message).help(help)
    }
}

/// The parts of a setting's key, which has dots between them.
fn parts_of_key(key: &str) -> Result<Vec<String>, BadKey> {
    let parts: Vec<String> = key.trim().split('.').take(MAX_STEPS + 1).map(str::to_owned).collect();
    if parts.iter().any(String::is_empty) {
        return Err(BadKey::EmptyPart);
    }
    if parts.len() > MAX_STEPS { Err(BadKey::TooManyParts) } else { Ok(parts) }
}

fn value_after_equals(file: &Arc<SourceFile>, argument: &str, problems: &mut Problems) -> Option<Node> {
    let at = argument.find('=')? + 1;
    // The value alone is parsed, then its spans are moved to its position in the argument.
    let inner = SourceFile::new("--config", argument.get(at..)?);
    let mut found = Problems::new();
    let node = parse(&inner, &mut found);
    let broken = found.has_errors();
    for problem in found.iter() {
        let place = Span::new(file, at, argument.len());
        problems.push(Problem { span: Some(place), related: Vec::new(), ..problem.clone() });
    }
    if broken { None } else { node.map(|node| moved(node, file, at)) }
}

fn moved(mut node: Node, file: &Arc<SourceFile>, by: usize) -> Node {
    let shift = |span: &Span| Span::new(file, span.start() + by, span.end() + by);
    node.span = shift(&node.span);
    node.data = match node.data {
        Data::List(items) => Data::List(items.into_iter().map(|item| moved(item, file, by)).collect()),
        Data::Map(entries) => Data::Map(
            entries
                .into_iter()
                .map(|e| Entry { key_span: shift(&e.key_span), key: e.key, value: moved(e.value, file, by) })
                .collect(),
        ),
        scalar => scalar,
    };
    node
}

/// Sets the value of `setting` at `path`, the rest of its own; the error is the part of the path that can't be entered.
fn set(node: &mut Node, path: &[String], setting: &Override) -> Result<(), String> {
    let value = &setting.value;
    let Some((part, rest)) = path.split_first() else {
        *node = value.clone();
        return Ok(());
    };
    match &mut node.data {
        Data::List(items) if part == "*" => items.iter_mut().try_for_each(|item| set(item, rest, setting)),
        Data::List(items) => {
            let item = part.parse::<usize>().ok().and_then(|index| items.get_mut(index));
            item.map_or_else(|| Err(part.clone()), |item| set(item, rest, setting))
        }
        Data::Map(entries) if part == "*" && !rest.is_empty() => {
            let mut settings = entries.iter_mut().filter(|e| !matches!(e.value.data, Data::Null));
            settings.try_for_each(|entry| set(&mut entry.value, rest, setting))
        }
        // There is nothing whose elements could be meant.
        Data::Map(_) | Data::Null if part == "*" => Err(part.clone()),
        Data::Map(entries)
            if rest.first().is_some_and(|next| next == "*") && !entries.iter().any(|e| &e.key == part) =>
        {
            Err(part.clone())
        }
        Data::Map(entries) => {
            if let Some(entry) = entries.iter_mut().find(|e| &e.key == part) {
                if rest.is_empty() && matches!(value.data, Data::Null) {
                    entries.retain(|e| &e.key != part);
                    return Ok(());
                }
                return set(&mut entry.value, rest, setting);
            }
            let mut child = Node { span: value.span.clone(), data: Data::Map(Vec::new()) };
            set(&mut child, rest, setting)?;
            entries.push(Entry { key: part.clone(), key_span: key_span(part, setting), value: child });
            Ok(())
        }
        Data::Null => {
            node.data = Data::Map(Vec::new());
            set(node, path, setting)
        }
        _ => Err(part.clone()),
    }
}

/// The position of a part of the key: before the value, as in `accept.overall=0.9`, or at the key of a file; the
/// value's position where it is not found.
fn key_span(part: &str, setting: &Override) -> Span {
    let value = &setting.value.span;
    let (file, start, end) = match &setting.key_span {
        Some(key) => (key.file(), key.start(), key.end()),
        None => (value.file(), 0, value.start()),
    };
    let text = file.text().get(start..end).unwrap_or_default();
    let is_edge = |c: Option<char>| !c.is_some_and(|c| c.is_alphanumeric() || matches!(c, '_' | '-'));
    let found = text.match_indices(part).map(|(at, _)| (at, at + part.len())).find(|(start, end)| {
        is_edge(text.get(..*start).and_then(|before| before.chars().next_back()))
            && is_edge(text.get(*end..).and_then(|after| after.chars().next()))
    });
    let whole = setting.key_span.as_ref().unwrap_or(value);
    found.map_or_else(|| whole.clone(), |(from, to)| Span::new(file, start + from, start + to))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn applied(yaml: &str, flags: &[&str]) -> (serde_json::Value, Problems) {
        let mut problems = Problems::new();
        let mut node = parse(&SourceFile::new("p.yaml", yaml), &mut problems).unwrap();
        for flag in flags {
            if let Some(setting) = Override::from_flag(flag, &mut problems) {
                setting.apply(&mut node, &mut problems);
            }
        }
        (node.to_json(), problems)
    }

    #[test]
    fn settings_reach_into_mappings_and_lists() {
        let (json, problems) = applied(
            "stop: { timeout: 30s }\nstages: [{ id: a }, { id: b }]\n",
            &[
                "stop.max_iterations=4",
                "stop.timeout=null",
                "stages.*.provider=x",
                "accept.overall=0.9",
                "l=[1, 2]",
            ],
        );
        assert!(problems.is_empty(), "{problems:?}");
        assert_eq!(
            json,
            json!({"stop": {"max_iterations": 4}, "stages": [{"id": "a", "provider": "x"}, {"id": "b", "provider": "x"}],
                   "accept": {"overall": 0.9}, "l": [1, 2]})
        );
    }

    #[test]
    fn the_overall_score_is_weights_or_one_dimension() {
        let set = |flags: &[&str]| applied("overall: { a: 0.4, b: 0.6 }\n", flags).0["overall"].clone();
        assert_eq!(set(&["overall.from=a"]), json!({"from": "a"}));
        assert_eq!(set(&["overall.from=a", "overall.b=1"]), json!({"b": 1}));
        assert_eq!(set(&["overall.a=0.5", "overall.b=0.5"]), json!({"a": 0.5, "b": 0.5}));
        assert_eq!(set(&["overall.b=null"]), json!({"a": 0.4}));
    }

    #[test]
    fn what_can_not_be_set_is_reported() {
        let flags =
            ["noequals", "a..b=1", "name.x=1", "a=[1", "=1", "name= ", "stages.*.provider=x", "name.*=1"];
        let (json, problems) = applied("name: x\n", &flags);
        assert_eq!(problems.len(), flags.len(), "{problems:?}");
        assert_eq!(json, json!({"name": "x"}));
    }

    #[test]
    fn a_key_has_a_bound_on_its_parts() {
        for (parts, refused) in [(MAX_STEPS, false), (MAX_STEPS + 1, true), (100_000, true)] {
            let mut problems = Problems::new();
            let setting = Override::from_flag(&format!("{}=1", vec!["a"; parts].join(".")), &mut problems);
            assert_eq!((setting.is_none(), problems.has_errors()), (refused, refused), "{parts}");
            let mut root = parse(&SourceFile::new("p.yaml", "{}"), &mut Problems::new()).unwrap();
            setting.iter().for_each(|setting| setting.apply(&mut root, &mut problems));
        }
    }

    #[test]
    fn the_environment_is_read_with_units() {
        let environment = |name: &str| match name {
            "MARC_TIMEOUT_MS" => Some("1500".to_owned()),
            "LOOPCTL_MAX_ITERATIONS" => Some("4".to_owned()),
            "MARC_MAX_ITERATIONS" => Some("2".to_owned()),
            _ => None,
        };
        let mut node = parse(&SourceFile::new("p.yaml", "{}"), &mut Problems::new()).unwrap();
        for setting in Override::from_environment(&environment) {
            setting.apply(&mut node, &mut Problems::new());
        }
        assert_eq!(node.to_json(), json!({"stop": {"timeout": "1500ms", "max_iterations": 4}}));
    }
}
