//! Files that hold several documents: the `sections` block of a profile.

use crate::value::decode::Decode;
use crate::value::shape::by_name;
use crate::{decode_words, mapping};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

mapping! {
    /// The handling of files that hold several documents, such as a pathology report followed by laboratory values.
    /// The signs by which they are told apart are declared in the classification.
    "sections" is "set of settings for sections", expects "a mapping such as `{ split: true }`", all default;
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct SectionSettings {
        /// With `true`, each section is worked on as a document of its own, by what its type asks for and with its own text
        /// alone. A file of one document stays whole.
        #[key(default("false"), examples(&["true"]))]
        pub split: bool,
        /// The way in which the extractions of a file's sections become one.
        #[key(default("{}"), examples(&["{ default: conflict, fields: { labValues: all } }"]))]
        pub merge: MergeSettings,
    }
}

mapping! {
    /// The way in which the extractions of a file's sections become one.
    "merge" is "set of rules for merging", expects "a mapping such as `{ default: conflict }`", all default;
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct MergeSettings {
        /// The rule for fields without one of their own.
        #[key(default("conflict"), examples(&["first"]))]
        pub default: MergeRule,
        /// The rules of fields, by their names, within objects joined by dots: `patient.name`.
        #[key(
            shaped(|| by_name("FIELD", "The rule of this field.", MergeRule::shape)),
            default("{}"),
            examples(&["{ labValues: all, patient.name: first }"])
        )]
        pub fields: BTreeMap<String, MergeRule>,
    }
}

/// A rule for merging the values of a field.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MergeRule {
    /// The value of the first section that has one.
    First,
    /// The values of all sections, as a list.
    All,
    /// The value of the last section that has one.
    PreferLater,
    /// The value that all sections agree on.
    Conflict,
}

decode_words!(MergeRule, "rule for merging", {
    "first": "The value of the first section that has one." => MergeRule::First,
    "all": "The values of all sections, as one list without repeats." => MergeRule::All,
    "prefer_later": "The value of the last section that has one." => MergeRule::PreferLater,
    "conflict": "The value that all sections with one agree on. Where they differ there is none, and a person decides." => MergeRule::Conflict,
});
