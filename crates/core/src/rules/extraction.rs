//! Checks the extraction patterns of `rules/extract/*.yaml` before they are handed to a provider.
//!
//! The provider `pattern` interprets them; here their keys, words and regular expressions are checked, so that a slip
//! is shown with its location and not as a failed call.

use super::checks::pattern_advice;
use super::evidence::read_vocabulary;
use super::extraction_keys::check_keys;
use super::pattern_groups::{compiled_group_names, group_names};
use crate::diag::{Code, Problem, Problems, Span, nearest};
use crate::profile::Files;
use crate::value::decode::{Count, Decode, Fields, Spanned, wrong_type};
use crate::value::shape::{Shape, by_name};
use crate::value::yaml::{Data, Node};
use crate::{decode_words, mapping};
use loopctl_plugin_sdk::words::{MAX_PATTERN_BYTES, Unexpanded, Words, is_name};
use serde_json::{Value, json};

/// The depth to which a pattern that does not ship is checked: of those that do, the tests compile all.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PatternCheck {
    /// That it is a regular expression: what a run needs to know of hundreds of patterns, most of which it never uses.
    Syntax,
    /// That it also compiles within bounds, which takes ten times as long.
    Compile,
}

/// The words declared so far, and how closely patterns are checked.
struct Declared {
    words: Words,
    care: PatternCheck,
    /// `true` if all of them are in files that ship.
    words_ship: bool,
}

impl Declared {
    /// Returns whether a pattern and all words are known to be right.
    fn is_known(&self, pattern: &Span) -> bool {
        self.words_ship && pattern.file().is_shipped()
    }
}

/// The named groups that a pattern needs.
#[derive(Debug, Clone, Copy)]
enum Groups {
    /// All of these.
    Named(&'static [&'static str]),
    /// At least one, of any name.
    Any,
    /// It may have none.
    Forbidden,
}

/// Those of a pattern that finds nothing by itself.
const NO_GROUPS: Groups = Groups::Named(&[]);

fn pattern() -> Shape {
    Shape::text("a regular expression; `{name}` is one of `words`")
}

/// A list of named items, each with the location of its name.
pub(super) type Named<T> = Vec<(Spanned<String>, T)>;

mapping! {
    /// The way the provider `pattern` finds the fields of one document type without a language model. Every value is
    /// copied from the document. Upper and lower case are the same unless a part is in `(?-i:…)`, and `^` and `$` are
    /// the ends of a line.
    "extraction" is "extraction file";
    pub struct Extraction {
        /// The document type.
        #[key(name("extract"), text("a document type"), required, examples(&["pathology"]))]
        _extract: String => |_| String::new(),
        /// Other patterns, by name. Anything that this file does not set is inherited: words and fields are added, and
        /// one of the same name replaces. A file of its own name is the one that ships.
        #[key(name("extends"), examples(&["pathology"]))]
        // Followed before this is checked (`Inheritance`).
        _extends: Option<String>,
        /// Parts of patterns by name; a pattern uses one as `{name}`.
        #[key(
            shaped(|| by_name(
                "WORD",
                "A part of patterns; the words above it may be used in it. Its name has small letters, digits and `_`.",
                pattern,
            )),
            examples(&["{ differentiated: '(?:well|moderately|poorly) differentiated' }"])
        )]
        pub(super) words: Named<Spanned<String>> as Value = |node, problems| {
            named(node, "a mapping from words to patterns", problems)
        } => |_| Vec::new(),
        /// The forms of a heading; its words are the group `title`. Without it no `section` is found.
        #[key(shaped(|| Shape::list(pattern())), examples(&["['^(?P<title>[A-Z ]+):']"]))]
        pub(super) headings: Vec<Spanned<String>> => |_| Vec::new(),
        /// The whole title of headings under which something is stated for the time being, such as a preliminary
        /// diagnosis. It counts only where nothing else in the document states it. Without it, every part of the
        /// document counts alike.
        #[key(shaped(pattern), examples(&["'preliminary.*|frozen section.*'"]))]
        pub(super) preliminary: Option<Spanned<String>>,
        /// Reads values out of XML or HTML: tags in them are left out, and `&lt;` becomes `<`. Patterns see the
        /// document as it is.
        #[key(name("markup"), default("false"), examples(&["true"]))]
        _markup: bool,
        /// The fields and how each is found.
        #[key(
            shaped(|| by_name("FIELD", "How this field is found.", || Shape::Mapping(ExtractedField::mapping()))),
            required,
            missing("list each field with its patterns"),
            examples(&["{ grade: { patterns: [{ pattern: 'grade:\\s*(?P<value>[^\\n.;]+)' }] } }"])
        )]
        pub(super) fields: Named<ExtractedField> as Value = |node, problems| {
            named(node, "a mapping from fields to their patterns", problems)
        } => |_| Vec::new(),
    }
}

mapping! {
    /// The way one field is found.
    "field" is "field", expects "a mapping with `patterns`";
    pub(super) struct ExtractedField {
        /// The kind of the field.
        #[key(default("text"), examples(&["number"]))]
        pub(super) kind: FieldKind,
        /// For objects: the name to use, and what it may be called in the document. Other keys are skipped. Without it
        /// keys stay as they are.
        #[key(
            shaped(|| by_name("NAME", "What this key may be called in the document.", pattern)),
            examples(&["{ ER: 'ER|estrogen receptor' }"])
        )]
        pub(super) keys: Named<Spanned<String>> as Value = |node, problems| {
            named(node, "a mapping from names to patterns", problems)
        } => |_| Vec::new(),
        /// The vocabulary (`rules/vocabularies/NAME.yaml`) that reads what is found. If several matches of one pattern
        /// differ, those count that are affirmed and are in the most final section, by the rubric's context; of these
        /// the one that it prefers. If it prefers none, `FIELD_status: ambiguous` is reported. Without it, the first
        /// that is affirmed counts; history and what was received come last.
        #[key(examples(&["margin-status"]))]
        pub(super) values: Option<Spanned<String>>,
        /// The verdict after a text that belongs to it: the text extends to the end of the verdict, because
        /// `perirenal fat` is not what `perirenal fat: negative` says. Without it, a text ends where its pattern does.
        #[key(shaped(pattern), examples(&["'\\s*:\\s*(?:negative|positive)'"]))]
        pub(super) verdict: Option<Spanned<String>>,
        /// The condition for reporting `FIELD_status: not_present`. Without it that is never reported.
        #[key(examples(&["{ after: 1, unless: 'grad|differentiat' }"]))]
        absent: Option<Absent>,
        /// For `each`: the members of an item, and how each is found in the item's part. `{}` is replaced by the patterns
        /// of the field of that name.
        #[key(
            shaped(|| by_name("MEMBER", "How this member is found.", || Shape::Mapping(ItemMember::mapping()))),
            examples(&["{ grade: {}, site: { patterns: [{ pattern: 'site: (?P<value>\\w+)' }] } }"])
        )]
        pub(super) fields: Named<ItemMember> as Value = |node, problems| {
            named(node, "a mapping from members to their patterns", problems)
        } => |_| Vec::new(),
        /// For lists: how rows of tables are read, each an element, before its patterns are tried. Without it no table
        /// is looked for.
        #[key(examples(&["{ needs: [test, value], columns: { test: { head: test }, value: { head: result } } }"]))]
        pub(super) rows: Option<Rows>,
        /// Tried from top to bottom; the first that matches gives the value.
        #[key(default("[]"), examples(&["[{ pattern: 'grade:\\s*(?P<value>[^\\n.;]+)' }]"]))]
        pub(super) patterns: Vec<Pattern>,
    }
}

mapping! {
    /// The way the rows of tables become elements of a list. Under a row of heads, each cell belongs to the column that
    /// it is in. Where there is none, the first cell belongs to the first column, and others belong to the first column
    /// whose form they have: if several rows in a block do.
    "rows" is "table of columns", expects "`{ needs: [COLUMN], columns: { COLUMN: { head: … } } }`";
    pub(super) struct Rows {
        /// The columns without which a row does not count.
        #[key(required, examples(&["[test, value]"]))]
        pub(super) needs: Vec<Spanned<String>>,
        /// The columns, by the member that each gives.
        #[key(
            shaped(|| by_name("MEMBER", "The column of this member.", || Shape::Mapping(RowColumn::mapping()))),
            required,
            missing("list each column with its head"),
            examples(&["{ test: { head: 'test|analyte' } }"])
        )]
        pub(super) columns: Named<RowColumn> as Value = |node, problems| {
            named(node, "a mapping from members to their columns", problems)
        } => |_| Vec::new(),
    }
}

mapping! {
    /// One column of a table.
    "column" is "column", expects "a mapping with `head`";
    pub(super) struct RowColumn {
        /// The whole of its head.
        #[key(shaped(pattern), required, examples(&["'test(?: name)?|analyte'"]))]
        pub(super) head: Option<Spanned<String>>,
        /// The whole of a cell, tried from top to bottom: each named group is a member, and without one the cell is. A
        /// cell of another form is the member as it is, if the column has a head.
        #[key(default("[]"), shaped(|| Shape::list(pattern())), examples(&["['(?P<value>\\d+) (?P<unit>\\w+)']"]))]
        pub(super) cells: Vec<Spanned<String>>,
    }
}

mapping! {
    /// The way one member of an item is found.
    "member" is "member", expects "a mapping with `patterns`, or `{}`";
    pub(super) struct ItemMember {
        /// The kind of the member: a text or a number.
        #[key(default("text"), examples(&["number"]))]
        pub(super) kind: FieldKind,
        /// Tried from top to bottom. Without it, those of the field of the same name.
        #[key(default("[]"), examples(&["[{ pattern: 'site: (?P<value>\\w+)' }]"]))]
        pub(super) patterns: Vec<Pattern>,
    }
}

/// The kind of a field.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FieldKind {
    Text,
    Number,
    Object,
    List,
    Whole,
    Each,
}

impl FieldKind {
    /// The groups that its patterns must mark.
    fn groups(self) -> Groups {
        match self {
            FieldKind::Text | FieldKind::Number => Groups::Named(&["value"]),
            FieldKind::Object => Groups::Named(&["key", "value"]),
            FieldKind::List => Groups::Any,
            FieldKind::Whole | FieldKind::Each => NO_GROUPS,
        }
    }
}

decode_words!(FieldKind, "kind", {
    "text": "The group `value` of the first pattern that matches." => FieldKind::Text,
    "number": "The same, as a number." => FieldKind::Number,
    "object": "One entry for each match: the groups `key` and `value`." => FieldKind::Object,
    "list": "One element for each match: each named group is a property." => FieldKind::List,
    "whole": "The whole document." => FieldKind::Whole,
    "each": "One element for each part of the document (the rubric's `each`), with the label and what `fields` find in it." => FieldKind::Each,
});

mapping! {
    /// The condition for reporting that the document has no such field.
    "absent" is "rule for absent fields", expects "`{ after: 1 }`";
    struct Absent {
        /// After this tier has found nothing: 1 or more, for the first attempt never gives up.
        #[key(name("after"), required, examples(&["1"]))]
        _after: Count => |_| Count(1),
        /// Not if this is found in the document: then it mentions the field. Without it nothing holds it back.
        #[key(shaped(pattern), examples(&["'grad|differentiat'"]))]
        unless: Option<Spanned<String>>,
    }
}

mapping! {
    /// The location and the pattern to look for. It has `pattern`, `section` or both.
    "pattern" is "pattern", expects "a mapping with `pattern` or `section`", checked by Pattern::check;
    pub(super) struct Pattern {
        /// 0 is tried at once; 1 only when the first answer was missing or faulty, 2 when the second was, and so on. Put what can
        /// hardly be wrong in tier 0, and good guesses in the others.
        #[key(name("tier"), default("0"), examples(&["1"]))]
        _tier: u32,
        /// Look only at so many characters from the beginning of the document or section. Without it, at all.
        #[key(name("head"), examples(&["300"]))]
        _head: Option<Count>,
        /// The match that is taken.
        #[key(name("take"), default("first"), examples(&["last"]))]
        _take: Take,
        /// Look only under headings whose whole title matches; without `pattern`, all text under the heading is the value.
        /// Without it, everywhere.
        #[key(shaped(pattern), examples(&["diagnosis"]))]
        pub(super) section: Option<Spanned<String>>,
        /// Skip a value (in a list: a match) in which this is found. Without it none is skipped.
        #[key(shaped(pattern), examples(&["not specified"]))]
        reject: Option<Spanned<String>>,
        /// The pattern to look for, with the group `value` around what is taken.
        #[key(shaped(pattern), examples(&["'grade:\\s*(?P<value>[^\\n.;]+)'"]))]
        pub(super) pattern: Option<Spanned<String>>,
        /// Texts in which `pattern` must find something. `check` tries them; a run ignores them. Without it none is
        /// tried.
        #[key(
            name("examples"),
            shaped(|| Shape::list(Shape::text("a text"))),
            examples(&["['Grade: II', 'grade 3']"])
        )]
        _examples: Vec<String> => |_| Vec::new(),
    }
}

/// The match that is taken: the provider reads it.
struct Take;

decode_words!(Take, "choice", {
    "first": "The first match." => Take,
    "last": "The last match." => Take,
});

impl Pattern {
    fn check(&self, fields: &Fields<'_>, problems: &mut Problems) {
        if fields.key_span("section").is_none() && fields.key_span("pattern").is_none() {
            let message = "this pattern has neither `pattern` nor `section`";
            let problem = Problem::error(Code::MissingKey, fields.span(), message);
            problems.push(problem.help("say what to look for, or under which heading"));
        }
    }
}

/// Reads named items.
fn named<T: Decode>(node: &Node, expected: &str, problems: &mut Problems) -> Option<Named<T>> {
    let Data::Map(entries) = &node.data else { return wrong_type(node, expected, problems) };
    let read = entries.iter().filter_map(|entry| {
        let name = Spanned { value: entry.key.clone(), span: entry.key_span.clone() };
        Some((name, T::decode(&entry.value, problems)?))
    });
    Some(read.collect())
}

/// Reports everything that is wrong with a file of extraction patterns.
pub fn check_extraction(node: &Node, care: PatternCheck, problems: &mut Problems) {
    let before = problems.error_count();
    let Some(file) = Extraction::read_mapping(node, problems) else { return };
    // A key that could not be read is not missing as well.
    if problems.error_count() == before {
        check_keys(&file, problems);
    }
    let declared = declare(&file.words, care, problems);
    for heading in &file.headings {
        check_pattern(&declared, heading, Groups::Named(&["title"]), problems);
    }
    if let Some(title) = &file.preliminary {
        check_pattern(&declared, title, NO_GROUPS, problems);
    }
    for (_, field) in &file.fields {
        check_field(&declared, field, problems);
    }
}

/// The vocabularies that fields of an extraction file name, as the provider reads them: by field, each phrase with the
/// value that it says, and the preferred value.
pub fn values_of_fields(node: &Node, files: &dyn Files, problems: &mut Problems) -> Vec<(String, Value)> {
    // Mistakes in the file have been reported.
    let Some(file) = Extraction::read_mapping(node, &mut Problems::new()) else { return Vec::new() };
    let mut read = Vec::new();
    for (field, found) in &file.fields {
        let Some(name) = &found.values else { continue };
        let Some(vocabulary) = read_vocabulary(name, files, problems) else { continue };
        let phrases: Vec<(String, &str)> =
            vocabulary.phrases().map(|(value, phrase)| (phrase.regex(), value)).collect();
        read.push((
            field.value.clone(),
            json!({
                "phrases": phrases,
                "prefer": vocabulary.prefer,
                // A denied phrase of such a value says another one.
                "polarity": !vocabulary.opposite.is_empty() || vocabulary.named.is_some(),
            }),
        ));
    }
    read
}

/// Words may use the words above them, so there are no cycles.
fn declare(words: &Named<Spanned<String>>, care: PatternCheck, problems: &mut Problems) -> Declared {
    let mut declared = Declared { words: Words::default(), care, words_ship: true };
    for (name, pattern) in words {
        if !is_name(&name.value) {
            let message = format!("`{}` can't be a word", name.value);
            let problem = Problem::error(Code::BadPattern, &name.span, message);
            problems.push(problem.help("use lower-case letters, digits and `_`, beginning with a letter"));
        }
        check_pattern(&declared, pattern, Groups::Forbidden, problems);
        // Its mistakes have been reported; as an empty text it leaves the others in order.
        let expanded = declared.words.expand(&pattern.value, MAX_PATTERN_BYTES).unwrap_or_default();
        declared.words.declare(&name.value, expanded);
        declared.words_ship &= pattern.span.file().is_shipped();
    }
    declared
}

fn check_field(declared: &Declared, field: &ExtractedField, problems: &mut Problems) {
    let unless = field.absent.iter().filter_map(|absent| absent.unless.as_ref());
    for pattern in field.keys.iter().map(|(_, pattern)| pattern).chain(unless).chain(&field.verdict) {
        check_pattern(declared, pattern, NO_GROUPS, problems);
    }
    for (_, column) in field.rows.iter().flat_map(|rows| &rows.columns) {
        for pattern in column.head.iter().chain(&column.cells) {
            check_pattern(declared, pattern, NO_GROUPS, problems);
        }
    }
    check_patterns(declared, &field.patterns, field.kind.groups(), problems);
    for (_, member) in &field.fields {
        check_patterns(declared, &member.patterns, member.kind.groups(), problems);
    }
}

fn check_patterns(declared: &Declared, patterns: &[Pattern], groups: Groups, problems: &mut Problems) {
    for Pattern { section, reject, pattern, .. } in patterns {
        for pattern in section.iter().chain(reject) {
            check_pattern(declared, pattern, NO_GROUPS, problems);
        }
        if let Some(pattern) = pattern {
            check_pattern(declared, pattern, groups, problems);
        }
    }
}

fn check_pattern(declared: &Declared, pattern: &Spanned<String>, groups: Groups, problems: &mut Problems) {
    if declared.is_known(&pattern.span) {
        return;
    }
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
    let names = match declared.care {
        PatternCheck::Compile => compiled_group_names(&expanded),
        PatternCheck::Syntax => group_names(&expanded, PatternCheck::Syntax),
    };
    match names {
        Err(why) => {
            let message = format!("this pattern does not compile: {why}");
            let problem = Problem::error(Code::BadPattern, &pattern.span, message);
            problems.push(match pattern_advice(&why) {
                Some(advice) => problem.help(advice),
                None => problem,
            });
        }
        Ok(names) => check_groups(&pattern.span, groups, &names, problems),
    }
}

fn check_groups(span: &Span, groups: Groups, names: &[String], problems: &mut Problems) {
    match (groups, names.first()) {
        (Groups::Named(needed), _) => {
            for group in needed.iter().filter(|group| !names.iter().any(|name| name == *group)) {
                problems.push(lacking(span, group));
            }
        }
        (Groups::Any, None) => {
            let message = "this pattern of a list has no named group";
            let problem = Problem::error(Code::BadPattern, span, message);
            problems.push(problem.help("name what each element shall have: `(?P<size>…)`"));
        }
        (Groups::Forbidden, Some(group)) => {
            let message = format!("a word has no named group, found `{group}`");
            let problem = Problem::error(Code::BadPattern, span, message);
            problems.push(problem.help("write `(?:…)` here, and name the group where the word is used"));
        }
        (Groups::Any, Some(_)) | (Groups::Forbidden, None) => {}
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
    use std::sync::Arc;

    fn problems_of(text: &str, care: PatternCheck) -> Vec<String> {
        problems_in(&SourceFile::new("x.yaml", text), care)
    }

    fn problems_in(file: &Arc<SourceFile>, care: PatternCheck) -> Vec<String> {
        let mut problems = Problems::new();
        if let Some(node) = parse(file, &mut problems) {
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

    /// Patterns that ship have been compiled by the test above, and each profile has hundreds of them.
    #[test]
    fn only_patterns_of_ones_own_are_looked_at() {
        let text =
            r"{ extract: x, fields: { a: { patterns: [{ pattern: '(?P<value>\pL{1000}){1000}' }] } } }";
        let found = |file| problems_in(&file, PatternCheck::Compile).len();
        assert_eq!(found(SourceFile::new("rules/extract/x.yaml", text)), 1);
        assert_eq!(found(SourceFile::new("<embedded>/rules/extract/x.yaml", text)), 1);
        assert_eq!(found(SourceFile::shipped("rules/extract/x.yaml", text)), 0);
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
