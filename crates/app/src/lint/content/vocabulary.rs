//! Values of a schema that no phrase expresses, and numbers whose unit only their name tells.

use super::project::{Project, filled};
use crate::diag::{Code, Problem, Problems, SourceFile};
use crate::lint::nodes::entries;
use crate::profile::Measure;
use crate::rules::EvidenceRules;
use crate::value::prose::listed;
use crate::value::yaml::{Data, Node, parse};
use regex::RegexSet;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, LazyLock};

/// Deepest nesting that is followed.
const DEEPEST: usize = 32;

/// Values that mean that a document says nothing; they need no phrase.
const SAYS_NOTHING: [&str; 11] = [
    "unknown",
    "other",
    "notapplicable",
    "na",
    "notspecified",
    "notreported",
    "notstated",
    "notprovided",
    "notpresent",
    "ambiguous",
    "",
];

pub(super) fn check(project: &Project<'_>, problems: &mut Problems) {
    let plan = project.subject.plan;
    let evidence = plan.scoring.rules().evidence();
    let profile = &project.subject.loaded.profile;
    let mut measures = profile.dimensions.iter().flat_map(|dimension| dimension.measure.parts());
    if !measures.any(|measure| matches!(measure, Measure::Grounding(_))) {
        return;
    }
    let outputs = plan.stages.iter().filter_map(|stage| stage.stage.call.output.as_ref());
    let paths: BTreeSet<String> =
        outputs.flat_map(|output| project.types.iter().map(|kind| filled(&output.value, kind))).collect();
    let mut fields = FieldLints { evidence, read: BTreeMap::new(), problems };
    for file in paths.iter().filter_map(|path| project.file(path)) {
        fields.of_schema(&file);
    }
}

struct FieldLints<'a> {
    evidence: &'a EvidenceRules,
    /// The phrases of vocabularies, by name, compiled when first needed.
    read: BTreeMap<String, Option<RegexSet>>,
    problems: &'a mut Problems,
}

impl FieldLints<'_> {
    fn of_schema(&mut self, file: &Arc<SourceFile>) {
        let shipped = file.is_shipped();
        if let Some(root) = parse(file, &mut Problems::new()).filter(|_| !shipped) {
            self.walk(&root, 0);
        }
    }

    fn walk(&mut self, node: &Node, depth: usize) {
        if depth > DEEPEST {
            return;
        }
        match &node.data {
            Data::List(items) => items.iter().for_each(|item| self.walk(item, depth + 1)),
            Data::Map(own) => {
                if let Some(properties) = node.get("properties") {
                    for entry in entries(Some(properties)) {
                        let status_of = entry.key.strip_suffix("_status");
                        if status_of.is_none_or(|field| properties.get(field).is_none()) {
                            self.of_field(&entry.key, &entry.value);
                        }
                    }
                }
                own.iter().for_each(|entry| self.walk(&entry.value, depth + 1));
            }
            _ => {}
        }
    }

    fn of_field(&mut self, key: &str, schema: &Node) {
        let items = schema.get("items");
        let listed = schema.get("enum").or_else(|| items.and_then(|items| items.get("enum")));
        if let Some(Node { data: Data::List(values), .. }) = listed {
            self.of_values(key, values);
        }
        let holds = |kind: &str| match schema.get("type").map(|node| &node.data) {
            Some(Data::Text { text, .. }) => text == kind,
            Some(Data::List(kinds)) => kinds.iter().any(|one| one.as_text() == Some(kind)),
            _ => false,
        };
        if holds("number") || holds("integer") {
            self.of_number(key, schema);
        }
    }

    fn of_values(&mut self, key: &str, values: &[Node]) {
        let Some((name, vocabulary)) = self.evidence.vocabulary_of(key) else { return };
        let read = self.read.entry(name.to_owned()).or_insert_with(|| {
            let patterns: Vec<String> = vocabulary.phrases().map(|(_, phrase)| phrase.regex()).collect();
            RegexSet::new(patterns).ok()
        });
        let Some(read) = read else { return };
        let says_nothing = |value: &str| {
            let letters: String =
                value.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect();
            SAYS_NOTHING.contains(&letters.as_str())
        };
        let missed: Vec<&Node> = values
            .iter()
            .filter(|value| value.as_text().is_some_and(|text| !read.is_match(text) && !says_nothing(text)))
            .collect();
        let Some(first) = missed.first() else { return };
        let names = listed(missed.iter().filter_map(|value| value.as_text()));
        let message = format!(
            "the vocabulary `{name}` reads `{key}`, and has no value {names}: no text is ever found to say it"
        );
        let help = format!(
            "add it to `rules/vocabularies/{name}.yaml` with the phrases that say it, or list the field's own `values` in the rubric"
        );
        self.problems.push(Problem::warning(Code::UnreadValue, &first.span, message).help(help));
    }

    /// A number is found in another unit only if it is known which it has; a name may be a coincidence.
    fn of_number(&mut self, key: &str, schema: &Node) {
        let Some(unit) = unit_of(key) else { return };
        let is_declared = self.evidence.fields.iter().any(|field| field.key == key && field.unit.is_some());
        let says = |key: &str| key.to_lowercase().contains("unit");
        if is_declared || entries(Some(schema)).any(|entry| says(&entry.key)) {
            return;
        }
        let message = format!("only the name of `{key}` says that it is in {unit}");
        let problem = Problem::note(Code::UnitInName, &schema.span, message);
        self.problems
            .push(problem.help(format!("write `{key}: {{ unit: {unit} }}` under `fields` of the rubric")));
    }
}

/// The unit at the end of a name of several words: `tumorSizeMm`, `weight_kg`. One letter may be anything.
fn unit_of(key: &str) -> Option<String> {
    let (at, letter) =
        key.char_indices().rev().find(|(_, c)| c.is_uppercase() || matches!(c, '_' | '-' | ' '))?;
    let word = key.get(if letter.is_uppercase() { at } else { at + letter.len_utf8() }..)?.to_lowercase();
    (at > 0 && word.len() > 1 && UNITS.contains(&word)).then_some(word)
}

/// Words for units.
static UNITS: LazyLock<BTreeSet<String>> = LazyLock::new(|| {
    let file = SourceFile::new("words/units.yaml", include_str!("../../../../../words/units.yaml"));
    let root = parse(&file, &mut Problems::new());
    let kinds = entries(root.as_ref()).flat_map(|kind| entries(Some(&kind.value)));
    let words = kinds.flat_map(|entry| super::language::texts(Some(&entry.value)));
    words.map(str::to_owned).collect()
});
