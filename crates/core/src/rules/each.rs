//! `each` of a rubric: kinds of which a document may hold several, and how their parts are found in it.

use super::PatternCheck;
use super::checks::pattern;
use super::pattern_groups::group_names;
use crate::diag::{Code, Problem, Problems, Span, nearest};
use crate::mapping;
use crate::value::decode::{Decode, Spanned};
use crate::value::shape::{Shape, by_name};
use crate::value::yaml::Node;
use crate::value::{Severity, TextPattern};
use loopctl_plugin_sdk::words::{Unexpanded, Words};
use std::collections::BTreeMap;

/// The group of a heading's pattern that is the part's label.
pub const LABEL: &str = "label";
/// The group where a part begins, if that is not its label.
pub const HEADING: &str = "heading";

/// Longest pattern after its words are put in, in bytes.
const LONGEST: usize = 16 << 10;

mapping! {
    /// A kind of which a document may hold several: its specimens, tumours or impressions. Each has a part of the text,
    /// and one item of a list in the extraction, which is checked against that part only. A part without an item is an
    /// issue.
    "each" is "kind of part", expects "a mapping with `types`, `list` and `headings`";
    struct Written {
        /// The document types that may hold several.
        #[key(
            required,
            shaped(|| Shape::list(Shape::text("a document type of this rubric"))),
            examples(&["[pathology]"])
        )]
        types: Vec<Spanned<String>> => |_| Vec::new(),
        /// The top-level list of the extraction that has one item for each part.
        #[key(required, text("the name of a top-level field"), examples(&["specimens"]))]
        list: Option<Spanned<String>>,
        /// The member of an item that names its part, such as `A` or `2`.
        #[key(text("a member of the list's items"), default("part"), examples(&["specimen"]))]
        label: Spanned<String>,
        /// Pieces of the patterns below by name: `{opens}` means the one that is called `opens`.
        #[key(
            default("{}"),
            shaped(|| by_name("WORD", "A piece of patterns.", || Shape::text("a piece of a regular expression"))),
            examples(&["{ opens: '(?:^|[.:]\\s)\\s*' }"])
        )]
        words: BTreeMap<String, Spanned<String>>,
        /// Headings below which parts are looked for, such as `Impression:`; without it, in the whole text. The text
        /// under one is a list of parts, or where there is no list one part; it begins at the group `heading`, if the
        /// pattern has one. Parts are counted across several such headings.
        #[key(default("[]"), shaped(patterns), examples(&["['^(?:impression|conclusion)s?\\s*:']"]))]
        within: Vec<Spanned<String>>,
        /// The forms of a part's heading. The group `label` is a letter, a number, several (`A, B`, `A-C`: the part is
        /// then all of theirs), or words; a part begins with it or with the group `heading`. Letters and numbers count
        /// where they are lists: from the first on, in order.
        #[key(
            required,
            shaped(patterns),
            examples(&["['^(?P<heading>(?:specimen|part) (?P<label>[A-Z]|\\d{1,2})):', '^(?P<label>(?-i:[A-Z]))[.:)] ']"])
        )]
        headings: Vec<Spanned<String>> => |_| Vec::new(),
        /// Headings that only continue a list that one of `headings` has begun, or repeat most of one: numbers, which
        /// open sentences as well. Without it, nothing does.
        #[key(default("[]"), shaped(patterns), examples(&["['^(?P<label>\\d{1,2})[.)] ']"]))]
        again: Vec<Spanned<String>>,
        /// Headings after which the last part of a list does not continue. One that begins with a small letter does not
        /// count. Without it, a part continues to the next.
        #[key(default("[]"), shaped(patterns), examples(&["['^(?:gross description|comment|synoptic report)\\s*:']"]))]
        ends: Vec<Spanned<String>>,
        /// Text that is not a heading, although one of the patterns finds it: initials of people.
        #[key(default("[]"), shaped(patterns), examples(&["['(?-i:[A-Z])\\. \\w+, M\\.?D']"]))]
        except: Vec<Spanned<String>>,
        /// The severity when the list has no item for a part. Where the extraction has no list at all, it is `major`,
        /// and a person decides.
        #[key(default("major"), examples(&["critical"]))]
        missing: Severity,
    }
}

fn patterns() -> Shape {
    Shape::list(Shape::text("a regular expression, by lines; `{name}` is one of `words`"))
}

/// A kind of which a document may hold several.
#[derive(Debug, Clone)]
pub struct Each {
    /// The document types that may hold several.
    pub types: Vec<Spanned<String>>,
    /// The list in the extraction.
    pub list: Spanned<String>,
    /// The member of its items that names the part.
    pub label: Spanned<String>,
    /// Headings below which parts are looked for; empty for the whole text.
    pub within: Vec<TextPattern>,
    /// The forms of a part's heading; all have the group `label`.
    pub headings: Vec<TextPattern>,
    /// Headings that continue a list of parts.
    pub again: Vec<TextPattern>,
    /// Headings after which no part continues.
    pub ends: Vec<TextPattern>,
    /// Text that is not a heading.
    pub except: Vec<TextPattern>,
    /// The severity of a part without an item.
    pub missing: Severity,
}

impl Each {
    /// Returns whether documents of this type may hold several.
    #[must_use]
    pub fn is_for(&self, document_type: &str) -> bool {
        self.types.iter().any(|one| one.value == document_type)
    }
}

impl Decode for Each {
    const EXPECTED: &'static str = Written::EXPECTED;

    fn shape() -> Shape {
        Shape::Mapping(Written::mapping())
    }

    fn decode(node: &Node, problems: &mut Problems) -> Option<Self> {
        let written = Written::read_mapping(node, problems)?;
        let words = Declared::new(&written.words);
        let list = written.list?;
        if let Some(first) = written.headings.first().map_or(Some(&list), |_| None) {
            let problem = Problem::error(Code::Empty, &first.span, "no part is found without `headings`");
            problems.push(problem.help("add a pattern for what begins a part, with the group `label`"));
        }
        let mut read = |texts: &[Spanned<String>], labelled: bool| -> Vec<TextPattern> {
            texts.iter().filter_map(|text| compiled(text, &words, labelled, problems)).collect()
        };
        Some(Each {
            within: read(&written.within, false),
            headings: read(&written.headings, true),
            again: read(&written.again, true),
            ends: read(&written.ends, false),
            except: read(&written.except, false),
            types: written.types,
            list,
            label: written.label,
            missing: written.missing,
        })
    }
}

/// The words that patterns may use.
struct Declared {
    words: Words,
    /// The first that does not ship: a pattern with words of one's own is one's own.
    own: Option<Span>,
}

impl Declared {
    fn new(written: &BTreeMap<String, Spanned<String>>) -> Self {
        let mut words = Words::default();
        for (name, piece) in written {
            words.declare(name, piece.value.clone());
        }
        let own = written.values().map(|piece| &piece.span).find(|span| !span.file().is_shipped());
        Declared { words, own: own.cloned() }
    }
}

fn compiled(
    text: &Spanned<String>,
    Declared { words, own }: &Declared,
    labelled: bool,
    problems: &mut Problems,
) -> Option<TextPattern> {
    let expanded = match words.expand(&text.value, LONGEST) {
        Ok(expanded) => expanded,
        Err(Unexpanded::Unknown(name)) => {
            let message = format!("there is no word `{{{name}}}`");
            let problem = Problem::error(Code::BadPattern, &text.span, message);
            problems.push(problem.help(match nearest(&name, words.names()) {
                Some(guess) => format!("did you mean `{{{guess}}}`?"),
                None => "declare it under `words`".to_owned(),
            }));
            return None;
        }
        Err(too_long @ Unexpanded::TooLong(_)) => {
            let message = format!("this pattern has {too_long}");
            problems.push(Problem::error(Code::TooLarge, &text.span, message));
            return None;
        }
    };
    // A pattern that ships is as good as the words that someone put into it.
    let place = match own {
        Some(own) if text.span.file().is_shipped() => own,
        _ => &text.span,
    };
    let found = pattern(&format!("(?m){expanded}"), true, place, problems)?;
    if !labelled || place.file().is_shipped() {
        return Some(found);
    }
    let labels = group_names(found.as_str(), PatternCheck::Syntax)
        .is_ok_and(|names| names.iter().any(|name| name == LABEL));
    if !labels {
        let message = format!("this pattern lacks the group `{LABEL}`");
        let problem = Problem::error(Code::BadPattern, &text.span, message);
        problems.push(problem.help(format!("mark the part's letter or number: `(?P<{LABEL}>[A-Z])`")));
        return None;
    }
    Some(found)
}

#[cfg(test)]
mod tests {
    use crate::rules::memory::{Memory, compiled};

    const ASSESS: &str = "{ c: { rubric: r }, a: grounding }";

    fn mistakes(each: &str) -> Vec<String> {
        let rubric = format!("types: {{ note: {{ required: [x] }} }}\neach:\n  part: {each}\n");
        let files = Memory::default().with("rules/rubrics/r.yaml", &rubric);
        let found = compiled(ASSESS, &files).err();
        found.map_or_else(Vec::new, |found| found.iter().map(ToString::to_string).collect())
    }

    #[test]
    fn every_slip_is_reported_at_its_place() {
        let begins = "{ types: [note], list: items, ";
        for (rest, expected) in [
            (
                "headings: ['^(?P<label>[A-Z]'] }",
                "4:49: error[LC301]: this pattern does not compile: unclosed group",
            ),
            ("headings: ['^[A-Z]:'] }", "3:50: error[LC301]: this pattern lacks the group `label`"),
            (
                "headings: ['{open}(?P<label>[A-Z]):'], words: { opens: '^' } }",
                "3:50: error[LC301]: there is no word `{open}`",
            ),
            (
                "headings: ['^(?P<label>A)'], ends: ['('] }",
                "3:73: error[LC301]: this pattern does not compile: unclosed group",
            ),
            ("headings: [] }", "3:31: error[LC105]: no part is found without `headings`"),
        ] {
            let found = mistakes(&format!("{begins}{rest}"));
            let message = expected.split_once("]: ").map_or("", |(_, message)| message);
            assert_eq!(found.len(), 1, "{rest}: {found:?}");
            assert!(found.iter().all(|found| found.contains(message)), "{found:?}");
        }
        assert_eq!(mistakes("{ headings: ['(?P<label>A)'] }").len(), 2);
    }
}
