//! `rules/vocabularies/NAME.test.yaml`: texts, and what they say of a field.

use crate::diag::{Code, Problem, Problems};
use crate::mapping;
use crate::rules::Assertion;
use crate::value::decode::{Fields, Spanned};

mapping! {
    /// What texts say of fields by a vocabulary: `rules/vocabularies/NAME.test.yaml` beside `rules/vocabularies/NAME.yaml`.
    /// `loopctl test` plays them.
    "vocabulary-tests" is "test file of a vocabulary", expects "a mapping with `cases`";
    #[derive(Debug, Clone)]
    pub struct VocabularyCases {
        /// How the texts assert what they mention: `context` stands for `rules/context.yaml`. Without it, everything is affirmed
        /// that a text mentions.
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
    /// A text and what it says of a field; or a value of a candidate and what it stands for.
    "vocabulary_case" is "case of a vocabulary", expects "a mapping with `text` or `value`, and `says`",
        checked by VocabularyCase::check;
    #[derive(Debug, Clone)]
    pub struct VocabularyCase {
        /// What is special about the case. Without it, its text names it.
        #[key(examples(&["a negated phrase"]))]
        pub name: Option<String>,
        /// The text of a document.
        #[key(examples(&["Margins are free of tumor."]))]
        pub text: Option<Spanned<String>>,
        /// What a candidate has in the field, in place of a text.
        #[key(examples(&["grade II"]))]
        pub value: Option<Spanned<String>>,
        /// The field that the text is about, by a name that the vocabulary lists or any other. Without it, the first that the
        /// vocabulary lists.
        #[key(text("the name of a field"), examples(&["margins"]))]
        pub field: Option<Spanned<String>>,
        /// The canonical value that is said, by every mention of the field. Without it nothing is said.
        #[key(text("a value of the vocabulary"), examples(&["negative"]))]
        pub says: Option<Spanned<String>>,
        /// How it is asserted. Without it, any way will do.
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
