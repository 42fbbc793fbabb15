//! What one check asks of a value.

use crate::decode_words;
use crate::value::JsonPath;
use jiff::civil::Date;
use regex::Regex;
use serde_json::Value;
use std::fmt;

/// A question about one value, answered with yes or no. A value that is not present answers no to every question but
/// those about other fields.
#[derive(Debug, Clone)]
pub enum Test {
    /// The value is present (see [`crate::value::is_present`]).
    Present,
    /// All of these are present, wherever the value itself stands.
    Require(Vec<Reference>),
    /// All of these are present; not asked when the value itself is absent.
    RequireWith(Vec<Reference>),
    /// None of these is present.
    Forbid(Vec<Reference>),
    /// It is of one of these kinds.
    Type(Vec<Kind>),
    /// Its text matches; lists and mappings have no text.
    Matches(Regex),
    /// It equals one of these.
    OneOf {
        /// The allowed values.
        values: Vec<Value>,
        /// Whether texts are compared without regard to case.
        ignore_case: bool,
    },
    /// It is a number, or a text that is wholly one, within these bounds.
    Range {
        /// Smallest allowed.
        min: Option<f64>,
        /// Largest allowed.
        max: Option<f64>,
    },
    /// Characters of a text, elements of a list or members of a mapping, within these bounds.
    Length {
        /// Fewest allowed.
        min: Option<u64>,
        /// Most allowed.
        max: Option<u64>,
    },
    /// It is written as this format demands.
    Format(Format),
    /// No two elements of the list are equal, by a member if one is named.
    Unique {
        /// The member that tells elements apart; elements without it are left aside.
        key: Option<String>,
    },
    /// It equals this, as JSON (`1` equals `1.0`).
    Equals(Value),
    /// A text that holds this text in any case, or a list with an element equal to it (texts in any case).
    Contains {
        /// Finds the text within a text.
        pattern: Option<Regex>,
        /// The element, or the text.
        value: Value,
    },
    /// A date before the other; holds when the other is absent or no date.
    Before(Moment),
    /// A date after the other; holds when the other is absent or no date.
    After(Moment),
    /// The numbers of the list or mapping add up to this.
    SumTo {
        /// The sum.
        value: f64,
        /// How far it may be off.
        tolerance: f64,
    },
    /// The value, or each element of the list, is among the values that the path selects in the candidate.
    Resolves(JsonPath),
}

/// Something a rule points at besides its target.
#[derive(Debug, Clone)]
pub enum Reference {
    /// A top-level field of the candidate.
    Field(String),
    /// A path from the candidate, written `$.a.b`.
    Root(JsonPath),
    /// A path from the rule's target, written `@.b`.
    Target(JsonPath),
}

/// The other side of a comparison of dates.
#[derive(Debug, Clone)]
pub enum Moment {
    /// A date that stands in the rule.
    Literal(Date),
    /// A date that stands in the candidate.
    At(Reference),
}

/// Kinds of JSON values, as rules name them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
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

decode_words!(Kind, "type", {
    "text" => Kind::Text,
    "number" => Kind::Number,
    "integer" => Kind::Integer,
    "boolean" => Kind::Boolean,
    "list" => Kind::List,
    "mapping" => Kind::Mapping,
    "numeric" => Kind::Numeric,
});

impl Kind {
    /// The word in a rule.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Kind::Text => "text",
            Kind::Number => "number",
            Kind::Integer => "integer",
            Kind::Boolean => "boolean",
            Kind::List => "list",
            Kind::Mapping => "mapping",
            Kind::Numeric => "numeric",
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
}

decode_words!(Format, "format", {
    "date" => Format::Date,
    "duration" => Format::Duration,
    "orcid" => Format::Orcid,
    "doi" => Format::Doi,
    "pmid" => Format::Pmid,
    "issn" => Format::Issn,
    "url" => Format::Url,
    "email" => Format::Email,
});

impl Format {
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
        }
    }
}

impl Test {
    /// Whether an absent value can fail it, so that it is asked of absent values too.
    #[must_use]
    pub fn asks_presence(&self) -> bool {
        matches!(self, Test::Present | Test::Require(_))
    }
}

impl fmt::Display for Reference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Reference::Field(name) => f.write_str(name),
            Reference::Root(path) => f.write_str(path.as_str()),
            Reference::Target(path) => write!(f, "@{}", path.as_str().trim_start_matches('$')),
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
    /// What a value that passes is, in words that follow "expected".
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
                let words: Vec<String> = values.iter().map(|v| format!("`{}`", plain(v))).collect();
                write!(f, "one of {}{}", words.join(", "), if *ignore_case { " in any case" } else { "" })
            }
            Test::Range { min, max } => {
                f.write_str("a number")?;
                bounds(f, min.as_ref(), max.as_ref())
            }
            Test::Length { min, max } => {
                f.write_str("a length")?;
                bounds(f, min.as_ref(), max.as_ref())
            }
            Test::Format(format) => write!(f, "the format {}", format.as_str()),
            Test::Unique { key: None } => f.write_str("a list without repetitions"),
            Test::Unique { key: Some(key) } => write!(f, "a list in which no `{key}` is repeated"),
            Test::Equals(value) => write!(f, "`{}`", plain(value)),
            Test::Contains { value, .. } => write!(f, "something that contains `{}`", plain(value)),
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

/// A value as people write it: texts without quotes.
fn plain(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}
