//! Context: how the documents of a kind assert what they mention.

use crate::mapping;
use crate::value::yaml::{Data, Node};
use serde::{Deserialize, Serialize};

mapping! {
    /// The ways in which documents assert what they mention: words that deny, doubt or date it, beside those that every
    /// document is read with, and headings of the parts of a document.
    "context" is "context";
    #[derive(Debug, Clone)]
    pub struct Context {
        /// The name, for readers.
        #[key(examples(&["clinical"]))]
        pub context: Option<String>,
        /// The purpose of the context.
        #[key(examples(&["Clinical documents in English"]))]
        pub description: Option<String>,
        /// Another context, by name. Anything that this one does not set is inherited: mappings merge key by key, lists
        /// replace, `null` takes a key away.
        #[key(examples(&["clinical"]))]
        pub extends: Option<String>,
        /// Words that deny, beside those that every document is read with: `keinerlei`, `kein Hinweis auf`, `untersuch*`.
        #[key(default("[]"), examples(&["[keinerlei, kein Hinweis auf]"]))]
        pub negated: Vec<String>,
        /// Words that leave something in doubt.
        #[key(default("[]"), examples(&["[verdächtig*, not convincing]"]))]
        pub uncertain: Vec<String>,
        /// Words for another time.
        #[key(default("[]"), examples(&["[status post, formerly]"]))]
        pub historical: Vec<String>,
        /// Words for a condition, a plan or a method.
        #[key(default("[]"), examples(&["[return for, in case of]"]))]
        pub hypothetical: Vec<String>,
        /// Words for another person.
        #[key(default("[]"), examples(&["[half-brother]"]))]
        pub of_another: Vec<String>,
        /// Phrases that hold one of these words and say nothing of the kind, or words that do not here: `no increase`, `screening`.
        #[key(default("[]"), examples(&["[no increase, screening]"]))]
        pub ignored: Vec<String>,
        /// Words in names of fields whose values are just that: a field about history holds what was so.
        #[key(examples(&["{ historical: [history, prior], of_another: [family] }"]))]
        pub fields: FieldWords => |_| FieldWords::default(),
        /// Headings of parts, and how the content of such a part is asserted.
        #[key(default("[]"), examples(&["[{ headings: [family history], says: of_another }]"]))]
        pub sections: Vec<Section>,
    }
}

mapping! {
    /// Words in names of fields, by what such fields hold besides what is so.
    "words_of_fields" is "set of words", expects "`{ historical: [history, prior] }`", all default;
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct FieldWords {
        /// Words for what is not so.
        #[key(default("[]"), examples(&["[excluded, negatives]"]))]
        pub negated: Vec<String>,
        /// Words for what may be so.
        #[key(default("[]"), examples(&["[differential, suspected]"]))]
        pub uncertain: Vec<String>,
        /// Words for what was so.
        #[key(default("[]"), examples(&["[history, prior, previous, comparison]"]))]
        pub historical: Vec<String>,
        /// Words for what might become so.
        #[key(default("[]"), examples(&["[indication, plan, recommendation]"]))]
        pub hypothetical: Vec<String>,
        /// Words for what is so of someone else.
        #[key(default("[]"), examples(&["[family]"]))]
        pub of_another: Vec<String>,
    }
}

mapping! {
    /// A kind of part, recognized by its heading.
    "section" is "section", expects "`{ headings: [family history], says: of_another }`";
    #[derive(Debug, Clone)]
    pub struct Section {
        /// Headings, in any case.
        #[key(required, examples(&["[family history]"]))]
        pub headings: Vec<String> => |_| Vec::new(),
        /// The assertion of what the part contains, where nothing nearer determines it. Without it, affirmed.
        #[key(examples(&["historical"]))]
        pub says: Option<Assertion>,
        /// The finality of the part: of mentions that differ, those of the part with the higher number hold. A part
        /// without a heading that is listed has 5.
        #[key(whole(0, 9), default("5"), examples(&["8"]))]
        pub finality: u64,
    }
}

impl Context {
    /// Returns whether a file is one, by keys that no other file in `rules/` has.
    #[must_use]
    pub fn is_one(root: &Node) -> bool {
        let own = ["context", "negated", "uncertain", "historical", "hypothetical", "of_another"];
        // The sections of a classification are a mapping.
        let lists_sections = root.get("sections").is_some_and(|entry| matches!(entry.data, Data::List(_)));
        lists_sections || own.iter().any(|key| root.get(key).is_some())
    }
}

/// The way in which a text asserts something.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Assertion {
    /// It is so.
    #[default]
    Affirmed,
    /// It is not so.
    Negated,
    /// It may be so.
    Uncertain,
    /// It was so.
    Historical,
    /// It might become so.
    Hypothetical,
    /// It is so of someone else.
    OfAnother,
}

impl Assertion {
    /// The word in YAML and JSON.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Assertion::Affirmed => "affirmed",
            Assertion::Negated => "negated",
            Assertion::Uncertain => "uncertain",
            Assertion::Historical => "historical",
            Assertion::Hypothetical => "hypothetical",
            Assertion::OfAnother => "of_another",
        }
    }
}

crate::decode_words!(Assertion, "assertion", {
    "affirmed": "It is so." => Assertion::Affirmed,
    "negated": "It is not so." => Assertion::Negated,
    "uncertain": "It may be so." => Assertion::Uncertain,
    "historical": "It was so." => Assertion::Historical,
    "hypothetical": "It might become so." => Assertion::Hypothetical,
    "of_another": "It is true of another person." => Assertion::OfAnother,
});
