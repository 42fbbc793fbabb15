//! Which code an issue gets for the schema keyword that an error is about.

use super::measure_keys as keys;
use crate::diag::{Code, Problem, Problems, nearest};
use crate::value::Severity;
use crate::value::decode::{Decode, Fields, Spanned};
use crate::value::shape::Shape;
use crate::value::yaml::{Data, Node};

/// The keywords of JSON Schema that an error can be about.
pub(super) const KEYWORDS: [&str; 30] = [
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

/// What the issues of one keyword are like.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeywordIssue {
    /// Their code.
    pub code: String,
    /// How bad they are, if not as bad as the others.
    pub severity: Option<Severity>,
    /// Whether they say of themselves that the loop can put them right.
    pub auto_fixable: bool,
}

/// The codes of a schema's issues. What it does not list has `SCHEMA_` and the keyword in capitals.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SchemaCodes {
    keywords: Vec<(String, KeywordIssue)>,
    otherwise: Option<KeywordIssue>,
}

impl SchemaCodes {
    /// What the issues of a keyword are like, if that was said.
    #[must_use]
    pub fn of(&self, keyword: &str) -> Option<&KeywordIssue> {
        let listed = self.keywords.iter().find(|(known, _)| known == keyword);
        listed.map(|(_, issue)| issue).or(self.otherwise.as_ref())
    }

    /// The keywords of which something was said, in file order, and last what holds for all others (`None`).
    pub fn listed(&self) -> impl Iterator<Item = (Option<&str>, &KeywordIssue)> {
        let keywords = self.keywords.iter().map(|(keyword, issue)| (Some(keyword.as_str()), issue));
        keywords.chain(self.otherwise.iter().map(|issue| (None, issue)))
    }
}

impl Decode for SchemaCodes {
    const EXPECTED: &'static str = "a mapping from keywords of JSON Schema to codes";

    fn shape() -> Shape {
        Shape::Mapping(&keys::CODES)
    }

    fn decode(node: &Node, problems: &mut Problems) -> Option<Self> {
        let mut fields = Fields::open(node, &keys::CODES, problems)?;
        let mut codes = SchemaCodes { otherwise: fields.optional("otherwise", problems), ..Self::default() };
        for entry in fields.rest() {
            if !KEYWORDS.contains(&entry.key.as_str()) {
                let message =
                    format!("JSON Schema has no keyword `{}` that an error could be about", entry.key);
                let problem = Problem::error(Code::UnknownWord, &entry.key_span, message);
                problems.push(match nearest(&entry.key, KEYWORDS) {
                    Some(guess) => problem.help(format!("did you mean `{guess}`?")),
                    None => problem.help("name one such as `type`, `required` or `pattern`, or `otherwise`"),
                });
                continue;
            }
            if let Some(issue) = KeywordIssue::decode(&entry.value, problems) {
                codes.keywords.push((entry.key.clone(), issue));
            }
        }
        Some(codes)
    }
}

impl Decode for KeywordIssue {
    const EXPECTED: &'static str = "a code such as `TYPE_MISMATCH`, or a mapping with `code`";

    fn shape() -> Shape {
        Shape::AnyOf(vec![
            Shape::text_like("a code of capitals, digits and `_`", keys::CODE),
            Shape::Mapping(&keys::KEYWORD_ISSUE),
        ])
    }

    fn decode(node: &Node, problems: &mut Problems) -> Option<Self> {
        if !matches!(node.data, Data::Map(_)) {
            let code = Spanned::decode(node, problems)?;
            check_code(&code, problems);
            return Some(KeywordIssue { code: code.value, severity: None, auto_fixable: false });
        }
        let mut fields = Fields::open(node, &keys::KEYWORD_ISSUE, problems)?;
        let code: Option<Spanned<String>> = fields.required("code", problems);
        let severity = fields.optional("severity", problems);
        let auto_fixable = fields.or("auto_fixable", false, problems);
        fields.finish(problems);
        let code = code?;
        check_code(&code, problems);
        Some(KeywordIssue { code: code.value, severity, auto_fixable })
    }
}

/// Reports what is no code.
pub(crate) fn check_code(code: &Spanned<String>, problems: &mut Problems) {
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
