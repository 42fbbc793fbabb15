//! `values` of a judge: the questions to a judge of single values, and the meaning of its words.

use crate::diag::{Code, Problem, Problems};
use crate::value::decode::{Decode, wrong_type};
use crate::value::shape::{Names, Null, Open, Shape};
use crate::value::yaml::{Data, Entry, Node};
use crate::{decode_words, mapping};

/// Most values of a candidate that are asked about. Those beyond stay undecided.
pub const MOST_VALUES: u32 = 500;

mapping! {
    /// The settings of a judge of single values.
    "judge_values" is "setting of a judge of single values", expects "`{ calls: 1 }`", all default;
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct ValueQuestions {
        /// The most values that one call asks about: 1 to 500. A candidate with more undecided values takes several calls, one
        /// after the other, up to 500 values in all.
        #[key(whole(1, 500), default("500"), examples(&["1"]))]
        pub at_once: u32,
        /// The most times that the judge is asked about one document, not counting calls that are made again. The
        /// remaining values stay undecided. Without it there is no limit but that of candidates.
        #[key(whole(1, 10000), examples(&["1"]))]
        pub calls: Option<u32>,
        /// Words that are a whole answer, each with its verdict on the value that was asked about, in any letter case. For models
        /// that say `Yes` or `No` and can't write JSON; `at_once` is 1 then.
        #[key(default("{}"), examples(&["{ Yes: supports, No: neither }"]))]
        pub words: VerdictWords,
    }
}

/// The relation of a passage to a value, in the eyes of a judge.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum ValueVerdict {
    /// It states the value.
    Supports,
    /// It states another value, or the opposite.
    Contradicts,
    /// It says nothing about it.
    Neither,
}

decode_words!(ValueVerdict, "verdict", {
    "supports": "The passage says the value, which is entailed." => ValueVerdict::Supports,
    "contradicts": "The passage says otherwise, and the value is contradicted." => ValueVerdict::Contradicts,
    "neither": "The passage does not decide, and the value stays as it is." => ValueVerdict::Neither,
});

impl ValueVerdict {
    /// The word for it in answers.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            ValueVerdict::Supports => "supports",
            ValueVerdict::Contradicts => "contradicts",
            ValueVerdict::Neither => "neither",
        }
    }
}

/// Words that are answers, each with its verdict, in file order.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct VerdictWords(Vec<(String, ValueVerdict)>);

impl VerdictWords {
    /// Returns whether there is none: answers are JSON.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Each word with its verdict.
    pub fn iter(&self) -> impl Iterator<Item = (&str, ValueVerdict)> {
        self.0.iter().map(|(word, verdict)| (word.as_str(), *verdict))
    }

    /// The verdict in an answer that is one of the words and nothing else. Quote marks, stars and a full stop around it do not
    /// count; a second word does, so an answer with two verdicts has none.
    #[must_use]
    pub fn verdict_of(&self, answer: &str) -> Option<ValueVerdict> {
        let is_around = |c: char| c.is_whitespace() || matches!(c, '.' | '!' | '*' | '"' | '\'' | '`');
        let said = answer.trim_matches(is_around).to_lowercase();
        self.iter().find(|(word, _)| word.to_lowercase() == said).map(|(_, verdict)| verdict)
    }
}

impl Decode for VerdictWords {
    const EXPECTED: &'static str =
        "a mapping from words to verdicts, such as `{ Yes: supports, No: neither }`";

    fn shape() -> Shape {
        Shape::Map(Open {
            key: "WORD",
            names: Names::Any,
            doc: "The verdict that the word is.",
            shape: ValueVerdict::shape,
            null: Null::Absent,
        })
    }

    fn decode(node: &Node, problems: &mut Problems) -> Option<Self> {
        let Data::Map(entries) = &node.data else { return wrong_type(node, Self::EXPECTED, problems) };
        Some(VerdictWords(words_of(entries, problems)))
    }
}

fn words_of(entries: &[Entry], problems: &mut Problems) -> Vec<(String, ValueVerdict)> {
    let mut words: Vec<(String, ValueVerdict)> = Vec::new();
    for entry in entries.iter().filter(|entry| !matches!(entry.value.data, Data::Null)) {
        let Some(verdict) = ValueVerdict::decode(&entry.value, problems) else { continue };
        let word = entry.key.trim();
        let same = words.iter().find(|(known, _)| known.to_lowercase() == word.to_lowercase());
        if let Some((known, _)) = same {
            let message =
                format!("`{word}` is the same word as `{known}`, because letter case does not count");
            problems.push(
                Problem::error(Code::Conflict, &entry.key_span, message)
                    .help("leave one of them out; another word may have the same verdict"),
            );
        } else if word.is_empty() {
            let message = "an empty word would make a verdict of an answer that says nothing";
            problems.push(
                Problem::error(Code::Empty, &entry.key_span, message)
                    .help("name the word that the model says"),
            );
        } else {
            words.push((word.to_owned(), verdict));
        }
    }
    words
}
