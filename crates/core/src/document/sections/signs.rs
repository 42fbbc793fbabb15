//! The signs by which sections of a file are told apart, as a classification declares them.

use super::super::weighted_pattern::pattern;
use crate::diag::Problems;
use crate::mapping;
use crate::value::TextPattern;
use crate::value::decode::{Decode, wrong_type};
use crate::value::shape::by_name;
use crate::value::yaml::{Data, Node};
use std::collections::BTreeMap;

mapping! {
    /// The signs by which the documents in one file are told apart. A file is cut where a
    /// paragraph looks like the beginning of a document, if the type changes there, or the head, page 1 or the headings of
    /// a document are repeated.
    "sections" is "set of signs of sections", expects "a mapping such as `{ titles: ['^\\W*(?:pathology|laboratory) report\\W*$'] }`";
    #[derive(Debug, Clone)]
    pub(in super::super) struct SectionSigns {
        /// Patterns of lines with which a document begins: its title, alone on a line.
        #[key(default("[]"), examples(&["['^\\W*(?:\\w+ )*report\\W*$']"]))]
        titles: Vec<TextPattern> as Vec<String> = patterns,
        /// Patterns of the first words with which documents of a kind usually begin, such as `CHIEF COMPLAINT` or
        /// `Dear`.
        #[key(default("[]"), examples(&["['^\\W*chief complaint\\b']"]))]
        openings: Vec<TextPattern> as Vec<String> = patterns,
        /// Patterns of the last words of a document, such as a signature or a total.
        #[key(default("[]"), examples(&["['\\belectronically signed\\b']"]))]
        endings: Vec<TextPattern> as Vec<String> = patterns,
        /// Patterns of the heading above the last part of a document, such as `PLAN`. It is compared in small letters,
        /// without marks and numbers.
        #[key(default("[]"), examples(&["['^(?:impression|plan)$']"]))]
        last_headings: Vec<TextPattern> as Vec<String> = patterns,
        /// Patterns of lines with which no document begins, whatever follows: an appendix, an older message that is
        /// quoted.
        #[key(default("[]"), examples(&["['^\\W*appendix\\b']"]))]
        continuations: Vec<TextPattern> as Vec<String> = patterns,
        /// Patterns of lines in the head of a document, each for one thing that tells documents apart, such as the
        /// patient or the order. The first group is its value: another value is the head of another document.
        #[key(default("[]"), examples(&["['^\\W*accession\\W*(\\S+)']"]))]
        heads: Vec<TextPattern> as Vec<String> = patterns,
        /// Patterns of lines with the number of a page within its document, as the first group: page 1 begins a document, and
        /// any other continues one.
        #[key(default("[]"), examples(&["['\\bpage (\\d+) of \\d+']"]))]
        page_numbers: Vec<TextPattern> as Vec<String> = patterns,
        /// Patterns of words, each for one kind of person or thing that a document may be about, such as `he` and `she`: a text in
        /// which others occur than before is likelier to be another document.
        #[key(default("[]"), examples(&["['\\b(?:he|his|mr)\\b', '\\b(?:she|her|mrs)\\b']"]))]
        subjects: Vec<TextPattern> as Vec<String> = patterns,
        /// The types of documents that hold, as parts of their own, what looks like other types: a discharge summary has
        /// tables of laboratory values. Within these a change of type alone does not suffice for a cut.
        #[key(
            shaped(|| by_name("TYPE", "The types of which documents of this type hold parts.", <Vec<String>>::shape)),
            default("{}"),
            examples(&["{ discharge-summary: [lab-report, radiology] }"])
        )]
        holds: BTreeMap<String, Vec<String>>,
        /// The number of characters that a section has at least. What is shorter belongs to what follows it.
        #[key(whole(1, 100_000), default("120"), examples(&["200"]))]
        least_characters: usize,
    }
}

impl SectionSigns {
    pub(super) fn least_characters(&self) -> usize {
        self.least_characters
    }

    /// Returns whether a line is the title of a document.
    pub(super) fn is_title(&self, line: &str) -> bool {
        self.titles.iter().any(|pattern| pattern.is_match(line))
    }

    /// Returns whether documents of a kind begin with a line.
    pub(super) fn is_opening(&self, line: &str) -> bool {
        self.openings.iter().any(|pattern| pattern.is_match(line))
    }

    /// Returns whether the last part of documents is under a heading.
    pub(super) fn is_last_heading(&self, heading: &str) -> bool {
        self.last_headings.iter().any(|pattern| pattern.is_match(heading))
    }

    /// Returns whether documents of a kind end with a line.
    pub(super) fn is_ending(&self, line: &str) -> bool {
        self.endings.iter().any(|pattern| pattern.is_match(line))
    }

    /// Returns whether a line begins a part of the document before it.
    pub(super) fn is_continuation(&self, line: &str) -> bool {
        self.continuations.iter().any(|pattern| pattern.is_match(line))
    }

    /// The content of a line of a head: the number of its pattern, and its value.
    pub(super) fn head<'t>(&self, line: &'t str) -> Option<(usize, &'t str)> {
        self.heads.iter().enumerate().find_map(|(kind, pattern)| Some((kind, first_group(pattern, line)?)))
    }

    /// The number of the pattern of subjects that alone, or by far the most often, occurs in a text.
    pub(super) fn subject(&self, text: &str) -> Option<usize> {
        let counts: Vec<usize> = self.subjects.iter().map(|pattern| occurrences(pattern, text)).collect();
        let (subject, most) = counts.iter().enumerate().max_by_key(|(_, count)| **count)?;
        let others = counts.iter().sum::<usize>() - most;
        (*most > 2 * others).then_some(subject)
    }

    /// The number of the page that a line gives.
    pub(super) fn page_number(&self, line: &str) -> Option<u32> {
        self.page_numbers.iter().find_map(|pattern| first_group(pattern, line)?.parse().ok())
    }

    /// Returns whether documents of a type hold what looks like another.
    pub(super) fn is_held_by(&self, held: &str, holder: &str) -> bool {
        self.holds.get(holder).is_some_and(|types| types.iter().any(|one| one == held))
    }
}

/// The first group of a pattern in a line, or all that it found if it has no group.
fn first_group<'t>(pattern: &TextPattern, line: &'t str) -> Option<&'t str> {
    let automaton = pattern.automaton(line)?;
    let mut groups = automaton.create_captures();
    automaton.captures(line, &mut groups);
    let found = groups.get_group(1).or_else(|| groups.get_group(0))?;
    line.get(found.range()).map(str::trim)
}

fn occurrences(pattern: &TextPattern, text: &str) -> usize {
    pattern.automaton(text).map_or(0, |automaton| automaton.find_iter(text).count())
}

fn patterns(node: &Node, problems: &mut Problems) -> Option<Vec<TextPattern>> {
    let Data::List(items) = &node.data else {
        return wrong_type(node, "a list of regular expressions", problems);
    };
    Some(items.iter().filter_map(|item| pattern(item, problems)).collect())
}
