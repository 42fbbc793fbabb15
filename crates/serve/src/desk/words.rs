//! Words for people who read reports and not programs: names of fields without their paths, and questions without
//! codes.

use crate::diag::{Problems, SourceFile};
use crate::review::{FieldPath, ShownQuestion};
use crate::value::yaml::{self, Data, Node};
use std::collections::HashMap;
use std::sync::LazyLock;

/// The questions about a document as a whole, by the code of the issue.
static QUESTIONS: LazyLock<HashMap<String, String>> = LazyLock::new(|| {
    let file = SourceFile::shipped("words/questions.yaml", include_str!("../../../../words/questions.yaml"));
    let entries = match yaml::parse(&file, &mut Problems::new()).map(|node| node.data) {
        Some(Data::Map(entries)) => entries,
        _ => Vec::new(),
    };
    let words = |node: &Node| node.as_text().map(str::to_owned);
    entries.into_iter().filter_map(|entry| Some((entry.key.to_string(), words(&entry.value)?))).collect()
});

/// A field by the names that lead to it: `specimens 1, margins`.
pub(super) fn named(path: &FieldPath) -> String {
    let mut names: Vec<String> = Vec::new();
    for step in path.pointer().split('/').skip(1) {
        match (step.parse::<usize>(), names.last_mut()) {
            (Ok(number), Some(list)) => {
                list.push(' ');
                list.push_str(&number.saturating_add(1).to_string());
            }
            _ => names.push(step.replace("~1", "/").replace("~0", "~")),
        }
    }
    names.join(", ")
}

/// A text in which the names of fields replace paths, without the marks of code.
pub(super) fn plain(text: &str) -> String {
    let parts = text.split('`').enumerate().map(|(number, part)| {
        let is_path = number % 2 == 1 && part.len() > 1 && part.starts_with('/') && !part.contains(' ');
        if is_path { named(&FieldPath::named(part)) } else { part.to_owned() }
    });
    parts.collect()
}

/// The question, and the message of the issue where that is not the question.
pub(super) fn question(shown: &ShownQuestion) -> (String, Option<String>) {
    let message = sentence(&plain(&shown.message));
    match QUESTIONS.get(&shown.code) {
        Some(title) => (title.clone(), Some(message)),
        None => (message, None),
    }
}

/// A message as a sentence.
fn sentence(text: &str) -> String {
    let mut letters = text.chars();
    let first: String = letters.next().into_iter().flat_map(char::to_uppercase).collect();
    let end = if text.ends_with(['.', '!', '?', '"']) { "" } else { "." };
    format!("{first}{}{end}", letters.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_on_the_page_is_a_path_or_a_code() {
        let name = |path: &str| named(&FieldPath::named(path));
        assert_eq!(name("margins"), "margins");
        assert_eq!(name("/specimens/0/a~1b"), "specimens 1, a/b");
        assert_eq!(plain("`/measurements/3/size` is `4 cm`"), "measurements 4, size is 4 cm");
        assert_eq!(sentence("the report was withdrawn"), "The report was withdrawn.");
        assert!(QUESTIONS.len() > 15);
        for (code, words) in &*QUESTIONS {
            assert!(code.chars().all(|c| c.is_ascii_uppercase() || c == '_'), "{code}");
            assert!(!words.contains(['`', '_', '/']) && !words.ends_with('.'), "{words}");
        }
    }
}
