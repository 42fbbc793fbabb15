//! The question that one check asks of a value.

use super::bound::Bound;
use super::checks::below_paths;
use super::condition::path;
use super::field_trie::Slots;
use super::program::Index;
use super::quantity::Quantity;
use super::xsd::Datatype;
use crate::diag::Problems;
use crate::value::decode::{Decode, unknown_word, wrong_type};
use crate::value::shape::{Shape, Word};
use crate::value::yaml::Node;
use crate::value::{JsonPath, TextPattern};
use crate::{decode_words, mapping};
use jiff::civil::Date;
use serde_json::Value;
use std::fmt;

/// A question about one value, answered with yes or no. A value that is not present answers no to every question except
/// those about other fields.
#[derive(Debug, Clone)]
pub enum Test {
    /// The value is present (see [`crate::value::is_present`]).
    Present,
    /// All of these are present, whether or not the value itself is.
    Require(Vec<Reference>),
    /// All of these are present; not asked when the value itself is absent.
    RequireWith(Vec<Reference>),
    /// None of these is present.
    Forbid(Vec<Reference>),
    /// It is of one of these kinds.
    Type(Vec<JsonType>),
    /// Its text matches; lists and mappings have no text.
    Matches(TextPattern),
    /// It equals one of these.
    OneOf {
        /// The allowed values.
        values: Vec<Value>,
        /// `true` if texts are compared without regard to case.
        ignore_case: bool,
    },
    /// It is a number, or a text that is wholly one, within these bounds.
    Range {
        /// Smallest allowed.
        min: Option<Bound>,
        /// Largest allowed.
        max: Option<Bound>,
    },
    /// It is a text with a number in one of these units, and each such number is within bounds.
    Quantity(Box<Quantity>),
    /// Characters of a text, elements of a list or members of a mapping, within these bounds.
    Length {
        /// Fewest allowed.
        min: Option<u64>,
        /// Most allowed.
        max: Option<u64>,
    },
    /// It is written as this format demands.
    Format(Format),
    /// It is a literal of the XML Schema datatype that the text there names. Holds when nothing there names one.
    FormatNamedAt(Reference),
    /// No two elements of the list are equal, by a member if one is named.
    Unique {
        /// The member that tells elements apart; elements without it are ignored.
        key: Option<String>,
    },
    /// No two values there are equal.
    Distinct(Reference),
    /// All elements of the list are equal, by a path if one is given.
    Uniform {
        /// The path to what is compared of each element; elements in which it selects nothing are ignored.
        path: Option<JsonPath>,
    },
    /// It equals each value there. Holds when nothing is there.
    SameAs(Reference),
    /// It is not a number above one there. Holds if one of the two is not a number.
    AtMost(Reference),
    /// It is not a number below one there. Holds if one of the two is not a number.
    AtLeast(Reference),
    /// It equals this, as JSON (`1` equals `1.0`).
    Equals(Value),
    /// A text that holds this text in any case, or a list with an element equal to it (texts in any case).
    Contains {
        /// Finds the text within a text.
        pattern: Option<TextPattern>,
        /// The element, or the text.
        value: Value,
    },
    /// A date before the other; holds if the other is absent or not a date.
    Before(Moment),
    /// A date after the other; holds if the other is absent or not a date.
    After(Moment),
    /// The numbers of the list or mapping add up to this.
    SumTo {
        /// The sum.
        value: f64,
        /// The amount by which it may be off.
        tolerance: f64,
    },
    /// The value, or each element of the list, is among the values that the path selects in the candidate.
    Resolves(JsonPath),
    /// The list is a chain of steps that lead from a value of the candidate to one below it.
    PathResolves(Box<PathSpec>),
}

mapping! {
    /// Steps that lead through a document: each finds its element below the one before.
    "chain" is "chain";
    #[derive(Debug, Clone)]
    pub struct PathSpec {
        /// The path where the first step is looked for.
        #[key(text("a JSONPath"), required, examples(&["'$.regions[*]'"]))]
        pub start: JsonPath as String = path,
        /// The paths where each further step is looked for, from what the one before has found.
        #[key(
            shaped(|| Shape::one_or_more(Shape::text("a path that begins with `@`"))),
            required,
            examples(&["['@.parts[*]', '@.findings[*]']"])
        )]
        pub below: Vec<JsonPath> as String = below_paths,
        /// The member by which the first step is found.
        #[key(required, examples(&["id"]))]
        pub by: String,
        /// The member by which further steps are found; an element without it is found by its position.
        #[key(required, examples(&["label"]))]
        pub name: String,
        /// The member of a step that says what it looks for. Without it, the step itself.
        #[key(examples(&["is"]))]
        pub step: Option<String>,
    }
}

/// Something a rule points at besides its target.
#[derive(Debug, Clone)]
pub enum Reference {
    /// A top-level field of the candidate.
    Field {
        /// Its name.
        name: String,
        /// Its slot in the program's [`super::FieldTrie`], once the rule is compiled.
        slot: Option<Index>,
    },
    /// A path from the candidate, written `$.a.b`.
    Root {
        /// The path.
        path: JsonPath,
        /// The slots of the fields that the path begins with, if it begins with names, once the rule is compiled.
        slots: Slots,
    },
    /// A path from the rule's target, written `@.b`.
    Target(JsonPath),
    /// A path from the list or mapping that the target is in, written `^.b`; `^^.b` from what holds that.
    Holder {
        /// The number of levels up, at least 1.
        up: usize,
        /// The path from there.
        path: JsonPath,
    },
    /// A path from the element before the target in its list, written `<.b`.
    Before(JsonPath),
}

impl Reference {
    /// Returns whether it starts from the location of a target, not from a value.
    #[must_use]
    pub fn looks_around(&self) -> bool {
        matches!(self, Reference::Holder { .. } | Reference::Before(_))
    }
}

/// The other side of a comparison of dates.
#[derive(Debug, Clone)]
pub enum Moment {
    /// A date in the rule.
    Literal(Date),
    /// A date in the candidate.
    At(Reference),
}

/// Kinds of JSON values, as rules name them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum JsonType {
    /// A JSON string.
    Text,
    /// A JSON number.
    Number,
    /// A JSON number without a fraction.
    Integer,
    /// `true` or `false`.
    Boolean,
    /// A JSON array.
    List,
    /// A JSON object.
    Mapping,
    /// A JSON number, or a text that is wholly one.
    Numeric,
}

decode_words!(JsonType, "type", {
    "text": "Text." => JsonType::Text,
    "number": "A number." => JsonType::Number,
    "integer": "A number without a fraction." => JsonType::Integer,
    "boolean": "`true` or `false`." => JsonType::Boolean,
    "list": "A list." => JsonType::List,
    "mapping": "A mapping (a JSON object)." => JsonType::Mapping,
    "numeric": "A number, or a text that is wholly one, such as `12.5`." => JsonType::Numeric,
});

impl JsonType {
    /// The word in a rule.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            JsonType::Text => "text",
            JsonType::Number => "number",
            JsonType::Integer => "integer",
            JsonType::Boolean => "boolean",
            JsonType::List => "list",
            JsonType::Mapping => "mapping",
            JsonType::Numeric => "numeric",
        }
    }
}

/// Ways of writing that a rule can ask for by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// An ISO 8601 date, a time of day may follow.
    Date,
    /// An ISO 8601 duration, or one with units such as `2h 30m`.
    Duration,
    /// An ORCID iD with its check digit (ISO 7064 MOD 11-2).
    Orcid,
    /// A DOI, bare or as a link.
    Doi,
    /// A PubMed id: one to eight digits.
    Pmid,
    /// An ISSN with its check digit.
    Issn,
    /// An `http` or `https` address.
    Url,
    /// A mail address.
    Email,
    /// A literal of an XML Schema datatype.
    Xsd(Datatype),
}

impl Decode for Format {
    const EXPECTED: &'static str = "the name of a format";

    fn shape() -> Shape {
        let word = |format: &Format| Word { word: format.as_str(), doc: format.about() };
        let datatypes = Datatype::NAMES.iter().map(|word| Word { word, doc: "The datatype of XML Schema." });
        Shape::Words(Format::ALL.iter().map(word).chain(datatypes).collect())
    }

    fn decode(node: &Node, problems: &mut Problems) -> Option<Self> {
        let Some(text) = node.as_text() else { return wrong_type(node, Self::EXPECTED, problems) };
        if let Some(format) = Format::ALL.into_iter().find(|format| format.as_str() == text) {
            return Some(format);
        }
        if let Some(datatype) = Datatype::named(text) {
            return Some(Format::Xsd(datatype));
        }
        let words: Vec<&str> =
            Format::ALL.iter().map(|format| format.as_str()).chain(Datatype::NAMES.iter().copied()).collect();
        unknown_word(&node.span, "format", text, &words, problems)
    }
}

impl Format {
    /// Every format except the datatypes.
    const ALL: [Format; 8] = [
        Format::Date,
        Format::Duration,
        Format::Orcid,
        Format::Doi,
        Format::Pmid,
        Format::Issn,
        Format::Url,
        Format::Email,
    ];

    /// A description of it, in a sentence.
    fn about(self) -> &'static str {
        match self {
            Format::Date => "An ISO 8601 date such as `2024-06-19`; a time of day may follow.",
            Format::Duration => "An ISO 8601 duration such as `PT2H30M`, or one with units such as `2h 30m`.",
            Format::Orcid => "An ORCID iD with its check digit.",
            Format::Doi => "A DOI, bare or as a link.",
            Format::Pmid => "A PubMed id: one to eight digits.",
            Format::Issn => "An ISSN with its check digit.",
            Format::Url => "An `http` or `https` address.",
            Format::Email => "A mail address.",
            Format::Xsd(_) => "The datatype of XML Schema.",
        }
    }

    /// The word in a rule.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Format::Date => "date",
            Format::Duration => "duration",
            Format::Orcid => "orcid",
            Format::Doi => "doi",
            Format::Pmid => "pmid",
            Format::Issn => "issn",
            Format::Url => "url",
            Format::Email => "email",
            Format::Xsd(datatype) => datatype.as_str(),
        }
    }
}

impl Test {
    /// The locations besides its target that it inspects.
    pub(super) fn references(&self) -> &[Reference] {
        match self {
            Test::Require(all) | Test::RequireWith(all) | Test::Forbid(all) => all,
            Test::FormatNamedAt(one)
            | Test::Distinct(one)
            | Test::SameAs(one)
            | Test::AtMost(one)
            | Test::AtLeast(one)
            | Test::Before(Moment::At(one))
            | Test::After(Moment::At(one)) => std::slice::from_ref(one),
            Test::Present
            | Test::Type(_)
            | Test::Matches(_)
            | Test::OneOf { .. }
            | Test::Range { .. }
            | Test::Quantity(_)
            | Test::Length { .. }
            | Test::Format(_)
            | Test::Unique { .. }
            | Test::Uniform { .. }
            | Test::Equals(_)
            | Test::Contains { .. }
            | Test::Before(_)
            | Test::After(_)
            | Test::SumTo { .. }
            | Test::Resolves(_)
            | Test::PathResolves(_) => &[],
        }
    }

    /// Returns whether it can say what exactly made it fail, besides its target.
    pub fn says_where(&self) -> bool {
        match self {
            Test::Require(_)
            | Test::RequireWith(_)
            | Test::Forbid(_)
            | Test::FormatNamedAt(_)
            | Test::Unique { .. }
            | Test::Distinct(_)
            | Test::Uniform { .. }
            | Test::SameAs(_)
            | Test::AtMost(_)
            | Test::AtLeast(_)
            | Test::PathResolves(_) => true,
            Test::Present
            | Test::Type(_)
            | Test::Matches(_)
            | Test::OneOf { .. }
            | Test::Range { .. }
            | Test::Quantity(_)
            | Test::Length { .. }
            | Test::Format(_)
            | Test::Equals(_)
            | Test::Contains { .. }
            | Test::Before(_)
            | Test::After(_)
            | Test::SumTo { .. }
            | Test::Resolves(_) => false,
        }
    }

    /// Returns whether an absent value can fail it, so that it is asked of absent values too.
    #[must_use]
    pub fn asks_presence(&self) -> bool {
        matches!(self, Test::Present | Test::Require(_))
    }
}

impl fmt::Display for Reference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Reference::Field { name, .. } => f.write_str(name),
            Reference::Root { path, .. } => f.write_str(path.as_str()),
            Reference::Target(path) => write!(f, "@{}", path.as_str().trim_start_matches('$')),
            Reference::Holder { up, path } => {
                write!(f, "{}{}", "^".repeat(*up), path.as_str().trim_start_matches('$'))
            }
            Reference::Before(path) => write!(f, "<{}", path.as_str().trim_start_matches('$')),
        }
    }
}

impl fmt::Display for Moment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Moment::Literal(date) => write!(f, "{date}"),
            Moment::At(reference) => write!(f, "`{reference}`"),
        }
    }
}

impl fmt::Display for Test {
    /// A description of a value that passes, in words that follow "expected".
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Test::Present => f.write_str("a value"),
            Test::Require(all) | Test::RequireWith(all) => write!(f, "{} to be given", References(all)),
            Test::Forbid(all) => write!(f, "{} not to be given", References(all)),
            Test::Type(kinds) => {
                let words: Vec<&str> = kinds.iter().map(|k| k.as_str()).collect();
                f.write_str(&words.join(" or "))
            }
            Test::Matches(regex) => write!(f, "text that matches `{}`", regex.as_str()),
            Test::OneOf { values, ignore_case } => {
                let words: Vec<String> = values.iter().map(|v| format!("`{v}`")).collect();
                write!(f, "one of {}{}", words.join(", "), if *ignore_case { " in any case" } else { "" })
            }
            Test::Range { min, max } => {
                f.write_str("a number")?;
                bounds(f, min.as_ref(), max.as_ref())
            }
            Test::Quantity(quantity) => write!(f, "{quantity}"),
            Test::Length { min, max } => {
                f.write_str("a length")?;
                bounds(f, min.as_ref(), max.as_ref())
            }
            Test::Format(format) => write!(f, "the format {}", format.as_str()),
            Test::FormatNamedAt(reference) => write!(f, "the format that `{reference}` names"),
            Test::Uniform { path: None } => f.write_str("a list of equal elements"),
            Test::Uniform { path: Some(path) } => {
                write!(f, "a list in which all elements have the same `{}`", path.as_str())
            }
            Test::SameAs(reference) => write!(f, "the same as `{reference}`"),
            Test::AtMost(reference) => write!(f, "a number of `{reference}` or less"),
            Test::AtLeast(reference) => write!(f, "a number of `{reference}` or more"),
            Test::PathResolves(_) => f.write_str("steps that lead to something in the document"),
            Test::Distinct(reference) => write!(f, "no value of `{reference}` to be repeated"),
            Test::Unique { key: None } => f.write_str("a list without repetitions"),
            Test::Unique { key: Some(key) } => write!(f, "a list in which no `{key}` is repeated"),
            Test::Equals(value) => write!(f, "`{value}`"),
            Test::Contains { value, .. } => write!(f, "something that contains `{value}`"),
            Test::Before(moment) => write!(f, "a date before {moment}"),
            Test::After(moment) => write!(f, "a date after {moment}"),
            Test::SumTo { value, tolerance } => {
                write!(f, "numbers that add up to {value} (give or take {tolerance})")
            }
            Test::Resolves(path) => write!(f, "a value found at `{}`", path.as_str()),
        }
    }
}

struct References<'a>(&'a [Reference]);

impl fmt::Display for References<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, reference) in self.0.iter().enumerate() {
            write!(f, "{}`{reference}`", if i > 0 { ", " } else { "" })?;
        }
        Ok(())
    }
}

fn bounds<T: fmt::Display>(f: &mut fmt::Formatter<'_>, min: Option<&T>, max: Option<&T>) -> fmt::Result {
    match (min, max) {
        (Some(min), Some(max)) => write!(f, " from {min} to {max}"),
        (Some(min), None) => write!(f, " of {min} or more"),
        (None, Some(max)) => write!(f, " of {max} or less"),
        (None, None) => Ok(()),
    }
}
