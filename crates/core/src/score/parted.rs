//! The items of a candidate that are about one part of the document each: held against that part, and none of them lost.

use super::clause_evidence::ClauseEvidence;
use super::grounded::{FoundLeaf, LEAF, Telling, is_checked, steps};
use super::issue::Issue;
use super::leaves::each_leaf;
use super::parts::{DocumentPart, Parts};
use super::quotes::Quotes;
use super::source::{Names, Source};
use super::verdict::{Finding, Method, Support, Verdict};
use super::wording::plain_issue;
use crate::rules::{Each, GroundingSettings, cut, shown};
use crate::value::{Fuel, Severity, is_present, unescape};
use serde_json::Value;
use std::collections::HashSet;
use std::ops::Range;

/// The code of the issue about a part that no item of the list is about.
pub(super) const PART_NOT_EXTRACTED: &str = "PART_NOT_EXTRACTED";
/// The code of the issue about a document of several parts whose extraction has no list of them.
pub(super) const NO_PARTS_EXTRACTED: &str = "NO_PARTS_EXTRACTED";
/// The code of the issue about parts for which the document has no heading.
pub(super) const PARTS_SKIPPED: &str = "PARTS_SKIPPED";

/// Most issues about parts that lack an item.
const MOST_ISSUES: usize = 50;
/// Longest heading in a message, in bytes.
const HEADING: usize = 80;

/// The location at which the document states the value of an item's leaf, if not in its part.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Elsewhere {
    /// The quote is in these parts.
    Parts(String),
    /// In text that is about no part in particular.
    Common,
}

/// The lists of a candidate whose items are about parts of the document.
#[derive(Debug)]
pub(super) struct PartItems<'a> {
    kinds: Vec<Kind<'a>>,
}

/// One such list.
#[derive(Debug)]
struct Kind<'a> {
    name: &'a str,
    each: &'a Each,
    parts: &'a Parts,
    items: &'a [Value],
    /// The part that each item is about.
    about: Vec<Option<usize>>,
}

impl<'a> PartItems<'a> {
    pub(super) fn of(
        candidate: &'a Value,
        names: &'a Names,
        source: &'a Source,
        document_type: &str,
    ) -> Self {
        let kinds = names.each.iter().enumerate().filter(|(_, (_, each))| each.is_for(document_type));
        let kind = |(number, (name, each)): (usize, &'a (String, Each))| {
            let parts = source.parts(number, each)?;
            let items = candidate.get(&each.list.value).and_then(Value::as_array);
            let items = items.map_or(&[][..], Vec::as_slice);
            let part = |item: &Value| {
                let label = item.get(&each.label.value).filter(|label| is_present(label));
                // If there is one part only, an item need not name it.
                let Some(label) = label else { return (parts.len() == 1).then_some(0) };
                match label {
                    Value::String(text) => parts.named(text),
                    Value::Number(number) => parts.named(&number.to_string()),
                    _ => None,
                }
            };
            Some(Kind { name, each, parts, items, about: items.iter().map(part).collect() })
        };
        PartItems { kinds: kinds.filter_map(kind).collect() }
    }

    /// Returns true if the leaf at `pointer` is of an item that is held against its part.
    pub(super) fn holds(&self, pointer: &str) -> bool {
        if self.kinds.is_empty() {
            return false;
        }
        let mut steps = steps(pointer);
        let (Some(list), Some(item)) = (steps.next(), steps.next()) else { return false };
        let kind = self.kinds.iter().find(|kind| kind.each.list.value == unescape(list));
        let part = kind.zip(item.parse::<usize>().ok()).and_then(|(kind, item)| kind.about.get(item));
        matches!(part, Some(Some(_)))
    }
}

/// Holds items against their parts.
#[derive(Debug, Clone, Copy)]
pub(super) struct Ground<'a> {
    pub(super) source: &'a Source,
    pub(super) quotes: Option<&'a Quotes>,
    pub(super) settings: &'a GroundingSettings,
    pub(super) fuel: &'a Fuel,
}

/// An item, and the part that it is about.
struct Item<'a> {
    pointer: String,
    value: &'a Value,
    kind: &'a Kind<'a>,
    part: usize,
    label: &'a str,
}

/// A leaf of an item, with its support in its part.
struct ItemLeaf {
    /// Its pointer within the item.
    at: String,
    verdict: Verdict,
    elsewhere: Option<Elsewhere>,
}

impl<'a> Ground<'a> {
    /// Holds every item against its part.
    pub(super) fn items(&self, items: &PartItems<'a>, telling: &mut Telling<'_>) {
        for kind in &items.kinds {
            for (number, (value, part)) in kind.items.iter().zip(&kind.about).enumerate() {
                let Some((part, its)) = part.and_then(|part| Some((part, kind.parts.get(part)?))) else {
                    continue;
                };
                if self.fuel.is_spent() {
                    return;
                }
                let pointer =
                    format!("/{}/{number}", kind.each.list.value.replace('~', "~0").replace('/', "~1"));
                self.item(&Item { pointer, value, kind, part, label: &its.label }, &its.stretches, telling);
            }
        }
    }

    fn item(&self, item: &Item<'_>, part: &[Range<usize>], telling: &mut Telling<'_>) {
        let label_at = format!("{}/{}", item.pointer, item.kind.each.label.value);
        let ignore = &telling.settings.ignore;
        let mut leaves = Vec::new();
        each_leaf(item.value, &mut String::new(), |at, _| {
            let pointer = format!("{}{at}", item.pointer);
            let goes_on = self.fuel.spend(LEAF);
            if goes_on && pointer != label_at && is_checked(&pointer, ignore) {
                leaves.extend(self.leaf(item, at, part));
            }
            goes_on
        });
        if let (Some(label), true) =
            (item.value.get(&item.kind.each.label.value), is_checked(&label_at, ignore))
        {
            let place = item.kind.parts.get(item.part).map(|part| heading(self.source.text(), part));
            let verdict = &Verdict::found(place.unwrap_or_default(), Method::Exact);
            let part = Some(item.label);
            let (pointer, value) = (&*label_at, label);
            telling.label(FoundLeaf { pointer, value, verdict, quotes: &[], part, elsewhere: None });
        }
        for ItemLeaf { at, verdict, elsewhere } in leaves {
            let Some(value) = item.value.pointer(&at) else { continue };
            let pointer = format!("{}{at}", item.pointer);
            let quotes = self.quotes_at(&pointer);
            let (pointer, verdict, elsewhere) = (&*pointer, &verdict, elsewhere.as_ref());
            telling.leaf(FoundLeaf { pointer, value, verdict, quotes, part: Some(item.label), elsewhere });
        }
    }

    fn quotes_at(&self, pointer: &str) -> &'a [String] {
        self.quotes.map_or(&[][..], |quotes| quotes.at(pointer))
    }

    /// Judges a leaf of an item by its part. A value that the part does not have may have its quote in another part, or
    /// be in the stretches that are common to all: neither verifies it.
    fn leaf(&self, item: &Item<'_>, at: &str, part: &[Range<usize>]) -> Option<ItemLeaf> {
        let pointer = format!("{}{at}", item.pointer);
        let value = item.value.pointer(at)?;
        let quotes = self.quotes_at(&pointer);
        let by = |within| {
            let clauses = ClauseEvidence {
                source: self.source,
                candidate: item.value,
                settings: self.settings,
                within: Some(within),
                item_key: &|_| None,
                fuel: self.fuel,
            };
            clauses.verdict(at, value, quotes)
        };
        let verdict = by(part)?;
        let found = |verdict, elsewhere| Some(ItemLeaf { at: at.to_owned(), verdict, elsewhere });
        match (verdict.support, verdict.finding) {
            (Support::Unsupported, Finding::NotFound) => {}
            (Support::Unsupported, _) if !quotes.is_empty() => {
                let parts = item.kind.parts;
                let place = self.source.quote_places(quotes, self.fuel).into_iter().next();
                let others = place.as_ref().map_or(&[][..], |place| parts.at(place.start));
                if !others.is_empty() {
                    let labels = others.iter().filter_map(|other| parts.get(*other));
                    let labels: Vec<&str> = labels.map(|part| part.label.as_str()).collect();
                    let elsewhere = Elsewhere::Parts(labels.join(", "));
                    return found(Verdict { bytes: place, ..verdict }, Some(elsewhere));
                }
            }
            _ => return found(verdict, None),
        }
        let common = item.kind.parts.common();
        let said = (!common.is_empty()).then(|| by(common)).flatten();
        match said {
            Some(said) => match said.support {
                Support::Verified | Support::Entailed | Support::Conflicting | Support::Undecided => {
                    found(Verdict { support: Support::Undecided, ..said }, Some(Elsewhere::Common))
                }
                Support::Contradicted | Support::Unsupported => found(verdict, None),
            },
            None => found(verdict, None),
        }
    }
}

impl PartItems<'_> {
    /// Parts without an item in the candidate, and items that are about no part.
    pub(super) fn issues(&self, candidate: &Value, source: &Source, ignore: &[String]) -> Vec<Issue> {
        let kinds = self.kinds.iter().filter(|kind| !ignore.contains(&kind.each.list.value));
        kinds.filter(|_| candidate.is_object()).flat_map(|kind| kind.issues(source)).collect()
    }
}

impl Kind<'_> {
    fn issues(&self, source: &Source) -> Vec<Issue> {
        let list = self.each.list.value.as_str();
        let at = format!("/{}", list.replace('~', "~0").replace('/', "~1"));
        let parts = self.parts;
        let labels: Vec<&str> = parts.iter().map(|part| part.label.as_str()).collect();
        // A single part is what the fields at the top are about.
        if self.items.is_empty() && parts.len() == 1 {
            return Vec::new();
        }
        if self.items.is_empty() {
            let message = format!(
                "the document is about {} parts of the kind `{}` ({}), and `{list}` has none of them",
                parts.len(),
                self.name,
                cut(&labels.join(", "), HEADING),
            );
            let fix = format!(
                "add one item for each part to `{list}`; fields at the top are about the whole document"
            );
            return vec![Issue {
                suggested_fix: Some(fix.into()),
                ..plain_issue(NO_PARTS_EXTRACTED, Severity::Major, at, message)
            }];
        }
        let mut issues = Vec::new();
        let mut seen: HashSet<usize> = HashSet::new();
        for (number, (item, part)) in self.items.iter().zip(&self.about).enumerate() {
            match part {
                Some(part) if self.says_something(item) => {
                    seen.insert(*part);
                }
                Some(_) => {}
                None => {
                    let label = &self.each.label.value;
                    let named = item.get(label).filter(|value| is_present(value));
                    let message = match named {
                        Some(value) => format!("`{}` names no part of the document", shown(value)),
                        None => format!("`{label}` does not say which part of the document this is about"),
                    };
                    let fix = format!("the document has the parts {}", cut(&labels.join(", "), HEADING));
                    let path = format!("{at}/{number}/{}", label.replace('~', "~0").replace('/', "~1"));
                    issues.push(Issue {
                        suggested_fix: Some(fix.into()),
                        ..plain_issue("UNKNOWN_PART", Severity::Major, path, message)
                    });
                }
            }
        }
        let missing = parts.iter().enumerate().filter(|(number, _)| !seen.contains(number));
        issues.extend(missing.take(MOST_ISSUES).map(|(number, part)| self.lost(number, part, &at, source)));
        if !parts.skipped().is_empty() {
            let skipped = parts.skipped().join(", ");
            let message = format!(
                "the document has the parts {} and no heading of {skipped}: what it says there counts as the part before",
                cut(&labels.join(", "), HEADING),
            );
            let fix = format!("see whether the document has a part {skipped}, and what belongs to it");
            let skipped = plain_issue(PARTS_SKIPPED, Severity::Major, at, message);
            issues.push(Issue { suggested_fix: Some(fix.into()), ..skipped });
        }
        issues
    }

    /// Returns true if an item says anything about its part.
    fn says_something(&self, item: &Value) -> bool {
        let members = item.as_object().into_iter().flatten();
        members.filter(|(name, _)| **name != self.each.label.value).any(|(_, value)| is_present(value))
    }

    fn lost(&self, number: usize, part: &DocumentPart, at: &str, source: &Source) -> Issue {
        let text = source.text();
        let bytes = heading(text, part);
        let line = source.line(bytes.start);
        let words = text.get(bytes.clone()).unwrap_or_default().trim();
        let item = self.about.iter().position(|of| *of == Some(number));
        let (path, what) = match item {
            Some(item) => (format!("{at}/{item}"), "is said nothing of"),
            None => (at.to_owned(), "has no item"),
        };
        let message =
            format!("part {} (line {line}: \"{}\") {what} in `{}`", part.label, words, self.each.list.value);
        Issue {
            suggested_fix: Some(format!("add what the document says of part {}", part.label).into()),
            source_span: Some(source.span(&bytes)),
            ..plain_issue(PART_NOT_EXTRACTED, self.each.missing, path, message)
        }
    }
}

/// The first words of a part: its heading, as far as one can be shown.
pub(super) fn heading(text: &str, part: &DocumentPart) -> Range<usize> {
    let Some(first) = part.stretches.first() else { return 0..0 };
    let here = text.get(first.clone()).unwrap_or_default();
    let line = here.find(['\n', '\r']).unwrap_or(here.len());
    let short = here.char_indices().nth(HEADING).map_or(here.len(), |(at, _)| at);
    let upto = line.min(short);
    let words = here.get(..upto).unwrap_or_default().trim_end();
    first.start..first.start + words.len()
}
