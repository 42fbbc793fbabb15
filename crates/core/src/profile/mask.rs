//! `mask`: the parts of a document that the stages do not see.

use crate::diag::{Code, Problem, Problems};
use crate::mapping;
use crate::value::decode::{Decode, Spanned};
use crate::value::yaml::{Data, Node};
use regex::Regex;
use std::borrow::Cow;
use std::ops::Range;

/// Largest compiled pattern, in bytes.
const LARGEST_PATTERN: usize = 1 << 20;

/// Most masks of a profile. Each is compiled when the profile is read, and looked for in every document.
const MOST_MASKS: usize = 100;

mapping! {
    /// A passage that is withheld.
    "mask" is "mask", expects "`{ pattern: …, replace: … }`";
    #[derive(Debug, Clone)]
    pub struct Mask {
        /// The text to withhold, wherever it is found. `(?s)` lets `.` run over line breaks, `(?i)` ignores case.
        #[key(text("a regular expression"), required, examples(&["'(?s)IMPRESSION:.*'"]))]
        pub pattern: Pattern,
        /// The replacement; `$1` is the match of the pattern's first group.
        #[key(default("'[withheld]'"), examples(&["'IMPRESSION: [withheld]'"]))]
        pub replace: String,
    }
}

/// The pattern of the text that a mask withholds.
#[derive(Debug, Clone)]
pub struct Pattern(Regex);

impl Pattern {
    /// As it is written.
    #[must_use]
    pub fn as_str(&self) -> &str {
        self.0.as_str()
    }

    pub(super) fn regex(&self) -> &Regex {
        &self.0
    }
}

impl Mask {
    /// The text with everything that `masks` withhold replaced, one mask after the other.
    #[must_use]
    pub fn apply(masks: &[Mask], text: &str) -> String {
        masks.iter().fold(text.to_owned(), |text, mask| {
            mask.pattern.0.replace_all(&text, mask.replace.as_str()).into_owned()
        })
    }

    /// The locations in the masked text of passages of the text, which are in order and apart; `None` for one of which a
    /// part is withheld.
    pub(crate) fn moved(
        masks: &[Mask],
        text: &str,
        passages: impl Iterator<Item = Range<usize>>,
    ) -> Vec<Option<Range<usize>>> {
        let mut passages: Vec<Option<Range<usize>>> = passages.map(Some).collect();
        let mut text = Cow::Borrowed(text);
        for mask in masks {
            let mut edits = mask.edits(&text).peekable();
            let (mut removed, mut added) = (0, 0);
            for passage in &mut passages {
                let Some(old) = passage.take() else { continue };
                while let Some((withheld, length)) = edits.next_if(|(withheld, _)| withheld.end <= old.start)
                {
                    removed += withheld.len();
                    added += length;
                }
                let is_whole = edits.peek().is_none_or(|(withheld, _)| withheld.start >= old.end);
                *passage = is_whole.then(|| old.start + added - removed..old.end + added - removed);
            }
            drop(edits);
            text = Cow::Owned(mask.pattern.0.replace_all(&text, mask.replace.as_str()).into_owned());
        }
        passages
    }

    /// The passages that this mask withholds, each with the length of its replacement.
    fn edits(&self, text: &str) -> impl Iterator<Item = (Range<usize>, usize)> {
        self.pattern.0.captures_iter(text).map(|found| {
            let mut replacement = String::new();
            found.expand(&self.replace, &mut replacement);
            (found.get_match().range(), replacement.len())
        })
    }
}

/// Reads `mask`.
pub(super) fn decode_masks(node: &Node, problems: &mut Problems) -> Vec<Mask> {
    if let Data::List(items) = &node.data
        && items.len() > MOST_MASKS
    {
        let problem = format!("a profile has at most {MOST_MASKS} masks, found {}", items.len());
        problems.push(
            Problem::error(Code::OutOfRange, &node.span, problem)
                .help("one pattern may find several passages: `FIRST|SECOND`"),
        );
        return Vec::new();
    }
    Vec::<Mask>::decode(node, problems).unwrap_or_default()
}

impl Decode for Pattern {
    const EXPECTED: &'static str = String::EXPECTED;

    fn shape() -> crate::value::shape::Shape {
        String::shape()
    }

    fn decode(node: &Node, problems: &mut Problems) -> Option<Self> {
        let pattern = Spanned::<String>::decode(node, problems)?;
        match regex::RegexBuilder::new(&pattern.value).size_limit(LARGEST_PATTERN).build() {
            Ok(compiled) => {
                if compiled.is_match("") {
                    let problem =
                        "this pattern also finds where there is nothing, between any two characters";
                    problems.push(
                        Problem::error(Code::BadPattern, &pattern.span, problem)
                            .help("write `+` for `*`, or what the passage begins with"),
                    );
                }
                Some(Pattern(compiled))
            }
            Err(error) => {
                let what = error.to_string();
                let last = what.lines().last().unwrap_or_default().trim_start_matches("error: ").to_owned();
                problems.push(
                    Problem::error(
                        Code::BadPattern,
                        &pattern.span,
                        format!("not a regular expression: {last}"),
                    )
                    .help("the syntax is that of https://docs.rs/regex"),
                );
                None
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diag::SourceFile;
    use crate::value::yaml::parse;

    #[test]
    fn passages_are_found_again_in_the_masked_text_unless_a_part_of_them_is_withheld() {
        let mask = |pattern: &str, replace: &str| Mask {
            pattern: Pattern(Regex::new(pattern).unwrap()),
            replace: replace.to_owned(),
        };
        let masks = [mask("Name: [A-Z]+", "[name]"), mask("[0-9]{4}", "year")];
        let text = "Name: MILLER grade 2 of 2019, 7 mm";
        let at = |word: &str| text.find(word).map(|start| start..start + word.len()).unwrap();
        let masked = Mask::apply(&masks, text);
        let moved = Mask::moved(&masks, text, ["MILLER", "2 of", "2019,", "7"].map(at).into_iter());
        let words: Vec<Option<&str>> =
            moved.into_iter().map(|place| place.map(|place| &masked[place])).collect();
        assert_eq!(masked, "[name] grade 2 of year, 7 mm");
        assert_eq!(words, [None, Some("2 of"), None, Some("7")]);
    }

    #[test]
    fn a_profile_has_so_many_masks_and_no_more() {
        let read = |count: usize| {
            let text = "- { pattern: 'x+' }\n".repeat(count);
            let mut problems = Problems::new();
            let node = parse(&SourceFile::new("p.yaml", text), &mut problems).unwrap();
            (decode_masks(&node, &mut problems).len(), problems)
        };
        assert_eq!(read(MOST_MASKS).0, MOST_MASKS);
        let (none, problems) = read(MOST_MASKS + 1);
        assert_eq!(none, 0);
        assert!(problems.iter().any(|problem| problem.message.contains("at most 100 masks, found 101")));
    }
}
