//! Checks the extraction patterns of `rules/extract/*.yaml` before they are handed to a provider.
//!
//! The provider `pattern` interprets them; here their keys, words and regular expressions are checked, so that a slip
//! is shown with its place and not as a failed call.

use super::checks::pattern_advice;
use super::keys;
use crate::diag::{Code, Problem, Problems, Span, nearest};
use crate::value::decode::{Count, Decode, Fields, Spanned, unknown_word, wrong_type};
use crate::value::shape::words;
use crate::value::yaml::{Data, Node};
use loopctl_plugin_sdk::words::{MAX_PATTERN_BYTES, Unexpanded, Words, is_name};
use regex::RegexBuilder;
use regex_syntax::hir::{Hir, HirKind};

/// Largest compiled pattern, in bytes.
const MAX_PATTERN: usize = 4 << 20;

/// How much is asked of a pattern.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PatternCheck {
    /// That it is a regular expression: what a run needs to know of hundreds of patterns, most of which it never uses.
    Syntax,
    /// That it also compiles within bounds, which takes ten times as long. Of what ships it is known.
    Compile,
}

/// The words declared so far, and how closely patterns are looked at.
struct Declared {
    words: Words,
    care: PatternCheck,
    /// Whether all of them stand in files that ship.
    words_ship: bool,
}

impl Declared {
    /// How closely this pattern is looked at.
    fn care(&self, pattern: &Span) -> PatternCheck {
        if self.words_ship && pattern.file().is_shipped() { PatternCheck::Syntax } else { self.care }
    }
}

/// Reports everything that is wrong with a file of extraction patterns.
pub fn check_extraction(node: &Node, care: PatternCheck, problems: &mut Problems) {
    let Some(mut file) = Fields::open(node, &keys::EXTRACTION, problems) else { return };
    file.required::<String>("extract", problems);
    // Followed before this is checked (`Inheritance`).
    file.optional::<String>("extends", problems);
    let declared = read_words(&mut file, care, problems);
    for heading in file.optional::<Vec<Spanned<String>>>("headings", problems).unwrap_or_default() {
        check_pattern(&declared, &heading, &["title"], problems);
    }
    match file.node("fields") {
        Some(Node { data: Data::Map(entries), .. }) => {
            for entry in entries {
                check_field(&declared, &entry.value, problems);
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

/// Words may use the words above them, so there are no cycles.
fn read_words(file: &mut Fields<'_>, care: PatternCheck, problems: &mut Problems) -> Declared {
    let mut declared = Declared { words: Words::default(), care, words_ship: true };
    match file.node("words") {
        Some(Node { data: Data::Map(entries), .. }) => {
            for entry in entries {
                if !is_name(&entry.key) {
                    problems.push(
                        Problem::error(
                            Code::BadPattern,
                            &entry.key_span,
                            format!("`{}` can't be a word", entry.key),
                        )
                        .help("use lower-case letters, digits and `_`, beginning with a letter"),
                    );
                }
                if let Some(pattern) = Spanned::<String>::decode(&entry.value, problems) {
                    check_pattern(&declared, &pattern, &[], problems);
                    // What is wrong with it has been reported; as nothing it leaves the others in order.
                    let expanded =
                        declared.words.expand(&pattern.value, MAX_PATTERN_BYTES).unwrap_or_default();
                    declared.words.declare(&entry.key, expanded);
                    declared.words_ship &= pattern.span.file().is_shipped();
                }
            }
        }
        Some(other) => wrong_type(other, "a mapping from words to patterns", problems).unwrap_or_default(),
        None => {}
    }
    declared
}

fn check_field(declared: &Declared, node: &Node, problems: &mut Problems) {
    let Some(mut field) = Fields::open(node, &keys::EXTRACTED_FIELD, problems) else { return };
    let kind = match field.optional::<Spanned<String>>("kind", problems) {
        Some(word) if words(&keys::KINDS).contains(&word.value.as_str()) => word.value,
        Some(word) => unknown_word(&word.span, "kind", &word.value, &words(&keys::KINDS), problems)
            .unwrap_or_else(|| "text".to_owned()),
        None => "text".to_owned(),
    };
    if let Some(node) = field.node("keys") {
        match &node.data {
            Data::Map(entries) => {
                for entry in entries {
                    if let Some(pattern) = Spanned::decode(&entry.value, problems) {
                        check_pattern(declared, &pattern, &[], problems);
                    }
                }
            }
            _ => wrong_type(node, "a mapping from names to patterns", problems).unwrap_or_default(),
        }
    }
    if let Some(node) = field.node("absent")
        && let Some(mut absent) = Fields::open(node, &keys::ABSENT, problems)
    {
        absent.required::<Count>("after", problems);
        if let Some(unless) = absent.optional("unless", problems) {
            check_pattern(declared, &unless, &[], problems);
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
                check_entry(declared, item, groups, problems);
            }
        }
        Some(other) => wrong_type(other, "a list of patterns", problems).unwrap_or_default(),
        None => {}
    }
    field.finish(problems);
}

fn check_entry(declared: &Declared, node: &Node, groups: &[&str], problems: &mut Problems) {
    let Some(mut entry) = Fields::open(node, &keys::PATTERN, problems) else { return };
    entry.optional::<u64>("tier", problems);
    entry.optional::<Count>("head", problems);
    if let Some(take) = entry.optional::<Spanned<String>>("take", problems)
        && !words(&keys::TAKE).contains(&take.value.as_str())
    {
        unknown_word(&take.span, "choice", &take.value, &words(&keys::TAKE), problems).unwrap_or_default()
    }
    // For whoever reads the pattern, and for `check`, which tries them.
    entry.optional::<Vec<String>>("examples", problems);
    for key in ["section", "reject"] {
        if let Some(pattern) = entry.optional(key, problems) {
            check_pattern(declared, &pattern, &[], problems);
        }
    }
    match entry.optional("pattern", problems) {
        Some(pattern) => check_pattern(declared, &pattern, groups, problems),
        None if entry.key_span("section").is_none() && entry.key_span("pattern").is_none() => problems.push(
            Problem::error(Code::MissingKey, &node.span, "this pattern has neither `pattern` nor `section`")
                .help("say what to look for, or under which heading"),
        ),
        None => {}
    }
    entry.finish(problems);
}

fn check_pattern(declared: &Declared, pattern: &Spanned<String>, groups: &[&str], problems: &mut Problems) {
    let expanded = match declared.words.expand(&pattern.value, MAX_PATTERN_BYTES) {
        Ok(expanded) => expanded,
        Err(Unexpanded::Unknown(name)) => {
            let message = format!("there is no abbreviation `{{{name}}}`");
            let problem = Problem::error(Code::BadPattern, &pattern.span, message);
            let help = match nearest(&name, declared.words.names()) {
                Some(guess) => format!("did you mean `{{{guess}}}`?"),
                None => "declare it under `words`, above its use".to_owned(),
            };
            problems.push(problem.help(help));
            return;
        }
        Err(too_long @ Unexpanded::TooLong(_)) => {
            problems.push(Problem::error(
                Code::TooLarge,
                &pattern.span,
                format!("this pattern has {too_long}"),
            ));
            return;
        }
    };
    match group_names(&expanded, declared.care(&pattern.span)) {
        Err(why) => {
            let message = format!("this pattern does not compile: {why}");
            let problem = Problem::error(Code::BadPattern, &pattern.span, message);
            problems.push(match pattern_advice(&why) {
                Some(advice) => problem.help(advice),
                None => problem,
            });
        }
        Ok(names) => {
            for group in groups.iter().filter(|group| !names.iter().any(|name| name == *group)) {
                problems.push(lacking(&pattern.span, group));
            }
        }
    }
}

/// The names of a pattern's groups, or why it is none.
fn group_names(pattern: &str, care: PatternCheck) -> Result<Vec<String>, String> {
    match care {
        PatternCheck::Compile => {
            let built = RegexBuilder::new(pattern)
                .case_insensitive(true)
                .multi_line(true)
                .crlf(true)
                .size_limit(MAX_PATTERN)
                .build()
                .map_err(|error| last_line(&error.to_string()))?;
            Ok(built.capture_names().flatten().map(str::to_owned).collect())
        }
        PatternCheck::Syntax => {
            let parsed = regex_syntax::ParserBuilder::new()
                .case_insensitive(true)
                .multi_line(true)
                .crlf(true)
                .build()
                .parse(pattern)
                .map_err(|error| last_line(&error.to_string()))?;
            let mut names = Vec::new();
            collect_names(&parsed, &mut names);
            Ok(names)
        }
    }
}

fn last_line(error: &str) -> String {
    error.lines().last().unwrap_or_default().trim_start_matches("error: ").to_owned()
}

/// The parser bounds the depth.
fn collect_names(hir: &Hir, names: &mut Vec<String>) {
    match hir.kind() {
        HirKind::Capture(capture) => {
            names.extend(capture.name.iter().map(|name| name.to_string()));
            collect_names(&capture.sub, names);
        }
        HirKind::Repetition(repetition) => collect_names(&repetition.sub, names),
        HirKind::Concat(parts) | HirKind::Alternation(parts) => {
            parts.iter().for_each(|part| collect_names(part, names));
        }
        HirKind::Empty | HirKind::Literal(_) | HirKind::Class(_) | HirKind::Look(_) => {}
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

    fn problems_of(text: &str, care: PatternCheck) -> Vec<String> {
        problems_in("x.yaml", text, care)
    }

    fn problems_in(name: &str, text: &str, care: PatternCheck) -> Vec<String> {
        let mut problems = Problems::new();
        if let Some(node) = parse(&SourceFile::new(name, text), &mut problems) {
            check_extraction(&node, care, &mut problems);
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
                problems_of(library.read(&name).unwrap().unwrap().text(), PatternCheck::Compile),
                Vec::<String>::new(),
                "{name}"
            );
        }
    }

    /// What ships has been compiled by the test above, and `check` reads hundreds of its patterns for each profile.
    #[test]
    fn only_patterns_of_ones_own_are_compiled() {
        let text =
            r"{ extract: x, fields: { a: { patterns: [{ pattern: '(?P<value>\pL{1000}){1000}' }] } } }";
        assert_eq!(problems_in("rules/extract/x.yaml", text, PatternCheck::Compile).len(), 1);
        assert_eq!(problems_in("<embedded>/rules/extract/x.yaml", text, PatternCheck::Compile).len(), 0);
    }

    #[test]
    fn every_slip_is_reported_at_its_place() {
        let text = "extract: x\nfields:\n  grade:\n    kind: txt\n    paterns: []\n    patterns:\n      - pattern: '(?P<value>['\n      - pattern: 'grade'\n      - { tier: 1 }\n";
        for care in [PatternCheck::Syntax, PatternCheck::Compile] {
            let found = problems_of(text, care);
            assert_eq!(found.len(), 5, "{found:#?}");
            assert!(found.iter().any(|p| p.contains("x.yaml:8:18") && p.contains("lacks the group `value`")));
        }
    }
}
