//! The code of an issue by the schema keyword that an error is about.

use crate::diag::{Code, Problem, Problems, nearest};
use crate::mapping;
use crate::value::Severity;
use crate::value::decode::{Decode, Fields, Spanned};
use crate::value::shape::{Names, Null, Open, Shape};
use crate::value::yaml::{Data, Node};

/// The keywords of JSON Schema that an error can be about.
const KEYWORDS: [&str; 30] = [
    "additionalItems",
    "additionalProperties",
    "anyOf",
    "const",
    "contains",
    "contentEncoding",
    "contentMediaType",
    "enum",
    "exclusiveMaximum",
    "exclusiveMinimum",
    "falseSchema",
    "format",
    "maxItems",
    "maxLength",
    "maxProperties",
    "maximum",
    "minItems",
    "minLength",
    "minProperties",
    "minimum",
    "multipleOf",
    "not",
    "oneOf",
    "pattern",
    "propertyNames",
    "required",
    "type",
    "unevaluatedItems",
    "unevaluatedProperties",
    "uniqueItems",
];

mapping! {
    /// The properties of one keyword's issues.
    "keyword_issue" is "kind of issue";
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct KeywordIssue {
        /// Their code.
        #[key(text_like("a code of capitals, digits and `_`", CODE), required, examples(&["REQUIRED_FIELD"]))]
        pub code: String = code,
        /// Their severity. Without it, that of the other issues of the rule or measure.
        #[key(examples(&["critical"]))]
        pub severity: Option<Severity>,
        /// `true` if they declare that a machine can fix them, for profiles whose `dispositions` ask.
        #[key(default("false"), examples(&["true"]))]
        pub auto_fixable: bool,
    }
}

/// The pattern of a code.
const CODE: &str = "^[A-Z0-9_]+$";

mapping! {
    /// The code of an issue, by the keyword of JSON Schema that the error is about.
    "codes" is "mapping of codes", expects "a mapping from keywords of JSON Schema to codes", open BY_KEYWORD, all default;
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct SchemaCodes {
        /// The properties of issues of every other keyword. Without it: `SCHEMA_` and the keyword in capitals.
        #[key(examples(&["CONSTRAINT_VIOLATION", "{ code: CONSTRAINT_VIOLATION, auto_fixable: true }"]))]
        otherwise: Option<KeywordIssue>,
        /// The properties of the issues of single keywords, in file order.
        #[key(skip)]
        keywords: Vec<(String, KeywordIssue)> = |fields: &mut Fields<'_>, problems| Some(keywords(fields, problems)),
    }
}

const BY_KEYWORD: Open = Open {
    key: "KEYWORD",
    names: Names::Known(&KEYWORDS),
    doc: "What issues about this keyword are like: their code, or a mapping that says more.",
    shape: KeywordIssue::shape,
    null: Null::Mistake,
};

impl SchemaCodes {
    /// The properties of the issues of a keyword, if they are set.
    #[must_use]
    pub fn of(&self, keyword: &str) -> Option<&KeywordIssue> {
        let listed = self.keywords.iter().find(|(known, _)| known == keyword);
        listed.map(|(_, issue)| issue).or(self.otherwise.as_ref())
    }

    /// The keywords with settings of their own, in file order, and last the settings for all others (`None`).
    pub fn listed(&self) -> impl Iterator<Item = (Option<&str>, &KeywordIssue)> {
        let keywords = self.keywords.iter().map(|(keyword, issue)| (Some(keyword.as_str()), issue));
        keywords.chain(self.otherwise.iter().map(|issue| (None, issue)))
    }
}

fn keywords(fields: &Fields<'_>, problems: &mut Problems) -> Vec<(String, KeywordIssue)> {
    let mut keywords = Vec::new();
    for entry in fields.rest() {
        if !KEYWORDS.contains(&entry.key.as_str()) {
            let message = format!("JSON Schema has no keyword `{}` that an error could be about", entry.key);
            let problem = Problem::error(Code::UnknownWord, &entry.key_span, message);
            problems.push(match nearest(&entry.key, KEYWORDS) {
                Some(guess) => problem.help(format!("did you mean `{guess}`?")),
                None => problem.help("name one such as `type`, `required` or `pattern`, or `otherwise`"),
            });
            continue;
        }
        if let Some(issue) = KeywordIssue::decode(&entry.value, problems) {
            keywords.push((entry.key.clone(), issue));
        }
    }
    keywords
}

impl Decode for KeywordIssue {
    const EXPECTED: &'static str = "a code such as `TYPE_MISMATCH`, or a mapping with `code`";

    fn shape() -> Shape {
        let code = Shape::text_like("a code of capitals, digits and `_`", CODE);
        Shape::AnyOf(vec![code, Shape::Mapping(KeywordIssue::mapping())])
    }

    fn decode(node: &Node, problems: &mut Problems) -> Option<Self> {
        if matches!(node.data, Data::Map(_)) {
            return Self::read_mapping(node, problems);
        }
        Some(KeywordIssue { code: code(node, problems)?, severity: None, auto_fixable: false })
    }
}

fn code(node: &Node, problems: &mut Problems) -> Option<String> {
    let code = Spanned::decode(node, problems)?;
    check_code(&code, problems);
    Some(code.value)
}

/// Reports an invalid code.
pub fn check_code(code: &Spanned<String>, problems: &mut Problems) {
    let valid = !code.value.is_empty()
        && code.value.bytes().all(|b| b.is_ascii_uppercase() || b.is_ascii_digit() || b == b'_');
    if !valid {
        problems.push(
            Problem::error(
                Code::UnknownWord,
                &code.span,
                format!("a code is made of capitals, digits and `_`, found `{}`", code.value),
            )
            .help("write it like `INVALID_REFERENCE`"),
        );
    }
}
