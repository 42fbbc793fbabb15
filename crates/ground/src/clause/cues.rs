//! Cues: words by which a clause is understood, from `words/clauses.txt`.

use super::claim::fold;
use super::said::Act;
use crate::steps::step;
use std::collections::HashMap;
use std::ops::BitOr;
use std::sync::LazyLock;

const CLAUSES: &str = include_str!("../../words/clauses.txt");

/// A set of the things that a word may do in a clause.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Cues(u64);

impl Cues {
    pub(crate) const NONE: Cues = Cues(0);
    pub(crate) const DOUBT: Cues = Cues(1);
    pub(crate) const DENIAL: Cues = Cues(1 << 1);
    pub(crate) const PAST: Cues = Cues(1 << 2);
    pub(crate) const PERSON: Cues = Cues(1 << 3);
    pub(crate) const CONDITION: Cues = Cues(1 << 4);
    pub(crate) const AFFIRMATION: Cues = Cues(1 << 5);
    pub(crate) const PREDICATE: Cues = Cues(1 << 6);
    pub(crate) const ABSENT: Cues = Cues(1 << 7);
    pub(crate) const PRESENT: Cues = Cues(1 << 8);
    pub(crate) const LIMIT: Cues = Cues(1 << 9);
    pub(crate) const SIDE: Cues = Cues(1 << 10);
    pub(crate) const ROLE: Cues = Cues(1 << 11);
    pub(crate) const GENERIC: Cues = Cues(1 << 12);
    pub(crate) const PERSON_FIELD: Cues = Cues(1 << 13);
    pub(crate) const PAST_LABEL: Cues = Cues(1 << 14);
    pub(crate) const AGE: Cues = Cues(1 << 15);
    pub(crate) const JOIN: Cues = Cues(1 << 16);
    pub(crate) const OR: Cues = Cues(1 << 17);
    pub(crate) const CONTRAST: Cues = Cues(1 << 18);
    pub(crate) const ABBREVIATION: Cues = Cues(1 << 19);
    pub(crate) const BASIS: Cues = Cues(1 << 20);
    pub(crate) const SILENT: Cues = Cues(1 << 21);
    pub(crate) const BEFORE: Cues = Cues(1 << 22);
    pub(crate) const NUMBERING: Cues = Cues(1 << 23);
    pub(crate) const SINCE: Cues = Cues(1 << 24);
    pub(crate) const DEGREE: Cues = Cues(1 << 25);
    pub(crate) const NUMERATOR: Cues = Cues(1 << 27);
    pub(crate) const DENOMINATOR: Cues = Cues(1 << 28);
    pub(crate) const COUNT: Cues = Cues(1 << 30);
    pub(crate) const OF_ALL: Cues = Cues(1 << 29);
    pub(crate) const POINTER: Cues = Cues(1 << 31);
    pub(crate) const MISTAKE: Cues = Cues(1 << 32);
    pub(crate) const RESULT: Cues = Cues(1 << 33);
    pub(crate) const OTHER_BEHIND: Cues = Cues(1 << 34);
    pub(crate) const OTHER_BEFORE: Cues = Cues(1 << 36);
    pub(crate) const DISTANCE: Cues = Cues(1 << 35);
    /// On the line of the token, boxes are behind their options.
    pub(crate) const BOX_BEHIND: Cues = Cues(1 << 26);

    /// Returns whether it holds any of these.
    pub(crate) fn any(self, of: Cues) -> bool {
        self.0 & of.0 != 0
    }

    fn named(name: &str) -> Cues {
        match name {
            "doubt" => Cues::DOUBT,
            "denial" => Cues::DENIAL,
            "past" => Cues::PAST,
            "person" => Cues::PERSON,
            "condition" => Cues::CONDITION,
            "affirmation" => Cues::AFFIRMATION,
            "predicate" => Cues::PREDICATE,
            "absent" => Cues::ABSENT,
            "present" => Cues::PRESENT,
            "limit" => Cues::LIMIT,
            "side" => Cues::SIDE,
            "role" => Cues::ROLE,
            "generic" => Cues::GENERIC,
            "person-field" => Cues::PERSON_FIELD,
            "past-label" => Cues::PAST_LABEL,
            "age" => Cues::AGE,
            "join" => Cues::JOIN,
            "or" => Cues::OR,
            "contrast" => Cues::CONTRAST,
            "basis" => Cues::BASIS,
            "result" => Cues::RESULT,
            "distance" => Cues::DISTANCE,
            "other-behind" => Cues::OTHER_BEHIND,
            "other-before" => Cues::OTHER_BEFORE,
            "silent" => Cues::SILENT,
            "before" => Cues::BEFORE,
            "numbering" => Cues::NUMBERING,
            "since" => Cues::SINCE,
            "degree" => Cues::DEGREE,
            "pointer" => Cues::POINTER,
            "mistake" => Cues::MISTAKE,
            "numerator" => Cues::NUMERATOR,
            "denominator" => Cues::DENOMINATOR,
            "count" => Cues::COUNT,
            "of-all" => Cues::OF_ALL,
            "abbreviation" => Cues::ABBREVIATION,
            // `plain` words are none.
            _ => Cues::NONE,
        }
    }
}

impl BitOr for Cues {
    type Output = Cues;

    fn bitor(self, other: Cues) -> Cues {
        Cues(self.0 | other.0)
    }
}

/// The other words of a phrase, and what it does.
type CuePhrase = (Vec<Box<str>>, Cues);

/// Words by which clauses are understood: those of every document, or those that a user adds for their own documents.
#[derive(Debug, Clone, Default)]
pub struct CueWords {
    cues: HashMap<Box<str>, Cues>,
    /// Those of words with any ending, by their beginning.
    beginnings: HashMap<Box<str>, Cues>,
    /// The longest of them, in bytes.
    longest: usize,
    /// Several words in a row, by the first: the others, and the cues of all.
    phrases: HashMap<Box<str>, Vec<CuePhrase>>,
}

impl CueWords {
    /// Adds a word, the beginning of words (`untersuch*`), or words in a row (`kein Hinweis auf`), and what it does;
    /// with nothing that it does, it does nothing, regardless of what its own words do.
    pub fn add(&mut self, phrase: &str, act: Option<Act>) {
        // As texts are cut into words.
        let is_between = |c: char| !(c.is_alphanumeric() || matches!(c, '\'' | '’' | '*'));
        let words = phrase.split(is_between).filter(|word| !word.is_empty());
        let folded: Vec<String> = words.map(|word| fold(word).replace('’', "'")).collect();
        self.insert(&folded.join("_"), act.map_or(Cues::NONE, Act::cues));
        self.settle();
    }

    fn insert(&mut self, word: &str, does: Cues) {
        let with = |known: &mut Cues| *known = *known | does;
        if let Some((first, others)) = word.split_once('_').filter(|(first, _)| !first.is_empty()) {
            let others: Vec<Box<str>> = others.split('_').map(Box::from).collect();
            let known = self.phrases.entry(first.into()).or_default();
            match known.iter_mut().find(|(words, _)| *words == others) {
                Some((_, cues)) => with(cues),
                None => known.push((others, does)),
            }
        } else if let Some(beginning) = word.strip_suffix('*').filter(|beginning| !beginning.is_empty()) {
            self.longest = self.longest.max(beginning.len());
            with(self.beginnings.entry(beginning.into()).or_default());
        } else if !word.is_empty() {
            with(self.cues.entry(word.into()).or_default());
        }
    }

    /// Puts longer phrases before shorter ones.
    fn settle(&mut self) {
        for phrases in self.phrases.values_mut() {
            phrases.sort_by_key(|(others, _)| std::cmp::Reverse(others.len()));
        }
    }

    /// The cues of a folded word in a document that is read with these words beside others: none of one that does
    /// nothing here.
    pub(crate) fn beside(&self, others: &CueWords, word: &str) -> Cues {
        let begun = (SHORTEST..=self.longest.min(word.len())).filter_map(|end| word.get(..end));
        let mut listed =
            begun.filter_map(|beginning| self.beginnings.get(beginning)).chain(self.cues.get(word));
        let does_nothing = listed.any(|does| *does == Cues::NONE);
        if does_nothing { Cues::NONE } else { others.of(word) | self.of(word) }
    }

    /// The cues of a folded word.
    pub(crate) fn of(&self, word: &str) -> Cues {
        let mut cues = self.cues.get(word).copied().unwrap_or_default();
        for end in SHORTEST..=self.longest.min(word.len()) {
            if let Some(known) = word.get(..end).and_then(|beginning| self.beginnings.get(beginning)) {
                cues = cues | *known;
            }
        }
        cues
    }

    /// The cues of the words that begin with some, and how many words they are; none where no phrase begins there.
    pub(crate) fn phrase<'w>(
        &self,
        first: &str,
        others: impl Iterator<Item = &'w str> + Clone,
    ) -> Option<(Cues, usize)> {
        let phrases = self.phrases.get(first)?;
        let is_next = |(words, _): &&CuePhrase| {
            step(words.len());
            let mut said = others.clone();
            words.iter().all(|word| {
                let same = |said: &str| match word.strip_suffix('*') {
                    Some(beginning) => said.starts_with(beginning),
                    None => *said == **word,
                };
                said.next().is_some_and(same)
            })
        };
        phrases.iter().find(is_next).map(|(words, cues)| (*cues, words.len() + 1))
    }
}

/// The words that every document is read with.
struct Shipped {
    words: CueWords,
    /// The numbers of the lines of words for the same thing, by word.
    same: HashMap<&'static str, Vec<usize>>,
    /// Pairs of beginnings of words that begin alike and are not forms of one.
    apart: Vec<(&'static str, &'static str)>,
}

fn shipped() -> &'static Shipped {
    static SHIPPED: LazyLock<Shipped> = LazyLock::new(|| {
        let mut shipped = Shipped { words: CueWords::default(), same: HashMap::new(), apart: Vec::new() };
        let lines = CLAUSES.lines().filter(|line| !line.starts_with('#'));
        for (number, (name, words_of)) in lines.filter_map(|line| line.split_once(": ")).enumerate() {
            if let Some(pair) = words_of.split_once(' ').filter(|_| name == "apart") {
                shipped.apart.push(pair);
                continue;
            }
            let does = Cues::named(name);
            for word in words_of.split(' ') {
                if name == "same" {
                    shipped.same.entry(word).or_default().push(number);
                } else {
                    shipped.words.insert(word, does);
                }
            }
        }
        shipped.words.settle();
        shipped
    });
    &SHIPPED
}

/// The words that every document is read with.
pub(crate) fn common() -> &'static CueWords {
    &shipped().words
}

/// The cues of a folded word in every document.
pub(crate) fn cues_of(word: &str) -> Cues {
    common().of(word)
}

/// The shortest beginning of words, in bytes.
const SHORTEST: usize = 4;

/// Returns whether a word of a text says the same as a word of a field's name: the same word, the same beginning, or
/// one of `same`.
pub(crate) fn is_same(name: &str, word: &str) -> bool {
    step(1);
    if name == word || has_beginning(name, word) {
        return true;
    }
    let same = &shipped().same;
    match (same.get(name), same.get(word)) {
        (Some(a), Some(b)) => a.iter().any(|line| b.contains(line)),
        (Some(_), None) | (None, Some(_)) | (None, None) => false,
    }
}

/// The words that say the same as a word of a field's name, but for those of the same beginning.
pub(crate) fn others_for(name: &str) -> impl Iterator<Item = &'static str> + '_ {
    let words = shipped();
    let lines = words.same.get(name).map(Vec::as_slice).unwrap_or_default();
    words
        .same
        .iter()
        .filter(move |(_, own)| own.iter().any(|line| lines.contains(line)))
        .map(|(word, _)| *word)
}

/// The letters that two forms of a word have in common at least.
pub(crate) const STEM: usize = 4;

/// Returns whether two words are forms of one: the shorter, but for an ending of two letters, begins the other.
pub(crate) fn has_beginning(one: &str, other: &str) -> bool {
    let shorter = one.chars().count().min(other.chars().count());
    let common = one.chars().zip(other.chars()).take_while(|(a, b)| a == b).count();
    let differ = |one: &str, other: &str, (a, b): &(&str, &str)| {
        one.starts_with(a) && !one.starts_with(b) && other.starts_with(b)
    };
    let begin = |pair: &(&str, &str)| differ(one, other, pair) || differ(other, one, pair);
    shorter >= STEM && common >= STEM.max(shorter - 2) && !shipped().apart.iter().any(begin)
}

#[cfg(test)]
mod tests {
    use super::{CLAUSES, CueWords, Cues, common, cues_of, is_same};
    use crate::clause::Act;

    #[test]
    fn every_line_has_a_known_name() {
        let lines = CLAUSES.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
        for line in lines {
            let name = line.split_once(": ").map(|(name, _)| name);
            let is_known =
                |name| matches!(name, "same" | "plain" | "apart") || Cues::named(name) != Cues::NONE;
            assert!(name.is_some_and(is_known), "{line}");
        }
    }

    #[test]
    fn forms_of_a_word_are_the_same() {
        assert!(is_same("invasion", "invasive") && is_same("tumor", "mass") && is_same("er", "estrogen"));
        assert!(!is_same("er", "erosion") && !is_same("invasion", "invoice"));
        assert!(cues_of("denies").any(Cues::DENIAL) && !cues_of("denim").any(Cues::DENIAL));
    }

    #[test]
    fn own_words_add_and_take_away() {
        let mut words = CueWords::default();
        words.add("Keinerlei", Some(Act::Denial));
        words.add("kein Hinweis auf", Some(Act::Denial));
        words.add("screening", None);
        assert!(words.beside(common(), "keinerlei").any(Cues::DENIAL));
        assert!(words.beside(common(), "possible").any(Cues::DOUBT));
        assert_eq!(words.beside(common(), "screening"), Cues::NONE);
        let said = ["hinweis", "auf"].into_iter();
        assert_eq!(words.phrase("kein", said), Some((Cues::DENIAL, 3)));
    }
}
