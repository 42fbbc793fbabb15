//! The check `format`: how a value is written.

use super::Test;
use super::check::{AsksAbsent, Blame, Check, CheckOfValue, Definition};
use super::comparison::against;
use super::formats::is_format;
use crate::diag::Problems;
use crate::mapping;
use crate::rules::number::text_of;
use crate::rules::placing::Placing;
use crate::rules::reference::{Reference, place, reference};
use crate::rules::rule_scope::RuleScope;
use crate::rules::xsd::Datatype;
use crate::value::Item;
use crate::value::decode::{Decode, unknown_word, wrong_type};
use crate::value::shape::{Key, Shape, Word};
use crate::value::yaml::{Data, Node};
#[cfg(test)]
use serde_json::json;
use std::fmt;

pub(super) const FORMAT: Definition = Definition {
    key: Key::new(
        "format",
        || Shape::AnyOf(vec![Format::shape(), Shape::Mapping(FormatNamed::mapping())]),
        "How the value must be written: a date, an identifier with its check digit, a datatype of XML Schema.",
    )
    .examples(&["date", "doi", "{ named_at: ^.valueType }"]),
    read: |node, problems| match &node.data {
        Data::Map(_) => FormatNamed::read_mapping(node, problems).map(Test::FormatNamed),
        _ => Format::decode(node, problems).map(Test::Format),
    },
    named: |value| value.get("named_at"),
    #[cfg(test)]
    cases: || {
        vec![
            ("format: date", json!(["2024-02-29"]), json!(["2023-02-29", 20240229])),
            ("format: pmid", json!(["123", 123]), json!(["x", 1.5])),
            ("format: xs:int", json!(["12", 12, "-1"]), json!(["x", "3000000000", 1.5, [1]])),
        ]
    },
};

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

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the format {}", self.as_str())
    }
}

impl CheckOfValue for Format {
    fn looks_inside(&self) -> bool {
        false
    }

    #[inline]
    fn holds(&self, item: Item<'_>, room: &mut String) -> bool {
        text_of(item, room).is_some_and(|text| is_format(*self, text))
    }
}

mapping! {
    /// A format whose name appears in the document.
    "format_named" is "format";
    #[derive(Debug, Clone)]
    pub struct FormatNamed {
        /// The location of the name of the datatype (`xs:int`, say).
        #[key(shaped(place), required, examples(&["^.valueType"]))]
        named_at: Reference as String = reference,
    }
}

impl fmt::Display for FormatNamed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the format that `{}` names", self.named_at)
    }
}

impl Check for FormatNamed {
    fn asks_absent(&self) -> AsksAbsent {
        AsksAbsent::Never
    }

    fn looks_inside(&self) -> bool {
        false
    }

    fn references(&self) -> &[Reference] {
        std::slice::from_ref(&self.named_at)
    }

    fn place(&mut self, placing: &mut Placing<'_>) {
        placing.reference(&mut self.named_at, false);
    }

    fn holds(&self, item: Item<'_>, scope: Option<&RuleScope<'_, '_>>, room: &mut String) -> Option<bool> {
        let mut fits = true;
        scope?.look(&self.named_at, &mut |named| {
            if let Some(datatype) = named.as_text().and_then(Datatype::named) {
                fits &= text_of(item, room).is_some_and(|text| datatype.admits(text));
            }
        });
        Some(fits)
    }

    fn blame(&self, scope: &RuleScope<'_, '_>) -> Vec<Blame> {
        against(scope, "is not written as", &self.named_at)
    }
}
