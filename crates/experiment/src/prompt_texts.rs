//! The texts of a profile's prompts, by the names of their files.

use super::prompt_names;
use crate::profile::Files;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// The folder of prompts and feedback templates.
const FOLDER: &str = "prompts";

/// The texts of the prompts of a profile, and of its feedback template.
#[derive(Debug, Clone, Default)]
pub struct PromptTexts(BTreeMap<String, String>);

impl PromptTexts {
    /// The texts of the prompts of merged settings. A prompt that can't be read has none.
    pub fn of(settings: &Value, files: &dyn Files) -> Self {
        let text = |name: String| {
            let file = files.read(&format!("{FOLDER}/{name}")).ok().flatten()?;
            Some((name, file.text().to_owned()))
        };
        PromptTexts(prompt_names(settings).into_iter().filter_map(text).collect())
    }

    /// The text of a prompt.
    pub fn text_of(&self, name: &str) -> Option<String> {
        self.0.get(name).cloned()
    }

    /// The names of their files below a project.
    pub fn files(&self) -> BTreeSet<String> {
        self.0.keys().map(|name| format!("{FOLDER}/{name}")).collect()
    }

    /// The first name that both have with different texts.
    pub fn differing(&self, other: &PromptTexts) -> Option<&str> {
        let differs =
            |(name, text): &(&String, &String)| other.0.get(*name).is_some_and(|theirs| theirs != *text);
        self.0.iter().find(differs).map(|(name, _)| name.as_str())
    }
}
