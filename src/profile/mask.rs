//! `mask`: what the stages do not see of a document.

use super::keys;
use crate::diag::{Code, Problem, Problems};
use crate::value::decode::{Decode, Fields, Spanned};
use crate::value::shape::Shape;
use crate::value::yaml::Node;
use regex::Regex;

/// Largest compiled pattern, in bytes.
const LARGEST_PATTERN: usize = 1 << 20;

/// A passage to be withheld.
#[derive(Debug, Clone)]
pub struct Mask {
    /// What is withheld.
    pub pattern: Regex,
    /// What is there instead; `$1` is the first group of the pattern.
    pub replace: String,
}

impl Mask {
    /// The text with everything that `masks` withhold replaced, one mask after the other.
    #[must_use]
    pub fn apply(masks: &[Mask], text: &str) -> String {
        masks.iter().fold(text.to_owned(), |text, mask| {
            mask.pattern.replace_all(&text, mask.replace.as_str()).into_owned()
        })
    }
}

impl Decode for Mask {
    const EXPECTED: &'static str = "`{ pattern: …, replace: … }`";

    fn shape() -> Shape {
        Shape::Mapping(&keys::MASK)
    }

    fn decode(node: &Node, problems: &mut Problems) -> Option<Self> {
        let mut fields = Fields::open(node, &keys::MASK, problems)?;
        let pattern = fields.required::<Spanned<String>>("pattern", problems);
        let replace = fields.or("replace", "[withheld]".to_owned(), problems);
        fields.finish(problems);
        let pattern = pattern?;
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
                Some(Mask { pattern: compiled, replace })
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
