//! Names of things where results are handed to other systems: a text, and codes of code systems if someone chose them.

use crate::diag::{Code, Problem, Problems};
use crate::mapping;
use crate::value::decode::Fields;
use std::collections::{BTreeMap, BTreeSet};

mapping! {
    /// The name of a document type or a field in an export as FHIR (`CodeableConcept`). It has codes only if someone
    /// chose them: without any, the text is all there is.
    "concept" is "concept", expects "a mapping such as `{ text: Histologic grade }`", checked by Concept::check, all default;
    #[derive(Debug, Clone, PartialEq)]
    pub struct Concept {
        /// The text that people read. Without it, the name of the document type or field.
        #[key(text_like("a text that is not blank", r"\S"), examples(&["Histologic grade"]))]
        pub text: Option<String>,
        /// Its codes in code systems.
        #[key(default("[]"), examples(&["[{ system: 'https://example.org/codes', code: grade }]"]))]
        pub coding: Vec<Coding>,
    }
}

mapping! {
    /// A code of a code system.
    "coding" is "coding", expects "a mapping such as `{ system: URI, code: CODE }`", checked by Coding::check;
    #[derive(Debug, Clone, PartialEq)]
    pub struct Coding {
        /// The code system, by its URI.
        #[key(required, text_like("a URI", r"^[^\s:]+:\S+$"), examples(&["http://loinc.org"]))]
        pub system: String,
        /// The code in it.
        #[key(required, text_like("a code", r"^\S+( \S+)*$"), examples(&["grade"]))]
        pub code: String,
        /// The name that the code system gives it.
        #[key(examples(&["Grade"]))]
        pub display: Option<String>,
    }
}

impl Concept {
    fn check(&self, fields: &Fields<'_>, problems: &mut Problems) {
        if self.text.as_deref().is_some_and(|text| text.trim().is_empty()) {
            let span = fields.key_span("text").unwrap_or(fields.span());
            problems.push(
                Problem::error(Code::Empty, span, "the text of a concept is empty").help("say what it is"),
            );
        }
    }
}

impl Coding {
    fn check(&self, fields: &Fields<'_>, problems: &mut Problems) {
        let mut complain = |key: &str, message: String, help: &str| {
            let span = fields.key_span(key).unwrap_or(fields.span());
            problems.push(Problem::error(Code::WrongType, span, message).help(help));
        };
        let is_uri = self.system.split_once(':').is_some_and(|(scheme, rest)| {
            !scheme.is_empty() && !rest.is_empty() && !self.system.contains(char::is_whitespace)
        });
        if !is_uri {
            let message = format!("expected the URI of a code system, found `{}`", self.system);
            complain("system", message, "write it as the code system is known, such as `http://loinc.org`");
        }
        let words: Vec<&str> = self.code.split(' ').collect();
        let is_code = words.iter().all(|word| !word.is_empty() && !word.contains(char::is_whitespace));
        if !is_code {
            let message = format!("expected a code without blanks at its ends, found `{}`", self.code);
            complain("code", message, "words of a code are separated by one blank");
        }
    }
}

/// The terms that the rubrics of a profile give for exports.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ExportTerms {
    /// The document types that can be exported as FHIR.
    pub types: BTreeMap<String, Concept>,
    /// The names of fields there.
    pub fields: BTreeMap<String, Concept>,
    /// The units of numbers, by field.
    pub units: BTreeMap<String, String>,
    /// Fields that the host fills in: they are not findings.
    pub filled_in: BTreeSet<String>,
}
