//! Thinking of a model before or after it answers, which is not an answer.
//!
//! Tags and other marks of thinking are data (`words/thinking.yaml`). The content of a block is left out, and so is
//! everything before a closing mark without its opening one. A mark inside a text of a JSON value is a part of that
//! text, and one that is quoted is only mentioned.

use super::look::{is_quote, is_space, only_space};
use super::reader::Reader;
use crate::repair::RepairKind;
use crate::value::{ThinkingMarks, thinking_marks};
use regex::{Regex, RegexBuilder};
use serde::de::IgnoredAny;
use std::ops::Range;
use std::sync::LazyLock;

/// Most brackets before marks from which it is read to see whether the mark is inside their value.
const MAX_LOOKS: usize = 16;

/// A text without its thinking.
pub(super) struct Unthought {
    /// The text, with spaces in place of the thinking, so that all positions stay valid.
    pub(super) text: String,
    /// The position of the first thinking.
    pub(super) first: usize,
    /// Nothing is left but space.
    pub(super) is_all: bool,
    /// The text ends in the middle of it.
    pub(super) is_open: bool,
}

/// The meaning of a mark.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ThinkingMark {
    /// Thinking begins.
    Open,
    /// Thinking ends.
    Close,
    /// A message of a channel begins that is thinking.
    Thought,
    /// A message begins that is the answer.
    Answer,
    /// A message ends.
    End,
}

/// The kind of thinking that is open.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Inside {
    Block,
    Message,
}

/// The text without the model's thinking; `None` when there is none in it.
pub(super) fn without(text: &str) -> Option<Unthought> {
    let mut out = Vec::new();
    let mut answered = false;
    let mut open: Option<(usize, Inside)> = bare(text).map(|_| (0, Inside::Block));
    let mut search = Search { text, from: 0, looks: 0 };
    for (at, mark) in marks(text) {
        match (open, mark) {
            (Some((from, _)), ThinkingMark::Close | ThinkingMark::Answer)
            | (Some((from, Inside::Message)), ThinkingMark::End) => {
                if mark == ThinkingMark::Close && is_mentioned(text, &at) {
                    continue;
                }
                answered |= mark == ThinkingMark::Answer;
                out.push(from..at.end);
                open = None;
                search.from = at.end;
            }
            (Some(_), ThinkingMark::Open | ThinkingMark::Thought | ThinkingMark::End) => {}
            (None, _) if search.holds(&at) || is_mentioned(text, &at) => {}
            (None, ThinkingMark::Open) => open = Some((at.start, Inside::Block)),
            (None, ThinkingMark::Thought) => open = Some((at.start, Inside::Message)),
            // The text before the first answer, or before the end of thinking that did not begin, was thought.
            (None, ThinkingMark::Close) => {
                out.clear();
                out.push(0..at.end);
            }
            (None, ThinkingMark::Answer) if !answered => {
                answered = true;
                out.clear();
                out.push(0..at.end);
            }
            (None, ThinkingMark::Answer | ThinkingMark::End) => out.push(at),
        }
    }
    let is_open = open.is_some();
    out.extend(open.map(|(from, _)| from..text.len()));
    let first = out.iter().map(|range| range.start).min()?;
    let mut blank = vec![false; text.len()];
    for range in out {
        blank.iter_mut().take(range.end).skip(range.start).for_each(|out| *out = true);
    }
    let mut left = String::with_capacity(text.len());
    for ((at, c), width) in text.char_indices().map(|(at, c)| ((at, c), c.len_utf8())) {
        match blank.get(at) {
            Some(true) if c != '\n' => left.extend(std::iter::repeat_n(' ', width)),
            _ => left.push(c),
        }
    }
    let is_all = only_space(&left);
    Some(Unthought { text: left, first, is_all, is_open })
}

/// Checks that a mark is only mentioned: it is in quotes of its own.
fn is_mentioned(text: &str, at: &Range<usize>) -> bool {
    let before = text.get(..at.start).and_then(|text| text.chars().next_back());
    let after = text.get(at.end..).and_then(|text| text.chars().next());
    before.is_some_and(is_quote) && after.is_some_and(is_quote)
}

/// Checks which marks are inside of values.
struct Search<'t> {
    text: &'t str,
    /// Everything before has been inspected.
    from: usize,
    looks: usize,
}

impl Search<'_> {
    /// Checks that a mark is inside of a value that begins before it.
    fn holds(&mut self, mark: &Range<usize>) -> bool {
        while self.from < mark.start {
            let before = self.text.get(self.from..mark.start).unwrap_or_default();
            let Some(found) = before.find(['{', '[']) else {
                self.from = mark.start;
                break;
            };
            let start = self.from + found;
            self.from = self.value_end(start).unwrap_or(start + 1);
        }
        self.from > mark.start
    }

    /// Finds the end of the value that begins here: strict JSON, or a value that is read without guessing the ends of
    /// its texts.
    fn value_end(&mut self, start: usize) -> Option<usize> {
        if self.looks >= MAX_LOOKS {
            return None;
        }
        self.looks += 1;
        let rest = self.text.get(start..)?;
        let mut values = serde_json::Deserializer::from_str(rest).into_iter::<IgnoredAny>();
        if values.next().is_some_and(|value| value.is_ok()) {
            return Some(start + values.byte_offset());
        }
        let mut reader = Reader::new(self.text, super::Notes::default());
        reader.at = start;
        if !reader.begins_here() {
            return None;
        }
        reader.value().ok()??;
        let guessed = |kind| reader.notes.has(kind);
        let is_sure = !GUESSED.iter().any(|kind| guessed(*kind));
        is_sure.then_some(reader.at)
    }
}

/// After these repairs, it is not certain what is inside of a text.
const GUESSED: [RepairKind; 13] = [
    RepairKind::Truncated,
    RepairKind::MissingQuote,
    RepairKind::UnescapedQuote,
    RepairKind::UnescapedControl,
    RepairKind::RepeatedQuotes,
    RepairKind::MissingBracket,
    RepairKind::WrongBracket,
    RepairKind::ExtraBracket,
    RepairKind::Stray,
    RepairKind::UnquotedText,
    RepairKind::MissingColon,
    RepairKind::MissingValue,
    RepairKind::Reunited,
];

/// Every mark of a text, in order.
fn marks(text: &str) -> impl Iterator<Item = (Range<usize>, ThinkingMark)> {
    static MARKS: LazyLock<Option<Regex>> = LazyLock::new(|| pattern(thinking_marks()));
    let found = MARKS.as_ref().map(|pattern| pattern.captures_iter(text));
    found.into_iter().flatten().filter_map(move |found| {
        let at = found.get(0)?.range();
        let mark = if found.name("open").is_some() {
            ThinkingMark::Open
        } else if found.name("close").is_some() {
            ThinkingMark::Close
        } else if let Some(header) = found.name("header") {
            if is_answer(header.as_str()) { ThinkingMark::Answer } else { ThinkingMark::Thought }
        } else if found.name("bare").is_some() {
            return bare(text).map(|_| (at, ThinkingMark::Close));
        } else {
            ThinkingMark::End
        };
        Some((at, mark))
    })
}

/// Checks that the message with this header is the answer: of its channel, or because it goes to someone.
fn is_answer(header: &str) -> bool {
    let mut words = header.split(|c: char| is_space(c) || c == '<').filter(|word| !word.is_empty());
    let channel = words.next().unwrap_or_default();
    thinking_marks().answer_channels.iter().any(|answer| channel.eq_ignore_ascii_case(answer))
        || words.any(|word| word.starts_with("to="))
}

/// The word that a text of channels without marks begins with.
fn bare(text: &str) -> Option<&str> {
    let (begins, ends) = thinking_marks().bare.as_ref()?;
    let text = text.trim_start();
    (text.starts_with(begins.as_str()) && text.contains(ends.as_str())).then_some(begins)
}

/// All marks as one pattern. A tag may have attributes.
fn pattern(marks: &ThinkingMarks) -> Option<Regex> {
    let any = |words: &[&str]| words.iter().map(|word| regex::escape(word)).collect::<Vec<_>>().join("|");
    let tags: Vec<&str> = marks.tags.iter().map(String::as_str).collect();
    let opens: Vec<&str> = marks.pairs.iter().map(|(open, _)| open.as_str()).collect();
    let closes: Vec<&str> = marks.pairs.iter().map(|(_, close)| close.as_str()).collect();
    let ends: Vec<&str> = marks.channel_ends.iter().map(String::as_str).collect();
    let (header, message) = (regex::escape(&marks.channel_header), regex::escape(&marks.channel_message));
    let tags = any(&tags);
    let bare = marks.bare.as_ref().map(|(_, ends)| regex::escape(ends)).unwrap_or_default();
    let pattern = [
        format!(r"(?<open><(?:{tags})(?:\s[^<>]{{0,100}})?>|{})", any(&opens)),
        format!(r"(?<close></\s?(?:{tags})\s*>|{})", any(&closes)),
        format!(r"{header}(?<header>(?s:.){{0,100}}?){message}"),
        format!(r"(?<bare>{bare})"),
        any(&ends),
    ];
    RegexBuilder::new(&pattern.join("|")).case_insensitive(true).build().ok()
}
