//! The type of a document, by weighted patterns that a domain expert declares in `rules/classify.yaml`.
//!
//! ```yaml
//! minimum: 3
//! classify:
//!   pathology:
//!     - { pattern: '\bgross description\b', weight: 4 }
//! ```
//!
//! A type's score is the sum of the weights of its patterns that occur, as often as each asks for. The highest score
//! wins if it is at least `minimum`; otherwise, and when the two best types score the same, the document is [`UNKNOWN`].

use super::sections::SectionSigns;
use super::weighted_pattern::{SearchedText, WeightedPattern};
use crate::diag::{Code, Problem, Problems, SourceFile};
use crate::mapping;
use crate::profile::Files;
use crate::rules::Inheritance;
use crate::value::decode::{Decode, number_in, wrong_type};
use crate::value::shape::{FILE_KINDS, Shape, by_name};
use crate::value::yaml::{Data, Entry, Node, parse};
use crate::value::{EPSILON, Score, at_least};
use serde_json::Value;
use std::sync::Arc;

/// The type of a document that fits no declared type.
pub const UNKNOWN: &str = "unknown";

/// The number of characters of a document that are inspected. Its first pages show what a document is; the bound keeps
/// the time for a document of the largest size within milliseconds.
pub(super) const LOOKED_AT_CHARACTERS: usize = 200_000;

mapping! {
    /// Rules that find the type of a document by its text. A type's score is the sum of the weights of those of its
    /// patterns that occur, as often as each asks for. The highest score wins; with two of the highest, or below `minimum`, the
    /// document is `unknown`.
    "classification" is "classification", expects "a mapping with `classify`";
    #[derive(Debug, Clone)]
    pub struct Classifier {
        /// Another classification, by name. Everything that this one does not set is taken from there: types are added,
        /// and one of the same name replaces it.
        #[key(examples(&["classify"]))]
        // Followed before this is read (`Inheritance`).
        pub extends: Option<String>,
        /// The least score at which a type is chosen.
        #[key(shaped(|| Shape::at_least(0.0)), default("0"), examples(&["3"]))]
        minimum: f64 = |node, problems| number_in(node, 0.0, f64::MAX, problems),
        /// The document types, and the patterns that indicate each.
        #[key(
            name("classify"),
            missing("add `classify:` with a mapping, each document type a list of patterns"),
            shaped(|| by_name(
                "TYPE",
                "What speaks for this document type. `unknown` is the type of what fits none, and has no patterns.",
                <Vec<WeightedPattern>>::shape,
            )),
            required,
            examples(&["{ pathology: [{ pattern: '\\bgross description\\b', weight: 4 }] }"])
        )]
        types: Vec<DocumentType> as Value = types,
        /// The signs by which the documents in one file are told apart. Without them a file is one document.
        #[key(examples(&["{ titles: ['^\\W*(?:\\w+ )*report\\W*$'] }"]))]
        sections: Option<SectionSigns>,
    }
}

#[derive(Debug, Clone)]
struct DocumentType {
    name: String,
    patterns: Vec<WeightedPattern>,
}

/// The type that a document seems to have, and the patterns that indicate it.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Classification {
    /// A declared type, or `UNKNOWN`.
    pub document_type: String,
    /// best / (best + second best): 0.5 is a coin toss, at 1 nothing indicated another type. 0 for `UNKNOWN`.
    pub confidence: Score,
    /// Every pattern that occurred, in the order of the file.
    pub matched: Vec<Matched>,
}

/// A pattern that occurred.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Matched {
    /// The type that it indicates.
    pub document_type: String,
    /// The pattern as it was declared.
    pub pattern: String,
    /// Its weight.
    pub weight: f64,
}

impl Classifier {
    /// Reads and checks a classification file that extends no other. `None` when anything in it is wrong; all of it
    /// goes to `problems`.
    pub fn parse(file: &Arc<SourceFile>, problems: &mut Problems) -> Option<Self> {
        Self::checked(problems, |own| parse(file, own))
    }

    /// Like [`Classifier::parse`], for a file that may extend others, which are looked for in `files`.
    pub fn read(file: &Arc<SourceFile>, files: &dyn Files, problems: &mut Problems) -> Option<Self> {
        Self::checked(problems, |own| Inheritance::CLASSIFICATIONS.read(file, files, own))
    }

    fn checked(problems: &mut Problems, tree: impl FnOnce(&mut Problems) -> Option<Node>) -> Option<Self> {
        let mut own = Problems::new();
        let classifier = tree(&mut own).and_then(|node| Self::decode(&node, &mut own));
        let usable = !own.has_errors();
        problems.extend(own);
        classifier.filter(|_| usable)
    }

    /// The signs of sections, if the file declares any.
    pub(super) fn section_signs(&self) -> Option<&SectionSigns> {
        self.sections.as_ref()
    }

    /// The least score at which a type is chosen.
    pub(super) fn minimum(&self) -> f64 {
        self.minimum
    }

    /// The patterns of all types, each with the number of its type.
    pub(super) fn patterns(&self) -> impl Iterator<Item = (usize, &WeightedPattern)> {
        let numbered = self.types.iter().enumerate();
        numbered.flat_map(|(number, declared)| declared.patterns.iter().map(move |pattern| (number, pattern)))
    }

    /// The declared types, in the order of the file.
    pub fn types(&self) -> impl Iterator<Item = &str> {
        self.types.iter().map(|declared| declared.name.as_str())
    }

    /// Finds the type of a text from its first `LOOKED_AT_CHARACTERS`.
    #[must_use]
    pub fn classify(&self, text: &str) -> Classification {
        let end = text.char_indices().nth(LOOKED_AT_CHARACTERS).map_or(text.len(), |(at, _)| at);
        let searched = SearchedText::new(text.get(..end).unwrap_or(text));
        let mut matched = Vec::new();
        let (mut best, mut second) = (("", 0.0), 0.0);
        for declared in &self.types {
            let mut score = 0.0;
            for pattern in declared.patterns.iter().filter(|pattern| pattern.occurs(&searched)) {
                score += pattern.weight();
                matched.push(Matched {
                    document_type: declared.name.clone(),
                    pattern: pattern.written().to_owned(),
                    weight: pattern.weight(),
                });
            }
            if score > best.1 {
                second = best.1;
                best = (declared.name.as_str(), score);
            } else if score > second {
                second = score;
            }
        }
        let (name, score) = best;
        let clear = score > 0.0 && at_least(score, self.minimum) && score - second > EPSILON;
        let (document_type, confidence) =
            if clear { (name, Score::clamped(score / (score + second))) } else { (UNKNOWN, Score::ZERO) };
        Classification { document_type: document_type.to_owned(), confidence, matched }
    }
}

/// Reads the patterns of each type, by the types' names.
fn types(node: &Node, problems: &mut Problems) -> Option<Vec<DocumentType>> {
    let Data::Map(entries) = &node.data else {
        return wrong_type(node, "a mapping, each document type a list of patterns", problems);
    };
    if entries.is_empty() {
        problems.push(Problem::error(Code::Empty, &node.span, "no document types are declared"));
    }
    Some(entries.iter().filter_map(|entry| document_type(entry, problems)).collect())
}

fn document_type(entry: &Entry, problems: &mut Problems) -> Option<DocumentType> {
    if entry.key == UNKNOWN {
        problems.push(
            Problem::error(Code::Conflict, &entry.key_span, "`unknown` can't have patterns")
                .help("a document is `unknown` when no other type fits; remove this entry"),
        );
    }
    if FILE_KINDS.contains(&entry.key.as_str()) {
        let message = format!("`{}` can't be a document type", entry.key);
        problems.push(Problem::error(Code::Conflict, &entry.key_span, message).help(format!(
            "schemas/{0}.schema.json describes files of loopctl; give the type another name, such as `{0}-document`",
            entry.key
        )));
    }
    let patterns = Vec::<WeightedPattern>::decode(&entry.value, problems)?;
    if matches!(&entry.value.data, Data::List(items) if items.is_empty()) {
        problems.push(
            Problem::error(Code::Empty, &entry.value.span, format!("`{}` has no patterns", entry.key))
                .help("add `- { pattern: '…', weight: 1 }`, or remove the type"),
        );
    }
    Some(DocumentType { name: entry.key.clone(), patterns })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diag::{Style, render_human};
    use proptest::prelude::*;

    const TWO_TYPES: &str = r"
minimum: 3
classify:
  pathology:
    - { pattern: 'gross description', weight: 3 }
    - { pattern: '^tumou?r$', weight: 1 }
    - { pattern: '(?-i:\bTNM\b)', weight: 0.5 }
  radiology:
    - { pattern: '^findings:', weight: 3 }
    - { pattern: 'T2-weighted', weight: 1 }
";

    fn classifier(text: &str) -> Classifier {
        let mut problems = Problems::new();
        let classifier = Classifier::parse(&SourceFile::new("rules/classify.yaml", text), &mut problems);
        assert!(problems.is_empty(), "{}", render_human(&problems, Style::Plain));
        classifier.unwrap()
    }

    fn problems(text: &str) -> Vec<String> {
        let mut problems = Problems::new();
        assert!(Classifier::parse(&SourceFile::new("c.yaml", text), &mut problems).is_none());
        problems.sorted().iter().map(ToString::to_string).collect()
    }

    #[test]
    fn the_heaviest_type_wins_and_says_why() {
        let found = classifier(TWO_TYPES).classify("GROSS Description\nTumor\nseen on T2-weighted images");
        assert_eq!(found.document_type, "pathology");
        assert_eq!(found.confidence, Score::new(4.0 / 5.0).unwrap());
        let patterns: Vec<_> = found.matched.iter().map(|m| (m.pattern.as_str(), m.weight)).collect();
        assert_eq!(patterns, [("gross description", 3.0), ("^tumou?r$", 1.0), ("T2-weighted", 1.0)]);
    }

    #[test]
    fn below_the_minimum_and_in_a_tie_it_is_unknown() {
        let classifier = classifier(TWO_TYPES);
        for text in ["", "tumour", "gross description\nfindings: none", "tnm"] {
            let found = classifier.classify(text);
            assert_eq!((found.document_type.as_str(), found.confidence), (UNKNOWN, Score::ZERO), "{text}");
        }
    }

    #[test]
    fn a_line_may_end_in_a_carriage_return() {
        let classifier = classifier(TWO_TYPES);
        assert_eq!(classifier.classify("ward 3\rfindings: x").document_type, "radiology");
        assert_eq!(classifier.classify("Gross description\r\ntumor\r\n").matched.len(), 2);
    }

    #[test]
    fn only_the_beginning_is_looked_at() {
        let classifier = classifier(TWO_TYPES);
        let filler = "ä".repeat(LOOKED_AT_CHARACTERS - 17);
        assert_eq!(classifier.classify(&format!("{filler}gross description")).document_type, "pathology");
        assert_eq!(classifier.classify(&format!("ä{filler}gross description")).document_type, UNKNOWN);
    }

    #[test]
    fn every_mistake_is_reported_with_its_place() {
        let all = problems(
            r"minimum: -1
classify:
  pathology:
    - { pattern: '(', weight: 1 }
    - { pattern: 'x', weight: 0 }
    - { pattern: 'x', wieght: 2 }
    - { pattern: 'x*', weight: 2 }
    - { pattern: '\w{900}{900}', weight: 2 }
    - grade
  radiology: []
  unknown:
    - { pattern: x, weight: 1 }
minimun: 3
",
        );
        insta::assert_snapshot!(all.join("\n"), @r"
        c.yaml:1:10: error[LC103]: expected a number 0 or more, found -1
        c.yaml:4:18: error[LC301]: this regular expression does not compile: unclosed group
        c.yaml:5:31: error[LC103]: a weight of 0 has no effect
        c.yaml:6:7: error[LC105]: this pattern lacks `weight`
        c.yaml:6:23: error[LC101]: unknown key `wieght` in this pattern
        c.yaml:7:18: error[LC306]: this pattern matches the empty text, so it occurs in every document
        c.yaml:8:18: error[LC301]: this pattern needs more than 2097152 bytes when it is compiled
        c.yaml:9:7: error[LC102]: expected a mapping (pattern), found text
        c.yaml:10:14: error[LC107]: `radiology` has no patterns
        c.yaml:11:3: error[LC106]: `unknown` can't have patterns
        c.yaml:13:1: error[LC101]: unknown key `minimun` in this classification
        ");
        assert_eq!(problems("minimum: 3\n").len(), 1);
        assert_eq!(problems("classify: {}\n").len(), 1);
        assert_eq!(problems("- a\n").len(), 1);
    }

    proptest! {
        #[test]
        fn confidence_is_at_least_a_half_or_the_type_is_unknown(text in "(gross description|tumor|findings:|T2-weighted|TNM|x|\n){0,9}") {
            let found = classifier(TWO_TYPES).classify(&text);
            if found.document_type == UNKNOWN {
                prop_assert_eq!(found.confidence, Score::ZERO);
            } else {
                prop_assert!(found.confidence.get() > 0.5);
            }
        }
    }
}
