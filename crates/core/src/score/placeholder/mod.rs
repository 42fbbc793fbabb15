//! Placeholders: texts in place of a value that state none. The name of the field (`margins: "Margins"`), the schema's
//! own words (`"string"`, a description), and fillers for unknown values (`"N/A"`, `"..."`, `"<value>"`).
//!
//! A placeholder is not present and not supported, whatever the document says. A text that the schema allows by name, a
//! vocabulary lists or a rule names is a value. The words are data: `words/placeholders.yaml`.

mod declared;
mod members;
mod screen;
mod words;

use super::issue::Issue;
use super::source::Source;
use super::structure;
use super::wording::plain_issue;
use crate::profile::PLACEHOLDER_VALUE;
use crate::rules::{
    AnswerSchema, Answers, CompiledTarget, Condition, EvidenceRules, Operand, PlaceholderLookup, Program,
    Test, shown,
};
use crate::value::{Fuel, Item, Segment, Severity, is_blank, is_unseen, push_segment};
use declared::Declared;
pub(super) use screen::Screen;
use serde_json::Value;
use std::collections::{BTreeMap, HashSet};
use std::rc::Rc;
use words::{LONGEST, UnlessSaid, WORDS, plain};

/// Longest text that is inspected where a schema has no longer descriptions, in bytes.
const LONGEST_TEXT: usize = 200;
/// Longest text that is compared with a schema's description of a field, in bytes.
const LONGEST_DESCRIPTION: usize = 2_000;
/// The number of bytes of the document's text that are one step of a search for a word in it.
const SOURCE_STEP: usize = 16;
/// The greatest distance before a word at which the name of its field may begin, in bytes.
const NAME_BEFORE: usize = 120;
/// Most issues about placeholders of one candidate.
const MOST_ISSUES: usize = 1_000;

/// The reason that a text is not a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Why {
    /// It is the name of its field.
    Label,
    /// It is a word of the schema.
    Schema,
    /// It is a filler in place of a value.
    Filler,
    /// It is the example that the model was shown, and the document does not state it.
    Example,
}

/// The placeholders of one candidate, by their pointers.
#[derive(Debug, Default, Clone)]
pub(super) struct Placeholders(BTreeMap<String, (Why, Box<str>)>);

impl Placeholders {
    /// The reason that the text at a pointer is not a value.
    pub(super) fn at(&self, pointer: &str) -> Option<Why> {
        self.0.get(pointer).map(|(why, _)| *why)
    }

    /// The issues about those at pointers that are not among these.
    pub(super) fn issues_but<'p>(&'p self, told: &'p HashSet<String>) -> impl Iterator<Item = Issue> + 'p {
        let others = self.0.iter().filter(|(pointer, _)| !told.contains(pointer.as_str()));
        others.take(MOST_ISSUES).map(|(pointer, (why, text))| issue(pointer, &Value::from(&**text), *why))
    }

    /// Adds the examples that a search of the document has not found there; returns whether any is new.
    pub(super) fn learn<'i>(&mut self, issues: impl Iterator<Item = &'i Issue>) -> bool {
        let before = self.0.len();
        for issue in issues.filter(|issue| issue.code == PLACEHOLDER_VALUE) {
            self.0.entry(issue.path.to_string()).or_insert((Why::Example, "".into()));
        }
        self.0.len() > before
    }

    /// Returns whether there are none.
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// A copy for the rules that ask for values; `None` if there are none.
    pub(super) fn shared(&self) -> Option<Rc<dyn PlaceholderLookup>> {
        (!self.is_empty()).then(|| Rc::new(self.clone()) as Rc<dyn PlaceholderLookup>)
    }

    fn holds_below(&self, pointer: &str) -> bool {
        let first = self.0.range(pointer.to_owned()..).find(|(known, _)| {
            known.strip_prefix(pointer).is_none_or(|rest| rest.is_empty() || rest.starts_with('/'))
        });
        first.is_some_and(|(known, _)| known.starts_with(pointer))
    }

    fn has_value(&self, at: &mut String, item: Item<'_>) -> bool {
        match item {
            Item::List(branch) | Item::Map(branch) => branch.children().any(|(segment, child)| {
                let length = at.len();
                push_segment(at, segment);
                let has = self.has_value(at, child);
                at.truncate(length);
                has
            }),
            leaf => leaf.is_present() && !self.0.contains_key(at.as_str()),
        }
    }
}

impl PlaceholderLookup for Placeholders {
    fn are_all_of(&self, pointer: &str, item: Item<'_>) -> bool {
        if self.0.is_empty() || !self.holds_below(pointer) {
            return false;
        }
        let mut at = pointer.to_owned();
        !self.has_value(&mut at, item)
    }
}

/// The issue about the placeholder at a pointer.
pub(super) fn issue(pointer: &str, value: &Value, why: Why) -> Issue {
    let value = shown(value);
    let message = match why {
        Why::Label => format!("`{value}` is the name of the field, not a value of it"),
        Why::Schema => format!("`{value}` is what the schema says of the field, not a value of it"),
        Why::Filler => format!("`{value}` is in the place of a value, and is none"),
        Why::Example => format!("`{value}` is the example that was shown, and the document does not say it"),
    };
    let fix = "write what the document says; leave the field out if it says nothing";
    Issue {
        suggested_fix: Some(fix.into()),
        ..plain_issue(PLACEHOLDER_VALUE, Severity::Critical, pointer.to_owned(), message)
    }
}

/// The tests that tell placeholders of candidates of one document type from values.
#[derive(Debug)]
pub(super) struct Finder<'a> {
    program: &'a Program,
    evidence: &'a EvidenceRules,
    schemas: &'a [AnswerSchema],
    examples: &'a [Value],
    screen: &'a Screen,
    source: Option<&'a Source>,
    /// True if something looks values up in the document: it knows in which other ways the document may state them.
    is_looked_up: bool,
    fuel: &'a Fuel,
}

impl<'a> Finder<'a> {
    pub(super) fn new(
        program: &'a Program,
        evidence: &'a EvidenceRules,
        answers: &'a Answers,
        screen: &'a Screen,
        source: Option<&'a Source>,
        fuel: &'a Fuel,
    ) -> Self {
        let schemas = answers.schemas.get(&*program.document_type).map_or(&[][..], Vec::as_slice);
        let is_looked_up = program.is_grounded();
        Finder { program, evidence, schemas, examples: &answers.examples, screen, source, is_looked_up, fuel }
    }

    /// The placeholders below some fields of a candidate.
    pub(super) fn find<'v>(&self, fields: impl Iterator<Item = (&'v str, Item<'v>)>) -> Placeholders {
        let mut found = Placeholders::default();
        for (name, item) in fields {
            if is_passed_over(name)
                || !self.screen.finds_any(name, item, self.fuel)
                || self.is_filled_in(name)
            {
                continue;
            }
            let top = Declared::top(self.schemas);
            let key = top.is_field(name).then_some(name);
            let place = Place { field: name, key, declared: top.field(name, self.schemas) };
            let mut pointer = String::new();
            push_segment(&mut pointer, Segment::Key(name));
            self.walk(item, &mut pointer, &place, &mut found);
        }
        found
    }

    /// Returns whether the host fills a field in: no answer states it.
    fn is_filled_in(&self, name: &str) -> bool {
        self.program.rubric_fields().any(|field| field.from.is_some() && *field.name == *name)
    }

    /// The issue about a list or an object in a field where the schema of the answer has none.
    pub(super) fn misplaced(&self, name: &str, item: Item<'_>) -> Option<Issue> {
        structure::issue(self.schemas, name, item, self.fuel)
    }

    /// The issue about a candidate that is a list where its schema has an object.
    pub(super) fn misplaced_whole(&self, item: Item<'_>) -> Option<Issue> {
        structure::issue_of_whole(self.schemas, item, self.fuel)
    }

    fn walk(&self, item: Item<'_>, pointer: &mut String, place: &Place<'_, '_>, found: &mut Placeholders) {
        if !self.fuel.spend(1) {
            return;
        }
        match item {
            Item::Text(text) => {
                let copied = || self.is_copied(text, pointer, place).then_some(Why::Example);
                if let Some(why) = self.why(text, place).or_else(copied) {
                    found.0.insert(pointer.clone(), (why, text.into()));
                }
            }
            Item::List(branch) => {
                let declared = place.declared.element();
                let place = Place { declared, ..*place };
                for (segment, child) in branch.children() {
                    self.within(segment, child, pointer, &place, found);
                }
            }
            Item::Map(branch) => {
                for (segment, child) in branch.children() {
                    let Segment::Key(name) = segment else { continue };
                    if is_passed_over(name) {
                        continue;
                    }
                    let key = place.declared.is_field(name).then_some(name);
                    let declared = place.declared.member(name);
                    let place = Place { field: place.field, key, declared };
                    self.within(segment, child, pointer, &place, found);
                }
            }
            Item::Null | Item::Bool(_) | Item::Number(_) => {}
        }
    }

    fn within(
        &self,
        segment: Segment<'_>,
        item: Item<'_>,
        pointer: &mut String,
        place: &Place<'_, '_>,
        found: &mut Placeholders,
    ) {
        let length = pointer.len();
        push_segment(pointer, segment);
        self.walk(item, pointer, place, found);
        pointer.truncate(length);
    }

    /// The reason that a text is not a value at its location.
    fn why(&self, text: &str, place: &Place<'_, '_>) -> Option<Why> {
        if text.len() > LONGEST_DESCRIPTION || is_blank(text) || place.declared.allows(text) {
            return None;
        }
        let why = self.seems(text, place)?;
        (!self.is_named(text, place)).then_some(why)
    }

    fn seems(&self, text: &str, place: &Place<'_, '_>) -> Option<Why> {
        if place.declared.descriptions().any(|said| same_letters(said, text)) {
            return Some(Why::Schema);
        }
        if text.len() > LONGEST {
            return None;
        }
        if self.names(place).any(|name| same_letters(name, text)) {
            return Some(Why::Label);
        }
        if self.is_filler(text, place) {
            return Some(Why::Filler);
        }
        let type_word = plain(text);
        if place.declared.types().any(|name| name == type_word) && !self.is_said(text) {
            return Some(Why::Schema);
        }
        // `Margins: N/A`, `Margins:`.
        let after = self.names(place).find_map(|name| after_name(text, name))?;
        (is_blank(after) || self.is_filler(after, place)).then_some(Why::Filler)
    }

    fn is_filler(&self, text: &str, place: &Place<'_, '_>) -> bool {
        match WORDS.find(text) {
            None => false,
            Some(UnlessSaid::Never) => true,
            // Without a document, its content is unknown.
            Some(UnlessSaid::Anywhere) => self.source.is_some() && !self.is_said(text),
            Some(UnlessSaid::OfIt) => !self.is_said_of(text, place),
        }
    }

    /// The names that a field may have.
    fn names<'p>(&'p self, place: &'p Place<'_, '_>) -> impl Iterator<Item = &'p str> {
        let own = place.key.into_iter();
        let synonyms = place.key.into_iter().flat_map(|key| {
            let known = self.evidence.fields.iter().filter(move |field| field.key == key);
            known.flat_map(|field| field.synonyms.iter().map(String::as_str))
        });
        own.chain(synonyms).chain(place.declared.titles())
    }

    /// Returns whether a vocabulary of the field has the text, or a rule about the field names it.
    fn is_named(&self, text: &str, place: &Place<'_, '_>) -> bool {
        let Some(key) = place.key else { return false };
        let listed = self.evidence.vocabulary_of(key).is_some_and(|(_, vocabulary)| {
            vocabulary.values.iter().any(|(value, phrases)| {
                same_letters(value, text) || phrases.iter().any(|phrase| same_letters(&phrase.value, text))
            })
        });
        listed
            || self.program.rules().any(|rule| {
                let is_its = match &rule.target {
                    CompiledTarget::Field { name, .. } => **name == *place.field,
                    CompiledTarget::Each { path, .. } => path.first_names().any(|name| name == place.field),
                    CompiledTarget::Candidate => false,
                };
                is_its && rule.all_checks().any(|check| names_text(&check.condition, text))
            })
    }

    /// Returns whether the document has these words.
    fn is_said(&self, text: &str) -> bool {
        self.occurrences(text, |_, _| true)
    }

    /// Returns whether the document has these words right after the name of the field, on one line.
    fn is_said_of(&self, text: &str, place: &Place<'_, '_>) -> bool {
        self.occurrences(text, |source, at| {
            let line = source.get(..at).and_then(|before| before.rsplit('\n').next()).unwrap_or_default();
            let from = line.len().saturating_sub(NAME_BEFORE);
            let from = (from..=line.len()).find(|at| line.is_char_boundary(*at)).unwrap_or_default();
            let before = line.get(from..).unwrap_or_default();
            self.names(place).any(|name| ends_with_letters(before, name))
        })
    }

    /// Returns whether `look` accepts one of the positions at which the document has these words.
    fn occurrences(&self, text: &str, mut look: impl FnMut(&str, usize) -> bool) -> bool {
        let Some(source) = self.source.map(Source::text) else { return false };
        if !self.fuel.spend_on(source.len() / SOURCE_STEP) {
            return false;
        }
        let (source, words) = (source.to_lowercase(), text.trim_matches(is_unseen).to_lowercase());
        let plain = plain(text);
        [words.as_str(), plain.as_str()].iter().filter(|words| !words.is_empty()).any(|words| {
            source.match_indices(*words).any(|(at, found)| {
                let before = source.get(..at).and_then(|before| before.chars().next_back());
                let after = source.get(at + found.len()..).and_then(|after| after.chars().next());
                let is_within = [before, after].into_iter().flatten().any(char::is_alphanumeric);
                !is_within && look(&source, at)
            })
        })
    }

    /// Returns whether a value is an example that the model was shown for its location.
    pub(super) fn is_example(&self, pointer: &str, value: &Value) -> bool {
        let is_it = |example: &Value| example.pointer(pointer) == Some(value);
        if self.examples.iter().any(is_it) {
            return true;
        }
        let mut steps = pointer.split('/').skip(1).map(crate::value::unescape);
        let Some(first) = steps.next() else { return false };
        let mut declared = Declared::top(self.schemas).field(&first, self.schemas);
        for step in steps {
            let member = declared.member(&step);
            declared =
                if step.bytes().all(|byte| byte.is_ascii_digit()) { declared.element() } else { member };
        }
        !value.as_str().is_some_and(|text| declared.allows(text))
            && declared.examples().any(|example| example == value)
    }

    /// Returns whether a text is an example that the model was shown for its location, and the document, in which
    /// nothing else looks values up, does not have its words.
    fn is_copied(&self, text: &str, pointer: &str, place: &Place<'_, '_>) -> bool {
        !self.is_looked_up
            && self.source.is_some()
            && text.len() <= LONGEST_DESCRIPTION
            && !is_blank(text)
            && !place.declared.allows(text)
            && self.is_example(pointer, &Value::from(text))
            && !self.is_named(text, place)
            && !self.is_said(text)
    }
}

/// The known facts about a location in a candidate.
struct Place<'p, 's> {
    /// The top-level field that it belongs to.
    field: &'p str,
    /// The name of the member that it is, or is an element of; none where names are data.
    key: Option<&'p str>,
    declared: Declared<'s>,
}

/// Returns whether a member says something about another one.
fn is_passed_over(name: &str) -> bool {
    name.ends_with("_status")
}

/// Returns whether a condition names a text as one of those that are allowed.
fn names_text(condition: &Condition, text: &str) -> bool {
    match condition {
        Condition::Test { subject: Operand::Value, test: Test::OneOf(one_of) } => one_of
            .values
            .value
            .iter()
            .any(|value| Item::from(value).equals(Item::Text(text), one_of.ignore_case)),
        Condition::Test { subject: Operand::Value, test: Test::Equals(equals) } => {
            equals.0.as_str() == Some(text)
        }
        Condition::Test { .. } | Condition::Not(_) => false,
        Condition::All(all) | Condition::Any(all) => all.iter().any(|one| names_text(one, text)),
    }
}

fn letters(text: &str) -> impl DoubleEndedIterator<Item = char> {
    text.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase)
}

/// Returns whether two texts have the same letters and digits, in any case and however they are joined; and any at all.
fn same_letters(a: &str, b: &str) -> bool {
    let mut first = letters(a).peekable();
    first.peek().is_some() && first.eq(letters(b))
}

/// Returns whether a text ends with the letters of a name, as a word of its own.
fn ends_with_letters(text: &str, name: &str) -> bool {
    let mut own = letters(name).rev().peekable();
    if own.peek().is_none() {
        return false;
    }
    let mut rest = letters(text).rev();
    own.all(|letter| rest.next() == Some(letter))
}

/// The rest after the name of a field and a sign after it at the beginning of a text.
fn after_name<'t>(text: &'t str, name: &str) -> Option<&'t str> {
    let (before, after) = text.split_once([':', '=', '：'])?;
    same_letters(before, name).then_some(after)
}
