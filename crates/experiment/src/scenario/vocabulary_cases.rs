//! `rules/vocabularies/NAME.test.yaml`: texts, and what they say about a field.

use super::matching::{Difference, listed};
use super::suite::{Choice, Suite, SuiteKind, Verdict, line_of};
use super::verify::unknown;
use crate::diag::{Code, Problem, Problems, SourceFile};
use crate::mapping;
use crate::profile::Library;
use crate::rules::{Assertion, EvidenceRules, Vocabulary};
use crate::score::{FieldReader, Statement};
use crate::value::decode::{Decode, Fields, Spanned};
use crate::value::prose::{self, beginning, collapsed};
use crate::value::yaml;
use std::sync::Arc;

mapping! {
    /// Tests of what texts say about fields by a vocabulary: `rules/vocabularies/NAME.test.yaml` beside
    /// `rules/vocabularies/NAME.yaml`. `loopctl test` plays them.
    "vocabulary-tests" is "test file of a vocabulary", expects "a mapping with `cases`";
    #[derive(Debug, Clone)]
    pub struct VocabularyCases {
        /// The rules for how texts assert what they mention: `context` for `rules/context.yaml`. Without it, everything
        /// that a text mentions is affirmed.
        #[key(text("a file under `rules/`, without `.yaml`"), examples(&["context"]))]
        pub context: Option<Spanned<String>>,
        /// The cases.
        #[key(
            required,
            examples(&["[{ text: Margins are free of tumor., field: margins, says: negative, context: affirmed }]"])
        )]
        pub cases: Vec<VocabularyCase>,
    }
}

mapping! {
    /// A text and what it says about a field; or a value of a candidate and what it means.
    "vocabulary_case" is "case of a vocabulary", expects "a mapping with `text` or `value`, and `says`",
        checked by VocabularyCase::check;
    #[derive(Debug, Clone)]
    pub struct VocabularyCase {
        /// A name that says what is special about the case. Without it, its text names it.
        #[key(examples(&["a negated phrase"]))]
        pub name: Option<String>,
        /// The text of a document.
        #[key(examples(&["Margins are free of tumor."]))]
        pub text: Option<Spanned<String>>,
        /// The value that a candidate has in the field, in place of a text.
        #[key(examples(&["grade II"]))]
        pub value: Option<Spanned<String>>,
        /// The field that the text is about, by a name that the vocabulary lists or any other. Without it, the first that the
        /// vocabulary lists.
        #[key(text("the name of a field"), examples(&["margins"]))]
        pub field: Option<Spanned<String>>,
        /// The canonical value that every mention of the field must give. Without it, the text must say nothing about
        /// the field.
        #[key(text("a value of the vocabulary"), examples(&["negative"]))]
        pub says: Option<Spanned<String>>,
        /// The way in which it is asserted. Without it, any way will do.
        #[key(examples(&["affirmed"]))]
        pub context: Option<Spanned<Assertion>>,
    }
}

impl VocabularyCase {
    fn check(&self, fields: &Fields<'_>, problems: &mut Problems) {
        match (&self.text, &self.value) {
            (None, None) => problems.push(
                Problem::error(Code::MissingKey, fields.span(), "this case has neither `text` nor `value`")
                    .help("add `text:` with what a document says, or `value:` with what a candidate has"),
            ),
            (Some(_), Some(value)) => problems.push(
                Problem::error(Code::Conflict, &value.span, "`text` and `value` exclude each other")
                    .help("make two cases of it"),
            ),
            _ => {}
        }
        let Some(context) = &self.context else { return };
        if self.value.is_some() || self.says.is_none() {
            let why =
                if self.value.is_some() { "a value of a candidate has" } else { "what says nothing has" };
            let problem =
                Problem::error(Code::Conflict, &context.span, format!("{why} no context to compare with"));
            problems.push(problem.help("take `context` out"));
        }
    }
}

/// Runs the cases of `rules/vocabularies/NAME.yaml`; `None` when something is wrong with either file.
pub fn test_vocabulary(
    name: &str,
    library: &Library,
    file: &Arc<SourceFile>,
    choice: Choice<'_>,
    problems: &mut Problems,
) -> Option<Suite> {
    let before = problems.error_count();
    let declared = yaml::parse(file, problems).and_then(|node| VocabularyCases::decode(&node, problems))?;
    let rules = EvidenceRules::alone(name, declared.context.as_ref(), library, problems)?;
    let (_, vocabulary) = rules.vocabulary(name)?;
    let values: Vec<&str> = vocabulary.values.keys().map(String::as_str).collect();
    for says in declared.cases.iter().filter_map(|case| case.says.as_ref()) {
        if !values.contains(&says.value.as_str()) {
            problems.push(unknown("value", says, &values));
        }
    }
    if problems.error_count() > before {
        return None;
    }
    let first = vocabulary.fields.first().cloned().unwrap_or_default();
    let reader = FieldReader::new(&rules);
    let results = choice.play(&declared.cases, title, |case| {
        let field = case.field.as_ref().map_or(first.as_str(), |field| field.value.as_str());
        let place = case.text.as_ref().or(case.value.as_ref());
        let differences = differences(case, &reader, &Asked { field, rules: &rules, vocabulary });
        (place.map_or(0, |place| line_of(&place.span)), Verdict::of(differences))
    });
    let name = format!("rules/vocabularies/{name}");
    Some(Suite { name, kind: SuiteKind::Vocabulary, results, file: file.name().to_owned() })
}

/// The longest title of a case that its text names, in characters.
const MOST_TITLE: usize = 60;

fn title(case: &VocabularyCase) -> String {
    if let Some(name) = &case.name {
        return name.clone();
    }
    let text = case.text.as_ref().or(case.value.as_ref()).map_or("", |text| text.value.as_str());
    beginning(&collapsed(text), MOST_TITLE)
}

/// The field that a case asks about, and what is known about it.
struct Asked<'a> {
    field: &'a str,
    rules: &'a EvidenceRules,
    vocabulary: &'a Vocabulary,
}

impl Asked<'_> {
    /// The message about a text in which nothing is found: it has the names of the field.
    fn nothing(&self) -> String {
        if self.vocabulary.anywhere {
            return "nothing".to_owned();
        }
        let known = self.rules.fields.iter().find(|known| known.key == self.field);
        let mut names = vec![self.field];
        names.extend(known.into_iter().flat_map(|known| known.synonyms.iter().map(String::as_str)));
        let names = prose::listed(names);
        format!("nothing beside a name of the field ({names}; more are `synonyms` in its rubric)")
    }
}

/// The differences from what the case says.
fn differences(case: &VocabularyCase, reader: &FieldReader, asked: &Asked<'_>) -> Vec<Difference> {
    let expected = case.says.as_ref().map_or("nothing", |says| says.value.as_str());
    let place = case.says.as_ref().or(case.text.as_ref()).or(case.value.as_ref());
    let Some(place) = place.map(|place| &place.span) else { return Vec::new() };
    let found: Vec<Statement> = match (&case.text, &case.value) {
        (Some(text), _) => reader.statements(asked.field, &text.value),
        (None, Some(value)) => {
            let says = reader.value(&value.value);
            says.map(|says| Statement { says, context: Assertion::Affirmed }).into_iter().collect()
        }
        (None, None) => return Vec::new(),
    };
    let mut differences = Vec::new();
    let said = |statement: &Statement| statement.says == expected;
    if found.is_empty() != case.says.is_none() || !found.iter().all(said) {
        let mut values: Vec<String> = found.iter().map(|statement| statement.says.clone()).collect();
        values.dedup();
        let found = match (values.is_empty(), &case.text) {
            (false, _) => listed(values.into_iter()),
            (true, Some(_)) => asked.nothing(),
            (true, None) => "nothing".to_owned(),
        };
        differences.push(Difference::new("says".to_owned(), expected, found, place));
    }
    if let Some(context) = &case.context {
        let others: Vec<&Statement> =
            found.iter().filter(|statement| said(statement) && statement.context != context.value).collect();
        if let Some(other) = others.first() {
            let (expected, found) = (context.value.as_str(), other.context.as_str());
            differences.push(Difference::new("context".to_owned(), expected, found, &context.span));
        }
    }
    differences
}
