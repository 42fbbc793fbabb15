//! Regular expressions that match everything, that match nothing, or that miss their own examples. Shipped ones are
//! checked in tests, not each time they are used.

use super::expression::{Flags, can_match, matches_everything, parsed};
use super::language::{Part, rules, texts, visit};
use super::project::Project;
use crate::diag::{Code, Problem, Problems, Span};
use crate::lint::nodes::{entries, one_or_more};
use crate::value::yaml::{Node, parse};
use loopctl_plugin_sdk::words::{MAX_PATTERN_BYTES, Words};
use regex::{Regex, RegexBuilder};
use std::collections::BTreeSet;

/// Largest compiled pattern, in bytes: the largest that any of the formats allows.
const LARGEST: usize = 4 << 20;

/// Longest part of an example that a message shows, in characters.
const MOST_SHOWN: usize = 60;

/// A pattern to be checked.
struct Expression<'n> {
    /// The text, with words filled in.
    text: String,
    span: &'n Span,
    flags: Flags,
    /// The consequence of its matching everything.
    everything: &'static str,
    examples: Option<&'n Node>,
}

pub(super) fn check(project: &Project<'_>, problems: &mut Problems) {
    for file in &project.rules {
        of_rules(&file.root, problems);
    }
    for rubric in &project.rubrics {
        of_rubric(&rubric.root, problems);
    }
    let mut seen = BTreeSet::new();
    for extraction in &project.extractions {
        if seen.insert(extraction.file.name.as_str()) {
            of_extraction(&extraction.file.root, problems);
        }
    }
    let classifier = project.subject.loaded.profile.classify.as_ref();
    let file = classifier.and_then(|named| project.file(&format!("rules/{}.yaml", named.value)));
    if let Some(root) = file.and_then(|file| parse(&file, &mut Problems::new())) {
        of_classification(&root, problems);
    }
    // A mask that matches the empty text has been refused.
    for mask in project.subject.loaded.merged.get("mask").map(one_or_more).unwrap_or_default() {
        if let Some(node) = mask.get("pattern")
            && let Some(text) = node.as_text()
        {
            let found = control_character(&node.span, text).or_else(|| {
                let parsed = parsed(text, Flags { ignore_case: false, lines: false })?;
                (!can_match(&parsed)).then(|| never(&node.span, "nothing is ever withheld"))
            });
            if let Some(problem) = found {
                problems.push(problem);
            }
        }
    }
}

/// The patterns in the checks and conditions of a rules file.
pub(in crate::lint) fn of_rules(root: &Node, problems: &mut Problems) {
    for rule in rules(root) {
        visit(rule, &mut |part| {
            if let Part::Matches(node) = part {
                of_check(node, problems);
            }
        });
    }
}

/// The patterns by which a rubric knows that a document mentions a field.
pub(in crate::lint) fn of_rubric(root: &Node, problems: &mut Problems) {
    for field in entries(root.get("fields")) {
        for node in field.value.get("mentions").map(one_or_more).unwrap_or_default() {
            of_line(node, "every document counts as one that speaks of the field", problems);
        }
    }
}

fn of_check(node: &Node, problems: &mut Problems) {
    let pattern = node.get("pattern").unwrap_or(node);
    let Some(text) = pattern.as_text().filter(|_| !pattern.span.file().is_shipped()) else { return };
    let ignore_case =
        matches!(node.get("ignore_case").map(|n| &n.data), Some(crate::value::yaml::Data::Bool(true)));
    look_at(
        &Expression {
            text: text.to_owned(),
            span: &pattern.span,
            flags: Flags { ignore_case, lines: false },
            everything: "this check holds of every text, and asks nothing",
            examples: node.get("examples"),
        },
        problems,
    );
}

/// A pattern that ignores case and is on its own.
fn of_line(node: &Node, everything: &'static str, problems: &mut Problems) {
    let Some(text) = node.as_text().filter(|_| !node.span.file().is_shipped()) else { return };
    let flags = Flags { ignore_case: true, lines: false };
    look_at(
        &Expression { text: text.to_owned(), span: &node.span, flags, everything, examples: None },
        problems,
    );
}

/// The patterns by which documents get their type.
pub(in crate::lint) fn of_classification(root: &Node, problems: &mut Problems) {
    for kind in entries(root.get("classify")) {
        for entry in one_or_more(&kind.value) {
            let Some(node) = entry.get("pattern") else { continue };
            let Some(text) = node.as_text().filter(|_| !node.span.file().is_shipped()) else { continue };
            look_at(
                &Expression {
                    text: text.to_owned(),
                    span: &node.span,
                    flags: Flags { ignore_case: true, lines: true },
                    everything: "every document gets this weight",
                    examples: None,
                },
                problems,
            );
        }
    }
}

/// The patterns by which fields are found, words filled in.
pub(in crate::lint) fn of_extraction(root: &Node, problems: &mut Problems) {
    let mut words = Words::default();
    let words_ship = entries(root.get("words")).all(|word| word.value.span.file().is_shipped());
    for word in entries(root.get("words")) {
        let text = word.value.as_text().unwrap_or_default();
        words.declare(&word.key, words.expand(text, MAX_PATTERN_BYTES).unwrap_or_default());
    }
    let flags = Flags { ignore_case: true, lines: true };
    for field in entries(root.get("fields")) {
        for entry in field.value.get("patterns").map(one_or_more).unwrap_or_default() {
            for (key, everything) in [
                ("pattern", "it also finds an empty text, between any two characters"),
                ("reject", "every value is passed over"),
            ] {
                let Some(node) = entry.get(key) else { continue };
                // A word of one's own changes shipped patterns.
                if words_ship && node.span.file().is_shipped() {
                    continue;
                }
                let expanded = node.as_text().map(|text| words.expand(text, MAX_PATTERN_BYTES));
                let Some(Ok(text)) = expanded else { continue };
                let examples = entry.get("examples").filter(|_| key == "pattern");
                look_at(&Expression { text, span: &node.span, flags, everything, examples }, problems);
            }
        }
    }
}

/// Few patterns need to be compiled for this, which takes ten times as long as reading them.
fn look_at(expression: &Expression<'_>, problems: &mut Problems) {
    let Some(parsed) = parsed(&expression.text, expression.flags) else { return };
    let examples = expression.examples.filter(|examples| !texts(Some(examples)).is_empty());
    let may_match_nothing = parsed.properties().minimum_len() == Some(0);
    let regex = if may_match_nothing || examples.is_some() { built(expression) } else { None };
    if let Some(problem) = control_character(expression.span, &expression.text) {
        problems.push(problem);
    } else if regex.as_ref().is_some_and(matches_everything) {
        let message = format!("this pattern matches the empty text: {}", expression.everything);
        problems.push(
            Problem::warning(Code::MatchesAll, expression.span, message)
                .help("take out a `|` at the end, or write `+` for `*`"),
        );
    } else if !can_match(&parsed) {
        problems.push(never(expression.span, "it asks for what no text can have"));
    } else if let (Some(examples), Some(regex)) = (examples, &regex) {
        missed(expression, regex, examples, problems);
    }
}

fn built(expression: &Expression<'_>) -> Option<Regex> {
    let built = RegexBuilder::new(&expression.text)
        .case_insensitive(expression.flags.ignore_case)
        .multi_line(expression.flags.lines)
        .crlf(expression.flags.lines)
        .size_limit(LARGEST)
        .build();
    built.ok()
}

fn never(span: &Span, why: &str) -> Problem {
    Problem::warning(Code::MatchesNone, span, format!("this pattern can never match: {why}")).help(
        "look for a `^` or `$` in the middle, a `\\b` inside a word, or a class `[…]` that leaves nothing over",
    )
}

/// The problem of a pattern that contains a character that texts do not have: most likely what YAML makes of `\b`.
fn control_character(span: &Span, text: &str) -> Option<Problem> {
    let known = |c: char| matches!(c, '\t' | '\n' | '\r' | '\x0B' | '\x0C');
    let character = text.chars().find(|c| c.is_control() && !known(*c))?;
    let name = match character {
        '\u{8}' => "a backspace, which is what `\\b` means in double quotes".to_owned(),
        other => format!("the control character U+{:04X}", u32::from(other)),
    };
    let message = format!("this pattern can never match: it asks for {name}");
    Some(
        Problem::warning(Code::MatchesNone, span, message)
            .help("put the pattern in single quotes, in which a `\\` is a `\\`: '\\bgrade\\b'"),
    )
}

fn missed(expression: &Expression<'_>, regex: &Regex, examples: &Node, problems: &mut Problems) {
    for example in one_or_more(examples) {
        let Some(text) = example.as_text() else { continue };
        if regex.is_match(text) {
            continue;
        }
        let shown: String = text.chars().take(MOST_SHOWN).collect();
        let problem = Problem::warning(
            Code::MissedExample,
            &example.span,
            format!("the pattern does not match its own example `{shown}`"),
        );
        let any_case = RegexBuilder::new(&expression.text).case_insensitive(true).size_limit(LARGEST).build();
        let problem = problem.related(expression.span, "the pattern");
        problems.push(if any_case.is_ok_and(|regex| regex.is_match(text)) {
            problem.help("upper and lower case differ: add `ignore_case: true`")
        } else {
            problem.help("change the pattern until it does, or take the example out")
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diag::SourceFile;

    fn said(check: &str) -> Vec<String> {
        let file = SourceFile::new("r.yaml", check);
        let node = parse(&file, &mut Problems::new()).unwrap();
        let mut problems = Problems::new();
        of_check(&node, &mut problems);
        problems
            .iter()
            .map(|p| format!("{} {}", p.code.as_str(), p.help.clone().unwrap_or_default()))
            .collect()
    }

    #[test]
    fn a_check_is_tried_with_its_examples() {
        assert!(said("{ pattern: '^(I|II)$', examples: [I, II] }").is_empty());
        assert_eq!(
            said("{ pattern: '^(i|ii)$', examples: [I] }"),
            ["LC617 upper and lower case differ: add `ignore_case: true`"]
        );
        assert!(said("{ pattern: '^(i|ii)$', ignore_case: true, examples: [I] }").is_empty());
        assert_eq!(
            said("{ pattern: '^(i|ii)$', examples: [4] }").len(),
            0,
            "no text has been refused before"
        );
        let single = "LC616 put the pattern in single quotes, in which a `\\` is a `\\`: '\\bgrade\\b'";
        assert_eq!(said("\"\\bgrade\""), [single]);
        assert!(said("'\\bgrade'").is_empty() && said("\"a\\tb\"").is_empty());
        assert_eq!(said("'a^b'").len(), 1);
        assert_eq!(said("'positive|negative|'").len(), 1);
    }
}
