//! Checks the extraction patterns of `rules/extract/*.yaml` before they are handed to a provider.
//!
//! The provider `pattern` interprets them; here their keys, words and regular expressions are checked, so that a slip
//! is shown with its place and not as a failed call.

use crate::diag::{Code, Problem, Problems, Span};
use crate::value::decode::{Count, Decode, Fields, Spanned, unknown_word, wrong_type};
use crate::value::yaml::{Data, Node};
use regex::RegexBuilder;

/// Largest compiled pattern, in bytes.
const MAX_PATTERN: usize = 4 << 20;

const KINDS: [&str; 5] = ["text", "number", "object", "list", "whole"];

/// Reports everything that is wrong with a file of extraction patterns.
pub fn check_extraction(node: &Node, problems: &mut Problems) {
    let Some(mut file) = Fields::open(node, "extraction file", problems) else { return };
    file.required::<String>("extract", problems);
    for heading in file.optional::<Vec<Spanned<String>>>("headings", problems).unwrap_or_default() {
        check_pattern(&heading, &["title"], problems);
    }
    match file.node("fields") {
        Some(Node { data: Data::Map(entries), .. }) => {
            for entry in entries {
                check_field(&entry.value, problems);
            }
        }
        Some(other) => {
            wrong_type(other, "a mapping from fields to their patterns", problems).unwrap_or_default()
        }
        None => problems.push(
            Problem::error(Code::MissingKey, &node.span, "this extraction file lacks `fields`")
                .help("list each field with its patterns"),
        ),
    }
    file.finish(problems);
}

fn check_field(node: &Node, problems: &mut Problems) {
    let Some(mut field) = Fields::open(node, "field", problems) else { return };
    let kind = match field.optional::<Spanned<String>>("kind", problems) {
        Some(word) if KINDS.contains(&word.value.as_str()) => word.value,
        Some(word) => unknown_word(&word.span, "kind", &word.value, &KINDS, problems).unwrap_or_default(),
        None => "text".to_owned(),
    };
    if let Some(node) = field.node("keys") {
        match &node.data {
            Data::Map(entries) => {
                for entry in entries {
                    if let Some(pattern) = Spanned::decode(&entry.value, problems) {
                        check_pattern(&pattern, &[], problems);
                    }
                }
            }
            _ => wrong_type(node, "a mapping from names to patterns", problems).unwrap_or_default(),
        }
    }
    if let Some(node) = field.node("absent")
        && let Some(mut absent) = Fields::open(node, "rule for absent fields", problems)
    {
        absent.required::<u64>("after", problems);
        if let Some(unless) = absent.optional("unless", problems) {
            check_pattern(&unless, &[], problems);
        }
        absent.finish(problems);
    }
    let groups: &[&str] = match kind.as_str() {
        "object" => &["key", "value"],
        "text" | "number" => &["value"],
        _ => &[],
    };
    match field.node("patterns") {
        Some(Node { data: Data::List(items), .. }) => {
            for item in items {
                check_entry(item, groups, problems);
            }
        }
        Some(other) => wrong_type(other, "a list of patterns", problems).unwrap_or_default(),
        None => {}
    }
    field.finish(problems);
}

fn check_entry(node: &Node, groups: &[&str], problems: &mut Problems) {
    let Some(mut entry) = Fields::open(node, "pattern", problems) else { return };
    entry.optional::<u64>("tier", problems);
    entry.optional::<Count>("head", problems);
    if let Some(take) = entry.optional::<Spanned<String>>("take", problems)
        && !["first", "last"].contains(&take.value.as_str())
    {
        unknown_word(&take.span, "choice", &take.value, &["first", "last"], problems).unwrap_or_default()
    }
    for key in ["section", "reject"] {
        if let Some(pattern) = entry.optional(key, problems) {
            check_pattern(&pattern, &[], problems);
        }
    }
    match entry.optional("pattern", problems) {
        Some(pattern) => check_pattern(&pattern, groups, problems),
        None if entry.key_span("section").is_none() && entry.key_span("pattern").is_none() => problems.push(
            Problem::error(Code::MissingKey, &node.span, "this pattern has neither `pattern` nor `section`")
                .help("say what to look for, or under which heading"),
        ),
        None => {}
    }
    entry.finish(problems);
}

fn check_pattern(pattern: &Spanned<String>, groups: &[&str], problems: &mut Problems) {
    let compiled = RegexBuilder::new(&pattern.value)
        .case_insensitive(true)
        .multi_line(true)
        .size_limit(MAX_PATTERN)
        .build();
    match compiled {
        Err(error) => {
            let text = error.to_string();
            let why = text.lines().last().unwrap_or_default().trim_start_matches("error: ").to_owned();
            let problem = Problem::error(
                Code::BadPattern,
                &pattern.span,
                format!("this pattern does not compile: {why}"),
            );
            problems.push(problem);
        }
        Ok(regex) => {
            let names: Vec<&str> = regex.capture_names().flatten().collect();
            for group in groups.iter().filter(|group| !names.contains(*group)) {
                problems.push(lacking(&pattern.span, group));
            }
        }
    }
}

fn lacking(span: &Span, group: &str) -> Problem {
    Problem::error(Code::BadPattern, span, format!("this pattern lacks the group `{group}`"))
        .help(format!("mark what is to be taken: `(?P<{group}>…)`"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diag::SourceFile;
    use crate::profile::{Files, Library};
    use crate::value::yaml::parse;

    fn problems_of(text: &str) -> Vec<String> {
        let mut problems = Problems::new();
        if let Some(node) = parse(&SourceFile::new("x.yaml", text), &mut problems) {
            check_extraction(&node, &mut problems);
        }
        problems.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn the_shipped_files_are_right() {
        let library = Library::embedded();
        let names = library.list("rules/extract", ".yaml");
        assert_eq!(names.len(), 9);
        for name in names {
            assert_eq!(
                problems_of(library.read(&name).unwrap().unwrap().text()),
                Vec::<String>::new(),
                "{name}"
            );
        }
    }

    #[test]
    fn every_slip_is_reported_at_its_place() {
        let found = problems_of(
            "extract: x\nfields:\n  grade:\n    kind: txt\n    paterns: []\n    patterns:\n      - pattern: '(?P<value>['\n      - pattern: 'grade'\n      - { tier: 1 }\n",
        );
        assert_eq!(found.len(), 5, "{found:#?}");
        assert!(found.iter().any(|p| p.contains("x.yaml:8:18") && p.contains("lacks the group `value`")));
    }
}
