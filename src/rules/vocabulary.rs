//! Vocabularies: which phrases of a text mean which value of a field.

use crate::mapping;
use crate::value::decode::Spanned;
use crate::value::shape::{Shape, by_name};
use std::collections::BTreeMap;

mapping! {
    /// Which phrases of a text mean which value of a field: `margins: negative` is said by "free of tumor" as well.
    "vocabulary" is "vocabulary";
    #[derive(Debug, Clone)]
    pub struct Vocabulary {
        /// The vocabulary's name, for readers.
        #[key(examples(&["margin-status"]))]
        pub vocabulary: Option<String>,
        /// What the vocabulary is for.
        #[key(examples(&["The state of resection margins"]))]
        pub description: Option<String>,
        /// Another vocabulary, by name. What this one does not say is as there: mappings merge key by key, lists replace, `null`
        /// takes a key away.
        #[key(examples(&["margin-status"]))]
        pub extends: Option<String>,
        /// Names of fields, as candidates and texts write them, that are read with this vocabulary where the rubric says nothing
        /// else.
        #[key(default("[]"), examples(&["[margins, marginStatus, surgical margins]"]))]
        pub fields: Vec<String>,
        /// The canonical values, each with the phrases that say it: regular expressions, in any case, which match whole words; a
        /// space stands for any blank or hyphen. The canonical value itself is a phrase of its own.
        #[key(
            required,
            missing("add `values:` with the phrases of each value"),
            shaped(|| by_name("VALUE", "Phrases that say this value.", || Shape::list(Shape::text("a phrase")))),
            examples(&["{ negative: [free of, uninvolved], positive: [involved, extends to] }"])
        )]
        pub values: BTreeMap<String, Vec<Spanned<String>>> => |_| BTreeMap::new(),
        /// What a phrase says when it is negated: `no`, `not`, `without` before it. Without it a negated phrase says nothing.
        #[key(
            default("{}"),
            shaped(|| by_name("VALUE", "What it says when it is negated.", || Shape::text("a value of this vocabulary"))),
            examples(&["{ positive: negative }"])
        )]
        pub opposite: BTreeMap<String, String>,
        /// Of several mentions of one field in equally final parts of a document, the value that a careful reader reports.
        /// Without it, mentions that differ conflict.
        #[key(examples(&["positive"]))]
        pub prefer: Option<String>,
        /// Whether phrases count wherever they stand, not only beside a name of the field: nobody writes "laterality: left".
        #[key(default("false"), examples(&["true"]))]
        pub anywhere: bool,
        /// Whether the name of the field itself, when a text affirms or negates it, says a value: the canonical values for both.
        /// "No lymphovascular invasion" then says `absent` of `lymphovascularInvasion`.
        #[key(examples(&["{ affirmed: present, negated: absent }"]))]
        pub named: Option<Named>,
        /// What `true` and `false` of a candidate mean. Without it, truth values are not read with this vocabulary.
        #[key(examples(&["{ affirmed: present, negated: absent }"]))]
        pub booleans: Option<Named>,
    }
}

mapping! {
    /// Two values of a vocabulary: for what is so, and for what is not.
    "affirmed_and_negated" is "pair of values", expects "`{ affirmed: present, negated: absent }`";
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct Named {
        /// The value for what is so.
        #[key(required, examples(&["present"]))]
        pub affirmed: String => |_| String::new(),
        /// The value for what is not.
        #[key(required, examples(&["absent"]))]
        pub negated: String => |_| String::new(),
    }
}

/// A phrase as a regular expression: a space stands for any blanks or hyphens, and where it begins or ends with a letter or
/// digit, a word begins or ends.
#[must_use]
pub(crate) fn phrase_pattern(phrase: &str) -> String {
    let spaced = phrase.trim().replace(" ?", r"[\s\-]*").replace(' ', r"[\s\-]+");
    let begins = phrase.trim().starts_with(char::is_alphanumeric);
    let ends = phrase.trim().ends_with(char::is_alphanumeric);
    format!("{}(?:{spaced}){}", if begins { r"\b" } else { "" }, if ends { r"\b" } else { "" })
}
