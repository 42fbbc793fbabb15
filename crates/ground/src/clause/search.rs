//! Search: the places where a document speaks of a field.

use super::cues::{Cues, is_same};
use super::passage::Pattern;
use super::sentence::{Clause, LONGEST};
use super::tokens::{Class, Tokens};
use std::ops::Range;

/// Most passages that are read for one claim, and most names that are inspected for them.
pub(super) const MOST: usize = 64;
const TRIED: usize = 2_000;

/// A passage that was understood.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Passage {
    /// Its pattern.
    pub pattern: Pattern,
    /// Its bytes.
    pub bytes: Range<usize>,
}

/// Returns whether a statement says in so many words that something is there: not only that it is something.
pub(super) fn affirms(tokens: &Tokens, clause: &Clause) -> bool {
    let said = clause.statement.iter().filter_map(|at| tokens.all.get(*at));
    let mut words = said.filter(|token| token.does(Cues::PRESENT) || token.is("+"));
    super::assertion::tick(&tokens.all, &clause.value) == Some(true) || words.next().is_some()
}

/// The places where something may be said to be there or not: where the field is named, and the ticked options.
pub(super) fn speaking(tokens: &Tokens, names: &[String]) -> Vec<Range<usize>> {
    let all = &tokens.all;
    let places: Vec<Vec<usize>> = names.iter().map(|name| tokens.named(name)).collect();
    let mut named = places.concat();
    named.sort_unstable();
    named.dedup();
    // A statement that names all has them within the reach of a sentence.
    let is_near = |places: &Vec<usize>, at: usize| {
        let first = places.partition_point(|other| other + LONGEST < at);
        places.get(first).is_some_and(|other| *other <= at + LONGEST)
    };
    let mut found: Vec<Range<usize>> = Vec::new();
    let mut after = 0;
    for at in named.into_iter().filter(|at| places.iter().all(|places| is_near(places, *at))).take(TRIED) {
        let Some(token) = all.get(at) else { continue };
        // One passage of a sentence part is enough.
        if found.len() >= MOST {
            break;
        }
        if at < after {
            continue;
        }
        if let Some(clause) = Clause::around(tokens, at..at + 1) {
            let whole = names.iter().all(|name| {
                clause
                    .statement
                    .iter()
                    .filter_map(|at| all.get(*at))
                    .any(|token| is_same(name, &token.folded))
            });
            if whole {
                after = clause.part.last().map_or(at + 1, |last| last + 1);
                found.push(token.start..token.end);
            }
        }
    }
    for at in tokens.ticked() {
        let line = all
            .iter()
            .enumerate()
            .skip(at + 1)
            .take(LONGEST)
            .take_while(|(_, token)| !matches!(token.class, Class::Line | Class::Gap));
        let mut says =
            line.filter(|(_, token)| token.does(Cues::AFFIRMATION | Cues::DENIAL) && token.is_word());
        if let Some((_, token)) = says.next() {
            found.push(token.start..token.end);
        }
    }
    found
}
