//! Reference pages of our YAML files, written from the declarations that the decoders read through.

use super::schema::FileKind;
use crate::value::prose::{capital, listed};
use crate::value::shape::{Key, Mapping, Names, Open, Shape, Word};
use std::collections::BTreeSet;
use std::fmt::Write as _;

/// A page and the kinds of files that it is about.
#[derive(Debug)]
pub struct Page {
    /// `docs/reference/NAME.md`.
    pub name: &'static str,
    /// The subject of the page.
    title: &'static str,
    kinds: &'static [&'static str],
}

/// Every page.
pub static PAGES: [Page; 11] = [
    Page { name: "profile", title: "profiles", kinds: &["profile"] },
    Page { name: "rules", title: "rules", kinds: &["rules"] },
    Page { name: "rubric", title: "rubrics", kinds: &["rubric"] },
    Page { name: "extraction", title: "extraction patterns", kinds: &["extraction"] },
    Page { name: "classification", title: "classifications", kinds: &["classification"] },
    Page { name: "vocabulary", title: "vocabularies and contexts", kinds: &["vocabulary", "context"] },
    Page { name: "evidence", title: "tables of patterns", kinds: &["evidence"] },
    Page { name: "prices", title: "prices", kinds: &["prices"] },
    Page { name: "label-map", title: "maps of labels", kinds: &["label-map"] },
    Page { name: "experiment", title: "experiments", kinds: &["experiment"] },
    Page { name: "scenarios", title: "tests", kinds: &["scenarios", "rule-tests", "vocabulary-tests"] },
];

impl Page {
    /// The page, in Markdown.
    #[must_use]
    pub fn text(&self) -> String {
        let mut text = format!("# Every key of {}\n\n", self.title);
        text.push_str(
            "<!-- Written by `LOOPCTL_UPDATE=1 cargo test --test it schemas::` from what the program reads. Not to be edited. -->\n\n",
        );
        text.push_str(
            "Every key that such a file may have. A key that is not required may be left out; `null` is the \
             same as leaving it out, and in a profile takes away what the extended one says. \
             The same texts show in an editor that reads the schema named in a file's first line.\n",
        );
        let mut sections = Sections::default();
        for kind in self.kinds.iter().filter_map(|name| FileKind::named(name)) {
            sections.add(kind.root);
            let mut next = 0;
            while let Some(mapping) = sections.mappings.get(next).copied() {
                sections.reach(mapping);
                next += 1;
            }
        }
        let roots: Vec<&FileKind> = self.kinds.iter().filter_map(|name| FileKind::named(name)).collect();
        for mapping in &sections.mappings {
            let kind = roots.iter().find(|kind| std::ptr::eq(kind.root, *mapping)).copied();
            write_mapping(&mut text, mapping, kind, &sections.mappings);
        }
        text
    }
}

/// The mappings of a page, each once, in the order in which they are met.
#[derive(Default)]
struct Sections {
    mappings: Vec<&'static Mapping>,
    seen: BTreeSet<&'static str>,
}

impl Sections {
    fn add(&mut self, mapping: &'static Mapping) {
        if self.seen.insert(mapping.name) {
            self.mappings.push(mapping);
        }
    }

    /// Adds the mappings that a mapping may contain.
    fn reach(&mut self, mapping: &'static Mapping) {
        for key in mapping.all_keys() {
            self.reach_shape(&key.shape());
        }
        if let Some(open) = &mapping.open {
            self.reach_shape(&(open.shape)());
        }
    }

    fn reach_shape(&mut self, shape: &Shape) {
        match shape {
            Shape::Mapping(mapping) => self.add(mapping),
            Shape::AnyOf(alternatives) => alternatives.iter().for_each(|shape| self.reach_shape(shape)),
            Shape::List(of) => self.reach_shape(of),
            Shape::Map(open) => self.reach_shape(&(open.shape)()),
            _ => {}
        }
    }
}

/// Returns whether two groups of keys are described alike.
fn are_same(a: &[Key], b: &[Key]) -> bool {
    let said = |key: &Key| (key.name, key.doc, described(&key.shape()));
    !a.is_empty() && a.iter().map(said).eq(b.iter().map(said))
}

/// The heading of a mapping, and the end of a link to it.
fn heading(mapping: &Mapping) -> (String, String) {
    let name = mapping.name.replace('_', " ");
    (format!("Keys of {name}"), format!("#keys-of-{}", name.replace(' ', "-")))
}

fn link(mapping: &Mapping) -> String {
    format!("[{}]({})", mapping.name.replace('_', " "), heading(mapping).1)
}

fn write_mapping(
    text: &mut String,
    mapping: &'static Mapping,
    kind: Option<&FileKind>,
    all: &[&'static Mapping],
) {
    let _ = write!(text, "\n## {}\n\n{}\n", heading(mapping).0, mapping.doc);
    if let Some(kind) = kind {
        let _ = write!(
            text,
            "\nStands in `{}`; schema `schemas/{name}.schema.json`, also `loopctl schema {name}`.\n",
            kind.place,
            name = kind.name,
        );
    }
    for group in mapping.keys {
        let has_all = |other: &Mapping| {
            let has = |key: &Key| other.all_keys().any(|known| are_same(&[*known], &[*key]));
            group.len() > 1 && group.iter().all(has)
        };
        let first =
            all.iter().find(|other| has_all(other) || other.keys.iter().any(|known| are_same(known, group)));
        match first.filter(|first| !std::ptr::eq(**first, mapping)) {
            Some(first) => {
                let names = listed(group.iter().map(|key| key.name));
                let _ = write!(text, "\nAs in {}: {names}.\n", link(first));
            }
            None => group.iter().for_each(|key| write_key(text, key)),
        }
    }
    if let Some(open) = &mapping.open {
        let other = if mapping.all_keys().next().is_none() { "Any key" } else { "Any other key" };
        let _ = write!(text, "\n### {}\n\n{other}: {}. {}\n", open.key, described(&(open.shape)()), open.doc);
        write_names(text, open);
        write_words(text, &(open.shape)());
    }
}

fn write_key(text: &mut String, key: &Key) {
    let shape = key.shape();
    let _ = write!(text, "\n### {}\n\n", key.name);
    let mut facts = described(&shape);
    if key.required && key.default.is_none() {
        facts.push_str(". Required");
    }
    if let Some(default) = key.default {
        let _ = write!(facts, ". Default: `{default}`");
    }
    let _ = write!(text, "*{}.*\n\n{}\n", capital(&facts), key.doc);
    if let Shape::Map(open) = &shape {
        let _ = write!(text, "\n- `{}`: {}. {}\n", open.key, described(&(open.shape)()), open.doc);
        write_names(text, open);
        write_words(text, &(open.shape)());
    }
    write_words(text, &shape);
    let examples: Vec<String> =
        key.examples.iter().map(|example| format!("{}: {example}\n", key.name)).collect();
    if !examples.is_empty() {
        let _ = write!(text, "\n```yaml\n{}```\n", examples.join("# or\n"));
    }
}

fn write_names(text: &mut String, open: &Open) {
    if let Names::Known(names) = open.names {
        let _ = write!(text, "\nOne of {}.\n", listed(names));
    }
}

/// The words of a shape that are worth a line each.
fn write_words(text: &mut String, shape: &Shape) {
    let words: Vec<Word> = match shape {
        Shape::Words(words) => words.clone(),
        Shape::AnyOf(alternatives) => {
            return alternatives.iter().for_each(|shape| write_words(text, shape));
        }
        _ => return,
    };
    if words.iter().all(|word| word.doc.is_empty()) {
        return;
    }
    text.push('\n');
    for word in words {
        let _ = writeln!(text, "- `{}`: {}", word.word, word.doc);
    }
}

/// A description of a value, in words that follow "a value is".
fn described(shape: &Shape) -> String {
    match shape {
        Shape::Text(text) => text.what.to_owned(),
        Shape::Bool => "`true` or `false`".to_owned(),
        Shape::Number { low, high, above } => {
            format!("a number{}", range(low.map(|n| n.to_string()), high.map(|n| n.to_string()), *above))
        }
        Shape::Whole { low, high } => {
            let high = high.filter(|high| *high < i64::from(u32::MAX));
            format!("a whole number{}", range(Some(low.to_string()), high.map(|n| n.to_string()), false))
        }
        Shape::Words(words) => listed(words.iter().map(|word| word.word)),
        Shape::Only(value) => format!("`{value}`"),
        Shape::List(of) => format!("a list, each item {}", described(of)),
        Shape::Map(open) => format!("a mapping, by `{}`", open.key),
        Shape::Mapping(mapping) => format!("a mapping: {}", link(mapping)),
        Shape::AnyOf(alternatives) => {
            if let [one, Shape::List(of)] = alternatives.as_slice()
                && described(one) == described(of)
            {
                return format!("{}; or a list of these", described(one));
            }
            let is_mapping = |shape: &&Shape| matches!(shape, Shape::Mapping(_));
            let mut all: Vec<String> =
                alternatives.iter().filter(|shape| !is_mapping(shape)).map(described).collect();
            let links: Vec<String> = alternatives
                .iter()
                .filter_map(|shape| match shape {
                    Shape::Mapping(mapping) => Some(link(mapping)),
                    _ => None,
                })
                .collect();
            if !links.is_empty() {
                all.push(format!("a mapping: {}", links.join(", ")));
            }
            all.join("; or ")
        }
        Shape::Any => "anything".to_owned(),
    }
}

fn range(low: Option<String>, high: Option<String>, above: bool) -> String {
    match (low, high) {
        (Some(low), Some(high)) if above => format!(" above {low}, at most {high}"),
        (Some(low), Some(high)) => format!(" from {low} to {high}"),
        (Some(low), None) => format!(" of {low} or more"),
        (None, Some(high)) => format!(" of {high} or less"),
        (None, None) => String::new(),
    }
}
