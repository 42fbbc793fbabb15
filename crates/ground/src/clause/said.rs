//! Sentences, each with its statements and the words by which they are understood.

use super::assertion::mark;
use super::cues::Cues;
use super::sentence::{Cut, LONGEST, ends_sentence, parts};
use super::tokens::{Class, Tokens};
use std::ops::Range;

/// A sentence with its statements.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sentence {
    /// Its bytes in the text.
    pub bytes: Range<usize>,
    /// Its statements, in order.
    pub statements: Vec<Statement>,
}

/// A part of a sentence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Statement {
    /// Its bytes in the text, from its first word to its last.
    pub bytes: Range<usize>,
    /// It says something by itself; what does not belongs to the parts beside it.
    pub is_whole: bool,
    /// The words that act in it, in order.
    pub acting: Vec<Acting>,
}

/// A word or a box that acts in a statement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Acting {
    /// Its bytes in the text.
    pub bytes: Range<usize>,
    /// The things that it does.
    pub acts: Vec<Act>,
}

/// The things that a word may do in a statement.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Act {
    /// Makes it doubtful.
    Doubt,
    /// Denies.
    Denial,
    /// Speaks of another time.
    AnotherTime,
    /// Speaks of another person.
    AnotherPerson,
    /// Makes it a condition, a plan or a method.
    Condition,
    /// Affirms.
    Affirmation,
    /// Makes a number a limit.
    Limit,
    /// Begins a contrast.
    Contrast,
    /// Makes the part a statement of its own.
    Predicate,
    /// Is the end of a box that is ticked.
    Ticked,
    /// Is the end of a box that is not ticked.
    NotTicked,
}

impl Act {
    /// Every act.
    pub const ALL: [Act; 11] = [
        Act::Doubt,
        Act::Denial,
        Act::AnotherTime,
        Act::AnotherPerson,
        Act::Condition,
        Act::Affirmation,
        Act::Limit,
        Act::Contrast,
        Act::Predicate,
        Act::Ticked,
        Act::NotTicked,
    ];

    /// The name in outputs.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Act::Doubt => "doubt",
            Act::Denial => "denial",
            Act::AnotherTime => "another_time",
            Act::AnotherPerson => "another_person",
            Act::Condition => "condition",
            Act::Affirmation => "affirmation",
            Act::Limit => "limit",
            Act::Contrast => "contrast",
            Act::Predicate => "predicate",
            Act::Ticked => "ticked",
            Act::NotTicked => "not_ticked",
        }
    }

    /// The cues by which a word does it; none for a box.
    pub(super) fn cues(self) -> Cues {
        match self {
            Act::Doubt => Cues::DOUBT,
            Act::Denial => Cues::DENIAL,
            Act::AnotherTime => Cues::PAST | Cues::PAST_LABEL,
            Act::AnotherPerson => Cues::PERSON,
            Act::Condition => Cues::CONDITION,
            Act::Affirmation => Cues::AFFIRMATION,
            Act::Limit => Cues::LIMIT,
            Act::Contrast => Cues::CONTRAST,
            Act::Predicate => Cues::PREDICATE,
            Act::Ticked | Act::NotTicked => Cues::NONE,
        }
    }
}

/// A sentence that was found, and not yet read.
pub(crate) struct FoundSentence<'t> {
    tokens: &'t Tokens,
    at: Range<usize>,
}

/// Finds every sentence, in order. One without an end is cut where a reader of a value in it would stop.
pub(crate) fn each_sentence(tokens: &Tokens, mut visit: impl FnMut(&FoundSentence<'_>)) {
    let all = &tokens.all;
    let is_end = |at: usize| all.get(at).is_some_and(|token| matches!(token.class, Class::Line | Class::Gap));
    let mut first = 0;
    while first < all.len() {
        if is_end(first) {
            first += 1;
            continue;
        }
        let mut last = first;
        while last + 1 < all.len() && last - first < LONGEST && !ends_sentence(all, last) {
            last += 1;
        }
        visit(&FoundSentence { tokens, at: first..last + 1 });
        first = last + 1;
    }
}

impl FoundSentence<'_> {
    /// Reads its statements.
    pub(crate) fn read(&self) -> Sentence {
        let all = &self.tokens.all;
        let parts = parts(all, self.at.clone());
        let statements: Vec<Statement> = parts.iter().filter_map(|part| self.statement(part)).collect();
        let words = all.get(self.at.clone()).unwrap_or_default();
        let ends = |class: Class| matches!(class, Class::Line | Class::Gap);
        let last = words.iter().rev().find(|token| !ends(token.class)).map_or(0, |token| token.end);
        let start = words.first().map_or(0, |token| token.start);
        Sentence { bytes: start..last.max(start), statements }
    }

    fn statement(&self, part: &Cut) -> Option<Statement> {
        let all = &self.tokens.all;
        let is_end =
            |at: &&usize| all.get(**at).is_none_or(|token| matches!(token.class, Class::Line | Class::Gap));
        let first = part.at.iter().find(|at| !is_end(at))?;
        let last = part.at.iter().rev().find(|at| !is_end(at))?;
        let acting = part.at.iter().filter_map(|at| {
            let token = all.get(*at)?;
            let by_word =
                Act::ALL.into_iter().filter(|act| act.cues() != Cues::NONE && token.does(act.cues()));
            let by_box = mark(all, *at).map(|ticked| if ticked { Act::Ticked } else { Act::NotTicked });
            let acts: Vec<Act> = by_word.chain(by_box).collect();
            (!acts.is_empty()).then_some(Acting { bytes: token.start..token.end, acts })
        });
        Some(Statement {
            bytes: all.get(*first)?.start..all.get(*last)?.end,
            is_whole: part.says_something(),
            acting: acting.collect(),
        })
    }
}
