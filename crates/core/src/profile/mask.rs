//! `mask`: the parts of a document that the stages do not see.

use crate::diag::{Code, Problem, Problems};
use crate::mapping;
use crate::value::decode::{Decode, Spanned};
use crate::value::yaml::{Data, Node};
use regex::Regex;

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
